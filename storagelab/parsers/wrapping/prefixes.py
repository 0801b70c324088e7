r"""What stands in front of each line of a log, put there by whoever carried it.

Sources: RFC 3676 (quoting of mail), grep(1), ts(1) of moreutils, RFC 3164 and RFC 5424 (syslog), journalctl(1), the log
format of the Kubernetes container runtime interface, docker compose logs, srun(1) ``--label``, mpirun(1) of Open MPI
(``--tag-output``, ``--timestamp-output``), mpiexec of MPICH (``-prepend-rank``), pdsh(1), parallel(1) ``--tag``,
cat(1) ``-n``, diff(1).

A prefix of another kind is *learned*: lines that begin alike up to a separator, digits apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from storagelab.parsers.wrapping.lines import Lines

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?"
_ISO = rf"\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK}(?: ?Z| ?[+-]\d\d:?\d\d| UTC)?"
_MOMENT = (
    rf"(?:{_ISO}|(?:{_DAY},? +)?{_MONTH} +\d{{1,2}} {_CLOCK}(?: [A-Z]{{3,4}})?(?: \d{{4}})?"
    rf"|(?:{_DAY},? +)?\d{{1,2}} {_MONTH} \d{{4}} {_CLOCK}|\d\d?[/.-]\d\d?[/.-]\d{{2,4}} {_CLOCK}(?: [AP]M)?)"
)
_PROGRAM = r"[\w./@():-]{1,80}?(?:\[\d{1,10}\])?"
_LEVEL = r"(?i:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)"
_END = r"(?: |$)"


class Kind(NamedTuple):
    """A kind of prefix: what notes call it, and its expression; group ``who`` says whose line it is."""

    name: str
    form: re.Pattern[str]
    needs: int = 3
    """Fewest lines that must have it."""


def _kind(name: str, form: str, needs: int = 3) -> Kind:
    return Kind(name, re.compile(form), needs)


KINDS = (
    _kind("quoted mail", r">(?: ?>)*(?: |(?=\S)|$)", 2),
    _kind("container log", rf"{_ISO} (?:stdout|stderr) [FP]{_END}", 2),
    _kind(
        "syslog",
        rf"<\d{{1,3}}>1 {_ISO} (?P<who>\S{{1,200}} \S{{1,80}} \S{{1,40}}) \S{{1,40}} (?:-|\[[^\]]{{0,300}}\]){_END}",
        2,
    ),
    _kind("syslog", rf"(?:<\d{{1,3}}>)?{_MOMENT} (?P<who>[\w.:-]{{1,200}} {_PROGRAM}):{_END}", 2),
    _kind("mpirun", r"(?:\[(?P<who>[\w.@-]{1,120}, ?\d{1,7})\])?(?:\[[\w.]{1,20}\])?<std(?:out|err|diag)>: ?", 2),
    _kind("mpirun", rf"{_MOMENT}\[?(?P<who>[\w.,@-]{{1,120}})?\]?<std(?:out|err)>: ?", 2),
    _kind("annotated", rf"{_CLOCK} [OEI]:{_END}"),
    _kind("stamped", rf"{_MOMENT}(?: ?\||:| -)?{_END}"),
    _kind("stamped", rf"\[{_MOMENT}\]:?{_END}"),
    _kind("stamped", rf"\[ *\+?(?:\d{{1,4}}:)?(?:\d{{1,3}}:)?\d{{1,7}}(?:\.\d{{1,9}})?s?\]{_END}"),
    _kind("stamped", rf"(?:\d{{1,4}}:)?\d\d:\d\d(?:\.\d{{1,9}})?{_END}"),
    _kind("stamped", rf"\d{{10}}(?:\.\d{{1,9}})?{_END}"),
    _kind("stamped", rf"{_MONTH} +\d{{1,2}} {_CLOCK}{_END}"),
    _kind("levels", rf"\[?{_LEVEL}\]?:?{_END}"),
    _kind("levels", rf"{_LEVEL}:[\w.]{{1,80}}:"),
    _kind("ranks", r"\[(?P<who>\d{1,7})\]:?(?: |$)"),
    _kind("ranks", r" *(?P<who>\d{1,7}):(?: |$)"),
    _kind("names", r"\[(?P<who>[\w./:@+-]{1,200})\]:?(?: |$)"),
    _kind("names", r"(?P<who>[\w.@/-]{1,200}) *\|(?: |$)"),
    _kind("names", r"(?P<who>[A-Za-z][\w.@-]{0,200}):(?: |$)"),
    _kind("names", r"(?P<who>[A-Za-z][\w.@-]{0,200})\t"),
    _kind("grep", r"(?P<who>[^\s:]{1,300}):\d{1,9}:"),
    _kind("grep", r"(?P<who>[^\s:]{1,300}?)[:-]\d{1,9}[:-]"),
    _kind("grep", r"(?P<who>[^\s:]{1,300}):"),
    _kind("grep", r"(?P<who>[^\s:]{1,300}\.[A-Za-z]{1,6})[:-]"),
    _kind("numbered", r"\d{1,9}[:-]"),
    _kind("numbered", r" *\d{1,9}(?:\t| \| ?|  )"),
    _kind("commented", r"(?:#|//|;|--|\*|%|rem|REM)(?: |$)"),
    _kind("difference", r"\+"),
    _kind("bars", r"\|(?: |$)"),
    _kind("indented", r"(?: {4}|\t)"),
    _kind("indented", r" {2}"),
)
_ANY = re.compile("|".join(f"(?:{re.sub(r'[(][?]P<who>', '(?:', kind.form.pattern)})" for kind in KINDS))
"""What any line with a prefix begins with: asked first, of a few lines."""

_SAMPLE = 40
"""Lines that are looked at from each place at which a log is sampled."""
_SHARE = 0.6
"""Share of the lines of a sample that must have a prefix."""
_FEW_NAMES = 0.5
"""Names may be at most this many a line: in prose every line begins with another word."""


def samples(lines: Lines, around: Sequence[int] = ()) -> list[list[str]]:
    """Return some of the lines that are not empty: from the beginning, from the middle, and around some places."""
    texts = lines.texts
    starts = {0, max(0, len(texts) // 2 - _SAMPLE // 2), *(max(0, place - 3) for place in around)}
    found = [
        [text for text in texts[start : start + 2 * _SAMPLE] if text.strip()][:_SAMPLE] for start in sorted(starts)
    ]
    return [sample for sample in found if sample]


def may_have_prefix(lines: Lines, around: Sequence[int] = ()) -> bool:
    """Whether lines of a sample begin with what looks like a prefix, or all alike."""
    return any(
        sum(_ANY.match(text) is not None for text in sample) >= _SHARE * len(sample) or _learned(sample) is not None
        for sample in samples(lines, around)
    )


def without(lines: Lines, around: Sequence[int] = ()) -> Iterator[Lines]:
    """Yield the lines without a prefix, once for each kind of prefix that a sample of them has."""
    seen: set[str] = set()
    for sample in samples(lines, around):
        for kind in _kinds(sample):
            if kind.form.pattern not in seen:
                seen.add(kind.form.pattern)
                yield _stripped(lines, kind)


def _kinds(sample: Sequence[str]) -> Iterator[Kind]:
    """Kinds of prefix that most lines of a sample have, the known ones first."""
    for kind in KINDS:
        found = [match for text in sample if (match := kind.form.match(text))]
        if len(found) >= max(min(kind.needs, len(sample)), _SHARE * len(sample)) and _few(found):
            yield kind
    if learned := _learned(sample):
        yield learned


def _few(found: Sequence[re.Match[str]]) -> bool:
    if "who" not in found[0].re.groupindex:
        return True
    return len({match["who"] for match in found}) <= max(1, _FEW_NAMES * len(found))


_SEPARATOR = re.compile(r"(?:[\]>|)}]|[:;=-])(?=[ \t])[ \t]?|\t|[>|\]]")
_CHANGING = re.compile(rf"\d+|{_MONTH}\b|{_DAY}\b|{_LEVEL}\b|std(?:out|err)")
_LONGEST = 200


def _learned(sample: Sequence[str]) -> Kind | None:
    """Learn a prefix: the longest beginning, up to a separator, that nearly all lines share, what changes apart."""
    if len(sample) < 4:
        return None
    shapes: Counter[str] = Counter()
    for text in sample:
        begin = text[:_LONGEST]
        shapes.update({_shape(begin[: found.end()]) for found in _SEPARATOR.finditer(begin)})
    shared = [shape for shape, count in shapes.items() if count >= 0.9 * len(sample) and len(shape) > 2]
    return Kind("prefix", re.compile(max(shared, key=len))) if shared else None


def _shape(begin: str) -> str:
    """Write a beginning as an expression in which numbers, dates and levels may change."""
    parts, at = [], 0
    for found in _CHANGING.finditer(begin):
        parts += [re.escape(begin[at : found.start()]), r"\d+" if found[0].isdecimal() else r"\w+"]
        at = found.end()
    return "".join(parts) + re.escape(begin[at:])


def _stripped(lines: Lines, kind: Kind) -> Lines:
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
    stripped = lines.changed(texts, kind.name)
    return stripped if len(whose) < 2 else stripped.chosen(place for places in whose.values() for place in places)
