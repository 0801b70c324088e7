"""What a text permits of a curve: the envelope is exact, and a constraint that is broken shows."""

from __future__ import annotations

import math
import random

import pytest

from storagelab.claims.envelope import STEADY, Link, envelope, ranked
from storagelab.errors import ReconstructError

PLACES = range(5)


def system(seed: int) -> tuple[dict[int, tuple[float, float]], list[Link]]:
    """Bounds and links that a curve, drawn first, satisfies."""
    draw = random.Random(seed)
    curve = [draw.uniform(1, 10) for _ in PLACES]
    bounds = dict.fromkeys(PLACES, (0.0, math.inf))
    for place in draw.sample(PLACES, 3):
        bounds[place] = curve[place] * draw.uniform(0.3, 1), curve[place] * draw.uniform(1, 3)
    links = [
        Link(one, other, curve[one] / curve[other] * draw.uniform(1, 2))
        for one, other in (draw.sample(PLACES, 2) for _ in range(4))
    ]
    return bounds, links


def satisfies(curve: dict[int, float], bounds: dict[int, tuple[float, float]], links: list[Link]) -> bool:
    inside = all(low * (1 - 1e-9) <= curve[place] <= high * (1 + 1e-9) for place, (low, high) in bounds.items())
    return inside and all(curve[link.one] <= link.times * curve[link.other] * (1 + 1e-9) for link in links)  # type: ignore[index]


@pytest.mark.parametrize("seed", range(30))
def test_the_ends_are_curves_that_satisfy_everything_and_no_curve_lies_outside(seed: int) -> None:
    bounds, links = system(seed)
    found = envelope(bounds, links)
    assert satisfies({place: low for place, (low, _) in found.items()}, bounds, links)
    top = {place: min(high, 1e6) for place, (_, high) in found.items()}
    if all(math.isfinite(high) for _, high in found.values()):
        assert satisfies(top, bounds, links)
    draw = random.Random(seed)
    for _ in range(300):
        curve = {place: draw.uniform(0, 12) for place in PLACES}
        if satisfies(curve, bounds, links):
            assert all(low * (1 - 1e-9) <= curve[place] <= high * (1 + 1e-9) for place, (low, high) in found.items())


def test_without_a_constraint_nothing_is_known() -> None:
    assert envelope({1: (0.0, math.inf)}, []) == {1: (0.0, math.inf)}


def test_a_printed_point_pins_and_a_rise_carries_it_on() -> None:
    free = dict.fromkeys((1, 2, 3), (0.0, 9.0))
    pinned = free | {2: (5.0, 5.0)}
    rising = [Link(1, 2), Link(2, 3)]
    assert envelope(pinned, rising) == {1: (0.0, 5.0), 2: (5.0, 5.0), 3: (5.0, 9.0)}
    assert envelope(pinned, []) == pinned, "nobody says that it rises"
    assert envelope(free, rising) == free, "no point is printed"


def test_ends_that_are_the_same_but_for_rounding_hold_together() -> None:
    rises = [Link(1, 2)]
    same = (1.0 + STEADY, 1.0)
    assert envelope({1: (1.0 + STEADY, 9.0), 2: (0.0, 1.0)}, rises) == {1: same, 2: same}
    with pytest.raises(ReconstructError, match="no curve satisfies all that is said: 1 is at least 1 and at most 1"):
        envelope({1: (1.0 + 2 * STEADY, 9.0), 2: (0.0, 1.0)}, rises)


def test_what_cannot_hold_together_is_refused() -> None:
    with pytest.raises(ReconstructError, match=r"no curve satisfies all that is said: 1 is at least 6 and at most 5"):
        envelope({1: (6.0, 9.0), 2: (0.0, 5.0)}, [Link(1, 2)])
    with pytest.raises(ReconstructError, match="narrow without end"):
        envelope({1: (1.0, math.inf), 2: (0.0, math.inf)}, [Link(1, 2, 0.5), Link(2, 1, 0.5)])


@pytest.mark.parametrize("seed", range(20))
def test_values_in_order_stay_in_their_bounds_and_reach_them(seed: int) -> None:
    draw = random.Random(seed)
    values = sorted(draw.uniform(8, 11) for _ in range(7))
    found = ranked(7, sum(values) / 7, 8.0, 11.0)
    assert all(low - 1e-9 <= value <= high + 1e-9 for value, (low, high) in zip(values, found, strict=True))
    assert found == sorted(found)


def test_the_mean_of_values_in_order_matters() -> None:
    assert ranked(3, 2.0, 1.0, 4.0) == [(1.0, 2.0), (1.0, 2.5), (2.0, 4.0)]
    assert ranked(3, 1.0, 1.0, 4.0) == [(1.0, 1.0)] * 3
    assert ranked(3, 4.0, 1.0, 4.0) == [(4.0, 4.0)] * 3
    with pytest.raises(ReconstructError, match="the mean 5 does not lie between 1 and 4"):
        ranked(3, 5.0, 1.0, 4.0)
