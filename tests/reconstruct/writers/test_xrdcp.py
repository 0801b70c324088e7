"""The output of xrdcp, written and read back: bars have four digits, and their rate is over whole seconds."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers.transfers import xrdcp as parser
from storagelab.reconstruct.writers import xrdcp
from storagelab.reconstruct.writers.xrdcp import Copy, Log
from tests.reconstruct.writers.reading import notes, read_back

FOUR_DIGITS = 5.1e-4
TWO_DECIMALS = 0.00501
UPLOAD = Copy("/data/a.root", "root://gw1:1094//fs/a.root", 20 * 2**20, 2.5, 0.03, 0.02)
SECONDS = st.floats(0.01, 1e5)

copies = st.builds(
    Copy,
    source=st.just("/data/a.root"),
    target=st.just("root://gw1:1094//fs/a.root"),
    data_size=st.integers(1, 2**36).map(float),
    elapsed=SECONDS,
    cpu_user_time=SECONDS,
    cpu_system_time=SECONDS,
    phase=st.floats(0, 0.999),
    chunk_size=st.just(2.0**28),
    program=st.sampled_from(["xrdcp", "xrdcopy"]),
)


def test_golden() -> None:
    assert xrdcp.render(Log((UPLOAD,))) == (
        "# reconstructed from published numbers and a model of the test bed, not measured\n"
        "+ xrdcp /data/a.root root://gw1:1094//fs/a.root\n"
        "\r[8MB/20MB][ 40%][====================>                             ][8MB/s]  "
        "\r[16MB/20MB][ 80%][========================================>         ][8MB/s]  "
        "\r[20MB/20MB][100%][==================================================][10MB/s]  "
        "\r[20MB/20MB][100%][==================================================][10MB/s]  \n"
        "real 2.50\nuser 0.03\nsys 0.02\n"
    )


@given(st.lists(copies, min_size=1, max_size=3))
@settings(max_examples=50)
def test_all_numbers_come_back(wanted: list[Copy]) -> None:
    rows = read_back(xrdcp.render(Log(tuple(wanted))), "xrdcp").runs
    assert len(rows) == len(wanted)
    for copy, row in zip(wanted, rows, strict=True):
        assert row["operation"] == "upload"
        assert row["data_size"] == pytest.approx(copy.data_size, rel=FOUR_DIGITS)
        for name in ("elapsed", "cpu_user_time", "cpu_system_time"):
            assert row[name] == pytest.approx(getattr(copy, name), abs=TWO_DECIMALS)


@given(copies.filter(lambda copy: copy.data_size > copy.elapsed + 1))
@settings(max_examples=50)
def test_the_rate_is_over_the_seconds_that_the_clock_counted(copy: Copy) -> None:
    (row,) = read_back(xrdcp.render(Log((copy,))), "xrdcp").runs
    seconds = max(math.floor(copy.phase + copy.elapsed), 1)
    assert row["throughput"] == pytest.approx(int(copy.data_size) // seconds, rel=FOUR_DIGITS)


def test_one_bar_a_second_and_the_last_one_twice() -> None:
    parsed = read_back(xrdcp.render(Log((dataclasses.replace(UPLOAD, data_size=2.0**30, elapsed=4.0),))), "xrdcp")
    assert list(parsed.series["progress"]) == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0], abs=0.011)


def test_a_gibibyte_stays_1024_mebibytes() -> None:
    assert "[1024MB/1024MB]" in xrdcp.render(Log((dataclasses.replace(UPLOAD, data_size=2.0**30),)))


def test_a_copy_from_a_server_is_a_download() -> None:
    copy = dataclasses.replace(UPLOAD, source=UPLOAD.target, target="/data/")
    parsed = read_back(xrdcp.render(Log((copy,))), "xrdcp")
    assert parsed.runs[0]["operation"] == "download"
    assert parsed.header["command"] == f"xrdcp {UPLOAD.target} /data/"


def test_a_phase_lets_the_clock_count_a_second_more() -> None:
    early, late = (dataclasses.replace(UPLOAD, phase=phase) for phase in (0.0, 0.5))
    rates = [parser.parse(xrdcp.render(Log((copy,)))).runs[0]["throughput"] for copy in (early, late)]
    assert rates == [10 * 2**20, pytest.approx(20 / 3 * 2**20, rel=FOUR_DIGITS)]


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(xrdcp.render(Log((UPLOAD,))), tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data_size": 0.0}, "data_size: expected a finite number above 0, found 0.0"),
        ({"data_size": 1.5}, "data_size: expected a whole number from 0 to .*, found 1.5"),
        ({"elapsed": math.nan}, "elapsed: expected a finite number above 0, found nan"),
        ({"cpu_user_time": -1.0}, "user: expected a finite number that is not negative, found -1.0"),
        ({"phase": 1.0}, "phase: expected a number from 0 to less than 1, found 1.0"),
        ({"source": "/a b"}, "source: expected text without white space, found '/a b'"),
        ({"target": "/a\n"}, "target: expected text without white space"),
    ],
)
def test_what_cannot_be_printed_is_refused(changed: dict[str, float], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        xrdcp.render(Log((dataclasses.replace(UPLOAD, **changed),)))


def test_no_copy_is_no_log() -> None:
    with pytest.raises(ReconstructError, match="copies: expected at least one copy, found none"):
        xrdcp.render(Log(()))
