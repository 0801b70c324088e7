"""``python -m tests.fuzz``: mutants of all fixtures, one after the other, and what parsers make of them.

Each mutant has a number. ``--start 0 --count 100000`` tries the first hundred thousand, ``--start 100000`` goes on. A
fault is printed with its number, which is all that is needed to see it again: ``--show NUMBER`` prints the text.
CPU time and memory are bounded here, and nowhere in the tests: 2 seconds, and 200 MB beyond what the process has.
``--kept FILE`` writes down what was tried; called again with the same file, it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import storagelab
from tests.fuzz import mutants, oracle
from tests.fuzz.workers import Fault, Share, shares

SHARE = 500
"""Numbers that a process tries before another one begins."""


def main() -> int:
    """Try mutants, print faults and a total, and return whether there were any."""
    asked = _arguments()
    make, attempt = (mutants.cut, _try_cut) if asked.cuts else (mutants.mutant, _try_mutant)
    if asked.show is not None:
        sys.stdout.write(make(asked.show)[2])
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    kept = Kept(asked.kept, "cuts" if asked.cuts else "mutants")
    tally = Tally(asked.each, make)
    for share in kept.shares:
        tally.add(share)
    import_module("pyarrow.csv")  # what parsers import late is not the memory of one mutant
    for log in mutants.texts():
        (oracle.whole if asked.cuts else mutants.read)(log)  # once, and not in every process
    begun, before = time.monotonic(), tally.tried
    waiting = _waiting(range(asked.start, asked.start + asked.count), kept, begun + asked.seconds)
    try:
        for share in shares(attempt, waiting, asked.jobs):
            kept.add(share)
            tally.add(share)
    finally:
        took = time.monotonic() - begun
        print(
            f"{kept.what} {tally.lowest} to {tally.highest}: {tally.tried} tried, {tally.tried - before} of them ",
            end="",
        )
        print(f"now in {took:.0f} s ({(tally.tried - before) / max(took, 1e-9):.0f} a second); {tally.total()}")
    return min(len(tally.kinds), 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--start", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--count", type=int, default=1_000_000, help="how many")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin nothing more after so long")
    parser.add_argument("--cuts", action="store_true", help="cut logs off instead")
    parser.add_argument("--each", type=int, default=1, help="how often a kind of fault is printed")
    parser.add_argument("--show", type=int, help="print the text of one mutant")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once, at the lowest priority but four")
    parser.add_argument("--kept", type=Path, help="file of what was tried, to go on where a run was stopped")
    return parser.parse_args()


def _try_mutant(seed: int) -> list[str]:
    log, _, text = mutants.mutant(seed)
    return oracle.faults(text, log.name, log.parent.name.replace("_", "-"))


def _try_cut(seed: int) -> list[str]:
    log, _, text = mutants.cut(seed)
    return list(filter(None, [oracle.fault_of_cut(log, text)]))


def _waiting(numbers: range, kept: Kept, until: float) -> Iterator[range]:
    """Yield what was not tried yet, in shares, as long as there is time."""
    done = kept.done()
    for start in range(numbers.start, numbers.stop, SHARE):
        left = [seed for seed in range(start, min(start + SHARE, numbers.stop)) if seed not in done]
        if left and time.monotonic() < until:
            yield range(left[0], left[-1] + 1)


class Kept:
    """A file of what was tried, a line a share; its first line says by which code."""

    def __init__(self, path: Path | None, what: str) -> None:
        self.what, self.shares, self._path = what, list[Share](), path
        if path and path.exists() and path.stat().st_size:
            head, *lines = map(json.loads, path.read_text().splitlines())
            if head != self._head():
                sys.exit(f"{path}: expected {what} of this code and these fixtures, found others: name another file")
            self.shares = [Share(start, end, [Fault(*one) for one in faults]) for start, end, faults in lines]
        elif path:
            self._append(self._head())

    def _head(self) -> object:
        files = [*sorted(Path(storagelab.__path__[0]).glob("parsers/**/*.py")), *mutants.texts()]
        files += sorted(Path(__file__).parent.glob("*.py"))
        return [self.what, hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]]

    def _append(self, line: object) -> None:
        if self._path:
            with self._path.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def add(self, share: Share) -> None:
        """Write down what was tried."""
        self._append(share)

    def done(self) -> set[int]:
        """Return all numbers that were tried."""
        return {seed for share in self.shares for seed in range(share.start, share.end)}


class Tally:
    """What was tried and found so far; the first faults of each kind are printed."""

    def __init__(self, each: int, make: mutants.Make) -> None:
        self.kinds: Counter[str] = Counter()
        self.tried, self.lowest, self.highest = 0, -1, -1
        self._each, self._make = each, make

    def add(self, share: Share) -> None:
        """Count a share."""
        self.tried += share.end - share.start
        self.lowest = share.start if self.lowest < 0 else min(self.lowest, share.start)
        self.highest = max(self.highest, share.end - 1)
        for seed, said in share.faults:
            log, done, _ = self._make(seed)
            kind = f"{log.parent.name}: {said[:160]}"
            self.kinds[kind] += 1
            if self.kinds[kind] <= self._each:
                print(f"{seed} {log.parent.name}/{log.name} {done}: {said}", flush=True)

    def total(self) -> str:
        """Say how many faults there were."""
        return f"{sum(self.kinds.values())} faults of {len(self.kinds)} kinds"


if __name__ == "__main__":
    sys.exit(main())
