"""What ``collectl`` prints of a host: on the terminal, and in plot format (collectl_plot.py).

Brief: a line of groups (``#<--------CPU--------><---Disks---> ...``), a line of columns beginning with ``#``, a line a
sample; both headings come again. Verbose and detail: titles such as ``# DISK STATISTICS (/sec)``, an optional line of
groups, a line of columns, and a line a sample or a line a device; with several subsystems ``### RECORD`` and the time
stand before them. ``-oT``, ``-oD`` and ``-om`` put a time, a date and milliseconds before the columns. Widths change
with the options: a column belongs to the group that stands above it.

Times are local but in RECORD and with ``-oU`` (seconds since 1970). There is no end mark; Ctrl-C is answered with
``Ouch!``.
"""

from __future__ import annotations

import re

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks, Line, words
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.monitors import collectl_plot
from storagelab.parsers.monitors import collectl_terminal as terminal
from storagelab.parsers.monitors.slots import columns_of
from storagelab.parsers.monitors.snapshot import first_words, whole_lines

CHECKS = Checks(
    together=(
        (*words("SUMMARY (INTR, CTXSW"), Line("User  Nice", r"User  Nice|USER  NICE", "  N")),
        words("# DISK SUMMARY", "KBRead RMerged"),
        (
            *words("# NETWORK SUMMARY"),
            Line("KBIn  PktIn", r"#(?:(?:Date +)?Time)? +(?:KBIn  PktIn SizeIn|InPck  InErr)", "In"),
        ),
    ),
    once=True,
)

FORMAT = Format(
    "collectl",
    "collectl",
    "4.3.1",
    "samples of a host",
    "collectl(1); collectl's formatit.ph",
    marks=("sample", "Date", "UTC", "CPU", "DISK", "NETWORK", "MEMORY", "PROCESS", "PROCESSES", "RECORD"),
    shapes=("# *<-",),
    opens=("second sample...", "#Date ", "#UTC "),
    forms=(
        (
            " <--------CPU-",
            "### RECORD",
            "--CPU--------><",
            "--CPU[HYPER]-----><",
            "--Disks-----",
            "#cpu ",
            "# TOP PROCESSES",
            "# PROCESS SUMMARY",
            " STATISTICS (",
            " SUMMARY (",
            "# LUSTRE ",
            "# INTERRUPT ",
            "# MEMORY FRAGMENTATION",
            "# NFS SERVER/CLIENT ",
            "# SOCKET STATISTICS",
            "# INODE SUMMARY",
            "# SLAB SUMMARY",
        ),
        ("#Date,", "#Date;", "#Date Time ", "#UTC Time ", "# Collectl:   V"),
    ),
    in_paragraphs=True,
    prefixes=("stamped", "numbered"),
    checks=CHECKS,
)

_MARK = re.compile(
    r"\n#(?: *<-+[A-Z][A-Za-z ]*(?:\[HYPER\])?-+>"
    r"| (?:SINGLE )?(?:CPU(?:\[HYPER\])?|DISK|NETWORK|MEMORY|PROCESS) (?:SUMMARY|STATISTICS)|## RECORD +\d+ >>>"
    r"| (?:LUSTRE [A-Z ]{3,40}|INFINIBAND S[A-Z]+|NFS SUMMARY|NFS SERVER/CLIENT DETAILS|TCP STACK SUMMARY) \("
    r"| (?:INTERRUPT (?:SUMMARY|DETAILS)|MEMORY FRAGMENTATION|SOCKET STATISTICS|INODE SUMMARY|SLAB SUMMARY)\b"
    r"| TOP PROCESSES sorted by )"
)


_GROUPS = re.compile(
    r"^ *<-+[A-Z][A-Za-z ]*(?:\[HYPER\])?-+>(?:<-+[A-Z][A-Za-z ]*(?:\[HYPER\])?-+>|(?!))*+[ \t]*$", re.MULTILINE
)
"""A line of groups whose ``#`` got lost on a page, where it may be taken for that of a title."""


def _marked(text: str) -> str:
    """Put the ``#`` before the two lines of a brief heading that lack it; their places stay above each other."""
    if "->" not in text or not _GROUPS.search(text):
        return text
    lines = text.split("\n")
    for at in [at for at, line in enumerate(lines[:-1]) if _GROUPS.fullmatch(line)]:
        names = lines[at + 1].split()
        if names and not any(map(str.isdecimal, names)) and not lines[at + 1].startswith("#"):
            lines[at : at + 2] = [f"#{lines[at]}", f"#{lines[at + 1]}"]
    return "\n".join(lines)


def sniff(head: str) -> bool:
    """Whether a heading of collectl's stands here."""
    head = _marked(head)
    if "#" not in head:
        return False
    return "second sample..." in head or collectl_plot.sniff(head) or _MARK.search(f"\n{head}") is not None


def parse(text: str) -> Parsed:
    """Read every sample into `series`: a row a device, interface, processor and direction.

    Raises
    ------
    ParseError
        If no sample stands under a heading.
    """
    parsed = Parsed({"tool": "collectl"})
    lines = whole_lines(_marked(text), parsed)
    blocks = (collectl_plot if collectl_plot.sniff("\n".join(lines)) else terminal).read(lines, parsed)
    parsed.series = columns_of(blocks)
    if not parsed.series:
        raise ParseError("a sample under a heading of collectl's", *first_words(text))
    return parsed
