"""Comparisons: ratios with errors, given errors, the largest of a scan, winners, series, factors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from storagelab.analysis.inference import series_offsets, two_by_two
from storagelab.analysis.inference.bca import ratio_of_means
from storagelab.analysis.inference.correction import ALPHA, holm
from storagelab.analysis.inference.estimates import (
    Estimate,
    fieller,
    gap,
    log_gap,
    propagated,
    propagation_interval,
)
from storagelab.analysis.inference.interval_guarantees import differ_by_factors
from storagelab.analysis.inference.intervals import Interval
from storagelab.analysis.inference.largest_difference import largest
from storagelab.analysis.inference.mean_differences import pooled, welch, within
from tests.simulations.model import NOISES, RUNS, Floats, Simulation, bimodal, covers, finds, lognormal, normal

Generator = np.random.Generator
NEAR = 0.05
"""Standard deviation of the log of runs that differ by some per cent."""

LEVELS = 6
MARGIN = float(np.log(1.1))


def mean_of(x: Floats) -> Estimate:
    """Arithmetic mean with its standard error."""
    return Estimate(float(x.mean()), float(x.std(ddof=1) / np.sqrt(x.size)), float(x.size))


def _unflagged(interval: Callable[[Estimate, Estimate], Interval], x: Floats, y: Floats) -> float:
    if differ_by_factors(x) or differ_by_factors(y):
        return np.nan
    return covers(interval(mean_of(x), mean_of(y)), 1.0)


def _ratios_of_means() -> list[Simulation]:
    methods = {"Fieller's interval": fieller, "interval by propagation": propagation_interval}
    return [
        Simulation(
            f"{name} of a ratio of means", "coverage", noise, n, noise == "normal",
            lambda rng, draw=draw, n=n, method=method: _unflagged(method, draw(rng, n), draw(rng, n)),
        )
        for name, method in methods.items()
        for noise, draw in NOISES.items()
        for n in RUNS
    ]  # fmt: skip


def _as_exact(x: Floats, y: Floats) -> tuple[Estimate, Estimate]:
    """Errors as a paper prints them, without n."""
    return Estimate(mean_of(x).value, mean_of(x).error), Estimate(mean_of(y).value, mean_of(y).error)


def _given_errors() -> list[Simulation]:
    found = []
    for n in RUNS:
        found += [
            Simulation(
                "Fieller's interval of given values, n not said", "coverage", "normal", n, n >= 30,
                lambda rng, n=n: covers(fieller(*_as_exact(normal(rng, n), normal(rng, n))), 1.0),
            ),
            Simulation(
                "z of given values, n not said", "size", "normal", n, n >= 30,
                lambda rng, n=n: finds(gap(*_as_exact(normal(rng, n), normal(rng, n))).p()),
            ),
            Simulation(
                "z of given values, with n (Welch's t)", "size", "normal", n, True,
                lambda rng, n=n: finds(gap(mean_of(normal(rng, n)), mean_of(normal(rng, n, 0.1))).p()),
            ),
            Simulation(
                "z of given values, with n, of a difference of 10 %", "power", "normal", n, True,
                lambda rng, n=n: finds(gap(mean_of(normal(rng, n) * 1.1), mean_of(normal(rng, n))).p()),
            ),
            Simulation(
                "equivalence of given values within 10 % at a true difference of 10 %", "size", "normal", n, True,
                lambda rng, n=n: finds(
                    log_gap(mean_of(normal(rng, n) * 1.1), mean_of(normal(rng, n))).p_outside(-MARGIN, MARGIN)
                ),
            ),
            Simulation(
                "equivalence within 10 % of equals (TOST)", "power", "normal", n, True,
                lambda rng, n=n: finds(
                    welch(np.log(normal(rng, n)), np.log(normal(rng, n))).p_outside(-MARGIN, MARGIN)
                ),
            ),
            Simulation(
                "ratio of means", "bias", "lognormal", n, False,
                lambda rng, n=n: propagated(mean_of(lognormal(rng, n)), mean_of(lognormal(rng, n))).value - 1,
            ),
        ]  # fmt: skip
    return found


def _bootstraps() -> list[Simulation]:
    return [
        Simulation(
            "BCa bootstrap of a ratio of means", "coverage", noise, n, noise != "lognormal" and n >= 10,
            lambda rng, draw=draw, n=n: _bootstrapped(rng, draw(rng, n), draw(rng, n)),
        )
        for noise, draw in NOISES.items()
        for n in RUNS
    ]  # fmt: skip


def _bootstrapped(rng: Generator, x: Floats, y: Floats) -> float:
    if differ_by_factors(x) or differ_by_factors(y):
        return np.nan
    return covers(ratio_of_means(x, y, rng, resamples=500), 1.0)


def _ratios_of_geometric_means() -> list[Simulation]:
    return [
        Simulation(
            "Welch t interval of a ratio of geometric means", "coverage", noise, n, noise != "bimodal" or n >= 5,
            lambda rng, draw=draw, n=n: covers(welch(np.log(draw(rng, n)), np.log(draw(rng, n))).interval(), 0.0),
        )
        for noise, draw in NOISES.items()
        for n in RUNS
    ]  # fmt: skip


def _unlike_sides() -> list[Simulation]:
    """Sides that differ in more than their mean, where errors of both do not cancel: logs of mean 0."""
    sides: dict[str, tuple[Callable[[Generator, int], Floats], Callable[[Generator, int], Floats], int]] = {
        "15 % against 5 %": (lambda rng, n: normal(rng, n, 0.15), normal, 3),
        "15 % against 5 % with 3 n": (lambda rng, n: normal(rng, n, 0.15), lambda rng, n: normal(rng, 3 * n), 5),
        "bimodal against normal": (bimodal, normal, 5),
    }
    return [
        Simulation(
            name, "coverage", noise, n, n >= enough,
            lambda rng, a=a, b=b, n=n, interval=interval, truth=truth: covers(interval(a(rng, n), b(rng, n)), truth),
        )
        for noise, (a, b, enough) in sides.items()
        for name, interval, truth in (
            ("Welch t interval of a ratio of unlike sides, on logs", _on_logs, 0.0),
            ("Fieller's interval of a ratio of means of unlike sides", _of_means, 1.0),
        )
        for n in RUNS
    ]  # fmt: skip


def _on_logs(x: Floats, y: Floats) -> Interval:
    return welch(x - 1, y - 1).interval()


def _of_means(x: Floats, y: Floats) -> Interval:
    return fieller(mean_of(x), mean_of(y))


def _scan(rng: Generator, n: int, peak: float) -> tuple[Floats, Floats]:
    """Logs of both sides over a scan of six levels, the fourth of which is higher by a peak."""
    sides = rng.normal(0, NEAR, (2, LEVELS, n))
    sides[0, LEVELS // 2] += peak
    return sides[0], sides[1]


def _largest(rng: Generator, n: int, peak: float) -> float:
    place, interval = largest([welch(a, b) for a, b in zip(*_scan(rng, n, peak), strict=True)])
    at_place = peak if place == LEVELS // 2 else 0.0
    return covers(interval, peak) * covers(interval, at_place)


def _own(rng: Generator, n: int, peak: float) -> float:
    gaps = [welch(a, b) for a, b in zip(*_scan(rng, n, peak), strict=True)]
    place, _ = largest(gaps)
    return covers(gaps[place].interval(), peak if place == LEVELS // 2 else 0.0)


def _resampled_maximum(rng: Generator, n: int, peak: float, resamples: int = 500) -> float:
    """Percentiles of the maximum over runs that are drawn anew in each cell."""
    drawn = [
        np.take_along_axis(side[None], rng.integers(0, n, (resamples, LEVELS, n)), axis=2).mean(axis=2)
        for side in _scan(rng, n, peak)
    ]
    low, high = np.quantile((drawn[0] - drawn[1]).max(axis=1), [0.025, 0.975])
    return covers((float(low), float(high)), peak)


def _excess(rng: Generator, n: int, peak: float) -> float:
    a, b = _scan(rng, n, peak)
    return float(np.exp((a.mean(axis=1) - b.mean(axis=1)).max() - peak) - 1)


def _scans() -> list[Simulation]:
    found = []
    for shape, peak in (("flat scan of 6", 0.0), ("scan of 6 with a peak of 10 %", float(np.log(1.1)))):
        for n in RUNS:
            found += [
                Simulation(
                    "simultaneous interval of the largest ratio", "coverage", shape, n, True,
                    lambda rng, n=n, peak=peak: _largest(rng, n, peak), campaigns=1000,
                ),
                Simulation(
                    "its own 95 % interval (not offered)", "coverage", shape, n, False,
                    lambda rng, n=n, peak=peak: _own(rng, n, peak), campaigns=1000,
                ),
                Simulation(
                    "largest ratio (flagged)", "bias", shape, n, False,
                    lambda rng, n=n, peak=peak: _excess(rng, n, peak),
                ),
            ]  # fmt: skip
        found += [
            Simulation(
                "bootstrap of the largest ratio (not offered)", "coverage", shape, n, False,
                lambda rng, n=n, peak=peak: _resampled_maximum(rng, n, peak), campaigns=500,
            )
            for n in (10, 30)
        ]  # fmt: skip
    return found


def _any_found(rng: Generator, n: int) -> float:
    p = [welch(*rng.normal(0, NEAR, (2, n))).p() for _ in range(LEVELS)]
    return float((holm(p) <= ALPHA).any())


def _best_is_winner(rng: Generator, n: int, gap_to_best: float) -> float:
    """Whether the first of four candidates, in truth the best or as good as it, is among the winners."""
    logs = rng.normal(0, NEAR, (4, n))
    logs[0] += gap_to_best
    best = int(logs.mean(axis=1).argmax())
    tests = [pooled(one, logs[best], *within(list(logs))).p() for place, one in enumerate(logs) if place != best]
    order = [place for place in range(4) if place != best]
    return 1.0 if best == 0 else float(holm(tests)[order.index(0)] > ALPHA)


def _families() -> list[Simulation]:
    found = []
    for n in RUNS:
        found += [
            Simulation(
                f"any of {LEVELS} Welch tests, Holm-corrected", "size", "normal", n, True,
                lambda rng, n=n: _any_found(rng, n), campaigns=1000,
            ),
            Simulation(
                "winners of four equals leave one of them out", "size", "normal", n, True,
                lambda rng, n=n: 1 - _best_is_winner(rng, n, 0.0), campaigns=1000,
            ),
            Simulation(
                "winners leave out the best of four, which leads by 2 %", "size", "normal", n, True,
                lambda rng, n=n: 1 - _best_is_winner(rng, n, 0.02), campaigns=1000,
            ),
        ]  # fmt: skip
    return found


def _shifted(rng: Generator, count: int, shift: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Logs, levels, series and configurations: two configurations of `count` series of 4 runs each, one a level."""
    codes = np.indices((2 * count, 4)).reshape(2, -1)
    logs = rng.normal(0, shift, 2 * count)[codes[0]] + 0.3 * codes[1] + rng.normal(0, NEAR, codes.shape[1])
    return logs, codes[1], codes[0], np.repeat([0, 1], count)


