r"""What gfal-copy, the copy command of gfal2-util, prints (src/gfal2_util/copy.py and progress.py).

To a file or a pipe: ``Copying 1234567 bytes SOURCE => TARGET``, and nothing that says whether it was done.
With ``-v`` the events of gfal2 follow, ``event: [1795191511519] BOTH   GFAL2:CORE:COPY:LOCAL\tTRANSFER:ENTER\t...``, in
milliseconds since 1970: the transfer runs from its ENTER to its EXIT, and the other pairs (PREPARE, CHECKSUM, CLOSE,
LIST) become rows of their own with a `phase`. ``monitor: SOURCE TARGET AVERAGE RATE BYTES SECONDS`` lines are samples.

To a terminal: a line that carriage returns overwrite, ``Copying SOURCE..   1s 45% [=>] 136MB 136M/s``, and at last
``Copying SOURCE   [DONE]  after 2s`` (or ``[FAILED]``). Letters are powers of 1024 with three digits, the rate is the
mean since the start, the seconds are whole. The last print is the row of ``runs``; a copy that was done between two
prints moved the whole ``File size: 300MB`` of the first one. The target is not shown: which way it went is known only
where a command line stands before it, else the operation is `copy`. The size of a short copy is not shown either; an
``ls -l`` of the file behind it, as in transcripts, gives it.

Failures say ``gfal-copy error: 2 (No such file or directory) - ...`` or, in recursive copies, ``ERROR (2): ...``.
There is no end mark. In logs of jobs of CMS, the script around it adds ``gfal-copy exit status: 22``.

The log of a transfer of FTS (fts_url_copy) is written by the same library: stamped lines with ``Source url: ...``,
``Dest url: ...``, ``File size: 270000000``, the events without ``event:``, and as samples ``bytes: 270000000, avg
KB/sec:90921, inst KB/sec:90921, elapsed:3`` (KB are 1024 bytes, cut to whole ones). It ends with ``Transfer finished
successfully`` or ``Recoverable error: [110] ...``.
"""

from __future__ import annotations

import re

from storagelab import units
from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.transfers.source_and_destination import between, command, numbered
from storagelab.parsers.values_on_several_lines import computed, on, settled
from storagelab.schema import LINE_OF

CHECKS = Checks(
    together=(
        words("LIST:ENTER", "LIST:EXIT"),
        words("TRANSFER:ENTER", "TRANSFER:TYPE", "TRANSFER:EXIT"),
        words("Transfer accepted", "Source url:", "Dest url:", "Getting source file size"),
    )
)

FORMAT = Format(
    "gfal-copy",
    "gfal-copy",
    "gfal2-util 1.0 to 1.8, FTS 3",
    "transfers, progress",
    "gfal2-util, copy.py",
    marks=("Copying", "copy", "TRANSFER", "Transfer accepted", "avg inst"),
    opens=("Copying ", "gfal-copy error: ", "; Transfer accepted", ", avg KB/sec:"),
    reads_returns=True,
    checks=CHECKS,
)

