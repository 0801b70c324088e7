"""Reads in the client library's log, written and read back: bytes exactly, times to microseconds."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import xrdcl_log
from storagelab.reconstruct.writers.xrdcl_log import Log, Request
from tests.reconstruct.writers.reading import notes, read_back

MICROSECOND = 1.1e-6
STARTED = datetime(2015, 8, 1, tzinfo=UTC)
LOG = Log("fst:1095", STARTED, (Request(0.0, 0.5, 0, 300), Request(1.0, 0.25, 4096, 10)))

spans = st.floats(0, 50).map(lambda seconds: round(seconds, 6))
places = st.lists(st.tuples(st.integers(0, 2**40), st.integers(1, 2**31), spans), min_size=1, max_size=8)


def test_golden() -> None:
    first = "0x1 (message: kXR_read (handle: 0x00000000, offset: 0, size: 300) )"
    second = "0x1 (message: kXR_read (handle: 0x00000000, offset: 4096, size: 10) )"
    assert xrdcl_log.render(LOG).splitlines() == [
        "# reconstructed from published numbers and a model of the test bed, not measured",
        f"[2015-08-01 00:00:00.000000 +0000][Debug  ][ExDbgMsg          ] [fst:1095] MsgHandler created: {first}.",
        "[2015-08-01 00:00:00.500000 +0000][Debug  ][ExDbgMsg          ] [fst:1095] "
        f"Calling MsgHandler: {first} with status: [SUCCESS] .",
        f"[2015-08-01 00:00:01.000000 +0000][Debug  ][ExDbgMsg          ] [fst:1095] MsgHandler created: {second}.",
        "[2015-08-01 00:00:01.250000 +0000][Debug  ][ExDbgMsg          ] [fst:1095] "
        f"Calling MsgHandler: {second} with status: [SUCCESS] .",
    ]


@settings(max_examples=40)
@given(places)
def test_every_request_comes_back(asked: list[tuple[int, int, float]]) -> None:
    """Each is answered before the next is sent: the log tells equal requests apart by nothing else."""
    requests = [Request(100.0 * i, latency, at, size) for i, (at, size, latency) in enumerate(asked)]
    series = read_back(xrdcl_log.render(dataclasses.replace(LOG, requests=requests)), "xrdcl-log").series
    assert list(series["offset"]) == [request.offset for request in requests]
    assert list(series["data_size"]) == [request.data_size for request in requests]
    assert list(series["time"]) == pytest.approx([request.time for request in requests], abs=MICROSECOND)
    assert list(series["latency"]) == pytest.approx([request.latency for request in requests], abs=MICROSECOND)


def test_it_says_what_it_is(tmp_path: Path) -> None:
    assert notes(xrdcl_log.render(LOG), tmp_path)


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (dataclasses.replace(LOG, requests=()), "requests: expected at least one, found none"),
        (dataclasses.replace(LOG, started=datetime(2015, 8, 1)), "started: expected a time with its offset from UTC"),
        (dataclasses.replace(LOG, server="a b"), "server: expected text without white space"),
        (dataclasses.replace(LOG, requests=(Request(-1, 1, 0, 1),)), "time: expected a finite number"),
        (dataclasses.replace(LOG, requests=(Request(1, 1, 0.5, 1),)), "offset: expected a whole number"),
        (dataclasses.replace(LOG, requests=(Request(1, 1, 0, 0),)), "data_size: expected a finite number above 0"),
    ],
)
def test_what_cannot_be_printed(log: Log, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        xrdcl_log.render(log)
