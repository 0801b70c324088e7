"""Lines that tools print together, and lines that have one form, by format: `companions` counts them."""

from __future__ import annotations

import re
from typing import NamedTuple

_JSON_IOR = ("operation", "API", "numTasks", "bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB", "OPsMean", "MeanTime")


_JSON_IOR_ROW = (
    "bwMiB",
    "blockKiB",
    "xferKiB",
    "iops",
    "latency",
    "openTime",
    "wrRdTime",
    "closeTime",
    "totalTime",
)


_MDTEST = ("File creation ", "File stat ", "File removal ")


_TIMING = ("numOperations", "numSuccessfulOperations", "totalMegabytes", "totalMsecs", "minMsecs", "maxMsecs")


_FWJR = (
    *("writeTotalMB", "readPercentageOps", "readTotalMB", "readNumOps", "readCachePercentageOps", "readMBSec"),
    *("readMaxMSec", "readTotalSecs", "writeTotalSecs", "MaxEventCPU", "MinEventCPU", "TotalEventCPU"),
)
_FWJR_TIMES = ("TotalJobCPU", "AvgEventTime", "TotalJobTime", "MinEventTime", "MaxEventTime", "PeakValueVsize")
"""Newer agents have them twice: once by themselves, and once as the framework reported them."""


_FWJR_PARTS = ("status", "errors", "stop", "start", "performance", "storage", "memory", "output")


_FILEOP = ("mkdir", "chdir", "rmdir", "create", "write", "close", "stat", "open", "read", "access")


_IO500 = (
    *("ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write", "find", "ior-easy-read"),
    *("mdtest-easy-stat", "ior-hard-read", "mdtest-hard-stat", "mdtest-easy-delete", "mdtest-hard-read"),
    "mdtest-hard-delete",
)


_DBENCH = ("NTCreateX ", "Close ", "Rename ", "Unlink ", "WriteX ", "ReadX ", "LockX ", "UnlockX ", "Flush ")
_DBENCH_QUERIES = ("Qpathinfo ", "Qfileinfo ", "Qfsinfo ", "Sfileinfo ", "Find ")
_DBENCH_QUERIES_OF_SMB = (
    *("QUERY_PATH_INFORMATION", "QUERY_FILE_INFORMATION", "QUERY_FS_INFORMATION", "SET_FILE_INFORMATION"),
    "FIND_FIRST",
)
"""What newer versions call them."""


_FIO_DIRECTION = ("io_bytes", "bw", "iops", "bw_min", "bw_max", "bw_agg", "bw_mean", "bw_dev")


_FIO_JOB = ("groupid", "usr_cpu", "sys_cpu", "ctx", "majf", "minf", "iodepth_level", "latency_us", "latency_ms")


_RADOS = (
    *("total_time_run", "bandwidth", "average_iops", "stddev_iops", "max_iops", "min_iops", "average_latency"),
    *("max_latency", "min_latency"),
)


_RADOS_WRITE = (
    "total_writes_made",
    "write_size",
    "stddev_bandwidth",
    "max_bandwidth",
    "min_bandwidth",
    "stddev_latency",
)


_IPERF = ("protocol", "num_streams", "blksize", "omit", "duration")


_PERF_STATS = (
    *("TreeCache =", "N leaves", "ReadTotal", "ReadUnZip", "ReadCalls", "ReadSize", "Readextra"),
    *("Real Time", "CPU  Time", "Disk Time", "Disk IO", "ReadUZRT", "ReadUZCP", "ReadRT", "ReadCP"),
)


_TREE_CACHE = ("Cache Efficiency .", "Cache Efficiency Rel", "Average transaction", "Number of blocks in current cache")


