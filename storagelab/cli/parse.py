"""``storagelab parse`` and ``formats``: logs read one by one, and written as a table, CSV, JSON lines or netCDF."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

import orjson

from storagelab import optional_packages, parsers, schema, writing
from storagelab.cli import command_output, csv_table, display
from storagelab.cli.console import opened, progress, warn
from storagelab.cli.reading import LARGE, Unread, read_here
from storagelab.cli.shared_options import STANDARD_INPUT
from storagelab.cli.summary import Copies, Summary, lines
from storagelab.errors import StoragelabError, UnknownNameError
from storagelab.ingest import Log, cost_bounds, log_lines
from storagelab.ingest.logs_without_study import find_logs
from storagelab.parsers import Row
from storagelab.workers import pool


class Reader:
    """Goes through logs, names on standard error what cannot be read or is cut, and counts the failures.

    With a summary it names nothing, but puts both there.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        format: str,
        *,
        bar: bool,
        summary: Summary | None = None,
        workers: pool.Workers = 1,
    ) -> None:
        self.format = format
        self.bar = bar
        self.summary = summary
        self.seen = Copies()
        self.failed = 0
        self.paths = [log for path in dict.fromkeys(paths) for log in self._logs(path)]
        self.sizes = [_size(path) for path in self.paths]
        self.workers = pool.workers_for(self.sizes, workers) if all(path.is_file() for path in self.paths) else 1

    def __iter__(self) -> Iterator[Log]:
        with progress("reading", wanted=self.bar) as advance:
            for done, (path, found) in enumerate(zip(self.paths, self._found(), strict=True)):
                advance(done, len(self.paths))
                if isinstance(found, Unread):
                    self._fail(str(path), *found)
                else:
                    self._tell(found)
                    yield found

    def _found(self) -> Iterator[Log | Unread]:
        """Read all logs, in their order."""
        if self.workers == 1:
            yield from map(self._read, self.paths)
            return
        tasks = zip(map(str, self.paths), self.sizes, strict=True)
        found = pool.results("storagelab.cli.reading:read", tasks, self.workers, self.format, cost_bounds.of_now())
        yield from (self._read(path) if log == LARGE else log for path, log in zip(self.paths, found, strict=True))

    def _read(self, path: Path) -> Log | Unread:
        if path == STANDARD_INPUT:
            return read_here(Path("/dev/stdin"), log_lines.STANDARD_INPUT, self.format)
        return read_here(path, path.as_posix(), self.format)

    def _tell(self, log: Log) -> None:
        if self.summary is None and not log.parsed.complete:
            warn(f"{log.name}: incomplete: {log.record()['notes']}")
        if self.summary is None and (original := self.seen.original(log)):
            warn(f"{log.name}: the same bytes as {original}, and counts beside it")

    def _logs(self, path: Path) -> list[Path]:
        try:
            return list(find_logs([path]))
        except StoragelabError as error:
            self._fail(str(path), str(error), str(error).removeprefix(f"{path}: "))
            return []

    def _fail(self, log: str, message: str, reason: str = "") -> None:
        self.failed += 1
        if self.summary is None:
            warn(message)
        else:
            self.summary.fail(log, reason or message)


def _in_study(path: Path) -> bool:
    return any((folder / "study.yaml").is_file() for folder in (path, *path.absolute().parents))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def parse(
    paths: Sequence[Path],
    to: str,
    output: Path | None,
    format: str,
    nodes: Sequence[str],
    *,
    wide: bool = False,
    by_line: bool = False,
    workers: pool.Workers = 1,
) -> int:
    """Write what the logs measured, and return how many could not be read.

    `wide` keeps columns of CSV that are empty, and the SHA-256 of the logs; `by_line` writes JSON lines with an object
    for each line that states values; `workers` are processes, 0 as many as pay,
    or the address of a scheduler of dask.

    Raises
    ------
    UnknownNameError
        If `format` is none that ``storagelab formats`` lists.
    StoragelabError
        If the output is one of the logs.
    """
    if format:
        parsers.by_name(format)
    summary = Summary(of_study=any(map(_in_study, paths))) if to in SUMMARIES else None
    bar = summary is not None or output is not None or not sys.stdout.isatty()
    reader = Reader(paths, format, bar=bar, summary=summary, workers=workers)
    _refuse_a_log(output, reader.paths)
    if to == "netcdf":
        _write_netcdf(reader, Path(output or ""))
    elif to == "parquet":
        _write_parquet(reader, Path(output or ""), nodes or DEFAULT_NODES["csv"])
    elif summary is not None:
        for log in reader:
            summary.add(log)
        with opened(output) as file:
            file.write(SUMMARIES[to](summary))
        if reader.failed and output not in (None, STANDARD_INPUT):
            warn(f"{reader.failed} not read: {output} says why")
    else:
        write = writer(to, wide=wide, by_line=by_line)
        with opened(output) as file:
            write(reader, file, nodes or (schema.MEASURED if by_line else DEFAULT_NODES[to]))
    return reader.failed


