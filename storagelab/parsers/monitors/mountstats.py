"""What Linux has counted for each NFS mount: ``/proc/self/mountstats``, and what nfs-utils' mountstats(8) tells of it.

The kernel prints, for each mount, ``device SERVER:/EXPORT mounted on /MOUNT with fstype nfs4 statvers=1.1``, its age,
events, bytes, transports (``xprt:``) and a line an operation: requests, transmissions, major timeouts, bytes sent and
received, milliseconds queued, between sending and reply, and in all; from 5.3 on also errors. Printed by the kernel's
fs/nfs/super.c (nfs_show_stats), net/sunrpc/stats.c and xprtsock.c; counters in include/linux/nfs_iostat.h. The tool
(tools/mountstats/mountstats.py) prints the same as sentences, with means an operation: ``--nfs``, ``--rpc``, ``--xprt``
and both are read, its nfsstat is not, and its iostat is that of `nfsiostat`.

All numbers count from the mount: `elapsed` is its age. `retransmits` are transmissions less requests; `latency` is the
mean between sending and reply, `submission_latency` of the queue before it, `total_latency` of all of it. What is no
call of the contract has its name in `label`; counters without a name in it are rows with `metric`. Mounts of other file
systems have no counters. There is no end: a log cut between two lines is that of a kernel that counts less.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from storagelab.parsers.declared_checks import Checks, line_starts, words
from storagelab.parsers.file_system_calls import operation_of
from storagelab.parsers.line_formats import Rule, apply, fill, metric, trusted_lines
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import finite
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import MILLISECOND

CHECKS = Checks(
    together=(
        line_starts("RPC requests:", "RPC replies:", "XIDs not found:", "Avg backlog length:"),
        words(
            *("bytes via read(2)", "bytes via write(2)", "bytes via O_DIRECT read(2)", "bytes via O_DIRECT write(2)"),
            *("bytes via NFS READ", "bytes via NFS WRITE"),
        ),
        line_starts("opts:", "age:", "caps:", "sec:", "events:", "bytes:", "per-op statistics"),
        line_starts("NFS mount options:", "NFS mount age:"),
    ),
    once=True,
)

FORMAT = Format(
    name="mountstats",
    tool="mountstats",
    versions="Linux 2.6.17 on; nfs-utils 1.1 to 2.8",
    reads="counters of NFS mounts: /proc/self/mountstats and the tool's output",
    source="Linux fs/nfs/super.c, net/sunrpc/stats.c; mountstats(8), tools/mountstats/mountstats.py",
    marks=("fstype", "mounted", "RPC"),
    opens=(
        " mounted on /",
        "with fstype nfs",
        "\topts:\t",
        "per-op statistics",
        "Stats for ",
        "NFS mount options:",
        "RPC statistics:",
        "Transport protocol:",
    ),
    checks=CHECKS,
)

EXPECTED = "counters of an NFS mount ('device ... with fstype nfs', or 'Stats for ... mounted on ...:')"
_DEVICE = re.compile(r"\s*(?:device )?(\S+) mounted on (\S.{0,4095}) with fstype (\S+)(?: statvers=[\d.]+)?\s*$")
_TITLE = re.compile(r"\s*Stats for (\S+) mounted on (\S.{0,1000}):\s*$")
_CALL = re.compile(r"\s*([A-Z][A-Z_0-9]{1,40}|\d{1,5}):((?: \d{1,20}){8,9})\s*$")
_CALL_TITLE = re.compile(r"\s*([A-Z][A-Z_0-9]{1,40}):\s*$")
_LIST = re.compile(r"\s*(events|bytes|xprt):\s+(\S.*)$")
_AGE = re.compile(r"\s*age:\s+(\d{1,12})\s*$")
_TOOLS_AGE = re.compile(r"\s*NFS mount age: (?:(\d{1,9}) days?, )?(\d{1,2}):(\d\d):(\d\d)\s*$")
_EVENTS = (
    "inode revalidations", "dentry revalidations", "data invalidations", "attribute invalidations", "VFS opens",
    "VFS lookups", "VFS permissions", "VFS update pages", "VFS read pages", "VFS read pages (several)",
    "VFS write pages", "VFS write pages (several)", "VFS readdirs", "VFS setattrs", "VFS flushes", "VFS fsyncs",
    "VFS locks", "VFS releases", "congestion waits", "truncating setattrs", "extending writes", "silly renames",
    "short reads", "short writes", "delays", "pNFS reads", "pNFS writes",
)  # fmt: skip
_BYTES = (
    ("read", "application"), ("write", "application"), ("read", "O_DIRECT"), ("write", "O_DIRECT"),
    ("read", "server"), ("write", "server"),
)  # fmt: skip
_PAGES = ("pages read", "pages written")
_TRANSPORT = ("sends", "receives", "bad xids", "requests in flight", "backlog")
_QUEUES = ("max slots", "sending", "pending")
_WITH_QUEUES = ("tcp", "udp", "local")
_CONNECTION = ("port", "binds", "connects", "connect time", "idle time")
_LEADING = {"udp": _CONNECTION[:2], "local": _CONNECTION[1:]}
_IN_SECONDS = ("connect time", "idle time")
_MOVED = re.compile(
    r"\s*(?:applications (read|wrote) (\d{1,20}) bytes via (O_DIRECT )?(?:read|write)\(2\)"
    r"|client (read|wrote) (\d{1,20}) bytes via NFS)"
)
_REQUESTS = re.compile(
    r"\s*(\d{1,20}) RPC requests sent, (\d{1,20}) RPC replies received \((\d{1,20}) XIDs not found\)"
)
_COUNT = re.compile(r"\s*(\d{1,20}) ops \(\d{1,3}%\)")
_COUNT_MORE = re.compile(r"(\d{1,20}) (retrans|major timeouts|errors)\b")
_SIZES = re.compile(r"\s*avg bytes sent per op: (\d{1,20})\s+avg bytes received per op: (\d{1,20})")
_TIMES = re.compile(
    r"\s*backlog wait: ([\d.,]{1,30})\s+RTT: ([\d.,]{1,30})\s+total execute time: ([\d.,]{1,30}) \(milliseconds\)"
)
_CALLS = re.compile(r"\s*VFS (?:called (\w{1,40}\(\)) (\d{1,20}) times|requested (\d{1,20}) (\w{1,20} revalidations))")
_INVALIDATED = re.compile(r"\s*(data|attribute) cache invalidated (\d{1,20}) times")
_RENAMES = re.compile(r"\s*(\d{1,20}) silly renames")
_NAMED = re.compile(r"\s+([A-Za-z][\w() -]{2,60}): (\d{1,20})(?: (seconds|bytes))?\s*$")
_TWO = re.compile(r"\s+(truncating SETATTRs|short reads): (\d{1,20})  (extending WRITEs|short writes): (\d{1,20})\s*$")
_SETTING = re.compile(r"\s*(?:NFS (?:mount options|server capabilities|security flavor)|NFSv4 capability flags)\b")
_TORN_CALL = re.compile(r"\s*[A-Z][A-Z_0-9]{1,40}:[\s\d]+$")
_COUNTERS = (_LIST, _AGE, _TOOLS_AGE, _MOVED, _REQUESTS, _NAMED)
_UNITS = {"seconds": "s", "bytes": "B", None: "1"}


def sniff(head: str) -> bool:
    """Whether a mount with counters of NFS stands here."""
    return "mounted on " in head and any(
        _TITLE.match(line) or ((found := _DEVICE.match(line)) and found[3].startswith("nfs") and found[3] != "nfsd")
        for line in head.split("\n")
    )


def parse(text: str) -> Parsed:
    """Read every mount into `series`.

    Raises
    ------
    ParseError
        If no NFS mount has counters.
    """
    parsed = Parsed({"tool": "mountstats", "statistic": "single", "phase": "since mount"})
    mounts = _Mounts(parsed)
    for at, line in trusted_lines(text, parsed):
        mounts.take(line, at)
    mounts.end()
    return fill(parsed, mounts.samples, EXPECTED, text)


class _Mounts:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.samples: list[Row] = []
        self._parsed = parsed
        self._mount: Row = {}
        self._seen: Counter[str] = Counter()
        self._transports = 0
        self._call: Row = {}
        self._told = False
        self._openings: Sequence[Rule] = ((_DEVICE, self._open), (_TITLE, self._open))
        self._rules: Sequence[Rule] = (
            (_CALL, self._counted),
            (_LIST, self._list),
            (_AGE, self._age),
            (_TOOLS_AGE, self._told_age),
            (_CALL_TITLE, self._titled),
        )

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if apply(self._openings, line, at):
            return
        if not self._mount:
            self._refuse_counters(line, at)
            return
        if not apply(self._rules, line, at) and not self._sentence(line, at) and self._is_torn(line):
            self._parsed.incomplete(f"expected counters of a mount, found {line.strip()[:60]!r}", at)

    def _refuse_counters(self, line: str, at: int) -> None:
        """Mark the log incomplete where counters of NFS have no mount above them."""
        if self._parsed.complete and any(pattern.match(line) for pattern in _COUNTERS):
            self._parsed.incomplete(f"expected a mount above the counters {line.strip()[:60]!r}", at)

    def _counted(self, found: re.Match[str], at: int) -> None:
        self._add(*_call(found[1], [float(word) for word in found[2].split()], at))

    def _age(self, found: re.Match[str], at: int) -> None:
        self._mount |= on(at, {"elapsed": float(found[1])})

    def _told_age(self, found: re.Match[str], at: int) -> None:
        days, hours, minutes, seconds = (float(word or 0) for word in found.groups())
        self._mount |= on(at, {"elapsed": ((days * 24 + hours) * 60 + minutes) * 60 + seconds})

    def _titled(self, found: re.Match[str], at: int) -> None:
        self.end()
        self._call = {"operation": operation_of(found[1]), "label": found[1], "line": at}

    def _is_torn(self, line: str) -> bool:
        """Whether a line that was not read looks like one of an operation, or like a sentence of the tool."""
        is_sentence = self._told and line[:1].isspace() and any(map(str.isdecimal, line)) and not _SETTING.match(line)
        return is_sentence or bool(_TORN_CALL.match(line))

    def end(self) -> None:
        """Hand over an operation that the tool told in several lines."""
        if self._call and not {"operations", "request_size", "total_latency"} <= self._call.keys():
            self._parsed.incomplete("an operation lacks its counts, its bytes or its times", int(self._call["line"]))
        if "operations" in self._call:
            self._add(self._call)
        self._call = {}

    def _open(self, found: re.Match[str], at: int) -> None:
        self.end()
        self._told = found.re is _TITLE
        is_nfs = self._told or (found[3].startswith("nfs") and found[3] != "nfsd")
        self._mount = {"mount": found[2], "device": found[1]} if is_nfs else {}
        if is_nfs:
            self._seen[found[2]] += 1
            self._mount["part"] = float(self._seen[found[2]])
        self._transports = 0

    def _add(self, *rows: Row) -> None:
        self.samples += [self._mount | row for row in rows]

    def _list(self, found: re.Match[str], at: int) -> None:
        kind, words = found[1], found[2].split()
        try:
            if kind == "xprt":
                self._transports += 1
                self._add(*_transport(words[0], [finite(word) for word in words[1:]], self._transports, at))
                return
            values = [finite(word) for word in words]
        except ValueError:
            self._parsed.incomplete(f"expected counters after {kind}:, found {' '.join(words)[:60]!r}", at)
            return
        if kind == "events":
            self._add(*(metric(name, value, "1", at) for name, value in zip(_EVENTS, values, strict=False)))
        elif len(values) < len(_BYTES):
            self._parsed.incomplete(f"expected {len(_BYTES)} counters of bytes, found {len(values)}", at)
        else:
            self._add(*(_moved(*which, value, at) for which, value in zip(_BYTES, values, strict=False)))
            self._add(*(metric(name, value, "1", at) for name, value in zip(_PAGES, values[6:], strict=False)))

    def _sentence(self, line: str, at: int) -> bool:
        """Read a sentence of the tool, and say whether it was one."""
        if self._call and (found := _COUNT.match(line)):
            if "operations" in self._call:
                self._parsed.incomplete(f"expected another operation than {self._call['label']} above its counts", at)
                self._call = {}
                return True
            more = {word: finite(count) for count, word in _COUNT_MORE.findall(line)}
            counts: Row = {"operations": finite(found[1]), "retransmits": more.get("retrans", 0.0)}
            self._call |= on(at, counts | {"errors": more.get("errors", 0.0)})
        elif self._call and (found := _SIZES.match(line)):
            self._sizes(finite(found[1]), finite(found[2]), at)
        elif self._call and (found := _TIMES.match(line)):
            names = ("submission_latency", "latency", "total_latency")
            times = zip(names, found.groups(), strict=True)
            self._call |= on(at, {name: finite(word) * MILLISECOND for name, word in times})
        else:
            rows = _told(line, at)
            self._add(*rows)
            return bool(rows)
        return True

    def _sizes(self, sent: float, received: float, at: int) -> None:
        """Take the mean bytes of an operation, which the tool cuts to whole numbers."""
        self._call |= on(at, {"request_size": sent + received})
        for word, size in (("sent", sent), ("received", received)):
            row = metric(f"{self._call['label']} bytes {word} an operation", size, "B", at)
            self._add(row | {"operation": self._call["operation"]})


def _call(name: str, values: Sequence[float], at: int) -> list[Row]:
    """Make rows of an operation: what has names in the contract, and the sums of its times."""
    requests, transmissions, timeouts, sent, received, queued, answered, took, *errors = values
    operation = operation_of(name)
    row: Row = {"operation": operation, "label": name, "operations": requests}
    row |= {"retransmits": max(transmissions - requests, 0.0), "network_sent": sent, "network_received": received}
    if errors:
        row["errors"] = errors[0]
    times = {"queued": queued, "RTT": answered, "execute": took}
    if requests:
        row["request_size"] = (sent + received) / requests
        names = ("submission_latency", "latency", "total_latency")
        row |= {key: time * MILLISECOND / requests for key, time in zip(names, times.values(), strict=True)}
    sums = [
        metric(f"{name} {word}", time * MILLISECOND, "s", at) | {"operation": operation} for word, time in times.items()
    ]
    return [row | {"line": at}, metric(f"{name} major timeouts", timeouts, "1", at) | {"operation": operation}, *sums]


def _moved(operation: str, label: str, value: float, at: int) -> Row:
    return {"operation": operation, "label": label, "counter_bytes": value, "line": at}


def _transport(kind: str, values: Sequence[float], ordinal: int, at: int) -> list[Row]:
    """Make rows of the counters of a transport, ``xprt: tcp 871 1 2 0 0 ...``."""
    names = (*_LEADING.get(kind, _CONNECTION), *_TRANSPORT, *(_QUEUES if kind in _WITH_QUEUES else ()))
    named = zip(names, values, strict=False)
    return [
        metric(f"{kind} {name}", value, "s" if name in _IN_SECONDS else "1", at, label=f"xprt {ordinal}")
        for name, value in named
    ]


def _told(line: str, at: int) -> list[Row]:
    """Make rows of a sentence of the tool that tells counters of a mount."""
    if found := _MOVED.match(line):
        verb, count, direct, of_client, bytes_of_client = found.groups()
        operation = "read" if (verb or of_client) == "read" else "write"
        label = "server" if of_client else "O_DIRECT" if direct else "application"
        return [_moved(operation, label, finite(count or bytes_of_client), at)]
    if found := _REQUESTS.match(line):
        names = ("RPC requests", "RPC replies", "XIDs not found")
        return [metric(name, finite(word), "1", at) for name, word in zip(names, found.groups(), strict=True)]
    if found := _CALLS.match(line):
        return [metric(found[1] or found[4], finite(found[2] or found[3]), "1", at)]
    if found := _INVALIDATED.match(line):
        return [metric(f"{found[1]} invalidations", finite(found[2]), "1", at)]
    if found := _RENAMES.match(line):
        return [metric("silly renames", finite(found[1]), "1", at)]
    if found := _TWO.match(line):
        pairs = ((found[1], found[2]), (found[3], found[4]))
        return [metric(name, finite(word), "1", at) for name, word in pairs]
    found = _NAMED.match(line)
    return [metric(found[1], finite(found[2]), _UNITS[found[3]], at)] if found else []
