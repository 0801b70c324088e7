"""``storagelab compare``: the answer as an exit status, and in five shapes."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import xarray as xr
from defusedxml.ElementTree import fromstring

from storagelab import dataset
from storagelab.analysis import compare_campaigns
from storagelab.cli import compare
from tests.analysis.comparison.test_two_campaigns import NONE, READS, Slower, campaign
from tests.cli.conftest import Cli
from tests.conftest import LOGS
from tests.interactive.test_names_of_logs import HIDDEN, SAID, operations, runs


def saved(path: Path, seed: int, runs: int = 8, slower: Slower = NONE, cv: float = 0.05) -> Path:
    dataset.save(dataset.tree({"runs": campaign(seed, runs, slower, cv=cv)}, {"study": path.stem}), path)
    return path


def both(path: Path) -> Path:
    """One dataset of two drivers, of which e1000 reads more slowly."""
    sides = [("virtio", campaign(1, 8)), ("e1000", campaign(2, 8, READS))]
    named = [ds.assign_coords(driver=("obs", [driver] * ds.sizes["obs"])) for driver, ds in sides]
    runs = xr.concat(named, "obs").assign_attrs(named[0].attrs)
    runs = runs.assign_coords(run_id=("obs", [str(number) for number in range(runs.sizes["obs"])]))
    dataset.save(dataset.tree({"runs": runs}, {"study": "both"}), path)
    return path


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return saved(tmp_path / "2025.nc", 1), saved(tmp_path / "2026.nc", 2, slower=READS)


def test_a_slower_level_ends_with_1_and_shows_its_cells(pair: tuple[Path, Path], cli: Cli) -> None:
    result = cli("compare", *pair)
    assert result.code == 1
    assert result.out.startswith(f"{pair[1]} against {pair[0]}: slower. throughput (higher is better), margin 5 %")
    lines = result.out.splitlines()
    read = next(place for place, line in enumerate(lines) if line.startswith("read "))
    assert lines[read].endswith("slower")
    assert [line.split()[0:2] for line in lines[read + 1 : read + 5]] == [["clients", n] for n in "1248"]
    assert compare.NOT_KNOWN in result.out


def test_a_level_to_which_a_key_does_not_apply_shows_its_cells() -> None:
    sides = [campaign(1), campaign(2, slower=READS)]
    segments = ("obs", np.where(sides[0]["operation"].values == "write", 2.0, np.nan))
    found = compare_campaigns(*(ds.assign_coords(segments=segments) for ds in sides), "throughput")
    assert [len(cells) for _, cells in compare.Report("2025", "2026", found).levels] == [4] * 6


def test_quiet_equal_campaigns_end_with_0_noisy_ones_with_3(tmp_path: Path, cli: Cli) -> None:
    quiet = [saved(tmp_path / f"quiet-{seed}.nc", seed, 12, cv=0.005) for seed in (1, 2)]
    noisy = [saved(tmp_path / f"noisy-{seed}.nc", seed, 3, cv=0.3) for seed in (1, 2)]
    assert cli("compare", *quiet).code == 0
    result = cli("compare", *noisy)
    assert result.code == 3
    assert "more runs a cell and side" in result.out


@pytest.mark.parametrize(("more", "advice"), [
    ({}, ""), ({"more_runs": math.nan}, ""), ({"more_runs": math.inf}, ""),
    ({"more_runs": 1.0}, ": about 1 more run a cell and side"),
    ({"more_runs": 7.0}, ": about 7 more runs a cell and side"),
])  # fmt: skip
def test_more_runs_are_asked_for_where_a_number_of_them_would_tell(more: dict[str, float], advice: str) -> None:
    assert compare._verdict({"verdict": "inconclusive", **more}, "run") == f"inconclusive{advice}"


@pytest.mark.parametrize(("low", "high", "said"), [
    (0.5, 1.25, "0.500 to 1.250"), (0.5, 1000.0, "0.500 to 1e+03"), (math.nan, math.nan, "none"),
])  # fmt: skip
def test_a_ratio_stands_with_its_interval_where_it_has_one(low: float, high: float, said: str) -> None:
    row = {"ratio": 0.75, "ratio_low": low, "ratio_high": high, "n_base": 3.0, "n": 4.0, "verdict": "lower"}
    assert compare._columns(row, "run") == ["0.750", said, "3, 4", "lower"]


def test_what_is_counted_is_named(pair: tuple[Path, Path]) -> None:
    sides = (dataset.load(path)["runs"].to_dataset() for path in pair)
    days = [ds.assign_coords(day=("obs", ds["repeat"].values // 2, {"units": "1"})) for ds in sides]
    report = compare.Report("2025", "2026", compare_campaigns(*days, "throughput"))
    assert "days before, after" in compare.text(report)
    assert json.loads(compare.json(report))["unit"] == "day"
    of_both = [ds.assign_coords(day=ds["day"].where(ds["operation"] == "write")) for ds in days]
    assert "values before, after" in compare.text(
        compare.Report("2025", "2026", compare_campaigns(*of_both, "throughput"))
    )


def test_a_tool_without_single_measurements_is_told_and_may_be_asked_for(tmp_path: Path, cli: Cli) -> None:
    paths = [tmp_path / "2025.nc", tmp_path / "2026.nc"]
    for seed, path in enumerate(paths):
        runs = campaign(seed, 2)
        is_mean = runs["operation"].values == "rewrite"
        tools = {"tool": np.where(is_mean, "mdtest", "ior"), "statistic": np.where(is_mean, "mean", "single")}
        kept = runs.assign_coords({name: ("obs", levels) for name, levels in tools.items()})
        dataset.save(dataset.tree({"runs": kept}, {"study": path.stem}), path)
    for command in ("compare", "history"):
        for arguments, said in (
            ([], "no single throughput: mdtest (mean)"),
            (["mean"], "no mean throughput: ior (single)"),
        ):
            result = cli(command, *paths, *(f"--statistic={statistic}" for statistic in arguments))
            assert f"left out, as it has {said}; see --statistic" in result.out + result.err


def test_json_has_every_level_with_its_cells(pair: tuple[Path, Path], cli: Cli) -> None:
    found = json.loads(cli("compare", *pair, "--to", "json").out)
    assert found["answer"] == "slower"
    assert [len(level["cells"]) for level in found["rows"]] == [4] * 6
    assert json.loads(cli("compare", *pair, "--json").out) == found


def test_levels_of_one_campaign_are_compared_as_two_campaigns(tmp_path: Path, cli: Cli) -> None:
    result = cli("compare", both(tmp_path / "both.nc"), "--before", "driver=virtio", "--after", "driver=e1000")
    assert result.code == 1
    assert "both.nc (driver=e1000) against " in result.out
    assert next(line.split()[0] for line in result.out.splitlines() if line.endswith("slower")) == "read"


def started(ds: xr.Dataset, seconds: Sequence[float]) -> xr.Dataset:
    return ds.assign(start_time=("obs", np.asarray(seconds, dtype=float), {"units": "s"}))


@pytest.mark.parametrize(("first", "step", "said"), [
    (1, 2, compare.IN_TURN), (1000, 1, compare.APART), (60, 1, compare.PARTLY), (np.nan, 1, compare.NOT_KNOWN),
])  # fmt: skip
def test_what_a_difference_may_mean_is_told_by_when_the_runs_were_made(
    first: float, step: int, said: str, tmp_path: Path, cli: Cli
) -> None:
    paths = [tmp_path / "before.nc", tmp_path / "after.nc"]
    for seed, (path, start) in enumerate(zip(paths, (0, first), strict=True)):
        runs = campaign(seed, 8)
        times = start + step * np.arange(runs.sizes["obs"])
        dataset.save(dataset.tree({"runs": started(runs, times.tolist())}, {"study": path.stem}), path)
    assert f". {said}\n" in cli("compare", *paths).out


@pytest.mark.parametrize(("arguments", "said"), [
    (["--before", "driver=virtio"], "expected the later campaign, or --before KEY=VALUE and --after KEY=VALUE of one"),
    (["--before", "driver", "--after", "driver=e1000"], "--before driver: expected key=value, such as operation=write"),
    (["--before", "driver=ide", "--after", "driver=e1000"], "unknown value of driver 'ide'"),
])  # fmt: skip
def test_a_choice_that_is_none_ends_with_2(arguments: list[str], said: str, tmp_path: Path, cli: Cli) -> None:
    result = cli("compare", both(tmp_path / "both.nc"), *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_a_folder_that_nobody_may_look_into_is_named(
    pair: tuple[Path, Path], tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()

    def refuse(path: Path) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(Path, "is_file", refuse)
    assert cli("compare", secret, pair[1]) == (2, "", f"storagelab: {secret}: Permission denied\n")


def test_what_is_both_before_and_after_is_refused(pair: tuple[Path, Path], cli: Cli) -> None:
    refused = cli("compare", pair[0], pair[0])
    assert refused == (2, "", f"storagelab: {pair[0]} is both before and after: nothing can have changed\n")


SHAPES = ("text", "markdown", "html", "json", "junit")


def test_each_shape_tells_what_speaks_against_the_runs(pair: tuple[Path, Path], cli: Cli) -> None:
    runs = dataset.load(pair[1])["runs"].to_dataset()
    runs["complete"] = ("obs", [0.0, 0.0] + [1.0] * (runs.sizes["obs"] - 2), {"units": "1"})
    cut = pair[1].with_name("cut.nc")
    dataset.save(dataset.tree({"runs": runs}, {"study": "cut"}), cut)
    said = f"cut.nc: 2 of {runs.sizes['obs']} rows are incomplete: a log was cut, or its tool failed"
    told = {shape: said in cli("compare", pair[0], cut, "--to", shape).out.replace("\\", "") for shape in SHAPES}
    assert told == dict.fromkeys(SHAPES, True)
    assert not any("incomplete" in cli("compare", *pair, "--to", shape).out for shape in SHAPES)


def test_copies_are_told(tmp_path: Path, cli: Cli) -> None:
    for name in ("one/1.txt", "two/1.txt", "two/2.txt", "two/3.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(LOGS / "ior" / "4.1.0dev_file_per_process_8_tasks.txt", tmp_path / name)
    found = cli("compare", tmp_path / "one", tmp_path / "two", "--variable", "throughput")
    first = r"the first: .*1\.txt is the same as .*2\.txt and 1 more"
    assert re.search(rf"^{tmp_path}/two: 2 logs are copies, and count as runs; {first}$", found.out, re.M)
    assert f"\n{tmp_path}/one: " not in found.out


def test_words_in_names_that_no_key_says_are_told_of_each_side(tmp_path: Path, cli: Cli) -> None:
    for side in ("one", "two"):
        made = dataset.tree({"runs": runs(HIDDEN, operation=operations(HIDDEN))}, {"study": ""})
        dataset.save(made, tmp_path / f"{side}.nc")
    told = cli("compare", tmp_path / "one.nc", tmp_path / "two.nc", "--variable", "throughput").out
    assert [line for line in told.splitlines() if SAID in line] == [
        f"{tmp_path}/{side}.nc: {SAID}" for side in ("one", "two")
    ]


def test_junit_fails_the_slower_levels(pair: tuple[Path, Path], cli: Cli, tmp_path: Path) -> None:
    assert cli("compare", *pair, "--to", "junit", "-o", tmp_path / "report.xml").out == ""
    suite: ET.Element = fromstring((tmp_path / "report.xml").read_bytes())
    assert suite.attrib["tests"] == "6"
    assert [case.attrib["name"] for case in suite if case.find("failure") is not None] == ["read"]


def test_markdown_escapes_what_a_name_may_hold(pair: tuple[Path, Path], cli: Cli) -> None:
    lines = cli("compare", *pair, "--to", "markdown").out.splitlines()
    assert lines[2] == "| level | ratio | interval | runs before, after | verdict |"
    assert any(line.startswith("| random\\_read | ") for line in lines)


def test_the_page_holds_the_figure_and_fetches_nothing(pair: tuple[Path, Path], cli: Cli) -> None:
    page = cli("compare", *pair, "--to", "html").out
    assert page.count("<svg") == 1
    assert "<td>read</td>" in page
    assert "://" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert "src=" not in page


def test_an_earlier_revision_is_read_from_the_history(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in (["init", "-q"], ["config", "user.email", "test@example.org"], ["config", "user.name", "test"]):
        subprocess.run(["git", *command], check=True)
    saved(tmp_path / "runs.nc", 1)
    subprocess.run(["git", "add", "runs.nc"], check=True)
    subprocess.run(["git", "commit", "-qm", "first"], check=True)
    saved(tmp_path / "runs.nc", 2, slower=READS)
    assert cli("compare", "HEAD:runs.nc", "runs.nc").code == 1
    result = cli("compare", "v9:runs.nc", "runs.nc")
    assert (result.code, result.out) == (2, "")
    assert "v9:runs.nc: fatal: " in result.err


def test_what_is_not_there_ends_with_2_and_studies_that_are_near_are_named(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = "found no such file, folder or study; a revision of git is written REVISION:PATH"
    for command in ("compare", "history"):
        assert cli(command, "nothing", "nothings") == (2, "", f"storagelab: nothing: {said}\n")
    Path("raw", "nfs-2025").mkdir(parents=True)
    Path("raw", "nfs-2025", "study.yaml").touch()
    assert cli("compare", "nfs-205", "x").err == f"storagelab: nfs-205: {said}; did you mean 'nfs-2025'?\n"


def test_a_variable_that_is_not_obvious_is_asked_for_by_its_option(tmp_path: Path, cli: Cli) -> None:
    other = campaign(1)["throughput"].assign_attrs(units="1/s")
    runs = campaign(1).assign(operation_rate=other)
    dataset.save(dataset.tree({"runs": runs}, {"study": "two"}), tmp_path / "two.nc")
    said = "no variable is named, and several have values: throughput, operation_rate: name one, with --variable"
    for command in ("compare", "history"):
        other_release = saved(tmp_path / "one.nc", 2)
        assert cli(command, tmp_path / "two.nc", other_release) == (2, "", f"storagelab: {said}\n")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python has filters")
def test_a_python_without_filters_for_archives_lays_no_link_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Python 3.11.4 nothing else keeps a link of a revision from leading elsewhere."""
    logs = tmp_path / "repository" / "logs"
    logs.mkdir(parents=True)
    (logs / "a.log").write_text("measured")
    (logs / "link").symlink_to(tmp_path)
    monkeypatch.chdir(logs.parent)
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for asked in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "logs"]):
        subprocess.run(["git", *who, *asked], check=True)
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    compare._extract("HEAD", "logs", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out" / "logs").iterdir()] == ["a.log"]
