"""Tables of fermicloud-2011: levels of IOzone, rates off interface counters with their errors, and 49 clients."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.notebooks.papers import facts_of, published_report
from tests.published import logs_of
from tests.recomputed.plain import Row, compare_tables, rendered, rows

STUDY = "fermicloud-2011"
IOZONE = re.compile(r"Children see throughput for +(\d+) (initial writers|readers)\s+=\s+([\d.]+)")
LEVEL_FROM = 12
"""Number of clients from which the paper takes a curve of IOzone for level."""
CURVES = {
    "Lustre bare": "bare",
    "Lustre virtual, network virtio, disk virtio": "net_virtio_disk_virtio",
    "Lustre virtual, network virtio, disk ide": "net_virtio_disk_ide",
    "Lustre virtual, network emulated, disk virtio": "net_emulated_disk_virtio",
    "Lustre virtual, network emulated, disk ide": "net_emulated_disk_ide",
    "striped, external": "external_4MB_8vm",
    "striped, on-board": "on-board_4MB_8vm",
    "Hadoop, fewest replicas": "hadoop_1",
    "Hadoop, most replicas": "hadoop_3",
    "BlueArc": "bluearc",
}
RUNS = {
    "21 bare": "nova-21-bare",
    "21 virtual ITB": "nova-21-virtual-external",
    "21 virtual on-board": "nova-21-virtual-onboard",
    "21 striped ITB": "nova-21-striped-external",
    "21 striped on-board": "nova-21-striped-onboard",
    "21 Hadoop": "nova-21-hadoop",
    "21 BlueArc": "nova-21-bluearc",
    "single bare": "nova-1-bare",
    "single virtual": "nova-1-virtual",
}
PAIRS = {
    "one client, bare metal and virtual servers": ("single bare", "single virtual"),
    "21 clients, bare metal and virtual servers": ("21 bare", "21 virtual ITB"),
    "21 clients, external and on-board": ("21 virtual ITB", "21 virtual on-board"),
    "external, whole files and striped": ("21 virtual ITB", "21 striped ITB"),
    "one client and 21, bare metal": ("single bare", "21 bare"),
    "Hadoop and BlueArc": ("21 Hadoop", "21 BlueArc"),
}
MARGIN = 0.05
"""Share within which the interval of a ratio lies that is called equivalent."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report() -> Path:
    return published_report(STUDY)


def test_means_of_level_points(report: Path) -> None:
    points: dict[tuple[str, str], list[float]] = {}
    for row, text in rendered(logs_of(STUDY), lambda row: row["file"].startswith("iozone/")):
        for clients, operation, rate in IOZONE.findall(text):
            if int(clients) >= LEVEL_FROM:
                points.setdefault((row["file"].split("/")[1], operation), []).append(float(rate) * 1024)

    def recomputed(row: Row) -> Iterable[float]:
        return [float(np.mean(points[CURVES[row["row"]], operation])) for operation in ("readers", "initial writers")]

    printed = [row for row in rows(report / "tables" / "plateaus.csv") if row["row"] in CURVES]
    assert len(printed) == len(CURVES)
    compare_tables(printed, ("read_plateau", "write_plateau"), recomputed, digits=1e-7)


@cache
def readings(run: str) -> Mapping[str, np.ndarray]:
    """Return times and received bytes of the interface of each client of a run."""
    found = {}
    for row, text in rendered(logs_of(STUDY), lambda row: row["run_id"] == run and row["role"] == "netdev_readings"):
        times = re.findall(r"^(\d+\.\d+)$", text, re.MULTILINE)
        received = re.findall(r"eth0: *(\d+)", text)
        found[row["client"]] = np.array([times, received], dtype=float)
    return found


@cache
def of_files(run: str) -> np.ndarray:
    """Return the rate of each file of each client, between two readings."""
    return np.concatenate([np.diff(received) / np.diff(times) for times, received in readings(RUNS[run]).values()])


def test_means_errors_and_sums_of_21_clients(report: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        rates, clients = of_files(row["row"]), len(readings(RUNS[row["row"]]))
        return rates.mean(), stats.sem(rates), len(rates), rates.std(ddof=1) / rates.mean(), clients * rates.mean()

    printed = [row for row in rows(report / "tables" / "nova.csv") if row["row"] in RUNS]
    assert len(printed) == len(RUNS)
    compare_tables(printed, ("mean", "standard_error", "n", "cv", "aggregate"), recomputed, digits=1e-6)


def test_pairs_in_standard_errors_and_within_the_margin(report: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        a, b = (of_files(run) for run in PAIRS[row["row"]])
        z = (b.mean() - a.mean()) / np.hypot(stats.sem(a), stats.sem(b))
        return z, 2 * stats.norm.sf(abs(z)), b.mean() / a.mean() - 1

    printed = [row for row in rows(report / "tables" / "pairs.csv") if row["row"] in PAIRS]
    assert len(printed) == len(PAIRS)
    compare_tables(printed, ("z", "p_value", "relative_difference"), recomputed, digits=1e-5)
    assert {row["row"]: row["equivalent_5pct"] for row in printed} == {
        name: "yes" if equivalent(*map(of_files, pair)) else "no" for name, pair in PAIRS.items()
    }


def equivalent(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the normal 95 % interval of b / a lies within the margin of one."""
    ratio = b.mean() / a.mean()
    half = stats.norm.ppf(0.975) * ratio * np.hypot(stats.sem(a) / a.mean(), stats.sem(b) / b.mean())
    return bool(ratio - half >= 1 - MARGIN and ratio + half <= 1 + MARGIN)


def test_three_sums_of_49_clients_and_how_their_times_spread(report: Path) -> None:
    windows = readings("nova-49")
    begins, ends, moved = np.array([(times[0], times[-1], bytes_[-1]) for times, bytes_ in windows.values()]).T
    rates = moved / (ends - begins)
    wall = np.array([real_time(client) for client in windows])
    facts = {name: fact["value"] for name, fact in facts_of(report).items()}
    assert facts["span"] == pytest.approx(moved.sum() / (ends.max() - begins.min()), rel=1e-6)
    assert facts["common"] == pytest.approx(rates.sum(), rel=1e-6)
    assert facts["times_half"] == pytest.approx(np.ptp(wall) / 2 / wall.mean(), rel=1e-6)
    assert facts["window_spread"] == pytest.approx((wall * rates).max() / (wall * rates).min(), rel=1e-5)
    assert begins.max() < ends.min(), "there is a time when all run"


def real_time(client: str) -> float:
    """Return the seconds of a job of 49 clients, by its last line."""
    text = (logs_of(STUDY) / f"nova/nova-49/{client}.root.log").read_text()
    hours, minutes, seconds = re.findall(r"^Real time (\d+):(\d+):([\d.]+), CP", text, re.MULTILINE)[-1]
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)
