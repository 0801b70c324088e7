"""Lines of IOR's text report that each say something alone: options, bytes moved, stonewalls, best rates."""

from __future__ import annotations

import functools
import re

from storagelab.parsers.benchmarks.ior.options import PRINTED
from storagelab.parsers.model import Row
from storagelab.parsers.text import number as decimal
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import GIB, MB, MIB

_LONG_NAMES = frozenset({"aggregate", "clients"})
_NAME_WIDTH = 18
"""Names of options are padded to this width, so that one whose colon is lost can still be told."""
_MOVED = re.compile(r"Using actual aggregate bytes moved\s*=\s*(\d+)")
_STONEWALL = re.compile(r"pairs accessed min: (\d+) max: (\d+) (?:(?!pairs accessed).)*time: (\d+[.,]\d+)s")
_STONEWALL_DATA = re.compile(r" min data: (\d+[.,]\d+) GiB mean data: (\d+[.,]\d+) GiB ")
BEST = re.compile(r"Max (Write|Read):\s+(-?\d[\d.,]*) MiB/sec(?: \((-?\d+[.,]\d+) MB/sec\)|\s*$)", re.ASCII)
"""People leave out what stands in brackets."""


@functools.lru_cache(maxsize=1024)
def printed(line: str) -> tuple[str, str]:
    """Name and value of a line of the options, found once: the logs of a campaign repeat them.

    The name is "" where the line says nothing of a measurement, and none of `PRINTED` where it is damaged.
    """
    name, sign, value = line.partition(":")
    if not sign or "=" in name:
        name, sign, value = line.partition("=")
    name = name.rstrip()
    wanted = name in PRINTED or name.partition(" ")[0] in _LONG_NAMES
    if not sign:
        name, value = line[:_NAME_WIDTH].rstrip(), line[_NAME_WIDTH:].strip(" =:")
        wanted = name in PRINTED and len(line) > _NAME_WIDTH
    return (name, value.strip()) if wanted else ("", "")


def moved(text: str, line: int) -> Row:
    """Return the bytes that IOR says it moved, where they are not those that it was asked for."""
    found = _MOVED.search(text)
    return on(line, {"data_size": float(found[1])}) if found else {}


def stonewalled(text: str, line: int) -> Row:
    """Return what processes had done when the time of a stonewall was over; {} where the text does not say."""
    pairs = _STONEWALL.search(text)
    if not pairs:
        return {}
    found: Row = {"operations_min": float(pairs[1]), "operations_max": float(pairs[2])}
    found["stonewall_time"] = decimal(pairs[3])
    if data := _STONEWALL_DATA.search(text):
        sizes = zip(("data_size_min", "data_size_mean"), map(decimal, data.groups()), strict=True)
        found |= {name: size * GIB for name, size in sizes if size}
    return on(line, found)


def highest(best: re.Match[str]) -> Row:
    """Return the rate of the best iteration: in 10^6 bytes it has more digits, in MiB it is that of the table."""
    rate = decimal(best[2]) * MIB
    return {"throughput": decimal(best[3]) * MB, "throughput_rounded": rate} if best[3] else {"throughput": rate}
