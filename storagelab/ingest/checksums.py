"""``raw/<study>/SHA256SUMS``: proof that raw data are what was measured, in the format of ``sha256sum``.

It lists every file of the study but study.yaml, which interprets the data and may be improved.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from pathlib import Path
from typing import BinaryIO

from storagelab import writing
from storagelab.errors import SidecarError, naming
from storagelab.escaping.characters import is_visible
from storagelab.study.files import files_below

NAME = "SHA256SUMS"
UNLISTED = (NAME, "study.yaml")

_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")


class Hashed:
    """A file that is read once, with the SHA-256 of all its bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._hash = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or all."""
        data = self._file.read(size)
        self._hash.update(data)
        return data

    def hexdigest(self) -> str:
        """Return the checksum, of what nobody has read too."""
        while self.read(2**20):
            pass
        return self._hash.hexdigest()


def write(folder: Path) -> int:
    """Write the checksums of all files of a study, and return how many there are.

    The listing appears whole or not at all.

    Raises
    ------
    SidecarError
        If the name of a file is no UTF-8, or goes over several lines: no listing can hold it.
    """
    sums = {path: sha256(folder / path) for path in _files(folder)}
    for path in sums:
        if not (path.isprintable() and is_visible(path)):
            raise SidecarError(str(folder / NAME), f"{path!r} has characters that no listing can hold: rename the file")
    writing.write_text(folder / NAME, "".join(f"{digest}  {path}\n" for path, digest in sums.items()))
    return len(sums)


def are_there(folder: Path) -> bool:
    """Whether a study has checksums."""
    return (folder / NAME).is_file()


def problems(folder: Path) -> list[SidecarError]:
    """Everything that differs between a study and its checksums: changed, missing and unlisted files."""
    listing = folder / NAME
    if not are_there(folder):
        return [SidecarError(str(listing), "no such file: write it with `storagelab checksums`")]
    found: list[SidecarError] = []
    listed = _listed(listing, found)
    present = set(_files(folder))
    for path, (line, expected) in listed.items():
        if path not in present:
            found.append(SidecarError(str(listing), f"{path} is listed here, but is not there", line))
        elif (digest := sha256(folder / path)) != expected:
            message = f"{path} was changed: expected the SHA-256 {expected}, found {digest}"
            found.append(SidecarError(str(listing), message, line))
    return found + [SidecarError(str(listing), f"{path} is not listed here") for path in sorted(present - set(listed))]


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with naming(path), path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


_BLOCK = 2**16
"""Bytes that are read at once: few logs have more, and memory of that size costs nothing to get."""


def _listed(listing: Path, found: list[SidecarError]) -> dict[str, tuple[int, str]]:
    """Read the line and the SHA-256 of each path; what is no such line goes to `found`."""
    listed: dict[str, tuple[int, str]] = {}
    with naming(listing):
        said = listing.read_bytes().decode("utf-8", "backslashreplace")
    for number, text in enumerate(said.splitlines(), start=1):
        match = _LINE.fullmatch(text)
        if not match:
            found.append(SidecarError(str(listing), f"expected `SHA-256  path`, found {text[:80]!r}", number))
            continue
        path = posixpath.normpath(match[2])
        before, _ = listed.setdefault(path, (number, match[1].lower()))
        if before != number:
            found.append(SidecarError(str(listing), f"{path} stands here again, first on line {before}", number))
    return listed


def _files(folder: Path) -> list[str]:
    """Paths of all files below a study that are listed, sorted; hidden ones are no part of it."""
    paths = (path.relative_to(folder).as_posix() for path in files_below(folder))
    return sorted(path for path in paths if path not in UNLISTED)
