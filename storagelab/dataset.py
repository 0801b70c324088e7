"""Tidy labelled datasets: from rows to xarray, to netCDF and back, selected and gridded."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from storagelab import __version__, hdf5, packing, schema, writing
from storagelab.errors import AnalysisError, ContractError, UnknownNameError, naming
from storagelab.lineage import inherit

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Row = Mapping[str, Any]


@runtime_checkable
class Coded(Protocol):
    """A column of text in which few words stand often: the words, and for each row the place of its word."""

    words: Sequence[str]
    codes: np.ndarray[Any, Any]


class Table:
    """Rows on their way to a dataset: a compact column a name, so that memory grows with the dataset and no more."""

    def __init__(self) -> None:
        self._length = 0
        self._numbers: dict[str, array[float]] = {}
        self._codes: dict[str, array[int]] = {}
        self._words: dict[str, dict[str, int]] = {}

    def __len__(self) -> int:
        return self._length

    def append(self, row: Row) -> None:
        """Add a row of contract names; what it lacks is missing.

        Parameters
        ----------
        row : mapping
            Values by their names, in SI.
        """
        for name, value in row.items():
            if isinstance(value, str):
                self._append_text(name, value)
            else:
                self._append_number(name, value)
        self._length += 1

    def extend(self, rows: Iterable[Row]) -> None:
        """Add many rows.

        Parameters
        ----------
        rows : iterable of mapping
            As for `append`.
        """
        for row in rows:
            self.append(row)

    def extend_columns(self, columns: Mapping[str, Sequence[Any]], shared: Row) -> None:
        """Add rows given as columns of one length, with what holds for all of them; where both say it, the columns do.

        Numbers are taken over as a block, text that is `Coded` by its codes: ten million rows cost seconds.

        Parameters
        ----------
        columns : mapping of str to sequence
            Values by their names, in SI.
        shared : mapping
            What every row has.
        """
        count = max(map(len, columns.values()), default=0)
        constant = {name: [value] for name, value in shared.items() if name not in columns}
        for name, column in {**constant, **columns}.items() if count else ():
            if schema.is_text(name):
                self._extend_text(name, column, count)
            else:
                self._extend_numbers(name, column, count)
        self._length += count

    def _extend_text(self, name: str, column: Sequence[str], count: int) -> None:
        words = self._words.setdefault(name, {"": 0})
        known, places = (column.words, column.codes) if isinstance(column, Coded) else _coded(name, column)
        own = np.array([words.setdefault(word, len(words)) for word in known], dtype=np.int32)
        codes = self._codes.setdefault(name, array("i"))
        codes.extend([0] * (self._length - len(codes)))
        codes.frombytes(np.broadcast_to(own[places], count).tobytes())

    def _extend_numbers(self, name: str, column: Sequence[float], count: int) -> None:
        numbers = self._numbers.setdefault(name, array("d"))
        numbers.extend([np.nan] * (self._length - len(numbers)))
        try:
            numbers.frombytes(np.broadcast_to(np.asarray(column, dtype=np.float64), count).tobytes())
        except ValueError as error:
            raise ContractError(f"{name} must be a number in every row: {error}") from None

    def _append_text(self, name: str, value: str) -> None:
        words = self._words.setdefault(name, {"": 0})
        codes = self._codes.setdefault(name, array("i"))
        codes.extend([0] * (self._length - len(codes)))
        codes.append(words.setdefault(value, len(words)))

    def _append_number(self, name: str, value: float) -> None:
        numbers = self._numbers.setdefault(name, array("d"))
        numbers.extend([np.nan] * (self._length - len(numbers)))
        numbers.append(value)

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """Full columns, in the order of the schema.

        Returns
        -------
        dict of str to ndarray
            One column a name, as long as the table.

        Raises
        ------
        ContractError
            If a name holds text where the contract wants numbers, or the other way round.
        """
        for name in (*self._codes, *self._numbers):
            if schema.is_text(name) != (name in self._codes) or (name in self._codes and name in self._numbers):
                wanted = "text" if schema.is_text(name) else "a number"
                raise ContractError(f"{name} must be {wanted} in every row")
        found = {**self._codes, **self._numbers}
        return {name: self._column(name) for name in schema.FIELDS if name in found}

    def codes(self, name: str) -> tuple[list[str], np.ndarray[Any, Any]]:
        """Return a column of text as its words and, for each row, the place of its word; "" where it is missing.

        Parameters
        ----------
        name : str
            A name whose values are text.

        Returns
        -------
        tuple of list of str and ndarray
            Words, and the place of each row's word among them.
        """
        codes = np.zeros(self._length, dtype=np.int32)
        found = self._codes.get(name, array("i"))
        codes[: len(found)] = found
        return list(self._words.get(name, {"": 0})), codes

    def numbers(self, name: str) -> np.ndarray[Any, Any]:
        """Return a column of numbers; NaN where one is missing.

        Parameters
        ----------
        name : str
            A name whose values are numbers.

        Returns
        -------
        ndarray
            Float64, in SI.
        """
        numbers = np.full(self._length, np.nan)
        found = self._numbers.get(name, array("d"))
        numbers[: len(found)] = found
        return numbers

    def _column(self, name: str) -> np.ndarray[Any, Any]:
        if name not in self._codes:
            return self.numbers(name)
        known, codes = self.codes(name)
        words = _texts(known, codes)
        if self._length and (codes == codes[0]).all():
            return np.broadcast_to(words[codes[0]], self._length)
        spread: np.ndarray[Any, Any] = words[codes]
        return spread


WIDE = 2**13
"""Characters of a text from which on its column has no fixed width: each row would take the space of the longest."""

WIDE_IN_MANY = 2**8
MANY = 2**22
"""Characters of a column of a fixed width from which on it matters that few texts need more than `WIDE_IN_MANY`."""
EMPTY = 8
"""How many times the characters of its texts a column of a fixed width may have."""


def _texts(words: Sequence[str], codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return words as an array: of a fixed width, or as objects where one long text would make all rows long."""
    lengths = np.array([*map(len, words), 0])
    width, whole = int(lengths.max()), int(lengths.max()) * codes.size
    is_mostly_empty = whole > MANY and whole > EMPTY * int(lengths[codes].sum())
    is_wide = width > WIDE or (width > WIDE_IN_MANY and is_mostly_empty)
    return np.array(words, dtype=object if is_wide else str)


