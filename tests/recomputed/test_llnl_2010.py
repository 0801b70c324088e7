"""Tables of llnl-2010: best runs of IOR and mdtest, half of a peak, and the largest lead in each direction."""

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

STUDY = "llnl-2010"
LARGE_REQUESTS = 2.4e9
"""What the controller is said to deliver with requests of 4 MB, in bytes/s."""
USUAL = ("round-robin", "2-way")
"""How files are spread where no test varies it."""
IOR = re.compile(r"^(write|read) +([\d.]+)", re.MULTILINE)
MDTEST = re.compile(r"^ +(File|Directory) (creation|stat|removal) *: +[\d.]+ sec, +([\d.]+) ops/sec", re.MULTILINE)
METADATA = re.compile(r"nodes/(lustre|gpfs)_(shared|unique)_(own|neighbour)_(\d+)n")
ASKED_BY = {"own": "creating_node", "neighbour": "neighbour_node"}
CALLS = {"creation": "create", "stat": "stat", "removal": "remove"}

pytestmark = pytest.mark.slow

Curve = Mapping[int, list[float]]


@pytest.fixture(scope="module")
def tables() -> Path:
    return published_report(STUDY) / "tables"


@cache
def transfers() -> Mapping[tuple[str, str, str], Curve]:
    """Return the rates of all runs of IOR by test, operation and file system, and by the number of nodes."""
    found: dict[tuple[str, str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, text in rendered(logs_of(STUDY), lambda row: row["file"].startswith("ior/")):
        if row["operation_group"] != "tiers" and row["striping"] in USUAL:
            operation, rate = IOR.findall(text)[0]
            key = row["operation_group"], operation, row["filesystem"]
            found[key][int(row["nodes"])].append(float(rate) * 2**20)
    return found


def best(curve: Curve) -> tuple[float, int]:
    """Return the highest run of a curve, and the number of nodes that had it."""
    return max((max(rates), nodes) for nodes, rates in curve.items())


def test_best_rates_and_leads(tables: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        gpfs, lustre = (
            best(transfers()[row["operation_group"], row["operation"], system]) for system in ("gpfs", "lustre")
        )
        slower, faster = sorted([gpfs[0], lustre[0]])
        return *gpfs, *lustre, gpfs[0] / lustre[0], 1 - slower / faster, faster / slower - 1

    columns = ("gpfs", "gpfs_nodes", "lustre", "lustre_nodes", "ratio", "below", "above")
    compare_tables(rows(tables / "leads.csv"), columns, recomputed)


def test_best_runs_beside_geometric_means(tables: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        curve = transfers()[row["operation_group"], row["operation"], row["filesystem"]]
        highest, nodes = max((float(stats.gmean(rates)), nodes) for nodes, rates in curve.items())
        return best(curve)[0], best(curve)[0] / LARGE_REQUESTS, highest, nodes

    columns = ("throughput_best", "peak_share", "throughput", "nodes_peak")
    compare_tables(rows(tables / "peaks.csv"), columns, recomputed)


def test_nodes_that_reach_half_of_the_peak(tables: Path) -> None:
    curves = {system: transfers()["shared-file", "write", system] for system in ("gpfs", "lustre")}
    common = max(best(curve)[0] for curve in curves.values())

    def recomputed(row: Row) -> Iterable[float]:
        curve = curves[row["filesystem"]]
        peak = {"own": best(curve)[0], "common": common, "nominal": LARGE_REQUESTS}[row["peak_of"]]
        nodes = sorted(curve)
        level = next(at for at in nodes if max(curve[at]) >= peak / 2)
        before = nodes[: nodes.index(level)][-1:] or [level]
        ends = [max(curve[at]) for at in (*before, level)]
        passed = np.exp(np.interp(peak / 2, ends, np.log([*before, level])))
        return peak, float(passed), level

    columns = ("throughput", "nodes_half_peak", "nodes_half_peak_level")
    compare_tables(rows(tables / "half.csv"), columns, recomputed)


@cache
def calls() -> Mapping[tuple[str, str, str, str], Curve]:
    """Return the rates of all runs of mdtest by directory, who asks, operation and file system, and by nodes."""
    found: dict[tuple[str, str, str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, text in rendered(logs_of(STUDY), lambda row: row["file"].startswith("mdtest/nodes/")):
        ((system, directory, asks, nodes),) = METADATA.findall(row["file"])
        for kind, call, rate in MDTEST.findall(text):
            key = directory, ASKED_BY[asks], f"{kind.lower()}_{CALLS[call]}", system
            found[key][int(nodes)].append(float(rate))
    return found


def test_largest_lead_in_each_direction(tables: Path) -> None:
    def recomputed(row: Row) -> Iterable[float]:
        cell = row["directory_mode"], row["stat_origin"], row["operation"]
        lustre, gpfs = (calls()[(*cell, system)] for system in ("lustre", "gpfs"))
        leads = {nodes: max(lustre[nodes]) / max(gpfs[nodes]) for nodes in sorted(lustre)}
        most, least = max(leads, key=lambda at: round(leads[at], 9)), min(leads, key=lambda at: round(leads[at], 9))
        return leads[most], most, 1 / leads[least], least

    columns = ("lustre_ahead", "lustre_at", "gpfs_ahead", "gpfs_at")
    compare_tables(rows(tables / "ratios.csv"), columns, recomputed)
