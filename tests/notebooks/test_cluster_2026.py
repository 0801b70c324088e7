"""The paper of the measured cluster: it builds, its numbers are those of the logs, and it fails when they change."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from storagelab.ingest import ingest
from tests.conftest import ROOT
from tests.notebooks.papers import check_captions, facts_of, refusal, report_of, root_with
from tests.studies import cut_out, measured

STUDY = "cluster-2026"
RAW = ROOT / "raw" / STUDY / "gluster"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report() -> Path:
    return report_of(STUDY, lambda root: root_with(STUDY, measured(STUDY), root))


@pytest.fixture(scope="module")
def facts(report: Path) -> dict[str, Any]:
    return facts_of(report)


def test_every_fact_is_used(report: Path) -> None:
    assert json.loads((report / "summary.json").read_text())["notes"] == []


SCALE_MODEL = ("scale model", "network namespaces", r"two[- ]cores?", r"24\s?MiB", "in (?:its )?memory")
"""What a reader must be told of the campaign wherever its numbers are announced."""


def untold(text: str) -> list[str]:
    return [words for words in SCALE_MODEL if not re.search(words, " ".join(text.split()))]


def announcements(report: Path) -> dict[str, str]:
    summary = json.loads((report / "summary.json").read_text())
    study = yaml.safe_load((ROOT / "raw" / STUDY / "study.yaml").read_text())
    told = {"title": summary["title"], "abstract": summary["abstract"]}
    told |= {f"study.yaml, {key}": study[key] for key in ("title", "description")}
    return {**told, "README.md": (ROOT / "README.md").read_text()}


def test_it_is_announced_as_a_scale_model(report: Path) -> None:
    found = {place: untold(text) for place, text in announcements(report).items()}
    assert {place: words for place, words in found.items() if words} == {}


def test_an_announcement_that_hides_the_scale_is_seen() -> None:
    assert untold("A scale model: network namespaces on one two-core machine, files that fit in memory") == [
        SCALE_MODEL[3]
    ]
    assert untold("GlusterFS on three servers") == list(SCALE_MODEL)


def test_the_abstract_has_at_most_150_words(report: Path) -> None:
    assert len(json.loads((report / "summary.json").read_text())["abstract"].split()) <= 150


def rate_after(settle: float) -> float:
    """Rate of the second replicated run from the return on over that before the kill, from the logs by hand."""
    with (RAW.parent / "failover" / "runs.csv").open() as listed:
        row = next(row for row in csv.DictReader(listed) if row["run_id"] == "rep3_failover_r2")
    killed, restored = (datetime.fromisoformat(row[name]).timestamp() for name in ("failure_utc", "restored_utc"))
    before = after = 0.0
    for log in (RAW.parent / "failover" / "rep3_failover_r2").glob("*.fio_bw.log"):
        rates = np.loadtxt(log, delimiter=",", usecols=(0, 1))
        at, end = rates[:, 0] / 1000, rates[-1, 0] / 1000
        first, back = at[0] + settle, restored + 2.5
        before += rates[(at >= first) & (at < killed), 1].sum() / (killed - first)
        after += rates[at >= back, 1].sum() / (end - back)
    return after / before


def test_the_seconds_before_the_kill_that_count_change_what_the_return_costs(facts: dict[str, Any]) -> None:
    assert facts["settle"]["value"] == 2.0
    assert facts["after_copies_second"]["value"] == pytest.approx(rate_after(2.0), abs=0.02)
    assert facts["after_copies_all"]["value"] == pytest.approx(rate_after(0.0), abs=0.02)
    assert facts["after_copies_all"]["value"] > facts["after_copies_second"]["value"] + 0.03


def test_every_figure_says_n_and_origin(report: Path) -> None:
    check_captions(report, figures=15, counts=r"n = |points\)")


def children(layout: str, clients: int, operation: str) -> list[float]:
    """Sums of the rates in KiB/s, read from the IOzone logs of each run by hand."""
    group = "write" if operation == "initial writers" else "read"
    sums = []
    for repeat in (1, 2, 3):
        folder = RAW / layout / f"{layout}_external_{clients:02d}_{group}_r{repeat}"
        found = [
            re.search(rf"throughput for\s+\d+ {operation}\s*=\s*([\d.]+)", log.read_text())
            for log in folder.glob("*.iozone.log")
        ]
        sums.append(sum(float(match[1]) for match in found if match))
    return sums


@pytest.mark.parametrize(
    ("fact", "layout", "clients", "operation"),
    [
        ("one_whole", "dist", 1, "initial writers"),
        ("one_copies", "rep3", 1, "initial writers"),
        ("one_code", "ec21", 1, "initial writers"),
        ("three_whole", "dist", 3, "initial writers"),
    ],
)
def test_means_are_those_of_the_logs(
    facts: dict[str, Any], fact: str, layout: str, clients: int, operation: str
) -> None:
    sums = children(layout, clients, operation)
    assert len(sums) == facts[fact]["n"] == 3
    assert facts[fact]["value"] == pytest.approx(1024 * sum(sums) / 3)


def test_facts_lead_to_the_lines_they_are_from(facts: dict[str, Any]) -> None:
    lines = [
        (ROOT / log).read_text().splitlines()[line - 1]
        for log, numbers in facts["one_whole"]["trace"].items()
        for line in numbers
    ]
    assert len(lines) == 3
    assert all("initial writers" in line for line in lines)


def test_three_aggregates_of_the_run_shown(facts: dict[str, Any]) -> None:
    jobs = [json.loads((ROOT / log).read_text()) for log in facts["shown_sum"]["trace"]]
    reads = [job["jobs"][0]["read"] for job in jobs]
    assert facts["shown_sum"]["value"] == pytest.approx(
        sum(12 * 2**20 / (read["runtime"] / 1000) for read in reads), rel=1e-3
    )
    assert facts["shown_span"]["value"] < facts["skim_limit"]["value"] < facts["shown_sum"]["value"]


def test_the_knee_is_that_of_least_squares_on_the_logs(facts: dict[str, Any]) -> None:
    """P min(1, n / n0) on the logs of the sums of each run, by a search over n0."""
    points = [(n, value) for n in (1, 2, 3, 6, 12) for value in children("rep3", n, "initial writers")]
    counts, rates = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    assert len(points) == 15
    knees = np.linspace(2, 6, 8001)
    shapes = np.log(np.minimum(1, counts / knees[:, None]))
    missed = np.log(rates * 1024) - shapes
    best = int(missed.var(axis=1).argmin())
    assert facts["knee_copies"]["value"] == pytest.approx(knees[best], abs=1e-3)
    assert facts["plateau_copies"]["value"] == pytest.approx(np.exp(missed[best].mean()), rel=1e-3)


def written(run: str, client: str, begin: float, until: float) -> float:
    """Bytes under a log of fio, in which a sample holds from the one before it, but never for more than 200 ms."""
    lines = (RAW.parent / "failover" / run / f"{client}.fio_bw.log").read_text().splitlines()
    samples = [(int(line.split(",")[0]) / 1000, int(line.split(",")[1]) * 1024) for line in lines]
    low, total = samples[0][0] - 0.2, 0.0
    for high, rate in samples:
        low = low if high - low <= 0.3 else high - 0.2
        total += rate * max(0.0, min(high, until) - max(low, begin))
        low = high
    return total


def test_rates_around_a_failure_are_those_of_the_logs(facts: dict[str, Any]) -> None:
    with (RAW.parent / "failover/runs.csv").open() as table:
        rows = {row["client"]: row for row in csv.DictReader(table) if row["run_id"] == "rep3_failover_r1"}
    killed = datetime.fromisoformat(rows["cli1"]["failure_utc"]).timestamp()
    before = 0.0
    for client in rows:
        log = RAW.parent / "failover/rep3_failover_r1" / f"{client}.fio_bw.log"
        begin = int(log.read_text().split(",")[0]) / 1000 - 0.2 + 2.0
        before += written("rep3_failover_r1", client, begin, killed) / (killed - begin)
    assert facts["copies_first"]["value"] == pytest.approx(before, rel=1e-6)


def test_messages_of_a_failure_are_those_of_the_logs(facts: dict[str, Any]) -> None:
    traces = count = 0
    for log in (RAW.parent / "failover").glob("*/*.glusterfs.log"):
        for line in log.read_text().splitlines():
            times = re.search(r'" repeated (\d+) times', line)
            if re.search(r'^(?:\[[^]]*\]|The message ") ?[EW] ', line):
                count += int(times[1]) if times else 1
                traces += "(-->" in line
    assert facts["messages"]["value"] == count
    assert facts["traces"]["value"] == pytest.approx(traces / count)


def test_the_paper_fails_when_the_data_do_not_carry_it(tmp_path: Path) -> None:
    def once(row: Mapping[str, str]) -> bool:
        return row["repeat"] == "1"

    root = root_with(STUDY, ingest(cut_out(STUDY, once, tmp_path / STUDY)), tmp_path / "root")
    assert "the data no longer say that replicate writes more slowly than distribute" in refusal(STUDY, root)
