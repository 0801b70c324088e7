from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab.analysis import over_straight_line, pooled_ratios
from storagelab.errors import AnalysisError
from tests.analysis.tables import node, repeats

SIZES = [0.0, 25.0, 100.0, 400.0]
THREE = {0.0: [1.0], 100.0: [1.0], 400.0: [2.0]}


def times(of_size: dict[float, list[float]], **keys: Any) -> list[dict[str, Any]]:
    """One run a repeat and size, with the given times."""
    rows = []
    for size, values in of_size.items():
        runs = repeats(values, layout="single", file_size=size, **keys)
        rows += [{**row, "elapsed": row["throughput"]} for row in runs]
    return rows


def straight(bend: float, noise: float = 0.0, repeat: int = 8) -> xr.Dataset:
    """Times of a fixed price that each repeat has of its own, and of 100 B/s, bent between the ends."""
    rng = np.random.default_rng(5)
    price = rng.uniform(0.1, 0.5, repeat)
    bends = {size: bend if 0 < size < 400 else 1.0 for size in SIZES}
    scatter = {size: np.exp(rng.normal(0, noise, repeat)) for size in SIZES}
    return node(times({size: list((price + size / 100) * bends[size] * scatter[size]) for size in SIZES}))


def test_the_line_is_that_of_each_repeat_by_hand() -> None:
    # repeat 1: line from 1 to 5 s, a quarter of the way is 2 s, measured 3 s; repeat 2: from 2 to 6, 3 s, measured 3 s
    found = over_straight_line(node(times({0.0: [1.0, 2.0], 100.0: [3.0, 3.0], 400.0: [5.0, 6.0]})), by=["layout"])
    assert found["ratio"].values.tolist() == [1.5, 1.0]
    assert found["file_size"].values.tolist() == [100.0, 100.0]
    assert found["repeat"].values.tolist() == [1, 2]
    assert found["compared"].values.tolist() == ["time / straight line"] * 2


def test_a_fixed_price_and_a_fixed_rate_give_one_whatever_the_price() -> None:
    found = over_straight_line(straight(1.0))
    assert found["ratio"].values == pytest.approx(1.0)
    assert sorted(set(found["file_size"].values)) == [25.0, 100.0]


@pytest.mark.parametrize(("bend", "verdict"), [(1.3, "higher"), (0.7, "lower"), (1.0, "undecided")])
def test_a_bend_is_told_from_noise(bend: float, verdict: str) -> None:
    over = over_straight_line(straight(bend, 0.03), by=["layout"])
    found = pooled_ratios(over, ["layout", "file_size"], blocks=["repeat"])
    assert found["verdict"].values.tolist() == [verdict] * 2
    assert found["n"].values.tolist() == [8, 8]
    assert found["ratio"].values == pytest.approx(bend, rel=0.05)


@pytest.mark.parametrize(
    ("rows", "keys", "says"),
    [
        (times({0.0: [1.0], 400.0: [2.0]}), {}, "no cell has three sizes"),
        (times({0.0: [1.0], 100.0: [0.0], 400.0: [2.0]}), {}, "elapsed"),
        (times(THREE) + [{**row, "run_id": "again"} for row in times(THREE)], {}, "several runs of one file_size"),
        (times({0.0: [1.0]}), {"x": "clients"}, "needs a size in bytes, clients is none"),
        ([{**row, "repeat": np.nan} for row in times(THREE)], {}, "do not say which repeat"),
    ],
)
def test_what_is_no_line_is_refused(rows: list[dict[str, Any]], keys: dict[str, str], says: str) -> None:
    with pytest.raises(AnalysisError, match=says):
        over_straight_line(node(rows), **keys)
