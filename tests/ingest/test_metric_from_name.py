"""Logs whose metric only the name of their file said, and logs of one run that rest on different things."""

from __future__ import annotations

from pathlib import Path

import pytest
import xarray as xr

from storagelab import dataset
from storagelab.errors import SidecarError
from storagelab.ingest import ingest, survey
from storagelab.reconstruct.writers import rrd_dump
from tests.conftest import fixture_logs

HEAD = "id: dumps-2026\ntitle: Dumps\norigin: reconstructed\nidentical: {'*.xml': the metrics moved alike}\n"
RATES = 0.0, 100e6, 120e6


def study(folder: Path, *rows: str) -> xr.DataTree:
    folder.mkdir()
    archive = rrd_dump.Archive(tuple((rate,) for rate in RATES))
    text = rrd_dump.render(rrd_dump.Dump(1166648100, (archive,), (RATES[-1],)))
    for row in rows:
        (folder / row.split(",")[0]).write_text(text)
    (folder / "study.yaml").write_text(HEAD)
    (folder / "runs.csv").write_text("\n".join(["file,run_id,role,metric,basis", *rows]) + "\n")
    return ingest(folder)


def test_samples_get_the_name_and_unit_of_their_metric(tmp_path: Path) -> None:
    tree = study(
        tmp_path / "dumps-2026", "a.xml,r1,monitor_log,bytes_in,model", "b.xml,r1,monitor_log,mem_free,published"
    )
    series = dataset.frame(dataset.select(tree["series"].to_dataset(), statistic="mean"))
    received, free = series[series["operation"] == "receive"], series[series["operation"] == ""]
    assert received["throughput"].tolist() == list(RATES)
    assert free["memory_free"].tolist() == [rate * 1024 for rate in RATES]
    assert set(received["basis"]) == {"model"}
    assert set(free["basis"]) == {"published"}
    assert series["value"].isna().all()


def test_samples_without_a_name_stay_so_where_the_sidecar_has_none(tmp_path: Path) -> None:
    series = study(tmp_path / "dumps-2026", "a.xml,r1,monitor_log,,model")["series"].to_dataset()
    assert dataset.select(series, statistic="mean")["value"].to_numpy().tolist() == list(RATES)


def test_a_survey_has_the_rows_of_runs_and_no_samples(tmp_path: Path) -> None:
    tree = study(tmp_path / "dumps-2026", "a.xml,r1,monitor_log,bytes_in,model")
    assert "series" in tree.children
    assert survey(tmp_path / "dumps-2026").rows == []
    (tmp_path / "runs-2026").mkdir()
    (tmp_path / "runs-2026" / "fileop.log").write_bytes(fixture_logs("fileop")[0].read_bytes())
    (tmp_path / "runs-2026" / "study.yaml").write_text("id: runs-2026\ntitle: Runs\norigin: measured\n")
    (tmp_path / "runs-2026" / "runs.csv").write_text("file,run_id\nfileop.log,r1\n")
    rows = survey(tmp_path / "runs-2026").rows
    assert len(rows) == ingest(tmp_path / "runs-2026")["runs"].sizes["obs"]


def test_what_a_dump_says_of_its_own_writing_keeps_its_name(tmp_path: Path) -> None:
    tree = study(tmp_path / "dumps-2026", "a.xml,r1,monitor_log,bytes_in,model")
    last = dataset.frame(dataset.select(tree["series"].to_dataset(), phase="last update"))
    assert dict(zip(last["metric"], last["value"], strict=True)) == {"sum": 120e6, "lastupdate": 1166648100.0}
    assert last["throughput"].isna().all()


def test_a_metric_that_gmond_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match=r"runs.csv:2: a.xml: 'bytes_inn' is no metric of gmond; did you mean"):
        study(tmp_path / "dumps-2026", "a.xml,r1,monitor_log,bytes_inn,model")
