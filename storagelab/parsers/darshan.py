"""Darshan: what an application read and wrote, through the pydarshan package (``pip install storagelab[darshan]``).

Darshan's logs are binary: they have no lines, and `line` is 0. A row of ``job`` for the run; for each module (POSIX,
MPI-IO, STDIO; `api`) a row of ``read`` and one of ``write``, summed over files and ranks, if it moved any bytes.
`transfer_time` and `metadata_time` are sums over ranks, and so may exceed the run's `elapsed`. The job's `throughput`
is Darshan's own estimate: bytes read and written over the I/O time of the slowest rank, of the module nearest to the
disks.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from storagelab.errors import ParseError
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.units import MIB

FORMAT = Format(
    name="darshan",
    tool="Darshan",
    versions="logs of 3.0 and later, by pydarshan 3.4 and later",
    reads="binary logs: job, POSIX, MPI-IO and STDIO counters",
    source="pydarshan; darshan-util documentation, counters of each module",
)

MAGIC = (b"3.0", b"3.1", b"3.2", b"3.3", b"3.4")
_ZERO = b"\x00"
_MODULES = {"POSIX": "POSIX", "MPI-IO": "MPIIO", "STDIO": "STDIO"}
_COUNTERS = {
    ("POSIX", "read"): ("READS",),
    ("POSIX", "write"): ("WRITES",),
    ("MPIIO", "read"): ("INDEP_READS", "COLL_READS", "SPLIT_READS", "NB_READS"),
    ("MPIIO", "write"): ("INDEP_WRITES", "COLL_WRITES", "SPLIT_WRITES", "NB_WRITES"),
    ("STDIO", "read"): ("READS",),
    ("STDIO", "write"): ("WRITES",),
}
_MOVED = {"read": ("BYTES_READ", "F_READ_TIME"), "write": ("BYTES_WRITTEN", "F_WRITE_TIME")}


def claims(head: bytes) -> bool:
    """Whether a file begins like a log of Darshan: its version, filled up with zeros."""
    return head.startswith(MAGIC) and _ZERO in head[4:8]


def parse(path: Path) -> Parsed:
    """Read a log.

    Raises
    ------
    ParseError
        If pydarshan is not installed, or cannot read the file.
    """
    report = _report(path)
    job = report.metadata["job"]
    parsed = Parsed(_header(report.metadata))
    keys: Row = {"processes": float(job["nprocs"]), "line": 0}
    parsed.runs.append({"operation": "job", "elapsed": float(job["run_time"]), **keys})
    for module, prefix in _MODULES.items():
        if module in report.modules:
            parsed.runs += [{**row, **keys} for row in _rows(report, module, prefix, parsed)]
            if "throughput" not in parsed.runs[0]:
                parsed.runs[0] |= _estimate(report, module, int(job["nprocs"]))
    if report.metadata.get("partial") or any(entry.get("partial_flag") for entry in report.modules.values()):
        parsed.incomplete("Darshan ran out of memory for records: counters are partial")
    return parsed


def _report(path: Path) -> Any:
    try:
        import darshan.report
    except ImportError:
        raise ParseError(
            "pydarshan to read a log of Darshan (pip install storagelab[darshan])", "no such package"
        ) from None
    try:
        return darshan.report.DarshanReport(str(path), read_all=False)
    except (RuntimeError, ValueError, KeyError) as error:
        raise ParseError("a log that pydarshan reads", str(error)) from error


def _header(metadata: dict[str, Any]) -> Row:
    job = metadata["job"]
    header: Row = {"tool": "Darshan", "statistic": "single", "command": metadata.get("exe", "")}
    header["tool_version"] = str(job.get("metadata", {}).get("lib_ver", job["log_ver"]))
    for name, key in (("started", "start_time_sec"), ("ended", "end_time_sec")):
        header[name] = datetime.fromtimestamp(job[key], tz=UTC).isoformat()
    return header


def _rows(report: Any, module: str, prefix: str, parsed: Parsed) -> Iterator[Row]:
    """Return the sums of a module over its records."""
    report.mod_read_all_records(module, warnings=False)
    records = _records(report, module)
    if not records:
        parsed.incomplete(f"the module {module} has no record that can be read")
        return
    sums = {**records["counters"].sum(numeric_only=True), **records["fcounters"].sum(numeric_only=True)}
    for operation, (size, time) in _MOVED.items():
        moved = float(sums[f"{prefix}_{size}"])
        if moved > 0:
            done = sum(float(sums.get(f"{prefix}_{counter}", 0)) for counter in _COUNTERS[prefix, operation])
            row: Row = {
                "operation": operation,
                "api": module,
                "data_size": moved,
                "operations": done,
                "transfer_time": float(sums[f"{prefix}_{time}"]),
                "metadata_time": float(sums[f"{prefix}_F_META_TIME"]),
                "files": float(records["counters"]["id"].nunique()),
            }
            if float(row["transfer_time"]) < 0:
                parsed.note(f"{module}: the time to {operation} is negative, a mistake of Darshan's: left out")
                del row["transfer_time"]
            yield row


def _estimate(report: Any, module: str, processes: int) -> Row:
    """Return Darshan's estimate of the throughput, where this pydarshan and this log have one."""
    from darshan.backend.cffi_backend import accumulate_records

    records = _records(report, module)
    try:
        derived = accumulate_records(records, module, processes).derived_metrics
    except (RuntimeError, ValueError, KeyError):
        return {}
    return {"throughput": derived.agg_perf_by_slowest * MIB, "data_size": float(derived.total_bytes)}


def _records(report: Any, module: str) -> dict[str, Any]:
    """Return the counters of a module as data frames, {} where the log breaks off before them."""
    try:
        records: dict[str, Any] = report.records[module].to_df()
    except KeyError:
        return {}
    return {} if records["counters"].empty else records
