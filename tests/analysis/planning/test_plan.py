"""Plans: what a pilot says of its noise, and how many rounds and runs follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from storagelab import analysis
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.power import even
from storagelab.analysis.planning.pilot import Pilot, pilot_of
from storagelab.analysis.planning.plan import MOST, Power, cheapest, fewest_rounds, questions
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import cluster, node, repeats


def rows(logs: Sequence[Sequence[Sequence[float]]]) -> Rows:
    """Cells of rounds of runs."""
    return Rows.of_cells(
        [
            {"cell": float(cell), "round": float(number), "log": value}
            for cell, rounds in enumerate(logs)
            for number, runs in enumerate(rounds)
            for value in runs
        ]
    )


def planned(ds: xr.Dataset, **asked: Any) -> dict[str, dict[str, Any]]:
    found = analysis.plan_repeats(ds, "throughput", ["layout"], **{"effect": 1.1, **asked})
    return {str(row["planned_for"]): row for row in frame(found).to_dict("records")}


def pilot(values: Sequence[float] = (100.0, 104.0, 97.0, 101.0, 98.0), layouts: str = "ab") -> xr.Dataset:
    return node([row for name in layouts for row in repeats(values, layout=name)])


def test_mean_squares_by_hand() -> None:
    # two cells; rounds (1, 3), (5, 7) and (2, 2), (4, 8): within 2 + 2 + 0 + 8 over 4
    # means 2, 6 and 2, 6 about 4: 2 runs each, 2 * 4 * 4 = 32 over 2 degrees of freedom, of which all is shared
    found = pilot_of(rows([[[1.0, 3.0], [5.0, 7.0]], [[2.0, 2.0], [4.0, 8.0]]]), "log", ["cell"], shared=True)
    assert (found.within, found.freedom_within, found.between, found.size) == (3.0, 4.0, 16.0, 2.0)
    assert found.freedom == 1.0
    assert (found.of_runs, found.of_rounds) == (3.0, 6.5)
    own = pilot_of(rows([[[1.0, 3.0], [5.0, 7.0]], [[2.0, 2.0], [4.0, 8.0]]]), "log", ["cell"], shared=False)
    assert (own.between, own.freedom) == (0.0, 1.0)


def test_rounds_of_their_own_are_as_much_evidence_as_there_are() -> None:
    """The round means of two cells go opposite ways: nothing is shared."""
    found = pilot_of(rows([[[1.0], [3.0]], [[3.0], [1.0]]]), "log", ["cell"], shared=True)
    assert (found.between, found.freedom, found.freedom_within) == (2.0, 1.0, 0.0)
    assert np.isnan(found.of_rounds)


def test_sizes_of_rounds_that_differ() -> None:
    # k = (N - sum n^2 / N) / (rounds - 1) = (4 - 10 / 4) / 1
    found = pilot_of(rows([[[1.0, 2.0, 3.0], [4.0]]]), "log", ["cell"], shared=True)
    assert (found.size, found.within, found.freedom_within) == (1.5, 1.0, 2.0)


def test_a_variance_that_is_known_is_one_number_and_one_that_is_not_is_many() -> None:
    known = Pilot(4.0, 1e9, np.nan, 0.0, 1.0)
    assert known.variances(1) == pytest.approx(np.full(32, 4.0), rel=1e-3)
    unknown = Pilot(4.0, 4.0, np.nan, 0.0, 1.0).variances(1)
    assert unknown.max() / unknown.min() > 10
    assert 1 / (1 / unknown).mean() == pytest.approx(4.0, rel=0.01)


def test_what_rounds_differ_by_is_not_averaged_away_by_their_runs() -> None:
    found = Pilot(16.0, 1e9, 4.0, 1e9, 2.0)
    assert found.variances(1)[0] == pytest.approx(6 + 4, rel=1e-3)
    assert found.variances(4)[0] == pytest.approx(6 + 1, rel=1e-3)
    none = Pilot(2.0, 1e9, 4.0, 1e9, 2.0)
    assert none.variances(4)[0] == pytest.approx(1, rel=1e-3)


def test_a_plan_is_that_of_the_noncentral_t() -> None:
    """With a spread that is known, the fewest runs whose power is 90 %, as any textbook has them."""
    from scipy import stats

    (_, of), *_ = questions(1.1, None, 0.05, False)
    rounds, power = fewest_rounds(of, np.array([0.05**2]), 0.9)
    away = np.log(1.1) / 0.05

    def pooled(n: int) -> float:
        return float(stats.nct.sf(stats.t.ppf(0.975, 2 * n - 2), 2 * n - 2, away * np.sqrt(n / 2)))

    assert pooled(int(rounds) - 2) < 0.9 <= power <= pooled(int(rounds))
    assert power == pytest.approx(pooled(int(rounds)), abs=0.01), "Welch's test costs next to nothing"


@pytest.mark.parametrize("power", [0.5, 0.8, 0.9, 0.95])
def test_a_plan_is_the_smallest_that_does(power: float) -> None:
    (_, of), *_ = questions(0.9, None, 0.001, False)
    variances = Pilot(0.01, 8.0, np.nan, 0.0, 1.0).variances(1)
    rounds, expected = fewest_rounds(of, variances, power)
    assert expected == of(variances, int(rounds)).mean() >= power > of(variances, int(rounds) - 1).mean()


def test_dear_rounds_have_more_runs() -> None:
    (_, of), *_ = questions(1.1, None, 0.05, False)
    noise = Pilot(0.05**2 + 2 * 0.02**2, 40.0, 0.05**2, 40.0, 2.0)
    free, dear = (cheapest(of, noise, 0.9, cost) for cost in (0.0, 20.0))
    assert free.runs == 1 < dear.runs
    assert free.rounds > dear.rounds
    unlike_runs = Pilot(1.0, 40.0, 1.0, 40.0, 2.0)
    assert cheapest(of, unlike_runs, 0.9, 1e6).runs == 10, "and no more"


def _never(variances: np.ndarray, n: int) -> np.ndarray:
    return np.zeros_like(variances)


def test_what_cannot_be_planned_is_said() -> None:
    power: Power = _never
    assert np.isnan(cheapest(power, Pilot(1.0, 4.0, np.nan, 0.0, 1.0), 0.9, 1.0).rounds)
    row = planned(pilot(), effect=1.0001)["a ratio of 1.0001"]
    assert np.isnan(row["n"])
    assert row["caveat"] == f"more than {MOST} rounds"


def test_a_plan_of_a_dataset() -> None:
    found = planned(pilot(), margin=0.1)
    row = found["a ratio of 1.1"]
    assert (row["n"], row["runs_a_round"], row["rounds"]) == (row["rounds"], 1, row["n"])
    assert 0.9 <= row["expected_power"] < 1
    # s of the logs, pooled over two equal cells; their rounds are the same, so 4 degrees of freedom and not 8
    assert row["noise"] == pytest.approx(np.log([100, 104, 97, 101, 98]).std(ddof=1))
    assert (row["freedom"], row["level_of_test"]) == (4, pytest.approx(1 - 0.95 ** (1 / 2)))
    assert row["noise_low"] < row["noise"] < row["noise_high"]
    assert row["caveat"] == "a pilot with 4 degrees of freedom: its noise may be half or twice as large"
    assert found["equivalence within 0.1"]["n"] > 2
    labelled = analysis.plan_repeats(pilot(), "throughput", ["layout"], effect=1.1)
    assert {labelled[name].attrs["units"] for name in ("n", "rounds", "noise", "expected_power")} == {"1"}


def test_more_cells_less_effect_and_more_power_cost_runs() -> None:
    ways: dict[str, dict[str, float]] = {
        "plain": {}, "family": {"cells": 60}, "small": {"effect": 1.05}, "sure": {"power": 0.99},
    }  # fmt: skip
    n = {
        name: planned(pilot(), **asked)[f"a ratio of {asked.get('effect', 1.1):g}"]["n"] for name, asked in ways.items()
    }
    assert n["plain"] < min(n["family"], n["small"], n["sure"])


def test_a_ratio_and_its_inverse_need_the_same() -> None:
    up, down = (planned(pilot(), effect=effect) for effect in (1.25, 0.8))
    assert up["a ratio of 1.25"]["n"] == down["a ratio of 0.8"]["n"]


def test_blocks_are_rounds() -> None:
    rng = np.random.default_rng(5)
    days = rng.normal(0, 0.1, (2, 4))
    noise = [
        {"layout": name, "block": float(day), "run_id": f"{name}{day}{run}", "throughput": float(np.exp(value))}
        for cell, name in enumerate("ab")
        for day in range(4)
        for run, value in enumerate(rng.normal(days[cell, day], 0.01, 5))
    ]
    row = planned(node(noise))["a ratio of 1.1"]
    assert row["noise"] == pytest.approx(0.01, rel=0.3)
    assert row["round_noise"] == pytest.approx(0.1, rel=0.6)
    assert (row["runs_a_round"], row["rounds"] > 15) == (1, True)
    assert "degrees of freedom between rounds: what they differ by is hardly known" in row["caveat"]
    one_day = planned(node(noise).isel(obs=[i for i, one in enumerate(noise) if one["block"] == 0]))["a ratio of 1.1"]
    assert one_day["caveat"] == "the pilot has one round: what rounds differ by is not known"


def test_pairs_take_out_what_rounds_share() -> None:
    shared = np.array([1.0, 1.5, 0.7, 1.2, 0.9])
    noise = {"a": [1.0, 1.02, 0.99, 1.01, 0.98], "b": [1.01, 0.98, 1.0, 1.02, 0.99]}
    ds = node([row for name, own in noise.items() for row in repeats(shared * own, layout=name)])
    apart, paired = planned(ds)["a ratio of 1.1"], planned(ds, paired=True)["a ratio of 1.1"]
    assert paired["n"] * 10 < apart["n"]


ALONE = node([{"layout": name, "run_id": name, "throughput": 1.0} for name in "ab"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"effect": 1.0}, "an effect is a ratio above 0 and not 1, such as 1.1 or 0.9, not 1"),
        ({"effect": -0.1}, "an effect is a ratio above 0 and not 1"),
        ({"cells": 0}, "a campaign compares in 1 cell or more, not in 0"),
        ({"margin": 5.0}, "a margin lies between 0 and 1, not at 5"),
        ({"power": 90.0}, "a power lies between 0.05 and 1, not at 90"),
        ({"effect": 0.0}, "an effect is a ratio above 0 and not 1"),
        ({"effect": np.inf}, "an effect is a ratio above 0 and not 1"),
        ({"margin": 0.0}, "a margin lies between 0 and 1, not at 0"),
        ({"margin": 1.0}, "a margin lies between 0 and 1, not at 1"),
        ({"power": 1.0}, "a power lies between 0.05 and 1, not at 1"),
        ({"round_cost": np.inf}, "a round costs 0 runs or more, not inf"),
        ({"power": 0.05}, "a power lies between 0.05 and 1, not at 0.05"),
        ({"round_cost": -1.0}, "a round costs 0 runs or more, not -1"),
    ],
)
def test_questions_that_are_none(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        planned(pilot(), **asked)


@pytest.mark.parametrize(
    ("ds", "asked", "message"),
    [
        (ALONE, {}, "no cell of layout has two runs: a pilot shows its noise by repeats"),
        (ALONE, {"paired": True}, "no two cells of layout share two rounds"),
        (pilot(layouts="a"), {"paired": True}, "no two cells of layout share two rounds"),
        (pilot((2.0, 2.0, 2.0)), {}, "the runs of each cell of layout are equal: a pilot without noise plans nothing"),
        (pilot((2.0, 0.0, 2.0)), {}, "2 of 6 runs are not positive"),
    ],
)
def test_pilots_that_plan_nothing(ds: xr.Dataset, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        planned(ds, **asked)


def test_a_pilot_of_a_paper() -> None:
    found = analysis.plan_repeats(cluster(), "throughput", ["layout", "operation", "clients"], effect=1.1)
    assert found["n"].item() >= 2


def test_probabilities_are_in_the_middle() -> None:
    assert even(2).tolist() == [0.25, 0.75]


def test_rounds_that_differ_less_than_their_runs_have_no_spread_of_their_own() -> None:
    assert Pilot(between=1.0, freedom=3.0, within=4.0, freedom_within=8.0, size=2.0).of_rounds == 0.0
    assert Pilot(between=9.0, freedom=3.0, within=4.0, freedom_within=8.0, size=2.0).of_rounds == 2.5


@pytest.mark.parametrize(("freedom_within", "variance", "freedom"), [(8.0, 4.0, 8.0), (0.0, 9.0, 3.0)])
def test_the_spread_of_runs_has_the_interval_of_chi_squared(
    freedom_within: float, variance: float, freedom: float
) -> None:
    """Of the runs inside rounds; where each round has one run, of all of them."""
    spread, ends = Pilot(9.0, 3.0, 4.0, freedom_within, 2.0).run_spread()
    expected = np.sqrt(variance * freedom / stats.chi2.ppf([0.975, 0.025], freedom))
    assert spread == np.sqrt(variance)
    assert ends == pytest.approx(expected.tolist())


def test_runs_of_one_day_are_one_round_of_a_plan_as_they_are_one_value_of_a_comparison() -> None:
    """Three days that differ by 10 %, and within which runs differ by 1 %: as blocks or as days, the plan is one."""
    days = np.repeat([1.0, 2.0, 3.0], 3)
    values = 100 * (1 + 0.1 * (days - 2)) * (1 + 0.01 * (np.arange(9) % 3 - 1))
    ds = node([row for layout in "ab" for row in repeats(values, layout=layout)])
    dated, blocked = (ds.assign_coords({key: ("obs", np.tile(days, 2))}) for key in ("day", "block"))
    assert planned(dated) == planned(blocked)
    assert planned(dated)["a ratio of 1.1"]["round_noise"] > 5 * planned(dated)["a ratio of 1.1"]["noise"]
