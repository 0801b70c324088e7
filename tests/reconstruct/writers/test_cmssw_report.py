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
from storagelab.reconstruct.writers.cmssw_report import Counter, InputFile, JobReport, Timing
from tests.reconstruct.writers.reading import notes, read_back

SIX_DIGITS = 5.1e-6
READ = Counter("dcap", "read", 6900, 6900, 39.5 * 2**20, 16.629, 7.68e-7, 0.320653)
FILE = InputFile("dcap://door:22125/pnfs/a.root", 400)
TIMING = Timing(23.5703, 9.16361, 2.35703, 0.162685, 16.7631)
REPORT = JobReport((FILE,), (READ,), TIMING)

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
files = st.lists(st.builds(InputFile, st.sampled_from([FILE.file, "root://gw//b&c.root"]), counts), max_size=3)
timings = st.builds(timing, seconds, seconds, latencies)
reports = st.builds(JobReport, files.map(tuple), counters.map(tuple), timings, st.booleans())


def test_golden_before_cmssw_4() -> None:
    assert cmssw_report.render(REPORT) == (
        "<!-- reconstructed from published numbers and a model of the test bed, not measured -->\n"
        "<FrameworkJobReport>\n"
        "\n"
        "<InputFile>\n"
        '<State  Value="closed"/>\n'
        "<LFN></LFN>\n"
        "<PFN>dcap://door:22125/pnfs/a.root</PFN>\n"
        "<Catalog></Catalog>\n"
        "<ModuleLabel>source</ModuleLabel>\n"
        "<InputType>primaryFiles</InputType>\n"
        "<InputSourceClass>PoolSource</InputSourceClass>\n"
        "<EventsRead>400</EventsRead>\n"
        "</InputFile>\n"
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


def test_golden_from_cmssw_4_on() -> None:
    counter = Counter("tstoragefile", "readActual", 2, 1, 2**20, 0.5, 0.25, 0.25)
    assert cmssw_report.render(JobReport(counters=(counter,), metrics=True)) == (
        "<!-- reconstructed from published numbers and a model of the test bed, not measured -->\n"
        "<FrameworkJobReport>\n"
        "<PerformanceReport>\n"
        '  <PerformanceSummary Metric="StorageStatistics">\n'
        '    <Metric Name="Timing-tstoragefile-readActual-maxMsecs" Value="250"/>\n'
        '    <Metric Name="Timing-tstoragefile-readActual-minMsecs" Value="250"/>\n'
        '    <Metric Name="Timing-tstoragefile-readActual-numOperations" Value="2"/>\n'
        '    <Metric Name="Timing-tstoragefile-readActual-numSuccessfulOperations" Value="1"/>\n'
        '    <Metric Name="Timing-tstoragefile-readActual-totalMegabytes" Value="1"/>\n'
        '    <Metric Name="Timing-tstoragefile-readActual-totalMsecs" Value="500"/>\n'
        "  </PerformanceSummary>\n"
        "</PerformanceReport>\n"
        "</FrameworkJobReport>\n"
    )


@given(reports)
@settings(max_examples=50)
def test_all_numbers_come_back(wanted: JobReport) -> None:
    rows = read_back(cmssw_report.render(wanted), "cmssw-fjr").runs
    files = [row for row in rows if row.get("label") == "primaryFiles"]
    assert [(row["file"], row["entries"]) for row in files] == [(file.file, file.entries) for file in wanted.files]
    found = {row["label"]: row for row in rows if "operations_tried" in row}
    assert len(found) == len(wanted.counters)
    for counter in wanted.counters:
        name = counter.name if wanted.metrics else cmssw_report._dashed(counter.name)
        row = found[f"{counter.subsystem}-{name}"]
        assert row["operation"] == OPERATIONS[counter.name]
        for field in dataclasses.fields(counter)[2:]:
            exact = 0.0 if field.name.startswith("operations") else SIX_DIGITS
            assert row[field.name] == pytest.approx(getattr(counter, field.name), rel=exact)


@given(timings, st.booleans())
@settings(max_examples=50)
def test_the_times_come_back(timing: Timing, metrics: bool) -> None:
    rows = read_back(cmssw_report.render(JobReport(timing=timing, metrics=metrics)), "cmssw-fjr").runs
    total, event = (next(row for row in rows if row["phase"] == phase) for phase in ("total", "event"))
    found = [total["elapsed"], total["cpu_time"], event["elapsed"], event["elapsed_min"], event["elapsed_max"]]
    assert found == pytest.approx(list(dataclasses.astuple(timing)), rel=SIX_DIGITS)


@pytest.mark.parametrize("metrics", [False, True])
def test_the_log_says_what_it_is(tmp_path: Path, metrics: bool) -> None:
    notes(cmssw_report.render(dataclasses.replace(REPORT, metrics=metrics)), tmp_path)


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (JobReport(), "report: expected files, counters or times, found none of them"),
        (JobReport((dataclasses.replace(FILE, entries=-1),)), "entries: expected a whole number .*, found -1"),
        (JobReport((dataclasses.replace(FILE, file="a b"),)), "file: expected text without white space, found 'a b'"),
        (JobReport((dataclasses.replace(FILE, logical_name="a\n"),)), "logical_name: expected text without"),
        (JobReport(timing=dataclasses.replace(TIMING, elapsed=-1)), "TotalJobTime: expected a finite number"),
        (JobReport(counters=(dataclasses.replace(READ, name="reads"),)), "name: expected one of check, .*'reads'"),
        (JobReport(counters=(dataclasses.replace(READ, subsystem="'"),)), "subsystem: expected the name of a protocol"),
        (JobReport(counters=(dataclasses.replace(READ, elapsed=-1),)), "elapsed: expected a finite number"),
    ],
)
def test_what_cannot_be_printed_is_refused(report: JobReport, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        cmssw_report.render(report)
