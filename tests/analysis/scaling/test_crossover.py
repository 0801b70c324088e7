from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from storagelab.analysis import crossovers
from storagelab.analysis.scaling.rounds_of_curves import SHARED
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from tests.analysis.scaling.campaigns import Curve, curves_of, in_blocks, noisy

LEVELS = (1.0, 4.0, 16.0)


def crossed(a: Curve, b: Curve) -> xr.Dataset:
    return crossovers(curves_of({"a": a, "b": b}), "throughput", "layout", "a", "b")


def test_the_crossing_by_hand() -> None:
    # b - a is -10 at one, -10 at four, 10 at sixteen: zero half of the way from four to sixteen on the log axis
    found = crossed({1.0: [20.0], 4.0: [30.0], 16.0: [40.0]}, {1.0: [10.0], 4.0: [20.0], 16.0: [50.0]})
    assert found["clients_crossover"].item() == pytest.approx(8.0)
    assert found["crossings"].item() == 1
    assert found["verdict"].item() == "undecided"
    assert found["caveat"].item() == "one run at a level: no test"
    assert found["compared"].item() == "b - a"
    assert found["clients_crossover"].attrs["units"] == "1"
    assert found["clients_crossover_low"].attrs["units"] == "1"


def test_a_shown_crossing_has_an_interval_by_hand() -> None:
    # w of the way the difference is -15 + 30 w, the sum of four means of two runs, each with variance 1 and one degree
    # of freedom, with the weights 1 - w and w twice
    found = frame(crossed({4.0: [29.0, 31.0], 16.0: [39.0, 41.0]}, {4.0: [14.0, 16.0], 16.0: [54.0, 56.0]})).iloc[0]
    assert found["clients_crossover"] == pytest.approx(8.0)
    assert found["verdict"] == "crosses"
    assert found["caveat"] == SHARED
    assert found["clients_crossover_low"] * found["clients_crossover_high"] == pytest.approx(64.0, rel=1e-3)
    w = np.log(found["clients_crossover_high"] / 4) / np.log(4)
    parts = np.array([(1 - w) ** 2, (1 - w) ** 2, w**2, w**2])
    t = (-15 + 30 * w) / np.sqrt(parts.sum())
    assert t == pytest.approx(stats.t.ppf(0.975, parts.sum() ** 2 / (parts**2).sum()), rel=1e-2)


ROUNDS = ({4.0: [30.0, 33.0, 27.0], 16.0: [40.0, 41.0, 42.0]}, {4.0: [16.0, 17.0, 14.0], 16.0: [55.0, 53.0, 58.0]})


@pytest.mark.parametrize("blocks", ["block", "repeat"])
def test_differences_of_rounds_are_the_unit_by_hand(blocks: str) -> None:
    ds = curves_of(dict(zip("ab", ROUNDS, strict=True)))
    ds = in_blocks(ds) if blocks == "block" else ds
    found = frame(crossovers(ds, "throughput", "layout", "a", "b", blocks=blocks)).iloc[0]
    assert (found["caveat"], found["verdict"]) == ("", "crosses")
    gaps = np.array([[b - a for a, b in zip(ROUNDS[0][at], ROUNDS[1][at], strict=True)] for at in (4.0, 16.0)])
    for end in ("low", "high"):
        w = np.log(found[f"clients_crossover_{end}"] / 4) / np.log(4)
        p = stats.ttest_1samp((1 - w) * gaps[0] + w * gaps[1], 0).pvalue
        assert 0.048 < p < 0.05, "the first position at which the curves are told apart"


def test_a_shift_that_a_round_gives_both_curves_is_no_spread() -> None:
    shifts = np.array([0.0, 8.0, -8.0])
    shifted = [{at: list(np.array(values) + shifts) for at, values in curve.items()} for curve in ROUNDS]
    both = [
        crossovers(in_blocks(curves_of(dict(zip("ab", one, strict=True)))), "throughput", "layout", "a", "b")
        for one in (ROUNDS, shifted)
    ]
    assert both[0]["clients_crossover_high"].item() == pytest.approx(both[1]["clients_crossover_high"].item())


def test_rounds_that_lack_a_level_are_left_out_and_told() -> None:
    ds = in_blocks(curves_of(dict(zip("ab", ROUNDS, strict=True))))
    lacking = ds.isel(obs=np.arange(1, ds.sizes["obs"]))
    found = frame(crossovers(lacking, "throughput", "layout", "a", "b")).iloc[0]
    assert "rounds that lack a level are left out" in found["caveat"]
    two = frame(crossovers(select(ds, block=[2.0, 3.0]), "throughput", "layout", "a", "b")).iloc[0]
    assert found["clients_crossover"] == two["clients_crossover"]
    assert "left out" not in two["caveat"]
    one = frame(crossovers(select(ds, block=1.0), "throughput", "layout", "a", "b")).iloc[0]
    assert one["caveat"] == "one run at a level: no test"


def test_rounds_have_a_key_of_the_contract() -> None:
    with pytest.raises(AnalysisError, match="rounds are told apart by block or repeat, not by layout"):
        crossovers(curves_of(dict(zip("ab", ROUNDS, strict=True))), "throughput", "layout", "a", "b", blocks="layout")


@pytest.mark.parametrize(
    ("b", "verdict", "crossings"),
    [
        ((50.0, 80.0, 110.0), "does not cross", 0),
        ((10.0, 80.0, 30.0), "crosses more than once", 2),
        ((20.5, 40.5, 60.5), "undecided", 0),
        ((10.0, 39.0, 100.0), "crosses", 1),
    ],
)
def test_verdicts(b: tuple[float, ...], verdict: str, crossings: int) -> None:
    found = frame(crossed(noisy(LEVELS, (20.0, 40.0, 60.0)), noisy(LEVELS, b))).iloc[0]
    assert (found["verdict"], found["crossings"]) == (verdict, crossings)
    assert np.isfinite(found["clients_crossover"]) == (crossings > 0)
    assert np.isfinite(found["clients_crossover_low"]) == (verdict == "crosses")
    assert (found["levels"], found["n"], found["n_base"]) == (3, 9, 9)


def test_only_levels_that_both_have() -> None:
    found = crossed({1.0: [20.0], 2.0: [1.0], 4.0: [30.0]}, {1.0: [10.0], 4.0: [50.0]})
    assert found["clients_crossover"].item() == pytest.approx(4 ** (1 / 3))


def test_nothing_to_cross() -> None:
    with pytest.raises(AnalysisError, match="no cell has throughput of layout=a and layout=b at two levels of clients"):
        crossed({1.0: [20.0], 2.0: [1.0]}, {1.0: [10.0], 4.0: [50.0]})
