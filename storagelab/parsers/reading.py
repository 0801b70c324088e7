"""One text read by one parser: its numbers told with their lines, what it holds against itself."""

from __future__ import annotations

from storagelab.errors import ParseError
from storagelab.parsers.consistency import hold
from storagelab.parsers.model import Parsed, Parser, check
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
    with reading(text) as log:
        try:
            parsed = check(parser.parse(text))
        except NumberError as error:
            raise ParseError(error.expected, error.text, log.line_of(error.text)) from None
    for found, doubt in log.doubtful.items():
        parsed.incomplete(str(doubt), log.line_of(found))
    return hold(parsed, text, parser.FORMAT.name)
