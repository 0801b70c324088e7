"""What a command answers: lines for people, or one shape of JSON for programs, the same for every command.

The JSON is one object: what holds of the whole answer by name, ``rows`` (a list of objects, numbers in SI), and
``said``: what went to standard error, a line each. Where a command ends before it has an answer, there are no rows, and
``said`` tells why; the exit status is that without ``--json``. A wrong usage is told on standard error alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
import typer

from storagelab.cli import console

Row = Mapping[str, Any]


@dataclass(slots=True)
class _Call:
    """One call of the command line: whether JSON was asked for, and given."""

    asked: bool = False
    given: bool = False


_CALL = _Call()


def _ask(wanted: bool) -> bool:
    _CALL.asked = wanted
    return wanted


AsJson = Annotated[bool, typer.Option("--json", callback=_ask, help="JSON instead of a table, for programs.")]
"""The option of every command that prints a table."""


def begin() -> None:
    """Forget an earlier call in the same process."""
    _CALL.asked = _CALL.given = False
    console.WARNINGS.clear()


def end() -> None:
    """Give who asked for JSON an object without rows, if a command ended with a complaint and without an answer."""
    if _CALL.asked and not _CALL.given and console.WARNINGS:
        print(text([]), end="")


def give(rows: Iterable[Row], lines: Iterable[str], *, as_json: bool, **about: Any) -> None:
    """Print an answer.

    Parameters
    ----------
    rows : iterable of mapping
        What the answer lists.
    lines : iterable of str
        The same for people.
    as_json : bool
        Whether the rows are printed, and not the lines.
    **about
        What holds of the whole answer.
    """
    if as_json:
        print(text(rows, **about), end="")
    else:
        for line in lines:
            print(line)


def text(rows: Iterable[Row], **about: Any) -> str:
    """Write an answer as JSON, with what was said so far."""
    _CALL.given = True
    whole = {**about, "rows": list(rows), "said": console.WARNINGS}
    made = orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY).decode()
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", made) + "\n"


_CONTROL = re.compile(r"[\x7f-\x9f]")
"""Control characters that JSON need not escape, and a terminal must not see."""
