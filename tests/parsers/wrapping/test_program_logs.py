"""Logs of programs that run a tool: what they put before its lines is learned where it is of no known kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab.ingest import Log, read_log
from tests.conftest import LOGS
from tests.parsers import damaged
from tests.wrapping import clock

PROGRAMS: dict[str, Callable[[int], str]] = {
    "maven": lambda at: f"2026-11-20 {clock(at)},123 INFO  fs.TestDFSIO (TestDFSIO.java:analyzeResult({800 + at})) - ",
    "thread": lambda at: f"[2026-11-20 {clock(at)},123] [main] INFO  ",
    "level first": lambda at: f"INFO  [2026-11-20 {clock(at)},123] runner.Main: ",
    "avocado": lambda at: f"2026-11-20 {clock(at)},123 process          L{400 + at:04d} DEBUG| [stdout] ",
    "airflow": lambda at: f"[2026-11-20 {clock(at)},123] {{subprocess.py:93}} INFO - ",
    "ansible": lambda at: f"2026-11-20 {clock(at)},123 p=1234 u=root n=ansible | ",
    "glog": lambda at: f"I1120 {clock(at)}.123456 12345 runner.cc:{100 + at}] ",
    "logrus": lambda at: f"INFO[{at:04d}] ",
    "syslog": lambda at: f"Nov 20 {clock(at)} node01 htar[123]: ",
    "gitlab": lambda at: f"2026-11-20T{clock(at)}.123456Z 01O ",
    "compact": lambda at: f"20261120 {clock(at)} ",
    "digits": lambda at: f"20261120{clock(at).replace(':', '')} ",
    "seconds": lambda at: f"{at / 1000:.6f} ",
    "milliseconds": lambda at: f"{1795000000000 + at} ",
    "epoch": lambda at: f"[{1795000000 + at}.123] ",
}
LOGGED = (
    "testdfsio/imitated-two-blocks.log",
    "hpss/imitated-ftp.log",
    "hpss/imitated-htar-members.txt",
    "dd/gnu-9.1-fr.txt",
    "io500/imitated-2019-invalid.txt",
    "io500/rendered-application-2017.txt",
    "io500/rendered-draft-2017.txt",
    "elbencho/imitated-3.0-svcelapsed.txt",
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_log_in_that_of_a_program_gives_the_same_rows(program: str, tmp_path: Path) -> None:
    wrong = [log for log in LOGGED if not _is_same(LOGS / log, PROGRAMS[program], tmp_path)]
    assert wrong == []


def _is_same(log: Path, prefix: Callable[[int], str], folder: Path) -> bool:
    lines = log.read_text().splitlines()
    around = folder / log.name
    around.write_text("".join(f"{prefix(at)}{line}\n" for at, line in enumerate(lines)))
    plain, logged = read_log(log), read_log(around)
    return _rows(plain) == _rows(logged) and plain.parsed.complete == logged.parsed.complete


def _rows(log: Log) -> Counter[str]:
    nodes = ("runs", "clients", "series")
    return Counter(
        repr(sorted((name, str(value)) for name, value in row.items() if name != "log_id"))
        for node in nodes
        for row in log.rows(node)
    )


def test_lines_that_a_tool_logs_itself_keep_what_they_begin_with(tmp_path: Path) -> None:
    log = tmp_path / "cut.log"
    log.write_text(damaged.form(LOGS / "xrdcl_log" / "connection-refused.log", 12))
    assert "wrapping" not in read_log(log).parsed.header


def test_transfers_of_hpss_are_read_behind_the_names_of_several_loggers(tmp_path: Path) -> None:
    log = tmp_path / "archiver.log"
    archive = "HTAR Create complete for a.tar. 4,096 bytes written for 1 member files, max threads: 2"
    log.write_text(
        f"2026-11-20 11:20:04,100 [one] INFO  archive.Tar - {archive} Transfer time: 0.004 seconds (1.024 MB/s)\n"
        "2026-11-20 11:20:05,300 [two] INFO  archive.Put - put  'a' : '/home/a' ( 2048000 bytes, 2000.0 KBS (cos=1))\n"
    )
    assert [row["data_size"] for row in read_log(log).parsed.runs] == [4096, 2048000]
