"""Lustre's counters, as ``lctl get_param`` prints them or as they stand below /proc/fs/lustre.

Read are ``stats``, ``md_stats``, ``read_ahead_stats`` and their like (a line a call), ``job_stats`` (the same, a list a
job), the histograms ``brw_stats``, ``rpc_stats`` and ``extents_stats``, and parameters that are one number or, as
``statahead_stats``, ``unstable_stats`` and ``osc_stats``, a few. A parameter begins with its name,
``obdfilter.fs-OST0000.stats=``; without one (``cat``) `device` is empty, or comes from the path in ``==>
/proc/fs/lustre/... <==``. Printed by lustre/obdclass/lprocfs_status.c (lprocfs_counter_...), lprocfs_status_server.c
and lprocfs_jobstats.c, osd-ldiskfs/osd_lproc.c, osc/lproc_osc.c and llite/lproc_llite.c.

Rows of `series`. `device` is the parameter without its last part, `target` its second part, `nid` the client of an
export, `job` the job_id. Counters run since `start_time`, where the log says so, up to the snapshot, which is
`end_time` and, counted from the log's first snapshot, `time`. `operations` are samples. Calls counted in bytes have
`counter_bytes` (their sum) and the mean `request_size`; calls counted in time have `latency` (sum over samples), its
extremes and its deviation. Sums of times, extremes of sizes and all that is counted in other units are rows with
`metric`. A histogram gives a row a bucket and direction: `metric` is its title, `label` the bucket. A page is what the
server says it is. There is no end: a log cut between two lines is that of a server that counts less.
"""

from __future__ import annotations

from storagelab.parsers.line_formats import fill, trusted_lines
from storagelab.parsers.lustre.get_param import call_counters, histograms
from storagelab.parsers.lustre.get_param.reader import Reader
from storagelab.parsers.model import Format, Parsed

FORMAT = Format(
    name="lctl-get-param",
    tool="lctl",
    versions="Lustre 1.8 to 2.17",
    reads="get_param of stats, job_stats, brw_stats, rpc_stats, read_ahead_stats, extents_stats; the same of /proc",
    source="Lustre manual, Lustre Parameters; lustre/obdclass/lprocfs_status.c, lprocfs_jobstats.c, osd_lproc.c",
    marks=("samples", "cum"),
    opens=("stats=", "fs/lustre/", "snapshot_time", " samples [", "% cum"),
)

EXPECTED = "counters of Lustre ('NAME 12 samples [UNIT] ...', a job of job_stats, or a histogram)"


def sniff(head: str) -> bool:
    """Whether counters of Lustre stand here."""
    if not (("samples" in head and ("[" in head or "{" in head)) or "% cum" in head):
        return False
    kinds = (call_counters.LINE, call_counters.OF_JOB, histograms.HEADING)
    lines = head.split("\n") if _may_hold(head) else []
    return any(kind.match(line) for line in lines if _may_hold(line) for kind in kinds)


def _may_hold(text: str) -> bool:
    """Whether a text holds what is on each line with which counters open."""
    return " samples [" in text or "samples:" in text or "% cum" in text


def parse(text: str) -> Parsed:
    """Read every counter into `series`.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "lctl", "statistic": "single"})
    reader = Reader(parsed)
    for at, line in trusted_lines(text, parsed):
        reader.take(line, at)
    reader.end_of_table(1 + text.rstrip().count("\n"))
    if not reader.is_of_lustre:
        reader.samples = []
    return fill(parsed, reader.samples, EXPECTED, text)
