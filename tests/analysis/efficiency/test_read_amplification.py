from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.analysis import block_amplification, blocks_touched
from storagelab.errors import AnalysisError
from tests.analysis.tables import node


def requests(*places: tuple[float, float], **keys: Any) -> xr.Dataset:
    return node([{"run_id": "a", "offset": at, "data_size": size, **keys} for at, size in places])


def test_block_amplification_by_hand() -> None:
    # 30 blocks of 10 MB for 150 MB, ten of them twice
    counted = {"blocks_fetched": 30.0, "blocks_distinct": 20.0, "fetch_block": 10e6, "data_size": 150e6, "run_id": "a"}
    found = block_amplification(node([counted]))
    assert (found["block_amplification"].item(), found["repeat_factor"].item()) == (2, 1.5)
    units = {"block_amplification": "1", "repeat_factor": "1", "bytes_asked": "B"}
    assert {name: found[name].attrs["units"] for name in units} == units


def test_files_of_a_run_are_added_up() -> None:
    one = {"blocks_fetched": 3.0, "blocks_distinct": 3.0, "fetch_block": 10.0, "data_size": 10.0, "run_id": "a"}
    other = {**one, "blocks_fetched": 9.0, "data_size": 50.0, "file": "b"}
    found = block_amplification(node([one, other, {"run_id": "c", "data_size": 1.0}]))
    assert (found["block_amplification"].item(), found["repeat_factor"].item()) == (2, 2)


def test_requests_touch_whole_blocks() -> None:
    # blocks of 10: 0-4 in block 0; 8-12 in 0 and 1; 10-19 in 1; 35 in 3
    found = blocks_touched(requests((0, 5), (8, 5), (10, 10), (35, 1)), 10.0)
    assert (found["blocks_fetched"].item(), found["blocks_distinct"].item()) == (5, 3)
    assert (found["data_size"].item(), found["fetch_block"].item()) == (21, 10)
    units = {"blocks_fetched": "1", "blocks_distinct": "1", "data_size": "B", "fetch_block": "B"}
    assert {name: found[name].attrs["units"] for name in units} == units
    assert block_amplification(found)["block_amplification"].item() == pytest.approx(50 / 21)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(1, 60)), min_size=1, max_size=12), st.integers(1, 40))
@settings(max_examples=20)
def test_blocks_are_those_of_every_byte(places: list[tuple[int, int]], size: int) -> None:
    found = blocks_touched(requests(*places), float(size))
    touched = [{byte // size for byte in range(at, at + length)} for at, length in places]
    assert found["blocks_fetched"].item() == sum(map(len, touched))
    assert found["blocks_distinct"].item() == len(set().union(*touched))
    wider = blocks_touched(requests(*((1024 * at, 1024 * length) for at, length in places)), 1024.0 * size)
    assert block_amplification(wider)["block_amplification"].item() == block_amplification(found)["block_amplification"]


def test_what_blocks_need() -> None:
    with pytest.raises(AnalysisError, match="a block has a positive size, got 0 B"):
        blocks_touched(requests((0, 5)), 0.0)
    with pytest.raises(AnalysisError, match="no row is a request"):
        blocks_touched(requests((0, 0)), 10.0)
    two = node([{"run_id": "a", "offset": 0.0, "data_size": 1.0, "file": name} for name in "ab"])
    with pytest.raises(AnalysisError, match="requests of run_id=a are of several files: name file in by"):
        blocks_touched(two, 10.0)
    counted = {"blocks_fetched": 3.0, "blocks_distinct": 3.0, "fetch_block": 10.0, "data_size": 0.0, "run_id": "a"}
    with pytest.raises(AnalysisError, match="a run asked for no byte, or fetched no block"):
        block_amplification(node([counted]))
    unknown = [{**counted, "fetch_block": np.nan}, {**counted, "data_size": np.nan, "run_id": "b"}]
    with pytest.raises(AnalysisError, match=r"no row has all of .*fetch_block"):
        block_amplification(node(unknown))
    with pytest.raises(AnalysisError, match="the dataset has no 'blocks_fetched'"):
        block_amplification(requests((0, 1)))
