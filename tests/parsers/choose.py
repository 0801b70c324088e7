"""``python -m tests.parsers.choose``: choose anew which damaged forms are kept, in five minutes.

Kept are the first few of each fixture, and as few short ones as together show what all of them show: how conditions of
parsers come out that come out otherwise for whole logs, comparisons that meet their bounds, and what is said. Those
that show most for their length are read by fast tests. What is made of them is kept by
``pytest tests/parsers/test_damaged_golden.py --update-golden`` after that.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.covering import Shown, covering
from tests.parsers.conditions import Conditions

if TYPE_CHECKING:
    from tests.parsers.damaged import Reading

FORMS = 80
"""Damaged forms of each fixture among which those are sought that show something new."""
QUICK = 2300
"""So many that show most for their length are read by fast tests."""
BEFORE = 1000
"""Characters that are read in the time that passes before a parser begins."""


class Form(NamedTuple):
    """A damaged form of a fixture."""

    log: str
    number: int


def main() -> int:
    """Choose, and write down the numbers."""
    conditions = Conditions()
    conditions.watch(Path(__file__).parent.parent.parent / "storagelab" / "parsers")
    from tests.conftest import fixture_logs, log_id
    from tests.parsers import damaged

    chosen = list(covering(shown(conditions)))
    quick, others = set(chosen[:QUICK]), set(chosen[QUICK:])
    kept = {}
    for log in map(log_id, fixture_logs()):
        first = {Form(log, number) for number in range(damaged.FIRST)} - quick
        kept[log] = tuple(
            dict.fromkeys(sorted(form.number for form in forms if form.log == log), "?")
            for forms in (quick, others | first)
        )
    damaged.keep({log: (forms[0], forms[1]) for log, forms in kept.items()})
    return 0


def shown(conditions: Conditions) -> dict[Form, Shown]:
    """Read all forms of all fixtures."""
    from tests.conftest import fixture_logs, log_id
    from tests.fuzz import mutants
    from tests.parsers import damaged

    known: set[object] = set()
    for log in fixture_logs():
        known |= said(damaged.reading(mutants.read(log), log.name))
    known |= conditions.seen
    found = {}
    same: dict[object, object] = {}
    for log in fixture_logs():
        for number in range(FORMS):
            conditions.seen.clear()
            text = damaged.form(log, number)
            news = (said(damaged.reading(text, log.name)) | conditions.seen) - known
            found[Form(log_id(log), number)] = Shown(
                frozenset(same.setdefault(one, one) for one in news), len(text) + BEFORE
            )
    return found


def said(made: Reading) -> set[object]:
    """Return what is said of a text, without its numbers and what it quotes."""
    told = [made[0]] if len(made) == 1 else [text for _, text in made[2]]
    return {re.sub(r"(?s)'.*?'|\".*?\"|\d+", "", str(one)) for one in told}


if __name__ == "__main__":
    sys.exit(main())
