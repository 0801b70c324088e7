"""``storagelab trace``: from an observation back to the lines of the log it stands on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from storagelab import dataset, schema
from storagelab.cli import display
from storagelab.errors import ContractError, UnknownNameError, shorten
from storagelab.ingest import checksums
from storagelab.ingest.combine import COMBINED
from storagelab.parsers import Row
from storagelab.parsers.text import decode

if TYPE_CHECKING:
    import xarray as xr

WIDTH = 160
SAME_RUN = ("run_id", "operation", "part", "iteration", "statistic", "access_pattern", "interface")


def trace(path: Path, number: int, node: str, raw: Path, context: int) -> Iterator[str]:
    """Tell where an observation comes from, line by line.

    Parameters
    ----------
    path : Path
        The dataset.
    number : int
        Number of the observation in its node, from 0.
    node : str
        Node that holds it.
    raw : Path
        Folder of the raw studies; logs of no study are looked for by their own path.
    context : int
        Lines to show before and after.

    Raises
    ------
    UnknownNameError
        If the dataset has no such node.
    ContractError
        If there is no such row, or a log is no longer the one that was read.
    """
    tree = dataset.load(path)
    ds = _node(tree, node, path)
    row = _row(ds, number, f"{path}: {node}")
    yield f"{path}: {node}[{number}] ({ds.attrs['origin']})"
    yield from _values(row)
    folder = raw / ds.attrs["study"] if ds.attrs["study"] else Path()
    if row.get("log_count", 1) == 1:
        yield ""
        yield from _lines(tree, row, folder, context)
        return
    yield f"made from {row['log_count']:g} logs; the clients' rows behind it:"
    for index in _behind(tree, ds, number):
        share = _row(_node(tree, "clients", path), index, "")
        yield f"\nclients[{index}] {share.get('client', '')}: {_measured(share)}"
        yield from _lines(tree, share, folder, context=0)


def _node(tree: xr.DataTree, node: str, path: Path) -> xr.Dataset:
    if node not in tree.children:
        raise UnknownNameError(f"node of {path}", node, map(str, tree.children))
    return tree[node].to_dataset()


def _row(ds: xr.Dataset, number: int, place: str) -> Row:
    size = ds.sizes["obs"]
    if not 0 <= number < size:
        raise ContractError(f"{place} has rows 0 to {size - 1}, not {number}")
    values = {str(name): array.values[number].item() for name, array in ds.variables.items()}
    return {name: value for name, value in values.items() if value != "" and value == value}


def _values(row: Row) -> Iterator[str]:
    names = [name for name in row if schema.field(name).kind != "trace"]
    width = max(map(len, names))
    for name in sorted(names, key=list(schema.FIELDS).index):
        yield f"  {name:{width}}  {display.quantity(name, row[name])}"


def _measured(row: Row) -> str:
    names = [name for name in row if schema.field(name).kind == "variable"]
    return ", ".join(f"{name}={display.quantity(name, row[name])}" for name in names[:3])


def _lines(tree: xr.DataTree, row: Row, folder: Path, context: int) -> Iterator[str]:
    """Show the line of the log a row stands on, its neighbours around it."""
    log = row if "log" in row else _row(_node(tree, "logs", folder), int(row["log_id"]), "logs")
    path = folder / str(log["log"])
    if not path.is_file():
        raise ContractError(f"{path}: not found; say where the raw studies are with --raw")
    if checksums.sha256(path) != log["log_sha256"]:
        raise ContractError(f"{path}: was changed since it was read, its lines prove nothing")
    at = int(row.get("line", 1))
    yield f"{path}:{at} (sha256 {log['log_sha256']})"
    text = decode(path.read_bytes())[0].split("\n")
    for number in range(max(1, at - context), min(len(text), at + context) + 1):
        yield f"{'>' if number == at else ' '}{number:6} | {shorten(text[number - 1], WIDTH)}"


def _said_of_all(tree: xr.DataTree, ds: xr.Dataset, number: int) -> Iterator[str]:
    """Keys of a row of `runs` that the rows of all its clients have too: a sweep's record size, for instance."""
    for name, values in ds.coords.items():
        known = str(name) in tree["clients"].coords and schema.field(str(name)).kind == "key"
        value = values.values[number]
        if known and name not in COMBINED and value == value and value != "":
            yield str(name)


def _behind(tree: xr.DataTree, ds: xr.Dataset, number: int) -> list[int]:
    """Rows of `clients` of the same run and operation as a row of `runs`."""
    if "clients" not in tree.children:
        return []
    clients = tree["clients"].to_dataset()
    same = np.ones(clients.sizes["obs"], dtype=bool)
    for name in SAME_RUN:
        if name in ds.variables and name in clients.variables:
            wanted, values = ds[name].values[number], clients[name].values
            same &= (values == wanted) | ((values != values) & (wanted != wanted))
    for name in _said_of_all(tree, ds, number):
        same &= clients[name].values == ds[name].values[number]
    if "share" in clients.variables:
        same &= clients["share"].values == "client"
    return [int(index) for index in np.flatnonzero(same)]
