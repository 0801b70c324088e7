"""Between the labelled dataset and the frame that statistics run on: checks on the way in, labels on the way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset as stored
from storagelab.analysis import basis, columns
from storagelab.errors import AnalysisError, nearest

Cell = dict[str, Any]

CARRIED = ("study", "origin", "title")


def frame(ds: xr.Dataset) -> pd.DataFrame:
    """Lay all coordinates and variables of a sound dataset out as columns."""
    return stored.frame(sound(ds))


def sound(ds: xr.Dataset, *, empty: bool = False) -> xr.Dataset:
    """Return a dataset that an analysis may take; one that only counts takes an empty one too.

    Raises
    ------
    AnalysisError
        If its one dimension is not obs, it has no row, it mixes origins, or a column says another unit than the
        contract.
    """
    if set(ds.dims) != {"obs"}:
        raise AnalysisError(f"an analysis takes a dataset with the one dimension obs, got {tuple(ds.dims)}")
    if not (empty or ds.sizes["obs"]):
        raise AnalysisError("the dataset has no row")
    if len(_origins(ds)) > 1:
        origin(ds)
    for name, column in ds.variables.items():
        if "units" in column.attrs and columns.known(str(name)):
            unit(ds, str(name))
    return ds


def dataset(rows: pd.DataFrame, like: xr.Dataset, keys: Sequence[str], **attrs: str) -> xr.Dataset:
    """Label a frame: every column with its unit and long name, the whole with the origin and study of `like`.

    Where the rows of `like` say what they rest on, each row says it of itself, as `storagelab.analysis.basis` has it.
    """
    carried = {name: like.attrs[name] for name in CARRIED if name in like.attrs}
    named = [*keys, *({basis.KEY} & {*rows} - {*keys})]
    made = labelled(rows, named).assign_attrs({**carried, "origin": origin(like), **attrs})
    return basis.carried(made, like)


def labelled(rows: pd.DataFrame, keys: Sequence[str]) -> xr.Dataset:
    """Label a frame whose rows say themselves where they come from: every column with its unit and long name."""
    found = {str(name): _labelled(str(name), rows[name]) for name in rows}
    return xr.Dataset({name: column for name, column in found.items() if name not in keys}, {k: found[k] for k in keys})


def with_keys(ds: xr.Dataset, added: pd.DataFrame) -> xr.Dataset:
    """Add keys to the rows of a dataset, in their order."""
    return ds.assign_coords({str(name): _labelled(str(name), added[name]) for name in added})


def _labelled(name: str, values: pd.Series[Any]) -> xr.Variable:
    field = columns.field(name)
    if field.unit is None:
        return xr.Variable("obs", values.astype(str).to_numpy(dtype=str), {"long_name": field.long_name})
    attrs = {"units": field.unit, "long_name": field.long_name}
    return xr.Variable("obs", values.to_numpy(dtype=np.float64), attrs)


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
    said = set(pd.unique(ds["origin"].to_numpy()).tolist()) if "origin" in ds.coords else set()
    return (said | {ds.attrs.get("origin", "")}) - {""}


def unit(ds: xr.Dataset, variable: str) -> str:
    """Return the SI unit of a variable, which must be that of the contract.

    Raises
    ------
    AnalysisError
        If the dataset lacks the variable, or carries another unit.
    """
    require(ds, variable)
    said, meant = ds[variable].attrs.get("units"), columns.field(variable).unit
    if said != meant:
        raise AnalysisError(f"{variable} is in {said!r}, the contract says {meant!r}: convert it first")
    return str(meant)


def require(ds: xr.Dataset, *names: str) -> None:
    """Refuse a dataset that lacks a name, with the nearest one it has."""
    present = [str(name) for name in ds.variables]
    for name in names:
        if name not in present:
            columns.field(name)
            raise AnalysisError(f"the dataset has no {name!r}{nearest(name, present)}")


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
        raise AnalysisError(f"the same level of {factor} twice, {spelled(levels[0])}: nothing to compare")
    return stored.select(sound(ds), **{factor: list(levels)})


def require_known(rows: pd.DataFrame, keys: Sequence[str], what: str) -> None:
    """Refuse rows of which it is not known what tells them apart: they are not the same for that."""
    for key in keys:
        if bool((rows[key].isna() | (rows[key] == "")).any()):
            raise AnalysisError(f"some rows do not say their {key}: {what}")


def cells(rows: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[Cell, pd.DataFrame]]:
    """Split a frame into its cells: the keys of each, and its rows. Missing keys make cells of their own."""
    if not by:
        yield {}, rows
        return
    for values, part in rows.groupby(list(by), dropna=False, sort=True):
        yield dict(zip(by, values, strict=True)), part


def name_cell(cell: Mapping[str, Any]) -> str:
    """Write the keys of a cell as a message may show them."""
    return ", ".join(f"{key}={spelled(value)}" for key, value in cell.items())


def spelled(level: object) -> str:
    """Write a level: a number without a needless point."""
    return f"{level:g}" if isinstance(level, float) else str(level)
