"""What users, shells and file systems do to a command line."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from storagelab import open_logs, open_study
from storagelab.cli import console
from storagelab.cli.shared_options import seconds
from storagelab.errors import StoragelabError
from storagelab.parsers.wrapping import unwrapping
from tests.cli.conftest import Cli, interrupted
from tests.conftest import LOGS, ROOT
from tests.studies import cut_out

LOG = LOGS / "iozone" / "throughput_c8_children.log"
STORAGELAB = [sys.executable, "-m", "storagelab"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with everything that is no log, and one that is."""
    shutil.copy(LOG, tmp_path / "z.log")
    (tmp_path / "a_folder.log").mkdir()
    os.mkfifo(tmp_path / "b_pipe.log")
    (tmp_path / "c_broken.log").symlink_to("nowhere")
    (tmp_path / "d_empty.log").write_bytes(b"")
    (tmp_path / "e_binary.log").write_bytes(random.Random(1).randbytes(5_000_000))
    (tmp_path / "f_zeros.log").write_bytes(bytes(5_000_000))
    (tmp_path / "g_loop").symlink_to(".")
    return tmp_path


@pytest.mark.slow
def test_a_folder_of_everything_hides_no_log_and_waits_for_no_pipe(folder: Path, cli: Cli) -> None:
    result = cli("parse", folder, "--to", "jsonl")
    assert result.code == 1
    assert {Path(json.loads(line)["log"]).name for line in result.out.splitlines()} == {"z.log"}
    named = [line.removeprefix(f"storagelab: {folder}/").partition(":")[0] for line in result.err.splitlines()]
    assert named == ["c_broken.log", "d_empty.log", "e_binary.log", "f_zeros.log"]
    assert max(map(len, result.err.splitlines())) < 1000


