"""Which files belong to a study: a folder or a file that cannot be looked at is an error, and never left out."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from storagelab.ingest import checksums
from storagelab.project import listing
from storagelab.study.files import files_below


@pytest.fixture
def study(tmp_path: Path) -> Path:
    for name in ("a/one.log", "a/.two.log", ".snapshot/one.log", "b/three.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "b" / "nowhere.log").symlink_to("gone")
    (tmp_path / "b" / "once_more").symlink_to(tmp_path / "a")
    (tmp_path / "b" / "four.log").symlink_to(tmp_path / "a" / "one.log")
    return tmp_path


def test_hidden_files_and_folders_are_left_out_unless_they_are_asked_for(study: Path) -> None:
    def names(hidden: bool) -> list[str]:
        return [path.relative_to(study).as_posix() for path in files_below(study, hidden=hidden)]

    assert names(hidden=False) == ["a/one.log", "b/four.log", "b/three.log"]
    assert names(hidden=True) == [".snapshot/one.log", "a/.two.log", "a/one.log", "b/four.log", "b/three.log"]


def test_files_of_a_name_are_found_in_every_folder_but_hidden_ones(study: Path) -> None:
    found = files_below(study, named="one.log")
    assert [path.relative_to(study).as_posix() for path in found] == ["a/one.log"]


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert files_below(tmp_path / "gone") == []


def test_a_folder_that_cannot_be_looked_into_is_an_error(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = os.scandir

    def refused(path: os.PathLike[str] | str) -> object:
        if Path(path).name == "b":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
        return look(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(PermissionError, match=r"Permission denied: .*b'"):
        checksums.write(study)


def test_a_file_that_cannot_be_looked_at_is_an_error(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = Path.stat

    def refused(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.name == "three.log":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return look(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(PermissionError, match=r"Permission denied: .*three\.log'"):
        files_below(study)


def test_a_study_that_cannot_be_looked_at_is_not_left_out_of_the_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", ".three"):
        (tmp_path / "raw" / name).mkdir(parents=True)
        (tmp_path / "raw" / name / "study.yaml").touch()
    (tmp_path / "raw" / "README").touch()
    assert listing.studies(tmp_path) == ["one", "two"]
    assert listing.studies(tmp_path / "nowhere") == []
    look = Path.stat

    def refused(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.parent.name == "two":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return look(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(PermissionError, match=r"Permission denied: .*two.study\.yaml'"):
        listing.studies(tmp_path)
