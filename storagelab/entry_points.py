"""What other packages bring: objects named by their entry points, loaded, and what is wrong told with the package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from importlib.metadata import EntryPoint
from typing import Any

from storagelab.errors import StoragelabError


def named(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, by name and value: the same order on every machine.

    Parameters
    ----------
    group : str
        Such as ``storagelab.parsers``.
    """
    return sorted(metadata.entry_points(group=group), key=lambda entry: (entry.name, entry.value))


def loaded(entry: EntryPoint) -> Any:
    """Import what an entry point names.

    Raises
    ------
    StoragelabError
        If it cannot be imported; names the package and the entry point.
    """
    try:
        return entry.load()
    except Exception as error:  # whatever another package raises when it is imported
        raise StoragelabError(f"{described(entry)}: cannot be imported: {type(error).__name__}: {error}") from error


def one_a_name(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by their names.

    Raises
    ------
    StoragelabError
        If two packages use one name; names both.
    """
    found: dict[str, EntryPoint] = {}
    for entry in named(group):
        if entry.name in found:
            raise StoragelabError(f"{described(entry)}: the name is taken by {described(found[entry.name])}")
        found[entry.name] = entry
    return found


def described(entry: EntryPoint) -> str:
    """Say which entry point of which package: ``my-formats, entry point ioping = my_ioping of storagelab.parsers``."""
    package = entry.dist.name if entry.dist else "a package"
    return f"{package}, entry point {entry.name} = {entry.value} of {entry.group}"


def loaded_all(group: str) -> Iterator[tuple[EntryPoint, Any]]:
    """Import everything that the entry points of a group name.

    Raises
    ------
    StoragelabError
        As `loaded`.
    """
    for entry in named(group):
        yield entry, loaded(entry)
