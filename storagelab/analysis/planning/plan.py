"""How many runs a comparison needs: from the noise of a pilot to the rounds of a campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.correction import ALPHA, sidak
from storagelab.analysis.inference.intervals import ROUNDING, Floats
from storagelab.analysis.inference.power import difference_power, equivalence_power, paired_power
from storagelab.analysis.inference.processor_independent import log, log1p
from storagelab.analysis.planning.pilot import Pilot, pilot_of
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import rounds_of, values_of_runs
from storagelab.errors import AnalysisError

MOST = 1000
"""Rounds beyond which no campaign is planned."""
LARGEST = 10
"""Runs of a round, at most."""
FEW = 6
"""Degrees of freedom of a pilot below which its spread may well be half or twice as large."""
POWER = 0.9

Power = Callable[[Floats, int], Floats]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Rounds, runs of each, and the power expected of them."""

    rounds: float
    runs: float
    power: float


def plan_repeats(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    *,
    effect: float,
    cells: int | None = None,
    margin: float | None = None,
    power: float = POWER,
    paired: bool = False,
    round_cost: float = 1.0,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Plan how many runs a side and cell show a ratio, or equivalence, as often as asked.

    The campaign that is planned compares two sides in each cell, as `compare` does: by Welch's t on the logs, the round
    being the unit, at the simultaneous level of all cells (Sidak), 5 % in all. Claims its power, within a tenth, where
    the noise of logs is near normal, alike in all cells and like that of the pilot (docs/simulations.md). It is the
    mean over what the spread may be, given that the pilot's few runs do not tell it exactly.

    Parameters
    ----------
    ds, variable, over, statistic
        See `run_values`: a pilot, of as many cells as there are; each with two runs or more. The relative spread is
        pooled over them. Rounds are blocks, or repeats where the blocks are not known.
    by : sequence of str
        Keys that make the cells of the pilot, both sides among them.
    effect : float
        The ratio that is to be shown: 1.1, or 0.9.
    cells : int, optional
        Comparisons that are made together in the campaign; by default as many as the pilot has cells.
    margin : float, optional
        With it also equivalence is planned for: that two equal sides are shown to lie within 1 - margin and 1 + margin.
    power : float
        How often the campaign is to show what it was planned for, in each cell.
    paired : bool
        Whether both sides will stand in each round and be compared round by round (``compare(pair=["repeat"])``): what
        a round does to both is then no spread. It needs a pilot in which cells share rounds.
    round_cost : float
        What a round costs before its first run, in runs: a fresh volume, a restart, a day. The dearer it is, the more
        runs are planned in each.

    Returns
    -------
    Dataset, dimension obs
        One row a question, the key ``planned_for`` ("a ratio of 1.1", "equivalence within 0.05"): ``rounds``,
        ``runs_a_round`` (of each side), ``n`` (runs a side and cell, their product), ``expected_power``;
        ``level_of_test``; what the pilot says: ``noise`` with interval and ``round_noise``, standard deviations of logs
        between the runs of a round and between rounds, and ``freedom``, how well the first is known; ``caveat``.
        NaN where more than 1000 rounds are needed.

    Raises
    ------
    AnalysisError
        If an effect, a margin, a power or a number of cells is none; if no cell of the pilot has two runs, or none of
        them spread; for values that are not positive, or as `run_values`.
    """
    _check(effect, cells, margin, power, round_cost)
    rows = _rounds(values_of_runs(ds, variable, by, over=over, statistic=statistic, blocks=False).rows, by)
    check_scale(rows[variable], variable)
    found = pilot_of(rows.assign(**{variable: log(rows[variable])}), variable, by, shared=not paired)
    _check_pilot(found, by, paired)
    family = cells or len(rows.cells(by))
    level = float(sidak(family))
    asked = questions(effect, margin, level, paired)
    planned = [{"planned_for": name, **_planned(of, found, power, round_cost)} for name, of in asked]
    spread, ends = found.run_spread()
    said = {
        "level_of_test": level,
        "noise": spread,
        columns.low("noise"): ends[0],
        columns.high("noise"): ends[1],
        "round_noise": float(np.sqrt(found.of_rounds)),
        "freedom": found.freedom_within or found.freedom,
    }
    test = "paired t" if paired else "Welch's t"
    method = f"power {power:g} of {test} on logs of rounds in each of {family} cells, {100 * ALPHA:g} % in all (Sidak)"
    return table.dataset([{**row, **said} for row in planned], ds, ["planned_for"], statistic=statistic, method=method)


def _check(effect: float, cells: int | None, margin: float | None, power: float, round_cost: float) -> None:
    if not (0 < effect < np.inf) or effect == 1:
        raise AnalysisError(f"an effect is a ratio above 0 and not 1, such as 1.1 or 0.9, not {effect:g}")
    if cells is not None and cells < 1:
        raise AnalysisError(f"a campaign compares in 1 cell or more, not in {cells}")
    if margin is not None and not 0 < margin < 1:
        raise AnalysisError(f"a margin lies between 0 and 1, not at {margin:g}: 0.05 is 5 %")
    if not ALPHA < power < 1:
        raise AnalysisError(f"a power lies between {ALPHA:g} and 1, not at {power:g}: 0.9 is 90 %")
    if not 0 <= round_cost < np.inf:
        raise AnalysisError(f"a round costs 0 runs or more, not {round_cost:g}")


def _rounds(rows: Rows, by: Sequence[str]) -> Rows:
    """Give each run its round; where that is not known, none but itself."""
    alone = -1.0 - np.arange(len(rows))
    known = rounds_of(rows, by)
    return rows.assign(round=np.where(np.isnan(known), alone, known))


def _check_pilot(found: Pilot, by: Sequence[str], paired: bool) -> None:
    named = ", ".join(by) or "the pilot"
    if paired and found.freedom <= 0:
        raise AnalysisError(f"no two cells of {named} share two rounds: what both sides of a round share is not known")
    if max(found.freedom, found.freedom_within) <= 0:
        raise AnalysisError(f"no cell of {named} has two runs: a pilot shows its noise by repeats")
    if not np.sqrt(np.nanmax([found.between, found.within])) > ROUNDING:
        raise AnalysisError(f"the runs of each cell of {named} are equal: a pilot without noise plans nothing")


def questions(effect: float, margin: float | None, level: float, paired: bool) -> Iterator[tuple[str, Power]]:
    """What is planned for, each with its power, given the variances of a round and how many rounds there are."""
    gap, shown = float(log(effect)), paired_power if paired else difference_power
    yield f"a ratio of {effect:g}", lambda variances, n: shown(gap, np.sqrt(variances), n, level)
    if margin is not None:
        low, high = float(log1p(-margin)), float(log1p(margin))
        yield (
            f"equivalence within {margin:g}",
            lambda variances, n: equivalence_power(low, high, np.sqrt(variances), n, level, paired=paired),
        )


def _planned(of: Power, found: Pilot, power: float, round_cost: float) -> dict[str, float | str]:
    sizes = cheapest(of, found, power, round_cost)
    return {
        "rounds": sizes.rounds,
        "runs_a_round": sizes.runs,
        "n": sizes.rounds * sizes.runs,
        "expected_power": sizes.power,
        "caveat": _caveat(found, sizes),
    }


def cheapest(of: Power, found: Pilot, power: float, round_cost: float) -> Sizes:
    """Of all rounds and runs that reach a power take the cheapest: of equal ones that with the fewest runs a round."""
    reached = [
        Sizes(rounds, runs, share)
        for runs in range(1, (LARGEST if found.nested else 1) + 1)
        for rounds, share in [fewest_rounds(of, found.variances(runs), power)]
    ]
    priced = [one.rounds * (round_cost + one.runs) for one in reached]
    return min(zip(priced, range(len(reached)), reached, strict=True))[2] if np.isfinite(priced).any() else NONE


NONE = Sizes(np.nan, np.nan, np.nan)


def fewest_rounds(of: Power, variances: Floats, power: float) -> tuple[float, float]:
    """Return the fewest rounds whose mean power is as asked, and that power; infinitely many where 1000 are too few."""
    low, high = 1, 2
    while high < MOST and not _reaches(of, variances, high, power):
        low, high = high, min(2 * high, MOST)
    if not _reaches(of, variances, high, power):
        return np.inf, np.nan
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _reaches(of, variances, middle, power) else (middle, high)
    return float(high), float(of(variances, high).mean())


def _reaches(of: Power, variances: Floats, rounds: int, power: float) -> bool:
    return bool(of(variances, rounds).mean() >= power - NEARLY)


NEARLY = 1e-9
"""A power that is as asked but for rounding is as asked."""


def _caveat(found: Pilot, sizes: Sizes) -> str:
    if not np.isfinite(sizes.rounds):
        return f"more than {MOST} rounds"
    freedom = found.freedom_within or found.freedom
    if freedom < FEW:
        return f"a pilot with {freedom:.2g} degrees of freedom: its noise may be half or twice as large"
    if not found.freedom:
        return "the pilot has one round: what rounds differ by is not known"
    if found.nested and found.freedom < FEW:
        return f"{found.freedom:.2g} degrees of freedom between rounds: what they differ by is hardly known"
    return ""