def _series(rng: Generator, count: int, shift: float, measure: str) -> float:
    logs, level, group, configuration = _shifted(rng, count, shift)
    if measure == "runs":
        return covers(series_offsets.fit(logs, level, configuration[group]).contrast([-1.0, 1.0]).interval(), 0.0)
    whole = series_offsets.fit(logs, level, group)
    if measure == "between":
        return covers(series_offsets.between(whole.parameters[: 2 * count], configuration, 1, 0).interval(), 0.0)
    return finds(series_offsets.p_of_series(whole, series_offsets.fit(logs, level, configuration[group])))


def _spread(rng: Generator, count: int, shift: float) -> float:
    logs, level, group, configuration = _shifted(rng, count, shift)
    effects = series_offsets.fit(logs, level, group).parameters[: 2 * count]
    truth = float(np.sqrt(shift**2 + NEAR**2 / 4))
    return covers(series_offsets.spread([effects[configuration == one] for one in (0, 1)])[1], truth)


def _shifts() -> list[Simulation]:
    found = []
    for n in RUNS:
        few = 2000 if n < 30 else 1000
        found += [
            Simulation(
                "ratio with series offsets", "coverage", "series shifted by 10 %", n, True,
                lambda rng, n=n: _series(rng, n, 0.1, "between"), campaigns=few,
            ),
            Simulation(
                "ratio as if runs were independent (flagged)", "coverage", "series shifted by 10 %", n, False,
                lambda rng, n=n: _series(rng, n, 0.1, "runs"), campaigns=few,
            ),
            Simulation(
                "spread of series", "coverage", "series shifted by 10 %", n, True,
                lambda rng, n=n: _spread(rng, n, 0.1), campaigns=few,
            ),
            Simulation(
                "F test of series", "size", "series not shifted", n, True,
                lambda rng, n=n: _series(rng, n, 0.0, "F"), campaigns=few,
            ),
            Simulation(
                "F test of series shifted by 5 %", "power", "normal", n, True,
                lambda rng, n=n: _series(rng, n, 0.05, "F"), campaigns=few,
            ),
        ]  # fmt: skip
    return found