_FACTORS = units.powers(units.KIB, "KMGTP") | {"B": 1.0}
_SIZE = r"(\d+(?:[.,]\d+)?)([BKMGTP])B?"
_RATE = r"(\d+(?:[.,]\d+)?)([BKMGTP])/s"
_COPYING = re.compile(r"\bCopying (\d+) bytes (\S(?:(?!\bCopying \d).)*?) => (\S.*)")
_BAR = re.compile(rf"\bCopying (\S*?)\.{{0,3}} +(\d+)s (?:(\d+)% \[[=> ]*\]| ) *{_SIZE} {_RATE}")
_BEGUN = re.compile(rf"Copying (\S*?)\.{{0,3}} +\d+s(?: +File size: {_SIZE})? *$")
_ENDED = re.compile(
    r"\bCopying (\S(?:(?!\bCopying |(?<! ) +\[(?:DONE|FAILED)\]).|(?!))*+) +\[(DONE|FAILED)\] +after (\d+)s(?=\s|$)"
)
_EVENT = re.compile(r"(?:event: |; |^)\[(\d{10,16})\] \S+\s+\S+\s+(\w+):(\w+)\b\s*(.*)")
_MONITOR = re.compile(r"monitor: (\S+) (\S+) (\d+) (\d+) (\d+) (\d+)\s*$")
_ACCEPTED = re.compile(r"(?:; |^)Transfer accepted\s*$")
_SAID = re.compile(r"(?:; |^)(Source url|Dest url|File size|TCP streams): ?(\S+)\s*$")
_PERFORMANCE = re.compile(r"(?:\bbytes: ?|^)(\d+), avg KB/sec ?:(\d+), inst KB/sec ?:(\d+), elapsed:(\d+)\s*$")
_FINISHED = re.compile(r"(?:; |^)(?:Transfer finished successfully|((?:Non r|R)ecoverable error: \[(\d+)\].*))")
_OF_FTS = re.compile(rf"{_ACCEPTED.pattern}|{_PERFORMANCE.pattern}|; \[\d{{13}}\] [A-Z]+ \S+\s+TRANSFER:", re.MULTILINE)
_ERROR = re.compile(r"(?:gfal-copy error: |ERROR \(?)(\d+)\)?\W")
_EXIT_STATUS = re.compile(r"gfal-copy exit status: (\d+)\s*$")
_LISTED = re.compile(r"-[rwxsStT-]{9}\S? +\d+ \S+ +\S+ +(\d+) \S+ +\S+ +\S+ (\S+)\s*$")
_TIMED_OUT = "Command timed out after "
_TORN = re.compile(r"(?!.*(?:; |Event triggered|Davix)).*=> ?\w+://\S+\s*$")
"""What is left of an event, if it is none of those that the library's own messages repeat."""
_MARKS = ("Copying ", "event:", "monitor:", "avg KB/sec")


