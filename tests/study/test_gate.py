"""Text of sidecars as it becomes keys: harmless, and said where it was not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from storagelab import dataset, ingest, study
from storagelab.errors import SidecarError
from storagelab.escaping.characters import BUDGET, harmless, is_harmless
from tests.parsers.test_harmless_text import fio

STUDY = 'id: one\ntitle: "{}"\norigin: measured\ndefaults:\n  server: "{}"\n'


def write(folder: Path, label: str, title: str = "T", server: str = "s") -> Path:
    """Write a study of one log, whose label runs.csv says."""
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(STUDY.format(title, server), encoding="utf-8")
    (folder / "a.json").write_text(fio("job"))
    with (folder / "runs.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["file", "label"], ["a.json", label]])
    return folder


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).filter(str.strip))
@example("a\x1b[2J\u202e\u200bb")
@example("<meta http-equiv=refresh>")
@example("=1+2")
@example("x" * (BUDGET + 1))
def test_any_cell_of_runs_csv_is_a_harmless_key(tmp_path: Path, label: str) -> None:
    folder = write(tmp_path / "one", label)
    tree = ingest.ingest(folder)
    cell = label.strip()
    assert tree["runs"]["label"].values.tolist() == [harmless(cell)]
    said = "in its row of runs.csv, text is written with escapes or cut: label"
    assert (said in str(tree["logs"]["notes"].values[0])) == (not is_harmless(cell))
    dataset.save(tree, tmp_path / "one.nc")
    assert dataset.load(tmp_path / "one.nc")["runs"]["label"].values.tolist() == [harmless(cell)]


def test_study_yaml_is_read_as_it_can_be_seen_and_its_lines_are_said(tmp_path: Path) -> None:
    folder = write(tmp_path / "one", "x", title="a\u202eb", server=r"c\e[2J")
    tree = ingest.ingest(folder)
    assert tree.attrs["title"] == r"a\u202eb"
    assert tree["runs"]["server"].values.tolist() == [r"c\x1b[2J"]
    assert ingest.incomplete(tree) == [
        f"study.yaml:{line}: control, invisible or direction characters are written as escapes" for line in (2, 5)
    ]


def test_texts_of_a_list_of_study_yaml_are_read_as_they_can_be_seen(tmp_path: Path) -> None:
    folder = write(tmp_path / "one", "x")
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write('asks: [plain, "a\u202eb"]\n')
    assert study.load(folder).sidecar.asks == ("plain", r"a\u202eb")


def test_a_long_text_of_study_yaml_is_cut_where_it_becomes_a_key(tmp_path: Path) -> None:
    loaded = study.load(write(tmp_path / "one", "x", server="y" * (BUDGET + 1)))
    assert len(str(loaded.entries[0].keys["server"])) == BUDGET


def test_words_of_a_column_are_found_by_what_is_seen(tmp_path: Path) -> None:
    folder = write(tmp_path / "one", "a\u200bb")
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write('columns:\n  label:\n    key: label\n    words: {"a\u200bb": plain}\n')
    assert study.load(folder).entries[0].keys["label"] == "plain"


@pytest.mark.parametrize("name", ["a\u034fb.json", "a\u3164b.json", "a\u202eb.json"])
def test_a_name_of_a_log_that_is_not_seen_is_refused(name: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "one", "x")
    (folder / name).write_text(fio("job"))
    (problem,) = study.load(folder).problems
    assert isinstance(problem, SidecarError)
    assert "has characters that are not UTF-8 or not printable" in str(problem)
