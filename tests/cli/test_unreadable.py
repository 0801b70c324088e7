"""Files that cannot be read to their end, and outputs that nobody takes: one line that names them, and exit code 1."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from storagelab import dataset, truncated_hdf5
from storagelab.ingest import log_file
from tests.cli.conftest import Cli
from tests.conftest import LOGS, ROOT
from tests.faults.reading import FAILED, broken
from tests.studies import cut_out

OTHER = LOGS / "dd" / "gnu-9.1-512-bytes.txt"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of some kilobytes beside one that can be read."""
    shutil.copy(OTHER, tmp_path / "other.txt")
    return Path(shutil.copy(LOGS / "sar" / "client-rep3-failover.txt", tmp_path / "a.log"))


@pytest.mark.parametrize("after", [0, 100, 700, 4000])
@pytest.mark.parametrize("how", ["plain", "gzip", "in blocks"])
def test_a_log_on_a_disk_that_fails_is_named_and_hides_no_other(
    how: str, after: int, log: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "gzip":
        log.write_bytes(gzip.compress(log.read_bytes(), compresslevel=0))
    if how == "in blocks":
        monkeypatch.setattr(log_file, "LARGE", 1)
    broken(monkeypatch, log, after)
    result = cli("parse", log.parent, "--to", "jsonl")
    assert (result.code, result.err) == (1, f"storagelab: {log}: {FAILED}\n")
    assert {json.loads(line)["log"] for line in result.out.splitlines()} == {str(log.parent / "other.txt")}


@pytest.mark.parametrize("command", [["parse"], ["formats"], ["store", "new.store"]])
def test_a_log_that_nobody_may_read_is_named_and_hides_no_other(
    command: list[str], log: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(log.parent)
    monkeypatch.setattr(os, "access", lambda path, mode, **_: Path(path).name != log.name)
    broken(monkeypatch, Path(log.name), 0)
    result = cli(*command, log.name, "other.txt")
    assert result.code == 1
    assert f"{log.name}: {FAILED}" in result.err
    assert "2 runs" in result.out or "other.txt: dd" in result.out


def test_a_file_that_ends_before_its_size_is_incomplete(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = log.stat().st_size
    whole = log_file.read_log(log)
    broken(monkeypatch, log, size // 2, fails=False)
    short = log_file.read_log(log)
    assert whole.parsed.complete
    assert not short.parsed.complete
    assert f"the file has {size} bytes, and ended after {size // 2}" in short.notes()


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return cut_out(
        "cluster-2026", lambda row: row["run_id"] == "dist_external_02_write_r1", Path("raw", "cluster-2026")
    )


@pytest.mark.parametrize("command", ["ingest", "check", "checksums"])
@pytest.mark.parametrize("name", ["runs.csv", "study.yaml", "*.log*"])
def test_a_file_of_a_study_on_a_disk_that_fails_is_named(
    name: str, command: str, study: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = next(path for path in sorted(study.rglob("*")) if path.is_file() and path.match(name))
    before = {file: file.read_bytes() for file in study.rglob("*") if file.is_file()}
    with monkeypatch.context() as patch:
        broken(patch, path, 20)
        result = cli(command, "cluster-2026")
    if (name, command) == ("study.yaml", "checksums"):
        assert result.code == 0, "checksums do not cover what interprets the data"
        return
    assert result.code == 1
    assert f"storagelab: {path}: {FAILED}\n" in result.err
    assert {file: file.read_bytes() for file in study.rglob("*") if file.is_file()} == before
    assert not Path("reports").exists()


def test_a_dataset_on_a_disk_that_fails_is_named(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "dataset.nc"
    cli("parse", OTHER, "--to", "netcdf", "-o", kept)
    sound = shutil.copy(kept, tmp_path / "sound.nc")
    for after in (0, 4, 100, 5000):
        with monkeypatch.context() as patch:
            broken(patch, kept, after)
            with pytest.raises(OSError, match=FAILED) as raised:
                dataset.load(kept)
            assert raised.value.filename == str(kept)
            if after > len(truncated_hdf5.SIGNATURE):
                result = cli("compare", kept, sound)
                assert result.code != 0
                assert result.err == f"storagelab: {kept}: {FAILED}\n"


CLOSED = "import os, sys; os.close({}); os.execv(sys.executable, [sys.executable, '-m', 'storagelab', *sys.argv[1:]])"


def closed(descriptor: int, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a command one of whose standard streams was closed before it began."""
    return subprocess.run(
        [sys.executable, "-c", CLOSED.format(descriptor), *map(str, command)],
        capture_output=True, text=True, cwd=ROOT, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", [["parse", OTHER, "--to", "jsonl"], ["formats"]])
def test_a_standard_output_that_is_closed_is_said(command: list[object]) -> None:
    done = closed(1, *command)
    assert (done.returncode, done.stderr) == (1, "storagelab: standard output: Bad file descriptor\n")


@pytest.mark.slow
@pytest.mark.parametrize("descriptor", [0, 2])
def test_who_closes_what_is_not_needed_gets_the_rest(descriptor: int) -> None:
    done = closed(descriptor, "parse", OTHER, "--to", "jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 3
    assert closed(descriptor, "parse", "nowhere", "--to", "jsonl").returncode == 1
