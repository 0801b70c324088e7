"""darshan-parser and darshan-dxt-parser: a log of Darshan as text, its records, totals, kinds of files and requests.

The header (``# exe:``, ``# nprocs:``, ``# run time:``) is followed by a section for each module. ``--base`` prints a
line a record and counter; ``--total`` prints ``total_POSIX_BYTES_READ: 1649291067392``; ``--file`` the number and
bytes of files read, written, shared; ``--perf`` Darshan's estimate of throughput. Printed by
darshan-util/darshan-parser.c, counters in darshan-util's documentation and in the ``darshan-*-log-format.h`` of each
module. Darshan 2 has one module, whose counters begin with ``CP_``.

Rows of `runs`: ``job`` with the run time; for each module (`api`) that moved bytes ``read`` and ``write``, and
``open``, ``stat``, ``seek`` and ``sync`` where there were any, from the totals, else summed over the records. Rows of
`clients`: the reads and writes of each record, `process` its rank ("all" for a shared file). `transfer_time` and
`metadata_time` are summed over ranks. Darshan's estimate is a ``job`` with `api`, its bytes over the time of the
slowest rank; other estimates have their name in `label`, kinds of files too. Totals without a name in the contract, and
the times behind an estimate, are `series` with `metric`. A value of -1 was not monitored and is left out. POSIX, MPI-IO
or STDIO without the section that the header promises is incomplete. darshan-dxt-parser prints each request of each
rank: a row of `series`, at the second at which it began; how many there are of a file and a rank is one of `clients`.
"""

from __future__ import annotations

import re

from storagelab.parsers.darshan_text.reader import TAB, Reader
from storagelab.parsers.darshan_text.traces import FIRST_LINE as FIRST_LINE_OF_TRACES
from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.line_formats import refusal, trusted_lines
from storagelab.parsers.model import Format, Parsed, columns

FORMAT = Format(
    name="darshan-parser",
    tool="Darshan",
    versions="darshan-parser 2.2 to 3.5",
    reads="--base, --total, --file, --perf and --all: job, modules, files; requests of darshan-dxt-parser",
    source="darshan-util/darshan-parser.c, darshan-dxt-logutils.c; darshan-util documentation",
    marks=("darshan", "agg perf by", "total OPENS", "DXT file id", "POSIX", "STDIO", "MPIIO", "LUSTRE", "total bytes"),
    opens=("# darshan log version:", "# total_bytes:", "# agg_perf_by_"),
    checks=Checks(
        together=(
            words("agg_perf_by_cumul:", "agg_perf_by_open:", "agg_perf_by_open_lastio:"),
            words("# total:", "# read_only:", "# write_only:", "# read_write:", "# unique:", "# shared:"),
        ),
        lacking_samples="requests come when the application makes them",
    ),
)

_FIRST_LINE = "# darshan log version:"
EXPECTED = "the header of darshan-parser ('# darshan log version: ...') and counters of a module"
_ALONE = re.compile(
    rf"^(POSIX|STDIO|MPI-IO|MPIIO|LUSTRE){TAB}-?\d{{1,12}}{TAB}\d{{1,20}}{TAB}(?:POSIX|STDIO|MPIIO|LUSTRE)_[A-Z0-9_]{{2,60}}{TAB}\S",
    re.MULTILINE,
)
"""A counter of a record, as somebody picks it out of a log."""
_COUNTERS = ("POSIX_", "STDIO_", "MPIIO_", "LUSTRE_")
"""What the names of such counters begin with: none of it is in most logs, and it is found fast."""
_KINDS = "# <file_type> <file_count> <total_bytes>"
"""Above the kinds of files of a module."""
_OPENS = re.compile(r"^total_(?:POSIX|STDIO|MPIIO_INDEP|CP_POSIX)_OPENS: ", re.MULTILINE)


def sniff(head: str) -> bool:
    """Whether darshan-parser's header stands here, says that there is none, or lies before totals or an estimate."""
    if "# darshan log version:" in head or "darshan_log_open" in head or FIRST_LINE_OF_TRACES in head:
        return True
    if _KINDS in head or (any(map(head.__contains__, _COUNTERS)) and _ALONE.search(head)):
        return True
    return "# agg_perf_by_slowest: " in head or _OPENS.search(head) is not None


def parse(text: str) -> Parsed:
    """Read the job and every module.

    Raises
    ------
    ParseError
        If there is neither a job nor an error of darshan-parser.
    """
    parsed = Parsed({"tool": "Darshan", "statistic": "single"})
    readers = [Reader(parsed)]
    for at, line in trusted_lines(text, parsed):
        if line.startswith(_FIRST_LINE) and not readers[-1].is_empty:
            readers.append(Reader(parsed))
        readers[-1].take(line, at)
    for part, reader in enumerate(readers, start=1):
        reader.end({"part": float(part)} if len(readers) > 1 else {})
    samples = [sample for reader in readers for sample in reader.samples]
    parsed.series = columns(samples) if samples else {}
    if parsed.is_empty() and parsed.complete:
        raise refusal(EXPECTED, text)
    return parsed
