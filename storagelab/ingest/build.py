"""From the logs of a study and its sidecars to one tidy dataset."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from storagelab import dataset, schema, study
from storagelab.dataset import Table
from storagelab.errors import ContractError, IncompleteLogError, SidecarError, StoragelabError
from storagelab.ingest import counters
from storagelab.ingest.combine import clients_of, combine
from storagelab.ingest.logs import LOG_ONLY, Log, read_log

if TYPE_CHECKING:
    import xarray as xr

    from storagelab.parsers import Row
    from storagelab.study import Entry, Study

Progress = Callable[[int, int], None]
"""Called with logs done and logs in all."""

TOLD_BY_THE_LOG = LOG_ONLY | {"clients", "role", "log", "log_sha256", "format", "elapsed", "complete", "notes"}
"""Names for which log and sidecar may differ: the sidecar's command may hold a launcher, its date a time zone."""


class Nodes:
    """The nodes of a study while its logs come in, one run after the other."""

    def __init__(self, origin: str, study_id: str = "", title: str = "") -> None:
        self.origin, self.study, self.title = origin, study_id, title
        self.tables = {node: Table() for node in schema.NODES}

    def add_log(self, record: Row) -> int:
        """Add a row to the node ``logs`` and return its number."""
        self.tables["logs"].append(record)
        return len(self.tables["logs"]) - 1

    def extend(self, node: str, rows: Iterable[Row]) -> None:
        """Add rows to a node, the study named on each."""
        self.tables[node].extend({"study": self.study, "statistic": "single", "log_count": 1} | row for row in rows)

    def datasets(self) -> dict[str, xr.Dataset]:
        """Return the nodes as datasets."""
        return {
            node: dataset.from_table(table, origin=self.origin, study=self.study, title=self.title)
            for node, table in self.tables.items()
        }


def tidy(logs: Iterable[Log], *, origin: str = "measured") -> xr.DataTree:
    """Make a study of logs that no sidecar describes: what the logs say of themselves is all there is.

    Returns
    -------
    xarray.DataTree
        Nodes ``runs``, ``clients``, ``series`` and ``logs``, as far as the logs have any.
    """
    nodes = Nodes(origin)
    for log in logs:
        run_id = _stem(log.name)
        log_id = nodes.add_log(log.record() | {"run_id": run_id})
        for node in ("runs", "clients", "series"):
            nodes.extend(node, ({"run_id": run_id} | row | {"log_id": log_id} for row in log.rows(node)))
    return dataset.tree(nodes.datasets(), {"study": "", "title": "", "origin": origin})


def ingest(folder: Path, progress: Progress | None = None) -> xr.DataTree:
    """Read all logs of a study.

    Parameters
    ----------
    folder : Path
        ``raw/<study>``.
    progress : callable, optional
        Called with the number of logs done and in all.

    Returns
    -------
    xarray.DataTree
        The study; its root says what study.yaml says.

    Raises
    ------
    SidecarError
        If a log is not covered, a rule covers none, a cell is wrong, or a sidecar contradicts a log.
    ParseError
        If a log cannot be read; names file and line.
    """
    loaded = study.load(folder)
    for problem in loaded.problems:
        raise problem
    nodes = Nodes(loaded.sidecar.origin, loaded.id, loaded.sidecar.title)
    done = 0
    for run in runs_of(loaded):
        _add_run(nodes, folder, run)
        done += len(run)
        if progress:
            progress(done, len(loaded.entries))
    return dataset.tree(nodes.datasets(), _about(loaded))


def problems(folder: Path, progress: Progress | None = None) -> list[StoragelabError]:
    """Everything that is wrong with a study, at once: `ingest` would stop at the first.

    An `IncompleteLogError` among them does not stop `ingest`: what is whole in such a log is used.
    """
    loaded = study.load(folder)
    found: list[StoragelabError] = list(loaded.problems)
    nodes = Nodes(loaded.sidecar.origin, loaded.id)
    done = 0
    for run in runs_of(loaded):
        found += _problems_of_run(nodes, folder, run)
        done += len(run)
        if progress:
            progress(done, len(loaded.entries))
    return found


def incomplete(study_: xr.DataTree) -> list[IncompleteLogError]:
    """Logs of a study that end before their tool was done."""
    logs = dataset.frame(study_["logs"].to_dataset())
    cut = logs[logs["complete"] == 0]
    return [IncompleteLogError(str(log), str(notes)) for log, notes in zip(cut["log"], cut["notes"], strict=True)]


def _problems_of_run(nodes: Nodes, folder: Path, run: Sequence[Entry]) -> list[StoragelabError]:
    unreadable: list[StoragelabError] = []
    incomplete: list[StoragelabError] = []
    for entry in run:
        try:
            log = read_entry(folder, entry)
        except StoragelabError as error:
            unreadable.append(error)
            continue
        if not log.parsed.complete:
            incomplete.append(IncompleteLogError(log.name, log.notes()))
    try:
        if not unreadable:
            _add_run(nodes, folder, run)
    except StoragelabError as error:
        unreadable.append(error)
    return unreadable + incomplete


