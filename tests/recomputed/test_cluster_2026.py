"""Tables of cluster-2026: twelve clients of Gluster, whose IOzone logs say what each client saw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.notebooks.papers import report_of, root_with
from tests.recomputed.plain import (
    Found,
    Row,
    compare_tables,
    corrected,
    geometric,
    iozone_rates,
    rows,
    runs,
    sidak,
    until_slowest,
    welch,
)
from tests.studies import measured

STUDY = "cluster-2026"
RATIO = ("ratio", "ratio_low", "ratio_high", "n", "p_adjusted")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables() -> Path:
    return report_of(STUDY, lambda root: root_with(STUDY, measured(STUDY), root)) / "tables"


@cache
def clients() -> dict[tuple[str, str, int, int], list[float]]:
    """Return the rates of the external clients of each run, by operation, layout, number of clients and repeat."""
    found = defaultdict(list)
    for row, text in runs(STUDY):
        if row["tool"] == "iozone" and row["client_location"] == "external":
            for operation, rate in iozone_rates(text).items():
                found[operation, row["layout"], int(row["clients"]), int(row["repeat"])].append(rate)
    return found


def of_runs(row: Row, operation: str, layout: str, total: Callable[[Sequence[float]], float] = sum) -> list[float]:
    cell = operation, layout, int(float(row["clients"]))
    return [total(rates) for key, rates in sorted(clients().items()) if key[:3] == cell]


def with_correction(found: Found, n: int, tests: int) -> Iterable[float]:
    return *found[:3], n, corrected(found[3], tests)


def test_what_redundancy_costs(tables: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        other, base = (of_runs(row, "write", layout) for layout in row["compared"].split(" / "))
        return with_correction(welch(base, other, sidak(2)), 3, 2)

    compare_tables(rows(tables / "cost.csv"), RATIO, recomputed)


def test_what_striping_gains_until_the_slowest_client_is_done(tables: Path) -> None:
    printed = rows(tables / "gain.csv")

    def recomputed(row: Row) -> Iterable[float]:
        base, other = (
            of_runs(row, row["operation"], layout, until_slowest) for layout in ("distribute", "distribute+shard")
        )
        return with_correction(welch(base, other, sidak(len(printed))), 3, len(printed))

    compare_tables(printed, RATIO, recomputed)


def test_rereads(tables: Path) -> None:
    compare_tables(
        rows(tables / "reread.csv"),
        ("throughput", "throughput_low", "throughput_high"),
        lambda row: geometric(of_runs(row, "reread", row["layout"]))[:3],
    )


def test_how_evenly_clients_share(tables: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        x = np.array(clients()[row["operation"], row["layout"], 12, int(float(row["repeat"]))])
        return x.sum() ** 2 / (len(x) * (x**2).sum()), x.std(ddof=1) / x.mean(), np.ptp(x) / 2 / x.mean()

    compare_tables(rows(tables / "fairness.csv"), ("jain", "variation", "half_range"), recomputed)
