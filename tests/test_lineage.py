"""What a result was computed from is remembered while it lives, and followed back to rows that stand in a log."""

from __future__ import annotations

import gc

import pytest
import xarray as xr

from storagelab import analysis, lineage, select
from storagelab.analysis.behind import rows_behind, rows_behind_value
from storagelab.lineage import key_of, rows_of, sources_of
from tests.analysis.tables import cluster, in_logs


def lines(found: list[xr.Dataset]) -> set[tuple[int, int]]:
    return {(int(log), int(line)) for rows in found for log, line in zip(rows["log_id"], rows["line"], strict=True)}


@pytest.fixture
def runs() -> xr.Dataset:
    """Runs of a campaign, each on a line of its own."""
    return in_logs(cluster())


def test_a_row_of_a_summary_leads_to_the_rows_of_its_cell(runs: xr.Dataset) -> None:
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    row = select(means, layout="replicate", operation="write", clients=3.0)
    own = select(runs, layout="replicate", operation="write", clients=3.0)
    assert lines(rows_behind(row, "throughput")) == lines([own])
    assert 0 < own.sizes["obs"] < runs.sizes["obs"]


def test_a_ratio_leads_to_both_sides_and_to_no_third(runs: xr.Dataset) -> None:
    sides = select(runs, layout=["distribute", "replicate"], operation="write", clients=1.0)
    ratio = analysis.compare(sides, "throughput", "layout", "distribute", "replicate", ["operation"])
    assert lines(rows_behind(ratio, "ratio")) == lines([sides])


def test_a_result_of_a_result_leads_to_the_logs_too(runs: xr.Dataset) -> None:
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    best = analysis.extreme(select(means, operation="write"), "throughput", "highest")
    keys = {name: best[name].item() for name in ("layout", "operation", "clients")}
    assert lines(rows_behind(best, "throughput")) == lines([select(runs, **keys)])


def test_a_count_knows_the_rows_that_it_counts(runs: xr.Dataset) -> None:
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    number = analysis.count(means, operation="write")
    assert (number, type(number) is int, isinstance(number, int)) == (int(number), False, True)
    assert lines(rows_behind_value(number)) == lines([select(runs, operation="write")])


def test_a_level_knows_its_key(runs: xr.Dataset) -> None:
    (one, *_) = analysis.levels(runs, "clients")
    assert (one, key_of(one)) == (1, "clients")
    assert key_of(analysis.count(runs, of="layout")) == "layout"
    assert (key_of(3), rows_of("word")) == ("", None)


def test_two_parts_put_together_lead_to_both(runs: xr.Dataset) -> None:
    cell = ["operation", "layout", "clients"]
    parts = [analysis.summarise(select(runs, operation=name), "throughput", cell) for name in ("write", "read")]
    assert lines(rows_behind(analysis.together(*parts))) == lines([select(runs, operation=["write", "read"])])


def test_lineage_ends_with_the_result(runs: xr.Dataset) -> None:
    gc.collect()
    before = len(lineage._sources)
    means = analysis.summarise(runs, "throughput", ["layout", "operation", "clients"])
    assert len(sources_of(means)) == 1
    assert len(lineage._sources) > before
    del means
    gc.collect()
    assert len(lineage._sources) == before


def test_what_nobody_remembers_leads_nowhere() -> None:
    assert rows_behind(xr.Dataset({"ratio": ("obs", [1.0])})) == []
    assert rows_behind_value(2.5) == []
