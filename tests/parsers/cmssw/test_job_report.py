"""What golden tables do not show of job reports: every form of a counter, cuts, reports of others."""

from __future__ import annotations

import pytest

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.parsers.cmssw import job_report
from storagelab.parsers.model import Note
from tests.conftest import SHARED

CORPUS = SHARED / "corpus" / "cmssw-fjr"


def report(*body: str) -> str:
    return "<FrameworkJobReport>\n" + "\n".join(body) + "\n</FrameworkJobReport>\n"


def summary(kind: str, **metrics: str) -> str:
    lines = [f'<Metric Name="{name.replace("__", "-")}" Value="{value}"/>' for name, value in metrics.items()]
    return "\n".join([f'<PerformanceReport><PerformanceSummary Metric="{kind}">', *lines, "</PerformanceSummary>"]) + (
        "</PerformanceReport>"
    )


def test_bytes_that_are_no_text_are_told_with_their_line() -> None:
    counted = summary("StorageStatistics", Timing__dcap__read__numOperations="12", Timing__dcap__read__totalMsecs="500")
    parsed = job_report.parse(report("<!-- one -->", "<!-- fi\ufffdle -->", counted, "<!-- last -->"))
    assert parsed.notes == [Note(3, "bytes that are not UTF-8")]
    assert not parsed.complete


def test_both_forms_of_a_counter_say_the_same() -> None:
    metrics = summary(
        "StorageStatistics",
        Timing__dcap__read__numOperations="12",
        Timing__dcap__read__numSuccessfulOperations="10",
        Timing__dcap__read__totalMegabytes="2.5",
        Timing__dcap__read__totalMsecs="500",
        Timing__dcap__read__minMsecs="0.5",
        Timing__dcap__read__maxMsecs="100",
    )
    attributes = (
        "<StorageStatistics><counter-value subsystem='dcap' counter-name='read' num-operations='12' "
        "num-successful-operations='10' total-megabytes='2.5' total-msecs='500' min-msecs='0.5' max-msecs='100'/>"
        "</StorageStatistics>"
    )
    new, old = (job_report.parse(report(form)).runs[0] for form in (metrics, attributes))
    assert (new.pop("line"), old.pop("line")) == (5, 2)
    lines = {name: new.pop(name) for name in list(new) if name in schema.VALUE_AT and name not in old}
    assert lines == {
        "operations_tried_line": 3, "operations_line": 4, "elapsed_line": 6, "latency_min_line": 7,
        "latency_max_line": 8,
    }  # fmt: skip
    assert new == old
    assert (new["operations_tried"], new["operations"], new["data_size"]) == (12.0, 10.0, 2.5 * 2**20)
    assert (new["elapsed"], new["latency"], new["throughput"]) == (0.5, 0.05, 5 * 2.0**20)
    assert (new["latency_min"], new["latency_max"]) == (0.0005, 0.1)


@pytest.mark.parametrize(
    ("name", "operation", "key", "value"),
    [
        ("root-readv", "readv", "protocol", "root"),
        ("tstoragefile-readActual", "read", "api", "tstoragefile"),
        ("primary-root-read", "read", "protocol", "root"),
        ("storm-lcg-position", "seek", "protocol", "storm-lcg"),
        ("file-stagein", "stage", "protocol", "file"),
        ("file-flush", "sync", "protocol", "file"),
    ],
)
def test_name_of_a_counter_is_operation_and_protocol(name: str, operation: str, key: str, value: str) -> None:
    metric = {f"Timing-{name}-numOperations": "3", f"Timing-{name}-totalMsecs": "1"}
    (row,) = job_report.parse(report(summary("StorageStatistics", **metric))).runs
    assert (row["operation"], row[key], row["label"]) == (operation, value, name)


def test_counter_of_nothing_is_no_row() -> None:
    zero = summary("StorageStatistics", Timing__file__read__numOperations="0", Timing__file__read__totalMsecs="0")
    one = summary("StorageStatistics", Timing__file__open__numOperations="1")
    assert [row["label"] for row in job_report.parse(report(zero, one)).runs] == ["file-open"]


