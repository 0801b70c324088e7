"""Sentences of nfsiostat on caches and pages (``-a``, ``-d``, ``-p``): each number that one tells, under a name.

Printed by nfs-iostat.py (__print_attr_cache_stats, __print_dir_cache_stats, __print_page_stats), in versions for
Python 2 with two sentences on a line. The pages of a call may stand on the line below it.
"""

from __future__ import annotations

import re

from storagelab.parsers.line_formats import metric
from storagelab.parsers.model import Row
from storagelab.parsers.text import finite
from storagelab.units import PERCENT

_CALLS = r"nfs_(?:read|write)(?:pages?|ahead)\(\)"
_COUNTER = re.compile(
    r"(\d{1,20}) (VFS opens|inoderevalidates \(forced GETATTRs\)|(?:page|attribute) cache invalidations"
    r"|open operations \((?:pathname lookups|mandatory GETATTR requests)\)|nfs_updatepage\(\) calls|congestion waits)$"
)
_SENTENCES = (
    re.compile(r"(?P<inode_revalidations>-?\d{1,20}) inode revalidations, "
               r"hitting in cache (?P<hits>-?\d{1,12}\.\d\d)% of the time$"),
    re.compile(r"(?P<invalidations>\d{1,12}\.\d\d)% of GETATTRs resulted in data cache invalidations$"),
    re.compile(r"(?P<dentry_revalidates>\d{1,20}) dentry revalidates and (?P<vfs_lookup_requests>\d{1,20}) "
               r"vfs lookup requests(?: resulted in (?P<LOOKUPs_on_the_wire>\d{1,20}) LOOKUPs on the wire)?$"),
    re.compile(r"resulted in (?P<LOOKUPs_on_the_wire>\d{1,20}) LOOKUPs on the wire$"),
    re.compile(r"(?P<vfs_getdents_calls>\d{1,20}) vfs getdents calls resulted in "
               r"(?P<READDIRs_on_the_wire>\d{1,20}) READDIRs on the wire$"),
)  # fmt: skip
_PAGES = re.compile(
    rf"(?P<calls>\d{{1,20}}) (?P<call>{_CALLS}) calls (?:read|wrote) (?P<pages>-?\d{{1,20}}) pages"
    r"(?: \((?P<each>-?\d{1,20}\.\d) pages per call\))?$"
)
_EACH = re.compile(r"\((-?\d{1,20}\.\d) pages per call\)$")
_SHARES = {
    "hits": "inode revalidations that hit in cache",
    "invalidations": "GETATTRs that resulted in data cache invalidations",
}


class Counters:
    """What the last line was about, for the pages of a call that stand below it."""

    def __init__(self) -> None:
        self._call = ("", 0)

    def read(self, line: str, at: int) -> list[Row]:
        """Return what a line tells, a row a number; nothing where it is none of these sentences."""
        line = line.strip()
        if found := _COUNTER.match(line):
            return [metric(found[2], finite(found[1]), "1", at)]
        if found := _PAGES.match(line):
            return self._pages(found, at)
        if found := _EACH.match(line):
            call, above = self._call
            return [metric(f"{call} pages per call", finite(found[1]), "1", at)] if above == at - 1 else []
        sentence = next((found for one in _SENTENCES if (found := one.match(line))), None)
        return [_told(name, text, at) for name, text in sentence.groupdict().items() if text] if sentence else []

    def _pages(self, found: re.Match[str], at: int) -> list[Row]:
        call = found["call"]
        self._call = (call, at)
        names = {"calls": f"{call} calls", "pages": f"{call} pages", "each": f"{call} pages per call"}
        return [metric(name, finite(found[key]), "1", at) for key, name in names.items() if found[key]]


def _told(name: str, text: str, at: int) -> Row:
    if name in _SHARES:
        return metric(_SHARES[name], finite(text) * PERCENT, "1", at)
    return metric(name.replace("_", " "), finite(text), "1", at)