@pytest.mark.slow
def test_long_work_says_how_far_it_is(folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PERIOD", 0.0)
    said = cli("parse", folder, "--to", "jsonl").err.splitlines()
    assert [line for line in said if " of " in line][-1] == "storagelab: reading: 4 of 5"


def test_a_folder_without_logs_is_said(folder: Path, cli: Cli) -> None:
    result = cli("parse", folder / "a_folder.log", folder / "z.log", "--to", "jsonl")
    assert (result.code, result.err) == (1, f"storagelab: {folder}/a_folder.log: a folder without logs\n")
    assert result.out
    with pytest.raises(StoragelabError, match=r"a_folder\.log: a folder without logs"):
        open_logs(folder / "a_folder.log")
    with pytest.raises(StoragelabError, match="no log or folder of logs is named"):
        open_logs()


@pytest.mark.slow
def test_a_folder_that_cannot_be_looked_into_is_named(folder: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    look = os.scandir

    def refuse(path: str) -> object:
        if Path(path).name == "a_folder.log":
            raise PermissionError(13, "Permission denied", path)
        return look(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert f"storagelab: {folder}/a_folder.log: " in cli("parse", folder, "--to", "jsonl").err


@pytest.mark.parametrize("damage", [lambda data: data + b"\0\0", lambda data: b"\xef\xbb\xbf" + data])
def test_odd_bytes_around_a_log_change_nothing(damage: Callable[[bytes], bytes], tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "z.log").write_bytes(damage(LOG.read_bytes()))
    whole = [line.split(",") for line in cli("parse", LOG, "--to", "csv").out.splitlines()]
    same = [line.split(",") for line in cli("parse", tmp_path / "z.log", "--to", "csv").out.splitlines()]
    assert [line[:-2] for line in same] == [line[:-2] for line in whole]


@pytest.mark.parametrize("to", ["table", "csv", "jsonl", "netcdf"])
@pytest.mark.parametrize("name", [b"not\xff\xfeUTF-8.log", b"two\nlines.log", b"\x1b[31mred.log"])
def test_any_name_of_a_file_can_be_written(name: bytes, to: str, tmp_path: Path, cli: Cli) -> None:
    log = tmp_path / os.fsdecode(name)
    shutil.copy(LOG, log)
    wide = ["--wide"] if to == "csv" else []
    result = cli("parse", log, "--to", to, *wide, "-o", tmp_path / "out" / "put")
    assert (result.code, result.err) == (0, "")
    (tmp_path / "out" / "put").read_bytes() if to == "netcdf" else (tmp_path / "out" / "put").read_text("utf-8")
    log.write_text("a poem")
    complaint = cli("parse", log).err
    assert len(complaint.splitlines()) == 1
    assert complaint.rstrip("\n").isprintable()


def test_the_same_log_named_twice_is_read_once(cli: Cli) -> None:
    assert cli("parse", LOG, LOG, "--to", "csv").out == cli("parse", LOG, "--to", "csv").out
    assert open_logs(LOG, LOG)["logs"].sizes["obs"] == 1


@pytest.mark.parametrize("to", ["csv", "netcdf"])
def test_a_log_is_never_overwritten_by_what_is_made_of_it(to: str, tmp_path: Path, cli: Cli) -> None:
    shutil.copy(LOG, tmp_path / "z.log")
    (tmp_path / "link").symlink_to("z.log")
    result = cli("parse", tmp_path, "--to", to, "-o", tmp_path / "link")
    assert result.code == 1
    assert "link: not written, it is one of the logs to read" in result.err
    assert (tmp_path / "z.log").read_bytes() == LOG.read_bytes()


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return cut_out(
        "cluster-2026", lambda row: row["run_id"] == "dist_external_02_write_r1", Path("raw", "cluster-2026")
    )


def test_nothing_is_written_into_a_study(study: Path, cli: Cli) -> None:
    before = (study / "runs.csv").read_bytes()
    result = cli("ingest", "cluster-2026", "-o", study / "runs.csv")
    assert (result.code, (study / "runs.csv").read_bytes()) == (1, before)
    assert "runs.csv: not written, raw files of a study are never edited" in result.err


def test_a_study_is_found_from_inside_it(study: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(study)
    assert cli("ingest", ".", "-o", "../../reports/x.nc").out.startswith("../../reports/x.nc: ")
    assert "notebooks/cluster_2026.ipynb: no such notebook, and so no paper: " in cli("strip", ".").err
    assert "unknown study" in cli("ingest", "").err


@pytest.mark.parametrize("command", [["ingest", "cluster-2026"], ["parse", "raw", "--to", "csv"]])
def test_a_file_in_the_way_of_a_folder(command: list[str], study: Path, cli: Cli) -> None:
    Path("reports").write_text("in the way")
    result = cli(*command, "-o", "reports/deep/out")
    assert result.code == 1
    assert "Not a directory" in result.err
    assert Path("reports").read_text() == "in the way"


def test_a_minus_is_standard_output(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("parse", LOG, "--to", "csv", "-o", "-").out == cli("parse", LOG, "--to", "csv").out
    assert cli("parse", LOG, "--to", "netcdf", "-o", "-").code == 2
    assert list(tmp_path.iterdir()) == []


def test_short_help(cli: Cli) -> None:
    assert cli("parse", "-h") == cli("parse", "--help")


@pytest.mark.slow
@pytest.mark.parametrize("command", [["parse", str(LOG), "--to", "csv"], ["formats"], ["--help"]])
def test_a_full_device_is_said(command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*STORAGELAB, *command], stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False
        )
    assert (done.returncode, done.stderr) == (1, "storagelab: standard output: No space left on device\n")


def test_a_full_file_is_named(cli: Cli) -> None:
    assert cli("parse", LOG, "-o", "/dev/full") == (1, "", "storagelab: /dev/full: No space left on device\n")


@pytest.mark.slow
def test_a_terminal_that_is_not_utf_8_loses_nothing(tmp_path: Path) -> None:
    shutil.copy(LOG, tmp_path / "ü.log")
    done = subprocess.run(
        [*STORAGELAB, "parse", str(tmp_path / "ü.log")],
        capture_output=True,
        check=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert b"\\xfc.log: iozone" in done.stdout


@pytest.mark.slow
def test_an_interruption_leaves_what_was_there(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless")
    output = tmp_path / "out.csv"
    output.write_text("before")
    code, _ = interrupted(tmp_path / "endless", "parse", LOG, tmp_path / "endless", "--to", "jsonl", "-o", output)
    assert code == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["endless", "out.csv"]
    assert output.read_text() == "before"


@pytest.mark.slow
def test_ingests_at_the_same_time_do_not_meet(study: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [*STORAGELAB, "ingest", "cluster-2026"]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert [path.name for path in Path("reports", "cluster-2026").iterdir()] == ["dataset.nc"]
    assert open_study("reports/cluster-2026/dataset.nc")["logs"].sizes["obs"] == 6


def test_all_formats_go_to_one_csv_and_one_netcdf(tmp_path: Path, cli: Cli) -> None:
    logs = [next(path for path in sorted(kind.iterdir()) if "golden" not in path.name) for kind in LOGS.iterdir()]
    cli("parse", *logs, "--to", "csv", "-o", tmp_path / "all.csv")
    lines = (tmp_path / "all.csv").read_text().splitlines()
    assert [number for number, line in enumerate(lines) if line.startswith("node,")] == [0]
    assert not any(cell == "nan" for line in lines for cell in line.split(","))
    cli("parse", *logs, "--to", "netcdf", "-o", tmp_path / "all.nc")
    assert open_study(tmp_path / "all.nc")["logs"].sizes["obs"] == len(logs)


@pytest.mark.parametrize(
    "command", [["parse", LOG, "--to", "csv"], ["store", "kept", LOG], ["ingest", "cluster-2026", "-o", "out.nc"]]
)
def test_each_command_that_reads_logs_bounds_their_time(
    command: list[str], study: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unwrapping.Reader, "read", lambda *_: sum(1 for _ in range(10**8)))
    assert "(--max-time)" in cli(*command, "--max-time", "0.05").err


def test_no_number_is_no_time_whatever_typer_lets_through() -> None:
    assert seconds(0.0) == 0.0
    with pytest.raises(typer.BadParameter, match="expected seconds, found nan"):
        seconds(float("nan"))


@pytest.mark.parametrize(("option", "value"), [("--max-time", "-3"), ("--max-time", "nan"), ("--max-memory", "3Q")])
def test_a_bound_that_is_none_is_a_mistake_of_the_call(option: str, value: str, cli: Cli) -> None:
    result = cli("parse", LOG, option, value)
    assert result.code == 2
    assert f"'{option}'" in result.err
