from __future__ import annotations

import errno
import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from storagelab.errors import SidecarError
from storagelab.ingest import checksums


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a log.txt").write_bytes(b"one\r\n")
    (tmp_path / "runs.csv").write_text("file\n")
    (tmp_path / "study.yaml").write_text("id: x\n")
    assert checksums.write(tmp_path) == 2
    return tmp_path


def test_a_listing_just_written_fits(folder: Path) -> None:
    assert checksums.problems(folder) == []


def test_the_listing_is_what_sha256sum_reads(folder: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", checksums.NAME], cwd=folder, check=True, capture_output=True)


def test_the_sidecar_that_interprets_may_change(folder: Path) -> None:
    (folder / "study.yaml").write_text("id: y\n")
    assert checksums.problems(folder) == []


def test_every_difference_is_told(folder: Path) -> None:
    before, after = (hashlib.sha256(data).hexdigest() for data in (b"one\r\n", b"one\n"))
    (folder / "deep" / "a log.txt").write_bytes(b"one\n")
    (folder / "runs.csv").unlink()
    (folder / "new.log").write_text("")
    with (folder / checksums.NAME).open("a") as listing:
        listing.write("no checksum\n")
        listing.write("0" * 64 + "  ./runs.csv\n")
    told = [str(problem).removeprefix(str(folder)) for problem in checksums.problems(folder)]
    assert told == [
        "/SHA256SUMS:3: expected `SHA-256  path`, found 'no checksum'",
        "/SHA256SUMS:4: runs.csv stands here again, first on line 2",
        f"/SHA256SUMS:1: deep/a log.txt was changed: expected the SHA-256 {before}, found {after}",
        "/SHA256SUMS:2: runs.csv is listed here, but is not there",
        "/SHA256SUMS: new.log is not listed here",
    ]


@pytest.mark.parametrize("name", [b"\xff.log", b"two\nlines.log"])
def test_a_name_that_no_listing_can_hold_leaves_the_listing_as_it_was(folder: Path, name: bytes) -> None:
    before = (folder / checksums.NAME).read_bytes()
    Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("")
    with pytest.raises(SidecarError, match="has characters that no listing can hold: rename the file"):
        checksums.write(folder)
    assert (folder / checksums.NAME).read_bytes() == before
    assert not (folder / f".{checksums.NAME}").exists()


def test_a_listing_that_cannot_be_written_whole_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (folder / checksums.NAME).read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*SHA256SUMS'"):
        checksums.write(folder)
    assert (folder / checksums.NAME).read_bytes() == before
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_hidden_files_are_not_listed(folder: Path) -> None:
    (folder / ".snapshot").mkdir()
    (folder / ".snapshot" / "a log.txt").write_text("copy")
    assert checksums.problems(folder) == []


def test_a_missing_listing_is_a_problem(tmp_path: Path) -> None:
    (problem,) = checksums.problems(tmp_path)
    assert "no such file: write it with `storagelab checksums`" in str(problem)


def test_a_listing_that_is_no_utf_8_is_told_with_its_line(folder: Path) -> None:
    with (folder / checksums.NAME).open("ab") as listing:
        listing.write(b"\xff\xfe\n")
    (problem,) = checksums.problems(folder)
    assert str(problem).endswith(r"SHA256SUMS:3: expected `SHA-256  path`, found '\\xff\\xfe'")
