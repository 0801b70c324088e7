"""What sysstat's ``sadf`` prints from a data file of sar, in each of its forms.

``-d`` (lines of fields between semicolons), ``-p`` (a value a line), ``-r`` (raw counters), ``-j`` (JSON) and ``-x``
(XML) hold the same tables as sar, under the same or similar names (see the modules of the forms, and `sar`). Times are
UTC where the form says so, and then `started` has an offset. ``elapsed`` is the interval that a sample was taken over.
``rd_sec``, ``avgrq-sz`` and their like, printed beside newer names, are left out: they say the same. Documented in
sadf(1) of sysstat 9 to 12.7, in its rndr_stats.c, raw_stats.c and json_stats.c.

``-d``, ``-p`` and ``-r`` have no end: a log cut between two samples is that of a shorter data file.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.monitors.sysstat.delimited import read_delimited, read_pairs
from storagelab.parsers.monitors.sysstat.document import read_json
from storagelab.parsers.monitors.sysstat.json_tree import is_document
from storagelab.parsers.monitors.sysstat.raw import read_raw
from storagelab.parsers.monitors.sysstat.xml_tree import read_xml
from storagelab.parsers.text import without_prefix

FORMAT = Format(
    "sadf",
    "sadf",
    "sysstat 9 to 12.7",
    "samples of sar's data files: CSV, JSON, XML, raw",
    "sadf(1)",
    marks=("sysstat", "interval", "UTC", "s"),
    shapes=("\t%", "\t(?:-|all)\t"),
    forms=(
        (";interval;timestamp",),
        ('"sysstat"', '"sysdata-version"'),
        ("<sysstat",),
        ("\tall\t%",),
        ("CPU; -1; %", "; kbmemfree; "),
    ),
    prefixes=("names", "stamped", "numbered"),
)

_HEADER = "# hostname;interval;timestamp"
_HEADERS = re.compile(rf"^ *{_HEADER}", re.MULTILINE)
_PAIR = re.compile(r"^[^\t\n]+\t-?\d+\t(?:\d{10}|\d{4}-\d\d-\d\d \d[^\t\n]*)\t[^\t\n]+\t[^\t\n]+", re.MULTILINE)
_OF_PAIRS = ("/s\t", "\t%", "\tall\t", "\t-\t")
_RAW = re.compile(
    r"^(?:\S+[:>] ?)?(?:(?:\d\d:\d\d:\d\d(?: \w+)?|\d{9,10}); [^;\n]+; [^\n]*;|# uptime_cs; \d+; ust_time;)",
    re.MULTILINE,
)


def sniff(head: str) -> bool:
    """Whether a form of sadf opens here."""
    if "sysstat" in head:
        return '"sysdata-version"' in head or '"file-date"' in head or "<sysstat" in head
    if ";" in head and "interval" in head and ";interval;timestamp" in (head := _unquoted(head)):
        return _HEADER in head
    if ";" in head and ("/s; " in head or " UTC; " in head):
        return _RAW.search(head) is not None
    return any(map(head.__contains__, _OF_PAIRS)) and _PAIR.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every sample into `series`.

    Raises
    ------
    ParseError
        If there is none, or an XML document declares entities.
    """
    parsed = Parsed({"tool": "sadf"})
    if is_document(text):
        return read_json(text, "sadf")
    if "<sysstat" in text:
        return read_xml(text, parsed)
    *lines, rest = _unquoted(text).split("\n")
    lines, read = _form(lines)
    read(lines, parsed)
    parsed.cut_line(rest, len(lines) + 1)
    if not parsed.series:
        raise refusal("a sample of sadf: host;interval;timestamp and values, or raw counters", text)
    return parsed


_QUOTED = re.compile(r'^"?# hostname"?;"?interval"?;"?timestamp', re.MULTILINE)
_TYPE = re.compile(r"^#TYPE [^\n]*$", re.MULTILINE)
"""What Export-Csv of PowerShell puts above."""


def _unquoted(text: str) -> str:
    """Take quotes from lines and cells, which PowerShell and spreadsheets put around them."""
    if '"' not in text or not _QUOTED.search(text):
        return text
    return re.sub(r'^"|"$|(?<=;)"|"(?=;)', "", _TYPE.sub("", text), flags=re.MULTILINE)


def _form(lines: list[str]) -> tuple[list[str], Callable[[list[str], Parsed], None]]:
    """Find out which form the lines are of, with or without what a launcher put before them."""
    for candidate in (lines, without_prefix(lines)):
        text = "\n".join(candidate)
        if _HEADERS.search(text):
            return candidate, read_delimited
        if _PAIR.search(text):
            return candidate, read_pairs
        if any(re.match(r"(?:\d\d:\d\d:\d\d(?: \w+)?|\d{9,10}); ", line) for line in candidate):
            return candidate, read_raw
    return lines, read_delimited
