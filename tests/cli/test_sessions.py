"""What commands say in whole sessions is what they said: `sessions/NAME.txt`, with each command and its exit status.

A change that is meant is kept by ``pytest tests/cli/test_sessions.py --update-golden``, and read in `git diff`.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from storagelab import __version__, dataset
from tests.analysis.comparison.test_two_campaigns import READS
from tests.analysis.tables import cluster
from tests.cli.conftest import Cli
from tests.cli.test_compare import both, saved
from tests.conftest import LOGS
from tests.once import made_once
from tests.paper.conftest import make_built
from tests.studies import cut_out

KEPT = Path(__file__).parent / "sessions"


def a_folder_of_logs() -> None:
    """Logs of several tools, one that is cut, one of no tool, and one behind stamps."""
    logs = {
        "ior.txt": "ior/4.1.0dev_file_per_process_8_tasks.txt",
        "cut.txt": "ior/4.1.0dev_cut_after_first_row.txt",
        "disk.txt": "iostat/short-12.6.1.txt",
        "vm.txt": "vmstat/procps-4.0.2-S-k.txt",
        "job.json": "fio_json/terse-then-json-3.33.json",
        "tree.txt": "fileop/f4_t_1.63.txt",
    }
    Path("logs", "deep").mkdir(parents=True)
    for name, source in logs.items():
        shutil.copy(LOGS / source, Path("logs", name))
    text = Path("logs", "ior.txt").read_text()
    Path("logs", "deep", "stamped.txt").write_text(re.sub("^", "2026-12-01T05:31:00+0000 ", text, flags=re.MULTILINE))
    Path("logs", "poem.txt").write_text("Shall I compare thee to a summer's day?\n")
    Path("logs", "empty.txt").touch()


def a_measured_study() -> None:
    """Part of a measured campaign, below a repository."""
    wanted = ("dist_external_02_write_r1", "dist_external_02_write_r2")
    study = cut_out("cluster-2026", lambda row: row["run_id"] in wanted, Path("raw", "cluster-2026")) / "study.yaml"
    factors = {"layout": ["distribute"], "clients": [2, 3], "repeat": [1, 2]}
    said = {**yaml.safe_load(study.read_text()), "design": [{"name": "external clients", "factors": factors}]}
    study.write_text(yaml.safe_dump(said, sort_keys=False))


def a_paper() -> None:
    """The paper of the tests, built once, with all that it is made from."""
    shutil.copytree(made_once("tiny-paper", make_built), Path(), dirs_exist_ok=True)


def two_campaigns() -> None:
    """Datasets whose numbers are drawn: a later one that reads more slowly, one of two drivers, and a pilot."""
    for name, seed, slower in (("2024", 3, {}), ("2025", 1, {}), ("2026", 2, READS)):
        saved(Path(f"{name}.nc"), seed, slower=slower)
    both(Path("both.nc"))
    dataset.save(dataset.tree({"runs": cluster()}, {"study": "pilot"}), Path("pilot.nc"))


def a_plan() -> None:
    Path("raw", "mine").mkdir(parents=True)
    Path("raw", "mine", "study.yaml").write_text(
        "id: mine\ntitle: Mine\norigin: measured\n"
        "plan: {seed: 7, repeats: 2, factors: {clients: [1, 4], processes: [1, 2]}, command: 'false {clients}'}\n"
    )


class Session(NamedTuple):
    """What is there before, and what is typed; ``show FILE`` prints a file that a command wrote."""

    before: Callable[[], None]
    commands: tuple[str, ...]


SESSIONS: Mapping[str, Session] = {
    "logs": Session(
        a_folder_of_logs,
        (
            "parse logs",
            "parse logs --json",
            "parse logs/deep/stamped.txt",
            "parse logs/cut.txt logs/tree.txt --rows",
            "parse logs/vm.txt --to csv",
            "parse logs/ior.txt --to csv --wide",
            "parse logs/ior.txt --to jsonl",
            "parse logs/job.json --by-line",
            "parse logs/disk.txt --node series --to csv",
            "parse logs/poem.txt",
            "parse logs/ior.txt --node clients",
            "parse logs/ior.txt --format fio-json",
            "parse logs/nowhere.txt",
            "parse logs --output all.csv",
            "show all.csv",
            "parse logs/ior.txt --to netcdf",
            "parse logs --json --rows",
            "parse logs/ior.txt --by-line --to csv",
            "parse logs/ior.txt --output ior.jsonl",
            "show ior.jsonl",
            "parse logs/ior.txt --output ior.nc",
            "trace ior.nc 2 --raw logs --context 1",
            "trace ior.nc 99 --raw logs",
            "trace ior.nc 0 --raw logs --json",
            "trace ior.nc 0 --node clients",
            "keys ior.nc",
            "keys ior.nc --json",
            "formats logs/ior.txt logs/poem.txt logs/job.json",
            "formats logs --json",
            "formats nowhere.txt",
            "store census logs --workers 1",
            "store census logs --workers 1 --json",
            "store census",
            "store census logs/poem.txt --retry --workers 1",
        ),
    ),
    "study": Session(
        a_measured_study,
        (
            "check cluster-2026",
            "check cluster-2026 --json",
            "checksums cluster-2026",
            "check cluster-2026",
            "ingest cluster-2026",
            "ingest cluster-2026 --json --output other.nc",
            "keys cluster-2026",
            "keys cluster-2026 --json",
            "trace reports/cluster-2026/dataset.nc 0 --context 0",
            "trace reports/cluster-2026/dataset.nc 1 --node clients --json",
            "claims cluster-2026",
            "appendix cluster-2026",
            "paper cluster-2026",
            "strip cluster-2026",
            "verify reports/paper.html",
            "ingest nowhere",
            "check",
            "compare cluster-2026 --before repeat=1 --after repeat=2",
            "bundle cluster-2026",
        ),
    ),
    "comparisons": Session(
        two_campaigns,
        (
            "compare 2025.nc 2026.nc",
            "compare 2025.nc 2026.nc --json",
            "compare 2025.nc 2026.nc --to markdown",
            "compare 2025.nc 2026.nc --to junit",
            "compare 2025.nc 2026.nc --to html -o page.html",
            "show page.html",
            "compare 2024.nc 2025.nc --margin 0.2",
            "compare both.nc --before driver=virtio --after driver=e1000",
            "compare both.nc",
            "compare 2025.nc 2026.nc --variable latency",
            "compare 2025.nc 2026.nc --by clients",
            "compare 2025.nc 2026.nc --over clients --by operation",
            "compare 2025.nc nowhere.nc",
            "compare 2025.nc 2026.nc --margin 2",
            "history 2024.nc 2025.nc 2026.nc",
            "history 2025.nc 2026.nc --json",
            "history 2024.nc",
            "plan pilot.nc throughput --by layout --by clients --where operation=write",
            "plan pilot.nc throughput --by layout --by clients --where operation=write --margin 0.1 --paired --json",
            "plan pilot.nc throughput --by colour",
            "plan pilot.nc latency --by layout",
        ),
    ),
    "campaign": Session(
        a_plan,
        (
            "campaign mine --dry-run",
            "campaign mine --dry-run --json",
            "campaign mine --dry-run --repeats 3",
            "campaign mine --slurm",
            "campaign nowhere",
            "campaign mine --json",
            "campaign mine --run 99",
            "record --study mine --set clients",
            "record --study nowhere -- true",
            "check mine",
            "new mine-2026",
            "new mine-2026",
            "check mine-2026/raw/mine-2026",
            "new mine-2026 --study next --like mine-2026 --json",
            "show mine-2026/raw/next/study.yaml",
            "new mine-2026 --study 'a b'",
        ),
    ),
    "paper": Session(
        a_paper,
        (
            "verify reports/tiny-2026/paper.html --no-rebuild",
            "verify reports/tiny-2026/paper.html --no-rebuild --json",
            "appendix tiny-2026",
            "index",
            "strip tiny-2026",
            "bundle tiny-2026 --json",
            "figures tiny-2026 --width 3parsecs",
            "figures nowhere",
            "verify nowhere.html",
            "keys tiny-2026",
            "compare tiny-2026 --before filesystem=ext4 --after filesystem=xfs",
        ),
    ),
}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_says_what_it_said(
    name: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    (place := tmp_path / "work").mkdir()
    monkeypatch.chdir(place)
    session = SESSIONS[name]
    session.before()
    said = "\n".join(typed(command, cli, place) for command in session.commands)
    if request.config.getoption("--update-golden"):
        (KEPT / f"{name}.txt").write_text(said, encoding="utf-8")
    assert said.split("\n") == (KEPT / f"{name}.txt").read_text(encoding="utf-8").split("\n")


def typed(command: str, cli: Cli, place: Path) -> str:
    """What a terminal shows of a command: what was typed, output, errors, and the status where it is not 0."""
    word, *arguments = shlex.split(command)
    if word == "show":
        return "\n".join([f"$ {command}", same(Path(*arguments).read_text(), place)])
    ended = cli(word, *arguments)
    status = [f"[exit status {ended.code}]"] if ended.code else []
    said = [same(text, place) for text in (ended.out, ended.err) if text]
    return "\n".join([f"$ {command}", *said, *status])


def same(text: str, place: Path) -> str:
    """A text without what another folder, release or commit changes, and the digits that no decision rests on."""
    text = text.replace(str(place), "/work")
    text = re.sub(r"\b[0-9a-f]{15,64}\b", lambda digest: f"<{len(digest[0])} digits>", text)
    text = re.sub(r"\d+\.\d{6,}(?:e[-+]?\d+)?", lambda number: f"{float(number[0]):.6g}", text)
    return text.replace(__version__, "VERSION").removesuffix("\n")
