"""What a run was made on, as Linux tells it: host, kernel, processor, memory, the target's mount, counters.

Sources: proc_pid_mountinfo(5) for mounts, Documentation/admin-guide/iostats.rst of the kernel for /proc/diskstats
(sectors have 512 bytes there whatever the disk has), proc_pid_net(5) for /proc/net/dev. ``stat -f`` is not asked: it
calls ext4 "ext2/ext3".
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SECTOR = 512
PATIENCE = 20.0
"""Seconds that a tool may take to tell its version or a layout."""

PROC = Path("/proc")

_ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """Where a path is mounted.

    Attributes
    ----------
    filesystem : str
        Its type, as the kernel names it: ``ext4``, ``fuse.glusterfs``.
    point, source, options : str
        Options are those of the mount and of the file system, each once.
    device : str
        Numbers of the device, ``major:minor``.
    """

    filesystem: str
    point: str
    source: str
    options: str
    device: str


def mount_of(path: Path, table: str | None = None) -> Mount | None:
    """Find the mount on which a path lies; None where the system does not tell.

    Parameters
    ----------
    path : Path
    table : str, optional
        Text of mountinfo; that of this process otherwise.
    """
    text = _read(PROC / "self" / "mountinfo") if table is None else table
    full = Path(os.path.realpath(path))
    found = None
    for mount in filter(None, map(_mount, text.splitlines())):
        # of several on one point the last one covers the others
        if full.is_relative_to(mount.point) and (found is None or len(mount.point) >= len(found.point)):
            found = mount
    return found


def _mount(line: str) -> Mount | None:
    left, dash, right = line.partition(" - ")
    fields, rest = left.split(" "), right.split(" ")
    if not dash or len(fields) < 6 or len(rest) < 3:
        return None
    options = ",".join(dict.fromkeys((fields[5] + "," + rest[2]).split(",")))
    return Mount(rest[0], _plain(fields[4]), _plain(rest[1]), options, fields[2])


def _plain(text: str) -> str:
    r"""Write blanks and the like as they are, which mountinfo writes as ``\040``."""
    return _ESCAPE.sub(lambda octal: chr(int(octal[1], 8)), text)


def filesystem_of(mount: Mapping[str, Any] | None) -> str:
    """Name of a file system as studies name it: without ``fuse.`` and the version of a protocol; "" if not known."""
    kind = str(mount["filesystem"]) if mount else ""
    return {"nfs4": "nfs", "fuseblk": "fuse"}.get(kind, kind.removeprefix("fuse."))


def memory() -> float:
    """Memory of this host in bytes; NaN where the system does not tell."""
    found = re.search(r"^MemTotal:\s*(\d+) kB", _read(PROC / "meminfo"), re.MULTILINE)
    return float(found[1]) * 1024 if found else float("nan")


def processor() -> str:
    """Model of the processor; "" where the system does not tell."""
    found = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(.+)$", _read(PROC / "cpuinfo"), re.MULTILINE)
    return found[1].strip() if found else platform.processor()


def machine(target: Path) -> dict[str, Any]:
    """Return what does not change while a run goes on; no environment, and nothing of any user but the host's name."""
    found = mount_of(target)
    mount = asdict(found) if found else None
    bytes_ = memory()
    return {
        "host": platform.node(),
        "kernel": " ".join(filter(None, (platform.system(), platform.release(), platform.version()))),
        "architecture": platform.machine(),
        "processor": processor(),
        "processors": os.cpu_count(),
        "memory": bytes_ if bytes_ == bytes_ else None,
        "target": str(target),
        "mount": mount,
        "layout": layout(target, mount),
    }


LAYOUTS: Mapping[str, tuple[str, ...]] = {
    "lustre": ("lfs", "getstripe", "-d"),
    "beegfs": ("beegfs-ctl", "--getentryinfo"),
    "gpfs": ("mmlsattr", "-L"),
}
"""File system -> the command that tells how files of a folder are laid out; the folder comes last."""


def layout(target: Path, mount: Mapping[str, Any] | None) -> str:
    """Say how the target's files are laid out, in the words of the file system's own tool; "" where there is none."""
    kind = filesystem_of(mount)
    if kind == "glusterfs" and mount:
        volume = str(mount["source"]).rpartition(":")[2].lstrip("/")
        return _said("gluster", "volume", "info", volume) if volume else ""
    return _said(*LAYOUTS[kind], str(target)) if kind in LAYOUTS else ""


VERSIONS: Mapping[str, str] = {
    "fio": "--version", "iozone": "-v", "iperf3": "--version", "dd": "--version", "elbencho": "--version",
    "dbench": "--version", "xrdcp": "--version", "smallfile": "--version",
}  # fmt: skip
"""Tools that are known to tell their version and do nothing else."""


def version(command: str) -> str:
    """First line of what a tool says of its version; "" for one that might begin to measure instead."""
    name = Path(command).name
    said = _said(command, VERSIONS[name]) if name in VERSIONS else ""
    return next((line.strip() for line in said.splitlines() if line.strip()), "")


def _said(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def counters(device: str = "") -> dict[str, Any]:
    """Read what interfaces and the target's disk have moved since boot, and the load.

    Parameters
    ----------
    device : str
        Numbers of the device, ``major:minor``; all disks that moved anything where it is none of /proc/diskstats.
    """
    disks = _disks()
    own = {name: disk for name, disk in disks.items() if disk.pop("device") == device}
    return {
        "interfaces": _interfaces(),
        "disks": own or {name: disk for name, disk in disks.items() if any(disk.values())},
        "load_1": float((_read(PROC / "loadavg").split() or ["nan"])[0]),
    }


def _interfaces() -> dict[str, dict[str, float]]:
    found = {}
    for line in _read(PROC / "net" / "dev").splitlines():
        name, colon, rest = line.partition(":")
        fields = rest.split()
        if colon and len(fields) >= 10:
            found[name.strip()] = {"received": float(fields[0]), "sent": float(fields[8])}
    return found


def _disks() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for fields in map(str.split, _read(PROC / "diskstats").splitlines()):
        if len(fields) >= 10:
            moved = {"read": float(fields[5]) * SECTOR, "written": float(fields[9]) * SECTOR}
            found[fields[2]] = {"device": f"{fields[0]}:{fields[1]}", **moved}
    return found


def drop_caches() -> str:
    """Write dirty pages out and drop page cache, dentries and inodes of this host; "" or why that cannot be done."""
    os.sync()
    try:
        handle = os.open(PROC / "sys" / "vm" / "drop_caches", os.O_RDWR)
    except OSError as error:
        return f"{error.filename or 'drop_caches'}: {error.strerror}"
    try:
        os.pwrite(handle, b"3\n", 0)
    except OSError as error:
        return str(error.strerror)
    finally:
        os.close(handle)
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
