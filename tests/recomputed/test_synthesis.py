"""Figures and a table of the synthesis: shares of links, curves, clients of a run, and 49 clients of 2011."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.notebooks.all_studies import NEEDS_ALL_STUDIES, synthesis_report
from tests.published import logs_of
from tests.recomputed.plain import Row, compare_tables, iozone_rates, rendered, rows, runs, t_interval, until_slowest

CAMPAIGN = "cluster-2026"
CLIENT_LINK, SERVER_LINKS = 200e6 / 8, 3 * 200e6 / 8
SHARES: Mapping[str, tuple[str, str, int, Callable[[Sequence[float]], float], float]] = {
    "one reader, whole files": ("read", "distribute", 1, sum, CLIENT_LINK),
    "12 readers, whole files, rates added": ("read", "distribute", 12, sum, SERVER_LINKS),
    "12 readers, whole files, until the slowest is done": ("read", "distribute", 12, until_slowest, SERVER_LINKS),
    "12 readers, striped, until the slowest is done": ("read", "distribute+shard", 12, until_slowest, SERVER_LINKS),
    "12 writers, three replicas, until the slowest is done": (
        "write",
        "replicate",
        12,
        until_slowest,
        SERVER_LINKS / 3,
    ),
}
"""Operation, layout, clients, how these are put together, and what the narrowest stage carries of the files."""

CROWD = ("nova-49", "netdev_readings")

pytestmark = [pytest.mark.slow, NEEDS_ALL_STUDIES]


@pytest.fixture(scope="module")
def report() -> Path:
    return synthesis_report()


@cache
def clients() -> Mapping[tuple[str, str, int, str], list[float]]:
    """Return the rates of the external clients of each run, by operation, layout, number of clients and run."""
    found = defaultdict(list)
    for row, text in runs(CAMPAIGN):
        if row["tool"] == "iozone" and row["client_location"] == "external":
            for operation, rate in iozone_rates(text).items():
                found[operation, row["layout"], int(row["clients"]), row["run_id"]].append(rate)
    return found


def of_runs(operation: str, layout: str, number: int, together: Callable[[Sequence[float]], float]) -> list[float]:
    return [together(rates) for key, rates in clients().items() if key[:3] == (operation, layout, number)]


def test_shares_of_what_the_narrowest_stage_carries(report: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        *which, carries = SHARES[row["label"]]
        return t_interval(rate / carries for rate in of_runs(*which))[:3]

    printed = [row for row in rows(report / "figures" / "saturation.csv") if row["label"] in SHARES]
    assert len(printed) == len(SHARES)
    compare_tables(printed, ("saturation", "saturation_low", "saturation_high"), recomputed)


def test_curves_over_their_highest_point(report: Path) -> None:
    printed = [row for row in rows(report / "figures" / "scaling.csv") if row["label"] == "IOzone, write, whole files"]
    means = {
        number: float(stats.gmean(of_runs("write", "distribute", number, until_slowest)))
        for number in {int(float(row["clients"])) for row in printed}
    }
    compare_tables(printed, ["curve_share"], lambda row: [means[int(float(row["clients"]))] / max(means.values())])


def test_clients_over_the_mean_of_their_run(report: Path) -> None:
    drawn = defaultdict(list)
    for row in rows(report / "figures" / "fairness.csv"):
        drawn[row["run_id"]].append(float(row["over_mean"]))
    of_run = {run: rates for (operation, *_, run), rates in clients().items() if operation in run.split("_")}
    assert len(drawn) == 9
    for run, over_mean in drawn.items():
        rates = np.sort(of_run[run])
        np.testing.assert_allclose(np.sort(over_mean), rates / rates.mean(), rtol=1e-8, err_msg=run)


def test_variation_and_jain_of_49_clients(report: Path) -> None:
    (row,) = (row for row in rows(report / "tables" / "cross-study.csv") if row["study"] == "fermicloud-2011")
    rates = []
    crowd = rendered(logs_of("fermicloud-2011"), lambda row: (row["run_id"], row["role"]) == CROWD)
    for _, text in crowd:
        begin, *_, end = map(float, re.findall(r"^(\d+\.\d+)$", text, re.MULTILINE))
        rates.append(float(re.findall(r"eth0: *(\d+)", text)[-1]) / (end - begin))
    x = np.array(rates)
    assert float(row["per_client_cv"]) == pytest.approx(x.std(ddof=1) / x.mean(), rel=1e-6)
    assert float(row["jain_index"]) == pytest.approx(x.sum() ** 2 / len(x) / (x**2).sum(), rel=1e-8)
