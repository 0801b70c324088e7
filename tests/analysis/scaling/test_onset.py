from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import xarray as xr

from storagelab.analysis import marginal_rates, onsets
from storagelab.analysis.scaling.onset import crossing, onset_interval
from storagelab.analysis.scaling.rounds_of_curves import SHARED
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

SIZES = [2.0**12, 2.0**16, 2.0**20, 2.0**24, 2.0**27]


def curves(rates: Mapping[float, Sequence[float]]) -> xr.Dataset:
    """Rates of the repeats at each size; times that belong to them."""
    rows = []
    for size, values in rates.items():
        runs = repeats(values, layout="single", file_size=size)
        rows += [{**row, "elapsed": size / row["throughput"]} for row in runs]
    return node(rows)


def test_the_onset_lies_between_two_sizes_by_hand() -> None:
    # means 1, 4, 8; 75 % of 8 is 6, half of the way from 4 to 8, on the log axis half of the way from 4 to 16 bytes
    found = onsets(curves({1.0: [0.9, 1.1], 4.0: [3.9, 4.1], 16.0: [8.0, 8.0]}), share=0.75)
    assert found["onset"].item() == pytest.approx(8.0)
    assert found["onset"].attrs["units"] == "B"
    assert found["plateau_share"].item() == 0.75
    assert found["n"].item() == 2


def test_rounds_that_were_set_up_anew_are_the_unit() -> None:
    ds = curves({1.0: [0.9, 1.1, 1.0], 4.0: [1.99, 2.01, 2.4], 16.0: [8.0, 8.0, 8.0]})
    assert onsets(ds, share=0.75)["caveat"].item() == SHARED
    blocks = ds.assign_coords(block=("obs", np.where(ds["repeat"] < 3, 1.0, 2.0), {"units": "1"}))
    found = onsets(blocks, share=0.75)
    assert (found["caveat"].item(), found["n"].item()) == ("", 2)
    two = onsets(curves({1.0: [1.0, 1.0], 4.0: [2.0, 2.4], 16.0: [8.0, 8.0]}), share=0.75)
    assert found["onset_low"].item() == pytest.approx(two["onset_low"].item(), rel=1e-2)


def test_the_interval_holds_the_sizes_that_a_t_test_does_not_refuse() -> None:
    # at w of the way from 4 to 16 bytes the repeats are (1 - w) v + w 8 - 6 with v = 1.9, 2, 2.1:
    # mean 6 w - 4, error (1 - w) 0.1 / sqrt(3), t(0.975, 2) = 4.302653, half = 0.248414 (1 - w)
    found = onsets(curves({1.0: [1.0, 1.0, 1.0], 4.0: [1.9, 2.0, 2.1], 16.0: [8.0, 8.0, 8.0]}), share=0.75)
    half = 4.302653 * 0.1 / np.sqrt(3)
    low, high = ((4 - sign * half) / (6 - sign * half) for sign in (1, -1))
    assert found["onset"].item() == pytest.approx(4 * 4 ** (2 / 3))
    assert found["onset_low"].item() == pytest.approx(4 * 4**low, rel=2e-3)
    assert found["onset_high"].item() == pytest.approx(4 * 4**high, rel=2e-3)


def test_a_repeat_that_lacks_a_size_is_no_curve() -> None:
    whole = {1.0: [1.0, 1.0], 4.0: [1.9, 2.1], 16.0: [8.0, 8.1]}
    more = onsets(curves(whole | {16.0: [8.0, 8.1, 8.05]}), share=0.5)
    same = onsets(curves(whole), share=0.5)
    assert more["onset_low"].item() == same["onset_low"].item()


@pytest.mark.parametrize("values", [[[1.0, 5.0]], [[1.0, 5.0]] * 3, [[1.0, 5.0], [4.0, 5.0], [9.0, 5.0]]])
def test_no_spread_or_an_open_end_gives_no_interval(values: list[list[float]]) -> None:
    assert np.isnan(onset_interval(np.array([1.0, 4.0]), np.array(values), 0.5)).all()


