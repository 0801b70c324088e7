"""When each run of a study was made: the keys order, day and round, from the start times of its logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from storagelab import campaign, dataset

if TYPE_CHECKING:
    import xarray as xr

KEYS = ("order", "day", "round")
NODES = ("runs", "clients")


def ordered(nodes: Mapping[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Add the keys order, day and round to runs and clients, where start times tell them and no sidecar does.

    A run starts with the first of its logs. Rounds are repeats that were made one after the other.
    """
    placed = _placed(nodes)
    return {name: _with(ds, placed) if name in NODES and len(placed) else ds for name, ds in nodes.items()}


def _placed(nodes: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """A row a run whose start is known: its place in the campaign."""
    logs = nodes["logs"]
    if not {"started", "run_id"} <= {*logs.coords} or "runs" not in nodes or "run_id" not in nodes["runs"].coords:
        return pd.DataFrame()
    began = pd.DataFrame(
        {"run_id": logs["run_id"].to_numpy(), "start": campaign.seconds(logs["started"].to_numpy().tolist())}
    )
    runs = began[began["run_id"].isin(np.unique(nodes["runs"]["run_id"]))].dropna().groupby("run_id").min()
    starts = runs["start"].to_numpy()
    return runs.assign(order=campaign.order(starts), day=campaign.days(starts), round=_rounds(nodes["runs"], runs))


def _rounds(runs: xr.Dataset, placed: pd.DataFrame) -> campaign.Floats:
    if "repeat" not in runs.coords:
        return np.full(len(placed), np.nan)
    repeats = pd.Series(runs["repeat"].to_numpy(), index=runs["run_id"].to_numpy()).groupby(level=0).first()
    return campaign.rounds(placed["start"], repeats.reindex(placed.index))


def _with(ds: xr.Dataset, placed: pd.DataFrame) -> xr.Dataset:
    if "run_id" not in ds.coords:
        return ds
    of_rows = placed.reindex(ds["run_id"].to_numpy())
    told = [key for key in KEYS if key not in ds.coords and of_rows[key].notna().any()]
    return ds.assign_coords({key: ("obs", of_rows[key].to_numpy(), dataset.attributes(key)) for key in told})
