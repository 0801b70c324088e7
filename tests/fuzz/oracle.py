"""What must hold of any text at all: rows that obey the contract, or a ParseError that no mistake caused."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from storagelab import parsers, schema, testing
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed
from storagelab.parsers.wrapping.unwrapping import Reader
from tests import damage
from tests.fuzz import mutants


def faults(text: str, name: str, format: str) -> list[str]:
    """Say what is wrong with what is made of a text by whoever claims it, and by the parser of a format.

    Where that parser alone claimed the text, it has read it, and is not asked again. What is read in one step is read
    line by line too.
    """
    said, claimed = _tried(text, name)
    others = [_tried(text, name, format)[0]] if claimed != format else []
    return list(dict.fromkeys(filter(None, [said, *others, read_otherwise(text, name)])))


def read_otherwise(text: str, name: str) -> str:
    """Say where an ordinary log (`storagelab.parsers.fast_path`) is not read as its parser reads it line by line."""
    at_once, line_by_line = _readers()
    if at_once._read_at_once(text, name, None) is None:
        return ""
    found, expected = (_all_of(reader, text, name) for reader in (at_once, line_by_line))
    if found == expected:
        return ""
    at = next(
        place for place, (one, other) in enumerate(zip(f"{found} ", f"{expected} ", strict=False)) if one != other
    )
    return f"read in one step: {found[at : at + 80]!r}, line by line: {expected[at : at + 80]!r}"


@cache
def _readers() -> tuple[Reader, Reader]:
    at_once, line_by_line = Reader(parsers.PARSERS), Reader(parsers.PARSERS)
    line_by_line._ordinary = []
    return at_once, line_by_line


def _all_of(reader: Reader, text: str, name: str) -> str:
    """Everything that is read of a log, the order of names included, or why it is refused."""
    try:
        format, parsed = reader.read(text, name)
    except ParseError as error:
        return str(error)
    series = {name: list(column) for name, column in parsed.series.items()}
    rows = [list(parsed.runs), list(parsed.clients), parsed.events]
    return repr((format.name, parsed.header, rows, series, parsed.notes, parsed.complete))


def fault(text: str, name: str = "", format: str = "") -> str:
    """Say what is wrong with what a parser makes of a text, "" where nothing is."""
    return _tried(text, name, format)[0]


def _tried(text: str, name: str = "", format: str = "") -> tuple[str, str]:
    """Return what is wrong, and the format that the text was read as."""
    try:
        found, parsed = parsers.read(text, format, name)
    except ParseError as error:
        return mistake(error), ""
    except MemoryError:
        raise
    except RecursionError as error:
        return f"RecursionError: {error}", ""
    except Exception as error:
        return f"{type(error).__name__}: {error!s:.200}", ""
    return broken(parsed), found.name


def mistake(error: ParseError) -> str:
    """Say which mistake of a parser caused a refusal, "" where the log did."""
    cause = error.__cause__
    return f"{error.found}" if cause is not None and not isinstance(cause, ParseError) else ""


def broken(parsed: Parsed) -> str:
    """Say which value breaks the contract: text where a number belongs, or the other way round, or no number at all."""
    rows = [parsed.header, *parsed.runs, *parsed.clients, *parsed.events]
    pairs = [*(item for row in rows for item in row.items())]
    pairs += [(name, value) for name, column in parsed.series.items() for value in column]
    for name, value in pairs:
        if isinstance(value, str) != schema.is_text(name):
            return f"{name} is {value!r:.60}"
        if not isinstance(value, str):
            try:
                float(value)
            except (OverflowError, TypeError, ValueError):
                return f"{name} is {value!r:.60}, which is no number of 8 bytes"
    return ""


@cache
def whole(log: Path) -> testing.Whole:
    """Return an undamaged log with what a parser makes of it: read once in a process and those forked from it."""
    format = log.parent.name.replace("_", "-")
    return testing.Whole(lambda text: parsers.parse(text, format, log.name), mutants.read(log))


def fault_of_cut(log: Path, text: str) -> str:
    """Say what is wrong with what a parser makes of a cut log: numbers invented, or rows lost in silence."""
    format = log.parent.name.replace("_", "-")
    between = not text or text.endswith("\n")
    endless = log.parent.name in damage.ENDLESS and between
    try:
        testing.check_cut(lambda part: parsers.parse(part, format, log.name), whole(log), text, endless=endless)
    except AssertionError as error:
        return str(error)
    return ""
