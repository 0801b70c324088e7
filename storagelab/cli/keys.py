"""``storagelab keys``: the keys of the contract, or those of a study or dataset with their levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from storagelab import schema
from storagelab.cli import console, display
from storagelab.cli.command_output import give
from storagelab.schema import Field

LEVELS = 12
"""As many levels of a key are printed; JSON has all."""

Levels = Mapping[str, Mapping[Any, int]]
"""Key -> level -> rows, or logs, that have it."""

LEFT_OUT = frozenset({"run_id", "time", "message", "study", "origin"})


def print_keys(study: str, *, as_json: bool) -> None:
    """Print the keys of the contract, or of a study, dataset included where one was made.

    Parameters
    ----------
    study : str
        Name or path of a study, or path of a dataset; "" for the contract.
    as_json : bool

    Raises
    ------
    StoragelabError
        If there is no such study, or it is wrong.
    """
    levels, counted, own = _levels(study)
    fields = [entry for entry in schema.FIELDS.values() if _is_told(entry, levels, own, of_all=not study)]
    records = [_record(entry, levels.get(entry.name, {})) for entry in fields]
    give(records, _lines(records, counted), as_json=as_json, counted=counted)


def _lines(records: Sequence[dict[str, Any]], counted: str) -> Iterator[str]:
    rows = [[one["key"], one["unit"] or "text", one["means"], _written(one)] for one in records]
    title = f"levels ({counted})" if counted else "levels"
    yield from display.aligned([["key", "unit", "means", title], *rows])
    yield "\nA study declares others in `keys` of study.yaml; names of logs give levels by `regex` in `match`."


def _is_told(entry: Field, levels: Levels, own: Iterable[str], *, of_all: bool) -> bool:
    if entry.name in LEFT_OUT or entry.kind != "key":
        return False
    is_of_contract = entry.name in {key.name for key in schema.KEYS}
    return is_of_contract if of_all else entry.name in levels or entry.name in own


def _levels(study: str) -> tuple[Levels, str, list[str]]:
    """Levels of each key, what counts them, and the keys that the study declares."""
    if not study:
        return {}, "", []
    if study.endswith(".nc"):
        return _of_dataset(Path(study))
    from storagelab import study as sidecars

    folder = console.study_folder(study)
    loaded = sidecars.load(folder)
    for problem in loaded.problems:
        console.warn(problem.text)
    own = list(loaded.sidecar.own_keys)
    made = Path("reports", folder.resolve().name, "dataset.nc")
    if made.is_file():
        levels, counted, _ = _of_dataset(made)
        return levels, counted, own
    found: dict[str, Counter[Any]] = {}
    for entry in loaded.entries:
        for name, value in entry.keys.items():
            if name not in sidecars.LOG_LEVEL:
                found.setdefault(name, Counter())[value] += 1
    return found, "logs, by the sidecars alone: `storagelab ingest` reads the logs", own


def _of_dataset(path: Path) -> tuple[Levels, str, list[str]]:
    from storagelab import dataset
    from storagelab.interactive.levels import keys_of, levels_of

    tree = dataset.load(path)
    runs = next((tree[name].to_dataset() for name in ("runs", "clients") if name in tree.children), None)
    if runs is None:
        return {}, "", []
    names = keys_of(runs)
    levels = {name: levels_of(runs, name) for name in names}
    said = {
        name: {level: rows for level, rows in of.items() if level != "" and level == level}
        for name, of in levels.items()
    }
    own = [name for name in names if schema.field(name).own]
    return {name: of for name, of in said.items() if of}, f"rows of {path.name}", own


def _record(entry: Field, levels: Mapping[Any, int]) -> dict[str, Any]:
    counted = [{"level": level, "count": count} for level, count in levels.items()]
    return {
        "key": entry.name,
        "unit": entry.unit,
        "means": f"{entry.long_name}: {entry.description}" if entry.description else entry.long_name,
        "own": entry.own,
        "allowed": list(entry.values),
        "levels": counted,
    }


def _written(record: dict[str, Any]) -> str:
    found = [f"{display.quantity(record['key'], one['level'])} ({one['count']:,})" for one in record["levels"]]
    allowed = [display.quantity(record["key"], level) for level in record["allowed"] if level != ""]
    shown = found or allowed
    return ", ".join(shown[:LEVELS]) + (f" and {len(shown) - LEVELS} more" if len(shown) > LEVELS else "")
