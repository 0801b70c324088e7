"""elbencho's text: a block a phase between lines of ``---``."""

from __future__ import annotations

import re
import shlex

from storagelab.parsers.benchmarks.elbencho import commands, phases
from storagelab.parsers.benchmarks.elbencho.expected_phases import Asked
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.snapshot import ends_table
from storagelab.parsers.shell import words_of
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.text import number as decimal
from storagelab.parsers.transfers.source_and_destination import command
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import MILLISECOND

ERROR = re.compile(r"\s*(?:\d\d:\d\d:\d\d\.\d+ )?ERROR: ")
HEADING = "FIRST DONE"
PHASE = re.compile(
    r"^[ \t]*[A-Z][A-Z0-9_+-]{1,30}[ \t]+Elapsed (?:time|ms) *: +\d\S{0,20} +\d\S{0,20}[ \t\r]*$", re.MULTILINE
)
"""A phase above which the heading is missing, as in the last ten lines that Kubernetes keeps of a pod."""
_FIELD = re.compile(r"(?:([A-Z][\w+-]*)\s+|\s*)([A-Za-z%][A-Za-z0-9%/]*+(?: ++[A-Za-z0-9%/.]++|(?!))*+)\s*+:\s+(\S.*)")
_OF_HOST = re.compile(r"(?<!\S)(\S+)=([0-9.hms]+)(?!\S)")
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d*)?)s)?(?:(\d+)ms)?", re.ASCII)
_TIME = re.compile(r"(min|avg|max)=(\d[\d.,]*)(us|ms|s)?(?![\w.])", re.ASCII)
_PERCENTILE = re.compile(r"(?<![\d.])(\d[\d.]*)%<=(\d[\d.,]*)", re.ASCII)
_DATE = re.compile(r"ISO DATE(?: start)?: *(\S+)")
_CONTAINER = re.compile(r".{0,200}?\b(?:docker|podman) run -.{0,300}?/elbencho(?::[\w.-]{1,60})? (?=-)")
"""What starts a container of an image of elbencho, which runs with the words behind the image's name."""
_FIRST = ("Elapsed time", "Elapsed ms")
"""The figure with which a phase begins; a word that is no known phase before another one is the first of its name."""
_LISTS = ("Time ms each", "Svc compl. time", "Files latency", "Dirs latency", "IO latency")
_MILLISECONDS = (3_600_000.0, 60_000.0, 1000.0, 1.0)
_MICROSECONDS = {"": 1.0, "us": 1.0, "ms": 1e3, "s": 1e6}
_FIGURES = {
    "Elapsed time": "elapsed",
    "Elapsed ms": "elapsed",
    "IOPS": "iops",
    "IOs total": "ios",
    **{f"{what}/s": "entries/s" for what in ("Files", "Dirs", "Objects", "Buckets", "Entries")},
    **{f"{what} total": "entries" for what in ("Files", "Dirs", "Objects", "Buckets", "Entries")},
    "Throughput MiB/s": "MiB/s",
    "Throughput MB/s": "MB/s",
    "Total MiB": "MiB",
    "Total MB": "MB",
    "Total files": "entries",
    "Total dirs": "entries",
    "CPU util %": "cpu",
}
_OF_HALF = {
    **{what: what for what in ("MiB/s", "MB/s", "MiB", "MB")},
    "IOPS": "iops",
    "Files/s": "entries/s",
    "Files": "entries",
    "Objects/s": "entries/s",
    "Objects": "entries",
}
_HALVES = {"write": "write", "read": "read", "total": "", "wr": "write", "rd": "read"}
_PERCENTILES = {
    **{percent: f"latency_p{percent}" for percent in ("1", "50", "75", "90", "95", "99")},
    "99.9": "latency_p99_9",
    "99.99": "latency_p99_99",
    "99.999": "latency_p99_999",
}


