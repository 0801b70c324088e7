from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from storagelab import analysis
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

BY = ["layout"]


def flags(values: Sequence[float], **more: float) -> list[float]:
    found = frame(analysis.outliers(node(repeats(values, layout="a")), "throughput", BY, **more))
    return [float(x) for x in found.sort_values("repeat")["outlier"]]


def test_over_the_median_of_the_others_by_hand() -> None:
    found = analysis.outliers(node(repeats([10.0, 12.0, 36.0, 12.0], layout="a")), "throughput", BY)
    # the others of 10 are 12, 36, 12: median 12; of 36 they are 10, 12, 12
    assert found["over_others"].values.tolist() == pytest.approx([10 / 12, 1.0, 3.0, 1.0])
    assert found["outlier"].values.tolist() == [0, 0, 1, 0]
    assert found["throughput"].values.tolist() == [10.0, 12.0, 36.0, 12.0], "shown, not dropped"
    assert found.attrs["outliers"] == "1"
    units = {name: found[name].attrs["units"] for name in ("throughput", "over_others", "modified_z", "outlier", "n")}
    assert units == {"throughput": "B/s", "over_others": "1", "modified_z": "1", "outlier": "1", "n": "1"}


@pytest.mark.parametrize("judge", [analysis.outliers, analysis.factor_suspects])
def test_a_cell_is_judged_alone_whatever_the_sizes_of_others(judge: Callable[..., xr.Dataset]) -> None:
    cells = {"a": [10.0, 12.0, 36.0], "b": [1.0, 1.1, 1.2, 1.3, 9.0, 1.05], "c": [2.0, 2.1, 16.5], "d": [3.0]}
    rows = {layout: repeats(values, layout=layout) for layout, values in cells.items()}
    names = ["over_others", *({"modified_z", "suspect"} & {*judge(node(rows["a"]), "throughput", BY).data_vars})]
    whole = frame(judge(node([row for of_cell in rows.values() for row in of_cell]), "throughput", BY))
    for layout in "abc":
        alone = frame(judge(node(rows[layout]), "throughput", BY))
        pd.testing.assert_frame_equal(whole.loc[whole["layout"] == layout, names].reset_index(drop=True), alone[names])


@pytest.mark.parametrize("judge", [analysis.outliers, analysis.factor_suspects])
def test_each_run_of_a_block_is_judged(judge: Callable[..., xr.Dataset]) -> None:
    rows = repeats([10.0, 10.1, 10.2, 9.9, 10.0, 10.0 * 1024], layout="a")
    found = judge(node([{**row, "block": float(at // 3)} for at, row in enumerate(rows)]), "throughput", BY)
    assert found["run_id"].values.tolist() == [row["run_id"] for row in rows]
    assert found["over_others"].values.tolist() == pytest.approx([1, 1, 1, 1, 1, 1024], rel=0.05)


@pytest.mark.parametrize("slow", [10.0, 0.1])
def test_of_three_runs_only_the_one_apart_is_marked(slow: float) -> None:
    assert flags([1.0, 1.02, slow]) == [0, 0, 1]
    assert flags([1.0, 2.5, 6.0]) == [0, 0, 0], "three that all differ: none is apart"
    assert flags([1.0, 1.02, 1.4]) == [0, 0, 0]
    assert flags([1.0, 1.02, 1.4], factor=1.3) == [0, 0, 1]


def test_two_runs_do_not_say_which_is_off() -> None:
    found = frame(analysis.outliers(node(repeats([1.0, 10.0], layout="a")), "throughput", BY))
    assert np.isnan(found["outlier"]).all()
    assert found["caveat"].unique() == ["2 runs: which of them is off is not known"]
    with pytest.raises(AnalysisError, match="no cell of layout has two runs of throughput"):
        analysis.outliers(node(repeats([1.0], layout="a")), "throughput", BY)


def test_from_five_runs_on_a_test_finds_them() -> None:
    steady = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.03, 0.97, 1.01]
    assert flags([*steady, 1.3]) == [0.0] * 9 + [1.0], "less than a factor of 2, but far out for these runs"
    assert flags([*steady, 1.04]) == [0.0] * 10
    found = frame(analysis.outliers(node(repeats([*steady, 1.3], layout="a")), "throughput", BY))
    assert found["caveat"].unique() == [""]


def test_cells_are_counted_and_not_their_runs() -> None:
    apart = [1.0, 1.02, 0.97, 1.04, 0.2]
    steady = [repeats([1.0, 1.01, 0.99, 1.02, 0.98], layout=f"{cell:02}") for cell in range(11)]
    runs = [*repeats(apart, layout="z"), *(run for cell in steady for run in cell)]
    found = frame(analysis.outliers(node(runs), "throughput", BY))
    assert found.loc[found["outlier"] == 1, "throughput"].tolist() == [0.2]
    assert found["p_holm"].min() == pytest.approx(12 * found["p"].min()), "of 60 runs, in 12 cells"


def test_equal_runs_have_no_test() -> None:
    found = frame(analysis.outliers(node(repeats([1.0, 1.0, 1.0, 1.0, 9.0], layout="a")), "throughput", BY))
    assert found["outlier"].tolist() == [0, 0, 0, 0, 1]
    assert found["caveat"].unique() == ["half of the runs are equal: a rule of a factor of 2, no test"]


def test_a_factor_is_above_one() -> None:
    with pytest.raises(AnalysisError, match="beyond a factor above 1, not 1"):
        flags([1.0, 2.0, 3.0], factor=1.0)


@given(st.floats(1e-6, 1e12), st.permutations(range(6)))
def test_unit_and_order_do_not_matter(unit: float, order: list[int]) -> None:
    values = np.array([1.0, 1.1, 0.9, 1.05, 0.97, 30.0])
    assert flags((values * unit)[order].tolist()) == [float(place == 5) for place in order]


def test_cells_with_another_number_of_runs() -> None:
    rows = [*repeats([1.0] * 3, layout="a"), *repeats([1.0] * 3, layout="b"), *repeats([1.0] * 2, layout="c")]
    found = analysis.unequal_repeats(node(rows), "throughput", BY)
    assert found["n"].values.tolist() == [3, 3, 2]
    assert found["n_usual"].values.tolist() == [3, 3, 3]
    assert found["unequal"].values.tolist() == [0, 0, 1]
    assert [found[name].attrs["units"] for name in ("n", "n_usual", "unequal")] == ["1"] * 3
    assert found.attrs["unit"] == "run"
