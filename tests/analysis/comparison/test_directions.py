from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.analysis import both_directions, compare, compare_given, factorial_effects, times_slower
from storagelab.errors import AnalysisError
from tests.analysis.comparison.campaigns import DRIVERS, LAYOUTS, SIDES, drivers, means, published
from tests.analysis.tables import node, repeats


def test_three_and_a_half_times_slower() -> None:
    # 250 / 70 = 3.571; 1 - 70 / 250 = 0.72; 250 / 70 - 1 = 2.571
    found = both_directions(compare_given(published(("bare-metal", 250, 5), ("virtual", 70, 1)), *SIDES)).isel(obs=0)
    assert (found["larger"], found["smaller"]) == ("bare-metal", "virtual")
    assert (found["times"], found["below"], found["above"]) == pytest.approx((3.5714, 0.72, 2.5714), abs=1e-4)
    assert found["ratio"] == pytest.approx(0.28)
    assert found["times_low"] == pytest.approx(1 / found["ratio_high"])
    assert found["below_high"] == pytest.approx(1 - found["ratio_low"])
    assert found["above_high"] == pytest.approx(1 / found["ratio_low"] - 1)


def test_a_trail_of_fourteen_or_of_seventeen_per_cent() -> None:
    ds = published(("gpfs", 2668, 10), ("lustre", 2286, 10), key="filesystem")
    found = both_directions(compare_given(ds, "throughput", "filesystem", "lustre", "gpfs"))
    assert (found["below"].item(), found["above"].item()) == pytest.approx((0.1432, 0.1671), abs=5e-5)
    said = times_slower(found)
    assert said.startswith("lustre is 1.17 (1.1")
    assert said.endswith(") times slower than gpfs: 14.3 % below, or gpfs 16.7 % above")


def test_of_times_the_slower_takes_so_many_times_as_long() -> None:
    rows = [*repeats((10.0, 10.1, 9.9), "elapsed", mount="fuse"), *repeats((5.0, 5.1, 4.9), "elapsed", mount="kernel")]
    said = times_slower(both_directions(compare(node(rows), "elapsed", "mount", "kernel", "fuse")))
    assert said.startswith("fuse takes 2 (1.9")
    assert said.endswith(" times as long as kernel, which lies 50 % below, or fuse 100 % above")


def test_a_direction_that_is_not_shown_is_not_said() -> None:
    found = both_directions(compare(means((90.0, 100.0, 113.0), (99.0, 101.0, 102.0)), *LAYOUTS))
    assert found["times_low"].item() < 1 < found["times_high"].item()
    assert "is not shown to differ from" in times_slower(found)


def test_one_run_has_a_ratio_without_interval() -> None:
    found = both_directions(compare(means((50.0,), (100.0,)), *LAYOUTS))
    assert times_slower(found) == "replicate is 2 times slower than distribute: 50 % below, or distribute 100 % above"


def test_what_cannot_be_said() -> None:
    sizes = node(
        [*repeats((1.0, 2.0), "data_size", layout="replicate"), *repeats((2.0, 3.0), "data_size", layout="distribute")]
    )
    found = both_directions(compare(sizes, "data_size", "layout", "distribute", "replicate"))
    with pytest.raises(AnalysisError, match="whether a high or a low data_size is best is not known"):
        times_slower(found)
    with pytest.raises(AnalysisError, match="2 rows: name the keys"):
        times_slower(found.isel(obs=[0, 0]))
    with pytest.raises(AnalysisError, match="does not name two sides"):
        both_directions(factorial_effects(drivers(), "throughput", DRIVERS))


@settings(max_examples=25, deadline=None)
@given(st.floats(0.1, 10).filter(lambda r: abs(r - 1) > 0.01))
def test_exchanging_the_sides_changes_nothing(ratio: float) -> None:
    ds = published(("bare-metal", ratio, 0.01), ("virtual", 1.0, 0.01))
    one, two = (both_directions(compare_given(ds, *SIDES[:2], *sides)) for sides in (SIDES[2:], SIDES[:1:-1]))
    for name in ("times", "below", "above"):
        assert one[name].item() == pytest.approx(two[name].item())
        assert one[name].attrs["units"] == "1"
        assert one[f"{name}_low"].attrs["units"] == "1"
    assert one["larger"].item() == two["larger"].item()
