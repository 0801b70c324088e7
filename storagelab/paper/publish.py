"""What a cell of a paper notebook calls: `begin`, `figure`, `table`, `fact`.

Each displays one output whose metadata say what it is; nothing is written here. `build` numbers the outputs, resolves
the prose that refers to them and writes their files, so that the paper and its files cannot disagree.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from IPython.display import display as show
from matplotlib.figure import Figure
from pandas.api.types import is_numeric_dtype

from storagelab.analysis import significant_digits as rounding
from storagelab.analysis.basis import KEY as BASIS
from storagelab.analysis.source_rows import rows_behind, rows_behind_value, stands_in_logs
from storagelab.analysis.traces import SET_BY, Lines, Trace, traced
from storagelab.analysis.validity.limits import SET_BY_OF_CHECK
from storagelab.errors import PaperError
from storagelab.escaping import cells
from storagelab.escaping.characters import shown
from storagelab.figures import Drawn, data_behind_marks
from storagelab.figures.page_format import PAGE, current
from storagelab.lineage import key_of, rows_of, variable_of
from storagelab.paper import (
    data_provenance,
    figure_files,
    latex,
    number_format,
    numbers_without_lines,
    table_traces,
    tables,
)
from storagelab.paper.data_provenance import Data, Opened
from storagelab.paper.published_items import NAMESPACE

PUBLISHED, OF_TEST_BED = "published", "testbed."
_ID = re.compile(r"[a-z][a-z0-9_-]*")
_opened = Opened()


def begin(study: str, dataset: str | Path) -> xr.DataTree:
    """Open the dataset of a paper, and say in the paper what it is. Random numbers start from the same seed.

    Parameters
    ----------
    study : str
        Name of the study; the dataset must be of this study.
    dataset : str or Path
        The netCDF file that ``storagelab ingest`` wrote.

    Returns
    -------
    xr.DataTree
        The study in memory: nodes runs, clients, series, logs.

    Raises
    ------
    PaperError
        If the file is missing or holds another study.
    """
    global _opened
    random.seed(0)
    np.random.seed(0)
    _opened = data_provenance.open_study(study, Path(dataset))
    _show("provenance", f"{study}: {_opened.count_logs()} logs", data_provenance.provenance(_opened, Path(dataset)))
    return _opened.tree


def figure(fig: Drawn | Figure, id: str, caption: str = "", alt: str = "", data: Data | None = None) -> None:
    """Publish a figure with the data it shows.

    Parameters
    ----------
    fig : Drawn or Figure
        What a function of `storagelab.figures` returns (it brings caption, alt and data along), or a figure of
        matplotlib, which is closed afterwards.
    id : str
        What prose refers to as ``[@fig:id]``, and the name of the files ``figures/<id>.svg``, ``.png`` and ``.csv``.
    caption : str
        Markdown; may refer to facts and figures. Number and origin are put in front and behind by the paper.
    alt : str
        What the figure shows, for a reader who cannot see it.
    data : DataFrame or Dataset
        The rows behind the figure in SI, written as CSV. Its origin (attribute or column `origin`) is printed under the
        figure; without one the study's is.

    Raises
    ------
    PaperError
        If the id is malformed, caption or alt is empty, there are no data, or nobody says their origin.
    """
    if isinstance(fig, Drawn):
        of_data = {"alt_of_data": True} if "{{" in fig.alt and not alt else {}
        data, runs = (fig.data, fig.runs) if data is None else (data, None)
        return _figure(fig.figure, id, caption or fig.caption, alt or fig.alt, data, runs, of_data)
    return _figure(fig, id, caption, alt, data, None, {})


def _figure(
    fig: Figure, id: str, caption: str, alt: str, data: Data | None, runs: Data | None, more: Mapping[str, bool]
) -> None:
    """Publish a drawing; `more` may say that its alternative text quotes data, in which braces are no facts."""
    what = _described("figure", id, caption=caption, alt=alt)
    rows, origin = _drawn(data, what)
    if runs is not None:
        rows = _below_each_other({data_behind_marks.MEAN: rows, data_behind_marks.RUN: _drawn(runs, what)[0]})
    bundle = {**figure_files.draw(fig, origin, rows), "text/csv": _csv(rows, origin)}
    more = more if current() == PAGE else {**more, "fits": figure_files.fits(fig)}
    parts = {"parts": found} if (found := figure_files.parts(fig, origin)) else {}
    _show("figure", caption, {"id": id, "caption": caption, "alt": alt, "origin": origin, **parts, **more}, bundle)


def table(
    frame: Data,
    id: str,
    caption: str,
    *,
    units: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    display: Mapping[str, str] | None = None,
    digits: int = number_format.DIGITS,
    folded: bool = False,
    of: xr.Dataset | Sequence[xr.Dataset] = (),
    stated: str = "",
    computed: str = "",
    counted: str = "",
) -> None:
    """Publish a table: rounded and prefixed for the reader, in full SI in ``tables/<id>.csv``.

    Parameters
    ----------
    frame : DataFrame or Dataset
        One row a line, numbers in SI. A named index becomes the first columns; of a Dataset only what it holds.
        ``<name>_low`` and ``<name>_high`` are printed as one column behind ``<name>``, and ``basis`` only where rows
        differ in it. Its attributes may say ``units`` of columns, and of ``mixed`` ones which column says their units.
    id : str
        What prose refers to as ``[@tab:id]``.
    caption : str
        Markdown, as for a figure.
    units : mapping, optional
        SI unit of columns that are names neither of the data contract nor of an analysis; those know theirs.
    labels : mapping, optional
        Heads of columns; a known name is printed with its long name.
    display : mapping, optional
        Units to print a column in: ``{"share": "%"}``.
    digits : int
        Significant digits.
    folded : bool
        Whether only the caption is seen until a reader opens the table.
    of : Dataset or sequence of Dataset, optional
        Results whose rows the table lays out, by default what it is if it is a Dataset: the numbers of a row that is a
        row of one of them open the lines of the logs behind it (`storagelab.paper.table_traces`).
    stated, computed, counted : str, optional
        Where the other numbers come from, as for a fact: a name in study.yaml, how they are computed, what was counted.
        The table of a measured study that has such numbers and does not say it stops the build.

    Raises
    ------
    PaperError
        If the id is malformed, the caption empty, the frame empty or without an origin, or no row of it is one of `of`.
    """
    what = _described("table", id, caption=caption)
    rows, origin = _sourced(frame, what)
    known = {**frame.attrs.get("units", {}), **(units or {})}
    look = tables.Look(known, labels or {}, display or {}, digits, frame.attrs.get("mixed", {}))
    printed = _without_one_basis(rows)
    found = table_traces.reached(
        data_provenance.rows(frame, _opened),
        _results(frame, of),
        _opened,
        "" if isinstance(of, tuple) and not of else what,
    )
    cards = table_traces.cards(id, printed, look, found)
    bundle = {
        "text/html": tables.html(
            printed, look, {(card["row"], name): card["id"] for card in cards for name in card["columns"]}
        ),
        "text/latex": latex.tabular(printed, look),
        "text/csv": _csv(_with_lines(rows, found), origin),
    }
    record: dict[str, Any] = {"id": id, "caption": caption, "origin": origin} | ({"folded": True} if folded else {})
    record["comes_from"] = numbers_without_lines.said(stated=stated, computed=computed, counted=counted)
    numbers = [name for _, name in tables.numbers(printed, look) if table_traces.is_result(name)]
    _show("table", caption, {**record, "cards": cards, "numbers": len(numbers)}, bundle)


def _results(frame: Data, of: xr.Dataset | Sequence[xr.Dataset]) -> Sequence[xr.Dataset]:
    """Results that a table lays out: what it is said to, else itself."""
    if isinstance(of, xr.Dataset):
        return [of]
    itself = [frame] if isinstance(frame, xr.Dataset) and set(frame.dims) == {"obs"} else []
    return of or [one for one in itself if "log" not in one.variables]


def _drawn(data: Data | None, what: str) -> tuple[pd.DataFrame, str]:
    """Rows that are drawn, each with the lines of logs behind it, and their origin."""
    rows, origin = _sourced(data, what)
    found = table_traces.of_rows(data, _opened) if isinstance(data, xr.Dataset) and "log_id" not in rows else []
    return _with_lines(rows, found), origin


def _below_each_other(parts: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Put rows that are drawn in several ways into one table, which says how in its first column; counts stay whole."""
    counts = {name: "Int64" for part in parts.values() for name in part.select_dtypes("integer")}
    whole = pd.concat(parts.values(), ignore_index=True).astype(counts)
    whole.insert(0, data_behind_marks.DRAWN_AS, [name for name, part in parts.items() for _ in range(len(part))])
    return whole