def runs_of(loaded: Study) -> Iterator[Sequence[Entry]]:
    """Logs of one run_id together; a log that names none is a run of its own."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in loaded.entries:
        groups[str(entry.keys.get("run_id") or _stem(entry.path))].append(entry)
    yield from groups.values()


def read_entry(folder: Path, entry: Entry) -> Log:
    """Read a log and hold it against what the sidecars say of it.

    Raises
    ------
    SidecarError
        If log and sidecar contradict each other; names the sidecar's line and the log's.
    """
    log = read_log(folder / entry.path, name=entry.path)
    for node in ("runs", "clients"):
        for row in log.rows(node):
            _contradiction(entry, row)
    _contradiction(entry, log.parsed.header)
    return log


def _contradiction(entry: Entry, row: Row) -> None:
    for name, said in entry.keys.items():
        if name in row and name not in TOLD_BY_THE_LOG and not _same(row[name], said):
            place = f"{entry.path}:{row['line']}" if "line" in row else entry.path
            message = f"{name} is {said!r} here, but {place} says {row[name]!r}"
            raise SidecarError(entry.file, message, entry.line)


def _same(one: object, other: object) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


def _add_run(nodes: Nodes, folder: Path, run: Sequence[Entry]) -> None:
    """Add the logs of one run: its benchmark logs, and the counters read around them."""
    run_id = str(run[0].keys.get("run_id") or _stem(run[0].path))
    rows: dict[str, list[Row]] = defaultdict(list)
    readings: dict[str, dict[str, tuple[Entry, int, Log]]] = defaultdict(dict)
    for entry in run:
        log = read_entry(folder, entry)
        log_id = nodes.add_log(_log_record(log, entry, run_id))
        if entry.role in ("netdev_before", "netdev_after"):
            readings[str(entry.keys.get("client", ""))][entry.role] = (entry, log_id, log)
            continue
        for node in ("runs", "clients", "series"):
            rows[node] += [_with_keys(row, entry, run_id, log_id) for row in log.rows(node)]
    moved = [row for pair in readings.values() for row in _moved(pair, run_id)]
    for node, found in _assembled(run, rows, moved).items():
        nodes.extend(node, found)


def _assembled(run: Sequence[Entry], rows: Mapping[str, list[Row]], moved: list[Row]) -> dict[str, list[Row]]:
    """Rows of each node: of a run in one log as they are, of a run in several combined over its clients."""
    if sum(entry.role == "benchmark" for entry in run) <= 1 and not moved:
        return dict(rows)
    by_client = rows["runs"] + moved
    shares = [row for row in rows["clients"] if float(row.get("processes", 1)) > 1]
    return {"runs": combine(by_client), "clients": clients_of(by_client) + shares, "series": rows["series"]}


def _moved(pair: Mapping[str, tuple[Entry, int, Log]], run_id: str) -> Iterator[Row]:
    """What one client's interface received and sent between its two readings, as two rows."""
    entry, _, _ = next(iter(pair.values()))
    if set(pair) != {"netdev_before", "netdev_after"}:
        raise SidecarError(
            entry.file, f"{entry.path}: the other reading of the pair before and after is missing", entry.line
        )
    before, after = (counters.reading(pair[role][2].rows("series")) for role in ("netdev_before", "netdev_after"))
    entry, log_id, _ = pair["netdev_after"]
    try:
        interface = counters.the_interface(before, after, str(entry.keys.get("interface", "")))
        for operation, short in (("receive", "received"), ("transmit", "sent")):
            difference = counters.difference(before, after, interface, operation)
            row: Row = {
                "operation": operation,
                "interface": interface,
                f"network_{short}": difference.bytes,
                f"packets_{short}": difference.packets,
                "line": difference.line,
            }
            yield _with_keys(row, entry, run_id, log_id)
    except ContractError as error:
        raise SidecarError(entry.file, f"{entry.path}: {error}", entry.line) from None


def _with_keys(row: Row, entry: Entry, run_id: str, log_id: int) -> Row:
    """Return the row with what the sidecars say of its log; what the log says of itself wins."""
    keys = {name: value for name, value in entry.keys.items() if name not in study.LOG_LEVEL}
    return {**keys, **row, "run_id": run_id, "log_id": log_id}


def _log_record(log: Log, entry: Entry, run_id: str) -> Row:
    """Return the log's row in ``logs``; for its dates and command the sidecar knows more: time zone, launcher."""
    return {"role": "benchmark", **log.record(), **entry.keys, "run_id": run_id}


def _stem(path: str) -> str:
    """Path without the last suffix: the name of a run that has no other."""
    return path.rpartition(".")[0] or path


def _about(loaded: Study) -> dict[str, object]:
    sidecar = loaded.sidecar.model_dump(mode="json", exclude={"columns", "match", "aside", "defaults"})
    return {"study": sidecar.pop("id"), **sidecar}
