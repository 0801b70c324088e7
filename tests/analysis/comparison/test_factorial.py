from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.analysis import factorial_effects
from storagelab.dataset import frame, select
from storagelab.errors import AnalysisError
from tests.analysis.comparison.campaigns import DRIVERS, drivers

NET, DISK, BOTH = "driver_net", "driver_disk", "driver_net x driver_disk"


def test_effects_by_hand() -> None:
    found = frame(factorial_effects(drivers(3.0, 1.1, 1.2), "throughput", DRIVERS)).set_index("effect")
    assert found["ratio"].to_dict() == pytest.approx({NET: 3.0, DISK: 1.1, BOTH: 1.2})
    assert found.loc[NET, "compared"] == "virtio / emulated"
    assert found.loc[BOTH, "compared"] == "(virtio / emulated at virtio) / (virtio / emulated at ide)"
    assert (found["n"] == 6).all()
    assert (found["n_base"] == 6).all()


@pytest.mark.parametrize("blocks", ["", "repeat"])
def test_intervals_are_those_of_the_formula_in_statsmodels(blocks: str) -> None:
    from statsmodels.regression.linear_model import OLS

    rng = np.random.default_rng(5)
    ds = drivers(3.0, 1.1, 1.2)
    ds["throughput"] = ds["throughput"] * np.exp(rng.normal(0, 0.05, ds.sizes["obs"]))
    ds = ds.isel(obs=slice(1, None))
    rows = frame(ds).assign(log=lambda one: np.log(one["throughput"]))
    rows["a"] = np.where(rows[NET] == "virtio", 0.5, -0.5)
    rows["b"] = np.where(rows[DISK] == "virtio", 0.5, -0.5)
    fit = OLS.from_formula("log ~ a * b" + (" + C(repeat)" if blocks else ""), rows).fit()
    found = frame(factorial_effects(ds, "throughput", DRIVERS, blocks=blocks)).set_index("effect")
    for name, term in ((NET, "a"), (DISK, "b"), (BOTH, "a:b")):
        assert np.log(found.loc[name, "ratio"]) == pytest.approx(fit.params[term])
        ends = np.log(found.loc[name, ["ratio_low_unadjusted", "ratio_high_unadjusted"]].astype(float)).tolist()
        assert ends == pytest.approx(fit.conf_int().loc[term].tolist())
        assert found.loc[name, "p"] == pytest.approx(fit.pvalues[term])


def test_the_network_driver_is_crucial_and_the_disk_driver_makes_little_difference() -> None:
    found = frame(factorial_effects(drivers(3.0, 1.01), "throughput", DRIVERS, margin=0.1)).set_index("effect")
    assert found.loc[NET, "verdict"] == "higher"
    assert found.loc[DISK, "verdict"] == "equivalent"
    assert (found["p_adjusted"] >= found["p"]).all()


def test_one_run_of_each_combination_has_ratios_and_no_interval() -> None:
    found = frame(factorial_effects(drivers(runs=(1.0,)), "throughput", DRIVERS))
    assert found["ratio"].tolist() == pytest.approx([3.0, 1.1, 1.0])
    assert found["ratio_low"].isna().all()
    assert (found["caveat"] == "one run of each combination, or no spread: no interval").all()
    assert (found["verdict"] == "undecided").all()


def test_what_cannot_be_asked() -> None:
    ds = drivers()
    empty = ds.isel(obs=~((ds[NET] == "virtio") & (ds[DISK] == "ide")).to_numpy())
    with pytest.raises(AnalysisError, match="no run has driver_net=virtio, driver_disk=ide: effects need all four"):
        factorial_effects(empty, "throughput", DRIVERS)
    with pytest.raises(AnalysisError, match="effects are of two factors, got driver_net"):
        factorial_effects(ds, "throughput", {NET: DRIVERS[NET]})
    one_round = ds.assign_coords(repeat=("obs", np.repeat(np.arange(4.0), 3)))
    with pytest.raises(AnalysisError, match="leaves the effects of the factors untold"):
        factorial_effects(one_round, "throughput", DRIVERS, blocks="repeat")


def test_cells_and_units() -> None:
    ds = drivers().assign_coords(operation=("obs", ["read"] * 12))
    found = factorial_effects(ds, "throughput", DRIVERS, ["operation"], margin=0.1)
    assert set(found["operation"].to_numpy()) == {"read"}
    for name in (
        "ratio",
        "ratio_low",
        "ratio_high",
        "ratio_low_equivalence",
        "n",
        "n_base",
        "p",
        "p_adjusted",
        "p_equivalent",
    ):
        assert found[name].attrs["units"] == "1"
    assert select(found, effect=NET)["ratio"].item() == pytest.approx(3)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([2.0**-10, 1024.0]), st.permutations(range(12)))
def test_neither_units_nor_the_order_of_rows_matter(factor: float, order: list[int]) -> None:
    ds = drivers(2.0, 1.3, 0.9)
    other = ds.isel(obs=order).copy()
    other["throughput"] = (other["throughput"] * factor).assign_attrs(units="B/s")
    one, two = (frame(factorial_effects(each, "throughput", DRIVERS)) for each in (ds, other))
    assert np.allclose(one.select_dtypes("number"), two.select_dtypes("number"), equal_nan=True)


def test_within_blocks_n_counts_blocks() -> None:
    ds = drivers(3.0, 1.1)
    repeats = float(np.unique(ds["repeat"]).size)
    by_runs, by_blocks = (frame(factorial_effects(ds, "throughput", DRIVERS, blocks=one)) for one in ("", "repeat"))
    assert set(by_runs["n"]) == {2 * repeats}
    assert {*by_blocks["n"], *by_blocks["n_base"]} == {repeats}
