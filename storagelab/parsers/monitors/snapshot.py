"""What snapshots of interface counters share: lines that can be trusted, directions, ordinals of snapshots."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from storagelab.parsers.model import Parsed, Row, Value
from storagelab.parsers.text import number, without_prefix

NAMES = {
    "bytes": "counter_bytes",
    "packets": "counter_packets",
    "errors": "counter_errors",
    "dropped": "counter_drops",
}
DIRECTIONS = {"RX": "receive", "TX": "transmit"}
_BASES = (1024, 1000)


_PROMPT = re.compile(
    r"\s*(?:\[?[\w.-]{0,64}@[\w.-]{1,64}[: ][^\s\]]{0,200}\]? ?[$#%>](?: .*)?"
    r"|(?:\[[\w.-]{1,64} [~/][^\s\]]{0,200}\]|[~/][\w./-]{0,200}) ?[$#](?: .*)?"
    r"|(?:ba|da|k|z)?sh-\d[\d.]{0,8}[$#](?: .*)?"
    r"|[\w.-]{1,64}:[/~][^\s#$]{0,200}[$#](?: .*)?"
    r"|[$#] ?(?:[A-Z][A-Z_]{0,30}=\S{0,60} )?(?:\./)?[a-z][\w./-]{0,80}(?: .*)?)"
)


def is_prompt(line: str) -> bool:
    """Whether a line is a shell's, with or without a command: ``[root@n7 ~]# vmstat -s``, ``me@n7 ~ $ sar``."""
    return ("$" in line or "#" in line or "@" in line) and _PROMPT.fullmatch(line) is not None


_END_OF_BLOCK = re.compile(r"\s*(?:```.*|\^C|(?:\"\"\"|''')[),;]{0,3}|\*/|\{% ?endhighlight ?%\})\s*")


def ends_table(line: str) -> bool:
    """Whether a line ends the table above it: a blank one, the end of a block or literal, ``^C``, a shell's prompt."""
    return not line.strip() or _END_OF_BLOCK.fullmatch(line) is not None or is_prompt(line)


_LIKE_NUMBER = re.compile(r"(?<!\S)(?:[-+.]?\d|\ufffd)")


_NUMBERED = re.compile(r"\s*\d{1,2}(?:[.)]\s+|[)）、．])(?=[^\s\d])")
"""The number of a paragraph with a sign behind it, as no cell of a table has one."""


def is_prose(line: str) -> bool:
    """Whether a line has words and none of them begins like a number: somebody's text, and no sample.

    A number of the paragraph may stand in front of them.
    """
    said = line[numbered.end() :] if (numbered := _NUMBERED.match(line)) else line
    return any(map(str.isalpha, said)) and not _LIKE_NUMBER.search(said)


_SHORT = 20
"""Lines of a text between a row and the end of its table."""
_ORDINAL = re.compile(r"\s*\d{1,2}[.)]?\s+(?=[^\s\d])")
"""The number of a paragraph, in front of its first word."""


def prose_behind_tables(lines: list[str]) -> set[int]:
    """Return the numbers of lines of text behind the end of a table, up to the next that is none; headings are text."""
    found, is_over = set[int](), False
    for at, line in enumerate(lines, 1):
        if ends_table(line):
            is_over = True
        elif is_over and is_prose(line):
            found.add(at)
        else:
            is_over = False
    return found


def prose_below(lines: list[str]) -> set[int]:
    """Return the numbers of the lines of text with which a log ends, directly below its last sample or not.

    None is one where the first of them begins as a line above does: that is a heading which was cut.
    """
    found: list[int] = []
    for at in range(len(lines), 0, -1):
        line = lines[at - 1]
        if _is_sentence(line):
            found.append(at)
        elif not ends_table(line):
            break
    if not found or any(above.startswith(lines[found[-1] - 1].rstrip()) for above in lines[: found[-1] - 1]):
        return set()
    return set(found)


def is_prose_between(lines: Sequence[str], at: int) -> bool:
    """Whether the line of a number is of a short text between a row and the end of its table, as ``lines`` hold them.

    Directly below a heading it may be a row that was lost, and above another row it is no text for itself.
    """
    below = next((line for line in lines[at - 1 : at + _SHORT] if not _is_sentence(line)), None)
    above = next((line for line in reversed(lines[max(at - _SHORT, 0) : at - 1]) if not _is_sentence(line)), None)
    is_text = below is not lines[at - 1] and below is not None and ends_table(below)
    return is_text and above is not None and _LIKE_NUMBER.search(above) is not None


