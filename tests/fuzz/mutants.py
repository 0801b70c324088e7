"""Logs as no tool wrote them: our fixtures, changed in ways that know what a log is made of.

A mutant is a function of its number alone: the same number gives the same text on every machine.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from storagelab.parsers.text import decode
from tests.conftest import fixture_logs

Mutator = Callable[[random.Random, str], str]
Make = Callable[[int], tuple[Path, str, str]]
LONGEST = 200_000
"""Characters of a mutant; a longer one is cut."""

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_WORD = re.compile(r"\S+")
_JSON_VALUE = re.compile(r'(?<=: )(?:"[^"\n]*"|-?\d[\d.eE+-]*|true|false|null|\[\]|\{\})')
_JSON_KEY = re.compile(r'"[^"\n]*"\s*:[^\n]*\n')

EXTREMES = (
    *("0", "-1", "-0.0", "1e999", "-1e999", "nan", "inf", "9" * 20, "9" * 400, "9" * 5000, "0." + "0" * 400 + "1"),
    *("1,234,567", "1_000", "٣", "²", "0x10", "1e-400", "4294967296", "18446744073709551616", "", "-", ".", "1.2.3"),
    *("253402300800", "-62135596801", "00:00:00", "99:99:99", "12:60", "2026-02-30", "\ufffd", "*", "?"),
)
JSON_VALUES = (
    *("null", "true", "[]", "{}", '""', "0", "-1", "1e999", '"text"', "[[]]", '[{"a": 1}]', '{"a": {}}', "9" * 400),
    *('"\\ud800"', "[" * 300 + "]" * 300, '{"a":' * 300 + "1" + "}" * 300, "1.5", "[1, 2, 3]", "NaN", '"1,5"'),
)
ODD = (
    "\0",
    "\t" * 50,
    " " * 300,
    "\r",
    "\x1b[31m",
    "\u202e",
    "\ufeff",
    "\u00a0",
    "é",
    "\u2028",
    "%s",
    "\\",
    '"',
    "<",
    "&",
)


@cache
def texts() -> Sequence[Path]:
    """Fixtures that mutants are made of; those that are no text are left to the library that reads them."""
    return fixture_logs()


@cache
def read(log: Path) -> str:
    return decode(log.read_bytes())[0]


def mutant(seed: int) -> tuple[Path, str, str]:
    """Return the fixture of a mutant, what was done to it, and its text."""
    logs = texts()
    draw = random.Random(seed)
    log = logs[seed % len(logs)]
    text, done = read(log), []
    for _ in range(draw.choice((1, 1, 1, 2, 3, 5))):
        name = draw.choice(list(MUTATORS))
        text = MUTATORS[name](draw, text)[:LONGEST]
        done.append(name)
    return log, "+".join(done), text


def cut(seed: int) -> tuple[Path, str, str]:
    """Return a fixture that ends too early: after any of its characters, most often within a number."""
    logs = texts()
    draw = random.Random(seed)
    log = logs[seed % len(logs)]
    text = read(log)
    inside = [found.start() + 1 for found in re.finditer(r"\d[\d.,]*\d", text)]
    at = draw.choice(inside) if inside and draw.random() < 0.5 else draw.randrange(len(text) + 1)
    return log, f"cut at {at}", text[:at]


# --- mutators -------------------------------------------------------------------------------------------------------


def numbers(draw: random.Random, text: str) -> str:
    """Set numbers to extremes."""
    return _replaced(draw, text, _NUMBER, EXTREMES)


def every_number(draw: random.Random, text: str) -> str:
    """Set all numbers of one value to an extreme, as far as a mutant reaches."""
    found = _NUMBER.findall(text)
    if not found:
        return text
    number, extreme = draw.choice(found), draw.choice(EXTREMES)
    return text.replace(number, extreme, LONGEST // max(len(extreme), 1) + 1)


def fields(draw: random.Random, text: str) -> str:
    """Swap two fields of a line."""
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    spans = [word.span() for word in _WORD.finditer(lines[at])]
    if len(spans) < 2:
        return text
    (a, b), (c, d) = sorted(draw.sample(spans, 2))
    line = lines[at]
    lines[at] = line[:a] + line[c:d] + line[b:c] + line[a:b] + line[d:]
    return "\n".join(lines)


def dropped_field(draw: random.Random, text: str) -> str:
    return _replaced(draw, text, _WORD, ("",))


def swapped_lines(draw: random.Random, text: str) -> str:
    lines = text.split("\n")
    for _ in range(draw.randint(1, 4)):
        a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
    return "\n".join(lines)


def dropped_lines(draw: random.Random, text: str) -> str:
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    del lines[at : at + draw.choice((1, 1, 1, 2, 5, 20))]
    return "\n".join(lines)


def repeated_lines(draw: random.Random, text: str) -> str:
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    block = lines[at : at + draw.choice((1, 1, 2, 5, 20))]
    lines[at:at] = block * draw.choice((1, 2, 10))
    return "\n".join(lines)


def deleted_span(draw: random.Random, text: str) -> str:
    at = draw.randrange(len(text) + 1)
    return text[:at] + text[at + draw.choice((1, 2, 8, 64, 512, 4096)) :]


def zeroed_span(draw: random.Random, text: str) -> str:
    at, size = draw.randrange(len(text) + 1), draw.choice((1, 16, 512))
    return text[:at] + "\0" * len(text[at : at + size]) + text[at + size :]


def odd_characters(draw: random.Random, text: str) -> str:
    at = draw.randrange(len(text) + 1)
    return text[:at] + draw.choice(ODD) * draw.choice((1, 1, 3)) + text[at:]


def long_line(draw: random.Random, text: str) -> str:
    """Repeat a piece of a line within it."""
    at = draw.randrange(len(text) + 1)
    piece = text[at : at + draw.choice((1, 2, 5, 20))].replace("\n", " ")
    return text[:at] + piece * draw.choice((50, 500, 5000)) + text[at:]


def other_encoding(draw: random.Random, text: str) -> str:
    data = text.encode(draw.choice(("utf-16", "utf-8", "cp1252", "utf-32")), errors="replace")
    return decode(data)[0]


def flipped_bytes(draw: random.Random, text: str) -> str:
    data = bytearray(text.encode(errors="replace"))
    for _ in range(draw.randint(1, 20) if data else 0):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return decode(bytes(data))[0]


def splice(draw: random.Random, text: str) -> str:
    """Go on with the rest of another tool's log, between two lines of each."""
    other = read(draw.choice(texts())).split("\n")
    lines = text.split("\n")
    return "\n".join(lines[: draw.randrange(len(lines) + 1)] + other[draw.randrange(len(other)) :])


