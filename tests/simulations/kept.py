"""What stays true as long as no code changes: which code the page was simulated with, and what it found at first.

Two thousand campaigns of code that has not changed say nothing new. So ``--write`` keeps, beside the page, a digest of
all code that a room runs and the results of the first campaigns of each simulation: of one in 200, and of one in 20.
While the digest is the same, tests simulate one in 200, which must come out as they were kept: so this machine and its
libraries compute the same. When the digest is another, they simulate one in 20. Where those come out as they were kept,
to nine digits, the code was changed and not what it computes: what another hundred campaigns cannot show either would
move a number of the page by less than it is uncertain. Where one does not, tests simulate all campaigns of that line,
and the page must show them.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import tokenize
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.simulations.imports import code_behind
from tests.simulations.model import Simulation

FILE = Path(__file__).with_name("kept.json")
PACKAGES = ("numpy", "scipy", "statsmodels")
UNCHANGED, CHANGED = 200, 20
"""One in how many campaigns is simulated of code that is the same, and of other code."""


def digest(room: str) -> str:
    """SHA-256 of a room, of the analyses that it imports, directly or through others, and of what computes.

    What only people read, comments and docstrings, is left out.
    """
    here = Path(__file__).parent
    files = [*code_behind(ROOT, here / f"{room}.py"), here / "model.py", here / f"{room}.py"]
    found = hashlib.sha256(repr([version(name) for name in PACKAGES]).encode())
    for path in files:
        found.update(f"{path.relative_to(ROOT)}\n{code(path.read_text(encoding='utf-8'))}".encode())
    return found.hexdigest()


@cache
def code(text: str) -> str:
    """Return the lines of a module without comments, docstrings and blank lines, whatever Python reads them."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]].rstrip()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            first, last = node.lineno, node.end_lineno or node.lineno
            lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(filter(str.strip, lines))


def first(one: Simulation, share: int) -> str:
    """Result of the first campaigns, one in so many, to the digits that every machine agrees in."""
    result = one.run(max(1, one.campaigns // share))
    return f"{result.mean:.9g}, refused {result.refused:.9g}"


def results(room: str, share: int) -> dict[str, str]:
    """Return the results of the first campaigns of a room by the names of its simulations."""
    found: dict[str, str] = read()["results"][f"one in {share}"][room]
    return found


def digests() -> dict[str, str]:
    """Return the digest of each room whose campaigns stand in the page."""
    found: dict[str, str] = read()["digests"]
    return found


def read() -> dict[str, Any]:
    """Return all that was kept."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def write(room: str, simulations: Iterable[Simulation]) -> None:
    """Keep the digest of a room and its first results; call this where all its campaigns stand in the page."""
    found, simulations = read(), list(simulations)
    found["digests"][room] = digest(room)
    for share in (UNCHANGED, CHANGED):
        found["results"][f"one in {share}"][room] = {one.name: first(one, share) for one in simulations}
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def keep(room: str, simulations: Iterable[Simulation]) -> None:
    """Keep the digest of changed code that computes what was kept."""
    before = results(room, CHANGED)
    other = [one.name for one in simulations if first(one, CHANGED) != before.get(one.name)]
    if other:
        raise SystemExit(f"{room}: other results than were kept, simulate with --write: {'; '.join(other)}")
    found = read()
    found["digests"][room] = digest(room)
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
