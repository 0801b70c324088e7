"""Rates that no clock can have given: bytes over a time that is no whole number of the steps in which a tool counts it.

IOzone takes times in microseconds, fio in milliseconds. The bytes over the rate that is printed are then a whole number
of steps. A rate in another unit, a rate that was typed in and a mean of several are not: half of them lie in the outer
half between two steps, of true ones none. Only rates with so many digits that the time is known to a fraction of a
step are looked at, and only of tools most of whose rates do stand on steps.

Source: N. J. L. Brown, J. A. J. Heathers, "The GRIM test" (Social Psychological and Personality Science 2017), for
numbers that cannot come from what they are said to come from.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import pandas as pd

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.intervals import Floats
from storagelab.analysis.validity.checks import Finding, Looked, Study, place
from storagelab.analysis.validity.measured_values import rows_of_logs
from storagelab.analysis.validity.suspect_groups import Group, groups, quanta, standing_out
from storagelab.analysis.validity.unit_checks import ROUNDING
from storagelab.errors import AnalysisError

STEPS = (1e-6, 1e-3, 0.01, 0.1, 1.0)
"""Steps in which tools count time [s], the finest first: what is on a coarse one is on a fine one too."""

KNOWN = 0.15
"""Part of a step to which a time must be known."""

BETWEEN = 0.25
"""Distance from the nearest step, in steps, beyond which a time lies between two: half of those that are on none."""

ON_STEPS = 0.75
"""Share of a tool's rates that stand on steps, if the tool counts in them; of any rates half do."""

CLEAN = 0.85
"""Share of the rates outside of such parts that stand on steps: else the tool does not count in them."""

LEAST = 0.3
"""Share of rates between two steps from which a part of a campaign is told."""


def clock_steps(study: Study) -> Looked:
    """Look for parts of a campaign whose rates are bytes over times that the clock of the tool does not show."""
    rows = rows_of_logs(study)
    for name in ("throughput", "data_size"):
        if name not in rows:
            raise AnalysisError("no rate has its bytes")
    rated = rows[(rows["throughput"] > 0) & (rows["data_size"] > 0)]
    if "statistic" in rated:
        rated = rated[rated["statistic"] == "single"]
    kinds = [key for key in ("tool", "operation") if key in rated]
    steps = [part for _, of_kind in table.cells(rated, kinds) if (part := _stepped(of_kind)) is not None]
    stepped = [
        pd.concat(list(parts), ignore_index=True)
        for _, parts in groupby(steps, lambda part: str(part["tool"].iloc[0]) if "tool" in part else "")
    ]
    if not stepped:
        raise AnalysisError("no tool prints rates with so many digits that the steps of its clock show")
    found = [finding for part in stepped for finding in _between(study, part)]
    return Looked(sum(map(len, stepped)), "rates", found)


def _stepped(rows: pd.DataFrame) -> pd.DataFrame | None:
    """Rates whose times are known to a fraction of the tool's step, with these in steps; None where it shows none."""
    rates, sizes = rows["throughput"].to_numpy(), rows["data_size"].to_numpy()
    logs = Rows.of_frame(rows).cells(["log_id"])
    error = logs.broadcast(quanta(logs)) / 2 / rates
    times = sizes / rates
    for step in STEPS:
        steps = times / step
        known = (error > 0) & (error * steps < KNOWN) & (steps > 20)
        if known.sum() >= 10 and np.mean(_away(steps[known]) < BETWEEN) > ON_STEPS:
            chosen: pd.DataFrame = rows[known].assign(steps=steps[known]).reset_index(drop=True)
            return chosen
    return None


def _away(steps: Floats) -> Floats:
    return np.abs(steps - np.rint(steps))


def _between(study: Study, rows: pd.DataFrame) -> Iterator[Finding]:
    keys = [name for name in (*study.keys("logs"), "repeat", "block", "operation") if name in rows]
    marked = _away(rows["steps"].to_numpy()) >= BETWEEN
    found = list(standing_out(groups(Rows.of_frame(rows), keys), marked, LEAST))
    others = np.delete(np.arange(len(rows)), np.concatenate([[], *(group.rows for group in found)]).astype(np.intp))
    if 2 * others.size >= len(rows) and np.mean(~marked[others]) > CLEAN:
        yield from (_finding(rows, marked, group) for group in found)


def _finding(rows: pd.DataFrame, marked: np.ndarray, group: Group) -> Finding:
    first = rows.iloc[group.rows[np.argmax(marked[group.rows])]]
    unit = _unit(rows["steps"].to_numpy()[group.rows])
    said = f"{group.marked} of {group.rows.size} rates are bytes over a time that the tool's clock does not show{unit}"
    return Finding(group.name, said, group.marked / group.rows.size, rank="wrong", **place(first))


def _unit(steps: Floats) -> str:
    """Name the factor of units that would put nearly all times on steps."""
    factors = {
        f"too {way} by {name}": size
        for name, one in ROUNDING.items()
        for way, size in (("high", one), ("low", 1 / one))
    }
    named = [name for name, size in factors.items() if np.mean(_away(steps * size) < BETWEEN) > 0.9]
    return (
        f": {' or '.join(named)}"
        if len(named) == 1 and steps.size > 9
        else ": another unit, or numbers that were not measured"
    )