def _is_sentence(line: str) -> bool:
    """Whether a line is text of several words, or of a language that puts no blanks between them."""
    if numbered := _ORDINAL.match(line):
        line = line[numbered.end() :]
    return is_prose(line) and (not line.isascii() or len(line.split()) > 1)


_HOST_PROMPT = re.compile(r"\[?[\w.-]{1,64}@[\w.-]{1,64}[: ][^\s\]]{0,200}\]?[$#%>] +")


def without_prompt(text: str) -> str:
    """Return what stands behind a shell's prompt, where the output of what runs beside it goes on."""
    prompt = _HOST_PROMPT.match(text)
    return text[prompt.end() :] if prompt else text


def whole_lines(text: str, parsed: Parsed, begins: re.Pattern[str] | None = None) -> list[str]:
    """Return the lines of a log without a launcher's prefix; a last line that has no end is a note, and left out.

    Where the first line matches `begins`, what looks like a prefix is the log's own.
    """
    *lines, rest = text.split("\n")
    parsed.cut_line(rest, len(lines) + 1)
    return lines if begins and begins.match(first_words(text)[0]) else without_prefix(lines)


def first_words(text: str) -> tuple[str, int]:
    """Return the first line that is not blank and its number, to be shown in an error."""
    return next(((line, at) for at, line in enumerate(text.split("\n"), 1) if line.strip()), ("", 1))


def rounded(text: str, unit: str, exact: float, base: int = 0) -> float:
    """Bytes behind a size such as ``178.5 MB``; of 1000 and 1024 the one is meant that fits the exact count.

    net-tools 1.60 wrote ``Mb`` and later ``MiB`` for 2**20, Ubuntu's writes ``MB`` for 10**6. Where both fit, `base`
    decides: what the log's other sizes are powers of, 0 where they do not tell.
    """
    size, power = number(text), _power(unit)
    bases = fitting(text, unit, exact) or sorted(_BASES, key=lambda one: abs(size * one**power - exact))
    return size * float(base if base in bases else bases[0]) ** power


def fitting(text: str, unit: str, exact: float) -> tuple[int, ...]:
    """Return those of 1024 and 1000 of whose power a count is so many, cut behind the first decimal as the tools do."""
    if "i" in unit:
        return _BASES[:1]
    tenths = number(text) * 10
    return tuple(base for base in _BASES if abs(exact * 10 // base ** _power(unit) - tenths) < 0.5)


def _power(unit: str) -> int:
    return "bkmgt".find(unit[:1].lower())


def with_parts(samples: list[Row], apart: Collection[str] = ()) -> list[Row]:
    """Number the snapshots of a log, where there are several: one ends where an interface comes again.

    Rows of one interface are told by their metric, and by which of the values in `apart` they have.
    """
    part, seen = 1, set[tuple[Value, ...]]()
    for sample in samples:
        value = next((name for name in sample if name in apart), "")
        who = (*(sample.get(key, "") for key in ("interface", "device", "label", "operation", "metric")), value)
        if who in seen:
            part, seen = part + 1, set()
        seen.add(who)
        sample["part"] = part
    if part == 1:
        for sample in samples:
            del sample["part"]
    return samples


def counters(words: dict[str, str], names: dict[str, str]) -> Iterator[tuple[str, float]]:
    """Take the counters of the contract out of printed ones; what is no number is left out."""
    for printed, name in names.items():
        if words.get(printed, "").isdecimal():
            yield name, float(words[printed])


def rows_of(interface: str, side: str, errors: str, values: dict[str, float], at: int) -> Iterator[Row]:
    """Give the direction's counters a row, and every other counter its own as `metric`, such as ``RX mcast``."""
    named = {NAMES[name]: value for name, value in values.items() if name in NAMES and not errors}
    if named:
        yield {"interface": interface, "operation": DIRECTIONS[side], **named, "line": at}
    for name, value in values.items():
        if errors or name not in NAMES:
            yield counted(interface, f"{side}{errors} {name}", value, at)


def counted(interface: str, name: str, value: float, at: int) -> Row:
    """Row of a counter that the contract has no name for; its own begins with the direction, as ``RX mcast``."""
    return {**setting(interface, name, value, at), "operation": DIRECTIONS[name[:2]]}


def setting(interface: str, name: str, value: float, at: int) -> Row:
    """Row of what an interface has, and the contract no name for."""
    return {"interface": interface, "operation": "", "metric": name, "value": value, "unit": "", "line": at}
