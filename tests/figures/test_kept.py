"""Every kind of figure is drawn as it was: a change that alters a drawing, a caption or an alternative text is seen.

``kept.jsonl`` holds what is said beside each figure, and a hash of its SVG. A change that is meant is looked at (the
papers, `docs/gallery`), then kept by ``pytest tests/figures/test_kept.py --update-golden``.
"""

from __future__ import annotations

import hashlib
import json
import re
from importlib.metadata import version
from pathlib import Path

import pytest

from storagelab.figures import Drawn
from tests.conftest import ROOT
from tests.figures.kinds import KINDS, Change, drawn, reconstructed, reversed_values, same

KEPT = Path(__file__).with_name("kept.jsonl")
CHANGES: dict[str, Change] = {"same": same, "reversed": reversed_values, "reconstructed": reconstructed}
PINNED = re.findall(r"^(matplotlib|seaborn)==(\S+)", (ROOT / "requirements" / "test.txt").read_text(), re.MULTILINE)


def said_and_drawn(one: Drawn) -> dict[str, str]:
    image = hashlib.sha256(one.render("svg")).hexdigest()[:12]
    return {"caption": one.caption, "alt": one.alt, "image": image}


def rows() -> dict[str, dict[str, str]]:
    return {
        f"{name}, {change}": said_and_drawn(drawn(name, function))
        for name in KINDS
        for change, function in CHANGES.items()
    }


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> dict[str, dict[str, str]]:
    if request.config.getoption("--update-golden"):
        KEPT.write_text("".join(f"{json.dumps([key, row], ensure_ascii=False)}\n" for key, row in rows().items()))
    return dict(json.loads(line) for line in KEPT.read_text().splitlines())


@pytest.mark.cheap
@pytest.mark.skipif(
    {name: version(name) for name, _ in PINNED} != dict(PINNED), reason="another matplotlib or seaborn draws otherwise"
)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", KINDS)
def test_a_figure_is_drawn_as_it_was(name: str, change: str, kept: dict[str, dict[str, str]]) -> None:
    assert said_and_drawn(drawn(name, CHANGES[change])) == kept[f"{name}, {change}"]


def test_what_is_kept_is_what_is_drawn(kept: dict[str, dict[str, str]]) -> None:
    assert list(kept) == [f"{name}, {change}" for name in KINDS for change in CHANGES]
