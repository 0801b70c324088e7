"""What a log says twice, held against itself: one place for all formats, and one wording.

Nothing here changes a number. What cannot be true makes a log incomplete, what is odd is a note; each names the line,
the two numbers, and what was expected. `hold` makes all checks of a log that was read:

- text (`consistency`) ends where a line does, at no point of a number and before none of its decimals, and has no
  control characters: a zeroed sector leaves NUL bytes, an erased one bytes that are in no encoding;
- no dots stand below a sample, as where somebody left others out;
- samples are as far apart as the others of their series, and each item (interface, disk, processor) has one whenever
  the others of its table have;
- lowest <= mean <= highest, and percentiles rise;
- means, deviations and sums of repetitions or processes fit their lowest and highest (`mean_checks`);
- bytes over time are the rate, where the tool measures the three over the same span (`Checks.rates`).

Of a log as a whole, whatever tools speak in it, `unread` says where rows of numbers were not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import orjson

from storagelab.parsers.companion_lines import misshapen, missing, missing_below, missing_beside
from storagelab.parsers.declared_checks import Checks
from storagelab.parsers.mean_checks import means_fit
from storagelab.parsers.model import Grouped, Parsed, grouped
from storagelab.parsers.row_checks import rates_fit, rows_are_in_order, rows_are_possible
from storagelab.parsers.sample_checks import no_sample_missing, no_sample_twice, shares_fit
from storagelab.parsers.text import LEFT_OUT, is_left_out, line_at
from storagelab.parsers.unread_rows import lines_of_numbers


def hold(parsed: Parsed, text: str, checks: Checks, rows: Sequence[Grouped] | None = None) -> Parsed:
    """Hold a log that was read against itself, and say in its notes what does not fit; of a cut log no more is said.

    `rows` are its rows as `model.grouped` returns them, where they are there already.
    """
    rows = grouped(parsed) if rows is None else rows
    no_control_characters(parsed, text)
    no_foreign_digits(parsed, text)
    rows_are_possible(parsed, rows)
    no_blank_beginning(parsed, text)
    no_cut_number(parsed, text)
    no_shortened_number(parsed, text)
    no_sample_left_out(parsed, text)
    if parsed.complete:
        rows_are_in_order(parsed, rows)
        rates_fit(parsed, checks, rows)
        means_fit(parsed, checks, rows)
        for said, line in (*_lost(text, checks), *misshapen(text, checks.whole_lines)):
            parsed.note(said, line)
        if not checks.broken_json:
            whole_json(parsed, text)
        if parsed.series:
            if checks.once:
                no_sample_twice(parsed)
            no_sample_missing(parsed, checks)
            shares_fit(parsed)
    return parsed


def _lost(text: str, checks: Checks) -> list[tuple[str, int]]:
    """Say which lines lack others that are printed with them, where they have the names that are declared."""
    if checks.other_names and re.search(checks.other_names, text):
        return []
    return [
        *missing(text, checks.together),
        *missing_beside(text, checks.alike),
        *missing_below(text, checks.below),
    ]


def no_blank_beginning(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete that ends behind the blanks with which another line begins.

    Below lines of blanks alone, which no tool prints at its end, they are what an editor left.
    """
    start = text.rfind("\n") + 1
    if parsed.complete and start < len(text) and not text[start:].strip(" \t") and not _is_left_by_an_editor(text):
        parsed.incomplete("the log ends inside the blanks before a line", text.count("\n") + 1)


def _is_left_by_an_editor(text: str) -> bool:
    """Whether a text ends in several lines of blanks, as no tool prints them."""
    tail = text[-_TAIL:]
    *above, _ = tail[len(tail.rstrip()) :].split("\n")
    return any(line.strip("\r") for line in above[1:])


