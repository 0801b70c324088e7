"""Which of our formats have no end, and checks of many names in one case; the damage is in `storagelab.testing`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

ENDLESS = {
    "bonnie": "rows are appended run by run",
    "bonnie_classic": "rows are appended run by run",
    "elbencho": "phases follow each other, and which were asked for is not said",
    "hibench_report": "workloads are appended line by line",
    "hdparm": "a timing follows the other, and which were asked for is not said",
    "lfs_getstripe": "a layout follows the other, and how many files there are is not said",
    "lustre_iokit": "lines are appended test by test",
    "warp": "reports follow each other, and which there are depends on the operations that ran",
    "testdfsio": "blocks are appended run by run",
    "dd": "some builds of busybox print no line with bytes, seconds and rate: a report may end with its two counts",
    "proc_net_dev": "the kernel prints no end: a table cut between two interfaces is that of a smaller host",
    "root_iotools": "a summary may have any number of cases",
    "root_readspeed": "what comes behind the throughput depends on the version",
    "root": "a program reads and prints what it likes: where no files are named, any print may be the last",
    "xrdcl_log": "a client that lives on may be between two requests",
    "xrdcp": "what may follow the last bar (a checksum, the message of a failure, time) is not announced",
    "dccp": "there is no end: a log cut behind a transfer is that of fewer transfers",
    "globus_url_copy": "there is no end, and a file too short for a sample has none",
    "gfal_copy": "there is no end, and without -v a copy says only that it begins",
    "gridftp_log": "a server's log has no end",
    "nfsiostat": "reports follow each other until somebody stops them",
    "lctl_get_param": "the kernel prints no end: what is cut between two lines counts less",
    "vdbench": "run follows run: totals and flat files have no end",
    "darshan_parser": "records and totals of the last module are not counted",
    "gpfsperf": "test follows test, and the load of the processor behind one is printed where somebody asked for it",
    "smallfile": "tests follow each other",
    "mmperfmon": "the table has no end: one cut between two rows is that of a shorter time",
    "vnstat": "tables follow each other, and nothing says how many periods were kept",
    "hpss": "transfers follow each other",
    "rsync": "calls follow each other, and one without -v ends with its last file",
    "mountstats": "the kernel prints no end: what is cut between two lines counts less",
    "ifconfig": "there is no end: a table cut between two interfaces is that of a smaller host",
    "ip_link": "there is no end: a table cut between two interfaces is that of a smaller host",
    "ifstat": "there is no end, and nothing says how many samples were wanted",
    "nicstat": "there is no end, and nothing says how many samples were wanted",
    "vmstat": "there is no end, and nothing says how many samples were wanted",
    "dstat": "there is no end, and nothing says how many samples were wanted",
    "collectl": "there is no end, and nothing says how many samples were wanted",
    "syslog": "a kernel goes on talking: nothing says that a message is the last",
    "glusterfs_log": "a daemon goes on talking: nothing says that a message is the last",
    **dict.fromkeys(
        ("fio_bw_log", "fio_iops_log", "fio_clat_log", "fio_slat_log", "fio_lat_log", "fio_log", "fio_hist_log"),
        "fio writes samples and nothing after them: a log cut between two lines is that of a shorter job",
    ),
    "fio_terse": "a line a job and nothing after the last: a log cut between two lines is that of fewer jobs",
    "iostat": "reports follow each other until somebody stops them",
    "iostat_bsd": "lines follow each other until somebody stops them",
    "pidstat": "with -h, and without an interval, there are no averages: a table may end behind any line",
    "sadf": "its lines end with the samples of the data file",
    "cmssw_timereport": "services may print behind the end of the framework's report",
    "fileop": "there is no trailer, and the heading does not say at which force factor the table stops",
    "ganglia_host_page": "a page copied as text has no end, and does not say how many metrics it has",
    "ganglia_csv": "the front end prints no end: a table cut between two rows is that of a shorter time",
    "rrd_csv": "rrdtool prints no end: a table cut between two rows is that of a shorter time",
    "rrd_graph": "rrdtool prints no end, and does not say how much it was told to print",
    "rrd_info": "rrdtool prints no end, and the count of data sources is not given",
    "rrd_fetch": "rrdtool prints no end: a table cut between two rows is that of a shorter time",
}
"""Formats in which a cut between two lines cannot be seen, and why."""


def faults(check: Callable[[str], object], names: Iterable[str]) -> dict[str, str]:
    """Make a check under each of some names, and return those under which it failed, with what it said."""
    found = {}
    for name in names:
        try:
            check(name)
        except (Exception, pytest.fail.Exception) as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found