def test_a_curve_that_dips_sets_in_after_the_dip() -> None:
    found = onsets(curves({1.0: [7.0], 4.0: [3.0], 16.0: [8.0]}), share=0.5)
    assert 4 < found["onset"].item() < 16
    assert np.isnan(found["onset_low"].item()), "one repeat has no interval"


def test_a_flat_curve_has_no_onset() -> None:
    assert np.isnan(onsets(curves({1.0: [7.0, 8.0], 4.0: [8.0, 7.0]}), share=0.5)["onset"].item())


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        *((f"a share of the plateau lies between 0 and 1, not at {end:g}", {"share": end}) for end in (0.0, 1.0)),
        ("an onset is a size in bytes, clients is none", {"x": "clients"}),
    ],
)
def test_what_an_onset_is_not(message: str, arguments: dict[str, object]) -> None:
    with pytest.raises(AnalysisError, match=message):
        onsets(curves({1.0: [7.0], 4.0: [3.0]}), **arguments)  # type: ignore[arg-type]


def test_a_file_of_no_byte_has_no_place_on_a_log_axis() -> None:
    with pytest.raises(AnalysisError, match="file_size is 0 in some run: an onset is found on a log axis"):
        onsets(node(repeats([7.0], file_size=0.0) + repeats([3.0], file_size=4.0)))


def test_an_onset_needs_repeats() -> None:
    rows = [{"file_size": size, "throughput": size, "run_id": str(size)} for size in (1.0, 2.0)]
    with pytest.raises(AnalysisError, match="do not say which repeat they are"):
        onsets(node(rows))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("spread", [0.05, 0.2])
def test_intervals_of_onsets_cover(share: float, spread: float) -> None:
    rng = np.random.default_rng(50260)
    sizes = np.array(SIZES)
    truth = sizes / (0.1 + sizes / 40e6)
    crossed = crossing(sizes, truth, share)
    campaigns = [onset_interval(sizes, truth * rng.normal(1, spread, (10, sizes.size)), share) for _ in range(2000)]
    known = [(low, high) for low, high in campaigns if np.isfinite(low)]
    assert len(known) >= 0.95 * len(campaigns)
    assert np.mean([low <= crossed <= high for low, high in known]) >= 0.93


def test_the_marginal_rate_knows_no_start() -> None:
    # 1 s of start and 10 bytes a second: 100 bytes take 11 s, 600 take 61 s
    found = marginal_rates(curves({100.0: [100 / 11] * 2, 600.0: [600 / 61] * 2}), 100.0, 600.0)
    assert found["marginal_rate"].item() == pytest.approx(10.0)
    assert found["marginal_rate"].attrs["units"] == "B/s"
    assert np.isnan(found["marginal_rate_low"].item()), "no spread, no interval"


def test_the_interval_of_the_marginal_rate_is_that_of_the_times_turned_over() -> None:
    # times 1, 3 and 11, 13: difference 10, error sqrt(2), 2 degrees of freedom, t = 4.302653
    found = marginal_rates(curves({100.0: [100.0, 100 / 3], 600.0: [600 / 11, 600 / 13]}), 100.0, 600.0)
    assert found["marginal_rate"].item() == pytest.approx(50.0)
    assert found["marginal_rate_low"].item() == pytest.approx(500 / (10 + 4.302653 * np.sqrt(2)), rel=1e-6)
    assert found["marginal_rate_high"].item() == pytest.approx(500 / (10 - 4.302653 * np.sqrt(2)), rel=1e-6)
    assert (found["n"].item(), found["n_base"].item()) == (2, 2)


def test_times_that_may_be_equal_give_no_interval() -> None:
    found = marginal_rates(curves({100.0: [100.0, 10.0], 600.0: [60.0, 50.0]}), 100.0, 600.0)
    assert np.isnan(found["marginal_rate_low"].item())


def test_marginal_rates_need_both_sizes_in_order() -> None:
    ds = curves({100.0: [100.0, 10.0], 600.0: [60.0, 50.0]})
    with pytest.raises(AnalysisError, match="the small size 600 is not below the large one 100"):
        marginal_rates(ds, 600.0, 100.0)
    with pytest.raises(AnalysisError, match="no cell has runs of file_size=100 and of file_size=700"):
        marginal_rates(ds, 100.0, 700.0)