def sniff(head: str) -> bool:
    """Whether the beginning or the end of a copy stands here, or the tool says that it failed."""
    if "Copying " in head and any(form.search(head) for form in (_COPYING, _ENDED, _BAR)):
        return True
    if "gfal-copy error: " in head and _ERROR.search(head):
        return True
    return ("Transfer" in head or "TRANSFER:" in head or "KB/sec" in head) and _OF_FTS.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every copy.

    Raises
    ------
    ParseError
        If there is neither a copy nor a message that one failed.
    """
    parsed = Parsed({"tool": "gfal-copy", "statistic": "single"})
    lines = without_prefix(text.split("\n"))
    reader = _Reader(parsed)
    for at, line in enumerate(lines, 1):
        for piece in line.split("\r"):
            if piece.strip():
                reader.piece(piece, at, whole=at < len(lines))
    reader.end()
    parsed.cut_line(lines[-1], len(lines))
    if not (reader.copies or reader.samples):
        raise refusal("a copy such as 'Copying 13 bytes a => b' or 'Copying a   [DONE]  after 1s'", text)
    parsed.runs = [settled(row) for row in numbered(reader.copies, reader.phases, reader.samples)]
    parsed.series = columns(reader.samples)
    return parsed


class _Reader:
    """Goes through the pieces that line ends and carriage returns part; each belongs to the copy begun last."""

    def __init__(self, parsed: Parsed) -> None:
        self.copies: list[Row] = []
        self.phases: list[Row] = []
        self.samples: list[Row] = []
        self._parsed = parsed
        self._copy: Row | None = None
        self._bar_of = ""
        self._last: Row = {}
        self._size: Row = {}
        """What the first prints of a bar say of the size of its file."""
        self._cut_short = False
        """Whether the last print of a bar was before its end."""
        self._target = ""
        self._entered: dict[str, tuple[float, int]] = {}
        self._of_fts = False
        """Whether a transfer of FTS was accepted, and has not ended."""

    def piece(self, piece: str, at: int, whole: bool) -> None:
        """Read a piece; what is cut off at the end of the log is not trusted."""
        words = command(piece, "gfal-copy")
        if status := _EXIT_STATUS.search(piece):
            self._left(status[1], piece.strip(), at)
        elif len(words) > 1 and words[1] != "error:":
            self._target = words[-1] if len(words) > 2 else ""
        elif not self._terminal(piece, at) and whole:
            self._text(piece, at)

    def _terminal(self, piece: str, at: int) -> bool:
        """Read what is printed to terminals."""
        if found := _ENDED.search(piece):
            self._ended(found, at)
        elif "\ufffd" in piece and not _COPYING.search(piece):
            self._parsed.incomplete("a line that cannot be read", at)
        elif found := _BAR.search(piece):
            self._sample(found, at)
        elif found := _BEGUN.search(piece):
            self._shown(found[1], at)
            if found[2]:
                self._size = on(at, {"data_size": number(found[2]) * _FACTORS[found[3]]})
        else:
            return False
        return True

    def _text(self, piece: str, at: int) -> None:
        if found := _COPYING.search(piece):
            self._begin(between(found[2], found[3].strip()) | on(at, {"data_size": float(found[1])}), at)
        elif found := _EVENT.search(piece):
            self._event(int(found[1]) / 1000, found[2], found[3], found[4].strip(), at)
        elif found := _MONITOR.search(piece):
            self._monitor(found, at)
        elif not self._fts(piece, at):
            self._other(piece, at)

    def end(self) -> None:
        """Say what had not ended; a copy whose bar did not reach its end is no row."""
        self._end_of_bar()
        self._end_of_fts()
        self._close_phases()

    def _fts(self, piece: str, at: int) -> bool:
        """Read what FTS says besides the events."""
        if _ACCEPTED.search(piece):
            self._end_of_fts()
            self._begin(between("", "") | {"tool": "fts_url_copy"}, at)
            self._of_fts = True
        elif said := _SAID.search(piece):
            self._said(said[1], said[2], at)
        elif found := _PERFORMANCE.search(piece):
            copied, mean, rate, seconds = map(float, found.groups())
            self._moved(seconds, copied, rate * units.KIB, mean * units.KIB, at)
        elif found := _FINISHED.search(piece):
            self._of_fts = False
            self._outcome(found, at)
        else:
            return False
        return True

    def _said(self, what: str, said: str, at: int) -> None:
        """Take a detail that stands before a transfer of FTS."""
        row = self._current(at)
        if what == "Source url":
            row |= between(said, "")
        elif what == "Dest url":
            row |= between(str(row.get("file", "")), said)
        elif said.isdecimal() and float(said):
            row |= on(at, {"data_size" if what == "File size" else "streams": float(said)})

    def _outcome(self, found: re.Match[str], at: int) -> None:
        """Take the last line of a transfer of FTS."""
        if found[1]:
            self._failed(found[1].strip(), at, found[2])
        else:
            self._current(at)["files"] = 1.0

    def _end_of_bar(self) -> None:
        if self._bar_of:
            self._parsed.incomplete(f"the copy has no end: {self._bar_of}", self._line())
            self.copies.pop()

    def _end_of_fts(self) -> None:
        if self._of_fts:
            self._parsed.incomplete("the transfer has no end", self._line())
        self._of_fts = False

    def _other(self, piece: str, at: int) -> None:
        error = _ERROR.search(piece)
        if error or _TIMED_OUT in piece:
            self._failed(piece.strip(), at, error[1] if error else "")
        elif listed := _LISTED.match(piece):
            self._listed(listed, at)
        elif any(mark in piece for mark in _MARKS) or _TORN.match(piece):
            self._parsed.incomplete("a line that cannot be read", at)

    def _listed(self, found: re.Match[str], at: int) -> None:
        """Take the size of the file just copied from ``ls -l``."""
        copy = self._copy
        if copy is None or "files" not in copy or "data_size" in copy:
            return
        if str(copy.get("file", "/")).rpartition("/")[2] == found[2].rpartition("/")[2]:
            copy |= on(at, {"data_size": float(found[1])})

    def _begin(self, row: Row, at: int) -> None:
        self._close_phases()
        self._copy = {**row, "line": at}
        self.copies.append(self._copy)

    def _current(self, at: int) -> Row:
        if self._copy is None:
            self._begin(between("", self._target), at)
        assert self._copy is not None
        return self._copy

    def _line(self) -> int:
        return int(self._copy["line"]) if self._copy else 0

    def _shown(self, source: str, at: int) -> None:
        """Begin a copy with the first print of its bar."""
        if source != self._bar_of:
            self._end_of_bar()
            self._begin(between(source, self._target), at)
            self._last, self._size, self._cut_short = {}, {}, False
        self._bar_of = source

    def _sample(self, found: re.Match[str], at: int) -> None:
        source, seconds, percent, size, size_unit, rate, rate_unit = found.groups()
        self._shown(source, at)
        self._cut_short = bool(percent) and percent != "100"
        copied, mean = number(size) * _FACTORS[size_unit], number(rate) * _FACTORS[rate_unit]
        sample: Row = {"time": float(seconds), "data_size": copied, "throughput_mean": mean, "line": at}
        self.samples.append({**self._ends(at), **sample})
        self._last |= on(at, {"data_size": copied, "throughput": mean})

    def _ended(self, found: re.Match[str], at: int) -> None:
        source, outcome, seconds = found.groups()
        self._shown(self._bar_of or source, at)
        self._bar_of = ""
        row = self._current(at)
        row |= {**self._size, **self._last, "line": at}
        if float(seconds):
            row |= on(at, {"elapsed": float(seconds)})
        if outcome == "FAILED":
            self._failed(f"the copy failed: {source}", at)
            return
        row["files"] = 1.0
        if self._cut_short:
            self._moved_all(row)

    def _moved_all(self, row: Row) -> None:
        """Say of a copy that was done what its file has, and not what its last print had seen."""
        for name in ("data_size", LINE_OF["data_size"]):
            row.pop(name, None)
        row |= self._size

    def _failed(self, message: str, at: int, code: str = "") -> None:
        self._parsed.incomplete(message, at)
        if self._copy is not None and "files" in self._copy:
            self._copy = None
        row = self._current(at)
        row.pop("throughput", None)
        row["errors"] = 1.0
        if code:
            row |= on(at, {"error_code": float(code)})

    def _left(self, status: str, message: str, at: int) -> None:
        """Take the exit status; it is that of a copy whose error may have been said."""
        if float(status) and (self._copy is None or "errors" not in self._copy):
            self._failed(message, at, status)

    def _event(self, time: float, phase: str, kind: str, text: str, at: int) -> None:
        row = self._current(at)
        if kind == "TYPE":
            row["label"] = text
        elif kind == "ENTER":
            self._entered[phase] = (time, at)
        elif kind == "EXIT" and phase in self._entered:
            start, line = self._entered.pop(phase)
            if text.startswith("ERROR"):  # the next attempt follows, or the error of the whole copy
                return
            self._phase(row, phase, on(line, {"start_time": start}) | on(at, {"end_time": time}), line)

    def _phase(self, row: Row, phase: str, times: Row, line: int) -> None:
        start, end = float(times["start_time"]), float(times["end_time"])
        if end > start:
            times |= computed({"elapsed": round(end - start, 3)})
        if phase != "TRANSFER":
            self.phases.append(settled({**self._ends(line), "phase": phase.lower(), **times, "line": line}))
            return
        row |= times
        if "elapsed" in times and "data_size" in row:
            row |= computed({"throughput": float(row["data_size"]) / float(times["elapsed"])})

    def _monitor(self, found: re.Match[str], at: int) -> None:
        mean, rate, copied, seconds = map(float, found.groups()[2:])
        self._moved(seconds, copied, rate, mean, at)

    def _moved(self, seconds: float, copied: float, rate: float, mean: float, at: int) -> None:
        sample: Row = {"time": seconds, "data_size": copied, "throughput": rate, "throughput_mean": mean, "line": at}
        self.samples.append({**self._ends(at), **sample})

    def _ends(self, at: int) -> Row:
        copy = self._current(at)
        ends: Row = {name: copy[name] for name in ("operation", "protocol", "file") if name in copy}
        return {"part": float(len(self.copies)), **ends}

    def _close_phases(self) -> None:
        for phase, (_, line) in self._entered.items():
            if self._copy is not None and "errors" not in self._copy:
                self._parsed.incomplete(f"{phase} has no end", line)
        self._entered.clear()
