"""What mdtest prints of single iterations (``-v``) and of single processes (``--print-all-procs``)."""

from __future__ import annotations

import math
import re

from storagelab.parsers.benchmarks.mdtest.log import OPERATIONS
from storagelab.parsers.benchmarks.mdtest.reader import Reader
from storagelab.parsers.model import Row
from storagelab.parsers.text import number as decimal

_DETAIL = re.compile(r"(File|Directory|Tree) (\w+)\s*:\s*(\d+[.,]\d+) sec,\s*(\d+[.,]\d+) ops/sec")
_ITERATION = re.compile(r"\* iteration (\d{1,9}) ")
_COUNT = re.compile(r"[0-9]{1,9}")
_SCIENTIFIC = re.compile(r"-?(?:\d\.\d{6}e[-+]\d{2,3}|nan|inf)")


def are_in(text: str) -> bool:
    """Whether a text has a line of a single iteration, which people pick out of a log."""
    return "V-1:" in text and " ops/sec" in text and bool(_DETAIL.search(text))


def verbose(reader: Reader, number: int, line: str) -> None:
    """``V-1: main: * iteration 1 *`` and ``V-1:   File stat  :  0.014 sec,  1000.000 ops/sec``."""
    if " sec," in line:
        detail = _DETAIL.search(line)
        if detail:
            _detail(reader, number, *detail.groups())
    else:
        iteration = _ITERATION.search(line)
        if iteration:
            reader.iteration = int(iteration[1]) - 1


def _detail(reader: Reader, number: int, item: str, verb: str, seconds: str, rate: str) -> None:
    operation = OPERATIONS.get((item, verb))
    time, speed = (decimal(text) for text in (seconds, rate))
    if not operation or not speed:
        return
    row: Row = {"operation": operation, "statistic": "single", "operation_rate": speed, "line": number}
    if time:
        row["elapsed"] = time
    if reader.iteration >= 0:
        row["iteration"] = reader.iteration
    reader.run(number).singles.append(row)


def per_process(reader: Reader, number: int, line: str) -> None:
    """``Per process result (time):`` heads the table of processes."""
    if line.startswith("Per process result"):
        reader.per_process = {"(time)": "elapsed", "(rate)": "operation_rate"}.get(line.split()[-1].rstrip(":"), "")
        reader.table = None


def iteration(reader: Reader, number: int, line: str) -> None:
    """``iteration: 0`` heads the iterations of the table of processes."""
    text = line.partition(":")[2].strip()
    if line.startswith("iteration:") and _COUNT.fullmatch(text):
        reader.iteration = int(text)


def processes(reader: Reader, number: int, line: str) -> None:
    """``Test File stat 8.5e-03,2.4e-02``: the seconds, or the rate, of each process."""
    if not reader.per_process:
        return
    words = line.replace(":", " ").split()
    operation = OPERATIONS.get((words[1], words[2])) if len(words) == 4 else None
    texts = words[-1].split(",")
    tasks = reader.run(number).processes or len(texts)
    try:
        if not operation or len(texts) != tasks or not _SCIENTIFIC.fullmatch(texts[-1]):
            raise ValueError(texts)
        values = [decimal(text) for text in texts]
    except ValueError:
        reader.parsed.incomplete(f"a line of the table of processes is damaged: {line[:80]!r}", number)
        return
    shared: Row = {"operation": operation, "statistic": "single", "share": "rank"}
    if reader.iteration >= 0:
        shared["iteration"] = reader.iteration
    shares = reader.run(number).shares
    for rank, value in enumerate(values):
        if value and math.isfinite(value):
            shares.append({**shared, "process": str(rank), reader.per_process: value, "line": number})
