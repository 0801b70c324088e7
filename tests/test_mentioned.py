"""Files and names that documents and docstrings mention in backticks are there, by whatever name they go now."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pkgutil import resolve_name

import pytest

from tests.conftest import ROOT

FILE = re.compile(r"`([\w./-]+\.py)`")
NAME = re.compile(r"`(storagelab(?:\.\w+)+)`")
GROUPS = {"storagelab.analyses", "storagelab.parsers", "storagelab.studies"}
"""Of entry points."""
OTHERS = ("CHANGELOG.md", "raw/", "tests/logs/")


@cache
def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return listed.splitlines()


def texts() -> dict[str, str]:
    """Documents and code; CHANGELOG.md tells of what had other names."""
    ours = (
        name for name in tracked() if name.endswith((".md", ".py")) and not name.startswith(("raw/", "tests/logs/"))
    )
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in ours if name != "CHANGELOG.md"}


def mentioned(pattern: re.Pattern[str]) -> dict[str, str]:
    """Return what the pattern finds, with the first place of each."""
    found: dict[str, str] = {}
    for place, text in texts().items():
        for name in pattern.findall(text):
            found.setdefault(name, place)
    return found


def is_there(name: str) -> bool:
    try:
        resolve_name(name)
    except (AttributeError, ImportError):
        return name in GROUPS
    return True


def test_files_are_there() -> None:
    files = tuple(f"/{name}" for name in tracked())
    there = {name: any(file.endswith(f"/{name}") for file in files) for name in mentioned(FILE)}
    assert {name: place for name, place in mentioned(FILE).items() if not there[name]} == {}


@pytest.mark.slow
def test_names_are_there() -> None:
    assert {name: place for name, place in mentioned(NAME).items() if not is_there(name)} == {}
