"""What RAID sets hold, and whether the disks and controllers of a server allow them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.errors import AnalysisError

SET = ("disks_per_set", "parity_disks", "disk_size")
SERVER = ("disks", "controllers")
MOST = 100_000
"""Combinations of sets that are tried at most."""


def raid_capacity(ds: xr.Dataset, by: Sequence[str] = ("layout",)) -> xr.Dataset:
    """Add up the RAID sets of each layout: their disks, their capacity, and whether the server has room for them.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A row a kind of set: raid_sets (how many), disks_per_set, parity_disks [1], disk_size [B]; disks and
        controllers of the server, where they are known.
    by : sequence of str
        Keys of a layout.

    Returns
    -------
    Dataset, dimension obs
        One row a layout: keys `by`; ``disks_used``, ``disks_left`` (negative where there are too few; NaN where the
        server's disks are not known) [1]; ``capacity_raw``, ``capacity_usable`` (sum over the sets of (disks - parity)
        x size) [B]; ``feasible`` (1 or 0; NaN where neither disks nor controllers are known): enough disks, and no set
        wider than the controllers, so that each of its disks can be on another; ``caveat`` says why not.

    Raises
    ------
    AnalysisError
        If a column is missing or a row lacks a number, a set has no more disks than parity, or a layout has several
        servers.
    """
    table.require(ds, "raid_sets", *SET, *by)
    rows = table.rows(ds)
    _check(rows, ["raid_sets", *SET])
    found = [{**cell, **_layout(cell, part)} for cell, part in rows.cells(by)]
    return table.dataset(found, ds, list(by), method="sum over the sets of disks less parity, times size")


def raid_layouts(ds: xr.Dataset) -> xr.Dataset:
    """List the layouts that the disks and controllers of a server allow, of the kinds of sets given.

    Parameters
    ----------
    ds : Dataset, dimension obs
        A row a kind of set: disks_per_set, parity_disks [1], disk_size [B]; disks, and controllers where they are
        known, the same in all rows.

    Returns
    -------
    Dataset, dimension obs
        One row a layout with at least one set: ``layout`` (text, "1 x (5+1), 6 x (6+1)"); ``disks_used``,
        ``disks_left`` [1], ``capacity_raw``, ``capacity_usable`` [B]; the largest capacity first.

    Raises
    ------
    AnalysisError
        As `raid_capacity`; if the number of disks is not known, or none or far too many layouts fit.
    """
    table.require(ds, *SET, "disks")
    rows = table.rows(ds)
    _check(rows, list(SET))
    disks, controllers = _server({}, rows)
    if not np.isfinite(disks):
        raise AnalysisError("how many disks the server has is not known: any number of sets would fit")
    sets = rows.cells(SET)
    kinds = rows.take(np.sort(sets.order[sets.starts]))
    kinds = kinds.take(~(kinds["disks_per_set"] > controllers))
    counts = [range(int(disks // width) + 1) for width in kinds["disks_per_set"]]
    if (tried := int(np.prod([len(count) for count in counts]))) > MOST:
        raise AnalysisError(f"{tried} combinations of sets: select fewer kinds")
    layouts = [_sums(kinds.assign(raid_sets=list(each))) for each in itertools.product(*counts) if any(each)]
    fitting = [one for one in layouts if one["disks_used"] <= disks]
    if not fitting:
        raise AnalysisError(f"no set of these kinds fits {disks:g} disks and {controllers:g} controllers")
    fitting.sort(key=lambda one: (-one["capacity_usable"], one["disks_used"]))
    result = [{**one, "disks_left": disks - one["disks_used"]} for one in fitting]
    method = f"all combinations of sets on {disks:g} disks, none wider than the controllers"
    return table.dataset(result, ds, ["layout"], method=method)


def _check(rows: Rows, names: Sequence[str]) -> None:
    if any(np.isnan(rows[name]).any() for name in names):
        raise AnalysisError(f"a row lacks one of {', '.join(names)}")
    for place in np.flatnonzero(rows["disks_per_set"] <= rows["parity_disks"])[:1]:
        width, parity = rows["disks_per_set"][place], rows["parity_disks"][place]
        raise AnalysisError(f"a set of {width:g} disks of which {parity:g} are parity holds nothing")


def _server(cell: table.Cell, part: Rows) -> tuple[float, float]:
    """Disks and controllers of the server of a layout; NaN where not known."""
    known = {name: [level for level in part.levels(name) if level == level] if name in part else [] for name in SERVER}
    for name, levels in known.items():
        if len(levels) > 1:
            raise AnalysisError(
                f"{table.name_cell(cell) or 'the layout'} has several numbers of {name}: select one server"
            )
    disks, controllers = (float(levels[0]) if len(levels) else np.nan for levels in known.values())
    return disks, controllers


def _sums(part: Rows) -> dict[str, Any]:
    used = part["raid_sets"] * part["disks_per_set"]
    held = part["raid_sets"] * (part["disks_per_set"] - part["parity_disks"])
    words = [
        f"{count:g} x ({width - parity:g}+{parity:g})"
        for count, width, parity in zip(part["raid_sets"], part["disks_per_set"], part["parity_disks"], strict=True)
        if count
    ]
    return {
        "layout": ", ".join(words),
        "disks_used": float(used.sum()),
        "capacity_raw": float((used * part["disk_size"]).sum()),
        "capacity_usable": float((held * part["disk_size"]).sum()),
    }


def _layout(cell: table.Cell, part: Rows) -> dict[str, Any]:
    disks, controllers = _server(cell, part)
    sums = {name: value for name, value in _sums(part).items() if name != "layout"}
    left, widest = disks - sums["disks_used"], float(part["disks_per_set"].max())
    why = [
        f"needs {sums['disks_used']:g} disks of {disks:g}" if left < 0 else "",
        f"a set of {widest:g} disks on {controllers:g} controllers" if widest > controllers else "",
    ]
    reasons = "; ".join(filter(None, why))
    known = np.isfinite(disks) or np.isfinite(controllers)
    return {**sums, "disks_left": left, "feasible": float(not reasons) if known else np.nan, "caveat": reasons}
