"""Cells of rows, against what the same cells give one by one."""

from __future__ import annotations

import numpy as np
import pytest

from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.averages import averaged
from storagelab.analysis.inference.correction import holm
from storagelab.analysis.inference.interval_guarantees import Average
from storagelab.analysis.inference.intervals import spreadless
from storagelab.analysis.key_codes import Coded, joined_codes
from storagelab.analysis.repeats.summary import BELOW_ZERO, described, summarise
from tests.analysis.tables import node, repeats

LAYOUTS = np.array(["b", "a", "b", "a", "b", "c"], dtype=object)
VALUES = np.array([1.0, 2.0, 4.0, 2.0, 7.0, 5.0])
REPEATS = np.array([1.0, 1.0, 2.0, np.nan, 1.0, 2.0])


def rows() -> Rows:
    return Rows({"layout": LAYOUTS, "value": VALUES, "repeat": REPEATS}, 6)


def test_values_at_levels_of_another_key() -> None:
    found = list(rows().cells(["layout"]).at_levels("value", "repeat", (2.0, 1.0)))
    assert [cell["layout"] for cell, _ in found] == ["a", "b", "c"]
    assert [[side.tolist() for side in sides] for _, sides in found] == [[[], [2.0]], [[4.0], [1.0, 7.0]], [[5.0], []]]


def test_rows_below_each_other_lack_what_a_part_lacks() -> None:
    both = Rows.stacked([rows(), Rows({"layout": np.array(["d"], dtype=object)}, 1)])
    assert both["layout"].tolist() == [*LAYOUTS, "d"]
    assert np.isnan(both["value"][-1])
    assert len(both) == 7


def test_what_is_laid_out_is_averaged_or_missing() -> None:
    laid = rows().take(~np.isnan(REPEATS)).grid("value", "layout", "repeat")[2]
    np.testing.assert_array_equal(laid, [[2.0, np.nan], [4.0, 4.0], [np.nan, 5.0]])


def test_the_places_of_a_cell_are_those_of_its_rows_as_they_came() -> None:
    found = [(cell["layout"], places.tolist()) for cell, places in rows().cells(["layout"]).places()]
    assert found == [("a", [1, 3]), ("b", [0, 2, 4]), ("c", [5])]


def test_no_rows_have_no_cells() -> None:
    assert list(rows().take(slice(0, 0)).cells(["layout"]).places()) == []


def test_cells_of_one_size_are_taken_together() -> None:
    cells = rows().cells(["layout"])
    together = [cells.rows["value"][places].tolist() for places in cells.of_one_size()]
    assert together == [[[5.0]], [[2.0, 2.0]], [[1.0, 4.0, 7.0]]]


def test_medians_are_those_of_each_cell() -> None:
    cells = rows().assign(value=VALUES**2).cells(["layout"])
    assert cells.median_of(cells.rows["value"]).tolist() == [np.median(values) for values in cells.slices("value")]


def test_an_estimator_of_each_cell_goes_back_to_its_rows() -> None:
    found = rows().cells(["layout"]).transformed("value", lambda values: values - values.min())
    assert found.tolist() == [0.0, 0.0, 3.0, 0.0, 6.0, 0.0]
    assert rows().cells([]).transformed("value", holm).tolist() == holm(VALUES).tolist()


def test_spread_of_each_cell() -> None:
    cells = rows().cells(["layout"])
    for std, even, values in zip(
        cells.std("value"), cells.spreadless(cells.rows["value"]), cells.slices("value"), strict=True
    ):
        assert even == spreadless(values)
        assert np.isnan(std) if values.size < 2 else std == pytest.approx(values.std(ddof=1))


def test_rows_that_are_not_there_have_no_columns_to_look_up() -> None:
    nobody = rows().take(np.zeros(6, dtype=bool))
    found = rows().looked_up(nobody.renamed(value="other", layout="word"), ["repeat"], ["other", "word"])
    assert np.isnan(found["other"]).all()
    assert found["word"].tolist() == [""] * 6


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "harmonic"])
def test_all_cells_at_once_are_what_each_is_alone(average: Average) -> None:
    rng = np.random.default_rng(1)
    values = {"a": rng.lognormal(18, 0.1, 4), "b": np.array([3e8, 3e8]), "c": np.array([1e8]), "d": [1e6, 9e8, 8e8]}
    ds = node([row for key, column in values.items() for row in repeats(column, layout=key)])
    found = summarise(ds, "throughput", ["layout"], average=average)
    for place, column in enumerate(values.values()):
        alone = described(np.asarray(column), "throughput", average)
        below = BELOW_ZERO if alone["throughput_low"] < 0 else ""
        caveats = [caveat for caveat in (averaged(column, average).caveat, below) if caveat]
        assert [caveat for caveat in caveats if caveat not in found["caveat"].to_numpy()[place]] == []
        assert (BELOW_ZERO in found["caveat"].to_numpy()[place]) == bool(below)
        for name in set(alone) - {"caveat"}:
            assert found[name].to_numpy()[place] == pytest.approx(alone[name], rel=1e-11, nan_ok=True), name


def test_the_harmonic_mean_of_rates_that_are_zero_or_below() -> None:
    rows = Rows.of_cells([{"layout": name, "throughput": rate} for name, rate in CASES])
    assert rows.cells(["layout"]).harmonic_mean("throughput").tolist() == [3.0, 0.0, 1.0]


CASES = [("above", 2.0), ("above", 6.0), ("at", 0.0), ("at", 5.0), ("below", -2.0), ("below", 4.0)]


def test_more_combinations_than_an_integer_can_number() -> None:
    """Each key says that it has 2^31 levels: three of them are numbered anew on the way."""
    levels = np.broadcast_to(0.0, 2**31)
    keys = [Coded(levels, np.array(codes)) for codes in ([0, 2**30, 0, 2**30], [5, 5, 5, 7], [1, 1, 0, 2**31 - 1])]
    joint = joined_codes(keys, 4)
    assert np.argsort(joint).tolist() == [2, 0, 1, 3]
    assert len(np.unique(joint)) == 4
