"""Compressed files: known by their first bytes, read as a stream, bounded; archives are refused by name.

Sources of the first bytes: RFC 1952 (gzip), the bzip2 manual, the .xz file format 1.1, RFC 8878 (zstd), the LZ4 frame
format 1.6, POSIX pax (``ustar`` at byte 257), PKWARE's APPNOTE (zip), cpio(5), the format documents of 7-Zip and RAR.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from typing import BinaryIO, NamedTuple, cast

from storagelab import optional_packages
from storagelab.errors import ParseError

LIMIT = 2**30
"""Bytes that a file may grow to when it is decompressed; a bomb ends here."""
LAYERS = 4
"""Compressions around each other that are undone."""
BEGINNING = 512
_BLOCK = 2**20


def _xz(file: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, lzma.LZMAFile(file))


def _zstd(file: BinaryIO) -> BinaryIO:
    return _arrow(file, "zstd")


def _lz4(file: BinaryIO) -> BinaryIO:
    return _arrow(file, "lz4")


def _arrow(file: BinaryIO, codec: str) -> BinaryIO:
    optional_packages.require("study", f"a log compressed by {codec}")
    import pyarrow

    return cast(BinaryIO, pyarrow.CompressedInputStream(pyarrow.PythonFile(file, mode="r"), codec))


class _Compression(NamedTuple):
    name: str
    suffixes: tuple[str, ...]
    magic: bytes
    opened: Callable[[BinaryIO], BinaryIO]


COMPRESSIONS = (
    _Compression("gzip", (".gz",), b"\x1f\x8b\x08", lambda file: cast(BinaryIO, gzip.GzipFile(fileobj=file))),
    _Compression("bzip2", (".bz2",), b"BZh", lambda file: cast(BinaryIO, bz2.BZ2File(file))),
    _Compression("xz", (".xz",), b"\xfd7zXZ\0", _xz),
    _Compression("zstd", (".zst", ".zstd"), b"\x28\xb5\x2f\xfd", _zstd),
    _Compression("lz4", (".lz4",), b"\x04\x22\x4d\x18", _lz4),
)
_SUFFIXES = tuple(suffix for known in COMPRESSIONS for suffix in known.suffixes)
_REFUSED = (
    (0, b"PK\x03\x04", "a zip archive"),
    (0, b"PK\x05\x06", "a zip archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
    (0, b"070701", "a cpio archive"),
    (0, b"070707", "a cpio archive"),
    (0, b"\xc7\x71", "a cpio archive"),
    (0, b"!<arch>\n", "an ar archive"),
    (0, b"\x1f\x9d", "a file of compress (.Z)"),
    (0, b"%PDF-", "a PDF"),
    (0, b"\xed\xab\xee\xdb", "an RPM package"),
)
_MAGIC = (*(known.magic for known in COMPRESSIONS), *(magic for place, magic, _ in _REFUSED if not place))
_FURTHER = tuple((place, magic) for place, magic, _ in _REFUSED if place)
_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError)


class Content(NamedTuple):
    """What is in a file: its bytes, the compressions that were undone, and how the last of them broke off."""

    data: bytes
    layers: tuple[str, ...]
    broken: str


def compression(head: bytes) -> _Compression | None:
    """Return how a file is compressed that begins so; None where it is not."""
    return next((known for known in COMPRESSIONS if head.startswith(known.magic)), None)


def is_none(head: bytes) -> bool:
    """Whether a file that begins so is neither compressed nor an archive."""
    return not head.startswith(_MAGIC) and not any(head.startswith(magic, place) for place, magic in _FURTHER)


def plain_name(name: str) -> str:
    """Return a file's name without the suffixes of compressions.

    Examples
    --------
    >>> plain_name("randread_bw.1.log.gz")
    'randread_bw.1.log'
    """
    while name.endswith(_SUFFIXES):
        name = name.removesuffix(next(filter(name.endswith, _SUFFIXES)))
    return name


class Opened:
    """A file that is open, whatever compressions are around what it holds.

    Attributes
    ----------
    layers : tuple of str
        The compressions, the outermost first.
    head : bytes
        The first bytes of what is in them.

    Raises
    ------
    ParseError
        If it is an archive, or breaks off before anything can be decompressed.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.layers: tuple[str, ...] = ()
        self.head = _first(file)
        while known := compression(self.head):
            if len(self.layers) == LAYERS:
                raise ParseError(f"a log compressed at most {LAYERS} times", " in ".join((known.name, *self.layers)))
            self.layers += (known.name,)
            self._file = known.opened(cast(BinaryIO, io.BufferedReader(_Rejoined(self.head, self._file), _BLOCK)))
            self.head = _first(self._file)
        _refuse(self.head)

    def stream(self) -> BinaryIO:
        """Return what is in the file as a stream, from its beginning."""
        return cast(BinaryIO, io.BufferedReader(_Rejoined(self.head, self._file), _BLOCK))

    def content(self) -> Content:
        """Read all that is in the file; of one whose compression breaks off, what comes before.

        Raises
        ------
        ParseError
            If it grows to more than `LIMIT` bytes.
        """
        if not self.layers:
            return Content(self.head + self._file.read(), (), "")
        parts, size = [self.head], len(self.head)
        try:
            while part := _some(self._file):
                parts.append(part)
                size += len(part)
                if size > LIMIT:
                    raise ParseError(f"at most {LIMIT} bytes once it is decompressed", f"more, in {self.layers[-1]}")
        except _BROKEN as error:
            if _is_of_the_system(error):
                raise
            return Content(b"".join(parts), self.layers, str(error) or type(error).__name__)
        return Content(b"".join(parts), self.layers, "")


def _some(file: BinaryIO) -> bytes:
    """Read what comes next, without waiting for more: what breaks off behind it must not take it along."""
    return cast(bytes, file.read1(_BLOCK) if hasattr(file, "read1") else file.read(_BLOCK))


def _first(file: BinaryIO) -> bytes:
    """Read the first bytes of a stream."""
    parts, size = [], BEGINNING
    try:
        while size and (part := file.read(size)):
            parts.append(part)
            size -= len(part)
    except _BROKEN as error:
        if _is_of_the_system(error):
            raise
        if not parts:
            raise ParseError("a compressed log", f"one that breaks off at its beginning ({error})") from None
    return b"".join(parts)


def _is_of_the_system(error: Exception) -> bool:
    """Whether a file could not be read; what decompresses it says that it breaks off in errors without a number."""
    return isinstance(error, OSError) and error.errno is not None


class _Rejoined(io.RawIOBase):
    """A stream of which the first bytes were read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        part = self._head[: len(view)] or self._rest.read(len(view))
        self._head = self._head[len(view) :]
        view[: len(part)] = part
        return len(part)

    def close(self) -> None:
        """Close what is behind it too, if that can be closed."""
        super().close()
        getattr(self._rest, "close", lambda: None)()


def _refuse(head: bytes) -> None:
    for place, magic, what in _REFUSED:
        if head[place : place + len(magic)] == magic:
            raise ParseError("a log", f"{what}: archives are not supported, unpack it first")
