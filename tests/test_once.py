"""What is dear is made once in a run, whoever asks."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import once
from tests.once import made_once


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(once.FOLDER, str(tmp_path))
    return tmp_path


def test_of_many_who_ask_at_once_one_makes_it() -> None:
    made: list[Path] = []

    def make(place: Path) -> None:
        made.append(place)
        place.write_text("whole")

    with ThreadPoolExecutor(8) as askers:
        found = list(askers.map(lambda _: made_once("dear", make).read_text(), range(8)))
    assert found == ["whole"] * 8
    assert len(made) == 1


def test_two_names_are_two_things() -> None:
    assert made_once("a", lambda place: place.write_text("a")) != made_once("b", lambda place: place.write_text("b"))


def test_what_failed_is_tried_again_from_the_start() -> None:
    def fail(place: Path) -> None:
        place.mkdir()
        (place / "half").touch()
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        made_once("dear", fail)
    assert list(made_once("dear", Path.mkdir).iterdir()) == []


def test_the_folder_of_a_run_is_told_to_its_workers_and_leaves_with_it() -> None:
    once.open_folder()
    place = made_once("dear", Path.touch)
    assert place.is_relative_to(os.environ[once.FOLDER])
    once.remove_folder()
    assert not place.exists()
    assert once.FOLDER not in os.environ
