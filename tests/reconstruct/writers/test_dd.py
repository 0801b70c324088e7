"""The output of dd: rendered and read back, byte for byte, and what cannot be rendered."""

from __future__ import annotations

import math
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Row
from storagelab.reconstruct.writers import dd
from storagelab.reconstruct.writers.dd import Copy, Log, readable
from storagelab.units import KIB, MIB
from tests.reconstruct.writers.reading import notes, read_back

DIGITS = 0.5e-5
"""Six digits of a time are printed, so that its relative error is half a unit of the sixth at most."""
copies = st.builds(
    Copy,
    st.sampled_from(["/dev/zero", "/lustre/file"]),
    st.sampled_from(["/dev/null", "/scratch/copy"]),
    st.integers(1, 10**13).map(float),
    st.floats(1e-4, 1e6),
    st.sampled_from([512.0, 4000.0, 64 * KIB, MIB, 16 * MIB]),
    st.sampled_from([(), ("conv=fsync",), ("iflag=direct", "oflag=direct")]),
)


NINE_AND_TEN = [Copy("/dev/zero", "/dev/null", size, size / 1000, 512.0) for size in (9.0, 10.0)]
"""One command twice: a bit more in a bit more time, as the reports of one copy on its way would say."""


@settings(max_examples=80)
@given(st.lists(copies, min_size=1, max_size=4), st.booleans())
@example(NINE_AND_TEN, False)
def test_every_number_comes_back(own: list[Copy], writes_out_seconds: bool) -> None:
    parsed = read_back(dd.render(Log(own, writes_out_seconds)), "dd")
    assert len(parsed.runs) == 2 * len(own)
    for part, copy in enumerate(own, start=1):
        rows = [row for row in parsed.runs if row.get("part", 1.0) == part]
        idle = {"read": copy.source == "/dev/zero", "write": copy.target == "/dev/null"}
        for row in rows:
            assert row["record_size"] == copy.record_size
            assert row["records"] == copy.data_size // copy.record_size
            assert row["records_partial"] == (copy.data_size % copy.record_size > 0)
            if not idle[str(row["operation"])] or all(idle.values()):
                holds(row, copy)


def holds(row: Row, copy: Copy) -> None:
    rate = copy.data_size / copy.elapsed
    assert row["data_size"] == copy.data_size
    assert math.isclose(float(row["elapsed"]), copy.elapsed, rel_tol=DIGITS)
    assert math.isclose(float(row["throughput"]), rate, rel_tol=DIGITS)
    assert math.isclose(float(row["throughput_rounded"]), rate, rel_tol=0.051, abs_tol=0.5)


GOLDEN = """\
# reconstructed from published numbers and a model of the test bed, not measured
+ dd if=/dev/zero of=/lustre/f bs=1M count=2000 conv=fsync
2000+0 records in
2000+0 records out
2097152000 bytes (2.1 GB) copied, 19.3548 s, 108 MB/s
+ dd if=/lustre/f of=/dev/null bs=4k count=3
2+1 records in
2+1 records out
10000 bytes (10 kB) copied, 0.0015 s, 6.7 MB/s
"""
CALLS = (
    Copy("/dev/zero", "/lustre/f", 2000 * MIB, 19.35484, MIB, ("conv=fsync",)),
    Copy("/lustre/f", "/dev/null", 10000.0, 0.0015, 4 * KIB),
)


def test_a_log_byte_for_byte() -> None:
    assert dd.render(Log(CALLS)) == GOLDEN


def test_the_oldest_write_out_seconds() -> None:
    assert "2097152000 bytes (2.1 GB) copied, 19.3548 seconds, 108 MB/s\n" in dd.render(Log(CALLS, True))


def test_the_log_says_that_it_is_reconstructed(tmp_path: Path) -> None:
    notes(GOLDEN, tmp_path)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (1, "1 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (9949, "9.9 kB"),
        (9951, "10 kB"),
        (Fraction(19999, 2), "10 kB"),
        (999_499, "999 kB"),
        (999_501, "1.0 MB"),
        (Fraction(1, 3), "0 B"),
        (10**21, "1000 EB"),
    ],
)
def test_sizes_as_people_read_them(amount: Fraction | int, text: str) -> None:
    assert readable(amount) == text


@pytest.mark.skipif(not shutil.which("numfmt"), reason="numfmt of coreutils is not there")
def test_sizes_are_rounded_as_by_the_coreutils_of_this_machine() -> None:
    amounts = [2000, 9940, 12_345, 99_400, 123_456_789, 5_000_000_000, 7_300_000_000_000]
    command = ["numfmt", "--to=si", "--round=nearest", *map(str, amounts)]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert [readable(amount).replace(" ", "").removesuffix("B").upper() for amount in amounts] == [
        text.upper() for text in theirs
    ]


@pytest.mark.parametrize(
    ("copies", "message"),
    [
        ([], "copies: expected at least one, found none"),
        ([Copy("/a", "/b", 0.0, 1.0)], "data_size: expected a finite number above 0, found 0.0"),
        ([Copy("/a", "/b", 1.5, 1.0)], "data_size: expected a whole number .* found 1.5"),
        ([Copy("/a", "/b", 1.0, math.inf)], "elapsed: expected a finite number above 0, found inf"),
        ([Copy("/a", "/b", 1.0, 1.0, -1.0)], "record_size: expected a finite number above 0, found -1.0"),
        ([Copy("/a b", "/b", 1.0, 1.0)], "option: expected text without white space, found 'if=/a b'"),
        ([Copy("/a", "/b", 1.0, 1.0, 1.0, ("a\nb",))], r"option: expected text without white space, found 'a\\nb'"),
    ],
)
def test_what_dd_cannot_print_is_refused(copies: list[Copy], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        dd.render(Log(copies))
