"""Results of the RNTuple benchmarks (github.com/jblomer/iotools): GNU time's numbers, a column a repetition.

bm_timing.sh writes a file a case, its columns parted by tabs. The first column has names (``nread: 1831``), the first
line the command and each repetition's exit status::

    ./cms -i ttjet.root (0)     (0)     (0)
    realtime: 2.682375          2.680538        2.682822
    usertime: 0.45              0.45            0.44

Later versions take the real time from the program's own clock. rssmax and memavg are KiB, nread and nwrite blocks of
512 bytes that came from or went to disks, nswitch and nwait context switches by force and by waiting.

bm_combine.sh collects one of the numbers (BM_FIELD, the real time unless asked otherwise) of many cases, a line a case
without a heading: words that name the case, then a number a repetition with up to twenty digits behind the point.
"""

from __future__ import annotations

import re

from storagelab import units
from storagelab.parsers.declared_checks import Checks, line_starts
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.values_on_several_lines import on, settled

_IOTOOLS = ("realtime", "usertime", "kerneltime", "rssmax", "memavg", "nswitch", "nwait", "nread", "nwrite")

CHECKS = Checks(
    together=(line_starts(*_IOTOOLS),),
)

FORMAT = Format(
    "root-iotools",
    "iotools",
    "2019 (RNTuple prototype)",
    "GNU time of repeated reads, one case or many",
    "iotools, bm_timing.sh, bm_combine.sh",
    marks=("realtime",),
    shapes=("0" * 14,),
    opens=("realtime: ",),
    checks=CHECKS,
)

BLOCK = 512.0
_FIELDS: dict[str, tuple[str, float]] = {
    "realtime": ("elapsed", 1.0),
    "usertime": ("cpu_user_time", 1.0),
    "kerneltime": ("cpu_system_time", 1.0),
    "rssmax": ("memory_peak", units.KIB),
    "memavg": ("memory_mean", units.KIB),
    "nswitch": ("switches_forced", 1.0),
    "nwait": ("switches_waiting", 1.0),
    "nread": ("disk_read", BLOCK),
    "nwrite": ("disk_written", BLOCK),
}
_FIELD = re.compile(r"(realtime|usertime|kerneltime|rssmax|memavg|nswitch|nwait|nread|nwrite):? +(\S.*)")
_COMMAND = re.compile(r"(\S.*) \((\d+)\)((?:\s+\(\d+\))*)$")
_NUMBER = r"\d*[.,]\d{20}"
_CASE = re.compile(rf"([A-Za-z][\w+~.:-]*(?: [\w+~.:-]+){{0,5}}?)((?: {_NUMBER})+)$")
_LONG = re.compile(r"[.,]\d{20}")
_SNIFFED = re.compile(
    rf"(?:^|\n)[^\n]{{0,80}}?(?:realtime: +\d*[.,]\d|[A-Za-z][^\n]{{0,80}}? {_NUMBER}(?: {_NUMBER})*(?:\n|$))"
)


def sniff(head: str) -> bool:
    """Whether named numbers of GNU time stand here, or lines of cases with their repetitions."""
    if "realtime: " not in head and not ("0" * 14 in head and _LONG.search(head)):
        return False
    return _SNIFFED.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every repetition as a row of ``runs``; `iteration` counts from 0.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "iotools"})
    *lines, rest = without_prefix(text.split("\n"))
    reader = _Reader(parsed)
    for line, shown in enumerate(lines, 1):
        reader.line(shown.rstrip(), line)
    parsed.cut_line(rest, len(lines) + 1)
    reader.end()
    if not parsed.runs:
        raise refusal("a line such as 'realtime: 2.68' or 'cms ssd root .34065100000000000000'", text)
    return parsed


class _Reader:
    """Takes lines of either kind of file."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self._repetitions: list[Row] = []
        self._seen: set[str] = set()
        self._command: Row = {}
        self._commands: list[str] = []
        self._width = 0

    def line(self, shown: str, line: int) -> None:
        """Take a line."""
        field, case, command = _FIELD.match(shown), _CASE.match(shown), _COMMAND.match(shown)
        if field:
            self._field(field[1], field[2].split(), line)
        elif case:
            self._case(case[1], case[2].split(), line)
        elif command:
            self._begin(command)
        elif "\ufffd" in shown or "00000000000000" in shown:
            self.parsed.incomplete("not a line of the table", line)

    def end(self) -> None:
        """Close the last file."""
        if self._repetitions:
            missing = [name for name in _FIELDS if name not in self._seen]
            if missing:
                self.parsed.incomplete(f"no {', '.join(missing)}", int(self._repetitions[0]["line"]))
            self.parsed.runs += [settled(row) for row in self._repetitions]
        self._repetitions, self._seen = [], set()
        if len(self._commands) == 1:
            self.parsed.header["command"] = self._commands[0]

    def _begin(self, command: re.Match[str]) -> None:
        self.end()
        self._commands.append(command[1])
        failed = sum(status.strip("()") != "0" for status in (command[2], *command[3].split()))
        if failed:
            self.parsed.incomplete(f"{failed} repetitions left with an exit status that is not 0")

    def _field(self, name: str, words: list[str], line: int) -> None:
        """Give each repetition its number under a name."""
        if name in self._seen:
            self.end()
        values = self._numbers(words, line)
        if not self._repetitions:
            self._repetitions = [
                {"operation": "read", "iteration": float(at), "line": line} for at in range(len(values))
            ]
        if len(values) != len(self._repetitions):
            self.parsed.incomplete(f"{name} of {len(values)} of {len(self._repetitions)} repetitions", line)
            return
        self._seen.add(name)
        known, factor = _FIELDS[name]
        for row, value in zip(self._repetitions, values, strict=True):
            row |= on(line, {known: value * factor})
            if name == "realtime":
                row["line"] = line

    def _case(self, label: str, words: list[str], line: int) -> None:
        """Add the repetitions of one case."""
        values = self._numbers(words, line)
        if self._width and len(values) != self._width:
            self.parsed.incomplete(f"{len(values)} repetitions, {self._width} elsewhere", line)
        self._width = self._width or len(values)
        self.parsed.runs += [
            {"operation": "read", "label": label, "iteration": float(at), "elapsed": value, "line": line}
            for at, value in enumerate(values)
        ]

    def _numbers(self, words: list[str], line: int) -> list[float]:
        try:
            return [number(word) for word in words]
        except ValueError:
            self.parsed.incomplete("not a number", line)
            return []
