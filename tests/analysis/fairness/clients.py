"""Clients of runs, for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import xarray as xr

from tests.analysis.tables import node


def run(values: Iterable[float], name: str, variable: str = "throughput", **keys: Any) -> list[dict[str, Any]]:
    """One run, a client a value."""
    repeat = float("".join(filter(str.isdigit, name)) or 1)
    return [
        {"client": f"cli{i}", "run_id": name, "repeat": repeat, variable: value, **keys}
        for i, value in enumerate(values, 1)
    ]


def runs(values: Sequence[Sequence[float]], variable: str = "throughput", **keys: Any) -> list[dict[str, Any]]:
    """One run a row of values; runs of other keys have other names."""
    name = "".join(str(value) for value in keys.values() if isinstance(value, str))
    return [row for i, part in enumerate(values, 1) for row in run(part, f"{name}-{i}", variable, **keys)]


def clients(*rows: list[dict[str, Any]]) -> xr.Dataset:
    return node([row for part in rows for row in part])