def _with_lines(rows: pd.DataFrame, found: Sequence[table_traces.Reached]) -> pd.DataFrame:
    """Add the lines of logs behind the numbers of each row, where any are known; each line once."""
    if not found:
        return rows
    behind: list[Lines] = [{} for _ in range(len(rows))]
    for one in found:
        for log, numbers in one.trace.items():
            behind[one.row][log] = sorted({*behind[one.row].get(log, ()), *numbers})
    return rows.assign(**{table_traces.LOG_LINES: [table_traces.lines_in_words(trace) for trace in behind]})


def _without_one_basis(rows: pd.DataFrame) -> pd.DataFrame:
    """Leave out what all rows rest on alike: the origin under the table says enough, and the CSV says it."""
    return rows.drop(columns=BASIS) if BASIS in rows and rows[BASIS].nunique() == 1 else rows


def fact(
    name: str,
    value: float | int | str,
    unit: str = "1",
    *,
    display: str = "",
    digits: int = number_format.DIGITS,
    interval: tuple[float, float] | None = None,
    level: float = 0.95,
    n: int | None = None,
    origin: str = "",
    trace: Trace | None = None,
    of: Sequence[str] = (),
    chosen: str = "",
    stated: str = "",
    printed: str = "",
    counted: str = "",
    source: Mapping[str, Any] | None = None,
    comes_from: Mapping[str, Any] | None = None,
) -> None:
    """State a number that prose may quote as ``{{name}}``.

    Parameters
    ----------
    name : str
        Lower case with underscores.
    value : float, int or str
        In SI; an int is a count, a str a word that the data decided (which file system was fastest).
    unit : str
        SI unit: "B/s", "1/s", "s", "B" or "1".
    display : str, optional
        Unit to print in: "%", "MiB/s". By default the SI prefix that suits the value.
    digits : int
        Significant digits in prose; facts.json has them all.
    interval : (float, float), optional
        Ends of the confidence interval, in `unit`: ``{{name:interval}}``.
    level : float
        Confidence level of the interval.
    n : int, optional
        Number of measurements behind the value: ``{{name:n}}``.
    origin : str, optional
        measured, published or reconstructed; by default the study's, and of what it states of its test bed published.
    trace : Dataset, DataFrame or iterable of "log:line"
        The rows (with `log_id` and `line`) that the value was computed from; by default those that a value which was
        taken out of a result remembers (`storagelab.lineage`).
    of : sequence of str, optional
        Names of the facts that the value was computed from.
    chosen : str, optional
        Why we chose the value, where nothing measured it: a margin, a confidence level, an example.
    stated : str, optional
        Name in study.yaml under which the study states the value: ``design``, ``testbed.servers``.
    printed : str, optional
        Study and name of the number that a paper prints, as published.yaml has it: ``fermicloud-2011.bw_spread``.
    counted : str, optional
        What was counted, where it is no row: what a check of the validity report looked at.
    comes_from : mapping, optional
        Where the value comes from if from none of these (`storagelab.paper.numbers_without_lines`).
    source : mapping, optional
        What a quotation must carry along, as `storagelab.paper.findings.quotable` gives it.

    Raises
    ------
    PaperError
        If the name is malformed, the value not finite, the interval the wrong way round, or no origin is known.
    UnknownNameError
        If the unit or the origin is unknown.
    """
    trace = rows_behind_value(value) if trace is None else _rows_of(trace)
    key, counted_in = key_of(value), _result_counted_in(value)
    value = _plain(value)
    _check_fact(name, value, interval)
    value = rounding.printed(value) if isinstance(value, float) else value
    record: dict[str, Any] = {"name": name, "value": value, "unit": unit, "display": display, "digits": digits}
    record["interval"] = None if interval is None else [rounding.printed(end) for end in interval]
    record |= {"level": level, "n": None if n is None else int(n)}
    origin = origin or (PUBLISHED if stated.startswith(OF_TEST_BED) else _opened.origin)
    record["origin"] = data_provenance.joined_origin(data_provenance.split_origin(origin), f"fact {name!r}")
    record["trace"] = traced(trace, _opened)
    record["source"] = dict(source or {})
    record["key"], record["set_by"] = ("", [*_set_by(trace), key]) if counted_in else (key, _set_by(trace))
    record["comes_from"] = dict(comes_from or {}) | numbers_without_lines.said(
        of, chosen=chosen, stated=stated, printed=printed, counted=counted
    )
    _show("fact", f"{name} = {number_format.text(value, unit, digits, display)}", record)


