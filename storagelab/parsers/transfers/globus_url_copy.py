r"""What ``globus-url-copy -vb``, the copy command of GridFTP, prints (Grid Community Toolkit, globus_url_copy.c).

A block a file: ``Source:`` and ``Dest:`` with the folders, the name (``name  ->  new name`` where it changes; a folder
ends in a slash), and progress that carriage returns overwrite::

    1298137088 bytes      1302.27 MB/sec avg      1302.27 MB/sec inst

MB is 2^20 bytes (early releases print KB of 1024). A sample is printed about once a second and not at the end: the last
one, which becomes the row of ``runs``, may hold fewer bytes than were sent, and a file that took less than a second has
none at all. ``avg`` is all bytes over the time since the start, which gives the `time` of a sample.

Errors go to another stream and may stand before or behind their file, so that a file without a sample is only counted
as copied where the log shows no error. There is no end mark.
"""

from __future__ import annotations

import itertools
import re

from storagelab import units
from storagelab.parsers.declared_checks import Checks, line_starts
from storagelab.parsers.launcher_prefixes import unquoted
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.transfers.source_and_destination import between, command
from storagelab.parsers.values_on_several_lines import on

FORMAT = Format(
    "globus-url-copy",
    "globus-url-copy",
    "Globus Toolkit 2 to GCT 6.2",
    "transfers, progress",
    "globus_url_copy.c",
    marks=("Source", "globus", "avg"),
    opens=(
        "Source: ",
        "Dest: ",
        "error: globus_",
    ),
    reads_returns=True,
    checks=Checks(
        together=(line_starts("Source:", "Dest:"),),
        numbers_aside=(r"Entering Passive Mode \(",),
    ),
)

_FACTORS = {"KB": units.KIB, "MB": units.MIB, "GB": units.GIB}
_NUMBER = r"\d+(?:[.,]\d+)?"
_SAMPLE = re.compile(rf"(?<!\d)(\d+) bytes\s+({_NUMBER}) ([KMG]B)/sec avg\s+({_NUMBER}) ([KMG]B)/sec inst")
_SOURCE = re.compile(r"Source:\s+(\S.*)")
_TARGET = re.compile(r"Dest:\s+(\S.*)")
_ANNOUNCED = re.compile(
    r"Source:\s++(?:(?!//)\S|(?!))++//(?:(?!Source:|Dest:)[^\n]|(?!))*+\s*+(?:(?!Source:|Dest:)[^\n]|(?!))*+Dest:\s++(?:(?!//)\S|(?!))++//"
)
_PROGRESS = re.compile(r"\d bytes\b|/sec (?:avg|inst)|\ufffd")
"""What tells progress, also torn, from a sentence that speaks of MB/sec."""
_INTERRUPT = "^C"
"""What a terminal shows of an interrupt, in front of the progress that it stopped."""
_CANCELLED = "Cancelling copy..."
_STREAMS = {"-p", "-parallel"}
_SOCKET_BUFFERS = {"-tcp-bs", "-tcp-buffer-size"}
_TIMED = {"-t"}


def sniff(head: str) -> bool:
    """Whether a file is announced or a sample stands here, or the client says that it failed."""
    if "Source: " in head and _ANNOUNCED.search(head):
        return True
    return "error: globus_" in head or ("/sec avg" in head and _SAMPLE.search(head) is not None)


def parse(text: str) -> Parsed:
    """Read every file, with its last sample as the row of ``runs`` and all of them as ``series``.

    Raises
    ------
    ParseError
        If no file is announced, there is no sample, and no error.
    """
    parsed = Parsed({"tool": "globus-url-copy", "statistic": "single"})
    lines = without_prefix(text.split("\n"))
    reader = _Reader(parsed)
    for at, line in enumerate(lines, 1):
        if line.strip():
            reader.line(unquoted(line).rstrip(), at)
    reader.end(len(lines), cut=bool(lines[-1].strip()))
    if not (parsed.runs or reader.samples):
        raise refusal("a file ('Source: ...', 'Dest: ...'), or '13 bytes  1.00 MB/sec avg  1.00 MB/sec inst'", text)
    parsed.series = columns(reader.samples)
    return parsed


