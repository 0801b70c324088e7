"""The paper of virtual-2026: it builds, its numbers are those of the logs, and it fails when they change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from tests.conftest import ROOT
from tests.notebooks.papers import check_captions, facts_of, refusal, report_of, root_with
from tests.studies import measured

STUDY = "virtual-2026"
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
    check_captions(report, figures=4)


def logs(*words: str, name: str) -> Iterator[str]:
    """Texts of the logs of runs whose folder has all these words."""
    for path in sorted(RAW.glob(f"*/*/{name}")):
        if all(word in path.parent.name for word in words):
            yield path.read_text()


def rates_of_iozone(operation: str, *words: str) -> list[float]:
    """Rates of one client in KiB/s, read from the lines of IOzone by hand."""
    line = re.compile(rf"Children see throughput for +1 {operation}\s+= +([\d.]+)")
    return [float(line.findall(text)[0]) for text in logs(*words, "clients1", name="cli1.log")]


def mean_of_logs(rates: list[float]) -> float:
    return float(np.log(rates).mean())


@pytest.mark.parametrize(("end", "choose"), [("low", min), ("high", max)])
def test_the_driver_of_the_network_is_worth_the_ratio_of_printed_rates(
    facts: dict[str, Any], end: str, choose: Any
) -> None:
    ratios = []
    for operation, group in [
        ("initial writers", "_write_"),
        ("rewriters", "_write_"),
        ("readers", "_read_"),
        ("re-readers", "_read_"),
    ]:
        fast, slow = (rates_of_iozone(operation, f"virtual_{net}_", group) for net in ("virtio", "emulated"))
        assert len(fast) == len(slow) == 6
        ratios.append(np.exp(mean_of_logs(fast) - mean_of_logs(slow)))
    assert facts[f"net_{end}"]["value"] == pytest.approx(choose(ratios))


def test_what_the_card_carries_is_what_iperf3_prints(facts: dict[str, Any]) -> None:
    for way in ("to", "from"):
        fast, slow = (
            [
                json.loads(text)["end"]["sum_received"]["bits_per_second"]
                for text in logs(f"virtual_{net}_", f"net-{way}", name="cli1.log")
            ]
            for net in ("virtio", "emulated")
        )
        assert len(fast) == len(slow) == 6
        assert facts[f"card_{way}"]["value"] == pytest.approx(np.exp(mean_of_logs(fast) - mean_of_logs(slow)))


def test_what_an_emulator_leaves_is_the_ratio_to_bare_metal(facts: dict[str, Any]) -> None:
    ratios = []
    for operation, group in [
        ("initial writers", "_write_"),
        ("rewriters", "_write_"),
        ("readers", "_read_"),
        ("re-readers", "_read_"),
    ]:
        bare, virtual = (
            rates_of_iozone(operation, server, group) for server in ("bare-metal", "virtual_virtio_virtio")
        )
        assert len(bare) == len(virtual) == 3
        ratios.append(np.exp(mean_of_logs(virtual) - mean_of_logs(bare)))
    assert facts["kept_low"]["value"] == pytest.approx(min(ratios))
    assert facts["kept_high"]["value"] == pytest.approx(max(ratios))


def test_every_run_of_the_plan_is_there(facts: dict[str, Any]) -> None:
    assert facts["runs_planned"]["value"] == 150
    assert facts["runs_missing"]["value"] == 0


def test_the_paper_fails_when_the_data_do_not_carry_it(tree: xr.DataTree, tmp_path: Path) -> None:
    runs = tree["runs"].to_dataset()
    slower = xr.where(runs["driver_net"] == "virtio", 0.2, 1.0)
    denied = tree.copy()
    changed = (runs["throughput"] * slower).assign_attrs(runs["throughput"].attrs)
    denied["runs"] = xr.DataTree(runs.assign(throughput=changed))
    root = root_with(STUDY, denied, tmp_path)
    said = "the data no longer say that one client gains more from the driver of the network, in the mean"
    assert said in refusal(STUDY, root)
