"""A study without logs, and tools that stand in for benchmarks."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from storagelab.recording import fits_in_memory
from tests.cli.conftest import cli
from tests.recording import standin

__all__ = ["cli", "fio", "quick", "study", "unread"]

STUDY = "id: mine\ntitle: Mine\norigin: measured\n"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of a study in a project that is the working directory."""
    monkeypatch.chdir(tmp_path)
    folder = Path("raw", "mine")
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY)
    return folder


@pytest.fixture
def fio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A command `fio` on the PATH, which is the stand-in."""
    return on_path(tmp_path, monkeypatch, "fio", f'exec {shlex.quote(sys.executable)} {standin.__file__} "$@"')


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same, the same bytes each time and with hardly any work."""
    return on_path(tmp_path, monkeypatch, "fio", f"exec cat {shlex.quote(str(standin.SHAPE))}")


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """No log becomes a dataset once its run is over, to tell whether its files fit in memory: half of all that costs.

    Nothing is written then; `test_record` holds that it is told.
    """
    monkeypatch.setattr(fits_in_memory, "fit", lambda log, memory: "")


def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str) -> str:
    """Write a shell script and put it in front of the PATH."""
    path = tmp_path / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent), prepend=":")
    return name
