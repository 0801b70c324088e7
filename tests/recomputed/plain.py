"""Logs, tables and the statistics of their captions, without storagelab."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy import stats

from tests.conftest import ROOT

Row = dict[str, str]
Found = tuple[float, ...]

ALPHA = 0.05
IOZONE = re.compile(r"Children see throughput for\s+\d+ ([a-z -]+?)\s+=\s+([\d.]+) kB/sec")
OPERATIONS = {
    "initial writers": "write",
    "rewriters": "rewrite",
    "readers": "read",
    "re-readers": "reread",
    "random readers": "random_read",
    "random writers": "random_write",
}


def rows(file: Path) -> list[Row]:
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def runs(study: str) -> Iterator[tuple[Row, str]]:
    """Yield each row of runs.csv that names a benchmark's log, with the text of that log."""
    folder = ROOT / "raw" / study
    for row in rows(folder / "runs.csv"):
        if row.get("kind", row.get("role", "benchmark")) == "benchmark":
            yield row, (folder / row["file"]).read_text()


def rendered(folder: Path, keep: Callable[[Row], bool]) -> Iterator[tuple[Row, str]]:
    """Yield each row of runs.csv that is asked for, of a published study whose logs are in a folder, with its log."""
    for row in rows(folder / "runs.csv"):
        if keep(row):
            yield row, (folder / row["file"]).read_text()


def iozone_rates(text: str) -> dict[str, float]:
    """Return what IOzone's throughput mode says that the children saw, in bytes/s, by operation."""
    return {OPERATIONS[name]: float(rate) * 1024 for name, rate in IOZONE.findall(text) if name in OPERATIONS}


def until_slowest(rates: Sequence[float]) -> float:
    """Return the rate of clients that moved the same bytes each, until the slowest of them was done."""
    return len(rates) * min(rates)


def sidak(tests: int) -> float:
    return float(1 - (1 - ALPHA) ** (1 / tests))


def corrected(p: float, tests: int) -> float:
    return float(1 - (1 - p) ** tests)


def t_interval(values: Iterable[float], alpha: float = ALPHA, center: float = 0.0) -> Found:
    """Return mean, both ends of its t interval, and p of the hypothesis that the mean is `center`."""
    x = np.asarray(list(values))
    half = stats.t.ppf(1 - alpha / 2, len(x) - 1) * stats.sem(x)
    return x.mean(), x.mean() - half, x.mean() + half, float(stats.ttest_1samp(x, center).pvalue)


def geometric(values: Iterable[float], alpha: float = ALPHA) -> Found:
    """Return the geometric mean, both ends of the t interval of its log, and p of the hypothesis that it is one."""
    mean, low, high, p = t_interval(np.log(list(values)), alpha)
    return np.exp(mean), np.exp(low), np.exp(high), p


def welch(base: Sequence[float], other: Sequence[float], alpha: float = ALPHA) -> Found:
    """Return other / base of geometric means, both ends of Welch's interval of its log, and p."""
    test = stats.ttest_ind(np.log(other), np.log(base), equal_var=False)
    ends = test.confidence_interval(1 - alpha)
    ratio = stats.gmean(other) / stats.gmean(base)
    return ratio, np.exp(ends.low), np.exp(ends.high), test.pvalue


def compare_tables(
    printed: Sequence[Row], columns: Sequence[str], recomputed: Callable[[Row], Iterable[float]], digits: float = 1e-8
) -> None:
    """Hold every row of a printed table against what is computed for it; tables print nine digits."""
    assert printed
    for row in printed:
        said = [float(row[column]) for column in columns]
        np.testing.assert_allclose(said, list(recomputed(row)), rtol=digits, err_msg=str(row)[:200])
