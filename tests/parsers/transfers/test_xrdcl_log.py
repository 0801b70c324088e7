"""What golden tables do not show of XrdCl's log: older clients, vector reads, failures, answers that never came."""

from __future__ import annotations

import json

import pytest

from storagelab.errors import ParseError
from storagelab.parsers import parse, recognise
from storagelab.parsers.model import Parsed, Value
from storagelab.parsers.transfers import xrdcl_log, xrdcp
from tests.conftest import LOGS, SHARED


def line(second: float, topic: str, message: str, level: str = "Debug") -> str:
    return f"[2026-11-20 16:17:{second:09.6f} +0000][{level:7}][{topic:18}] {message}\n"


def sent(second: float, request: str) -> str:
    return line(second, "ExDbgMsg", f"[h:1094] MsgHandler created: 0x1 (message: {request} ).")


def done(second: float, request: str, status: str = "[SUCCESS] ") -> str:
    return line(second, "ExDbgMsg", f"[h:1094] Calling MsgHandler: 0x1 (message: {request} ) with status: {status}.")


def samples(parsed: Parsed) -> list[dict[str, Value]]:
    names = list(parsed.series)
    return [dict(zip(names, values, strict=True)) for values in zip(*parsed.series.values(), strict=True)]


READ = "kXR_read (handle: 0x00000000, offset: 0, size: 300)"
WRITE = "kXR_write (handle: 0x0e000000, offset: 0, size: 7)"
READV = "kXR_readv (handle: 0x00000000, chunks: [(offset: 1, size: 20); (offset: 99, size: 30); ], total size: 50)"


def test_a_request_lasts_from_its_start_to_its_answer() -> None:
    parsed = xrdcl_log.parse(line(1, "App", "x") + sent(3, READ) + done(3.25, READ))
    (read,) = samples(parsed)
    assert (read["operation"], read["api"], read["server"]) == ("read", "kXR_read", "h:1094")
    assert (read["time"], read["latency"], read["data_size"], read["line"]) == (2.0, 0.25, 300.0, 2)
    assert parsed.header["started"] == "2026-11-20T16:17:01+00:00"
    assert parsed.complete


def test_the_same_request_twice() -> None:
    parsed = xrdcl_log.parse(sent(3, READ) + done(4, READ) + sent(5, READ) + done(5.5, READ))
    assert [(row["time"], row["latency"]) for row in samples(parsed)] == [(0.0, 1.0), (2.0, 0.5)]


@pytest.mark.parametrize(
    ("request_", "size", "chunks"),
    [(READV, 50.0, 2.0), ("kXR_readv (handle: 0x0000, chunks: 94, total size: 10153030)", 10153030.0, 94.0)],
)
def test_vector_reads(request_: str, size: float, chunks: float) -> None:
    (read,) = samples(xrdcl_log.parse(sent(3, request_) + done(4, request_)))
    assert (read["operation"], read["data_size"], read["operations"]) == ("readv", size, chunks)


def test_a_client_before_4_0() -> None:
    text = (
        "[2013-09-16 14:45:27 +0200][Dump   ][XRootD            ] [h:1095] Sending message kXR_readv "
        "(handle: 0x0000, chunks: 94, total size: 10153030)\n"
        "[2013-09-16 14:45:29 +0200][Dump   ][XRootD            ] [h:1095] Got a kXR_ok response to request kXR_readv "
        "(handle: 0x0000, chunks: 94, total size: 10153030)\n"
    )
    parsed = xrdcl_log.parse(text)
    assert parsed.header["started"] == "2013-09-16T14:45:27+02:00"
    assert [(row["data_size"], row["latency"]) for row in samples(parsed)] == [(10153030.0, 2.0)]


def test_files_behind_handles() -> None:
    opened = "[0x2@root://h:1094//a?xrdcl.requuid=3] successfully opened at h:1094, handle: 0xe, session id: 1"
    (row,) = samples(xrdcl_log.parse(line(1, "File", opened) + sent(2, WRITE) + done(3, WRITE)))
    assert (row["operation"], row["file"]) == ("write", "root://h:1094//a")


