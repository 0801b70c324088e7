"""Documents that differ from one before in their digits alone, read without a walk through their text."""

from __future__ import annotations

import orjson

from storagelab.parsers.fast_path import Found
from storagelab.parsers.fio.json_report.documents import MARK, Document
from storagelab.parsers.fio.json_report.known_layout import KnownLines
from storagelab.parsers.fio.json_report.reader import HEADER, read_document
from storagelab.parsers.model import Parsed


class Layouts:
    """Documents without their digits, and where values stand in each that came twice."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: dict[bytes, bool] = {}
        self._known: dict[bytes, KnownLines] = {}

    def read(self, text: str) -> Found | None:
        """Read a document by what is known of its layout; None where nothing is, or its digits change what is there."""
        lines = self._known.get(_without_digits(text))
        return _by(lines, text) if lines else None

    def learn(self, text: str, parsed: Parsed) -> None:
        """Remember the layout of a document that comes again, if reading by it gives the same."""
        layout = _without_digits(text)
        if self._seen.get(layout) and text.startswith("{\n") and text.count(MARK) == 1:
            self._seen[layout] = False
            try:
                lines = KnownLines(text, orjson.loads(text))
                found = _by(lines, text)
            except (ValueError, LookupError):
                return
            if found and _content(found.parsed) == _content(parsed):
                self._known[layout] = lines
        elif layout not in self._seen:
            if len(self._seen) >= self._most:
                oldest = next(iter(self._seen))
                del self._seen[oldest]
                self._known.pop(oldest, None)
            self._seen[layout] = True


def _content(parsed: Parsed) -> tuple[object, ...]:
    return parsed.header, parsed.runs, parsed.clients


def _by(lines: KnownLines, text: str) -> Found | None:
    """Read a document by known lines; None where anything is wrong with it."""
    parsed = Parsed(dict(HEADER))
    read_document(Document(orjson.loads(text), text, 0), 1, parsed, 0, lines)
    return Found(parsed, "") if parsed.complete and not parsed.notes and (parsed.runs or parsed.clients) else None


def _without_digits(text: str) -> bytes:
    return text.encode().translate(None, b"0123456789")
