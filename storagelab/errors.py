"""Everything that can go wrong, each error naming the place, the bad value and what was expected."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from storagelab.escaping.characters import shown


class StoragelabError(Exception):
    """Base of every error a user can cause; the command line prints it without a traceback.

    Messages quote logs, sidecars and file names, and are read on terminals: what nobody sees in them is an escape.

    Attributes
    ----------
    others : tuple of StoragelabError
        What else is wrong, where one error stands for all that was found; the message has a line for each.
    """

    others: tuple[StoragelabError, ...] = ()

    @property
    def text(self) -> str:
        """The message of this error alone."""
        return shown(super().__str__())

    def __str__(self) -> str:
        return "\n".join([self.text, *(other.text for other in self.others)])


class MissingPackageError(StoragelabError, ImportError):
    """A layer needs a package that is not installed; names the extra that brings it.

    Parameters
    ----------
    what : str
        What needs it.
    package : str
    extra : str
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f'{what} needs {package}: pip install "storagelab[{extra}]"')


class ParseError(StoragelabError):
    """A log is not what it claims to be.

    Parameters
    ----------
    expected : str
        What should have stood there, in the words of the format.
    found : str
        What stood there instead.
    line : int, optional
        1-based line of the log; 0 where no single line is to blame.
    file : str, optional
        Filled in by whoever knows the path: parsers do not.
    """

    def __init__(self, expected: str, found: str, line: int = 0, file: str = "") -> None:
        super().__init__(expected, found, line, file)
        self.expected = expected
        self.found = found
        self.line = line
        self.file = file

    @property
    def text(self) -> str:
        """The message: place, what was expected, what was found."""
        return shown(f"{place(self.file or 'log', self.line)}: expected {self.expected}, found {shorten(self.found)!r}")


class IncompleteLogError(StoragelabError):
    """A log that ends before its tool was done: what is whole in it is used, and whoever checks a study is told."""

    def __init__(self, file: str, notes: str) -> None:
        super().__init__(f"{file}: incomplete: {notes}")


class IncompleteRunError(StoragelabError):
    """A measurement that not all clients of its run have: it is no row of ``runs``, the clients' shares are kept."""

    def __init__(self, run_id: str, operation: str, found: int, expected: int) -> None:
        super().__init__(f"run {run_id}: {operation} of {found} of {expected} clients: not added up")


class UnknownNameError(StoragelabError):
    """A name, operation or unit that the contract does not know."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {what} {name!r}{nearest(name, known)}")


class ContractError(StoragelabError):
    """Rows or a dataset that break the data contract."""


class SidecarError(StoragelabError):
    """A study.yaml or runs.csv that is wrong in itself or contradicts a log.

    Parameters
    ----------
    file : str
    message : str
    line : int, optional
        1-based line of the file; 0 where no single line is to blame.
    log : str, optional
        Log of which the message is true; it may be true of many (`together`).
    """

    def __init__(self, file: str, message: str, line: int = 0, log: str = "") -> None:
        super().__init__(f"{place(file, line)}: {f'{log}: ' if log else ''}{message}")
        self.file = file
        self.line = line
        self.log = log
        self.message = message


class ReconstructError(StoragelabError):
    """A published number, a test bed or a log to be written that cannot be as it is stated."""


class AnalysisError(StoragelabError):
    """A question that the data at hand cannot answer."""


class PaperError(StoragelabError):
    """A paper that cannot be published as it stands."""


@contextmanager
def naming(name: str | os.PathLike[str]) -> Iterator[None]:
    """Have an error of the system say the name of what was read or written: read(2) and write(2) know none.

    Parameters
    ----------
    name : str or path
        What is read or written.

    Yields
    ------
    None
        While the block runs.

    Raises
    ------
    OSError
        The same error, with the name where it had none; an error that is not the system's is left as it is.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(name)) from error


Wrong = TypeVar("Wrong", bound=StoragelabError)


def all_of(errors: Sequence[Wrong]) -> Wrong:
    """Return the first error, which says the others too.

    Parameters
    ----------
    errors : sequence of StoragelabError
        At least one.

    Returns
    -------
    StoragelabError
        The first.
    """
    first, *others = errors
    first.others = tuple(others)
    return first


NAMED = 3
"""Logs that are named of those of which the same is wrong."""


def together(errors: Iterable[Wrong]) -> list[Wrong | SidecarError]:
    """Say once what is wrong with many logs alike: the first stands for the others, and names some of them.

    Parameters
    ----------
    errors : iterable of StoragelabError
        What is wrong, in the order in which it was found.

    Returns
    -------
    list of StoragelabError
        Those of logs that are wrong alike are one.
    """
    found: list[Wrong | list[SidecarError]] = []
    groups: dict[tuple[str, str], list[SidecarError]] = {}
    for error in errors:
        if isinstance(error, SidecarError) and error.log:
            alike = groups.setdefault((error.file, error.message), [])
            if not alike:
                found.append(alike)
            alike.append(error)
        else:
            found.append(error)
    return [_for_all(one) if isinstance(one, list) else one for one in found]


def _for_all(group: list[SidecarError]) -> SidecarError:
    first, *more = group
    if not more:
        return first
    named = ", ".join(error.log for error in more[:NAMED]) + (", ..." if len(more) > NAMED else "")
    count = f"{len(more)} other log{'s' * (len(more) > 1)}"
    return SidecarError(first.file, f"{first.message} (so it is with {count}: {named})", first.line, first.log)


def place(file: str, line: int) -> str:
    """Write a position the way compilers do: ``file:line``, or ``file`` alone.

    Parameters
    ----------
    file : str
        Name of the file.
    line : int
        Number of the line, from 1; 0 where it is the whole file.

    Returns
    -------
    str
        The position.

    Examples
    --------
    >>> place("ior.log", 12), place("ior.log", 0)
    ('ior.log:12', 'ior.log')
    """
    return f"{file}:{line}" if line else file


def shorten(text: str, width: int = 80) -> str:
    """Cut text that would flood a message.

    Parameters
    ----------
    text : str
        What stood in a file.
    width : int, optional
        How many characters are left of it.

    Returns
    -------
    str
        The text, or its beginning and three dots.
    """
    return text if len(text) <= width else f"{text[: width - 3]}..."


LISTED = 40
"""As many names are listed where none is near."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Say what the user may have meant, or what there is.

    Parameters
    ----------
    name : str
        What was asked for.
    known : iterable of str
        What there is.

    Returns
    -------
    str
        The end of a message.
    """
    return _nearest(name, tuple(sorted(known)))


@lru_cache(maxsize=256)
def _nearest(name: str, names: tuple[str, ...]) -> str:
    """Say it, once for each name that is asked for again: checks that need a column ask for it in each study."""
    if not names:
        return ""
    close = difflib.get_close_matches(name, names, n=3)
    if close:
        return f"; did you mean {', '.join(map(repr, close))}?"
    return f"; known: {', '.join(names)}" if len(names) <= LISTED else ""
