"""Text of ``rrdtool fetch`` and ``rrdtool lastupdate``: the names of the data sources, an empty line, a line a time.

Printed by rrd_tool.c. ``1795192725: 4.9892142857e+01 2.0000000000e+00``: seconds since 1970, at which the step *ends*,
then a value a data source; no data is ``nan``, ``-nan`` or ``NaN``. The text says neither which metric the file holds,
nor the consolidation function: rrdtool hands out another one where the file lacks the one that was asked for.
What ``lastupdate`` prints has no exponents: of a counter it is the reading itself, and no sample; its phase is "last
update". Several tables behind each other are parts 1, 2, ... Where the first rows have no names above them, or the
command alone, as pasted logs do, data sources are called by their place. There is no end mark, so a last line without
its newline is not trusted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.ganglia.samples import Series, Table, finish, foreign
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.text import number as decimal
from storagelab.parsers.text import without_prefix

FORMAT = Format(
    "rrd-fetch",
    "rrdtool",
    "1.7, 1.9",
    "samples of a round-robin database",
    "rrdfetch(1), rrd_tool.c",
    shapes=(r"\n\n *\d{9,11}: ", r": -?(?:[nN][aA][nN]|\d[.,]\d{1,17}[eE][+-]\d\d)"),
    checks=Checks(lacking_samples="steps whose value is not known are left out"),
)

_COMMAND = re.compile(r"\brrdtool\s{1,9}fetch\s")
_SECONDS = re.compile(r" *\d{9,11}")
_AS_IT_CAME = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?")
_WORDS = 3
"""Of a sentence, at least."""
_TITLED = re.compile(r"\n\n *\d{9,11}: ")
_ROW = re.compile(r"\n(?:\S{1,40} )? *\d{9,11}: (?:-?nan|-?\d[.,]\d{1,17}e[+-]\d\d)", re.IGNORECASE)


def sniff(head: str) -> bool:
    """Whether an empty line stands here with a time and values under it, or a time with values as rrdtool prints."""
    return bool(_TITLED.search(head) or _ROW.search(head))


def parse(text: str) -> Parsed:
    """Read every row into `series`: a sample a data source; a row without data gives none.

    Raises
    ------
    ParseError
        If there is no line with the names of data sources before the first row, or no row.
    """
    parsed = Parsed({"tool": "rrdtool"})
    *lines, rest = text.split("\n")
    tables = _tables(without_prefix(lines), parsed)
    parsed.cut_line(rest, len(lines) + 1)
    if not tables:
        found = next(filter(str.strip, lines), rest)
        raise ParseError("names of data sources and rows 'seconds: value ...' under them", found, 1)
    finish(parsed, tables)
    return parsed


def _tables(lines: list[str], parsed: Parsed) -> list[Table]:
    """Read rows; a line that is none holds the names of the next table if an empty line or no table follows it."""
    tables: list[Table] = []
    title, blank, is_untitled = (0, ""), False, False
    for number, line in enumerate(lines, 1):
        seconds, colon, cells = line.partition(":")
        is_row = bool(colon) and _SECONDS.fullmatch(seconds) is not None
        if not line.strip():
            blank = True
        elif not is_row:
            _note(parsed, title)
            title, blank = (number, line), False
        elif title[1] and _is_sentence(title[1], len(cells.split())):
            _note(parsed, title)
            title, is_untitled = (0, ""), True
        elif title[1] and (blank or not tables) and not _COMMAND.search(title[1]):
            tables.append(_table(title[1].split(), cells.split(), parsed))
            title = (0, "")
        else:
            _note(parsed, title)
            title = (0, "")
        if is_row and (is_untitled or not tables):
            parsed.note("names of the data sources are missing", number)
            tables.append(_table([str(place) for place, _ in enumerate(cells.split(), 1)], cells.split(), parsed))
            is_untitled = False
        if is_row:
            tables[-1].row(decimal(seconds), cells.split(), number)
    _note(parsed, title)
    return tables


def _is_sentence(title: str, cells: int) -> bool:
    """Whether somebody wrote a line above rows: names stand behind blanks, one a cell, and have no such signs.

    What holds a number may be a row that is damaged.
    """
    words = title.split()
    if len(words) == cells or len(words) < _WORDS or title.startswith(" ") or any(map(str.isdecimal, title)):
        return False
    return any(word[-1] in ".,;:?!" for word in words)


def _note(parsed: Parsed, title: tuple[int, str]) -> None:
    if title[1]:
        foreign(parsed, title[1], title[0])


def _table(names: Sequence[str], first: Sequence[str], parsed: Parsed) -> Table:
    """Begin a table with these names, whose first row tells which command printed it."""
    phase = {"phase": "last update"} if any(map(_AS_IT_CAME.fullmatch, first)) else {}
    return Table(parsed, [Series({"operation": "", "metric": name, "unit": "", **phase}, "value") for name in names])
