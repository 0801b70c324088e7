"""The damage that logs take on their way, and what a parser may make of it: for the tests of anybody's format.

`check_format` takes a parser and a whole log, and raises AssertionError where the parser is wrong. `CHECKS` names what
it looks at, so that a test has a case each::

    @pytest.mark.parametrize("check", storagelab.testing.CHECKS)
    def test_my_format(check: str) -> None:
        storagelab.testing.check_format(my_format, LOG.read_text(), check)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from storagelab import parsers
from storagelab.errors import ParseError, UnknownNameError
from storagelab.parsers.harmless_text import pass_through
from storagelab.parsers.model import Parsed, Parser
from storagelab.parsers.wrapping.unwrapping import Reader
from storagelab.testing.damage import (
    DAMAGES,
    Damage,
    alike,
    crlf,
    cuts_between_lines,
    cuts_inside_lines,
    decimal_commas,
    two_logs,
)
from storagelab.testing.damage_checks import Parse, Whole, check_cut, check_no_silent_loss, check_same, survive

__all__ = [
    "CHECKS",
    "DAMAGES",
    "Damage",
    "Parse",
    "Whole",
    "alike",
    "check_cut",
    "check_format",
    "check_no_silent_loss",
    "check_same",
    "crlf",
    "cuts_between_lines",
    "cuts_inside_lines",
    "decimal_commas",
    "survive",
    "two_logs",
]


def _is_read(parse: Parse, whole: Whole) -> None:
    """A whole log gives rows whose lines are in it, and is called complete."""
    parsed = whole.parsed
    assert parsed, f"the log is refused: {_refusal(parse, whole.text)}"
    rows = [*parsed.runs, *parsed.clients]
    assert rows or parsed.series, "the log gives no row"
    lines = whole.text.count("\n") + 1
    outside = [row["line"] for row in rows if not 1 <= row["line"] <= lines]
    assert not outside, f"rows stand on lines {outside[:3]} of a log with {lines}"
    assert parsed.complete, f"the log is called incomplete: {'; '.join(note.text for note in parsed.notes)}"


def _refusal(parse: Parse, text: str) -> str:
    try:
        parse(text)
    except ParseError as error:
        return str(error)
    return ""


def _is_alone(parse: Parse, whole: Whole) -> None:
    """What is no log of the format is refused, by an error that says what was expected."""
    for text in ("", "\n", "\x00" * 100, "no log of any tool\n"):
        assert survive(parse, text) is None, f"{text[:20]!r} is read as a log"


def _cut_between_lines(parse: Parse, whole: Whole, endless: bool) -> None:
    for text in cuts_between_lines(whole.text):
        check_cut(parse, whole, text, endless=endless)


def _cut_inside_numbers(parse: Parse, whole: Whole) -> None:
    for text in cuts_inside_lines(whole.text, count=150):
        check_cut(parse, whole, text)


def _recognised(parser: Parser, text: str, name: str) -> None:
    """Of all formats this one claims the log, and no other does."""
    try:
        found = Reader((*_others(parser), parser)).recognise(text, name).FORMAT.name
    except ParseError as error:
        raise AssertionError(f"the log is not recognised: {error}") from error
    assert found == parser.FORMAT.name, f"the log is taken for one of {found}"


def _others(parser: Parser) -> list[Parser]:
    return [other for other in parsers.PARSERS if other.FORMAT.name != parser.FORMAT.name]


def _damaged(damage: Damage) -> Callable[[Parse, Whole], None]:
    return lambda parse, whole: check_no_silent_loss(parse, whole, damage(whole.text))


READ: Mapping[str, Callable[[Parse, Whole], None]] = {
    "read": _is_read,
    "refused": _is_alone,
    "cut inside numbers": _cut_inside_numbers,
    "crlf": lambda parse, whole: check_same(parse, whole, crlf(whole.text)),
    **{name.replace("_", " "): _damaged(damage) for name, damage in DAMAGES.items()},
}
RECOGNISED, CUT = "recognised", "cut between lines"
CHECKS = (RECOGNISED, CUT, *READ)
"""What `check_format` can look at, by name."""


def check_format(parser: Parser, text: str, check: str = "", *, name: str = "", endless: bool = False) -> None:
    """Hold a parser against a whole log of its format, and against the damage that logs take.

    Parameters
    ----------
    parser : Parser
        A module (or object) with FORMAT, sniff and parse. It need not be installed.
    text : str
        A whole log.
    check : str, optional
        One of `CHECKS`; by default all of them.
    name : str, optional
        File name of the log, where its content alone does not say what was measured.
    endless : bool
        Whether the tool prints nothing by which one sees that its log ends: then a log cut between two lines may be
        called whole.

    Raises
    ------
    AssertionError
        If the parser hangs, raises anything but ParseError, gives a number that the log lacks, or calls whole what is
        not; says which.
    UnknownNameError
        If there is no such check.

    Examples
    --------
    >>> import my_ioping  # doctest: +SKIP
    >>> check_format(my_ioping, Path("ioping.log").read_text(), "cut between lines")  # doctest: +SKIP
    """
    if check and check not in CHECKS:
        raise UnknownNameError("check", check, CHECKS)

    def parse(text: str) -> Parsed:
        with suppress(ParseError):
            parser.parse(text)  # any other error is a mistake, of which reading a log makes a refusal
        return pass_through(Reader(_others(parser)).read(text, name, parser)[1])

    whole = Whole(parse, text)
    for one in [check] if check else CHECKS:
        if one == RECOGNISED:
            _recognised(parser, text, name)
        elif one == CUT:
            _cut_between_lines(parse, whole, endless)
        else:
            READ[one](parse, whole)
