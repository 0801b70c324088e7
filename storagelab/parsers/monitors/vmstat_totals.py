"""vmstat's counters since boot: tables of disks (``-d``) and of a partition (``-p``), lists of totals (``-s``, ``-D``).

Slabs (``-m``) are a table, too: `label` is the cache, and its size is that of an object.

Sectors are 512 bytes. What is paged in and out is in KiB, also where old versions call it pages. The totals of Solaris,
AIX, HP-UX and the BSDs are counts, each a row with `metric`; shares of hits of a cache, in other lines, are left out.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from datetime import datetime

from storagelab.parsers.model import Parsed, Row, Value, columns
from storagelab.parsers.monitors.clock import offset, since_start
from storagelab.parsers.monitors.slots import EACH, Block, Layout, Slot, keys, metric
from storagelab.parsers.monitors.snapshot import ends_table, is_prompt, prose_behind_tables, prose_below, with_parts
from storagelab.parsers.text import floats
from storagelab.units import KB, KIB, MB, MIB

_SECTOR = 512.0
_UNITS = {"": KIB, "K": KIB, "k": KB, "M": MIB, "m": MB}
"""procps up to 3.2 leaves the unit of sizes away: two blanks stand there."""
_TOTAL = re.compile(r"\s*(\d+) (?:([kKmM]?) )?(\w.*)")
_TOTALS = re.compile(r"^ *(\d+) (?:([kKmM]) )?(.*)$", re.MULTILINE)
_PARTITION = re.compile(r"^(\S+) +reads +read sectors +writes +requested writes", re.MULTILINE)
_SIZES = {
    "total memory": "memory_total",
    "used memory": "memory_used",
    "active memory": "memory_active",
    "inactive memory": "memory_inactive",
    "free memory": "memory_free",
    "buffer memory": "memory_buffers",
    "swap cache": "memory_cached",
    "total swap": "swap_total",
    "used swap": "swap_used",
    "free swap": "swap_free",
}
_COUNTERS = {
    "paged in": ("read", "counter_bytes", KIB),
    "pages paged in": ("read", "counter_bytes", KIB),
    "paged out": ("write", "counter_bytes", KIB),
    "pages paged out": ("write", "counter_bytes", KIB),
    "total reads": ("read", "operations", 1.0),
    "read sectors": ("read", "counter_bytes", _SECTOR),
    "writes": ("write", "operations", 1.0),
    "written sectors": ("write", "counter_bytes", _SECTOR),
}
APART = frozenset((*_SIZES.values(), "counter_bytes", "operations"))
"""Names of values that tell one total from another."""
_BEGINS = ("total memory", "disks")
_OF_UNIX = re.compile(
    r"^[ \t]{0,24}\d{1,20} "
    r"(?:total address trans\. faults|pages examined by the (?:clock|page) ?daemon|total name lookups)",
    re.MULTILINE,
)
_BEGINS_OF_UNIX = ("swap ins", "total address trans. faults", "cpu context switches", "bytes per page")
_ENDS_OF_UNIX = ("wait cpu", "syscalls", "total name lookups", "select collisions", "rotational delays")
_SHARES = re.compile(r"\s*(?:cache hits \(|deletions \d|\(cache hits )[\w %,()+-]{1,100}")
_ENDS = ("forks", "milli spent IO", "milli weighted IO")
Table = tuple[tuple[str, str, float], ...]
_DISK = (
    ("read", "operations", 1.0),
    ("", "reads merged", 1.0),
    ("read", "counter_bytes", _SECTOR),
    ("", "reads ms", 1.0),
    ("write", "operations", 1.0),
    ("", "writes merged", 1.0),
    ("write", "counter_bytes", _SECTOR),
    ("", "writes ms", 1.0),
    ("", "IO cur", 1.0),
    ("", "IO sec", 1.0),
)
_PARTITION_COLUMNS = (_DISK[0], _DISK[2], _DISK[4], ("", "requested writes", 1.0))
_OF_DISKS = re.compile(
    r"^[^\W\d]{3,5}[- ]{1,3}-{8,30}[^\W\d]{2,14}[- ]{6,30}-{8,30}[^\W\d]{2,16}-{6,30} -{3,9}[^\s-]{2,5}-{3,9}",
    re.MULTILINE,
)
"""What stands over the columns of disks, in any language."""
_SLABS = ("Cache", "Num", "Total", "Size", "Pages")
_DISK_UNITS = {"reads ms": "ms", "writes ms": "ms", "IO sec": "s"}


def sniff(head: str) -> bool:
    """Whether totals, a table of disks or of a partition stand here."""
    if "Cache " in head and any(tuple(line.split()) == _SLABS for line in head.split("\n")):
        return True
    if "disk" in head and ("milli reading" in head or head.startswith("disk- -") or "\ndisk- -" in head):
        return True
    if "----" in head and _OF_DISKS.search(head):
        return True
    if "pages swapped in" in head and "CPU context switches" in head:
        return True
    if _is_of_unix(head):
        return True
    return ("total memory" in head and "used memory" in head) or (
        "requested writes" in head and _PARTITION.search(head) is not None
    )


def _is_of_unix(text: str) -> bool:
    return any(mark in text for mark in ("trans. faults", "daemon", "lookups")) and _OF_UNIX.search(text) is not None


def _of_unix(lines: list[str], parsed: Parsed) -> list[Row]:
    """Rows of the totals of Solaris, AIX, HP-UX and the BSDs."""
    samples: list[Row] = []
    last = ""
    for at, line in enumerate(lines, 1):
        total = _TOTAL.fullmatch(line)
        if total:
            name = " ".join(total[3].partition(" (cache hits ")[0].split())
            if not samples and name not in _BEGINS_OF_UNIX:
                parsed.incomplete(f"the totals begin with {name!r}", at)
            samples.append({"operation": "", "metric": name, "value": float(total[1]), "unit": "", "line": at})
            last = name
        elif line.strip() and not is_prompt(line) and not _SHARES.fullmatch(line):
            parsed.incomplete("not a line of vmstat", at)
    if last not in _ENDS_OF_UNIX:
        parsed.incomplete(f"the totals end with {last!r}", len(lines))
    return samples


def read(lines: list[str], parsed: Parsed) -> list[Row]:
    """Rows of every counter; a list that lacks its last line is said to be cut."""
    if _is_of_unix("\n".join(lines)):
        return _of_unix(lines, parsed)
    samples: list[Row] = []
    table: Table = ()
    device = first = last = zone = ""
    is_of_slabs = False
    prose = prose_behind_tables(lines) | prose_below(lines)
    for at, line in enumerate(lines, 1):
        words = [] if ends_table(line) else line.split()
        partition = _PARTITION.match(line) if "requested" in words else None
        total = None if table else _parts_of_total(line)
        if partition or _names_groups(line):
            table, device = (_PARTITION_COLUMNS, partition[1]) if partition else (_DISK, "")
        elif tuple(words) == _SLABS:
            is_of_slabs = True
        elif is_of_slabs and words:
            samples += _slab(words, at, parsed)
        elif table and line.startswith(" ") and len(words) >= len(_DISK) and not any(map(str.isdecimal, words)):
            zone = offset(words[-1])
        elif table and words and not (samples and at in prose):
            samples += _disk([device, *words] if device else words, table, zone, at, parsed)
        elif total:
            last = total[3]
            first = first or last
            samples.append(_total(float(total[1]), total[2] or "", last, at))
        elif words:
            is_apart = table or last in _ENDS or not samples
            is_note = is_apart and not any(map(str.isdecimal, words))
            (parsed.note if is_note else parsed.incomplete)("not a line of vmstat", at)
    _check_ends(first, last, parsed, len(lines))
    return samples


def _parts_of_total(line: str) -> re.Match[str] | None:
    """Match a count of any name, or a size whose name is known."""
    total = _TOTAL.fullmatch(line)
    return total if total and (not total[2] or total[3] in {*_SIZES, *_COUNTERS}) else None


def _names_groups(line: str) -> bool:
    """Whether a line stands over the columns of disks."""
    return line.startswith("disk-") or _OF_DISKS.match(line) is not None


def _check_ends(first: str, last: str, parsed: Parsed, lines: int) -> None:
    """Say of a list that its first or its last total is none that begins or ends one."""
    if first and first not in _BEGINS:
        parsed.incomplete(f"the totals begin with {first!r}", 1)
    if last and last not in _ENDS:
        parsed.incomplete(f"the totals end with {last!r}", lines)


def _total(value: float, unit: str, name: str, at: int) -> Row:
    if name in _SIZES:
        return {"operation": "", _SIZES[name]: value * _UNITS[unit], "line": at}
    if name in _COUNTERS:
        operation, counter, factor = _COUNTERS[name]
        return {"operation": operation, counter: value * factor, "line": at}
    return {"operation": "", "metric": name, "value": value, "unit": "", "line": at}


def totals(text: str) -> Parsed | None:
    """Read a list of totals that has nothing else around it, in columns; None where its last line is none of a list."""
    found = _TOTALS.findall(text)
    if found[-1][2] not in _ENDS:
        return None
    template, places = _laid_out(tuple((unit, name) for _, unit, name in found))
    series = {name: column.copy() for name, column in template.items()}
    for row, ((value, _, _), (name, factor)) in enumerate(zip(found, places, strict=True)):
        series[name][row] = float(value) * factor
    return Parsed({"tool": "vmstat"}, series=dict(series))


@functools.lru_cache(maxsize=64)
def _laid_out(names: tuple[tuple[str, str], ...]) -> tuple[dict[str, list[Value]], list[tuple[str, float]]]:
    """Return the columns of a list with these units and names, and for each line its column and the factor to SI."""
    rows = [_total(1.0, unit, name, at) for at, (unit, name) in enumerate(names, 1)]
    places = [next((name, value) for name, value in row.items() if isinstance(value, float)) for row in rows]
    return {name: list(column) for name, column in columns(with_parts(rows, APART)).items()}, places


def _disk(words: list[str], table: Table, zone: str, at: int, parsed: Parsed) -> list[Row]:
    """Rows of a disk: one a direction, and one for each counter that the contract has no name for."""
    device, *numbers = words
    time: Row = {}
    if len(numbers) == len(table) + 2:
        time = _time("T".join(numbers[-2:]) + zone, parsed)
        numbers = numbers[:-2]
    if len(numbers) != len(table) or not all(map(str.isdecimal, numbers)):
        parsed.incomplete(f"a disk wants {len(table)} numbers, found {len(numbers)}", at)
        return []
    rows: dict[str, Row] = {}
    for word, (operation, name, factor) in zip(numbers, table, strict=True):
        common: Row = {**time, "operation": operation, "device": device, "line": at}
        if operation:
            rows.setdefault(operation, common)[name] = float(word) * factor
        else:
            rows[name] = {**common, "metric": name, "value": float(word), "unit": _DISK_UNITS.get(name, "")}
    return list(rows.values())


def _slab(words: list[str], at: int, parsed: Parsed) -> list[Row]:
    """Rows of a cache of the kernel: one a number."""
    cache, *numbers = words
    if len(words) != len(_SLABS) or not all(map(str.isdecimal, numbers)):
        parsed.incomplete(f"a cache wants {len(_SLABS) - 1} numbers, found {len(numbers)}", at)
        return []
    common: Row = {"operation": "", "label": cache, "line": at}
    return [
        {**common, "metric": name, "value": float(number), "unit": "B" if name == "Size" else ""}
        for name, number in zip(_SLABS[1:], numbers, strict=True)
    ]


def disks(text: str) -> Parsed:
    """Read tables of disks that are whole and have nothing else around them, in columns.

    Raises
    ------
    ValueError
        If only some lines have a time.
    """
    parsed = Parsed({"tool": "vmstat"})
    block, times = Block(Layout(_slots())), dict[str, Row]()
    zone, part, seen = "", 1, set[str]()
    for at, line in enumerate(text.split("\n")[:-1], 1):
        device, *words = line.split()
        if device == "total":
            zone = offset(words[-1]) if words else zone
        elif not device.startswith("disk-"):
            if device in seen:
                part, seen = part + 1, set()
            seen.add(device)
            when = "T".join(words[len(_DISK) :])
            if when and when not in times:
                times[when] = _time(when + zone, parsed)
            block.add(floats(words[: len(_DISK)]), {**times.get(when, {}), "line": at, "part": part}, device)
    if len({len(common) for common in block.common}) != 1:
        raise ValueError("lines with a time and lines without")
    found = block.columns()
    parsed.series = {name: found[name] for name in _IN_ORDER if name in found and (name != "part" or part > 1)}
    return parsed


def _slots() -> Iterator[Slot]:
    for operation, name, factor in _DISK:
        if operation:
            yield Slot(keys(operation, device=EACH), name, factor)
        else:
            yield metric(name, _DISK_UNITS.get(name, ""), device=EACH)


_IN_ORDER = ("time", "operation", "device", "line", "operations", "counter_bytes", "part", "metric", "value", "unit")


def _time(text: str, parsed: Parsed) -> Row:
    try:
        return since_start(datetime.fromisoformat(text), parsed.header)
    except ValueError:
        return {}
