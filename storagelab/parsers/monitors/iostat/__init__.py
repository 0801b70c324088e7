"""Reports of sysstat's ``iostat``: processors and block devices, as text or, with ``-o JSON``, as JSON.

A report is a table ``avg-cpu:``, a table of devices (``Device`` before the numbers, or behind them with ``--pretty``
and ``--compact``), or both, with the time before them where ``-t`` asks for it, and a blank line at its end. The first
report counts from boot unless ``-y`` left it out, which the log does not say: its rows are marked "since boot" and a
note says so. Reports have no number: `iteration` counts them from 0, and `time` is NaN without ``-t``. Documented in
iostat(1) of sysstat 5 to 12.7; columns in its iostat.c. JSON of 12.1 and 12.2 may call sectors kB (`sectors`).

Traps: kB is 1024 bytes, MB 1024 kB, sectors and blocks 512 bytes (``rsec/s``, ``Blk_read/s``, avgrq-sz); with ``-h`` or
``--human`` the unit stands behind the number, whatever the heading says; old ``-h`` puts long names on a line of their
own, and mails wrap wide tables: names of columns below a heading go on with it. ``iostat -n``, later sysstat's
nfsiostat and cifsiostat, count bytes three times: `throughput` is what the server moved (``svr``), what programs asked
for (``nor``, ``dir``) is `metric`. ``iostat -x`` of FreeBSD and Solaris, titled "extended device statistics", is read
by the same columns (of FreeBSD with ``-I`` too, which counts; of Solaris with commas, ``-r``): terminals and processors
stand in a table above the disks, or behind the first of them (``-C``, ``-T``; ``-xtc``). Other forms of FreeBSD are
`iostat_bsd`'s; AIX' iostat is read by `aix`, that of Performance Co-Pilot by `pcp`. HP-UX prints ``bps sps msps``,
where b is a KiB and s a seek.
There is no end: a log cut between two reports is that of a shorter run.
"""

from __future__ import annotations

import re

import orjson

from storagelab.parsers.declared_checks import Checks, json_keys
from storagelab.parsers.fast_path import Found, Ordinary, shaped
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.monitors.iostat import aix, pcp
from storagelab.parsers.monitors.iostat.reports import Reports
from storagelab.parsers.monitors.iostat.sectors import count_in_bytes
from storagelab.parsers.monitors.sysstat.document import read_json
from storagelab.parsers.monitors.sysstat.fast_path import BANNER
from storagelab.parsers.monitors.sysstat.json_tree import is_document
from storagelab.units import KIB, MIB

FORMAT = Format(
    "iostat",
    "iostat",
    "sysstat 9 to 12.7",
    "samples of block devices and processors",
    "iostat(1)",
    marks=("sysstat", "cpu", "Device", "Filesystem", "device", "tm"),
    opens=("avg-cpu:", " Device"),
    forms=(
        (" CPU)", "Device:", "Device "),
        ('"sysstat"', '"avg-cpu"', '"disk"'),
        pcp.MARKS,
        ("tm_act", "asvc_t", "% user % sys", "extended device statistics", "bps     sps    msps"),
    ),
    in_paragraphs=True,
    in_scripts=True,
    checks=Checks(
        together=(json_keys("hosts", "nodename", "number-of-cpus", "date", "statistics"),),
        alike=(json_keys("disk", "avg-cpu"),),
        once=True,
    ),
)

_SECTIONS = ("avg-cpu", "disk")
_OPENING = re.compile(
    r"^(?:\S+[:>] ?| {1,3})?(?:avg-cpu[:：] +%user|(?:Device|Filesystem)[:：]? +(?:tps|\S+/s|rrqm/s|%?\w+ .*%util)"
    r"|(?:[ \t]+(?:tps|r/s|\S+/s) ).* (?:[Dd]evice|Filesystem)$|device +r/[si]|device,r/[si],|r/[si],w/[si],"
    r"|[ \t]{0,8}device +bps +sps +msps)",
    re.MULTILINE,
)
_SNIFFED = ("avg-cpu", "Device", "disk_device", "Filesystem", "extended device statistics", "asvc_t", "msps")


def sniff(head: str) -> bool:
    """Whether a report of iostat opens here, in text or JSON."""
    if aix.sniff(head) or pcp.sniff(head):
        return True
    if not any(mark in head for mark in _SNIFFED):
        return False
    if '"sysstat"' in head:
        return '"file-date"' not in head
    return _OPENING.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every report into `series`.

    Raises
    ------
    ParseError
        If there is no report.
    """
    if aix.sniff(text):
        return aix.read(text)
    if pcp.sniff(text):
        return pcp.read(text)
    if is_document(text):
        parsed = read_json(text, "iostat", _SECTIONS, first_is_since_boot=True)
        if ('"wkB/s"' in text) != ('"wMB/s"' in text):
            count_in_bytes(parsed, MIB if '"wMB/s"' in text else KIB)
    else:
        parsed = Reports().read(text)
    if "since boot" in parsed.series.get("phase", ()):
        parsed.note("the first report is taken to be since boot: whether -y left that out, the log does not say")
    return parsed


_CELLS = r"(?: +\d{1,15}(?:[.,]\d\d?|(?!))?+[kMGT%]?+|(?!))++"
_NAMES = r"(?: +[a-zA-Z%][\w/%-]{0,20}+|(?!))++"
_BLOCKS = re.compile(
    rf"{BANNER}\n"
    r"(?:\n|(?:\d{4}-\d\d-\d\dT|[\d/]{6,10} )\d\d:\d\d:\d\d(?: [AP]M|[+-]\d{4})?\n"
    rf"|avg-cpu:{_NAMES}\n{_CELLS}\n|Device:?{_NAMES}\n(?:[a-z][\w-]{{0,40}}+{_CELLS}\n|(?!))*+"
    rf"|(?: +(?!Device)[a-zA-Z%][\w/%-]{{0,20}}+|(?!))++ Device\n(?:{_CELLS} [a-z][\w-]{{0,40}}+\n|(?!))*+|(?!))++"
)
_JSON = re.compile(
    r'\{"sysstat": \{\n\t"hosts": \[\n\t\t\{\n(?:\t{3}"[a-z-]+": (?:"[\w.:/-]+"|\d+),\n)+\t{3}"statistics": \[\n'
    r'(?:[\w\t\n .:/%,\[+-]|"[\w :/.%+-]++"|[\]{}]|(?!))*+'
)
_IN_EACH = ('"hosts"', '"nodename"', '"number-of-cpus"', '"date"', '"statistics"')


def _read_ordinary(text: str) -> Found | None:
    return _read_document(text) if text.startswith('{"sysstat"') else _of_blocks(text)


def _read_document(text: str) -> Found | None:
    """Read a document that is whole, with the keys that stand together in each."""
    orjson.loads(text)
    alike = set(map(text.count, _IN_EACH)) == {1} and text.count('"avg-cpu"') == text.count('"disk"')
    return _of_document(text) if alike else None


_of_blocks, _of_document = shaped(_BLOCKS, parse), shaped(_JSON, parse)
ORDINARY = Ordinary("", _read_ordinary)
