"""Which of the files below a folder are taken for logs."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab.ingest import read_log
from storagelab.ingest.files import find_logs
from tests.conftest import fixture_logs


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: os.mknod(path, stat.S_IFSOCK | 0o600)], ids=["a pipe", "a socket"]
)
def test_what_is_no_regular_file_is_no_log_of_a_folder(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "a.log")
    (tmp_path / "b.log").write_text("")
    assert list(find_logs([tmp_path])) == [tmp_path / "b.log"]


def test_of_links_in_a_folder_those_are_logs_that_lead_to_a_file_or_nowhere(tmp_path: Path) -> None:
    """Whoever reads a link that leads nowhere is told so."""
    (tmp_path / "log").write_text("")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "logs").mkdir()
    for name in ("folder", "log", "nowhere", "pipe"):
        (tmp_path / "logs" / name).symlink_to(tmp_path / name)
    assert [path.name for path in find_logs([tmp_path / "logs"])] == ["log", "nowhere"]


def test_files_of_a_folder_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    """A dot and a minus come before the slash that parts a folder from what is in it."""
    names = ["a/b.log", "a-b/c.log", "a.log", "a/a/z.log", "b", ".hidden/x.log", "a/.hidden"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    found = list(find_logs([tmp_path]))
    assert found == sorted(tmp_path / name for name in names if "hidden" not in name)


def test_a_folder_that_cannot_be_looked_into_is_one_of_the_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.log").write_text("")
    scandir = os.scandir

    def refused(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    assert list(find_logs([tmp_path])) == [tmp_path / "closed", tmp_path / "open.log"]


def test_bytes_that_are_no_text_are_counted_in_a_note(tmp_path: Path) -> None:
    whole = fixture_logs("ior")[0].read_bytes()
    (tmp_path / "a.log").write_bytes(whole + b"\x81\x9d\n")
    assert "2 bytes are not UTF-8" in [note.text for note in read_log(tmp_path / "a.log").parsed.notes]
    (tmp_path / "b.log").write_bytes(whole)
    assert not any("UTF-8" in note.text for note in read_log(tmp_path / "b.log").parsed.notes)
