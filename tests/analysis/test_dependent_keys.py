"""Keys that follow from others, and one name for several."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import analysis, figures
from storagelab.analysis.arguments import NAMES
from storagelab.analysis.cells import Rows
from storagelab.analysis.dependent_keys import following
from storagelab.errors import AnalysisError
from tests.analysis.tables import node


def scaled(**fixed: Any) -> xr.Dataset:
    """Runs over nodes, processes per node and record size; processes and file size follow."""
    rng = np.random.default_rng(1)
    levels = itertools.product((1.0, 2.0, 8.0), (1.0, 16.0), (1e6, 4e6), (1.0, 2.0, 3.0, 4.0))
    return node(
        {
            "operation": "write", "nodes": nodes, "processes_per_node": each, "processes": nodes * each,
            "record_size": record, "file_size": record * nodes * each, "repeat": repeat, "segments": nodes,
            "run_id": f"{nodes}-{each}-{record}-{repeat}", "throughput": 1e9 * nodes * (1 + 0.02 * rng.normal()),
            **fixed,
        }
        for nodes, each, record, repeat in levels
    )  # fmt: skip


KEYS = ["processes", "nodes", "processes_per_node", "record_size", "file_size", "segments"]


def test_what_follows_from_what_is_found_in_the_data() -> None:
    assert following(Rows.of(scaled()), KEYS) == {
        "file_size": ["nodes", "processes_per_node", "record_size"],
        "processes": ["nodes", "processes_per_node"],
        "segments": ["nodes"],
    }


def test_a_given_key_stays() -> None:
    found = following(Rows.of(scaled()), [key for key in KEYS if key != "processes"], given=["processes"])
    assert "processes" not in found


def test_in_a_full_design_nothing_follows() -> None:
    assert following(Rows.of(scaled()), ["nodes", "processes_per_node", "record_size"]) == {}


def test_a_key_that_names_single_runs_says_nothing_of_others() -> None:
    rows = Rows.of(scaled())
    files = rows.assign(file=np.array([f"f{number}" for number in range(len(rows))]))
    assert following(files, ["file", "record_size"]) == {}


def test_sides_are_compared_in_cells_of_what_was_chosen() -> None:
    found = scaled().storage.compare("throughput", "nodes", 1, 8)
    assert set(found.coords) == {"processes_per_node", "record_size", "compared"}
    assert found.attrs["follows"] == (
        "file_size follows from nodes, processes_per_node, record_size; "
        "processes follows from nodes, processes_per_node; segments follows from nodes"
    )
    assert "not told apart: file_size follows" in repr(found.storage)
    np.testing.assert_allclose(found["ratio"], 8, rtol=0.1)


def test_named_keys_that_follow_do_not_leave_nothing_to_compare() -> None:
    found = analysis.compare(scaled(), "throughput", "nodes", 1, 8, [key for key in KEYS if key != "nodes"])
    assert set(found.coords) == {"processes_per_node", "record_size", "compared"}
    assert "processes follows from nodes, processes_per_node" in found.attrs["follows"]


def test_a_word_that_follows_from_the_factor_alone_is_another_difference() -> None:
    ds = scaled()
    ds = ds.assign_coords(api=("obs", np.where(ds["nodes"].values == 1, "POSIX", "MPIIO"), {"long_name": "x"}))
    over = ["processes_per_node", "record_size", "processes", "file_size", "segments"]
    wanted = "no cell has throughput of both nodes=1 and nodes=8: they share no level of api"
    with pytest.raises(AnalysisError, match=wanted):
        analysis.compare(ds, "throughput", "nodes", 1, 8, "api", over=over)


def test_a_figure_takes_no_key_that_follows() -> None:
    drawn = scaled().storage.plot(variable="throughput")
    assert drawn.caption.startswith(
        "Throughput against client nodes for each processes per node, a panel for each record size."
    )


def named(room: Any) -> list[str]:
    """Public functions with a parameter that takes names."""
    functions = {name: getattr(room, name) for name in room.__all__ if inspect.isfunction(getattr(room, name))}
    return [
        name for name, function in functions.items()
        if any(each.annotation in NAMES for each in inspect.signature(function).parameters.values())
    ]  # fmt: skip


def test_every_function_that_takes_names_takes_one_alone() -> None:
    functions = [getattr(room, name) for room in (analysis, figures) for name in named(room)]
    assert len(functions) > 90
    assert [function.__name__ for function in functions if not hasattr(function, "__wrapped__")] == []


@pytest.mark.parametrize("by", ["nodes", ["nodes"], ("nodes",)])
def test_one_name_is_a_list_of_one(by: Any) -> None:
    over = ["processes_per_node", "processes", "record_size", "file_size"]
    found = analysis.summarise(scaled(segments=1.0), "throughput", by, over=over)
    assert found["nodes"].values.tolist() == [1, 2, 8]
    few = scaled(segments=1.0, record_size=1e6, file_size=1e6, processes=1.0)
    prompt = few.storage.summarise("throughput", by=by, over="processes_per_node")
    assert prompt["nodes"].values.tolist() == [1, 2, 8]
    assert few.storage.compare("throughput", "nodes", 1, 8, by="processes_per_node").sizes["obs"] == 2
