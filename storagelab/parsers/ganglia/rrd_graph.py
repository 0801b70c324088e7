"""Text of ``rrdtool graph``: the size of the image on the first line, then what its PRINT elements were told to print.

``rrdtool graphv`` prints the same as ``print[0] = "max 100.17 MB/s"`` among other values of the graph. The text of a
PRINT is free, so a line counts if it ends in a number, or in a number and a unit; ``%s`` prints a prefix that is a
power of 1000. A rate of bytes or bits becomes a throughput, anything else stays a `metric` with its `unit`; "max",
"min" and "avg" before the number are its `statistic`. No time is printed, and no end mark: a last line without its
newline is not trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.ganglia.metrics import direction, rate_factor
from storagelab.parsers.ganglia.samples import reading
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import without_prefix

FORMAT = Format(
    "rrd-graph",
    "rrdtool",
    "1.7",
    "what PRINT elements of a graph print",
    "rrdgraph_graph(1), rrd_tool.c",
    marks=("print",),
    shapes=(r"\A\d{1,5}x\d",),
    opens=("print[0] = ",),
    checks=Checks(lacking_samples="steps whose value is not known are left out"),
)

_SIZE = re.compile(r"\d{1,5}x\d{1,5}\s*")
_GRAPHV = re.compile(r'print\[\d{1,4}\] = "(.*)"$')
_NUMBER = re.compile(
    r"(?<![\w.,\ufffd])([-+]?\d{1,30}(?:[.,]\d{1,30})?(?:[eE][-+]\d{1,3})?)(?: *([A-Za-z%][\w%/]*))?(?=\s|$)"
)
_CLOCK = re.compile(r"\d:\d\d")
_STATISTICS = {"max": "max", "maximum": "max", "min": "min", "minimum": "min", "avg": "mean", "average": "mean",
               "mean": "mean", "now": "single", "last": "single", "current": "single", "cur": "single"}  # fmt: skip
_WORD = re.compile(r"[a-z]+")


def sniff(head: str) -> bool:
    """Whether the text begins with the size of an image and goes on, or holds the values of ``graphv``."""
    if "print[0] = " in head:
        return True
    size = _SIZE.match(head[:16])
    return bool(size and size[0].endswith("\n") and head[size.end() :].strip())


def parse(text: str) -> Parsed:
    """Read what was printed into `series`, a row a number.

    Raises
    ------
    ParseError
        If no line ends in a number.
    """
    parsed = Parsed({"tool": "rrdtool"})
    *lines, rest = text.split("\n")
    rows = list(_rows(without_prefix(lines), parsed))
    parsed.cut_line(rest, len(lines) + 1)
    if not rows:
        raise refusal("the size of an image, and printed lines that end in a number", text)
    parsed.series = columns(rows)
    return parsed


def _rows(lines: list[str], parsed: Parsed) -> Iterator[Row]:
    printed = [(number, match[1]) for number, line in enumerate(lines, 1) if (match := _GRAPHV.match(line))]
    size = next((number for number, line in enumerate(lines) if _SIZE.fullmatch(line)), len(lines))
    for number, line in printed or enumerate(lines[size:], size + 1):
        rows = [] if _SIZE.fullmatch(line) else list(_numbers(line.rstrip(), number))
        if "\ufffd" in line:
            parsed.incomplete("bytes of this line are no text", number)
        elif rows:
            yield from rows
        elif line.strip() and not _SIZE.fullmatch(line):
            parsed.note("a printed line that does not end in a number", number)


def _numbers(line: str, number: int) -> Iterator[Row]:
    """Yield a row a number, of a line whose last word is a number or its unit, unless a time of day stands in it."""
    found = list(_NUMBER.finditer(line))
    if not found or found[-1].end() != len(line) or _CLOCK.search(line):
        return
    begin = 0
    for match in found:
        yield _row(line[begin : match.start()].strip(" \t:="), match[1], match[2] or "") | {"line": number}
        begin = match.end()


def _row(label: str, value: str, unit: str) -> Row:
    words = _WORD.findall(label.lower())
    row: Row = {"statistic": next((_STATISTICS[word] for word in words if word in _STATISTICS), "")}
    factor = rate_factor(unit)
    if factor is None:
        return row | {"operation": "", "metric": label, "value": reading(value), "unit": unit}
    return row | {"operation": direction(label), "label": label, "throughput": reading(value) * factor}
