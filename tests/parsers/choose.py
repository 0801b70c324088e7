"""``python -m tests.parsers.choose``: choose anew which damaged forms are kept, in five minutes.

Kept are the first few of each fixture, and of the next those that show something which none before them shows: a
condition of a parser comes out as it has not yet, a comparison meets its bound, or something else is said. What is made
of them is kept by ``pytest tests/parsers/test_damaged_golden.py --update-golden`` after that.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.parsers.conditions import Conditions

if TYPE_CHECKING:
    from tests.parsers.damaged import Kept, Reading

FORMS = 80
"""Damaged forms of each fixture among which those are sought that show something new."""


def main() -> int:
    """Choose, and write down the numbers."""
    conditions = Conditions()
    conditions.watch(Path(__file__).parent.parent.parent / "storagelab" / "parsers")
    from tests.conftest import fixture_logs, log_id
    from tests.fuzz import mutants
    from tests.parsers import damaged

    seen: set[str] = set()
    for log in fixture_logs():
        seen |= said(damaged.reading(mutants.read(log), log.name))
    chosen: Kept = {}
    for number in range(FORMS):
        for log in fixture_logs():
            before = len(conditions.seen) + len(seen)
            seen |= said(damaged.reading(damaged.form(log, number), log.name))
            if number < damaged.FIRST or len(conditions.seen) + len(seen) > before:
                chosen.setdefault(log_id(log), {})[number] = "?"
    damaged.keep({log_id(log): chosen[log_id(log)] for log in fixture_logs()})
    return 0


def said(made: Reading) -> set[str]:
    """Return what is said of a text, without its numbers and what it quotes."""
    told = [made[0]] if len(made) == 1 else [text for _, text in made[2]]
    return {re.sub(r"(?s)'.*?'|\".*?\"|\d+", "", str(one)) for one in told}


if __name__ == "__main__":
    sys.exit(main())
