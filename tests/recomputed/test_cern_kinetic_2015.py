"""Tables of cern-kinetic-2015: uploads by the shell's clock, and the processor's share of an analysis."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.notebooks.papers import facts_of, published_report
from tests.published import logs_of
from tests.recomputed.plain import Row, compare_tables, rendered, rows

STUDY = "cern-kinetic-2015"
SYSTEMS = ("eos-dev", "eos-kinetic-10-2", "eos-kinetic-32-4")
COLUMNS = ("dev", "kinetic_10_2", "kinetic_32_4", "ratio_10_2", "ratio_32_4")
PLATEAUS = {"1GE": ("125000000", (256e6, 1e9, 4e9)), "10GE": ("1250000000", (1e9, 4e9))}
"""Link of the client, and the sizes from which its curve is called flat."""
MOVED = re.compile(r"/([\d.]+)([MG])B\]\[100%\]")
BYTES = {"M": 2**20, "G": 2**30}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report() -> Path:
    return published_report(STUDY)


@cache
def uploads() -> Mapping[tuple[str, str], Sequence[float]]:
    """Return the rate of each upload on a plateau by link and system: bytes as xrdcopy prints them over real time."""
    of_plateau = {(link, str(int(size))) for link, sizes in PLATEAUS.values() for size in sizes}
    found = defaultdict(list)
    for row, text in rendered(logs_of(STUDY), lambda row: (row["client_link"], row["file_size"]) in of_plateau):
        if row["operation"] == "upload":
            number, unit = MOVED.findall(text)[-1]
            (seconds,) = re.findall(r"^real ([\d.]+)$", text, re.MULTILINE)
            found[row["client_link"], row["filesystem"]].append(float(number) * BYTES[unit] / float(seconds))
    return found


@cache
def shares() -> Mapping[tuple[str, str], Sequence[float]]:
    """Return CPU time over real time of each run of the analysis, by system and share of the entries."""
    found = defaultdict(list)
    for row, text in rendered(logs_of(STUDY), lambda row: row["operation"] == "read"):
        cpu, real = (
            float(re.findall(rf"^{name} Time = +([\d.]+)", text, re.MULTILINE)[0]) for name in ("CPU ", "Real")
        )
        found[row["filesystem"], row["entries_fraction"]].append(cpu / real)
    return found


def with_ratios(values: Sequence[float]) -> Iterable[float]:
    """Return the values of DEV and of both codes, and those of the codes over that of DEV."""
    return *values, values[1] / values[0], values[2] / values[0]


def named(report: Path, *names: str) -> list[Row]:
    return [row for row in rows(report / "tables" / "conclusions.csv") if row["row"] in names]


def test_arithmetic_means_of_the_plateaus_and_their_ratios(report: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        link, _ = PLATEAUS[row["row"].split()[0]]
        return with_ratios([float(np.mean(uploads()[link, system])) for system in SYSTEMS])

    compare_tables(named(report, "1GE write plateau", "10GE write plateau"), COLUMNS, recomputed)


def test_shares_of_the_processor(report: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        entries = {"CPU/Real at 100%": "1", "CPU/Real at 50%": "0.5"}[row["row"]]
        return with_ratios([float(np.mean(shares()[system, entries])) for system in SYSTEMS])

    compare_tables(named(report, "CPU/Real at 100%", "CPU/Real at 50%"), COLUMNS, recomputed)


def test_what_the_share_loses_in_points_and_between_geometric_means(report: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        half = shares()[row["filesystem"], "0.5"]
        base = shares()["eos-dev", "0.5"] if row["base"].startswith("DEV") else shares()[row["filesystem"], "1"]
        return float(np.mean(half) - np.mean(base)), float(stats.gmean(half) / stats.gmean(base) - 1)

    compare_tables(rows(report / "tables" / "drop.csv"), ["difference", "relative_difference"], recomputed)


@pytest.mark.parametrize(
    ("fact", "recomputed"),
    [
        ("c_fast_loss", lambda dev, wide: 1 - stats.gmean(wide) / stats.gmean(dev)),
        ("rate_fast_dev", lambda dev, _: np.mean(dev)),
    ],
)
def test_sentences_on_the_fast_client(
    report: Path, fact: str, recomputed: Callable[[Sequence[float], Sequence[float]], float]
) -> None:
    dev, wide = (uploads()[PLATEAUS["10GE"][0], system] for system in ("eos-dev", "eos-kinetic-32-4"))
    assert facts_of(report)[fact]["value"] == pytest.approx(recomputed(dev, wide), rel=1e-8)
