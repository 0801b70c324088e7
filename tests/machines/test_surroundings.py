"""What sitecustomize.py pretends, seen from a process that does not know of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.machines import building, factors
from tests.machines.factors import Level

ASKED = """
import datetime, json, os, pathlib, sys, time
day = datetime.date
print(json.dumps({
    "days": [
        str(day.fromtimestamp(time.time())), str(day.fromtimestamp(time.time_ns() / 1e9)), time.strftime("%Y-%m-%d"),
        time.strftime("%Y-%m-%d", time.localtime()), time.strftime("%Y-%m-%d", time.gmtime()),
        str(datetime.datetime.now().date()), str(datetime.datetime.now(datetime.timezone.utc).date()),
        str(datetime.datetime.today().date()), str(day.today()),
    ],
    "same": isinstance(datetime.datetime.now(), datetime.datetime) and time.strftime("%Y", time.gmtime(0)) == "1970",
    "years": [time.ctime()[-4:], time.asctime()[-4:]],
    "listed": [os.listdir("."), [e.name for e in os.scandir(".")], [p.name for p in pathlib.Path().iterdir()]],
    "walked": [sorted(files) for _, _, files in os.walk(".")],
    "umask": os.umask(0),
    "executable": sys.executable,
}))
"""


def asked(folder: Path, surroundings: dict[str, Any], **environment: str) -> dict[str, Any]:
    done = started(folder, surroundings, **environment)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def started(folder: Path, surroundings: dict[str, Any], **environment: str) -> subprocess.CompletedProcess[str]:
    wanted = {
        "PYTHONPATH": str(building.SURROUNDINGS),
        "STORAGELAB_SURROUNDINGS": json.dumps(surroundings),
        "TZ": "UTC",
    }
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASKED], cwd=folder, env={**os.environ, **wanted, **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b", "a", "c"):
        (tmp_path / name).touch()
    return tmp_path


def test_without_a_wish_nothing_is_otherwise(folder: Path) -> None:
    answer = asked(folder, {})
    assert answer["executable"] == sys.executable
    assert answer["listed"][0] == os.listdir(folder)  # noqa: PTH208


def test_every_clock_moves_alike(folder: Path) -> None:
    today, moved = asked(folder, {}), asked(folder, {"days": 4000})
    assert moved["same"]
    assert len({*today["days"]}) <= 2
    assert len({*moved["days"]}) <= 2
    assert min(moved["days"]) > f"{int(max(today['days'])[:4]) + 10}"
    assert {*moved["years"]} == {min(moved["days"])[:4]}


def test_folders_are_listed_backwards(folder: Path) -> None:
    answer = asked(folder, {"listing": "backwards"})
    assert answer["listed"] == [["c", "b", "a"]] * 3
    assert answer["walked"] == [["a", "b", "c"]]


def test_the_umask_is_the_other_users(folder: Path) -> None:
    assert asked(folder, {"umask": 0o077})["umask"] == 0o077


def test_what_is_simulated_may_not_be_undone(folder: Path) -> None:
    level = Level("OpenBLAS", "Prescott", {"OPENBLAS_CORETYPE": "Prescott"})
    made = factors.surrounded({}, [level], {})
    surroundings = json.loads(made["STORAGELAB_SURROUNDINGS"])
    asked(folder, surroundings, OPENBLAS_CORETYPE="Prescott")
    done = started(folder, surroundings, OPENBLAS_CORETYPE="Haswell")
    assert done.returncode == 1
    assert "OPENBLAS_CORETYPE is 'Haswell', not 'Prescott': nobody may undo what is simulated" in done.stderr


def test_a_process_that_is_not_emulated_ends(folder: Path) -> None:
    done = started(folder, {"emulated_by": "/launcher"}, STORAGELAB_EMULATED="1")
    assert done.returncode == 1
    assert "this process is not emulated" in done.stderr


def test_children_of_an_emulated_process_are_started_by_the_launcher(tmp_path: Path) -> None:
    """With a program in the place of the emulator, which starts what it is told to start."""
    emulator = tmp_path / "qemu-x86_64"
    emulator.write_text('#!/bin/sh\nexport "$4"\nshift 4\nexec "$@"\n')
    emulator.chmod(0o755)
    launcher = building.launcher(sys.executable, tmp_path)
    code = (
        "import subprocess, sys; print(sys.executable, flush=True); subprocess.run([{}, '-c', 'print(1)'], check=True)"
    )
    environment = {
        **os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(building.SURROUNDINGS),
        "STORAGELAB_SURROUNDINGS": json.dumps({"emulated_by": str(launcher)}),
    }  # fmt: skip

    def output(child: str) -> subprocess.CompletedProcess[str]:
        command = [str(launcher), "-c", code.format(child)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert output("sys.executable").stdout.split() == [str(launcher), "1"]
    native = output(repr(sys.executable))
    assert native.returncode == 1
    assert "this process is not emulated" in native.stderr
