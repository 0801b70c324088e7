"""What commands share: how they end, warn, show progress and write files."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO, cast

from storagelab import writing
from storagelab.errors import StoragelabError, UnknownNameError, naming, nearest
from storagelab.escaping.characters import shown, visible

Advance = Callable[[int, int], None]

WARNINGS: list[str] = []
"""What was warned of since the command began, in order."""


def exit_with(command: Callable[[], object], at_the_end: Callable[[], object] = lambda: None) -> None:
    """Run a command and leave without a traceback for what a user can cause; `at_the_end` follows in any case."""
    _open_closed()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that is not UTF-8 must not lose the rest
    sys.excepthook = _mistaken
    with redirect_stdout(_seen(sys.stdout)), redirect_stderr(_seen(sys.stderr)), _terminable():
        _exit_with(command, at_the_end)


def _open_closed() -> None:
    """Take the places of standard streams that were closed: a file that is opened later must not get one of them.

    What is written to a standard output that was closed is an error, as it is of other commands; what would have been
    said on a closed standard error nobody wants to hear.
    """
    sys.stdin = sys.stdin or writing.nowhere(os.O_RDONLY)
    sys.stdout = sys.stdout or writing.nowhere(os.O_RDONLY)
    sys.stderr = sys.stderr or writing.nowhere(os.O_WRONLY)


@contextmanager
def _terminable() -> Iterator[None]:
    """End on SIGTERM as on Ctrl-C, with all that is cleaned up then, and with the exit status that shells expect."""
    terminated: list[int] = []

    def terminate(number: int, frame: object) -> None:
        terminated.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if terminated:
            sys.exit(128 + terminated[0])


def _mistaken(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show a mistake of ours as Python does; its message may quote a log."""
    print(shown("".join(traceback.format_exception(kind, error, trace))), end="", file=sys.stderr)


def _exit_with(command: Callable[[], object], at_the_end: Callable[[], object]) -> None:
    try:
        try:
            _complaining(command)
        finally:
            at_the_end()
            sys.stdout.flush()
    except OSError as error:  # of standard output, such as a full disk
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is not tried again at the end
        if not isinstance(error, BrokenPipeError):  # who reads no further wants to hear no more
            warn(format_oserror(error))
        sys.exit(1)


def _complaining(command: Callable[[], object]) -> None:
    """Run a command, and name what a user can cause on standard error."""
    try:
        command()
    except BrokenPipeError:
        raise
    except StoragelabError as error:
        warn_of(error)
        sys.exit(1)
    except OSError as error:
        warn(format_oserror(error))
        sys.exit(1)


