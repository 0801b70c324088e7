"""fileop, the metadata benchmark that comes with IOzone, versions 1.5x to 1.6x.

The format is what ``fileop.c`` prints (http://www.iozone.org). A heading names the operations, older versions without
chdir and open; then a line a force factor X, for a tree of X directories with X directories of X files each::

    A    5   14710  441956 ...        125

A is the average rate in operations per second, B (``-b``) that of the fastest and W (``-w``) that of the slowest
operation; the last column is the number of files. ``-l``/``-u`` give a range of factors, ``-e`` drops the first line,
``-t`` prints a paragraph an operation instead. Traps: a time of 0 makes ``inf``, an operation that did not run ``nan``;
there is no trailer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from storagelab.parsers.benchmarks.fileop_table import HEADER, OPERATIONS, ORDINARY, RATES, UNMEASURED, ends_short_of
from storagelab.parsers.declared_checks import Checks, line_starts, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import number, numbers
from storagelab.parsers.values_on_several_lines import on
from storagelab.schema import LINE_OF

__all__ = ["FORMAT", "ORDINARY", "parse", "sniff"]

_FILEOP = ("mkdir", "chdir", "rmdir", "create", "write", "close", "stat", "open", "read", "access")

CHECKS = Checks(
    together=(
        line_starts(*(f"{name}:" for name in _FILEOP)),
        line_starts(*(f"{which} {name}(s)/sec" for name in _FILEOP for which in ("Avg", "Best", "Worst"))),
        line_starts("B  ", "W  "),
        words("Fileop:", "File size is"),
    ),
)

FORMAT = Format(
    name="fileop",
    tool="fileop",
    versions="1.5x to 1.6x",
    reads="table of average, best and worst rates; paragraphs of -t",
    source="http://www.iozone.org",
    marks=("Fileop", "mkdir", "op"),
    opens=(
        "Fileop:",
        "              Fileop",
        "mkdir   chdir   rmdir",
        "mkdir:   Dirs",
    ),
    checks=CHECKS,
)

_PARAGRAPH_RATES = {"Avg": ("operation_rate", "latency"), "Best": ("operation_rate_max", "latency_min"),
                    "Worst": ("operation_rate_min", "latency_max")}  # fmt: skip
_HEADING = re.compile(r"\.\s+(mkdir\s(?:\s*[a-z]+\s)+\s*)Total_files")
_LINE = re.compile(r"(?:[>#|]\s?+|[\w.@-]++:\s++|(?!))*+\s*+([ABW])\s{1,5}(\d+)\s+(\S.*)")
_BEGUN = re.compile(r"\s*+[ABW]\s*+")
_NUMBER = r"(-?(?:\d+(?:[.,]\d+)?|inf|nan))"
_TOTAL = re.compile(rf"(\w{{1,10}}):\s+(?:Dirs|Files)\s+=\s*(\d+)\s+Total Time\s*=\s*{_NUMBER} seconds")
_PARAGRAPH = re.compile(rf"(Avg|Best|Worst)\s+(\w+)\(s\)/sec\s*=\s*{_NUMBER}\s*\(\s*{_NUMBER} seconds/op\)")
_BANNER = "|              Fileop  "
_START = re.compile(r"Fileop:\s+Working in (?:(?!Fileop:).)*?File size is (\d+)")
_VERSION = re.compile(r"\$Revision: ([\d.]+) \$")
_COMMAND = re.compile(r"(?:^|(?<=[\s$#>]))((?:[^\s#$>]*/)?fileop[^\s/]*+(?:\s+-.*))$")
_FAILED = re.compile(r"^\s*\w+ failed\b|No space left|Can ?not |Segmentation|Killed")
COLUMN = 8


def sniff(head: str) -> bool:
    """Whether this part of a log holds a line that only fileop prints; it prints no JSON."""
    if head.startswith("{"):
        return False
    return bool(
        ("Fileop" in head and (_BANNER in head or _START.search(head)))
        or ("_" in head and "Total_files" in head and _HEADING.search(head))
        or ("(s)/sec" in head and _PARAGRAPH.search(head))
    )


def parse(text: str) -> Parsed:
    """Read every table in a log of fileop.

    Returns
    -------
    Parsed
        `runs`: a row an operation and force factor (`branching`), statistic "mean": operation_rate [1/s] with
        operation_rate_max and operation_rate_min of single operations where printed, `items` files in the tree.

    Raises
    ------
    ParseError
        If the log holds no line of fileop.
    """
    log = _Log()
    lines = text.split("\n")
    if _BEGUN.fullmatch(lines[-1]):
        log.parsed.incomplete("the last line is a tag without its rates", len(lines))
    elif lines[-1].strip():
        log.parsed.incomplete("the last line has no end and is not trusted", len(lines))
        lines[-1] = lines[-1].rstrip("0123456789.,")
    for line_number, line in enumerate(lines, 1):
        if line and not line.isspace():
            log.read(line, line_number)
    return log.close(text)


@dataclass(slots=True)
class _Log:
    parsed: Parsed = field(default_factory=lambda: Parsed(dict(HEADER)))
    part: int = 0
    sizes: dict[int, Row] = field(default_factory=dict)
    operations: tuple[str, ...] = ()
    rows: dict[tuple[int, float], dict[str, Row]] = field(default_factory=dict)
    tags: dict[tuple[int, float], set[str]] = field(default_factory=dict)
    paragraphs: dict[str, str] = field(default_factory=dict)
    unmeasured: int = 0
    commands: list[str] = field(default_factory=list)
    known: bool = False

    def read(self, line: str, line_number: int) -> None:
        """Take in a line, whatever it is."""
        if (match := _LINE.fullmatch(line)) and self.operations:
            self._read_rates(match, line_number)
        elif match := _START.search(line):
            self._begin()
            self.sizes[self.part] = on(line_number, {"file_size": float(match[1])})
        elif match := _HEADING.search(line):
            self._read_heading(match[1].split())
        elif "Total Time" in line and (match := _TOTAL.search(line)):
            self._read_total(match, line_number)
        elif "seconds/op" in line and (match := _PARAGRAPH.search(line)):
            self._read_paragraph(match, line_number)
        else:
            self._read_other(line, line_number)

    def _begin(self) -> None:
        self.known = True
        self.part += 1
        self.operations = ()
        self._end_paragraphs()

    def _read_heading(self, operations: list[str]) -> None:
        if self.operations or self.paragraphs or not self.part:
            self._begin()
        self.known = True
        self.operations = tuple(operation for operation in operations if operation in OPERATIONS)

    def _read_other(self, line: str, line_number: int) -> None:
        if "fileop" in line and (match := _COMMAND.search(line)):
            self.commands.append(match[1].strip())
        elif match := _VERSION.search(line):
            self.known = True
            self.parsed.header["tool_version"] = match[1]
        elif _FAILED.search(line):
            self.parsed.incomplete(line.strip(), line_number)
        elif "seconds/op)" in line or "Total Time" in line:
            self.parsed.incomplete(f"not a line of a paragraph: {line.strip()}", line_number)

    def _read_rates(self, match: re.Match[str], line_number: int) -> None:
        operations = self.operations
        cells = match[3]
        if len(cells.split()) != len(operations) + 1:
            operations, cells = self._find_columns(match)
        try:
            *rates, items = numbers(cells.split())
        except ValueError:
            rates, items = [], 0.0
        if not rates or not items:
            self.parsed.incomplete(f"not the line of {len(self.operations)} rates: {match[0].strip()}", line_number)
            return
        if len(rates) < len(self.operations):
            self.parsed.incomplete(f"{len(self.operations) - len(rates)} columns are blank", line_number)
        self._add_rates(match[1], float(match[2]), zip(operations, rates, strict=True), items, line_number)

    def _find_columns(self, match: re.Match[str]) -> tuple[tuple[str, ...], str]:
        """Place the numbers of a line with blank columns: each ends a multiple of eight behind the force factor."""
        start = match.end(2)
        words = [(word.end() - start, word[0]) for word in re.compile(r"\S+").finditer(match.string, start)]
        ends = range(COLUMN, COLUMN * len(self.operations) + 1, COLUMN)
        if not words or words[-1][0] <= ends[-1] or any(end not in ends for end, _ in words[:-1]):
            return (), ""
        return tuple(self.operations[ends.index(end)] for end, _ in words[:-1]), match[3]

    def _add_rates(
        self, tag: str, factor: float, rates: Iterable[tuple[str, float]], items: float, line_number: int
    ) -> None:
        self.tags.setdefault((self.part, factor), set()).add(tag)
        tree, name, unmeasured = self._tree(factor), RATES[tag], False
        place = LINE_OF[name]
        keys = {"operation": "", **self._keys(factor, line_number), "items": items, name: 0.0}
        for operation, rate in rates:
            if not -inf < rate < inf:
                unmeasured = True
            elif rate and (row := tree.get(operation)):
                row["items"] = items
                row[name] = rate
                row[place] = line_number
            elif rate:
                row = tree[operation] = keys.copy()
                row["operation"] = operation
                row[name] = rate
        self.unmeasured += unmeasured

    def _tree(self, factor: float) -> dict[str, Row]:
        """Return the rows of a force factor by their operations."""
        return self.rows.setdefault((self.part, factor), {})

    def _keys(self, factor: float, line_number: int) -> Row:
        keys: Row = {"part": self.part, "line": line_number}
        return keys | {"branching": factor} if factor else keys

    def _read_total(self, match: re.Match[str], line_number: int) -> None:
        if match[1] not in OPERATIONS:
            return
        if self.operations or match[1] in self.paragraphs:
            self._begin()
        self.paragraphs[match[1]] = ""
        self.known = True
        measured: Row = {"items": number(match[2]), "elapsed": number(match[3])}
        self._tree(0.0)[match[1]] = {"operation": match[1], **self._keys(0.0, line_number), **measured}

    def _read_paragraph(self, match: re.Match[str], line_number: int) -> None:
        if match[2] not in self.paragraphs:
            self.parsed.incomplete(f"the paragraph of {match[2]} begins in its middle", line_number)
            return
        self.paragraphs[match[2]] += match[1]
        row = self._tree(0.0)[match[2]]
        for name, value in zip(_PARAGRAPH_RATES[match[1]], (number(match[3]), number(match[4])), strict=True):
            if math.isfinite(value) and value:
                row |= on(line_number, {name: value})

    def _end_paragraphs(self) -> None:
        """Look whether the paragraphs of a run are whole, up to that of delete."""
        for operation, rates in self.paragraphs.items():
            if rates != "".join(_PARAGRAPH_RATES):
                self.parsed.incomplete(f"the paragraph of {operation} lacks one of {', '.join(_PARAGRAPH_RATES)}")
        if self.paragraphs and "delete" not in self.paragraphs:
            self.parsed.incomplete("the last paragraph is not that of delete")
        self.paragraphs.clear()

    def close(self, text: str) -> Parsed:
        """Put the header and the rows together."""
        if not self.known:
            raise refusal("a table or a paragraph of fileop", text)
        self.parsed.runs = [row for tree in self.rows.values() for row in tree.values()]
        self._share_keys()
        self._judge()
        return self.parsed

    def _share_keys(self) -> None:
        without_size = {row["part"] for row in self.parsed.runs} - self.sizes.keys()
        if len({size["file_size"] for size in self.sizes.values()}) == 1 and not without_size:
            self.parsed.header |= next(iter(self.sizes.values()))
        elif self.sizes:
            for row in self.parsed.runs:
                row |= self.sizes.get(int(row["part"]), {})
        if len({part for (part, _), tree in self.rows.items() if tree}) < 2:
            for row in self.parsed.runs:
                del row["part"]
        if self.commands:
            self.parsed.header["command"] = self.commands[0]

    def _judge(self) -> None:
        if self.unmeasured:
            self.parsed.note(f"{self.unmeasured} {UNMEASURED}")
        if not self.parsed.runs:
            self.parsed.incomplete("no result")
        self._end_paragraphs()
        tags = list(self.tags.values())
        if tags and tags[-1] != tags[0]:
            self.parsed.incomplete(f"the last force factor lacks {', '.join(sorted(tags[0] - tags[-1]))}")
        self._compare_with_range()

    def _compare_with_range(self) -> None:
        """Hold the force factors against the range (-l, -u) that the command states."""
        if len(self.commands) != 1 or not self.tags:
            return
        last = max(factor for _, factor in self.tags)
        if end := ends_short_of(self.commands[0], last):
            self.parsed.incomplete(f"ends at force factor {last:g} of {end}")
