"""Logs of IOR 2.10: rendered and read back, byte for byte, and what cannot be rendered."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Row
from storagelab.reconstruct.writers import ior
from storagelab.reconstruct.writers.file_system import FileSystem
from storagelab.reconstruct.writers.ior import Log, Repetition, Verbose
from storagelab.units import GIB, KIB, MB, MIB, TIB
from tests.reconstruct.writers.reading import notes, read_back

STARTED = datetime(2010, 3, 5, 8, 30, 0)
VERBOSE = Verbose("2.6.18-76 #1 SMP Mon Feb 1 12:00:00 PST 2010 x86_64", FileSystem(400 * TIB, 2**29, 0.125, 0.5))
rates = st.floats(min_value=0.1 * MIB, max_value=20 * GIB)


@st.composite
def logs(draw: st.DrawFn) -> Log:
    record_size = draw(st.sampled_from([4 * KIB, 47000.0, 256 * KIB, MIB, 1.5 * MIB]))
    repetitions = st.lists(st.builds(Repetition, rates), min_size=1, max_size=5)
    writes = draw(repetitions)
    has_reads = draw(st.booleans())
    reads = draw(st.lists(st.builds(Repetition, rates), min_size=len(writes), max_size=len(writes)))
    swapped = has_reads or draw(st.booleans())
    return Log(
        draw(st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1))),
        writes if swapped else (),
        reads if has_reads or not swapped else (),
        processes=draw(st.integers(1, 2048)),
        processes_per_node=draw(st.integers(1, 16)),
        block_size=record_size * draw(st.integers(1, 5000)),
        record_size=record_size,
        file_mode=draw(st.sampled_from(["shared-file", "file-per-process"])),
        shifts_reads=draw(st.booleans()),
        verbose=draw(st.sampled_from([None, VERBOSE])),
    )


def near(found: object, expected: float, step: float) -> bool:
    """Whether a number is the one expected but for half the last digit that is printed."""
    return isinstance(found, float) and math.isclose(found, expected, rel_tol=1e-12, abs_tol=0.500001 * step)


def step_of(value: float) -> float:
    """Rows of repetitions: six decimals below 1, two below 3600, none from there on (which may round to it)."""
    return 1e-6 if value < 1 else 0.01 if value < 3600 else 1.0


@settings(max_examples=60)
@given(logs())
def test_every_number_comes_back(log: Log) -> None:
    parsed = read_back(ior.render(log), "ior")
    header = parsed.header
    assert header["started"] == log.started.replace(microsecond=0).isoformat()
    assert (header["api"], header["file_mode"], header["tool_version"]) == ("POSIX", log.file_mode, "2.10.3")
    for name in ("processes", "block_size", "record_size"):
        assert header[name] == getattr(log, name)
    if log.verbose:
        assert header["segments"] == 1
    for operation, repetitions in (("write", log.writes), ("read", log.reads)):
        own = [row for row in parsed.runs if row["operation"] == operation]
        single = [row for row in own if row["statistic"] == "single"]
        assert len(single) == (len(repetitions) if log.verbose else 0)
        for row, repetition in zip(single, repetitions, strict=False):
            holds_repetition(log, row, repetition)
        if repetitions:
            holds_summary(log, {str(row["statistic"]): row for row in own}, repetitions)
        else:
            assert not own


def holds_repetition(log: Log, row: Row, repetition: Repetition) -> None:
    assert near(row["throughput"], repetition.throughput, step_of(repetition.throughput / MIB) * MIB)
    elapsed = log.data_size / repetition.throughput
    for name in ("transfer_time", "elapsed"):
        assert near(row[name], elapsed, step_of(elapsed))
    assert row["data_size"] == log.data_size


def holds_summary(log: Log, rows: dict[str, Row], repetitions: Sequence[Repetition]) -> None:
    own = [repetition.throughput for repetition in repetitions]
    mean, best = rows["mean"], rows["max"]
    printed = {"_max": max(own), "_min": min(own), "": statistics.fmean(own), "_std": statistics.pstdev(own)}
    for suffix, value in printed.items():
        assert near(mean[f"throughput{suffix}"], value, 0.01 * MIB)
    elapsed = [log.data_size / throughput for throughput in own]
    assert near(mean["elapsed"], statistics.fmean(elapsed), 1e-5)
    transfers = log.processes * log.block_size / log.record_size
    assert near(mean["operation_rate"], statistics.fmean(transfers / time for time in elapsed), 0.01)
    assert mean["samples"] == len(own)
    assert near(best["throughput"], max(own), 0.01 * MB)


SMALL = Log(
    STARTED,
    writes=(Repetition(1000 * MIB), Repetition(1024 * MIB)),
    reads=(Repetition(2000 * MIB), Repetition(2048 * MIB)),
    processes=16,
    processes_per_node=8,
    block_size=4 * GIB,
    record_size=MIB,
    file_mode="file-per-process",
    path="/p/lscratch/ior.dat",
    shifts_reads=True,
    node="zeus1",
)
BRIEF = """\
# reconstructed from published numbers and a model of the test bed, not measured
IOR-2.10.3: MPI Coordinated Test of Parallel I/O

