"""What the columns of dstat mean: the group of a column says whose it is, the column what."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence

from storagelab.parsers.monitors.slots import EACH, Layout, Slot, keys, metric
from storagelab.units import BIT, KIB, MILLISECOND, PERCENT

_OPERATIONS = {
    **dict.fromkeys(("read", "#read", "reads"), "read"),
    **dict.fromkeys(("writ", "#writ", "writs"), "write"),
    "recv": "receive",
    "send": "transmit",
}
_CPU = {
    "usr": "cpu_user",
    "sys": "cpu_system",
    "idl": "cpu_idle",
    "wai": "cpu_iowait",
    "hiq": "cpu_irq",
    "siq": "cpu_softirq",
    "stl": "cpu_steal",
}
_HOST = {
    "system": {"int": "interrupt_rate", "csw": "context_switch_rate"},
    "procs": {"run": "processes_running", "blk": "processes_blocked"},
    "load avg": {"1m": "load_1", "5m": "load_5", "15m": "load_15"},
    "memory usage": {
        "used": "memory_used",
        "free": "memory_free",
        "buff": "memory_buffers",
        "buf": "memory_buffers",
        "cach": "memory_cached",
        "avai": "memory_available",
    },
    "advanced memory usage": {
        "total": "memory_total",
        "used": "memory_used",
        "free": "memory_free",
        "buff": "memory_buffers",
        "buf": "memory_buffers",
        "cach": "memory_cached",
        "dirty": "memory_dirty",
        "shmem": "memory_shared",
    },
    "swap": {"used": "swap_used", "free": "swap_free"},
    "paging": {"in": "swap_in", "out": "swap_out"},
}
_PROCESSOR = re.compile(r"(?:total |per )?cpu ?(\d*) usage|total usage")
TIMES_OF_DAY = ("time", "times", "date/time")
TIMES = ("epoch", *TIMES_OF_DAY)
_TEXT = ("most ", "highest ", "used by", "out of memory")
_OF_DISKS = {
    "util": ("", "utilisation", PERCENT),
    "rawait": ("read", "latency", MILLISECOND),
    "wawait": ("write", "latency", MILLISECOND),
    "avgqu": ("", "queue_length", 1.0),
}
"""Columns of plugins whose group is a disk. What they call a request's size is in units of its own in each version."""
_SERVICE_TIME = "svctm"
_CUT = {name[:4]: name for name in (*_OF_DISKS, _SERVICE_TIME, "avgrq")}
"""As a terminal shows their names: cut after four letters."""
OF_DISKS = tuple(_CUT)


_IO = tuple(Slot(keys(operation, job=EACH), "throughput") for operation in ("read", "write"))
_PROCESSES = {
    "cpu process": ((Slot(keys(job=EACH), "utilisation", PERCENT),), 3, 1000.0),
    "memory process": ((Slot(keys(job=EACH), "memory_used"),), 5, 1024.0),
    "i/o process": (_IO, 11, 1024.0),
    "block i/o process": (_IO, 11, 1024.0),
    "latency process": ((metric("latency", job=EACH),), 4, 1000.0),
    "cputime process": ((metric("cputime", job=EACH),), 4, 1000.0),
}
"""By the heading of a column of processes: their numbers, the width of these, and the base of their letters.

Times have no unit: nanoseconds are divided by 1000 until four digits are left, and no letter says how often.
"""


def laid_out_process(names: str) -> tuple[Layout, int, float] | None:
    """Say where the numbers of a column of processes go, how wide they are, and the base of the letters behind them."""
    found = _PROCESSES.get(names)
    return (Layout(found[0]), found[1], found[2]) if found else None


_IN_CSV = ("cpu process", "memory process", "i/o process", "block i/o process")
_PROCESS = re.compile(r'"?(.*\S) / (\d{1,18})(?:%|:(\d{1,18}))"?')
"""A percentage, or bytes read and written a second; bytes of memory have a ``%`` by mistake."""


def laid_out_in_csv(names: Sequence[str]) -> dict[int, Layout]:
    """Return by their places where the numbers of columns of processes go, of those whose cells are known."""
    return {at: Layout(_PROCESSES[name][0]) for at, name in enumerate(names) if name in _IN_CSV}


def process_of(cell: str) -> tuple[str, list[float]] | None:
    """Return the process in a cell of the CSV and its numbers (``firefox / 10082:1369``); None where there is none."""
    found = _PROCESS.fullmatch(cell.strip())
    return (found[1], [float(count) for count in found.groups()[1:] if count]) if found else None


