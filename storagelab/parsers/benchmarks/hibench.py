"""HiBench's report (``report/hibench.report``): a line a workload, of Hadoop, Spark or others.

``Type``, the date and the time at which it was done (of an unnamed zone), bytes of the input, seconds, and the bytes a
second that follow: of all, and of a node, both cut to whole ones. A workload that writes or reads HDFS
(``HadoopDfsioe-write``) is `write` or `read`, all others are a `job`; `label` is the type as it is printed.
`throughput_mean` is that of a node. A report is appended to line by line, so that it has no end. The heading is written
where there is no file yet: below what stood in the file before there is none, and widths of columns tell the lines.
Version 2 prints no size where a workload does not know it, and no rate: the seconds stand in the place of the size.
"""

from __future__ import annotations

import re

from storagelab.parsers.declared_checks import Agreement, Checks
from storagelab.parsers.line_formats import trusted_lines, with_parts
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import finite

_ALONE = re.compile(r"-[0-9]{2} [0-9:]{8} (?=[0-9][0-9 ]{19} [0-9.])[0-9. ]{41} [0-9][0-9 ]{19} [0-9]++ *+(?![^\r\n])")
"""The end of a date and what stands behind it, three numbers of twenty columns each and the last."""

FORMAT = Format(
    name="hibench-report",
    tool="HiBench",
    versions="2 to 7",
    reads="report/hibench.report",
    source="HiBench, bin/functions/workload_functions.sh (gen_report)",
    marks=("Throughput node",),
    shapes=(_ALONE.pattern,),
    opens=("Throughput(bytes/s)",),
    checks=Checks(rates=Agreement(1e-3, seconds=1e-3, rate=1.0)),
)

_HEADING = re.compile(
    r"\s*Type\s+Date\s+Time\s+Input_data_size\s+Duration\(s\)\s+Throughput\(bytes/s\)\s+Throughput/node\s*$"
)
_ROW = re.compile(
    r"\s*(\S+)\s+(\d{4}-\d\d-\d\d)\s+(\d\d:\d\d:\d\d)\s+(\d+)" + r"\s+((?:\d*\.)?\d++)" * 3 + r"\s*$",
    re.ASCII,
)
_SIZELESS = re.compile(r"\s*(\S+)\s+(\d{4}-\d\d-\d\d)\s+(\d\d:\d\d:\d\d)\s+(\d*\.\d{3})\s*$", re.ASCII)
"""A workload that tells no size, as in version 2: its seconds, three decimals by bc, are one column early."""
_ENDS = {"-write": "write", "-read": "read"}


def sniff(head: str) -> bool:
    """Whether the heading of a report stands here, or a line that must be of one."""
    if "Throughput/node" in head and any(map(_HEADING.match, head.split("\n"))):
        return True
    return bool(_ALONE.search(head))


def parse(text: str) -> Parsed:
    """Read every workload as a row of ``runs``.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "HiBench", "statistic": "single"})
    is_open = False
    for at, line in trusted_lines(text, parsed):
        if _HEADING.match(line):
            is_open = True
        elif is_open and (found := _SIZELESS.match(line)):
            kind, date, clock, elapsed = found.groups()
            workload: Row = {"operation": _operation(kind), "label": kind, "ended": f"{date}T{clock}", "line": at}
            parsed.runs.append(workload | {"elapsed": finite(elapsed)})
        elif (is_open or _ALONE.search(line)) and (found := _ROW.match(line)):
            if not is_open:
                parsed.note("no heading 'Type Date Time Input_data_size ...': lines may be missing above", at)
            is_open = True
            parsed.runs.append(_workload(found, at))
        elif is_open and line.strip():
            parsed.incomplete(f"expected a workload of HiBench, found {line.strip()[:60]!r}", at)
    return with_parts(parsed, "a workload of HiBench under 'Type Date Time Input_data_size ...'", text)


def _workload(found: re.Match[str], at: int) -> Row:
    """Make a row of a workload; a size of 0 is one that HiBench did not know, and so are its rates."""
    kind, date, clock, *printed = found.groups()
    size, elapsed, throughput, of_node = map(finite, printed)
    row: Row = {"operation": _operation(kind), "label": kind, "ended": f"{date}T{clock}", "line": at}
    row |= {"elapsed": elapsed} if elapsed else {}
    return row | ({"data_size": size, "throughput": throughput, "throughput_mean": of_node} if size else {})


def _operation(kind: str) -> str:
    return next((operation for end, operation in _ENDS.items() if kind.lower().endswith(end)), "job")
