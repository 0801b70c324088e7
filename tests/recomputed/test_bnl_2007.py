"""Tables of bnl-2007: IOzone and fileop by file system, and what Ganglia and dccp say of the tests of dCache."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.notebooks.papers import published_report
from tests.published import logs_of
from tests.recomputed.plain import Row, compare_tables, rendered, rows

STUDY = "bnl-2007"
SYSTEMS = ("zfs", "xfs", "ext3")
RECORD = 1024
"""KiB of a record in all that is said of IOzone."""
COLUMNS = {"write": 0, "read": 2, "random write": 5}
"""Places of operations behind file size and record length in the table of IOzone's automatic mode."""
AUTOMATIC = re.compile(r"^ +(\d+) +(\d+)((?: +\d+)+)$", re.MULTILINE)
SIZES = {
    "cache effects": (1.8e10, np.inf),
    "throughput 1 GB to 10 GB": (1e9, 1e10),
    "read parity": (1e9, np.inf),
    "sequential write": (1e9, 2**32),
    "sequential write beyond 4 GB": (4.3e9, np.inf),
    "EXT3 write": (1e9, np.inf),
    "ZFS random write beyond 4 GB": (2**33, 2**33),
}
"""From which file size in bytes to which each conclusion is about."""
WIRE = {"receive": "in", "transmit": "out"}
BUSY = 1e6
"""Bytes/s above which a test is under way."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables() -> Path:
    return published_report(STUDY) / "tables"


def log(name: str) -> str:
    return (logs_of(STUDY) / name).read_text()


@cache
def iozone(system: str, operation: str) -> Mapping[int, float]:
    """Return the rates in bytes/s by file size in bytes, in records of one MiB."""
    lines = AUTOMATIC.findall(log(f"iozone/{system}.log"))
    place = COLUMNS[operation]
    return {
        int(size) * 1024: float(rates.split()[place]) * 1024 for size, record, rates in lines if int(record) == RECORD
    }


def with_last_over_best(rates: list[float]) -> Iterable[float]:
    return *rates, min(rates) / max(rates)


def test_harmonic_means_over_file_sizes(tables: Path) -> None:
    printed = [row for row in rows(tables / "conclusions.csv") if row["quantity"].startswith("IOzone")]
    assert {row["row"] for row in printed} == set(SIZES)

    def recomputed(row: Row) -> Iterable[float]:
        low, high = SIZES[row["row"]]
        curves = [iozone(system, row["quantity"].removeprefix("IOzone, ")) for system in SYSTEMS]
        return with_last_over_best(
            [float(stats.hmean([rate for size, rate in curve.items() if low <= size <= high])) for curve in curves]
        )

    compare_tables(printed, (*SYSTEMS, "ratio_to_best"), recomputed)


@cache
def fileop(system: str) -> Mapping[str, float]:
    """Return the harmonic mean over all force factors of the rate of each operation."""
    text = log(f"fileop/{system}.log")
    names = re.findall(r"^ \. +(.+) Total_files", text, re.MULTILINE)[0].split()
    lines = [line.split() for line in re.findall(r"^A +\d+ +([\d ]+)$", text, re.MULTILINE)]
    return dict(zip(names, stats.hmean(np.array(lines, dtype=float)[:, : len(names)]), strict=True))


def test_harmonic_means_over_force_factors_and_the_lead_of_the_first(tables: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        rates = [fileop(system)[row["row"]] for system in SYSTEMS]
        _, second, first = sorted(rates)
        return *rates, first / second

    compare_tables(rows(tables / "fileop.csv"), (*SYSTEMS, "margin"), recomputed)


def test_length_rate_and_bytes_of_the_tests_on_the_monitor(tables: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        text = log(f"{row['run_id']}/bytes_{WIRE[row['operation']]}.rrd.xml")
        (step,) = re.findall(r"<step>(\d+)</step>", text)
        means = np.array(re.findall(r"<row><v>([^<]+)</v>", text), dtype=float)
        busy = means[means >= BUSY]
        return len(busy) * int(step), busy.mean(), busy.sum() * int(step)

    compare_tables(rows(tables / "tests.csv"), ("elapsed", "throughput", "bytes_integrated"), recomputed)


def test_bytes_that_the_lines_of_dccp_add_up_to(tables: Path) -> None:
    moved: dict[str, float] = defaultdict(float)
    for row, text in rendered(logs_of(STUDY), lambda row: row["tool"] == "dccp"):
        moved[row["run_id"]] += sum(map(int, re.findall(r"^(\d+) bytes in", text, re.MULTILINE)))
    compare_tables(rows(tables / "volumes.csv"), ["data_size"], lambda row: [moved[row["run_id"]]])
