"""The diagram of a test bed: every stage is named with what it carries, and the one that binds stands out."""

from __future__ import annotations

import pandas as pd
import pytest
import xarray as xr
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from storagelab import analysis, figures
from storagelab.analysis import table
from storagelab.errors import AnalysisError
from storagelab.figures.figure_result import Drawn
from storagelab.figures.palette import VERMILLION
from tests.figures.kinds import texts

STAGES = pd.DataFrame({
    "path": ["upload", "upload", "read"],
    "stage": ["link of the client", "drives", "drives"],
    "made_of": ["1 × 1 Gbit/s", "12 × 50 MB/s", "12 × 50 MB/s"],
    "capacity": [125e6, 600e6, 600e6],
    "link_bytes": [1.0, 1.2, 1.0],
})  # fmt: skip


def bed() -> Drawn:
    like = xr.Dataset(attrs={"origin": "published", "study": "test"})
    bound = analysis.bottlenecks(table.dataset(STAGES, like, ["path", "stage", "made_of"]), ["path"])
    made = STAGES.set_index(["path", "stage"])["made_of"]
    keys = zip(bound["path"].values, bound["stage"].values, strict=True)
    return figures.test_bed(bound.assign_coords(made_of=("obs", [made[key] for key in keys])))


def test_a_path_is_a_panel_and_a_stage_a_box() -> None:
    drawn = bed()
    assert [axes.get_title(loc="left") for axes in drawn.axes] == ["Read", "Upload"]
    assert [len(axes.findobj(FancyBboxPatch)) for axes in drawn.axes] == [1, 2]
    assert "12 × 50 MB/s\ncrossed 1.2 times\n= 500 MB/s" in texts(drawn)


def test_what_binds_has_another_frame_and_stands_in_the_caption() -> None:
    drawn = bed()
    frames = [to_hex(box.get_edgecolor()) for box in drawn.axes[1].findobj(FancyBboxPatch)]
    assert frames.count(VERMILLION.lower()) == 1
    assert "Upload: link of the client (125 MB/s)." in drawn.caption
    assert drawn.caption.endswith("Configuration as published, nothing measured.")
    assert drawn.alt.startswith("A diagram of the test bed.")


def test_a_column_is_missing() -> None:
    with pytest.raises(AnalysisError, match="the dataset has no 'made_of'"):
        figures.test_bed(bed().data.drop_vars("made_of"))
