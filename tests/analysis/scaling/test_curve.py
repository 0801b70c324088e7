from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from storagelab.analysis import regressions, scaling_curve
from storagelab.analysis.comparison.sides import OTHER_DAYS
from storagelab.analysis.inference.dependence import NOT_EXCLUDED, STRONG
from storagelab.analysis.run_order import NO_ORDER
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.scaling.campaigns import curve_of, curves_of, noisy
from tests.analysis.tables import node
from tests.simulations.dependence import correlated

ONE, FOUR = [10.0, 12.0, 11.0], [30.0, 33.0, 36.0]


def test_speedup_and_efficiency_by_hand() -> None:
    found = frame(scaling_curve(curve_of({1.0: [10.0], 4.0: [30.0]})))
    assert found["speedup"].tolist() == pytest.approx([1, 3])
    assert found["efficiency"].tolist() == pytest.approx([1, 0.75])
    assert found["caveat"].tolist() == ["one run: no interval"] * 2
    assert found["speedup_low"].isna().all()


def test_the_interval_is_that_of_welch_on_the_logs() -> None:
    found = frame(scaling_curve(curve_of({1.0: ONE, 4.0: FOUR}))).set_index("clients").loc[4.0]
    logs = np.log(FOUR), np.log(ONE)
    ends = stats.ttest_ind(*logs, equal_var=False).confidence_interval(0.95)
    assert (found["speedup_low"], found["speedup_high"]) == pytest.approx((np.exp(ends.low), np.exp(ends.high)))
    assert found["efficiency_high"] == pytest.approx(np.exp(ends.high) / 4)
    mean = stats.ttest_1samp(logs[0], 0).confidence_interval(0.95)
    assert found["throughput_low"] == pytest.approx(np.exp(mean.low))
    assert (found["n"], found["n_base"], found["caveat"]) == (3, 3, NOT_EXCLUDED)


def test_units_and_origin() -> None:
    found = scaling_curve(curve_of({1.0: ONE, 4.0: FOUR}))
    units = {name: found[name].attrs["units"] for name in ("throughput", "throughput_low", "speedup", "efficiency")}
    assert units == {"throughput": "B/s", "throughput_low": "B/s", "speedup": "1", "efficiency": "1"}
    assert (found.attrs["origin"], found.attrs["unit"]) == ("measured", "run")


def test_another_base_and_a_cell_without_it() -> None:
    ds = curves_of({"a": {2.0: ONE, 4.0: FOUR}, "b": {4.0: FOUR, 8.0: FOUR}})
    found = frame(scaling_curve(ds, by=["layout"], base=2.0))
    assert found["efficiency"].tolist()[1] == pytest.approx(found["speedup"].tolist()[1] / 2)
    assert found["caveat"].tolist()[2:] == ["no runs at clients=2"] * 2
    assert found["speedup"].isna().tolist() == [False, False, True, True]
    with pytest.raises(AnalysisError, match="no cell has throughput at clients=1: choose another base"):
        scaling_curve(ds, by=["layout"])


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("a scale counts or is a size in bytes, layout is neither", {"x": "layout"}),
        ("clients is named in by and in x: a key is one of them", {"by": ["clients"]}),
    ],
)
def test_what_is_no_scale(message: str, arguments: dict[str, object]) -> None:
    with pytest.raises(AnalysisError, match=message):
        scaling_curve(curve_of({1.0: ONE}, layout="a"), **arguments)  # type: ignore[arg-type]


def test_levels_and_rates_are_above_zero() -> None:
    with pytest.raises(AnalysisError, match="a scale has levels above zero, clients has 0"):
        scaling_curve(curve_of({0.0: ONE}))
    with pytest.raises(AnalysisError, match="1 of 3 runs are not positive"):
        scaling_curve(curve_of({1.0: [0.0, 1.0, 2.0]}))


@settings(max_examples=20)
@given(st.floats(1e-3, 1e9))
def test_ratios_know_no_unit(times: float) -> None:
    found = scaling_curve(curve_of({1.0: ONE, 4.0: FOUR}))
    larger = scaling_curve(curve_of({1.0: [times * v for v in ONE], 4.0: [times * v for v in FOUR]}))
    for name in ("speedup", "speedup_low", "efficiency_high"):
        np.testing.assert_allclose(larger[name], found[name], rtol=1e-6)


