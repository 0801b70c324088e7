"""Totals of ``vmstat -s`` in any language: what a line counts follows from its place, which no translation changes.

procps prints 26 totals up to 3.3.17, and 28 since 4.0, which counts guests and says the unit of what is paged.
Translations leave some lines in English; the Polish one puts numbers behind names. Read are totals in KiB, which vmstat
prints unless ``-S`` asks for others. That no line is lost is seen by the time of boot, the last number but one.
Printed by src/vmstat.c of procps-ng (sum_format) with its po/*.po.
"""

from __future__ import annotations

import re

_OF_MEMORY = ("total memory", "used memory", "active memory", "inactive memory", "free memory", "buffer memory")
"""Names that every translation translates."""
_SIZES = (*_OF_MEMORY, "swap cache", "total swap", "used swap", "free swap")
_TICKS = (
    *("non-nice user cpu ticks", "nice user cpu ticks", "system cpu ticks", "idle cpu ticks"),
    *("IO-wait cpu ticks", "IRQ cpu ticks", "softirq cpu ticks", "stolen cpu ticks"),
)
_GUESTS = ("non-nice guest cpu ticks", "nice guest cpu ticks")
_EVENTS = (
    *("pages paged in", "pages paged out", "pages swapped in", "pages swapped out"),
    *("interrupts", "CPU context switches", "boot time", "forks"),
)
_ENGLISH = {len(names): names for names in ((*_SIZES, *_TICKS, *_EVENTS), (*_SIZES, *_TICKS, *_GUESTS, *_EVENTS))}
"""Names of all totals, by their number."""
_BOOT_TIMES = range(10**9, 2**32)
"""Seconds since 1970, from 2001 on."""
_NUMBER = re.compile(r"\d+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""A line as the lists are of them: what others end lines with may stand in a name."""
_KINDS = (
    (rf" *\d{{1,20}} K (?!(?:{'|'.join(_OF_MEMORY)})\n)\S.*\n", r" *\d{1,20} \S.*(?:\n|\Z)"),
    (r"\S[^:\n]*: +\d{1,20} K\n", r"\S[^:\n]*: +\d{1,20}(?: K)?(?:\n|\Z)"),
)
"""Numbers in front of names, and behind them: a size whose name is not in English, and a count."""
LISTS = "|".join(rf"(?m:^)(?:{size}){{{len(_SIZES)}}}(?:{count}){{{len(_TICKS + _EVENTS)},}}" for size, count in _KINDS)
"""A list of totals in another language than English."""
_LISTS = re.compile(LISTS)
SHAPES = (r" K \S[^\n]{0,80}\n {0,20}\d{1,20} K \S", r" K\n\S[^:\n]*: +\d+ K\n")
"""What such lists look like: sizes of memory with their unit, line below line."""
_UNIT = " K"
_PAGED = re.compile(r"\d K(?: |$)")
"""A number with its unit; behind the sizes only what is paged has one."""


def sniff(head: str) -> bool:
    """Whether a list of totals in another language than English stands here."""
    return any(map(_names, _found(head)))


def in_english(text: str) -> str:
    """Write the totals of a text as vmstat prints them in English, each on its line."""
    return _LISTS.sub(_translated, text) if _UNIT in text else text


def _found(text: str) -> list[re.Match[str]]:
    return list(_LISTS.finditer(text)) if _UNIT in text else []


def _names(found: re.Match[str]) -> tuple[str, ...]:
    """Names of a list's lines in English; none where a line may be lost."""
    lines = _LINE.findall(found[0])
    names = _ENGLISH.get(len(lines), ())
    if not names or int(_number(lines[names.index("boot time")])) not in _BOOT_TIMES:
        return ()
    says_paged = any(_PAGED.search(line) for line in lines[len(_SIZES) :])
    return () if says_paged and "nice guest cpu ticks" not in names else names


def _translated(found: re.Match[str]) -> str:
    names = _names(found)
    return "".join(map(_total, _LINE.findall(found[0]), names)) if names else found[0]


def _total(line: str, name: str) -> str:
    """Write a total under its English name."""
    unit = _UNIT if name in _SIZES else ""
    end = "\n" * line.endswith("\n")
    return f"{_number(line):>13}{unit} {name}{end}"


def _number(line: str) -> str:
    """Return the number in front of a name, or behind it."""
    numbers: list[str] = _NUMBER.findall(line)
    return numbers[0 if line.lstrip()[0].isdecimal() else -1]
