"""Reports of sysstat's ``sar``: tables of what a host did, a line a sample and item, with averages at their end.

A blank line and a line of columns start a table, and start it anew on every page; both begin with a time, as does every
sample: the columns' time is that of the sample before. Averages begin with "Average:" in the user's language. Live
reports of several activities print table after table for each sample; reports of a saved file print one activity to its
end and then the next, and both begin anew after a line ``LINUX RESTART``. A restart becomes a row with the number of
processors as `metric`. Documented in sar(1) of sysstat 5 to 12.7 and in its sar.c and pr_stats.c.

Traps: a kB is 1024 bytes (up to sysstat 8 the columns are rxbyt/s and txbyt/s); ``--human`` prints a unit behind the
number whatever the heading says; 12-hour clocks take a column more; names may stand behind the numbers
(``--pretty``, file systems, sensors); two tables may share the first column. Only the banner has a date, in the order
of the user's locale, and no time zone. Averages are the only end: a report without them was stopped, or is cut.

The sar of Solaris, AIX and HP-UX is read by the same columns; there a sample's time stands before its first disk or
processor only, and ``-v`` prints how full tables are, of what they hold at most: ``89/30000`` is `proc-sz` and
`proc-max`.
"""

from __future__ import annotations

import re

from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.monitors.sysstat.banner import SHAPE, opens_with_banner, opens_with_unix
from storagelab.parsers.monitors.sysstat.clock import ZONE, plain
from storagelab.parsers.monitors.sysstat.fast_path import reports
from storagelab.parsers.monitors.sysstat.report import read_report

FORMAT = Format(
    "sar",
    "sar",
    "sysstat 9 to 12.7",
    "samples of interfaces, disks, processors, memory",
    "sar(1)",
    marks=(
        *("IFACE", "idle", "kbmemfree", "areq", "avgrq", "pgpgin", "pswpin", "kbswpfree", "runq", "cswch"),
        *("dentunusd", "totsck", "rtps", "INTR", "SunOS", "AIX", "HP UX", "avque"),
        *("irec", "ihdrerr", "imsg", "ierr", "idgm", "iseg", "atmptf", "getatt", "badcall", "frmpg", "kbhugfree"),
    ),
    shapes=(SHAPE,),
    opens=(
        " CPU)",
        " IFACE ",
        "kbmemfree",
        " DEV ",
        "%user     %nice",
        "runq-sz",
        "cswch/s",
        "rtps",
        "pgpgin/s",
        "kbswpfree",
        *("MBfsfree", "pswpin/s", "dentunusd", "totsck", "frmpg/s", "kbhugfree", "proc/s", " INTR "),
        "Average:",
        *("SunOS ", "AIX ", "HP-UX ", "device        %busy", "bread/s lread/s", "proc-sz    ov"),
    ),
    in_paragraphs=True,
    in_scripts=True,
    prefixes=("names", "stamped", "numbered"),
)

_OF_NETWORKS = ("irec/s", "ihdrerr/s", "imsg/s", "ierr/s", "idgm/s", "active/s", "atmptf/s", "call/s", "scall/s")
_FIRST = (
    *("pgpgin/s", "pswpin/s", "kbswpfree", "runq-sz", "proc/s", "cswch/s", "dentunusd", "totsck", "rtps", "frmpg/s"),
    *("kbhugfree", *_OF_NETWORKS),
)
_RATES = tuple(column for column in _FIRST if column.endswith("/s"))
_MARKS = (
    "IFACE",
    "%idle",
    "kbmemfree",
    "areq-sz",
    "avgrq-sz",
    "avque",
    "INTR ",
    *(column for column in _FIRST if column not in _RATES),
)
"""Of reports that lost their banner, those with these columns are recognised; so are averages that were picked out."""

_TIME = (
    r"^(?:\S+[:>] ?|[ \t]{1,8})?(?:\S\S)?\d{1,2}[:.时時시] ?\d\d[:.分분] ?\d\d[秒초]?(?: +[AaPp]\.?[Mm]\.?)?"
    rf"(?: {{1,2}}{ZONE})?[ \t]+"
)
_TITLE = r"^[^\W\d]{1,20}\.? ?[:：][ \t]+"
_OPENING = re.compile(
    rf"(?:{_TIME}|{_TITLE})"
    r"(?:IFACE|DEV  |INTR  |device +%busy|CPU +%(?:usr|user) .*%idle|%(?:usr|user) .*%idle|kbmemfree|rx(?:pck|err)/s"
    rf"|tps +\S+ .*DEV|(?:tps +)?(?:{'|'.join(_FIRST)}) )"
    r"|^(?:IFACE +rx\S+/s|DEV +tps|INTR +intr/s|CPU +%(?:usr|user) .*%idle)",
    re.MULTILINE,
)
_ANY_TABLE = re.compile(_TIME + r"[A-Za-z%][^\s;]*(?:[ \t]|$)", re.MULTILINE)
_OF_OTHERS = re.compile(
    r"%iowait +%irq +%soft|%soft +%idle +intr/s|CPU +intr/s|NODE +%usr"
    rf"|(?:^(?:\S+[:>] ?)?|{_TIME})(?:avg-cpu:|Device|Filesystem:)|(?:B_read|Blk_read|rrqm)/s "
    r"| (?:UID|USER) +(?:PID|TGID) |[0-9M] +(?:PID|TGID) ",
    re.MULTILINE,
)
_WORDS_OF_OTHERS = ("%irq", "intr/s", "NODE", "avg-cpu:", "Device", "Filesystem:", "_read/s", "rrqm/s", "Command")
"""Each match holds one of these, which are looked for many times as fast."""


def sniff(head: str) -> bool:
    """Whether a table of sar opens here."""
    head = plain(head)
    if (opens_with_banner(head) and _ANY_TABLE.search(head)) or (opens_with_unix(head) and _ANY_TABLE.search(head)):
        return not _is_of_others(head)
    if not any(map(head.__contains__, _MARKS)) and not ("/s " in head and any(map(head.__contains__, _RATES))):
        return False
    return _OPENING.search(head) is not None and not _is_of_others(head)


def _is_of_others(head: str) -> bool:
    return any(word in head for word in _WORDS_OF_OTHERS) and _OF_OTHERS.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every table into `series`.

    Raises
    ------
    ParseError
        If there is no table, or no line under its columns.
    """
    return read_report(text, "sar")


ORDINARY = reports(sniff, parse)
