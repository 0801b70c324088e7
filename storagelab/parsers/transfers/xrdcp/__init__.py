r"""Output of xrdcp, the copy command of XRootD: transfers with their rate, size and, behind ``time``, their duration.

XrdCl's client (XRootD 3.3 on, src/XrdCl/XrdClCopy.cc) rewrites one line with carriage returns::

    [136MB/300MB][ 45%][======================>                           ][45.33MB/s]

The letters are powers of 1024, four digits. The rate is all bytes over *whole* seconds since the start: bytes over 1 s
for what took less than two (some releases print ``0B/s`` in the first second), so small files look slow; set
`data_size` against `elapsed` for them. The last print is the result and a row of ``runs``; those before it are
``series``. 100 % is printed for what failed, too: whether it did stands in a message behind it
(``Run: [ERROR] ...``), and such a transfer has `errors` and no rate. Several files of one command are announced with
``Job: 1/3``, and with ``--parallel`` share a line, ``[#2: 48% 24MB/s] [#3: 100% 1.177MB/s]``; only the last of them
gets a bar of its own. ``--cksum`` adds the exact bytes. Where neither a command nor URLs say which way it went, the
operation is `copy`.

The old client (XRootD 2 and 3, src/XrdClient/xrdcp.cc) prints ``[xrootd] Total 0.76 MB |====| 100.00 % [inf MB/s]``,
sizes in 2^20 bytes, rates in 10^6 bytes per second, and a summary of ``[xrdcp] #`` lines with exact bytes.

Bars that went through JSON have ``\r`` in two characters, and Ansible's ``delta`` is the elapsed time.
"""

from __future__ import annotations

import re

from storagelab.parsers.declared_checks import Checks, line_starts, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import without_prefix
from storagelab.parsers.transfers.xrdcp.progress import bars, summary
from storagelab.parsers.transfers.xrdcp.reader import Reader

FORMAT = Format(
    "xrdcp",
    "xrdcp",
    "2.x to 5.9",
    "transfers, progress",
    "XRootD, src/XrdCl/XrdClCopy.cc",
    marks=("s", "xrdcp", "ERROR", "FATAL", "server"),
    opens=(
        "[xrdcp] # ",
        "Last server error ",
        "xrdcp root://",
        "B][100%][=",
        "kB][100%][=",
        "MB][100%][=",
        "GB][100%][=",
        "TB][100%][=",
    ),
    holds=("xrdcl-log",),
    reads_returns=True,
    checks=Checks(together=(words("Job: ", "Source: ", "Target: "), line_starts("real", "user", "sys"))),
)

_ERRORS = ("Run: [ERROR]", "Run: [FATAL]", "Prepare: [ERROR]")
_ASKED_LOG = re.compile(r"\]\[(?:Info|Debug|Dump) *\]\[\w{1,20} *\] ")
"""A line of the library's log, of a level that xrdcp prints only where it is asked for: then bars stand between."""


def sniff(head: str) -> bool:
    """Whether a bar, the old client's summary or the message of a failure stands here, and not the library's log."""
    if "][" in head and _ASKED_LOG.search(head):
        return False
    if "[" in head and "/s]" in head and any(any(bars(line, 0)) for line in head.split("\n") if "/s]" in line):
        return True
    if "[" in head and "[xrdcp] # " in head and any(map(summary, head.split("\n"))):
        return True
    return ("[" in head and any(map(head.__contains__, _ERRORS))) or "Last server error " in head


def parse(text: str) -> Parsed:
    """Read every transfer.

    Raises
    ------
    ParseError
        If there is neither a bar nor a message of a failure.
    """
    parsed = Parsed({"tool": "xrdcp"})
    reader = read_transfers(text, parsed)
    if not reader.transfers:
        raise refusal("a bar of xrdcp such as '[13B/13B][100%][===][1B/s]'", text)
    return parsed


def read_transfers(text: str, parsed: Parsed) -> Reader:
    """Read the transfers of a log into a `Parsed`, and return who read them."""
    reader = Reader(parsed)
    lines = without_prefix(text.split("\n"))
    for number, line in enumerate(lines[:-1], 1):
        reader.line(line, number)
    if lines[-1].strip():
        reader.line(lines[-1], len(lines), whole=False)
        parsed.cut_line(lines[-1], len(lines))
    reader.end()
    _add_rows(parsed, reader)
    if len(set(reader.commands)) == 1:
        parsed.header["command"] = reader.commands[0]
    return reader


def _add_rows(parsed: Parsed, reader: Reader) -> None:
    samples: list[Row] = []
    for ordinal, transfer in enumerate(reader.transfers, 1):
        part: Row = {"part": float(ordinal)} if len(reader.transfers) > 1 else {}
        row = transfer.row()
        parsed.runs += [part | row] if row else []
        samples += [part | sample for sample in transfer.samples()]
    parsed.runs += reader.jobs
    parsed.series = columns(samples) if samples else {}