def _factorial(rng: Generator, n: int, draw: Callable[[Generator, int], Floats], blocked: bool) -> list[float]:
    """Whether the intervals of both main effects and of the interaction hold the truth, 0."""
    first, second, block = np.indices((2, 2, n)).reshape(3, -1)
    logs = np.log(draw(rng, 4 * n)) + (rng.normal(0, 0.2, n)[block] if blocked else 0)
    found = two_by_two.effects(logs, first, second, block if blocked else None)
    return [covers(one.interval(), 0.0) for one in found]


def _factors() -> list[Simulation]:
    found = [
        Simulation(
            f"{name} of two factors", "coverage", noise, n, noise != "bimodal" or n >= 5,
            lambda rng, draw=draw, n=n, place=place: _factorial(rng, n, draw, False)[place],
            campaigns=1000,
        )
        for place, name in ((0, "main effect"), (2, "interaction"))
        for noise, draw in NOISES.items()
        for n in RUNS
    ]  # fmt: skip
    return found + [
        Simulation(
            "main effect of two factors, within blocks", "coverage", "normal, blocks shifted by 20 %", n, True,
            lambda rng, n=n: _factorial(rng, n, normal, True)[0], campaigns=1000,
        )
        for n in RUNS
    ]  # fmt: skip


STUDIES: list[Simulation] = [
    *_ratios_of_means(),
    *_ratios_of_geometric_means(),
    *_unlike_sides(),
    *_bootstraps(),
    *_given_errors(),
    *_scans(),
    *_families(),
    *_shifts(),
    *_factors(),
]
