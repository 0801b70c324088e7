"""Headings of iostat's tables: which lines are one, and the tables below it."""

from __future__ import annotations

import functools
import itertools
import re

from storagelab.parsers.monitors.sysstat.cells import is_number

DEVICES = ("Device", "Device:", "Filesystem", "Filesystem:", "device")
_OF_HOST = re.compile(r"(?=.)(?:tin tout)?(?:(?:^| )us (?:ni )?sy (?:in |wt )?id)?")
"""Columns of terminals and processors."""


def is_heading(words: list[str]) -> bool:
    """Whether these are the columns of a table: of terminals and processors, or of devices, of which one is a rate."""
    if words[0] in ("tin", "us"):
        return _OF_HOST.fullmatch(" ".join(words)) is not None
    return (words[0] in DEVICES or words[-1] in DEVICES) and _are_columns(tuple(words))


@functools.lru_cache(maxsize=256)
def _are_columns(words: tuple[str, ...]) -> bool:
    return any(word.endswith(("/s", "r/i")) or word in ("msps", "%util") for word in words) and not any(
        map(is_number, words)
    )


def tables(columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the columns of each table that stands under one heading: of disks, of terminals, of processors.

    Where disks are counted (``r/i``), characters of terminals are too.
    """
    if "r/i" in columns:
        columns = tuple(f"{name}/i" if name in ("tin", "tout") else name for name in columns)
    begins = [0, *(at for at in range(1, len(columns)) if columns[at] in ("tin", "tin/i", "us"))]
    return [columns[begin:end] for begin, end in itertools.pairwise([*begins, len(columns)])]