VMSTAT_TOTALS = (
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


VMSTAT_DISKS = (
    *("disks", "partitions", "total reads", "merged reads", "read sectors", "milli reading", "writes"),
    *("merged writes", "written sectors", "milli writing"),
)


_GANGLIA_PAGE = (
    ("Last Boot Time", "Machine Type", "Operating System Release", "Uptime"),
    ("CPU Count", "CPU Speed", "Memory Total", "Swap Space Total"),
    ("boottime ", "machine_type ", "os_name ", "os_release ", "uptime "),
    ("cpu_num ", "cpu_speed ", "mem_total ", "swap_total "),
    (" Host Report ", "Time and String Metrics", "Constant Metrics"),
)


_NTUPLE = (
    *("nReadV", "nRead", "szReadPayload", "szReadOverhead", "szUnzip", "nClusterLoaded", "timeWallRead"),
    *("timeWallUnzip", "timeCpuRead", "timeCpuUnzip", "bwRead", "bwReadUnzip", "bwUnzip", "rtReadEfficiency"),
    "rtCompression",
)


_IOTOOLS = ("realtime", "usertime", "kerneltime", "rssmax", "memavg", "nswitch", "nwait", "nread", "nwrite")


_IOR_OPTIONS = (
    "api",
    "test filename",
    "access",
    "ordering in a file",
    "ordering inter file",
    "repetitions",
    "xfersize",
)


_IOR_OPTIONS_3 = ("apiVersion", "type", "segments", "tasks", "clients per node")


class Line(NamedTuple):
    """A line that is counted.

    Attributes
    ----------
    shown : str
        How it is shown.
    pattern : str
        The regular expression by which it is known.
    literal : str
        What stands wherever it is: text without this has no such line.
    begins : {"", "literal", "line", "key", "option"}
        Where the expression begins to match: at the literal, at the beginning of its line, or somewhere else; keys of
        JSON are counted all at once, and so are lines with a name and a colon.
    """

    shown: str
    pattern: str
    literal: str = ""
    begins: str = ""


def _keys(*names: str) -> tuple[Line, ...]:
    """Keys of JSON."""
    return tuple(Line(f'"{name}"', rf'"{name}"\s*:', name, "key") for name in names)


def _starts(*names: str) -> tuple[Line, ...]:
    """Lines that begin so, blanks apart."""
    return tuple(Line(name, rf"(?m:^[ \t\r]*){_words(name)}", name, "line") for name in names)


def _options(*names: str) -> tuple[Line, ...]:
    """Lines of a list of options, with a colon or an equals sign behind the name."""
    return tuple(Line(name, rf"(?m:^[ \t]*){re.escape(name)} *[:=]", name, "option") for name in names)


def _said(*names: str) -> tuple[Line, ...]:
    """Words anywhere in a line, behind whatever a launcher or a logger puts there."""
    return tuple(Line(name, _words(name), name, "literal") for name in names)


def _above(*pairs: tuple[str, str]) -> tuple[Line, ...]:
    """Words with others in the next line."""
    return tuple(
        Line(f"{name} above {next}", rf"{re.escape(name)}(?=.*\n.*{re.escape(next)})", name, "literal")
        for name, next in pairs
    )


def _words(name: str) -> str:
    return re.escape(name) + (r"(?![\w-])" if name[-1].isalnum() else "")


_RADOS_LATENCIES = tuple(
    Line(name, rf"(?m:^[ \t\r]*){name}(?:\(s\))?:", name, "line")
    for name in ("Average Latency", "Max latency", "Min latency")
)
"""Lines that say their unit since Jewel."""


_FWJR_SITE = Line('"site"', r'"site"\s*:(?!\s*"[^"\n]*",\s*"value")', '"site"', "literal")
"""Where a step ran; what follows the site of a server is its value."""


TOGETHER: dict[str, tuple[tuple[Line, ...], ...]] = {
    "testdfsio": (
        _said(
            *(
                "----- TestDFSIO -----",
                "Date & time:",
                "Number of files:",
                "Total MBytes processed:",
                "Throughput mb/sec:",
            ),
            *("Average IO rate mb/sec:", "IO rate std deviation:", "Test exec time sec:"),
        ),
    ),
    "warp": (
        (
            Line("Report: ", r"(?m:^[ \t]*)(?:Report|Operation): (?!\w+ - total: )"),
            Line("* Average:", r"(?m:^[ \t]*)\* (?:(?:Average|Throughput): )?[0-9.]+ (?:[KMGT]i?B|obj)/s"),
        ),
        (Line("Throughput, split into", r", split into", ", split into"), *_said("* Fastest:", "* Slowest:")),
    ),
    "dbench": (
        _starts(*_DBENCH),
        _starts(*_DBENCH_QUERIES, "Operation      Count"),
        _starts(*_DBENCH_QUERIES_OF_SMB),
        _starts("Deltree ", "Mkdir "),
    ),
    "rados-bench": (
        (*_starts("Total time run:", "Bandwidth (MB/sec):"), *_RADOS_LATENCIES),
        (
            Line("Average IOPS", r"(?m:^[ \t\r]*)Average IOPS(?::|  )", "Average IOPS", "line"),
            *_starts("Stddev IOPS:", "Max IOPS:", "Min IOPS:"),
        ),
        _starts("Object size:", "Average Latency(s):"),
        (
            *_starts("Total writes made:", "Write size:", "Stddev Bandwidth:", "Max bandwidth (MB/sec):"),
            *_starts("Min bandwidth (MB/sec):"),
            Line("Stddev Latency", r"(?m:^[ \t\r]*)Stddev Latency(?:\(s\))?:", "Stddev Latency", "line"),
        ),
        _keys(*_RADOS),
        _keys(*_RADOS_WRITE),
        _keys("sec", "cur_ops", "started", "finished", "avg_bw", "cur_bw", "last_lat", "avg_lat"),
    ),
    "xrdcp": (_said("Job: ", "Source: ", "Target: "), _starts("real", "user", "sys")),
    "vmstat": (
        tuple(Line(name, rf"(?m:^ *[0-9]+ (?:[KMGkm] )?{_words(name)})", name, "line") for name in VMSTAT_TOTALS),
        tuple(Line(name, rf"(?m:^ *[0-9]+ {_words(name)} *$)", name, "line") for name in VMSTAT_DISKS),
    ),
    "ganglia-host-page": tuple(_said(*names) for names in _GANGLIA_PAGE),
    "globus-url-copy": (_starts("Source:", "Dest:"),),
    "gfal-copy": (
        _said("LIST:ENTER", "LIST:EXIT"),
        _said("TRANSFER:ENTER", "TRANSFER:TYPE", "TRANSFER:EXIT"),
        _said("Transfer accepted", "Source url:", "Dest url:", "Getting source file size"),
    ),
    "dstat": (_said('"Cmdline:"', '"Host:"'),),
    "root": (
        tuple(Line(name, rf"RPageSourceFile\.{name}\|", f"RPageSourceFile.{name}|", "literal") for name in _NTUPLE),
        _starts(*_PERF_STATS),
        (*_said(*_TREE_CACHE), Line("Reading....", r"(?<!Cached )Reading\.{4}", "Reading....", "literal")),
        _said("Secondary Efficiency .", "Secondary Efficiency Rel"),
    ),
    "root-readspeed": (
        _starts(
            "Thread pool size:",
            "Compressed data read:",
            "Uncompressed throughput:",
            "Compressed throughput:",
            "CPU Efficiency:",
        ),
        _starts("Real time:", "CPU time:", "Uncompressed data read:"),
        _starts("Real time to setup MT run:", "CPU time to setup MT run:"),
    ),
    "root-iotools": (_starts(*_IOTOOLS),),
    "cmssw-timereport": (
        _said("TrigReport Events total =", "TrigReport ---------- Event  Summary", "T---Report end!"),
        _said("event loop CPU/event =", "event loop Real/event ="),
        _said("sum Streams Real/event =", "efficiency CPU/Real/thread ="),
        _said("Time report complete in", "Time Summary:"),
        _said("Min event:", "Max event:", "Time Summary:"),
        _said("EventSetup Lock:", "EventSetup Get:"),
        _said("Total EventSetup:", "Total non-module:"),
        _said("Processing Summary:", "Number of Events:", "Global Begin Lumi Calls:", "Global Begin Run Calls:"),
        _said("Peak virtual size", "Key events increasing vsize:"),
        _said("Peak rss size", "Key events increasing rss:"),
    ),
    "mdtest": (
        _starts(*_MDTEST),
        _starts(*(f"Test {name}" for name in _MDTEST), "iteration: "),
        _said("-- started at", "-- finished at"),
    ),
    "ior": (
        _options(*_IOR_OPTIONS, "blocksize", "aggregate filesize"),
        _options(*_IOR_OPTIONS_3),
        _options("memoryBuffer", "dataAccess", "GPUDirect"),
        _starts("Summary of all tests:", "Operation   Max(MiB)"),
        _starts("Run began", "Run finished"),
        _keys(*_JSON_IOR),
        _keys(*_JSON_IOR_ROW),
    ),
    "lfs-getstripe": (
        _said("lmm_stripe_count:", "lmm_stripe_size:", "lmm_pattern:", "lmm_layout_gen:", "lmm_stripe_offset:"),
        _said("lcme_id:", "lcme_mirror_id:", "lcme_flags:", "lcme_extent.e_start:", "lcme_extent.e_end:"),
        _said("lcm_layout_gen:", "lcm_mirror_count:", "lcm_entry_count:"),
    ),
    "gridftp-log": (_said(":: Starting to transfer ", ":: Finished transferring ", ":: Transfer stats: "),),
    "fio-text": (
        _starts("cpu  ", "IO depths ", "submit ", "complete ", "issued "),
        (
            *_said(" percentiles ("),
            Line("th=[...] at the end of a line", r"th=\[ *\d+\](?m:[ \t\r]*$)", "th=[", "literal"),
        ),
        _above(("|  1.00th=", "| 30.00th="), ("| 30.00th=", "| 70.00th="), ("| 70.00th=", "| 99.00th=")),
    ),
    "fio-json": (
        _keys(*_FIO_DIRECTION),
        _keys(*_FIO_JOB),
        _keys("min", "max", "mean", "stddev"),
        _keys("slat_ns", "clat_ns", "bw_samples", "iops_min", "iops_max", "iops_mean", "iops_stddev"),
    ),
    "iperf3": (_keys(*_IPERF), _keys("seconds", "bits_per_second"), _starts("Connecting to host", "iperf Done.")),
    "elbencho": (
        (
            Line("Throughput MiB/s", r"(?m:^[ \t]*)Throughput Mi?B/s *:", "Throughput M"),
            Line("Total MiB", r"(?m:^[ \t]*)Total Mi?B *:", "Total M"),
        ),
        (
            Line("Files/s", r"(?m:^[ \t]*)Files/s *:", "Files/s"),
            Line("Files total", r"(?m:^[ \t]*)(?:Files total|Total files) *:", "iles"),
        ),
        (Line("Elapsed time", r"(?m:^[A-Z]\S*\s+)Elapsed (?:time|ms) *:"), Line("---", r"(?m:^-{3,}[ \t\r]*$)")),
        _options("Objects/s", "Objects total"),
        (Line("ISO DATE:", r"ISO DATE(?: start)?:", "ISO DATE", "literal"), *_said("COMMAND LINE:")),
    ),
    "ip-link": (_starts("RX:", "TX:"), _starts("RX errors:", "TX errors:")),
    "ifconfig": (_said("RX packets", "TX packets"), _said("RX errors", "TX errors")),
    "iozone": (
        _said(
            "Command line used:",
            "Time Resolution =",
            "Processor cache size set to",
            "Processor cache line size set to",
            "File stride size set to",
        ),
        _said("Min throughput per ", "Max throughput per ", "Avg throughput per "),
        _said("Using minimum file size of", "Using maximum file size of"),
    ),
    "io500": (
        _said(*(f"[{name}]" for name in _IO500)),
        tuple(Line(name, rf"\[RESULT\] +{_words(name)}", name) for name in _IO500),
        _starts("t_start", "t_delta", "t_end"),
        _starts("exe ", "score "),
    ),
    "fileop": (
        _starts(*(f"{name}:" for name in _FILEOP)),
        _starts(*(f"{which} {name}(s)/sec" for name in _FILEOP for which in ("Avg", "Best", "Worst"))),
        _starts("B  ", "W  "),
        _said("Fileop:", "File size is"),
    ),
    "cmssw-fjr": (
        tuple(Line(f"Timing-...-{name}", rf'Name="Timing-[\w-]+-{name}"', f'-{name}"') for name in _TIMING),
        _said("<InputFile>", "<EventsRead>", "</InputFile>"),
        _said('Name="AvgEventTime"', 'Name="MinEventTime"', 'Name="MaxEventTime"'),
    ),
    "cmssw-fwjr-json": (_keys(*_FWJR), _keys(*_FWJR_TIMES), (*_keys(*_FWJR_PARTS), _FWJR_SITE)),
    "iostat": (_keys("hosts", "nodename", "number-of-cpus", "date", "statistics"), _keys("avg-cpu", "disk")),
    "mountstats": (
        _starts("RPC requests:", "RPC replies:", "XIDs not found:", "Avg backlog length:"),
        _said(
            *("bytes via read(2)", "bytes via write(2)", "bytes via O_DIRECT read(2)", "bytes via O_DIRECT write(2)"),
            *("bytes via NFS READ", "bytes via NFS WRITE"),
        ),
        _starts("opts:", "age:", "caps:", "sec:", "events:", "bytes:", "per-op statistics"),
        _starts("NFS mount options:", "NFS mount age:"),
    ),
    "lustre-iokit": (
        _said(
            "Worst  Read OST indx",
            "Best   Read OST indx",
            "Read Average",
            "Worst  Write OST indx",
            "Best   Write OST indx",
            "Write Average",
        ),
        _said(
            "Average read Speed",
            "Average write Speed",
            "read - Worst OST indx",
            "write - Worst OST indx",
            "read - Best OST indx",
            "write - Best OST indx",
        ),
    ),
    "collectl": (
        _said(
            "# CPU SUMMARY", "# User  Nice", "# DISK SUMMARY", "#KBRead RMerged", "# NETWORK SUMMARY", "# KBIn  PktIn"
        ),
    ),
    "rrd-info": (_said(".type =", ".minimal_heartbeat =", ".last_ds =", ".unknown_sec ="),),
    "rrd-dump": (
        _said("<rra>", "<pdp_per_row>", "<database>", "</database>", "</rra>"),
        _said("<minimal_heartbeat>", "<last_ds>", "<unknown_sec>"),
    ),
}


SHAPES: dict[str, tuple[Line, ...]] = {
    "root": (
        Line("RNTuple", r"RNTuple(?:Reader|Writer)\.[\w.]+\|[^|\n]*\|[^|\n]*\|[^|\n]+"),
        Line("Entries read ", r"Entries read \d+ of \d+, .*\bfile size \d+"),
    ),
    "glusterfs-log": (
        Line("[20", r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: \+\d{4})?\] [A-Z] (?:\[MSGID: \d+\] )?[\[(].*"),
        Line("+---", r"\+-+\+"),
    ),
    "cmssw-timereport": (
        Line("TrigReport Events total", r"TrigReport Events total = \d+ passed = \d+ failed = \d+"),
        Line("TimeReport -", r"TimeReport -{3,}.*-"),
        Line("TrigReport -", r"TrigReport -{3,}.*-"),
    ),
    "xrdcl-log": (
        Line(
            "[20",
            r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}\]\[\w+ *\]\[\w+ *\] (?!.*(?:\]\[\w{1,20} *| {2})\] ).*",
        ),
    ),
}
"""Lines that begin so and have one form: one that has another lost a piece, or is made of two."""
