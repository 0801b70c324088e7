"""Pairs of runs around one."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from storagelab import analysis, figures
from storagelab.errors import AnalysisError
from tests.analysis.comparison.test_pairs import MOUNTS, campaign
from tests.analysis.tables import auto


def drawn() -> figures.Drawn:
    pairs = analysis.pair_ratios(campaign(), *MOUNTS, ["operation", "clients", "filesystem"])
    means = analysis.compare(campaign(), *MOUNTS, ["operation", "clients"], pair=["filesystem", "repeat"])
    return figures.pairs(pairs, means, category="clients", hue="filesystem", facet="operation")


def test_every_pair_is_a_point_and_every_group_has_a_mean() -> None:
    one = drawn()
    axes = one.figure.axes[0]
    points = np.concatenate([np.asarray(group.get_offsets()) for group in axes.collections if len(group.get_offsets())])
    assert np.isin(np.round(points[:, 0], 3), [0.495, 0.5, 0.505]).sum() == 12
    assert axes.get_xlim()[1] > 1
    texts = {text.get_text() for text in one.figure.findobj(Text)}  # type: ignore[attr-defined]
    assert {"ratio fuse / kernel", "1 client", "4 clients", "mean of all, 95 % interval"} <= texts


def test_caption_counts_pairs() -> None:
    one = drawn()
    assert "Ratio of throughput, fuse / kernel, by clients, file system and operation" in one.caption
    assert "n = 3 pairs a row" in one.caption
    assert "n = 6 pairs" in one.caption
    assert "Logs: measured (test-2026)." in one.caption
    assert "Write, 1 client 0.5" in one.alt


def test_a_margin_is_a_band_and_a_thick_bar() -> None:
    pairs = analysis.pair_ratios(campaign(), *MOUNTS, ["clients", "filesystem"])
    keys = {"pair": ["filesystem", "repeat"], "margin": 0.1}
    one = figures.pairs(pairs, analysis.compare(campaign(), *MOUNTS, ["clients"], **keys), category="clients",
                        hue="filesystem")  # fmt: skip
    (axes,) = one.figure.axes
    band = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in band] == [pytest.approx((0.9, 1.1))]
    thick = [lines for lines in axes.collections if isinstance(lines, LineCollection) and lines.get_linewidth() == 3.0]
    assert len(thick) == 2
    assert "Grey: within 10 % of one. Thick: the interval of the test of equivalence, inside" in one.caption
    assert "Grey" not in drawn().caption


def test_pairs_and_means_of_different_things() -> None:
    pairs = analysis.pair_ratios(campaign(), *MOUNTS, ["clients", "filesystem"])
    means = analysis.compare(
        campaign(), "throughput", "mount", "fuse", "kernel", ["clients"], pair=["filesystem", "repeat"]
    )
    with pytest.raises(AnalysisError, match="must compare the same, got fuse / kernel and kernel / fuse"):
        figures.pairs(pairs, means, category="clients", hue="filesystem")


def test_a_strange_cell_does_not_take_the_contrast() -> None:
    strange = auto()
    strange["throughput"][0:2] = 1e3
    clipped, whole = (figures.heatmap(strange, clip=clip).figure.axes[0].collections[0].norm for clip in (0.2, 0.0))
    assert whole.vmin == pytest.approx(1e3)
    assert clipped.vmin is not None
    assert clipped.vmin > 1e8
    assert "20 % of the cells have the colours of the ends" in figures.heatmap(strange, clip=0.2).caption
