"""What golden tables do not show of gfal-copy: failures, several copies, monitors, bars that end nowhere."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.transfers import gfal_copy
from tests.conftest import SHARED

ENTER = "event: [1700000000000] BOTH   GFAL2:CORE:COPY:LOCAL\tTRANSFER:ENTER\ta => b\n"
EXIT = "event: [1700000002500] BOTH   GFAL2:CORE:COPY:LOCAL\tTRANSFER:EXIT\ta => b\n"
BAR = "\rCopying file:///a.   1s 45% [=>   ] 136MB 136M/s\rCopying file:///a..  2s 90% [===> ] 270MB 135M/s"
DONE = "\rCopying file:///a   [DONE]  after 2s     \r\n"


def test_events_give_the_duration_in_milliseconds() -> None:
    (row,) = gfal_copy.parse("Copying 5000000 bytes root://h//a => davs://h/b\n" + ENTER + EXIT).runs
    assert (row["start_time"], row["end_time"], row["elapsed"]) == (1700000000.0, 1700000002.5, 2.5)
    assert row["throughput"] == 2e6
    assert (row["operation"], row["protocol"]) == ("copy", "davs")


def test_phases_are_rows_of_their_own() -> None:
    checksum = "event: [1700000002500] SOURCE http_plugin\tCHECKSUM:{0}\t\n"
    text = "Copying 10 bytes a => b\n" + ENTER + EXIT + checksum.format("ENTER")
    parsed = gfal_copy.parse(text + checksum.format("EXIT").replace("2500", "4000"))
    assert parsed.complete
    assert [(row.get("phase"), row["elapsed"], row["line"]) for row in parsed.runs] == [
        (None, 2.5, 1),
        ("checksum", 1.5, 4),
    ]
    cut = gfal_copy.parse(text)
    assert (cut.complete, cut.notes) == (False, [(4, "CHECKSUM has no end")])


def test_copy_done_between_two_prints_moved_the_whole_file() -> None:
    size = "\rCopying file:///a     0s  File size: 300MB"
    (whole,) = gfal_copy.parse(size + BAR + DONE).runs
    assert (whole["data_size"], whole["throughput"]) == (300 * 2**20, 135 * 2**20)
    (unsaid,) = gfal_copy.parse(BAR + DONE).runs
    assert "data_size" not in unsaid
    (failed,) = gfal_copy.parse(size + BAR + DONE.replace("DONE", "FAILED")).runs
    assert failed["data_size"] == 270 * 2**20


def test_copy_that_failed_has_no_rate() -> None:
    error = "gfal-copy error: 5 (Input/output error) - Input/output error\n"
    parsed = gfal_copy.parse("Copying 5000000 bytes a => b\n" + ENTER + EXIT + error)
    (row,) = parsed.runs
    assert (row["errors"], row["error_code"]) == (1.0, 5.0)
    assert "throughput" not in row
    assert (parsed.complete, parsed.notes) == (False, [(4, error.strip())])


def test_exit_status_of_a_script_says_whether_the_copy_failed() -> None:
    copying = "Copying 5000000 bytes file:///a => davs://h/b\n"
    (row,) = (parsed := gfal_copy.parse(copying + "gfal-copy exit status: 22\n")).runs
    assert (row["errors"], row["error_code"], row["line"]) == (1.0, 22.0, 1)
    assert (parsed.complete, parsed.notes) == (False, [(2, "gfal-copy exit status: 22")])
    assert gfal_copy.parse(copying + "gfal-copy exit status: 0\n").complete
    error = "gfal-copy error: 70 (Communication error on send) - DESTINATION MAKE_PARENT\n"
    (row,) = (parsed := gfal_copy.parse(copying + error + "gfal-copy exit status: 5\n")).runs
    assert (row["error_code"], parsed.notes) == (70.0, [(2, error.strip())])


def test_error_behind_a_finished_copy_is_another_one() -> None:
    parsed = gfal_copy.parse(BAR + DONE + "ERROR (17): Destination b exists and overwrite is not set\n")
    assert [(row.get("files"), row.get("errors"), row.get("error_code")) for row in parsed.runs] == [
        (1.0, None, None),
        (None, 1.0, 17.0),
    ]


def test_bar_is_a_series_and_its_last_print_the_row() -> None:
    parsed = gfal_copy.parse("$ gfal-copy a root://h/a\n" + BAR + DONE)
    assert parsed.series["throughput_mean"] == [136 * 2.0**20, 135 * 2.0**20]
    assert parsed.series["time"] == [1.0, 2.0]
    (row,) = parsed.runs
    assert (row["operation"], row["protocol"]) == ("upload", "root")
    assert (row.get("data_size"), row["throughput"], row["elapsed"]) == (None, 135 * 2.0**20, 2.0)


def test_bar_without_an_end_is_no_row() -> None:
    parsed = gfal_copy.parse(BAR)
    assert parsed.runs == []
    assert len(parsed.series["line"]) == 2
    assert parsed.notes == [(1, "the copy has no end: file:///a"), (1, "the last line has no end and is not trusted")]


def test_monitor_lines_are_samples() -> None:
    text = "Copying 10 bytes gsiftp://h/a => file:///b\nmonitor: gsiftp://h/a file:///b 1000 2000 5000 5\n"
    series = gfal_copy.parse(text).series
    assert (series["throughput"], series["throughput_mean"], series["data_size"]) == ([2000.0], [1000.0], [5000.0])
    assert (series["time"], series["operation"]) == ([5.0], ["download"])


def test_listing_behind_a_copy_gives_its_size() -> None:
    listing = "-rw-r--r-- 1 me us 27150 Aug 21 19:49 /b/{0}\n"
    done = "Copying file:///c/a.txt   [DONE]  after 0s\n"
    assert gfal_copy.parse(done + listing.format("a.txt")).runs[0]["data_size"] == 27150.0
    assert "data_size" not in gfal_copy.parse(done + listing.format("other.txt")).runs[0]


@pytest.mark.parametrize("text", ["", "Copying 12", "Copying files to the web sandbox\n"])
def test_what_holds_no_copy_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a copy such as 'Copying 13 bytes a => b'"):
        gfal_copy.parse(text)


@pytest.mark.skipif(not SHARED.exists(), reason="the logs that others wrote are not here")
@pytest.mark.parametrize(
    ("name", "count"), [("desy-dteam-third-party", 3), ("dune-jobsub-rcds", 2), ("ufl-podman-davs", 2)]
)
def test_logs_of_others(name: str, count: int) -> None:
    parsed = parsers.parse((SHARED / "corpus" / "gfal-copy" / f"{name}.txt").read_text())
    assert len(parsed.runs) == count
    assert parsed.complete


def _fts(*said: str) -> str:
    return "".join(f"INFO    Fri, 20 Nov 2026 16:18:31 +0100; {what}\n" for what in ("Transfer accepted", *said))


def test_transfer_of_fts_that_failed_on_its_second_way() -> None:
    log = _fts(
        "Source url: davs://a.example.org/x",
        "[1795187912250] BOTH http_plugin\tTRANSFER:ENTER\tdavs://a.example.org/x => davs://b.example.org/x",
        "[1795187912290] BOTH http_plugin\tTRANSFER:EXIT\tERROR: Copy failed with mode 3rd pull",
        "Recoverable error: [5] TRANSFER ERROR: Copy failed (3rd pull)",
    )
    parsed = gfal_copy.parse(log)
    assert not parsed.complete
    (row,) = parsed.runs
    assert (row["errors"], row["error_code"], row["error_code_line"]) == (1.0, 5.0, 5)
    assert "elapsed" not in row


def test_transfer_of_fts_without_its_end() -> None:
    parsed = gfal_copy.parse(_fts("Source url: davs://a/x", "Dest url: file:///tmp/x", "File size: 12"))
    assert not parsed.complete
    assert parsed.runs[0]["operation"] == "download"
    assert [note.text for note in parsed.notes] == ["the transfer has no end"]
    both = gfal_copy.parse(_fts("File size: 12") + _fts("File size: 24", "Transfer finished successfully"))
    assert [row["data_size"] for row in both.runs] == [12.0, 24.0]


def test_samples_of_fts_alone_are_in_powers_of_1024() -> None:
    log = "bytes: 270000000, avg KB/sec:90921, inst KB/sec:80000, elapsed:3\n"
    assert gfal_copy.sniff(log)
    series = gfal_copy.parse(log).series
    assert (series["throughput"], series["throughput_mean"]) == ([80000 * 1024.0], [90921 * 1024.0])


def test_rest_of_an_event_is_said() -> None:
    log = "Copying 5 bytes file:///a => file:///b\nnt: [17] BOTH X => file:///b\n"
    assert not gfal_copy.parse(log).complete


def test_size_of_more_digits_than_a_number_may_have_is_no_number() -> None:
    parsed = parsers.parse(_fts(f"File size: {'9' * 5000}", "Transfer finished successfully"))
    assert not parsed.complete
    assert [note.text for note in parsed.notes] == ["expected data_size from 0 on and finite, found inf"]
