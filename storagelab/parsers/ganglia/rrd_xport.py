"""XML and JSON of ``rrdtool xport``, and of ``rrdtool graph`` with an XML or JSON format: columns with a legend each.

Written by rrd_xport.c. ``start``, ``end`` and ``step``, then the legends, then a row a step. A row has its time only
with ``-t`` (``<t>``, or a quoted first cell in JSON); otherwise row i is that of start + i * step. The time is the end
of the step. The step (`elapsed`) grows silently where there are more rows than ``--maxrows``. No data is NaN or null.

The legend is free text: it is the `metric`, unless it names a rate of bytes or bits (``in MB/s``), whose prefixes
are powers of 1000 as everywhere in rrdtool. Neither form is sound XML or JSON (nothing in a legend is escaped, old
versions quote nothing, and PRINT lines break the JSON), so both are read as text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.ganglia.metrics import legend
from storagelab.parsers.ganglia.samples import LineNumbers, Series, Table, finish
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import line_at
from storagelab.parsers.values_on_several_lines import on

CHECKS = Checks(
    lacking_samples="steps whose value is not known are left out",
    broken_json=True,
)

FORMAT = Format(
    "rrd-xport",
    "rrdtool",
    "1.7, 1.9",
    "columns of rrdtool xport or graph",
    "rrdxport(1), rrd_xport.c",
    marks=("xport", "RRDtool"),
    opens=(
        "<xport>",
        "JSON output",
    ),
    checks=CHECKS,
)

Cells = tuple[float | None, list[str], int]

_BEGIN = re.compile(r"<xport>|[\"']?about[\"']?: [\"']RRDtool")
_XML_META = re.compile(r"<(start|step|rows)>\s*(\d{1,12})\s*</")
_XML_LEGEND = re.compile(r"<entry>((?:(?!<entry>).)*?)</entry>")
_XML_ROW = re.compile(r"<row>((?:\s*<[tv]\d*>[^<]*</[tv]\d*>)*)\s*</row>")
_XML_CELL = re.compile(r"<([tv])\d*>([^<]*)<")
_JSON_META = re.compile(r"[\"']?\b(start|end|step)[\"']?\s*:\s*(\d{1,12})\s*,")
_JSON_LEGENDS = re.compile(r"[\"']?\blegend[\"']?\s*:\s*\[((?:(?!\blegend\b).)*?)\n[^\S\n]*\]", re.DOTALL)
_JSON_LEGEND = re.compile(r"^[^\S\n]*+([\"'])(.*)\1[^\S\n]*+,?[^\S\n]*+$", re.MULTILINE)
_JSON_DATA = re.compile(r"[\"']?\bdata[\"']?\s*:\s*\[")
_JSON_ROW = re.compile(r"\[([^\[\]{}:]*)\](?=[ \t]*(?:[,\]\n]|$))")


def sniff(head: str) -> bool:
    """Whether the root element, or the line that says what the JSON is about, stands here."""
    return "<xport>" in head or ("RRDtool" in head and "about" in head and "JSON output" in head)


def parse(text: str) -> Parsed:
    """Read every export into `series`: a sample a column and row; a cell without data gives none.

    Raises
    ------
    ParseError
        If there are no legends with rows under them, or the document declares entities.
    """
    if "<!ENTITY" in text:
        line = line_at(text, text.index("<!ENTITY"))
        raise ParseError("XML without entity declarations, which are refused", "<!ENTITY", line)
    parsed, numbers = Parsed({"tool": "rrdtool"}), LineNumbers(text)
    begins = [match.start() for match in _BEGIN.finditer(text)]
    tables = []
    for begin, end in pairwise([*begins, len(text)]):
        tables += _table(text[begin:end], numbers.at(begin), parsed)
    if not tables:
        raise refusal("an export of rrdtool: start, step, legends, and rows with a value each", text)
    finish(parsed, tables)
    return parsed


def _table(text: str, first: int, parsed: Parsed) -> list[Table]:
    """Read one export, whose first line is line `first` of the log."""
    is_xml = text.startswith("<xport>")
    said = {found[1]: found for found in (_XML_META if is_xml else _JSON_META).finditer(text)}
    meta = {name: float(found[2]) for name, found in said.items()}
    legends = _XML_LEGEND.findall(text) if is_xml else _json_legends(text)
    rows = list((_xml_rows if is_xml else _json_rows)(text, first, len(legends)))
    step, start = meta.get("step", math.nan), meta.get("start", math.nan)
    if not (legends and rows and step > 0 and math.isfinite(start)):
        parsed.incomplete("an export without start, step, legends or rows", first)
        return []
    covered = on(first + text.count("\n", 0, said["step"].start()), {"elapsed": step})
    table = Table(parsed, [_series(name, covered) for name in legends])
    for index, (time, cells, line) in enumerate(rows):
        table.row(start + index * step if time is None else time, cells, line)
    expected = meta.get("rows") or (meta.get("end", math.nan) - start) // step + 1
    if len(rows) != expected:
        parsed.incomplete(f"{len(rows)} of {expected:g} rows", rows[-1][2])
    return [table]


def _series(name: str, covered: Row) -> Series:
    """Make a series; `covered` is the time that one of its rows covers, with its line."""
    keys, variable, factor = legend(name.strip())
    return Series(keys | covered, variable, factor)


def _xml_rows(text: str, first: int, count: int) -> Iterator[Cells]:
    for row, line in _numbered(_XML_ROW, text, 0, first):
        cells = _XML_CELL.findall(row)
        times = [value.strip() for kind, value in cells if kind == "t"]
        time = float(times[0]) if times and times[0].isdecimal() else None
        yield time, [value for kind, value in cells if kind == "v"], line


def _json_legends(text: str) -> list[str]:
    block = _JSON_LEGENDS.search(text)
    return [legend for _, legend in _JSON_LEGEND.findall(block[1])] if block else []


def _json_rows(text: str, first: int, count: int) -> Iterator[Cells]:
    data = _JSON_DATA.search(text)
    for row, line in _numbered(_JSON_ROW, text, data.end(), first) if data else ():
        cells = [cell.strip() for cell in row.split(",")]
        time = cells[0].strip('"')
        if len(cells) == count + 1 and (time.isdecimal() or time != cells[0]):
            yield float(time) if time.isdecimal() else None, cells[1:], line
        else:
            yield None, cells, line


def _numbered(pattern: re.Pattern[str], text: str, start: int, first: int) -> Iterator[tuple[str, int]]:
    """Yield what a pattern finds, each with its line."""
    numbers = LineNumbers(text)
    for match in pattern.finditer(text, start):
        yield match[1], first - 1 + numbers.at(match.start())
