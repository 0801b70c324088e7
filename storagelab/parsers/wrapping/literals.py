r"""Logs inside string literals, as of JSON documents and test suites: ``"r b\n1 0\n"`` holds two lines.

Sources: RFC 8259 (strings of JSON), ECMA-262 (string literals and templates), the references of Python, Rust (a
backslash at the end of a line) and PHP (string operators).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from storagelab.parsers.wrapping.lines import Lines

_END_OF_LINE = r"\n"
"""Behind a further backslash it is one of a literal in the literal."""
_STEP = "string literals"
_FEWEST = 2
"""Ends of lines: a literal with one is a message."""
_LITERAL = re.compile(r"([\"'`])(?P<inside>(?:\\.|(?!\1)[^\\]|(?!))*+)(?P<end>\1?)")
_APART = re.compile(r"([\"'])\s{0,3}\+\s{0,3}\1(?=\\n\1)")
"""Stands between a line and its end, where a program of Java adds the one to the other."""
_ESCAPE = re.compile(r"\\(?:u(?P<four>[0-9a-fA-F]{4})|x(?P<two>[0-9a-fA-F]{2})|(?P<sign>.))")
_END = "\n"
_SIGNS = {"n": _END, "t": "\t", "r": "", "b": "\b", "f": "\f", "0": "\0"}
_BEGINS_DOCUMENT = re.compile(r"\s*+[\[{]\s*+[\"\[{]")
_DECODER = json.JSONDecoder(strict=False)
_GOES_ON = ("+", "\\")
"""What stands behind a literal that the next line goes on with."""
_JOINS = ("+", ". ")
"""What a line begins with that goes on with the literal above it: in Java and JavaScript, in PHP and Perl."""
_RAW = re.compile(
    r"(?:^|[=(:,\[{\s]|return)[ \t]{0,9}(?P<prefix>[bBfFrRuU]?)"
    r"(?P<quotes>\"\"\"|'''|(?<=[=(:,\s])`(?![^'`\n]{1,300}'(?:[:;,.\s]|$))(?=[^`\n]*$))",
    re.MULTILINE,
)
"""What opens a literal of several lines; old tools of GNU quote names so (dd: writing to `FILE': No space left)."""
_TAB = re.compile(r"(?<!\\)\\t")
"""A tab in a line of such a literal of Python; Go, which has backticks too, knows no escapes in theirs."""
_QUOTES_OF_RAW = ('"""', "'''", "`")
_PIECE = re.compile(r"([\"'])(?P<inside>(?:\\.|(?!\1)[^\\]|(?!))*+)\1[ \t]*+(?:(?P<goes_on>[+.\\]?)|[);,]++)[ \t\r]*+$")
"""A literal at the end of a line, and whether the next one may go on with it."""
_NEXT_PIECE = re.compile(rf"[ \t]*+(?:\+[ \t]*+|\.[ \t]++|(?!))?+[bBfFrRuU]?{_PIECE.pattern}")
_OPEN_PIECE = re.compile(r"[ \t]*+(?:\+[ \t]*+|\.[ \t]++|(?!))?+[bBfFrRuU]?[\"']")
_ALONE = re.compile(r"\s*+[bBfFrRuU]?([\"'])(?:\\.|(?!\1)[^\\]|(?!))*+\1\s*+")
"""A literal and nothing else, with which Python goes on in the next line."""


LISTED = '",\n'
"""Where one string of a list ends and the next one stands on a line of its own."""
_ITEM = re.compile(r'[ \t]*+"(?P<inside>(?:\\.|[^"\\\n]|(?!))*+)"(?P<goes_on>,?)[ \t\r]*+$')
_FEWEST_ITEMS = 3


class _Inside(NamedTuple):
    """What literals of a line hold, the quote that the last one lacks, and whether the next line goes on with it."""

    text: str
    quote: str
    goes_on: bool


def may_hold_lines(text: str) -> bool:
    """Whether literals in a text may hold lines."""
    return text.count(_END_OF_LINE) >= _FEWEST


def in_literals(lines: Lines) -> Lines | None:
    """Leave the lines that string literals hold, each with the number of the line that holds it; None without any."""
    if not may_hold_lines(lines.text):
        return None
    kept: list[int] = []
    texts: list[str] = []
    rests: dict[int, int] = {}
    quote, is_open = "", False
    for place, inside, goes_on in _held(lines.texts):
        held = inside.text.removesuffix(_END).split(_END)
        if goes_on and is_open:
            texts[-1] += held.pop(0)
            rests[lines.numbers[place]] = lines.numbers[kept[-1]]
        kept += [place] * len(held)
        texts += held
        quote, is_open = inside.quote, not inside.text.endswith(_END)
    if not kept or _is_said_beside_others(texts, lines.text):
        return None
    found = lines.chosen(kept).shown(texts, _STEP).with_rests(rests)
    is_whole = not quote and not is_cut_document(lines.text)
    return _ended(found) if is_whole else replace(found, count=found.numbers[-1])


def in_lists(lines: Lines) -> Lines | None:
    """Leave the strings of lists that hold a line each, as Ansible prints them and notebooks keep them; None without.

    Of lists of several lines that are written in one `in_literals` knows.
    """
    if not _has_items(lines.text):
        return None
    lists: list[list[tuple[int, str]]] = [[]]
    for place, text in enumerate(lines.texts):
        item = _ITEM.match(text)
        if item:
            lists[-1].append((place, _decoded(item["inside"]).removesuffix(_END)))
        if lists[-1] and not (item and item["goes_on"]):
            lists.append([])
    held = [item for found in lists if len(found) >= _FEWEST_ITEMS for item in found]
    if not held or any(_END in text for _, text in held):
        return None
    places, texts = zip(*held, strict=True)
    return _ended(lines.chosen(places).shown(texts, _STEP))


def _has_items(text: str) -> bool:
    """Whether a line is a string of a list that goes on; in a document most strings are values, behind their keys."""
    end = text.find(LISTED)
    while end >= 0:
        if _ITEM.match(text[text.rfind("\n", 0, end) + 1 : end + 2]):
            return True
        end = text.find(LISTED, end + 1)
    return False


def _ended(lines: Lines) -> Lines:
    """Return lines of which the last one has an end too."""
    return replace(lines, texts=[*lines.texts, ""], numbers=[*lines.numbers, lines.numbers[-1]])


def in_pieces(lines: Lines) -> Lines | None:
    """Join the literals that a program goes on with from line to line, and leave nothing else; None without any.

    Of literals that hold ends of lines `in_literals` knows where each line stands.
    """
    if may_hold_lines(lines.text):
        return None
    pieces, is_cut = _pieces(lines.texts)
    joined = [(places, line) for places, text in pieces for line in text.removesuffix(_END).split(_END)]
    if not joined:
        return None
    found = lines.chosen(places[0] for places, _ in joined).shown((line for _, line in joined), _STEP)
    found = found.with_rests(
        {lines.numbers[place]: lines.numbers[places[0]] for places, _ in pieces for place in places[1:]}
    )
    return replace(found, count=found.numbers[-1]) if is_cut else _ended(found)


def _pieces(texts: Sequence[str]) -> tuple[list[tuple[list[int], str]], bool]:
    """Return the places of lines that go on with each other, with what they hold; and whether one breaks off."""
    found: list[tuple[list[int], str]] = []
    above: re.Match[str] | None = None
    is_cut = False
    for place, text in enumerate(texts):
        piece = _NEXT_PIECE.fullmatch(text) if above and above["goes_on"] is not None else None
        if piece:
            places, held = found[-1]
            found[-1] = [*places, place], held + _decoded(piece["inside"])
        else:
            is_cut |= above is not None and (bool(above["goes_on"]) or _OPEN_PIECE.match(text) is not None)
            piece = _PIECE.search(text)
            found += [([place], _decoded(piece["inside"]))] if piece else []
        above = piece
    return [(places, held) for places, held in found if len(places) > 1], is_cut


def in_raw_literals(lines: Lines) -> Lines | None:
    """Leave what stands in literals of several lines, in triple quotes or backticks behind code; None without any."""
    if not any(map(lines.text.__contains__, _QUOTES_OF_RAW)):
        return None
    kept: list[int] = []
    texts: list[str] = []
    closing = ""
    keeps_escapes = False
    for place, text in enumerate(lines.texts):
        inside = text
        if closing and closing in text:
            inside, closing = text.partition(closing)[0], ""
        elif not closing:
            opening = _RAW.search(text)
            closing = opening["quotes"] if opening else ""
            inside = text[opening.end() :] if opening else ""
            keeps_escapes = closing == "`" or (opening is not None and opening["prefix"] in ("r", "R"))
        if inside.strip() or (closing and inside is text):
            kept.append(place)
            texts.append(inside if keeps_escapes else _TAB.sub("\t", inside))
    return lines.chosen(kept).shown(texts, _STEP) if kept else None


def _is_said_beside_others(texts: Sequence[str], whole: str) -> bool:
    """Whether a document holds more than these texts: what it quotes is not what it says."""
    return _is_document(whole) and 2 * sum(map(len, texts)) < len(whole)


def is_cut_document(text: str) -> bool:
    """Whether a text begins as JSON that breaks off or is damaged."""
    if not _is_document(text):
        return False
    try:
        _DECODER.raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return True
    return False


def _is_document(text: str) -> bool:
    return _BEGINS_DOCUMENT.match(text) is not None


def _held(texts: Sequence[str]) -> Iterator[tuple[int, _Inside, bool]]:
    """Yield the places of lines with literals that end lines, and of those that go on with them, which are told."""
    above: _Inside | None = None
    for place, text in enumerate(texts):
        goes_on = above is not None and (above.goes_on or text.lstrip().startswith(_JOINS))
        quote = above.quote if above and goes_on else ""
        above = _inside(quote + _APART.sub("", text), goes_on) if goes_on or _END_OF_LINE in text else None
        if above:
            yield place, above, goes_on


def _inside(text: str, goes_on: bool) -> _Inside | None:
    """Return what the literals of a line hold; of a line without quotes, which a program logged, all of it."""
    literals = [found for found in _LITERAL.finditer(text) if goes_on or _END_OF_LINE in found["inside"]]
    if literals:
        held = _END.join(_decoded(found["inside"]).removesuffix(_END) for found in literals)
        ended = _END * literals[-1]["inside"].endswith(_END_OF_LINE)
        quote = "" if literals[-1]["end"] else literals[-1][1]
        goes_on = text.rstrip().endswith(_GOES_ON) or _ALONE.fullmatch(text) is not None
        return _Inside(held + ended, quote, goes_on)
    if text.count(_END_OF_LINE) < _FEWEST:
        return None
    return _Inside(_decoded(text), "", goes_on=False)


def _decoded(text: str) -> str:
    return _ESCAPE.sub(_sign, text)


def _sign(escape: re.Match[str]) -> str:
    if code := escape["four"] or escape["two"]:
        return chr(int(code, 16))
    return _SIGNS.get(escape["sign"], escape["sign"])