def _result_counted_in(value: object) -> bool:
    """Whether a number counts levels of a key in a result: what was measured decides how many, not what was planned."""
    rows = rows_of(value)
    return bool(key_of(value)) and not variable_of(value) and rows is not None and not stands_in_logs(rows)


def _set_by(trace: Trace) -> list[str]:
    """Keys and names in study.yaml with which what was set behind a number is said."""
    datasets = [trace] if isinstance(trace, xr.Dataset) else trace
    names = [name for one in datasets if isinstance(one, xr.Dataset) for name in _set_by_of(one)]
    return list(dict.fromkeys(names))


def _set_by_of(rows: xr.Dataset) -> Sequence[str]:
    checks = rows["check"].to_numpy().tolist() if "check" in rows.coords else []
    of_checks = [name for check in dict.fromkeys(checks) for name in SET_BY_OF_CHECK.get(str(check), ())]
    return [*str(rows.attrs.get(SET_BY, "")).split(), *of_checks]


def _rows_of(trace: Trace) -> Trace:
    """Rows that stand in logs, also of a result that stands in none and remembers what it was computed from."""
    if isinstance(trace, xr.Dataset) and not stands_in_logs(trace):
        return rows_behind(trace) or trace
    return trace


def state_findings(checks: Mapping[str, str]) -> None:
    """Say which checks of the validity report found what no declaration covers, each with the name of its fact."""
    _show("findings", f"open findings: {', '.join(checks) or 'none'}", {"open": dict(checks)})


