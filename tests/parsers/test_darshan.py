"""Darshan's binary logs, by the logs that pydarshan brings along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.ingest import read_log
from storagelab.parsers import darshan as darshan_logs

pydarshan = pytest.importorskip("darshan", reason="pydarshan is an optional extra (storagelab[darshan])")
LOGS = Path(pydarshan.__file__).parent / "examples" / "example_logs"


def log(name: str) -> Path:
    path = LOGS / name
    if not path.is_file():
        pytest.skip(f"this pydarshan does not bring {name} along")
    return path


def test_job_and_modules() -> None:
    read = read_log(log("example.darshan"))
    job, posix, mpi, _ = read.parsed.runs
    assert (read.format, read.parsed.complete) == ("darshan", True)
    assert (job["operation"], job["elapsed"], job["processes"]) == ("job", 117.0, 2048.0)
    assert (posix["api"], posix["operation"], posix["data_size"]) == ("POSIX", "write", 2199023259968.0)
    assert (mpi["api"], mpi["operations"]) == ("MPI-IO", 16402.0)
    assert read.parsed.header["started"] == "2017-03-20T09:07:47+00:00"


def test_estimate_is_darshans_own() -> None:
    """Bytes over the time of the slowest rank, which Darshan keeps for a file that all ranks share."""
    path = log("example.darshan")
    report = pydarshan.DarshanReport(str(path), read_all=False)
    report.mod_read_all_records("POSIX")
    slowest = report.records["POSIX"].to_df()["fcounters"]["POSIX_F_SLOWEST_RANK_TIME"].iloc[0]
    job = darshan_logs.parse(path).runs[0]
    assert job["throughput"] == pytest.approx(2199023259968 / slowest, rel=1e-6)


def test_negative_time_is_left_out_and_said() -> None:
    parsed = darshan_logs.parse(log("example.darshan"))
    (stdio,) = [row for row in parsed.runs if row.get("api") == "STDIO"]
    assert "transfer_time" not in stdio
    assert "the time to write is negative" in parsed.notes[0].text


def test_a_time_of_zero_is_not_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    records_of = darshan_logs._records

    def with_no_time(report: Any, module: str) -> Any:
        records = records_of(report, module)
        return {**records, "fcounters": records["fcounters"].assign(STDIO_F_WRITE_TIME=0.0)}

    monkeypatch.setattr(darshan_logs, "_records", with_no_time)
    parsed = darshan_logs.parse(log("example.darshan"))
    assert [row["transfer_time"] for row in parsed.runs if row.get("api") == "STDIO"] == [0.0]
    assert parsed.notes == []


def test_log_that_is_cut(tmp_path: Path) -> None:
    cut = tmp_path / "cut.darshan"
    cut.write_bytes(log("ior_hdf5_example.darshan").read_bytes()[:1500])
    parsed = read_log(cut).parsed
    assert not parsed.complete
    assert "has no record that can be read" in parsed.notes[0].text


def test_without_pydarshan(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "darshan", None)
    path = tmp_path / "some.darshan"
    path.write_bytes(b"3.21\x00\x00\x00\x00")
    with pytest.raises(ParseError, match=r"some.darshan: expected pydarshan .*pip install storagelab\[darshan\]"):
        read_log(path)


@pytest.mark.parametrize("head", [b"", b"3.21 is a version\n", b"\x893.21\x00\x00\x00"])
def test_what_is_no_log_of_darshan(head: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(head)
    assert parsers.read_binary(path, path.read_bytes()) is None
