"""Every figure and every claim of every published study has a row, and none is silently missing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import yaml

from storagelab import claims
from storagelab.claims.claims_yaml import Paper, read_paper
from storagelab.claims.extracts import read_figures, read_groups
from storagelab.claims.record import Record
from storagelab.errors import StoragelabError
from tests.claims import tiny
from tests.conftest import ROOT, SHARED

INVENTORY = SHARED / "studies"
CLAIMS = {"fermicloud-2011": 99, "uscms-2009": 44, "bnl-2007": 41, "llnl-2010": 63, "cern-kinetic-2015": 34}
FIGURES = {"fermicloud-2011": 15, "uscms-2009": 8, "bnl-2007": 22, "llnl-2010": 20, "cern-kinetic-2015": 12}
ACROSS = 6
"""How many claims and figures there are by study, and figures that show several studies."""


@cache
def papers() -> dict[str, Paper]:
    return {study: read_paper(ROOT / "raw" / study) for study in CLAIMS}


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return claims.evaluate(tiny.write(tmp_path / "tiny"), tiny.logs(), {"cluster-2026": tiny.logs("measured")})


def test_there_are_281_claims_and_83_figures() -> None:
    assert {study: len(paper.claims) for study, paper in papers().items()} == CLAIMS
    assert {study: len(paper.figures) for study, paper in papers().items()} == FIGURES
    assert len(read_figures(ROOT / "raw" / "synthesis")) == ACROSS
    assert (sum(CLAIMS.values()), sum(FIGURES.values()) + ACROSS) == (281, 83)


@pytest.mark.skipif(not INVENTORY.is_dir(), reason="the list of all claims and figures is not there to compare with")
def test_claims_and_figures_are_those_that_were_listed_when_the_papers_were_read() -> None:
    listed = {
        kind: yaml.safe_load((INVENTORY / f"{kind}.yaml").read_text(encoding="utf-8"))[kind]
        for kind in ("claims", "figures")
    }
    of = {kind: {(each["study"], each["id"]) for each in rows} for kind, rows in listed.items()}
    across = {("cross-study", figure.id) for figure in read_figures(ROOT / "raw" / "synthesis")}
    assert {(study, entry.id) for study, paper in papers().items() for entry in paper.claims} == of["claims"]
    figures = {(study, figure.id) for study, paper in papers().items() for figure in paper.figures}
    assert figures | across == of["figures"]


def test_figures_of_several_studies_name_claims_that_there_are() -> None:
    known = {entry.id for paper in papers().values() for entry in paper.claims}
    named = {name for figure in read_figures(ROOT / "raw" / "synthesis") for name in figure.claims}
    assert named <= known


def test_groups_of_claims_of_several_studies_name_claims_and_checks_that_there_are() -> None:
    groups = read_groups(ROOT / "raw" / "synthesis")
    known = {entry.id for paper in papers().values() for entry in paper.claims}
    checks = {check.id for paper in papers().values() for check in paper.checks}
    assert len(groups) == 4
    assert {name for group in groups for name in group.claims} <= known
    assert {name for group in groups for name in group.checks} <= checks


def test_a_figure_counts_the_claims_of_other_studies_that_it_shows(record: Record) -> None:
    figure = {**record.figures[0], "id": "xs", "claims": ["four", "opinion"], "drawn": ["effects"]}
    across = Record("synthesis", "measured and reconstructed", *[[]] * 6, figures=[figure])
    row = claims.coverage([record, across]).set_index("figure").loc["xs"]
    assert row[["study", "origin", "notebook", "drawn"]].tolist() == [
        "synthesis", "measured and reconstructed", "synthesis.ipynb", "effects",
    ]  # fmt: skip
    assert row[["claims", "tested", "supported"]].tolist() == [2, 1, 0]
    with pytest.raises(StoragelabError, match="xs names the claim 'four', which no record has"):
        claims.coverage([across])


def test_every_claim_has_a_row_with_what_it_tests_and_what_was_measured(record: Record) -> None:
    rows = claims.claim_coverage([record]).set_index("claim")
    assert len(rows) == 8
    assert rows.loc["read", ["study", "origin", "verdict"]].tolist() == [
        "tiny", "reconstructed", "consistent with the printed text",
    ]  # fmt: skip
    assert rows.loc["read", "figures"] == "fig1"
    assert rows.loc["same", "measured"] == "replicated"
    assert rows.loc["opinion", ["verdict", "tests", "measured"]].tolist() == ["not testable", "", ""]
    with pytest.raises(StoragelabError, match="several claims have the id fastest"):
        claims.claim_coverage([record, record])


def test_counts_of_all_studies_are_the_sums_of_each(record: Record) -> None:
    rows = claims.study_counts([record, record]).set_index("study")
    assert rows.loc["all", "claims"] == 16
    assert rows.loc["all", "inconsistent"] == 2 * claims.counts(record)["inconsistent"]
    assert rows.attrs["origin"] == "reconstructed"


def test_second_verdicts_of_all_studies_are_measured(record: Record) -> None:
    agreed = claims.replication_table([record], "replicated")
    assert agreed[["claim", "campaign"]].to_numpy().tolist() == [["same", "cluster-2026"]]
    assert agreed.attrs["origin"] == "measured"
    assert claims.replication_table([record], "not replicated").empty
    assert claims.replication_table([record])["verdict"].tolist() == ["replicated"]


def test_severe_inconsistencies_are_told_with_what_was_computed(record: Record) -> None:
    told = claims.severe_inconsistencies([record])
    assert told[["inconsistency", "study", "severity"]].to_numpy().tolist() == [["x1", "tiny", "high"]]
    assert told["computed"][0] == "how much slower: 3.571"
    assert told.attrs["origin"] == "published"


def test_papers_that_agree_with_themselves_have_no_row(record: Record) -> None:
    agreeing = replace(record, inconsistencies=())
    for told in (claims.severe_inconsistencies([agreeing]), claims.inconsistencies([agreeing, agreeing])):
        assert told.empty
        assert {"study", "severity", "claims", "handling"} <= set(told.columns)
    assert claims.inconsistencies([agreeing, record])["id"].tolist() == claims.inconsistencies([record])["id"].tolist()
