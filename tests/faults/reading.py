"""Files that cannot be read to their end: the disk fails behind some bytes, or the file is shorter than it said."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FAILED = os.strerror(errno.EIO)


class _Raw(io.FileIO):
    """A file of which `after` bytes can be read; what comes behind them is an error, or the end."""

    def __init__(self, path: Path, after: int, *, fails: bool) -> None:
        super().__init__(path)
        self._left, self._fails = after, fails

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)[: self._left]
        if not len(view) and self._fails:
            raise OSError(errno.EIO, FAILED)
        count = super().readinto(view) or 0
        self._left -= count
        return count

    def readall(self) -> bytes:
        parts = []
        while part := self.read(2**16):
            parts.append(part)
        return b"".join(parts)

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            return self.readall()
        buffer = bytearray(size)
        return bytes(buffer[: self.readinto(buffer)])


def broken(patch: pytest.MonkeyPatch, path: Path, after: int, *, fails: bool = True) -> None:
    """Let a file be read up to some bytes only, by whatever opens it as a path."""
    opened: Callable[..., Any] = Path.open

    def open_(self: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if os.path.realpath(self) == os.path.realpath(path) and "r" in mode:
            raw = io.BufferedReader(_Raw(self, after, fails=fails), 512)
            return raw if "b" in mode else io.TextIOWrapper(raw, encoding="utf-8")
        return opened(self, mode, *arguments, **options)

    patch.setattr(Path, "open", open_)
