"""The row of a run in runs.csv, added so that two recorders at once keep both."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from storagelab import schema, units, writing
from storagelab.errors import SidecarError, UnknownNameError
from storagelab.study import Sidecar
from storagelab.study.runs_csv import NAME
from storagelab.study.study_yaml import Column
from storagelab.study.value_checks import Key, known_key, to_keys

Cells = Mapping[str, str]


def settings(said: Sequence[str], folder: Path, sidecar: Sidecar) -> dict[str, str]:
    """Read what ``--set`` says: name of a key, or of a column that study.yaml explains, and its cell.

    Raises
    ------
    SidecarError
        If one is not written KEY=VALUE, is no key and no column, is there twice, or its value is none of the key.
    """
    found: dict[str, str] = {}
    for text in said:
        name, sign, value = text.partition("=")
        if not (sign and name and value):
            raise SidecarError(str(folder), f"--set {text}: expected KEY=VALUE, such as clients=4")
        if name in found:
            raise SidecarError(str(folder), f"--set {text}: {name} is set already, to {found[name]!r}")
        found[name] = value
    keys_of(found, folder, sidecar)
    return found


def keys_of(cells: Cells, folder: Path, sidecar: Sidecar) -> dict[str, Key]:
    """Return cells as keys of the contract, in SI.

    Raises
    ------
    SidecarError
        If one is no key and no column, or its value is none of the key.
    """
    try:
        for name in (name for name in cells if name not in sidecar.columns):
            known_key(name)
        return to_keys(cells, {name: sidecar.columns.get(name) or Column(key=name) for name in cells})
    except (ValueError, UnknownNameError) as error:
        raise SidecarError(str(folder / "study.yaml"), f"--set: {error}") from None


def add(folder: Path, sidecar: Sidecar, new: Sequence[tuple[Cells, Mapping[str, Key]]]) -> None:
    """Add rows to runs.csv of a study; columns that it lacks are added, and are empty in the rows before.

    Parameters
    ----------
    folder : Path
        Of the study.
    sidecar : Sidecar
    new : sequence of pairs
        Columns of a row as they are to be written, ``file`` among them; and keys in SI, which go into the columns that
        runs.csv or study.yaml has for them.

    Raises
    ------
    SidecarError
        If runs.csv is no table that has a column ``file``.
    """
    with writing.locked(folder):
        path = folder / NAME
        heads, rows = _read(path) if path.exists() else ([], [])
        if heads and "file" not in heads:
            raise SidecarError(str(path), f"needs a column 'file', has {', '.join(heads)}", 1)
        added = [{**cells, **dict(_in_columns(known, heads, sidecar, cells))} for cells, known in new]
        columns = list(dict.fromkeys([*heads, *(name for row in added for name in row)]))
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, *added])
        writing.write_text(path, text.getvalue())


def rows(folder: Path) -> list[dict[str, str]]:
    """Rows of runs.csv of a study; none where there is none."""
    path = folder / NAME
    return _read(path)[1] if path.exists() else []


def _read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Heads and rows of a table.

    Raises
    ------
    SidecarError
        If a row has more cells than there are heads, or the table is no UTF-8; names the line.
    """
    try:
        reader = csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), strict=True)
        heads = [head.strip() for head in reader.fieldnames or ()]
        reader.fieldnames = heads
        found = []
        for row in reader:
            if None in row:
                raise SidecarError(str(path), f"more cells than the {len(heads)} of the header", reader.line_num)
            found.append({name: cell or "" for name, cell in row.items()})
    except (UnicodeDecodeError, csv.Error) as error:
        raise SidecarError(str(path), f"no table in CSV: {error}") from None
    return heads, found


def _in_columns(
    known: Mapping[str, Key], heads: Sequence[str], sidecar: Sidecar, cells: Cells
) -> Iterator[tuple[str, str]]:
    """Give each key the column that says it: one of runs.csv, else one of study.yaml, else its own name."""
    said = {
        str(column.key): name for name, column in sidecar.columns.items() if column.key and name in (*heads, *cells)
    }
    for key, value in known.items():
        name = said.get(key, key)
        if name not in cells:
            yield name, _cell(key, value, sidecar.columns.get(name))


def _cell(key: str, value: Key, column: Column | None) -> str:
    if isinstance(value, str):
        words = {word: cell for cell, word in (column.words if column else {}).items()}
        return words.get(value, value)
    if math.isnan(value):
        return ""
    scale = units.factor(column.unit, str(schema.field(key).unit)) if column and column.unit else 1.0
    return f"{value / scale:.15g}"
