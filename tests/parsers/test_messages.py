"""What parsers say of lines that people rarely see: each message is raised by a log that has such a line."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from tests.conftest import LOGS

SAID = [
    ("iperf3/imitated-2.0-both-ways.txt", r"\[  4\]  0\.0-.*\n", "", "stream 4 was opened, and has no row"),
    ("iperf3/iperf3-3.12-MBytes.txt", r"\Z", "iperf3: error - control socket has closed\n", "error - control socket"),
    ("darshan_parser/imitated-2.2-base-perf.txt", "nprocs: 16", "nprocs: 1.6.1", "expected a number behind 'nprocs'"),
    (
        "darshan_parser/imitated-2.2-base-perf.txt",
        "cumul: 819.2",
        "cumul: 8.19.2",
        "expected MiB/s, found '8.19.200000'",
    ),
    ("darshan_parser/imitated-2.2-base-perf.txt", "_time: 0", "_time: 0.1.2", "expected seconds, found"),
    (
        "darshan_parser/imitated-3.4-base.txt",
        r"(POSIX_OPENS\t)\d+",
        r"\g<1>1.2.3",
        "expected a number behind POSIX_OPENS",
    ),
    (
        "md_workbench/imitated-1.0.txt",
        "cleanup process",
        "ERROR while removing\ncleanup process",
        "ERROR while removing",
    ),
    (
        "vdbench/imitated-5.04.07-console.txt",
        r"\Z",
        "12:00:00.000 java.lang.RuntimeException: lost\n",
        "Exception: lost",
    ),
    (
        "smallfile/smallfile-3.2-create.txt",
        r"(?m)^files/sec = \d+",
        "files/sec = 1.2.3",
        r"expected a number, found '1\.2",
    ),
    ("smallfile/smallfile-3.2-create.txt", r"\Z", "a thread encountered error: 5\n", "thread encountered error"),
    ("ior/4.1.0dev_shared_file_2_tasks.txt", r"(?m)^write +\S+", "write     nan", "expected a rate, found 'nan'"),
    ("dd/busybox-1.35-no-rate.txt", r"\A", "dd: warning: partial read (0 bytes)\n", "warning: partial read"),
    ("smallfile/imitated-2.1-two-hosts.txt", r"(?m)\bok$", "not-all-records", "thread .* of .*: not-all-records"),
    (
        "mmperfmon/imitated-operations.txt",
        r"2023-11-14-23:50:00 .*",
        "2023-11-14-23:50:00 7",
        "expected . cells, found",
    ),
    ("elbencho/elbencho-3.1-1-two-phases.json", r"\Z", "{", "the JSON breaks off"),
    ("gpfsperf/imitated-three-tests.txt", "user 3.01%", "user 3.0.1%", "expected shares of the CPU"),
    ("io500/rendered-result-extended.txt", r"\[SCOREX\]\n(?:[^;\n].*\n)+", "", r"an extended run has no \[SCOREX\]"),
    ("io500/rendered-result-extended.txt", r"score += 37\.4", "score = x37.4", r"section \[.*\]: "),
    ("io500/rendered-find.csv", "runtime: 12", "runtime: x12", "expected 'runtime: SECONDS rate: OPERATIONS"),
    ("io500/rendered-find.csv", "\n0, 0, 0, 23", "\n0, 0, 0, 2x", "expected the counts of a rank"),
    ("smallfile/smallfile-3.2-create.json", '"Success"', '"Failure"', "status: Failure"),
    ("rrd_info/bytes_in-1.7.2.txt", '"700.5"', '"70x"', "the last value of a data source is no number"),
    ("rrd_info/bytes_in-1.7.2.txt", r"(?m)^ds\[sum\]\.last_ds = .*\n", "", r"ds\[sum\]\.last_ds is missing"),
    ("mmperfmon/imitated-operations.txt", "2023-11-14-23:50:00", "2023-11-14-23:61:00", "expected a time, found 2023"),
    ("mountstats/imitated-linux-6.1.txt", " 1073745920 2148.* 524416", "", "expected 6 counters of bytes, found 4"),
    ("proc_net_dev/eth0-and-lo.txt", r"\Z", "Inter-| Receive | Transmit\n face |bytes |bytes\n", "has no interface"),
    ("vnstat/vnstat-2.10-summary.txt", "2026-11      1.75 GiB", "2026-11      1.75 iB", "expected sizes, found "),
    ("hpss/imitated-hsi.txt", "250138.5 KBS", "250.138.5 KBS", "expected a rate, found '250.138.5'"),
    ("hpss/imitated-ftp.log", "Feb 4 16:45", "Feb 4 26:45", "expected a date, found "),
]
"""A log, what stands in it, what shall stand there, and what is said of it."""


@pytest.mark.parametrize(("log", "printed", "other", "said"), SAID)
def test_line_that_cannot_be_read_is_told(log: str, printed: str, other: str, said: str) -> None:
    text = (LOGS / log).read_text()
    changed = re.sub(printed, other, text, count=1)
    assert changed != text
    format = log.split("/")[0].replace("_", "-")
    told, before = ("\n".join(note.text for note in parsers.parse(one, format, log).notes) for one in (changed, text))
    assert re.search(said, told)
    assert not re.search(said, before)


@pytest.mark.parametrize(("line", "is_told"), [("1,5 s later", False), ("20150311,10.0.0.1,4", True)])
def test_a_line_that_is_no_row_of_iperf_has_commas_as_one_has(line: str, is_told: bool) -> None:
    text = (LOGS / "iperf3" / "imitated-2.0-P2.csv").read_text()
    first, rest = text.split("\n", 1)
    notes = [note.text for note in parsers.parse(f"{first}\n{line}\n{rest}", "iperf3", "a.csv").notes]
    assert any("expected a line of iperf's CSV" in note for note in notes) is is_told
