"""Recognising a log: against reading it, and against asking the parser of every format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.measure import best, table
from benchmarks.parsing import logs_by_format
from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.recognition import claims, windows
from storagelab.parsers.text import decode

HEADINGS = ["logs", "formats", "recognised in", "ask every parser", "read bytes"]
Log = tuple[str, str]


def recognition() -> str:
    """Mean time of recognising a log; the last columns say how many times as long as something else that takes."""
    by_format = logs_by_format()
    logs = [log for some in by_format.values() for log in some[:: max(1, len(some) // 10)]]
    held = [_held(log) for log in logs]
    times = best(
        {
            "words": lambda: _all(parsers.recognise, held),
            "all": lambda: _all(by_asking_all, held),
            "bytes": lambda: [log.read_bytes() for log in logs],
        }
    )
    ratios = [f"{times['words'] / times[name]:.2f} x" for name in ("all", "bytes")]
    formats = f"{len(by_format)} of {len(parsers.PARSERS)}"
    return table(HEADINGS, [[len(logs), formats, f"{times['words'] / len(logs) * 1e6:.0f} us", *ratios]])


def by_asking_all(text: str, name: str) -> None:
    """Ask the parser of every format about the first windows of a log, all of them about each, until one claims it."""
    for window in windows(text):
        if sum(claims(parser, window, name) for parser in parsers.PARSERS):
            return
    raise ParseError("a log of a known format", text[:80], 1)


def _held(log: Path) -> Log:
    return decode(log.read_bytes())[0], log.name


def _all(recognise: Callable[[str, str], object], logs: Sequence[Log]) -> None:
    for text, name in logs:
        recognise(text, name)
