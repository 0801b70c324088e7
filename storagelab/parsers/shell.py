"""Words of a command as a shell takes them apart."""

from __future__ import annotations

import shlex

_LONGEST = 20_000
"""shlex takes seconds over a line of a megabyte."""


def words_of(command: str) -> list[str]:
    """Return the words of a command without their quotes; those between blanks where a quote is not closed.

    Examples
    --------
    >>> words_of("dd of='a file' bs=1M"), words_of("dd of='a file")
    (['dd', 'of=a file', 'bs=1M'], ['dd', "of='a", 'file'])
    """
    try:
        return shlex.split(command) if len(command) < _LONGEST else command.split()
    except ValueError:
        return command.split()
