"""The log of a GlusterFS client, brick or daemon, one event a message that tells of a failure or its end.

Written by GlusterFS' libglusterfs/src/logging.c since 3.0::

    [2026-11-20 18:10:35.086720 +0000] E [MSGID: 114031] [client.c:2244:client_rpc_notify] 0-vol-client-2: text
    The message "E [MSGID: ...] [...] 0-vol-client-2: text" repeated 8 times between [...] and [...]

Releases before 7 print no zone (it is UTC unless localtime-logging is set: the log does not say, so `started` has no
offset), before 3.7 no MSGID, before 3.0 no microseconds. The letter is the level: M emergency, A alert, C critical, E
error, W warning, N notice, I info, D debug, T trace. ``0-vol-client-2`` is graph and translator: the client's end of
the connection to the third brick. Messages may go on over lines of their own (volume files, backtraces).

Errors and warnings of no known kind are events "other"; what is neither an error nor of a known kind is left out. The
log has no end: that one is cut is seen in its last line alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from storagelab.parsers.declared_checks import Checks, Line
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.messages import event_times, kinds
from storagelab.parsers.messages.event_times import Event
from storagelab.parsers.messages.gluster_kinds import GLUSTER
from storagelab.parsers.messages.stamps import Stamp
from storagelab.parsers.model import Format, Parsed

CHECKS = Checks(
    whole_lines=(
        Line("[20", r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: \+\d{4})?\] [A-Z] (?:\[MSGID: \d+\] )?[\[(].*"),
        Line("+---", r"\+-+\+"),
    ),
)

FORMAT = Format(
    "glusterfs-log",
    "glusterfs",
    "10.3; layouts of 3.0 to 11",
    "failures, lost and restored connections, healing",
    "github.com/gluster/glusterfs, libglusterfs/src/logging.c",
    marks=("c",),
    stamped=True,
    checks=CHECKS,
)

_SEVERITIES = {
    "M": "emergency", "A": "alert", "C": "critical", "E": "error", "W": "warning", "N": "notice", "I": "info",
    "D": "debug", "T": "debug",
}  # fmt: skip
_TIME = r"\[(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?: ?[+-]\d{4})?)\]"
_HEAD = (
    r"(?P<level>[MACEWNIDT]) (?:\[MSGID: (?P<code>\d+)\] )?\[(?P<source>[\w./-]+:\d+:\w+)\] "
    r"(?P<trace>\(-->(?:(?!\) [\w./-]*:).){0,4000}\){1,9} )?(?P<graph>[\w./-]*): ?"
)
_MESSAGE = re.compile(rf"{_TIME} {_HEAD}(?P<text>.*)")
_REPEATED = re.compile(
    rf'The message "{_HEAD}(?P<text>.*)" repeated (?P<messages>\d+) times? between \[[^\]]*\] and {_TIME}'
)
_BEGUN = re.compile(
    r"[ \t>|]*\[\d[\d:. +-]{0,40}(?:\](?: [MACEWNIDT](?: \[MSGID: \d+\])?(?: \[[^\]]{0,200}\]?)?)?)?\s*$"
)
"""The head of a message that breaks off."""
_LEVEL_AND_SOURCE = re.compile(r"\d\] [MACEWNIDT] (?:\[MSGID: \d+\] )?\[[\w./-]+:\d+:\w+\] ")
_TARGET = re.compile(r"\d+-(?P<target>[\w.-]+-(?:client|replicate|disperse|dht|server|posix|marker|index)(?:-\d+)?)")
_SIGNAL = re.compile(r"signal received: (?P<return_code>\d+)")
_TROUBLE = frozenset("MACEW")


def sniff(head: str) -> bool:
    """Whether a message with level, source and translator stands here."""
    return ".c:" in head and bool(_LEVEL_AND_SOURCE.search(head))


def parse(text: str) -> Parsed:
    """Read every message that tells of a failure or its end.

    Raises
    ------
    ParseError
        If there is no message of GlusterFS at all.
    """
    *lines, rest = text.split("\n")
    parsed = Parsed({"tool": "glusterfs"})
    found: list[Event] = []
    first = None
    for number, line in enumerate(lines, 1):
        message = _read(line)
        if message:
            first = first or _stamp(message["time"])
            found += _event(message, number, parsed)
        elif signal := _SIGNAL.match(line):
            row = kinds.happened("crashed", line) | {
                "severity": "critical",
                "return_code": float(signal["return_code"]),
            }
            found.append(Event(Stamp("", 0.0, ""), row | {"line": number}))
    if first is None:
        raise refusal("a message of GlusterFS, '[date time] E [file.c:line:function] 0-volume: text'", text)
    parsed.cut_line(rest, len(lines) + 1)
    ends = 1 + text.rstrip().count("\n")
    if ends <= len(lines) and _BEGUN.match(lines[ends - 1]):
        parsed.incomplete("the last message breaks off in its head", ends)
    event_times.place(parsed, found, first)
    return parsed


def _read(line: str) -> re.Match[str] | None:
    line = line.lstrip(" \t>|")
    if line.startswith("["):
        return _MESSAGE.match(line)
    return _REPEATED.match(line) if line.startswith("The message ") else None


def _stamp(time: str) -> Stamp:
    try:
        moment = datetime.fromisoformat(time.replace(" ", "T", 1).replace(" ", ""))
    except ValueError:
        return Stamp("", 0.0, "")
    zoned = moment.tzinfo is not None
    return Stamp("epoch" if zoned else "local", (moment if zoned else moment.replace(tzinfo=UTC)).timestamp(), "")


def _event(message: re.Match[str], number: int, parsed: Parsed) -> Iterator[Event]:
    """Yield the event of a message, if it is one: of a known kind, or at least a warning."""
    found = kinds.find(GLUSTER, message["text"])
    if not found and message["level"] not in _TROUBLE:
        return
    one, match = found or (None, None)
    if one and one.event == "other" and message["level"] not in _TROUBLE:
        return
    row = kinds.happened(one.event if one else "other", message["text"], trace=message["trace"] or "")
    row |= {"severity": _SEVERITIES[message["level"]], "source": message["source"]}
    if message["code"]:
        row["code"] = message["code"]
    if target := _TARGET.fullmatch(message["graph"]):
        row["target"] = target["target"]
    said = dict(kinds.values(match)) if match else {}
    for name in ("tool_version", "command"):
        if name in said:
            parsed.header.setdefault(name, said.pop(name))
    if "messages" in message.re.groupindex:
        row["messages"] = float(message["messages"])
    yield Event(_stamp(message["time"]), row | said | {"line": number})
