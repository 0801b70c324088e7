"""One chunk of a store: its logs read, their rows as columns of parquet, all of it put in place in one step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from storagelab import schema, writing
from storagelab.dataset import Table
from storagelab.errors import StoragelabError
from storagelab.ingest import read_log
from storagelab.ingest.cost_bounds import Bounds, of_each_log
from storagelab.ingest.log_file import Log
from storagelab.parsers.model import Columns, Row, Rows
from storagelab.store import chunk_plan, layout

if TYPE_CHECKING:
    import pyarrow

ROWS = 2**17
"""Rows of a row group of parquet."""
NODES = (*schema.MEASURED, "logs")

MADE, BUSY, GONE, UNSEEN = "made", "busy", "gone", "unseen"


class Made(NamedTuple):
    """What came of a chunk: whether it was made here; how many logs it has, and the others with the reasons."""

    state: str
    logs: int = 0
    incomplete: int = 0
    unread: Sequence[tuple[str, str]] = ()


def make(pending: str, folder: str, bounds: Bounds, wait: bool = False) -> Made:
    """Make a chunk of the logs that its list names, unless another process does so, or did.

    Parameters
    ----------
    pending : str
        The list.
    folder : str
        The store.
    bounds : Bounds
        What each log may cost.
    wait : bool
        Whether to wait for another process that makes it, and make it if that one fails.
    """
    path = Path(pending)
    if not layout.is_store(folder):
        return Made(UNSEEN)
    with writing.claimed(path, wait=wait) as is_ours:
        if not is_ours:
            return Made(BUSY if path.exists() else GONE)
        place = Path(folder, layout.CHUNKS, path.stem.partition("-")[2])
        found = Made(GONE)
        if not place.is_dir():
            with of_each_log(bounds):
                found = _make(place, chunk_plan.logs_of(path), chunk_plan.below(path))
        writing.remove(path)
    writing.remove_empty(path.parent)
    return found


def _make(place: Path, listed: Iterable[tuple[str, str]], below: Path) -> Made:
    logs: list[Log] = []
    unread: list[Row] = []
    for name, sha256 in listed:
        log = _read(below / name, name)
        if isinstance(log, Log):
            logs.append(log)
        else:
            unread.append({"log": name, "log_sha256": sha256, "notes": log})
    with writing.new_folder(place) as beside:
        for node in NODES:
            write_node(beside / f"{node}.parquet", logs, node)
        write_rows(beside / f"{layout.UNREAD}.parquet", unread)
    cut = sum(not log.parsed.complete for log in logs)
    return Made(MADE, len(logs), cut, [(str(row["log"]), str(row["notes"])) for row in unread])


def _read(path: Path, name: str) -> Log | str:
    """Read a log, or say why it cannot be read."""
    try:
        return read_log(path, name=name)
    except OSError as error:
        return error.strerror or str(error)
    except StoragelabError as error:
        return str(error)
    except Exception as error:  # a mistake in one parser must not hide the other logs
        return f"a mistake in storagelab, please report it: {error!r}"


def run_of(log: Log) -> str:
    """Name the run of a log in a store: no two logs share it, whatever their names were when they were stored."""
    return log.sha256[:16]


def write_node(path: Path, logs: Sequence[Log], node: str) -> None:
    """Write the rows of a node of some logs, if there are any; samples of a large log go by block by block."""
    names = {name for log in logs for name in _names(log, node)}
    with _File(path, names) as file:
        for log in logs:
            for rows, said in tables(log, node):
                file.add(rows, said)


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows, if there are any."""
    with _File(path, set().union(*rows)) as file:
        file.add(rows, {})


def tables(log: Log, node: str) -> Iterator[tuple[Columns | Sequence[Row], Row]]:
    """Rows of a node, some as columns and some one by one, each with what holds for all of them unless they say it."""
    of_log: Row = {"log": log.name, "log_sha256": log.sha256, "run_id": run_of(log)}
    if node == "logs":
        yield [log.record()], of_log
    elif node == "series":
        for block in log.parsed.tables():
            yield block, {"statistic": "single", **log.of_a_sample(), **of_log}
    elif node == "events":
        yield list(log.iter_events()), of_log
    else:
        said: Row = {"statistic": "single", **log.header(), **of_log, "complete": float(log.parsed.complete)}
        rows = getattr(log.parsed, node)
        for part in rows.parts if isinstance(rows, Rows) else [rows]:
            yield part, said


def _names(log: Log, node: str) -> Iterator[str]:
    for rows, said in tables(log, node):
        if len(rows):
            yield from said
            yield from rows if isinstance(rows, dict) else set().union(*rows)
        if node == "series":
            return  # all blocks have the same names


class _File:
    """A file of parquet that grows, some rows at once; it is not there if no row comes."""

    def __init__(self, path: Path, names: Iterable[str]) -> None:
        self._path, self._names = path, [name for name in schema.FIELDS if name in set(names)]
        self._table = Table()
        self._writer: Any = None

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        if len(self._table):
            self._flush()
        if self._writer:
            self._writer.close()

    def add(self, rows: Columns | Sequence[Row], said: Row) -> None:
        """Add rows, with what all of them say unless one says it itself."""
        if isinstance(rows, dict):
            self._table.extend_columns(rows, said)
        else:
            self._table.extend({**said, **row} for row in rows)
        if len(self._table) >= ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow
        import pyarrow.parquet as parquet

        columns = {name: arrow(self._table, name) for name in self._names}
        table = pyarrow.table(columns)
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._path, table.schema, compression="zstd")
        self._writer.write_table(table, row_group_size=ROWS)
        self._table = Table()


def arrow(table: Table, name: str) -> pyarrow.Array:
    """Return a column for parquet: text as codes with a dictionary, numbers as float64; "" and NaN are missing."""
    import pyarrow

    if not schema.is_text(name):
        return pyarrow.array(table.numbers(name))
    words, codes = table.codes(name)
    return pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(words, pyarrow.string()))
