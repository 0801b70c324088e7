"""``storagelab trace``: from an observation back to the lines of the log it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from storagelab import counters, dataset, schema
from storagelab.cli import display
from storagelab.errors import ContractError, UnknownNameError, shorten
from storagelab.ingest import checksums, read_log
from storagelab.ingest.combine import COMBINED
from storagelab.ingest.logs import lines_of
from storagelab.parsers import Row

if TYPE_CHECKING:
    import xarray as xr

WIDTH = 160
DIFFERENCES = {"network_received", "network_sent"}
SAME_RUN = ("run_id", "operation", "part", "iteration", "statistic", "access_pattern", "interface")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log that is shown for an observation (`of`); `proves` whether it is the one it stands on."""

    of: str
    log: str
    log_sha256: str
    line: int
    text: str
    proves: bool

    def __str__(self) -> str:
        return f"{'>' if self.proves else ' '}{self.line:6} | {shorten(self.text, WIDTH)}"


@dataclass(frozen=True, slots=True)
class Traced:
    """An observation, its values, and the lines behind it between the words that lead to them."""

    file: str
    node: str
    number: int
    origin: str
    values: Row
    found: Sequence[str | Line]

    def lines(self) -> Iterator[str]:
        """Tell where the observation comes from, for people."""
        yield f"{self.file}: {self.node}[{self.number}] ({self.origin})"
        yield from _values(self.values)
        yield from map(str, self.found)

    def rows(self) -> list[dict[str, Any]]:
        """Return the lines of the logs, a row a line."""
        return [asdict(one) for one in self.found if isinstance(one, Line)]

    def about(self) -> dict[str, Any]:
        """Return the observation itself."""
        return {
            "file": self.file, "node": self.node, "row": self.number, "origin": self.origin, "values": self.values,
        }  # fmt: skip


def trace(path: Path, number: int, node: str, raw: Path, context: int) -> Traced:
    """Find where an observation comes from, line by line.

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
    folder = raw / ds.attrs["study"] if ds.attrs["study"] else Path()
    found = list(_behind_it(tree, ds, (node, number, row), path, folder, context))
    return Traced(str(path), node, number, str(ds.attrs["origin"]), row, found)


def _behind_it(
    tree: xr.DataTree, ds: xr.Dataset, seen: tuple[str, int, Row], path: Path, folder: Path, context: int
) -> Iterator[str | Line]:
    node, number, row = seen
    if row.get("log_count", 1) != 1:
        yield f"added up from {row['log_count']:g} logs; the clients' rows behind it:"
        parts = _behind(tree, ds, number)
    else:
        yield ""
        yield from _lines(tree, f"{node}[{number}]", row, folder, context)
        parts = _parts(tree, ds, number) if node == "runs" else []
        if parts:
            yield "\nadded up from several parts of the log; their rows:"
    for index in parts:
        share = _row(_node(tree, "clients", path), index, "")
        yield f"\nclients[{index}] {share.get('client') or share.get('process', '')}: {_measured(share)}"
        yield from _lines(tree, f"clients[{index}]", share, folder, context=0)


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


def _lines(tree: xr.DataTree, of: str, row: Row, folder: Path, context: int) -> Iterator[str | Line]:
    """Show the line of the log a row stands on, its neighbours around it; of a difference the other line too."""
    log = row if "log" in row else _row(_node(tree, "logs", folder), int(row["log_id"]), "logs")
    yield from _shown(of, folder, log, int(row.get("line", 1)), context)
    if not DIFFERENCES.isdisjoint(row):
        before = _before(tree, log)
        yield "less the reading before:"
        yield from _shown(f"{of} before", folder, before, _counted(folder, before, row), context=0)


def _shown(of: str, folder: Path, log: Row, at: int, context: int) -> Iterator[str | Line]:
    path = folder / str(log["log"])
    if not path.is_file():
        raise ContractError(f"{path}: not found; say where the raw studies are with --raw")
    if checksums.sha256(path) != log["log_sha256"]:
        raise ContractError(f"{path}: was changed since it was read, its lines prove nothing")
    yield f"{path}:{at} (sha256 {log['log_sha256']})"
    text = lines_of(path)
    for number in range(max(1, at - context), min(len(text), at + context) + 1):
        yield Line(of, path.as_posix(), str(log["log_sha256"]), number, text[number - 1], proves=number == at)


def _before(tree: xr.DataTree, after: Row) -> Row:
    """Return the row in `logs` of the reading before, for that of the reading after."""
    logs = tree["logs"].to_dataset()
    same = logs["role"].values == "netdev_before"
    for name in ("run_id", "client"):
        same &= logs[name].values == after.get(name, "") if name in logs.variables else True
    return _row(logs, int(np.flatnonzero(same)[0]), "logs")


def _counted(folder: Path, log: Row, row: Row) -> int:
    """Line of an interface's counter in a reading."""
    reading = counters.reading(read_log(folder / str(log["log"])).rows("series"))
    return int(reading[str(row["interface"]), str(row["operation"])]["line"])


def _parts(tree: xr.DataTree, ds: xr.Dataset, number: int) -> list[int]:
    """Rows of `clients` that a parser added up to a row of `runs`: its line is then only the first of theirs."""
    if "clients" not in tree.children:
        return []
    clients = tree["clients"].to_dataset()
    same = _same_run(ds, clients, number) & (clients["log_id"].values == ds["log_id"].values[number])
    lines = clients["line"].values[same]
    parts = len(lines) > 1 and ds["line"].values[number] in lines
    return [int(index) for index in np.flatnonzero(same)] if parts else []


def _behind(tree: xr.DataTree, ds: xr.Dataset, number: int) -> list[int]:
    """Rows of `clients` of the same run and operation as a row of `runs`."""
    if "clients" not in tree.children:
        return []
    clients = tree["clients"].to_dataset()
    same = _same_run(ds, clients, number)
    for name in _said_of_all(ds, clients, number):
        same &= clients[name].values == ds[name].values[number]
    if "share" in clients.variables:
        same &= clients["share"].values == "client"
    return [int(index) for index in np.flatnonzero(same)]


def _same_run(ds: xr.Dataset, clients: xr.Dataset, number: int) -> np.ndarray[Any, Any]:
    same = np.ones(clients.sizes["obs"], dtype=bool)
    for name in SAME_RUN:
        if name in ds.variables and name in clients.variables:
            wanted, values = ds[name].values[number], clients[name].values
            same &= (values == wanted) | ((values != values) & (wanted != wanted))
    return same


def _said_of_all(ds: xr.Dataset, clients: xr.Dataset, number: int) -> Iterator[str]:
    """Keys of a row of `runs` that the rows of all its clients have too: a sweep's record size, for instance."""
    for name, values in ds.coords.items():
        known = str(name) in clients.coords and schema.field(str(name)).kind == "key"
        value = values.values[number]
        if known and name not in COMBINED and value == value and value != "":
            yield str(name)