def other_head(draw: random.Random, text: str) -> str:
    """Put the first lines of another tool's log before this one's."""
    other = read(draw.choice(texts())).split("\n")
    return "\n".join([*other[: draw.randint(1, 8)], text])


def json_values(draw: random.Random, text: str) -> str:
    return _replaced(draw, text, _JSON_VALUE, JSON_VALUES)


def json_keys(draw: random.Random, text: str) -> str:
    """Say a key twice."""
    return _replaced(draw, text, _JSON_KEY, None)


def nested(draw: random.Random, text: str) -> str:
    at, depth = draw.randrange(len(text) + 1), draw.choice((10, 300, 3000))
    return text[:at] + draw.choice(("[", "{", "(", "<a>", '{"a":', "[[")) * depth + text[at:]


def words(draw: random.Random, text: str) -> str:
    """Put a word of the log in place of another."""
    found = _WORD.findall(text)
    return _replaced(draw, text, _WORD, found) if found else text


def _replaced(draw: random.Random, text: str, pattern: re.Pattern[str], values: Sequence[str] | None) -> str:
    """Replace one match, or a few, by one of some values; by itself twice where there are none."""
    found = [match.span() for match in pattern.finditer(text)]
    chosen = sorted(draw.sample(found, min(len(found), draw.choice((1, 1, 2, 8)))), reverse=True)
    for start, end in chosen:
        text = text[:start] + (draw.choice(values) if values else text[start:end] * 2) + text[end:]
    return text


MUTATORS: dict[str, Mutator] = {
    mutator.__name__: mutator
    for mutator in (
        *(numbers, every_number, fields, dropped_field, swapped_lines, dropped_lines, repeated_lines, deleted_span),
        *(zeroed_span, odd_characters, long_line, other_encoding, flipped_bytes, splice, other_head, json_values),
        *(json_keys, nested, words),
    )
}
