r"""dd: what it copied and how fast, by GNU coreutils, BSD, busybox and toybox, in any language.

dd counts records in and out and times the copy as a whole. A row of ``read`` has the records that came in, a row of
``write`` those that went out. The time belongs to both, unless the log shows the command and one side is no storage
(``/dev/zero``, ``/dev/null``): then it is the other's alone, as where a study's runs.csv has the command
(`storagelab.ingest.recorded_command`). `throughput` is bytes over seconds as printed,
`throughput_rounded` the rate that dd prints. What to beware of:

- Words are translated, digits are not: lines are known by ``12+3`` and by the rate at their end, commas are decimal.
- GNU's MB are 10^6 bytes. busybox prints ``91.7MB/s`` without a blank and toybox ``1.6 G/s``: theirs are powers of 2.
- A report that ``status=progress`` or a signal asked for is a sample of ``series``, the last one is the result. Where
  a log was pasted, a progress line has no counts and stands above those of the end. BSD's has words of its own.
- What `time` says behind dd's own seconds is longer than these: a sample with `metric` "real".
"""

from __future__ import annotations

import re

from storagelab.parsers.benchmarks.dd.log import parse
from storagelab.parsers.benchmarks.dd.rate_line import stands_alone
from storagelab.parsers.model import Format

__all__ = ["FORMAT", "parse", "sniff"]

_ALMOST_TWO = re.compile(r"(?m)\+\d+[ \xa0\u202f]\S(?:(?!\+\d).)*$")
"""Two counts from a plus sign on: what begins with a literal is looked for many times as fast."""

_TWO_COUNTS = re.compile(
    r"(?m)(?<![\d:.\ufffd])\d+\+\d+[ \xa0\u202f]\S(?:(?!\d\+\d).|(?!))*+\n(?:(?!\d\+\d).)*?(?<![\d:.\ufffd])\d+\+\d+[ \xa0\u202f]"  # noqa: E501
)

_SIZES = re.compile(r"\(\d+(?:[.,]\d+)? [kMGT]?B(?:, \d+(?:[.,]\d+)? [KMGT]iB)?\) [^\d\n]{1,40}, \d")
"""Bytes in other units, as GNU's dd puts them in the line with its rate."""

_COUNTS = tuple(f"{last}+{partial}{blank}" for last in range(10) for partial in (0, 1) for blank in " \xa0\u202f")
"""The ends of most counts of records, which are the same in every language."""

FORMAT = Format(
    name="dd",
    tool="dd",
    versions="coreutils 5 to 9, BSD and macOS, busybox 1.x, toybox",
    reads="reports of the end, of status=progress and of signals; `time` behind them, of zsh too",
    source="coreutils/src/dd.c (print_stats, print_xfer_stats), FreeBSD bin/dd/misc.c (summary), busybox dd.c",
    marks=("dd", "bytes copied", "bytes transferred secs"),
    shapes=(_ALMOST_TWO.pattern, _SIZES.pattern),
    opens=(
        "dd if=",
        "dd of=",
        "dd bs=",
        "dd count=",
        "records in",
        "records out",
        " copied, ",
        "bytes transferred in",
        *_COUNTS,
    ),
    reads_returns=True,
)


def sniff(head: str) -> bool:
    """Whether two counts such as ``200+0`` stand in lines that follow each other, or dd names an error."""
    if _ALMOST_TWO.search(head) and _TWO_COUNTS.search(head):
        return True
    return head.lstrip("> \t").startswith("dd: ") or any(map(stands_alone, head.split("\n")))
