"""Columns to labelled nodes, and nodes to a study."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from storagelab import __version__, schema
from storagelab.dataset.columns import Row, Table

if TYPE_CHECKING:
    import xarray as xr


def from_rows(rows: Iterable[Row], *, origin: str, study: str = "", title: str = "") -> xr.Dataset:
    """Make a node of a study from rows of contract names and SI values.

    Parameters
    ----------
    rows : iterable of mapping
        Values by their names, in SI.
    origin : str
        Where the numbers come from: measured, published or reconstructed.
    study : str, optional
        Name of the study.
    title : str, optional
        What the dataset says it is.

    Returns
    -------
    xarray.Dataset
        One dimension ``obs``; keys and trace are coordinates, variables are data variables. Text is fixed-width, or
        objects where one is very long; numbers are float64 with `units` and `long_name`.

    Raises
    ------
    UnknownNameError
        If a name, an operation or the origin is not the contract's.
    """
    table = Table()
    table.extend(rows)
    return from_table(table, origin=origin, study=study, title=title)


def from_table(table: Table, *, origin: str, study: str = "", title: str = "") -> xr.Dataset:
    """Make a node of a study from its columns; see `from_rows`.

    Parameters
    ----------
    table : Table
        The columns.
    origin : str
        Where the numbers come from: measured, published or reconstructed.
    study : str, optional
        Name of the study.
    title : str, optional
        What the dataset says it is.

    Returns
    -------
    Dataset, dimension obs
        As `from_rows` makes it.
    """
    import xarray as xr

    schema.check_value("origin", origin)
    columns = table.columns()
    arrays = {name: ("obs", values, attributes(name)) for name, values in columns.items()}
    variables = {name for name in columns if schema.field(name).kind == "variable"}
    return xr.Dataset(
        {name: arrays[name] for name in columns if name in variables},
        coords={name: arrays[name] for name in columns if name not in variables},
        attrs={"study": study, "title": title, "origin": origin},
    )


def attributes(name: str) -> dict[str, str]:
    """CF attributes of a name of the contract: `long_name`, and `units` unless it is text.

    Parameters
    ----------
    name : str
        A name of the contract.

    Returns
    -------
    dict of str to str
        Attributes of its column.
    """
    return schema.attributes(schema.field(name))


def tree(nodes: Mapping[str, xr.Dataset], about: Mapping[str, Any]) -> xr.DataTree:
    """Join nodes to a study; what is known about it (test bed, design, limits) becomes attributes of the root.

    Anything that is no text is kept as JSON: `about` reads it back.

    Parameters
    ----------
    nodes : mapping of str to Dataset
        Nodes by their names.
    about : mapping
        Attributes of the root.

    Returns
    -------
    DataTree
        The study.
    """
    import xarray as xr

    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in about.items()}
    root = xr.Dataset(attrs=texts | {"storagelab_version": __version__})
    return xr.DataTree.from_dict({"/": root, **{name: ds for name, ds in nodes.items() if ds.sizes.get("obs")}})


def about(study: xr.DataTree) -> dict[str, Any]:
    """Return what the root of a study says: its sidecar, as Python values.

    Parameters
    ----------
    study : DataTree
        A study, as `storagelab.open_study` gives it.

    Returns
    -------
    dict
        Attributes of the root; what was kept as JSON is read.
    """
    return {str(name): _from_json(value) for name, value in study.attrs.items()}


def _from_json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) and value[:1] in ("{", "[") else value
    except json.JSONDecodeError:
        return value
