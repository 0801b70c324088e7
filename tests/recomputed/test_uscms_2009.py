"""Tables of uscms-2009: times of jobs from their reports, phases by the clock of messages, IOzone over a wide area."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.notebooks.papers import published_report
from tests.published import logs_of
from tests.recomputed.plain import Row, compare_tables, rendered, rows

STUDY = "uscms-2009"
LINK = 600e6 / 8
"""The narrowest link in bytes/s."""
IOZONE = re.compile(r"Children see throughput for +(\d+) (initial writers|readers)\s+=\s+([\d.]+)")
OPERATIONS = {"initial writers": "write", "readers": "read"}
STAMP = r"(\d\d-\w{3}-\d{4} [\d:.]+) UTC"
MOST_JOBS = 50

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables() -> Path:
    return published_report(STUDY) / "tables"


def test_means_over_records_and_repeats_and_their_share_of_the_link(tables: Path) -> None:
    found = defaultdict(list)
    for row, text in rendered(logs_of(STUDY), lambda row: row["file"].startswith("iozone/")):
        for processes, operation, rate in IOZONE.findall(text):
            found[row["host"], OPERATIONS[operation], float(processes)].append(float(rate) * 1024)

    def recomputed(row: Row) -> Iterable[float]:
        mean = float(np.mean(found[row["host"], row["operation"], float(row["processes"])]))
        return mean, mean / LINK

    compare_tables(rows(tables / "wide.csv"), ("throughput", "saturation"), recomputed)


def seconds(stamp: str) -> float:
    form = "%d-%b-%Y %H:%M:%S" + (".%f" if "." in stamp else "")
    return (datetime.strptime(stamp, form) - datetime(2009, 1, 1)).total_seconds()


def phases(text: str) -> Mapping[str, float]:
    """Return the time of a job to its first record, from there to its last, and of everything else."""
    (asked,) = (seconds(stamp) for stamp in re.findall(rf"^{STAMP}  Initiating request", text, re.MULTILINE))
    records = [seconds(stamp) for stamp in re.findall(rf"^Begin processing .* at {STAMP}", text, re.MULTILINE)]
    (whole,) = map(float, re.findall(r"Time report complete in ([\d.]+) seconds", text))
    return {
        "to first record": records[0] - asked,
        "first to last record": records[-1] - records[0],
        "everything else": whole - (records[-1] - asked),
    }


def test_what_dcap_adds_to_each_phase(tables: Path) -> None:
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row, text in rendered(logs_of(STUDY), lambda row: row["operation_group"] == "phases"):
        for phase, time in phases(text).items():
            times[row["filesystem"], phase].append(time)
    added = {
        phase: float(np.mean(each) - np.mean(times["lustre", phase]))
        for (system, phase), each in times.items()
        if system != "lustre"
    }

    def recomputed(row: Row) -> Iterable[float]:
        return added[row["phase"]], added[row["phase"]] / sum(added.values())

    compare_tables(rows(tables / "delay.csv"), ("time_difference", "phase_share"), recomputed)


@cache
def jobs() -> Mapping[tuple[str, int], Sequence[float]]:
    """Return the mean time of the jobs of each repeat by file system and number of jobs."""
    found: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for row, text in rendered(logs_of(STUDY), lambda row: row["operation_group"] == "scan"):
        (time,) = re.findall(r'<TotalJobTime +Value="([\d.]+)"', text)
        found[row["filesystem"], int(row["clients"]), row["repeat"]].append(float(time))
    means: dict[tuple[str, int], list[float]] = defaultdict(list)
    for (system, number, _), times in sorted(found.items()):
        means[system, number].append(float(np.mean(times)))
    return means


def conclusion(tables: Path, beginning: str) -> Row:
    (row,) = (row for row in rows(tables / "conclusions.csv") if row["row"] == beginning)
    return row


@pytest.mark.parametrize(
    ("row", "system"), [("direct Lustre vs dcap xfs", "lustre"), ("dcap on Lustre pool vs dcap xfs", "dcache-lustre")]
)
def test_mean_times_of_most_jobs_and_their_ratio(tables: Path, row: str, system: str) -> None:
    base, other = (float(np.mean(jobs()[each, MOST_JOBS])) for each in ("dcache-xfs", system))
    compare_tables([conclusion(tables, row)], ("value_a", "value_b", "ratio"), lambda _: (base, other, base / other))


def test_geometric_means_of_ratios_within_a_repeat(tables: Path) -> None:
    ratios = {
        number: np.array(jobs()["lustre", number]) / np.array(times)
        for (system, number), times in jobs().items()
        if system == "dcache-xfs"
    }
    worst = max(float(stats.gmean(each)) for each in ratios.values())
    pooled = float(stats.gmean(np.concatenate(list(ratios.values()))))
    for name, ratio in {"at every number of jobs": worst, "over all numbers of jobs": pooled}.items():
        row = conclusion(tables, f"direct Lustre vs dcap xfs, {name}")
        compare_tables([row], ["ratio"], lambda _, ratio=ratio: [ratio])
