"""``python -m benchmarks.generate FOLDER``: logs that anybody can make, as many as are wanted, no two the same.

Each is a measured log of this repository with the last digits of its long numbers drawn anew (seeded), so that sizes,
layouts and the agreement of its numbers stay those of the tool. Numbers that differ in their last digit alone become
equal, so that percentiles rise as they did.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import ROOT

LOGS = {
    "fio-json": "loopback-2026/fio/**/*.json",
    "ior": "loopback-2026/ior/**/*.log",
    "iozone": "loopback-2026/iozone/**/*_throughput_*.log",
    "iozone-auto": "loopback-2026/iozone/**/*_auto_*.log",
    "mdtest": "loopback-2026/mdtest/**/*.log",
}
"""Tool -> its logs below raw/."""

A_FOLDER = 1000
"""As many logs lie in one folder."""

_LONG = re.compile(rb"(?<![\w.+-])\d{6,}(?![\w.])")
"""Whole numbers of six digits and more: a changed last digit is a hundred-thousandth of them."""
_SECONDS = re.compile(rb"(?<=\d\d:)\d\d(?= \d{4}\b)")


def generate(folder: Path, tool: str, count: int) -> list[Path]:
    """Write logs of a tool, and return their paths in order."""
    return [_written(folder, number, *one) for number, one in enumerate(itertools.islice(texts(tool), count))]


def texts(tool: str) -> Iterator[tuple[str, bytes]]:
    """Name and content of log after log, without end."""
    sources = sorted(ROOT.joinpath("raw").glob(LOGS[tool]))
    if not sources:
        raise FileNotFoundError(f"raw/{LOGS[tool]}: no such logs")
    read = [(path.name, path.read_bytes()) for path in sources]
    for number, (name, text) in enumerate(itertools.cycle(read)):
        drawn = random.Random(number)
        last: defaultdict[bytes, bytes] = defaultdict(lambda drawn=drawn: b"%d" % drawn.randrange(10))  # type: ignore[misc]
        varied = _LONG.sub(lambda found, last=last: found[0][:-1] + last[found[0][:-1]], text)  # type: ignore[misc]
        yield name, _SECONDS.sub(lambda found, drawn=drawn: b"%02d" % drawn.randrange(60), varied)  # type: ignore[misc]


def _written(folder: Path, number: int, name: str, text: bytes) -> Path:
    path = folder / f"{number // A_FOLDER:04}" / f"{number:07}_{name}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return path


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.generate", description=(__doc__ or "").split("\n")[0])
    asked.add_argument("folder", type=Path)
    asked.add_argument("--tool", choices=sorted(LOGS), default="iozone-auto")
    asked.add_argument("--count", type=int, default=2000)
    wanted = asked.parse_args()
    paths = generate(wanted.folder, wanted.tool, wanted.count)
    size = sum(path.stat().st_size for path in paths)
    print(f"{wanted.folder}: {len(paths):,} logs of {wanted.tool}, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
