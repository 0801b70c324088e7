from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis
from storagelab.analysis.cells import Rows
from storagelab.analysis.validity.level_changes import _holm_over_cells
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

SIZES = [2.0**power for power in range(26, 37)]
MEMORY = 2.0**31.5


def cached(size: float) -> float:
    return 2e9 if size < MEMORY else 0.2e9


def curves(rate: Callable[[float], float], runs: int = 3, **keys: Any) -> xr.Dataset:
    rng = np.random.default_rng(4)
    return node(
        row for size in SIZES for row in repeats(rate(size) * rng.normal(1, 0.05, runs), file_size=size, **keys)
    )


def test_a_cache_ends_at_the_memory() -> None:
    found = analysis.change_points(curves(cached), memory=MEMORY)
    (row,) = frame(found).to_dict("records")
    assert (row["part"], row["changes"], row["n"]) == (1, 1, 3)
    assert row["file_size"] == pytest.approx(MEMORY)
    assert (row["file_size_low"], row["file_size_high"]) == (2.0**31, 2.0**32)
    assert row["step"] == pytest.approx(0.1, rel=0.1)
    assert (row["over_memory"], row["over_memory_low"]) == pytest.approx((1.0, 2**-0.5))
    assert row["p"] == row["p_holm"] == 0.001
    assert row["caveat"] == ""
    assert {name: found[name].attrs["units"] for name in ("file_size", "file_size_low", "step", "over_memory")} == {
        "file_size": "B", "file_size_low": "B", "step": "1", "over_memory": "1",
    }  # fmt: skip


def test_the_step_is_the_ratio_of_geometric_means_by_hand() -> None:
    levels = [8.0, 8.0, 8.0, 8.0, 2.0, 2.0, 2.0, 2.0]
    wiggle = [1.1, 1 / 1.1, 1.2, 1 / 1.2] * 2
    rows = [repeats([a * b, a / b], file_size=2.0**i) for i, (a, b) in enumerate(zip(levels, wiggle, strict=True), 1)]
    found = analysis.change_points(node(row for part in rows for row in part))
    assert found["step"].item() == pytest.approx(2 / 8)
    assert found["file_size"].item() == pytest.approx(2**4.5)


def test_positions_are_in_the_unit_of_the_key() -> None:
    rows = [row for n in range(1, 11) for row in repeats(np.array([1.0, 1.01, 0.99]) * (5 if n < 7 else 9), clients=n)]
    found = analysis.change_points(node(rows), x="clients")
    assert found["clients"].item() == pytest.approx(np.sqrt(6 * 7))
    assert found["clients"].attrs["units"] == "1"
    assert found["step"].item() == pytest.approx(9 / 5)


def test_a_flat_curve_has_one_row_that_says_so() -> None:
    found = frame(analysis.change_points(curves(lambda size: 1e9)))
    assert (found["part"].item(), found["changes"].item()) == (0, 0)
    assert found["p"].item() > 0.05
    assert np.isnan(found["file_size"].item())


def test_cells_are_corrected_for_their_number() -> None:
    rows = xr.concat([curves(cached, filesystem="zfs"), curves(lambda size: 1e9, filesystem="xfs")], "obs")
    found = frame(analysis.change_points(rows, by=["filesystem"])).set_index("filesystem")
    assert found.loc["zfs", "p_holm"] == pytest.approx(2 * found.loc["zfs", "p"])
    assert found.loc["xfs", "p_holm"] == found.loc["xfs", "p"]


def test_unit_and_order_of_rows_do_not_matter() -> None:
    ds = curves(cached)
    other = ds.isel(obs=np.random.default_rng(1).permutation(ds.sizes["obs"]))
    other["throughput"] = (other["throughput"] * 1024).assign_attrs(ds["throughput"].attrs)
    xr.testing.assert_allclose(analysis.change_points(ds), analysis.change_points(other))


def test_one_repeat_of_few_sizes_cannot_show_a_change() -> None:
    few = curves(cached, runs=1).isel(obs=slice(3, 9))
    found = frame(analysis.change_points(few))
    assert found["changes"].item() == 0
    assert found["caveat"].item() == "too few points and repeats for any change to be found at 5 %"


def test_four_levels_are_a_curve_and_three_are_none() -> None:
    four, three = (curves(cached).isel(obs=slice(3 * levels)) for levels in (4, 3))
    assert analysis.change_points(four)["changes"].item() == 0
    with pytest.raises(AnalysisError, match="no cell has throughput of 4 levels of file_size in one repeat"):
        analysis.change_points(three)


def test_one_repeat_of_eight_sizes_could_show_a_change_and_says_what_it_takes_for_granted() -> None:
    flat = curves(lambda size: 1e9, runs=1).isel(obs=slice(8))
    assert analysis.change_points(flat)["caveat"].item() == "one repeat: its sizes are taken for independent"


def test_a_slope_is_cut_until_most_and_says_so() -> None:
    found = frame(analysis.change_points(curves(lambda size: 1e18 / size), most=1))
    assert found["caveat"].item() == "1 changes were looked for: there may be more"


@pytest.mark.parametrize(
    ("message", "change", "arguments"),
    [
        ("a curve runs along numbers, layout is text", {}, {"x": "layout"}),
        ("file_size is named in by and in x", {}, {"by": ["file_size"]}),
        ("at most 0 changes: expected 1 or more", {}, {"most": 0}),
        ("the runs do not say which repeat they are", {"repeat": np.nan}, {}),
        ("file_size is 0 in some run", {"file_size": 0.0}, {}),
        ("no cell has throughput of 4 levels of file_size in one repeat", {"file_size": 1.0, "run_id": "a"}, {}),
    ],
)
def test_what_has_no_change_point(message: str, change: dict[str, Any], arguments: dict[str, Any]) -> None:
    ds = curves(cached, runs=1, layout="a")
    ds = ds.assign_coords({name: (ds[name] if isinstance(v, str) else ds[name] * 0 + v) for name, v in change.items()})
    ds = ds.assign_coords({"file_size": ds["file_size"].assign_attrs(units="B")})
    with pytest.raises(AnalysisError, match=message):
        analysis.change_points(ds, **arguments)


def test_a_chance_is_corrected_for_the_number_of_curves_and_not_of_their_parts() -> None:
    rows = Rows({"part": np.array([1.0, 2.0, 1.0, 2.0, 3.0]), "p": np.array([0.01, 0.01, 0.03, 0.03, 0.03])}, 5)
    assert _holm_over_cells(rows).tolist() == pytest.approx([0.02, 0.02, 0.03, 0.03, 0.03])
