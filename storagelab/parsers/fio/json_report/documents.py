"""Find fio's JSON documents in a text that may hold more than them, and save what is whole in a broken one.

Messages of fio and of whatever started it land before, after and, through stderr, inside the JSON. Several documents
follow each other with ``--status-interval`` or where output was appended. Other programs wrap the document in theirs.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from storagelab.parsers.json_text import closed
from storagelab.parsers.text import number as decimal
from storagelab.parsers.text import without_prefix

MARK = '"fio version"'
_KEY = re.compile(rf"{MARK}(?=\s*+(?::|\Z))")
"""The mark as a key, which may be the last that is left; in a program it is the name of a field, too."""
CUT = ""
"""Key of a job that breaks off, which no job has otherwise."""
_JOB = '"jobname"'
_LISTS = ('"jobs"', '"client_stats"')
_MOST_TOLD = 100
"""Documents without any list of jobs of which is told where they begin; there is nothing else in them."""
_DECODER = json.JSONDecoder()
_UNREADABLE = (ValueError, RecursionError)


@dataclass(slots=True)
class Document:
    """One document of fio: where in `text` it begins, and whether its JSON closes."""

    body: Mapping[str, Any]
    text: str
    start: int
    whole: bool = True
    repaired: int = 0
    lost: int = 0


def find(text: str) -> list[Document]:
    """Every document of a log, in order; those that break off with the jobs that are whole."""
    only = _outermost(text)
    return [only] if only else list(_each(text))


def _outermost(text: str) -> Document | None:
    """Find the one document of a log; None where there are more, or where another begins behind it."""
    start, end = text.find("{"), text.rfind("}") + 1
    if text.find(MARK, end) >= 0:
        return None
    try:
        body = orjson.loads(text[start:end])
    except ValueError:
        return None
    if "fio version" in body:
        return Document(body, text, start) if _has_jobs(body) else None
    return _nested(body, text) if text.count(MARK) == 1 else None


def _nested(body: object, text: str) -> Document | None:
    """Find the document in what another program wrapped around it."""
    if isinstance(body, dict):
        if "fio version" in body:
            return Document(body, text, 0) if _has_jobs(body) else None
        body = list(body.values())
    inner = (_nested(value, text) for value in body) if isinstance(body, list) else ()
    return next((document for document in inner if document), None)


def _each(text: str) -> Iterator[Document]:
    mended: _Mended | None = None
    told = 0
    for number, (mark, end) in enumerate(itertools.pairwise([*_marks(text), len(text)])):
        names_jobs = any(text.find(word, mark, end) >= 0 for word in _LISTS)
        told += not names_jobs
        if not names_jobs and told > _MOST_TOLD:
            continue
        start = _opening(text, mark)
        body = _object(text, start) if names_jobs else {}
        if _has_jobs(body):
            yield Document(body, text, start)
        else:
            mended = mended or _mended(text)
            yield _document(mended, number)


def _marks(text: str) -> list[int]:
    return [match.start() for match in _KEY.finditer(text)]


def _opening(text: str, inside: int) -> int:
    """Where the innermost object around a place may open."""
    return max(text.rfind("{", 0, inside), 0)


class _Mended(NamedTuple):
    """A log after repairs: its text, how many lines differ and may have lost a value, and where documents say so."""

    text: str
    repaired: int
    lost: int
    marks: list[int]


def _mended(text: str) -> _Mended:
    mended, count, lost = repaired(text)
    if mended.count(MARK) != text.count(MARK):
        mended = text  # a line that cannot be JSON held a mark: without it the documents cannot be told apart
    return _Mended(mended, count, lost, [*_marks(mended), len(mended)])


def _document(mended: _Mended, number: int) -> Document:
    """Read the document of this number, or else only its whole jobs."""
    text, count, lost, marks = mended
    start, end = _opening(text, marks[number]), marks[number + 1]
    body = _object(text, start)
    if _has_jobs(body):
        return Document(body, text, start, repaired=count, lost=lost)
    after = max(start, marks[number - 1] if number else 0)
    return Document(_remains(text, after, end), text, start, whole=False, repaired=count, lost=lost)


def _has_jobs(body: Mapping[str, Any]) -> bool:
    return any(isinstance(body.get(name), list) for name in ("jobs", "client_stats"))


def _object(text: str, start: int) -> dict[str, Any]:
    """Decode the JSON object that begins at `start`; {} where there is none."""
    try:
        body, _ = _DECODER.raw_decode(text, start)
    except _UNREADABLE:
        return {}
    return body if isinstance(body, dict) else {}


_SCALAR = re.compile(r'"(fio version|timestamp|timestamp_ms|time)"\s*:\s*("[^"\n]*"|\d+)\s*,')


def _remains(text: str, start: int, end: int) -> dict[str, Any]:
    """Return the heading and the whole jobs of a document that breaks off; that of a client names its host last."""
    job = text.find(_JOB, start, end)
    head = text[start : job if job >= 0 else end]
    body: dict[str, Any] = {name: _scalar(value) for name, value in _SCALAR.findall(head)}
    options = head.find('"global options"')
    body["global options"] = _object(text, head.find("{", options) + start) if options >= 0 else {}
    kind = "client_stats" if '"client_stats"' in head else "jobs"
    body[kind] = [entry for entry in _whole_jobs(text, job, end) if kind == "jobs" or CUT not in entry]
    return body


def _scalar(text: str) -> str | float:
    return text.strip('"') if text.startswith('"') else decimal(text)


def _whole_jobs(text: str, job: int, end: int) -> Iterator[dict[str, Any]]:
    """Yield the jobs that are whole: each is over where the next one opens, so that none is looked through twice."""
    while 0 <= job < end:
        following = text.find(_JOB, job + 1, end)
        over = _opening(text, following) if following >= 0 else end
        own = text[_opening(text, job) : over]
        entry = _object(own, 0) or _whole_sections(own)
        if "jobname" in entry:
            yield entry
        job = following


def _whole_sections(text: str) -> dict[str, Any]:
    """Return a job that breaks off without the section, such as a direction, in which it does."""
    try:
        entry: dict[str, Any] = _DECODER.decode(closed(text))
    except _UNREADABLE:
        return {}
    if entry:
        last, section = entry.popitem()
        if not isinstance(section, dict) or _object(text, text.find("{", text.rfind(f'"{last}"'))):
            entry[last] = section
        entry[CUT] = True
    return entry


_PREFIX = re.compile(r'[^\s"{}\[\],]{1,60}[:>|\]] ?(?=\s*["{}\[\]])')
_NO_NUMBER = re.compile(r"(:\s*)-?(?:nan|inf)(?=\s*[,}\n]|$)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r'("\s*:\s*-?\d+),(\d+)(?=\s*+,?\s*+$)')
_VALUE = re.compile(r'"\s*:\s*\S')
_BEFORE_NOTHING = re.compile(r",(?=[ \t\r]*\n\s*[}\]])")
"""A comma behind which nothing else follows: what stood there was left out."""
_STARTS = '"{}[]'


def repaired(text: str) -> tuple[str, int, int]:
    """Blank lines that cannot be JSON, strip prefixes, mend numbers, drop commas before nothing; line numbers stay.

    Returns
    -------
    tuple of str, int, int
        The text, how many lines differ, and where values may be lost: in lines that were blanked, and behind commas.
    """
    lines = text.split("\n")
    mended = [_mend(line) for line in without_prefix(lines)]
    changes = sum(old != new for old, new in zip(lines, mended, strict=True))
    lost = sum(not new and bool(_VALUE.search(old)) for old, new in zip(lines, mended, strict=True))
    whole, left_out = _BEFORE_NOTHING.subn("", "\n".join(mended))
    return whole, changes + left_out, lost + left_out


def _mend(line: str) -> str:
    if line and not line.isspace() and line.lstrip()[0] not in _STARTS:
        prefix = _PREFIX.match(line)
        line = line[prefix.end() if prefix else line.find(MARK) :] if prefix or MARK in line else ""
    line = _NO_NUMBER.sub(r"\1null", line)
    return _DECIMAL_COMMA.sub(r"\1.\2", line) if "," in line else line
