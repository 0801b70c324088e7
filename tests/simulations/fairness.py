"""Fairness and efficiency: indices at few clients, spreads compared, groups, shares, and tiers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from storagelab.analysis.efficiency.phase_shares import share_of_difference
from storagelab.analysis.efficiency.tiers import saturation
from storagelab.analysis.fairness.fairness import fairness_of
from storagelab.analysis.fairness.flatness import FEWEST
from storagelab.analysis.inference.bca import bca_interval
from storagelab.analysis.inference.mean_differences import welch
from storagelab.analysis.inference.spread import same_spread, uniform_distance
from tests.simulations.model import NOISES, RUNS, SKEW, Floats, Measure, Simulation, covers, finds

CLIENTS = 6
SPREAD = 0.15
"""Clients of a run, and their relative spread, where several runs are simulated."""

VARIATION = {"normal": 0.05, "lognormal": float(np.sqrt(np.exp(SKEW**2) - 1)), "bimodal": float(np.hypot(0.05, 0.25))}
"""True coefficient of variation of each noise."""

RESAMPLES = 2000
"""Of a bootstrap; 500 cover 1 % less."""


def variation(values: Floats) -> Floats:
    """Coefficient of variation of each run."""
    found: Floats = values.std(axis=-1, ddof=1) / values.mean(axis=-1)
    return found


UNEVEN = variation(np.random.default_rng(1).normal(1, SPREAD, (200_000, CLIENTS)))
MEANS = {
    "variation": float(UNEVEN.mean()),
    "jain": float((1 / (1 + (1 - 1 / CLIENTS) * UNEVEN**2)).mean()),
}
"""Means of the two indices over runs of that many clients."""


def _bias(index: str, noise: str, n: int, rng: np.random.Generator) -> float:
    truth = VARIATION[noise] if index == "variation" else 1 / (1 + VARIATION[noise] ** 2)
    return fairness_of(NOISES[noise](rng, n))[index] / truth - 1


def _index_over_runs(index: str, n: int, rng: np.random.Generator) -> float:
    values = np.array([fairness_of(rng.normal(1, SPREAD, CLIENTS))[index] for _ in range(n)])
    return covers(bca_interval([values], np.mean, rng, resamples=RESAMPLES), MEANS[index])


def _levene(noise: str, n: int, times: float, rng: np.random.Generator) -> float:
    a, b = NOISES[noise](rng, n), NOISES[noise](rng, n)
    wider = 1 + times * (b - 1) if times != 1 else b
    return finds(same_spread(a / a.mean(), wider / wider.mean()))


def _runs_of_clients(rng: np.random.Generator, n: int, apart: float) -> Floats:
    """Runs of clients; with `apart`, the clients of one run are more uneven than those of another."""
    spreads = SPREAD * rng.lognormal(0.0, apart, (n, 1))
    drawn: Floats = 1 + np.clip(spreads, None, 0.3) * np.clip(rng.standard_normal((n, CLIENTS)), -3, 3)
    return drawn


def _evenness(n: int, apart: float, rng: np.random.Generator) -> float:
    logs = [np.log(variation(_runs_of_clients(rng, n, apart))) for _ in range(2)]
    return finds(welch(*logs).p())


def _evenness_interval(n: int, rng: np.random.Generator) -> float:
    logs = [np.log(variation(_runs_of_clients(rng, n, 0.0))) for _ in range(2)]
    return covers(welch(*logs).interval(), 0.0)


def _pooled(n: int, apart: float, rng: np.random.Generator) -> float:
    sides = [_runs_of_clients(rng, n, apart) for _ in range(2)]
    return finds(same_spread(*((side / side.mean(axis=1, keepdims=True)).ravel() for side in sides)))


def _flat(draw: str, n: int, printed: bool, rng: np.random.Generator) -> float:
    values = rng.uniform(8, 11, n) if draw == "flat" else _heaps(rng, n)
    tested = values if printed else np.sort(values)[1:-1]
    low, high = (8, 11) if printed else (values.min(), values.max())
    return finds(uniform_distance(tested, low, high)[1]) if tested.size >= FEWEST else np.nan


def _heaps(rng: np.random.Generator, n: int) -> Floats:
    return np.asarray(rng.normal(9.5, 0.2, n) + 1.1 * rng.choice([-1.0, 1.0], n))


def _runs(noise: str, rng: np.random.Generator, n: int, spread: float = 0.01) -> Floats:
    """Runs with mean 1 and a small spread, in the shape of a noise."""
    shape = NOISES[noise](rng, n)
    mean = float(np.exp(SKEW**2 / 2)) if noise == "lognormal" else 1.0
    runs: Floats = 1 + spread * (shape / mean - 1) / VARIATION[noise]
    return runs


def _groups(noise: str, n: int, rng: np.random.Generator) -> float:
    a, b = 14 * _runs(noise, rng, n), 13 * _runs(noise, rng, n)
    return covers(welch(a, b).interval(), 1.0)


def _points(noise: str, relative: bool, n: int, rng: np.random.Generator) -> float:
    a, b = 0.88 * _runs(noise, rng, n), 0.92 * _runs(noise, rng, n)
    truth = np.log(0.88 / 0.92) if relative else -0.04
    gap = welch(np.log(a), np.log(b)) if relative else welch(a, b)
    return covers(gap.interval(), truth)


def _phases(noise: str, n: int, in_pairs: bool, rng: np.random.Generator) -> float:
    """Opening 10 against 60 s, the rest 120 against 220 s: a third of the difference is opening."""
    shared = rng.normal(0, 5, n) if in_pairs else 0.0

    def side(opening: float, rest: float) -> Floats:
        first, second = (time * _runs(noise, rng, n, 0.05) + shared for time in (opening, rest))
        return np.asarray(np.c_[first, first + second])

    return covers(share_of_difference(side(60, 220), side(10, 120), in_pairs)[1], 50 / 150)


def _tiers(noise: str, n: int, rng: np.random.Generator) -> float:
    """12, 24, 36, 48 tiers with 50, 95.5, 100, 100 % of the rate: 24 saturate."""
    logs = {
        t: np.log(rate * _runs(noise, rng, n)) for t, rate in {12.0: 0.5, 24.0: 0.955, 36.0: 1.0, 48.0: 1.0}.items()
    }
    return covers(saturation(logs, 0.95)[1:], 24.0)


def _useful(noise: str, n: int, rng: np.random.Generator) -> float:
    rate, factor = np.log(12.55 * _runs(noise, rng, n)), np.log(1.7 * _runs(noise, rng, n))
    return covers(welch(rate, factor).interval(), float(np.log(12.55 / 1.7)))


INDICES = {"jain": "Jain's index", "variation": "coefficient of variation"}


def _biases() -> list[Simulation]:
    return [
        Simulation(f"{name} of one run of n clients", "bias", noise, n, False, partial(_bias, index, noise, n))
        for index, name in INDICES.items()
        for noise in NOISES
        for n in RUNS
    ]


def _indices() -> list[Simulation]:
    return [
        Simulation(
            f"BCa interval of the mean {name} over runs of {CLIENTS} clients", "coverage", "normal", n, n >= 10,
            partial(_index_over_runs, index, n), 1000,
        )
        for index, name in INDICES.items()
        for n in RUNS
    ]  # fmt: skip


def _spreads() -> list[Simulation]:
    found: list[Simulation] = []
    name = "Levene's test about the median, on runs over their mean"
    for measure, times, method in (("size", 1.0, name), ("power", 3.0, f"{name}, one spread three times the other")):
        found += [
            Simulation(method, measure, noise, n, True, partial(_levene, noise, n, times), 1000)
            for noise in (NOISES if measure == "size" else ["normal"])
            for n in RUNS
        ]
    return found


def _clients_of_runs() -> list[Simulation]:
    found = []
    welch_name = "Welch's test on the logs of the runs' coefficients of variation"
    levene_name = "Levene's test on all clients"
    for apart, noise in ((0.0, "normal, runs alike"), (0.5, "normal, some runs more uneven")):
        for n in RUNS:
            found.append(Simulation(welch_name, "size", noise, n, True, partial(_evenness, n, apart)))
            found.append(Simulation(levene_name, "size", noise, n, False, partial(_pooled, n, apart), 1000))
    found += [
        Simulation(
            "interval of the ratio of the runs' coefficients of variation", "coverage", "normal, runs alike", n, True,
            partial(_evenness_interval, n),
        )
        for n in RUNS
    ]  # fmt: skip
    return found


def _flatnesses() -> list[Simulation]:
    drawn: tuple[tuple[str, Measure], ...] = (("flat", "size"), ("heaps", "power"))
    words = {True: "a printed range", False: "the range of its extremes"}
    return [
        Simulation(f"Kolmogorov-Smirnov test of n clients against {words[printed]}", measure, draw, n,
                   n >= FEWEST + 2 * (not printed), partial(_flat, draw, n, printed))
        for printed in (True, False) for draw, measure in drawn for n in RUNS
    ]  # fmt: skip


def _over_runs() -> list[Simulation]:
    trials: dict[str, Callable[[str, int, np.random.Generator], float]] = {
        "difference of two groups of clients, over runs": _groups,
        "share of a phase in a difference (Fieller)": lambda noise, n, rng: _phases(noise, n, False, rng),
    }
    others: dict[str, Callable[[str, int, np.random.Generator], float]] = {
        "share of a phase in a difference, in pairs (Fieller)": lambda noise, n, rng: _phases(noise, n, True, rng),
        "tiers that saturate (one-sided tests)": _tiers,
        "difference of CPU efficiencies in points": lambda noise, n, rng: _points(noise, False, n, rng),
        "relative difference of CPU efficiencies": lambda noise, n, rng: _points(noise, True, n, rng),
        "useful rate: rate over amplification": _useful,
    }
    wanted = [(method, trial, noise) for method, trial in trials.items() for noise in NOISES]
    wanted += [(method, trial, "normal") for method, trial in others.items()]
    return [
        Simulation(method, "coverage", f"{noise} in shape, small", n, noise == "normal", partial(trial, noise, n), 1000)
        for method, trial, noise in wanted
        for n in RUNS
    ]


STUDIES: list[Simulation] = [
    *_biases(), *_indices(), *_spreads(), *_clients_of_runs(), *_flatnesses(), *_over_runs()
]  # fmt: skip
