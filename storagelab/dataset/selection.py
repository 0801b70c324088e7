"""Rows of a node chosen by their keys, and laid out as frames and grids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from storagelab import schema
from storagelab.dataset import value_lines
from storagelab.errors import AnalysisError, ContractError, UnknownNameError
from storagelab.lineage import inherit

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


A_NODE = 'expected a node of a study, such as study["runs"].to_dataset()'


def frame(ds: xr.Dataset) -> pd.DataFrame:
    """All keys, variables and traces of a node as columns, a row an observation, in the order of the schema.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A node of a study, or the result of an analysis.

    Returns
    -------
    DataFrame
        A column a name of the contract.

    Raises
    ------
    ContractError
        If this is a whole study and no node of it, or no dataset at all.

    Examples
    --------
    >>> from storagelab.dataset import from_rows
    >>> runs = from_rows([{"clients": 1, "throughput": 9e8}, {"clients": 2, "throughput": 1.5e9}], origin="measured")
    >>> frame(runs)["throughput"].tolist()
    [900000000.0, 1500000000.0]
    """
    import pandas as pd

    _refuse_no_node(ds)
    columns = ds.variables
    names = [
        *(name for name in schema.FIELDS if name in columns),
        *(name for name in columns if name not in schema.FIELDS),
    ]
    return pd.DataFrame({str(name): columns[name].to_numpy() for name in names})


def select(ds: xr.Dataset, **keys: Any) -> xr.Dataset:
    """Rows of a node whose keys equal a value, or one of several values; NaN is where a number is missing.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A node of a study, or the result of an analysis.
    **keys : value or list of values
        What rows must have, by the name of the key; numbers in SI.

    Returns
    -------
    Dataset, dimension obs
        The rows that were chosen, in their order.

    Raises
    ------
    UnknownNameError
        If the node has no such key, or no row has the value; names the nearest there is.
    ContractError
        If this is a whole study and no node of it.

    Examples
    --------
    >>> select(study["runs"].to_dataset(), operation="write", clients=[1, 12])  # doctest: +SKIP
    """
    return take(ds, places(ds, **keys))


def places(ds: xr.Dataset, **keys: Any) -> np.ndarray[Any, Any]:
    """Places of the rows that `select` chooses.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A node of a study, or the result of an analysis.
    **keys : value or list of values
        As for `select`.

    Returns
    -------
    ndarray
        Positions along obs, ascending.

    Raises
    ------
    UnknownNameError, ContractError
        As `select`.
    """
    _refuse_no_node(ds)
    if "obs" not in ds.sizes:
        raise ContractError(f"{A_NODE}, found no dimension obs")
    keep = np.ones(ds.sizes["obs"], dtype=bool)
    for name, wanted in keys.items():
        if name not in ds.variables:
            raise UnknownNameError("key of this dataset", name, _keys(ds))
        keep &= _equals(ds, name, wanted)
    return np.flatnonzero(keep)


def take(ds: xr.Dataset, places: np.ndarray[Any, Any]) -> xr.Dataset:
    """Rows of a node by their places, as ``ds.isel(obs=places)`` does, which looks at each column as if it were alone.

    Selecting is what papers and ledgers do most often; this takes a seventh of the time.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A node of a study, or the result of an analysis.
    places : ndarray
        Positions along obs.

    Returns
    -------
    Dataset, dimension obs
        The rows, in the order of their places.
    """
    import xarray as xr

    columns = dict(ds.variables)
    plain = all(type(column.data) is np.ndarray and column.ndim == 1 for column in columns.values())
    if ds.xindexes or set(ds.sizes) != {"obs"} or not plain:
        return inherit(ds.isel(obs=places), ds)
    taken = {
        name: xr.Variable(("obs",), column.data[places], column.attrs, fastpath=True)
        for name, column in columns.items()
    }
    return inherit(ds._replace(variables=taken, dims={"obs": len(places)}), ds)


def _keys(ds: xr.Dataset) -> list[str]:
    """Names of the keys of a node: its coordinates, but those that say where a value stands."""
    return [str(name) for name in ds.coords if name not in schema.FIELDS or schema.FIELDS[str(name)].kind == "key"]


def logs_of_tools(logs: xr.Dataset) -> xr.Dataset:
    """Leave the logs of tools in a node ``logs``: an experimenter's table to which rows lead is none."""
    return logs.isel(obs=logs["role"].to_numpy() != schema.SIDECAR) if "role" in logs.variables else logs


def _refuse_no_node(ds: Any) -> None:
    if getattr(type(ds), "children", None) and ds.children:  # asked of a dataset itself, xarray looks among its columns
        raise ContractError(f"{A_NODE}, found a study of the nodes {', '.join(ds.children)}")
    if not hasattr(ds, "data_vars"):
        raise ContractError(f"{A_NODE}, found a {type(ds).__name__}")
    if value_lines.DIMENSION in ds.sizes:
        raise ContractError(f"{A_NODE}, found one {value_lines.OPENED}")


