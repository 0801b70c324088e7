"""Change points over many releases: what they name, and how often they name what is not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import xarray as xr

from storagelab import dataset
from storagelab.analysis.comparison.history import (
    History,
    LeftOut,
    _Criteria,
    _level,
    _of_days,
    _Runs,
    _Sample,
    change_points,
)
from storagelab.errors import AnalysisError

FACTOR = Callable[[int, str], float]


def release(
    number: int, rng: np.random.Generator, factor: FACTOR, *, runs: int, cv: float, night: float | None = None
) -> xr.Dataset:
    """Runs of two file systems with two numbers of clients; all of one day, where nights differ by a spread."""
    of_the_night = {} if night is None else {fs: float(np.exp(night * rng.normal())) for fs in ("ext4", "xfs")}
    rows = [
        {"run_id": f"{number}-{filesystem}-{clients}-{run}", "operation": "write", "filesystem": filesystem}
        | {"clients": clients, "repeat": float(run), "log_id": 0, "line": 1}
        | {"throughput": 1e8 * clients * factor(number, filesystem) * float(np.exp(cv * rng.normal()))}
        | ({"day": 1.0} if night is not None else {})
        for filesystem in ("ext4", "xfs")
        for clients in (1.0, 4.0)
        for run in range(1, runs + 1)
    ]
    for row in rows:
        row["throughput"] *= of_the_night.get(row["filesystem"], 1.0)
    return dataset.from_rows(rows, origin="measured", study="s")


def nights(seed: int, factor: FACTOR, count: int = 30, *, spread: float) -> History:
    """A night a release: two runs of each cell, which differ by 2 %, and what the night did to all of them."""
    rng = np.random.default_rng(seed)
    found = {f"n{number}": release(number, rng, factor, runs=2, cv=0.02, night=spread) for number in range(count)}
    return change_points(found, "throughput")


def history(seed: int, factor: FACTOR, releases: int = 6, *, runs: int = 5, cv: float = 0.05) -> History:
    rng = np.random.default_rng(seed)
    found = {f"v{number}": release(number, rng, factor, runs=runs, cv=cv) for number in range(releases)}
    return change_points(found, "throughput")


def named(found: History) -> list[tuple[str, str, str]]:
    return [
        (str(one.keys["filesystem"]), change.release, change.verdict) for one in found.levels for change in one.changes
    ]


def nothing(number: int, filesystem: str) -> float:
    return 1.0


def slower_from(at: int, by: float = 0.9) -> FACTOR:
    return lambda number, filesystem: by if filesystem == "xfs" and number >= at else 1.0


@pytest.mark.slow
def test_of_histories_without_a_change_few_have_one_named() -> None:
    """200 seeded histories, two levels each: 5 % are 10, of which chance makes more than 17 once in a hundred."""
    wrong = sum(bool(named(history(seed, nothing))) for seed in range(200))
    assert 1 <= wrong <= 17, "none at all would mean that the test never refuses"


@pytest.mark.slow
@pytest.mark.parametrize("at", [3, 5])
def test_a_level_that_became_slower_is_named_with_its_release(at: int) -> None:
    found = [named(history(seed, slower_from(at))) for seed in range(40)]
    assert sum(("xfs", f"v{at}", "slower") in one for one in found) >= 38
    assert sum(any(filesystem == "ext4" for filesystem, *_ in one) for one in found) <= 5


def test_a_gain_is_what_two_means_leave_less_of_the_squares_than_one() -> None:
    runs = [np.array([1.0, 2.0, 4.0]), np.array([0.0, 3.0]), np.array([9.0, 1.0, 2.0, 5.0])]
    sample = _Sample.of([runs])

    def squares(*parts: list[np.ndarray]) -> float:
        return sum(float(((x - x.mean()) ** 2).sum()) for x in map(np.concatenate, parts))

    gains = sample._gains(sample.values[None], [0, 3])[0]
    assert gains == pytest.approx([squares(runs) - squares(runs[:at], runs[at:]) for at in (1, 2)])


def test_a_change_that_was_taken_back_is_no_alert() -> None:
    found = history(3, lambda number, filesystem: 0.8 if filesystem == "xfs" and number in (2, 3) else 1.0)
    assert named(found) == [("xfs", "v2", "slower"), ("xfs", "v4", "faster")]
    assert found.answer == "fine"
    [first, second] = found.levels[1].changes
    assert first.low < 0.8 < first.high < 1 < second.low < 1 / 0.8 < second.high


def test_the_answer_is_that_of_the_worst_level() -> None:
    assert history(1, slower_from(5)).answer == "slower"
    assert history(1, nothing).answer == "fine"
    assert history(1, nothing, 3, runs=2, cv=0.3).answer == "cannot tell"


@pytest.mark.parametrize(("share", "draws"), [(0.05, 999), (0.01, 2000)])
def test_a_plain_change_of_one_of_many_levels_has_a_p_far_below_its_share(share: float, draws: int) -> None:
    runs = np.random.default_rng(7).normal(0, 0.01, (6, 5)) - np.repeat([0.0, 0.5], 3)[:, np.newaxis]
    found = _level({}, [f"v{number}" for number in range(6)], [list(runs)], _Criteria(share, 0.05, "highest"))
    assert [(one.release, one.verdict, 1 / one.p) for one in found.changes] == [("v3", "slower", 1 + draws)]


def test_of_one_run_a_release_nobody_can_tell() -> None:
    rng = np.random.default_rng(1)
    found = {name: dataset.select(release(0, rng, nothing, runs=1, cv=0.05), clients=1.0) for name in ("v0", "v1")}
    assert [level.verdict for level in change_points(found, "throughput").levels] == ["cannot tell"] * 2


def test_of_runs_without_spread_nobody_can_tell() -> None:
    found = history(1, nothing, runs=2, cv=0.0)
    assert [level.verdict for level in found.levels] == ["cannot tell"] * 2


def test_ratios_of_releases_are_to_the_mean_of_all() -> None:
    level = history(2, nothing, cv=0.01).levels[0]
    assert [one.runs for one in level.releases] == [5] * 6
    assert np.prod([one.ratio for one in level.releases]) == pytest.approx(1.0)
    assert all(one.low < one.ratio < one.high for one in level.releases)


def test_the_same_history_gives_the_same_answer() -> None:
    assert history(5, slower_from(3)) == history(5, slower_from(3))


@pytest.mark.parametrize(("numbers", "margin", "said"), [
    ([0], 0.05, "a history has two releases or more, found 1"),
    *(([0, 1], end, f"a margin lies between 0 and 1, not at {end:g}: 0.05 is 5 %") for end in (0.0, 1.0, 1.5)),
])  # fmt: skip
def test_what_is_no_history_is_refused(numbers: Sequence[int], margin: float, said: str) -> None:
    rng = np.random.default_rng(0)
    releases = {f"v{number}": release(number, rng, nothing, runs=2, cv=0.1) for number in numbers}
    with pytest.raises(AnalysisError, match=f"^{said}"):
        change_points(releases, "throughput", margin=margin)


def test_releases_without_a_common_cell_are_refused() -> None:
    rng = np.random.default_rng(0)
    one, other = (release(0, rng, nothing, runs=2, cv=0.1) for _ in range(2))
    halves = {"a": dataset.select(one, filesystem="xfs"), "b": dataset.select(other, filesystem="ext4")}
    with pytest.raises(AnalysisError, match=r"^the releases have no cell of filesystem, clients in common"):
        change_points(halves, "throughput", ["filesystem", "clients"])


def test_a_cell_that_a_release_lacks_is_named_with_it() -> None:
    rng = np.random.default_rng(0)
    releases = {f"v{number}": release(number, rng, nothing, runs=2, cv=0.1) for number in range(3)}
    whole = releases["v1"]
    releases["v1"] = whole.isel(obs=((whole["filesystem"] != "xfs") | (whole["clients"] != 4)).values)
    found = change_points(releases, "throughput")
    assert found.left_out == [LeftOut({"filesystem": "xfs", "clients": 4.0}, ["v1"])]


def test_cells_to_which_a_key_does_not_apply_are_followed_too() -> None:
    rng = np.random.default_rng(0)
    releases = {f"v{number}": release(number, rng, slower_from(3), runs=5, cv=0.02) for number in range(6)}
    segments = np.where(releases["v0"]["filesystem"].values == "ext4", 2.0, np.nan)
    found = change_points(
        {name: ds.assign_coords(segments=("obs", segments)) for name, ds in releases.items()}, "throughput"
    )
    assert (found.left_out, named(found)) == ([], [("xfs", "v3", "slower")])


@pytest.mark.parametrize("spread", [0.0, 0.02])
def test_what_a_night_does_to_its_runs_is_no_change(spread: float) -> None:
    """Of 20 histories without a change one is due; chance makes more than 4 of them once in 400."""
    assert sum(bool(named(nights(seed, nothing, spread=spread))) for seed in range(20)) <= 4


def test_a_loss_that_stays_is_found_among_nights_that_differ() -> None:
    found = nights(3, slower_from(18, by=0.93), spread=0.01)
    assert named(found) == [("xfs", "n18", "slower")]
    (change,) = (change for level in found.levels for change in level.changes)
    assert change.low < 0.93 < change.high
    assert found.unit == "day"
    assert {release.runs for level in found.levels for release in level.releases} == {1}


def test_of_few_days_rounds_are_the_unit_and_of_few_rounds_runs() -> None:
    units = {count: nights(3, nothing, count=count, spread=0.0).unit for count in (5, 6, 11, 12)}
    assert units == {5: "run", 6: "round", 11: "round", 12: "day"}


def _runs(values: list[float], days: list[float]) -> _Runs:
    return _Runs(np.array(values), np.array(days), np.array(days), np.arange(len(days), dtype=float))


def shared(seed: int, releases: int, *, by_round: float = 0.0, carried: float = 0.0) -> History:
    """Five runs of four cells a release, without a change: what a round does to all cells, or a run to the next."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 0.05, (releases, 4, 5)) + by_round * rng.normal(0, 0.05, (releases, 1, 5))
    for run in range(1, 5):
        noise[..., run] = carried * noise[..., run - 1] + np.sqrt(1 - carried**2) * noise[..., run]
    rows = [
        [
            {"run_id": f"{cell}.{run}", "clients": 2.0**cell, "repeat": run + 1.0, "throughput": 1e8 * np.exp(value)}
            for (cell, run), value in np.ndenumerate(of_release)
        ]
        for of_release in noise
    ]
    found = {f"v{place}": dataset.from_rows(own, origin="measured", study="s") for place, own in enumerate(rows)}
    return change_points(found, "throughput")


@pytest.mark.parametrize(("dependent", "unit"), [({"by_round": 1.0}, "round"), ({"carried": 0.9}, "mean")])
def test_what_runs_share_with_their_round_or_with_the_run_before_is_no_change(
    dependent: dict[str, float], unit: str
) -> None:
    """Of 20 histories without a change one is due; chance makes more than 4 of them once in 400."""
    found = [shared(seed, 6, **dependent) for seed in range(20)]
    assert {one.unit for one in found} == {unit}
    assert sum(any(level.changes for level in one.levels) for one in found) <= 4


def test_a_day_is_the_mean_over_the_cells_that_it_has() -> None:
    """A cell that a day lacks says nothing of it: not that it was as slow as that cell always is."""
    fast = _runs([5.0, 5.2, 6.0], [1.0, 1.0, 2.0])
    slow = _runs([1.0], [1.0])
    alone = _runs([3.0], [1.0])
    assert [[part.tolist() for part in cell] for cell in _of_days([[fast, fast], [slow, alone]])] == [
        [pytest.approx([(-0.45 - 1.0) / 2, 0.45]), pytest.approx([(-0.45 + 1.0) / 2, 0.45])]
    ]
