"""Where sidecars say what an experimenter set: a key of a log in runs.csv or study.yaml, a name in study.yaml."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from storagelab.errors import PaperError, nearest
from storagelab.paper.registry import Item
from storagelab.study import Entry, load, published

_QUOTED = re.compile(r"[\w-]+\.\w+")
"""A study and the name of a number that it prints, where a notebook quotes it: ``fermicloud-2011.bw_spread``."""

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
    sidecar = root / "raw" / study / "study.yaml"
    entries: Mapping[str, Entry] = {}
    for name, fact in facts.items():
        if (printed := fact["comes_from"].get("printed", "")) and _QUOTED.fullmatch(printed):
            _printed(fact, printed, root)
        elif not sidecar.is_file():
            continue
        elif stated := fact["comes_from"].get("stated"):
            first = _line_of(stated, sidecar, f"fact {name!r}")
            fact["trace"] = {f"raw/{study}/study.yaml": _block_from(first, sidecar)}
        elif fact["key"] and fact["trace"]:
            entries = entries or {f"raw/{study}/{entry.path}": entry for entry in load(sidecar.parent).entries}
            fact["trace"] = _said(fact["trace"], fact["key"], entries, root) or fact["trace"]


def find_stated(tables: Iterable[Item], root: Path, study: str) -> None:
    """Let tables that lay out what study.yaml states say on which line, where the raw study is here.

    Raises
    ------
    PaperError
        If study.yaml does not have the name.
    """
    sidecar = root / "raw" / study / "study.yaml"
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
    lines: defaultdict[str, set[int]] = defaultdict(set)
    for entry in said:
        lines[Path(entry.file).relative_to(root).as_posix()].add(entry.line or _line_naming(key, Path(entry.file)))
    return {file: sorted(lines[file]) for file in sorted(lines)}


def _line_naming(key: str, sidecar: Path) -> int:
    """First line of a sidecar that names a key."""
    lines = sidecar.read_text(encoding="utf-8").split("\n")
    return next((number for number, line in enumerate(lines, start=1) if key in line), 1)


def _line_of(dotted: str, sidecar: Path, what: str) -> int:
    """Line of study.yaml on which a name stands: ``testbed.servers``."""
    names, found = dotted.split("."), 0
    for number, line in enumerate(sidecar.read_text(encoding="utf-8").split("\n"), start=1):
        found += line.strip().removeprefix("- ").startswith(f"{names[found]}:")
        if found == len(names):
            return number
    raise PaperError(f"{sidecar.name}: expected {dotted!r}, under which {what} says that it is stated")


def _block_from(first: int, sidecar: Path) -> list[int]:
    """Lines of what a name of study.yaml stands for: its own, and those below it that are indented further."""
    lines = sidecar.read_text(encoding="utf-8").split("\n")
    depth = _indent(lines[first - 1])
    below = itertools.takewhile(lambda number: _indent(lines[number - 1]) > depth, range(first + 1, len(lines) + 1))
    return [first, *below]


def _indent(line: str) -> int:
    """Blanks before what a line says; an entry of a list belongs to the name above it."""
    return len(line) - len(line.lstrip(" ")) + line.lstrip(" ").startswith("- ")
