"""``storagelab plan``: the size of a campaign, in words."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from storagelab import dataset
from tests.analysis.tables import cluster
from tests.cli.conftest import Cli
from tests.conftest import LOGS

BY = ("--by", "layout", "--by", "clients")


@pytest.fixture
def pilot(tmp_path: Path) -> Path:
    path = tmp_path / "pilot.nc"
    dataset.save(dataset.tree({"runs": cluster()}, {"study": "test-2026"}), path)
    return path


def test_a_plan_in_words(pilot: Path, cli: Cli) -> None:
    asked = ("--where", "operation=write", "--effect", "1.1", "--cells", "60", "--margin", "0.1")
    result = cli("plan", pilot, "throughput", *BY, *asked)
    first, noise, ratio, equivalence = result.out.splitlines()
    assert first.endswith("in each of 60 cells, 5 % in all (Sidak) (measured)")
    assert noise.startswith("runs spread by 2.5")
    assert "degrees of freedom" in noise
    assert ratio.startswith("a ratio of 1.1: ")
    assert " runs a side and cell, in " in ratio
    assert equivalence.startswith("equivalence within 0.1: ")
    assert result.code == 0


def test_what_speaks_against_a_pilot_is_told(pilot: Path, cli: Cli) -> None:
    asked = ("throughput", *BY, "--where", "operation=write")
    assert cli("plan", pilot, *asked).err == ""
    runs = cluster()
    whole = np.ones(runs.sizes["obs"], dtype=bool)
    whole[np.flatnonzero(runs["operation"] == "write")[0]] = False
    cut = runs.assign(complete=("obs", whole.astype(float), {"units": "1"}))
    dataset.save(dataset.tree({"runs": cut}, {"study": "test-2026"}), pilot)
    [said] = cli("plan", pilot, *asked).err.splitlines()
    assert re.fullmatch(
        rf"storagelab: {pilot}: 1 of \d+ rows.* are incomplete: a log was cut, or its tool failed", said
    )


def test_copies_in_a_pilot_are_told(tmp_path: Path, cli: Cli) -> None:
    for name in ("a", "b", "c"):
        shutil.copy(LOGS / "ior" / "4.1.0dev_shared_file_2_tasks.txt", tmp_path / name)
    pilot = tmp_path / "pilot.nc"
    assert cli("parse", *(tmp_path / name for name in "abc"), "-o", pilot).code == 0
    told = cli("plan", pilot, "throughput", "--by", "operation", "--where", "statistic=single").err
    assert f"storagelab: {pilot}: 2 logs are copies, and count as runs; the first: {tmp_path}/a is the same as" in told


def test_a_run_that_makes_the_noise_is_named(tmp_path: Path, cli: Cli) -> None:
    runs = cluster()
    throughput = runs["throughput"].copy()
    of_write = np.flatnonzero(runs["operation"].astype(str).values == "write")
    throughput[of_write[0]] = float(throughput[of_write[0]]) / 50
    path = tmp_path / "pilot.nc"
    dataset.save(dataset.tree({"runs": runs.assign(throughput=throughput)}, {"study": "test-2026"}), path)
    asked = ("plan", path, "throughput", *BY, "--where", "operation=write")
    _, _, apart, *others = cli(*asked).out.splitlines()
    assert apart.startswith("a run of the pilot is an outlier, and part of that spread: layout=")
    assert re.search(r"throughput is 0\.0[12]\d* times the median of the others$", apart)
    assert not any("outlier" in line for line in others)
    assert len(json.loads(cli(*asked, "--json").out)["apart"]) == 1


def test_a_number_chooses_rows_too(pilot: Path, cli: Cli) -> None:
    asked = ("--where", "operation=write", "--where", "clients=3", "--effect", "1.0001")
    assert "cannot be planned (more than 1000 rounds)" in cli("plan", pilot, "throughput", "--by", "layout", *asked).out


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--where", "operation"), "--where operation: expected key=value, such as operation=write"),
        (("--where", "clients=many"), "--where clients=many: expected a number in 1"),
        (("--where", "operation=wriet"), "wriet"),
        (("--node", "clients"), "node of"),
        (("--effect", "1"), "an effect is a ratio above 0 and not 1"),
    ],
)
def test_what_is_wrong_is_said(asked: tuple[str, ...], message: str, pilot: Path, cli: Cli) -> None:
    result = cli("plan", pilot, "throughput", *BY, *asked)
    assert result.code == 1
    assert message in result.err
