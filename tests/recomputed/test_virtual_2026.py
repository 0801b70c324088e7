"""Tables of virtual-2026: two factors of a virtual server, and how busy its host was."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.conftest import ROOT
from tests.notebooks.papers import report_of, root_with
from tests.recomputed.plain import Row, compare_tables, iozone_rates, rows, runs, sidak, until_slowest
from tests.studies import measured

STUDY = "virtual-2026"
RATIO = ("ratio", "ratio_low", "ratio_high")
CELLS = [(net, disk) for net in ("emulated", "virtio") for disk in ("ide", "virtio")]
WEIGHTS = {
    "driver_net": np.array([-1, -1, 1, 1]) / 2,
    "driver_disk": np.array([-1, 1, -1, 1]) / 2,
    "driver_net x driver_disk": np.array([1, -1, -1, 1]),
}
"""How the means of CELLS make an effect, on the log scale."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables() -> Path:
    return report_of(STUDY, lambda root: root_with(STUDY, measured(STUDY), root)) / "tables"


@cache
def clients() -> dict[tuple[str, str, str, int, int], list[float]]:
    """Return the rates of the clients of each virtual run, by operation, drivers, number of clients and repeat."""
    found = defaultdict(list)
    for row, text in runs(STUDY):
        if row["file"].startswith("iozone/") and row["server_mode"] == "virtual":
            key = row["driver_net"], row["driver_disk"], int(row["clients"]), int(row["repeat"])
            for operation, rate in iozone_rates(text).items():
                found[operation, *key].append(rate)
    return found


def two_factors(
    row: Row, counts: Sequence[int], total: Callable[[Sequence[float]], float], tests: int
) -> Iterable[float]:
    """Return an effect of two factors by the analysis of variance with repeats as blocks, and its interval."""
    repeats = sorted({key[-1] for key in clients()})
    values = [
        [stats.hmean([total(clients()[row["operation"], *cell, n, repeat]) for n in counts]) for cell in CELLS]
        for repeat in repeats
    ]
    y = np.log(values)
    rest = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
    freedom = (len(repeats) - 1) * (len(CELLS) - 1)
    weights = WEIGHTS[row["effect"]]
    effect = weights @ y.mean(axis=0)
    error = np.sqrt((rest**2).sum() / freedom / len(repeats) * (weights**2).sum())
    half = stats.t.ppf(1 - sidak(tests) / 2, freedom) * error
    return np.exp([effect, effect - half, effect + half]).tolist()


def test_drivers_with_one_client(tables: Path) -> None:
    printed = rows(tables / "single.csv")
    assert {row["effect"] for row in printed} == set(WEIGHTS)
    compare_tables(printed, RATIO, lambda row: two_factors(row, [1], sum, len(printed)))


def test_drivers_with_all_numbers_of_clients(tables: Path) -> None:
    printed = rows(tables / "effects.csv")
    compare_tables(printed, RATIO, lambda row: two_factors(row, [1, 2, 4], until_slowest, len(printed)))


def test_how_long_the_host_was_idle(tables: Path) -> None:
    idle = defaultdict(list)
    for row in rows(ROOT / "raw" / STUDY / "runs.csv"):
        if row["file"].startswith("iozone/") and row["role"] == "monitor_log" and row["server_mode"] == "virtual":
            text = (ROOT / "raw" / STUDY / row["file"]).read_text()
            shares = [float(share) / 100 for share in re.findall(r"^\d\d:\d\d:\d\d +all .* ([\d.]+)$", text, re.M)]
            case = f"{row['driver_net']}, {row['driver_disk']}"
            idle[case, row["operation_group"], row["clients"]].append(np.mean(shares))
    printed = [row for row in rows(tables / "busy.csv") if row["case"] in {case for case, *_ in idle}]
    assert len(printed) == 2 * len(CELLS)
    compare_tables(
        printed,
        [f"clients {n}" for n in (1, 2, 4)],
        lambda row: [float(np.mean(idle[row["case"], row["operation_group"], str(n)])) for n in (1, 2, 4)],
    )
