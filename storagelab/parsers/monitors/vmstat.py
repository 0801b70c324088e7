"""What ``vmstat`` prints of a host: samples, disk counters, totals.

Samples: a line of groups (``procs ---memory--- ...``), a line of columns (``r b swpd free ...``, with ``-a`` inact and
active in place of buff and cache), both again after every screenful, and a line a sample, wider with ``-w``. ``-t``
adds a time, under its zone's name. The first sample is the average since boot (unless ``-y``, which cannot be seen).
bi and bo are blocks of 1024 bytes whatever ``-S`` says; memory, si and so are in its unit (vmstat_samples.py).

``-d``, ``-D``, ``-p``: counters of disks since boot, in sectors of 512 bytes. ``-s``: totals, with their unit; on other
systems counts of other things. ``-m``: slabs.
FreeBSD's, AIX' and Solaris' samples (there ``-p`` too) have columns of their own: memory in KiB, and disks, page and
fault rates as metrics.

There is no end mark but the last line of ``-s``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from storagelab.errors import ParseError
from storagelab.parsers.declared_checks import Checks, Line, word
from storagelab.parsers.fast_path import Found, Ordinary, shaped
from storagelab.parsers.model import Columns, Format, Parsed, columns, stacked
from storagelab.parsers.monitors import vmstat_languages, vmstat_samples, vmstat_totals
from storagelab.parsers.monitors.slots import columns_of
from storagelab.parsers.monitors.snapshot import first_words, whole_lines, with_parts
from storagelab.parsers.monitors.vmstat_headings import HEADING

_NAMES_OF_TOTALS = (
    *("total memory", "used memory", "active memory", "inactive memory", "free memory", "buffer memory", "swap cache"),
    *(
        "total swap",
        "used swap",
        "free swap",
        "non-nice user cpu ticks",
        "nice user cpu ticks",
        "system cpu ticks",
        "idle cpu ticks",
    ),
    *("IO-wait cpu ticks", "IRQ cpu ticks", "softirq cpu ticks", "stolen cpu ticks", "paged in", "paged out"),
    *("pages swapped in", "pages swapped out", "interrupts", "CPU context switches", "boot time", "forks"),
)

_NAMES_OF_DISK_TOTALS = (
    *("disks", "partitions", "total reads", "merged reads", "read sectors", "milli reading", "writes"),
    *("merged writes", "written sectors", "milli writing"),
)

_NAMES_ON_SOLARIS = (
    *("micro (hat) faults", "minor (as) faults", "execs", "pages freed by the clock daemon"),
    *("user   cpu", "system cpu", "idle   cpu", "wait   cpu"),
)

_NAMES_ON_AIX = (
    *("paging space page ins", "paging space page outs", "zero filled pages faults", "pages freed by the clock"),
    *("backtracks", "free frame waits", "extend XPT waits", "pending I/O waits", "start I/Os", "iodones"),
    *("decrementer interrupts", "phantom interrupts", "syscalls"),
)

_UNLESS_ON_SOLARIS = {
    "paged in": r"(?!\n *[0-9]+ pages paged out\n *[0-9]+ (?:total|reclaims))",
    "paged out": r"(?!\n *[0-9]+ (?:total|reclaims))",
    "pages swapped in": r"(?!\n *[0-9]+ pages swapped out\n *[0-9]+ total address)",
    "pages swapped out": r"(?!\n *[0-9]+ total address)",
    "forks": r"(?!\n *[0-9]+ vforks)",
}
"""Solaris' totals are others, of which these have the same names."""

CHECKS = Checks(
    together=(
        tuple(
            Line(
                name,
                rf"(?m:^ *[0-9]+ (?:[KMGkm]? )?(?:pages (?=paged))?{word(name)}{_UNLESS_ON_SOLARIS.get(name, '')})",
                name,
                "line",
            )
            for name in _NAMES_OF_TOTALS
        ),
        *(
            tuple(Line(name, rf"(?m:^ *[0-9]+ {word(name)} *$)", name, "line") for name in names)
            for names in (_NAMES_OF_DISK_TOTALS, _NAMES_ON_SOLARIS, _NAMES_ON_AIX)
        ),
    ),
    other_names=vmstat_languages.LISTS,
)

FORMAT = Format(
    "vmstat",
    "vmstat",
    "procps 3.3.10 to 4.0.2",
    "samples of a host",
    "vmstat(8)",
    marks=(
        "swpd",
        "swap",
        "procs cpu",
        "procs CPU",
        "avm",
        "milli",
        "disk",
        "memory",
        "requested",
        "Cache Num Total Size Pages",
        "swapped switches",
        "address trans faults",
        "examined daemon",
        "name lookups",
    ),
    shapes=("---- ------", *vmstat_languages.SHAPES),
    forms=(
        ("procs -", "procs  ", "swpd   free"),
        ("kthr ",),
        ("executable      anonymous",),
        ("disk- -",),
        ("Cache  ",),
        ("K total memory", "  total memory", "M total memory", "m total memory", "k total memory"),
        ("total address trans. faults", " swap ins", " cpu context switches"),
        (" disks", " partitions"),
        ("  requested writes",),
    ),
    in_paragraphs=True,
    in_scripts=True,
    prefixes=("indented",),
    checks=CHECKS,
)

