"""What golden tables do not show of rootreadspeed: its forerunners, several tests, tests that are not whole."""

from __future__ import annotations

import pytest

from storagelab.errors import ParseError
from storagelab.parsers import recognise
from storagelab.parsers.root import readspeed
from tests.conftest import LOGS, SHARED

FORERUNNER = """$ root-readspeed --trees t --files f1.root --branches x --threads 4

**** Multi-thread test ****
Real time to setup MT run:      0.5 s
CPU time to setup MT run:       0.25 s
Real time:                      2 s
CPU time:                       4 s
Uncompressed data read:         80000000 bytes
Throughput:                     38.147 MB/s
"""
WHOLE = (LOGS / "root_readspeed" / "two-threads.log").read_text()


def test_mb_are_mib() -> None:
    (row,) = readspeed.parse(FORERUNNER).runs
    assert row["throughput_uncompressed"] == 38.147 * 2**20
    assert float(row["throughput_uncompressed"]) == pytest.approx(80000000 / 2, rel=1e-4)
    assert "throughput" not in row


def test_what_the_forerunner_says_of_its_test() -> None:
    parsed = readspeed.parse(FORERUNNER)
    (row,) = parsed.runs
    assert (row["processes"], row["label"], row["setup_time"], row["cpu_setup_time"]) == (
        4.0,
        "Multi-thread",
        0.5,
        0.25,
    )
    assert parsed.header["command"] == "root-readspeed --trees t --files f1.root --branches x --threads 4"
    assert parsed.complete


def test_two_tests_are_parts() -> None:
    parsed = readspeed.parse(FORERUNNER + WHOLE)
    assert [(row["part"], row["processes"]) for row in parsed.runs] == [(1.0, 4.0), (2.0, 2.0)]
    assert parsed.complete


@pytest.mark.parametrize("lost", ["Real time:", "CPU time:", "Uncompressed data", "Uncompressed thr", "Compressed thr"])
def test_a_test_without_one_of_its_lines(lost: str) -> None:
    text = "".join(line for line in WHOLE.splitlines(keepends=True) if not line.startswith(lost))
    parsed = readspeed.parse(text)
    assert not parsed.complete
    assert parsed.notes[0].text.startswith("a test without ")


def test_no_test_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a line such as 'Uncompressed data read: .*found 'nothing'"):
        readspeed.parse("nothing\n")


def test_logs_of_strangers() -> None:
    logs = sorted((SHARED / "corpus" / "root-readspeed").glob("*.txt"))
    if not logs:
        pytest.skip("the corpus is not here")
    for log in logs:
        assert recognise(log.read_text()) is readspeed
        assert readspeed.parse(log.read_text()).complete
