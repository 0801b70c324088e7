"""Test beds as machines, and stages of which only a lower bound is printed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from matplotlib.patches import FancyBboxPatch, Rectangle

from storagelab import claims, figures
from storagelab.claims.record import Record
from storagelab.errors import AnalysisError, SidecarError, StoragelabError
from tests.claims import tiny
from tests.claims.test_evaluation import CAMPAIGNS
from tests.figures.kinds import texts

DRAWINGS = """\
topologies:
  small:
  - {tier: clients, boxes: [{name: host, count: 20, holds: [{name: client VM, count: 3}]}],
     link: server.link, network: Ethernet}
  - {tier: servers, boxes: [{name: server, count: server.count}, {name: spare, count: 1, most: 4}]}
"""


def record(tmp_path: Path, old: str = "", new: str = "", path: str = "") -> Record:
    folder = tiny.write(tmp_path / "tiny")
    bed = tiny.TESTBED.replace("count: server.count}]", f"count: server.count}}{path}]")
    (folder / "testbed.yaml").write_text(bed + DRAWINGS.replace(old, new))
    return claims.evaluate(folder, tiny.logs(), CAMPAIGNS)


def test_machines_are_counted_and_many_are_drawn_as_few(tmp_path: Path) -> None:
    drawn = figures.topology(claims.topology(record(tmp_path), "small"))
    (axes,) = drawn.axes
    boxes = axes.findobj(FancyBboxPatch)
    guests = [patch for patch in axes.findobj(Rectangle) if patch.get_width() < 0.1]
    assert len([box for box in boxes if box.get_height() == pytest.approx(0.52)]) == 7 + 3 + 4
    assert len(guests) == 7 * 3
    assert "…" in texts(drawn)
    assert [text.get_text() for text in drawn.figure.legends[0].get_texts()] == ["client VM"]
    assert "20 × host with 3 × client VM" in drawn.alt
    assert "3 × server and 1 to 4 × spare" in drawn.alt
    assert any("links of 125 MB/s" in text for text in texts(drawn))
    ends = [tuple(line.get_ydata()) for line in axes.lines if line.get_linewidth() < 1]
    assert Counter(ends) == {(-0.72, -0.86): 6 + 1, (-0.86, -1.2): 3 + 4}, "from clients down, and from servers up"
    [network] = [line for line in axes.lines if line.get_linewidth() > 1]
    assert (*network.get_xdata(), *network.get_ydata()) == (0, 1, -0.86, -0.86)
    assert network.get_zorder() < min(box.get_zorder() for box in boxes)
    assert drawn.caption.endswith("Configuration as published, nothing measured.")


def test_a_count_that_changes_shows(tmp_path: Path) -> None:
    before, after = (
        figures.topology(claims.topology(record(tmp_path, "count: server.count", count), "small")).alt
        for count in ("count: server.count", "count: 5")
    )
    assert "3 × server" in before
    assert "5 × server" in after


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoragelabError, match="no drawing 'smal' of the test bed; did you mean 'small'"):
        claims.topology(record(tmp_path), "smal")
    with pytest.raises(StoragelabError, match="cuont"):
        record(tmp_path, "count: server.count", "count: server.cuont")
    with pytest.raises(SidecarError, match=r"testbed.yaml:\d+: topologies.small.1.boxes: needed, but missing"):
        record(tmp_path, "servers, boxes", "servers, boxs")
    with pytest.raises(AnalysisError, match="the dataset has no 'inside'"):
        figures.topology(claims.topology(record(tmp_path), "small").drop_vars("inside"))


MORE = ", {stage: array, each: %s, at_least: true}"


def test_a_lower_bound_never_binds(tmp_path: Path) -> None:
    known = claims.stages(record(tmp_path, path=MORE % "1 GB/s"))
    assert set(known["bottleneck"].values) == {"links"}
    unsure = claims.stages(record(tmp_path, path=MORE % "100 MB/s"))
    assert set(unsure["bottleneck"].values) == {""}, "the array may carry more than the links, or less"
    stated = claims.stages(record(tmp_path, path=", {stage: array, each: 100 MB/s}"))
    assert set(stated["bottleneck"].values) == {"array"}


def test_a_lower_bound_of_one_path_says_nothing_of_another(tmp_path: Path) -> None:
    folder = tiny.write(tmp_path / "tiny")
    unsure = tiny.TESTBED.replace("server.count}]", "server.count}, {stage: array, each: 100 MB/s, at_least: true}]")
    write = "  write: [{stage: links, each: server.link, count: server.count}]\nmodel:"
    (folder / "testbed.yaml").write_text(unsure.replace("model:", write))
    record = claims.evaluate(folder, tiny.logs(), CAMPAIGNS)
    stages = claims.stages(record)
    rows = zip(*(stages[name].values.tolist() for name in ("path", "stage", "bottleneck", "at_least")), strict=True)
    assert set(rows) == {
        ("read", "links", "", False),
        ("read", "array", "", True),
        ("write", "links", "links", False),
    }
    one = claims.stages(record, "write")
    assert list(zip(one["path"].values, one["stage"].values, strict=True)) == [("write", "links")]


def test_a_lower_bound_is_drawn_with_an_arrow(tmp_path: Path) -> None:
    drawn = figures.test_bed(claims.stages(record(tmp_path, path=MORE % "100 MB/s")))
    assert any("↑ more than 100 MB/s" in text for text in texts(drawn))
    assert "which stage binds cannot be said" in drawn.caption
    assert "An arrow: at least so much is printed" in drawn.caption
    plain = figures.test_bed(claims.stages(record(tmp_path)))
    assert "arrow" not in plain.caption
