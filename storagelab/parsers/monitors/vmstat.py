"""What ``vmstat`` prints of a host: samples, disk counters, totals.

Samples: a line of groups (``procs ---memory--- ...``), a line of columns (``r b swpd free ...``, with ``-a`` inact and
active in place of buff and cache), both again after every screenful, and a line a sample, wider with ``-w``. ``-t``
adds a time, under its zone's name. The first sample is the average since boot (unless ``-y``, which cannot be seen).
bi and bo are blocks of 1024 bytes whatever ``-S`` says; memory, si and so are in its unit (vmstat_units.py).

``-d``, ``-D``, ``-p``: counters of disks since boot, in sectors of 512 bytes. ``-s``: totals, with their unit.
FreeBSD's and Solaris' samples have columns of their own: memory in KiB, and disks, page and fault rates as metrics.

There is no end mark but the last line of ``-s``.
"""

from __future__ import annotations

import re
from datetime import datetime

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.monitors import vmstat_totals
from storagelab.parsers.monitors.clock import offset, since_start
from storagelab.parsers.monitors.snapshot import first_words, whole_lines, with_parts
from storagelab.parsers.monitors.vmstat_units import memory_factor
from storagelab.parsers.text import number
from storagelab.units import KIB, PERCENT

FORMAT = Format("vmstat", "vmstat", "procps 3.3.10 to 4.0.2", "samples of a host", "vmstat(8)")

_DIRECTIONS = {"bi": "read", "bo": "write"}
_HOST = {
    "r": ("processes_running", 1.0),
    "b": ("processes_blocked", 1.0),
    "in": ("interrupt_rate", 1.0),
    "cs": ("context_switch_rate", 1.0),
    "us": ("cpu_user", PERCENT),
    "sy": ("cpu_system", PERCENT),
    "id": ("cpu_idle", PERCENT),
    "wa": ("cpu_iowait", PERCENT),
    "st": ("cpu_steal", PERCENT),
    "gu": ("cpu_guest", PERCENT),
}
_MEMORY = {
    "swpd": "swap_used",
    "free": "memory_free",
    "fre": "memory_free",
    "buff": "memory_buffers",
    "cache": "memory_cached",
    "inact": "memory_inactive",
    "active": "memory_active",
    "si": "swap_in",
    "so": "swap_out",
}
_RATES = ("si", "so")
_SIZES = {"K": KIB, "M": KIB**2, "G": KIB**3, "T": KIB**4}
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_HEADING = re.compile(r"^ *r +b +(?:w +)?(?:swpd|swap|avm) ", re.MULTILINE)


def sniff(head: str) -> bool:
    """Whether a heading of samples or of disks stands here, or totals."""
    return (" b " in head and _HEADING.search(head) is not None) or vmstat_totals.sniff(head)


def parse(text: str) -> Parsed:
    """Read every sample, or the counters, into `series`.

    Raises
    ------
    ParseError
        If there is neither a sample under its heading nor a counter.
    """
    parsed = Parsed({"tool": "vmstat"})
    lines = whole_lines(text, parsed)
    samples: list[Row] = []
    if _HEADING.search(text):
        samples = _read(lines, parsed)
    elif vmstat_totals.sniff(text):
        samples = with_parts(vmstat_totals.read(lines, parsed))
    if not samples:
        raise ParseError(
            "a sample under 'r b swpd free ...', disks, or totals such as 'K total memory'", *first_words(text)
        )
    parsed.series = columns(samples)
    return parsed


def _read(lines: list[str], parsed: Parsed) -> list[Row]:
    heading: list[str] = []
    cells: list[tuple[int, dict[str, str], str]] = []
    for at, line in enumerate(lines, 1):
        words = line.split()
        if words[:2] == ["r", "b"]:
            heading = _columns(words)
        elif (
            words
            and heading
            and "---" not in line
            and not (words[0] in ("procs", "kthr") and not words[-1].isdecimal())
        ):
            sample = _cells(heading, words)
            if sample:
                cells.append((at, *sample))
            else:
                parsed.incomplete(f"a sample wants {len(heading)} numbers, found {line.strip()!r}", at)
    factor = memory_factor([cell for _, sample, _ in cells for cell in _memory_cells(sample)], parsed)
    first = cells[0][0] if cells else 0
    return [
        row
        for at, sample, when in cells
        for row in _rows(sample, factor, {**_time(when, parsed, at), "phase": "since boot" if at == first else ""}, at)
    ]


def _time(when: str, parsed: Parsed, at: int) -> Row:
    """Seconds since the first sample, whose time is when the log starts."""
    if not when:
        return {}
    try:
        return since_start(datetime.fromisoformat(when), parsed.header)
    except ValueError:
        parsed.incomplete(f"a sample has a time that is none: {when}", at)
        return {}


def _columns(words: list[str]) -> list[str]:
    """Names of the columns; the first of two ``sy`` counts system calls."""
    names: list[str] = []
    for at, word in enumerate(words):
        is_call = word == "sy" and "sy" in words[at + 1 :]
        names.append("system calls" if is_call else word if word not in names else f"{word} ({at + 1})")
    return names


def _cells(heading: list[str], words: list[str]) -> tuple[dict[str, str], str] | None:
    """Cells by column, and the time with its zone where there is one; None where the line is no sample."""
    if len(words) == len(heading) + 1 and _DATE.fullmatch(words[-2]):
        when = f"{words[-2]}T{words[-1]}{offset(heading[-1])}"
        heading, words = heading[:-1], words[:-2]
    else:
        when = ""
    if len(words) != len(heading) or not all(map(_is_cell, words)):
        return None
    return dict(zip(heading, words, strict=True)), when


_CELL = re.compile(r"\d+(?:[.,]\d+)?[KMGT]?")


def _is_cell(word: str) -> bool:
    return word.isdecimal() or _CELL.fullmatch(word) is not None


def _memory_cells(sample: dict[str, str]) -> list[str]:
    return [sample[name] for name in _MEMORY if name in sample and name not in _RATES]


def _rows(sample: dict[str, str], factor: float, common: Row, at: int) -> list[Row]:
    """Rows of a sample: the host's, one a direction, and one for each column that the contract has no name for."""
    host: Row = {**common, "operation": "", "line": at}
    rows = [host]
    for name, cell in sample.items():
        if name in _HOST:
            host[_HOST[name][0]] = _number(cell) * _HOST[name][1]
        elif name in _MEMORY:
            host[_MEMORY[name]] = _number(cell) * (1.0 if cell[-1] in _SIZES else factor)
        elif name in _DIRECTIONS:
            rows.append({**common, "operation": _DIRECTIONS[name], "throughput": _number(cell) * KIB, "line": at})
        else:
            rows.append({**common, "operation": "", "metric": name, "value": _number(cell), "unit": "", "line": at})
    return rows


def _number(cell: str) -> float:
    """Number of a cell; with a suffix (FreeBSD's ``-h``) bytes."""
    return number(cell[:-1]) * _SIZES[cell[-1]] if cell[-1] in _SIZES else number(cell)