Run began: Fri Mar  5 08:30:00 2010
Command line used: IOR -a POSIX -w -r -F -C -t 1m -b 4g -s 1 -i 2 -o /p/lscratch/ior.dat
Machine: Linux zeus1

Summary:
\tapi                = POSIX
\ttest filename      = /p/lscratch/ior.dat
\taccess             = file-per-process
\tordering in a file = sequential offsets
\tordering inter file=constant task offsets = 1
\tclients            = 16 (8 per node)
\trepetitions        = 2
\txfersize           = 1 MiB
\tblocksize          = 4 GiB
\taggregate filesize = 64 GiB

Operation  Max (MiB)  Min (MiB)  Mean (MiB)   Std Dev  Max (OPs)  Min (OPs)  Mean (OPs)   Std Dev  Mean (s)  \n\
---------  ---------  ---------  ----------   -------  ---------  ---------  ----------   -------  --------
write        1024.00    1000.00     1012.00     12.00    1024.00    1000.00     1012.00     12.00  64.76800   EXCEL
read         2048.00    2000.00     2024.00     24.00    2048.00    2000.00     2024.00     24.00  32.38400   EXCEL

Max Write: 1024.00 MiB/sec (1073.74 MB/sec)
Max Read:  2048.00 MiB/sec (2147.48 MB/sec)

Run finished: Fri Mar  5 08:33:14 2010
"""
VERBOSE_PART = """\
\taggregate filesize = 64 GiB

Using Time Stamp 1267777800 (0x4b90c108) for Data Signature
Commencing write performance test.
Fri Mar  5 08:30:00 2010

access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s) total(s)  iter
------    ---------  ---------- ---------  --------   --------   --------  --------   ----
write     1000.00    4194304    1024.00    0.000000   65.54      0.000000   65.54      0    XXCEL
[RANK 000] open for reading file /p/lscratch/ior.dat.00000008 XXCEL
Commencing read performance test.
Fri Mar  5 08:31:05 2010

read      2000.00    4194304    1024.00    0.000000   32.77      0.000000   32.77      0    XXCEL
"""


def test_a_log_byte_for_byte() -> None:
    assert ior.render(SMALL) == BRIEF


def test_what_is_verbose_byte_for_byte() -> None:
    text = ior.render(dataclasses.replace(SMALL, verbose=VERBOSE))
    assert VERBOSE_PART in text
    assert (
        "Machine: Linux zeus1 2.6.18-76 #1 SMP Mon Feb 1 12:00:00 PST 2010 x86_64\n"
        "Using synchronized MPI timer\n"
        "Start time skew across all tasks: 0.00 sec\n"
        "Path: /p/lscratch\n"
        "FS: 400.0 TiB   Used FS: 12.5%   Inodes: 512.0 Mi   Used Inodes: 50.0%\n"
        "Participating tasks: 16\n"
        "Using reorderTasks '-C' (expecting block, not cyclic, task assignment)\n" in text
    )
    assert "64.76800   16 8 2 1 1 1 0 0 1 4294967296 1048576 68719476736 -1 POSIX EXCEL\n" in text


def test_the_log_says_that_it_is_reconstructed(tmp_path: Path) -> None:
    notes(BRIEF, tmp_path)


def test_reads_alone_say_nothing_of_writes() -> None:
    text = ior.render(dataclasses.replace(SMALL, writes=()))
    assert "Max Read:" in text
    assert "rite" not in text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"writes": (), "reads": ()}, "expected as many of each, or none of one, found 0 and 0"),
        ({"reads": (Repetition(1.0),)}, "expected as many of each, or none of one, found 2 and 1"),
        ({"processes": 0}, "processes: expected a finite number above 0, found 0"),
        ({"block_size": -1.0}, "block_size: expected a whole number.*found -1.0"),
        ({"block_size": MIB + 1}, "block_size: expected a multiple of .* found 1048577"),
        ({"file_mode": "unknown"}, "file_mode: expected shared-file or file-per-process, found 'unknown'"),
        ({"path": "/a b"}, "path: expected text without white space, found '/a b'"),
        ({"writes": (Repetition(0.0),) * 2}, "throughput: expected a finite number above 0, found 0.0"),
        ({"writes": (Repetition(math.nan),) * 2}, "throughput: expected a finite number above 0, found nan"),
        ({"verbose": dataclasses.replace(VERBOSE, kernel="a\nb")}, "kernel: expected text on one line"),
        ({"verbose": dataclasses.replace(VERBOSE, file_system=FileSystem(0, 1))}, "capacity: .*above 0, found 0"),
    ],
)
def test_what_ior_cannot_print_is_refused(changes: dict[str, object], message: str) -> None:
    log = dataclasses.replace(SMALL, **changes)  # type: ignore[arg-type]
    with pytest.raises(ReconstructError, match=message):
        ior.render(log)
