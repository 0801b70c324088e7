"""Rules that file names propose, held against the logs: a number of a name is the key by which the log says it too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from storagelab import schema
from storagelab.errors import StoragelabError
from storagelab.ingest.contradictions import TOLD_BY_THE_LOG
from storagelab.ingest.logs import read_log
from storagelab.parsers import Row
from storagelab.study import rules_from_names
from storagelab.study.rules_from_names import Proposal
from storagelab.study.study_yaml import Column
from storagelab.study.value_checks import Key, to_keys

ASKED = 16
"""As many logs of a rule are read, from the first to the last of them."""


def proposed(folder: Path, paths: Sequence[str]) -> list[Proposal]:
    """Propose rules for logs; where a log contradicts the key of a number, that which all logs say so is proposed.

    Parameters
    ----------
    folder : Path
        Folder of the study.
    paths : sequence of str
        Paths of the logs below it.
    """
    return [_held(folder, one) for one in rules_from_names.proposed(paths)]


def keys_of(one: Proposal, path: str) -> dict[str, Key]:
    """Return keys of a log as the rule would give them."""
    groups = one.groups(path)
    return to_keys(groups, {name: Column.model_validate(one.columns.get(name, {"key": name})) for name in groups})


def _held(folder: Path, one: Proposal) -> Proposal:
    rows = dict(_rows(folder, one.logs))
    for name in [name for name in one.keys if schema.field(name).unit is not None and name not in TOLD_BY_THE_LOG]:
        said = {path: float(keys_of(one, path)[name]) for path in rows if name in keys_of(one, path)}
        if any(_differs(rows[path].get(name), value) for path, value in said.items()):
            _rename(one, name, _key_that_says(rows, said, name))
    return one


def _rows(folder: Path, paths: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """First row of some logs, those that cannot be read left out."""
    for path in paths[:: math.ceil(len(paths) / ASKED)]:
        try:
            log = read_log(folder / path)
        except (StoragelabError, OSError):
            continue
        row = next((row for node in ("runs", "clients") for row in log.rows(node)), None)
        if row is not None:
            yield path, row


def _differs(logged: object, said: float) -> bool:
    return isinstance(logged, int | float) and not math.isclose(logged, said)


def _key_that_says(rows: Mapping[str, Row], said: Mapping[str, float], but: str) -> str:
    """Find the one number of the logs that is the same as that of their names; "" where there is none, or several."""
    unit = schema.field(but).unit
    names = {name for row in rows.values() for name in row if schema.field(name).kind == "key"} - {but}
    found = [
        name
        for name in sorted(names)
        if schema.field(name).unit == unit
        and all(isinstance(rows[path].get(name), int | float) for path in said)
        and not any(_differs(rows[path][name], value) for path, value in said.items())
    ]
    return found[0] if len(found) == 1 else ""


def _rename(one: Proposal, name: str, other: str) -> None:
    """Let a group be another key; where nobody knows which, it becomes a column that is ignored for now."""
    one.keys.remove(name)
    group = next((group for group, said in one.columns.items() if said.get("key") == name), name)
    if other:
        one.keys.append(other)
    renamed = other if group == name and other else f"{name}_part" if group == name else group
    one.regex = one.regex.replace(f"(?P<{group}>", f"(?P<{renamed}>")
    said = one.columns.pop(group, {})
    if not other:
        why = f"the logs say another {name}: write `key:` and the key that it is, or why it is none"
        one.columns[renamed] = {"ignore": why}
    elif said:
        one.columns[renamed] = {**said, "key": other}
