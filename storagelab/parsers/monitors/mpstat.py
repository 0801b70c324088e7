"""Reports of sysstat's ``mpstat``: what each processor did, as text or, with ``-o JSON``, as JSON.

The text is built like that of sar (see there): a time and columns, lines that begin with a time, averages at the end.
Without an interval there is one report, since boot: its time is that of its columns, and it has no averages. ``-I``
prints tables of interrupts with a column each, ``-N`` and ``-T`` nodes and places of processors. In JSON the processor
of all processors together is "all", or "-1" in versions up to 12.0. Documented in mpstat(1) of sysstat 5 to 12.7.

Solaris', AIX' and Performance Co-Pilot's ``mpstat`` are other programs, read by mpstat_solaris.py, mpstat_aix.py and
mpstat_pcp.py.
"""

from __future__ import annotations

import re

from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.monitors import mpstat_aix, mpstat_pcp, mpstat_solaris
from storagelab.parsers.monitors.sysstat.banner import SHAPE, opens_with_banner
from storagelab.parsers.monitors.sysstat.clock import ZONE, plain
from storagelab.parsers.monitors.sysstat.document import read_json
from storagelab.parsers.monitors.sysstat.fast_path import reports
from storagelab.parsers.monitors.sysstat.json_tree import is_document
from storagelab.parsers.monitors.sysstat.report import read_report

FORMAT = Format(
    "mpstat",
    "mpstat",
    "sysstat 10 to 12.7",
    "samples of processors and interrupts",
    "mpstat(1)",
    marks=("sysstat", "iowait", "xcal", "ics", "mpcr", "ilcs", "Timestamp CPU"),
    shapes=(SHAPE,),
    forms=(
        (" CPU)", "%irq   %soft", "Average:"),
        ('"sysstat"', '"cpu-load"'),
        (" xcal ",),
        mpstat_aix.MARKS,
        mpstat_pcp.MARKS,
    ),
    in_paragraphs=True,
    in_scripts=True,
    prefixes=("names", "stamped", "numbered"),
)

_OPENING = re.compile(
    r"^ ?(?:\S++(?<=[:>]) )?(?:(?:\S++ ){0,2}\S++(?:(?<=\d\d)|(?<=\d\d\S))(?: ++[AaPp]\.?[Mm]\.?)?"
    rf"(?: {{1,2}}{ZONE})?|[^\W\d]{{1,20}}\.? ?[:：]) ++(?:CPU|NODE) ++"
    r"(?:\S++ .*%iowait +%irq +%soft|%\S++ .*%soft +%idle +intr/s|intr/s|\S+/s  )"
    r"|^CPU ++%\S++ .*%iowait +%irq +%soft"
)
_IN_OPENINGS = ("%irq", "/s")
"""Each match holds one of these, which are looked for many times as fast."""
_SECTIONS = ("cpu-load", "node-load", "sum-interrupts", "individual-interrupts", "soft-interrupts")
_OF_SAR = ("MHz", "total/s   dropd/s", "i000/s")


def sniff(head: str) -> bool:
    """Whether a table of mpstat opens here, in text or JSON."""
    if mpstat_solaris.MARK in head:
        return mpstat_solaris.sniff(head)
    if mpstat_aix.sniff(head) or mpstat_pcp.sniff(head):
        return True
    head = plain(head)
    if "cpu" in head and '"sysstat"' in head:
        return '"file-date"' not in head and any(f'"{section}"' in head for section in _SECTIONS)
    if not any(mark in head for mark in _IN_OPENINGS) or (not opens_with_banner(head) and "%iowait" not in head):
        return False
    named = (line for line in head.split("\n") if "CPU" in line or "NODE" in line)
    lines = (line for line in named if any(mark in line for mark in _IN_OPENINGS))
    return any(map(_OPENING.match, lines)) and not any(mark in head for mark in _OF_SAR)


def parse(text: str) -> Parsed:
    """Read every table into `series`.

    Raises
    ------
    ParseError
        If there is no table, or no line under its columns.
    """
    if is_document(text):
        return read_json(text, "mpstat", _SECTIONS)
    if mpstat_aix.sniff(text):
        return mpstat_aix.read(text)
    if mpstat_pcp.sniff(text):
        return mpstat_pcp.read(text)
    return mpstat_solaris.read(text) if mpstat_solaris.sniff(text) else read_report(text, "mpstat")


ORDINARY = reports(sniff, parse)
