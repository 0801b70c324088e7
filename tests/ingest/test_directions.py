"""A log that does not say which way a copy went, and a sidecar that does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from storagelab import dataset
from storagelab.errors import SidecarError
from storagelab.ingest import ingest, problems
from tests.conftest import LOGS

STUDY = """id: copies
title: "Copies"
authors: [Nobody]
origin: measured
date: "2026-11-20"
description: "One upload."
defaults: {role: benchmark, filesystem: xfs, run_id: r1%s}
match: [{glob: "*.log"}]
"""


def study(folder: Path, operation: str) -> Path:
    folder.mkdir()
    said = f", operation: {operation}" if operation else ""
    (folder / "study.yaml").write_text(STUDY % said)
    shutil.copy(LOGS / "xrdcp" / "upload-128m-time.log", folder / "a.log")
    return folder


@pytest.mark.parametrize(
    ("said", "found"), [("upload", "upload"), ("download", "download"), ("copy", "copy"), ("", "copy")]
)
def test_the_sidecar_says_which_way_a_copy_went(said: str, found: str, tmp_path: Path) -> None:
    folder = study(tmp_path / "copies", said)
    assert problems(folder) == []
    tree = ingest(folder)
    assert list(tree["runs"].operation.values) == [found]
    assert set(tree["series"].operation.values) == {found}
    assert list(dataset.frame(tree["runs"].to_dataset()).elapsed) == [5.86]


def test_a_sidecar_with_another_operation_contradicts_the_log(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match=r"a\.log:1: operation is 'read' here, but the log says 'copy'"):
        ingest(study(tmp_path / "copies", "read"))


def test_a_log_may_hold_more_than_what_its_run_is_about(tmp_path: Path) -> None:
    folder = study(tmp_path / "copies", "read")
    shutil.copy(LOGS / "root" / "four-files-xrootd.log", folder / "a.log")
    tree = ingest(folder)
    assert list(tree["runs"].operation.values) == ["read"] * 4 + ["job"]
