"""check, checksums, ingest, strip and trace, on a small study cut out of a measured campaign."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from storagelab import dataset, schema, writing
from storagelab.cli import console
from storagelab.errors import PaperError, StoragelabError
from storagelab.paper.notebooks import stripped
from storagelab.writing.own_folders import this_host
from tests.cli.conftest import Cli
from tests.conftest import LOGS
from tests.studies import cut_out, declare_copies

RUN = "dist_external_02_write_r1"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of a study with one run of two clients, below a repository that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return cut_out("cluster-2026", lambda row: row["run_id"] == RUN, Path("raw", "cluster-2026"))


@pytest.fixture
def data(study: Path, cli: Cli) -> Path:
    assert cli("ingest", "cluster-2026").code == 0
    return Path("reports", "cluster-2026", "dataset.nc")


def test_what_killed_commands_left_is_gone_with_the_next_one(study: Path, cli: Cli) -> None:
    of_a_dead_process = f"{writing.OURS}{this_host()}-{2**22 + 1}-1-0"  # no Linux has such a process
    left = [folder / of_a_dead_process for folder in (study, Path("reports"))]
    for one in left:
        one.mkdir(parents=True)
    cli("check", "cluster-2026")
    assert not any(one.exists() for one in left)


def index_of(data: Path, node: str, **keys: str) -> int:
    ds = dataset.load(data)[node].to_dataset()
    return next(
        i for i in range(ds.sizes["obs"]) if all(str(ds[name].values[i]) == value for name, value in keys.items())
    )


def test_ingest_writes_the_dataset_and_says_how_much(study: Path, cli: Cli) -> None:
    result = cli("ingest", "cluster-2026")
    counts = r"\d+ runs, \d+ clients, .*\d+ logs, \d+ conditions"
    assert re.fullmatch(rf"reports/cluster-2026/dataset\.nc: {counts}\n", result.out)
    assert cli("ingest", study).out == result.out


def test_ingest_holds_the_logs_against_their_checksums_and_says_where_there_are_none(study: Path, cli: Cli) -> None:
    unsealed = "raw/cluster-2026: no SHA256SUMS, so a changed log is not noticed here: `storagelab checksums` writes it"
    assert cli("ingest", "cluster-2026").err == f"storagelab: {unsealed}\n"
    assert cli("checksums", "cluster-2026").code == 0
    assert cli("ingest", "cluster-2026").err == ""
    log = min(study.rglob("*.iozone.log"))
    log.write_text(log.read_text().replace("7", "1", 1))
    result = cli("ingest", "cluster-2026")
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert f"{log.name} was changed: expected the SHA-256 " in result.err


def test_a_log_that_is_cut_and_the_run_that_lacks_it_are_told_and_are_not_wrong(study: Path, cli: Cli) -> None:
    """One client's log ends before the rewrite: it is incomplete, and so is the run, which has the other's alone."""
    log = min(study.rglob("*.iozone.log"))
    text = log.read_text()
    log.write_text(text[: text.index("rewriters")].rpartition("\n")[0] + "\n")
    assert cli("checksums", "cluster-2026").code == 0
    found = cli("check", "cluster-2026")
    assert (found.code, found.err.count("incomplete: ")) == (0, 1)
    assert f"run {RUN}: rewrite of 1 of 2 clients: not added up" in found.err
    assert f"{study}: nothing wrong but 2 incomplete logs or runs and 221 planned runs are missing" in found.out
    told = json.loads(cli("check", "cluster-2026", "--json").out)
    assert [row["only_incomplete"] for row in told["rows"]] == [True, True]


@pytest.mark.parametrize(("said", "told"), [
    (
        "expected: [{check: outlier, why: so}]",
        "expected.0.check: unknown check of `validity` 'outlier'; did you mean 'outliers', ",
    ),
    ("plan: {repeats: 1, factors: {clients: [1]}, command: 'fio {client}'}", "command: {client} is no field; known: "),
    ("plan: {repeats: 1, factors: {clients: [1]}}", "command: expected what a run is, found nothing"),
])  # fmt: skip
def test_check_tells_what_stops_a_campaign_or_a_paper_later(said: str, told: str, study: Path, cli: Cli) -> None:
    assert cli("checksums", "cluster-2026").code == 0
    sidecar = study / "study.yaml"
    sidecar.write_text(yaml.safe_dump(yaml.safe_load(sidecar.read_text()) | yaml.safe_load(said)))
    result = cli("check", "cluster-2026")
    assert result.code == 1
    assert told in result.err


def test_check_tells_everything_wrong_at_once(study: Path, cli: Cli) -> None:
    assert "SHA256SUMS: no such file: write it with `storagelab checksums`" in cli("check", "cluster-2026").err
    assert cli("checksums", "cluster-2026").code == 0
    sound = cli("check", "cluster-2026")
    assert (sound.code, sound.err) == (0, "")
    assert sound.out.startswith("external clients: 1 of 180 runs; missing: layout distribute, clients 1, ")
    assert sound.out.endswith(f"\n{study}: nothing wrong but 221 planned runs are missing\n")
    first, second = sorted(study.rglob("*.iozone.log"))
    first.write_text("a poem")
    second.unlink()
    result = cli("check", "cluster-2026")
    assert result.code == 1
    assert f"{first.name}:1: expected a log of one of" in result.err
    assert f"{first.name} was changed" in result.err
    assert f"{second.name}: no such log" in result.err
    assert f"{second.name} is listed here, but is not there" in result.err


def test_check_looks_at_all_studies_also_behind_one_that_is_wrong(study: Path, cli: Cli) -> None:
    sound, unreadable = study.with_name("sound"), study.with_name("unreadable")
    shutil.copytree(study, sound)
    (sound / "study.yaml").write_text((study / "study.yaml").read_text().replace("id: cluster-2026", "id: sound", 1))
    assert cli("checksums", "sound").code == 0
    shutil.copytree(study, unreadable)
    (unreadable / "study.yaml").write_text("id: [")
    found = cli("check", "unreadable", "cluster-2026", "sound")
    assert found.code == 1
    assert "raw/unreadable/study.yaml:1: " in found.err
    assert "raw/cluster-2026/SHA256SUMS: no such file" in found.err
    assert re.search(r"raw/cluster-2026: \d+ logs, 1 thing is wrong\n", found.out)
    assert found.out.endswith("\nraw/sound: nothing wrong but 221 planned runs are missing\n")
    assert cli("check", "sound", "sound").code == 0


def test_no_study_is_looked_at_where_one_is_unknown(study: Path, cli: Cli) -> None:
    found = cli("check", study, "clustre-2026")
    assert (found.code, found.out) == (1, "")
    assert "'clustre-2026'; did you mean 'cluster-2026'" in found.err


def test_json_tells_of_one_study(study: Path, cli: Cli) -> None:
    found = cli("check", study, study, "--json")
    assert (found.code, found.out) == (2, "")
    assert "Invalid value for --json: tells of one study, and 2 are named" in found.err


def test_trace_shows_the_very_line(data: Path, cli: Cli) -> None:
    row = index_of(data, "clients", operation="write", client="cli2")
    result = cli("trace", data, row, "--node", "clients")
    value = dataset.load(data)["clients"]["throughput"].values[row] / 1024
    marked = next(line for line in result.out.splitlines() if line.startswith(">"))
    assert f"{value:.2f} kB/sec" in marked
    assert "cli2.iozone.log" in result.out
    assert "(measured)" in result.out


def test_trace_of_an_aggregate_shows_the_clients_behind_it(data: Path, cli: Cli) -> None:
    result = cli("trace", data, index_of(data, "runs", operation="write"))
    assert "added up from 2 logs; the clients' rows behind it:" in result.out
    assert re.findall(r"clients\[\d+\] (cli\d)", result.out) == ["cli1", "cli2"]
    assert len([line for line in result.out.splitlines() if line.startswith(">")]) == 2
    assert "initial writers" in result.out
    assert "rewriters" not in result.out


def test_trace_of_counters_shows_both_readings(data: Path, cli: Cli) -> None:
    row = index_of(data, "clients", operation="transmit", client="cli2")
    shown = cli("trace", data, row, "--node", "clients").out
    after, before = (int(line.split("|")[1].split()[9]) for line in shown.splitlines() if line.startswith(">"))
    assert after - before == dataset.load(data)["clients"]["network_sent"].values[row]
    assert re.search(
        r"cli2\.netdev_after\.txt:4 .*less the reading before:\n\S+cli2\.netdev_before\.txt:4 ", shown, re.S
    )


def test_trace_of_a_sum_within_one_log_shows_its_parts(study: Path, cli: Cli) -> None:
    assert cli("parse", LOGS / "fio_json" / "two-processes-3.33.json", "--to", "netcdf", "-o", "two.nc").code == 0
    out = cli("trace", "two.nc", "0", "--context", "0").out
    assert "added up from several parts of the log; their rows:" in out
    first, *parts = (int(line.partition(":")[2].strip(" ,")) for line in re.findall(r"^>.*(\"bw_bytes\".*)", out, re.M))
    assert sum(parts) == dataset.load("two.nc")["runs"]["throughput"].values[0]
    assert first == parts[0]


def test_trace_shows_the_line_of_each_value(study: Path, cli: Cli) -> None:
    assert cli("parse", LOGS / "cmssw_fjr" / "imitated-performance.xml", "--to", "netcdf", "-o", "jobs.nc").code == 0
    runs = dataset.load("jobs.nc")["runs"].to_dataset()
    row = int(np.flatnonzero(np.isfinite(runs["latency_line"].values) & np.isfinite(runs["elapsed_line"].values))[0])
    out = cli("trace", "jobs.nc", row, "--context", "0").out
    shown = re.search(r"^ +(\d+) \| .*Value=\"([\d.]+)\".*\(elapsed\)$", out, re.M)
    assert shown
    assert float(shown[1]) == runs["elapsed_line"].values[row]
    assert float(shown[2]) / 1000 == pytest.approx(runs["elapsed"].values[row])
    assert "latency: computed from elapsed, operations, printed on no line" in out
    told = {name for said in re.findall(r"^[> ]+\d+ \| .*\(([\w, ]+)\)$", out, re.M) for name in said.split(", ")}
    assert told == {name for name in schema.LINE_OF if runs.get(f"{name}_line", np.zeros(row + 1))[row] > 0}


def test_trace_tells_the_sizes_of_a_sweep_apart(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sweep = Path("raw", "sweep")
    sweep.mkdir(parents=True)
    (sweep / "study.yaml").write_text("id: sweep\ntitle: A sweep\norigin: measured\n")
    declare_copies(sweep)
    (sweep / "runs.csv").write_text("file,client,clients,run_id\na.log,a,2,both\nb.log,b,2,both\n")
    for name in ("a.log", "b.log"):
        shutil.copy(LOGS / "iozone" / "auto_excel_i0_i1.log", sweep / name)
    assert cli("ingest", "sweep", "-o", "x.nc").code == 0
    out = cli("trace", "x.nc", "1").out
    assert re.findall(r"clients\[\d+\] (\w)", out) == ["a", "b"]


def test_trace_refuses_a_log_that_was_changed(data: Path, study: Path, cli: Cli) -> None:
    for log in study.rglob("*.iozone.log"):
        log.write_text(log.read_text().replace("Children", "Grandchildren"))
    result = cli("trace", data, index_of(data, "runs", operation="write"))
    assert result.code == 1
    assert "was changed since it was read" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["999"], r"runs has rows 0 to \d+, not 999"),
        (["0", "--node", "series"], "unknown node of .*'series'"),
        (["0", "--raw", "elsewhere"], r"not found; say where the raw studies are with --raw"),
    ],
)
def test_trace_names_what_is_wrong(arguments: list[str], message: str, data: Path, cli: Cli) -> None:
    result = cli("trace", data, *arguments)
    assert result.code == 1
    assert re.search(message, result.err)


def test_trace_takes_the_last_row_and_none_behind_it(data: Path, cli: Cli) -> None:
    size = dataset.load(data)["runs"].sizes["obs"]
    assert cli("trace", data, size - 1).code == 0
    assert f"runs has rows 0 to {size - 1}, not {size}" in cli("trace", data, size).err


def test_trace_of_parsed_logs_needs_no_study(study: Path, cli: Cli) -> None:
    log = next(study.rglob("cli1.iozone.log"))
    assert cli("parse", log, "--to", "netcdf", "-o", "one.nc").code == 0
    assert f"{log.as_posix()}:" in cli("trace", "one.nc", "0").out


def test_a_file_that_is_no_dataset_is_named(study: Path, cli: Cli) -> None:
    result = cli("trace", study / "study.yaml", "0")
    assert result.code == 1
    assert "expected a study in netCDF-4" in result.err


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "b",
            "metadata": {"tags": ["parameters"]},
            "outputs": [],
            "source": ["study = 'x'"],
        },
    ],
    "metadata": {"authors": [{"name": "A. Author"}]},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def opened(notebook: dict[str, object]) -> dict[str, object]:
    """The same notebook after it was run and saved by Jupyter."""
    copy = json.loads(json.dumps(notebook))
    copy["metadata"] |= {"kernelspec": {"name": "python3"}, "language_info": {"version": "3.14.1"}}
    copy["cells"][1] |= {"id": "c", "execution_count": 7, "outputs": [{"output_type": "stream", "text": "hello"}]}
    copy["cells"][1]["metadata"] |= {"execution": {"iopub.execute_input": "2026-01-01"}}
    copy["nbformat_minor"] = 4
    return copy


def test_stripped_notebooks_differ_only_in_what_a_person_wrote(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    copies = []
    for notebook in (NOTEBOOK, opened(NOTEBOOK), NOTEBOOK | {"cells": NOTEBOOK["cells"][:1]}):  # type: ignore[index]
        path.write_text(json.dumps(notebook))
        copies.append(stripped(path))
    assert copies[0] == copies[1]
    assert copies[0] != copies[2]
    assert json.loads(copies[0])["cells"][1]["metadata"] == {"tags": ["parameters"]}


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"cells": [1], "metadata": {}}', '{"cells": [], "metadata": []}'])
def test_what_is_no_notebook_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(text)
    with pytest.raises(PaperError, match=r"n\.ipynb: expected a Jupyter notebook"):
        stripped(tmp_path / "n.ipynb")


def test_strip_writes_the_copy_the_pipeline_watches(study: Path, cli: Cli) -> None:
    assert "notebooks/cluster_2026.ipynb: no such notebook, and so no paper: " in cli("strip", "cluster-2026").err
    Path("notebooks").mkdir()
    Path("notebooks", "cluster_2026.ipynb").write_text(json.dumps(opened(NOTEBOOK)))
    assert cli("strip", "cluster-2026").out == "reports/cluster-2026/notebook.ipynb\n"
    assert "hello" not in Path("reports", "cluster-2026", "notebook.ipynb").read_text()


def test_a_study_that_was_not_ingested_has_no_dataset_to_work_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoragelabError, match=r"no dataset reports/lab/dataset\.nc: run `storagelab ingest lab` first"):
        console.require_dataset("lab")
    Path("reports", "lab").mkdir(parents=True)
    Path("reports", "lab", "dataset.nc").touch()
    console.require_dataset("lab")
