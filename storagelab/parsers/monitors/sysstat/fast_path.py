"""Reports of sysstat that are as its programs print them, which are read in one step (`parsers.fast_path`)."""

from __future__ import annotations

import re
from collections.abc import Callable

from storagelab.parsers.fast_path import Found, Ordinary, shaped
from storagelab.parsers.model import Parsed
from storagelab.parsers.recognition import HEAD

BANNER = r"Linux [\w.+-]{1,80}+ \([\w.-]{1,80}+\) \t[\d/-]{6,10}+ \t_\w{1,20}_\t\(\d{1,4} CPU\)\n"
_TIME = r"(?:\d\d:\d\d:\d\d(?: [AP]M)?|Average:)"
_NAMES = r"(?: +[a-zA-Z%][\w/%-]{0,20}+|(?!))++"
_ITEM = r"(?: +[a-z][\w.:-]{0,40}+)?"
_CELLS = r"(?: +\d{1,15}(?:\.\d\d|(?!))?+(?![^ \n])|(?!))++"


def reports(sniff: Callable[[str], bool], parse: Callable[[str], Parsed], behind: str = "") -> Ordinary:
    """Return how reports are read whose lines begin with a time: an item, numbers, and what stands behind those.

    One that was stopped has no averages at its end, and is left to who says so: it would be read twice.
    """
    lines = rf"\n|{_TIME}{_NAMES}\n|{_TIME}{_ITEM}{_CELLS}{behind}\n"
    read = shaped(re.compile(rf"{BANNER}(?:{lines}|(?!))++"), parse)

    def read_ordinary(text: str) -> Found | None:
        is_whole = text.startswith("Linux ") and _last_line(text).startswith("Average:")
        return read(text) if is_whole and sniff(text[:HEAD]) else None

    return Ordinary("", read_ordinary)


def _last_line(text: str) -> str:
    return text[text.rstrip("\n").rfind("\n") + 1 :]
