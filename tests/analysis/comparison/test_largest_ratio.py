from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from storagelab.analysis import largest_ratio
from storagelab.analysis.comparison.sides import OTHER_DAYS
from storagelab.analysis.inference.dependence import NOT_EXCLUDED
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats
from tests.simulations.dependence import correlated

SIDES = ("throughput", "protocol", "dcap", "posix", "clients")
NOISE = (0.97, 1.0, 1.02)


def scan(ratios: dict[float, float], runs: tuple[float, ...] = NOISE) -> xr.Dataset:
    rows = []
    for clients, ratio in ratios.items():
        for protocol, rate in (("dcap", 1e7), ("posix", ratio * 1e7)):
            values = [rate * noise for noise in (runs if protocol == "posix" else runs[::-1])]
            rows += repeats(values, protocol=protocol, clients=clients)
    return node(rows)


def test_the_largest_and_where_it_is_with_simultaneous_intervals_by_hand() -> None:
    found = largest_ratio(scan({1.0: 1.2, 4.0: 2.6, 16.0: 2.5}), *SIDES).isel(obs=0)
    assert (found["clients"], found["scanned"], found["n"], found["n_base"]) == (4, 3, 3, 3)
    assert found["ratio"] == pytest.approx(2.6)
    half = stats.t.ppf(1 - 0.025 / 3, 4) * np.sqrt(2 * np.var(np.log(NOISE), ddof=1) / 3)
    assert found["ratio_low"] == pytest.approx(2.6 * np.exp(-half))
    assert found["ratio_high"] == pytest.approx(2.6 * np.exp(half))
    test = stats.ttest_ind(np.log(NOISE) + np.log(2.6), np.log(NOISE))
    assert found["p"] == pytest.approx(3 * test.pvalue)
    assert found["caveat"] == f"the largest of 3 ratios: too high on average; {NOT_EXCLUDED}"
    assert found["compared"] == "posix / dcap"


def test_another_level_that_could_be_the_largest_widens_the_interval() -> None:
    rows = scan({1.0: 1.2, 4.0: 2.6})
    noisy = rows.copy(deep=True)
    at = ((rows["clients"] == 1) & (rows["protocol"] == "posix")).to_numpy()
    noisy["throughput"][at] = np.array([0.5, 1.2, 2.9]) * 1e7
    plain, wide = (largest_ratio(ds, *SIDES).isel(obs=0) for ds in (rows, noisy))
    assert plain["ratio_low"] == wide["ratio_low"]
    assert wide["ratio_high"] > 2 * plain["ratio_high"]


def test_one_run_at_a_level_allows_no_interval() -> None:
    rows = scan({1.0: 1.2, 4.0: 2.6})
    some = rows.isel(obs=~((rows["clients"] == 1) & (rows["protocol"] == "posix") & (rows["repeat"] > 1)).to_numpy())
    found = largest_ratio(some, *SIDES).isel(obs=0)
    assert np.isnan([found["ratio_low"], found["ratio_high"]]).all()
    assert str(found["caveat"].values).endswith("a level without spread: no interval")


def test_cells_are_scans_of_their_own_and_need_two_levels() -> None:
    ds = scan({1.0: 1.2, 4.0: 2.6}).assign_coords(filesystem=("obs", ["xfs"] * 12))
    found = frame(largest_ratio(ds, *SIDES, ["filesystem"]))
    assert found["filesystem"].tolist() == ["xfs"]
    with pytest.raises(AnalysisError, match="at two levels of clients"):
        largest_ratio(scan({4.0: 2.6}), *SIDES)
    with pytest.raises(AnalysisError, match="not positive"):
        largest_ratio(scan({4.0: 2.6, 1.0: 0.0}), *SIDES)


def test_units() -> None:
    found = largest_ratio(scan({1.0: 1.2, 4.0: 2.6}), *SIDES)
    for name in ("ratio", "ratio_low", "ratio_high", "scanned", "clients", "n", "n_base", "p", "p_adjusted"):
        assert found[name].attrs["units"] == "1"


HOUR = 3600.0


def campaign(noise: dict[tuple[str, float], list[float]], apart: float, later: float) -> xr.Dataset:
    """Two protocols at two numbers of clients, whose runs follow each other; at 4 clients posix begins later."""
    starts = {("dcap", 1.0): 0.0, ("posix", 1.0): 60.0, ("dcap", 4.0): 0.0, ("posix", 4.0): 60.0 + later}
    return node(
        {
            "run_id": f"{protocol}{clients:g}.{at}", "protocol": protocol, "clients": clients,
            "start_time": starts[protocol, clients] + apart * at,
            "throughput": 1e7 * (2.0 if protocol == "posix" else 1.0) * float(np.exp(value)),
        }
        for (protocol, clients), several in noise.items()
        for at, value in enumerate(several)
    )  # fmt: skip


def noise_of(cells: int, rho: float) -> dict[tuple[str, float], list[float]]:
    rng = np.random.default_rng(7)
    places = [(protocol, clients) for clients in (1.0, 4.0) for protocol in ("dcap", "posix")]
    return {place: (0.03 * correlated(rng, cells, rho)).tolist() for place in places}


def test_sides_of_one_level_that_were_measured_on_different_days_leave_no_verdict() -> None:
    noise = noise_of(6, 0.0)
    by_turns = largest_ratio(campaign(noise, 120.0, 0.0), *SIDES).isel(obs=0)
    assert by_turns["verdict"] == "higher"
    found = largest_ratio(campaign(noise, 120.0, 48 * HOUR), *SIDES).isel(obs=0)
    assert found["ratio"] == by_turns["ratio"]
    assert np.isnan([found["ratio_low"], found["ratio_high"], found["p"]]).all()
    assert found["verdict"] == "undecided"
    assert str(found["caveat"].values).endswith(OTHER_DAYS)


def test_runs_that_depend_on_the_ones_before_widen_it() -> None:
    ds = campaign(noise_of(200, 0.8), 120.0, 0.0)
    known, unknown = (largest_ratio(one, *SIDES).isel(obs=0) for one in (ds, ds.drop_vars("start_time")))
    assert known["ratio"] == unknown["ratio"]
    width, width_of_independent = (np.log(one["ratio_high"] / one["ratio_low"]) for one in (known, unknown))
    assert width > 1.5 * width_of_independent
