"""Intervals cover what they claim, tests err no more than they say, and the page shows what comes out."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests import damage
from tests.conftest import ROOT
from tests.simulations import kept, page
from tests.simulations.imports import code_behind
from tests.simulations.model import COVERS, ERRS, PROMISED, Result, Simulation

AGAIN = "python -m tests.simulations --write"
METHODS = [(room, method) for room, all in page.rooms().items() for method in dict.fromkeys(one.method for one in all)]


@cache
def unchanged(room: str) -> bool:
    """Whether the code of a room is that with which the page was written."""
    return kept.digest(room) == kept.digests().get(room)


def holds(one: Simulation, result: Result) -> bool:
    """Whether a method does what it says."""
    if one.measure == "coverage":
        return result.mean >= COVERS if one.claims else True
    if one.measure in ("size", "silent"):
        return result.mean <= ERRS if one.claims else True
    if one.measure == "promise":
        return abs(result.mean - PROMISED) <= PROMISED / 10 if one.claims else True
    return bool(np.isfinite(result.mean)) or not one.claims


@pytest.mark.slow
@pytest.mark.parametrize(("room", "method"), METHODS)
def test_a_method_does_what_it_claims(room: str, method: str) -> None:
    """By whether it begins as when the page was written; if it does not and its code was changed, by all campaigns."""
    simulations = {one.name: one for one in page.rooms()[room] if one.method == method}
    share = kept.UNCHANGED if unchanged(room) else kept.CHANGED
    first, lines = kept.results(room, share), page.written(room).splitlines()

    def check(name: str) -> None:
        one = simulations[name]
        if kept.first(one, share) == first.get(name):
            return
        assert not unchanged(room), AGAIN
        result = one.run()
        assert holds(one, result), result
        assert page.line(one, result) in lines, AGAIN

    assert damage.faults(check, simulations) == {}


@pytest.mark.slow
def test_what_was_kept_is_of_this_code() -> None:
    """Of other code ten times as many campaigns are simulated, in CI each time."""
    assert [room for room in page.rooms() if not unchanged(room)] == [], "python -m tests.simulations --keep"


@pytest.mark.parametrize("room", list(page.rooms()))
def test_the_page_shows_that_every_claim_holds(room: str) -> None:
    found = [line.split("|")[6].strip() for line in page.written(room).splitlines()[2:]]
    means = [np.nan if text == "refused" else float(text.removesuffix(" %")) / 100 for text in found]
    wrong = [one.name for one, mean in zip(page.rooms()[room], means, strict=True) if not holds(one, Result(mean, 0))]
    assert wrong == []


def test_another_byte_of_what_a_room_runs_is_another_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "storagelab" / "analysis", tmp_path / "storagelab" / "analysis")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.setattr(kept, "ROOT", tmp_path)
    monkeypatch.setattr(kept, "__file__", str(tmp_path / "tests" / "simulations" / "kept.py"))

    def changed(*path: str) -> set[str]:
        before = {room: kept.digest(room) for room in page.rooms()}
        with tmp_path.joinpath("storagelab", "analysis", *path).open("a") as code:
            code.write("WHATEVER = 1\n")
        return {room for room in page.rooms() if kept.digest(room) != before[room]}

    assert changed("inference", "processor_independent.py") == set(page.rooms()), "all compute logarithms"
    assert changed("validity", "heaping.py") == set(), "no room looks for heaps of digits"
    assert {"dependence", "planning", "scaling"} <= changed("runs.py"), "through what they call"
    assert "dependence" in changed("comparison", "winners.py"), "by a name that the package passes on"
    assert "comparison" not in changed("comparison", "winners.py")


def test_code_that_computes_the_same_is_kept_and_other_code_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one = Simulation("a mean", "bias", "normal", 3, False, lambda rng: float(rng.normal()), 200)
    other = Simulation("a mean", "bias", "normal", 3, False, lambda rng: float(rng.normal()) + 1e-6, 200)
    monkeypatch.setattr(kept, "FILE", tmp_path / "kept.json")
    monkeypatch.setattr(kept, "digest", lambda room: "new")
    shares = {f"one in {share}": {"shape": {one.name: kept.first(one, share)}} for share in (200, 20)}
    kept.FILE.write_text(json.dumps({"digests": {"shape": "old"}, "results": shares}))
    with pytest.raises(SystemExit, match="shape: other results than were kept, simulate with --write: a mean, bias"):
        kept.keep("shape", [other])
    assert kept.digests() == {"shape": "old"}
    kept.keep("shape", [one])
    assert kept.digests() == {"shape": "new"}


def test_comments_docstrings_and_blank_lines_are_no_code() -> None:
    text = '"""What it is."""\n\nX = 1  # one\n\n\ndef f() -> str:\n    """Say it."""\n    return "# no comment"\n'
    assert kept.code(text) == 'X = 1\ndef f() -> str:\n    return "# no comment"'


def test_what_is_imported_inside_a_function_counts(tmp_path: Path) -> None:
    room = tmp_path / "room.py"
    room.write_text("def trial():\n    from storagelab.analysis.inference import trend\n    return trend\n")
    behind = [path.name for path in code_behind(ROOT, room)]
    assert {"trend.py", "least_squares.py", "processor_independent.py"} <= set(behind)
    assert "drift.py" not in behind


@pytest.mark.parametrize("room", list(page.rooms()))
def test_the_page_has_a_line_for_each_simulation_and_no_other(room: str) -> None:
    lines = page.written(room).splitlines()[2:]
    told = [tuple(cell.strip() for cell in line.split("|")[1:5]) for line in lines]
    assert told == [(one.method, one.noise, str(one.n), one.measure) for one in page.rooms()[room]]


def test_names_are_unique_as_they_are_seeds() -> None:
    names = [one.name for all in page.rooms().values() for one in all]
    assert len(names) == len(set(names))


def test_a_method_that_covers_too_little_is_found() -> None:
    narrow = Simulation("narrow", "coverage", "normal", 3, True, lambda rng: float(abs(rng.normal()) < 1))
    assert not holds(narrow, narrow.run())
    bold = Simulation("bold", "size", "normal", 3, True, lambda rng: float(rng.random() < 0.1))
    assert not holds(bold, bold.run())
