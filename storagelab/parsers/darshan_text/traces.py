"""The requests of each rank to each file, which darshan-dxt-parser prints of a log with extended traces (DXT)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from storagelab.parsers.line_formats import Rule
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import finite
from storagelab.parsers.values_on_several_lines import on

FIRST_LINE = "# DXT, file_id: "
_FILE = re.compile(r"# DXT, file_id: \d{1,20}, file_name: (.{1,4000})$")
_RANK = re.compile(
    r"# DXT, rank: (-?\d{1,12})(?:, hostname: (\S{1,300}))?(?:, write_count: (\d{1,18}), read_count: (\d{1,18}))?\s*$"
)
_COUNTS = re.compile(r"# DXT, write_count: (\d{1,18}), read_count: (\d{1,18})\s*$")
_STRIPES = re.compile(r"# DXT, (?:Lustre )?stripe_size: (\d{1,18}), (?:Lustre )?stripe_count: (\d{1,9})\s*$")
_REQUEST = re.compile(
    r"^ {0,40}X_(POSIX|MPIIO) +(-?\d{1,12}) +(write|read) +\d{1,18}(?: +(-?\d{1,20}|N/A))?? +(\d{1,20})"
    r" +(\d{1,12}\.\d{1,9}) +(\d{1,12}\.\d{1,9})(?: .{0,4000})?$"
)
_APIS = {"POSIX": "POSIX", "MPIIO": "MPI-IO"}
_NO_OFFSET = ("", "-1", "N/A")
"""MPI-IO before traces had offsets, as an old and a newer version say it."""


class Traces:
    """What has been read of them."""

    def __init__(self, parsed: Parsed) -> None:
        self.clients: list[Row] = []
        self.samples: list[Row] = []
        self.rules: Sequence[Rule] = (
            (_REQUEST, self._request),
            (_FILE, self._file),
            (_RANK, self._rank),
            (_COUNTS, self._counts),
            (_STRIPES, self._stripes),
        )
        self._parsed = parsed
        self._whose: Row = {}
        self._said: list[Row] = []
        self._found: Counter[str] = Counter()

    def end(self) -> None:
        """Hand over what is said of a file and a rank, and hold it against the requests below it."""
        for row in self._said:
            operation, expected = str(row["operation"]), float(row["operations"])
            if self._found[operation] != expected:
                wanted = f"expected {expected:g} requests to {operation} {self._whose.get('file', 'a file')}"
                self._parsed.incomplete(f"{wanted}, found {self._found[operation]}", int(row["line"]))
            if expected:
                self.clients.append({"share": "rank", **self._whose, **row})
        self._whose, self._said, self._found = {}, [], Counter()

    def _file(self, found: re.Match[str], at: int) -> None:
        self.end()
        self._whose = {"file": found[1].strip()}

    def _rank(self, found: re.Match[str], at: int) -> None:
        self._whose |= {"process": found[1]} | ({"host": found[2]} if found[2] else {})
        if found[3]:
            self._say(found[3], found[4], at)

    def _counts(self, found: re.Match[str], at: int) -> None:
        self._say(found[1], found[2], at)

    def _say(self, writes: str, reads: str, at: int) -> None:
        counts = {"write": writes, "read": reads}
        self._said = [{"operation": name, "operations": finite(count), "line": at} for name, count in counts.items()]

    def _stripes(self, found: re.Match[str], at: int) -> None:
        self._whose |= on(at, {"stripe_size": finite(found[1]), "stripe_count": finite(found[2])})

    def _request(self, found: re.Match[str], at: int) -> None:
        api, rank, operation, offset, length, start, end = found.groups("")
        if not self._said or "file" not in self._whose or rank != self._whose.get("process"):
            wanted = f"expected the file, the rank and the counts of {found.string.strip()[:60]!r} above it"
            self._parsed.incomplete(f"{wanted}, found {self._whose.get('file')!r}, {self._whose.get('process')!r}", at)
        self._whose["api"] = _APIS[api]
        self._found[operation] += 1
        row: Row = {"operation": operation, "api": _APIS[api], "process": rank, "time": finite(start), "line": at}
        row |= {"file": self._whose["file"]} if "file" in self._whose else {}
        row |= {} if offset in _NO_OFFSET else {"offset": finite(offset)}
        self.samples.append({**row, "request_size": finite(length), "latency": finite(end) - finite(start)})
