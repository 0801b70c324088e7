"""Pages of a report: the lines under a heading up to an empty one."""

from __future__ import annotations

from collections.abc import Sequence


class Pages:
    """The lines of a report, of which each page is split into words once, however many headings it has."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._end = 0

    def under(self, heading: int) -> list[list[str]]:
        """Return the words of the lines behind a heading, up to an empty line; nothing of a page that was asked for.

        Parameters
        ----------
        heading : int
            Number of the heading's line, from 1.
        """
        if heading < self._end:
            return []
        try:
            self._end = self._lines.index("", heading)
        except ValueError:
            self._end = len(self._lines)
        return [line.split() for line in self._lines[heading : self._end]]
