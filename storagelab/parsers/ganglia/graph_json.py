"""JSON that Ganglia's web front end exports from a graph (``graph.php?...&json=1``, or ``&flot=1`` for its own plots).

Written by graph.php of ganglia-web: an object a legend, with its ``metric_name`` and ``datapoints``, pairs of a value
and the seconds since 1970 at which its step *ends*; in the form for flot ``label`` and ``data``, pairs of
milliseconds and a value. No data is the string "NaN", or null. What the legends mean: `reports`. Everything stands on
one line, unless somebody laid it out anew. It is read as text, so that a document that was cut gives the pairs before
the cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.ganglia.reports import series_of
from storagelab.parsers.ganglia.samples import LineNumbers, Table, finish
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.text import floats
from storagelab.units import MILLISECOND

FORMAT = Format(
    "ganglia-json",
    "ganglia",
    "ganglia-web 3.7",
    "samples of a graph",
    "ganglia-web, graph.php",
    marks=("datapoints", "graph"),
    opens=(
        '"datapoints"',
        '"graph_title"',
    ),
    checks=Checks(lacking_samples="steps whose value is not known are left out"),
)

_ARRAY = re.compile(r'"(datapoints|data)"\s*:\s*\[')
_TEXT = re.compile(r'"(metric_name|label)"\s*:\s*("(?:[^"\\]|\\.){0,1000}")')
_VALUE = r'\s*"?([\w.+-]{1,40}(?:,\d{1,20})?)"?\s*'
_PAIR = re.compile(rf"\[{_VALUE},\s*(\d{{1,12}})\s*\]")
_FLOT_PAIR = re.compile(rf"\[\s*(\d{{1,15}})\s*,{_VALUE}\]")


class _Graph(NamedTuple):
    """One object: its legend, the columns of its pairs, and whether nothing was lost."""

    legend: str
    times: list[float]
    cells: Sequence[str]
    lines: list[int]
    whole: bool


def sniff(head: str) -> bool:
    """Whether an object with a legend and pairs stands here."""
    return ('"datapoints"' in head and '"metric_name"' in head) or ('"graph_title"' in head and '"data"' in head)


def parse(text: str) -> Parsed:
    """Read every pair into `series`; a value NaN gives none.

    Raises
    ------
    ParseError
        If there is no object with a legend and a pair.
    """
    parsed = Parsed({"tool": "ganglia"})
    graphs = [graph for graph in _graphs(text) if graph.legend]
    if not any(graph.times for graph in graphs):
        raise refusal("objects with metric_name and datapoints, pairs of a value and seconds", text)
    if not all(graph.whole for graph in graphs) or not text.rstrip().endswith("]"):
        parsed.incomplete("pairs are missing, or the end is", text.count("\n") + 1)
    all_series = series_of([graph.legend for graph in graphs], parsed)
    tables = [
        Table(parsed, [series], graph.times, list(zip(graph.cells, strict=True)), graph.lines)
        for series, graph in zip(all_series, graphs, strict=True)
        if graph.times
    ]
    finish(parsed, tables, are_parts=False)
    return parsed


def _graphs(text: str) -> Iterator[_Graph]:
    """Yield the objects; what stands between two arrays belongs to the second, unless a brace closes before it."""
    arrays, numbers = list(_ARRAY.finditer(text)), LineNumbers(text)
    begin = 0
    for index, array in enumerate(arrays):
        next_array = arrays[index + 1].start() if index + 1 < len(arrays) else len(text)
        brace = text.find("}", array.end(), next_array)
        end = next_array if brace < 0 else brace
        names = dict(_TEXT.findall(text, begin, array.start())) | dict(_TEXT.findall(text, array.end(), end))
        yield _graph(text, array, end, names, numbers)
        begin = end


def _graph(text: str, array: re.Match[str], end: int, names: dict[str, str], numbers: LineNumbers) -> _Graph:
    flot = array[1] == "data"
    pattern = _FLOT_PAIR if flot else _PAIR
    pairs = pattern.findall(text, array.end(), end)
    first, second = ([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    times, cells = ([float(time) * MILLISECOND for time in first], second) if flot else (floats(second), first)
    whole = text.count("[", array.end(), end) == len(pairs) and text.startswith("}", end)
    lines = _lines(pattern, text, array.end(), end, len(pairs), numbers, value=2 if flot else 1)
    return _Graph(_unquoted(names.get("label" if flot else "metric_name", '""')), times, cells, lines, whole)


def _lines(
    pattern: re.Pattern[str], text: str, begin: int, end: int, count: int, numbers: LineNumbers, *, value: int
) -> list[int]:
    """Line of the value of each pair."""
    if text.find("\n", begin, end) < 0:
        return [numbers.at(begin)] * count
    return [numbers.at(pair.start(value)) for pair in pattern.finditer(text, begin, end)]


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        return text.strip('"')