def test_a_dip_from_one_to_two() -> None:
    found = regressions(curve_of(noisy((1.0, 2.0, 4.0), (100.0, 60.0, 150.0))))
    rows = frame(found)
    assert rows["clients"].tolist() == [2, 4]
    assert rows["clients_previous"].tolist() == [1, 2]
    assert rows["ratio"].tolist() == pytest.approx([0.6, 2.5])
    assert rows["dip"].tolist() == [1, 0]
    assert rows["verdict"].tolist() == ["lower", "higher"]
    units = [found[name].attrs["units"] for name in ("clients_previous", "ratio", "dip", "p_adjusted")]
    assert units == ["1"] * 4


def test_dips_are_corrected_over_the_table() -> None:
    rows = frame(regressions(curve_of({1.0: [10.0, 11.0, 12.0], 2.0: [9.0, 10.0, 11.5], 4.0: [10.5, 12.0, 11.0]})))
    p = [
        stats.ttest_ind(np.log(b), np.log(a), equal_var=False).pvalue
        for a, b in (([10.0, 11.0, 12.0], [9.0, 10.0, 11.5]), ([9.0, 10.0, 11.5], [10.5, 12.0, 11.0]))
    ]
    assert rows["p"].tolist() == pytest.approx(p)
    assert rows["p_adjusted"].tolist() == pytest.approx(multipletests(p, method="sidak")[1].tolist())
    assert rows["dip"].tolist() == [0, 0]


def test_a_fall_within_the_error_or_of_one_run_is_no_dip() -> None:
    one = frame(regressions(curve_of({1.0: [10.0], 2.0: [5.0]})))
    assert (one["dip"].item(), one["caveat"].item()) == (0, "one run a side: no interval")
    with pytest.raises(AnalysisError, match="no cell has throughput at two levels of clients"):
        regressions(curve_of({1.0: ONE}))


HOUR = 3600.0


def measured(starts: dict[float, float], values: dict[float, list[float]], apart: float) -> xr.Dataset:
    """Levels whose runs begin at a time, and follow each other with a pause."""
    return node(
        {"run_id": f"{level:g}.{at}", "clients": level, "start_time": starts[level] + apart * at, "throughput": value}
        for level, several in values.items()
        for at, value in enumerate(several)
    )


def test_levels_of_different_days_have_no_verdict_and_no_interval_of_their_speed_up() -> None:
    values = noisy((1.0, 2.0), (100.0, 60.0))
    by_turns = measured({1.0: 0.0, 2.0: 60.0}, values, 120.0)
    apart = measured({1.0: 0.0, 2.0: 48 * HOUR}, values, 60.0)
    assert regressions(by_turns)["verdict"].item() == "lower"
    found = regressions(apart)
    assert (found["verdict"].item(), found["dip"].item(), found["caveat"].item()) == ("undecided", 0, OTHER_DAYS)
    curve = frame(scaling_curve(apart)).set_index("clients").loc[2.0]
    assert np.isnan([curve["speedup_low"], curve["efficiency_high"]]).all()
    assert (curve["speedup"], curve["caveat"]) == (pytest.approx(0.6), OTHER_DAYS)
    assert np.isfinite([curve["throughput_low"], curve["throughput_high"]]).all()


def test_runs_that_depend_on_the_ones_before_widen_a_curve() -> None:
    noise = correlated(np.random.default_rng(5), 400, 0.9)
    rows = [
        {"run_id": f"{at}", "clients": 1.0 + at // 20 % 2, "start_time": 60.0 * at, "throughput": float(value)}
        for at, value in enumerate(np.exp(0.05 * noise))
    ]
    in_order = frame(scaling_curve(node(rows)))
    at_random = frame(scaling_curve(node({**row, "start_time": np.nan} for row in rows)))
    width = [np.log(one["throughput_high"] / one["throughput_low"]).min() for one in (in_order, at_random)]
    assert width[0] > 1.5 * width[1]
    assert set(in_order["caveat"]) == {STRONG}
    assert set(at_random["caveat"]) == {NO_ORDER}