class Seen:
    """A stream to which everything is written as a reader sees it, whoever writes: no name drives a terminal.

    Attributes
    ----------
    stream : text stream
        Where it goes to; bars, which move the cursor, are drawn there.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text, control, invisible and direction characters as escapes."""
        with naming(self._called):
            return self.stream.write(shown(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts so."""
        with naming(self._called):
            self.stream.writelines(map(shown, lines))

    def flush(self) -> None:
        """Hand on what was written."""
        with naming(self._called):
            self.stream.flush()

    @property
    def _called(self) -> str:
        name = str(getattr(self.stream, "name", ""))
        return _CALLED.get(name, name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


_CALLED = {**dict.fromkeys(("<stdout>", "1"), "standard output"), **dict.fromkeys(("<stderr>", "2"), "standard error")}
"""What a reader calls the standard streams, by Python's names of them and by their descriptors."""


def _seen(stream: TextIO) -> TextIO:
    return cast(TextIO, stream if isinstance(stream, Seen) else Seen(stream))


def undrawn(stream: TextIO) -> TextIO:
    """Return the stream behind `Seen`, for what draws on a terminal and holds no text of data."""
    return stream.stream if isinstance(stream, Seen) else stream


def warn(message: str) -> None:
    """Say something on standard error, in one line whatever the name of a file holds."""
    WARNINGS.append(visible(message))
    tell(message)


def tell(message: str) -> None:
    """Say on standard error how far work is: nobody has to read it again."""
    print(f"storagelab: {visible(message)}", file=sys.stderr)


def warn_of(error: StoragelabError) -> None:
    """Say an error on standard error, and what else was found wrong with it, a line each."""
    for one in (error, *error.others):
        warn(one.text)


def format_oserror(error: OSError) -> str:
    """Put a system's error as ``file: reason``."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def bug(error: Exception) -> str:
    """Say that an error is not the user's, and where in the code it stands."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"a mistake in storagelab, please report it: {error!r} at {Path(frame.filename).name}:{frame.lineno}"


def study_folder(study: str) -> Path:
    """Find the folder of a study by its name below raw/, or by its path; what killed commands left there is removed.

    Raises
    ------
    StoragelabError
        If the folder has no study.yaml.
    UnknownNameError
        If there is none; names the nearest there is.
    """
    folders = (Path("raw", study), Path(study)) if study else ()
    for folder in folders:
        writing.sweep(folder)
        if (folder / "study.yaml").is_file():
            return folder
    if bare := next(filter(Path.is_dir, folders), None):
        from storagelab.store import is_store

        without = "`storagelab.open_store` reads a store" if is_store(bare) else f"`storagelab parse {bare}` reads logs"
        remedy = f"`storagelab new` lays one out, and {without} without any"
        raise StoragelabError(f"{bare}: expected a study.yaml in the folder of a study, found none: {remedy}")
    known = [sidecar.parent.name for sidecar in Path("raw").glob("*/study.yaml")]
    raise UnknownNameError("study (a folder below raw/ with a study.yaml)", study, known)


def require_dataset(study: str) -> None:
    """Refuse, before anything heavy is imported, to work on the dataset of a study that was not ingested yet.

    Raises
    ------
    StoragelabError
        If reports/STUDY/dataset.nc is not there.
    """
    path = Path("reports", study, "dataset.nc")
    if not path.is_file():
        raise StoragelabError(f"no dataset {path}: run `storagelab ingest {study}` first")


def require_notebook(study: str) -> None:
    """Refuse, before anything heavy is imported, to run a notebook that is not there.

    Raises
    ------
    StoragelabError
        If notebooks/STUDY.ipynb is not there.
    """
    if lacking := missing_notebook(Path(), study):
        raise StoragelabError(lacking)


def notebook_of(study: str) -> Path:
    """Path of the notebook of a study below the root of a project."""
    return Path("notebooks", f"{study.replace('-', '_')}.ipynb")


def missing_notebook(root: Path, study: str) -> str:
    """Say that a project lacks the notebook of a study; "" where it does not."""
    path = root / notebook_of(study)
    remedy = f"`storagelab new . --study {study}` lays one out"
    return "" if path.is_file() else f"{path}: no such notebook, and so no paper: {remedy}"


def require_file(path: Path) -> None:
    """Refuse, before anything heavy is imported, to read a file that is not there.

    Raises
    ------
    FileNotFoundError
        If there is nothing of this name.
    """
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def campaign_path(name: str) -> Path:
    """Return the file or folder of a campaign that is given by its path, or by the name of a study below raw/."""
    study = Path("raw", name)
    return study if not Path(name).exists() and (study / "study.yaml").is_file() else Path(name)


def require_campaign(name: str) -> None:
    """Refuse a campaign to compare of which there is neither a file nor a folder, nor a study, nor a revision.

    Raises
    ------
    StoragelabError
        If there is nothing of this name; names the nearest studies.
    """
    if not campaign_path(name).exists() and ":" not in name:
        known = [path.parent.name for path in Path("raw").glob("*/study.yaml")]
        remedy = "a revision of git is written REVISION:PATH"
        hint = nearest(name, known) if known else ""
        raise StoragelabError(f"{name}: found no such file, folder or study; {remedy}{hint}")


def refuse_inside_study(path: Path, folder: Path) -> None:
    """Refuse to write into a study: raw files are never edited.

    Raises
    ------
    StoragelabError
        If the path lies in the folder.
    """
    if path.resolve().is_relative_to(folder.resolve()):
        raise StoragelabError(f"{path}: not written, raw files of a study are never edited")


def study_name(study: str) -> str:
    """Name of a study that is given by its name or by the path of its folder."""
    folder = Path(study)
    return folder.resolve().name if (folder / "study.yaml").is_file() else folder.name or study


PERIOD = 10.0
"""Seconds from one line on progress to the next, where no bar is drawn."""


def _told_from_time_to_time(title: str) -> Advance:
    """Say on standard error how far work is, a line every few seconds: for logs of batch systems."""
    last = time.monotonic()

    def advance(done: int, total: int) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= PERIOD:
            last = now
            tell(f"{title}: {done:,} of {total:,}")

    return advance


@contextmanager
def progress(title: str, *, wanted: bool = True) -> Iterator[Advance]:
    """Show a bar on standard error while work is done, if it is wanted and standard error is a terminal, else lines."""
    if not (wanted and sys.stderr.isatty()):
        yield _told_from_time_to_time(title)
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=undrawn(sys.stderr))
    with Progress(console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """Open a file that appears whole or not at all; standard output where there is no path, or it is ``-``.

    One named ``.gz`` is compressed.
    """
    if path is None or path == Path("-"):
        yield sys.stdout
    else:
        new = writing.new_compressed_text if path.suffix == ".gz" else writing.new_text
        with new(path) as file:
            yield file