Writer = Callable[[Iterable[Log], TextIO, Sequence[str]], None]


def writer(to: str, *, wide: bool, by_line: bool = False) -> Writer:
    """Return what writes the rows of some nodes of logs as text: csv, jsonl or table."""
    rows: Writer = _write_by_line if by_line else _write_jsonl
    writers: dict[str, Writer] = {"csv": partial(csv_table.write, wide=wide), "jsonl": rows, "table": _write_table}
    return writers[to]


def target(paths: Sequence[Path], output: Path | None, rows: bool) -> str:
    """Choose what to write where nobody says: what the suffix of the output says, else a summary of many logs.

    A few logs that are named one by one, or `rows`, make tables.

    Raises
    ------
    UnknownNameError
        If the output has a suffix that is neither one of data nor of text.
    """
    name = Path(output.stem if output.suffix == ".gz" else output.name) if output else Path()
    suffix = name.suffix.lower()
    if by_suffix := SUFFIXES.get(suffix):
        return by_suffix
    if suffix not in TEXT:
        raise UnknownNameError("suffix of --output (--to says what to write)", suffix, [*SUFFIXES, ".txt"])
    many = len(paths) > FEW or any(path.is_dir() for path in paths)
    return "summary" if many and not rows else "table"


TEXT = ("", ".txt")
"""Suffixes of files for people."""

FEW = 4
"""As many logs that are named one by one are shown row by row."""

SUFFIXES = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".nc": "netcdf",
    ".json": "json",
    ".parquet": "parquet",
}


def _summary_json(summary: Summary) -> str:
    return command_output.text(**summary.record())


def _summary_text(summary: Summary) -> str:
    more = "Rows: --rows shows them all, -o FILE.csv (.jsonl, .nc, .parquet) writes them."
    return "\n".join([*lines(summary), *(("", more) if summary.logs else ())]) + "\n"


SUMMARIES: dict[str, Callable[[Summary], str]] = {"summary": _summary_text, "json": _summary_json}


def _refuse_a_log(output: Path | None, logs: Iterable[Path]) -> None:
    if output and output.is_file() and any(log.exists() and log.samefile(output) for log in logs):
        raise StoragelabError(f"{output}: not written, it is one of the logs to read")


def _write_jsonl(
    logs: Iterable[Log], file: TextIO, nodes: Sequence[str], split: Callable[[Row], Iterable[Row]] = lambda row: [row]
) -> None:
    """One object an observation: first the log itself, then its rows; what is missing is left out."""
    for log in logs:
        about: Row = {"log": log.name, "log_sha256": log.sha256}
        if "logs" in nodes:
            file.write(_json({"node": "logs", **log.record()}))
        for node in schema.MEASURED:
            if node in nodes:
                parts = (part for row in log.rows(node) for part in split(row))
                file.writelines(_json({"node": node} | about | part) for part in parts)


def _write_by_line(logs: Iterable[Log], file: TextIO, nodes: Sequence[str]) -> None:
    """One object for each line of a log that states values of an observation, and what that is."""
    _write_jsonl(logs, file, nodes, lambda row: schema.by_line(_present(row)))


