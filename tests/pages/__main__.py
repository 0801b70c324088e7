"""Print what all pages of reports/ are like: ``python -m tests.pages [STUDY ...]``."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.pages import measure
from tests.pages.chromium import MISSING, PROGRAM, browser

HEAD = ("page", "paper", "sheets", "body pt", "least pt", "cut", "figures", "split", "blank %", "bare", "at 320 px")


def main(wanted: list[str]) -> None:
    if PROGRAM is None:
        sys.exit(MISSING)
    pages = [*sorted((ROOT / "reports").glob("*/paper.html")), ROOT / "reports" / "index.html"]
    chosen = [page for page in pages if not wanted or page.parent.name in wanted]
    print(f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|", sep="\n")
    for page in chosen:
        row_of(page)


def row_of(page: Path) -> None:
    with browser() as running:
        wide = measure.narrow(running, page)
        for paper in measure.PAPERS:
            found = measure.printed(running, page, paper)
            cells = (
                page.parent.name, paper, found.sheets, f"{found.body:.2f}", f"{found.smallest:.2f}", len(found.cut),
                found.figures, found.split, f"{100 * found.blank:.1f}", len(found.bare), wide,
            )  # fmt: skip
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
        if measure.AXE.exists():
            for width in (360, 1440):
                for dark in (False, True):
                    broken = measure.violations(running, page, width, dark=dark)
                    print(f"  axe {width} {'dark' if dark else 'light'}: {'; '.join(broken) or 'nothing'}", flush=True)
        for dark in (False, True):
            print(
                f"  colours {'dark' if dark else 'light'}: {measure.colours(running, page, dark=dark)[0]}", flush=True
            )


if __name__ == "__main__":
    main(sys.argv[1:])
