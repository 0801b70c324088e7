"""The keys of each log, from ``study.yaml`` (rules by file names, what holds for all) and ``runs.csv`` (a row a log).

Both are validated on load. Every mistake names the file and the line.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from storagelab.errors import SidecarError, UnknownNameError, together
from storagelab.escaping.characters import is_visible
from storagelab.study import runs_csv, yaml_reading
from storagelab.study.entry import Entry
from storagelab.study.files import files_below, hidden_below
from storagelab.study.plan_yaml import planned
from storagelab.study.study_yaml import Column, Rule, Sidecar, read_sidecar
from storagelab.study.value_checks import Key, to_keys

SIDECARS = (
    "study.yaml", runs_csv.NAME, "SHA256SUMS",
    "plan.yaml", "published.yaml", "testbed.yaml", "claims.yaml", "checks.yaml", "figures.yaml", "tables.yaml",
    "verdicts.yaml",
)  # fmt: skip

UNCOVERED = (
    "no row of runs.csv and no rule of study.yaml covers it; a rule takes keys from names of logs by named groups, "
    "such as `match: [{regex: '.*_n(?P<nodes>[0-9]+)_r(?P<repeat>[0-9]+)[.]log'}]`"
)
RECORD = ".storagelab.json"
"""How the names of files end in which `storagelab record` keeps what it saw of the run of a log."""


def is_sidecar(name: str) -> bool:
    """Whether a file of this name is no log, whatever it holds.

    Parameters
    ----------
    name : str
        Name of a file.

    Returns
    -------
    bool
        True where it is written by hand, or by us.

    Examples
    --------
    >>> is_sidecar("study.yaml"), is_sidecar("ior.log")
    (True, False)
    """
    return name in SIDECARS or name.endswith(RECORD)


ASIDE = "no log of the study by `aside` of study.yaml; a log with a row is left out by a rule of `match` with `ignore`"

Covering = tuple[int, Rule, Mapping[str, str]]
"""A rule that covers a log: its number from 1, itself, and its named groups."""


@dataclass(frozen=True, slots=True)
class Study:
    """A study on disk, its sidecars loaded and its logs found; `hidden` is what nobody looked into.

    `escaped` are lines of study.yaml with characters that nobody sees, which are written as escapes. `uncovered` are
    logs that neither a rule nor a row of runs.csv covers.
    """

    folder: Path
    sidecar: Sidecar
    entries: tuple[Entry, ...]
    problems: tuple[SidecarError, ...] = field(default=())
    hidden: tuple[str, ...] = ()
    escaped: tuple[int, ...] = ()
    uncovered: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Name of the study, as its folder below raw/ spells it."""
        return self.sidecar.id


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
        bad cell, two sources that disagree) stands in `problems`, so that all of it can be shown at once. Hidden files
        and folders (a snapshot, what an editor left) are no part of a study; `hidden` names them.

    Raises
    ------
    SidecarError
        If study.yaml is missing or invalid, or a runs.csv cannot be read as a table.
    """
    sidecar = planned(folder, read_sidecar(folder / "study.yaml"))
    tree = yaml_reading.tree_of(folder / "study.yaml")
    problems: list[SidecarError] = []
    if sidecar.id != (name := folder.resolve().name):
        message = f"id: expected {name!r}, the name of its folder, found {sidecar.id!r}"
        problems.append(SidecarError(str(folder / "study.yaml"), message, yaml_reading.line_of(tree, ("id",))))
    listed = runs_csv.listed(folder, sidecar, problems)
    covering = _covering(list(_files(folder, sidecar)), sidecar)
    entries = list(_covered(folder, sidecar, covering, listed, problems))
    problems += _unused(folder, sidecar, tree, covering, listed)
    if not entries and not problems:
        problems.append(SidecarError(str(folder), "a study without logs"))
    in_order = tuple(sorted(entries, key=lambda entry: entry.path))
    escaped = tuple(yaml_reading.hidden(tree))
    bare = tuple(path for path, rules in covering.items() if path.isprintable() and path not in listed and not rules)
    return Study(folder, sidecar, in_order, tuple(together(problems)), tuple(hidden_below(folder)), escaped, bare)


def entries_of(folder: Path, paths: Iterable[str]) -> dict[str, Entry]:
    """Read what the sidecars of a study say of some of its logs; the others are not looked at.

    Parameters
    ----------
    folder : Path
        ``raw/<study>``.
    paths : iterable of str
        Logs, as paths below the folder.

    Returns
    -------
    dict of str to Entry
        By path; without those of which the sidecars say nothing, or nothing that holds (`load` tells what is wrong).

    Raises
    ------
    SidecarError
        If study.yaml is missing or invalid, or a runs.csv cannot be read as a table.
    """
    sidecar = planned(folder, read_sidecar(folder / "study.yaml"))
    problems: list[SidecarError] = []
    listed = runs_csv.listed(folder, sidecar, problems)
    entries = _covered(folder, sidecar, _covering(sorted(set(paths)), sidecar), listed, problems)
    return {entry.path: entry for entry in entries}


def _covered(
    folder: Path,
    sidecar: Sidecar,
    covering: Mapping[str, list[Covering]],
    listed: runs_csv.Listed,
    problems: list[SidecarError],
) -> Iterator[Entry]:
    """Every log with its keys: defaults, then rules, then its row of runs.csv."""
    for path, rules in covering.items():
        if any(rule.ignore for _, rule, _ in rules) or listed.get(path, ...) is None:
            continue
        if problem := _unusable(folder, path, covered=bool(rules) or path in listed):
            problems.append(problem)
            continue
        try:
            yield _merged(folder, path, sidecar, rules, listed.get(path))
        except SidecarError as error:
            problems.append(error)


def _unused(
    folder: Path,
    sidecar: Sidecar,
    tree: yaml.Node | None,
    covering: Mapping[str, list[Covering]],
    listed: runs_csv.Listed,
) -> Iterator[SidecarError]:
    """Rules that cover no log, and rows of logs that are not there."""
    used = {number for rules in covering.values() for number, _, _ in rules}
    yield from _idle(folder, sidecar, tree, used)
    for path, entry in listed.items():
        if entry and path not in covering:
            said = ASIDE if _is_aside(path, sidecar) and (folder / path).is_file() else "no such log"
            yield SidecarError(entry.file, f"{path}: {said}", entry.line)


def _files(folder: Path, sidecar: Sidecar) -> Iterator[str]:
    for path in files_below(folder):
        name = path.relative_to(folder).as_posix()
        if not (is_sidecar(path.name) or _is_aside(name, sidecar)):
            yield name


def _is_aside(path: str, sidecar: Sidecar) -> bool:
    return any(fnmatch.fnmatchcase(path, glob) for glob in sidecar.aside)


def _covering(paths: Sequence[str], sidecar: Sidecar) -> dict[str, list[Covering]]:
    """Rules that cover each path; a rule looks at all paths at once, since its expression is compiled each time."""
    covering: dict[str, list[Covering]] = {path: [] for path in paths}
    for number, rule in enumerate(sidecar.match, start=1):
        for path, groups in zip(paths, rule.match(paths), strict=True):
            if groups is not None:
                covering[path].append((number, rule, groups))
    return covering


def _unusable(folder: Path, path: str, *, covered: bool) -> SidecarError | None:
    if not (path.isprintable() and is_visible(path)):
        return SidecarError(str(folder), f"the name {path!r} has characters that are not UTF-8 or not printable")
    if not covered:
        return SidecarError(str(folder / "study.yaml"), UNCOVERED, log=path)
    return None


def _idle(folder: Path, sidecar: Sidecar, tree: yaml.Node | None, used: set[int]) -> Iterator[SidecarError]:
    for number, rule in enumerate(sidecar.match, start=1):
        if number not in used:
            line = yaml_reading.line_of(tree, ("match", number - 1))
            yield SidecarError(str(folder / "study.yaml"), f"match rule {number} ({rule}) covers no log", line)


def _merged(folder: Path, path: str, sidecar: Sidecar, rules: list[Covering], listed: Entry | None) -> Entry:
    """Join what is said of a log. A rule or a row may set a default aside, but not another rule or a row.

    Raises
    ------
    SidecarError
        If two of them disagree, or a named group is no value of its key.
    """
    file, line = (listed.file, listed.line) if listed else (str(folder / "study.yaml"), 0)
    said: dict[str, tuple[Key, str]] = {}
    for number, rule, groups in rules:
        source = f"match rule {number} of study.yaml"
        try:
            named = to_keys(groups, {name: sidecar.columns.get(name) or Column(key=name) for name in groups})
        except (ValueError, UnknownNameError) as error:
            raise SidecarError(file, f"{source}: {error}", line, path) from None
        _say(said, {**rule.keys, **named}, source, (path, file, line))
    if listed:
        _say(said, listed.keys, "the row of runs.csv", (path, file, line))
    keys = {**sidecar.defaults, **{name: value for name, (value, _) in said.items()}}
    return replace(listed or Entry(path, keys, file, line), keys=keys)


def _say(said: dict[str, tuple[Key, str]], keys: Mapping[str, Key], source: str, place: tuple[str, str, int]) -> None:
    path, file, line = place
    for name, value in keys.items():
        before, where = said.setdefault(name, (value, source))
        if before != value:
            raise SidecarError(file, f"{name} is {value!r} by {source}, but {before!r} by {where}", line, path)
