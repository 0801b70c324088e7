"""Job reports of CMSSW, written in both manners and read back: counts exactly, other numbers to six digits."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers.cmssw.counters import OPERATIONS
from storagelab.reconstruct.writers import cmssw_report
from storagelab.reconstruct.writers.cmssw_report import Counter, JobReport, Timing
from tests.reconstruct.writers.reading import notes, read_back

SIX_DIGITS = 5.1e-6
READ = Counter("dcap", "read", 6900, 6900, 39.5 * 2**20, 16.629, 7.68e-7, 0.320653)
TIMING = Timing(23.5703, 9.16361, 2.35703, 0.162685, 16.7631)
REPORT = JobReport((READ,), TIMING)

counts = st.integers(1, 2**40).map(float)
seconds = st.floats(1e-6, 1e6)


def counter(subsystem: str, name: str, calls: tuple[float, float], size: float, latency: list[float]) -> Counter:
    """Build what could be counted: a mean between the fastest and the slowest call, no more successes than calls."""
    fastest, mean, slowest = latency
    return Counter(subsystem, name, max(calls), min(calls), size, mean * min(calls), fastest, slowest)


def timing(job: float, cpu: float, event: list[float]) -> Timing:
    fastest, mean, slowest = event
    return Timing(job, cpu, mean, fastest, slowest)


latencies = st.tuples(seconds, seconds, seconds).map(sorted)
counters = st.lists(
    st.builds(
        counter,
        st.sampled_from(["dcap", "file", "root", "tstoragefile"]),
        st.sampled_from(sorted(OPERATIONS)),
        st.tuples(counts, counts),
        st.floats(1, 1e15),
        latencies,
    ),
    max_size=6,
    unique_by=lambda counter: (counter.subsystem, counter.name),
)
timings = st.builds(timing, seconds, seconds, latencies)
reports = st.builds(JobReport, counters.map(tuple), timings)


def test_golden() -> None:
    assert cmssw_report.render(REPORT) == (
        "<!-- reconstructed from published numbers and a model of the test bed, not measured -->\n"
        "<FrameworkJobReport>\n"
        "<TimingService>\n"
        '  <AvgEventTime  Value="2.35703" />\n'
        '  <MaxEventTime  Value="16.7631" />\n'
        '  <MinEventTime  Value="0.162685" />\n'
        '  <TotalJobCPU  Value="9.16361" />\n'
        '  <TotalJobTime  Value="23.5703" />\n'
        "</TimingService>\n"
        "<StorageStatistics>\n"
        "<storage-factory-summary>\n"
        " <storage-factory-stats>\n"
        "<storage-timing-summary>\n"
        " <counter-value subsystem='dcap' counter-name='read' num-operations='6900' num-successful-operations='6900'"
        " total-megabytes='39.5' total-msecs='16629' min-msecs='0.000768' max-msecs='320.653'/>\n"
        "</storage-timing-summary>\n"
        " </storage-factory-stats>\n"
        "</storage-factory-summary>\n"
        "</StorageStatistics>\n"
        "</FrameworkJobReport>\n"
    )


@given(reports)
@settings(max_examples=50)
def test_all_numbers_come_back(wanted: JobReport) -> None:
    rows = read_back(cmssw_report.render(wanted), "cmssw-fjr").runs
    found = {row["label"]: row for row in rows if "operations_tried" in row}
    assert len(found) == len(wanted.counters)
    for counter in wanted.counters:
        row = found[f"{counter.subsystem}-{cmssw_report._dashed(counter.name)}"]
        assert row["operation"] == OPERATIONS[counter.name]
        for field in dataclasses.fields(counter)[2:]:
            exact = 0.0 if field.name.startswith("operations") else SIX_DIGITS
            assert row[field.name] == pytest.approx(getattr(counter, field.name), rel=exact)


@given(timings)
@settings(max_examples=50)
def test_the_times_come_back(timing: Timing) -> None:
    rows = read_back(cmssw_report.render(JobReport(timing=timing)), "cmssw-fjr").runs
    total, event = (next(row for row in rows if row["phase"] == phase) for phase in ("total", "event"))
    found = [total["elapsed"], total["cpu_time"], event["elapsed"], event["elapsed_min"], event["elapsed_max"]]
    assert found == pytest.approx(list(dataclasses.astuple(timing)), rel=SIX_DIGITS)


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(cmssw_report.render(REPORT), tmp_path)


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (JobReport(), "report: expected counters or times, found none of them"),
        (JobReport(timing=dataclasses.replace(TIMING, elapsed=-1)), "TotalJobTime: expected a finite number"),
        (JobReport(counters=(dataclasses.replace(READ, name="reads"),)), "name: expected one of check, .*'reads'"),
        (JobReport(counters=(dataclasses.replace(READ, subsystem="'"),)), "subsystem: expected the name of a protocol"),
        (JobReport(counters=(dataclasses.replace(READ, elapsed=-1),)), "elapsed: expected a finite number"),
    ],
)
def test_what_cannot_be_printed_is_refused(report: JobReport, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        cmssw_report.render(report)
