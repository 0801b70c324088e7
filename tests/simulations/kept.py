"""What stays true as long as no code changes: which code the page was simulated with, and what it found at first.

Two thousand campaigns of code that has not changed say nothing new. So ``--write`` keeps, beside the page, a digest of
all code that a room runs and the result of the first campaigns of each simulation, one in 200. While the digest is the
same, tests simulate those, which must come out as they were kept: so this machine and its libraries compute the same.
When the digest is another, tests simulate all campaigns, and the page must show them.
"""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

from tests.conftest import ROOT
from tests.simulations.imports import code_behind
from tests.simulations.model import Simulation

FILE = Path(__file__).with_name("kept.json")
PACKAGES = ("numpy", "scipy", "statsmodels")
SHARE = 200


def digest(room: str) -> str:
    """SHA-256 of a room, of the analyses that it imports, directly or through others, and of what computes."""
    here = Path(__file__).parent
    files = [*code_behind(ROOT, here / f"{room}.py"), here / "model.py", here / f"{room}.py"]
    found = hashlib.sha256(repr([version(name) for name in PACKAGES]).encode())
    for path in files:
        found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


def first(one: Simulation) -> str:
    """Result of the first campaigns, to the digits that every machine agrees in."""
    result = one.run(max(1, one.campaigns // SHARE))
    return f"{result.mean:.9g}, refused {result.refused:.9g}"


def read() -> dict[str, dict[str, str]]:
    """Return the digests by room, and below the name of each room its first results."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def write(room: str, results: dict[str, str]) -> None:
    """Keep the digest of a room and its first results; call this where all its campaigns stand in the page."""
    kept = read()
    kept["digests"][room] = digest(room)
    kept[room] = results
    FILE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
