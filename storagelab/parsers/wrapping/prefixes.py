r"""What stands in front of each line of a log, put there by whoever carried it.

Sources: RFC 3676 (quoting of mail), CommonMark 0.31 (block quotes), grep(1), ts(1) of moreutils, RFC 3164 and RFC 5424
(syslog), journalctl(1), the log format of the Kubernetes container runtime interface, docker compose logs, srun(1)
``--label``, the time stamps of GitLab's runner, mpirun(1) of Open MPI (``--tag-output``, ``--timestamp-output``),
mpiexec of MPICH (``-prepend-rank``), pdsh(1), parallel(1) ``--tag``, cat(1) ``-n``, diff(1), Prism.js and Hugo's
shortcode ``command`` (``(out)`` in front of output).

A prefix of another kind is *learned*: lines that begin alike up to a separator, digits apart. One that holds a time of
day or a level is that of a program that logs what a tool prints; any other is a guess.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from storagelab.parsers.wrapping.lines import Lines

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE = r"(?: ?Z| ?[+-]\d\d:?\d\d(?!\S)| UTC)?"
_ISO = rf"\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}{_ZONE}"
_MOMENT = (
    rf"(?:{_ISO}|{_DAY},? +{_MONTH} +\d{{1,2}} {_CLOCK}(?: [A-Z]{{3,4}})? \d{{4}}"
    rf"|(?:{_DAY},? +)?{_MONTH} +\d{{1,2}} {_CLOCK}"
    rf"|(?:{_DAY},? +)?\d{{1,2}}[ -]{_MONTH}[ -]\d{{4}} {_CLOCK}|\d\d?[/.-]\d\d?[/.-]\d{{2,4}} {_CLOCK}(?: [AP]M)?"
    rf"|(?:19|20)\d{{6}}[T -]{_CLOCK}|(?:19|20)\d{{12}})"
)
_PROGRAM = r"[\w./@():-]{1,80}?(?:\[\d{1,10}\])?"
_LEVEL = r"(?i:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)"
_END = r"(?: |$)"
_FILE = r"(?!\d{4}-\d\d-\d\d)(?=\S{0,300}?[A-Za-z_]{2})[^\s:\"'{}\[\]()<>|=,;]{1,300}?"
"""Name of a file, which is neither a date nor a piece of JSON."""


class Kind(NamedTuple):
    """A kind of prefix: what notes call it, its expression (group ``who`` says whose line it is), how sure it is.

    A sure one is looked for in every log, and may stand before some lines only. The others look like what logs hold
    themselves: they are taken for a prefix where every line has it, or where a log cannot be read otherwise.
    """

    name: str
    form: re.Pattern[str]
    sure: bool
    foreign: bool = False
    """Whether no tool prints it itself, and it says nothing that a parser could use."""


def _sure(name: str, form: str) -> Kind:
    return Kind(name, re.compile(form), True)


def _foreign(name: str, form: str) -> Kind:
    return Kind(name, re.compile(form), True, True)


def _kind(name: str, form: str) -> Kind:
    return Kind(name, re.compile(form), False)


RANKS = "ranks"
"""Numbers of processes, which a launcher prints, and a server in front of its messages."""

LOGGED = "log of a program"
"""What is learned of a program that logs the lines of a tool; of a tool that logs, lines of its own look alike."""

NUMBERED = "numbered"
"""The number of each line, as ``cat -n`` puts it; a column of a table looks alike, but goes up and down."""

_QUOTED = _foreign("quoted mail", r">(?: ?>)*(?: |(?=[\S\t])|$)")
_PRINTED = _foreign("documentation", r"\(out\)(?: |$)")
_ON_SOME_LINES = ((_QUOTED, "\n>"), (_PRINTED, "\n(out)"))
"""Prefixes that a log's first lines may lack, and how a line with one begins: an answer to a mail, a command."""

