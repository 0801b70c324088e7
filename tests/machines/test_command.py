"""The command: what it offers, and what it refuses."""

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path

import pytest

from tests.machines import __main__ as command
from tests.machines.factors import FORKED, Level


@pytest.fixture(autouse=True)
def few_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = {"threads": [Level("threads", "1"), Level("threads", "2")], "day": [Level("day", "later")]}
    monkeypatch.setattr(command, "factors", lambda scratch, interpreters: levels)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["machines", *arguments])
    command.main()


def test_variants_are_listed_the_emulated_one_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "--list")
    assert capsys.readouterr().out.splitlines()[2] == "machine 2 (threads: 2; day: later; only bnl-2007)"
    run(monkeypatch, "--list", "--whole")
    assert capsys.readouterr().out.splitlines() == [
        f"emulated (processor: Nehalem, played by qemu-x86_64; {FORKED}; only virtual-2026)",
        "machine 1 (threads: 1; day: later)",
        "machine 2 (threads: 2; day: later)",
    ]
    run(monkeypatch, "--list", "--each", "--variants", "day: later")
    assert capsys.readouterr().out.splitlines() == ["day: later (day: later)"]


def test_without_the_emulator_its_variant_is_left_out_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    run(monkeypatch, "--list")
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("not run: emulated (processor: Nehalem")
    assert told[0].endswith("qemu-x86_64 is missing (Debian: apt-get install qemu-user)")
    assert len(told) == 3


def test_a_variant_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        SystemExit, match="machines: no variant machine 9 here: there are emulated, machine 1, machine 2"
    ):
        run(monkeypatch, "--list", "--variants", "machine 9")


def test_without_outputs_there_is_nothing_to_compare_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"machines: .* is missing: run `make reports` first"):
        run(monkeypatch, "--reference", str(tmp_path))
