"""runs.csv: a row a log, every mistake with its line."""

from __future__ import annotations

import csv
import io
import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path

from storagelab import schema
from storagelab.errors import SidecarError, UnknownNameError, naming, nearest
from storagelab.study.entry import Entry
from storagelab.study.files import files_below
from storagelab.study.study_yaml import Column, Sidecar
from storagelab.study.value_checks import WHERE_KEYS_ARE, Known, hidden_in, known_in, to_events, to_keys

NAME = "runs.csv"


Listed = dict[str, Entry | None]
"""Path of a log -> what its row says; None where the row is wrong, so that nothing more is asked of the log."""


def listed(folder: Path, sidecar: Sidecar, problems: list[SidecarError]) -> Listed:
    """Read every runs.csv below the folder; what is wrong with rows goes to `problems`."""
    found: Listed = {}
    for table in files_below(folder, named=NAME):
        for path, entry in _entries(folder, table, sidecar, problems):
            first = found.setdefault(path, entry)
            if entry and first and first is not entry:
                message = f"{path} has a row already, {first.file}:{first.line}"
                problems.append(SidecarError(entry.file, message, entry.line))
    return found


def _entries(
    folder: Path, table: Path, sidecar: Sidecar, problems: list[SidecarError]
) -> Iterator[tuple[str, Entry | None]]:
    rows = _rows(table)
    _, names = next(rows, (1, []))
    columns = _columns(table, names, sidecar)
    known: Known = {}
    for line, cells in rows:
        row, path = dict(zip(names, cells, strict=False)), ""
        try:
            path = _below(folder, table, row.pop("file")) if "file" in row else ""
            if len(cells) != len(names):
                raise ValueError(f"the row does not have the {len(names)} cells of the header, but {len(cells)}")
            said, hidden = to_keys(row, columns, known), tuple(hidden_in(row, columns))
            yield path, Entry(path, said, str(table), line, to_events(row, columns), hidden, frozenset(said))
        except (ValueError, UnknownNameError) as error:
            problems.append(SidecarError(str(table), str(error), line))
            if path:
                yield path, None


def _rows(table: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, with the line on which each begins; cells without blanks around them."""
    with naming(table):
        data = table.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SidecarError(str(table), f"not UTF-8: {error.reason} {data[error.start : error.end]!r}", line) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, [cell.strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise SidecarError(str(table), f"the row that begins here is no CSV: {error}", line) from None


def _columns(table: Path, names: Sequence[str], sidecar: Sidecar) -> dict[str, Column]:
    """Columns by name; each says another key.

    Raises
    ------
    SidecarError
        If a column is doubled, unknown, says the key of another, or none is `file`.
    """
    if "file" not in names:
        hint = "; cells are separated by commas" if any(mark in "".join(names) for mark in ";\t") else ""
        raise SidecarError(str(table), f"needs a column 'file', has {', '.join(names) or 'none'}{hint}", 1)
    columns: dict[str, Column] = {}
    said_by: dict[str, str] = {}
    for name in names:
        if name in columns or (name == "file" and names.count(name) > 1):
            raise SidecarError(str(table), f"column {name!r} stands twice", 1)
        if name != "file":
            column = columns[name] = sidecar.columns.get(name) or _column_of_its_own_name(table, name, sidecar)
            says = column.key or column.event
            if says and said_by.setdefault(says, name) != name:
                raise SidecarError(str(table), f"columns {said_by[says]!r} and {name!r} both say {says}", 1)
    return columns


def _column_of_its_own_name(table: Path, name: str, sidecar: Sidecar) -> Column:
    try:
        return Column(key=known_in(name, sidecar.own_keys))
    except ValueError:
        hint = nearest(name, (key for key in schema.FIELDS if key in sidecar.own_keys or not schema.field(key).own))
        message = f"column {name!r} is neither a key of the contract nor explained in study.yaml{hint}"
        raise SidecarError(str(table), f"{message}; {WHERE_KEYS_ARE}", 1) from None


def _below(folder: Path, table: Path, file: str) -> str:
    """Path below the study of a log that runs.csv names from where it stands itself."""
    if not file:
        raise ValueError("the cell of the column 'file' is empty")
    path = posixpath.normpath(posixpath.join(table.parent.relative_to(folder).as_posix(), file))
    if path.startswith(("/", "../")) or path in (".", ".."):
        raise ValueError(f"{file} is not below the folder of the study")
    return path