KINDS = (
    _QUOTED,
    _foreign("container log", rf"{_ISO} (?:stdout|stderr) [FP]{_END}"),
    _foreign("runner", rf"{_ISO} [0-9a-f]{{2}}[OE](?:\+|{_END})"),
    _sure(
        "syslog",
        rf"<\d{{1,3}}>1 {_ISO} (?P<who>\S{{1,200}} \S{{1,80}} \S{{1,40}}) \S{{1,40}} (?:-|\[[^\]]{{0,300}}\]){_END}",
    ),
    _sure("syslog", rf"(?:<\d{{1,3}}>)?{_MOMENT} (?P<who>[\w.:-]{{1,200}} {_PROGRAM}):{_END}"),
    _foreign("mpirun", r"\[(?P<who>[\w.-]{1,120}@\d{1,7}, ?\d{1,7})\](?:\[[\w.]{1,20}\])?<std(?:out|err|diag)>: ?"),
    _foreign("mpirun", r"(?:\[(?P<who>[\w.-]{1,120}, ?\d{1,7})\])?(?:\[[\w.]{1,20}\])?<std(?:out|err|diag)>:"),
    _foreign("mpirun", rf"{_MOMENT}\[?(?P<who>[\w.,@-]{{1,120}})?\]?<std(?:out|err)>:"),
    _foreign("annotated", rf"{_CLOCK} [OEI]:{_END}"),
    _PRINTED,
    _sure("stamped", rf"{_MOMENT}(?: ?\||:| -)?{_END}"),
    _sure("stamped", rf"\[{_MOMENT}\]:?{_END}"),
    _sure("logging", rf"\[?{_MOMENT}\]?(?: -)? (?:[\w.]{{1,80}}(?: -)? )?\[?{_LEVEL}\]?:?(?: -)?{_END}"),
    _sure("logging", rf"\[?{_MOMENT}\]? \[?{_LEVEL}\]?:? (?:- )?[\w.]{{1,80}}(?:: | - )"),
    _kind("stamped", rf"\[ *\+?(?:\d{{1,4}}:)?(?:\d{{1,3}}:)?\d{{1,10}}(?:\.\d{{1,9}})?s?\]{_END}"),
    _kind("stamped", r"(?:\d{1,4}:)?\d\d:\d\d(?:\.\d{1,9})?(?: {2}|$)"),
    _kind("stamped", rf"(?:\d{{1,4}}:)?\d\d:\d\d(?:\.\d{{1,9}})?{_END}"),
    _kind("stamped", rf"\d{{10}}(?:\d{{3}}|\.\d{{1,9}})?{_END}"),
    _kind("stamped", rf"\d{{1,7}}\.\d{{6}}{_END}"),
    _kind("levels", rf"\[?{_LEVEL}\]?:?{_END}"),
    _kind("levels", rf"{_LEVEL}:[\w.]{{1,80}}:"),
    _foreign(RANKS, r"\[(?P<who>\d{1,7})\]:?(?: |$)"),
    _foreign(RANKS, r" *(?P<who>\d{1,7}):(?: |$)"),
    _kind("names", r"\[(?P<who>[\w./:@+-]{1,200})\]:?(?: |$)"),
    _kind("names", r"(?P<who>[\w.@/-]{1,200}) *\|(?: |$)"),
    _kind("names", r"(?P<who>[A-Za-z][\w.@-]{0,200}):(?: |$)"),
    _kind("names", r"(?P<who>[A-Za-z][\w.@-]{0,200})\t"),
    _foreign("grep", rf"(?P<who>{_FILE}):\d{{1,9}}:"),
    _foreign("grep", rf"(?P<who>{_FILE})[:-]\d{{1,9}}[:-]"),
    _kind("grep", rf"(?P<who>{_FILE}):"),
    _kind("grep", rf"(?P<who>{_FILE}\.[A-Za-z]{{1,6}})[:-]"),
    _kind(NUMBERED, r"(?!\d{4}-\d\d-\d\d)\d{1,9}(?:[:-]| - )"),
    _kind(NUMBERED, r" *\d{1,9}(?:\t| \| ?|  )"),
    _kind("commented", r" {0,40}(?:#|//|;|--|\*|%|rem|REM)(?: |$|(?=\t))"),
    _kind("commented", r" {0,40}#(?=[\w -])"),
    _kind("difference", r"\+"),
    _kind("bars", r"\|(?: |$)"),
    _kind("indented", r"(?: {4}|\t)"),
    _kind("indented", r" {3}"),
    _kind("indented", r" {2}"),
)

_ONE_BLANK = _kind("indented", r" ")

_ANY = re.compile("|".join(kind.form.pattern.replace("(?P<who>", "(?:") for kind in KINDS))
"""What a line with any prefix begins with: most lines are done with in one step."""

