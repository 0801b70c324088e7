"""``python -m tests.fuzz``: mutants of all fixtures, one after the other, and what parsers make of them.

Each mutant has a number. ``--start 0 --count 100000`` tries the first hundred thousand, ``--start 100000`` goes on. A
fault is printed with its number, which is all that is needed to see it again: ``--show NUMBER`` prints the text.
CPU time and memory are measured here, and nowhere in the tests: 2 seconds, and 200 MB beyond the largest before.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter

from tests.fuzz import mutants, oracle

SECONDS = 2.0
MEGABYTES = 200.0


def main() -> int:
    """Try mutants, print faults and a total, and return how many kinds of faults there are."""
    asked = _arguments()
    make = mutants.cut if asked.cuts else mutants.mutant
    if asked.show is not None:
        sys.stdout.write(make(asked.show)[2])
        return 0
    faults: Counter[str] = Counter()
    begun = time.monotonic()
    seed = asked.start
    while seed < asked.start + asked.count and time.monotonic() - begun < asked.seconds:
        log, done, text = make(seed)
        for said in _tried(asked.cuts, log, text):
            kind = f"{log.parent.name}: {said[:160]}"
            faults[kind] += 1
            if faults[kind] <= asked.each:
                print(f"{seed} {log.parent.name}/{log.name} {done}: {said}", flush=True)
        seed += 1
    took = time.monotonic() - begun
    tried = seed - asked.start
    what = "cuts" if asked.cuts else "mutants"
    print(
        f"{what} {asked.start} to {seed - 1}: {tried} in {took:.0f} s, {tried / max(took, 1e-9):.0f} a second; ", end=""
    )
    print(f"{sum(faults.values())} faults of {len(faults)} kinds")
    return min(len(faults), 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--start", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--count", type=int, default=1_000_000, help="how many")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--cuts", action="store_true", help="cut logs off instead")
    parser.add_argument("--each", type=int, default=1, help="how often a kind of fault is printed")
    parser.add_argument("--show", type=int, help="print the text of one mutant")
    return parser.parse_args()


def _tried(cuts: bool, log: mutants.Path, text: str) -> list[str]:
    before, cpu = _megabytes(), time.process_time()
    if cuts:
        said = [oracle.fault_of_cut(log, text)]
    else:
        said = [oracle.fault(text, log.name), oracle.fault(text, log.name, log.parent.name.replace("_", "-"))]
    if (took := time.process_time() - cpu) > SECONDS:
        said.append(f"took more than {SECONDS:g} s of CPU ({took:.1f})")
    if _megabytes() - before > MEGABYTES:
        said.append(f"took more than {MEGABYTES:g} MB")
    return list(dict.fromkeys(filter(None, said)))


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
