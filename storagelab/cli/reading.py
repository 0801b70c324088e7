"""Reading logs for a command, here or in another process: what cannot be read comes back as words."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from storagelab.cli.console import bug, format_oserror
from storagelab.errors import ParseError, StoragelabError
from storagelab.ingest import Log, read_log
from storagelab.ingest.cost_bounds import Bounds, of_each_log


class Unread(NamedTuple):
    """A log that was not read: the whole message, and the reason without its name."""

    message: str
    reason: str


LARGE = Unread("", "")
"""A log that is read block by block: whoever wants it reads it himself."""


def read(path: str, format: str, bounds: Bounds) -> Log | Unread:
    """Read a log in another process, for which what is read must be picklable."""
    with of_each_log(bounds):
        found = read_here(Path(path), Path(path).as_posix(), format)
    return LARGE if isinstance(found, Log) and found.parsed.blocks else found


def read_here(path: Path, name: str, format: str) -> Log | Unread:
    """Read a log, or say why it cannot be read."""
    try:
        return read_log(path, name=name, format=format)
    except ParseError as error:
        return Unread(str(error), f"expected {error.expected}")
    except StoragelabError as error:
        return Unread(f"{name}: {error}", str(error))
    except OSError as error:
        return Unread(format_oserror(error), error.strerror or str(error))
    except Exception as error:  # a mistake in one parser must not hide the other logs
        return Unread(f"{name}: {bug(error)}", bug(error))