class _Reader:
    """Goes through the lines; a file ends where the next one begins."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._files: list[Row] = []
        self._file: Row | None = None
        self._source = self._target = ""
        self._awaits_name = False

    def line(self, line: str, at: int) -> None:
        if words := command(line, "globus-url-copy"):
            self._options(words, at)
        elif found := _SOURCE.match(line):
            self._begin(found[1], at)
        elif found := _TARGET.match(line):
            self._target, self._awaits_name = found[1], True
        elif "bytes" in line or "/sec" in line or "\ufffd" in line:
            self._samples(line, at)
        elif line.strip() == _CANCELLED:
            self._cancel(at)
        elif line.startswith("error: "):
            self._parsed.incomplete(line, at)
            self._parsed.runs.append({"operation": "copy", "errors": 1.0, "line": at})
        elif self._awaits_name:
            self._name(line, at)

    def end(self, at: int, cut: bool) -> None:
        """Add the rows; a block without its name was cut, and so was the file whose last line has no end."""
        if cut:
            self._parsed.incomplete("the last line has no end and is not trusted", at)
            self._files = [row for row in self._files if row["line"] != at]
        if self._source or self._awaits_name:
            self._parsed.incomplete("a file is announced without its name", at)
        if len(self._files) == 1:
            for row in (*self._files, *self.samples):
                row.pop("part", None)
        failed = bool(self._parsed.runs)
        for row in self._files:
            if "throughput" in row or not failed:
                self._parsed.runs.append(row)
            else:
                self._parsed.note(f"no sample, and the log shows an error: {row['file']}", int(row["line"]))

    def _options(self, words: list[str], at: int) -> None:
        header = self._parsed.header
        header["command"] = " ".join(words)
        for option, value in itertools.pairwise(words):
            if option in _STREAMS and value.isdecimal():
                header |= on(at, {"streams": float(value)})
            elif option in _SOCKET_BUFFERS and value.isdecimal():
                header |= on(at, {"socket_buffer": float(value)})

    def _cancel(self, at: int) -> None:
        """Say that a copy did not come to its end, which is meant where ``-t`` gave it so many seconds."""
        if _TIMED.intersection(str(self._parsed.header.get("command", "")).split()):
            self._parsed.note("the copy ended after the time that it was given", at)
        else:
            self._parsed.incomplete("the copy was cancelled", at)

    def _begin(self, source: str, at: int) -> None:
        if self._source:
            self._parsed.incomplete("a file is announced without its name", at)
        self._source, self._target, self._file, self._awaits_name = source, "", None, False

    def _name(self, line: str, at: int) -> None:
        name, _, new = line.strip().partition("  ->  " if "  ->  " in line else " -> ")
        ends = between(self._source + name, self._target + (new or name))
        self._source, self._awaits_name = "", False
        self._file = {"part": len(self._files) + 1.0, **ends, "files": 1.0, "line": at}
        if not name.endswith("/"):
            self._files.append(self._file)

    def _samples(self, line: str, at: int) -> None:
        """Read what carriage returns overwrote; the last sample so far is the file's row."""
        rest = _SAMPLE.sub("", line).replace(_INTERRUPT, "")
        if rest.strip("\r ") and _PROGRESS.search(line):
            self._parsed.incomplete("progress that cannot be read", at)
        for size, mean, mean_unit, rate, rate_unit in _SAMPLE.findall(line):
            self._add_sample(float(size), number(mean) * _FACTORS[mean_unit], number(rate) * _FACTORS[rate_unit], at)

    def _add_sample(self, size: float, mean: float, rate: float, at: int) -> None:
        if self._file is None:
            self._file = {"part": len(self._files) + 1.0, **between("", ""), "files": 1.0}
            self._files.append(self._file)
        self._file |= {"data_size": size, "throughput": mean, "line": at}
        sample = {**self._file, "throughput": rate, "throughput_mean": mean, **({"time": size / mean} if mean else {})}
        self.samples.append({name: value for name, value in sample.items() if name != "files"})
