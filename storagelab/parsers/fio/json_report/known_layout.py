"""Lines of the values of a document whose layout is known: that of another with the same text, but for its digits."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from storagelab.parsers.fio.json_report.lines import Lines, Wanted
from storagelab.parsers.json_text import Tree
from storagelab.parsers.model import Row


class KnownLines:
    """Gives what `lines.Lines` finds, without a walk through the text.

    Parameters
    ----------
    text : str
        A document on several lines.
    body : dict
        What it holds.
    """

    is_one_line = False

    def __init__(self, text: str, body: Mapping[str, Any]) -> None:
        tree = Lines(text, 0, 1).under(body)
        self._entries: list[Tree] = tree["jobs" if "jobs" in tree else "client_stats"]
        self._shared = tree.get("global options", {})
        self._entry: Tree = {}
        self._number = 0
        self._sections: dict[tuple[int, str], tuple[int, Row, object]] = {}

    def enter(self, number: int) -> None:
        """Go to the entry of this number."""
        self._number, self._entry = number, self._entries[number]

    def of_key(self, key: str) -> int:
        """Line of a key of the entry."""
        line: int = self._entry[key]
        return line

    def of_keys(self, heading: str, body: Mapping[str, Any], keys: Container[str]) -> Tree:
        """Return the lines of some keys of an object of the entry, or of the options that all entries share."""
        tree = self._shared if heading == "global options" else self._entry[heading]
        return {key: tree[key] for key in body if key in keys}

    def of_section(self, heading: str, key: str, body: Mapping[str, Any], wanted: Wanted) -> tuple[int, Row]:
        """Return the line of a number of an object of the entry, and those of what is wanted of it.

        Raises
        ------
        LookupError
            If its percentiles are others: their digits are part of their names.
        """
        known = self._sections.get((self._number, heading))
        if known is None:
            found: Row = {}
            _walk(body, self._entry[heading], wanted, found)
            places = {name: found[name] for name in wanted.names if name in found}
            known = self._entry[heading][key], places, _percentiles(body)
            self._sections[self._number, heading] = known
        line, places, percentiles = known
        if _percentiles(body) != percentiles:
            raise LookupError(f"other percentiles than in the document before: {heading}")
        return line, places

    def of_parts(self, key: str, bodies: Sequence[Mapping[str, Any]], wanted: Wanted) -> list[tuple[int, Row]]:
        """Refuse: documents with parts are few, and are read line by line.

        Raises
        ------
        LookupError
            Always.
        """
        raise LookupError(f"parts of a direction: {key}")


def _walk(body: Mapping[str, Any], tree: Tree, wanted: Wanted, found: Row) -> None:
    for key, value in body.items():
        name = wanted.get(key)
        if isinstance(value, dict) and isinstance(name, Wanted):
            _walk(value, tree[key], name, found)
        elif isinstance(name, str) and not isinstance(value, dict):
            found[name] = tree[key]


def _percentiles(body: Mapping[str, Any]) -> list[str]:
    """Return the names of the percentiles of a section, in order."""
    latency = body.get("clat_ns") or body.get("clat") or body.get("lat_ns")
    found = latency.get("percentile") if isinstance(latency, dict) else None
    return list(found) if isinstance(found, dict) else []