def no_sample_left_out(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete where dots stand below a sample, for those that somebody left out."""
    if not (parsed.complete and parsed.series and any(map(text.__contains__, LEFT_OUT))):
        return
    lines = text.split("\n")
    dots = [at for at, line in enumerate(lines, 1) if is_left_out(line)]
    sampled = {int(line) for line in parsed.series.get("line", ())} if dots else set()
    for at in dots:
        above = next((place for place in range(at - 1, 0, -1) if lines[place - 1].strip()), 0)
        if above in sampled:
            parsed.incomplete(f"expected samples, found {lines[at - 1].strip()!r}: they were left out", at)
            return


def no_cut_number(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete that ends behind the point of a number: whoever copied it gave an end to a cut line."""
    if not parsed.complete or not _ends_at_a_point(text):
        return
    line = text.rstrip().count("\n") + 1
    if _ASSIGNED.search(text[-_TAIL:]) or line in lines_of_numbers(parsed):
        parsed.incomplete("the log ends at the point of a number", line)


def no_shortened_number(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete whose last number has fewer decimals than its column: it is cut, though it has an end."""
    if not parsed.complete or not _ENDS_IN_DECIMALS.search(text[-_TAIL:]):
        return
    *above, last = text[-_TABLE:].rstrip().split("\n")
    wanted = _decimals_wanted(list(map(str.split, above)), last.split())
    if wanted:
        line = text.rstrip().count("\n") + 1
        if line in lines_of_numbers(parsed):
            expected = f"expected {wanted} decimals at the end of the log, as above"
            parsed.incomplete(f"{expected}, found {last.split()[-1]}: it is cut", line)


def _decimals_wanted(above: Sequence[list[str]], last: list[str]) -> int:
    """Return how many decimals the last number of a row should have, where it has fewer than those above it; else 0.

    In a table of fixed decimals the other numbers of the row have as many as theirs above, too; where they have not,
    many rows must agree, for some tools leave zeros at the end away. A number that is wider than all above it may have
    less room for decimals.
    """
    rows = [row for row in above if len(row) == len(last) and _decimals(row[-1])]
    *columns, ends = [set(map(_decimals, column)) for column in zip(*rows, strict=True)] if rows else [set()]
    fixed = [_decimals(word) for word in last[:-1]]
    are_fixed = any(fixed) and [{count} for count in fixed] == columns
    if len(rows) < (_FEWEST_ROWS if are_fixed else _MANY_ROWS) or len(ends) > 1:
        return 0
    (wanted,) = ends
    is_widest = all(row[-1].index(".") < last[-1].index(".") for row in rows)
    return wanted if wanted > _decimals(last[-1]) and not is_widest else 0


def _decimals(word: str) -> int:
    """Return how many decimals a number has; 0 of any other word."""
    number = _DECIMAL.fullmatch(word)
    return len(number[1]) if number else 0


def _ends_at_a_point(text: str) -> bool:
    """Whether the last line of a text ends in a number with nothing behind its point."""
    end = text[-_TAIL:].rstrip()
    return end[-1:] == "." and end[-2:-1].isdecimal()


_TAIL = 64
"""Characters at the end of a log of which the last that is not blank is one."""
_TABLE = 4096
"""Characters at the end of a log in which rows are looked for that are like the last one."""
_FEWEST_ROWS, _MANY_ROWS = 3, 20
_ENDS_IN_DECIMALS = re.compile(r"\s\d{1,20}\.\d{1,20}\s*\Z")
_DECIMAL = re.compile(r"-?\d{1,20}\.(\d{1,20})")
_ASSIGNED = re.compile(r"=\d{1,40}\.\s*\Z")
"""No sentence ends so, whether the number is one that is read or not: ``util=63.``"""


_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f](?! \((?:source|destination)\))")
r"""Characters that no tool prints, but XRootD behind a server's message. Escape sequences are colours, and ``\r``,
``\v`` and ``\f`` move a terminal."""


_CONTROL_BYTES = bytes(byte for byte in range(128) if _CONTROL.match(chr(byte)))
"""The same as bytes: to delete them and count is many times faster than to search."""


def no_control_characters(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete that holds bytes which no tool prints: something else was written over it."""
    data = text.encode("utf-8", "surrogatepass")
    found = _CONTROL.search(text) if len(data.translate(None, _CONTROL_BYTES)) < len(data) else None
    if found:
        line = line_at(text, found.start())
        count = len(_CONTROL.findall(text))
        parsed.incomplete(f"expected text, found the control character {found[0]!r} and {count - 1} more", line)


STRETCH = 64
"""Characters in a row that are none: longer than a sentence in an encoding that nobody recognised."""


def no_lost_stretch(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete in which a stretch is no text, wherever: a sector of zeros, or one that was erased."""
    for sign in ("\0", "\ufffd"):
        place = text.find(sign * STRETCH)
        if parsed.complete and place >= 0:
            line = line_at(text, place)
            parsed.incomplete(f"expected text, found {STRETCH} bytes or more in a row that are none", line)


_FOREIGN = r"(?:(?![0-9])\d)"
_WHEN_ABROAD = re.compile(rf"(?<!\S){_FOREIGN}{{1,4}}([-/.:]){_FOREIGN}{{2}}\1{_FOREIGN}{{2,4}}(?!\S)")


def no_foreign_digits(parsed: Parsed, text: str) -> None:
    """Mark a log incomplete in which digits of another script stand: no tool prints them, and Python reads them.

    Dates and times of locales such as fa_IR have no others.
    """
    if text.isascii() or not any(sign.isdecimal() and not sign.isascii() for sign in set(text)):
        return
    text = _WHEN_ABROAD.sub(lambda found: "-" * len(found[0]), text)
    place = next((at for at, sign in enumerate(text) if sign.isdecimal() and not sign.isascii()), None)
    if place is not None:
        line = line_at(text, place)
        parsed.incomplete(f"expected digits from 0 to 9, found {text[place]!r} of another script", line)


_IS_JSON = re.compile(r"\s*+(?:\{(?![{%])|\[\s*+\{)").match
"""Begins JSON; ``{{`` and ``{%`` begin tags of pages' templates (Jinja, Hugo, Jekyll)."""


def whole_json(parsed: Parsed, text: str) -> None:
    """Say where a log that is JSON from its first character on, or on each line, is not whole."""
    if not _IS_JSON(text):
        return
    try:
        orjson.loads(text)
        return
    except ValueError:
        pass  # it may still be JSON as Python writes it, with NaN
    try:
        json.loads(text)
    except RecursionError:
        return
    except ValueError as error:
        line = _broken_line(text, error)
        if line:
            found = text.split(NEWLINE)[line - 1].strip()
            is_cut = text.endswith(found) and found.startswith("{")
            (parsed.incomplete if is_cut else parsed.note)(f"expected JSON, found {found[:80]!r}", line)


def _broken_line(text: str, error: ValueError) -> int:
    """Return the line on which JSON breaks, in one document or in a document a line; 0 where it is in documents."""
    lines = text.split(NEWLINE)
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                json.loads(line)
            except RecursionError:
                return 0
            except ValueError:
                return number if number > 1 or not isinstance(error, json.JSONDecodeError) else error.lineno
    return 0


NEWLINE = "\n"
