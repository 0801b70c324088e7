"""What golden tables do not show of the GridFTP server's log: file names, early releases, failures."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.transfers import gridftp_log
from storagelab.testing import survive
from tests.conftest import SHARED


def line(**changes: str) -> str:
    fields = {
        "DATE": "20190731073044.500000", "HOST": "dtn", "PROG": "globus-gridftp-server", "NL.EVNT": "FTP_INFO",
        "START": "20190731073042.000000", "USER": "me", "FILE": "/d/a", "BUFFER": "87040", "BLOCK": "262144",
        "NBYTES": "5000000", "VOLUME": "/", "STREAMS": "4", "STRIPES": "1", "DEST": "[10.0.0.1]", "TYPE": "STOR",
        "CODE": "226",
    }  # fmt: skip
    return " ".join(f"{key}={value}" for key, value in (fields | changes).items()) + "\n"


def test_rate_is_bytes_over_the_time_between_start_and_end() -> None:
    parsed = gridftp_log.parse(line())
    (row,) = parsed.runs
    assert (row["operation"], row["elapsed"], row["throughput"]) == ("upload", 2.5, 2e6)
    assert (row["start_time"], row["end_time"]) == (1564558242.0, 1564558244.5)
    assert parsed.header["started"] == "2019-07-31T07:30:42+00:00"
    assert parsed.header["ended"] == "2019-07-31T07:30:44.500000+00:00"


@pytest.mark.parametrize(
    ("type", "operation"), [("RETR", "download"), ("ERET", "download"), ("APPE", "upload"), ("MLSD", "list")]
)
def test_type_is_the_operation(type: str, operation: str) -> None:
    (row,) = gridftp_log.parse(line(TYPE=type)).runs
    assert (row["operation"], row["label"]) == (operation, type)
    assert ("throughput" in row) == (operation != "list")


@pytest.mark.parametrize("name", ["/d/a b", "/d/a=1 c=2", "/d/2019-05-10_00:00:00", "/d/ NBYTES=7 x"])
def test_file_names_may_hold_anything(name: str) -> None:
    (row,) = gridftp_log.parse(line(FILE=name)).runs
    assert (row["file"], row["data_size"]) == (name, 5e6)


def test_microseconds_of_early_releases_are_not_padded() -> None:
    (row,) = gridftp_log.parse(line(DATE="20190731073042.2102")).runs
    assert row["elapsed"] == pytest.approx(0.002102)


def test_other_hosts_before_the_address_and_fields_behind_the_code() -> None:
    text = line(DEST="1[10.0.0.1]", CODE="226 TASKID=none retrans=0,0")
    assert gridftp_log.parse(text).runs[0]["client"] == "10.0.0.1"


def test_transfer_that_failed_has_no_rate() -> None:
    (row,) = gridftp_log.parse(line(CODE="500")).runs
    assert row["errors"] == 1.0
    assert "throughput" not in row


@pytest.mark.parametrize(
    "changes",
    [{"DATE": "2019"}, {"DATE": "20191331073044.5"}, {"TYPE": "XYZ"}, {"NBYTES": "5e6"}, {"FILE": "\ufffd"}],
)
def test_transfer_that_cannot_be_read_is_said(changes: dict[str, str]) -> None:
    parsed = gridftp_log.parse(line() + line(**changes))
    assert len(parsed.runs) == 1
    assert (parsed.complete, [note.line for note in parsed.notes]) == (False, [2])
    assert parsed.notes[0].text.startswith("a transfer that cannot be read")


def test_transfer_with_fields_taken_out_is_read_and_said() -> None:
    parsed = gridftp_log.parse(line().replace(" USER=me FILE=/d/a", "").replace(" BUFFER=87040", ""))
    (row,) = parsed.runs
    assert (row["throughput"], row["streams"], row["client"]) == (2e6, 4.0, "10.0.0.1")
    assert not row.keys() & {"file", "socket_buffer"}
    assert parsed.notes == [(1, "a transfer that cannot be read whole, without BUFFER, FILE")]


def use(**changes: str) -> str:
    fields = {
        "HOSTNAME": "dtn", "START": "20190731073042.000000", "END": "20190731073044.500000", "VER": '"6.5 (gcc64)"',
        "BUFFER": "87040", "BLOCK": "262144", "NBYTES": "5000000", "STREAMS": "4", "STRIPES": "1", "TYPE": "RETR",
        "CODE": "226",
    }  # fmt: skip
    return " ".join(f"{key}={value}" for key, value in (fields | changes).items()) + "\n"


@pytest.mark.parametrize(
    ("behind", "named"),
    [
        ({}, {}),
        (
            {"FILE": "/d/a b.nc", "CLIENTIP": "10.0.0.2", "DATAIP": "10.0.0.3", "USER": "me"},
            {"file": "/d/a b.nc", "client": "10.0.0.3"},
        ),
    ],
)
def test_report_of_use_has_what_a_line_of_the_log_has(behind: dict[str, str], named: dict[str, str]) -> None:
    parsed = parsers.parse(use(**behind))
    assert parsed.complete
    (row,), (logged,) = parsed.runs, gridftp_log.parse(line(TYPE="RETR")).runs
    own = ("file", "client")
    assert {name: row[name] for name in own if name in row} == named
    assert {name: row[name] for name in row if name not in own} == {
        name: logged[name] for name in logged if name not in own
    }


def test_report_of_use_of_a_failed_transfer_has_no_rate() -> None:
    (row,) = gridftp_log.parse(use(CODE="500")).runs
    assert row["errors"] == 1.0
    assert "throughput" not in row


def test_report_of_use_without_some_fields_is_read_and_said() -> None:
    (row,), notes = (parsed := gridftp_log.parse(use().replace(" BUFFER=87040", ""))).runs, parsed.notes
    assert row["throughput"] == 2e6
    assert "without BUFFER" in notes[0].text
    failed = gridftp_log.parse(use() + use(END="2019"))
    assert (len(failed.runs), failed.complete) == (1, False)


def test_line_without_its_end_is_not_trusted() -> None:
    parsed = gridftp_log.parse(line() + line(CODE="226")[:-1])
    assert len(parsed.runs) == 1
    assert not parsed.complete


@pytest.mark.parametrize("count", [240, 100_000])
def test_hostile_line_is_refused(count: int) -> None:
    """As long as a line may be, and longer; a search that does not end is stopped by `survive`."""
    hostile = line(FILE=" FILE= BUFFER=1 BLOCK=1 NBYTES=1 VOLUME= STREAMS=1 STRIPES=" * count, CODE="x")
    assert (len(hostile) <= gridftp_log.LONGEST) == (count == 240)
    assert survive(gridftp_log.parse, hostile) is None
    with pytest.raises(ParseError, match="expected a transfer"):
        gridftp_log.parse(hostile)


@pytest.mark.parametrize("text", ["", "DATE=20190731073044.5 HOST=dtn\n"])
def test_what_holds_no_transfer_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a transfer 'DATE=... NL.EVNT=FTP_INFO START="):
        gridftp_log.parse(text)


@pytest.mark.skipif(not SHARED.exists(), reason="the logs that others wrote are not here")
def test_log_of_others() -> None:
    log = SHARED / "corpus" / "gridftp-server-log" / "nersc-dtn11-globuslogs-2019.txt"
    parsed = parsers.parse(log.read_text())
    assert [row["operation"] for row in parsed.runs] == ["upload"] * 5 + ["download"] * 6
    assert parsed.complete
