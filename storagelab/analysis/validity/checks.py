"""What a check of a study is: a question, what it looked at, what it found, and where that stands in the logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset, schema
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.errors import AnalysisError

SINGLE_CLIENT = "client"
"""The word of the key share that says that a row is all that one client did."""


ABOUT = ("run_id", "client", "operation")
"""Keys that say what a finding is about."""

RANKS = ("wrong", "doubtful", "note", "known")
"""How much a finding weighs, the worst first: data that cannot be so; data that a reader should not believe without
asking; what he has to know to read them; and what the study itself says of them (`expected` of study.yaml)."""


NO_GROUP = frozenset(
    {"study", "origin", "basis", "run_id", "part", "statistic", "label", "iteration", "share", "process", "time"}
    | {"order", "day", "round"}
    | {entry.name for entry in [*schema.LOG_FIELDS, *schema.TRACE]}
)
"""Keys whose levels are no part of a campaign that somebody could have treated differently."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a reader should know before he believes a number.

    Attributes
    ----------
    where : str
        The log, run or cell.
    found : str
        What is wrong with it, in one sentence without a full stop.
    size : float
        How far off it is, in the measure of its check: the worst finding is the largest. NaN where there is no more
        and less.
    log_id, line : float
        Where it stands; NaN where no log has it, as with a run that is missing.
    run_id, client, operation : str
        What it is about, as far as it is about one.
    rank : str
        One of `RANKS`; that of its check where it says none.
    cause : str
        What findings of one check have in common that are told as one; "" where all of them are.
    """

    where: str
    found: str
    size: float = np.nan
    log_id: float = np.nan
    line: float = np.nan
    run_id: str = ""
    client: str = ""
    operation: str = ""
    rank: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Looked:
    """What a check looked at: how many of what, and what it found there; `left` says what it could not look at."""

    checked: int
    unit: str
    findings: Sequence[Finding] = ()
    left: str = ""


@dataclass(frozen=True)
class Study:
    """The nodes of a study as frames, each made once; an absent node or column is a reason not to check.

    `made` holds what functions marked with `once` made of the study.
    """

    tree: xr.DataTree
    _frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    made: dict[tuple[object, ...], Any] = field(default_factory=dict)

    @cached_property
    def about(self) -> dict[str, object]:
        """What the root says."""
        return dataset.about(self.tree)

    def node(self, name: str) -> xr.Dataset:
        """Return a node.

        Raises
        ------
        AnalysisError
            If the study has none of this name.
        """
        if name not in self.tree.children:
            raise AnalysisError(f"the study has no {name}")
        return self.tree[name].to_dataset()

    def has(self, name: str) -> bool:
        """Whether the study has a node."""
        return name in self.tree.children

    def rows(self, node: str, *columns: str) -> pd.DataFrame:
        """Return a node as a frame.

        Raises
        ------
        AnalysisError
            If there is no such node, or it lacks a column.
        """
        if node not in self._frames:
            self._frames[node] = dataset.frame(self.node(node))
        for name in columns:
            if name not in self._frames[node]:
                raise AnalysisError(f"the {node} of the study do not say: {schema.field(name).long_name}")
        return self._frames[node]

    def keys(self, node: str) -> list[str]:
        """Keys of a node that tell the cells of the campaign apart, or whose a row is."""
        if not self.has(node):
            return []
        names = [str(name) for name in self.node(node).coords]
        return [name for name in names if name not in NO_GROUP]

    @cached_property
    def logs(self) -> pd.DataFrame:
        """Node ``logs``, each row with its log_id."""
        rows = self.rows("logs", "log")
        return rows if "log_id" in rows else rows.assign(log_id=np.arange(len(rows), dtype=float))

    @cached_property
    def log_names(self) -> dict[float, str]:
        """Path of each log by its log_id."""
        return dict(zip(self.logs["log_id"].tolist(), self.logs["log"].astype(str), strict=True))

    def log_name(self, log_id: float) -> str:
        """Path of a log, or its number where the study does not list it."""
        return self.log_names.get(log_id, f"log {log_id:g}")

    @cached_property
    def log_records(self) -> dict[float, dict[str, Any]]:
        """What is known of each log, by its log_id."""
        return dict(zip(self.logs["log_id"].tolist(), Rows.of_frame(self.logs).records(), strict=True))

    def of_clients(self) -> pd.DataFrame:
        """Rows of ``clients`` that are all that one client did in a run.

        Raises
        ------
        AnalysisError
            If there are none.
        """
        rows = self.rows("clients")
        known = rows.iloc[:0] if not {"client", "run_id"}.issubset(rows) else rows[rows["client"] != ""]
        shares: pd.DataFrame = known[known["share"] == SINGLE_CLIENT] if "share" in known else known
        if shares.empty:
            raise AnalysisError("the study names no client")
        return shares

    @property
    def origin(self) -> str:
        """Origin of the study, by its root."""
        return str(self.tree.attrs.get("origin", ""))


Given = ParamSpec("Given")
Made = TypeVar("Made")


def once(make: Callable[Concatenate[Study, Given], Made]) -> Callable[Concatenate[Study, Given], Made]:
    """Let a function make only once what several checks of a study look at; none of them may change it."""

    @wraps(make)
    def made(study: Study, /, *args: Given.args, **kwargs: Given.kwargs) -> Made:
        asked = (make, args, tuple(kwargs.items()))
        if asked not in study.made:
            study.made[asked] = make(study, *args, **kwargs)
        found: Made = study.made[asked]
        return found

    return made


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the report; `look` raises an AnalysisError that says why it cannot answer."""

    name: str
    question: str
    look: Callable[[Study], Looked]
    rank: str = "doubtful"


def some(rows: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Return rows, of which there must be some.

    Raises
    ------
    AnalysisError
        With the reason, if there are none.
    """
    if rows.empty:
        raise AnalysisError(reason)
    return rows


def brief(number: float) -> str:
    """Write a number for a sentence: three significant digits and no exponent."""
    return f"{float(f'{number:.3g}'):,.15g}"


def place(row: pd.Series | Mapping[str, Any]) -> dict[str, Any]:
    """Return where a row stands and what it is about, as `Finding` takes it."""
    trace = {name: float(row.get(name, np.nan)) for name in ("log_id", "line")}
    return trace | {name: str(row[name]) for name in ABOUT if name in row}


def named(row: pd.Series | Mapping[str, Any]) -> str:
    """Name a measurement by its run, its client and its operation."""
    keys = ("run_id", "client", "process", "operation", "part", "iteration")
    present = {key: row[key] for key in keys if key in row and row[key] not in ("", "unknown") and pd.notna(row[key])}
    return table.name_cell(present)
