"""Headings of vmstat's samples: which lines are one, and the English names of their columns.

procps translates names of groups and columns. Whatever they are called, Linux' columns stand in one order, under a line
of six groups between dashes: the names of what ``-a`` puts in two places alone must be known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

GROUPS_IN_DASHES = (
    r"[^\s#]{4,9} {1,2}-{8,30}[^\W\d][^\d\n-]{1,20}-{8,30}(?: -{0,5}[^\W\d-][^\s\d-]{1,9}-{0,5}){3} ?-{3,20}[^\W\d]"
)
_UNDER_GROUPS = re.compile(GROUPS_IN_DASHES)
HEADING = re.compile(
    r"^ *(?:r +[bs] +(?:p +)?(?:w +)?(?:swpd|swap|avm|交换) |swap +free +re +mf +fr +de +sr +epi )"
    rf"|^{GROUPS_IN_DASHES}[^\n]*\n(?=[^\d\n]{{40,300}}$)",
    re.MULTILINE,
)
_BEGINS = (["r", "b"], ["r", "s"], ["swap", "free"])
_IN_PLACES = (
    *("r", "b", "swpd", "free", "buff", "cache", "si", "so", "bi", "bo"),
    *("in", "cs", "us", "sy", "id", "wa", "st", "gu"),
)
_CHOSEN = ("buff", "cache")
"""Where ``-a`` has inact and active."""
_KNOWN = frozenset((*_IN_PLACES, "inact", "active"))
_FEWEST = 16
_TRANSLATED = {
    "swpd": "交换",
    "free": "libre frei livre liber 空闲 trống",
    "buff": "búf tampon 缓冲 bufor 버퍼",
    "cache": "caché Cache 缓存 кеш nhớtạm 캐시",
    "inact": "inakt inativ 不活动 nieakt 비활",
    "active": "activo actif aktiv ativo activă 活动 активно hđộng aktivt akt აქტიური 활성",
    "si": "sin",
    "bi": "bin",
}
"""Names of columns in Spanish, French, German, Portuguese, Romanian, Chinese, Ukrainian and Vietnamese, and of what
Swedish, Polish, Georgian and Korean have in two places."""
_ENGLISH = {word: name for name, words in _TRANSLATED.items() for word in words.split()}
CALLS = "system calls"
OF = " of processor "
_IN_BYTES = re.compile(r"\s*r  b  w  avm  fre ")
FREE_BYTES = "fre in bytes"


def is_heading(words: Sequence[str], above: str) -> bool:
    """Whether these words are the names of columns, `above` being the line over them."""
    return list(words[:2]) in _BEGINS or (_is_under_groups(words, above) and not any(map(str.isdecimal, words)))


def _is_under_groups(words: Sequence[str], above: str) -> bool:
    return len(words) >= _FEWEST and _UNDER_GROUPS.match(above) is not None


def names_of(words: Sequence[str], line: str, above: str) -> tuple[str, ...]:
    """Return the English names of the columns in a heading's line, each once, `above` being the line over it."""
    english = [_ENGLISH.get(word, word) for word in words]
    if _is_under_groups(words, above) and not _KNOWN.issuperset(word for word in english if not word.isupper()):
        english[: len(_IN_PLACES)] = map(_in_place, _IN_PLACES, english)
    return tuple(_in_their_unit(columns(english), line))


def _in_place(name: str, word: str) -> str:
    """Name what stands in a place of Linux; there may be the name of a time zone, or what ``-a`` chose."""
    is_zone = word.isupper() or not word.isalpha()
    return word if is_zone or name in _CHOSEN else name


def columns(words: Sequence[str]) -> Iterator[str]:
    """Names of the columns; a ``sy`` apart from ``us`` and ``id`` counts system calls, namesakes get their ordinal.

    FreeBSD's ``-P`` prints shares of time for each processor, which get its number.
    """
    is_of_each = words.count("us") > 1
    seen = Counter[str]()
    for at, word in enumerate(words):
        if word == "sy" and words[at - 1] != "us" and words[at + 1 : at + 2] != ["id"]:
            word = CALLS
            yield word
        elif is_of_each and word in ("us", "sy", "id"):
            yield f"{word}{OF}{seen[word]}"
        else:
            yield f"{word} ({at + 1})" if seen[word] else word
        seen[word] += 1


def _in_their_unit(names: Iterable[str], heading: str) -> Iterator[str]:
    """Name the free memory after its unit, where the heading is of a FreeBSD that prints bytes."""
    is_in_bytes = _IN_BYTES.match(heading)
    return (FREE_BYTES if is_in_bytes and name == "fre" else name for name in names)