def test_an_error_has_the_server_s_code() -> None:
    request = "kXR_open (file: /nope, mode: 00, flags: kXR_open_read )"
    failed = "[0x2@root://h//nope] Open has returned with status [ERROR] Server responded with an error: [3011] no"
    text = sent(1, request) + done(2, request, "[ERROR] Error response: no such file.") + line(2, "File", failed)
    (row,) = samples(xrdcl_log.parse(text))
    assert (row["operation"], row["errors"], row["error_code"], row["file"]) == ("open", 1.0, 3011.0, "/nope")


def test_an_answer_that_never_came() -> None:
    parsed = xrdcl_log.parse(sent(1, READ))
    assert (parsed.complete, parsed.notes[0].text) == (False, "1 requests have no answer")


def test_a_request_that_could_not_be_sent_failed() -> None:
    request = "kXR_open (file: /oboe, mode: 0660, flags: kXR_open_read )"
    parsed = xrdcl_log.parse(line(1, "XRootD", f"[h:1094] Unable to send the message {request}: [FATAL] Auth", "Error"))
    [opened] = samples(parsed)
    assert (opened["operation"], opened["file"], opened["errors"]) == ("open", "/oboe", 1.0)


def test_answers_to_requests_that_an_excerpt_does_not_show() -> None:
    got = line(1, "XRootD", f"[h:1094] Got a kXR_oksofar response to request {READ}", "Dump")
    lost = line(3, "XRootD", f"[h:1094 #0] Unable to get the response to request {WRITE}", "Error")
    parsed = xrdcl_log.parse(got + got + done(2, READ) + lost)
    read, write = samples(parsed)
    assert (read["operation"], read["time"], read["data_size"], read["offset"]) == ("read", 0.0, 300.0, 0.0)
    assert (read["line"], "latency" in read) == (1, False)
    assert (write["operation"], write["time"], write["data_size"], write["errors"]) == ("write", 2.0, 7.0, 1.0)
    assert (parsed.complete, parsed.notes[-1].text) == (False, "2 answers are to requests that the log does not show")


def test_a_message_on_its_way_is_a_request() -> None:
    text = f"[h:1094 #0] Sending message {READ} (0xaa1a20) through substream 0 expecting answer at 0"
    (read,) = samples(xrdcl_log.parse(line(1, "PostMaster", text, "Dump") + done(2, READ)))
    assert (read["server"], read["latency"]) == ("h:1094", 1.0)


@pytest.mark.parametrize("window", ["Window", "Widnow"])
def test_windows_of_a_connection(window: str) -> None:
    """Clients before 5 misspell the last one."""
    text = "[h:1094] Stream parameters: Network Stack: IPAuto, Connection Window: 120, ConnectionRetry: 5, "
    rows = samples(xrdcl_log.parse(line(1, "PostMaster", text + f"Stream Error {window}: 1800")))
    assert [(row["metric"], row["value"]) for row in rows] == [
        ("Connection Window", 120.0),
        ("ConnectionRetry", 5.0),
        ("Stream Error Window", 1800.0),
    ]
    later = line(1, "PostMaster", "[h:1094] elapsed = 0, pConnectionWindow = 120 seconds.", "Error")
    (row,) = samples(xrdcl_log.parse(later))
    assert (row["metric"], row["value"], row["server"]) == ("Connection Window", 120.0, "h:1094")


def test_pieces_of_a_copy() -> None:
    rows = samples(xrdcl_log.parse(line(1, "App", "Chunk size: 8388608, parallel chunks 4, streams: 1", "Dump")))
    assert {row["metric"]: row["value"] for row in rows} == {
        "Chunk size": 8388608.0,
        "parallel chunks": 4.0,
        "streams": 1.0,
    }


def test_errors_are_notes_and_not_without_end() -> None:
    parsed = xrdcl_log.parse(line(1, "AsyncSock", "[h:1094.0] Unable to connect", "Error") * 25)
    assert parsed.notes[0].text == "[h:1094.0] Unable to connect"
    assert (len(parsed.notes), parsed.notes[-1].text) == (21, "5 errors more")


