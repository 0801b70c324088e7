"""Compressed logs: read as a stream, bounded; archives are refused by name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab.errors import ParseError
from storagelab.ingest import checksums, read_log
from storagelab.ingest.log_file import lines_of
from storagelab.parsers.wrapping import compression
from tests.conftest import LOGS
from tests.wrapping import zstd

LOG = LOGS / "ior" / "4.1.0dev_shared_file_2_tasks.txt"
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}


@pytest.mark.parametrize("name", PACK)
def test_the_header_says_how_a_log_was_compressed(name: str, tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(PACK[name](LOG.read_bytes()))
    log = read_log(file)
    assert log.parsed.header["wrapping"] == name
    assert log.sha256 == checksums.sha256(file)
    assert lines_of(file) == LOG.read_text().split("\n")


@pytest.mark.parametrize("name", PACK)
def test_what_grows_beyond_all_bounds_is_refused_before_it_is_held(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "LIMIT", 2**22)
    file = tmp_path / "bomb"
    file.write_bytes(PACK[name](bytes(2**25)))
    with pytest.raises(ParseError, match="expected at most 4194304 bytes once it is decompressed"):
        read_log(file)


def test_layers_are_counted(tmp_path: Path) -> None:
    data = LOG.read_bytes()
    for _ in range(compression.LAYERS + 1):
        data = gzip.compress(data, mtime=0)
    file = tmp_path / "log.gz"
    file.write_bytes(data)
    with pytest.raises(ParseError, match="compressed at most 4 times"):
        read_log(file)


def test_of_a_cut_file_what_comes_before_the_cut_is_read(tmp_path: Path) -> None:
    data = gzip.compress(LOG.read_bytes(), mtime=0)
    file = tmp_path / "log.gz"
    file.write_bytes(data[:-9])
    log = read_log(file)
    assert log.parsed.runs
    assert not log.parsed.complete
    assert "its gzip breaks off" in log.notes()


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("log", LOG.read_bytes())
    return buffer.getvalue()


def _tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(LOG, "log")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (_zip, "a zip archive"),
        (_tar, "a tar archive"),
        (lambda: gzip.compress(_tar()), "a tar archive"),
        (lambda: b"7z\xbc\xaf\x27\x1c" + bytes(99), "a 7-Zip archive"),
    ],
)
def test_archives_are_refused_by_name(data: Callable[[], bytes], what: str, tmp_path: Path) -> None:
    file = tmp_path / "logs"
    file.write_bytes(data())
    with pytest.raises(ParseError, match=f"found '{what}: archives are not supported, unpack it first'"):
        read_log(file)


def test_names_lose_their_suffixes() -> None:
    assert compression.plain_name("a_bw.1.log.gz") == "a_bw.1.log"
    assert compression.plain_name("a.log") == "a.log"