def _equals(ds: xr.Dataset, name: str, wanted: Any) -> np.ndarray[Any, Any]:
    values = ds.variables[name].to_numpy()
    wanted = wanted.to_numpy() if hasattr(wanted, "to_numpy") else wanted
    words = list(wanted) if np.iterable(wanted) and not isinstance(wanted, str) else [wanted]
    found = [(values == word) | ((values != values) & (word != word)) for word in words]
    for word, rows in zip(words, found, strict=True):
        if not np.any(rows):
            is_text = isinstance(word, str) and values.dtype.kind == "f"
            what = f"value of {name}, which is a number and no text:" if is_text else f"value of {name}"
            raise UnknownNameError(what, str(word), {str(value) for value in np.unique(values)})
    keep = np.zeros(len(values), dtype=bool)
    for rows in found:
        keep |= rows
    return keep


def five_keys(*studies: xr.DataTree) -> pd.DataFrame:
    """Lay out the conditions of several studies by the five keys that all of them have.

    Parameters
    ----------
    *studies : DataTree
        As `load` gives them.

    Returns
    -------
    DataFrame
        A row for each study and each set of its keys: columns study, origin, filesystem, server_mode, driver, striping,
        clients and runs (how many). "not applicable" where a study has no such key, "unknown" where its source does not
        say; `clients` is then NaN.

    Raises
    ------
    ContractError
        If no study is named, a study has no conditions, or neither its rows nor its study.yaml say anything of a key.

    Examples
    --------
    >>> storagelab.five_keys(*map(storagelab.open_study, ["one.nc", "other.nc"]))  # doctest: +SKIP
    """
    import pandas as pd

    if not studies:
        raise ContractError("no study is named: its conditions cannot be laid out")
    return pd.concat([_conditions(study) for study in studies], ignore_index=True)


def _conditions(study: xr.DataTree) -> pd.DataFrame:
    name = str(study.attrs.get("study", "")) or "a study without a name"
    if "conditions" not in getattr(study, "children", ()):
        raise ContractError(f"{name} has no node conditions: ingest it again")
    ds = study["conditions"].to_dataset()
    lacking = [key for key in schema.FIVE_KEYS if key not in ds.variables] or ds.attrs.get("not_said", "").split(", ")
    if any(lacking):
        how = f"say it in `keys` of study.yaml, {schema.NOT_APPLICABLE!r} or {schema.UNKNOWN!r} where that is so"
        raise ContractError(f"{name} says nothing of {', '.join(lacking)}: {how}")
    keys = list(schema.FIVE_KEYS)
    counted = frame(ds).groupby(keys, dropna=False)["run_id"].nunique().rename("runs").reset_index()
    return counted.assign(study=name, origin=str(study.attrs.get("origin", "")))[["study", "origin", *keys, "runs"]]


def grid(ds: xr.Dataset, variable: str, *keys: str) -> xr.DataArray:
    """Spread one variable over a grid of keys, one dimension a key; a cell without a row is NaN.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A node of a study, or the result of an analysis.
    variable : str
        What to spread.
    *keys : str
        Dimensions of the grid, in this order.

    Returns
    -------
    DataArray
        One value a cell, with the unit of the variable.

    Raises
    ------
    UnknownNameError
        If the node has no such variable or key.
    AnalysisError
        If several rows share a cell (summarise them first, or name the key that tells them apart), a row has no value
        of a key and so no cell, no key is named, or a name is given twice.

    Examples
    --------
    >>> from storagelab.dataset import from_rows
    >>> runs = from_rows([{"clients": 1, "throughput": 9e8}, {"clients": 2, "throughput": 1.5e9}], origin="measured")
    >>> grid(runs, "throughput", "clients").sel(clients=2).item()
    1500000000.0
    """
    _refuse_no_node(ds)
    names = (variable, *keys)
    for name in names:
        if not isinstance(name, str) or name not in ds.variables:
            raise UnknownNameError("name in this dataset", str(name), map(str, ds.variables))
    if len(set(names)) < len(names):
        raise AnalysisError(f"a grid takes each name once, got {', '.join(names)}")
    whole = frame(ds)
    columns = whole[[*keys, variable]].dropna(subset=[variable])
    for key in keys:
        if nowhere := int(columns[key].isna().sum()):
            raise AnalysisError(f"{nowhere} rows of {variable} have no {key}, and so no cell: select those that have")
    if not keys:
        raise AnalysisError("a grid needs a key for each of its dimensions, found none")
    doubled = columns[columns.duplicated(list(keys))]
    if len(doubled):
        cell = doubled.iloc[0][[*keys]]
        sharing = whole.loc[columns.index[(columns[[*keys]] == cell).all(axis=1)]]
        others = [key for key in _keys(ds) if sharing[key].nunique(dropna=False) > 1]
        named = ", ".join(f"{key}={cell[key]}" for key in keys)
        apart = f"they differ in {', '.join(others)}" if others else "no key tells them apart"
        raise AnalysisError(f"several rows of {variable} share the cell {named}: {apart}")
    array_ = columns.set_index(list(keys))[variable].to_xarray()
    array_.attrs.update(ds[variable].attrs)
    return array_
