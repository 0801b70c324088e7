"""From a number in Python to the lines of the log: the same that the command line shows."""

from __future__ import annotations

from pathlib import Path

import pytest
import xarray as xr

import storagelab
from storagelab import analysis, schema
from storagelab.analysis import traces
from storagelab.errors import AnalysisError, ContractError, UnknownNameError
from tests.conftest import fixture_logs

LOG = next(log for log in fixture_logs("ior") if "IOR-4.0.0" in log.read_text()[:400])


@pytest.fixture
def study(tmp_path: Path) -> xr.DataTree:
    """A log that may be changed, opened."""
    (tmp_path / LOG.name).write_bytes(LOG.read_bytes())
    return storagelab.open_logs(tmp_path / LOG.name)


def test_a_row_leads_to_its_line(study: xr.DataTree) -> None:
    runs = study["runs"].to_dataset().isel(obs=[2])
    shown = storagelab.trace(runs, study)
    line = int(runs["line"].values[0])
    assert shown.columns.tolist() == ["log", "line", "text", "log_sha256"]
    assert shown["line"].tolist() == [line]
    assert shown["text"].tolist() == [LOG.read_text().split("\n")[line - 1]]
    assert Path(shown["log"][0]).name == LOG.name
    assert shown["log_sha256"][0] == study["logs"]["log_sha256"].values[0]


def test_logs_of_a_study_lie_in_its_folder(study: xr.DataTree, tmp_path: Path) -> None:
    logs = study["logs"].to_dataset()
    study["logs"].dataset = logs.assign({"log": ("obs", [LOG.name])}).assign_attrs(study="mine")
    (tmp_path / "raw" / "mine").mkdir(parents=True)
    (tmp_path / LOG.name).rename(tmp_path / "raw" / "mine" / LOG.name)
    shown = storagelab.trace(study["runs"].to_dataset().isel(obs=[0]), study, raw=tmp_path / "raw")
    assert shown["log"].tolist() == [(tmp_path / "raw" / "mine" / LOG.name).as_posix()]


def test_a_number_knows_its_line(study: xr.DataTree) -> None:
    runs = storagelab.select(study["runs"].to_dataset(), operation="read")
    best = analysis.median(runs, "throughput")
    shown = storagelab.trace(best, study)
    assert set(shown["line"]) <= set(runs["line"].values.tolist())
    assert len(shown)
    assert all("read" in text for text in shown["text"])


def test_a_result_leads_to_all_rows_behind_it(study: xr.DataTree) -> None:
    runs = study["runs"].to_dataset()
    means = analysis.summarise(runs, "throughput", ["operation"], over=["statistic"])
    assert set(storagelab.trace(means, study, "throughput")["line"]) <= set(runs["line"].values.tolist())


FROM_HERE = "logs of no study are looked for where they were read: go to the folder from which that was done"


def test_a_log_that_is_another_one_now_proves_nothing(study: xr.DataTree, tmp_path: Path) -> None:
    (tmp_path / LOG.name).write_text("another\n")
    with pytest.raises(ContractError, match=f"{LOG.name}: was changed since it was read, its lines prove nothing$"):
        storagelab.trace(study["runs"].to_dataset().isel(obs=[0]), study)
    (tmp_path / LOG.name).unlink()
    with pytest.raises(ContractError, match=f"{LOG.name}: not found; {FROM_HERE}$"):
        storagelab.trace(study["runs"].to_dataset().isel(obs=[0]), study)


def test_what_nobody_remembers_is_refused(study: xr.DataTree) -> None:
    with pytest.raises(AnalysisError, match=r"^trace: nobody remembers what 3.0 was computed from; expected rows of a"):
        storagelab.trace(3.0, study)
    with pytest.raises(AnalysisError, match=r"^trace: nobody remembers what these rows was"):
        storagelab.trace(xr.Dataset({"x": ("obs", [1.0])}), study)
    with pytest.raises(AnalysisError, match=r"^trace: expected rows with the dimension obs: isel\(obs=\[12\]\), not"):
        storagelab.trace(study["runs"].to_dataset().isel(obs=0), study)


def test_a_node_and_a_column_that_does_not_exist_are_refused_by_name(study: xr.DataTree) -> None:
    runs = study["runs"].to_dataset()
    with pytest.raises(AnalysisError, match=r"^trace: expected a study or its dataset.nc, got a Dataset: a node alone"):
        storagelab.trace(runs, runs)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=r"throughputs.*throughput"):
        storagelab.trace(runs, study, "throughputs")


def test_a_whole_log_is_line_0(study: xr.DataTree) -> None:
    shown = storagelab.trace(study["logs"].to_dataset(), study)
    assert (shown["line"].tolist(), shown["text"].tolist()) == ([schema.COMPUTED], [""])


def test_places_that_are_written_out_lead_to_their_lines(study: xr.DataTree) -> None:
    """A name may hold colons; the last one stands before the line."""
    places = ["b.log:9", "run:2/a.log:7", "run:2/a.log:3", "b.log:9"]
    assert traces.traced(places, traces.Logs("", study)) == {"b.log": [9], "run:2/a.log": [3, 7]}


def test_lines_by_log_are_a_trace_as_they_are(study: xr.DataTree) -> None:
    assert traces.traced({"b.log": [9, 3], "a.log": []}, traces.Logs("", study)) == {"b.log": [9, 3], "a.log": []}


def test_rows_that_do_not_say_where_they_stand_are_refused(study: xr.DataTree) -> None:
    summary = xr.Dataset({"throughput": ("obs", [1.0])})
    with pytest.raises(AnalysisError, match=r"^trace: expected rows with log_id and line; pass the rows of"):
        traces.traced(summary, traces.Logs("", study))
