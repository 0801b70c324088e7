"""The output of hdparm: rendered and read back, byte for byte, and what cannot be rendered."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Row
from storagelab.reconstruct.writers import hdparm
from storagelab.reconstruct.writers.hdparm import CHUNK, Device, Log, Timing, steady
from storagelab.units import KIB, MIB
from tests.reconstruct.writers.reading import notes, read_back

HALF = 0.00501
"""Times and rates have two decimals."""
timings = st.builds(Timing, st.integers(1, 10**5).map(lambda size: size * MIB), st.floats(0.01, 1e4))
devices = st.builds(
    Device,
    st.sampled_from(["/dev/sda", "/dev/md0", "/dev/mapper/vg-ost1"]),
    timings,
)


@settings(max_examples=60)
@given(st.lists(devices, min_size=1, max_size=4))
def test_every_number_comes_back(own: list[Device]) -> None:
    parsed = read_back(hdparm.render(Log(own)), "hdparm")
    for row, device in zip(parsed.runs, own, strict=True):
        assert row["device"] == device.device
        assert row["label"] == "buffered disk reads"
        holds(row, device.disk)


def holds(row: Row, timing: Timing) -> None:
    rate = timing.data_size / timing.elapsed
    assert row["data_size"] == timing.data_size
    assert math.isclose(float(row["elapsed"]), timing.elapsed, abs_tol=HALF)
    assert math.isclose(float(row["throughput"]), rate, abs_tol=HALF * (MIB if rate > MIB else KIB))


@settings(max_examples=60)
@given(st.floats(min_value=1e3, max_value=1e10))
def test_a_steady_rate_is_timed_for_three_seconds(rate: float) -> None:
    timing = steady(rate)
    assert math.isclose(timing.data_size / timing.elapsed, rate, rel_tol=1e-12)
    assert timing.data_size % CHUNK == 0
    assert timing.elapsed * (1 + 1e-12) >= 3.0
    assert (timing.data_size - CHUNK) / rate < 3.0


GOLDEN = """\
# reconstructed from published numbers and a model of the test bed, not measured
+ hdparm -t /dev/md0

/dev/md0:
 Timing buffered disk reads:  806 MB in  3.00 seconds = 268.67 MB/sec
+ hdparm -t /dev/sdb

/dev/sdb:
 Timing buffered disk reads:    2 MB in  8.00 seconds = 256.00 kB/sec
"""


def test_a_log_byte_for_byte() -> None:
    slow = Device("/dev/sdb", Timing(2 * MIB, 8.0))
    fast = Device("/dev/md0", Timing(806 * MIB, 3.0))
    assert hdparm.render(Log([fast, slow])) == GOLDEN


def test_the_log_says_that_it_is_reconstructed(tmp_path: Path) -> None:
    notes(GOLDEN, tmp_path)


@pytest.mark.parametrize(
    ("devices", "message"),
    [
        ([], "devices: expected at least one, found none"),
        ([Device("sda", Timing(MIB, 1.0))], "device: expected a path below /dev, found 'sda'"),
        ([Device("/dev/s da", Timing(MIB, 1.0))], "device: expected text without white space"),
        ([Device("/dev/sda", Timing(1.5 * MIB, 1.0))], r"data_size in units of 2\^20 B: expected a whole .* found 1.5"),
        ([Device("/dev/sda", Timing(MIB, 0.0))], "elapsed: expected a finite number above 0, found 0.0"),
        ([Device("/dev/sda", Timing(MIB, math.nan))], "elapsed: expected a finite number above 0, found nan"),
    ],
)
def test_what_hdparm_cannot_print_is_refused(devices: list[Device], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        hdparm.render(Log(devices))


def test_no_rate_is_no_timing() -> None:
    with pytest.raises(ReconstructError, match=r"throughput: expected a finite number above 0, found 0\.0"):
        steady(0.0)
