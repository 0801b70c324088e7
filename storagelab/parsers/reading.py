"""One text read by one parser: its numbers told with their lines, what it holds against itself."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

from storagelab.errors import ParseError, StoragelabError
from storagelab.parsers.consistency import hold
from storagelab.parsers.harmless_text import are_harmless
from storagelab.parsers.model import Format, Parsed, Parser, check, grouped
from storagelab.parsers.row_checks import are_plain, rates_fit, rows_are_in_order, rows_are_possible
from storagelab.parsers.sample_checks import no_sample_missing, no_sample_twice, shares_fit
from storagelab.parsers.text import reading
from storagelab.units import NumberError


def read_by(parser: Parser, text: str) -> Parsed:
    """Read a text by a parser, and hold the result against the contract and against the text.

    Raises
    ------
    ParseError
        If the text is not what the parser reads. A number that nobody can read, or that can be read in two ways, is
        told with its line.
    """
    with refused(parser.FORMAT), reading(text) as log:
        try:
            parsed = parser.parse(text)
        except NumberError as error:
            raise ParseError(error.expected, error.text, log.line_of(error.text)) from None
        for found, doubt in log.doubtful.items():
            parsed.incomplete(str(doubt), log.line_of(found))
        rows = grouped(parsed)
        hold(check(parsed, rows), text, parser.FORMAT.checks, rows)
        parsed.harmless = are_harmless(parsed.header, rows)
        return parsed


def is_sound(parsed: Parsed, format: Format) -> bool:
    """Whether an ordinary log (`fast_path`) has nothing that could be said against it, held against the contract."""
    said = len(parsed.notes)
    rows = grouped(parsed)
    check(parsed, rows)
    are_numbers = all(are_plain(table) for part in rows for table in part.tables)
    if not are_numbers:
        rows_are_possible(parsed, rows)
    rows_are_in_order(parsed, rows)
    rates_fit(parsed, format.checks, rows)
    if parsed.series:
        if format.checks.once:
            no_sample_twice(parsed)
        no_sample_missing(parsed, format.checks)
        shares_fit(parsed)
    parsed.harmless = are_harmless(parsed.header, rows, are_numbers=are_numbers)
    return len(parsed.notes) == said


@contextmanager
def refused(format: Format) -> Iterator[None]:
    """Refuse a log on which a parser makes a mistake: it must not hide other logs.

    The mistake is the cause of the error (``__cause__``): the fuzzer looks for it.
    """
    try:
        yield
    except (StoragelabError, OSError, MemoryError):
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {PurePath(frame.filename).name}:{frame.lineno}"
        found = f"{where}: a mistake in storagelab, please report it"
        raise ParseError(f"a log of {format.name} that can be read", found) from error
