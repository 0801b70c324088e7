"""Which logs are new, and which of them make a chunk: decided once, written down, and then only carried out.

Because the plan is kept, a store that was killed and goes on makes the chunks that it would have made.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from storagelab import writing
from storagelab.ingest import checksums
from storagelab.pinned_environment import cores
from storagelab.store import layout
from storagelab.workers import pool

CHUNK_LOGS = 1000
CHUNK_BYTES = 2**22
"""As many logs, and as many bytes of them, make a chunk: what a worker holds in memory; a larger log is one alone."""


class Found(NamedTuple):
    """A log on disk: its path, its SHA-256 (of 64 hexadecimal digits) and its size; or why it cannot be opened."""

    path: str
    sha256: str
    size: int
    error: str = ""
    is_link: bool = False


class Planned(NamedTuple):
    """What came of looking: how many logs are new, how many were there, and those that cannot be opened.

    `changed` of the new ones have the name of a log that is stored with other bytes.
    """

    new: int
    known: int
    closed: Sequence[Found]
    changed: int


def plan(folder: Path, found: Iterable[Found], *, retry: bool = False) -> Planned:
    """Write down which chunks are to be made of the logs that the store has not; nobody else plans meanwhile.

    Parameters
    ----------
    folder : Path
        The store.
    found : iterable of Found
        Logs, in the order in which they go into chunks; of the same bytes the first counts.
    retry : bool
        Whether logs that could not be read before are new.
    """
    closed: list[Found] = []
    counts: Counter[bool] = Counter()
    with writing.locked(folder):
        stored = Names(folder)
        _write(folder, chunks(stored.noted(_new(found, Known(folder, retry=retry), counts, closed))))
    return Planned(counts[True], counts[False], closed, stored.met)


class Names:
    """Names of the logs that a store has, 8 bytes each, sorted; `met` counts the logs gone by that have one of them."""

    def __init__(self, folder: Path) -> None:
        names = (hash(name) for chunk in layout.chunks(folder) for name in column(chunk, "log"))
        self._sorted = np.unique(np.fromiter(names, dtype=np.int64))
        self.met = 0

    def noted(self, logs: Iterable[Found]) -> Iterator[Found]:
        """Go through logs, and count."""
        for log in logs:
            first, beyond = (np.searchsorted(self._sorted, hash(log.path), side) for side in ("left", "right"))
            self.met += int(first < beyond)
            yield log


def _new(found: Iterable[Found], known: Known, counts: Counter[bool], closed: list[Found]) -> Iterator[Found]:
    """Yield the logs that are new; count how many are and are not, and put those aside that cannot be opened."""
    for log in found:
        if log.error:
            closed.append(log)
            continue
        is_new = known.add(log.sha256)
        counts[is_new] += 1
        if is_new:
            yield log


class Known:
    """SHA-256 of the logs that a store has, or is to get: 32 bytes each, sorted; a million take 32 MB."""

    def __init__(self, folder: Path, *, retry: bool = False) -> None:
        # Those that wait first: a chunk that is made meanwhile is then found in both lists, and not in neither.
        planned = [_bytes(sha256 for _, sha256 in logs_of(path)) for path in layout.pending(folder)]
        stored = [digests(chunk, retry=retry) for chunk in layout.chunks(folder)]
        self._sorted = np.unique(np.concatenate([np.zeros(0, DIGEST), *stored, *planned]))
        self._added: set[bytes] = set()

    def add(self, sha256: str) -> bool:
        """Add a log, and return whether it was not there."""
        digest = bytes.fromhex(sha256)
        if digest in self._added or self._was_there(digest):
            return False
        self._added.add(digest)
        return True

    def _was_there(self, digest: bytes) -> bool:
        wanted = np.frombuffer(digest, dtype=DIGEST)
        place = int(np.searchsorted(self._sorted, wanted)[0])
        return place < len(self._sorted) and bool(self._sorted[place] == wanted[0])


DIGEST = "S32"
"""Thirty-two bytes; numpy drops zeros at the end, which makes no two of one length equal that are not."""


def _bytes(sums: Iterable[str]) -> np.ndarray[tuple[int], np.dtype[np.bytes_]]:
    return np.frombuffer(bytes.fromhex("".join(sums)), dtype=DIGEST)


def digests(chunk: Path, *, retry: bool = False) -> np.ndarray[tuple[int], np.dtype[np.bytes_]]:
    """SHA-256 of the logs of a chunk, also of those that could not be read, unless they are to be tried again."""
    parts = ("logs",) if retry else ("logs", layout.UNREAD)
    return _bytes(sha256 for part in parts for sha256 in column(chunk, "log_sha256", part))


def column(chunk: Path, name: str, part: str = "logs") -> list[str]:
    """Read a column of a part of a chunk; nothing where the chunk has no such part."""
    import pyarrow.parquet as parquet

    path = chunk / f"{part}.parquet"
    if not path.exists():
        return []
    with layout.reading(path):
        found: list[str] = parquet.read_table(path, columns=[name], use_threads=False)[name].to_pylist()
    return found


def chunks(logs: Iterable[Found]) -> Iterator[list[Found]]:
    """Put logs together, in their order."""
    chunk: list[Found] = []
    size = 0
    for log in logs:
        if chunk and (len(chunk) == CHUNK_LOGS or size + log.size > CHUNK_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(log)
        size += log.size
    if chunk:
        yield chunk


def chunk_id(logs: Iterable[tuple[str, str]]) -> str:
    """Name a chunk by the SHA-256 of its logs and their paths."""
    said = "".join(f"{sha256}  {path}\n" for path, sha256 in logs)
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _write(folder: Path, planned: Iterator[list[Found]]) -> None:
    """Write down each chunk as soon as it is full: a million logs are not held at once."""
    first = next(planned, None)
    if first is None:
        return
    with writing.new_folder(folder / layout.PENDING / _id_of(first)) as plan_:
        for number, chunk in enumerate(chain([first], planned)):
            logs = [(log.path, log.sha256) for log in chunk]
            text = json.dumps({"below": str(Path.cwd()), "logs": logs})
            writing.put(plan_ / f"{number:06}-{_id_of(chunk)}.json", text.encode())


def _id_of(chunk: Iterable[Found]) -> str:
    return chunk_id((log.path, log.sha256) for log in chunk)


def logs_of(path: Path) -> list[tuple[str, str]]:
    """Path and SHA-256 of the logs of a chunk that is to be made; none where it was made meanwhile."""
    return [(log, sha256) for log, sha256 in _read(path)["logs"]]


def below(path: Path) -> Path:
    """Folder from which the paths of the logs of a chunk are meant."""
    return Path(_read(path)["below"])


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"below": "", "logs": []}
    return found


def look(paths: Iterable[str], workers: pool.Workers, crew: pool.Crew) -> Iterator[Found]:
    """Go through logs, each with its SHA-256, in their order; of paths only those are held that say if workers pay."""
    waiting = iter(paths)
    first = list(islice(waiting, cores() * pool.PAYS // HASHED))
    sizes = [HASHED] * len(first)
    needed = pool.workers_for(sizes, 0 if sum(sizes) < pool.PAYS else workers)
    yield from crew.results(f"{__name__}:looked_at", zip(chain(first, waiting), repeat(HASHED)), needed)


HASHED = 2**10
"""What a log costs to hash, in the bytes of one that is parsed."""


def looked_at(name: str) -> Found:
    """Hash a log."""
    path = Path(name)
    try:
        found = path.lstat()
        is_link = stat.S_ISLNK(found.st_mode)
        if is_link:
            found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            return Found(name, "", 0, "a folder that cannot be looked into")
        if not stat.S_ISREG(found.st_mode):
            return Found(name, "", 0, "a store takes regular files, and this is none")
        return Found(name, checksums.sha256(path), found.st_size, is_link=is_link)
    except OSError as error:
        return Found(name, "", 0, error.strerror or str(error))
