"""What papers of campaigns say of their numbers stands in those papers, and their facts can be quoted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from storagelab.claims.number_sources import fact_of, read_facts, read_sources, sources_beside
from storagelab.errors import SidecarError, StoragelabError
from tests.conftest import ROOT

SAID = read_sources(ROOT / "raw" / "synthesis")


def prose(study: str) -> str:
    """The prose of a paper on one line."""
    notebook = json.loads((ROOT / "notebooks" / f"{study.replace('-', '_')}.ipynb").read_text(encoding="utf-8"))
    cells = ("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    return " ".join(" ".join(cells).split())


@pytest.mark.parametrize("study", sorted(SAID.sources))
def test_what_a_paper_is_quoted_with_stands_in_it(study: str) -> None:
    source = SAID.of(study)
    for says in [*(unit.says for unit in source.units), *(each.says for each in source.aggregates)]:
        assert says in prose(study), f"sources.yaml: {study} no longer says {says!r}"


def test_a_comparison_without_sources_says_nothing(tmp_path: Path) -> None:
    assert read_sources(tmp_path).of("cluster-2026").levels == ()


def test_a_mistake_in_the_sources_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_text("sources:\n  cluster-2026:\n    level: [layout]\n")
    with pytest.raises(SidecarError, match=r"sources.yaml:3: .*level"):
        read_sources(tmp_path)


def test_a_fact_that_no_paper_states_is_named(tmp_path: Path) -> None:
    (tmp_path / "cluster-2026").mkdir()
    (tmp_path / "cluster-2026" / "facts.json").write_text('{"facts": {"gain": {"value": 1.0}}}')
    papers = read_facts(tmp_path, ["cluster-2026", "xrootd-2026"])
    assert fact_of(papers, "cluster-2026", "gain") == {"value": 1.0}
    with pytest.raises(StoragelabError, match="the paper cluster-2026 states no fact 'gian'; did you mean 'gain'"):
        fact_of(papers, "cluster-2026", "gian")
    with pytest.raises(StoragelabError, match="no facts of xrootd-2026: run `storagelab paper xrootd-2026` first"):
        fact_of(papers, "xrootd-2026", "gain")


def test_a_level_is_named_in_the_words_of_the_field() -> None:
    assert "striped" in SAID.named("layout", "distribute+shard")
    assert SAID.named("clients", 12.0) == ("twelve",)
    assert SAID.named("colour", "red") == ("red",)


def test_all_studies_share_the_sources_beside_them() -> None:
    assert SAID.sources
    assert sources_beside(ROOT / "raw" / "bnl-2007") == SAID
