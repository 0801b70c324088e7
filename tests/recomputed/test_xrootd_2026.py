"""Tables of xrootd-2026: uploads against the shell's clock, and whole processes by the elapsed times of runs.csv."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from tests.notebooks.papers import report_of, root_with
from tests.recomputed.plain import Row, compare_tables, corrected, geometric, rows, runs, sidak
from tests.studies import measured

STUDY = "xrootd-2026"
LARGEST = 128 * 2**20

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables() -> Path:
    return report_of(STUDY, lambda root: root_with(STUDY, measured(STUDY), root)) / "tables"


def test_mean_rate_of_the_largest_uploads(tables: Path) -> None:
    uploads = defaultdict(list)
    for row, text in runs(STUDY):
        if row["tool"] == "xrdcp" and row["operation"] == "upload" and int(row["file_size_bytes"]) == LARGEST:
            (seconds,) = re.findall(r"^real ([\d.]+)$", text, re.MULTILINE)
            uploads[float(row["client_link_mbit"]) * 1e6 / 8, row["layout"]].append(LARGEST / float(seconds))
    compare_tables(
        rows(tables / "plateau.csv"),
        ["throughput"],
        lambda row: [float(np.mean(uploads[float(row["client_link"]), row["layout"]]))],
    )


def test_whole_processes_on_the_mount_over_those_through_xrootd(tables: Path) -> None:
    times = defaultdict(list)
    for row, _ in runs(STUDY):
        if row["tool"] == "root" and row["run_id"].startswith("jobs_"):
            times[row["layout"], row["protocol"], row["clients"], row["repeat"]].append(float(row["elapsed_s"]))

    def recomputed(row: Row) -> Iterable[float]:
        logs = defaultdict(list)
        for (layout, protocol, jobs, repeat), elapsed in times.items():
            if layout == row["layout"] and protocol == "mount":
                logs[repeat].append(np.log(np.mean(elapsed) / np.mean(times[layout, "xrootd", jobs, repeat])))
        ratio, low, high, p = geometric((float(np.exp(np.mean(each))) for each in logs.values()), sidak(2))
        return ratio, low, high, len(logs), corrected(p, 2)

    compare_tables(rows(tables / "processes.csv"), ("ratio", "ratio_low", "ratio_high", "n", "p_adjusted"), recomputed)
