"""Lines of logs behind rows: by path, as papers and ledgers write them down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis.cells import Rows
from storagelab.errors import AnalysisError

SAME_MEASUREMENT = ("run_id", "operation", "part", "iteration", "statistic", "access_pattern")
"""What a row of `runs` shares with the rows of `clients` that it adds up."""

Trace: TypeAlias = pd.DataFrame | xr.Dataset | Sequence[xr.Dataset] | dict[str, list[int]] | Iterable[str]


class Logs:
    """The logs of a study: their paths below the root of a project, by number, and the rows of each node."""

    def __init__(self, study: str, tree: xr.DataTree) -> None:
        self.study = study
        self.tree = tree
        self._nodes: dict[str, Rows] = {}
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


def traced(trace: Trace, logs: Logs) -> dict[str, list[int]]:
    """Lines by log, of all clients where a row adds up several; none of a log that counts as a whole.

    Raises
    ------
    AnalysisError
        If the rows do not say where they come from.
    """
    if isinstance(trace, dict):
        return {str(log): list(numbers) for log, numbers in trace.items()}
    lines: dict[str, set[int]] = defaultdict(set)
    for log, line in _places(trace, logs):
        lines[log].add(line)
    return {log: sorted(lines[log] - {0}) for log in sorted(lines)}


def _places(trace: Trace, logs: Logs) -> Iterable[tuple[str, int]]:
    if not isinstance(trace, (pd.DataFrame, xr.Dataset)):
        return [place for one in trace for place in _place(one, logs)]
    found = Rows.of(trace) if isinstance(trace, xr.Dataset) else Rows.of_frame(trace)
    if "log" not in found and not {"log_id", "line"} <= {*found}:
        raise AnalysisError(
            "trace: expected rows with log_id and line; pass the rows of the dataset, not their summary"
        )
    return [*_named_lines(found, logs), *_named_lines(_clients_behind(found, logs), logs)]


def _place(one: xr.Dataset | str, logs: Logs) -> Iterable[tuple[str, int]]:
    if isinstance(one, xr.Dataset):
        return _places(one, logs)
    log, _, line = one.rpartition(":")
    return [(log, int(line))]


def _named_lines(rows: Rows, logs: Logs) -> list[tuple[str, int]]:
    """Log and line of each row that says both; of rows that are logs, the line is 0."""
    if "line" not in rows:
        return [(f"raw/{logs.study}/{log}", 0) for log in rows["log"]]
    named = rows["log"] if "log" in rows else [logs.paths.get(id, "") for id in rows["log_id"]]
    return [(str(log), int(line)) for log, line in zip(named, rows["line"], strict=True) if log and np.isfinite(line)]


def _clients_behind(found: Rows, logs: Logs) -> Rows:
    """Rows of `clients` behind rows of `runs` that were made from several logs."""
    clients = logs.node("clients")
    if "log_count" not in found or not len(clients):
        return Rows({"log": np.zeros(0), "line": np.zeros(0)}, 0)
    shares = clients.where("share", "client") if "share" in clients else clients
    keys = [name for name in SAME_MEASUREMENT if name in found and name in clients]
    return shares.take(shares.matching(found.take(found["log_count"] > 1), keys))
