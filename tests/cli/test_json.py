"""Every command that prints a table has `--json`, and all answer in one shape."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer

from storagelab import project
from storagelab.cli import app
from tests import first_hour, warm
from tests.cli.conftest import Cli
from tests.cli.test_first_hour import IOR_STUDY
from tests.cli.test_published import beside, published
from tests.once import made_once
from tests.submission.conftest import STUDY as HANDED_IN
from tests.submission.conftest import make_project

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
STUDY, DATA = "scratch-2026", "reports/scratch-2026/dataset.nc"
SIDES = ("--before", "release=A", "--after", "release=B")
PLAN = """\
plan:
  repeats: 2
  factors: {nodes: [1, 4]}
  command: "ior -N {nodes}"
"""

ANSWERS: dict[str, tuple[str, ...]] = {
    "bundle": ("bundle", HANDED_IN),
    "campaign": ("campaign", "--dry-run"),
    "check": ("check", STUDY),
    "claims": ("claims", "tiny"),
    "compare": ("compare", STUDY, *SIDES),
    "figures": ("figures", HANDED_IN, "--to", "svg"),
    "formats": ("formats",),
    "history": ("history", f"raw/{STUDY}", DATA),
    "ingest": ("ingest", STUDY),
    "keys": ("keys", STUDY),
    "new": ("new", ".", "--study", "more"),
    "parse": ("parse", "raw"),
    "plan": ("plan", DATA, "throughput", "--by", "nodes", "--by", "operation", "--by", "processes_per_node",
             "--where", "release=A"),
    "store": ("store", "census.store", "raw"),
    "synthesis": ("synthesis",),
    "trace": ("trace", DATA, "0"),
    "verify": ("verify", f"reports/{HANDED_IN}/paper.html", "--no-rebuild"),
}  # fmt: skip
"""Each command with `--json`, called so that it has something to list."""

NO_TABLE = {
    "appendix": "prints LaTeX",
    "checksums": "says in a line how many files it sealed",
    "index": "names the page that it wrote",
    "paper": "names the page that it wrote",
    "reconstruct": "says in a line how many logs it rendered",
    "record": "prints what the benchmark prints",
    "reports": "prints what its commands print",
    "strip": "names the copy that it wrote",
}


def test_every_command_answers_in_json_or_prints_no_table() -> None:
    """A new command belongs to one of both."""
    with_json = {name for name, command in COMMANDS.items() if any("--json" in each.opts for each in command.params)}
    assert with_json == set(ANSWERS)
    assert set(COMMANDS) - with_json == set(NO_TABLE)


def make_scratch(folder: Path) -> None:
    """Make a project with 24 logs of IOR and their dataset; it is not sealed, so that `check` has something to say."""
    folder.mkdir()
    project.make(folder, STUDY)
    logs = first_hour.write_ior_logs(folder / "raw" / STUDY)
    for log in logs[24:]:
        log.unlink()
    (folder / "raw" / STUDY / "study.yaml").write_text(IOR_STUDY + PLAN)
    subprocess.run([*warm.command(), "ingest", STUDY], cwd=folder, capture_output=True, check=True)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A project with a dataset of its own; for claims and the synthesis a tiny published study."""
    name = request.node.callspec.params["name"]
    if name in ("claims", "synthesis"):
        monkeypatch.chdir(tmp_path)
        published()
        beside()
        return tmp_path
    whole = ("handed-in", make_project) if name in ("bundle", "figures", "verify") else ("scratch", make_scratch)
    shutil.copytree(made_once(*whole), tmp_path / "whole")
    monkeypatch.chdir(tmp_path / "whole")
    return tmp_path / "whole"


def answer(text: str) -> dict[str, Any]:
    """The one object that a command wrote: it has rows, and what was said."""
    found = json.loads(text)
    assert isinstance(found, dict)
    assert isinstance(found["rows"], list)
    assert all(isinstance(row, dict) for row in found["rows"])
    assert all(isinstance(line, str) for line in found["said"])
    return found


