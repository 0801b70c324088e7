"""What xrdcp prints while and after it copies: bars of three kinds, and the summary of the old client."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from storagelab import units
from storagelab.parsers.text import number

_NUMBER = r"(\d+(?:[.,]\d+)?(?:e\+?\d+)?)"
_AMOUNT = _NUMBER + r"([kMGTP]?)i?B"
_BAR = re.compile(rf"\[{_AMOUNT}/{_AMOUNT}\]\[ {{0,3}}(\d{{1,3}})%\]\[=*>? *\]\[{_AMOUNT}/s\]")
_SHARED = re.compile(rf"\[#(\d{{1,9}}): (\d{{1,3}})% {_AMOUNT}/s\]")
_OLD = re.compile(rf"\[xrootd\] Total {_NUMBER} MB\s*[|\[][=>.]*[|\]] *{_NUMBER} % *\[(inf|nan|{_NUMBER}) M[bB]/s\]")
_SUMMARY = re.compile(r"\[xrdcp\] # (Data Copied \[bytes\]|Realtime \[s\]|Eff\.Copy\. Rate\[M[bB]/s\]) +: (\S+)")

_BINARY = units.powers(units.KIB, "KMGTP") | {"k": units.KIB}
_SUMMARY_NAMES = {"D": ("data_size", 1.0), "R": ("elapsed", 1.0), "E": ("throughput", units.MB)}


class Print(NamedTuple):
    """One print of a bar: bytes, the share done and bytes per second; `job` is 0 where the bar does not name one."""

    job: int
    done: float
    total: float
    progress: float
    speed: float
    line: int
    end: int


def bars(text: str, line: int) -> Iterator[Print]:
    """Yield the whole prints in a piece of a line, in their order; `done` is NaN where the bar does not say it.

    A bar whose tail was overwritten by the next one is not whole.
    """
    if "]" not in text:
        return
    if "/s]" in text and "[#" in text:
        for match in _SHARED.finditer(text):
            job, percent, *speed = match.groups()
            yield Print(int(job), math.nan, math.nan, int(percent) / 100, _size(*speed), line, match.end())
    if "B/s]" in text:
        for match in _BAR.finditer(text):
            done, d, total, t, percent, speed_, s = match.groups()
            share = int(percent) / 100
            yield Print(0, _size(done, d), _size(total, t), share, _size(speed_, s), line, match.end())
    if "[xrootd] Total" in text:
        for match in _OLD.finditer(text):
            yield _old(match, line)


def summary(text: str) -> tuple[str, float] | None:
    """Read a line of the old client's summary as a name of the contract and its value."""
    match = _SUMMARY.search(text)
    if not match:
        return None
    name, factor = _SUMMARY_NAMES[match[1][0]]
    try:
        return name, number(match[2]) * factor
    except ValueError:
        return None


def _old(match: re.Match[str], line: int) -> Print:
    """Read a bar of the old client, whose sizes are 2^20 bytes and whose rates are 10^6 bytes per second."""
    total, share = number(match[1]) * units.MIB, number(match[2]) / 100
    return Print(0, total * share, total, share, number(match[3]) * units.MB, line, match.end())


def _size(text: str, letter: str) -> float:
    return number(text) * _BINARY[letter]