def _json(row: Row) -> str:
    present = {name: value for name, value in row.items() if isinstance(value, str) or math.isfinite(value)}
    return orjson.dumps(present, option=orjson.OPT_SERIALIZE_NUMPY).decode() + "\n"


def _present(row: Row) -> Row:
    """Return a row without what is missing."""
    return {name: value for name, value in row.items() if value == value}


def _columns(logs: Sequence[Log], nodes: Sequence[str]) -> list[str]:
    found = {"log", "log_sha256"}
    for log in logs:
        for node in nodes:
            if node == "series":
                found.update(log.columns(), log.header() if log.columns() else ())
            else:
                found.update(*([log.record()] if node == "logs" else log.rows(node)))
    return [name for name in schema.FIELDS if name in found]


def _write_table(logs: Iterable[Log], file: TextIO, nodes: Sequence[str]) -> None:
    """For people: what a log says of itself, then a table a node."""
    for log in logs:
        file.write(f"{_title(log)}\n")
        for node in nodes:
            rows = [] if node == "logs" else list(log.rows(node))
            file.writelines(f"  {line}\n" for line in _table(node, rows) if rows)
        samples = 0 if "series" in nodes else sum(len(columns["line"]) for columns in log.parsed.tables())
        if samples:
            file.write(f"  series: {samples} samples (--node series shows them)\n")
        file.write("\n")


def _table(node: str, rows: Sequence[Row]) -> Iterator[str]:
    shared, varying = display.split_constant(rows)
    shown = display.main_names(varying)
    same = ", ".join(f"{name}={display.quantity(name, value)}" for name, value in shared.items())
    more = len(varying) - len(shown)
    yield f"{node}: {same}"
    yield from (f"  {line}" for line in display.table(rows, shown))
    if more:
        yield f"  ({more} more columns, spread and percentiles among them: --to csv)"


def _title(log: Log) -> str:
    record = log.record()
    tool = " ".join(str(record[name]) for name in ("tool", "tool_version") if name in record)
    state = "complete" if log.parsed.complete else "INCOMPLETE"
    notes = f"\n  notes: {record['notes']}" if record["notes"] else ""
    return f"{log.name}: {log.format}, {tool}, {state}{notes}"


def _write_netcdf(logs: Iterable[Log], path: Path) -> None:
    from storagelab import dataset, ingest

    tree = ingest.tidy(map(_told_if_large, logs))
    if not tree.children:
        raise StoragelabError(f"{path}: not written, no log could be read")
    dataset.save(tree, path)


def _write_parquet(logs: Iterable[Log], path: Path, nodes: Sequence[str]) -> None:
    """One table of all rows as columns, for pandas, Polars, DuckDB and Spark; what a row lacks is missing."""
    optional_packages.require("study", "Parquet")
    import pyarrow
    import pyarrow.parquet

    read = list(logs)
    names = _columns(read, nodes)
    rows: list[Row] = [
        {"node": node, "log": log.name, "log_sha256": log.sha256, **_present(row)}
        for log in read
        for node in nodes
        for row in ([log.record()] if node == "logs" else log.rows(node))
    ]
    types = [(name, pyarrow.string() if schema.is_text(name) else pyarrow.float64()) for name in names]
    whole = pyarrow.schema([("node", pyarrow.string()), *types])
    columns = {name: [row.get(name) for row in rows] for name in whole.names}
    with writing.new_file(path) as beside:
        pyarrow.parquet.write_table(pyarrow.table(columns, schema=whole), beside)


BYTES_A_SAMPLE = 350
"""Memory that a sample takes while a dataset is made and written, measured; CSV and JSON lines hold none."""


def _told_if_large(log: Log) -> Log:
    """Say what memory a dataset of a log needs that is itself too large to be held."""
    if log.parsed.blocks:
        samples = sum(len(columns["line"]) for columns in log.parsed.tables())
        need = f"about {samples * BYTES_A_SAMPLE / 1e9:.1f} GB of memory"
        warn(f"{log.name}: {samples} samples: a dataset of them needs {need}; csv and jsonl need none")
    return log


DEFAULT_NODES = {"jsonl": schema.NODES, "csv": schema.MEASURED, "table": ("runs", "clients", "events")}
