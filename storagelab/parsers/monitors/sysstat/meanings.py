"""What the columns of sysstat mean in the contract, by the name that is printed over them.

sysstat's kB is 1024 bytes and its sectors and blocks are 512 bytes (man sar, man iostat). A column without a name in
the contract becomes a row with `metric`, `value` and `unit`. Sources: the manuals of sysstat 5 to 12 and pr_stats.c.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from storagelab.units import KIB, MIB, MILLISECOND, PERCENT

SECTOR = 512.0

TEXT = "text"
"""What a column holds that is neither a key nor a number."""


class Meaning(NamedTuple):
    """Operation, name in the contract, and what takes the printed number to SI."""

    operation: str
    name: str
    factor: float = 1.0


KEYS = {
    "IFACE": "interface", "DEV": "device", "CPU": "cpu", "INTR": "interrupt", "TTY": "device", "FILESYSTEM": "device",
    "MOUNTPOINT": "device", "DEVICE": "device", "FCHOST": "device", "NODE": "node", "FAN": "sensor", "TEMP": "sensor",
    "IN": "sensor", "BAT": "sensor", "status": TEXT, "BUS": "ignored", "CORE": "place", "SOCK": "place",
    "cpu": "cpu", "PID": "process", "PPID": "process",
    "Device": "device", "Device:": "device", "device": "device", "Filesystem": "device", "Filesystem:": "device",
}  # fmt: skip
"""Columns that say whose numbers a line holds, or that hold no number."""

_RATES = (("k", KIB), ("M", MIB), ("G", KIB * MIB))
_DISK_DIRECTIONS = (("r", "read", "read"), ("w", "wrtn", "write"), ("d", "dscd", "trim"))


def _disks() -> dict[str, Meaning]:
    """Columns of ``sar -d``, ``iostat`` and ``iostat -x``, those of FreeBSD, Solaris, AIX and HP-UX included."""
    meanings = {
        "tps": Meaning("", "operation_rate"),
        "kB/s": Meaning("", "throughput", KIB),
        "MB/s": Meaning("", "throughput", MIB),
        "sec/s": Meaning("", "throughput", SECTOR),
        "rqm/s": Meaning("", "merge_rate"),
        "avgrq-sz": Meaning("", "request_size", SECTOR),
        "areq-sz": Meaning("", "request_size", KIB),
        "avgqu-sz": Meaning("", "queue_length"),
        "aqu-sz": Meaning("", "queue_length"),
        "await": Meaning("", "latency", MILLISECOND),
        "%util": Meaning("", "utilisation", PERCENT),
        "%b": Meaning("", "utilisation", PERCENT),
        "%busy": Meaning("", "utilisation", PERCENT),
        "avque": Meaning("", "queue_length"),
        "r+w/s": Meaning("", "operation_rate"),
        "blks/s": Meaning("", "throughput", SECTOR),
        "Kbs/s": Meaning("", "throughput", KIB),
        "bps": Meaning("", "throughput", KIB),
        "avserv": Meaning("", "latency", MILLISECOND),
        "qlen": Meaning("", "queue_length"),
        "actv": Meaning("", "queue_length"),
        "svc_t": Meaning("", "latency", MILLISECOND),
        "asvc_t": Meaning("", "latency", MILLISECOND),
        "ms/t": Meaning("", "latency", MILLISECOND),
        "f/s": Meaning("sync", "operation_rate"),
        "ops/s": Meaning("", "operation_rate"),
        "f_await": Meaning("sync", "latency", MILLISECOND),
    }
    for letter, word, operation in _DISK_DIRECTIONS:
        meanings |= {
            f"{letter}/s": Meaning(operation, "operation_rate"),
            f"{letter}ops/s": Meaning(operation, "operation_rate"),
            f"{letter}Blk_svr/s": Meaning(operation, "throughput", SECTOR),
            f"{letter}kB_svr/s": Meaning(operation, "throughput", KIB),
            f"{letter}MB_svr/s": Meaning(operation, "throughput", MIB),
            f"{letter}B/s": Meaning(operation, "throughput"),
            f"{letter}rqm/s": Meaning(operation, "merge_rate"),
            f"%{letter}rqm": Meaning(operation, "merge_share", PERCENT),
            f"{letter}_await": Meaning(operation, "latency", MILLISECOND),
            f"{letter}areq-sz": Meaning(operation, "request_size", KIB),
            f"k{letter}/s": Meaning(operation, "throughput", KIB),
            f"M{letter}/s": Meaning(operation, "throughput", MIB),
            f"ms/{letter}": Meaning(operation, "latency", MILLISECOND),
            f"{letter}/i": Meaning(operation, "operations"),
            f"k{letter}/i": Meaning(operation, "data_size", KIB),
            f"{letter}sec/s": Meaning(operation, "throughput", SECTOR),
            f"Blk_{word}/s": Meaning(operation, "throughput", SECTOR),
            f"Blk_{word}": Meaning(operation, "data_size", SECTOR),
        }
        for prefix, factor in _RATES:
            meanings |= {
                f"{letter}{prefix}B/s": Meaning(operation, "throughput", factor),
                f"{prefix}B_{word}/s": Meaning(operation, "throughput", factor),
                f"{prefix}B_{word}": Meaning(operation, "data_size", factor),
            }
    sectors = (("rd", "read"), ("wr", "write"), ("dc", "trim"))
    return meanings | {f"{letters}_sec/s": Meaning(operation, "throughput", SECTOR) for letters, operation in sectors}


def _interfaces() -> dict[str, Meaning]:
    """Columns of ``sar -n DEV`` and ``sar -n EDEV``, those of macOS included; sysstat up to 8 counts in bytes."""
    meanings = {"%ifutil": Meaning("", "utilisation", PERCENT)}
    for letters, operation in (("rx", "receive"), ("tx", "transmit")):
        meanings |= {
            f"{letters}pck/s": Meaning(operation, "packet_rate"),
            f"{letters}kB/s": Meaning(operation, "throughput", KIB),
            f"{letters}byt/s": Meaning(operation, "throughput"),
            f"{letters}err/s": Meaning(operation, "error_rate"),
            f"{letters}drop/s": Meaning(operation, "drop_rate"),
        }
    for letter, operation in (("I", "receive"), ("O", "transmit")):
        meanings |= {
            f"{letter}pkts/s": Meaning(operation, "packet_rate"),
            f"{letter}bytes/s": Meaning(operation, "throughput"),
            f"{letter}errs/s": Meaning(operation, "error_rate"),
        }
    return meanings


_PROCESSOR = {
    "%usr": "cpu_user", "%user": "cpu_user", "%nice": "cpu_nice", "%sys": "cpu_system", "%system": "cpu_system",
    "%iowait": "cpu_iowait", "%wio": "cpu_iowait", "%steal": "cpu_steal", "%irq": "cpu_irq", "%soft": "cpu_softirq",
    "%guest": "cpu_guest", "%gnice": "cpu_guest_nice", "%idle": "cpu_idle",
}  # fmt: skip
_ON_SOLARIS = {
    "usr": "cpu_user", "sys": "cpu_system", "wt": "cpu_iowait", "st": "cpu_steal", "idl": "cpu_idle",
}  # fmt: skip
_ON_UNIX = {
    "us": "cpu_user", "ni": "cpu_nice", "sy": "cpu_system", "in": "cpu_irq", "wt": "cpu_iowait", "id": "cpu_idle",
}  # fmt: skip
_MEMORY = {
    "kbmemfree": "memory_free", "kbavail": "memory_available", "kbmemused": "memory_used",
    "kbbuffers": "memory_buffers", "kbcached": "memory_cached", "kbactive": "memory_active",
    "kbinact": "memory_inactive", "kbdirty": "memory_dirty", "kbshmem": "memory_shared", "kbmemshrd": "memory_shared",
    "kbswpfree": "swap_free", "kbswpused": "swap_used",
}  # fmt: skip
_COUNTS = {
    "cswch/s": "context_switch_rate", "intr/s": "interrupt_rate", "runq-sz": "processes_running",
    "plist-sz": "processes_total", "blocked": "processes_blocked", "ldavg-1": "load_1", "ldavg-5": "load_5",
    "ldavg-15": "load_15",
}  # fmt: skip

DISKS = _disks()
INTERFACES = _interfaces()
PROCESSORS = {column: Meaning("", name, PERCENT) for column, name in (_PROCESSOR | _ON_SOLARIS).items()} | {
    "intr/s": Meaning("", "interrupt_rate"),
    "intr": Meaning("", "interrupt_rate"),
    "csw": Meaning("", "context_switch_rate"),
}
PROCESSES = {column: Meaning("", _PROCESSOR[column], PERCENT) for column in ("%user", "%system")}
"""``sar -x`` of sysstat up to 7: a process, and on which processor it ran last."""
FILESYSTEMS = {"MBfsfree": Meaning("", "disk_free", MIB), "%fsused": Meaning("", "utilisation", PERCENT)}
HOST = {
    **{column: Meaning("", name, PERCENT) for column, name in (_PROCESSOR | _ON_UNIX).items()},
    **{column: Meaning("", name, KIB) for column, name in _MEMORY.items()},
    **{column: Meaning("", name) for column, name in _COUNTS.items()},
}
TRANSFERS = {
    "tps": Meaning("", "operation_rate"), "rtps": Meaning("read", "operation_rate"),
    "wtps": Meaning("write", "operation_rate"), "dtps": Meaning("trim", "operation_rate"),
    "bread/s": Meaning("read", "throughput", SECTOR), "bwrtn/s": Meaning("write", "throughput", SECTOR),
    "bdscd/s": Meaning("trim", "throughput", SECTOR),
}  # fmt: skip
"""``sar -b``: all block devices together."""
CACHE = {"bread/s": Meaning("read", "operation_rate"), "bwrit/s": Meaning("write", "operation_rate")}
"""``sar -b`` of Solaris, AIX and HP-UX: what the cache of buffers asks block devices for, in transfers."""

_UNITS = {"pgpgin/s": "kB/s", "pgpgout/s": "kB/s", "pswpin/s": "pages/s", "pswpout/s": "pages/s", "svctm": "ms",
          "MHz": "MHz", "wghMHz": "MHz", "rpm": "rpm", "drpm": "rpm", "degC": "degC", "inV": "V",
          "wsvc_t": "ms", "avwait": "ms", "ms/o": "ms", "wait": "1", "tsvc_t/i": "s", "sb/i": "s",
          "sps": "1/s", "msps": "ms", "tin": "1/s", "tout": "1/s",
          **dict.fromkeys(("minf", "mjf", "xcal", "ithr", "icsw", "migr", "smtx", "srw", "syscl"), "1/s"),
          **{f"{letter}kB_{of}/s": "kB/s" for letter in "rw" for of in ("nor", "dir")},
          **{f"{letter}MB_{of}/s": "MB/s" for letter in "rw" for of in ("nor", "dir")}}  # fmt: skip
_UNIT_MARKS = (("%", "%"), ("kb", "kB"), ("kB", "kB"), ("MB", "MB"))


def unit_of(column: str) -> str:
    """Return the unit that a column's name states, "" where it states none."""
    if column in _UNITS:
        return _UNITS[column]
    stated = next((unit for mark, unit in _UNIT_MARKS if column.startswith(mark) or column.endswith(f"{mark}/s")), "")
    if column.endswith("/s"):
        return f"{stated or '1'}/s"
    return stated


def bytes_of(unit: str) -> float:
    """Bytes in a unit of `unit_of`, 0 where it does not count bytes."""
    return {"kB": KIB, "kB/s": KIB, "MB": MIB, "MB/s": MIB}.get(unit, 0.0)


@functools.lru_cache(maxsize=256)
def is_of_mpstat(columns: tuple[str, ...]) -> bool:
    """Whether mpstat prints this table, rather than sar, whose time of interrupts stands behind that of steal."""
    if columns[0] not in ("CPU", "NODE"):
        return False
    if "%iowait" in columns:
        return "%irq" in columns and columns.index("%irq") == columns.index("%iowait") + 1
    if "%idle" in columns:
        return "intr/s" in columns
    of_sar = "total/s" in columns or any(name.startswith("i0") for name in columns)
    return not of_sar and all(name.endswith("/s") for name in columns[1:])
