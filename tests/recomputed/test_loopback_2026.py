"""Tables of loopback-2026: pairs of runs that were made in the same repeat."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.notebooks.papers import report_of, root_with
from tests.recomputed.plain import Row, compare_tables, corrected, geometric, iozone_rates, rows, runs, sidak
from tests.studies import measured

STUDY = "loopback-2026"
RATIO = ("ratio", "ratio_low", "ratio_high", "n", "p_adjusted")
ITERATION = r"^{}\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+\d+\s"
MDTEST = re.compile(r"^\s+((?:File|Directory|Tree) \w+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*$", re.MULTILINE)
METADATA = {"file_create": "File creation", "file_stat": "File stat", "file_remove": "File removal"}

pytestmark = pytest.mark.slow

Block = tuple[str, str, str]
Key = tuple[Block, str, int]
"""File system, mount and driver; what was measured; the repeat."""


@pytest.fixture(scope="module")
def tables() -> Path:
    return report_of(STUDY, lambda root: root_with(STUDY, measured(STUDY), root)) / "tables"


@cache
def rates() -> Mapping[str, Mapping[Key, float]]:
    """Return the value of each run by tool: mdtest prints a mean, the mean of IOR's iterations is harmonic."""
    found: dict[str, dict[Key, float]] = defaultdict(dict)
    for row, text in runs(STUDY):
        case = re.sub(r"_r\d+$", "", Path(row["file"]).stem).removeprefix(f"{row['mount']}_{row['disk_driver']}_")
        block = row["filesystem"], row["mount"], row["disk_driver"]
        for operation, rate in READERS.get(row["tool"], lambda _: {})(text).items():
            found[row["tool"]][block, f"{case} {operation}", int(row["repeat"])] = rate
    return found


def mdtest(text: str) -> dict[str, float]:
    return {name: float(mean) for name, _, _, mean, _ in MDTEST.findall(text) if float(mean)}


def ior(text: str) -> dict[str, float]:
    found = {operation: _iterations(text, operation) for operation in ("write", "read")}
    return {operation: float(stats.hmean(rates)) for operation, rates in found.items() if rates}


def _iterations(text: str, operation: str) -> list[float]:
    if text.startswith("{"):
        results = [row for test in json.loads(text)["tests"] for row in test["Results"]]
        each = [row for listed in results for row in (listed if isinstance(listed, list) else [listed])]
        return [row["bwMiB"] for row in each if row.get("access") == operation]
    return [float(rate) for rate in re.findall(ITERATION.format(operation), text, re.MULTILINE)]


READERS: Mapping[str, Callable[[str], dict[str, float]]] = {"ior": ior, "mdtest": mdtest, "iozone": iozone_rates}


def is_kernel_or_zfs(block: Block) -> bool:
    return block[0] == "zfs" or block[1:] == ("kernel", "loop-direct")


def over(ratios: Iterable[float], tests: int) -> Iterable[float]:
    """Return the columns of RATIO, corrected for so many tests."""
    each = list(ratios)
    ratio, low, high, p = geometric(each, sidak(tests))
    return ratio, low, high, len(each), corrected(p, tests)


def test_one_shared_file(tables: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        ior, blocks = rates()["ior"], defaultdict(list)
        for (block, case, repeat), rate in ior.items():
            own = case.replace("shared", "easy-fpp")
            if re.fullmatch(rf"shared_c0[248] {row['operation']}", case) and is_kernel_or_zfs(block):
                blocks[block, repeat].append(np.log(rate / ior[block, own, repeat]))
        return over((float(np.exp(np.mean(logs))) for logs in blocks.values()), 2)

    compare_tables(rows(tables / "shared.csv"), RATIO, recomputed)


def test_directories_of_one_process(tables: Path) -> None:
    printed = rows(tables / "mdtest.csv")

    def recomputed(row: Row) -> Iterable[float]:
        mdtest, cell = rates()["mdtest"], f"c{float(row['clients']):02.0f} {METADATA[row['operation']]}"
        shared = {key: rate for key, rate in mdtest.items() if key[1] == f"shared_{cell}" and is_kernel_or_zfs(key[0])}
        return over((mdtest[block, f"unique_{cell}", n] / rate for (block, _, n), rate in shared.items()), len(printed))

    compare_tables(printed, RATIO, recomputed)


def test_fuse_before_ext4_and_xfs(tables: Path) -> None:
    printed = rows(tables / "fuse.csv")

    def recomputed(row: Row) -> Iterable[float]:
        iozone, cell = rates()["iozone"], f"throughput_c{float(row['clients']):02.0f} {row['operation']}"
        fuse = {
            ((system, "kernel", disk), case, n): rate
            for ((system, mount, disk), case, n), rate in iozone.items()
            if case == cell and mount == "fuse" and system in ("ext4", "xfs")
        }
        return over((rate / iozone[key] for key, rate in fuse.items() if key in iozone), len(printed))

    compare_tables(printed, RATIO, recomputed)


def test_repeats_against_the_second(tables: Path) -> None:
    printed = [row for row in rows(tables / "drift.csv") if row["tool"] in ("ior", "mdtest", "iozone")]

    def recomputed(row: Row) -> Iterable[float]:
        cells: dict[Block, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
        for (block, case, repeat), rate in rates()[row["tool"]].items():
            cells[block][case][repeat] = rate
        other = int(row["compared"].split(" / ")[0])
        logs = (
            [np.log(cell[other] / cell[2]) for cell in of_block.values() if len(cell) == 3]
            for of_block in cells.values()
        )
        return over((float(np.exp(np.mean(each))) for each in logs if each), 5)

    assert len(printed) == 6
    compare_tables(printed, RATIO, recomputed)
