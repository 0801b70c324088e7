"""The output of a ROOT job, written and read back: counts exactly, ReadTotal to six digits, times to milliseconds."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import root_counters
from storagelab.reconstruct.writers.root_counters import Log, PerfStats, Read, Stopwatch
from tests.reconstruct.writers.reading import notes, read_back

SIX_DIGITS = 5.1e-6
MILLISECOND = 0.000501
PER_SECOND = 501.0

STATISTICS = PerfStats(7147628, 7696720, 1, 0.654, 0.12, 0.429, leaves=40)
READ = Read("root://gw1//fs/a.root", 1500, 3000, 20, 40, 7157131, 5, 14326600, STATISTICS)
LOG = Log((READ,), Stopwatch(3661.25, 0.5), "5.34/32")

counts = st.integers(0, 2**40).map(float)
positive = st.integers(1, 2**40).map(float)
seconds = st.floats(0.001, 1e5)

perf_stats = st.builds(
    PerfStats,
    data_size=positive,
    data_size_uncompressed=positive,
    operations=st.integers(1, 2**31).map(float),
    elapsed=seconds,
    cpu_time=seconds,
    disk_time=seconds,
    cache_size=st.integers(0, 10**9).map(float),
    read_ahead=st.integers(0, 10**9).map(float),
    leaves=st.integers(0, 10**5).map(float),
    data_extra_share=st.floats(0, 10),
)
reads = st.builds(
    Read, st.just(READ.file), counts, counts, counts, counts, counts, counts, counts, perf_stats | st.none()
)
stopwatches = st.builds(Stopwatch, seconds, seconds, st.sampled_from([0, 3, 6]))


def test_golden() -> None:
    assert root_counters.render(LOG) == (
        "# reconstructed from published numbers and a model of the test bed, not measured\n"
        "ROOT 5.34/32\n"
        "Processing root://gw1//fs/a.root\n"
        "Entries read 1500 of 3000, 20 of 40 branches, 7157131 bytes read in 5 calls, file size 14326600\n"
        "TreeCache = 30 MBytes\n"
        "N leaves  = 40\n"
        "ReadTotal = 7.14763 MBytes\n"
        "ReadUnZip = 7.69672 MBytes\n"
        "ReadCalls = 1\n"
        "ReadSize  = 7147.628 KBytes/read\n"
        "Readahead = 256 KBytes\n"
        "Readextra =  0.00 per cent\n"
        "Real Time =   0.654 seconds\n"
        "CPU  Time =   0.120 seconds\n"
        "Disk Time =   0.429 seconds\n"
        "Disk IO   =  16.661 MBytes/s\n"
        "ReadUZRT  =  11.769 MBytes/s\n"
        "ReadUZCP  =  64.139 MBytes/s\n"
        "ReadRT    =  10.929 MBytes/s\n"
        "ReadCP    =  59.564 MBytes/s\n"
        "Real time 0:00:00, CP time 0.120\n"
        "Total entries 1500\n"
        "Real time 1:01:01, CP time 0.500\n"
    )


@given(st.lists(reads, min_size=1, max_size=3), stopwatches)
@settings(max_examples=50)
def test_all_numbers_come_back(wanted: list[Read], total: Stopwatch) -> None:
    parsed = read_back(root_counters.render(Log(tuple(wanted), total)), "root")
    *rows, job = parsed.runs
    assert parsed.header["tool_version"] == "5.34/32"
    assert job["operation"] == "job"
    assert job["entries"] == sum(read.entries for read in wanted)
    cut = {0: math.floor(total.elapsed)}.get(total.decimals, total.elapsed)
    assert job["elapsed"] == pytest.approx(cut, abs=MILLISECOND)
    assert job["cpu_time"] == pytest.approx(total.cpu_time, abs=MILLISECOND)
    for read, row in zip(wanted, rows, strict=True):
        for field in dataclasses.fields(read):
            if field.name != "statistics":
                assert row[field.name] == getattr(read, field.name)


@given(perf_stats)
@settings(max_examples=50)
def test_the_statistics_come_back(of: PerfStats) -> None:
    parsed = read_back(root_counters.render(Log((dataclasses.replace(READ, statistics=of),), LOG.total)), "root")
    row = parsed.runs[0]
    for name in ("data_size", "data_size_uncompressed"):
        assert row[name] == pytest.approx(getattr(of, name), rel=SIX_DIGITS)
    for name in ("elapsed", "cpu_time", "disk_time"):
        assert row[name] == pytest.approx(getattr(of, name), abs=MILLISECOND)
    assert (row["operations"], row["leaves"]) == (of.operations, of.leaves)
    assert (row["cache_size"], row["read_ahead"]) == (of.cache_size // 1e6 * 1e6, of.read_ahead // 1e3 * 1e3)
    assert row["request_size"] == pytest.approx(of.data_size / of.operations, abs=0.501)
    assert row["data_extra_share"] == pytest.approx(of.data_extra_share, abs=0.0000501)
    assert row["throughput"] == pytest.approx(of.data_size / of.elapsed, abs=PER_SECOND)
    assert row["throughput_cpu"] == pytest.approx(of.data_size / of.cpu_time, abs=PER_SECOND)
    assert row["throughput_uncompressed"] == pytest.approx(of.data_size_uncompressed / of.elapsed, abs=PER_SECOND)
    assert row["disk_throughput"] == pytest.approx(of.data_size / of.disk_time, abs=PER_SECOND)
    assert list(parsed.series["elapsed"]) == [math.floor(of.elapsed)]


def test_a_rate_over_no_time_is_printed_as_infinite_and_not_taken() -> None:
    statistics = dataclasses.replace(STATISTICS, cpu_time=0.0)
    text = root_counters.render(Log((dataclasses.replace(READ, statistics=statistics),), LOG.total))
    assert "ReadCP    =     inf MBytes/s\n" in text
    assert "throughput_cpu" not in read_back(text, "root").runs[0]


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(root_counters.render(LOG), tmp_path)


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (Log((), LOG.total), "reads: expected at least one file, found none"),
        (Log((READ,), Stopwatch(-1.0, 0.0)), "elapsed: expected a finite number that is not negative, found -1.0"),
        (Log((READ,), Stopwatch(1.0, math.inf)), "cpu_time: expected a finite number .*, found inf"),
        (Log((READ,), Stopwatch(1.0, 1.0, 2)), "decimals: expected 0, 3 or 6, found 2"),  # type: ignore[arg-type]
        (Log((READ,), LOG.total, "v5"), "tool_version: expected one such as '5.34/32', found 'v5'"),
        (Log((dataclasses.replace(READ, file="a b"),), LOG.total), "file: expected text without white space"),
        (Log((dataclasses.replace(READ, file="a.C..."),), LOG.total), "file: expected a path that does not end as"),
        (Log((dataclasses.replace(READ, entries=0.5),), LOG.total), "entries: expected a whole number"),
        (
            Log((dataclasses.replace(READ, statistics=dataclasses.replace(STATISTICS, operations=0)),), LOG.total),
            "operations: expected a finite number above 0, found 0",
        ),
        (
            Log((dataclasses.replace(READ, statistics=dataclasses.replace(STATISTICS, data_size=0)),), LOG.total),
            "data_size: expected a finite number above 0, found 0",
        ),
    ],
)
def test_what_cannot_be_printed_is_refused(log: Log, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        root_counters.render(log)
