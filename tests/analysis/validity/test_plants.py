"""Plants in raw logs of a campaign are found by `validity_report`, and the campaign without them has few findings."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import xarray as xr

from storagelab import analysis, dataset
from storagelab.ingest import ingest
from tests.analysis.validity import plants
from tests.analysis.validity.plants import Plant

pytestmark = pytest.mark.slow

CAMPAIGN = "cluster-2026"


def findings(folder: Path) -> xr.Dataset:
    """All findings of a study, read from its logs the normal way."""
    return analysis.validity_report(ingest(folder))[1]


def examined(folder: Path) -> pd.DataFrame:
    return dataset.frame(findings(folder))


@dataclass(frozen=True)
class Clean:
    """The campaign before anything is planted: where it is, and what is found in it."""

    folder: Path
    findings: xr.Dataset
    found: pd.DataFrame


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    folder = plants.campaign(tmp_path_factory.mktemp("clean") / CAMPAIGN)
    found = findings(folder)
    return Clean(folder, found, dataset.frame(found))


def above_known(found: pd.DataFrame) -> pd.DataFrame:
    """Findings that the study does not declare itself."""
    return found[found["finding_rank"] != "known"]


def planted(clean: Clean, folder: Path, some: Sequence[Plant]) -> pd.DataFrame:
    """Findings above known that the campaign has after something was planted, and did not have before."""
    copy = folder / CAMPAIGN
    shutil.copytree(clean.folder, copy)
    for plant in some:
        plant(copy)
    found = above_known(examined(copy))
    before = {*zip(clean.found["check"], clean.found["where"], strict=True)}
    return found[[pair not in before for pair in zip(found["check"], found["where"], strict=True)]]


def test_the_clean_campaign_has_at_most_ten_lines_above_known(clean: Clean) -> None:
    lines = dataset.frame(analysis.validity_lines(clean.findings))
    assert len(above_known(lines)) <= 10
    assert len(clean.found) > 100
    assert lines["alike"].sum() == len(clean.found), "a line stands for each finding"


PLANTS: dict[str, tuple[Plant, str, str]] = {
    "a run copied, one date edited": (plants.copied_run, "same numbers", r"dist_external_02_write_r3/cli1\.iozone"),
    "a client's log copied, the name edited": (plants.copied_client, "same numbers", r"rep3_external_03_read_r2/cli3"),
    "start times shuffled": (plants.shuffled_starts, "clocks", r"by its own clock"),
    "one client's clock off by an hour": (plants.clock_off, "clocks", r"client=cli2: its clock is 3,600 s ahead"),
    "one client 60 s late": (
        plants.late_client,
        "clocks",
        r"skim_r2/cli3.*59\.\d+ s later than the other",
    ),
    "KiB for kB in one repeat": (plants.unit_of_a_repeat, "clock steps", r"repeat=2: .*too high by 1\.024"),
    "KiB for kB in one layout": (plants.unit_of_a_layout, "clock steps", r"layout=disperse: "),
    "rates cut to whole MB/s": (plants.whole_rates, "whole rates", r"layout=replicate: 72 of 72 rates"),
    "a warm first repeat": (plants.warm_repeat, "rounds", r"repeat=1, .*layout=replicate: throughput is 1\.[34]"),
    "a step where order equals a factor": (
        plants.step_with_the_layout,
        "order",
        r"factor layout: .*one after",
    ),
    "repeats invented at 0.05 %": (plants.invented_repeats, "spread", r"distribute\+shard, .*clients=3: .* 0\.0\d+ %"),
    "the best of three for all": (plants.best_of_three, "spread", r"layout=distribute, .*clients=3: .* by 0 %"),
    "one client twice as slow": (plants.slow_client, "clients", r"client=cli2: throughput is 0\.5"),
    "a client restarted": (plants.restarted_client, "counters", r"client=cli1: .*it restarted"),
    "two runs overlap": (plants.overlapping_runs, "overlap", r"while rep3_external_03_write_r2 still ran"),
    "a run of another condition": (
        plants.another_condition,
        "link and repeats",
        r"ec21_external_02_write_r3.*2 times",
    ),
    "a run with direct I/O": (
        plants.direct_io,
        "options",
        r"dist_external_02_write_r1/cli\d\.iozone\.log: made with -I, unlike",
    ),
    "a bump in the middle": (plants.bump_in_the_middle, "bumps", r"is 0\.7\d+ times that of the other runs, between"),
}


TOGETHER = {
    "of single runs": (
        "a run copied, one date edited", "a client's log copied, the name edited", "one client 60 s late",
        "two runs overlap", "a run of another condition", "a run with direct I/O",
    ),
    "of a layout each": (
        "KiB for kB in one layout", "rates cut to whole MB/s",
        "repeats invented at 0.05 %", "the best of three for all",
    ),
    "of a client and of starts": ("one client twice as slow", "start times shuffled"),
    "of a clock, a host and a repeat": (
        "one client's clock off by an hour", "a client restarted", "a warm first repeat",
    ),
    "of all repeats": ("KiB for kB in one repeat",),
    "of an order": ("a step where order equals a factor",),
    "of a time": ("a bump in the middle",),
}  # fmt: skip
"""Plants that leave each other alone: they are in one campaign, which is read once for all of them."""


def test_every_plant_is_planted_once() -> None:
    assert sorted(name for names in TOGETHER.values() for name in names) == sorted(PLANTS)


@pytest.mark.parametrize("which", TOGETHER)
def test_a_plant_is_found_where_it_is(clean: Clean, which: str, tmp_path: Path) -> None:
    names = TOGETHER[which]
    found = planted(clean, tmp_path, [PLANTS[name][0] for name in names])
    words = found["where"] + ": " + found["found"]
    missed = [
        name for name in names for _, check, said in [PLANTS[name]]
        if not words[found["check"] == check].str.contains(said).any()
    ]  # fmt: skip
    assert missed == [], words.tolist()


def test_a_late_client_takes_its_run_out_of_the_aggregates_which_say_so(clean: Clean, tmp_path: Path) -> None:
    folder = tmp_path / CAMPAIGN
    shutil.copytree(clean.folder, folder)
    before = aggregates(folder)
    plants.late_client(folder)
    after = aggregates(folder)
    assert before.attrs["left_out"] == ""
    assert after.sizes["obs"] == before.sizes["obs"] - 3
    assert after.attrs["left_out"] == "1 run left out, as its clients never ran all at once: dist_external_03_skim_r2"
    found = examined(folder)
    assert "dist_external_03_skim_r2" in found.loc[found["check"] == "together", "where"].item()


def aggregates(folder: Path) -> xr.Dataset:
    """The three aggregates of the skims with several clients."""
    runs = dataset.select(ingest(folder)["runs"].to_dataset(), operation_group="skim", operation="read")
    return analysis.aggregates(runs, ["layout", "clients"])
