"""Rounds that stand apart: the parts of a campaign in which they are looked for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from storagelab.analysis.cells import Rows
from storagelab.analysis.validity.shifted_rounds import _apart, _of_scope, _Rounds, _scopes
from storagelab.analysis.validity.spreads import Logged, _telling


def test_each_operation_is_looked_at_alone_and_in_each_level_of_keys_that_differ() -> None:
    cells = Rows(
        {
            "what": np.array(["read", "read", "read", "read", "write"]),
            "layout": np.array(["a", "a", "b", "b", "a"]),
            "clients": np.array([1.0, 2.0, 3.0, 4.0, 1.0]),
            "driver": np.array(["virtio"] * 5),
        },
        5,
    )
    found = {scope: sorted(places.tolist()) for scope, places in _scopes(Logged("throughput", cells, [*cells]), cells)}
    assert found == {"read": [0, 1, 2, 3], "read, layout=a": [0, 1], "read, layout=b": [2, 3], "write": [4]}


def test_operations_are_named_without_a_tool_that_they_tell() -> None:
    columns = {"tool": ["iozone", "iozone", "fio"], "operation": ["read", "write", "randread"]}
    rows = Rows({name: np.array(column) for name, column in columns.items()}, 3)
    assert _telling(rows, ["tool", "operation"]) == ["operation"]
    assert _telling(rows.assign(operation=np.array(["read"] * 3)), ["tool", "operation"]) == ["operation", "tool"]


def test_a_round_that_is_as_the_others_stands_apart_about_as_often_as_chance_has_it() -> None:
    """A little less often: what the noise of all settings counts for in that of one makes the tails of each lighter."""
    rng = np.random.default_rng(79)
    cells = Rows({"setting": np.arange(12.0), "what": np.array(["read"] * 12)}, 12)
    studies = (_Rounds(cells, ["repeat=1", "repeat=2", "repeat=3"], rng.normal(size=(3, 12))) for _ in range(200))
    chances = [p for rows in studies for _, p, _, _ in _of_scope(rows, np.arange(12))]
    assert 0.7 < (special.ndtri(np.array(chances) / 2) ** 2).mean() < 0.9


@pytest.mark.parametrize(
    ("factor", "rank"), [(1.02, "note"), (0.98, "note"), (1.05, "doubtful"), (0.9, "doubtful"), (2.5, "doubtful")]
)
def test_a_round_that_stands_apart_by_little_is_a_note(factor: float, rank: str) -> None:
    rows = np.random.default_rng(85).normal(scale=1e-4, size=(5, 12))
    rows[2] += np.log(factor)
    cells = Rows({"setting": np.arange(12.0), "what": np.array(["read"] * 12)}, 12)
    names = [f"repeat={number}" for number in range(1, 6)]
    [found] = _apart(Logged("throughput", cells, ["setting"]), _Rounds(cells, names, rows), "round")
    assert (found.where, found.rank, found.cause) == ("repeat=3, read", rank, "repeat=3")
    assert f"{factor:g} times that of the other rounds, in 12 settings" in found.found
