"""What each of two factors does to a rate, and whether one changes what the other does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import effect, judge, quotient
from storagelab.analysis.comparison.sides import runs_by_cell
from storagelab.analysis.inference.mean_differences import Difference
from storagelab.analysis.inference.processor_independent import log
from storagelab.analysis.inference.two_by_two import effects
from storagelab.analysis.key_codes import Places
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import Runs, labelled_runs, values_of_runs
from storagelab.dataset import select
from storagelab.errors import AnalysisError

Levels = tuple[str | float, str | float]


def factorial_effects(
    ds: xr.Dataset,
    variable: str,
    factors: Mapping[str, Levels],
    by: Sequence[str] = (),
    *,
    blocks: str = "",
    margin: float | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Main effects of two factors as ratios, and their interaction as a ratio of ratios.

    Least squares on the logs, with one spread for all four combinations. Where the interaction is not 1, a main effect
    is an average of two unlike ratios: ask `storagelab.analysis.compare` for each.

    Parameters
    ----------
    ds, variable, by, over, statistic
        See `storagelab.analysis.run_values`.
    factors : mapping of two keys
        Base and other level of each, such as ``{"driver_net": ("emulated", "virtio"), "driver_disk": ("ide",
        "virtio")}``.
    blocks : str, optional
        Key of the rounds in which all combinations were measured (repeat): what a round does to all is then no spread.
    margin : float, optional
        With it also equivalence to no effect is asked, as by `compare`.

    Returns
    -------
    Dataset, dimension obs
        Three rows a cell: the keys `by`, ``effect`` (a factor, or "first x second"), ``compared``; ``ratio``,
        ``ratio_low``, ``ratio_high``; ``n`` and ``n_base``, the runs above and below the line of the ratio (the blocks,
        where they are given); ``p``, ``p_adjusted`` over the table, ``verdict``, and the columns of equivalence, as
        `compare`; ``caveat``, also where runs depend on the ones before, which they take for independent unless
        `blocks` are given. Pure numbers.

    Raises
    ------
    AnalysisError
        If there are not two factors, if a combination has no run, if values are not positive, or as `run_values`.
    """
    if len(factors) != 2:
        raise AnalysisError(f"effects are of two factors, got {', '.join(factors) or 'none'}")
    chosen = select(ds, **{key: list(levels) for key, levels in factors.items()})
    keys = list(dict.fromkeys([*by, *factors, *([blocks] if blocks else [])]))
    runs = values_of_runs(chosen, variable, keys, over=over, statistic=statistic)
    check_scale(runs.rows[variable], variable)
    doubts = {} if blocks else _doubts(runs, variable, by, factors)
    found = [
        {**cell, **row, "caveat": row["caveat"] or doubts.get(table.cell_id(cell, by), "")}
        for cell, part in runs.rows.cells(by)
        for row in _effects(cell, part, variable, factors, blocks, margin)
    ]
    method = "least squares on the logs with both factors, their interaction" + (f" and {blocks}" if blocks else "")
    attrs = {"unit": runs.unit, "compared_variable": variable}
    attrs["margin"] = "" if margin is None else f"{margin:g}"
    result, like = judge(found, margin), labelled_runs(runs, chosen)
    return table.dataset(result, like, [*by, "effect", "compared"], statistic=statistic, method=method, **attrs)


def _doubts(runs: Runs, variable: str, by: Sequence[str], factors: Collection[str]) -> dict[tuple[str, ...], str]:
    """Say of each cell why its runs, which its intervals take for independent, may not be."""
    logs = replace(runs, rows=runs.rows.assign(**{variable: log(runs.rows[variable])}))
    found: dict[tuple[str, ...], str] = {}
    for cell, side in runs_by_cell(logs, variable, list(dict.fromkeys([*by, *factors]))):
        name = table.cell_id(cell, by)
        found[name] = found.get(name, "") or side.doubt_if_independent
    return found


def _effects(
    cell: table.Cell, part: Rows, variable: str, factors: Mapping[str, Levels], blocks: str,
    margin: float | None,
) -> list[table.Cell]:  # fmt: skip
    _require_all(cell, part, factors)
    (first, (_, one)), (second, (low, high)) = factors.items()
    upper = [part[key] == level for key, level in ((first, one), (second, high))]
    codes = part.cells([blocks]).of_row if blocks else None
    found = effects(log(part[variable]), upper[0], upper[1], codes)
    names = [first, second, f"{first} x {second}"]
    ratios = [quotient(other, base) for base, other in factors.values()]
    compared = [*ratios, " / ".join(f"({ratios[0]} at {table.format_level(level)})" for level in (high, low))]
    above = [*upper, upper[0] == upper[1]]
    return [
        {"effect": name, "compared": what, **effect(gap, margin), **_counts(side, codes), "caveat": _caveat(gap)}
        for name, what, gap, side in zip(names, compared, found, above, strict=True)
    ]


def _counts(above: NDArray[np.bool_], blocks: Places | None) -> dict[str, float]:
    """How many runs, or blocks, are on each side."""
    units = np.arange(above.size) if blocks is None else blocks
    return {"n": float(np.unique(units[above]).size), "n_base": float(np.unique(units[~above]).size)}


def _caveat(gap: Difference) -> str:
    return "" if gap.known else "one run of each combination, or no spread: no interval"


def _require_all(cell: table.Cell, part: Rows, factors: Mapping[str, Levels]) -> None:
    """Refuse a cell in which a combination of the two factors was not measured."""
    (first, levels), (second, others) = factors.items()
    for level in levels:
        for another in others:
            if not ((part[first] == level) & (part[second] == another)).any():
                missing = table.name_cell({**cell, first: level, second: another})
                raise AnalysisError(f"no run has {missing}: effects need all four combinations")
