"""One transfer while its prints come in, and what it is in the end."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from storagelab.parsers.model import Row
from storagelab.parsers.transfers.xrdcp.progress import Print
from storagelab.parsers.values_on_several_lines import on, settled

DONE = 1.0


@dataclass(slots=True)
class Transfer:
    """A file that xrdcp copies.

    Attributes
    ----------
    operation, file : str
        Which way it goes, and the URL on the server where the log names it.
    job : int
        Its number among the files of one command; 0 where it is the only one.
    prints : list of Print
        What the bar showed.
    said : Row
        What was said behind the bar: exact bytes, times, the old client's summary.
    ended : bool
        Whether the line with the bar has ended.
    confirmed : bool
        Whether anything but an error message stood behind it.
    error : str
        The message with which it failed.
    """

    operation: str
    file: str = ""
    job: int = 0
    prints: list[Print] = field(default_factory=list)
    said: Row = field(default_factory=dict)
    line: int = 0
    ended: bool = False
    confirmed: bool = False
    error: str = ""
    error_code: int = 0

    def is_done(self) -> bool:
        """Whether the last print says that all bytes are there."""
        return bool(self.prints and self.prints[-1].progress >= DONE) or "data_size" in self.said

    def is_open(self) -> bool:
        """Whether its bar may go on: the line has not ended, or it shares a line with others and is not done."""
        return not self.ended or bool(self.prints and self.prints[-1].job and not self.is_done())

    def moved_nothing(self) -> bool:
        """Whether it ended with no byte, as failures and empty files do."""
        return "data_size" not in self.said and bool(self.prints) and self.prints[-1].done == 0

    def is_result(self) -> bool:
        """Whether it is known to have succeeded."""
        return not self.error and self.ended and self.is_done() and (self.confirmed or not self.moved_nothing())

    def row(self) -> Row:
        """Return its row of ``runs``: the last print, or that it failed; empty where it did not get that far."""
        values = self._failure() if self.error else self._result() if self.is_result() else {}
        keys: Row = {"operation": self.operation}
        if self.file:
            keys["file"] = self.file
        return settled(keys | values | {"line": self.line}) if values else {}

    def _failure(self) -> Row:
        values: Row = {"errors": 1.0}
        if self.error_code:
            values["error_code"] = float(self.error_code)
        return values

    def _result(self) -> Row:
        """Values of the last print and what was said behind it; empty where there is nothing but that it is done."""
        measured: Row = on(self.prints[-1].line, _measured(self.prints[-1])) if self.prints else {}
        values = measured | self.said
        return {"progress": DONE, **values} if values else {}

    def samples(self) -> list[Row]:
        """Return what the bar showed on the way as rows of ``series``: all but the print that is the result."""
        shown = self.prints[:-1] if self.is_result() else self.prints
        return [
            {"operation": self.operation, "progress": one.progress, **_measured(one), "line": one.line} for one in shown
        ]


def _measured(one: Print) -> Row:
    """Values of a print; a speed of 0 means that the first second is not over."""
    values: Row = {}
    if 0 < one.speed < math.inf:
        values["throughput"] = one.speed
    if not math.isnan(one.done):
        values["data_size"] = one.done
    return values
