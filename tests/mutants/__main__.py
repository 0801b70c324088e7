"""``python -m tests.mutants --count 200 --seed 28``: mutants of storagelab, by room, and those that no test sees.

Half of them are drawn evenly from the rooms and half by how much there is to change; the same seed draws the same ones
from the same code. ``--room units`` tries one room, ``--at storagelab/units.py:33`` all mutants of a line. Slow tests
are left out, unless ``--marks ""`` asks for all. No file is changed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import sys
import tempfile

from tests.mutants.changes import Mutant, mutants
from tests.mutants.rooms import ROOT, rooms
from tests.mutants.trials import try_room

WARM = ("numpy", "pandas", "xarray", "scipy.stats", "matplotlib.figure", "pint", "pydantic", "typer")
"""What tests import beside storagelab: once, and not in each process."""


def main() -> int:
    """Print each survivor as it is found, and the score of each room at the end."""
    asked = _arguments()
    for name in WARM:
        importlib.import_module(name)
    scores = {}
    with tempfile.TemporaryDirectory(prefix="storagelab-mutants-") as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        for room, found in _drawn(asked).items():
            tried = []
            for mutant, survived, tests in try_room(found, rooms()[room][1], asked.marks):
                tried.append(survived)
                if survived:
                    print(f"{room}: {str(mutant).removeprefix(f'{ROOT}/')}  ({tests} tests run it)", flush=True)
            scores[room] = (len(tried) - sum(tried), len(tried))
            print(f"# {room}: {scores[room][0]} of {scores[room][1]} died", flush=True)
    print("\n| room | mutants | died |\n|---|---|---|")
    for room, (died, tried_) in [*scores.items(), ("all", tuple(map(sum, zip(*scores.values(), strict=True))))]:
        print(f"| {room} | {tried_} | {died} ({died / max(tried_, 1):.0%}) |")
    return 0


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
    parser.add_argument("--marks", default="not slow", help="which tests, as pytest's -m (%(default)s)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