@pytest.mark.parametrize("name", ANSWERS)
def test_json_is_one_object_with_rows_and_what_was_said(name: str, place: Path, cli: Cli) -> None:
    asked = cli(*ANSWERS[name], "--json")
    found = answer(asked.out)
    assert found["rows"]
    assert [f"storagelab: {line}" for line in found["said"]] == asked.err.splitlines()
    if name == "new":
        shutil.rmtree(place / "raw" / "more")
        (place / "notebooks" / "more.ipynb").unlink()
    if name == "figures":
        shutil.rmtree(place / f"{HANDED_IN}-figures")
    told = cli(*ANSWERS[name])
    assert (told.code, told.err) == (asked.code, asked.err)
    assert told.out
    assert not told.out.startswith("{")


@pytest.mark.parametrize("arguments", [
    ("check", "none"), ("keys", "none"), ("ingest", "none"), ("claims", "none"), ("synthesis", "none"),
    ("trace", "none.nc", "0"), ("plan", "none.nc", "throughput", "--by", "nodes"), ("compare", "none", "nothing"),
    ("history", "none", "nothing"), ("campaign", "none", "--dry-run"), ("new", "NONE"),
], ids=lambda arguments: arguments[0])  # fmt: skip
def test_what_went_wrong_is_said_in_the_same_shape(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    told, asked = cli(*arguments), cli(*arguments, "--json")
    assert told.out == ""
    assert (asked.code, asked.err) == (told.code, told.err)
    assert answer(asked.out) == {"rows": [], "said": [told.err.removeprefix("storagelab: ").rstrip("\n")]}
    assert asked.code in (1, 2)


def test_a_log_that_is_none_is_a_row_and_is_said(tmp_path: Path, cli: Cli) -> None:
    poem = tmp_path / "a\x9bpoem"
    poem.write_text("a poem")
    asked = cli("formats", poem, "--json")
    [row] = answer(asked.out)["rows"]
    assert asked.code == 1
    assert row["log"] == rf"{tmp_path}/a\x9bpoem"
    assert row["error"] in answer(asked.out)["said"]


def test_a_wrong_usage_is_no_answer(cli: Cli) -> None:
    for arguments in (("campaign", "x", "--json"), ("compare", "x", "y", "--to", "html", "--json"), ("keys", "--jsn")):
        asked = cli(*arguments)
        assert (asked.code, asked.out) == (2, "")


@pytest.mark.parametrize("name", ["check"])
def test_check_lists_problems_plan_and_rules(name: str, place: Path, cli: Cli) -> None:
    log = min(Path("raw", STUDY).glob("*.log"))
    log.write_text("a poem")
    Path("raw", STUDY, "randread_qd4_run1.json").write_text("another")
    found = answer(cli(name, STUDY, "--json").out)
    assert (found["wrong"], found["logs"]) == (True, 25)
    assert {(row["file"], row["line"]) for row in found["rows"]} >= {(log.name, 1)}, "below the study"
    assert found["study"] == f"raw/{STUDY}"
    assert [part["planned"] for part in found["plan"]] == [6, 4]
    [rule] = found["proposals"]
    assert rule["logs"] == ["randread_qd4_run1.json"]


@pytest.mark.parametrize("name", ["trace"])
def test_trace_lists_the_lines(name: str, place: Path, cli: Cli) -> None:
    found = answer(cli(name, DATA, "0", "--json").out)
    proof, *of_keys = [row for row in found["rows"] if row["proves"]]
    text = Path(proof["log"]).read_text().splitlines()[proof["line"] - 1]
    assert proof["text"] == text
    assert (found["node"], found["row"], proof["of"]) == ("runs", 0, "runs[0]")
    assert f"{found['values']['throughput'] / 2**20:.2f}" in text
    assert {"xfersize", "blocksize"} <= {row["text"].split(" ", 1)[0] for row in of_keys}, "what the options set"