class _Reader:
    """The blocks read so far, and the one that is open: the whole phase under "", the halves of a mix beside it."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.asked = Asked()
        self._command_line = ""
        self._prompted, self._is_prompted = ("", 0), False
        self._keys: Row = {}
        self._close()

    def _close(self) -> None:
        self.kind: Row = {}
        self.lines: dict[str, int] = {}
        self.figures: dict[str, phases.Figures] = {}
        self.places: dict[str, dict[str, int]] = {}
        self.more: dict[str, Row] = {}
        self.workers: list[Row] = []

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        prompted = _prompted(line) if " -" in line else []
        if prompted or line.strip("- \t") == "" or ends_table(line):
            self.close()
            self._prompted = (shlex.join(prompted), at) if line.strip() else self._prompted
        elif line.startswith("COMMAND LINE:"):
            self._command(line.partition(":")[2].strip(), at)
        elif line.startswith("ISO DATE"):
            if date := _DATE.match(line):
                self.parsed.header.setdefault("started", date[1])
        elif ERROR.match(line):
            self.parsed.incomplete(line.strip(), at)
        elif field := _FIELD.match(line.rstrip(" \t\r<")):
            self._named(field[1] or "", field[2], field[3], at)
        elif self.kind or "\ufffd" in line:
            self.parsed.incomplete(f"not a line of a phase: {line.strip()[:60]!r}", at)
        elif HEADING in line:
            self._head(at)

    def _named(self, name: str, label: str, printed: str, at: int) -> None:
        """Take a figure; a word before its label is the phase that it begins, or belongs to the label."""
        if name and (label in _FIRST or phases.is_known(name)):
            self.close()
            self.kind, self.lines = phases.operation(name), {"": at}
            self._begin_phase(at)
        elif name:
            label = f"{name} {label}"
        elif not label[0].isupper() and self.kind:
            self.parsed.incomplete(f"not a line of a phase: {f'{label} : {printed}'[:60]!r}", at)
        self._field(label, printed, at)

    def _begin_phase(self, at: int) -> None:
        if self.kind and self._command_line:
            self.asked.phase(self._command_line, str(self.kind["operation"]), at)

    def _command(self, command: str, at: int) -> None:
        """Take the command of the phases below it, and what it says of them."""
        self._is_prompted = False
        self.parsed.header.setdefault("command", command)
        self.asked.command(command, at)
        self._command_line = command
        self._keys = on(at, commands.keys(command))

    def _head(self, at: int) -> None:
        """Take the command at a prompt above a heading, next to it or above an empty line.

        A heading without one is of another command.
        """
        prompted, above = self._prompted
        if prompted and above >= at - 2:
            self._command(prompted, above)
            self._is_prompted = True
        elif self._is_prompted:
            self._command_line, self._keys, self._is_prompted = "", {}, False

    def _field(self, label: str, printed: str, at: int) -> None:
        if not self.kind:
            self._say_nobodys(label, at)
            return
        if label in _LISTS and not (printed.startswith("[") and printed.endswith("]")):
            self.parsed.incomplete(f"{label}: expected a list in brackets, found {printed[:60]!r}", at)
        figure, half = _figure_of(label)
        if figure:
            self._figure(figure, half, label, printed, at)
        elif label == "Time ms each":
            self.workers += [
                {"share": "process", "process": str(number), "elapsed": float(word) / 1e3, "line": at, **self.kind}
                for number, word in enumerate(re.findall(r"[0-9]+", printed))
            ]
        elif label == "Svc compl. time":
            self._hosts(printed, at)
        elif " lat" in label:
            self._latency(label, printed, at)

    def _say_nobodys(self, label: str, at: int) -> None:
        """Say once of a block that it has figures, but not its first line."""
        if _figure_of(label)[0] and not self.lines:
            self.lines[""] = at
            self.parsed.incomplete("figures of a phase whose first line is missing", at)

    def _hosts(self, printed: str, at: int) -> None:
        """Take how long the slowest worker of each host was at it (``--svcelapsed``)."""
        try:
            times = [(host, _number(time)) for host, time in _OF_HOST.findall(printed)]
        except ValueError:
            self.parsed.incomplete(f"expected hosts and their times, found {printed!r}", at)
            return
        self.workers += [
            {"share": "client", "client": host, "elapsed": time * MILLISECOND, "line": at, **self.kind}
            for host, time in times
            if time
        ]

    def _figure(self, figure: str, half: str, label: str, printed: str, at: int) -> None:
        if label.startswith("Dirs") and self.kind["operation"] in ("write", "read", "mixed_workload"):
            return
        try:
            first, last = map(_number, printed.split())
            if last is None:
                raise ValueError
        except ValueError:
            self.parsed.incomplete(f"{label}: expected figures of the first and the last done, found {printed!r}", at)
            return
        self.figures.setdefault(half, {})[figure] = first, last
        self.places.setdefault(half, {})[figure] = at
        if figure in ("iops", "entries/s", "MiB/s", "MB/s") and label != "Objects/s":
            self.lines[half] = at

    def _latency(self, label: str, printed: str, at: int) -> None:
        what, *words = label.split()
        half = _HALVES.get(words[0], "")
        kind = phases.half(self.kind, half) if half else self.kind
        more = self.more.setdefault(half, {})
        if "latency" in words or words[-2:] == ["lat", "us"]:
            values = {which: number(value) * _MICROSECONDS[unit] for which, value, unit in _TIME.findall(printed)}
            more |= on(at, phases.latencies(kind, what != "IO", values))
        elif "%" in words:
            of = "file_" if what != "IO" and kind["operation"] in phases.DATA else ""
            found = _PERCENTILE.findall(printed)
            known = {f"{of}{_PERCENTILES[one]}": number(value) / 1e6 for one, value in found if one in _PERCENTILES}
            more |= on(at, known)

    def close(self) -> None:
        """End the block that is open."""
        whole = self.figures.get("", {})
        elapsed = {name: pair for name, pair in whole.items() if name == "elapsed"}
        for half, figures in self.figures.items() if self.kind else ():
            if half or len(figures) > len(elapsed) or len(self.figures) == 1:
                kind = phases.half(self.kind, half) if half else self.kind
                lines = self.places.get("", {}) | self.places[half]
                row = phases.row(kind, elapsed | figures, lines) | self.more.get(half, {})
                self.parsed.runs.append(settled(self._keys | row | {"line": self.lines[half]}))
        self.parsed.clients += self.workers if whole else []
        self._close()


def _prompted(line: str) -> list[str]:
    """Return the words of a command of elbencho, or of a container of it, that a prompt shows; else nothing."""
    container = _CONTAINER.match(line) if " run -" in line else None
    return ["elbencho", *words_of(line[container.end() :])] if container else command(line, "elbencho")


def _figure_of(label: str) -> tuple[str, str]:
    """Return what a label counts, and which half of a mix; "" where it is no figure."""
    if label in _FIGURES:
        return _FIGURES[label], ""
    base, _, half = label.rpartition(" ")
    return (_OF_HALF[base], _HALVES[half]) if half in _HALVES and base in _OF_HALF else ("", "")


def _number(printed: str) -> float | None:
    """Read a figure, or a time such as ``82ms``, ``30.140s`` or ``2m3.241s`` in milliseconds; "-" is none.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if printed == "-":
        return None
    if printed.isdecimal():
        return decimal(printed)
    found = _DURATION.fullmatch(printed)
    if not found or not any(found.groups()):
        raise ValueError
    return sum(float(part or 0) * unit for part, unit in zip(found.groups(), _MILLISECONDS, strict=True))


def read(text: str, parsed: Parsed) -> None:
    """Read every phase of a text."""
    reader = _Reader(parsed)
    *lines, rest = without_prefix(text.split("\n"))
    for at, line in enumerate(lines, start=1):
        reader.take(line, at)
    if HEADING not in text and PHASE.search(text):
        parsed.incomplete("an excerpt: no heading 'OPERATION  RESULT TYPE  FIRST DONE  LAST DONE'")
    if rest.strip("- ") or reader.kind:
        parsed.incomplete("the log ends inside a phase", len(lines) + 1)
    reader.close()
    reader.asked.say_what_lacks(parsed)
