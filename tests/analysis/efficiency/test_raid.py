from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from storagelab.analysis import raid_capacity, raid_layouts
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node

TB = 1e12


def sets(layout: str, *kinds: tuple[float, float, float], **server: float) -> list[dict[str, Any]]:
    """Kinds of sets: how many, of how many disks, of which parity; disks of 500 GB."""
    return [
        {"layout": layout, "raid_sets": count, "disks_per_set": width, "parity_disks": parity, "disk_size": 0.5e12}
        | server
        for count, width, parity in kinds
    ]


def test_the_printed_layout_is_not_possible() -> None:
    server = {"disks": 48.0, "controllers": 6.0}
    rows = [
        *sets("8 x (5+1)", (8, 6, 1), **server),
        *sets("7 x (5+1), 1 x (6+1)", (7, 6, 1), (1, 7, 1), **server),
        *sets("1 x (5+1), 6 x (6+1)", (1, 6, 1), (6, 7, 1), **server),
        *sets("6 x (5+1), 2 x (4+1)", (6, 6, 1), (2, 5, 1), **server),
    ]
    ds = raid_capacity(node(rows))
    found = frame(ds).set_index("layout")
    used = found["disks_used"].to_dict()
    assert used == {"8 x (5+1)": 48, "7 x (5+1), 1 x (6+1)": 49, "1 x (5+1), 6 x (6+1)": 48, "6 x (5+1), 2 x (4+1)": 46}
    usable = (found["capacity_usable"] / TB).to_dict()
    assert usable["1 x (5+1), 6 x (6+1)"] == 20.5
    assert (usable["8 x (5+1)"], usable["6 x (5+1), 2 x (4+1)"]) == (20, 19)
    assert found["capacity_raw"].loc["8 x (5+1)"] == 24 * TB
    assert found["feasible"].to_dict() == {
        "8 x (5+1)": 1, "7 x (5+1), 1 x (6+1)": 0, "1 x (5+1), 6 x (6+1)": 0, "6 x (5+1), 2 x (4+1)": 1
    }  # fmt: skip
    both = "needs 49 disks of 48; a set of 7 disks on 6 controllers"
    assert found.loc["7 x (5+1), 1 x (6+1)", "caveat"] == both
    units = {"disks_used": "1", "disks_left": "1", "capacity_raw": "B", "capacity_usable": "B", "feasible": "1"}
    assert {name: ds[name].attrs["units"] for name in units} == units


def test_other_published_capacities() -> None:
    four = [{"layout": "RAID5", "raid_sets": 4.0, "disks_per_set": 6.0, "parity_disks": 1.0, "disk_size": 2 * TB}]
    assert raid_capacity(node(four))["capacity_usable"].item() == 40 * TB
    tiers = [{"layout": "8+2", "raid_sets": 48.0, "disks_per_set": 10.0, "parity_disks": 2.0, "disk_size": 0.25 * TB}]
    found = raid_capacity(node(tiers))
    assert found["capacity_raw"].item() == 120 * TB
    assert np.isnan(found["feasible"].item()), "disks and controllers are not known"
    assert np.isnan(found["disks_left"].item())


def test_layouts_that_fit() -> None:
    kinds = sets("", (0, 6, 1), (0, 7, 1), disks=48.0)
    ds = raid_layouts(node(kinds))
    found = frame(ds).set_index("layout")
    assert found["capacity_usable"].idxmax() == "1 x (5+1), 6 x (6+1)"
    assert found["capacity_usable"].max() == 20.5 * TB
    assert "8 x (5+1)" in found.index
    assert (found["disks_left"] >= 0).all()
    assert ds["disks_left"].attrs["units"] == "1"
    assert ds["capacity_usable"].attrs["units"] == "B"
    narrow = frame(raid_layouts(node(sets("", (0, 6, 1), (0, 7, 1), disks=48.0, controllers=6.0))))
    assert narrow["layout"].tolist() == [f"{count} x (5+1)" for count in range(8, 0, -1)]


def test_what_raid_needs() -> None:
    with pytest.raises(AnalysisError, match="a set of 2 disks of which 2 are parity holds nothing"):
        raid_capacity(node(sets("a", (1, 2, 2))))
    with pytest.raises(AnalysisError, match="a row lacks one of raid_sets, disks_per_set"):
        raid_capacity(node(sets("a", (np.nan, 6, 1))))
    with pytest.raises(AnalysisError, match="layout=a has several numbers of disks: select one server"):
        raid_capacity(node(sets("a", (1, 6, 1), disks=48.0) + sets("a", (1, 6, 1), disks=24.0)))
    with pytest.raises(AnalysisError, match="how many disks the server has is not known"):
        raid_layouts(node(sets("a", (1, 6, 1), disks=np.nan)))
    with pytest.raises(AnalysisError, match="no set of these kinds fits 5 disks"):
        raid_layouts(node(sets("a", (1, 6, 1), disks=5.0)))
    with pytest.raises(AnalysisError, match="3009006 combinations of sets: select fewer kinds"):
        raid_layouts(node(sets("a", (1, 6, 1), (1, 7, 1), (1, 8, 1), disks=1000.0)))
