"""The sidecars of a study: ``study.yaml`` (what was planned and how logs map to keys) and ``runs.csv`` (a row a log).

Both are validated on load. Every mistake names the file and the line.
"""

from __future__ import annotations

import csv
import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pydantic

from storagelab import schema
from storagelab.errors import SidecarError, UnknownNameError, nearest
from storagelab.study.sidecar import LOG_LEVEL, Column, Key, Keys, Sidecar, read_sidecar, to_keys

__all__ = ["LOG_LEVEL", "Entry", "Key", "Keys", "Sidecar", "Study", "load", "read_sidecar"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A log of the study with all that the sidecars say of it.

    `where` is the file and line that says it, for messages.
    """

    path: str
    keys: Keys
    file: str
    line: int

    @property
    def role(self) -> str:
        """What the log is in its run: benchmark, netdev_before, ..."""
        return str(self.keys.get("role", "benchmark"))


@dataclass(frozen=True, slots=True)
class Study:
    """A study on disk, its sidecars loaded and its logs found."""

    folder: Path
    sidecar: Sidecar
    entries: tuple[Entry, ...]
    problems: tuple[SidecarError, ...] = field(default=())

    @property
    def id(self) -> str:
        """Name of the study, as its folder below raw/ spells it."""
        return self.sidecar.id


SIDECARS = ("study.yaml", "runs.csv", "SHA256SUMS")


def load(folder: Path) -> Study:
    """Read and validate the sidecars of a study.

    Parameters
    ----------
    folder : Path
        ``raw/<study>``, with study.yaml and, somewhere below it, any number of runs.csv.

    Returns
    -------
    Study
        Its entries sorted by path. What is wrong with single logs (one no rule covers, a rule that covers none, a
        bad cell) stands in `problems`, so that all of it can be shown at once.

    Raises
    ------
    SidecarError
        If study.yaml is missing or invalid.
    """
    sidecar = read_sidecar(folder / "study.yaml")
    problems: list[SidecarError] = []
    listed = {entry.path: entry for entry in _listed(folder, sidecar, problems)}
    entries = list(_covered(folder, sidecar, listed, problems))
    return Study(folder, sidecar, tuple(sorted(entries, key=lambda entry: entry.path)), tuple(problems))


def _listed(folder: Path, sidecar: Sidecar, problems: list[SidecarError]) -> Iterator[Entry]:
    """Entries of every runs.csv below the folder."""
    for table in sorted(folder.rglob("runs.csv")):
        with table.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines)
            columns = _columns(table, reader.fieldnames or (), sidecar)
            for row in reader:
                yield from _entry(folder, table, reader.line_num, row, columns, problems)


def _columns(table: Path, names: Any, sidecar: Sidecar) -> dict[str, Column]:
    if "file" not in names:
        raise SidecarError(str(table), f"needs a column 'file', has {', '.join(names)}", 1)
    columns = {}
    for name in names:
        if name != "file":
            columns[name] = sidecar.columns.get(name) or _column_of_its_own_name(table, name)
    return columns


def _column_of_its_own_name(table: Path, name: str) -> Column:
    try:
        return Column(key=name)
    except (pydantic.ValidationError, UnknownNameError):
        hint = nearest(name, schema.FIELDS)
        message = f"column {name!r} is neither a key of the contract nor explained in study.yaml{hint}"
        raise SidecarError(str(table), message, 1) from None


def _entry(
    folder: Path,
    table: Path,
    line: int,
    row: dict[str, str | None],
    columns: Mapping[str, Column],
    problems: list[SidecarError],
) -> Iterator[Entry]:
    path = (table.parent / str(row["file"])).relative_to(folder).as_posix()
    try:
        cells = {name: row[name] for name in columns}
        if None in row or None in cells.values():
            raise ValueError(f"the row does not have the {len(columns) + 1} cells of the header")
        keys = to_keys({name: str(text) for name, text in cells.items()}, columns)
    except (ValueError, UnknownNameError) as error:
        problems.append(SidecarError(str(table), str(error), line))
        return
    yield Entry(path, keys, str(table), line)


def _covered(
    folder: Path, sidecar: Sidecar, listed: Mapping[str, Entry], problems: list[SidecarError]
) -> Iterator[Entry]:
    """Every log with its keys: defaults, then rules, then its row of runs.csv."""
    used: set[int] = set()
    present = set()
    for path in _files(folder, sidecar):
        present.add(path)
        rules = [(i, rule, groups) for i, rule in enumerate(sidecar.match) if (groups := rule.match(path)) is not None]
        used.update(i for i, _, _ in rules)
        if any(rule.ignore for _, rule, _ in rules):
            continue
        if path not in listed and not rules:
            problems.append(SidecarError(str(folder / path), "no row of runs.csv and no rule of study.yaml covers it"))
            continue
        yield _merge(path, sidecar, rules, listed.get(path))
    yaml_path = str(folder / "study.yaml")
    problems += [
        SidecarError(yaml_path, f"match rule {i + 1} ({rule.glob or rule.regex}) covers no log")
        for i, rule in enumerate(sidecar.match)
        if i not in used
    ]
    problems += [
        SidecarError(entry.file, f"{path}: no such log", entry.line)
        for path, entry in listed.items()
        if path not in present
    ]


def _files(folder: Path, sidecar: Sidecar) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        aside = path.name in SIDECARS or any(fnmatch.fnmatchcase(name, glob) for glob in sidecar.aside)
        if path.is_file() and not aside:
            yield name


def _merge(path: str, sidecar: Sidecar, rules: list[Any], listed: Entry | None) -> Entry:
    keys: Keys = dict(sidecar.defaults)
    for _, rule, groups in rules:
        keys |= rule.keys
        columns = {name: sidecar.columns.get(name, Column(key=name)) for name in groups}
        keys |= to_keys(groups, columns)
    if listed:
        return Entry(path, keys | listed.keys, listed.file, listed.line)
    return Entry(path, keys, "study.yaml", 0)
