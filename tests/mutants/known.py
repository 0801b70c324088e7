"""What is known of a draw of mutants, in a folder: each verdict as soon as it is found, and which tests call what.

A draw that was stopped goes on from there, and may be tried in parts. It goes on with the code with which it began.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from tests.mutants.changes import Mutant
from tests.mutants.rooms import PACKAGE, ROOT, TESTS

Calls = dict[str, dict[str, float]]
"""For each function the tests that call it, the quickest first, with the CPU seconds that each takes."""

READ_AT_IMPORT = {"tests/test_signatures.py": 0.0}
"""Tests that call nothing, and see what there is once a module is imported, such as defaults."""


class Verdict(NamedTuple):
    """Whether a mutant survived the fast tests, and the slow ones too, and how many of each run what it changes."""

    survived: bool
    tests: int
    survived_slow: bool
    slow_tests: int


class Known:
    """Verdicts of one room, and the calls of its tests."""

    def __init__(self, folder: Path, room: str) -> None:
        self.folder, self.room = folder, room
        self._name = room.replace(" ", "_")
        self._verdicts = folder / f"verdicts_{self._name}.jsonl"

    def __contains__(self, mutant: Mutant) -> bool:
        return _key(mutant) in self._read()

    def verdict(self, mutant: Mutant) -> Verdict | None:
        """Return what became of a mutant, if it was tried."""
        return self._read().get(_key(mutant))

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        """Keep what became of a mutant."""
        line = json.dumps({"mutant": _key(mutant), **verdict._asdict()})
        with self._verdicts.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def calls(self, slow: bool = False) -> Calls | None:
        """Return which tests call what, where that was recorded."""
        place = self._calls(slow)
        return json.loads(place.read_text(encoding="utf-8")) if place.exists() else None

    def add_calls(self, calls: Calls, slow: bool) -> None:
        """Keep which tests call what: all of it or nothing."""
        begun = self._calls(slow).with_suffix(".begun")
        begun.write_text(json.dumps(calls), encoding="utf-8")
        begun.rename(self._calls(slow))

    def _calls(self, slow: bool) -> Path:
        return self.folder / f"calls_{self._name}{'_slow' if slow else ''}.json"

    def _read(self) -> dict[str, Verdict]:
        if not self._verdicts.exists():
            return {}
        lines = map(json.loads, self._verdicts.read_text(encoding="utf-8").splitlines())
        return {line["mutant"]: Verdict(*(line[name] for name in Verdict._fields)) for line in lines}


def calls_elsewhere(rooms: list[Known], survivors: dict[str, list[Mutant]]) -> Calls:
    """Return which tests of other rooms call a function in the modules of survivors, where that was recorded."""
    room_of = {str(one.path): room for room, found in survivors.items() for one in found}
    own: dict[str, set[str]] = {}
    others: Calls = {}
    for known in rooms:
        for key, names in (known.calls() or {}).items():
            room = room_of.get(key.partition(":")[0])
            if room == known.room:
                own[key] = set(names)
            elif room:
                others.setdefault(key, {}).update(names)
    left = {key: {name: names[name] for name in names.keys() - own.get(key, ())} for key, names in others.items()}
    of_values = {
        f"{one.path}:1:<module>": READ_AT_IMPORT for found in survivors.values() for one in found if not one.in_function
    }
    return {
        key: dict(sorted(names.items(), key=lambda one: one[1])) for key, names in (left | of_values).items() if names
    }


def begin(folder: Path, draw: str) -> None:
    """Begin a draw in a folder, or go on with it: with another one, or other code, its verdicts have nothing to do.

    Raises
    ------
    ValueError
        If the folder holds another draw, or one of other code.
    """
    folder.mkdir(parents=True, exist_ok=True)
    asked = f"{draw}\nof code and tests {_fingerprint()}\n"
    kept = folder / "draw"
    if not kept.exists():
        kept.write_text(asked, encoding="utf-8")
    elif (begun := kept.read_text(encoding="utf-8")) != asked:
        raise ValueError(f"{kept}: holds verdicts of another draw or other code:\n{begun}expected:\n{asked}")


def _fingerprint() -> str:
    found = hashlib.sha256()
    for path in sorted([*PACKAGE.rglob("*.py"), *TESTS.rglob("*.py")]):
        found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _key(mutant: Mutant) -> str:
    return f"{str(mutant).removeprefix(f'{ROOT}/')}  (from byte {mutant.start})"
