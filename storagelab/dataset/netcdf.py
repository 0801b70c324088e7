"""A study as netCDF, written whole and read back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from storagelab import schema, truncated_hdf5, writing
from storagelab.dataset import value_lines
from storagelab.dataset.columns import EMPTY, MANY, WIDE_IN_MANY
from storagelab.errors import ContractError, naming

if TYPE_CHECKING:
    import xarray as xr


def save(study: xr.DataTree, path: Path | str) -> None:
    """Write a study as netCDF-4, compressed; the file appears whole or not at all.

    Parameters
    ----------
    study : DataTree
        A study, as `storagelab.open_study` gives it.
    path : Path or str
        The file; one that is there is replaced.

    Raises
    ------
    ContractError
        If this is no study, or there is something at the path that is no regular file (a folder, a device): it is not
        replaced.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> storagelab.save(study, "study.nc")  # doctest: +SKIP
    """
    if not hasattr(study, "children"):
        raise ContractError(f"{path}: expected a study of nodes, a DataTree, got a {type(study).__name__}")
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ContractError(f"{path}: netCDF needs a regular file")
    with writing.new_file(path) as beside:
        put(study, beside, path)


def put(study: xr.DataTree, path: Path, place: Path) -> None:
    """Write a study into a folder that is itself new; messages name the place to which the file goes.

    Parameters
    ----------
    study : DataTree
        A study, as `storagelab.open_study` gives it.
    path : Path
        Where it is written.
    place : Path
        The file that messages name.

    Raises
    ------
    ContractError, OSError
        If the file cannot be written.
    """
    packed = study.map_over_datasets(value_lines.packed)
    encoding = {node.path: _encoding(node.to_dataset()) for node in packed.subtree}
    try:
        packed.to_netcdf(path, engine="netcdf4", encoding=encoding)
    except RuntimeError as error:  # what netCDF makes of a full disk: "NetCDF: HDF error"
        writing.append_to(path)
        raise ContractError(f"{place}: not written: {error}") from error


def _encoding(ds: xr.Dataset) -> dict[str, dict[str, Any]]:
    """Text as fixed-width characters and everything compressed: variable-length strings would be 100 times larger.

    Those are kept for columns with a text so long that a fixed width would be larger still.
    """
    kinds: dict[str, dict[str, Any]] = {"U": {"dtype": "S1", "zlib": True}, "O": {"dtype": str}}
    return {str(name): kinds.get(values.dtype.kind, {"zlib": True}) for name, values in ds.variables.items()}


def load(path: Path | str) -> xr.DataTree:
    """Read a study into memory.

    Parameters
    ----------
    path : Path or str
        A file that `save` or ``storagelab ingest`` wrote.

    Returns
    -------
    DataTree
        The study, with a node each for runs, clients, series, events, logs and conditions, as far as it has any.

    Raises
    ------
    ContractError
        If it is a folder, or the file is no study that storagelab wrote, or is damaged: a cut file, and one of which a
        piece of what HDF5 needs was lost, is refused before the library reads it or by the library's checksums.
    OSError
        If there is no such file, or it may not be read.

    Examples
    --------
    >>> study = storagelab.open_study("reports/loopback-2026/dataset.nc")  # doctest: +SKIP
    >>> study["runs"].storage.keys()  # doctest: +SKIP
    """
    import netCDF4
    import xarray as xr

    if Path(path).is_dir():
        what = (
            "`open_logs` reads logs and `open_store` a store, `storagelab parse FOLDER -o FILE.nc` and "
            "`storagelab ingest STUDY` write a dataset"
        )
        raise ContractError(f"{path}: expected a dataset, found a folder: {what}")
    with naming(path):
        with Path(path).open("rb") as file:
            other = truncated_hdf5.other_kind(file.read(len(truncated_hdf5.SIGNATURE)))
        if other:
            raise ContractError(f"{path}: expected a study in netCDF-4, found {other}")
        if damage := truncated_hdf5.damage(path):
            raise _damaged(path, damage)
    try:
        with netCDF4.Dataset(path) as stored:
            stored.set_auto_maskandscale(False)
            stored.set_auto_chartostring(False)
            if "storagelab_version" not in stored.ncattrs():
                raise ContractError(f"{path}: expected a study that storagelab wrote, found other netCDF")
            return xr.DataTree.from_dict(
                {"/": _node(stored)} | {name: _node(group) for name, group in stored.groups.items()}
            )
    except (OSError, ValueError, RuntimeError, LookupError, AttributeError, TypeError, MemoryError) as error:
        raise _damaged(path, "HDF5 cannot read it") from error


def declare_keys(path: Path) -> None:
    """Declare the keys of its own that a study has, as `load` does, and read no row.

    Parameters
    ----------
    path : Path
        A file that `save` wrote.
    """
    import netCDF4

    with netCDF4.Dataset(path) as stored:
        for group in (stored, *stored.groups.values()):
            schema.OWN.declare_columns(
                {name: SimpleNamespace(attrs=_attributes(column)) for name, column in group.variables.items()},
                str(_attributes(group).get("study", "")),
            )


def _damaged(path: Path | str, why: str) -> ContractError:
    return ContractError(f"{path}: the file is damaged ({why}): make it anew with `storagelab ingest`")


def _node(group: Any) -> xr.Dataset:
    """Read what `save` wrote: numbers as they are, text as characters; xarray would take twice as long."""
    import xarray as xr

    said = _attributes(group)
    coordinates, variables = set(said.pop("coordinates", "").split()), {}
    for name, stored in group.variables.items():
        attrs = _attributes(stored)
        coordinates |= set(attrs.pop("coordinates", "").split())
        values, dimensions = stored[...], stored.dimensions
        if values.dtype.kind == "S":
            values, dimensions = _text(values), dimensions[:-1]
        kept = {key: value for key, value in attrs.items() if key not in ("_FillValue", "_Encoding")}
        variables[name] = xr.Variable(dimensions, values, kept)
    if value_lines.NAME in variables:
        lines = value_lines.unpacked(variables)
        del variables[value_lines.NAME]
        coordinates = (coordinates - {value_lines.NAME}) | {*lines}
        variables |= lines
    schema.OWN.declare_columns(variables, str(said.get("study", "")))
    return xr.Dataset(variables, attrs=said).set_coords(sorted(coordinates))


def _attributes(stored: Any) -> dict[str, Any]:
    return {name: stored.getncattr(name) for name in stored.ncattrs()}


def _text(characters: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Join characters, the bytes of UTF-8, to text of a fixed width."""
    width = characters.shape[-1]
    joined = np.ascontiguousarray(characters).view(f"S{width}")[..., 0]
    if width > WIDE_IN_MANY and joined.size * width > MANY:
        texts = [text.decode() for text in joined.ravel().tolist()]
        return np.array(texts, dtype=object if sum(map(len, texts)) * EMPTY < joined.size * width else str)
    try:
        return joined.astype(f"U{width}")  # in C, if all is ASCII
    except UnicodeDecodeError:
        return np.char.decode(joined, "utf-8")
