"""``python -m tests.mutants --count 200 --seed 28``: mutants of storagelab, by room, and those that no test sees.

What survives the tests of its room is tried by those of the other rooms of the draw that call it, and told apart.
Half of them are drawn evenly from the rooms and half by how much there is to change; the same seed draws the same
ones from the same code. The room with most of them comes first. ``--room units`` tries one room, and ``--at
storagelab/units.py:33`` all mutants of a line. Slow tests are left out; with ``--slow 60`` those that survive the
others are tried by the slow tests too, for 60 CPU seconds each. A program that a test starts runs the code as it is,
and sees no mutant. No file is changed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.mutants.changes import Mutant, mutants
from tests.mutants.known import Known, Verdict, begin, calls_elsewhere
from tests.mutants.rooms import ROOT, rooms
from tests.mutants.trials import try_elsewhere, try_room

WARM = ("numpy", "pandas", "xarray", "scipy.stats", "matplotlib.figure", "pint", "pydantic", "typer")
"""What tests import beside storagelab: once, and not in each process."""


def main() -> int:
    """Print what survived in each room and its score, and the score of all at the end, also where it is stopped."""
    asked = _arguments()
    for name in WARM:
        importlib.import_module(name)
    scores: dict[str, Score] = {}
    of_all: list[Known] = []
    with tempfile.TemporaryDirectory(prefix="storagelab-mutants-") as folder, suppress(KeyboardInterrupt):
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        kept = asked.kept or Path(folder) / "known"
        begin(
            kept, f"{asked.count} of seed {asked.seed}, {asked.room or 'all'}, {asked.at}, {asked.marks}, {asked.slow}"
        )
        drawn = _drawn(asked)
        for room in _part(sorted(drawn, key=lambda room: len(drawn[room]), reverse=True), asked.part):
            of_all.append(known := Known(kept, room))
            try:
                try_room(drawn[room], rooms()[room][1], asked.marks, asked.slow, known)
            finally:
                scores[room] = _print_room(room, drawn[room], known, asked.slow > 0)
        _print_elsewhere(Known(kept, "other rooms"), of_all, drawn, asked.marks)
    _print_table(scores, asked.slow > 0)
    return 0


def _print_elsewhere(known: Known, rooms: list[Known], drawn: dict[str, list[Mutant]], marks: str) -> None:
    """Try what survived by the tests of other rooms that call it, and print what dies by these."""
    survivors = {
        room.room: [one for one in drawn[room.room] if (verdict := room.verdict(one)) and verdict.survived_slow]
        for room in rooms
    }
    known.add_calls(calls_elsewhere(rooms, survivors), slow=False)
    found = [one for left in survivors.values() for one in left]
    try_elsewhere(found, marks, known)
    died = [one for one in found if (verdict := known.verdict(one)) and not verdict.survived]
    for mutant in died:
        print(f"dies by tests of other rooms: {str(mutant).removeprefix(f'{ROOT}/')}")
    print(f"# other rooms: {len(died)} of {len(found)} survivors died", flush=True)


def _part(names: list[str], part: str) -> list[str]:
    """Return every n-th room, from the k-th, of ``k/n``: parts of one draw, whose verdicts may be kept together."""
    at, of = map(int, part.split("/"))
    return names[at - 1 :: of]


def _print_room(room: str, found: list[Mutant], known: Known, slow: bool) -> Score:
    verdicts = {mutant: verdict for mutant in found if (verdict := known.verdict(mutant))}
    for mutant, verdict in verdicts.items():
        if verdict.survived:
            print(f"{room}: {str(mutant).removeprefix(f'{ROOT}/')}  ({_told(verdict)})")
    score = _score([*verdicts.values()])
    of_slow = f", {score.by_all} with the slow tests" if slow else ""
    left = f"; {len(found) - score.tried} were not tried" if score.tried < len(found) else ""
    print(f"# {room}: {score.by_fast} of {score.tried} died{of_slow}{left}", flush=True)
    return score


class Score(NamedTuple):
    """How many mutants were tried, and how many died by the fast tests, and by all."""

    tried: int
    by_fast: int
    by_all: int


def _score(verdicts: list[Verdict]) -> Score:
    by_fast = sum(not one.survived for one in verdicts)
    by_all = sum(not one.survived_slow for one in verdicts)
    return Score(len(verdicts), by_fast, by_all)


def _told(verdict: Verdict) -> str:
    told = f"{verdict.tests} tests run it"
    if verdict.slow_tests:
        told += f", {verdict.slow_tests} slow ones too: it {'survives' if verdict.survived_slow else 'dies'}"
    return told


def _print_table(scores: dict[str, Score], slow: bool) -> None:
    columns = ["room", "mutants", "died", *["with slow tests"][: int(slow)]]
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for room, score in [*scores.items(), ("all", Score(*map(sum, zip(*scores.values(), strict=True))))]:
        died = [f"{count} ({count / max(score.tried, 1):.0%})" for count in score[1 : 3 if slow else 2]]
        print(f"| {' | '.join([room, str(score.tried), *died])} |")


def _drawn(asked: argparse.Namespace) -> dict[str, list[Mutant]]:
    """Return the mutants to try in each room."""
    found = {
        room: [one for path in modules for one in mutants(path) if not asked.at or _place(one) in asked.at]
        for room, (modules, _) in rooms().items()
        if not asked.room or room in asked.room
    }
    found = {room: all_ for room, all_ in found.items() if all_}
    if asked.at:
        return found
    total = sum(map(len, found.values()))
    draw = random.Random(asked.seed)
    counts = {
        room: round(asked.count / 2 / len(found) + asked.count / 2 * len(all_) / total) for room, all_ in found.items()
    }
    return {room: draw.sample(all_, min(counts[room], len(all_))) for room, all_ in found.items()}


def _place(mutant: Mutant) -> str:
    return f"{mutant.path.relative_to(ROOT)}:{mutant.line}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="how many mutants (%(default)s)")
    parser.add_argument("--seed", type=int, default=28, help="which ones (%(default)s)")
    parser.add_argument("--room", action="append", help="only this room; may be said again")
    parser.add_argument("--at", action="append", help="all mutants of a line, as FILE:LINE; may be said again")
    parser.add_argument("--kept", type=Path, help="folder of verdicts: what is known is not tried again")
    parser.add_argument("--part", default="1/1", help="only each N-th room of the same draw, from the K-th, as K/N")
    parser.add_argument("--marks", default="not slow", help="which tests, as pytest's -m (%(default)s)")
    parser.add_argument(
        "--slow", type=float, default=0.0, help="CPU seconds of slow tests for each that survives the others"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
