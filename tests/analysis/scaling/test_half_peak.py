from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from storagelab.analysis import half_peaks
from storagelab.analysis.scaling.rounds_of_curves import SHARED
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.scaling.campaigns import curve_of, curves_of, in_blocks, noisy

TWO = {"a": noisy((1.0, 4.0, 16.0), (20.0, 60.0, 100.0)), "b": noisy((1.0, 4.0, 16.0), (10.0, 20.0, 50.0))}


def positions(found: xr.Dataset) -> list[float]:
    return [float(value) for value in found["clients_half_peak"]]


def test_own_peak_by_hand() -> None:
    # half of 80 is 40, half of the way from 20 at one to 60 at four: at two on the log axis; the peak is not the last
    found = half_peaks(curve_of({1.0: [20.0], 4.0: [60.0], 16.0: [80.0], 32.0: [70.0]}))
    assert positions(found) == [pytest.approx(2.0)]
    assert found["clients_half_peak_level"].item() == 4
    assert found["throughput"].item() == 80
    assert found["peak_of"].item() == "own"
    assert found["caveat"].item() == "one run a level: no interval"


def test_own_common_and_nominal_peaks_differ() -> None:
    ds = curves_of(TWO)
    mean = np.mean((0.97, 1.0, 1.04))
    own = half_peaks(ds, by=["layout"])
    common = half_peaks(ds, by=["layout"], among="layout")
    nominal = half_peaks(ds, by=["layout"], peak=160.0)
    # own: 50 of a, 25 of b; common: 50 for both, reached by b at its last level only
    assert positions(own) == pytest.approx([4**0.75, 4 * 4 ** (5 / 30)])
    assert positions(common) == pytest.approx([4**0.75, 16.0])
    assert common["throughput"].values == pytest.approx([100 * mean] * 2)
    assert common["peak_of"].values.tolist() == ["common"] * 2
    assert positions(nominal)[0] == pytest.approx(4 * 4 ** ((80 / mean - 60) / 40))
    assert np.isnan(positions(nominal)[1])
    assert nominal["caveat"].values[1] == "not reached"


def test_one_node_reaches_half_of_the_peak() -> None:
    found = frame(half_peaks(curve_of(noisy((1.0, 2.0, 4.0), (60.0, 90.0, 100.0))))).iloc[0]
    assert (found["clients_half_peak"], found["clients_half_peak_level"]) == (1, 1)
    assert np.isnan(found["clients_half_peak_low"])
    assert found["caveat"] == "reached at the first level, perhaps below it"


def test_units_are_those_of_the_key() -> None:
    found = half_peaks(curve_of(TWO["a"], "file_size"), x="file_size")
    place = "file_size_half_peak"
    names = (place, f"{place}_low", f"{place}_level", "throughput", "plateau_share")
    assert [found[name].attrs["units"] for name in names] == ["B", "B", "B", "B/s", "1"]


def test_the_interval_is_what_t_does_not_tell_from_a_nominal_half() -> None:
    # straight from 2 runs around 20 to 2 runs around 60 with a nominal half of 40; the ends are roots of
    # |20 + 40 w - 40| = t sqrt((1-w)^2 v1 + w^2 v2), with the freedom of Welch
    ds = curve_of({1.0: [19.0, 21.0], 4.0: [59.0, 61.0]})
    found = frame(half_peaks(ds, peak=80.0)).iloc[0]
    for end, sign in (("low", 1), ("high", -1)):
        w = np.log(found[f"clients_half_peak_{end}"]) / np.log(4)
        parts = np.array([(1 - w) ** 2, w**2])  # variances of both means are 1
        freedom = parts.sum() ** 2 / (parts**2).sum()
        t = sign * (40 - 20 - 40 * w) / np.sqrt(parts.sum())
        assert t == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-2)


def test_rounds_are_the_unit_where_they_were_set_up_anew() -> None:
    # w of the way from 1 to 4 the rounds are (1 - w) low + w high less half of their own last level
    values = np.array([[20.0, 22.0, 18.5], [60.0, 63.0, 59.0], [80.0, 84.0, 81.0]])
    ds = curve_of(dict(zip((1.0, 4.0, 16.0), values.tolist(), strict=True)))
    alone, found = (frame(half_peaks(one)).iloc[0] for one in (ds, in_blocks(ds)))
    assert (alone["caveat"], found["caveat"]) == (SHARED, "")
    for end in ("low", "high"):
        w = np.log(found[f"clients_half_peak_{end}"]) / np.log(4)
        gaps = (1 - w) * values[0] + w * values[1] - values[2] / 2
        assert stats.ttest_1samp(gaps, 0).pvalue == pytest.approx(0.05, abs=3e-3)


def test_a_common_peak_has_the_rounds_of_the_other_curve() -> None:
    ds = curves_of(TWO)
    assert half_peaks(in_blocks(ds), by=["layout"], among="layout")["caveat"].values.tolist()[0] == ""
    shared, is_open = half_peaks(ds, by=["layout"], among="layout")["caveat"].values.tolist()
    assert shared == SHARED
    assert is_open == f"the interval is open at its high end; {SHARED}"


def test_a_peak_that_may_be_another_level_widens_the_interval() -> None:
    alone = noisy((1.0, 4.0, 16.0), (20.0, 60.0, 100.0))
    noisy_end = {**alone, 32.0: [70.0, 95.0, 130.0]}
    narrow, wide = (frame(half_peaks(curve_of(curve))).iloc[0] for curve in (alone, noisy_end))
    assert wide["clients_half_peak_high"] > 1.2 * narrow["clients_half_peak_high"]


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        *((f"a share of the peak lies between 0 and 1, not at {end:g}$", {"share": end}) for end in (0.0, 1.0, 1.5)),
        ("a nominal one or the common one of several curves, not both", {"peak": 1.0, "among": "layout"}),
        *((f"a nominal peak is above zero, not {peak:g}", {"peak": peak}) for peak in (-1.0, 0.0)),
        ("curves that share a peak differ in layout: name it in by", {"by": [], "among": "layout"}),
    ],
)
def test_what_is_no_half_peak(message: str, arguments: dict[str, object]) -> None:
    with pytest.raises(AnalysisError, match=message):
        half_peaks(curves_of(TWO), **({"by": ["layout"]} | arguments))  # type: ignore[arg-type]