@functools.lru_cache(maxsize=64)
def laid_out(
    groups: tuple[str, ...], names: tuple[str, ...], in_bits: bool = False, in_kib: bool = False
) -> tuple[list[bool], Layout]:
    """Say of which columns there are cells, and where these go; there are none of times and of columns of text.

    `in_bits` says that disks and interfaces are in bits a second, as dool counts where it was not told otherwise, and
    `in_kib` that each column is in the unit of its metric, as in the CSV of pcp-dstat. Disks whose names a terminal
    cuts alike are numbered.
    """
    group = ""
    found: list[Slot | None] = []
    alike = Counter[tuple[str, str]]()
    for at, name in enumerate(names):
        group = (groups[at] if at < len(groups) else "") or group
        own = name.removeprefix(f"{group}:")
        alike[group, own] += 1
        slot = _slot(group, own, BIT if in_bits else 1.0, alike[group, own])
        found.append(_of_a_metric(group, slot) if in_kib and slot else slot)
    return [slot is not None for slot in found], Layout(filter(None, found))


_OF_SIZES = ("advanced memory usage", "freespace", "total")
"""Groups of pcp-dstat whose columns are sizes, also those without a name in the contract; ``total`` is of swap."""


def _of_a_metric(group: str, slot: Slot) -> Slot:
    """Give a column the unit of its metric in PCP: KiB of memory and of disks, bytes of interfaces, pages."""
    if group == "paging":
        return metric(f"{group} {slot.name.removeprefix('swap_')}", "pages/s")
    is_size = slot.name == "value" and group in _OF_SIZES
    is_in_kib = (
        is_size
        or slot.name.startswith(("memory_", "swap_"))
        or (slot.name == "throughput" and not group.startswith("net/"))
    )
    return slot._replace(factor=KIB) if is_in_kib else slot


def in_seconds(slot: Slot) -> Slot:
    """Give a wait the unit in which pcp-dstat shows it on a terminal; others show milliseconds."""
    shown = tuple(("unit", "s") if key == ("unit", "ms") else key for key in slot.keys)
    return slot._replace(keys=shown, factor=1.0 if slot.name == "latency" else slot.factor)


def told_of_processes(names: Sequence[str], in_csv: bool = False) -> str:
    """Say what of columns of processes is not read, or has no unit; "" where there is nothing to say."""
    columns = [" ".join(name.split()) for name in names]
    unread = [name for name in columns if "process" in name and name not in (_IN_CSV if in_csv else _PROCESSES)]
    if unread:
        return f"not read: {', '.join(dict.fromkeys(unread))}"
    return "times of processes have no unit in the table" if {"latency process", "cputime process"} & {*columns} else ""


def told_of_groups(groups: Sequence[str]) -> str:
    """Say which columns of processes are not read that pcp-dstat names by their group; "" where there are none."""
    unread = [group for group in groups if is_text(group) and "process" in group]
    return f"not read: {', '.join(unread)}" if unread else ""


def has_one_blank(group: str) -> bool:
    """Whether pcp-dstat prints one blank for all columns of a group while it knows nothing of it."""
    return group in ("total", "total usage", "interrupts") or group.endswith("/total") or is_text(group)


def is_text(group: str) -> bool:
    """Whether the columns of a group hold names of processes, with numbers that belong to them."""
    return group.startswith(_TEXT)


def _slot(group: str, name: str, unit: float, ordinal: int) -> Slot | None:
    kind, _, whose = group.partition("/")
    processor = _PROCESSOR.fullmatch(group)
    if name in TIMES or is_text(group) or "\ufffd" in group + name:
        return None
    if processor and name in _CPU:
        return Slot(keys(cpu=processor[1] or "all"), _CPU[name], PERCENT)
    if group == "per cpu usage" and name.isdecimal():
        return Slot(keys(cpu=name), "utilisation", PERCENT)
    if kind in ("dsk", "io", "net") and name in _OPERATIONS:
        who = {"interface" if kind == "net" else "device": _all(whose)}
        is_rate = kind == "io" or name.startswith("#")
        if is_rate:
            return Slot(keys(_OPERATIONS[name], **who), "operation_rate", 1.0)
        return Slot(keys(_OPERATIONS[name], **who), "throughput", unit)
    disk, column = group if ordinal < 2 else f"{group} {ordinal}", _CUT.get(name, name)
    if column in _OF_DISKS:
        operation, quantity, factor = _OF_DISKS[column]
        return Slot(keys(operation, device=disk), quantity, factor)
    if column == _SERVICE_TIME:
        return metric(column, "ms", device=disk)
    if name in _HOST.get(group, {}):
        return Slot(keys(), _HOST[group][name], 1.0)
    return metric(f"{group} {name}".strip())


def _all(name: str) -> str:
    return "all" if name == "total" else name
