"""``storagelab trace``: from an observation back to the lines of the log it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from storagelab import dataset, schema
from storagelab.cli import display
from storagelab.errors import ContractError, UnknownNameError, shorten
from storagelab.ingest.join_client_logs import COMBINED
from storagelab.ingest.log_lines import Evidence, evidence
from storagelab.parsers import Row

if TYPE_CHECKING:
    import xarray as xr

WIDTH = 160
DIFFERENCES = frozenset({"network_received", "network_sent"})
COUNTERS = ("counter_before", "counter_after", *DIFFERENCES)
FIRST_LINE, FIRST_LOG = schema.LINE_OF["counter_before"], schema.LOG_OF["counter_before"]
NO_OTHER = -1.0
"""Stands for the log of the row where a value is in no other."""
SAME_RUN = ("run_id", "operation", "part", "iteration", "statistic", "access_pattern", "interface")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log shown for an observation (`of`); `proves` whether the row, or its `values`, stand on it."""

    of: str
    log: str
    log_sha256: str
    line: int
    text: str
    proves: bool
    values: Sequence[str] = ()

    def __str__(self) -> str:
        if self.values:
            return f" {self.line:6} | {shorten(self.text.strip(), WIDTH)}  ({', '.join(self.values)})"
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
        If there is no such row, it is of no log, or its log is no longer the one that was read.
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
    """Show the line of the log a row stands on, its neighbours around it, and those of values on other lines."""
    if row.keys().isdisjoint(("log", "log_id")):
        raise ContractError(f"{of} does not say which log it was read from")
    log = row if "log" in row else _log(tree, row["log_id"])
    yield from _shown(of, folder, log, int(row.get("line", 1)), context)
    if not DIFFERENCES.isdisjoint(row) and not {FIRST_LINE, FIRST_LOG}.isdisjoint(row):
        yield "less the reading before:"
        before = _log(tree, row[FIRST_LOG]) if FIRST_LOG in row else log
        yield from _shown(f"{of} before", folder, before, int(schema.line_of(row, "counter_before")), context=0)
    yield from _of_values(tree, of, row, log, folder)


def _log(tree: xr.DataTree, number: Any) -> Row:
    return _row(tree["logs"].to_dataset(), int(number), "logs")


def _of_values(tree: xr.DataTree, of: str, row: Row, own: Row, folder: Path) -> Iterator[str | Line]:
    """Show the lines of values that stand on others than their row, and say which were computed."""
    apart = {name for names in (schema.LINE_OF, schema.LOG_OF) for name, place in names.items() if place in row}
    names = [name for name in schema.LINE_OF if name in apart and name not in COUNTERS]
    places: dict[tuple[float, int], list[str]] = {}
    for name in names:
        of_log = float(row.get(schema.LOG_OF[name], NO_OTHER))
        places.setdefault((of_log, int(schema.line_of(row, name))), []).append(name)
    opened: dict[float, Evidence] = {}
    for (of_log, line), said in sorted(places.items()):
        if line == schema.COMPUTED:
            yield from (_computed(name, {*own, *row}) for name in said)
            continue
        if of_log not in opened:
            opened[of_log] = _text(folder, own if of_log == NO_OTHER else _log(tree, of_log))
            yield f"\nvalues on other lines of {opened[of_log].path}:"
        yield _line(opened[of_log], of, line, said)


def _computed(name: str, known: set[str]) -> str:
    made_of = ", ".join(part for part in schema.MADE_OF.get(name, ()) if part in known)
    return f"{name}: computed{f' from {made_of}' if made_of else ''}, printed on no line"


def _line(log: Evidence, of: str, number: int, values: Sequence[str] = (), *, proves: bool = True) -> Line:
    return Line(of, log.path.as_posix(), log.sha256, number, log.lines[number - 1], proves, tuple(values))


def _shown(of: str, folder: Path, log: Row, at: int, context: int) -> Iterator[str | Line]:
    text = _text(folder, log)
    yield f"{text.path}:{at} (sha256 {text.sha256})"
    for number in range(max(1, at - context), min(len(text.lines), at + context) + 1):
        yield _line(text, of, number, proves=number == at)


def _text(folder: Path, log: Row) -> Evidence:
    return evidence(folder, str(log["log"]), str(log["log_sha256"]))


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
