"""Where a transfer comes from and goes to: what copy tools print of it, and what that makes of the operation."""

from __future__ import annotations

import re

from storagelab.parsers.model import Row
from storagelab.parsers.shell import words_of

_SCHEME = re.compile(r"([A-Za-z][\w+.-]*)://")
_PROMPT = re.compile(
    r"(?:.*[$#>] ?|\s*+\+ ?|(?!))?+(?:(?:[^\s/]*+/|(?!))*+(?:time|nohup|nice|sudo)(?: -\S++|(?!))*+ |(?!))*+"
    r"(?:[^\s/]*+/|(?!))*+"
)


def between(source: str, target: str) -> Row:
    """Say which way a transfer goes, and over which protocol; `copy` where the ends do not tell.

    Parameters
    ----------
    source, target : str
        URLs or paths; "" where the log does not say.

    Returns
    -------
    Row
        `operation`, and where they are known `protocol` (scheme of the remote end) and `file` (the source).
    """
    remote = [scheme for end in (target, source) if (scheme := _remote(end))]
    row: Row = {"operation": _operation(source, target)}
    if remote:
        row["protocol"] = remote[0]
    if source:
        row["file"] = source
    return row


def _operation(source: str, target: str) -> str:
    if source and target and bool(_remote(source)) != bool(_remote(target)):
        return "download" if _remote(source) else "upload"
    return "copy"


def _remote(end: str) -> str:
    scheme = _SCHEME.match(end)
    return scheme[1] if scheme and scheme[1] != "file" else ""


def command(line: str, tool: str) -> list[str]:
    """Return the words of a command that a shell's prompt or trace shows, from the tool's name on; else nothing."""
    prompt, found, rest = line.partition(f"{tool} ")
    if not found or not _PROMPT.fullmatch(prompt):
        return []
    return [tool, *words_of(rest)]


def numbered(transfers: list[Row], phases: list[Row], samples: list[Row]) -> list[Row]:
    """Give several transfers their `part`, and take it off `phases` and `samples` (in place) where there is one only.

    Returns
    -------
    list of Row
        The transfers, and behind them their phases.
    """
    if len(transfers) == 1:
        for row in (*phases, *samples):
            row.pop("part", None)
        return [*transfers, *phases]
    return [{"part": float(ordinal), **row} for ordinal, row in enumerate(transfers, 1)] + phases
