"""Phases that elbencho's command asks for, held against those that were printed (Coordinator.cpp, runBenchmarks)."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Mapping

from storagelab.parsers.model import Parsed
from storagelab.parsers.shell import words_of

_PHASES: Mapping[str, tuple[str, frozenset[str]]] = {
    "--mkdirs": ("d", frozenset({"directory_create"})),
    "--write": ("w", frozenset({"write", "mixed_workload", "transmit"})),
    "--stat": ("", frozenset({"file_stat"})),
    "--read": ("r", frozenset({"read"})),
    "--delfiles": ("F", frozenset({"file_remove"})),
    "--deldirs": ("D", frozenset({"directory_remove"})),
}
"""Option -> its short form, and the operations that its phase may be; a mix of both is a write that reads."""
_FLAGS = "".join(flag for flag, _ in _PHASES.values())
_ENDS_EARLY = ("--timelimit", "--dryrun")
"""With these a command may run fewer phases than it asks for."""
_NO_DIRECTORIES = ("-n0", "-n 0", "--dirs 0", "--dirs=0")


class Asked:
    """Phases by the command of which they are one."""

    def __init__(self) -> None:
        self._seen: dict[str, Counter[str]] = defaultdict(Counter)
        self._lines: dict[str, int] = {}

    def command(self, command: str, at: int) -> None:
        """Take a command, which asks for phases whether any was printed or not."""
        if command:
            self._lines.setdefault(command, at)

    def phase(self, command: str, operation: str, at: int) -> None:
        """Take a phase that was printed."""
        self.command(command, at)
        self._seen[command][operation] += 1

    def say_what_lacks(self, parsed: Parsed) -> None:
        """Mark a log incomplete in which a command has fewer phases of one kind than it asks for, or than of another.

        Each time that a command is run, and in each of its iterations, all its phases are run.
        """
        for command, at in self._lines.items():
            seen = self._seen[command]
            counts = {option: sum(seen[one] for one in _PHASES[option][1]) for option in phases_asked(command)}
            times = max(counts.values(), default=0) or 1
            for option, count in counts.items():
                if count < times:
                    parsed.incomplete(
                        f"expected as many phases of {option} as the command asks for ({times}), found {count}", at
                    )


@functools.lru_cache(maxsize=256)
def phases_asked(command: str) -> tuple[str, ...]:
    """Return the options of a command that ask for a phase each, in their long form.

    Several short ones may stand behind one dash.

    Examples
    --------
    >>> phases_asked("elbencho -wr -t 2 --stat /mnt/f")
    ('--write', '--stat', '--read')
    """
    words = words_of(command.rstrip("\\ "))
    joined = " ".join(words)
    if any(word.partition("=")[0] in _ENDS_EARLY for word in words):
        return ()
    flags = {flag for word in words if _is_of_flags(word) for flag in word[1:]}
    has_directories = not any(f" {option} " in f" {joined} " for option in _NO_DIRECTORIES)
    return tuple(
        option
        for option, (flag, _) in _PHASES.items()
        if (option in words or (flag and flag in flags)) and (has_directories or "dirs" not in option)
    )


def _is_of_flags(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and not word[1:].strip(_FLAGS)