_SAMPLE = 40
"""Lines that are looked at from each place at which a log is sampled."""
_SHARE = 0.6
"""Share of the lines of a sample that must have a prefix."""
_NEARLY_ALL = 0.97
"""The same for prefixes that are not sure."""
_FEW_NAMES = 0.5
"""Names may be at most this many a line: in prose every line begins with another word."""


def without(
    lines: Lines,
    around: Sequence[int] = (),
    is_of_the_tool: Callable[[Kind], bool] = lambda _: False,
    *,
    guess: bool = False,
) -> Iterator[Lines]:
    """Yield the lines without a prefix, once for each kind of prefix that they seem to have.

    Parameters
    ----------
    lines : Lines
        The lines.
    around : sequence of int, optional
        Places of lines around which to look too.
    is_of_the_tool : callable, optional
        Whether a kind of prefix stays, since the log's tool prints it.
    guess : bool, optional
        Whether to try prefixes that only some lines of a sample have, and such as are learned from it.
    """
    seen: set[str] = set()
    is_everywhere = functools.cache(lambda kind: _is_everywhere(kind, lines))
    for start in _starts(lines, around):
        for kind in _guessed(lines, start) if guess else _likely(lines, start, is_of_the_tool, is_everywhere):
            if kind.form.pattern in seen:
                continue
            seen.add(kind.form.pattern)
            everywhere = is_everywhere(kind)
            if kind.sure or guess or everywhere:
                stripped = _stripped(lines, kind, everywhere=everywhere)
                yield stripped
                if _every_line_begins_with_a_blank(stripped.texts):
                    yield _stripped(stripped, _ONE_BLANK, everywhere=True)
    for kind, begin in _ON_SOME_LINES:
        if kind.form.pattern not in seen and lines.text.count(begin) >= _ENOUGH:
            seen.add(kind.form.pattern)
            yield _stripped(lines, kind, everywhere=False)
    if _QUOTED.form.pattern not in seen and _quotes_a_first_line(lines):
        yield _stripped(lines, _QUOTED, everywhere=False)


def _every_line_begins_with_a_blank(texts: Sequence[str]) -> bool:
    """Whether all lines but empty ones begin with a blank, as behind a prefix with one more than is usual."""
    return all(text.startswith(" ") for text in texts if text.strip())


def _quotes_a_first_line(lines: Lines) -> bool:
    """Whether a first line of a paragraph is quoted and the next is not, as CommonMark permits (lazy continuation)."""
    if not lines.text.startswith(">") and "\n>" not in lines.text:
        return False
    around = zip(["", *lines.texts[:-1]], lines.texts, [*lines.texts[1:], ""], strict=True)
    return any(
        text.startswith(">") and below.strip() and not above.startswith(">") and not below.startswith(">")
        for above, text, below in around
    )


