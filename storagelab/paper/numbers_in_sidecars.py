"""Where sidecars say what an experimenter set: a key of a log in runs.csv or study.yaml, a name in study.yaml."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from storagelab.errors import PaperError, nearest
from storagelab.paper.published_items import Item
from storagelab.study import Entry, entries_of, published

_QUOTED = re.compile(r"[\w-]+\.\w+")
"""A study and the name of a number that it prints, where a notebook quotes it: ``fermicloud-2011.bw_spread``."""

STUDY = "study.yaml"

Trace = dict[str, list[int]]
"""Lines by log."""


def find(facts: Mapping[str, dict[str, Any]], root: Path, study: str) -> None:
    """Let facts that state what an experimenter set lead to the sidecars that say it, where the raw study is here.

    Parameters
    ----------
    facts : mapping
        By name; the trace of a fact that is the level of a key, or is stated in study.yaml, is put in its place.
    root : Path
        Folder that holds raw/.
    study : str
        Name of the study.

    Raises
    ------
    PaperError
        If study.yaml does not have a name under which a fact says it is stated.
    """
    sidecar = root / "raw" / study / STUDY
    entries = _entries(facts, sidecar) if sidecar.is_file() else {}
    for name, fact in facts.items():
        if (printed := fact["comes_from"].get("printed", "")) and _QUOTED.fullmatch(printed):
            _printed(fact, printed, root)
        elif not sidecar.is_file():
            continue
        elif stated := fact["comes_from"].get("stated"):
            first = _line_of(stated, sidecar, f"fact {name!r}")
            fact["trace"] = {f"raw/{study}/{STUDY}": _block_from(first, sidecar)}
        elif fact["key"] and fact["trace"]:
            fact["trace"] = _said(fact["trace"], fact["key"], entries, root) or fact["trace"]
        if fact.get("set_by") and fact["trace"] and sidecar.is_file():
            fact["trace"] = _with_what_was_set(fact["trace"], fact["set_by"], entries, root)


def _entries(facts: Mapping[str, dict[str, Any]], sidecar: Path) -> dict[str, Entry]:
    """What the sidecars say of the logs from which facts come that are levels of keys, or were set."""
    home = f"raw/{sidecar.parent.name}/"
    asked = (fact["trace"] or {} for fact in facts.values() if fact["key"] or fact.get("set_by"))
    logs = {log.removeprefix(home) for trace in asked for log in trace if log.startswith(home)}
    return {home + path: entry for path, entry in entries_of(sidecar.parent, logs).items()} if logs else {}


def find_stated(tables: Iterable[Item], root: Path, study: str) -> None:
    """Let tables that lay out what study.yaml states say on which line, where the raw study is here.

    Raises
    ------
    PaperError
        If study.yaml does not have the name.
    """
    sidecar = root / "raw" / study / STUDY
    for item in tables if sidecar.is_file() else ():
        if stated := item.record.get("comes_from", {}).get("stated"):
            line = _line_of(stated, sidecar, f"table {item.id!r}")
            item.record["comes_from"] |= {"stated": f"{stated}, line {line}"}


def _printed(fact: dict[str, Any], printed: str, root: Path) -> None:
    """Let a fact lead to the number of published.yaml that it quotes, and say what is printed there."""
    study, _, name = printed.partition(".")
    folder = root / "raw" / study
    if not (folder / published.NAME).is_file():
        return
    values = published.read_published(folder).values
    if name not in values:
        raise PaperError(f"fact {fact['name']!r}: {study} prints no {name!r}{nearest(name, values)}")
    fact["comes_from"] |= {"printed": _words(study, values[name])}
    fact["trace"] = {
        f"raw/{study}/{published.NAME}": [_line_of(name, folder / published.NAME, f"fact {fact['name']!r}")]
    }


def _words(study: str, value: published.Value) -> str:
    unit = "" if value.unit == "1" else f" {value.unit}"
    shown = value.as_printed or f"{'about ' if value.about else ''}{value.value}{unit}"
    return f"{study}, section {value.section}: {value.what}, {shown}"


def _said(trace: Trace, key: str, entries: Mapping[str, Entry], root: Path) -> Trace:
    """Lines of the sidecars that say a key of all logs of a trace; none if they say it of some only."""
    said = [entries[log] for log in trace if log in entries and key in entries[log].keys]
    if len(said) < len(trace):
        return {}
    rows = {(Path(entry.file), entry.line) for entry in said if key in entry.of_row}
    if any(key not in entry.of_row for entry in said):
        sidecar = root / Path(*Path(said[0].file).relative_to(root).parts[:2]) / STUDY
        rows.add((sidecar, _line_setting(key, sidecar)))
    lines: defaultdict[str, set[int]] = defaultdict(set)
    for file, line in rows:
        lines[file.relative_to(root).as_posix()].add(line)
    return {file: sorted(lines[file]) for file in sorted(lines)}


def _with_what_was_set(trace: Trace, names: Sequence[str], entries: Mapping[str, Entry], root: Path) -> Trace:
    """Add to a trace the lines that say what was set: those of keys of its logs, and of names in study.yaml."""
    found = dict(trace)
    for name in names:
        saying: Trace = {log: [] for log in trace if log in entries and name in entries[log].keys}
        for file, lines in _said(saying, name, entries, root).items():
            found[file] = sorted({*found.get(file, ()), *lines})
    study = f"raw/{next(iter(trace)).split('/')[1]}/{STUDY}"
    stated = [line for name in names if "." in name and (line := _line_if_any(name, root / study))]
    return found | ({study: sorted({*found.get(study, ()), *stated})} if stated else {})


def _line_setting(key: str, sidecar: Path) -> int:
    """First line of study.yaml that sets a key, or else names it."""
    lines = list(enumerate(sidecar.read_text(encoding="utf-8").split("\n"), start=1))
    sets = re.compile(rf"(?<!\w){key}:|key: {key}\b")
    return next((number for number, line in lines if sets.search(line)), 0) or next(
        (number for number, line in lines if key in line), 1
    )


def _line_of(dotted: str, sidecar: Path, what: str) -> int:
    """Line of study.yaml on which a name stands: ``testbed.servers``."""
    if line := _line_if_any(dotted, sidecar):
        return line
    raise PaperError(f"{sidecar.name}: expected {dotted!r}, under which {what} says that it is stated")


def _line_if_any(dotted: str, sidecar: Path) -> int:
    """Line of study.yaml on which a name stands; 0 where it has no such name."""
    names, found = dotted.split("."), 0
    for number, line in enumerate(sidecar.read_text(encoding="utf-8").split("\n"), start=1):
        found += line.strip().removeprefix("- ").startswith(f"{names[found]}:")
        if found == len(names):
            return number
    return 0


def _block_from(first: int, sidecar: Path) -> list[int]:
    """Lines of what a name of study.yaml stands for: its own, and those below it that are indented further."""
    lines = sidecar.read_text(encoding="utf-8").split("\n")
    depth = _indent(lines[first - 1])
    below = itertools.takewhile(lambda line: _indent(line) > depth, lines[first:])
    return [first, *(number for number, _ in enumerate(below, first + 1))]


def _indent(line: str) -> int:
    """Blanks before what a line says; an entry of a list belongs to the name above it."""
    return len(line) - len(line.lstrip(" ")) + line.lstrip(" ").startswith("- ")
