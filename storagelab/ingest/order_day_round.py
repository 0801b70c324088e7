"""When each run of a study was made: the keys order, day and round, from the start times of its logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from storagelab import dataset, days_and_rounds

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from numpy.typing import ArrayLike

KEYS = ("order", "day", "round")
NODES = ("runs", "clients")


def ordered(nodes: Mapping[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Add the keys order, day and round to runs and clients, where start times tell them and no sidecar does.

    A run starts with the first of its logs. Rounds are repeats that were made one after the other. Logs of fio do not
    say when they began, but their rows do, in UTC: such runs have a day, and no place among runs whose clock may be
    another.
    """
    placed = _placed(nodes)
    return {name: _with(ds, placed) if name in NODES and len(placed) else ds for name, ds in nodes.items()}


def _placed(nodes: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """A row a run whose start is known: its place in the campaign."""
    import pandas as pd

    logs = nodes["logs"]
    if not {"started", "run_id"}.issubset(logs.coords) or "runs" not in nodes or "run_id" not in nodes["runs"].coords:
        return pd.DataFrame()
    began = _began(logs, days_and_rounds.seconds(logs["started"].to_numpy().tolist()))
    runs = began[began.index.isin(np.unique(nodes["runs"]["run_id"]))]
    placed = runs.assign(order=days_and_rounds.order(runs["start"]), round=_rounds(nodes["runs"], runs))
    timed = placed.combine_first(_began(nodes["runs"], nodes["runs"].get("start_time", np.nan)))
    return timed.assign(day=days_and_rounds.days(timed["start"]))


def _began(ds: xr.Dataset, starts: ArrayLike) -> pd.DataFrame:
    """The first start that is known of each run."""
    import pandas as pd

    return pd.DataFrame({"run_id": ds["run_id"].to_numpy(), "start": starts}).dropna().groupby("run_id").min()


def _rounds(runs: xr.Dataset, placed: pd.DataFrame) -> days_and_rounds.Floats:
    if "repeat" not in runs.coords:
        return np.full(len(placed), np.nan)
    import pandas as pd

    repeats = pd.Series(runs["repeat"].to_numpy(), index=runs["run_id"].to_numpy()).groupby(level=0).first()
    return days_and_rounds.rounds(placed["start"], repeats.reindex(placed.index))


def _with(ds: xr.Dataset, placed: pd.DataFrame) -> xr.Dataset:
    if "run_id" not in ds.coords:
        return ds
    of_rows = placed.reindex(ds["run_id"].to_numpy())
    told = [key for key in KEYS if key not in ds.coords and of_rows[key].notna().any()]
    return ds.assign_coords({key: ("obs", of_rows[key].to_numpy(), dataset.attributes(key)) for key in told})