def _coded(name: str, column: Sequence[str]) -> tuple[list[str], np.ndarray[Any, Any]]:
    words: dict[str, int] = {}
    places = np.array([words.setdefault(word, len(words)) for word in column], dtype=np.int32)
    if not all(isinstance(word, str) for word in words):
        raise ContractError(f"{name} must be text in every row")
    return list(words), places


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
        If there is something at the path that is no regular file (a folder, a device): it is not replaced.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> storagelab.save(study, "study.nc")  # doctest: +SKIP
    """
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
        The file that messages name.
    place : Path
        Where it is written.

    Raises
    ------
    ContractError, OSError
        If the file cannot be written.
    """
    packed = study.map_over_datasets(packing.packed)
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
        If the file is no study that storagelab wrote, or is damaged: a cut file, and one of which a piece of what
        HDF5 needs was lost, is refused before the library reads it or by the library's checksums.
    OSError
        If there is no such file, or it may not be read.

    Examples
    --------
    >>> study = storagelab.open_study("reports/loopback-2026/dataset.nc")  # doctest: +SKIP
    >>> study["runs"].storage.keys()  # doctest: +SKIP
    """
    import netCDF4
    import xarray as xr

    with naming(path):
        with Path(path).open("rb") as file:
            other = hdf5.other_kind(file.read(len(hdf5.SIGNATURE)))
        if other:
            raise ContractError(f"{path}: expected a study in netCDF-4, found {other}")
        if damage := hdf5.damage(path):
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
    if packing.NAME in variables:
        lines = packing.unpacked(variables)
        del variables[packing.NAME]
        coordinates = (coordinates - {packing.NAME}) | {*lines}
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

    Examples
    --------
    >>> runs = from_rows([{"clients": 1, "throughput": 9e8}, {"clients": 2, "throughput": 1.5e9}], origin="measured")
    >>> frame(runs)["throughput"].tolist()
    [900000000.0, 1500000000.0]
    """
    import pandas as pd

    names = [
        *(name for name in schema.FIELDS if name in ds.variables),
        *(n for n in ds.variables if n not in schema.FIELDS),
    ]
    return pd.DataFrame({str(name): ds.variables[name].to_numpy() for name in names})


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
    if "obs" not in ds.sizes:
        raise ContractError('expected a node of a study, such as study["runs"].to_dataset(), found no dimension obs')
    keep = np.ones(ds.sizes["obs"], dtype=bool)
    for name, wanted in keys.items():
        if name not in ds.variables:
            raise UnknownNameError("key of this dataset", name, map(str, ds.coords))
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
    taken = {name: xr.Variable(("obs",), column.data[places], column.attrs) for name, column in columns.items()}
    return inherit(ds._replace(variables=taken, dims={"obs": len(places)}), ds)


def _equals(ds: xr.Dataset, name: str, wanted: Any) -> np.ndarray[Any, Any]:
    values = ds.variables[name].to_numpy()
    words = list(wanted) if np.iterable(wanted) and not isinstance(wanted, str) else [wanted]
    found = [(values == word) | ((values != values) & (word != word)) for word in words]
    for word, rows in zip(words, found, strict=True):
        if not np.any(rows):
            raise UnknownNameError(f"value of {name}", str(word), {str(value) for value in np.unique(values)})
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
        If a study has no conditions, or neither its rows nor its study.yaml say anything of a key.

    Examples
    --------
    >>> storagelab.five_keys(*map(storagelab.open_study, ["one.nc", "other.nc"]))  # doctest: +SKIP
    """
    import pandas as pd

    return pd.concat([_conditions(study) for study in studies], ignore_index=True)


def _conditions(study: xr.DataTree) -> pd.DataFrame:
    name = str(study.attrs.get("study", "")) or "a study without a name"
    if "conditions" not in study.children:
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
        of a key and so no cell, or no key is named.

    Examples
    --------
    >>> runs = from_rows([{"clients": 1, "throughput": 9e8}, {"clients": 2, "throughput": 1.5e9}], origin="measured")
    >>> grid(runs, "throughput", "clients").sel(clients=2).item()
    1500000000.0
    """
    for name in (variable, *keys):
        if name not in ds.variables:
            raise UnknownNameError("name in this dataset", name, map(str, ds.variables))
    columns = frame(ds)[[*keys, variable]].dropna(subset=[variable])
    for key in keys:
        if nowhere := int(columns[key].isna().sum()):
            raise AnalysisError(f"{nowhere} rows of {variable} have no {key}, and so no cell: select those that have")
    if not keys:
        raise AnalysisError("a grid needs a key for each of its dimensions, found none")
    doubled = columns[columns.duplicated(list(keys))]
    if len(doubled):
        cell = ", ".join(f"{key}={doubled.iloc[0][key]}" for key in keys)
        raise AnalysisError(f"several rows of {variable} share the cell {cell}: another key tells them apart")
    array_ = columns.set_index(list(keys))[variable].to_xarray()
    array_.attrs.update(ds[variable].attrs)
    return array_
