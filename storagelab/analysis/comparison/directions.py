"""A ratio stated in both directions: what the smaller lies below is not what the larger lies above."""

from __future__ import annotations

import numpy as np
import xarray as xr

from storagelab import dataset
from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.processor_independent import divided
from storagelab.analysis.runs import direction_of
from storagelab.errors import AnalysisError

ENDS = ("", "_low", "_high")
RATIO = ("ratio", columns.low("ratio"), columns.high("ratio"))
APART = " / "


def both_directions(compared: xr.Dataset) -> xr.Dataset:
    """State each ratio as larger over smaller, as what the smaller lies below and what the larger lies above.

    With r = larger / smaller: the smaller lies by ``1 - 1 / r`` below the larger, that by ``r - 1`` above the smaller.
    Interval ends are carried over, as all three rise with r.

    Parameters
    ----------
    compared : Dataset, dimension obs
        Result of `storagelab.analysis.compare`, or another with ``ratio``, ``ratio_low``, ``ratio_high`` and
        ``compared``.

    Returns
    -------
    Dataset, dimension obs
        The rows and columns of `compared`, and ``larger``, ``smaller`` (text); ``times``, ``below``, ``above``, each
        with ``_low`` and ``_high``: pure numbers. Where the interval of the ratio holds 1, ``times_low`` lies below 1
        and ``below_low`` and ``above_low`` below 0: the direction is not shown.

    Raises
    ------
    AnalysisError
        If `compared` is no comparison of two sides.
    """
    table.require(compared, "compared", "ratio", columns.low("ratio"), columns.high("ratio"))
    rows = table.rows(compared)
    turned = Rows.of_cells([_turned(row) for row in rows.only(["compared", *RATIO]).records()])
    keys = [str(name) for name in compared.coords]
    attrs = {str(name): str(value) for name, value in compared.attrs.items()}
    return table.dataset(rows.assign(**{name: turned[name] for name in turned}), compared, keys, **attrs)


def _turned(row: table.Cell) -> table.Cell:
    other, base = _sides(str(row["compared"]))
    rises = not row["ratio"] < 1
    ratios = [row[name] if np.isfinite(row["ratio"]) else np.nan for name in RATIO]
    times = ratios if rises else [float(divided(1, ratio)) for ratio in (ratios[0], ratios[2], ratios[1])]
    found: table.Cell = {"larger": other if rises else base, "smaller": base if rises else other}
    for end, r in zip(ENDS, times, strict=True):
        found |= {f"times{end}": r, f"below{end}": 1 - float(divided(1, r)), f"above{end}": r - 1}
    return found


def _sides(compared: str) -> tuple[str, str]:
    parts = compared.split(APART)
    if len(parts) != 2:
        raise AnalysisError(f"{compared!r} does not name two sides, as 'other / base' does")
    return parts[0], parts[1]


def times_slower(directions: xr.Dataset, **keys: object) -> str:
    """Say one ratio in both directions, in words that stand alone.

    Parameters
    ----------
    directions : Dataset, dimension obs
        Result of `both_directions`, of a rate or a time.
    **keys
        Levels that choose the row.

    Returns
    -------
    str
        Such as "fuse is 3.57 (3.31 to 3.85) times slower than kernel: 72 % below, or kernel 257 % above"; of times,
        that the slower takes so many times as long; where the interval holds 1, that the two are not shown to differ.

    Raises
    ------
    AnalysisError
        If not exactly one row is chosen, or the variable is neither a rate nor a time.
    """
    table.require(table.validate(directions), "larger", "smaller", "times", "times_low", "times_high", "below", "above")
    rows = list(table.rows(dataset.select(directions, **keys)).records())
    table.refuse_several(len(rows), keys)
    row = rows[0]
    variable = str(directions.attrs["compared_variable"])
    is_rate = direction_of(str(columns.field(variable).unit), variable) == "highest"
    times = f"{row['times']:.3g}{_between(row['times_low'], row['times_high'])} times"
    larger, smaller = row["larger"], row["smaller"]
    if row["times_low"] < 1:
        return f"{smaller} is not shown to differ from {larger} (ratio {times.removesuffix(' times')})"
    shares = f"{100 * row['below']:.3g} % below, or {larger} {100 * row['above']:.3g} % above"
    return (
        f"{smaller} is {times} slower than {larger}: {shares}"
        if is_rate
        else f"{larger} takes {times} as long as {smaller}, which lies {shares}"
    )


def _between(low: float, high: float) -> str:
    return f" ({low:.3g} to {high:.3g})" if np.isfinite([low, high]).all() else ""
