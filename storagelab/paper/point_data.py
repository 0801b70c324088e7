"""What a page holds so that a point of a figure can be asked for its row of data and the lines of logs behind it."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from storagelab.analysis import columns
from storagelab.errors import shorten
from storagelab.escaping.characters import shown
from storagelab.paper.document import Document
from storagelab.paper.number_cards import WIDTH, Lines
from storagelab.paper.table_traces import LOG_LINES, first_lines
from storagelab.wording import words

_ROWS = re.compile(r' data-row="(\d+)"')


def of_figures(document: Document, lines: Lines) -> dict[str, Any]:
    """Collect what points of figures show besides their rows, which are in the data that each figure carries.

    Parameters
    ----------
    document : Document
    lines : callable
        From the path of a log to its lines.

    Returns
    -------
    dict
        ``columns``: name -> long name and SI unit; ``lines``: log -> number of a line -> what stands there.
    """
    rows = [row for item in document.figures for row in _drawn(item.data)]
    known: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        for log, line in first_lines(row.get(LOG_LINES, "")) or _own_line(row):
            text = lines(log)
            known[log][str(line)] = shorten(shown(text[line - 1].strip()), WIDTH) if 0 < line <= len(text) else ""
    names = dict.fromkeys(name for row in rows for name in row)
    return {"columns": {name: _described(name) for name in names}, "lines": known}


def _drawn(data: dict[str, str]) -> Iterator[dict[str, str]]:
    """Rows for which a mark of a drawing stands."""
    wanted = {int(row) for row in _ROWS.findall(data["image/svg+xml"])}
    rows = csv.DictReader(io.StringIO(data["text/csv"])) if wanted else ()
    yield from (row for number, row in enumerate(rows) if number in wanted)


def _own_line(row: Mapping[str, str]) -> list[tuple[str, int]]:
    """Log and line of a row that stands in a log itself."""
    log, line = row.get("log", ""), row.get("line", "")
    return [(log, int(float(line)))] if log and line else []


def _described(name: str) -> tuple[str, str]:
    known = columns.find(name)
    return (words.long_name(name), known.unit or "") if known else (name.replace("_", " "), "")
