"""Intervals cover what they claim, tests err no more than they say, and the page shows what comes out."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulations import page
from tests.simulations.model import COVERS, ERRS, Result, Simulation

ALL = [(room, one) for room, studies in page.rooms().items() for one in studies]


def holds(one: Simulation, result: Result) -> bool:
    """Whether a method does what it says."""
    if one.measure == "coverage":
        return result.mean >= COVERS if one.claims else True
    if one.measure == "size":
        return result.mean <= ERRS if one.claims else True
    return bool(np.isfinite(result.mean)) or not one.claims


@pytest.mark.slow
@pytest.mark.parametrize(("room", "one"), [pytest.param(room, one, id=one.name) for room, one in ALL])
def test_a_method_does_what_it_claims(room: str, one: Simulation) -> None:
    result = one.run()
    assert holds(one, result), f"{one.name}: {result}"
    assert page.line(one, result) in page.written(room).splitlines(), "python -m tests.simulations --write"


@pytest.mark.parametrize("room", list(page.rooms()))
def test_the_page_has_a_line_for_each_simulation_and_no_other(room: str) -> None:
    lines = page.written(room).splitlines()[2:]
    told = [tuple(cell.strip() for cell in line.split("|")[1:5]) for line in lines]
    assert told == [(one.method, one.noise, str(one.n), one.measure) for one in page.rooms()[room]]


def test_names_are_unique_as_they_are_seeds() -> None:
    names = [one.name for _, one in ALL]
    assert len(names) == len(set(names))


def test_a_method_that_covers_too_little_is_found() -> None:
    narrow = Simulation("narrow", "coverage", "normal", 3, True, lambda rng: float(abs(rng.normal()) < 1))
    assert not holds(narrow, narrow.run())
    bold = Simulation("bold", "size", "normal", 3, True, lambda rng: float(rng.random() < 0.1))
    assert not holds(bold, bold.run())
