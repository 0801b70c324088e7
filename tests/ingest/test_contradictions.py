"""What is said where a sidecar and a log do not agree."""

from __future__ import annotations

import pytest

from storagelab.ingest.contradictions import _contradiction
from storagelab.study.entry import Entry


@pytest.mark.parametrize(
    ("keys", "row", "meant"),
    [
        ({"clients": 4.0}, {"clients": 2.0, "processes": 4.0}, "; its processes is 4"),
        ({"clients": 4.0}, {"clients": 2.0, "processes": 4.0, "queue_depth": 4.0}, ""),
        ({"clients": 4.0, "processes": 4.0}, {"clients": 2.0, "processes": 4.0}, ""),
        ({"clients": 4.0}, {"clients": 2.0, "processes": 3.0}, ""),
        ({"clients": 4096.0}, {"clients": 2.0, "record_size": 4096.0}, ""),
        ({"tool_version": "4"}, {"tool_version": "3", "api": "4"}, ""),
    ],
)
def test_the_one_key_of_which_the_log_says_it_is_named(
    keys: dict[str, float | str], row: dict[str, float | str], meant: str
) -> None:
    name = next(iter(keys))
    said = str(_contradiction(Entry("a.log", keys, "runs.csv", 3), name, {**row, "line": 7}))
    told = {4.0: "4", 4096.0: "4096", "4": "'4'", 2.0: "2", "3": "'3'"}
    assert said == f"runs.csv:3: a.log:7: {name} is {told[keys[name]]} here, but the log says {told[row[name]]}{meant}"