def _described(kind: str, id: str, **texts: str) -> str:
    """Name a figure or table for messages, once its id and words are in order."""
    if not _ID.fullmatch(id):
        raise PaperError(f"{kind} id {id!r}: expected lower-case letters, digits, '-' and '_', a letter first")
    for name, text in texts.items():
        if not text.strip():
            raise PaperError(f"{kind} {id!r} has no {name}")
    return f"{kind} {id!r}"


def _sourced(data: Data | None, what: str) -> tuple[pd.DataFrame, str]:
    """Rows and origin of what is published."""
    if data is None or (rows := data_provenance.rows(data, _opened)).empty:
        raise PaperError(f"{what} has no data")
    return _as_printed(rows), data_provenance.origin_of(data, rows, _opened, what)


def _as_printed(rows: pd.DataFrame) -> pd.DataFrame:
    """Round what was computed; rows that stand in a log keep what the log says."""
    if {"log_id", "line"}.issubset(rows):
        return rows
    numbers = rows.select_dtypes("float64")
    return rows.assign(**{str(name): rounding.significant(numbers[name], rounding.PRINTED) for name in numbers})


def _check_fact(name: str, value: float | int | str, interval: tuple[float, float] | None) -> None:
    if not _ID.fullmatch(name):
        raise PaperError(f"fact name {name!r}: expected lower-case letters, digits, '-' and '_', a letter first")
    if not isinstance(value, str) and not math.isfinite(value):
        raise PaperError(f"fact {name!r} is {value}: expected a finite number")
    if interval is not None and not interval[0] <= interval[1]:
        raise PaperError(f"fact {name!r} has the interval {interval}: expected the lower end first")


def _plain(value: Any) -> float | int | str:
    """Take what JSON knows out of a scalar of numpy or xarray."""
    item = value.item() if hasattr(value, "item") else value
    for kind in (int, float, str):
        if isinstance(item, kind) and not isinstance(item, bool):
            return shown(str(item)) if kind is str else kind(item)
    stated = ", as in paper.fact(name, **analysis.stated(...))" if isinstance(item, dict) else ""
    raise PaperError(f"the value of a fact is {item!r}: expected a number or a word{stated}")


def _csv(rows: pd.DataFrame, origin: str) -> str:
    """Write rows as CSV, text so that a spreadsheet computes nothing of it (`storagelab.escaping.cells`)."""
    named = rows if "origin" in rows else rows.assign(origin=origin)
    safe = named.rename(columns=lambda name: cells.text(str(name)))
    for place in range(safe.shape[1]):
        if not is_numeric_dtype(column := safe.iloc[:, place]):
            safe.isetitem(place, column.map(_cell).to_numpy())
    return safe.to_csv(index=False, lineterminator="\n")


def _cell(value: Any) -> Any:
    return cells.text(shown(value)) if isinstance(value, str) else value


def _show(kind: str, text: str, record: Mapping[str, Any], bundle: Mapping[str, str] | None = None) -> None:
    show({"text/plain": text, **(bundle or {})}, metadata={NAMESPACE: {"kind": kind, **record}}, raw=True)
