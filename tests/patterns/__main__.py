"""``python -m tests.patterns``: try new patterns, print those that are not linear, keep the others."""

from __future__ import annotations

import json
import sys

from tests.patterns.collected import all_patterns
from tests.patterns.pumped import superlinear
from tests.patterns.test_patterns import KEPT


def main() -> int:
    """Return how many patterns take more than linear steps."""
    linear, slow = [], 0
    kept = set(json.loads(KEPT.read_text())) if KEPT.exists() else set()
    for asked in all_patterns():
        if asked.fingerprint() not in kept and (text := superlinear(asked.pattern, asked.flags, asked.mode)):
            slow += 1
            print(f"{asked.place} {asked.mode} on {text}\n    {asked.pattern!r}", flush=True)
        else:
            linear.append(asked.fingerprint())
            if asked.fingerprint() not in kept:
                KEPT.write_text(json.dumps(sorted(linear), indent=0) + "\n")
    KEPT.write_text(json.dumps(sorted(linear), indent=0) + "\n")
    return slow


if __name__ == "__main__":
    sys.exit(min(main(), 1))
