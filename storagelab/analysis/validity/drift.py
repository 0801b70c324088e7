"""Whether a campaign drifts: a trend of its values over the time, or the order, in which they were taken."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import xarray as xr

from storagelab import days_and_rounds, schema
from storagelab.analysis import columns, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.correction import ALPHA, holm, verdicts
from storagelab.analysis.inference.intervals import Floats, spreadless
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.inference.trend_tests import NO_TREND, Sample, p_of_rounds, trend
from storagelab.analysis.repeats.summary import check_scale
from storagelab.analysis.runs import values_of_runs
from storagelab.errors import AnalysisError

ROUNDS = ("repeat", "block")
"""Orders of which a level is a round of the campaign: its runs share what the machine did then, so it is the unit."""

TIMES = ("started", "start_time")
FEWEST = 5
"""Values that an order needs: four in a row still come about by chance once in twelve times."""


def drift_test(
    ds: xr.Dataset,
    variable: str,
    by: Sequence[str],
    order: str = "repeat",
    within: Sequence[str] = (),
    *,
    over: Sequence[str] = (),
    statistic: str = "single",
) -> xr.Dataset:
    """Test whether values rise or fall over the campaign: Kendall's test on runs of the same cell.

    Over times (`started`, `start_time`) the run is the unit: each is held against the other runs of its cell alone, and
    the pairs of all cells are added up (Hirsch, Slack and Smith 1982). Over rounds (`repeat`, `block`) the round is the
    unit, as its runs share whatever the machine did then: the mean log of each round, over the cells that have every
    round, makes one series. Fewer than 5 rounds, or 5 runs, are refused: no order of them is improbable enough.

    Parameters
    ----------
    ds, variable, over, statistic
        See `storagelab.analysis.run_values`. Over times, the result claims its level for runs that are independent:
        runs of one round that share a disturbance may pass for a drift. Where the repeats differ by more than the noise
        of their runs, `caveat` says so. Values must be positive: logs are compared.
    by : sequence of str
        Keys that make the cells.
    order : str
        ``repeat`` or ``block``; or ``started`` or ``start_time``, which `storagelab.analysis.with_keys_of` brings from
        the node ``logs`` where the logs of a run agree. Of several starts in a run the mean counts.
    within : sequence of str
        Keys among `by`; each of their cells is tested on its own.

    Returns
    -------
    Dataset, dimension obs
        One row a cell of `within`: ``tau`` [1]; ``change`` [1], end over start of the campaign by the median slope,
        with interval (Sen 1968); ``n``, runs or rounds in the test; ``p``, ``p_holm``; ``verdict`` (rising, falling,
        undecided); ``caveat``. ``attrs["unit"]`` says what n counts.

    Raises
    ------
    AnalysisError
        If `order` is no order, a time is no time, values are not positive, or as `run_values`.

    Examples
    --------
    >>> timed = with_keys_of(runs, logs, ["started"])  # doctest: +SKIP
    >>> drift_test(timed, "throughput", ["layout", "clients"], "started")  # doctest: +SKIP
    """
    if order not in (*ROUNDS, *TIMES):
        known = ", ".join((*ROUNDS, *TIMES))
        brought = "`with_keys_of(ds, logs, ['started'])` brings it from the node logs"
        raise AnalysisError(f"the order of a campaign is one of {known}, not {order}; {brought}")
    if lost := [key for key in within if key not in by]:
        raise AnalysisError(f"{', '.join(lost)} of within is not in by: {', '.join(by)}")
    if order in by:
        raise AnalysisError(
            f"{order} is the order: cells of one {order} cannot show a drift over it, take it out of by"
        )
    runs = _ordered(ds, variable, by, order, over, statistic)
    check_scale(runs[variable], variable)
    logs = runs.assign(**{variable: log(runs[variable])})
    rng = generator(str(ds.attrs.get("study", "")), "drift", variable)
    found = Rows.of_cells([{**cell, **_drift(part, variable, by, order, rng)} for cell, part in logs.cells(within)])
    p_holm = holm(found["p"])
    direction = np.where(found["tau"] > 0, "rising", "falling")
    found = found.assign(p_holm=p_holm, verdict=verdicts(p_holm, direction))
    method = f"Kendall's test over {order} on runs of the same cell, median slope with 95 % interval"
    unit = order if order in ROUNDS else "run"
    return table.dataset(found, ds, within, statistic=statistic, method=method, unit=unit)


def _ordered(ds: xr.Dataset, variable: str, by: Sequence[str], order: str, over: Sequence[str], statistic: str) -> Rows:
    """One row a run and cell, with its place in the order."""
    table.require(ds, variable, order)
    if order in ROUNDS:
        runs = values_of_runs(ds, variable, by, over=over, statistic=statistic).rows
    else:
        measured = ds.isel(obs=np.flatnonzero(ds[variable].notnull()))
        timed = measured.assign(start_time=("obs", _seconds(measured[order]), _SECONDS))
        both = (values_of_runs(timed, name, by, over=over, statistic=statistic) for name in (variable, "start_time"))
        values, times = (runs.rows for runs in both)
        runs = values.assign(**{order: times["start_time"]})
    if np.isnan(runs[order]).any():
        raise AnalysisError(f"of {int(np.isnan(runs[order]).sum())} runs it is not known where they stand in {order}")
    return runs


_SECONDS = {"units": "s", "long_name": schema.field("start_time").long_name}


def _seconds(times: xr.DataArray) -> Floats:
    if times.dtype.kind == "f":
        return np.asarray(times, dtype=np.float64)
    found = days_and_rounds.seconds(times.to_numpy().tolist())
    if np.isnan(found).any():
        bad = str(times.to_numpy()[np.isnan(found)][0])
        raise AnalysisError(f"{times.name} {bad!r} is no time as ISO 8601 writes it")
    return found


def _drift(
    part: Rows, variable: str, by: Sequence[str], order: str, rng: np.random.Generator
) -> dict[str, float | str]:
    samples = [_rounds(part, variable, by, order)] if order in ROUNDS else _runs(part, variable, by, order)
    n = sum(len(values) for _, values in samples)
    too_few = n < FEWEST
    equal = all(spreadless(values) for _, values in samples)
    found = NO_TREND if too_few or equal else trend(samples, rng)
    span = float(part[order].max() - part[order].min())
    caveat = _few(n, order) if too_few else "runs without spread" if equal else _shared(part, variable, by, order)
    if not caveat and not np.isfinite(found.interval[0]):
        caveat = "too few pairs, or too many equal ones, for an interval"
    return {
        "tau": found.tau,
        "change": float(exp(found.slope * span)),
        columns.low("change"): float(exp(found.interval[0] * span)),
        columns.high("change"): float(exp(found.interval[1] * span)),
        "n": float(n),
        "p": found.p,
        "caveat": caveat,
    }


def _few(n: int, order: str) -> str:
    unit = f"{order}s" if order in ROUNDS else "runs of cells with several"
    return f"{n} {unit}: no order of fewer than {FEWEST} is improbable"


def _shared(part: Rows, variable: str, by: Sequence[str], order: str) -> str:
    """Say where the runs of a round are alike, so that a few rounds pass for a time."""
    if order in ROUNDS or np.isnan(part["repeat"]).any():
        return ""
    rounds, values = _grid(part, variable, by, "repeat")
    p = p_of_rounds(values)
    return f"the {len(rounds)} repeats differ: a drift is not told from what each has in common" if p <= ALPHA else ""


def _runs(part: Rows, variable: str, by: Sequence[str], order: str) -> list[Sample]:
    cells = part.cells(by)
    both = zip(cells.slices(order), cells.slices(variable), strict=True)
    return [(place, values) for place, values in both if len(values) > 1]


def _rounds(part: Rows, variable: str, by: Sequence[str], order: str) -> Sample:
    """Mean of each round over the cells that have all rounds."""
    rounds, values = _grid(part, variable, by, order)
    return (rounds, values.mean(axis=0)) if len(values) else (np.zeros(0), np.zeros(0))


def _grid(part: Rows, variable: str, by: Sequence[str], order: str) -> tuple[Floats, Floats]:
    """Rounds, and cells by rounds, without the cells that lack one: their level would drop out of some rounds only."""
    numbered = part.assign(cell=part.cells(by).of_row)
    _, rounds, means = numbered.grid(variable, "cell", order)
    return rounds, means[~np.isnan(means).any(axis=1)]
