"""Logs of GlusterFS clients and bricks."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.messages import glusterfs_log
from storagelab.parsers.model import Parsed, Row
from storagelab.testing import survive
from tests.conftest import LOGS
from tests.work import calls

HEAD = "[2026-11-20 18:10:35.086720 +0000]"


def read(*lines: str) -> Parsed:
    return parsers.parse("".join(f"{line}\n" for line in lines), format="glusterfs-log")


def event(text: str, level: str = "E", graph: str = "0-vol-client-2") -> Row:
    found = read(f"{HEAD} {level} [MSGID: 1] [client.c:1:f] {graph}: {text}").events
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "what", "said"),
    [
        (
            "disconnected from client, process will keep trying to connect glusterd",
            "connection_lost",
            {"target": "vol-client-2"},
        ),
        (
            "disconnected from 10.9.8.7:49152. Client process will keep trying",
            "connection_lost",
            {"nid": "10.9.8.7:49152"},
        ),
        (
            "disconnected from vol-client-1. Client process will keep trying to connect",
            "connection_lost",
            {"target": "vol-client-1"},
        ),
        ("Connected to vol-client-2, attached to remote volume '/b'.", "connected", {"target": "vol-client-2"}),
        (
            "remote operation failed. [{errno=107}, {error=Transport endpoint is not connected}]",
            "request_failed",
            {"return_code": 107.0},
        ),
        ("remote operation failed. [{errno=28}, {error=No space left on device}]", "no_space", {"return_code": 28.0}),
        (
            "server 10.9.8.7:49152 has not responded in the last 42 seconds, disconnecting.",
            "request_timeout",
            {"nid": "10.9.8.7:49152", "time_limit": 42.0},
        ),
        (
            "connection to 10.9.8.7:24007 failed (Connection refused); disconnecting socket",
            "connection_refused",
            {"nid": "10.9.8.7:24007"},
        ),
        ("Client-quorum is not met", "quorum_lost", {}),
        ("Client-quorum is met", "quorum_restored", {}),
        ("Completed data selfheal on 956db7fb-c12e. sources=0 [1]  sinks=2", "healing_ended", {"label": "data"}),
        ("performing metadata selfheal on 956db7fb-c12e", "healing_started", {"label": "metadata"}),
        ("14: WRITE => -1 gfid=x fd=0x7f (Transport endpoint is not connected)", "request_failed", {"label": "WRITE"}),
        ("1626: FLUSH() ERR => -1 (Transport endpoint is not connected)", "request_failed", {"label": "FLUSH"}),
        ("a thing that no table knows", "other", {"event_class": "unknown"}),
    ],
)
def test_kinds_of_message(text: str, what: str, said: Row) -> None:
    row = event(text)
    assert row["event"] == what
    assert row | said == row


def test_what_is_no_error_and_not_known_is_left_out() -> None:
    parsed = read(f"{HEAD} I [a.c:1:f] 0-x: hello", f"{HEAD} I [client.c:1:f] 0-x: changing port to 1 (from 0)")
    assert parsed.events == []


def test_a_backtrace_makes_a_message_illegible() -> None:
    trace = "(--> /lib/a.so.0(f+0x195)[0x7f4d6854ee35] (--> /lib/b.so.0(+0x726a)[0x7f4d684e926a] ))))) "
    row = read(
        f"{HEAD} E [rpc-clnt.c:3:f] {trace}0-vol-client-2: forced unwinding frame type(G) op(WRITE(13)) called"
    ).events[0]
    assert (row["event"], row["legibility"], row["label"], row["target"]) == (
        "request_failed",
        "source",
        "WRITE",
        "vol-client-2",
    )
    assert row["message"] == "forced unwinding frame type(G) op(WRITE(13)) called"


def test_repeated_messages_are_counted_at_the_time_of_the_last() -> None:
    first = f"{HEAD} W [client.c:1:f] 0-vol-client-2: failed to send the fop []"
    again = (
        'The message "W [MSGID: 1] [client.c:1:f] 0-vol-client-2: failed to send the fop []" repeated 8 times between '
        "[2026-11-20 18:10:35.086720 +0000] and [2026-11-20 18:10:36.586720 +0000]"
    )
    rows = read(first, again).events
    assert [(row["time"], row.get("messages")) for row in rows] == [(0.0, None), (1.5, 8.0)]


def test_a_zone_makes_times_absolute() -> None:
    parsed = read(f"{HEAD} E [a.c:1:f] 0-x: y", "[2026-11-20 19:10:36.086720 +0100] E [a.c:1:f] 0-x: y")
    assert parsed.header["started"] == "2026-11-20T18:10:35.086720+00:00"
    assert [row["time"] for row in parsed.events] == [0.0, 1.0]
    assert parsed.events[0]["event_time"] == pytest.approx(1795198235.08672)


def test_a_log_without_zone_is_local() -> None:
    text = (LOGS / "glusterfs_log" / "imitated-3.4-crash.log").read_text()
    parsed = parsers.parse(text)
    assert parsed.header["started"] == "2013-07-05T08:31:50.100200"
    assert parsed.header["tool_version"] == "3.4.0"
    assert "event_time" not in parsed.events[0]
    assert parsed.events[-1] | {"event": "crashed", "return_code": 11.0} == parsed.events[-1]


def test_what_is_no_log_is_refused() -> None:
    with pytest.raises(ParseError, match="a message of GlusterFS"):
        glusterfs_log.parse("[2026-11-20 18:10:35] hello\n")


BEGUN = f"{HEAD} E [MSGID: 114031] [client.c:1:f]"


@pytest.mark.parametrize("begun", ["[20", HEAD[:-1], HEAD, BEGUN[:39], BEGUN[:-12], BEGUN, f"> {HEAD} W"])
def test_a_log_that_ends_in_the_head_of_a_message_is_cut(begun: str) -> None:
    whole = f"{HEAD} E [MSGID: 1] [client.c:1:f] 0-vol-client-2: disconnected"
    parsed = read(whole, begun, "")
    assert (parsed.complete, [(note.line, note.text) for note in parsed.notes]) == (
        False,
        [(2, "the last message breaks off in its head")],
    )
    assert len(parsed.events) == 1
    for other in (f"{HEAD} hello", "pending frames:", "frame : type(0) op(0)", "[f2]"):
        assert read(whole, other).complete, other
    assert read(whole, begun, whole).complete


@pytest.mark.parametrize("piece", [") ", "(--> ", "errno="])
def test_long_lines_do_not_hang(piece: str) -> None:
    """The parser's own loops are counted; an expression that goes back and forth is stopped by `survive`."""

    def both(size: int) -> str:
        return f"{HEAD} E [a.c:1:f] 0-x: {size * piece}\n{HEAD} E [a.c:1:f] {size * piece}"

    once, twice = (calls(lambda size=size: read(both(size))) for size in (1000, 2000))  # type: ignore[misc]
    assert twice <= 2 * once
    assert survive(read, both(200_000))
