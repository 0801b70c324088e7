"""The campaign of LLNL 2010: every printed number comes out of the logs, and what is not printed says so."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reconstructions.llnl_2010.metadata import decades
from reconstructions.llnl_2010.shapes import doublings, geometric, through
from storagelab import parsers
from storagelab.errors import ReconstructError
from storagelab.parsers import Parsed
from storagelab.reconstruct.campaign import reconstruct
from storagelab.reconstruct.log import MARK, Log
from storagelab.study.testbed import TestBed, read_testbed
from storagelab.units import MB
from tests.conftest import ROOT

STUDY = ROOT / "raw" / "llnl-2010"


@cache
def logs() -> list[Log]:
    return reconstruct(STUDY)


@cache
def parsed(log: str) -> Parsed:
    return parsers.read(next(each.text for each in logs() if each.path == log))[1]


def highest(found: list[Log], operation: str = "") -> float:
    """The best of runs, as a paper keeps it: B/s, or operations a second."""
    variable = "operation_rate" if operation else "throughput"
    rows = [row for log in found for row in parsed(log.path).runs if row["statistic"] == "single"]
    return max(float(row[variable]) for row in rows if operation in ("", row["operation"]))


def of(**keys: object) -> list[Log]:
    found = [log for log in logs() if all(log.keys.get(name) == value for name, value in keys.items())]
    assert found
    return found


def writes(group: str, filesystem: str, nodes: int) -> list[Log]:
    return [log for log in of(operation_group=group, filesystem=filesystem, nodes=nodes) if "_write_" in log.path]


def test_the_campaign_is_that_of_the_paper() -> None:
    counts = Counter(log.keys["operation_group"] for log in logs())
    assert counts == {
        "single-client": 3 * (2 + 3), "file-per-process": 3 * 2 * 2 * 8, "shared-file": 3 * 2 * 2 * 8, "tiers": 3 * 2,
        "nodes": 3 * 2 * 2 * 2 * 7, "load": 3 * 2 * 2 * 6,
    }  # fmt: skip
    assert all(MARK in log.text.splitlines()[0] for log in logs())


@pytest.mark.parametrize(
    ("group", "filesystem", "nodes", "printed"),
    [
        ("file-per-process", "gpfs", 4, 2668), ("file-per-process", "lustre", 16, 2286),
        ("shared-file", "gpfs", 4, 2500), ("shared-file", "lustre", 64, 2000),
        ("single-client", "gpfs", 1, 1200), ("single-client", "lustre", 1, 600),
    ],
)  # fmt: skip
def test_the_best_run_has_the_printed_rate_and_says_so(group: str, filesystem: str, nodes: int, printed: float) -> None:
    cell = [log for log in writes(group, filesystem, nodes) if log.keys.get("stripe_count", 2) == 2]
    rates = {str(log.keys["basis"]): highest([log]) / MB for log in cell}
    assert max(rates.values()) == pytest.approx(printed, abs=0.006)  # IOR prints hundredths of a MiB/s
    assert rates.keys() == {"derived" if group == "single-client" else "published", "model"}
    assert rates["model"] < printed - 0.006
    assert len(cell) == 3


def test_one_run_of_a_cell_at_most_is_not_the_models() -> None:
    cells = Counter(log.path.rpartition("_r")[0] for log in logs() if log.keys["basis"] != "model")
    assert set(cells.values()) == {1}
    assert len(cells) == 4 + 2 + 2  # peaks, ends of shared reads, one client


def test_shared_writes_of_lustre_dip_and_pass_half_between_two_and_four_nodes() -> None:
    one, two, four = (highest(writes("shared-file", "lustre", nodes)) / MB for nodes in (1, 2, 4))
    assert two < one < 1000 < four


def rate_of(operation: str, nodes: int, filesystem: str, kind: str) -> float:
    name = f"mdtest/nodes/{filesystem}_{kind}_{nodes:03d}n_100_r"
    return highest([log for log in logs() if log.path.startswith(name)], operation)


@pytest.mark.parametrize(
    ("operation", "nodes", "low", "high"),
    [
        ("directory_stat", 2, 9.99, 10.01), ("directory_stat", 128, 3, 3.1), ("directory_remove", 2, 12, 12.5),
        ("directory_remove", 128, 12, 16), ("file_create", 16, 1 / 1.301, 1 / 1.299), ("file_create", 2, 1, 1.2),
    ],
)  # fmt: skip
def test_lustre_over_gpfs_in_a_shared_directory(operation: str, nodes: int, low: float, high: float) -> None:
    lustre, gpfs = (rate_of(operation, nodes, name, "shared_neighbour") for name in ("lustre", "gpfs"))
    assert low <= lustre / gpfs <= high


def test_gpfs_catches_up_in_unique_directories_at_64_nodes_and_falls_with_lustre() -> None:
    rate = {
        (name, nodes): rate_of("file_create", nodes, name, "unique_neighbour")
        for name in ("lustre", "gpfs")
        for nodes in (32, 64, 128)
    }
    assert rate["gpfs", 32] < rate["lustre", 32]
    assert rate["gpfs", 64] == pytest.approx(rate["lustre", 64])
    assert rate["lustre", 128] < rate["gpfs", 128] < rate["gpfs", 64]


def test_no_log_of_mdtest_rests_on_a_printed_rate() -> None:
    assert {log.keys["basis"] for log in logs() if log.path.startswith("mdtest")} == {"model"}


def test_runs_follow_one_another() -> None:
    first, second, *_ = of(operation_group="single-client", filesystem="gpfs")
    assert parsed(first.path).header["ended"] < parsed(second.path).header["started"]


def test_every_choice_of_the_model_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, chosen = set(), TestBed.chosen

    def noted(bed: TestBed, name: str) -> float:
        asked.add(name)
        return chosen(bed, name)

    monkeypatch.setattr(TestBed, "chosen", noted)
    reconstruct(STUDY)
    assert asked == set(read_testbed(STUDY).model)


def test_ids_are_those_of_the_paper_each_once() -> None:
    claims = yaml.safe_load((STUDY / "claims.yaml").read_text())["claims"]
    figures = yaml.safe_load((STUDY / "figures.yaml").read_text())["figures"]
    checks = yaml.safe_load((STUDY / "checks.yaml").read_text())
    counts = len(claims), len(figures), len(checks["checks"]), len(checks["inconsistencies"])
    assert counts == (63, 20, 23, 12)


@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0, 1))
@settings(max_examples=60)
def test_a_curve_passes_through_its_anchors_and_stays_between_them(low: float, high: float, share: float) -> None:
    anchors = {1.0: low, 8.0: high}
    assert [through(anchors, nodes, 0.1) for nodes in (1, 8)] == [low, high]
    assert min(low, high) * (1 - 1e-9) <= through(anchors, 8**share, 0.1) <= max(low, high) * (1 + 1e-9)
    assert geometric(low, high, 1) == high
    assert through(anchors, 16, 0.1) == pytest.approx(0.9 * high)


def test_a_curve_does_not_reach_below_its_first_anchor() -> None:
    with pytest.raises(ReconstructError, match="at least 2 nodes, found 1"):
        through({2.0: 1.0, 4.0: 2.0}, 1, 0.0)


def test_levels_of_scans() -> None:
    assert doublings(2, 128) == [2, 4, 8, 16, 32, 64, 128]
    assert decades(10, 500) == [10, 20, 50, 100, 200, 500]