def test_bars_between_the_lines_are_one_transfer() -> None:
    text = (LOGS / "xrdcl_log" / "debug-upload-with-bars.log").read_bytes().decode().replace("\r\n", "\n")
    parsed = xrdcl_log.parse(text)
    assert [row["data_size"] for row in parsed.runs] == [2.861 * 2**20]
    assert recognise(text) is xrdcl_log
    assert xrdcp.parse(text).runs == parsed.runs


def test_a_bar_above_the_lines_hides_no_request() -> None:
    bar = f"[1kB/1kB][100%][{50 * '='}][1kB/s]  \n"
    text = bar + sent(3, READ) + done(4, READ)
    assert recognise(text) is xrdcl_log
    parsed = xrdcl_log.parse(text)
    assert ([row["data_size"] for row in parsed.runs], list(parsed.series["data_size"])) == ([1024.0], [300.0])


def test_an_error_between_bars_is_a_message_of_xrdcp() -> None:
    bar = f"[1kB/1kB][100%][{50 * '='}][1kB/s]  \n"
    assert recognise(bar + line(3, "XRootD", "[h:1094] Unable to connect", "Error") + bar) is xrdcp


def test_a_log_that_begins_behind_the_handler_of_a_request() -> None:
    went = line(3, "XRootD", f"[h:1094] Message {READ} has been successfully sent.", "Dump")
    parsed = xrdcl_log.parse(went + done(3.5, READ))
    assert [(row["time"], row["latency"], row["data_size"]) for row in samples(parsed)] == [(0.0, 0.5, 300.0)]
    assert xrdcl_log.parse(went).notes[0].text == "1 requests have no answer"


def test_a_request_whose_sending_is_told_behind_its_answer_is_one() -> None:
    went = line(4, "XRootD", f"[h:1094] Message {READ} has been successfully sent.", "Dump")
    parsed = xrdcl_log.parse(sent(3, READ) + done(3.5, READ) + went)
    assert (len(samples(parsed)), parsed.complete) == (1, True)


def test_no_line_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a line such as '\[2026-11-20 .* found 'nothing'"):
        xrdcl_log.parse("nothing\n")


def test_logs_of_strangers() -> None:
    logs = sorted((SHARED / "corpus" / "xrdcl-log").glob("*.log"))
    if not logs:
        pytest.skip("the corpus is not here")
    for log in logs:
        text = log.read_text(errors="replace")
        assert recognise(text) is xrdcl_log
        assert xrdcl_log.parse(text).series


def test_lines_with_another_date_or_none() -> None:
    good, request = sent(3, READ), done(4, READ)
    bad = request.replace("2026-11-20", "2026-99-99")
    assert not xrdcl_log.parse(good + bad).complete
    assert samples(xrdcl_log.parse(good + request.replace(" +0000", "")))[0]["latency"] == 1.0
    assert samples(xrdcl_log.parse(good.replace(" +0000", "") + request))[0]["latency"] == 1.0


def test_lines_in_literals_of_a_program_are_those_of_the_log() -> None:
    text = (LOGS / "xrdcl_log/connection-refused.log").read_text()
    literals = " +\n  ".join(json.dumps(line + "\n") for line in text.splitlines())
    bare, held = parse(text), parse(f"const log = {literals};\n")
    assert held.runs == bare.runs
    assert held.series == bare.series
    assert sorted(held.notes) == sorted(bare.notes)
    assert held.header == {**bare.header, "wrapping": "string literals"}


def test_lines_of_a_list_of_texts_are_no_transfers() -> None:
    text = (LOGS / "xrdcl_log/connection-refused.log").read_text()
    listed = ",\n".join(f"  '{line}'" for line in text.splitlines())
    parsed = parse(f"const lines = [\n{listed},\n];\n")
    assert [row["line"] for row in parsed.runs] == [46]
    assert parsed.header["tool_version"] == "5.5.3"
