"""What happens to logs on their way: functions that damage a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from storagelab.parsers.text import decode

Damage = Callable[[str], str]


def cuts_between_lines(text: str, count: int = 0) -> Iterator[str]:
    """Yield the text cut after its lines but the last, or after `count` of them evenly spread.

    Of cuts between lines that are alike but for their numbers the first two and the last are made: what a parser makes
    of a table that lost its last 20 rows says what it makes of one that lost 21.

    Parameters
    ----------
    text : str
        A log.
    count : int, optional
        How many cuts; 0 is for all.

    Yields
    ------
    str
        The log up to a cut.
    """
    lines = [(end, alike(text[start:end])) for start, end in _bounds(text)]
    places = [(end, (line, after)) for (end, line), (_, after) in pairwise(lines)]
    yield from (text[:end] for end in _spread(_first_two_and_last(places), count) if text[end:].strip())


def cuts_inside_lines(text: str, count: int = 0) -> Iterator[str]:
    """Yield the text cut inside words that hold a digit, where a number may lose its tail.

    Of the words at one place of lines that are alike but for their numbers the first two and the last are cut.

    Parameters
    ----------
    text : str
        A log.
    count : int, optional
        How many cuts; 0 is for all.

    Yields
    ------
    str
        The log up to a cut.
    """
    places = [
        (start + found.start() + 1, (alike(text[start:end]), number))
        for start, end in _bounds(text)
        for number, found in enumerate(re.finditer(r"\d[\d.,]*\d", text[start:end]))
    ]
    yield from (text[:at] for at in _spread(_first_two_and_last(places), count))


def alike(line: str) -> str:
    r"""What a line has in common with others that differ in numbers only, and in how these are aligned.

    Parameters
    ----------
    line : str
        A line.

    Returns
    -------
    str
        The same for all such lines.

    Examples
    --------
    >>> alike("  64   8  1273.5\n") == alike(" 128  16   983.2\n")
    True
    """
    return " ".join(re.sub(r"\d[\d.,]*", "0", line).split())


def _bounds(text: str) -> list[tuple[int, int]]:
    """Where each line begins and ends."""
    return [match.span() for match in re.finditer(r"[^\n]*\n|[^\n]+", text)]


def _first_two_and_last(places: Iterable[tuple[int, object]]) -> list[int]:
    """Of the places of each kind the first two and the last, in their order."""
    kinds: dict[object, list[int]] = {}
    for place, kind in places:
        kinds.setdefault(kind, []).append(place)
    return sorted({place for of_kind in kinds.values() for place in (*of_kind[:2], of_kind[-1])})


def _spread(places: list[int], count: int) -> list[int]:
    some = min(count, len(places)) if count else len(places)
    return [places[index * (len(places) - 1) // max(1, some - 1)] for index in range(some)]


def not_utf8(text: str) -> str:
    """Put a byte that is not UTF-8 in place of the middle one."""
    data = bytearray(text.encode())
    if data:
        data[len(data) // 2] = 0xFF
    return decode(bytes(data))[0]


def crlf(text: str) -> str:
    """End lines as Windows does.

    Parameters
    ----------
    text : str
        A log.

    Returns
    -------
    str
        The log.
    """
    return decode(text.replace("\n", "\r\n").encode())[0]


def decimal_commas(text: str) -> str:
    """Write numbers as much of Europe does.

    Parameters
    ----------
    text : str
        A log.

    Returns
    -------
    str
        The log.

    Examples
    --------
    >>> decimal_commas("1273.5 MB/s")
    '1273,5 MB/s'
    """
    return re.sub(r"(?<=\d)\.(?=\d)", ",", text)


def foreign_lines(text: str) -> str:
    """Put a scheduler's and a kernel's line between the lines of the log, about eight times."""
    lines = text.split("\n")
    step = max(1, len(lines) // 8)
    blocks = ["\n".join(lines[at : at + step]) for at in range(0, len(lines), step)]
    return "\nslurmstepd: error: *** STEP 17.0 ON n1 ***\n[ 12.34] nfs: server oss1 not responding\n".join(blocks)


def leading_junk(text: str) -> str:
    """Put lines of ssh and of MPI in front."""
    return "Warning: Permanently added 'oss1' to the list of known hosts.\n\nmpirun: forwarding signal 18\n" + text


def rank_prefixes(text: str) -> str:
    """Put the number of a rank in front of each line."""
    return "".join(f"190: {line}\n" for line in text.removesuffix("\n").split("\n"))


def blanked_column(text: str) -> str:
    """Blank the characters under one column of the longest table: the second word of its rows."""
    lines = text.split("\n")
    tables = [list(block) for block in _tables(lines)]
    for at in max(tables, key=len, default=[]):
        second = re.compile(r"\s*\S+\s+(\S+)").match(lines[at])
        if second:
            start, end = second.span(1)
            lines[at] = lines[at][:start] + " " * (end - start) + lines[at][end:]
    return "\n".join(lines)


def _tables(lines: list[str]) -> Iterator[list[int]]:
    """Runs of lines with at least three words, one of them a number."""
    block: list[int] = []
    for at, line in enumerate(lines):
        words = line.split()
        if len(words) >= 3 and sum(word.replace(".", "").isdecimal() for word in words) >= 1:
            block.append(at)
        elif block:
            yield block
            block = []
    if block:
        yield block


def two_logs(text: str, other: str = "") -> str:
    """Put another log behind a log; without another, the same one again.

    Parameters
    ----------
    text : str
        A log.
    other : str, optional
        The log behind it.

    Returns
    -------
    str
        Both.
    """
    return text.removesuffix("\n") + "\n" + (other or text)


DAMAGES: dict[str, Damage] = {
    "not_utf8": not_utf8,
    "decimal_commas": decimal_commas,
    "foreign_lines": foreign_lines,
    "leading_junk": leading_junk,
    "rank_prefixes": rank_prefixes,
    "blanked_column": blanked_column,
    "two_logs": two_logs,
}
