"""Wrong arguments of what `import storagelab` gives: each error names what was expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import storagelab
from storagelab.errors import StoragelabError
from tests.analysis.tables import node, repeats
from tests.conftest import fixture_logs

RUNS = node(repeats([10.0, 11.0], layout="a") + repeats([20.0, 21.0], layout="b"))
STUDY = xr.DataTree.from_dict({"/": xr.Dataset(), "/runs": RUNS})
A_NODE = r'expected a node of a study, such as study\["runs"\].to_dataset\(\), found '

REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "a list of logs": (
        r"each an argument of its own, got \['one.log'\]",
        lambda: storagelab.open_logs(["one.log"]),
    ),
    "a path for a log": ("expected logs, as storagelab.read_log gives them, got 'o'", lambda: storagelab.tidy("one")),
    "a selection of a frame": (f"{A_NODE}a DataFrame", lambda: storagelab.select(storagelab.frame(RUNS), layout="a")),
    "a selection of a study": (f"{A_NODE}a study of the nodes runs", lambda: storagelab.select(STUDY, layout="a")),
    "a selection of what has no rows": (
        f"{A_NODE}no dimension obs",
        lambda: storagelab.select(xr.Dataset({"layout": ("y", ["a"])}), layout="a"),
    ),
    "a frame of a study": (f"{A_NODE}a study of the nodes runs", lambda: storagelab.frame(STUDY)),
    "a frame of a node that xarray alone opened": (
        f"{A_NODE}one as xarray alone opens it: use storagelab.open_study, or engine='storagelab'",
        lambda: storagelab.frame(RUNS.assign(value_lines=(("obs", "value_of"), np.zeros((RUNS.sizes["obs"], 2))))),
    ),
    "a grid of a frame": (f"{A_NODE}a DataFrame", lambda: storagelab.grid(storagelab.frame(RUNS), "throughput")),
    "a grid of a list": (
        r"unknown name in this dataset \"\['layout'\]\"",
        lambda: storagelab.grid(RUNS, "throughput", ["layout"]),
    ),
    "a grid over a key twice": (
        "a grid takes each name once, got throughput, layout, layout",
        lambda: storagelab.grid(RUNS, "throughput", "layout", "layout"),
    ),
    "conditions of no study": ("no study is named", storagelab.five_keys),
    "conditions of a node": ("has no node conditions", lambda: storagelab.five_keys(RUNS)),
    "a node to be saved": (
        "x.nc: expected a study of nodes, a DataTree, got a Dataset",
        lambda: storagelab.save(RUNS, "x.nc"),
    ),
    "a node for its study": ("trace: expected a study or its dataset.nc", lambda: storagelab.trace(RUNS, RUNS)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_each_is_refused_by_name(case: str) -> None:
    message, call = REFUSED[case]
    with pytest.raises(StoragelabError, match=message):
        call()


def test_a_column_of_no_name_is_traced_nowhere() -> None:
    study = storagelab.open_logs(fixture_logs("ior")[0])
    with pytest.raises(StoragelabError, match="unknown column 'througput'; did you mean 'throughput'"):
        storagelab.trace(study["runs"].to_dataset(), study, "througput", raw=Path())


def test_levels_may_be_those_of_a_column() -> None:
    assert storagelab.select(RUNS, layout=RUNS["layout"][:1])["layout"].values.tolist() == ["a", "a"]
    assert storagelab.select(RUNS, layout=storagelab.frame(RUNS)["layout"]).sizes == RUNS.sizes