def _starts(lines: Lines, around: Sequence[int]) -> list[int]:
    """Return places from which lines are looked at: the beginning, the middle, and before some."""
    middle = max(0, len(lines.texts) // 2 - _SAMPLE // 2)
    return sorted({0, middle, *(max(0, place - 3) for place in around)})


def _sample(lines: Lines, start: int, size: int = _SAMPLE) -> list[str]:
    """Return some of the lines from a place on that are not empty."""
    return list(itertools.islice(filter(str.strip, lines.texts[start : start + 2 * _SAMPLE]), size))


def _guessed(lines: Lines, start: int) -> Iterator[Kind]:
    """Kinds of prefix that any two lines of a sample have, the known ones first, and what can be learned from it."""
    sample = _sample(lines, start)
    if not sample:
        return
    for kind in KINDS:
        if _has(sample, kind, 0.0):
            yield kind
    if learned := _logged(sample) or _learned(sample):
        yield learned


def _likely(
    lines: Lines, start: int, is_of_the_tool: Callable[[Kind], bool], is_everywhere: Callable[[Kind], bool]
) -> Iterator[Kind]:
    """Kinds of prefix that most lines of a sample have; most samples are done with after their first lines."""
    first = _sample(lines, start, _ENOUGH)
    found = [place for text in first for place in _kinds_of(text)]
    if not found and len(first) == _ENOUGH and (same := _same_words(first)) and is_everywhere(same):
        yield same
    is_logged = len(first) == _ENOUGH and all(map(_STAMP_OR_LEVEL.search, first))
    if not (found or is_logged):
        return
    sample = _sample(lines, start)
    logged = _logged(sample) if is_logged and not _LOGGERS.intersection(found) else None
    if logged and not any(_takes_as_much(KINDS[place], logged, first) for place in {*found}):
        yield logged
    for place, count in sorted(Counter(found).items()):
        kind = KINDS[place]
        if is_of_the_tool(kind):
            continue
        may_be = kind.sure or (count + 1 >= len(first) and is_everywhere(kind))
        if may_be and _has(sample, kind, _SHARE if kind.sure else _share(kind)):
            yield kind


def _takes_as_much(known: Kind, learned: Kind, texts: Sequence[str]) -> bool:
    """Whether a kind that is known takes what was learned away from each of some lines."""
    ends = [[found.end() if (found := kind.form.match(text)) else 0 for text in texts] for kind in (known, learned)]
    return ends[0] == ends[1]


_STAMP_OR_LEVEL = re.compile(rf"(?<![\d:])\d\d:\d\d:\d\d(?![\d:])|\b{_LEVEL}\b")
"""What a program that logs lines of others puts before each of them: when it was, or how grave it is."""


_LOGGERS = frozenset(place for place, kind in enumerate(KINDS) if kind.name in ("syslog", "logging"))
_PADDED = re.compile(rf"{_LEVEL}(?:(?<=[A-Z]{{4}})(?<![A-Z]{{5}}) )?(?: |$)")
"""A level at the end of what is put in front; one of four letters is often padded to five."""


def _logged(sample: Sequence[str]) -> Kind | None:
    """Learn what a program puts before the lines that it logs; with the level, where all lines have one behind it."""
    first = sample[:_ENOUGH]
    if not all(map(_STAMP_OR_LEVEL.search, first)) or not (learned := _learned(sample)):
        return None
    found = [match for match in map(learned.form.match, first) if match]
    if not (found and _STAMP_OR_LEVEL.search(found[0][0])):
        return None
    has_level = all(_PADDED.match(match.string, match.end()) for match in found)
    return Kind(LOGGED, re.compile(learned.form.pattern + _PADDED.pattern) if has_level else learned.form, True)


def _kinds_of(text: str) -> tuple[int, ...]:
    """Places of the kinds of prefix with which a line begins; most have none."""
    return (_kept_kinds_of if len(text) <= _LONGEST else _found_kinds_of)(text)


def _found_kinds_of(text: str) -> tuple[int, ...]:
    return tuple(place for place, kind in enumerate(KINDS) if kind.form.match(text)) if _ANY.match(text) else ()


_kept_kinds_of = functools.lru_cache(maxsize=1024)(_found_kinds_of)
"""The same of short lines: the logs of a campaign begin alike."""


def _has(sample: Sequence[str], kind: Kind, share: float) -> bool:
    found = _matches(kind, sample, int((1 - share) * len(sample)))
    if len(found) < max(1, min(2, len(sample))):
        return False
    return _numbers_lines(found) if kind.name == NUMBERED else _few(found)


def _matches(kind: Kind, sample: Sequence[str], misses: int) -> list[re.Match[str]]:
    """Return what the lines of a sample begin with, or nothing where too many do without."""
    found = []
    for text in sample:
        if match := kind.form.match(text):
            found.append(match)
        elif misses:
            misses -= 1
        else:
            return []
    return found


def _is_everywhere(kind: Kind, lines: Lines) -> bool:
    """Whether nearly all lines have a prefix; from the end, since their beginning made it likely."""
    most = int((1 - _share(kind)) * len(lines.texts))
    matches = misses = 0
    for end in range(len(lines.texts), 0, -_AT_ONCE):
        filled = list(filter(str.strip, lines.texts[max(0, end - _AT_ONCE) : end]))
        found = sum(map(bool, map(kind.form.match, filled)))
        matches += found
        misses += len(filled) - found
        if misses > most:
            return False
    fewest = 1 if kind.sure and kind.name != RANKS else _ENOUGH
    return matches >= fewest and misses <= int((1 - _share(kind)) * (matches + misses))


_AT_ONCE = 16
"""Lines that are looked at before it is asked whether too many lack a prefix."""


def _share(kind: Kind) -> float:
    """Share of lines that have a prefix which is everywhere: an indented log has no line that is not."""
    return 1.0 if kind.name == "indented" else _NEARLY_ALL


def _few(found: Sequence[re.Match[str]]) -> bool:
    if "who" not in found[0].re.groupindex:
        return True
    return len({match["who"] for match in found}) <= max(1, _FEW_NAMES * len(found))


def _numbers_lines(found: Sequence[re.Match[str]]) -> bool:
    """Whether each number is greater than the one above; without a sign behind it (``grep -n``) most are so by one.

    Among many they may begin anew once, as of two files.
    """
    numbers = [int(_NUMBER.findall(match[0])[0]) for match in found]
    steps = [number - above for above, number in itertools.pairwise(numbers)]
    anew = [number for number, step in zip(numbers[1:], steps, strict=True) if step <= 0]
    if anew and (anew != [1] or len(numbers) < 2 * _ENOUGH):
        return False
    return found[0][0].endswith((":", "-", "- ")) or (len(numbers) >= _ENOUGH and 2 * steps.count(1) >= len(steps))


_NUMBER = re.compile(r"\d+")

_SEPARATOR = re.compile(r"(?:[\]>|)}]|[:;=-])(?=[ \t])[ \t]?|\t|[>|\]]")
_CHANGING = re.compile(rf"\d+|{_MONTH}\b|{_DAY}\b|{_LEVEL}\b|std(?:out|err)")
_LONGEST = 200


def _learned(sample: Sequence[str]) -> Kind | None:
    """Learn a prefix: the longest beginning, up to a separator, that nearly all lines share, what changes apart."""
    if len(sample) < _ENOUGH or Counter(map(_first, sample)).most_common(1)[0][1] < 0.9 * len(sample):
        return None
    some = sample[:: max(1, len(sample) // _ENOUGH)][:_ENOUGH]
    if not set.intersection(*map(_shapes, some)):
        return _same_words(sample)
    shapes = Counter(shape for text in sample for shape in _shapes(text))
    shared = [shape for shape, count in shapes.items() if count >= 0.9 * len(sample) and len(_as_expression(shape)) > 2]
    return Kind("prefix", re.compile(_as_expression(max(shared, key=len))), False) if shared else None


def _same_words(sample: Sequence[str]) -> Kind | None:
    """Learn the words with which all lines begin, as of one container among others (``stern``, ``docker service``)."""
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(min(sample), max(sample), strict=False))
    begin, blank, _ = "".join(sign for sign, _ in alike).rpartition(" ")
    return Kind("prefix", re.compile(re.escape(begin + blank)), False) if _WORD.search(begin) else None


_WORD = re.compile(r"[A-Za-z]{2}")

_ENOUGH = 3
"""Lines from which a prefix can be learned, and that one must have that is not sure."""


def _shapes(text: str) -> set[str]:
    """Return the beginnings of a line up to each separator, what changes from line to line as signs of its own."""
    begin = _CHANGING.sub(lambda found: _DIGITS if found[0].isdecimal() else _NAMED, text[:_LONGEST])
    return {begin[: found.end()] for found in _SEPARATOR.finditer(begin)}


_DIGITS, _NAMED = "\0", "\1"
"""Stand for a number, and for a date's or level's name, in the shape of a beginning."""


def _first(text: str) -> str:
    return "0" if text[0].isdecimal() else text[0]


def _as_expression(shape: str) -> str:
    """Write the shape of a beginning as an expression in which numbers, dates and levels may change."""
    return re.escape(shape).replace(re.escape(_DIGITS), r"\d+").replace(re.escape(_NAMED), r"\w+")


def _stripped(lines: Lines, kind: Kind, *, everywhere: bool) -> Lines:
    """Take a prefix away wherever it stands; where it names whose line it is, the lines of each come together."""
    whose: dict[str, list[int]] = {}
    texts: list[str] = []
    match: Callable[[str], re.Match[str] | None] = kind.form.match
    named, current = "who" in kind.form.groupindex, ""
    for place, text in enumerate(lines.texts):
        if found := match(text):
            texts.append(text[found.end() :])
            current = (found["who"] or "") if named else ""
        else:
            texts.append(text)
            if text.strip():
                current = ""
        whose.setdefault(current, []).append(place)
    if not texts[-1].strip():
        texts[-1] = lines.texts[-1]  # a last line that is cut stays one without an end
    stripped = lines.without(texts, kind.name, everywhere=everywhere, foreign=kind.foreign, sure=kind.sure)
    if len(whose) < 2:
        return stripped
    last = len(texts) - 1  # without an end; what is not trusted there must not come to stand between others
    places = [place for places in whose.values() for place in places if place != last]
    return stripped.chosen([*places, last])
