"""Repeats that are closer to each other than any others of the campaign: invented, copied, or the best for all.

Noise differs from cell to cell, but not without a gap: the spreads of the settings in which an operation was measured
are put in order, and where some lie below a gap of a factor of ten, less than chi-square makes of the least spread
above the gap, they are told. Runs that repeat each other to the last digit have no spread at all.

Source: U. Simonsohn (2013), see `same_numbers`, for standard deviations that are too similar; here it is the variance
over the repeats.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import special

from storagelab.analysis.cells import Rows
from storagelab.analysis.inference.intervals import ROUNDING
from storagelab.analysis.inference.processor_independent import expm1
from storagelab.analysis.key_codes import Array
from storagelab.analysis.run_times import TIMES
from storagelab.analysis.validity.checks import Finding, Looked, Study, brief
from storagelab.analysis.validity.spreads import Logged, logged, where
from storagelab.errors import AnalysisError

GAP = 10.0
"""Factor by which a standard deviation must be smaller than all those above it."""

MOST = 0.003
"""Standard deviation of logs above which repeats are no closer than a steady machine may be."""

ABOVE = 0.6
"""Share of the settings that lie above the gap."""

FEWEST = 6
"""Settings in which an operation was repeated, for the campaign to say what is usual."""

STEPS = 3.0
"""Times the smallest difference of two repeats that the least spread above the gap must be: a clock with coarse steps
leaves runs equal by chance."""

SURE = 1e-3
"""P of so small a variance, times the number of settings."""


def alike(study: Study) -> Looked:
    """Look for settings whose repeats agree better than those of all others."""
    node = "clients" if study.has("clients") and "client" in study.rows("clients") else "runs"
    try:
        tables = logged(study, node)
    except AnalysisError:
        tables = logged(study, "runs")
    checked, found = 0, list[Finding]()
    for part in tables:
        rows = part.rows.assign(spot=_without_client(part.rows))
        for _, spreads in _spreads(rows).cells(["what"]):
            if len(spreads) >= FEWEST:
                checked += len(spreads)
                found += list(_below_a_gap(part, rows, spreads))
    if not checked:
        raise AnalysisError(f"no operation was repeated in {FEWEST} settings")
    return Looked(checked, "settings", found)


def _spreads(rows: Rows) -> Rows:
    """Pooled variance of the cells of each setting, over its clients, with its degrees of freedom; the least first."""
    cells = rows.cells(["cell"])
    apart = rows["x"] - cells.broadcast(cells.first("x"))
    dev = apart - cells.broadcast(cells.mean_of(apart[cells.order]))
    freedom = 1 - 1 / cells.broadcast(cells.size)
    settings = rows.assign(squares=dev**2, freedom=freedom).take(freedom > 0).cells(["what", "spot"])
    squares, freedom = settings.sum("squares"), settings.sum("freedom")
    return settings.results(squares=squares, freedom=freedom, variance=squares / freedom).sorted("variance")


def _without_client(rows: Rows) -> Array:
    """Number of the setting of each row: what is the same for all clients."""
    keys = [name for name in rows if name not in NOT_A_SETTING]
    return rows.cells(keys).of_row if "client" in rows else rows["cell"]


NOT_A_SETTING = frozenset(
    {"client", "host", "x", "cell", "setting", "what", "run_id", "repeat", "block", "throughput", "elapsed", "basis"}
    | {"operation_rate", "file", "client_link", "file_on_failed_server", "log_id", "line", "round", *TIMES}
)


def _below_a_gap(part: Logged, rows: Rows, spreads: Rows) -> Iterator[Finding]:
    variance = spreads["variance"]
    n = variance.size
    usable = [k for k in range(1, int(n * (1 - ABOVE)) + 1) if variance[k] > GAP**2 * variance[k - 1]]
    if not usable:
        return
    least = float(variance[usable[-1]])
    own = rows.where("what", spreads["what"][0])
    if np.sqrt(least) < STEPS * _step(own, spreads["spot"][usable[-1] :]):
        return
    for one in spreads.take(slice(usable[-1])).records():
        if one["variance"] > MOST**2 or _p(one["squares"], one["freedom"], least) * n > SURE:
            continue
        of_setting = own.where("spot", one["spot"])
        sd = float(np.sqrt(max(one["variance"], 0.0)))
        own_percent, least_percent = (brief(100 * float(expm1(one))) for one in (sd, np.sqrt(least)))
        said = f"{part.variable} differs by {own_percent} % between repeats, in no other setting by less than"
        said += f" {least_percent} %"
        keys = [key for key in part.keys if key not in ("client", "host")]
        last = max(of_setting["run_id"])
        yield Finding(where(of_setting, keys), said, float(np.sqrt(least) / max(sd, 1e-12)), run_id=str(last))


def _step(rows: Rows, settings: Array) -> float:
    """Smallest difference of two values of a cell in some settings: a clock may count no finer."""
    kept = rows.take(np.isin(rows["spot"], settings)).sorted("cell", "x")
    rise = np.diff(kept["x"])[kept["cell"][1:] == kept["cell"][:-1]]
    return float(min(rise[rise > ROUNDING], default=np.inf))


def _p(squares: float, freedom: float, variance: float) -> float:
    """Chance of a sum of squares as small, by chi-square."""
    return float(special.gammainc(freedom / 2, squares / variance / 2))
