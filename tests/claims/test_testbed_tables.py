"""Stages of a test bed of which a paper prints a lower bound alone."""

from __future__ import annotations

import math

import pytest
import xarray as xr

from storagelab.claims import testbed_tables


@pytest.mark.parametrize(("at_least", "binds"), [(11.0, "disk"), (10.0, "disk"), (9.0, "")])
def test_what_binds_is_not_known_where_a_stage_of_at_least_so_much_could_bind_as_well(
    at_least: float, binds: str
) -> None:
    columns = {"link_bytes": [2.0, 1.0], "capacity": [math.inf, 10.0], "bound": [10.0] * 2, "bottleneck": ["disk"] * 2}
    bound = xr.Dataset({name: ("obs", of) for name, of in columns.items()}, {"path": ("obs", ["write"] * 2)})
    found = testbed_tables._open(bound, [2 * at_least, 10.0])
    assert found == {"capacity": [2 * at_least, 10.0], "limit": [at_least, 10.0], "bottleneck": [binds] * 2}
