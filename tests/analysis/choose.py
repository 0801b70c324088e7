"""``python -m tests.analysis.choose``: choose anew with which changes of its data each analysis is asked.

With one all are, and with others those in which a condition comes out as it has not yet. A change of which NumPy warns
is left out and printed: tests take a warning for an error.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

from tests.covering import Shown, covering
from tests.parsers.conditions import Conditions


class Asked(NamedTuple):
    """An analysis, and what becomes of its data."""

    name: str
    change: str


def main() -> int:
    """Choose, and write down what comes of them."""
    conditions = Conditions()
    conditions.watch(Path(__file__).parent.parent.parent / "storagelab" / "analysis")
    from tests.analysis import test_kept as kept

    warnings.simplefilter("error")
    shown: dict[Asked, frozenset[object]] = {}
    for name in sorted(kept.CALLS):
        kept.data(name)
        for change in (one for one in kept.CHANGES if one not in kept.SLOW):
            conditions.seen.clear()
            try:
                kept.summary(name, change)
            except RuntimeWarning as warning:
                sys.stdout.write(f"{name}, {change}: {warning}\n")
                continue
            shown[Asked(name, change)] = frozenset(conditions.seen)
    usual = [Asked(name, kept.USUAL) for name in sorted(kept.CALLS)]
    known = frozenset[object]().union(*(shown[one] for one in usual))
    others = covering({asked: Shown(news - known, cost=1) for asked, news in shown.items()})
    chosen: dict[str, list[str]] = {}
    for one in (*usual, *others):
        chosen.setdefault(one.name, []).append(one.change)
    kept.write({name: (*changes, *kept.SLOW) for name, changes in chosen.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
