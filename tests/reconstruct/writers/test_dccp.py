"""The output of dccp, written and read back: bytes exactly, whole seconds, and their rate to 0.01 KB/s."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import dccp
from storagelab.reconstruct.writers.dccp import Copy, Log
from tests.reconstruct.writers.reading import notes, read_back

KB_TO_TWO_DECIMALS = 0.00501 * 1024
COPY = Copy("/data/a.root", "dcap://door:22125/pnfs/a.root", 314572800, 2.75)

copies = st.builds(
    Copy,
    source=st.just(COPY.source),
    target=st.just(COPY.target),
    data_size=st.integers(0, 2**44).map(float),
    elapsed=st.floats(0, 1e6),
    phase=st.floats(0, 0.999),
)


def test_golden() -> None:
    assert dccp.render(Log((COPY, dataclasses.replace(COPY, elapsed=0.5)))) == (
        "# reconstructed from published numbers and a model of the test bed, not measured\n"
        "+ dccp /data/a.root dcap://door:22125/pnfs/a.root\n"
        "314572800 bytes in 2 seconds (153600.00 KB/sec)\n"
        "+ dccp /data/a.root dcap://door:22125/pnfs/a.root\n"
        "314572800 bytes in 0 seconds\n"
    )


@given(st.lists(copies, min_size=1, max_size=4))
@settings(max_examples=50)
def test_all_numbers_come_back(wanted: list[Copy]) -> None:
    rows = read_back(dccp.render(Log(tuple(wanted))), "dccp").runs
    assert len(rows) == len(wanted)
    for copy, row in zip(wanted, rows, strict=True):
        seconds = math.floor(copy.phase + copy.elapsed)
        assert (row["operation"], row["protocol"], row["file"]) == ("upload", "dcap", copy.source)
        assert (row["data_size"], row.get("elapsed", 0.0)) == (copy.data_size, seconds)
        assert ("throughput" in row) == (seconds > 0)
        assert row.get("throughput", 0.0) == pytest.approx(
            copy.data_size / seconds if seconds else 0.0, abs=KB_TO_TWO_DECIMALS
        )


def test_a_phase_lets_the_clock_count_a_second_more() -> None:
    (row,) = read_back(dccp.render(Log((dataclasses.replace(COPY, phase=0.5),))), "dccp").runs
    assert row["elapsed"] == 3.0


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(dccp.render(Log((COPY,))), tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data_size": -1}, "data_size: expected a whole number .*, found -1"),
        ({"elapsed": math.inf}, "elapsed: expected a finite number .*, found inf"),
        ({"phase": -0.5}, "phase: expected a number from 0 to less than 1, found -0.5"),
        ({"source": "a b"}, "source: expected text without white space, found 'a b'"),
        ({"target": ""}, "target: expected text without white space, found ''"),
    ],
)
def test_what_cannot_be_printed_is_refused(changed: dict[str, float], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        dccp.render(Log((dataclasses.replace(COPY, **changed),)))


def test_no_copy_is_no_log() -> None:
    with pytest.raises(ReconstructError, match="copies: expected at least one copy, found none"):
        dccp.render(Log(()))
