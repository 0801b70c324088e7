"""What launchers put in front of a line: the rank, the host or the stream it came from.

``srun --label`` prints ``190: line``, Open MPI's ``--tag-output`` prints ``[1,0]<stdout>:line``, parallel shells print
``host: line``, and reports quote a log with indentation, ``>`` or ``|``.
"""

from __future__ import annotations

import re

_LABEL = re.compile(r"(?:\[[^\]\s]{1,80}\](?:<\w{1,10}>)?:?|[\w.-]{1,80}:)[ \t]?")
_QUOTES = " \t>|"


def without_label(line: str) -> str:
    """Take one label, and what quotes or indents the line, away; a line without any comes back stripped.

    Examples
    --------
    >>> without_label("190: write     355.34")
    'write     355.34'
    """
    label = _LABEL.match(line)
    return (line[label.end() :] if label else line).lstrip(_QUOTES)


def unquoted(line: str) -> str:
    """Take away what quotes or indents a line."""
    return line.lstrip(_QUOTES)
