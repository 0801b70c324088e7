"""The paper of xrootd-2026: it builds, its numbers are those of the logs, and it fails when they change."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from tests.conftest import ROOT
from tests.notebooks.papers import check_captions, facts_of, refusal, report_of, root_with
from tests.studies import measured

STUDY = "xrootd-2026"
RAW = ROOT / "raw" / STUDY

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tree() -> xr.DataTree:
    return measured(STUDY)


@pytest.fixture(scope="module")
def report(tree: xr.DataTree) -> Path:
    return report_of(STUDY, lambda root: root_with(STUDY, tree, root))


@pytest.fixture(scope="module")
def facts(report: Path) -> dict[str, Any]:
    return facts_of(report)


def test_every_fact_is_used(report: Path) -> None:
    assert json.loads((report / "summary.json").read_text())["notes"] == []


def test_the_abstract_has_at_most_150_words(report: Path) -> None:
    assert len(json.loads((report / "summary.json").read_text())["abstract"].split()) <= 150


def test_every_figure_says_n_and_origin(report: Path) -> None:
    check_captions(report, figures=12)


def real_times(layout: str, client: str, size: str) -> list[float]:
    """What ``time -p`` printed behind the ten uploads, read from the logs by hand."""
    logs = sorted((RAW / "xrdcp" / layout / client).glob(f"upload_{size}_r*.xrdcp.log"))
    return [float(re.findall(r"real ([\d.]+)", log.read_text())[0]) for log in logs]


@pytest.mark.parametrize(("fact", "layout"), [("rep_fast", "rep3"), ("code_fast", "ec21")])
def test_what_redundancy_costs_is_the_inverse_ratio_of_times(facts: dict[str, Any], fact: str, layout: str) -> None:
    redundant, alone = (np.log(real_times(name, "fast", "128m")) for name in (layout, "local"))
    assert facts[fact]["n"] == len(redundant) == len(alone) == 10
    assert facts[fact]["value"] == pytest.approx(np.exp(alone.mean() - redundant.mean()))


def test_the_price_of_a_small_file_is_its_real_time(facts: dict[str, Any]) -> None:
    means = [
        np.exp(np.log(real_times(layout, client, "4k")).mean())
        for layout in ("rep3", "ec21", "local")
        for client in ("slow", "fast")
    ]
    assert facts["start_low"]["value"] == pytest.approx(min(means))
    assert facts["start_high"]["value"] == pytest.approx(max(means))


@pytest.mark.parametrize("link", ["slow", "fast"])
def test_the_code_over_the_replicas_is_the_inverse_ratio_of_times(facts: dict[str, Any], link: str) -> None:
    copies, code = (np.log(real_times(name, link, "128m")) for name in ("rep3", "ec21"))
    assert facts[f"code_rep_{link}"]["value"] == pytest.approx(np.exp(copies.mean() - code.mean()))


def test_uploads_of_middling_size_lie_above_the_line_between_the_ends(facts: dict[str, Any]) -> None:
    small, middle, large = (np.array(real_times("ec21", "fast", size)) for size in ("4k", "4m", "128m"))
    line = small + (large - small) * (4 * 2**20 - 4096) / (128 * 2**20 - 4096)
    assert facts["bent_size"]["value"] == 4 * 2**20
    assert facts["bent_top"]["value"] == pytest.approx(np.exp(np.log(middle / line).mean()))


def reading_times(layout: str, protocol: str, jobs: int) -> list[float]:
    """Mean over the jobs of each run of ROOT's real times added up, read from the logs by hand."""
    means = []
    for repeat in (1, 2, 3):
        logs = (RAW / "root" / layout / f"jobs_{layout}_{protocol}_cli_{jobs:02d}_e100_b50_r{repeat}").glob(
            "*.root.log"
        )
        sums = [sum(map(float, re.findall(r"Real Time = +([\d.]+)", log.read_text()))) for log in logs]
        assert len(sums) == jobs
        means.append(float(np.mean(sums)))
    return means


def test_the_mount_is_slower_by_the_times_that_root_prints(facts: dict[str, Any]) -> None:
    mount, xrootd = (np.log(reading_times("dist", protocol, 8)) for protocol in ("mount", "xrootd"))
    assert facts["speed_top"]["value"] == pytest.approx(np.exp(mount.mean() - xrootd.mean()))
    assert facts["mount_whole_all"]["value"] == pytest.approx(np.exp(mount).mean())


def received(folder: Path) -> float:
    """Bytes that the client's interface received in a run."""
    counts = [
        float(re.findall(r"eth0: *(\d+)", next(folder.glob(f"*.netdev_{when}.txt")).read_text())[0])
        for when in ("after", "before")
    ]
    return counts[0] - counts[1]


def test_half_of_the_entries_brings_the_bytes_of_all(facts: dict[str, Any]) -> None:
    factors = []
    for repeat in (1, 2, 3, 4, 5):
        folder = RAW / "root" / "local" / f"single_local_xrootd_slow_01_e50_b100_r{repeat}"
        log = next(folder.glob("*.root.log")).read_text()
        read = [int(count) / 3000 for count in re.findall(r"Entries read (\d+) of 3000", log)]
        sizes = [1e6 * float(size) for size in re.findall(r"ReadTotal = ([\d.]+) MBytes", log)]
        used = sum(share * size for share, size in zip(read, sizes, strict=True))
        factors.append(received(folder) / used)
    assert facts["net_entries"]["n"] == 5
    assert facts["net_entries"]["value"] == pytest.approx(np.mean(factors))
    assert facts["net_entries"]["value"] == pytest.approx(2, rel=0.05)


def test_facts_lead_to_the_lines_they_are_from(facts: dict[str, Any]) -> None:
    for name, words in {"speed_top": ("Real Time",), "rep_fast": ("[100%]", "real ")}.items():
        for log, numbers in facts[name]["trace"].items():
            lines = (ROOT / log).read_bytes().decode().split("\n")
            assert all(any(word in lines[line - 1] for word in words) for line in numbers), (log, numbers)
    assert len(facts["rep_fast"]["trace"]) == 20
    assert [len(lines) for lines in facts["speed_top"]["trace"].values()] == [4] * 2 * 3 * 8, "four files a job"


def test_the_paper_fails_when_the_data_do_not_carry_it(tree: xr.DataTree, tmp_path: Path) -> None:
    clients = tree["clients"].to_dataset()
    crowd = (clients["protocol"] == "mount") & (clients["clients"] > 1)
    sooner = {
        name: (clients[name] * xr.where(crowd, 0.2, 1.0)).assign_attrs(clients[name].attrs)
        for name in ("elapsed", "disk_time")
    }
    denied = tree.copy()
    denied["clients"] = xr.DataTree(clients.assign(sooner))
    root = root_with(STUDY, denied, tmp_path)
    assert "the data no longer say that jobs on the mount take longer the more there are" in refusal(STUDY, root)
