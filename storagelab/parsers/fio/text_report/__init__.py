"""fio's human output ("normal"), fio 1.x to 3.4x, of jobs run locally or on fio servers.

Documented in fio's HOWTO ("Interpreting the output") and printed by its stat.c and client.c. A report a process, or a
group of them (``group_reporting``)::

    randread: (groupid=1, jobs=1): err= 0: pid=18172: Fri Nov 20 16:59:05 2026
      read: IOPS=8614, BW=33.7MiB/s (35.3MB/s)(135MiB/4001msec)
        clat (usec): min=19, max=15478, avg=115.00, stdev=338.50

A client prints the reports of one host after the other, the name of each, ``<node1>``, on a line above.

fio 2 writes ``read : io=6573.2MB, bw=1643.3MB/s, iops=420680 , runt=  4000msec`` with binary units; ``kb_base=1000``
cannot be seen there. After the reports, each group is summed up: a row of `runs` with `statistic` "sum" and the group
in `label`, and so is fio's own "All clients". Distributions of latency and queue depth and the disks are not read.

Latencies of each I/O priority (``clat prio 1/0``), and of ``lat`` and ``slat`` where fio prints their percentiles, are
rows with these words as `label`; so are the mean rates behind ``steadystate``.

Traps: numbers have 3 or 4 digits (``throughput_rounded`` is the rate in the other unit, in brackets); each line of
latency has its own unit; progress lines with carriage returns stand before reports; status reports repeat (each a
`part`); a job without I/O is not reported at all. Of many reports only these lines are kept, or those of groups: an
excerpt, whose rows have no job; so are these lines where they stand above the first report.
"""

from __future__ import annotations

from collections import Counter

from storagelab.parsers.declared_checks import Agreement, Checks, Line, line_starts, words, words_above
from storagelab.parsers.fio import terse
from storagelab.parsers.fio.json_report import options as job_options
from storagelab.parsers.fio.json_report.documents import MARK
from storagelab.parsers.fio.json_report.entries import Entry
from storagelab.parsers.fio.json_report.runs import add_rows
from storagelab.parsers.fio.text_report import directions
from storagelab.parsers.fio.text_report.reports import SYNC, Reader
from storagelab.parsers.fio.text_report.run import ALL_CLIENTS, Run, finished
from storagelab.parsers.fio.text_report.wrapped import unwrapped
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import line_at, without_prefix
from storagelab.schema import LINE_OF

CHECKS = Checks(
    together=(
        line_starts("cpu  ", "IO depths ", "submit ", "complete ", "issued "),
        (
            *words(" percentiles ("),
            Line("th=[...] at the end of a line", r"th=\[ *\d+\](?m:[ \t\r]*$)", "th=[", "literal"),
        ),
        words_above(("|  1.00th=", "| 30.00th="), ("| 30.00th=", "| 70.00th="), ("| 70.00th=", "| 99.00th=")),
    ),
    alike=(
        tuple(
            Line(f"{name} (", rf"(?m:^[ \t]*){name} \((?:[mun]?sec)\) *: min", f"{name} (", "line")
            for name in ("clat", "lat")
        ),
    ),
    rates=Agreement(0.1),
)

FORMAT = Format(
    "fio-text",
    "fio",
    "1.x to 3.4x",
    "jobs, their processes, groups, client/server runs",
    "fio HOWTO, output",
    marks=("groupid", "rw", "IOPS BW", "bw io run msec", "bw io runt", "aggrb io", "sync percentiles"),
    opens=(
        ", fio=fio-",
        "): rw=",
        "(groupid=",
        "Run status group",
        "Disk stats (read/write):",
        "READ: bw=",
        "WRITE: bw=",
        "READ: io=",
        "WRITE: io=",
        "read: IOPS=",
        "write: IOPS=",
        "clat percentiles",
        "lat (usec)",
        "lat (msec)",
        "lat (nsec)",
        "slat (",
        "clat (",
        "bw (",
        "iops        :",
        "cpu          : usr=",
        "IO depths    :",
        "issued rwts: total=",
        "Jobs: ",
        "Starting ",
    ),
    reads_returns=True,
    checks=CHECKS,
)

