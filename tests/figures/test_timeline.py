from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import Rectangle

from storagelab import figures
from storagelab.errors import AnalysisError
from storagelab.figures.timeline import running
from tests.analysis.tables import node


def clients(*spans: tuple[float, float], **keys: Any) -> xr.Dataset:
    """Clients that move 12 MB each between the given seconds."""
    common = {"run_id": "a", "operation": "read", "layout": "distribute", "repeat": 1, **keys}
    return node(
        [
            {**common, "client": f"cli{i}", "start_time": start, "end_time": end, "throughput": 12e6 / (end - start)}
            for i, (start, end) in enumerate(spans, 1)
        ]
    )


def test_a_run_on_one_axis() -> None:
    drawn = figures.timeline(clients((100.0, 106.0), (100.5, 102.5)), limit=7e6)
    bars, total = drawn.figure.axes
    assert [label.get_text() for label in bars.get_yticklabels()] == ["cli2", "cli1"], "in the order of their ends"
    assert total.get_xlabel() == "time since the first client started (s)"
    first = bars.patches[0]
    assert isinstance(first, Rectangle)
    assert first.get_x() == 0.5, "seconds since the first start"
    assert "2 clients of one run (a, read; n = 1 run)" in drawn.caption
    assert "Dashed: what the links can carry." in drawn.caption
    assert "reaches 8 MB/s" in drawn.alt
    assert drawn.render("svg") == figures.timeline(clients((100.0, 106.0), (100.5, 102.5)), limit=7e6).render("svg")


def test_no_limit_draws_none() -> None:
    assert "Dashed" not in figures.timeline(clients((0.0, 1.0), (0.0, 2.0))).caption


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(1, 9)), min_size=1, max_size=8))
def test_the_area_under_the_sum_is_what_all_moved(spans: list[tuple[int, int, int]]) -> None:
    rows = pd.DataFrame(spans, columns=["start", "length", "rate"], dtype=float)
    times, sums = running(rows["start"], rows["start"] + rows["length"], rows["rate"])
    assert (sums[:-1] * np.diff(times)).sum() == pytest.approx((rows["length"] * rows["rate"]).sum())
    assert sums[-1] == 0


@pytest.mark.parametrize(
    ("ds", "message"),
    [
        (xr.concat([clients((0, 1)), clients((0, 2), run_id="b")], "obs"), "a timeline shows one run, got 2"),
        (xr.concat([clients((0, 1)), clients((0, 2))], "obs"), "client cli1 stands twice in the run"),
        (clients((0, 1), (0, np.nan)), "a timeline needs the start and the end of each client"),
    ],
)
def test_what_is_no_run_is_refused(ds: xr.Dataset, message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        figures.timeline(ds)
