"""Two campaigns of one plan: levels first, then cells, with one error rate over both."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab.analysis import compare_campaigns
from storagelab.analysis.comparison.campaigns import (
    SAME_DAYS,
    CampaignComparison,
    _change,
    _gap_of_days,
    keys_of_plan,
    step_down,
)
from storagelab.analysis.comparison.sides import RunSide
from storagelab.analysis.inference.mean_differences import Side
from storagelab.errors import AnalysisError

OPERATIONS = ("write", "rewrite", "read", "reread", "random_read", "random_write")
CLIENTS = (1.0, 2.0, 4.0, 8.0)
Slower = Mapping[tuple[str, float], float]
NONE: Slower = MappingProxyType({})
READS: Slower = {("read", clients): 0.9 for clients in CLIENTS}


def campaign(
    seed: int, runs: int = 5, slower: Slower = NONE, variable: str = "throughput", unit: str = "B/s", cv: float = 0.05
) -> xr.Dataset:
    """Make a campaign of six operations at four numbers of clients; some cells keep a share of their rate."""
    plan = [(operation, clients, run) for operation in OPERATIONS for clients in CLIENTS for run in range(runs)]
    operation, clients, run = (np.array(column) for column in zip(*plan, strict=True))
    share = np.array([slower.get((name, number), 1.0) for name, number, _ in plan])
    noise = np.exp(np.random.default_rng(seed).normal(0, cv, len(plan)))
    keys = {
        "operation": operation,
        "clients": clients,
        "repeat": run.astype(float),
        "run_id": np.arange(len(plan)).astype(str),
    }
    return xr.Dataset(
        {variable: ("obs", 1e8 * clients**0.8 * share * noise, {"units": unit})},
        {name: ("obs", values) for name, values in keys.items()},
        {"origin": "measured", "study": "test-2026"},
    )


def verdicts(found: CampaignComparison) -> dict[str, str]:
    return dict(zip(found.levels["operation"].values.tolist(), found.levels["verdict"].values.tolist(), strict=True))


def named_cells(found: CampaignComparison) -> set[tuple[str, float]]:
    changed = found.cells.isel(obs=np.isin(found.cells["verdict"], ["slower", "faster"]))
    return set(zip(changed["operation"].values.tolist(), changed["clients"].values.tolist(), strict=True))


def test_a_level_that_became_slower_at_all_scales_is_named_though_few_of_its_cells_are() -> None:
    found = compare_campaigns(campaign(1), campaign(2, slower=READS), "throughput")
    assert verdicts(found)["read"] == "slower"
    assert found.answer == "slower"
    assert named_cells(found) < set(READS)


@pytest.mark.slow
def test_a_level_ten_per_cent_slower_is_found_and_nothing_else() -> None:
    trials = [
        compare_campaigns(campaign(seed), campaign(1000 + seed, slower=READS), "throughput") for seed in range(40)
    ]
    assert sum(verdicts(found)["read"] == "slower" for found in trials) >= 38
    others = [
        found for found in trials if named_cells(found) - set(READS) or set(verdicts(found).values()) & {"faster"}
    ]
    assert len(others) <= 5, "5 % of 40, and what luck adds in one of fifty"


@pytest.mark.slow
def test_unchanged_pairs_name_nothing() -> None:
    trials = [compare_campaigns(campaign(seed), campaign(1000 + seed), "throughput") for seed in range(60)]
    wrong = [found for found in trials if {"slower", "faster", "differs in part"} & set(verdicts(found).values())]
    assert len(wrong) <= 7, "5 % of 60, and what luck adds in one of fifty"


def test_with_many_runs_exactly_the_cells_that_changed_are_named() -> None:
    found = compare_campaigns(campaign(1, 24), campaign(2, 24, slower=READS), "throughput")
    assert named_cells(found) == set(READS)


def test_one_cell_that_changed_is_named_although_the_mean_of_its_level_is_not_shown_to_have() -> None:
    found = compare_campaigns(campaign(7, 12), campaign(8, 12, slower={("write", 8.0): 0.9}), "throughput")
    assert verdicts(found)["write"] in ("differs in part", "slower")
    assert named_cells(found) == {("write", 8.0)}
    assert found.answer == "slower"


def test_an_interval_excludes_one_where_and_only_where_a_difference_is_named() -> None:
    for seed in range(8):
        found = compare_campaigns(campaign(seed), campaign(50 + seed, slower=READS), "throughput")
        for part in (found.levels, found.cells):
            excludes = (part["ratio_low"] > 1) | (part["ratio_high"] < 1)
            assert (excludes == np.isin(part["verdict"], ["slower", "faster"])).all()


def test_times_are_slower_when_they_are_higher() -> None:
    longer = dict.fromkeys(READS, 1.2)
    found = compare_campaigns(campaign(1, 8, NONE, "elapsed", "s"), campaign(2, 8, longer, "elapsed", "s"), "elapsed")
    assert verdicts(found)["read"] == "slower"
    assert found.best == "lowest"


def test_quiet_campaigns_are_equal_and_fine() -> None:
    found = compare_campaigns(campaign(1, 20, cv=0.01), campaign(2, 20, cv=0.01), "throughput")
    assert set(verdicts(found).values()) == {"equal"}
    assert found.answer == "fine"


def test_an_open_level_says_how_many_more_runs_would_settle_it() -> None:
    found = compare_campaigns(campaign(1, 3, cv=0.2), campaign(2, 3, cv=0.2), "throughput")
    assert found.answer == "cannot tell"
    open_levels = found.levels.isel(obs=(found.levels["verdict"] == "cannot tell").values)
    assert (open_levels["more_runs"] > 10).all()
    assert (open_levels["detectable"] > 1.2).all()


def test_a_single_run_a_side_says_why_it_cannot_tell() -> None:
    found = compare_campaigns(campaign(1, 1), campaign(2, 1), "throughput")
    assert set(verdicts(found).values()) == {"cannot tell"}
    assert "one run a side" in str(found.levels["caveat"].values[0])


def test_cells_that_one_campaign_lacks_are_counted_and_left_out() -> None:
    after = campaign(2)
    found = compare_campaigns(campaign(1), after.isel(obs=(after["clients"] < 8).values), "throughput")
    assert (found.only_before, found.only_after) == (6, 0)
    assert found.cells.sizes["obs"] == 18


def test_a_level_whose_cells_share_several_days_says_so() -> None:
    sides = [campaign(1), campaign(2)]
    for days, caveats in ((1.0, {""}), (5.0, {SAME_DAYS})):
        dated = [ds.assign_coords(day=("obs", ds["repeat"].values % days)) for ds in sides]
        found = compare_campaigns(*dated, "throughput")
        assert {str(text) for text in found.levels["caveat"].values} == caveats


def by_round(seed: int, runs: int) -> xr.Dataset:
    """Runs that vary by 4 %, and by as much again from round to round, all cells of a round alike."""
    ds = campaign(seed, runs, cv=0.04)
    of_round = np.exp(np.random.default_rng(2000 + seed).normal(0, 0.04, runs))
    return ds.assign(throughput=ds["throughput"] * of_round[ds["repeat"].values.astype(int)])


def test_what_a_round_does_to_all_cells_of_a_level_is_no_change_of_it() -> None:
    """Of 40 pairs two are due; chance makes more than 6 of them once in 300."""
    pairs = [compare_campaigns(by_round(2 * n, 5), by_round(2 * n + 1, 5), "throughput") for n in range(40)]
    assert sum(bool({*verdicts(found).values()} & {"slower", "faster", "differs in part"}) for found in pairs) <= 6


def by_night(seed: int, nights: int, spread: float, slower: Slower = NONE) -> xr.Dataset:
    """One run of each cell a night, which differ by 1 %; what a night does it does to all cells of an operation."""
    ds = campaign(seed, runs=nights, slower=slower, cv=0.01)
    of_night = np.exp(np.random.default_rng(1000 + seed).normal(0, spread, (len(OPERATIONS), nights)))
    operation = [OPERATIONS.index(name) for name in ds["operation"].values]
    factor = of_night[operation, ds["repeat"].values.astype(int)]
    return ds.assign(throughput=ds["throughput"] * factor).assign_coords(day=("obs", ds["repeat"].values))


def test_what_a_night_does_to_all_cells_of_a_level_is_no_change_of_it() -> None:
    """Of 40 pairs two are due; chance makes more than 6 of them once in 300."""
    pairs = [compare_campaigns(by_night(2 * n, 7, 0.03), by_night(2 * n + 1, 9, 0.03), "throughput") for n in range(40)]
    assert sum(bool({*verdicts(found).values()} & {"slower", "faster", "differs in part"}) for found in pairs) <= 6
    assert not any(SAME_DAYS in str(text) for found in pairs for text in found.levels["caveat"].values)


def test_a_loss_is_found_among_nights_that_differ() -> None:
    found = compare_campaigns(by_night(1, 13, 0.01), by_night(2, 17, 0.01, slower=READS), "throughput")
    level = found.levels.isel(obs=found.levels["operation"].values.tolist().index("read"))
    assert [name for name, change in verdicts(found).items() if change not in ("equal", "not slower")] == ["read"]
    assert verdicts(found)["read"] == "slower"
    assert level["ratio_low"] < 0.9 < level["ratio_high"]


def test_days_of_a_level_are_means_over_the_cells_that_they_have() -> None:
    """A cell that a day lacks does not make it faster or slower."""

    def side(values: list[float], days: list[float]) -> RunSide:
        return RunSide(Side(np.array(values)), "", np.array(days), np.arange(len(days), dtype=float), np.array(days))

    fast = side([5.0, 5.2, 5.4], [1.0, 2.0, 3.0]), side([4.9, 5.1, 5.0], [1.0, 2.0, 3.0])
    slow = side([1.2, 1.4], [2.0, 3.0]), side([1.1, 0.9], [1.0, 2.0])
    found = _gap_of_days([fast, slow])
    after = [5.0 - 5.1, (5.2 - 5.1 + 1.2 - 1.15) / 2, (5.4 - 5.1 + 1.4 - 1.15) / 2]
    before = [(4.9 - 5.1 + 1.1 - 1.15) / 2, (5.1 - 5.1 + 0.9 - 1.15) / 2, 5.0 - 5.1]
    assert found.value == pytest.approx(np.mean(after) - np.mean(before))
    assert found.error == pytest.approx(np.sqrt((np.var(after, ddof=1) + np.var(before, ddof=1)) / 3))


def test_cells_to_which_a_key_does_not_apply_are_compared_too_over_all_their_scales() -> None:
    sides = [campaign(seed, slower=slower) for seed, slower in ((1, NONE), (2, READS))]
    segments = [np.where(ds["operation"].values == "write", 2.0, np.nan) for ds in sides]
    both = [ds.assign_coords(segments=("obs", own)) for ds, own in zip(sides, segments, strict=True)]
    found = compare_campaigns(*both, "throughput")
    assert (found.only_before, found.only_after) == (0, 0)
    assert verdicts(found) == verdicts(compare_campaigns(*sides, "throughput"))


def test_the_cells_are_made_by_the_keys_in_which_runs_differ() -> None:
    assert keys_of_plan(campaign(1), campaign(2), "throughput", (), "single") == ["operation", "clients"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(({"margin": end}, f"a margin lies between 0 and 1, not at {end:g}: 0.05") for end in (0.0, 1.0, 1.5)),
        ({"by": ["operation"]}, "differ in clients"),
    ],
)
def test_what_cannot_be_compared_is_said(change: dict[str, object], message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        compare_campaigns(campaign(1), campaign(2), "throughput", **change)  # type: ignore[arg-type]


def test_campaigns_without_a_cell_in_common_are_refused() -> None:
    first, second = campaign(1), campaign(2)
    with pytest.raises(AnalysisError, match="no cell of operation, clients in common"):
        compare_campaigns(
            first.isel(obs=(first["clients"] < 4).values),
            second.isel(obs=(second["clients"] >= 4).values),
            "throughput",
        )


@pytest.mark.parametrize(
    ("p", "refused"),
    [
        ([0.001, 0.015, 0.02, 0.04], [True, True, True, True]),
        ([0.001, 0.03, 0.04, 0.045], [True, False, False, False]),
        ([0.5, np.nan, 0.02], [False, False, True]),
        ([], []),
    ],
)
def test_tests_are_refused_one_after_the_other(p: list[float], refused: list[bool]) -> None:
    levels = step_down(p, 0.05)
    assert [value <= level for value, level in zip(p, levels, strict=True)] == refused


@pytest.mark.parametrize(("width", "change"), [(0.0535, "equal"), (0.0550, "not slower"), (0.0580, "cannot tell")])
def test_equal_is_what_an_interval_of_twice_the_risk_holds_within_the_margin(width: float, change: str) -> None:
    """Two one-sided tests at 5 % are the interval of 90 %: a margin of 5 % is -0.0513 to 0.0488 of the logarithm."""
    gap: Any = SimpleNamespace(value=0.0, known=True, interval=lambda level: (-width * level, width * level))
    assert _change(gap, alpha=0.05, differs=False, margin=0.05, best="highest") == change
