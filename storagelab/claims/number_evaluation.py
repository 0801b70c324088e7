"""A quantity as a sidecar states it, taken out of a dataset by the functions of `storagelab.analysis`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import orjson
import xarray as xr

from storagelab import analysis, dataset, deprecated, schema
from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.key_codes import Places
from storagelab.analysis.significant_digits import significant
from storagelab.analysis.source_rows import rows_behind
from storagelab.analysis.traces import Logs, traced
from storagelab.analysis.verdicts.quantity import number, one_row
from storagelab.analysis.verdicts.quantity import numbers as quantity_in
from storagelab.errors import AnalysisError, UnknownNameError
from storagelab.study.amount import amount
from storagelab.study.sidecar_numbers import Quantity

Keys = dict[str, Any]
SELECT = "select"
"""The one step that is no analysis: it keeps rows of a result, such as those of one aggregate."""


@dataclass(frozen=True, slots=True)
class Found:
    """A number out of the logs.

    Attributes
    ----------
    value, low, high, error : float
        The number, its 95 % interval and its standard error, in SI; NaN where there is none.
    unit : str
        SI unit; "" where it is a word.
    n : float
        Runs or other units of repetition behind it.
    level : str
        The word, where it is none.
    basis : str
        What the rows that were chosen rest on: measured, published, derived or model.
    caveat : str
        Why the interval may not cover what it says.
    verdict : str
        Of the comparison that it comes from; "" where nothing was compared.
    stated : (float, float)
        The interval that the analysis states, which holds for all comparisons of its table together.
    runs : (float, float)
        The lowest and the highest run of a mean over runs; NaN where it is none.
    """

    value: float
    low: float = np.nan
    high: float = np.nan
    error: float = np.nan
    unit: str = "1"
    n: float = np.nan
    level: str = ""
    basis: str = ""
    caveat: str = ""
    verdict: str = ""
    stated: tuple[float, float] = (np.nan, np.nan)
    runs: tuple[float, float] = (np.nan, np.nan)

    def row(self, claim: str) -> dict[str, float | str]:
        """Return the row of `storagelab.analysis.claim_quantity`."""
        return {
            "claim": claim, "quantity": "", "n": self.n, "value": self.value, "value_low": self.low,
            "value_high": self.high, "value_error": self.error, "unit": self.unit, "level": self.level,
        }  # fmt: skip


def take(quantity: Quantity, tree: xr.DataTree, name: str) -> Found:
    """Take a quantity out of a study.

    Parameters
    ----------
    quantity : Quantity
        Rows, steps and a column; no expression.
    tree : DataTree
        The study.
    name : str
        Who asks, for messages.

    Raises
    ------
    AnalysisError
        If the data cannot answer, or a step is no analysis; names who asks.
    """
    with _asked_by(name):
        rows, result = _worked_out(quantity, tree)
        return _found(one_row(result, name, quantity.take, **_keys(quantity.at)), quantity.take, basis_of(rows))


def as_stated(found: Found) -> Found:
    """Return a number with the interval that its analysis states, so that it cannot contradict the verdict.

    It is the one that holds for all comparisons of its table together, if the number comes out of one.
    """
    low, high = found.stated
    return replace(found, low=low, high=high) if np.isfinite([low, high]).all() else found


def lines_behind(quantity: Quantity, tree: xr.DataTree, study: str, **keys: object) -> dict[str, list[int]]:
    """Find the lines of logs that a quantity comes from.

    Parameters
    ----------
    quantity, tree
        As for `take`.
    study : str
        Name of the study.
    **keys
        Which row of its result, where it keeps several.

    Returns
    -------
    dict
        Lines by path of the log, below the root of the project.
    """
    _, result = _worked_out(quantity, tree)
    row = dataset.select(result, **{**_keys(quantity.at), **keys})
    return traced(rows_behind(row, quantity.take), _logs(_Study(tree), study))


def take_rows(quantity: Quantity, tree: xr.DataTree, name: str, keep: Sequence[str]) -> list[tuple[Keys, Found]]:
    """Take a quantity out of a study that has a row a level, such as a curve.

    Parameters
    ----------
    quantity, tree, name
        As for `take`.
    keep : sequence of str
        Keys or columns of the result that tell its rows apart.

    Returns
    -------
    list of (keys, Found)
        One a row of the result; each rests on those rows of the study that have its keys.

    Raises
    ------
    AnalysisError
        As `take`.
    """
    with _asked_by(name):
        rows, result = _worked_out(quantity, tree)
        table.require(table.validate(result), *keep, quantity.take)
        chosen = Rows.of(result).take(dataset.places(result, **_keys(quantity.at)))
        return [_kept(chosen.take(np.array([place])), quantity.take, keep, rows) for place in range(len(chosen))]


def _kept(row: Rows, variable: str, keep: Sequence[str], rows: xr.Dataset) -> tuple[Keys, Found]:
    keys = {key: row[key].tolist()[0] for key in keep}
    behind = dataset.places(rows, **{key: value for key, value in keys.items() if key in rows.coords})
    return keys, _found(row, variable, basis_of(rows, behind))


@contextmanager
def _asked_by(name: str) -> Iterator[None]:
    """Say in each error who asked."""
    try:
        yield
    except (AnalysisError, UnknownNameError, TypeError, ValueError) as error:
        raise AnalysisError(f"{name}: {error}") from error


def _worked_out(quantity: Quantity, tree: xr.DataTree) -> tuple[xr.Dataset, xr.Dataset]:
    """The rows of the study that a quantity chooses, and all rows of its result."""
    return _analysed(_Study(tree), quantity.model_dump_json(include={"node", "where", "steps"}))


class _Study:
    """A study, which is the same as itself only: analyses of it may be remembered."""

    def __init__(self, tree: xr.DataTree) -> None:
        self.tree = tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Study) and self.tree is other.tree

    def __hash__(self) -> int:
        return id(self.tree)


@lru_cache
def _analysed(study: _Study, asked: str) -> tuple[xr.Dataset, xr.Dataset]:
    """The rows that a quantity chooses, and all that its steps make of them: many quantities take one row of that."""
    quantity = orjson.loads(asked)
    rows = result = chosen(node_of(study.tree, quantity["node"]), quantity["where"])
    for step in quantity["steps"]:
        ((function, arguments),) = step.items()
        result = _analysis(function)(result, **_arguments(arguments, study.tree))
    return rows, result


@lru_cache(maxsize=16)
def _logs(study: _Study, name: str) -> Logs:
    return Logs(name, study.tree)


def chosen(ds: xr.Dataset, where: Mapping[str, Any]) -> xr.Dataset:
    """Select rows by keys: a value, several, a number with its unit (``2 GB``), or ``{low:, high:}`` for a range."""
    ranges = {name: ends for name, ends in where.items() if isinstance(ends, Mapping)}
    ds = dataset.select(ds, **_keys({name: where[name] for name in where if name not in ranges}))
    for name, ends in ranges.items():
        ds = analysis.between(ds, name, **{end: _level(name, value) for end, value in ends.items()})
    return ds


def _keys(where: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _level(name, value) for name, value in where.items()}


def _level(name: str, value: Any) -> Any:
    """Read a number with its unit where the key is a number; anything else stays as it is."""
    if isinstance(value, list | tuple):
        return [_level(name, each) for each in value]
    if isinstance(value, str) and name in schema.FIELDS and not schema.is_text(name):
        return amount(value).si
    return value


def node_of(tree: xr.DataTree, name: str) -> xr.Dataset:
    """Return a node of a study.

    Raises
    ------
    UnknownNameError
        If it has none such.
    """
    if name not in tree.children:
        raise UnknownNameError("node of this study", name, map(str, tree.children))
    return tree[name].to_dataset()


def _analysis(name: str) -> Callable[..., xr.Dataset]:
    if name == SELECT:
        return dataset.select
    if name not in {*analysis.__all__, *deprecated.RENAMED["storagelab.analysis"]}:
        raise UnknownNameError("analysis", name, analysis.__all__)
    found: Callable[..., xr.Dataset] = getattr(analysis, name)
    return found


def _arguments(given: Mapping[str, Any], tree: xr.DataTree) -> dict[str, Any]:
    """Replace ``{node: logs}`` by that node of the study."""
    return {name: node_of(tree, value["node"]) if _is_node(value) else value for name, value in given.items()}


def _is_node(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"node"}


def _found(row: Rows, variable: str, basis: str) -> Found:
    numbers = quantity_in(row, variable)
    value, low, high, error, n = significant([float(numbers[name]) for name in _NUMBERS]).tolist()
    unit, level = str(numbers["unit"]), str(numbers["level"])
    caveat, verdict = (str(row.get(name, "")[0]) for name in ("caveat", "verdict"))
    low_stated, high_stated = (number(row, end) for end in ends_of(variable))
    least, most = (number(row, f"{variable}_{end}") for end in ("min", "max"))
    return Found(
        value, low, high, error, unit, n, level, basis, caveat, verdict, (low_stated, high_stated), (least, most)
    )  # fmt: skip


_NUMBERS = ("value", "value_low", "value_high", "value_error", "n")


def ends_of(variable: str) -> tuple[str, str]:
    """Return the names of the columns that hold the interval of a variable."""
    return columns.low(variable), columns.high(variable)


def basis_of(rows: xr.Dataset, places: Places | slice = slice(None)) -> str:
    """Return what rows, or those at some places, rest on: "measured", or the weakest basis among them."""
    if table.origin(rows) == "measured":
        return "measured"
    return weakest(rows.variables["basis"].to_numpy()[places].tolist() if "basis" in rows.coords else ())


def weakest(bases: Iterable[str]) -> str:
    """Return the weakest of several bases; the model's where nobody says."""
    said = set(bases) - {""}
    return schema.weakest(said - {"measured"}) or ("measured" if said else schema.BASES[-1])
