"""What a study is made of is what was measured: nothing changed, nothing missing, nothing twice."""

from __future__ import annotations

import bz2
import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab.errors import SidecarError
from storagelab.ingest import checksums, ingest, problems
from tests.conftest import LOGS

LOG = LOGS / "dd" / "gnu-9.1-512-bytes.txt"
YAML = """\
id: tiny
title: A tiny study
origin: measured
keys: {server_mode: not applicable, driver: not applicable}
match:
  - {glob: "*.txt", keys: {filesystem: ext4}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study whose rule covers whatever text is there, so that only the seal can notice what is wrong."""
    folder = tmp_path / "tiny"
    (folder / "deep").mkdir(parents=True)
    (folder / "study.yaml").write_text(YAML)
    shutil.copy(LOG, folder / "a.txt")
    checksums.write(folder)
    return folder


def change_a_digit(folder: Path) -> None:
    text = (folder / "a.txt").read_text()
    place = max(at for at, character in enumerate(text) if character in "12345678")
    (folder / "a.txt").write_text(text[:place] + "9" + text[place + 1 :])


def add_a_log(folder: Path) -> None:
    (folder / "b.txt").write_text((folder / "a.txt").read_text().replace("1", "2"))


def lose_a_log(folder: Path) -> None:
    add_a_log(folder)
    checksums.write(folder)
    (folder / "b.txt").unlink()


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (change_a_digit, r"SHA256SUMS:1: a\.txt was changed: expected the SHA-256 [0-9a-f]{64}, found [0-9a-f]{64}$"),
        (add_a_log, r"SHA256SUMS: b\.txt is not listed here$"),
        (lose_a_log, r"SHA256SUMS:2: b\.txt is listed here, but is not there$"),
    ],
)
def test_a_study_that_is_not_what_its_checksums_say_is_not_read(
    folder: Path, harm: Callable[[Path], None], message: str
) -> None:
    assert ingest(folder)["logs"].sizes == {"obs": 1}
    harm(folder)
    with pytest.raises(SidecarError, match=message):
        ingest(folder)
    assert [str(problem) for problem in problems(folder) if "SHA256SUMS" in str(problem)]


def twice(folder: Path) -> None:
    """The same log under another name, deep below, in a study that nobody sealed."""
    (folder / checksums.NAME).unlink()
    shutil.copy(folder / "a.txt", folder / "deep" / "b.txt")


def test_the_same_bytes_under_two_names_are_refused(folder: Path) -> None:
    twice(folder)
    message = r"deep/b\.txt: the same bytes as a\.txt: remove the copy, or say in `identical` of study\.yaml why both"
    with pytest.raises(SidecarError, match=message):
        ingest(folder)
    shutil.copy(folder / "a.txt", folder / "deep" / "c.txt")
    (problem,) = problems(folder)
    assert "deep/c.txt: the same bytes as a.txt and 1 more: " in str(problem)


@pytest.mark.parametrize(("globs", "refused"), [(["*.txt"], 0), (["a.txt", "deep/*"], 0), (["a.txt"], 1), (["b.*"], 1)])
def test_they_pass_where_study_yaml_says_why_each_of_them_is_a_log(
    folder: Path, globs: list[str], refused: int
) -> None:
    twice(folder)
    reasons = "".join(f"  {glob!r}: nothing moved in between\n" for glob in globs)
    (folder / "study.yaml").write_text(f"{YAML}identical:\n{reasons}")
    assert len(problems(folder)) == refused


@pytest.mark.parametrize("wrap", [gzip.compress, bz2.compress, lambda data: data.replace(b"\n", b"\r\n")])
def test_a_copy_that_is_compressed_or_of_another_system_is_one(wrap: Callable[[bytes], bytes], folder: Path) -> None:
    (folder / checksums.NAME).unlink()
    (folder / "deep" / "b.txt").write_bytes(wrap((folder / "a.txt").read_bytes()))
    (problem,) = problems(folder)
    assert "deep/b.txt: the same text as a.txt: remove the copy" in str(problem)
    (folder / "deep" / "b.txt").write_bytes(wrap((folder / "a.txt").read_bytes() + b"more\n"))
    assert not any("the same text" in str(problem) for problem in problems(folder))


def test_logs_of_one_size_are_not_taken_for_the_same(folder: Path) -> None:
    twice(folder)
    text = (folder / "a.txt").read_text()
    (folder / "deep" / "b.txt").write_text(text.replace("1", "2", 1))
    assert problems(folder) == []
