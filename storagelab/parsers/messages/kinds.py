"""What a kind of message is: the words it is found by, what happened, and who can act on it.

``fermi-log-errors`` of the 2011 FermiCloud study asked two things of an error message: who has to do something about it
(`EVENT_CLASS`), and whether one understands it without the source (`legibility`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from storagelab import schema
from storagelab.parsers.model import Row

LONGEST = 200
"""Characters of a message that are kept."""

READ = 4000
"""Characters of a message that are searched: no logger writes more, and what damage did to a line costs no time."""

EVENT_CLASS: Mapping[str, str] = {
    # the client, or the job on it, has to be looked at
    "evicted": "client", "evicting": "client", "lock_timeout": "client", "client_denied": "client",
    "disconnected": "client",
    # a server is away, busy, or lost something
    "connection_lost": "server", "connection_refused": "server", "connection_failed": "server",
    "request_timeout": "server", "request_failed": "server", "request_degraded": "server", "slow": "server",
    "not_responding": "server", "child_down": "server", "offline": "server", "quorum_lost": "server",
    "target_unavailable": "server", "node_lost": "server", "crashed": "server", "task_hung": "server",
    "out_of_memory": "server",
    # the way between them
    "network_error": "network", "link_down": "network",
    # what the data lie on
    "io_error": "disk", "filesystem_error": "disk", "checksum_error": "disk", "read_only": "disk",
    # somebody has to decide, or did something
    "no_space": "administrator", "split_brain": "administrator", "recovery_aborted": "administrator",
    "failover": "administrator", "node_fenced": "administrator", "started": "administrator",
    "stopped": "administrator", "target_started": "administrator", "target_stopped": "administrator",
    "server_failed": "administrator", "server_restored": "administrator",
    # it mends itself, or has
    "connected": "nobody", "connection_restored": "nobody", "reconnecting": "nobody", "responding": "nobody",
    "recovery_planned": "nobody", "recovery_started": "nobody", "recovery_progress": "nobody",
    "recovery_ended": "nobody", "child_up": "nobody", "quorum_restored": "nobody", "healing_started": "nobody",
    "healing_ended": "nobody", "node_joined": "nobody", "task_resumed": "nobody", "link_up": "nobody",
    "messages_skipped": "nobody",
    # a message of no kind that is known here
    "other": "unknown",
}  # fmt: skip
"""Who can act on what happened; every event of the contract has its line here."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of message.

    Parameters
    ----------
    event : str
        What it says happened.
    severity : str
        How bad that is, where the log does not say so itself.
    word : str
        Literal text that every message of the kind holds, so that others are passed over quickly.
    pattern : str
        Regular expression; its groups are names of the contract.
    """

    event: str
    severity: str
    word: str
    pattern: re.Pattern[str]


def kind(event: str, severity: str, word: str, pattern: str = "") -> Kind:
    """Make a kind; without a pattern its word is all that is looked for."""
    return Kind(event, severity, word, re.compile(pattern or re.escape(word)))


def find(kinds: Sequence[Kind], text: str) -> tuple[Kind, re.Match[str]] | None:
    """Return the first kind that a text is of."""
    text = text[:READ]
    for one in kinds:
        if one.word in text and (match := one.pattern.search(text)):
            return one, match
    return None


def values(match: re.Match[str]) -> Iterator[tuple[str, str | float]]:
    """What a message says, by the groups of its pattern; times as ``m:ss`` become seconds."""
    for name, text in match.groupdict().items():
        if text is None or text == "":
            continue
        if name == "target":
            yield name, _IMPORT.sub("", text)
        else:
            yield name, text if schema.is_text(name) else seconds(text)


_IMPORT = re.compile(r"-(?:osc|mdc|osp|lwp|mgc|lov|clilov)\b.*")
"""What Lustre adds to the name of a target to name a client's end of the connection to it."""


def numbers(match: re.Match[str]) -> list[str]:
    """Names of the groups that hold a number."""
    return [name for name, text in match.groupdict().items() if text and not schema.is_text(name)]


def seconds(text: str) -> float:
    """Read a count, or a duration as ``53``, ``0:53`` or ``1:02:03``."""
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part or 0)
    return total


_ADDRESS = re.compile(r"\[0x[0-9a-f]{6,}\]|\w\.(?:c|h|cc):\d+:\w")
_CODE = re.compile(r"\brc\s?[=:]?\s?-?\d|\berror -\d+|failed (?:with )?-\d+|\bret=-?\d+|\bstatus -\d+")


def legibility(text: str, code: str) -> str:
    """Say what it takes to understand a message: its words alone, a table of codes, or the source it points into."""
    if _ADDRESS.search(text[:READ]):
        return "source"
    return "code" if code or _CODE.search(text) else "plain"


def shortened(text: str) -> str:
    """Return a message in one line, cut where it gets long."""
    text = " ".join(text[:READ].split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def happened(event: str, text: str, code: str = "", trace: str = "") -> Row:
    """Begin the row of an event with what every event has; a backtrace goes into its legibility alone."""
    return {
        "event": event,
        "event_class": EVENT_CLASS[event],
        "legibility": legibility(trace or text, code),
        "message": shortened(text),
    }
