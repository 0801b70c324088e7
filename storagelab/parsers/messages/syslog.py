"""What kernels and Lustre write to the console and to syslog around a failure, one event a message.

Read are syslog files (RFC 3164, RFC 5424, rsyslog's and journalctl's ISO forms), ``dmesg`` and ``dmesg -T``,
``lctl debug_kernel``, and excerpts of them as people put them into mails and reports: indented, quoted, wrapped,
without any time. How a message is built is Lustre's libcfs/debug.c and lnet: ``Lustre: ``, ``LustreError: ``,
``LNet: ``, ``LNetError: ``, then the number of a message that has one (``167-0: ``), or process, thread and place in
the source (``3389:0:(client.c:2295:ptlrpc_expire_one_request()) ``). Kinds of message: `lustre_kinds`.

Every message of Lustre and LNet is an event, of a kind that is known or "other"; of all else only what says that a
disk, a link, a task or a node is in trouble. A syslog has no end: that one is cut is seen in its last line alone.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.messages import event_times, kinds, stamps
from storagelab.parsers.messages.event_times import Event
from storagelab.parsers.messages.lustre_kinds import KERNEL, LUSTRE, NID
from storagelab.parsers.messages.stamps import Stamp
from storagelab.parsers.model import Format, Parsed, Row

FORMAT = Format(
    "syslog",
    "syslog",
    "Lustre 1.6 to 2.15; RFC 3164, RFC 5424, journalctl, dmesg",
    "failures, lost connections, evictions, recoveries",
    "Lustre: libcfs/debug.c, ptlrpc/, ldlm/, lnet/; rfc-editor.org/rfc/rfc5424; dmesg(1)",
    marks=("Lustre", "LustreError", "LNet", "LNetError", "kernel", "Connection"),
    shapes=(rf"\[(?: *\d{{1,8}}\.\d{{6}}\]|{stamps.WEEKDAY} )",),
    stamped=True,
)

_WORDS = ("Lustre", "LNet", "kernel: ", "Connection restored", "Connection to ")
_LUSTRE = re.compile(r"\b(?:Lustre|LNet)(?P<error>Error)?(?::|(?= \w+-\w+: ))\s*")
_OTHERS_LUSTRE = re.compile(
    r"\bConnection (?:restored |to \S+ (?:(?!\bConnection ).)*was lost)|\b[Ee]vict(?:ed|ing) |[Rr]ecovery (?:period )?over after"  # noqa: E501
)
_STAMPED = re.compile(rf"[\s>|]*(?:\[ *\d{{1,8}}\.\d{{6}}\] |\[{stamps.WEEKDAY} \w\w\w +\d+ \d\d:\d\d:\d\d \d{{4}}\] )")
_CODE = re.compile(r"\s*(?P<code>\d\w{1,2}-[0-9a-f]{1,2}):\s*")
_PLACE = re.compile(r"\s*(?P<pid>\d+):\d+:\((?P<source>[\w./-]+:\d+:\w+)\(?\)?\)?\s*(?:[#@]{3} )?")
_IMPORT = re.compile(
    r"(?P<target>(?<![\w.-])[\w.-]{1,80}?-(?:OST|MDT)[0-9a-f]{4})(?:-\w+)*: "
    r"|(?P<other>MGS|MGC\S{1,90}?|(?<![\w.-])[\w.-]{1,80}-(?:ost|mdt|mds)\d+):? "
)
_RETURNED = re.compile(
    r"\brc[ :=]{1,3}(-\d{1,10})(?![\d/])|configuration from log \S{1,90} failed(?: from the MGS)? \((-\d{1,10})\)"
)
_NID = re.compile(rf"(?:MGC|12345-|(?!))?+(?P<nid>{NID})")
_TELLING = (
    *("Lustre", "LNet", "onnection restored", "onnection to ", "victed ", "victing ", "over after"),
    *dict.fromkeys(one.word for one in KERNEL),
)
"""Words of which every message holds one."""

_SEVERITIES = ("emergency", "alert", "critical", "error", "warning", "notice", "info", "debug")
_CONTINUATIONS = 3
_SHARE = 8


def sniff(head: str) -> bool:
    """Whether at least an eighth of the lines are messages of Lustre or of a kernel."""
    if not any(word in head for word in _WORDS) and not _STAMPED.match(head):
        return False
    lines = [line for line in head.split("\n") if line.strip()]
    return 0 < len(lines) <= _SHARE * sum(map(_is_message, lines))


def _is_message(line: str) -> bool:
    return bool(
        _LUSTRE.search(line)
        or _STAMPED.match(line)
        or ((" kernel: " in line or _OTHERS_LUSTRE.search(line)) and stamps.begins(line))
    )


def parse(text: str) -> Parsed:
    """Read every message of Lustre, and those that say that something else is in trouble.

    Raises
    ------
    ParseError
        If there is none.
    """
    *lines, rest = text.split("\n")
    parsed = Parsed({"tool": "syslog"})
    found = list(_events(text, lines, parsed))
    if not found and not sniff(text):
        raise refusal("a message of Lustre or of a kernel, such as 'Lustre: lustre-OST0000: ...'", text)
    parsed.cut_line(rest, len(lines) + 1)
    event_times.place(parsed, found, first=next(filter(None, map(_stamp, lines)), None))
    return parsed


def _stamp(line: str) -> Stamp | None:
    stamp = stamps.read(line)
    return stamp if stamp.clock else None


@dataclass(frozen=True, slots=True)
class Message:
    """A message that may go on over several lines; `ends` are where each of them ends in its text."""

    stamp: Stamp
    text: str
    line: int
    ends: tuple[int, ...] = ()

    def line_of(self, place: int) -> int:
        """Line of the log on which a character of the text stands."""
        return self.line + sum(place >= end for end in self.ends)


def _events(text: str, lines: Sequence[str], parsed: Parsed) -> Iterator[Event]:
    for number in _lines_with(text, lines, _TELLING):
        line = lines[number - 1]
        if _LUSTRE.search(line) or _OTHERS_LUSTRE.search(line):
            version = line.partition("Build Version: ")[2].split()
            if version:
                parsed.header.setdefault("tool_version", f"Lustre {version[0].rstrip(',')}")
            event = _of_lustre(lines, number)
        else:
            event = _of_kernel(line, number)
        if event:
            yield event


def _lines_with(text: str, lines: Sequence[str], words: Iterable[str]) -> list[int]:
    """Numbers of the lines that hold one of some words: a word is sought through the text, not through each line."""
    ends = list(itertools.accumulate(len(line) + 1 for line in lines))
    found: set[int] = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            line = bisect.bisect_right(ends, at)
            if line == len(ends):
                break
            found.add(line + 1)
            at = text.find(word, ends[line])
    return sorted(found)


def _of_kernel(line: str, number: int) -> Event | None:
    stamp = stamps.read(line)
    found = kinds.find(KERNEL, stamp.text)
    if not found or not (stamp.clock or line.startswith(("kernel:", "nfs:"))):
        return None
    return Event(stamp, _row(found, Message(stamp, stamp.text, number), stamp.text, {}))


def _of_lustre(lines: Sequence[str], number: int) -> Event | None:
    """Read the message that begins on a line: as it stands, or with what was wrapped behind it if that says more."""
    best: tuple[int, Row, Stamp] | None = None
    for message in _readings(lines, number):
        head = _LUSTRE.search(message.text)
        if not head and not message.stamp.clock:
            return None
        said, body = _head(message, head)
        found = kinds.find(LUSTRE, body) or kinds.find(KERNEL, body)
        row = _row(found, message, body, said)
        worth = len(row) + 100 * (found is not None)
        if best is None or worth > best[0]:
            best = worth, row, message.stamp
    return Event(best[2], best[1]) if best else None


def _readings(lines: Sequence[str], number: int) -> Iterator[Message]:
    """The message on a line alone, and with the lines behind it, wrapped at a blank or within a word."""
    stamp = stamps.read(lines[number - 1])
    yield Message(stamp, stamp.text, number)
    behind = []
    lead = lines[number - 1].strip()[:6]
    for line in lines[number : number + _CONTINUATIONS]:
        if not line.strip() or line.lstrip().startswith((lead, "```")) or _LUSTRE.search(line) or stamps.begins(line):
            break
        behind.append(line.strip(" \t>|"))
    for glue in (" ", "") if behind else ():
        parts = [stamp.text.rstrip(), *behind]
        ends = [sum(map(len, parts[:count])) + (count - 1) * len(glue) for count in range(1, len(parts))]
        yield Message(stamp, glue.join(parts), number, tuple(ends))


def _head(message: Message, head: re.Match[str] | None) -> tuple[Row, str]:
    """What stands before the words of a message: severity, code, process, place in the source."""
    said: Row = {}
    body = message.text[head.end() :] if head else message.text
    if head:
        said["severity"] = "error" if head["error"] else "warning"
    for part in (_CODE, _PLACE):
        if match := part.match(body):
            said |= {name: float(text) if name == "pid" else text for name, text in match.groupdict().items()}
            body = body[match.end() :]
    return said, body


def _row(found: tuple[kinds.Kind, re.Match[str]] | None, message: Message, body: str, said: Row) -> Row:
    """Return the row of an event: what its kind is, what stands before its words, what the words say."""
    one, match = found or (None, None)
    row = kinds.happened(one.event if one else "other", message.text, str(said.get("code", "")))
    row |= {"severity": one.severity if one else "info"} | said
    if row["severity"] == "warning":
        row["severity"] = one.severity if one else "info"
    if message.stamp.priority >= 0:
        row["severity"] = _SEVERITIES[message.stamp.priority % 8]
    if message.stamp.host:
        row["host"] = message.stamp.host
    place = 0
    if match:
        place = match.start() if not message.ends else _first_number(match)
        row |= dict(kinds.values(match))
    row |= {name: value for name, value in (_peers(body) | _returned(body)).items() if name not in row}
    return row | {"line": message.line_of(place + len(message.text) - len(body) if place else 0)}


def _first_number(match: re.Match[str]) -> int:
    numbers = [match.start(name) for name in kinds.numbers(match)]
    return min(numbers, default=match.start())


def _returned(body: str) -> Row:
    """What a function of Lustre returned; a request says it as ``rc 0/-1``, which is none."""
    found = _RETURNED.search(body)
    return {"return_code": float(found[1] or found[2])} if found else {}


def _peers(body: str) -> Row:
    """Target and network address of a message whose kind does not say where they stand."""
    said: Row = {}
    if target := _IMPORT.search(body):
        said["target"] = target["target"] or target["other"]
    if nid := _NID.search(body):
        said["nid"] = nid["nid"]
    return said
