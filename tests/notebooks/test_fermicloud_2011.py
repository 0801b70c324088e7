"""The paper of FermiCloud 2011: it builds, draws what it says it draws, and its second verdicts can be lost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import claims
from storagelab.claims import accepted_verdicts
from storagelab.claims.claims_yaml import read_paper
from storagelab.claims.number_sources import read_sources
from storagelab.claims.record import Record
from storagelab.claims.second_verdicts import measured
from tests import studies
from tests.conftest import ROOT
from tests.notebooks.papers import captions_of, facts_of, report_of, root_with
from tests.published import tree, verdict

STUDY = "fermicloud-2011"
RAW = ROOT / "raw" / STUDY
CAMPAIGNS = ("cluster-2026", "loopback-2026", "virtual-2026", "xrootd-2026")
OF_THE_RECORD = ("a_", "p_", "c_", "m_", "k_", "n_")
FURTHER = {"writes", "aggregates", "windows", "paths"}
"""Figures of contradictions and of what a byte crosses, which neither the paper of 2011 nor a list of proposals has."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def campaigns() -> Mapping[str, xr.DataTree]:
    return {name: studies.measured(name) for name in CAMPAIGNS}


@pytest.fixture(scope="module")
def record(campaigns: Mapping[str, xr.DataTree]) -> Record:
    return claims.evaluate(RAW, tree(STUDY), campaigns)


@pytest.fixture(scope="module")
def report(record: Record) -> Path:
    def lay_out(root: Path) -> None:
        root_with(STUDY, tree(STUDY), root)
        claims.save(record, root / "reports" / STUDY / "claims.json")

    return report_of(STUDY, lay_out)


def test_every_fact_of_its_own_is_used(report: Path) -> None:
    notes = json.loads((report / "summary.json").read_text())["notes"]
    assert [note for note in notes if not note.split("'")[1].startswith(OF_THE_RECORD)] == []


def test_every_figure_says_what_a_point_is_and_that_it_is_reconstructed(report: Path) -> None:
    drawn = captions_of(report)
    assert len(drawn) == 18
    for caption in drawn:
        assert re.search(r"n = |points\)|nothing measured|worked out from the printed text", caption), caption
        assert "econstructed" in caption, caption


def test_what_is_said_to_be_drawn_is_drawn_and_nothing_else(report: Path) -> None:
    said = {name for figure in read_paper(RAW).figures for name in figure.drawn}
    assert {path.stem for path in (report / "figures").glob("*.svg")} == said | FURTHER


def test_verdicts_are_the_accepted_ones(record: Record) -> None:
    assert accepted_verdicts.changes(record.verdicts(), accepted_verdicts.read_accepted(RAW)) == []


def test_severe_contradictions_are_seen(record: Record, report: Path) -> None:
    inconsistent = {row["claim"] for row in record.ledger if row["verdict"] == "internally inconsistent"}
    assert inconsistent == {
        "fermi-vi-write-ratio", "fermi-concl-write-3x", "fermi-app-similar", "fermi-concl-66",
        "fermi-fair-saturation", "fermi-fair-itb-bw", "fermi-fair-onboard-bw", "fermi-fair-completion",
        "fermi-fair-bw-range",
    }  # fmt: skip
    facts = facts_of(report)
    assert facts["span"]["value"] < facts["links"]["value"] < facts["common"]["value"]
    assert facts["window_spread"]["value"] == pytest.approx(1.303, abs=0.001)


@pytest.mark.parametrize(
    ("claim", "alone"),
    [
        ("fermi-vi-write-ratio", "supported"),
        ("fermi-concl-write-3x", "not supported"),
        ("fermi-app-similar", "not supported"),
        ("fermi-fair-saturation", "not supported"),
        ("fermi-fair-bw-range", "not supported"),
    ],
)
def test_what_contradicts_holds_or_not_by_itself(claim: str, alone: str) -> None:
    assert verdict(STUDY, tree(STUDY), claim) == alone


def second(claim: str, campaigns: Mapping[str, xr.DataTree]) -> list[str]:
    chosen = [entry for entry in read_paper(RAW).claims if entry.id == claim]
    return [row["verdict"] for row in measured(chosen, campaigns, read_sources(ROOT / "raw" / "synthesis"))]


def changed(campaigns: Mapping[str, xr.DataTree], study: str, node: str, **variables: Any) -> dict[str, xr.DataTree]:
    """Campaigns in which variables of a node are functions of the node."""
    other = campaigns[study].copy()
    ds = other[node].to_dataset()
    other[node] = xr.DataTree(ds.assign({name: ("obs", make(ds), ds[name].attrs) for name, make in variables.items()}))
    return {**campaigns, study: other}


def test_stripes_that_even_nothing_out_are_not_replicated(campaigns: Mapping[str, xr.DataTree]) -> None:
    assert second("fermi-stripe-stability", campaigns) == ["replicated", "replicated"]
    rates = {f"cli{number}": 1e6 * number for number in range(1, 13)}
    uneven = changed(
        campaigns, "cluster-2026", "clients",
        throughput=lambda ds: np.array([rates.get(str(name), 1e6) for name in ds["client"].values]),
    )  # fmt: skip
    assert "replicated" not in second("fermi-stripe-stability", uneven)


def test_a_mount_that_brings_only_what_is_asked_for_is_not_replicated(campaigns: Mapping[str, xr.DataTree]) -> None:
    assert second("fermi-concl-readahead", campaigns) == ["replicated"]
    half = changed(campaigns, "cluster-2026", "runs", network_received=lambda ds: ds["network_received"].values / 2)
    assert second("fermi-concl-readahead", half) == ["not replicated"]
    assert second("fermi-readahead-others", campaigns) == ["not replicated", "replicated"]


def test_an_interval_across_the_line_decides_nothing(campaigns: Mapping[str, xr.DataTree]) -> None:
    assert second("fermi-onboard-better", campaigns) == ["undecided"]
    assert second("fermi-concl-read-same", campaigns) == ["not comparable"]


def test_three_readers_that_leave_half_of_the_links_empty_do_not_almost_fill_them(
    campaigns: Mapping[str, xr.DataTree],
) -> None:
    assert second("fermi-n21-aggregate", campaigns) == ["not replicated"]
    full = changed(
        campaigns, "cluster-2026", "runs",
        throughput_min=lambda ds: np.maximum(ds["throughput_min"].values, 22e6),
    )  # fmt: skip
    assert second("fermi-n21-aggregate", full) == ["replicated"]