_BREAK = " \\\r"
"""What Markdown's authors end lines with that shall not run together, and what stands around it."""

EXCERPT = "an excerpt: no line says of which job its numbers are"


def sniff(head: str) -> bool:
    """Whether fio announces a job, or reports one; its JSON and terse output in the same log say more."""
    if MARK in head or terse.sniff(head):
        return False
    announced = "(groupid=" in head or (": (g=" in head and "): rw=" in head)
    return announced or directions.are_in(head) or bool(SYNC.search(head)) or _is_wrapped(head)


def _is_wrapped(head: str) -> bool:
    """Whether a line of what a group moved is whole again once what a mail broke is joined."""
    return "msec" in head and ": bw=" in head and directions.are_in("\n".join(unwrapped(head.split("\n"))[0]))


def parse(text: str) -> Parsed:
    """Read every report of a log.

    Raises
    ------
    ParseError
        If there is none of a job that did I/O or failed.
    """
    parsed = Parsed({"tool": "fio", "statistic": "single"})
    *lines, last = without_prefix(text.split("\n"))
    plain = [line.rstrip(_BREAK) for line in lines]
    runs = Reader(parsed, plain, is_excerpt=_is_excerpt(text)).read()
    if any(run.is_excerpt for run in runs):
        parsed.incomplete(EXCERPT)
    for part, run in enumerate(runs, 1):
        _add_run(parsed, run, {"part": float(part)} if len(runs) > 1 else {})
    if parsed.is_empty():
        raise refusal("the report of a job that did I/O or failed", text)
    parsed.cut_line(last, len(lines) + 1)
    if "\ufffd" in text:
        parsed.incomplete("bytes that are not UTF-8", line_at(text, text.index("\ufffd")))
    if MARK in text:
        parsed.note("fio's JSON in the same log is not read: --format fio-json does")
    return parsed


def _is_excerpt(text: str) -> bool:
    """Whether no job is named above the first line of what one moved."""
    in_front = text.partition("(groupid=")[0]
    return in_front == text or directions.of_jobs_are_in(in_front)


def _add_run(parsed: Parsed, run: Run, keys: Row) -> None:
    entries = [entry for entry in finished(run) if entry is not run.everything]
    missing = () if run.is_excerpt else tuple(run.missing())
    for what in missing:
        parsed.incomplete(what)
    is_whole = not (missing or run.is_excerpt)
    reports = Counter((entry.job, entry.group) for entry in entries)
    for entry in () if is_whole else entries:
        _forget_processes(entry, is_sum=reports[entry.job, entry.group] == 1 and not (entry.host or run.served))
    add_rows(parsed, entries, is_whole, keys)
    for (host, group, operation), row in run.summaries.items():
        about: Row = {"operation": operation, "label": f"group {group}" if group else "", "statistic": "sum"}
        if len(run.hosts) > 1:
            parsed.clients.append({**about, "share": "client", "client": run.hosts[host - 1], **keys, **row})
        else:
            parsed.runs.append({**about, **keys, **row})
    for row in run.everything.rows.values() if run.everything else ():
        parsed.runs.append({**row, **keys, "label": ALL_CLIENTS, "statistic": "sum"})


def _forget_processes(entry: Entry, *, is_sum: bool) -> None:
    """In a log that breaks off, nothing says whether all reports of a job, or of a host, are there: they are shares.

    A report of several jobs is that of their group, and of no host the only one.
    """
    processes = job_options.number(entry.options.get("numjobs", "1"))
    if is_sum and processes > 1:
        entry.options = {**entry.options, "group_reporting": ""}
        return
    entry.options, entry.host = {}, ""
    for row in entry.rows.values() if processes > 1 else ():
        row.pop("cpu_utilisation", None)
        row.pop(LINE_OF["cpu_utilisation"], None)
