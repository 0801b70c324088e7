"""What collectl's columns mean, on the terminal (by section or group) and in plot format (by ``[kind:who]``).

KB is 1024 bytes. On the terminal a number too wide for its column has a suffix: K is 1024 in columns of KB, and 1000 in
counts; memory always has one, of bytes, unless ``--wide`` prints its KB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from storagelab.parsers.monitors.slots import Slot, keys, metric
from storagelab.parsers.text import number
from storagelab.units import KIB, MILLISECOND, PERCENT

KIND_OF = {"CPU": "cpu", "DSK": "disk", "NET": "network", "MEM": "memory", "CLT": "lustre", "OST": "lustre"}
WHO = {"cpu": "cpu", "disk": "device", "network": "interface"}


class Column(NamedTuple):
    """Meaning of a column: direction, name of the value, factor to SI, and what a suffix counts from and in.

    A column whose value has no name in the contract is called ``value``, and has the `unit` of its numbers.
    """

    operation: str
    name: str
    factor: float = 1.0
    suffixed: float = 1.0
    base: float = 1000.0
    unit: str = ""


_COUNT = Column("", "value")
_KILOBYTES_OF_MEMORY = Column("", "value", 1.0, 1 / 1024, 1024.0, "KB")


def _percent(name: str) -> Column:
    return Column("", name, PERCENT)


def _kilobytes(operation: str, name: str = "throughput") -> Column:
    return Column(operation, name, KIB, KIB, 1024.0)


def _memory(name: str) -> Column:
    return Column("", name, KIB, 1.0, 1024.0)


_CPU = {
    **dict.fromkeys(("cpu", "Totl%"), _percent("utilisation")),
    **dict.fromkeys(("User", "User%"), _percent("cpu_user")),
    **dict.fromkeys(("Nice", "Nice%"), _percent("cpu_nice")),
    **dict.fromkeys(("sys", "Sys", "Sys%"), _percent("cpu_system")),
    **dict.fromkeys(("Wait", "Wait%"), _percent("cpu_iowait")),
    **dict.fromkeys(("IRQ", "Irq%"), _percent("cpu_irq")),
    **dict.fromkeys(("Soft", "Soft%"), _percent("cpu_softirq")),
    **dict.fromkeys(("Steal", "Steal%"), _percent("cpu_steal")),
    **dict.fromkeys(("Guest", "Guest%"), _percent("cpu_guest")),
    **dict.fromkeys(("NiceG", "GuestN%"), _percent("cpu_guest_nice")),
    **dict.fromkeys(("Idle", "Idle%"), _percent("cpu_idle")),
    **dict.fromkeys(("inter", "Intr", "Intrpt/sec", "Intrpt"), Column("", "interrupt_rate")),
    **dict.fromkeys(("ctxsw", "Ctxsw", "Ctx/sec"), Column("", "context_switch_rate")),
    **dict.fromkeys(("Avg1", "L-Avg1"), Column("", "load_1")),
    **dict.fromkeys(("Avg5", "L-Avg5"), Column("", "load_5")),
    **dict.fromkeys(("Avg15", "L-Avg15"), Column("", "load_15")),
    **dict.fromkeys(("RunT", "RunTot"), Column("", "processes_running")),
    **dict.fromkeys(("BlkT", "BlkTot"), Column("", "processes_blocked")),
}
_MEMORY = {
    **dict.fromkeys(("Total", "Tot"), _memory("memory_total")),
    "Used": _memory("memory_used"),
    "Free": _memory("memory_free"),
    "Shared": _memory("memory_shared"),
    **dict.fromkeys(("Buff", "Buf"), _memory("memory_buffers")),
    **dict.fromkeys(("Cach", "Cached"), _memory("memory_cached")),
    **dict.fromkeys(("Inac", "Inact", "Inactive"), _memory("memory_inactive")),
    "Dirty": _memory("memory_dirty"),
    "SwapTot": _memory("swap_total"),
    "SwapUsed": _memory("swap_used"),
    "SwapFree": _memory("swap_free"),
}
_MEMORY |= dict.fromkeys(
    ("Slab", "Map", "Mapped", "Anon", "AnonH", "Commit", "Locked", "SUnreclaim"), _KILOBYTES_OF_MEMORY
)
_SWAP = {"Total": _memory("swap_total"), "Used": _memory("swap_used"), "Free": _memory("swap_free")}
_DISK = {
    **dict.fromkeys(("KBRead", "ReadKBTot", "RKBytes", "KBytes<reads"), _kilobytes("read")),
    **dict.fromkeys(("KBWrit", "KBWrite", "WriteKBTot", "WKBytes", "KBytes<writes"), _kilobytes("write")),
    **dict.fromkeys(("Reads", "ReadTot", "IOs<reads"), Column("read", "operation_rate")),
    **dict.fromkeys(("Writes", "WriteTot", "IOs<writes"), Column("write", "operation_rate")),
    **dict.fromkeys(("RMerged", "RMerge", "ReadMrgTot", "Merged<reads"), Column("read", "merge_rate")),
    **dict.fromkeys(("WMerged", "WMerge", "WriteMrgTot", "Merged<writes"), Column("write", "merge_rate")),
    "Size<reads": _kilobytes("read", "request_size"),
    "Size<writes": _kilobytes("write", "request_size"),
    **dict.fromkeys(("WaitR", "Wait<reads"), Column("read", "latency", MILLISECOND)),
    **dict.fromkeys(("WaitW", "Wait<writes"), Column("write", "latency", MILLISECOND)),
    **dict.fromkeys(("Request", "RWSize"), _kilobytes("", "request_size")),
    **dict.fromkeys(("QueLen", "QLen"), Column("", "queue_length")),
    "Wait": Column("", "latency", MILLISECOND),
    "Util": _percent("utilisation"),
}
_NETWORK = {
    **dict.fromkeys(("KBIn", "RxKB", "RxKBTot", "netKBi", "IKB"), _kilobytes("receive")),
    **dict.fromkeys(("KBOut", "TxKB", "TxKBTot", "netKBo", "OKB"), _kilobytes("transmit")),
    **dict.fromkeys(("PktIn", "RxPkt", "RxPktTot", "pkt-in", "InPck"), Column("receive", "packet_rate")),
    **dict.fromkeys(("PktOut", "TxPkt", "TxPktTot", "pkt-out", "OutPck"), Column("transmit", "packet_rate")),
    **dict.fromkeys(("ErrsI", "RxErr", "RxErrsTot", "InErr"), Column("receive", "error_rate")),
    **dict.fromkeys(("ErrsO", "TxErr", "TxErrsTot", "OutErr"), Column("transmit", "error_rate")),
    "RxDrp": Column("receive", "drop_rate"),
    "TxDrp": Column("transmit", "drop_rate"),
    **dict.fromkeys(("SizeIn", "Size<reads"), Column("receive", "request_size")),
    **dict.fromkeys(("SizeO", "Size<writes"), Column("transmit", "request_size")),
}
_PROCESS = {
    "RKB": _kilobytes("read"),
    "WKB": _kilobytes("write"),
    **dict.fromkeys(("RSS", "VmRSS"), _memory("memory_used")),
    **dict.fromkeys(("VSZ", "VmSize", "VmLck", "VmData", "VmStk", "VmExe", "VmLib"), _KILOBYTES_OF_MEMORY),
    **dict.fromkeys(("Pct", "PCT"), _percent("utilisation")),
    **dict.fromkeys(("SysT", "UsrT", "AccuTime", "AccumT"), Column("", "value", unit="s")),
    **dict.fromkeys(("RKBC", "WKBC", "CNCL"), Column("", "value", unit="KB/s")),
}
_VMSTAT = {
    "r": Column("", "processes_running"),
    "b": Column("", "processes_blocked"),
    "swpd": _memory("swap_used"),
    "free": _memory("memory_free"),
    "buff": _memory("memory_buffers"),
    "cache": _memory("memory_cached"),
    "inact": _memory("memory_inactive"),
    "active": _memory("memory_active"),
    "bi": _kilobytes("read"),
    "bo": _kilobytes("write"),
    "in": Column("", "interrupt_rate"),
    "cs": Column("", "context_switch_rate"),
    "us": _percent("cpu_user"),
    "sy": _percent("cpu_system"),
    "id": _percent("cpu_idle"),
    "wa": _percent("cpu_iowait"),
}
_LUSTRE = {name: column for name, column in _DISK.items() if column.name in ("throughput", "operation_rate")}
_LUSTRE |= {"ReadKB": _kilobytes("read"), "WriteKB": _kilobytes("write")}
_COLUMNS = {"cpu": _CPU, "memory": _MEMORY, "swap": _SWAP, "disk": _DISK, "network": _NETWORK, "lustre": _LUSTRE}
_COLUMNS |= {"process": _PROCESS, "vmstat": _VMSTAT}
_KINDS = {kind.upper(): kind for kind in ("cpu", "disk", "network", "lustre", "process", "vmstat")} | {"DISKS": "disk"}
_SIDES = (("reads", "KBytes Merged IOs Size"), ("writes", "KBytes Merged IOs Size"))
_GROUPS = tuple(
    (group, tuple(names.split()))
    for group, names in (
        *((group, f"{names} Wait") for group, names in _SIDES),
        *_SIDES,
        ("CPU", "cpu sys inter ctxsw"),
        ("Memory", "Free Buff Cach Inac Slab Map"),
        ("Disks", "KBRead Reads KBWrit Writes"),
        ("Disks", "KBRead Reads Size KBWrit Writes Size"),
        ("Network", "KBIn PktIn KBOut PktOut"),
        ("Network", "netKBi pkt-in netKBo pkt-out"),
        ("Network", "KBIn PktIn Size KBOut PktOut Size"),
        ("Swap", "Total Used Free In Out"),
    )
)
"""The first columns that are called so are of this group."""
_WRITES = ("KBWrit", "KBWrite", "Writes", "WMerged", "KBOut", "PktOut")
_CELL = re.compile(r"(\d+(?:[.,]\d+)?)([KMGTP]?)")
_PLAIN = re.compile(r"[0-9]{1,300}+(?:\.[0-9]++|(?!))?+(?: [0-9]{1,300}+(?:\.[0-9]++|(?!))?+|(?!))*+")
_CLOCK = re.compile(r"\d{1,9}(?::\d\d){1,2}(?:\.\d+)?")
_FRACTION = re.compile(r"(\d+)g(\d*)")
_SUFFIXES = " KMGTP"


def kind_of(section: str, group: str) -> str:
    """Kind of a column of the terminal, by its section's or its group's title; "" where nothing is known of it."""
    title = section.upper() or group.upper()
    if "MEMORY" in title:
        return {"SWAP": "swap", "PAGING": ""}.get(group.upper(), "memory")
    first = title.removeprefix("SINGLE ").split(" ")[0]
    return _KINDS.get(first, "")


def groups_of(names: Sequence[str]) -> list[str]:
    """Groups of columns by their names: pages on the web lose or shorten what stands between angle brackets above."""
    found = [""] * len(names)
    for group, own in _GROUPS:
        places = range(len(names) - len(own) + 1)
        at = next((at for at in places if tuple(names[at : at + len(own)]) == own and not found[at]), -1)
        if at >= 0:
            found[at : at + len(own)] = [group] * len(own)
    return found


def meaning(kind: str, name: str, group: str, before: list[str]) -> Column:
    """Meaning of a column; sizes and the columns of a group are told apart by direction. Version 2 had upper case."""
    known = _COLUMNS.get(kind, {})
    side = group if group in ("reads", "writes") else ""
    if name in ("Size", "SizeKB") and not side:
        side = "writes" if any(word in _WRITES for word in before) else "reads"
        name = "Size"
    if side:
        return known.get(f"{name}<{side}", _COUNT)
    return known.get(name) or known.get(name.capitalize(), _COUNT)


def slot(kind: str, who: str, title: str, name: str, column: Column) -> Slot:
    """Return the slot of a column of one device, interface or processor, or of all."""
    owner = {WHO[kind]: who} if kind in WHO else {"label": title} if kind == "lustre" else {}
    if column.name == "value":
        return metric(name if kind == "process" else f"{title} {name}".strip(), column.unit, **owner)
    return Slot(keys(column.operation, **owner), column.name)


def values(cells: Sequence[str], columns: Sequence[Column]) -> list[float]:
    """Read the cells of a line of the terminal, in SI: most have no suffix.

    Raises
    ------
    ValueError
        If one is no number with or without a suffix.
    """
    if _PLAIN.fullmatch(" ".join(cells)):
        return [float(cell) * column.factor for cell, column in zip(cells, columns, strict=True)]
    return [value(cell, column) for cell, column in zip(cells, columns, strict=True)]


def value(cell: str, column: Column) -> float:
    """Read a cell of the terminal, in SI.

    Raises
    ------
    ValueError
        If it is no number with or without a suffix.
    """
    if _CLOCK.fullmatch(cell):
        return sum(number(part) * 60.0**power for power, part in enumerate(reversed(cell.split(":"))))
    fraction = _FRACTION.fullmatch(cell)
    match = _CELL.fullmatch(f"{fraction[1]}.{fraction[2] or 0}G" if fraction else cell)
    if not match:
        raise ValueError(cell)
    size, power = number(match[1]), _SUFFIXES.find(match[2] or " ")
    return size * (column.suffixed * column.base**power if power else column.factor)
