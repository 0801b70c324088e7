"""Rules that file names propose, held against the logs: none of their keys contradicts what a log says of itself.

A number of a name is the key by which the log says it too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from storagelab import schema
from storagelab.errors import StoragelabError
from storagelab.ingest.contradictions import TOLD_BY_THE_LOG
from storagelab.ingest.log_file import read_log
from storagelab.parsers import Row
from storagelab.study import rules_from_names
from storagelab.study.rules_from_names import Proposal
from storagelab.study.study_yaml import Column
from storagelab.study.value_checks import Key, to_keys

ASKED = 16
"""As many logs of a rule are read, from the first to the last of them."""


def proposed(folder: Path, paths: Sequence[str]) -> list[Proposal]:
    """Propose rules for logs; where a log contradicts the key of a number, that which all logs say so is proposed.

    A word that a log contradicts is no key: ``randread`` is an operation of IOzone, but a read at random places of fio.

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
    for name in [name for name in one.keys if name == "operation" or name not in TOLD_BY_THE_LOG]:
        said = {path: keys[name] for path in rows if name in (keys := keys_of(one, path))}
        if any(_contradict(rows[path], name, value) for path, value in said.items()):
            firsts = {path: of_log[0] for path, of_log in rows.items()}
            is_number = schema.field(name).unit is not None
            _rename(one, name, _key_that_says(firsts, said, name) if is_number else "")
    return one


def _rows(folder: Path, paths: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
    """Rows of some logs, those that cannot be read left out."""
    for path in paths[:: math.ceil(len(paths) / ASKED)]:
        try:
            log = read_log(folder / path)
        except (StoragelabError, OSError):
            continue
        rows = [row for node in ("runs", "clients") for row in log.rows(node)]
        if rows:
            yield path, rows


def _contradict(rows: Sequence[Row], name: str, said: Key) -> bool:
    """Whether a log says another level of a key; of operations it may have several."""
    if name == "operation":
        return not any(schema.is_same_operation(row["operation"], said) for row in rows)
    return _differs(rows[0].get(name), said)


def _differs(logged: object, said: Key) -> bool:
    if isinstance(logged, int | float) and isinstance(said, float):
        return not math.isclose(logged, said)
    return logged is not None and logged != said


def _key_that_says(rows: Mapping[str, Row], said: Mapping[str, Key], but: str) -> str:
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
