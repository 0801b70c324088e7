"""Every kind of figure is drawn as it was: a change that alters a drawing, a caption or an alternative text is seen.

``kept.jsonl`` holds what is said beside each figure, and a hash of its SVG. A change that is meant is looked at (the
papers, `docs/gallery`), then kept by ``pytest tests/figures/test_kept.py --update-golden``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import FunctionType

import pytest

from storagelab import figures
from storagelab.figures import Drawn
from tests.conftest import ROOT
from tests.figures.kinds import KINDS, Change, drawn, reconstructed, reversed_values, same
from tests.figures.test_permitted_curves import BAND, model_of_reads, said
from tests.figures.test_testbed import bed
from tests.figures.ways import WAYS

KEPT = Path(__file__).with_name("kept.jsonl")
CHANGES: dict[str, Change] = {"same": same, "reversed": reversed_values, "reconstructed": reconstructed}
ROWS = ((1.0, 130e6, math.inf, math.nan, math.nan, 0), (2.0, 0.0, 200e6, 150e6, 5e6, 0))
BOUND = said(*ROWS, reached=130e6, beyond=True)
TOLD_APART = ("heatmap", "saturation", "winners_map")
"""Kinds that do something of their own where logs are reconstructed; all draw words below and hollow markers then."""


def of_kind(name: str) -> list[str]:
    """Changes with which a kind is drawn; a second way to call it draws with the same code whatever its data are."""
    changed = [] if " " in name else ["reversed"]
    return ["same", *changed, *(["reconstructed"] if name in TOLD_APART else [])]


DRAWINGS: dict[str, Callable[[], Drawn]] = {
    **{f"{name}, {change}": partial(drawn, name, CHANGES[change]) for name in KINDS for change in of_kind(name)},
    "permitted": lambda: figures.permitted(BAND, hue="operation"),
    "permitted, bounds": lambda: figures.permitted(BOUND, log=False, axis="time, not printed"),
    "permitted, model": lambda: figures.permitted(
        BAND, hue="operation", model=model_of_reads(), mechanism="links that fill"
    ),
    "test_bed": bed,
    **WAYS,
}
OTHER_DATA = ("reversed", "reconstructed")
"""Drawings of these run the same code as those of the data that they are made of, nearly all of it."""
PINNED = re.findall(r"^(matplotlib|seaborn)==(\S+)", (ROOT / "requirements" / "test.txt").read_text(), re.MULTILINE)


def said_and_drawn(one: Drawn) -> dict[str, str]:
    image = hashlib.sha256(one.render("svg")).hexdigest()[:12]
    return {"caption": one.caption, "alt": one.alt, "image": image}


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> dict[str, dict[str, str]]:
    if request.config.getoption("--update-golden"):
        found = ([name, said_and_drawn(draw())] for name, draw in DRAWINGS.items())
        KEPT.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in found))
    return dict(json.loads(line) for line in KEPT.read_text().splitlines())


@pytest.mark.skipif(
    {name: version(name) for name, _ in PINNED} != dict(PINNED), reason="another matplotlib or seaborn draws otherwise"
)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name.endswith(OTHER_DATA) else ()) for name in DRAWINGS]
)
def test_a_figure_is_drawn_as_it_was(name: str, kept: dict[str, dict[str, str]]) -> None:
    assert said_and_drawn(DRAWINGS[name]()) == kept[name]


def test_every_kind_is_drawn() -> None:
    kinds = {name for name in figures.__all__ if isinstance(getattr(figures, name), FunctionType)} - {"style"}
    assert kinds == {name.partition(",")[0].partition(" ")[0] for name in DRAWINGS}


def test_what_is_kept_is_what_is_drawn(kept: dict[str, dict[str, str]]) -> None:
    assert list(kept) == list(DRAWINGS)
