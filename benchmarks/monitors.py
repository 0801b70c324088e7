"""Reading long logs of monitors, whole and stopped, beside splitting their lines: ``python -m benchmarks.monitors``.

A monitor runs for hours, so that what a line costs decides, and not what a log does. The logs are invented, the same
each time: ten of each tool with `SAMPLES` samples, as it prints them. One that was stopped lacks the averages at its
end. Besides CPU seconds the table says how many lines were read in a second.
"""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from benchmarks.measure import best, table
from storagelab.ingest import read_log

SAMPLES = 300
LOGS = 10
HEADINGS = ["tool", "bytes", "lines/s", "read and split", "stopped: lines/s", "read and split"]

_BANNER = "Linux 6.1.0 (node1) \t11/20/2026 \t_x86_64_\t(4 CPU)\n\n"
_VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
)
_DSTAT = (
    '"Dstat 0.7.3 CSV output"\n"Host:","node1",,,,"User:","root"\n'
    '"Cmdline:","dstat --output dstat.csv",,,,"Date:","20 Nov 2026 10:00:00 UTC"\n\n'
    '"total cpu usage",,,,,"dsk/total",,"net/total",,"system",\n'
    '"usr","sys","idl","wai","stl","read","writ","recv","send","int","csw"\n'
)
_IOSTAT = (
    "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await "
    "wareq-sz  aqu-sz  %util\n"
)
_SHARES = "    5.00    0.00    2.00    1.00    0.00    0.00    0.00    0.00    0.00   92.00"


def _vmstat(draw: random.Random) -> Iterator[str]:
    for sample in range(SAMPLES):
        memory = " ".join(str(4 * draw.randrange(10**6)) for _ in range(3))
        rates = " ".join(str(draw.randrange(10**4)) for _ in range(4))
        yield f"{_VMSTAT if sample % 20 == 0 else ''} 1  0      0 {memory}    0    0 {rates} 10 20 60 10  0\n"


def _iostat(draw: random.Random) -> Iterator[str]:
    yield _BANNER
    for _ in range(SAMPLES):
        rows = ("".join(f" {draw.uniform(0, 99):8.2f}" for _ in range(14)) for _ in range(3))
        yield _IOSTAT + "".join(f"sd{disk:8}{row}\n" for disk, row in zip("abc", rows, strict=True)) + "\n"


def _dstat(draw: random.Random) -> Iterator[str]:
    yield _DSTAT
    for _ in range(SAMPLES):
        yield "10.0,20.0,65.0,5.0,0.0," + ",".join(f"{draw.uniform(0, 1e8):.3f}" for _ in range(6)) + "\n"


Printer = Callable[[random.Random], Iterator[str]]
"""Gives the pieces of a log: what stands above, and sample after sample."""


def _of_sysstat(columns: str, rows: Callable[[random.Random], Sequence[str]]) -> Printer:
    def pages(draw: random.Random) -> Iterator[str]:
        yield _BANNER
        times = [f"{10 + second // 3600}:{second // 60 % 60:02}:{second % 60:02}" for second in range(SAMPLES + 1)]
        for begin, end in itertools.pairwise(times):
            yield f"{begin} {columns}\n" + "".join(f"{end} {row}\n" for row in rows(draw)) + "\n"
        yield f"Average: {columns}\n" + "".join(f"Average: {row}\n" for row in rows(draw))

    return pages


def _of_interfaces(draw: random.Random) -> list[str]:
    return [f"{name:>9}" + "".join(f" {draw.uniform(0, 99):9.2f}" for _ in range(8)) for name in ("lo", "eth0", "ib0")]


TOOLS: dict[str, Printer] = {
    "vmstat": _vmstat,
    "iostat -x": _iostat,
    "dstat --output": _dstat,
    "mpstat -P ALL": _of_sysstat(
        "    CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle",
        lambda _: [f"    {cpu:>3}{_SHARES}" for cpu in ("all", 0, 1, 2, 3)],
    ),
    "sar -n DEV": _of_sysstat(
        "    IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil", _of_interfaces
    ),
    "pidstat -d": _of_sysstat(
        "  UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command",
        lambda draw: [
            f"    0 {pid:9}      0.00 {draw.uniform(0, 1e5):9.2f}      0.00       0  ior" for pid in (7, 8, 9)
        ],
    ),
}
"""What each tool prints, piece by piece; a stopped one's last piece is missing."""


SEPARATORS = {"dstat --output": ","}
"""What stands between the fields of a tool that prints no blanks there."""


def monitors(folder: Path, tools: Collection[str] = ()) -> str:
    """A row a tool: lines that are read in a second, and how many times as long as splitting them that takes."""
    return table(HEADINGS, [_row(tool, folder) for tool in TOOLS if tool in tools or not tools])


def _row(tool: str, folder: Path) -> list[str]:
    pieces = [list(TOOLS[tool](random.Random(number))) for number in range(LOGS)]
    whole = [_written(folder / f"{tool} {number}.log", log) for number, log in enumerate(pieces)]
    row = [tool, f"{whole[0].stat().st_size:,}", *_measured(whole, SEPARATORS.get(tool))]
    if not pieces[0][-1].startswith("Average"):
        return [*row, "", ""]
    stopped = [_written(folder / f"{tool} {number}.cut", log[:-1]) for number, log in enumerate(pieces)]
    return row + _measured(stopped, SEPARATORS.get(tool))


def _written(log: Path, pieces: Sequence[str]) -> Path:
    log.write_text("".join(pieces))
    return log


def _measured(logs: Sequence[Path], separator: str | None) -> list[str]:
    """Lines in a second, and how many times as long as splitting them it takes."""
    lines = sum(log.read_text().count("\n") for log in logs)
    functions = {
        "storagelab": lambda: [read_log(log) for log in logs],
        "split": lambda: [[line.split(separator) for line in log.read_text().split("\n")] for log in logs],
    }
    times = best(functions, rounds=5, clock=time.process_time)
    return [f"{lines / times['storagelab']:,.0f}", f"{times['storagelab'] / times['split']:.1f} x"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(monitors(Path(name), sys.argv[1:]))
