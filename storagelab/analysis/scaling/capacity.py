"""Rates against what the servers can carry: how near to saturation, and whether the clients could ask for more."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Floats, Rows
from storagelab.analysis.repeats.summary import Scale, summarise
from storagelab.errors import AnalysisError

SATURATED, NEAR = 0.9, 0.7
WORDS = ("below saturation", "near saturation", "saturated", "above capacity: a cache or a wrong unit")

RATE = "B/s"
ENDS = ("", "_low", "_high")


def saturation_word(share: float) -> str:
    """Say in words what a share of the capacity means: saturated above 0.9, near from 0.7, a contradiction above 1.

    Examples
    --------
    >>> [saturation_word(350 / 375), saturation_word(270 / 375), saturation_word(0.28)]
    ['saturated', 'near saturation', 'below saturation']
    """
    if not np.isfinite(share):
        return "unknown"
    return WORDS[int(share >= NEAR) + int(share > SATURATED) + int(share > 1)]


def saturation(
    ds: xr.Dataset,
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    servers: int | None = None,
    capacity: float | None = None,
    over: Sequence[str] = (),
    statistic: str = "single",
    scale: Scale = "linear",
) -> xr.Dataset:
    """Rate over capacity: that of the servers' links, or one that is given.

    Parameters
    ----------
    ds, variable, by, over, statistic, scale
        See `storagelab.analysis.summarise`; the variable is the rate of all clients together [B/s].
    servers : int, optional
        Number of servers, each on a link of the key server_link [B/s], which then makes cells too.
    capacity : float, optional
        Capacity instead of that [B/s]: of a controller, a bond of links, an uplink.

    Returns
    -------
    Dataset, dimension obs
        One row a cell: as `storagelab.analysis.summarise`, with ``capacity`` [B/s]; ``saturation``, ``saturation_low``,
        ``saturation_high`` [1]; ``verdict`` (see `saturation_word`) of the mean; ``caveat`` where one run or the
        interval leaves other words possible.

    Raises
    ------
    AnalysisError
        If not just one of servers and capacity is given, or as `storagelab.analysis.summarise`.
    """
    means = _means(ds, variable, _by_link(by, capacity), over, statistic, scale)
    rows = table.rows(means)
    carried = _capacity(rows, servers, capacity)
    shares = {end: rows[f"{variable}{end}"] / carried for end in ENDS}
    ends = zip(shares["_low"].tolist(), shares["_high"].tolist(), rows["caveat"].tolist(), strict=True)
    caveats = ["; ".join(filter(None, [said, _caveat(low, high)])) for low, high, said in ends]
    rows = rows.assign(capacity=carried, **{f"saturation{end}": share for end, share in shares.items()})
    rows = rows.assign(verdict=list(map(saturation_word, shares[""].tolist())), caveat=caveats)
    return _labelled(rows, means, _by_link(by, capacity), variable, _told(servers, capacity))


def demand(
    ds: xr.Dataset,
    clients: Sequence[float],
    variable: str = "throughput",
    by: Sequence[str] = (),
    *,
    servers: int | None = None,
    capacity: float | None = None,
    x: str = "clients",
    over: Sequence[str] = (),
    statistic: str = "single",
    scale: Scale = "linear",
) -> xr.Dataset:
    """What n clients would take if none slowed another, against what the servers can give.

    The rate of a single client, times n, over the capacity. Above one the servers will be saturated, below one the
    clients cannot saturate them.

    Parameters
    ----------
    ds, variable, by, over, statistic, scale
        See `storagelab.analysis.summarise`; rows of single clients are used.
    clients : sequence of float
        Numbers of clients, n.
    servers, capacity
        See `saturation`.
    x : str
        Key that counts the clients.

    Returns
    -------
    Dataset, dimension obs
        One row a cell and n: keys `by` and `x`; ``demand`` and ``capacity`` [B/s], ``demand_share`` [1], the first and
        the last with ``_low`` and ``_high``; ``n`` (runs of the single client); ``verdict``: saturates, cannot
        saturate, or undecided where the interval holds one; ``caveat``.

    Raises
    ------
    AnalysisError
        If no row has a single client, not just one of servers and capacity is given, or as
        `storagelab.analysis.summarise`.
    """
    table.require(ds, x)
    single = ds.isel(obs=np.flatnonzero(ds[x].to_numpy() == 1))
    if not single.sizes["obs"]:
        raise AnalysisError(f"no row has a single client ({x}=1): their demand is not known")
    keys = [key for key in _by_link(by, capacity) if key != x]
    means = _means(single, variable, keys, over, statistic, scale)
    of_one = table.rows(means)
    rows = of_one.take(np.repeat(np.arange(len(of_one)), len(clients)))
    rows = rows.assign(**{x: np.tile(np.asarray(clients, dtype=np.float64), len(of_one))})
    carried = _capacity(rows, servers, capacity)
    asked = {f"demand{end}": rows[f"{variable}{end}"] * rows[x] for end in ENDS}
    asked |= {f"demand_share{end}": asked[f"demand{end}"] / carried for end in ENDS}
    verdict = _demanded(*(asked[f"demand_share{end}"] for end in ENDS))
    found = rows.only([*keys, x, "n", "caveat"]).assign(capacity=carried, verdict=verdict, **asked)
    return _labelled(found, means, [*keys, x], variable, f"single clients times n, {_told(servers, capacity)}")


def _by_link(by: Sequence[str], capacity: float | None) -> list[str]:
    return list(by) if capacity is not None or "server_link" in by else [*by, "server_link"]


def _means(
    ds: xr.Dataset, variable: str, by: Sequence[str], over: Sequence[str], statistic: str, scale: Scale
) -> xr.Dataset:
    if table.unit(ds, variable) != RATE:
        raise AnalysisError(f"what is carried is in {RATE}, {variable} is in {table.unit(ds, variable)}")
    return summarise(ds, variable, by, over=over, statistic=statistic, scale=scale)


def _capacity(rows: Rows, servers: int | None, capacity: float | None) -> Floats:
    if (servers is None) == (capacity is None):
        raise AnalysisError("what the servers can carry is a number of servers, or a capacity: give one of the two")
    carried = rows["server_link"] * servers if servers is not None else np.full(len(rows), capacity, dtype=np.float64)
    if not (carried > 0).all():
        raise AnalysisError("a capacity is above zero and known: check servers, capacity and server_link")
    return carried


def _told(servers: int | None, capacity: float | None) -> str:
    return f"over the links of {servers} servers" if capacity is None else "over the capacity given"


def _caveat(low: float, high: float) -> str:
    if not np.isfinite(low):
        return ""
    words = list(dict.fromkeys(saturation_word(share) for share in _between(low, high)))
    return f"may be: {', '.join(words)}" if len(words) > 1 else ""


def _between(low: float, high: float) -> list[float]:
    """Ends of a range, and one share inside each class that lies between."""
    inside = [(a + b) / 2 for a, b in pairwise((NEAR, SATURATED, 1.0)) if low < (a + b) / 2 < high]
    return [low, *inside, high]


def _demanded(share: Floats, *ends: Floats) -> list[str]:
    lows, highs = (np.where(np.isfinite(end), end, share).tolist() for end in ends)
    found = zip(lows, highs, strict=True)
    return ["saturates" if low > 1 else "cannot saturate" if high < 1 else "undecided" for low, high in found]


def _labelled(rows: Rows, means: xr.Dataset, keys: Sequence[str], variable: str, how: str) -> xr.Dataset:
    attrs = {name: means.attrs[name] for name in ("statistic", "unit")}
    return table.dataset(
        rows, means, keys, **attrs, compared_variable=variable, method=f"{means.attrs['method']}; {how}"
    )
