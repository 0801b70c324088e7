"""Between the labelled dataset and the rows that statistics run on: checks on the way in, labels on the way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset as stored
from storagelab import schema
from storagelab.analysis import basis, columns
from storagelab.analysis.cells import Cell as Cell
from storagelab.analysis.cells import Rows
from storagelab.analysis.key_codes import Array, array
from storagelab.analysis.run_times import WHEN, with_run_times
from storagelab.analysis.significant_digits import RESULT, significant
from storagelab.dataset import value_lines
from storagelab.errors import AnalysisError, nearest
from storagelab.lineage import inherit, remember

Result: TypeAlias = Rows | pd.DataFrame | Sequence[Mapping[str, object]]
"""What an analysis found: columns, or the rows one by one."""

CARRIED = ("study", "origin", "title")


def rows(ds: xr.Dataset) -> Rows:
    """Take the columns of a sound dataset, to be grouped into cells."""
    return Rows.of(validate(ds))


def frame(ds: xr.Dataset) -> pd.DataFrame:
    """Lay all coordinates and variables of a sound dataset out as columns."""
    return stored.frame(validate(ds))


def validate(ds: xr.Dataset, *, empty: bool = False) -> xr.Dataset:
    """Return a dataset that an analysis may take; one that only counts takes an empty one too.

    Raises
    ------
    AnalysisError
        If its one dimension is not obs, it has no row, it mixes origins, or a column says another unit than the
        contract.
    """
    if set(ds.dims) != {"obs"}:
        opened = f", {value_lines.OPENED}" if value_lines.DIMENSION in ds.dims else ""
        raise AnalysisError(f"an analysis takes a dataset with the one dimension obs, got {tuple(ds.dims)}{opened}")
    if not (empty or ds.sizes["obs"]):
        raise AnalysisError("the dataset has no row")
    if len(_origins(ds)) > 1:
        origin(ds)
    columns.declare_own(ds)
    for name, column in ds.variables.items():
        if "units" in column.attrs and columns.known(str(name)):
            _check_unit(str(name), column)
    return ds


def dataset(found: Result, like: xr.Dataset, keys: Sequence[str], **attrs: str) -> xr.Dataset:
    """Label what was found: every column with its unit and long name, the whole with the origin and study of `like`.

    Numbers are rounded (`storagelab.analysis.significant_digits`), so that the last bits of a result, which depend on
    the processor, decide nothing that rests on it. Where the rows of `like` say what they rest on, each row says it of
    itself, as `storagelab.analysis.basis` has it; and where they say when they were made, so does each row that names
    its run (`storagelab.analysis.run_times`).
    """
    carried = {name: like.attrs[name] for name in CARRIED if name in like.attrs}
    result, when = with_run_times(as_rows(found), like, keys)
    named = [*keys, *when, *({basis.KEY} & {*result} - {*keys})]
    said = {WHEN: " ".join(when)} if when else {}
    made = labelled(result, named).assign_attrs({**carried, **said, "origin": origin(like), **attrs})
    return remember(basis.propagate_basis(made, like), like)


def stacked(parts: Mapping[str, Rows], like: xr.Dataset, keys: Sequence[str], **attrs: str) -> xr.Dataset:
    """Label rows of several parts below each other, as `dataset` does, and remember of which column each was made."""
    each = [dataset(part, like, keys, **attrs, made_of=name) for name, part in parts.items()]
    return remember(dataset(Rows.stacked([*parts.values()]), like, keys, **attrs), *each)


def as_rows(found: Result) -> Rows:
    """Columns of what was found, whatever shape it has."""
    if isinstance(found, Rows):
        return found
    return Rows.of_frame(found) if isinstance(found, pd.DataFrame) else Rows.of_cells(found)


def labelled(found: Result, keys: Sequence[str], digits: int = RESULT) -> xr.Dataset:
    """Label rows that say themselves where they come from: every column with its unit and long name."""
    result = as_rows(found)
    if gone := [key for key in keys if key not in result]:
        raise AnalysisError(f"{gone[0]} is no key of the result: it was put together over it")
    made = {name: _labelled(name, result[name], digits) for name in result}
    return xr.Dataset({name: column for name, column in made.items() if name not in keys}, {k: made[k] for k in keys})


def with_keys(ds: xr.Dataset, added: Result) -> xr.Dataset:
    """Add keys to the rows of a dataset, in their order."""
    rows = as_rows(added)
    return inherit(ds.assign_coords({name: _labelled(name, rows[name]) for name in rows}), ds)


def with_variables(ds: xr.Dataset, added: Result, **attrs: str) -> xr.Dataset:
    """Add what was computed row by row to the rows of a dataset, in their order."""
    return inherit(ds.assign(dict(dataset(added, ds, []).data_vars)).assign_attrs(attrs), ds)


def _labelled(name: str, values: Array, digits: int = RESULT) -> xr.Variable:
    field = columns.field(name)
    attrs = schema.attributes(field)
    if field.unit is None:
        return xr.Variable("obs", array(values).astype(str), attrs)
    return xr.Variable("obs", significant(values.astype(np.float64), digits), attrs)


def origin(ds: xr.Dataset) -> str:
    """Return the one origin of a dataset.

    Raises
    ------
    AnalysisError
        If it says none, or mixes several.
    """
    found = _origins(ds)
    if len(found) != 1:
        what = f"mixes the origins {', '.join(sorted(found))}: select one" if found else "does not say its origin"
        raise AnalysisError(f"the dataset {what}")
    return str(found.pop())


def _origins(ds: xr.Dataset) -> set[str]:
    said = {*np.unique(ds.variables["origin"].to_numpy()).tolist()} if "origin" in ds.coords else set()
    return (said | {ds.attrs.get("origin", "")}) - {""}


def unit(ds: xr.Dataset, variable: str) -> str:
    """Return the SI unit of a variable of numbers, which must be that of the contract.

    Raises
    ------
    AnalysisError
        If the dataset lacks the variable, it carries another unit, or its values are no numbers.
    """
    require(ds, variable)
    column = ds.variables[variable]
    if columns.field(variable).unit is None or column.dtype.kind not in "fiub":
        raise AnalysisError(f"{variable}: expected a variable of numbers, got {_kind(column)}")
    return _check_unit(variable, column)


def _kind(column: xr.Variable) -> str:
    return "text" if column.dtype.kind in "UT" else f"values of the type {column.dtype}"


def _check_unit(name: str, column: xr.Variable) -> str:
    said, meant = column.attrs.get("units"), columns.field(name).unit
    if said != meant:
        raise AnalysisError(f"{name} is in {said!r}, the contract says {meant!r}: convert it first")
    return str(meant)


def require(ds: xr.Dataset, *names: str) -> None:
    """Refuse a dataset that lacks a name, with the nearest one it has."""
    for name in names:
        if name not in ds.variables:
            columns.field(name)
            raise AnalysisError(f"the dataset has no {name!r}{nearest(name, map(str, ds.variables))}{_verb(ds, name)}")


def _verb(ds: xr.Dataset, name: str) -> str:
    """Name the analysis that makes what is missing, if there is one."""
    if name in ("percentile", "latency_at"):
        return "; `percentiles` makes it of the columns of a latency"
    if columns.field(name).kind == "key" and "run_id" in ds.variables:
        of_node = f"where another node of the study has it: `with_keys_of(ds, that_node, [{name!r}])`"
        of_names = f"where names of logs have it: a group (?P<{name}>...) of a `regex` in `match` of study.yaml"
        return f"; {of_node}; {of_names}"
    return ""


def sides(ds: xr.Dataset, factor: str, *levels: str | float) -> xr.Dataset:
    """Select the rows of the levels of a factor that are held against each other.

    Raises
    ------
    AnalysisError
        If two of them are the same.
    UnknownNameError
        If there is no such factor or level.
    """
    if len(set(levels)) < len(levels):
        raise AnalysisError(f"the same level of {factor} twice, {format_level(levels[0])}: nothing to compare")
    return stored.select(validate(ds), **{factor: list(levels)})


def require_known(rows: Rows | pd.DataFrame, keys: Sequence[str], what: str) -> None:
    """Refuse rows of which it is not known what tells them apart: they are not the same for that."""
    for key in keys:
        if bool(((rows[key] != rows[key]) | (rows[key] == "")).any()):
            raise AnalysisError(f"some rows do not say their {key}: {what}")


def refuse_several(found: int, keys: Mapping[str, Any]) -> None:
    """Refuse rows that some keys chose, where a sentence speaks of one."""
    if found != 1:
        which = f" have {name_cell(keys)}" if keys else ""
        raise AnalysisError(f"{found} rows{which}: name the keys that choose one")


def cells(rows: Any, by: Sequence[str]) -> Iterator[tuple[Cell, Any]]:
    """Split a frame into cells: the keys of each, and its rows. Missing keys make cells of their own."""
    if not by:
        yield {}, rows
        return
    for values, part in rows.groupby(list(by), dropna=False, sort=True):
        yield dict(zip(by, values, strict=True)), part


def name_cell(cell: Mapping[str, Any]) -> str:
    """Write the keys of a cell as a message may show them."""
    return ", ".join(f"{key}={format_level(value)}" for key, value in cell.items())


def name_known(cell: Mapping[str, Any]) -> str:
    """Name a cell by those of its keys that are known."""
    return name_cell({key: level for key, level in cell.items() if level == level and level != ""})


def cell_id(cell: Mapping[str, Any], by: Sequence[str]) -> tuple[str, ...]:
    """Name a cell so that it can be looked up: missing keys are equal, as NaN are not."""
    return tuple(str(cell[key]) for key in by)


def format_level(level: object) -> str:
    """Write a level: a number with all its digits, and without a needless point.

    Examples
    --------
    >>> format_level(2.0**30), format_level(0.25)
    ('1073741824', '0.25')
    """
    return f"{level:.15g}" if isinstance(level, float) else str(level)
