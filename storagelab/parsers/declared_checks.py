"""What a format declares that its logs can be held against: lines, rates, means and samples that belong together.

`consistency` holds each log against what `Format.checks` of its format says. Lines that are printed together are those
that the same statements of the tool's source print, in all versions that the format names; what depends on options or
versions is not among them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple


class Line(NamedTuple):
    """A line that is counted.

    Attributes
    ----------
    shown : str
        How it is shown.
    pattern : str
        The regular expression by which it is known.
    literal : str
        What stands wherever it is: text without this has no such line.
    begins : {"", "literal", "line", "key", "option"}
        Where the expression begins to match: at the literal, at the beginning of its line, or somewhere else; keys of
        JSON are counted all at once, and so are lines with a name and a colon.
    """

    shown: str
    pattern: str
    literal: str = ""
    begins: str = ""


def json_keys(*names: str) -> tuple[Line, ...]:
    """Return keys of JSON."""
    return tuple(Line(f'"{name}"', rf'"{name}"\s*:', f'"{name}"', "key") for name in names)


def line_starts(*names: str) -> tuple[Line, ...]:
    """Return lines that begin so, blanks apart."""
    return tuple(Line(name, rf"(?m:^[ \t\r]*){word(name)}", name, "line") for name in names)


def options(*names: str) -> tuple[Line, ...]:
    """Return lines of a list of options, with a colon or an equals sign behind the name."""
    return tuple(Line(name, rf"(?m:^[ \t]*){re.escape(name)} *[:=]", name, "option") for name in names)


def words(*names: str) -> tuple[Line, ...]:
    """Return words anywhere in a line, behind whatever a launcher or a logger puts there."""
    return tuple(Line(name, word(name), name, "literal") for name in names)


def words_above(*pairs: tuple[str, str]) -> tuple[Line, ...]:
    """Return words with others in the next line."""
    return tuple(
        Line(
            f"{name} above {next}",
            rf"{re.escape(name)}(?=(?:(?!{re.escape(name)}).)*\n.*{re.escape(next)})",
            name,
            "literal",
        )
        for name, next in pairs
    )


def word(name: str) -> str:
    """Return the expression of words that end where they do: "read" is not in "reads"."""
    return re.escape(name) + (r"(?![\w-])" if name[-1].isalnum() else "")


class Agreement(NamedTuple):
    """How far amount over time may be from the printed rate: a share of it, and what the last digits leave open.

    That is half of the last digit where a tool rounds, and all of it where it cuts; `size` is that of bytes.
    """

    share: float
    seconds: float = 0.0
    rate: float = 0.0
    size: float = 0.0
    statistic: str = ""
    """Rows of which statistic are asked, where not all: a mean rate and a mean time are no pair."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What the logs of a format can be held against.

    Attributes
    ----------
    together : tuple of tuple of Line
        Lines that the tool prints as often as each other: where one of them is missing, a piece of the log was lost.
    alike : tuple of tuple of Line
        Lines that the tool prints as often as each other, or not at all: options leave them out.
    below : tuple of tuple of Line
        A line, and others that the tool prints once below it: where the first stands, each of the others does too. An
        excerpt that begins later may have any of them.
    other_names : str
        A regular expression of logs whose lines have other names, as in another language: none is counted there.
    whole_lines : tuple of Line
        Lines that begin so and have one form: one that has another lost a piece, or is made of two.
    rates : Agreement, optional
        How well amount, time and rate agree, where the tool prints all three of one span.
    means : bool
        Whether it prints lowest, mean and highest of the same repetitions.
    sums : bool
        Whether it prints the mean of processes and their sum.
    pauses : str
        Why its series may have holes; "" where they may not.
    lacking_samples : str
        Why an item (interface, disk, host) may lack a sample that others have; "" where it may not.
    of_events : str
        Name of a value that samples of single events alone have: where it stands, none is missing where others are.
    once : bool
        Whether each counter of an item stands there once at each time: a second one is below a heading that is lost.
    broken_json : bool
        Whether the tool prints JSON that is none, or several documents with other lines between them.
    numbers_aside : tuple of str
        Regular expressions that are found in lines which have rows of numbers and no results: what the log says
        elsewhere too, or what was not measured.
    """

    together: tuple[tuple[Line, ...], ...] = ()
    alike: tuple[tuple[Line, ...], ...] = ()
    below: tuple[tuple[Line, ...], ...] = ()
    other_names: str = ""
    whole_lines: tuple[Line, ...] = ()
    rates: Agreement | None = None
    means: bool = False
    sums: bool = False
    pauses: str = ""
    lacking_samples: str = ""
    of_events: str = ""
    once: bool = False
    broken_json: bool = False
    numbers_aside: tuple[str, ...] = ()


NOTHING = Checks()
"""Of a format that says nothing of the kind."""
