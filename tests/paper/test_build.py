"""From a notebook and a dataset to a folder a reader can open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from storagelab.paper import build_paper
from tests.paper.conftest import STUDY


def files(root: Path) -> dict[str, bytes]:
    folder = root / "reports" / STUDY
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_two_builds_in_two_folders_give_the_same_bytes(make: Callable[..., Path]) -> None:
    one, two = make(folder="one"), make(folder="another/and/longer")
    build_paper(STUDY, one)
    build_paper(STUDY, two)
    assert files(one) == files(two)
    assert set(files(one)) == {
        "dataset.nc",
        "facts.json",
        "figures/throughput.csv",
        "figures/throughput.png",
        "figures/throughput.svg",
        "paper.html",
        "summary.json",
        "tables/cases.csv",
    }
