from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from storagelab.analysis import compatibility, summarise
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.comparison.campaigns import LAYOUTS, MANY, MB, SIDES, SINGLE, means, published


def test_one_client_is_compatible_by_hand() -> None:
    # (15.6 - 15.3) / hypot(0.2, 0.1) = 0.3 / 0.2236
    found = compatibility(SINGLE, "throughput", "server_mode", "virtual", "bare-metal").isel(obs=0)
    assert found["z"] == pytest.approx(1.3416, abs=1e-4)
    assert (found["compatible"], found["verdict"]) == (1, "compatible")
    assert found["p"] == pytest.approx(2 * stats.norm.sf(1.34164), rel=1e-4)
    assert found["compared"] == "bare-metal - virtual"
    assert found.attrs["origin"] == "published"


def test_twenty_one_clients_are_not_by_hand() -> None:
    found = compatibility(MANY, *SIDES).isel(obs=0)
    assert found["z"] == pytest.approx(-0.28 / 0.10)
    assert (found["compatible"], found["verdict"]) == (0, "not compatible")
    assert np.isnan(found["freedom"])
    assert found["caveat"] == "n is not given: errors taken as exact"


def test_with_n_it_is_welchs_t() -> None:
    a, b = (8.0, 9.0, 10.5), (10.0, 11.0, 13.0, 12.0)
    found = compatibility(summarise(means(a, b), "throughput", ["layout"]), *LAYOUTS).isel(obs=0)
    test = stats.ttest_ind(a, b, equal_var=False)
    assert found["z"] == pytest.approx(test.statistic)
    assert (found["freedom"], found["p"]) == pytest.approx((test.df, test.pvalue))
    assert (found["n"], found["n_base"]) == (3, 4)


def test_few_runs_are_said_where_z_and_t_disagree() -> None:
    ds = published(("bare-metal", 10.0, 0.1), ("virtual", 10.25, 0.02), n=(3, 3))
    found = compatibility(ds, *SIDES).isel(obs=0)
    assert abs(found["z"]) > 2
    assert found["compatible"] == 0
    assert found["verdict"] == "compatible"
    assert found["caveat"] == "few runs: z differs, p does not"


def test_the_errors_may_have_another_name_and_the_limit_another_value() -> None:
    ds = MANY.assign(throughput_std=MANY["throughput_error"]).drop_vars("throughput_error")
    found = compatibility(ds, *SIDES, error="throughput_std", limit=3.0)
    assert found["compatible"].item() == 1
    assert found.attrs["limit"] == "3"


def test_many_are_corrected_together() -> None:
    ds = published(
        ("bare-metal", 12.55, 0.06), ("virtual", 12.27, 0.08), ("bare-metal", 15.6, 0.2), ("virtual", 15.3, 0.1)
    )
    found = frame(compatibility(ds.assign_coords(clients=("obs", [21.0, 21.0, 1.0, 1.0])), *SIDES, ["clients"]))
    assert found["p_holm"].min() == pytest.approx(2 * found["p"].min())


NO_ERROR = "need a standard error: throughput_error, or throughput_std with n"
IN_MB = MANY.assign(throughput_error=MANY["throughput_error"].assign_attrs(units="MB/s"))


@pytest.mark.parametrize(
    ("ds", "message"),
    [
        (MANY.drop_vars("throughput_error"), NO_ERROR),
        (MANY.isel(obs=[0, 0, 1]), "several values of a side"),
        (MANY.isel(obs=[0]), "no cell has throughput of both"),
        (IN_MB, "throughput_error is in 'MB/s'"),
    ],
)
def test_what_cannot_be_asked(ds: xr.Dataset, message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        compatibility(ds, *SIDES)


def test_no_error_gives_no_answer() -> None:
    ds = published(("bare-metal", 10.0, np.nan), ("virtual", 10.0, 0.1))
    found = compatibility(ds, *SIDES).isel(obs=0)
    assert (found["verdict"], found["caveat"]) == ("undecided", "no error is given")
    assert np.isnan([found["z"], found["compatible"]]).all()


def test_units() -> None:
    found = compatibility(MANY, *SIDES)
    assert MB == 1e6
    for name in ("z", "compatible", "n", "n_base", "freedom", "p", "p_holm"):
        assert found[name].attrs["units"] == "1"
