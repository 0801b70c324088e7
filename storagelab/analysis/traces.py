"""Lines of logs behind rows: by path, as papers and ledgers write them down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import schema
from storagelab.analysis import columns
from storagelab.analysis.cells import Rows
from storagelab.analysis.key_codes import Array
from storagelab.errors import AnalysisError

SAME_MEASUREMENT = ("run_id", "operation", "part", "iteration", "statistic", "access_pattern")
"""What a row of `runs` shares with the rows of `clients` that it adds up."""

QUOTED = "quoted_variable"
"""Attribute of rows behind a number: the column whose values are quoted, so that its lines are shown."""

SET_BY = "set_by"
"""Attribute of rows behind a number: keys, and names in study.yaml, that say with what else it was worked out."""

Lines: TypeAlias = dict[str, list[int]]
"""Lines by log; of a log that counts as a whole none."""
Place: TypeAlias = tuple[int, str, int]
"""Who asks, a log, and a line of it; 0 is the log as a whole."""
Trace: TypeAlias = pd.DataFrame | xr.Dataset | Sequence[xr.Dataset] | Lines | Iterable[str]


class NumberedRows(NamedTuple):
    """Rows that stand in a log, and for each the number of whoever asks for it, such as a row of a table."""

    rows: Rows
    by: Array

    def take(self, places: Array | slice) -> NumberedRows:
        """Return some of the rows, by their places, by a mask or as a slice."""
        return NumberedRows(self.rows.take(places), self.by[places])


class Logs:
    """The logs of a study: their paths below the root of a project, by number, and the rows of each node."""

    def __init__(self, study: str, tree: xr.DataTree) -> None:
        self.study = study
        self.tree = tree
        self._nodes: dict[str, Rows] = {}
        self._shares: dict[tuple[tuple[str, ...], str], dict[tuple[Hashable, ...], list[int]]] = {}
        self.logs = self.node("logs")
        ids = self.logs["log_id"] if "log_id" in self.logs else range(len(self.logs))
        named = zip(ids, self.logs["log"], strict=False) if "log" in self.logs else ()
        self.paths = {int(id): f"raw/{study}/{log}" for id, log in named}

    def node(self, name: str) -> Rows:
        """Rows of a node; none where the study has no such node."""
        if name not in self._nodes:
            there = name in self.tree.children
            self._nodes[name] = Rows.of(self.tree[name].to_dataset()) if there else Rows({}, 0)
        return self._nodes[name]

    def shares_of(self, runs: NumberedRows) -> NumberedRows:
        """Rows of `clients` that runs add up.

        They are the clients of a run of several logs. Of a run of one log they are its processes where the log prints
        no sum of them: then the run has the line of one of them.
        """
        keys = tuple(name for name in SAME_MEASUREMENT if name in runs.rows and name in self.node("clients"))
        several = runs.rows["log_count"] > 1
        alone = runs.take(~several)
        lines = self.node("clients").get("line", np.nan).tolist()
        processes = [
            places if any(lines[place] == line for place in places) else []
            for line, places in zip(alone.rows["line"].tolist(), self._processes(alone.rows), strict=True)
        ]
        clients = runs.take(several)
        return self._clients((*self._at(clients.rows, keys, "client"), *processes), (*clients.by, *alone.by))

    def processes_of(self, runs: NumberedRows) -> NumberedRows:
        """Rows of `clients` that say what each process of a log did in a run."""
        return self._clients([*self._processes(runs.rows)], runs.by)

    def _clients(self, places_of_runs: Sequence[list[int]], by: Iterable[int]) -> NumberedRows:
        """Rows of `clients` at the places of each run, asked for by whoever asks for the run."""
        places = np.array([place for places in places_of_runs for place in places], dtype=np.intp)
        return NumberedRows(self.node("clients").take(places), np.repeat([*by], [*map(len, places_of_runs)]))

    def _processes(self, runs: Rows) -> Iterator[list[int]]:
        keys = (name for name in SAME_MEASUREMENT if name in runs and name in self.node("clients"))
        return self._at(runs, (*keys, "log_id"), "process")

    def _at(self, runs: Rows, keys: tuple[str, ...], share: str) -> Iterator[list[int]]:
        """Places of the shares of each run."""
        known = self._known(keys, share)
        return (known.get(levels, []) for levels in _levels(runs, keys))

    def _known(self, keys: tuple[str, ...], share: str) -> dict[tuple[Hashable, ...], list[int]]:
        """Places of the shares of one kind, by their levels of some keys."""
        if (keys, share) not in self._shares:
            known = self._shares[keys, share] = defaultdict(list)
            clients = self.node("clients")
            kinds = clients.get("share", "client").tolist()
            for place, (levels, kind) in enumerate(zip(_levels(clients, keys), kinds, strict=True)):
                if kind == share:
                    known[levels].append(place)
        return self._shares[keys, share]


def traced(trace: Trace, logs: Logs) -> Lines:
    """Lines by log, of all clients where a row adds up several; none of a log that counts as a whole.

    Raises
    ------
    AnalysisError
        If the rows do not say where they come from.
    """
    if isinstance(trace, dict):
        return {str(log): list(numbers) for log, numbers in trace.items()}
    return _by_log(_places(trace, logs))


def traced_rows(quoted: Iterable[tuple[NumberedRows, str]], logs: Logs) -> dict[int, Lines]:
    """Lines by log for whoever asked for rows that stand in a log, each part with the column that is quoted; `traced`.

    Whoever asks for many rows asks for all of them at once: each column is then looked at once, not once a row.
    """
    found: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for asked, variable in quoted:
        for by, log, line in _behind(asked, variable, logs):
            found[by].append((log, line))
    return {by: _by_log(places) for by, places in found.items()}


def _by_log(places: Iterable[tuple[str, int]]) -> Lines:
    lines: dict[str, set[int]] = defaultdict(set)
    for log, line in places:
        lines[log].add(line)
    return {log: sorted(lines[log] - {0}) for log in sorted(lines)}


def _places(trace: Trace, logs: Logs) -> list[tuple[str, int]]:
    if not isinstance(trace, (pd.DataFrame, xr.Dataset)):
        return [place for one in trace for place in _place(one, logs)]
    found = Rows.of(trace) if isinstance(trace, xr.Dataset) else Rows.of_frame(trace)
    if "log" not in found and not {"log_id", "line"} <= {*found}:
        raise AnalysisError(
            "trace: expected rows with log_id and line; pass the rows of the dataset, not their summary"
        )
    asked = NumberedRows(found, np.zeros(len(found), dtype=np.intp))
    return [(log, line) for _, log, line in _behind(asked, str(trace.attrs.get(QUOTED, "")), logs)]


def _place(one: xr.Dataset | str, logs: Logs) -> list[tuple[str, int]]:
    if isinstance(one, xr.Dataset):
        return _places(one, logs)
    log, _, line = one.rpartition(":")
    return [(log, int(line))]


def _behind(asked: NumberedRows, variable: str, logs: Logs) -> Iterator[Place]:
    clients = _clients_behind(asked, logs)
    for name, part in _quoted(variable, asked):
        yield from _of_value(name, part, logs)
        yield from _of_clients(name, part, clients, logs)
        yield from _of_processes(name, part, logs)


def _quoted(variable: str, asked: NumberedRows) -> Iterator[tuple[str, NumberedRows]]:
    """Columns that are quoted, and the rows that have a value of them; of a quotient both columns.

    Of what is no column, nor made of any, every row is behind it, and its own line counts.
    """
    rows = asked.rows
    own = variable in rows and variable in schema.LINE_OF
    names = [variable] if own else columns.made_of(variable)
    there = [name for name in names if name in rows]
    if len(there) > 1:
        yield from ((name, asked.take(np.isfinite(rows[name]))) for name in there)
    else:
        yield (there[0] if there else ""), asked


def _of_value(variable: str, asked: NumberedRows, logs: Logs) -> Iterator[Place]:
    """Log and line of a value in each row; where it was computed, of those that it was computed from."""
    computed = _computed(variable, asked.rows)
    yield from _named_lines(asked.take(~computed), logs, variable)
    for name in schema.MADE_OF.get(variable, ("",)) if computed.any() else ():
        yield from _of_value(name, asked.take(computed), logs)


def _of_clients(variable: str, asked: NumberedRows, clients: NumberedRows, logs: Logs) -> Iterator[Place]:
    """Log and line of what clients say of a value of their runs."""
    of_computed = np.isin(clients.by, asked.by[_computed(variable, asked.rows)])
    yield from _of_value(variable, clients.take(~of_computed), logs)
    for name in schema.MADE_OF.get(variable, ("",)) if of_computed.any() else ():
        yield from _of_value(name, clients.take(of_computed), logs)


def _of_processes(variable: str, asked: NumberedRows, logs: Logs) -> Iterator[Place]:
    """Log and line of what each process says of a value that was computed: the whole is then their sum."""
    if schema.LINE_OF.get(variable) in asked.rows and variable in logs.node("clients"):
        processes = logs.processes_of(asked.take(_computed(variable, asked.rows)))
        yield from _named_lines(processes.take(np.isfinite(processes.rows[variable])), logs, variable)


def _computed(variable: str, rows: Rows) -> Array:
    """Which rows say that no line states a value."""
    return np.asarray(rows.get(schema.LINE_OF.get(variable, ""), np.nan) == schema.COMPUTED)


def _named_lines(asked: NumberedRows, logs: Logs, variable: str) -> list[Place]:
    """Log and line of a value of each row that says both; of rows that are logs, the line is 0."""
    rows, by = asked.rows, asked.by.tolist()
    if "line" not in rows:
        return [(one, f"raw/{logs.study}/{log}", 0) for one, log in zip(by, rows["log"], strict=True)]
    ids = _where_said(rows, schema.LOG_OF.get(variable, ""), "log_id")
    named = rows["log"] if "log" in rows else [logs.paths.get(id, "") for id in ids.tolist()]
    lines = _where_said(rows, schema.LINE_OF.get(variable, ""), "line")
    known = np.isfinite(lines).tolist()
    found = zip(by, named, lines.tolist(), known, strict=True)
    return [(one, str(log), int(line)) for one, log, line, is_known in found if log and is_known]


def _where_said(rows: Rows, of_value: str, of_row: str) -> Array:
    """Return what is said of a value, and what is said of its row where nothing is."""
    if of_value not in rows:
        return rows.get(of_row, np.nan)
    said = rows[of_value]
    return np.where(np.isfinite(said), said, rows[of_row])


def _clients_behind(asked: NumberedRows, logs: Logs) -> NumberedRows:
    """Rows of `clients` behind rows of `runs` that add them up."""
    if "log_count" not in asked.rows or not len(logs.node("clients")):
        return asked.take(slice(0))
    return logs.shares_of(asked)


def _levels(rows: Rows, keys: Sequence[str]) -> Iterator[tuple[Hashable, ...]]:
    """Levels of some keys in each row; what is missing is None, which equals itself."""
    known = [[level if level == level else None for level in rows[key].tolist()] for key in keys]
    return zip(*known, strict=True)
