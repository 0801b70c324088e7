"""The one writer: what a command leaves on disk goes through here, and is there whole, as it was or as it is now.

What is new is made in a folder of the writer's own beside its place, brought to the disk and put in place by a rename,
which is brought to the disk too. A folder is exchanged with the one before it in one step; where a file system cannot,
the old one goes aside and the new one in, and whoever comes next finishes what was begun. A killed process leaves its
own folder behind: the name says whose it is, and the next writer there removes it. Errors name the file.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import gzip
import io
import itertools
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

OURS = ".storagelab-"
"""How the name of a folder begins that a writer makes for itself: ``.storagelab-HOST-PID-STARTED-NUMBER``."""


# --- files


def write_text(path: Path, text: str) -> None:
    """Write a file of text in UTF-8, line ends as they are."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file."""
    with new_file(path) as beside:
        put(beside, data)


def put(path: Path, data: bytes) -> None:
    """Write a file, and the folders above it, into a folder that is itself new: nobody reads there yet."""
    with _naming(path):
        os.makedirs(path.parent, exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def make(folder: Path) -> None:
    """Make a folder in one that is itself new."""
    with _naming(folder):
        os.mkdir(folder)


def append_to(path: Path) -> None:
    """Write a little more to a file that a library gave up on without a reason: the system may say one."""
    with open(path, "ab") as file:
        file.write(bytes(2**16))
        file.flush()
        os.fsync(file.fileno())


def output(path: Path) -> int:
    """Open a file in a scratch folder for what a command says, and return its descriptor."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


def nowhere(flags: int) -> TextIO:
    """Open the null device as a stream at the lowest descriptor that is free; read-only, it refuses what is written."""
    return open(os.open(os.devnull, flags), "w", encoding="utf-8", errors="backslashreplace")


@contextmanager
def new_text(path: Path) -> Iterator[TextIO]:
    """Open a file of text to write to; a pipe or a device, which cannot be replaced, is written to as it is."""
    if path.exists() and not path.is_file():
        with open(path, "w", encoding="utf-8") as pipe:
            yield pipe
        return
    with new_file(path) as beside, open(beside, "w", encoding="utf-8", newline="") as file:
        yield file


@contextmanager
def new_compressed_text(path: Path) -> Iterator[TextIO]:
    """Open a file of text that is compressed by gzip, without a name and a time in it: same text, same bytes."""
    with (
        new_file(path) as beside,
        open(beside, "wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed,
        io.TextIOWrapper(compressed, encoding="utf-8", newline="") as text,
    ):
        yield text


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Say where to write a file that then takes its place; if anything fails, what was there stays.

    Raises
    ------
    OSError
        If it cannot be written; names `path`.
    """
    place = Path(os.path.realpath(path))
    with _naming(path), _own_folder(place.parent) as own:
        yield own / place.name
        _as_open(place, own / place.name)
        _sync(own / place.name)
        os.replace(own / place.name, place)
        _sync(place.parent)


# --- what grows while something else runs


BEGUN = ".begun"
"""How the name of a file ends that is still written to; it begins with a dot, so that it is no log of a study."""


def begun(path: Path) -> Path:
    """Where a file grows before it is whole."""
    return path.with_name(f".{path.name}{BEGUN}")


@contextmanager
def growing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that a long command fills: hidden beside its place until the end, and kept as it is if killed.

    Raises
    ------
    FileExistsError
        If it is there already, or another process is writing it, or was killed while it was.
    OSError
        If it cannot be written; names `path`.
    """
    with _naming(path):
        ready(path.parent)
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        with open(begun(path), "xb", buffering=0) as file:
            yield cast(BinaryIO, file)
            os.fsync(file.fileno())
        _without_replacing(begun(path), path)


def move(path: Path, place: Path) -> None:
    """Move a file to where none is, and bring that to the disk.

    Raises
    ------
    FileExistsError
        If one is there.
    """
    with _naming(place):
        ready(place.parent)
        _without_replacing(path, place)


def _without_replacing(path: Path, place: Path) -> None:
    """Rename a file; unlike os.rename, refuse where there is one. Some file systems know no second name of a file."""
    try:
        os.link(path, place)
        os.remove(path)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EMLINK, *_CANNOT) or os.path.lexists(place):
            raise
        os.rename(path, place)
    _sync(place.parent)


def link(paths: Iterable[Path], folder: Path) -> None:
    """Have files and folders, those that are there, in a folder that is itself new, by symbolic links."""
    for path in paths:
        if path.exists():
            with _naming(folder / path.name):
                os.makedirs(folder, exist_ok=True)
                os.symlink(os.path.realpath(path), folder / path.name)


def remove(*paths: Path) -> None:
    """Remove files, those that are there."""
    for path in paths:
        with _naming(path), contextlib.suppress(FileNotFoundError):
            os.remove(path)


def append_line(path: Path, text: str) -> None:
    """Add a line to a file and bring it to the disk; one that was cut off before stays a line of its own."""
    with _naming(path):
        ready(path.parent)
        with open(path, "ab+") as file:
            whole = file.seek(0, os.SEEK_END) == 0 or (file.seek(-1, os.SEEK_END), file.read())[1] == b"\n"
            file.write(b"" if whole else b"\n")
            file.write(text.encode("utf-8") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        _sync(path.parent)


LOCK = f"{OURS}lock"
"""Name of the file by which processes wait for each other in a folder; it stays."""


@contextmanager
def locked(folder: Path, *, wait: bool = True, name: str = LOCK) -> Iterator[None]:
    """Be the only process that changes a folder, of all that ask so; the lock goes with the process.

    Raises
    ------
    BlockingIOError
        If another has it, and nobody wants to wait.
    """
    import fcntl  # of POSIX alone

    with _naming(folder / name):
        ready(folder)
        with open(folder / name, "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield


@contextmanager
def claimed(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Be the only process that works on what a file stands for; False where it is gone, or another one has it.

    The claim goes with the process. Who waits gets it when the other one has ended.
    """
    import fcntl  # of POSIX alone

    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(open(path, "rb+"))
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (FileNotFoundError, BlockingIOError):
            yield False
            return
        yield os.path.exists(path)


def remove_empty(folder: Path) -> None:
    """Remove a folder if nothing is in it."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)


# --- folders


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder to fill that then takes the place of `path`; if anything fails, what was there stays.

    Raises
    ------
    OSError
        If it cannot be written; names `path`, or the file below it.
    """
    place = Path(os.path.realpath(path))
    with _naming(path), _own_folder(place.parent) as own:
        new = own / place.name
        os.mkdir(new)
        yield new
        _as_open(place, new)
        _sync_all(new)
        _put_in_place(new, place)
        _sync(place.parent)


@contextmanager
def renewed_folder(path: Path, renewed: Collection[str]) -> Iterator[Path]:
    """Give an empty folder to fill with what is renewed in `path`; all else stays, and all changes in one step.

    Parameters
    ----------
    path : Path
        A folder that is there.
    renewed : collection of str
        Names of what is made anew: of these nothing old stays.
    """
    place = Path(os.path.realpath(path))
    with _naming(path), _own_folder(place.parent) as own:
        new = own / place.name
        os.mkdir(new)
        yield new
        for name in os.listdir(place):
            if name not in renewed and not name.startswith(OURS):
                _keep(place / name, new / name)
        _as_open(place, new)
        _sync_all(new)
        _take_over(_put_in_place(new, place), place, renewed)
        _sync(place.parent)


def _take_over(old: Path, place: Path, renewed: Collection[str]) -> None:
    """Move to the new folder what other processes wrote into the old one just before the step, or still write."""
    for name in _names(old):
        there, here = old / name, place / name
        if name not in renewed and not (os.path.lexists(here) and (there.is_dir() or _is_one(there, here))):
            os.replace(there, here)


def _is_one(one: Path, other: Path) -> bool:
    return os.path.samestat(os.lstat(one), os.lstat(other))


def _as_open(old: Path, new: Path) -> None:
    """Let the same people read what is new as could read what it replaces."""
    if old.exists():
        shutil.copymode(old, new)


def _keep(there: Path, here: Path) -> None:
    """Have a file, a link or a folder in a second place as well, without a copy of its bytes where that is possible."""
    if there.is_dir() and not there.is_symlink():
        shutil.copytree(there, here, symlinks=True, copy_function=_keep_file)
    else:
        _keep_file(str(there), str(here))


def _keep_file(there: str, here: str) -> None:
    try:
        os.link(there, here, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EMLINK, errno.EXDEV, *_CANNOT):
            raise
        shutil.copy2(there, here, follow_symlinks=False)


def _put_in_place(new: Path, path: Path) -> Path:
    """Rename a folder to where another may be, and return where that one is then: in our own folder."""
    if not os.path.lexists(path):
        os.rename(new, path)
    elif not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    elif not _exchange(new, path):
        old = new.with_name(OLD) / path.name
        os.mkdir(old.parent)
        _move(path, old)
        os.rename(new, path)
        return old
    return new


def _move(folder: Path, place: Path) -> None:
    try:
        os.rename(folder, place)
    except OSError as error:
        if error.errno != errno.EXDEV:  # what an overlay says of a folder of its lower layer
            raise
        shutil.move(folder, place)


OLD = ".old"
"""Folder of our own folder that holds what went aside; if its place is empty, it goes back there."""


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system or the file system cannot: see renameat2(2) of Linux."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    if rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0:
        return True
    if (number := ctypes.get_errno()) in (errno.ENOSYS, errno.EXDEV, *_CANNOT):
        return False
    raise OSError(number, os.strerror(number), str(other))


# --- what a writer makes for itself


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder for what nobody keeps, among the temporary files of the system; at the end it is gone."""
    with _own_folder(Path(tempfile.gettempdir())) as own:
        yield own


@contextmanager
def scratch_file() -> Iterator[BinaryIO]:
    """Open a temporary file to write and read; it has no name, and goes with the process."""
    with tempfile.TemporaryFile() as file:
        yield cast(BinaryIO, file)


@contextmanager
def _own_folder(parent: Path) -> Iterator[Path]:
    """Make a folder that is ours below another; at the end it is gone, with what was replaced."""
    ready(parent)
    own = _made(parent)
    try:
        yield own
    finally:
        with contextlib.suppress(OSError):  # what is left is for the next writer
            _put_back(own / OLD, parent)
            shutil.rmtree(own)


def _made(parent: Path) -> Path:
    for number in itertools.count():
        own = parent / f"{OURS}{_host()}-{os.getpid()}-{start_of(os.getpid())}-{number}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(own)
            return own
    raise AssertionError


def ready(folder: Path) -> None:
    """Make a folder and those above it, and clear it of what killed writers left.

    Raises
    ------
    NotADirectoryError
        If a file stands in the way.
    """
    sweep(folder if folder.is_dir() else folder.parent)  # the folder may be what somebody was about to replace
    if not folder.exists():
        ready(folder.parent)
        with contextlib.suppress(FileExistsError):  # somebody else may make it at the same time
            os.mkdir(folder)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def sweep(folder: Path) -> None:
    """Remove from a folder what writers left that were killed, and put back what they had taken aside.

    What processes make that still run, and what those of other hosts do, is let alone.
    """
    for name in _names(folder):
        if name.startswith(OURS) and _is_over(name):
            with contextlib.suppress(OSError):  # who may not write there cannot sweep either
                _put_back(folder / name / OLD, folder)
                shutil.rmtree(folder / name)


def _put_back(old: Path, folder: Path) -> None:
    try:
        names = os.listdir(old)  # if nobody may look, nobody may remove what is there
    except FileNotFoundError:
        return
    for name in names:
        if not os.path.lexists(folder / name):
            os.rename(old / name, folder / name)


def _is_over(name: str) -> bool:
    """Whether the process that a folder of ours is named after has ended; False where nobody here can tell."""
    try:
        host, pid, started, _ = name.removeprefix(OURS).rsplit("-", 3)
        if host != _host() or sys.platform == "win32":
            return False
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, ValueError, OverflowError):
        return False
    now = start_of(int(pid))
    return "" not in (now, started) and now != started


def _host() -> str:
    return platform.node().replace("/", "_")


def start_of(pid: int) -> str:
    """When a process started, in ticks since the system did: its id alone may be another's by now. "" if unknown.

    Asked of its first thread: of a process as a whole an emulator (qemu-user) tells that process another time.
    """
    try:
        state, *fields = Path(f"/proc/{pid}/task/{pid}/stat").read_text().rpartition(")")[2].split()  # proc_pid_stat(5)
    except OSError:
        return ""
    return "ended" if state in "ZX" else fields[18]


def _names(folder: Path) -> list[str]:
    """Names in a folder, sorted; none where there is no folder, or nobody may look into it."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


# --- the disk


def _sync_all(folder: Path) -> None:
    """Bring a folder to the disk with all below it."""
    for parent, _, names in os.walk(folder, onerror=_raise):
        for path in (Path(parent, name) for name in names):
            if path.is_file() and not path.is_symlink():
                _sync(path)
        _sync(Path(parent))


def _raise(error: OSError) -> None:
    raise error


def _sync(path: Path) -> None:
    """Bring a file or a folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    finally:
        os.close(handle)


_CANNOT = (errno.EINVAL, errno.ENOTSUP)
"""What a file system says that does not know a request at all."""


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Have errors of the system name the file that was to be written, not the folder of ours in which it was made."""
    try:
        yield
    except OSError as error:
        name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
        if error.errno is None or (name and (OURS not in name or OURS in str(path))):
            raise
        made = iter(Path(name).parts)
        next((part for part in made if part.startswith(OURS)), None)
        raise OSError(error.errno, error.strerror, str(Path(path, *list(made)[1:]))) from error
