"""Runs that depend on each other, days, and tails: what `summarise`, `compare` and `winners` say of whole campaigns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr

from storagelab import dataset
from storagelab.analysis import compare, summarise, winners
from tests.simulations.model import RUNS, Floats, Simulation, covers

Generator = np.random.Generator
Noise = Callable[[Generator, int], Floats]

SPREAD = 0.05
DAY = 86400.0
START = 1.7e9
PAUSE = 60.0
A_DAY = 5
"""Runs of a day."""
CELLS = 60
TABLES = 200
CAMPAIGNS = 500


def correlated(rng: Generator, n: int, rho: float) -> Floats:
    """Standard normal noise in which each run carries a share `rho` of the one before: AR(1)."""
    fresh = rng.standard_normal(n) * np.sqrt(1 - rho**2)
    found = np.empty(n)
    found[0] = rng.standard_normal()
    for place in range(1, n):
        found[place] = rho * found[place - 1] + fresh[place]
    return found


def of_days(rng: Generator, n: int) -> Floats:
    """Standard normal noise, half of whose variance the runs of one day share."""
    shared = rng.standard_normal(-(-n // A_DAY))[np.arange(n) // A_DAY]
    return np.asarray(np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.standard_normal(n))


def near_a_cap(rng: Generator, n: int) -> Floats:
    """Runs that crowd below the rate of a link."""
    return np.asarray(1 - SPREAD * rng.exponential(1, n))


def two_modes(rng: Generator, n: int) -> Floats:
    """One run in five at half of the rate."""
    return np.asarray(rng.normal(1, SPREAD, n) * np.where(rng.random(n) < 0.2, 0.5, 1))


def stalls(rng: Generator, n: int) -> Floats:
    """One run in twenty at a fifth of the rate."""
    return np.asarray(rng.normal(1, SPREAD, n) * np.where(rng.random(n) < STALLED, 0.2, 1))


def _around_one(noise: Noise) -> Noise:
    return lambda rng, n: 1 + SPREAD * noise(rng, n)


STALLED = 0.05
STALLING = "stalls in one run of 20"
NOISES: dict[str, tuple[Noise, float]] = {
    **{f"AR(1) {rho:g}": (_around_one(partial(correlated, rho=rho)), 1.0) for rho in (0.3, 0.6, 0.9)},
    "days of five, ICC 0.5": (_around_one(of_days), 1.0),
    "days of five as blocks, ICC 0.5": (_around_one(of_days), 1.0),
    "skewed below a cap": (near_a_cap, 1 - SPREAD),
    "modes 80/20": (two_modes, 0.9),
    STALLING: (stalls, 0.96),
}


def campaign(rows: list[dict[str, float | str]]) -> xr.Dataset:
    """Runs as a study has them."""
    return dataset.from_rows([{"statistic": "single", **row} for row in rows], origin="measured", study="simulated")


def _started(place: int, name: str) -> float:
    """When a run started: one a minute, and five a day where there are days."""
    return START + place * PAUSE + (place // A_DAY * DAY if name.startswith("days of five,") else 0.0)


class Point(NamedTuple):
    """What `summarise` says of a campaign of one cell whose order is known."""

    ends: tuple[float, float]
    caveat: str
    unseen_share: float

    def misses(self, noise: str) -> bool:
        """Whether the truth is outside, and no caveat says that it may be."""
        return not self.caveat and covers(self.ends, NOISES[noise][1] * 1e8) == 0


def one_point(rng: Generator, n: int, noise: str) -> Point:
    """Measure a campaign of one cell and summarise it."""
    draw, _ = NOISES[noise]
    rows: list[dict[str, float | str]] = [
        {"run_id": f"r{place}", "repeat": place + 1.0, "start_time": _started(place, noise), "throughput": value * 1e8}
        for place, value in enumerate(draw(rng, n).tolist())
    ]
    if "blocks" in noise:
        rows = [{**row, "block": place // A_DAY + 1.0} for place, row in enumerate(rows)]
    found = summarise(campaign(rows), "throughput", [])
    low, high, caveat, unseen = (
        found[name].item() for name in ("throughput_low", "throughput_high", "caveat", "unseen_share")
    )
    return Point((low, high), caveat, unseen)


def _coverage(rng: Generator, n: int, noise: str) -> float:
    point = one_point(rng, n, noise)
    return np.nan if point.caveat else covers(point.ends, NOISES[noise][1] * 1e8)


def _silent(rng: Generator, n: int, noise: str) -> float:
    return float(one_point(rng, n, noise).misses(noise))


def _untold(rng: Generator, n: int) -> float:
    """Whether stalls put the truth outside, and neither a caveat nor `unseen_share` says that they may."""
    point = one_point(rng, n, STALLING)
    return float(point.misses(STALLING) and point.unseen_share < STALLED)


def _stalls_untold() -> list[Simulation]:
    method = "mean of one cell, t interval, order known, with `unseen_share`"
    return [
        Simulation(method, "silent", STALLING, n, True, partial(_untold, n=n), campaigns=CAMPAIGNS)
        for n in (30, 60, 100)
    ]


UNSEEN = {(STALLING, 30)}
"""No stall comes in 30 runs of a fifth of the campaigns, and no caveat can tell: `unseen_share` says what is missed."""


def _points() -> list[Simulation]:
    return [
        Simulation(f"mean of one cell, t interval, {words}", measure, noise, n, claims, trial, campaigns=CAMPAIGNS)
        for noise in NOISES
        for n in RUNS
        for measure, words, claims, trial in (
            ("coverage", "order known", False, partial(_coverage, n=n, noise=noise)),
            ("silent", "order known", (noise, n) not in UNSEEN, partial(_silent, n=n, noise=noise)),
        )
    ]  # type: ignore[misc]


def _many_cells(rng: Generator, n: int, rho: float, cells: int = 20) -> xr.Dataset:
    rows: list[dict[str, float | str]] = [
        {"clients": float(cell), "run_id": f"{cell}.{place}", "repeat": place + 1.0, "throughput": 1 + SPREAD * value}
        for cell in range(cells)
        for place, value in enumerate(correlated(rng, n, rho).tolist())
    ]
    return summarise(campaign(rows), "throughput", ["clients"])


def _table_covers(rng: Generator, n: int, rho: float) -> float:
    found = _many_cells(rng, n, rho)
    inside = (found["throughput_low"] <= 1) & (found["throughput_high"] >= 1)
    return float(inside.mean()) if np.isfinite(found["throughput_low"]).all() else np.nan


def _table_is_silent(rng: Generator, n: int, rho: float) -> float:
    found = _many_cells(rng, n, rho)
    outside = (found["throughput_low"] > 1) | (found["throughput_high"] < 1)
    return float((outside & (found["caveat"] == "")).mean())


REFUSED = (5, 0.6)
"""Five runs that depend so much on each other say less than one: most tables have no interval."""


def _tables_of_means() -> list[Simulation]:
    return [
        Simulation(
            f"means of 20 cells, t interval{words}", measure, f"AR(1) {rho:g}" if rho else "independent", n, claims,
            partial(trial, n=n, rho=rho), campaigns=TABLES,
        )
        for rho in (0.0, 0.3, 0.6)
        for n in (5, 10, 30)
        for words, measure, claims, trial in (
            (", flagged or not", "coverage", (n, rho) != REFUSED, _table_covers),
            ("", "silent", True, _table_is_silent),
        )
    ]  # type: ignore[misc]  # fmt: skip


Place = tuple[str, int, int]


def one_side_first(n: int) -> Iterator[Place]:
    """Side, cell and repeat of each run, in the order in which they are made."""
    return ((side, cell, repeat) for side in "AB" for cell in range(CELLS) for repeat in range(n))


def in_rounds(n: int) -> Iterator[Place]:
    """A round of all cells and both sides after the other."""
    return ((side, cell, repeat) for repeat in range(n) for cell in range(CELLS) for side in "AB")


def table(
    rng: Generator, n: int, order: Callable[[int], Iterator[Place]], rho: float, day: Callable[[Place], int] | None,
    slower: float = 0.0,
) -> xr.Dataset:  # fmt: skip
    """Two sides over 60 cells; one cell of B may be slower."""
    places = list(order(n))
    noise = correlated(rng, len(places), rho)
    shared: dict[int, float] = {}
    rows: list[dict[str, float | str]] = []
    for number, (place, own) in enumerate(zip(places, noise.tolist(), strict=True)):
        side, cell, repeat = place
        when = day(place) if day else 0
        of_day = shared.setdefault(when, float(rng.standard_normal())) if day else 0.0
        error = np.sqrt(0.5) * (of_day + own) if day else own
        log = SPREAD * float(error) + (np.log1p(-slower) if (side, cell) == ("B", 0) else 0.0)
        rows.append(
            {
                "layout": side, "clients": float(cell), "repeat": repeat + 1.0, "run_id": f"{side}{cell}.{repeat}",
                "start_time": START + when * DAY + number * 10.0, "throughput": 1e8 * float(np.exp(log)),
            }
        )  # fmt: skip
    return campaign(rows)


SIDES = ("throughput", "layout", "A", "B", ["clients"])
Design = tuple[Callable[[int], Iterator[Place]], float, Callable[[Place], int] | None]
DESIGNS: dict[str, Design] = {
    "independent, one side first": (one_side_first, 0.0, None),
    "AR(1) 0.6, one side first": (one_side_first, 0.6, None),
    "AR(1) 0.6, in rounds": (in_rounds, 0.6, None),
    "a day for each side, ICC 0.5": (one_side_first, 0.0, lambda place: "AB".index(place[0])),
    "days of five of both sides, ICC 0.5": (in_rounds, 0.0, lambda place: place[2] // A_DAY),
}


def _any_verdict(rng: Generator, n: int, design: str) -> float:
    found = compare(table(rng, n, *DESIGNS[design]), *SIDES)
    return float((found["verdict"] != "undecided").any())


def _contradiction(rng: Generator, n: int, design: str) -> float:
    found = compare(table(rng, n, *DESIGNS[design], slower=0.15), *SIDES)
    outside = (found["ratio_low"] > 1) | (found["ratio_high"] < 1)
    return float((outside != (found["verdict"] != "undecided")).any())


def _slowdown(rng: Generator, n: int, **how: str) -> float:
    found = compare(table(rng, n, in_rounds, 0.0, None, slower=0.1), *SIDES, **how)  # type: ignore[arg-type]
    return float(found["verdict"][0] == "lower")


def _left_out(rng: Generator, n: int, candidates: int = 4, cells: int = 20) -> float:
    """Whether any of equal candidates is left out anywhere in a table."""
    rows: list[dict[str, float | str]] = [
        {
            "filesystem": f"f{one}", "operation": f"o{cell}", "repeat": repeat + 1.0,
            "run_id": f"{one}.{cell}.{repeat}", "operation_rate": float(np.exp(SPREAD * rng.standard_normal())),
        }
        for cell in range(cells)
        for one in range(candidates)
        for repeat in range(n)
    ]  # fmt: skip
    found = winners(campaign(rows), "operation_rate", "filesystem", ["operation"])
    return float((found["winner"] == 0).any())


def _tables_of_ratios() -> list[Simulation]:
    verdicts = [
        Simulation(
            f"any verdict over {CELLS} equal cells", "size", name, n, True,
            partial(_any_verdict, n=n, design=name), campaigns=TABLES,
        )
        for name in DESIGNS
        for n in (5, 10)
    ]  # fmt: skip
    contradictions = [
        Simulation(
            f"an interval over {CELLS} cells that contradicts its verdict", "size", name, n, True,
            partial(_contradiction, n=n, design=name), campaigns=TABLES,
        )
        for name in ("independent, one side first", "AR(1) 0.6, in rounds")
        for n in (5, 10)
    ]  # fmt: skip
    ways: dict[str, dict[str, str]] = {
        "": {}, ", spread of all sides": {"spread": "shrunken"}, ", false discovery rate": {"correction": "fdr"},
    }  # fmt: skip
    powers = [
        Simulation(
            f"a slowdown of 10 % in one of {CELLS} cells{words}", "power", "independent, in rounds", n, True,
            partial(_slowdown, n=n, **how), campaigns=TABLES,
        )
        for words, how in ways.items()
        for n in (3, 5, 10)
    ]  # fmt: skip
    equals = [
        Simulation(
            "winners of four equals leave any of them out, in a table of 20", "size", "normal", n, True,
            partial(_left_out, n=n), campaigns=TABLES,
        )
        for n in (3, 5, 10)
    ]  # fmt: skip
    return [*verdicts, *contradictions, *powers, *equals]


STUDIES: list[Simulation] = [*_points(), *_stalls_untold(), *_tables_of_means(), *_tables_of_ratios()]
