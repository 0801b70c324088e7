"""Which of the files below a folder are taken for logs."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab.ingest.files import find_logs


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: os.mknod(path, stat.S_IFSOCK | 0o600)], ids=["a pipe", "a socket"]
)
def test_what_is_no_regular_file_is_no_log_of_a_folder(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "a.log")
    (tmp_path / "b.log").write_text("")
    assert list(find_logs([tmp_path])) == [tmp_path / "b.log"]
