"""Lines of a log, shown only if the log is still the one that was read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from storagelab.errors import ContractError
from storagelab.ingest import checksums
from storagelab.ingest.log_file import lines_of

STANDARD_INPUT = "standard input"
"""Name of a log that came from there."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A log that is the one that was read.

    Attributes
    ----------
    path : Path
    sha256 : str
        Of its bytes.
    lines : list of str
        As rows number them, from 1; of what is in it, if it is compressed.
    """

    path: Path
    sha256: str
    lines: list[str]


def evidence(folder: Path, log: str, sha256: str) -> Evidence:
    """Read the lines of a log, once it is known to be the one that was read.

    Parameters
    ----------
    folder : Path
        ``raw/<study>``, or where the paths of logs of no study begin.
    log : str
        Its path below that.
    sha256 : str
        What its bytes must have.

    Raises
    ------
    ContractError
        If it is not there, or is another one now.
    """
    path = folder / log
    if not path.is_file():
        raise ContractError(f"{path}: not found; {_advice(folder, log)}")
    if checksums.sha256(path) != sha256:
        raise ContractError(f"{path}: was changed since it was read, its lines prove nothing")
    return Evidence(path, sha256, lines_of(path))


def _advice(folder: Path, log: str) -> str:
    if folder != Path():
        return "say where the raw studies are with --raw"
    if log == STANDARD_INPUT:
        return "what was read from there is kept nowhere"
    return "logs of no study are looked for where they were read: go to the folder from which that was done"
