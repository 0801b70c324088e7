"""A copy of the repository, built under the levels of a variant."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.machines import factors, pipeline
from tests.machines.pipeline import Stage
from tests.machines.variants import EMULATOR, PROCESSOR, Variant

SURROUNDINGS = Path(__file__).parent / "surroundings"
FORKING = Path(__file__).parent / "forking.py"

NOT_COPIED = ("tests", "docs", "benchmarks", ".ci")
"""What no stage reads."""


class BuildError(Exception):
    """A stage that failed, with what it said."""


def repository(root: Path) -> list[str]:
    """Files of the repository as they are now: what git knows, and what it would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode().split("\0")
    return [path for path in listed if path and path.split("/")[0] not in NOT_COPIED and (root / path).is_file()]


def copied(root: Path, folder: Path, paths: Iterable[str]) -> None:
    """Copy files, or all below folders, from one root to another."""
    for name, path in pipeline.files(root, list(paths)).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def build(
    variant: Variant, root: Path, reference: Path, stages: Sequence[Stage], scratch: Path
) -> tuple[Path, list[str]]:
    """Rebuild in a copy; return its root and the outputs to compare.

    Everything is made from the raw logs; only a variant of some studies takes from the reference what they need of
    others.

    Raises
    ------
    BuildError
        If a stage fails.
    """
    chosen = pipeline.wanted(stages, variant.studies)
    made = [path for stage in chosen for path in stage.makes]
    folder = scratch.joinpath("copy", *(level.folder for level in variant.levels if level.folder))
    sources = [path for path in repository(root) if not _below(path, made)]
    copied(root, folder, sources)
    copied(reference, folder, pipeline.given(stages, chosen))
    python, environment = _launched(variant, folder, scratch)
    if any(level.forked for level in variant.levels):
        run_forked(chosen, folder, python, environment, scratch)
    else:
        compiled(folder)
        for stage in chosen:
            run(stage, folder, python, environment)
    return folder, made


def compiled(folder: Path) -> None:
    """Compile the package of a copy once, on the true processor, and not in its first commands."""
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "storagelab"], cwd=folder, capture_output=True, check=False
    )


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _launched(variant: Variant, folder: Path, scratch: Path) -> tuple[str, dict[str, str]]:
    """Interpreter and environment of a variant."""
    python = next((level.interpreter for level in variant.levels if level.interpreter), sys.executable)
    more = {}
    if variant.emulated:
        python = more["emulated_by"] = str(launcher(python, scratch))
    copied_from = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    plain = {**copied_from, "PYTHONPATH": os.pathsep.join([str(SURROUNDINGS), str(folder)])}
    return python, factors.surrounded(plain, variant.levels, more)


def launcher(python: str, scratch: Path) -> Path:
    """Write the command that runs Python under the emulator, and that every child has to use too."""
    path = scratch / "emulated-python"
    command = f"{EMULATOR} -cpu {PROCESSOR} -E STORAGELAB_EMULATED=$$ {shlex.quote(python)}"
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    path.chmod(0o755)
    return path


def run_forked(
    stages: Sequence[Stage], folder: Path, python: str, environment: Mapping[str, str], scratch: Path
) -> None:
    """Run the commands of stages, each forked from one process that the Python of the variant starts.

    Raises
    ------
    BuildError
        If one fails, or is no command of storagelab.
    """
    if others := [stage for stage in stages if not stage.command.startswith("storagelab ")]:
        raise BuildError(f"{others[0].name}: {others[0].command} is no command of storagelab: how is it forked?")
    command = [python, "-P", str(FORKING), str(scratch / "said"), *(stage.command for stage in stages)]
    done = subprocess.run(
        command, cwd=folder, env=dict(environment), capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise BuildError(done.stderr)


def run(stage: Stage, folder: Path, python: str, environment: Mapping[str, str]) -> None:
    """Run the command of a stage; `storagelab` and `python` are those of the variant.

    Raises
    ------
    BuildError
        If it fails, or is another program.
    """
    program, *arguments = shlex.split(stage.command)
    if program not in ("storagelab", "python"):
        raise BuildError(f"{stage.name}: {program} is neither storagelab nor python: how is it run elsewhere?")
    start = [python, "-m", "storagelab"] if program == "storagelab" else [python]
    command = [*start, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=dict(environment), capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise BuildError(f"{stage.name}: {stage.command} ended with {done.returncode}\n{done.stderr[-4000:]}")
