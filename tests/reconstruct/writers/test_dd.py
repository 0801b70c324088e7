"""The output of dd, written and read back: records and bytes exactly, seconds to six digits, the rate from both."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import dd
from storagelab.reconstruct.writers.dd import Copy, Log
from tests.reconstruct.writers.reading import notes, read_back

SIX_DIGITS = 5.01e-6
COPY = Copy("/dev/zero", "/crn/scratch/file", 1048576, 100, 1.5)

copies = st.builds(
    Copy,
    source=st.just("/dev/zero"),
    target=st.sampled_from(["/crn/scratch/file", "/crn/scratch/other"]),
    record_size=st.integers(1, 2**26).map(float),
    records=st.integers(1, 2**20).map(float),
    elapsed=st.floats(1e-3, 1e5),
)


def test_golden() -> None:
    back = Copy("/crn/scratch/file", "/dev/null", 1048576, 32768, 480.123456)
    assert dd.render(Log((COPY, back))) == (
        "# reconstructed from published numbers and a model of the test bed, not measured\n"
        "+ dd if=/dev/zero of=/crn/scratch/file bs=1048576 count=100\n"
        "100+0 records in\n"
        "100+0 records out\n"
        "104857600 bytes (105 MB) copied, 1.5 seconds, 69.9 MB/s\n"
        "+ dd if=/crn/scratch/file of=/dev/null bs=1048576 count=32768\n"
        "32768+0 records in\n"
        "32768+0 records out\n"
        "34359738368 bytes (34 GB) copied, 480.123 seconds, 71.6 MB/s\n"
    )


@given(st.lists(copies, min_size=1, max_size=3, unique_by=lambda copy: (copy.record_size, copy.records, copy.target)))
@settings(max_examples=50)
def test_all_numbers_come_back(wanted: list[Copy]) -> None:
    rows = [row for row in read_back(dd.render(Log(tuple(wanted))), "dd").runs if row["operation"] == "write"]
    assert len(rows) == len(wanted)
    for copy, row in zip(wanted, rows, strict=True):
        size = copy.record_size * copy.records
        assert (row["records"], row["record_size"], row["data_size"]) == (copy.records, copy.record_size, size)
        assert row["elapsed"] == pytest.approx(copy.elapsed, rel=SIX_DIGITS)
        assert row["throughput"] == pytest.approx(size / copy.elapsed, rel=SIX_DIGITS)
        assert row["throughput_rounded"] == pytest.approx(size / copy.elapsed, rel=0.06, abs=0.5)


def test_the_side_without_storage_has_no_time() -> None:
    read, write = read_back(dd.render(Log((COPY,))), "dd").runs
    assert "throughput" not in read
    assert write["throughput"] == pytest.approx(104857600 / 1.5)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(512, 1, "512 B"), (9999, 1, "10 kB"), (999.96e6, 2, "1.0 GB"), (99.94e6, 2, "99.9 MB")],
)
def test_sizes_in_words(value: float, digits: int, text: str) -> None:
    assert dd._human(value, digits) == text


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(dd.render(Log((COPY,))), tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"records": 1.5}, "records: expected a whole number .*, found 1.5"),
        ({"record_size": 0}, "record_size: expected a finite number above 0, found 0"),
        ({"elapsed": math.nan}, "elapsed: expected a finite number above 0, found nan"),
        ({"target": "a b"}, "target: expected text without white space, found 'a b'"),
        ({"elapsed": 1e-30}, "size or rate: expected less than 1000 EB, found"),
    ],
)
def test_what_cannot_be_printed_is_refused(changed: dict[str, float], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        dd.render(Log((dataclasses.replace(COPY, **changed),)))


def test_no_copy_is_no_log() -> None:
    with pytest.raises(ReconstructError, match="copies: expected at least one copy, found none"):
        dd.render(Log(()))
