"""Reading 2,000 logs of each format: against reading the bytes, and against splitting every line into fields.

``python -m benchmarks.parsing iozone ior`` prints the table of these formats alone, without names that of all.
Where other people's logs stand in ``shared/corpus`` beside the repository, or in `STORAGELAB_SHARED`, a second row of
a format reads those.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

import orjson

from benchmarks.measure import ROOT, best, python, table
from storagelab.errors import StoragelabError
from storagelab.ingest import read_log
from storagelab.ingest.logs_without_study import find_logs

COUNT = 2000
CORPUS = Path(os.environ.get("STORAGELAB_SHARED", ROOT.parent / "shared")) / "corpus"
SMALL = 2**14
"""Bytes of the largest log of a stranger: with the few that are larger, the others would not be seen."""
HEADINGS = ["format", "files/s", "MB/s", "read bytes", "read and split", "orjson.loads"]


def parsing(folder: Path, formats: Collection[str] = ()) -> str:
    """A row a format, or of some; the last three columns say how many times longer reading with storagelab takes.

    All are CPU seconds, and what was read or split is kept.
    """
    found = [(name, name, logs) for name, logs in logs_by_format().items()]
    found += [(name, f"{name} (strangers)", logs) for name, logs in _strangers().items()]
    wanted = [(title, logs) for name, title, logs in sorted(found) if name in formats or not formats]
    return table(HEADINGS, [_row(title, _repeated(logs, folder / title)) for title, logs in wanted])


def memory(folder: Path) -> str:
    """Peak memory of making one study of many logs, and the size of that study."""
    logs = logs_by_format()["iozone"]
    _repeated(logs, folder / "memory")
    bare, _ = _peak(folder / "memory", 0)
    rows = []
    for count in (COUNT // 4, COUNT // 2, COUNT):
        peak, size = _peak(folder / "memory", count)
        rows.append([count, f"{(peak - bare) / 1e6:.0f} MB", f"{size / 1e6:.0f} MB"])
    return table(["IOzone logs", "peak memory above that of the imports", "dataset in memory"], rows)


def logs_by_format() -> dict[str, list[Path]]:
    """The repository's own logs that a parser reads whole: measured ones, or fixtures where there are none."""
    return _whole(ROOT / "tests" / "logs") | _whole(ROOT / "raw")


def _strangers() -> dict[str, list[Path]]:
    """Small logs of strangers that a parser reads whole, one format each; none where there is no corpus."""
    found = _whole(CORPUS) if CORPUS.is_dir() else {}
    small = {name: [log for log in logs if log.stat().st_size <= SMALL] for name, logs in found.items()}
    return {name: logs for name, logs in small.items() if logs}


def _whole(folder: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = defaultdict(list)
    for path in find_logs([folder]):
        try:
            log = read_log(path)
        except StoragelabError:
            continue
        if log.parsed.complete:
            found[log.format].append(path)
    return found


def _repeated(logs: list[Path], folder: Path) -> list[Path]:
    """Copies of the logs, evenly chosen and repeated as often as it takes; their names may say what they hold."""
    folder.mkdir(parents=True)
    chosen = logs[:: max(1, len(logs) // COUNT)]
    copies = []
    for number, log in zip(range(COUNT), itertools.cycle(chosen), strict=False):
        copies.append(folder / f"{number:05}_{log.name}")
        copies[-1].write_bytes(log.read_bytes())
    return copies


def _row(format: str, logs: list[Path]) -> list[str]:
    size = sum(log.stat().st_size for log in logs)
    functions = {
        "storagelab": lambda: [read_log(log) for log in logs],
        "bytes": lambda: [log.read_bytes() for log in logs],
        "split": lambda: [list(_fields(log)) for log in logs],
    }
    if all(_is_json(log) for log in logs):
        functions["orjson"] = lambda: [orjson.loads(log.read_bytes()) for log in logs]
    times = best(functions, clock=time.process_time)
    ours = times.pop("storagelab")
    ratios = [f"{ours / times[name]:.1f} x" if name in times else "" for name in ("bytes", "split", "orjson")]
    return [format, f"{len(logs) / ours:,.0f}", f"{size / ours / 1e6:.1f}", *ratios]


def _fields(log: Path) -> Iterator[list[str]]:
    for line in log.read_text(encoding="utf-8", errors="replace").split("\n"):
        yield line.split()


def _is_json(log: Path) -> bool:
    try:
        json.loads(log.read_bytes())
    except ValueError:
        return False
    return True


def _peak(folder: Path, count: int) -> tuple[float, float]:
    code = """
import sys
from pathlib import Path
import xarray
from benchmarks.measure import peak_memory
from storagelab.ingest import read_log, tidy
logs = sorted(Path(sys.argv[1]).iterdir())[:int(sys.argv[2])]
study = tidy(read_log(log) for log in logs)
print(peak_memory(), sum(node.nbytes for node in study.subtree))
"""
    peak, size = python(code, str(folder), str(count)).split()
    return float(peak), float(size)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print(parsing(Path(name), sys.argv[1:]))
