"""Which numbers of a table reach lines of logs: each row that is one of a result leads to what is behind that row."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from storagelab import schema
from storagelab.analysis import columns
from storagelab.analysis.basis import KEY as BASIS
from storagelab.analysis.significant_digits import SAME
from storagelab.analysis.source_rows import Behind, Follower
from storagelab.analysis.traces import Lines, Logs, NumberedRows, traced_rows
from storagelab.analysis.wide_table import SPREAD
from storagelab.errors import PaperError
from storagelab.lineage import sources_of
from storagelab.paper import number_format, tables

NOT_MATCHED = frozenset({BASIS, "origin", "study"})
"""Keys that a table need not have in common with the result that it lays out."""
MEASURED = schema.ORIGINS[0]

Places = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Reached:
    """Numbers that stand beside each other in a row of a table and come from the same lines: the columns, the lines."""

    row: int
    columns: tuple[str, ...]
    trace: Lines


def reached(frame: pd.DataFrame, of: Sequence[xr.Dataset], logs: Logs, what: str = "") -> list[Reached]:
    """Follow the numbers of a table to lines of logs.

    A row of the table is a row of a result where both agree in every key and in every number that both have. So a row
    that was computed from a result, and is none of its rows, reaches nothing.

    Parameters
    ----------
    frame : DataFrame
        As the notebook laid it out, unrounded, in SI.
    of : sequence of Dataset, dimension obs
        Results whose rows it lays out. What was not measured has no line to lead to.
    logs : Logs
        Of the study.
    what : str
        The table, for messages, where each of the results must have a row in it.

    Returns
    -------
    list of Reached
        By row, and in a row by result.

    Raises
    ------
    PaperError
        If a result must have a row in the table and has none: then it is not what the table lays out.
    """
    found: list[Reached] = []
    follow = Follower()
    for number, result in enumerate(of, start=1):
        own = [*_plain(frame, result, follow, logs), *_spread(frame, result, follow, logs)]
        if what and not own and _is_measured(result):
            raise PaperError(
                f"{what}: no row of it is one of a result that reaches lines of logs, in place {number} of `of`"
            )
        found += own
    return sorted(found, key=lambda one: one.row)


def _is_measured(result: xr.Dataset, places: NDArray[Any] | slice = slice(None)) -> bool:
    said = result.variables["origin"].to_numpy()[places].tolist() if "origin" in result.variables else []
    origins = {*said} if "origin" in result.variables else {result.attrs.get("origin")}
    return not origins - {MEASURED, None, ""}


def _plain(frame: pd.DataFrame, result: xr.Dataset, follow: Follower, logs: Logs) -> Iterator[Reached]:
    """Rows that are laid out as they are."""
    shared = [str(name) for name in frame if name in result.data_vars and _is_number(result, str(name))]
    keys = _keys(frame, result)
    asking = []
    for row, chosen in enumerate(_rows_alike(frame, result, [*keys, *shared])):
        names = tuple(name for name in shared if _there(frame[name], row))
        asking.append(CellsOfRow(row, names, np.flatnonzero(chosen), next(iter(names), "")))
    yield from _reached(result, asking, follow, logs)


def _spread(frame: pd.DataFrame, result: xr.Dataset, follow: Follower, logs: Logs) -> Iterator[Reached]:
    """Cells of a table that has the levels of one key side by side (`storagelab.analysis.pivot`)."""
    spread = frame.attrs.get(SPREAD, {})
    key, value = spread.get("key", ""), spread.get("value", "")
    if {key, value} - {*map(str, result.variables)}:
        return
    of_row = list(_rows_alike(frame, result, _keys(frame, result)))
    asking = []
    for name, level in spread["levels"].items():
        of_level = _equal(result[key].to_numpy(), level)
        for row in range(len(frame)) if name in frame else ():
            same = _equal(result[value].to_numpy(), frame[name].iloc[row])
            if _there(frame[name], row):
                asking.append(CellsOfRow(row, (name,), np.flatnonzero(of_row[row] & of_level & same), value))
    yield from _reached(result, asking, follow, logs)


def _keys(frame: pd.DataFrame, result: xr.Dataset) -> list[str]:
    return [str(name) for name in frame if name in result.coords and name not in NOT_MATCHED]


def _is_number(result: xr.Dataset, name: str) -> bool:
    return bool(result[name].dtype.kind in "fi")


def _there(values: pd.Series, row: int) -> bool:
    return bool(pd.notna(values.iloc[row]))


def _rows_alike(frame: pd.DataFrame, result: xr.Dataset, names: Sequence[str]) -> Iterator[Places]:
    """Rows of the result that agree with each row of the table."""
    known = {name: result[name].to_numpy() for name in names}
    asked = {name: frame[name].tolist() for name in names}
    for row in range(len(frame)):
        alike = [_equal(known[name], asked[name][row]) for name in names]
        yield np.logical_and.reduce(alike) if alike else np.zeros(result.sizes["obs"], dtype=bool)


def _equal(values: NDArray[Any], value: Any) -> Places:
    """Which values are the same; of numbers up to what a processor may change, and missing equals missing."""
    if value != value:
        return np.asarray(values != values, dtype=bool)
    if values.dtype.kind in "fi" and isinstance(value, (int, float)):
        return np.asarray(np.isclose(values, value, rtol=SAME, atol=0.0), dtype=bool)
    return np.asarray(values == value, dtype=bool)


class CellsOfRow(NamedTuple):
    """A row of a table that asks for the lines of some numbers: rows of a result that it lays out, and the column."""

    row: int
    names: tuple[str, ...]
    places: NDArray[Any]
    variable: str


def _reached(result: xr.Dataset, asking: Iterable[CellsOfRow], follow: Follower, logs: Logs) -> Iterator[Reached]:
    """Lines of logs behind numbers; none where they were not measured, or nobody remembers their lines."""
    wanted = [one for one in asking if one.names and one.places.size and _is_measured(result, one.places)]
    behind: dict[tuple[int, str], list[tuple[Behind, int]]] = defaultdict(list)
    for by, one in enumerate(wanted):
        for found in follow.behind(result, one.places, one.variable):
            behind[id(found.source), found.variable].append((found, by))
    traces = traced_rows((_rows_of(parts, follow) for parts in behind.values()), logs)
    yield from (Reached(one.row, one.names, traces[by]) for by, one in enumerate(wanted) if by in traces)


def _rows_of(parts: Sequence[tuple[Behind, int]], follow: Follower) -> tuple[NumberedRows, str]:
    """Rows of one source, and who asks for each of them; the column that is quoted."""
    found = parts[0][0]
    places = np.concatenate([one.places for one, _ in parts])
    by = np.repeat([by for _, by in parts], [one.places.size for one, _ in parts])
    return NumberedRows(follow.rows(found.source).take(places), by), found.variable


def of_rows(result: xr.Dataset, logs: Logs) -> list[Reached]:
    """Follow each row of the data of a drawing to lines of logs, where it remembers what it was computed from."""
    variable = next((str(name) for name in result.data_vars if _is_number(result, str(name))), "")
    if not sources_of(result) or not variable or not _is_measured(result):
        return []
    every = range(result.sizes.get("obs", 0))
    asking = (CellsOfRow(row, (variable,), np.array([row]), variable) for row in every)
    return [*_reached(result, asking, Follower(), logs)]


def is_result(name: str) -> bool:
    """Whether a column holds results, and no levels of a key; columns of words have no name."""
    known = columns.find(name)
    return bool(name) and (known is None or known.kind != "key")


def opened(table: Mapping[str, Any]) -> int:
    """Count the numbers of a table that open lines of logs; levels of keys are none."""
    return sum(is_result(name) for card in table.get("cards", ()) for name in card["columns"])


LOG_LINES = "log_lines"
"""Column with the lines of logs behind a row, in words."""
_IN_WORDS = re.compile(r"(?:^|(?<= ))(raw/\S+?):(\d+)(?=[, ]|$)")


def first_lines(told: str) -> list[tuple[str, int]]:
    """Read what `lines_in_words` wrote: each log with its first line.

    Examples
    --------
    >>> first_lines("raw/x/a.log:3,5 raw/x/b.log:7 and 2 more")
    [('raw/x/a.log', 3), ('raw/x/b.log', 7)]
    """
    return [(log, int(line)) for log, line in _IN_WORDS.findall(told)]


def lines_in_words(trace: Lines, most: int = 12) -> str:
    """Write lines of logs in one cell of a file: ``a.log:3,5 b.log:7``, and how many more there are.

    Examples
    --------
    >>> lines_in_words({"raw/x/a.log": [3, 5], "raw/x/b.log": [7]}, most=2)
    'raw/x/a.log:3,5 and 1 more'
    """
    told, left = [], most
    for log, numbers in trace.items():
        if left > 0:
            told.append(f"{log}:{','.join(map(str, numbers[:left]))}".rstrip(":"))
        left -= max(len(numbers), 1)
    return " ".join([*told, f"and {-left} more"] if left < 0 else told)


Card = dict[str, Any]
"""What a notebook says of the card of some cells: id, row, columns, what it is of, values in SI, trace."""


def cards(id: str, frame: pd.DataFrame, look: tables.Look, found: Sequence[Reached]) -> list[Card]:
    """Say what the cards of a table show, one for the numbers of a row that come from the same lines.

    Parameters
    ----------
    id : str
        Of the table.
    frame : DataFrame
        As it is printed.
    look : Look
        How.
    found : sequence of Reached

    Returns
    -------
    list of dict
    """
    numbers = set(tables.numbers(frame, look))
    told = [column for part in tables.printed(frame, look) for column in part if not is_result(column.name)]
    made = []
    for place, one in enumerate(found, start=1):
        columns = [name for name in one.columns if (one.row, name) in numbers]
        if columns:
            values = [_value(frame, look, one.row, name) for name in columns]
            card = {"id": f"cell-{id}-{place}", "row": one.row, "columns": columns, "trace": one.trace}
            named = [
                (column.words_of_head, unescape(column.cells[one.row])) for column in told if column.cells[one.row]
            ]
            made.append(card | {"of": named, "values": values})
    return made


def _value(frame: pd.DataFrame, look: tables.Look, row: int, name: str) -> tuple[str, str]:
    """Name and number of a cell in SI; of an interval both ends."""
    base = name.removesuffix("_low")
    ends = [name, f"{base}_high"] if base != name and base in frame and f"{base}_high" in frame else [name]
    said = " to ".join(number_format.full(float(frame[end].iloc[row])) for end in ends)
    unit = look.unit(base if len(ends) == 2 else name)
    label = f"95{number_format.THIN}% interval" if len(ends) == 2 else unescape(look.label(name))
    return label, f"{said} {unit}" if unit != "1" else said
