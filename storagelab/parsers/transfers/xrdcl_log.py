"""The log of XRootD's client library (XRD_LOGLEVEL, ``xrdcp -d``): what was asked of which server, and how it ended.

::

    [2026-11-20 16:17:36.978075 +0000][Debug  ][ExDbgMsg          ] [host:1094] MsgHandler created: ... (message: ...

XrdCl (XRootD 3.3 on, XrdClLog.cc, XrdClXRootDMsgHandler.cc); before 4.0 without fractions of a second. A request is
named with its arguments, ``kXR_pgread (handle: 0x00000000, offset: 0, size: 1234567)``, where its handler is made
(Debug), where it was sent (Dump), where an answer comes (Dump), and where the handler is called with a status (Debug).
Each is a sample: `time` its handler was made, or it was sent where the log begins behind that, `latency` to its answer,
`offset` in the file (where one piece is asked for), `data_size` asked for (of all chunks of a vector read, whose number
is `operations`; with the checksums of the pages in kXR_pgwrite), `errors` and the server's `error_code`. Where the log
begins behind a request, the `time` is that of the first line that answers it. Reads and writes of a local file are
samples without a server, the windows within which connections are tried again and the pieces of a copy samples with a
`metric`. Lines of the level Error are notes.

The log has no end. Requests without an answer, and answers to requests that it does not show, make it incomplete; bars
of xrdcp between its lines are transfers.
"""

from __future__ import annotations

import re
from datetime import datetime

from storagelab.parsers.declared_checks import Checks, Line
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.transfers import xrdcp
from storagelab.parsers.values_on_several_lines import on

CHECKS = Checks(
    whole_lines=(
        Line(
            "[20",
            r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4}\]\[\w+ *\]\[\w+ *\] "
            r"(?!.*(?:\]\[\w{1,20} *| {2})\] ).*",
        ),
    ),
    pauses="messages come as they happen",
)

FORMAT = Format(
    "xrdcl-log",
    "XrdCl",
    "3.3 to 5.9",
    "requests, errors",
    "XRootD, XrdClLog.cc, XrdClXRootDMsgHandler.cc",
    marks=("Error", "Warning", "Info", "Debug", "Dump"),
    reads_returns=True,
    stamped=True,
    checks=CHECKS,
)

_LINE = re.compile(
    r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?)( [+-]\d{4})?\]\[(Error|Warning|Info|Debug|Dump) *\]\[(\w+) *\]"
)
_IN_LITERAL = re.compile(r"[\"'`]\[\d{4}-[^\"'`\n]{1,9999}?\\n")
"""A line in the text of a program, which holds its end: who reads it wants what the program makes of it."""
_REQUEST = re.compile(r"(kXR_(\w{1,40}+) \(((?:(?!kXR_\w{1,40} \().)*?)\)) ?(?=\)|\(0x|with|has|through|\[|:|\.|as |$)")
_HOST = re.compile(r"\[([^\[\]\s]+:\d+)(?:\.\d+| #\d+(?:\.\d+)?)?\] ")
_OFFSET = re.compile(r"offset: (\d+)")
_SIZE = re.compile(r"(?<!total )size: (\d+)")
_TOTAL = re.compile(r"total size: (\d+)")
_CHUNKS = re.compile(r"chunks: (\d+)")
_FILE = re.compile(r"(?:file|path): ([^,\s]+)")
_HANDLE = re.compile(r"handle: 0x([0-9a-f]{1,16})")
_STATUS = re.compile(r"with status:? \[(\w+)\]")
_CODE = re.compile(r"\[(3\d{3})\]")
_OPENED = re.compile(
    r"\[0x[0-9a-f]+@((?:(?!\[0x)[^\]?]|(?!))++)(?:(?!\[0x)[^\]]|(?!))*+\] successfully opened at \S+, handle: (?:0x)?([0-9a-f]{1,16})"  # noqa: E501
)
_LOCAL = re.compile(
    r"\[0x[0-9a-f]+@(file://(?:(?!\[0x)[^\]?]|(?!))++)(?:(?!\[0x)[^\]]|(?!))*+\] Sending a (write|read) command"
)
_VERSION = re.compile(r"client version: v?(\d[\w.+~-]*)")
_SETTINGS = re.compile(
    r"(Connection ?Window|ConnectionRetry|Stream Error Wi(?:nd|dn)ow|Chunk size|parallel chunks|streams)"
    r"(?::? | = )(\d+)"
)
_WITH_SETTINGS = "Stream parameters", "ConnectionWindow =", "Chunk size:"
_ANSWERS = "Calling MsgHandler", "Got a kXR_ok", "Got a kXR_error"
_FAILURES = (
    "Unable to get the response",
    "Impossible to send",
    "Unable to send the message",
    "Handling error while processing",
)

