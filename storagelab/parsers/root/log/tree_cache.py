"""TTreeCache::Print and TTree::PrintCacheStats: what went through the cache of a tree, and what past it.

ROOT, tree/tree/src/TTreeCache.cxx and io/io/src/TFileCacheRead.cxx. Kbytes are 10^3 bytes. ROOT 5 has no line for reads
past the cache: its ``Reading...`` is what went through; at first it said how many transactions alone, and of no tree.
The secondary efficiency came after that line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from storagelab import units
from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on, settled

_TITLE = re.compile(
    r"\*{6}TreeCache statistics for (?:tree: ((?:(?! in file: |\*{6}).)*) in )?file: ((?:(?! ?\*{6}).)*) \*{6}"
)
_BYTES = re.compile(r"(?:(\d+) bytes in )?(\d+) (uncached )?transactions")
_AHEAD = re.compile(r"(\d+) bytes with overhead = (\d+) bytes")
_BLOCKS = re.compile(r"(\d+), total size: (\d+)")
_THROUGH = "Cached Reading"
LAST = "Number of blocks in current cache"


def title_in(text: str) -> Row | None:
    """Read the line above the statistics: which tree, in which file."""
    match = _TITLE.search(text) if "TreeCache statistics" in text else None
    return {"tree": match[1], "file": match[2]} if match and match[1] else {"file": match[2]} if match else None


class Statistics:
    """One print while its lines come in."""

    def __init__(self, keys: Row, line: int) -> None:
        self.keys = keys
        self.line = line
        self.cached: Row = {}
        self.uncached: Row = {}
        self.labels: set[str] = set()

    def add(self, text: str, line: int) -> bool:
        """Take a line; whether it is one of the print, which has each once."""
        label, dots, rest = text.partition("..")
        label = label.strip(" .")
        read = _READERS.get(label) if dots and label not in self.labels else None
        if not read:
            return False
        values = read(rest.lstrip(". ").removeprefix(":").strip())
        if values is None:
            return False
        self._take(label, values, line)
        return True

    def _take(self, label: str, values: Row, line: int) -> None:
        self.labels.add(label)
        if label == "Reading" and values.pop("past", 0):
            self.uncached = values | {"line": line}
            return
        if "data_size" in values:
            self.line = line
        self.cached |= on(line, values)

    def is_whole(self) -> bool:
        """Whether all lines of the print are there."""
        wanted = _READERS.keys() - (set() if self.labels & _SECONDARY else _SECONDARY)
        return wanted - (set() if self.uncached else {_THROUGH}) <= self.labels

    def rows(self) -> list[Row]:
        """Return a row of ``runs`` for what went through the cache, and one for what went past it."""
        read: Row = {"operation": "read", **self.keys}
        whole = read | {"label": "cached"} | self.cached | {"line": self.line}
        cached = [settled(whole)] if self.cached else []
        return cached + ([read | {"label": "uncached"} | self.uncached] if self.uncached else [])


def _one(name: str, factor: float = 1.0) -> Callable[[str], Row | None]:
    """Return a reader of the one number of a line."""

    def read(text: str) -> Row | None:
        try:
            return {name: number(text.split()[0]) * factor}
        except (IndexError, ValueError):
            return None

    return read


def _reading(text: str) -> Row | None:
    match = _BYTES.match(text)
    if not match:
        return None
    size: Row = {"data_size": float(match[1])} if match[1] else {}
    values = size | {"operations": float(match[2])}
    return values | ({"past": 1} if match[3] else {})


def _cached_reading(text: str) -> Row | None:
    """Read what went through the cache; a line that is damaged may say that it did not."""
    values = _reading(text)
    return None if values is None or "past" in values else values


def _readahead(text: str) -> Row | None:
    match = _AHEAD.match(text)
    return {"read_ahead": float(match[1]), "data_size_extra": float(match[2])} if match else None


def _blocks(text: str) -> Row | None:
    match = _BLOCKS.match(text)
    return {"cache_blocks": float(match[1]), "cache_used": float(match[2])} if match else None


_READERS: dict[str, Callable[[str], Row | None]] = {
    "Number of branches in the cache": _one("branches"),
    "Cache Efficiency": _one("cache_efficiency"),
    "Cache Efficiency Rel": _one("cache_efficiency_relative"),
    "Secondary Efficiency": _one("cache_efficiency_secondary"),
    "Secondary Efficiency Rel": _one("cache_efficiency_secondary_relative"),
    "Learn entries": _one("entries_learnt"),
    _THROUGH: _cached_reading,
    "Reading": _reading,
    "Readahead": _readahead,
    "Average transaction": _one("request_size", units.KB),
    LAST: _blocks,
}
_SECONDARY = {"Secondary Efficiency", "Secondary Efficiency Rel"}
