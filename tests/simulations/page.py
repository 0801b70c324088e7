"""All simulations, and the page docs/simulations.md that shows them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable

import numpy as np

import tests.simulations as package
from tests.conftest import ROOT
from tests.simulations.model import Result, Simulation

PAGE = ROOT / "docs" / "simulations.md"
OTHER = {"imports", "model", "page", "kept", "test_simulations", "__main__"}
HEAD = ("method", "noise", "n", "measure", "claimed", "found", "flagged")


def rooms() -> dict[str, list[Simulation]]:
    """Simulations of each module of this package."""
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.name not in OTHER)
    return {name: importlib.import_module(f"{package.__name__}.{name}").STUDIES for name in names}


def line(one: Simulation, result: Result) -> str:
    """One line of the table."""
    claimed = "" if one.measure in ("power", "bias") else "yes" if one.claims else "no"
    found = "refused" if not np.isfinite(result.mean) else f"{100 * result.mean:.1f} %"
    cells = (one.method, one.noise, str(one.n), one.measure, claimed, found, f"{100 * result.refused:.0f} %")
    return f"| {' | '.join(cells)} |"


def table(results: Iterable[tuple[Simulation, Result]]) -> str:
    """Lay one room out as a Markdown table."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    return "\n".join([*lines, *(line(*pair) for pair in results)])


def written(room: str) -> str:
    """Read the table of a room in the page."""
    page = PAGE.read_text(encoding="utf-8")
    return page.partition(f"<!-- {room} -->\n")[2].partition(f"\n<!-- /{room} -->")[0]


def write(room: str, text: str) -> None:
    """Put the table of a room into the page, where its marks stand."""
    page = PAGE.read_text(encoding="utf-8")
    start, end = f"<!-- {room} -->\n", f"\n<!-- /{room} -->"
    if start not in page or end not in page:
        raise SystemExit(f"docs/simulations.md has no marks for {room}: write a section with {start.strip()}{end}")
    before, after = page.partition(start)[0], page.partition(end)[2]
    PAGE.write_text(f"{before}{start}{text}{end}{after}", encoding="utf-8")
