"""The figure of a failure: what it shows, and the words around it."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from matplotlib.patches import StepPatch

from storagelab import figures
from storagelab.errors import AnalysisError
from tests.analysis.series.test_failover import events, node, series

RATES = [10.0] * 10 + [0.0] * 10 + [5.0] * 10


def payload(*levels: tuple[str, str]) -> xr.Dataset:
    rows = [series(RATES, client, run_id=run, layout=layout) for run, layout in levels for client in ("c1", "c2")]
    return node(row for part in rows for row in part)


def network() -> xr.Dataset:
    return node(series([3 * rate for rate in RATES], "c1", "transmit", interface="eth0"))


def said() -> xr.Dataset:
    return events({"event": "request_failed", "severity": "error", "time": 10.5})


def test_a_panel_a_client_and_a_column_a_level() -> None:
    drawn = figures.failover(payload(("r1", "replicate")), said(), network=network())
    upper, lower = drawn.figure.axes
    assert (upper.get_title(loc="left"), upper.get_ylabel(), lower.get_ylabel()) == (
        "replicate",
        "c1\n(MB/s)",
        "c2\n(MB/s)",
    )
    assert [text.get_text() for text in upper.texts] == ["killed", "back"]
    (ticks,) = [line for line in upper.lines if line.get_marker() == "|"]
    assert np.asarray(ticks.get_xdata()).tolist() == [0.5]
    assert upper.get_ylim() == lower.get_ylim()


def test_what_a_client_wrote_is_an_area_with_a_line_and_what_its_link_carried_a_line() -> None:
    drawn = figures.failover(payload(("r1", "replicate")), said(), network=network())
    fills = [[curve.get_fill() for curve in axes.patches if isinstance(curve, StepPatch)] for axes in drawn.figure.axes]
    assert fills == [[True, False, False], [True, False]]


def test_its_data_are_means_since_the_failure() -> None:
    data = figures.failover(payload(("r1", "replicate")), said(), network=network()).data
    row = data.isel(obs=int(np.flatnonzero((data["client"] == "c1") & (data["time"] == 11.0))[0]))
    assert (row["throughput"].item(), row["network_throughput"].item()) == (5e6, 15e6)
    assert data["time"].attrs["units"] == "s"
    assert np.isnan(data["network_throughput"].values[data["client"].values == "c2"]).all()


def test_each_mean_says_the_line_of_its_last_sample() -> None:
    samples = payload(("r1", "replicate"))
    size = samples.sizes["obs"]
    numbered = samples.assign(line=("obs", np.arange(1.0, size + 1)), log_id=("obs", np.full(size, 7.0)))
    data = figures.failover(numbered, said()).data
    first = numbered.isel(obs=np.flatnonzero(numbered["client"] == "c1"))
    own = data.isel(obs=np.flatnonzero(data["client"] == "c1"))
    since_the_failure = np.round(first["time"].values - 10, 6)
    ends = dict(zip(since_the_failure, first["line"].values, strict=True))
    assert {*own["log_id"].values} == {7.0}
    assert [ends[end] for end in np.round(own["time"].values, 6)] == own["line"].values.tolist()


def test_words_are_built_from_the_data() -> None:
    drawn = figures.failover(payload(("r1", "replicate")), said(), network=network())
    assert "one run for each volume layout (columns; runs r1; n = 1 run a column)" in drawn.caption
    assert "from a monitor" in drawn.caption
    assert "Logs: measured (test-2026)." in drawn.caption
    wanted = "Replicate, away for 10 s: c1 writes 10 MB/s before, 0 B/s while the server is away and 5 MB/s after"
    assert wanted in drawn.alt
    assert "from a monitor" not in figures.failover(payload(("r1", "replicate")), said()).caption


def test_the_same_bytes_every_time() -> None:
    one, two = (figures.failover(payload(("r1", "replicate")), said()).render("svg") for _ in range(2))
    assert one == two


def test_a_column_is_one_run() -> None:
    with pytest.raises(AnalysisError, match="replicate has 2 runs: select one for a column"):
        figures.failover(payload(("r1", "replicate"), ("r2", "replicate")), said())