_OPERATIONS = {
    **{name: name for name in ("open", "close", "read", "readv", "write", "writev", "stat", "sync", "mkdir", "rmdir")},
    "pgread": "read",
    "pgwrite": "write",
    "dirlist": "readdir",
    "rm": "unlink",
    "chmod": "chmod",
}
_NOTES = 20


def sniff(head: str) -> bool:
    """Whether lines of the log stand here, and nothing that xrdcp prints of a transfer."""
    if "][" not in head or not _LINE.search(head) or _IN_LITERAL.search(head):
        return False
    return not xrdcp.sniff(head)


def parse(text: str) -> Parsed:
    """Read every request into ``series``, and transfers between the lines into ``runs``.

    Raises
    ------
    ParseError
        If there is no line of the log.
    """
    parsed = Parsed({"tool": "xrdcl"})
    xrdcp.read_transfers(text, parsed)
    bars = _rows(parsed)
    reader = _Reader(parsed)
    for number, line in enumerate(text.split("\n")[:-1], 1):
        reader.line(line, number)
    if not reader.started:
        raise refusal("a line such as '[2026-11-20 16:17:36.978061 +0000][Debug  ][File   ] ...'", text)
    reader.end()
    samples = bars + reader.samples
    parsed.series = columns(samples) if samples else {}
    return parsed


def _rows(parsed: Parsed) -> list[Row]:
    names = list(parsed.series)
    return [dict(zip(names, values, strict=True)) for values in zip(*parsed.series.values(), strict=True)]


