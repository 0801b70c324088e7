"""IOzone: automatic tables, throughput mode and Excel reports of versions 3.2xx to 3.51x.

The format is what ``iozone.c`` prints (http://www.iozone.org): a banner, the options in force, the command line, then

* automatic mode (``-a``, or one size): a table, a line a file size and record size, a column a test (`table`);
* throughput mode (``-t``, ``-l``/``-u``; cluster mode ``-+m`` is the same): six lines a test, a line a child with
  ``-C`` and the processor time with ``-+u`` (`throughput`);
* with ``-R`` an Excel report of the same numbers (`excel`).

Traps: its KB, kB, Kbytes and kBytes are 1024 bytes, whatever the spelling; ``-O`` and ``-N`` change what the same
columns mean; columns of tests that did not run are blank, in newer versions narrower than their heading; numbers may
touch; 0 is printed for what did not run; a child that moved nothing before the others were done counts in the mean but
not always in the minimum. Logs reach us through mail, pdsh and wikis (`lines`).
"""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.iozone.checks import CHECKS
from storagelab.parsers.benchmarks.iozone.fast_path import ORDINARY
from storagelab.parsers.benchmarks.iozone.log import parse
from storagelab.parsers.benchmarks.iozone.table import is_headless_row
from storagelab.parsers.model import Format

__all__ = ["FORMAT", "ORDINARY", "parse", "sniff"]

FORMAT = Format(
    name="iozone",
    tool="IOzone",
    versions="3.2xx to 3.51x",
    reads="automatic tables, throughput and cluster mode, Excel reports",
    source="http://www.iozone.org",
    marks=("Iozone", "iozone", "Children", "Parent", "reclen", "report", "Report", "Initial", "Rewrite", "Re", "Error"),
    shapes=(r"\n[> \t]*+\d+(?:[ \t]++\d+){14}",),
    opens=(
        "Iozone: Performance Test of File I/O",
        "iozone test complete",
        "Children see throughput",
        "Parent sees throughput",
        "Throughput report Y-axis",
    ),
    checks=CHECKS,
)

_SIGNS = {
    "ozone": re.compile(r"Iozone: Performance Test of File I/O|iozone test complete|iozone: interrupted"),
    "throughput for": re.compile(r"(?:Children see|Parent sees) throughput for"),
    "reclen": re.compile(r"\bK?k?B\s+reclen\s+(?:write|rewrite|read)\b"),
    "eport": re.compile(
        r"\"Throughput report Y-axis is type of test"
        r"|^[\"\t ]*(?:Re-)?(?:[Ww]riter|[Rr]eader) [Rr]eport\b[^\n]*\n[\s\",;]*\d+[\s\",;]",
        re.MULTILINE,
    ),
    'rite "': re.compile(r"\"\s*(?:Initial write|Rewrite) \"\s+\d"),
    'Re-read "': re.compile(r"\"\s*Re-read \"\s+\d"),
    "Error ": re.compile(r"Error in file: Found \?|Error (?:reading|writing) block \d+, fd= ?\d+"),
}
"""What only IOzone prints, behind a word that a look-up finds a hundred times as fast as an expression."""

_ROWS = re.compile(r"\n(?:^[> \t]*\d+[ \t]+\d+(?:[ \t]+\d+){13}[ \t]*\n\s*){3}", re.MULTILINE)


def sniff(head: str) -> bool:
    """Whether this part of a log holds a line that only IOzone prints, or lines of its table without the heading.

    IOzone prints no JSON; to say so first spares long JSON logs the expressions.
    """
    if head.startswith("{"):
        return False
    for word, sign in _SIGNS.items():
        if word in head and sign.search(head):
            return True
    return _holds_rows(head)


def _holds_rows(head: str) -> bool:
    match = _ROWS.search(f"\n{head}")
    return match is not None and all(
        is_headless_row(line.lstrip("> \t")) for line in match[0].split("\n") if line.strip("> \t")
    )