def test_text_is_no_number_and_no_fault() -> None:
    parsed = job_report.parse(report(summary("SystemCPU", CPUModels="8-Core (tm) 2356", totalCPUs="8", speed="1 GHz")))
    assert parsed.complete
    assert (parsed.series["metric"], parsed.series["value"]) == (["SystemCPU/totalCPUs"], [8.0])


def test_what_a_site_says_besides_its_reads_is_a_sample() -> None:
    site = (
        '<PerformanceReport><PerformanceModule Metric="T2_X" Module="XrdSiteStatistics">'
        '<Metric Name="read-numOperations" Value="4"/>\n<Metric Name="read-weight" Value="0.5"/>'
        "</PerformanceModule></PerformanceReport>"
    )
    parsed = job_report.parse(report(site))
    assert [(row["server"], row["operations"]) for row in parsed.runs] == [("T2_X", 4.0)]
    assert (parsed.series["metric"], parsed.series["value"]) == (["XrdSiteStatistics/T2_X/read-weight"], [0.5])


def test_number_that_is_none_is_said() -> None:
    parsed = job_report.parse(report(summary("Timing", TotalJobTime="1.2.3", TotalJobCPU="4,5")))
    assert [row["cpu_time"] for row in parsed.runs] == [4.5]
    assert (parsed.complete, parsed.notes) == (False, [(3, "a number is expected, found '1.2.3'")])


def test_no_event_has_no_mean() -> None:
    parsed = job_report.parse(report(summary("Timing", AvgEventTime="-1", MaxEventTime="0", TotalJobTime="2")))
    assert [row["phase"] for row in parsed.runs] == ["total"]


def test_first_releases_write_an_element_a_number() -> None:
    timing, memory = '<TotalJobTime Value="2"/>', '<PeakValueRss Value="3"/>'
    services = f"<TimingService>{timing}</TimingService><MemoryService>{memory}</MemoryService>"
    (row,) = job_report.parse(report(services)).runs
    assert (row["phase"], row["elapsed"], row["memory_peak"]) == ("total", 2.0, 3 * 2.0**20)


def test_cut_report_gives_what_came_before() -> None:
    text = report(summary("Timing", TotalJobTime="2", TotalJobCPU="1"), summary("Other", a="1"))
    parsed = job_report.parse(text[: text.index("TotalJobCPU")])
    assert [row["elapsed"] for row in parsed.runs] == [2.0]
    assert (parsed.complete, len(parsed.notes)) == (False, 1)
    assert parsed.notes[0].text.startswith("the report is cut or broken: unclosed token")


def test_two_reports_are_parts() -> None:
    parsed = job_report.parse(report(summary("Timing", TotalJobTime="2")) + report(summary("Timing", TotalJobTime="3")))
    assert [(row["part"], row["elapsed"]) for row in parsed.runs] == [(1.0, 2.0), (2.0, 3.0)]


@pytest.mark.parametrize("text", ["", "<FrameworkJobReport>\n</FrameworkJobReport>\n", "<Report/>"])
def test_what_holds_nothing_is_refused(text: str) -> None:
    with pytest.raises(
        ParseError, match=r"log:1: expected an element FrameworkJobReport with counters, times or files"
    ):
        job_report.parse(text)


def test_entities_are_refused() -> None:
    with pytest.raises(ParseError, match="entity declarations, which are refused"):
        job_report.parse('<!DOCTYPE FrameworkJobReport [<!ENTITY a "1">]>\n' + report("<a>&a;</a>"))


@pytest.mark.skipif(not SHARED.exists(), reason="the reports that others wrote are not here")
@pytest.mark.parametrize(
    ("name", "label", "size"),
    [
        ("PerformanceReport", "dcap-read", 39.6166),
        ("CMSSWMergeReport", "file-write", 604.932),
        ("CMSSWTwoFileLocal", "tstoragefile-read", 11.3021),
        ("CMSSWSkippedAll", "tfile-read", 2.55324),
        ("CMSSWJobReportXrdSiteStatistics", "XrdSiteStatistics", 0.455857),
    ],
)
def test_reports_of_others(name: str, label: str, size: float) -> None:
    parsed = parsers.parse((CORPUS / f"{name}.xml").read_text())
    sizes = [row.get("data_size") for row in parsed.runs if row.get("label") == label]
    assert pytest.approx(size * 2**20) in sizes
    assert parsed.complete
