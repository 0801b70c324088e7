"""What a parser may make of damaged text; AssertionError where it is wrong.

Parsers come as functions, so that a test can hand in a bad one.
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from types import FrameType

from storagelab import schema
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Row

Parse = Callable[[str], Parsed]

SECONDS = 300.0
"""CPU seconds after which a parser hangs: a thousand times what the slowest takes, so that no machine decides it."""

END_MARKS = (
    "iozone test complete.",
    "-- finished at",
    "Finished            : ",
    "Run finished: ",
    "; END ",
    "[SCORE",
    "</FrameworkJobReport>",
)
"""What tools print when they are done; a log that lost one of these is not whole, even if no number is missing."""


def survive(parse: Parse, text: str) -> Parsed | None:
    """Return what the parser gives, or None for a ParseError; nothing else may come, and something must.

    Parameters
    ----------
    parse : callable
        Reads the text of a log, and gives a `Parsed`.
    text : str
        A damaged log.

    Returns
    -------
    Parsed or None
        What was read.

    Raises
    ------
    AssertionError
        If another error is raised, or the parser returns nothing that was measured.
    """

    def too_late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"the parser hangs: no answer after {SECONDS} CPU seconds")

    before = signal.signal(signal.SIGVTALRM, too_late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return parse(text)
    except (ParseError, AssertionError) as error:
        if isinstance(error, AssertionError):
            raise
        return None
    except Exception as error:
        raise AssertionError(f"the parser raises {type(error).__name__}: {error}") from error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class Whole:
    """An undamaged text and what the parser makes of it, read once for all that is compared with it."""

    def __init__(self, parse: Parse, text: str) -> None:
        self.text, self.parsed = text, survive(parse, text)

    @cached_property
    def values(self) -> set[tuple[str, float]]:
        """Its numbers."""
        return values(self.parsed) if self.parsed else set()

    @cached_property
    def records(self) -> Counter[str]:
        """Its header, rows and columns."""
        return records(self.parsed) if self.parsed else Counter()


def check_cut(parse: Parse, whole: Whole, cut: str, endless: bool = False) -> None:
    """A cut log gives no number that the whole one lacks, and is not passed off as whole.

    It is passed off as whole if it is called complete although its rows or its header differ from the whole log's, or
    although it lost one of the `END_MARKS`. Formats without any end are excused where the cut is between two lines.

    Parameters
    ----------
    parse : callable
        Reads the text of a log, and gives a `Parsed`.
    whole : Whole
        The log before it was damaged.
    cut : str
        Its text up to the cut.
    endless : bool, optional
        Whether the format has no end, and the cut is between lines.

    Raises
    ------
    AssertionError
        If it is not so.
    """
    rest = survive(parse, cut)
    if whole.parsed is None or rest is None:
        return
    invented = values(rest) - whole.values
    assert not invented, f"numbers that the whole log does not have: {sorted(invented)[:3]}"
    if rest.complete and not endless:
        assert records(rest) == whole.records, "a cut log is passed off as whole: rows or header are missing"
        lost = [mark for mark in END_MARKS if cut.count(mark) < whole.text.count(mark)]
        assert not lost, f"a cut log is passed off as whole: {lost} is missing"


def check_same(parse: Parse, whole: Whole, damaged: str) -> None:
    """Damage that loses nothing changes nothing.

    Parameters
    ----------
    parse : callable
        Reads the text of a log, and gives a `Parsed`.
    whole : Whole
        The log before it was damaged.
    damaged : str
        Its damaged text.

    Raises
    ------
    AssertionError
        If it is not so.
    """
    rest = survive(parse, damaged)
    assert (whole.parsed is None) == (rest is None), "one of the two is refused"
    if whole.parsed and rest:
        assert records(rest) == whole.records, "the rows or the header differ"
        assert rest.complete == whole.parsed.complete, "one of the two is called complete"


def check_no_silent_loss(parse: Parse, whole: Whole, damaged: str) -> None:
    """Damaged text gives no number that the whole one lacks; if it is called complete, it has all of them.

    Parameters
    ----------
    parse : callable
        Reads the text of a log, and gives a `Parsed`.
    whole : Whole
        The log before it was damaged.
    damaged : str
        Its damaged text.

    Raises
    ------
    AssertionError
        If it is not so.
    """
    rest = survive(parse, damaged)
    if whole.parsed is None or rest is None:
        return
    invented = values(rest) - whole.values
    assert not invented, f"numbers that the undamaged log does not have: {sorted(invented)[:3]}"
    if rest.complete:
        missing = whole.values - values(rest)
        assert not missing, f"a damaged log is called complete, but lost {sorted(missing)[:3]}"


def values(parsed: Parsed) -> set[tuple[str, float]]:
    """Every number of a log with its name; places (lines, part) apart."""
    rows = [parsed.header, *parsed.runs, *parsed.clients]
    columns = [(name, value) for name, column in parsed.series.items() for value in column]
    pairs = [*(item for row in rows for item in row.items()), *columns]
    return {(name, value) for name, value in pairs if name not in _PLACES and _is_number(value)}


_PLACES = frozenset({"line", "part", "log_id", *schema.VALUE_AT, *schema.LOG_OF.values()})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and value == value


def records(parsed: Parsed) -> Counter[str]:
    """Header, rows and columns as text, to be compared with NaN equal to NaN."""
    rows = [("runs", row) for row in parsed.runs] + [("clients", row) for row in parsed.clients]
    named = [f"{node} {_sorted(row)}" for node, row in rows]
    columns = [f"series {name} {list(column)}" for name, column in parsed.series.items()]
    return Counter([f"header {_sorted(parsed.header)}", *named, *columns])


def _sorted(row: Row) -> list[tuple[str, object]]:
    return sorted(row.items())
