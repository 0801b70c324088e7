"""Transfer logs of GridFTP servers, written and read back: times to a microsecond, all else exactly."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import gridftp_log
from storagelab.reconstruct.writers.gridftp_log import Log, Transfer
from tests.reconstruct.writers.reading import notes, read_back

MICROSECOND = 1.01e-6
TRANSFER = Transfer("/data/f1.bin", 314572800, 1258755600.002102, 1258755604.5, "STOR", "gw1.site.example", "192.0.2.1")
counts = st.integers(0, 2**50).map(float)


@st.composite
def transfers(draw: st.DrawFn) -> Transfer:
    start = draw(st.floats(0, 2e9))
    return Transfer(
        file=draw(st.sampled_from(["/data/f1.bin", "/data/a file", "/data/2009-11-20_10:00:00"])),
        data_size=draw(counts),
        start_time=start,
        end_time=start + draw(st.floats(0.001, 1e5)),
        kind=draw(st.sampled_from(["STOR", "RETR"])),
        host="gw1",
        client=draw(st.sampled_from(["192.0.2.1", "2001:db8::1"])),
    )


def test_golden() -> None:
    assert gridftp_log.render(Log((TRANSFER,))) == (
        "# reconstructed from published numbers and a model of the test bed, not measured\n"
        "DATE=20091120222004.500000 HOST=gw1.site.example PROG=globus-gridftp-server NL.EVNT=FTP_INFO"
        " START=20091120222000.002102 USER=user FILE=/data/f1.bin BUFFER=87040 BLOCK=262144 NBYTES=314572800 VOLUME=/"
        " STREAMS=1 STRIPES=1 DEST=[192.0.2.1] TYPE=STOR CODE=226\n"
    )


def test_early_releases_do_not_pad_microseconds() -> None:
    assert "START=20091120222000.2102 " in gridftp_log.render(Log((TRANSFER,), padded=False))


@given(st.lists(transfers(), min_size=1, max_size=4), st.booleans())
@settings(max_examples=50)
def test_all_numbers_come_back(wanted: list[Transfer], padded: bool) -> None:
    rows = read_back(gridftp_log.render(Log(tuple(wanted), padded)), "gridftp-log").runs
    assert len(rows) == len(wanted)
    for transfer, row in zip(wanted, rows, strict=True):
        assert row["operation"] == {"STOR": "upload", "RETR": "download"}[transfer.kind]
        for name in ("start_time", "end_time"):
            assert row[name] == pytest.approx(getattr(transfer, name), abs=MICROSECOND)
        for name in ("file", "data_size", "host", "client"):
            assert row[name] == getattr(transfer, name)
        elapsed = transfer.end_time - transfer.start_time
        assert row["elapsed"] == pytest.approx(elapsed, abs=2 * MICROSECOND)
        assert row["throughput"] == pytest.approx(transfer.data_size / elapsed, rel=3 * MICROSECOND / elapsed)


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(gridftp_log.render(Log((TRANSFER,))), tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data_size": 0.5}, "data_size: expected a whole number .*, found 0.5"),
        ({"kind": "LIST"}, "kind: expected STOR or RETR, found 'LIST'"),
        ({"end_time": 0.0}, "end_time: expected at least start_time .*, found 0.0"),
        ({"end_time": 1e12}, "end_time: expected a moment before the year 10000, found 1000000000000.0"),
        ({"file": "/a BUFFER=1"}, "file: expected a path without ' BUFFER=' and blanks around it"),
        ({"file": "/a\n"}, "file: expected text on one line"),
        ({"host": "a b"}, "host: expected text without white space, found 'a b'"),
        ({"client": "[::1]"}, r"client: expected an address without brackets, found '\[::1\]'"),
    ],
)
def test_what_cannot_be_printed_is_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        gridftp_log.render(Log((dataclasses.replace(TRANSFER, **changed),)))  # type: ignore[arg-type]


def test_no_transfer_is_no_log() -> None:
    with pytest.raises(ReconstructError, match="transfers: expected at least one, found none"):
        gridftp_log.render(Log(()))