class _Reader:
    """Takes lines, and follows each request from its start to its end."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.samples: list[Row] = []
        self.started: datetime | None = None
        self._open: dict[tuple[str, str], Row] = {}
        self._unasked: dict[tuple[str, str], Row] = {}
        self._answered: set[int] = set()
        self._begun: set[tuple[str, str]] = set()
        self._files: dict[int, str] = {}
        self._failed_open: Row = {}
        self._errors = 0
        self._clock = ("", 0.0)

    def line(self, text: str, number: int) -> None:
        """Take a line."""
        match = _LINE.search(text) if "][" in text else None
        if not match:
            return
        since = self._since(match[1], match[2] or "")
        if since is None:
            return
        rest = text[match.end() :]
        if match[3] == "Error":
            self._error(rest, number)
        if "client version" in rest:
            self._version(rest)
        elif match[4] == "File" or "kXR_" in rest or any(words in rest for words in _WITH_SETTINGS):
            self._message(match[4], rest, since, number)

    def _since(self, clock: str, zone: str) -> float | None:
        """Seconds since the first line; None where the date is none. A line has a zone where the first has one."""
        if clock == self._clock[0]:
            return self._clock[1]
        aware = self.started is not None and self.started.tzinfo is not None
        try:
            now = _instant(clock, zone)
        except ValueError:
            return None
        if self.started is None:
            self.started = now
            self.parsed.header["started"] = now.isoformat()
        elif aware != (now.tzinfo is not None):
            now = now.replace(tzinfo=self.started.tzinfo)
        self._clock = (clock, (now - self.started).total_seconds())
        return self._clock[1]

    def end(self) -> None:
        """Say what is left open."""
        waiting = [row for row in self._open.values() if "latency" not in row]
        if waiting:
            self.parsed.incomplete(f"{len(waiting)} requests have no answer", int(waiting[0]["line"]))
        if self._unasked:
            first = min(int(row["line"]) for row in self._unasked.values())
            self.parsed.incomplete(f"{len(self._unasked)} answers are to requests that the log does not show", first)
        if self._errors > _NOTES:
            self.parsed.note(f"{self._errors - _NOTES} errors more")

    def _error(self, text: str, number: int) -> None:
        self._errors += 1
        if self._errors <= _NOTES:
            self.parsed.note(text.strip(), number)

    def _message(self, topic: str, text: str, time: float, number: int) -> None:
        if "kXR_" in text:
            self._request(topic, text, time, number)
        elif topic == "File":
            self._file(text, time, number)
        else:
            self._settings(text, time, number)

    def _version(self, text: str) -> None:
        version = _VERSION.search(text)
        if version:
            self.parsed.header.setdefault("tool_version", version[1])

    # --- requests -------------------------------------------------------------------------------------------------

    def _request(self, topic: str, text: str, time: float, number: int) -> None:
        request, host = _REQUEST.search(text), _HOST.search(text)
        if not request or not host:
            return
        key = (host[1], request[1])
        if "MsgHandler created" in text or (topic in ("XRootD", "PostMaster") and "Sending message" in text):
            if key not in self._open or id(self._open[key]) in self._answered:
                self._open[key] = self._begin(key, request, time, number)
        elif key not in self._begun and "uccessfully sent" in text:
            self._open[key] = self._begin(key, request, time, number)
        elif any(words in text for words in _ANSWERS) and key in self._open:
            self._answer(key, text, time, number)
        elif any(words in text for words in (*_ANSWERS, *_FAILURES)) and key not in self._open:
            if key not in self._unasked:
                self._unasked[key] = self._begin(key, request, time, number)
            self._fail(self._unasked[key], text, number)

    def _begin(self, key: tuple[str, str], request: re.Match[str], time: float, number: int) -> Row:
        self._begun.add(key)
        name = request[2]
        row: Row = {"time": time, "operation": _OPERATIONS.get(name, ""), "api": f"kXR_{name}", "server": key[0]}
        self.samples.append(row | self._arguments(name, request[3]) | {"line": number})
        return self.samples[-1]

    def _arguments(self, name: str, text: str) -> Row:
        """What is asked for: bytes, chunks, the file."""
        total, sizes, chunks = _TOTAL.search(text), _SIZE.findall(text), _CHUNKS.search(text)
        values: Row = {}
        if total or sizes:
            values["data_size"] = float(total[1]) if total else sum(map(float, sizes))
        if chunks or (name == "readv" and sizes):
            values["operations"] = float(chunks[1]) if chunks else float(len(sizes))
        offsets = _OFFSET.findall(text)
        if len(offsets) == 1:
            values["offset"] = float(offsets[0])
        file, handle = _FILE.search(text), _HANDLE.search(text)
        named = file[1] if file else self._of_handle(handle[1]) if handle else ""
        return values | ({"file": named} if named else {})

    def _of_handle(self, printed: str) -> str:
        """Return the file behind a handle, which requests print byte by byte."""
        number = int(printed, 16)
        swapped = int.from_bytes(number.to_bytes(4, "big"), "little") if number < 2**32 else number
        return self._files.get(number) or self._files.get(swapped, "")

    def _answer(self, key: tuple[str, str], text: str, time: float, number: int) -> None:
        row = self._open[key]
        if "latency" not in row:
            row |= on(number, {"latency": round(time - float(row["time"]), 9)})
        self._answered.add(id(row))
        self._fail(row, text, number)
        if "Calling MsgHandler" in text:
            del self._open[key]

    def _fail(self, row: Row, text: str, number: int) -> None:
        """Say of a request that it failed, if this line does."""
        status = _STATUS.search(text)
        failed = "kXR_error" in text or any(words in text for words in _FAILURES)
        if failed or (status and status[1] != "SUCCESS"):
            row |= on(number, {"errors": 1.0})
            code = _CODE.search(text)
            if code:
                row |= on(number, {"error_code": float(code[1])})
            self._failed_open = row if row["operation"] == "open" else {}

    # --- files and connections ------------------------------------------------------------------------------------

    def _file(self, text: str, time: float, number: int) -> None:
        opened, local = _OPENED.search(text), _LOCAL.search(text)
        if opened:
            self._files[int(opened[2], 16)] = opened[1]
        elif local:
            self.samples.append({"time": time, "operation": local[2], "file": local[1], "line": number})
        elif "Open has returned with status [ERROR]" in text and self._failed_open:
            code = _CODE.search(text)
            if code and "error_code" not in self._failed_open:
                self._failed_open |= on(number, {"error_code": float(code[1])})

    def _settings(self, text: str, time: float, number: int) -> None:
        host = _HOST.search(text)
        for name, value in _SETTINGS.findall(text):
            name = name.replace("ConnectionW", "Connection W").replace("Widnow", "Window")
            row: Row = {"time": time, "operation": "", "metric": name, "value": float(value), "line": number}
            self.samples.append(row | ({"server": host[1]} if host else {}))


def _instant(clock: str, zone: str) -> datetime:
    date, _, time = clock.partition(" ")
    whole, point, fraction = time.partition(".")
    return datetime.fromisoformat(f"{date}T{whole}{point}{fraction[:6]:0<{6 if point else 0}}{zone.strip()}")
