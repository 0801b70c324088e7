"""Which run each row is of, and when that run was made: its day and its place in the campaign, or its start."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab import days_and_rounds
from storagelab.analysis.cells import Cells, Floats, Rows
from storagelab.analysis.key_codes import Array, array

NAMELESS = ("log ", "row ")
"""How the names begin that runs get here because their rows do not say their run_id."""

PLACE = ("day", "order")
"""When a run was made: its day, and its place among the others."""

START = "run_start"
"""Column of rows on the way: when the run began, in seconds since 1970. A table says it in ``start_time``."""

TIMES = (*PLACE, START)

WHEN = "when"
"""Attribute of a table: keys that say when its runs were made. They tell no rows of it apart."""


def name_runs(rows: Rows) -> Rows:
    """Name the run of each row: its run_id, else its log, else itself; repeat and block are NaN where not known.

    Its day and its place in the order come from their keys, else from when it started, else they are NaN.
    """
    named = rows.get("run_id", "")
    if (named == "").any():
        known, numbers = ("log", rows["log_id"]) if "log_id" in rows else ("row", np.arange(len(rows)))
        named = np.where(named == "", array([f"{known} {number:.0f}" for number in numbers]), named)
    starts = _starts(rows)
    placed = {"day": days_and_rounds.days, "order": days_and_rounds.order}
    when = {key: rows[key] if key in rows else number(starts) for key, number in placed.items()}
    known_repeats = {key: rows.get(key, np.nan) for key in ("repeat", "block")}
    return rows.assign(run_id=named, **known_repeats, **when, **{START: starts})


def _starts(rows: Rows) -> Floats:
    """Start of each row in seconds; NaN where it is not known."""
    if "started" in rows:
        texts = rows.coded("started")
        return days_and_rounds.seconds(texts.levels.tolist())[texts.codes]
    return rows.get("start_time", np.nan)


def earliest(cells: Cells) -> dict[str, Array]:
    """When the first of the runs of each cell was made, a column each: day, order and start."""
    return {name: cells.min(name) for name in TIMES if name not in cells.by}


def with_run_times(found: Rows, like: xr.Dataset, keys: Sequence[str]) -> tuple[Rows, list[str]]:
    """Let the rows of a table that name their run say when it was made; return them, and the keys that say it.

    Day and place in the campaign are those of the source. Where it only says when its rows started, so does the table:
    days that were counted in a part of a campaign would be wrong beside those of another part.

    Parameters
    ----------
    found : Rows
        Of the table: with the columns of `earliest`, or else runs are looked up in its source.
    like : Dataset, dimension obs
        Its source.
    keys : sequence of str
        Of the table.

    Returns
    -------
    tuple of Rows and list of str
    """
    on_the_way = {*TIMES} - {*keys} if START in found else set()
    own = found.only([name for name in found if name not in on_the_way])
    told = [name for name in _told_by(like) if name not in own and not (name == "start_time" and "started" in own)]
    if not told or "run_id" not in keys:
        return own, []
    of_runs = found if START in found else _looked_up(found, like)
    return own.assign(**{name: of_runs[START if name == "start_time" else name] for name in told}), told


def _told_by(ds: xr.Dataset) -> list[str]:
    """Keys in which a table made of a dataset says when its runs were made."""
    names = [name for name in PLACE if name in ds.variables]
    is_timed = "started" in ds.variables or "start_time" in ds.variables
    return [*names, *(["start_time"] if is_timed and "order" not in names else [])]


def _looked_up(found: Rows, source: xr.Dataset) -> Rows:
    """When the run of each row was made; not of runs that are named by their row, which is another in each table."""
    rows = name_runs(Rows.of(source))
    runs = rows.take(~np.char.startswith(rows["run_id"].astype(str), NAMELESS[1])).cells(["run_id"])
    return found.assign(**found.looked_up(runs.results(**earliest(runs)), ["run_id"], TIMES))


def telling_apart(ds: xr.Dataset) -> list[str]:
    """Keys of a table but those that only say when its runs were made."""
    when = str(ds.attrs.get(WHEN, "")).split()
    return [str(key) for key in ds.coords if key not in when]
