"""hdparm's timed reads, written and read back: rates to 0.01 of 2^20 bytes a second."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers.hdparm import Log, Timing, render
from storagelab.units import MIB
from tests.reconstruct.writers.reading import notes, read_back

timings = st.builds(
    Timing,
    st.sampled_from(["buffered disk reads", "cached reads", "O_DIRECT disk reads"]),
    st.floats(MIB, 1e11),
    st.floats(0.01, 99),
)


@given(timings)
@settings(max_examples=50)
def test_rate_and_time_come_back(timing: Timing) -> None:
    (row,) = read_back(render(Log("/dev/sdb", (timing,))), "hdparm").runs
    assert float(row["throughput"]) == pytest.approx(timing.throughput, abs=0.0051 * MIB)
    assert float(row["elapsed"]) == pytest.approx(timing.elapsed, abs=0.0051)
    assert (row["label"], row["device"]) == (timing.label, "/dev/sdb")


def test_as_hdparm_prints_it(tmp_path: Path) -> None:
    text = render(Log("/dev/sdb", (Timing("buffered disk reads", 377 * MIB, 3.0),)))
    assert text.splitlines()[1:] == [
        "", "/dev/sdb:", " Timing buffered disk reads: 1131 MB in  3.00 seconds = 377.00 MB/sec",
    ]  # fmt: skip
    notes(text, tmp_path)


@pytest.mark.parametrize(
    ("log", "wrong"),
    [
        (Log("/dev/sdb", ()), "timings: expected at least one"),
        (Log("sdb", (Timing("cached reads", 1e9, 3.0),)), "device: expected one below /dev/, found 'sdb'"),
        (Log("/dev/sdb", (Timing("cached reads", -1.0, 3.0),)), "throughput: expected a finite number above 0"),
        (Log("/dev/sdb", (Timing("cached reads", 1e9, 0.0),)), "elapsed: expected a finite number above 0"),
    ],
)
def test_what_hdparm_cannot_print_is_refused(log: Log, wrong: str) -> None:
    with pytest.raises(ReconstructError, match=wrong):
        render(log)