_GROUPS = ("procs", "--procs", "--time--", "kthr")
_TABLES = ("disk-", "Cache ", " ")
_START = 1024
_OF_SAMPLES = ("procs", "swpd", "kthr", "---- -")


def sniff(head: str) -> bool:
    """Whether a heading of samples or of disks stands here, or totals."""
    start = head[:_START]
    may_be_samples = any(map(start.__contains__, _OF_SAMPLES)) or ("executable" in start and "faults" not in start)
    if may_be_samples and HEADING.search(head) is not None:
        return True
    return vmstat_totals.sniff(start) or vmstat_languages.sniff(head)


def parse(text: str) -> Parsed:
    """Read every sample, or the counters, into `series`.

    Raises
    ------
    ParseError
        If there is neither a sample under its heading nor a counter.
    """
    parsed = Parsed({"tool": "vmstat"})
    whole = vmstat_languages.in_english("\n".join(whole_lines(text, parsed)))
    lines = whole.split("\n")
    if heading := HEADING.search(whole):
        above = ["" if _says_nothing(line) else line for line in whole[: heading.start()].split("\n")]
        parsed.series = stacked([_counters(above, parsed), columns_of(vmstat_samples.read(lines, parsed))])
    else:
        parsed.series = _counters(lines, parsed)
    if not parsed.series:
        raise ParseError(
            "samples under 'r b swpd free ...', disks, or totals such as 'K total memory'", *first_words(text)
        )
    return parsed


def _says_nothing(line: str) -> bool:
    """Whether a line above samples groups their columns, or has neither numbers nor the names of any."""
    return line.startswith(_GROUPS) or not (line.startswith(_TABLES) or any(map(str.isdecimal, line)))


def _counters(lines: list[str], parsed: Parsed) -> Columns:
    """Read totals, disks or slabs, if any are there."""
    if not vmstat_totals.sniff("\n".join(lines)):
        return {}
    return columns(with_parts(vmstat_totals.read(lines, parsed), vmstat_totals.APART))


_DATE = r"(?: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?"
_SAMPLES = (
    r"(?:procs|--procs--) -+memory-+ -+swap-+ -+io-+ -+system-+ -+cpu-+(?: -+timestamp-+)?\n"
    r" *r +b +swpd +free(?: +[a-z]{2,8}|(?!))++(?: +[A-Z]{3,4})?\n"
    rf"(?: *\d{{1,18}}(?: +\d{{1,18}}(?![\d-])|(?!)){{15,17}}+{_DATE}\n|(?!))*+"
)
_DISKS = (
    r"disk- -+reads-+ -+writes-+ -+IO-+(?: -+timestamp-+)?\n"
    r" +total +merged +sectors +ms +total +merged +sectors +ms +cur +sec(?: +[A-Z]{3,4})?\n"
    rf"(?:[a-z][\w-]{{0,40}}+(?: +\d{{1,18}}|(?!)){{10}}+{_DATE}\n|(?!))*+"
)


def _list(names: Iterable[str], then: str) -> str:
    """Return the shape of a list of totals that has all of some names in their order, and then others."""
    listed = "".join(rf" *\d{{1,18}} (?:[KMkm] )?{re.escape(name)}\n" for name in names)
    return listed + rf"(?: *\d{{1,18}} {then}\n|(?!))*+"


_GUESTS, _BEHIND = "(?:non-)?nice guest cpu ticks", _NAMES_OF_TOTALS.index("paged in")
_TOTALS = _list(_NAMES_OF_TOTALS[:_BEHIND], _GUESTS) + _list(_NAMES_OF_TOTALS[_BEHIND:], "(?!)")
_DISK_TOTALS = _list(_NAMES_OF_DISK_TOTALS, "(?:inprogress|milli spent|milli weighted) IO")
_READERS = (
    ("disk-", shaped(re.compile(f"(?:{_DISKS})+"), vmstat_totals.disks)),
    (("procs", "--procs"), shaped(re.compile(rf"\n*+(?:{_SAMPLES})+\n*+"), vmstat_samples.at_once)),
    (" ", shaped(re.compile(f"{_TOTALS}|{_DISK_TOTALS}"), vmstat_totals.totals)),
)
"""What each kind of report begins with, and how one is read."""


def _read_ordinary(text: str) -> Found | None:
    start = text.lstrip("\n")
    return next((read(text) for opening, read in _READERS if start.startswith(opening)), None)


ORDINARY = Ordinary("", _read_ordinary)
