"""Curves over clients, with a few runs at each level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import xarray as xr

from tests.analysis.tables import node, repeats

Curve = Mapping[float, Sequence[float]]

NOISE = (0.97, 1.0, 1.04)


def rows_of(curve: Curve, x: str = "clients", **keys: Any) -> list[dict[str, Any]]:
    return [row for level, values in curve.items() for row in repeats(values, **keys, **{x: level})]


def curve_of(curve: Curve, x: str = "clients", **keys: Any) -> xr.Dataset:
    return node(rows_of(curve, x, **keys))


def curves_of(curves: Mapping[str, Curve]) -> xr.Dataset:
    return node([row for layout, curve in curves.items() for row in rows_of(curve, layout=layout)])


def in_blocks(ds: xr.Dataset) -> xr.Dataset:
    """Take each repeat for a round that was set up anew."""
    return ds.assign_coords(block=("obs", ds["repeat"].to_numpy(), {"units": "1"}))


def noisy(levels: Iterable[float], means: Iterable[float], noise: Sequence[float] = NOISE) -> Curve:
    return {level: [mean * one for one in noise] for level, mean in zip(levels, means, strict=True)}
