"""Scaling curves: fits and their bands, half-peak, crossover, peak, dip and tail-off, at five levels from 1 to 16.

Simulated too: a spread that grows over the levels, and offsets that all runs of a level, or of a curve, share, which no
run shows. There an interval covers, or the function that gives it says in a caveat that it may not. In rounds, each of
them set up anew, the offsets are drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import xarray as xr

from storagelab.analysis import crossovers, half_peaks, onsets, peaks, scaling_fits, tail_off
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.curves import HALF, KNEE, LAW, Fit, Means, Model, fit
from storagelab.analysis.inference.level_contrasts import Levels, crossover, first_crossing, half_peak_interval
from storagelab.analysis.inference.mean_differences import pooled, welch, within
from storagelab.analysis.inference.trend import per_doubling, rank_trend
from tests.analysis.tables import node
from tests.simulations.model import RUNS, Floats, Measure, Simulation, bimodal, covers, finds, lognormal, normal

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
TRUE: Mapping[str, list[float]] = {KNEE.name: [5.0], HALF.name: [3.0], LAW.name: [0.1, 0.01]}
FLAT = np.ones(5)

Draw = Callable[[np.random.Generator, int], Floats]
NOISES: Mapping[str, Draw] = {
    "normal": normal,
    "lognormal, 20 %": lambda rng, n: lognormal(rng, n, 0.2),
    "bimodal": bimodal,
}
CLAIMED = ("normal", "lognormal, 20 %")
TYPICAL = "lognormal, 20 %"
CENTRE: Mapping[str, float] = {
    name: float(np.exp(np.log(draw(np.random.default_rng(1), 10**6)).mean())) for name, draw in NOISES.items()
}
"""Geometric mean of each noise: what a fit on logs estimates is that of the rates."""


def truth_of(model: Model, n: Floats = LEVELS) -> Floats:
    return np.exp(model.shape(n, np.array(TRUE[model.name])))


def runs_of(rng: np.random.Generator, truth: Floats, draw: Draw, n: int) -> Floats:
    """Runs of each level, shape (levels, n)."""
    return truth[:, None] * np.array([draw(rng, n) for _ in truth])


def means_of(rng: np.random.Generator, truth: Floats, draw: Draw, n: int) -> Means:
    return Means.of(np.repeat(LEVELS, n), runs_of(rng, truth, draw, n).ravel())


def levels_of(rng: np.random.Generator, truth: Floats, draw: Draw, n: int) -> Levels:
    return Levels.of(LEVELS.tolist(), list(runs_of(rng, truth, draw, n)))


def plateau(found: Fit) -> tuple[float, tuple[float, float]]:
    """Height of the curve; open where what bends it is."""
    value, (low, high) = found.of_curve(lambda rest: np.zeros(rest.shape[:-1]))
    return value, (low, np.nan if np.isnan(found.parameter(0)[1][1]) else high)


def holds(ends: tuple[float, float], truth: float) -> float:
    """As `covers`, where an end that was left open reaches as far as it may."""
    low, high = ends
    if not np.isfinite(ends).any():
        return np.nan
    return float(not (low > truth or high < truth))


def over(method: str, measure: Measure, trial: Callable[[np.random.Generator, Draw, int, str], float], *,
         noises: tuple[str, ...] = tuple(NOISES), campaigns: int = 500, claims: tuple[str, ...] = CLAIMED
         ) -> list[Simulation]:  # fmt: skip
    """Simulate a method with each noise and number of runs."""
    return [
        Simulation(
            method, measure, noise, n, noise in claims,
            lambda rng, noise=noise, n=n: trial(rng, NOISES[noise], n, noise),
            campaigns if noise in claims else min(campaigns, 300),
        )
        for noise in noises
        for n in RUNS
    ]  # fmt: skip


def _efficiency(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
    gap = welch(np.log(0.7 * 4 * draw(rng, n)), np.log(draw(rng, n)))
    low, high = np.exp(gap.interval()) / 4
    return covers((low, high), 0.7)


def _parameter(model: Model, which: int) -> Callable[[np.random.Generator, Draw, int, str], float]:
    def trial(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
        found = fit(model, means_of(rng, truth_of(model), draw, n))
        return holds(found.parameter(which)[1], TRUE[model.name][which])

    return trial


def _plateau(model: Model) -> Callable[[np.random.Generator, Draw, int, str], float]:
    def trial(rng: np.random.Generator, draw: Draw, n: int, noise: str) -> float:
        return holds(plateau(fit(model, means_of(rng, truth_of(model), draw, n)))[1], CENTRE[noise])

    return trial


def _band(rng: np.random.Generator, draw: Draw, n: int, noise: str) -> float:
    at = np.array([6.0])
    _, low, high = fit(HALF, means_of(rng, truth_of(HALF), draw, n)).log_curve(at)
    return covers((low[0], high[0]), float(np.log(truth_of(HALF, at)[0] * CENTRE[noise])))


def _bias(model: Model, quantity: Callable[[Fit], float], truth: float) -> Callable[..., float]:
    def trial(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
        return quantity(fit(model, means_of(rng, truth_of(model), draw, n))) / truth - 1

    return trial


def _chosen(model: Model) -> Callable[[np.random.Generator, Draw, int, str], float]:
    def trial(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
        means = means_of(rng, truth_of(model), draw, n)
        return float(min((KNEE, HALF, LAW), key=lambda one: fit(one, means).aicc) is model)

    return trial


def _misfit(truth: Floats) -> Callable[[np.random.Generator, Draw, int, str], float]:
    return lambda rng, draw, n, _: finds(fit(HALF, means_of(rng, truth, draw, n)).p_misfit())


def _half_peak(truth: Floats) -> Callable[[np.random.Generator, Draw, int, str], float]:
    at = first_crossing(LEVELS, truth - truth.max() / 2)
    return lambda rng, draw, n, _: holds(half_peak_interval(levels_of(rng, truth, draw, n), 0.5), at)


RISING, FLATTENING = np.array([10.0, 19, 36, 60, 90]), np.array([20.0, 33, 45, 50, 52])
CROSSING = first_crossing(LEVELS, RISING - FLATTENING)


def _crossover(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
    found = crossover(levels_of(rng, RISING, draw, n), levels_of(rng, FLATTENING, draw, n))
    return covers(found.interval, CROSSING)


def _peak(truth: Floats) -> Callable[[np.random.Generator, Draw, int, str], float]:
    """Whether the true peak is among the levels that `peaks` does not show to be below the highest."""

    def trial(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
        logs = np.log(runs_of(rng, truth, draw, n))
        best, true = int(logs.mean(axis=1).argmax()), int(truth.argmax())
        spread = within(list(logs))
        rest = [i for i in range(len(logs)) if i != best]
        p = dict(zip(rest, holm([pooled(logs[i], logs[best], *spread).p() for i in rest]), strict=True))
        return float(true == best or p[true] > ALPHA)

    return trial


def _dip(truth: Floats) -> Callable[[np.random.Generator, Draw, int, str], float]:
    def trial(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
        logs = np.log(runs_of(rng, truth, draw, n))
        steps = [welch(after, before) for before, after in pairwise(logs)]
        falls = np.array([step.value < 0 for step in steps])
        return float((falls & (holm([step.p() for step in steps]) <= ALPHA)).any())

    return trial


def _tail(truth: Floats, start: int | None = None) -> Callable[[np.random.Generator, Draw, int, str], float]:
    """Kendall's test above the level that is highest in the data, or from a level chosen before."""

    def trial(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
        runs = runs_of(rng, truth, draw, n)
        first = int(np.log(runs).mean(axis=1).argmax()) + 1 if start is None else start
        return finds(rank_trend(np.repeat(LEVELS[first:], n), runs[first:].ravel())[1])

    return trial


def _slope(rng: np.random.Generator, draw: Draw, n: int, _: str) -> float:
    runs = runs_of(rng, 0.9 ** np.arange(3.0), draw, n)
    return covers(per_doubling(np.repeat(LEVELS[2:], n), runs.ravel())[1], -0.1)


Flaw = Callable[[np.random.Generator, Floats, int], Floats]
"""Runs of shape (levels, n) around a curve that is true."""


def even(rng: np.random.Generator, truth: Floats, n: int) -> Floats:
    """Independent runs with a spread of 5 %, normal on the log scale as fits take it."""
    return truth[:, None] * rng.lognormal(0, 0.05, (truth.size, n))


def growing(rng: np.random.Generator, truth: Floats, n: int) -> Floats:
    return truth[:, None] * np.exp(np.geomspace(0.02, 0.2, truth.size)[:, None] * rng.normal(size=(truth.size, n)))


def growing_means(rng: np.random.Generator, truth: Floats, n: int) -> Floats:
    """Return such runs whose arithmetic means are true, as positions of mean curves take them."""
    spread = np.geomspace(0.02, 0.2, truth.size)
    return growing(rng, truth * np.exp(-(spread**2) / 2), n)


def off_by(size: float, runs: Flaw = even) -> Flaw:
    """Each level off by an offset that all its runs share."""
    return lambda rng, truth, n: runs(rng, truth * rng.lognormal(0, size, truth.size), n)


def curve_off(rng: np.random.Generator, truth: Floats, n: int) -> Floats:
    """Return runs of a curve that is off by 5 % as a whole."""
    return even(rng, truth * rng.lognormal(0, 0.05), n)


def curve_off_in_rounds(rng: np.random.Generator, truth: Floats, n: int) -> Floats:
    return even(rng, truth, n) * rng.lognormal(0, 0.05, n)


def levels_off_in_rounds(rng: np.random.Generator, truth: Floats, n: int) -> Floats:
    return even(rng, truth, n) * rng.lognormal(0, 0.05, (truth.size, n))


CLEAN = "normal on the log scale, 5 %"
UNEVEN: Mapping[str, Flaw] = {
    "spread from 2 to 20 % over the levels": growing,
    "level offsets of 1 %": off_by(0.01),
    "level offsets of 4 %": off_by(0.04),
    "level offsets of 4 %, spread from 2 to 20 %": off_by(0.04, growing),
}
OFF = {name: flaw for name, flaw in UNEVEN.items() if name != "level offsets of 1 %"}
FOR_GOOD: Mapping[str, Flaw] = {
    "an offset of 5 % of a curve, for good": curve_off,
    "offsets of 5 % of its levels, for good": off_by(0.05),
}
IN_ROUNDS: Mapping[str, Flaw] = {
    CLEAN: even,
    "spread from 2 to 20 % over the levels": growing_means,
    "an offset of 5 % of a curve, in each round": curve_off_in_rounds,
    "offsets of 5 % of its levels, in each round": levels_off_in_rounds,
}


def campaign(
    curves: Mapping[str, Floats], x: str = "clients", *, rounds: bool = False, unit: float = 1.0
) -> xr.Dataset:
    """Runs of some curves as a dataset, with the rounds that they belong to or without."""
    return node(
        {"layout": name, x: level * unit, "repeat": i, "run_id": f"{name} {level} {i}", "throughput": value}
        | ({"block": i} if rounds else {})
        for name, runs in curves.items()
        for level, values in zip(LEVELS.tolist(), runs.tolist(), strict=True)
        for i, value in enumerate(values, 1)
    )


def under(method: str, measure: Measure, trial: Callable[[np.random.Generator, Flaw, int], float],
          flaws: Mapping[str, Flaw], campaigns: int = 400) -> list[Simulation]:  # fmt: skip
    """Simulate a method with each flaw and number of runs; it claims to cover, or to say that it may not."""
    return [
        Simulation(method, measure, flaw, n, True, lambda rng, runs=runs, n=n: trial(rng, runs, n), campaigns)
        for flaw, runs in flaws.items()
        for n in RUNS
    ]


def _parameter_under(model: Model) -> Callable[[np.random.Generator, Flaw, int], float]:
    def trial(rng: np.random.Generator, runs: Flaw, n: int) -> float:
        found = fit(model, Means.of(np.repeat(LEVELS, n), runs(rng, truth_of(model), n).ravel()))
        return holds(found.parameter(0)[1], TRUE[model.name][0])

    return trial


def _plateau_under(model: Model) -> Callable[[np.random.Generator, Flaw, int], float]:
    def trial(rng: np.random.Generator, runs: Flaw, n: int) -> float:
        found = fit(model, Means.of(np.repeat(LEVELS, n), runs(rng, truth_of(model), n).ravel()))
        return holds(plateau(found)[1], 1.0)

    return trial


def _fit_caveat(model: Model) -> Callable[[np.random.Generator, Flaw, int], float]:
    def trial(rng: np.random.Generator, runs: Flaw, n: int) -> float:
        found = scaling_fits(campaign({"a": runs(rng, truth_of(model), n)}), models=[model.name])
        return float(found["caveat"].item() != "")

    return trial


def _crossed(rng: np.random.Generator, runs: Flaw, n: int, *, rounds: bool) -> xr.Dataset:
    curves = {"rising": runs(rng, RISING, n), "flat": even(rng, FLATTENING, n)}
    return crossovers(campaign(curves, rounds=rounds), "throughput", "layout", "flat", "rising")


def _half_crossed(rng: np.random.Generator, runs: Flaw, n: int, *, rounds: bool) -> xr.Dataset:
    return half_peaks(campaign({"a": runs(rng, truth_of(KNEE), n)}, rounds=rounds))


def _onset(rng: np.random.Generator, runs: Flaw, n: int, *, rounds: bool) -> xr.Dataset:
    return onsets(campaign({"a": runs(rng, truth_of(KNEE), n)}, "file_size", rounds=rounds, unit=1e6))


def _ends(found: xr.Dataset, name: str) -> tuple[float, float]:
    return found[f"{name}_low"].item(), found[f"{name}_high"].item()


Found = Callable[..., xr.Dataset]
HALF_WAY = first_crossing(LEVELS, truth_of(KNEE) - truth_of(KNEE).max() / 2)


def _over_rounds(positions: Found, name: str, truth: float) -> Callable[[np.random.Generator, Flaw, int], float]:
    def trial(rng: np.random.Generator, runs: Flaw, n: int) -> float:
        found = positions(rng, runs, n, rounds=True)
        return np.nan if found["caveat"].item() else covers(_ends(found, name), truth)

    return trial


def _covered_or_told(positions: Found, name: str, truth: float) -> Callable[[np.random.Generator, Flaw, int], float]:
    def trial(rng: np.random.Generator, runs: Flaw, n: int) -> float:
        found = positions(rng, runs, n, rounds=False)
        return 1.0 if found["caveat"].item() else covers(_ends(found, name), truth)

    return trial


def _told(positions: Found) -> Callable[[np.random.Generator, Flaw, int], float]:
    return lambda rng, runs, n: float(positions(rng, runs, n, rounds=True)["caveat"].item() != "")


def _peak_under(rng: np.random.Generator, runs: Flaw, n: int) -> float:
    """Whether the true peak, 2 % above the next level, may be it, or a caveat says that offsets can hide it."""
    truth = np.array([0.3, 0.6, 1.02, 1, 0.95])
    found = peaks(campaign({"a": runs(rng, truth, n)}))
    return float("4" in found["peak_levels"].item().split(", ") or found["caveat"].item() != "")


def _tail_under(rng: np.random.Generator, runs: Flaw, n: int) -> float:
    """Whether a flat curve is said to fall, without a caveat."""
    found = tail_off(campaign({"a": runs(rng, FLAT, n)}), start=4.0)
    return float(found["verdict"].item() != "undecided" and found["caveat"].item() == "")


FALLING = np.array([0.3, 0.6, 1.0, 0.85, 0.85**2])
DIPPING = np.array([1.0, 0.7, 1.4, 2.0, 2.5])

STUDIES: list[Simulation] = [
    *over("efficiency", "coverage", _efficiency, campaigns=1000),
    *over("knee n0", "coverage", _parameter(KNEE, 0), campaigns=1200),
    *over("plateau P of the knee", "coverage", _plateau(KNEE), campaigns=1200),
    *over("n_half", "coverage", _parameter(HALF, 0), campaigns=1200),
    *over("plateau P of the saturation", "coverage", _plateau(HALF), campaigns=1200),
    *over("band of the fitted saturation at 6", "coverage", _band, noises=(TYPICAL,), campaigns=1200),
    *over("contention of the scalability law", "coverage", _parameter(LAW, 0), noises=(TYPICAL,), campaigns=300),
    *over("coherency of the scalability law", "coverage", _parameter(LAW, 1), noises=(TYPICAL,), campaigns=300),
    *over("knee n0", "bias", _bias(KNEE, lambda found: float(found.rest[0]), 5.0), noises=(TYPICAL,), campaigns=300),
    *over(
        "plateau P of the knee",
        "bias",
        _bias(KNEE, lambda found: plateau(found)[0], 1.0),
        noises=(TYPICAL,),
        campaigns=400,
    ),
    *over("n_half", "bias", _bias(HALF, lambda found: float(found.rest[0]), 3.0), noises=(TYPICAL,), campaigns=300),
    *over(
        "plateau P of the saturation",
        "bias",
        _bias(HALF, lambda found: plateau(found)[0], 1.0),
        noises=(TYPICAL,),
        campaigns=400,
    ),
    *over("AICc finds the knee among three models", "power", _chosen(KNEE), noises=("normal",), campaigns=100),
    *over("AICc finds the saturation among three models", "power", _chosen(HALF), noises=("normal",), campaigns=100),
    *over("misfit of the saturation", "size", _misfit(truth_of(HALF)), noises=(TYPICAL,), campaigns=1000),
    *over("misfit of the saturation to a knee", "power", _misfit(truth_of(KNEE)), noises=("normal",), campaigns=300),
    *over("half-peak before a plateau", "coverage", _half_peak(truth_of(KNEE)), campaigns=300),
    *over("half-peak of a curve that still rises", "coverage", _half_peak(truth_of(HALF)), campaigns=500),
    *over("crossover", "coverage", _crossover, campaigns=1000),
    *over("levels not below the peak, of a plateau of three", "coverage", _peak(np.array([0.3, 0.6, 1, 1, 1.0]))),
    *over("levels not below the peak, 5 % over the next", "coverage", _peak(np.array([0.3, 0.6, 1.05, 1, 0.9]))),
    *over("dip on a flat curve, Holm over the levels", "size", _dip(FLAT)),
    *over("dip of 30 %, Holm over the levels", "power", _dip(DIPPING), noises=CLAIMED),
    *over("tail-off of a flat curve, after its peak", "size", _tail(FLAT), claims=tuple(NOISES)),
    *over(
        "tail-off of a flat curve, from a level chosen before",
        "size",
        _tail(FLAT, 2),
        campaigns=1000,
        claims=tuple(NOISES),
    ),
    *over("tail-off of 15 % a doubling, from a level chosen before", "power", _tail(FALLING, 2), noises=CLAIMED),
    *over("change with each doubling", "coverage", _slope, campaigns=2000),
    *under("knee n0", "coverage", _parameter_under(KNEE), UNEVEN, 600),
    *under("plateau P of the knee", "coverage", _plateau_under(KNEE), UNEVEN, 600),
    *under("n_half", "coverage", _parameter_under(HALF), OFF),
    *under("plateau P of the saturation", "coverage", _plateau_under(HALF), OFF),
    *under("caveat of a knee", "size", _fit_caveat(KNEE), {CLEAN: even}),
    *under("caveat of a saturation", "size", _fit_caveat(HALF), {CLEAN: even}),
    *under("crossover over rounds", "coverage", _over_rounds(_crossed, "clients_crossover", CROSSING), IN_ROUNDS, 800),
    *under("caveat of a crossover over rounds", "size", _told(_crossed), {CLEAN: even}),
    *under(
        "crossover without rounds, covered or told",
        "coverage",
        _covered_or_told(_crossed, "clients_crossover", CROSSING),
        FOR_GOOD,
        200,
    ),
    *under(
        "half-peak over rounds", "coverage", _over_rounds(_half_crossed, "clients_half_peak", HALF_WAY), IN_ROUNDS, 200
    ),
    *under("caveat of a half-peak over rounds", "size", _told(_half_crossed), {CLEAN: even}),
    *under(
        "half-peak without rounds, covered or told",
        "coverage",
        _covered_or_told(_half_crossed, "clients_half_peak", HALF_WAY),
        FOR_GOOD,
        200,
    ),
    *under("onset over rounds", "coverage", _over_rounds(_onset, "onset", HALF_WAY * 1e6), IN_ROUNDS),
    *under(
        "onset without rounds, covered or told",
        "coverage",
        _covered_or_told(_onset, "onset", HALF_WAY * 1e6),
        FOR_GOOD,
        200,
    ),
    *under("levels not below the peak, 2 % over the next, or told", "coverage", _peak_under, FOR_GOOD, 200),
    *under("tail-off of a flat curve, not told", "size", _tail_under, FOR_GOOD, 200),
]
