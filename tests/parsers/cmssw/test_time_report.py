"""What golden tables do not show of cmsRun's output: jobs behind each other, zones, lines that cannot be read."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.cmssw import time_report
from tests.conftest import LOGS, SHARED

CORPUS = SHARED / "corpus" / "cmssw-timereport"
NEW, OLD = ((LOGS / "cmssw_timereport" / f"imitated-cmssw-{release}.txt").read_text() for release in ("9", "5"))
RECORD = "Begin processing the {0} record. Run 1, Event 2, LumiSection 3 at 09-Jun-2017 11:55:{1} {2}\n"


def phases(text: str) -> dict[str, float]:
    return {str(row.get("phase")): float(row["elapsed"]) for row in time_report.parse(text).runs if "elapsed" in row}


def test_wrapped_lines_give_the_same_numbers() -> None:
    wrapped = (LOGS / "cmssw_timereport" / "imitated-crab.txt").read_text()
    assert phases(wrapped) == phases(NEW)


def test_two_jobs_are_parts_with_their_own_start() -> None:
    parsed = time_report.parse(NEW + OLD)
    assert {(row["part"], row["started"]) for row in parsed.runs} == {
        (1.0, "2017-06-09T11:54:23+02:00"),
        (2.0, "2021-04-06T07:17:10+00:00"),
    }
    assert "started" not in parsed.header
    assert parsed.complete


@pytest.mark.parametrize(
    ("zone", "started"),
    [("GMT", "+00:00"), ("CEST", "+02:00"), ("BST", ""), ("CST", ""), ("+0530", "+05:30")],
)
def test_zone_counts_where_it_has_one_meaning(zone: str, started: str) -> None:
    header = time_report.parse(RECORD.format("1st", "39.680", zone)).header
    assert header["started"] == f"2017-06-09T11:55:39.680000{started}"


def test_records_without_an_end_are_incomplete() -> None:
    text = RECORD.format("1st", "39.680", "GMT") + RECORD.format("101st", "49.680", "GMT")
    parsed = time_report.parse(text)
    assert parsed.notes == [(0, "records were begun, but the job has no end")]
    assert parsed.runs == []
    ended = time_report.parse(text + "T---Report end!\n")
    assert [(row["job_events"], row["elapsed"], row["operation_rate"]) for row in ended.runs] == [(100.0, 10.0, 10.0)]


@pytest.mark.parametrize("text", [NEW, OLD])
def test_a_table_whose_title_is_lost_has_not_that_of_the_table_above(text: str) -> None:
    lines = text.splitlines(keepends=True)
    titles = [at for at, line in enumerate(lines) if line.startswith("TimeReport ---") and "Event" not in line]
    for at in titles[1:]:
        parsed = time_report.parse("".join(lines[:at] + lines[at + 1 :]))
        notes = [(line, said) for line, said in parsed.notes if "title" in said]
        assert notes == [(at + 1, "expected the title of a table above its columns, found none")]
        assert not parsed.complete
        end = next((other for other in titles if other > at), len(lines))
        means = [row for row in parsed.runs if row.get("statistic") == "mean" and "label" in row]
        assert not [row for row in means if at <= int(row["line"]) < end]


def test_row_with_a_missing_number_is_not_shifted() -> None:
    row = "TimeReport   0.000637     0.000647     0.000657  producer\n"
    parsed = time_report.parse(NEW.replace(row, row.replace("0.000647", "")))
    assert (53, "3 numbers are expected, found 2") in parsed.notes
    assert not parsed.complete
    assert not [row for row in parsed.runs if row.get("phase") == "module per exec" and row["label"] == "producer"]


def test_report_without_its_end_is_incomplete() -> None:
    parsed = time_report.parse(OLD.replace("T---Report end!\n", ""))
    assert (30, "the report has no end (T---Report end!): Module Summary") in parsed.notes


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("TimeReport   x\n", "a line of a TimeReport that cannot be read"),
        ("TimeReport       event loop CPU/event = x\n", "a line of a TimeReport that cannot be read"),
        ("TimeEvent> 1 2 x\n", "a time of an event or a module that cannot be read"),
        ("Begin processing the x record. Run 1\n", "a record whose beginning cannot be read"),
        ("31-Feb-2017 11:55:22 GMT  Closed file a.root\n", "a message whose time cannot be read"),
        ("dcap/read=1/1/xMB/1ms/1ms/1ms\n", "a storage counter that cannot be read"),
    ],
)
def test_line_that_cannot_be_read_is_said(line: str, note: str) -> None:
    place = OLD.index("TimeReport CPU/event")
    parsed = time_report.parse(OLD[:place] + line + OLD[place:])
    assert (13, note) in parsed.notes
    assert not parsed.complete


def test_storage_statistics_of_a_test_program() -> None:
    banner = "stats: class/operation/attempts/successes/amount/time-total/time-min/time-max\n"
    (row,) = parsers.parse(banner + "http/read=4/3/1.5MB/30ms/1e-05ms/20ms\n").runs
    assert (row["protocol"], row["operations_tried"], row["operations"]) == ("http", 4.0, 3.0)
    assert (row["data_size"], row["latency_min"], row["line"]) == (1.5 * 2**20, pytest.approx(1e-8), 2)


def test_a_check_of_memory_inside_a_module_is_a_sample() -> None:
    text = (LOGS / "cmssw_timereport/imitated-cmssw-13-memory.txt").read_text(encoding="utf-8")
    check = "MemoryCheck: module Producer:prod VSIZE 900 0 RSS 450.5 0\nMemoryReport>"
    series = parsers.parse(text.replace("MemoryReport>", check, 1)).series
    at = [place for place, phase in enumerate(series["phase"]) if phase == "module"]
    assert [series["label"][place] for place in at] == ["Producer:prod"] * 2
    assert [series["value"][at[0]], series["memory_used"][at[1]]] == [900 * 2**20, 450.5 * 2**20]


def test_an_event_has_its_processor_time_where_it_is_printed() -> None:
    text = (LOGS / "cmssw_timereport/imitated-cmssw-5.txt").read_text(encoding="utf-8")
    series = parsers.parse(text.replace("160578 0.125", "160578 0.125 0.0625")).series
    at = [*series["phase"]].index("event")
    assert (series["elapsed"][at], series["cpu_time"][at]) == (0.125, 0.0625)


def test_rows_without_the_title_of_their_table() -> None:
    text = "TimeReport  per event     per exec  Name\nTimeReport   0.001274     0.001284  p\n"
    assert [(row["phase"], row["elapsed"]) for row in time_report.parse(text).runs] == [
        ("per event", 0.001274),
        ("per exec", 0.001284),
    ]


def test_pages_and_jemalloc_are_of_the_report_that_they_stand_below() -> None:
    parsed = parsers.parse((LOGS / "cmssw_timereport" / "imitated-cmssw-15-memory.txt").read_text())
    columns = (parsed.series[name] for name in ("phase", "metric", "value", "line"))
    said = {(phase, metric): (value / 2**20, line) for phase, metric, value, line in zip(*columns, strict=True)}
    assert said["end of job", "mmapped .so's, RSS"] == (611.25, 5)
    assert said["end of job", "Jemalloc metadata"] == (51.5, 10)
    assert said["peak", "Jemalloc metadata"] == (52.25, 12)
    assert said["end of job", "AnonHugePages"] == (2048.0, 2)


def test_peak_of_memory() -> None:
    (row,) = time_report.parse("TimeReport\nMemoryReport> Peak rss size 560.5 Mbytes\n").runs
    assert row["memory_peak"] == 560.5 * 2**20


@pytest.mark.parametrize("text", ["", "Begin", "TimeReport> Report activated\n"])
def test_what_holds_nothing_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a TimeReport, 'Storage statistics:', or 'Begin processing"):
        time_report.parse(text)


@pytest.mark.skipif(not SHARED.exists(), reason="the logs that others wrote are not here")
def test_log_of_a_grid_job() -> None:
    parsed = parsers.parse((CORPUS / "crab-condor-job-stdout-full.log").read_text(errors="replace"))
    found = {str(row.get("phase")): row for row in parsed.runs}
    assert (found["total"]["elapsed"], found["total"]["line"]) == (15.1436, 14706)
    assert (found["to first record"]["elapsed"], found["first to last record"]["job_events"]) == (76.68, 100.0)
    assert parsed.header["tool_version"] == "CMSSW_9_2_0_patch3"
    assert parsed.header["command"] == "cmsRun  -j FrameworkJobReport.xml PSet.py"


ART = """%MSG-i TimeTracker:  PostEndJob 18-Mar-2018 16:17:09 GMT ModuleEndJob

================================================================================
TimeTracker printout (sec)         Min      Avg      Max    Median     RMS     nEvts
================================================================================
Full event                       0.0125   0.0250   0.3500   0.0225   0.0110      40
--------------------------------------------------------------------------------
reco:hits:HitFinder              0.0100   0.0200   0.3000   0.0200    1e-05      40
================================================================================
%MSG
TrigReport ---------- Event summary -------------
TrigReport Events total = 40 passed = 38 failed = 2

TimeReport ---------- Time summary [sec] -------
TimeReport CPU = 24.5 Real = 49

MemReport ---------- Memory summary [base-10 MB] ------
MemReport  VmPeak = 981.5 VmHWM = 480.25

Art has completed and will exit with status 0.
"""


def test_what_art_says_of_a_job_is_not_cmsruns() -> None:
    parsed = parsers.parse(ART)
    assert parsed.complete
    assert not parsed.notes
    assert parsed.header["tool"] == "art"
    event, module, total, memory, _ = parsed.runs
    assert (event["elapsed"], event["elapsed_min"], event["elapsed_max"], event["samples"]) == (0.025, 0.0125, 0.35, 40)
    assert (module["label"], module["elapsed"]) == ("reco:hits:HitFinder", 0.02)
    assert (total["cpu_time"], total["elapsed"]) == (24.5, 49)
    assert memory["memory_peak"] == 480.25e6
    assert parsed.series["value"].count(1e-05) == 1


@pytest.mark.parametrize(
    ("first", "next_"), [("%MSG-i", "TrigReport"), ("TrigReport", "MemReport"), ("MemReport", "Art")]
)
def test_each_part_of_what_art_says_names_it(first: str, next_: str) -> None:
    summary = "TrigReport ---------- Event summary -------------\nTrigReport Events total = 4 passed = 3 failed = 1\n"
    start = ART.index(first)
    assert parsers.parse(summary + ART[start : ART.index(next_, start + 1)]).header["tool"] == "art"


def test_a_table_of_times_that_is_cut_is_not_complete() -> None:
    assert not parsers.parse(ART[: ART.rindex("====")]).complete
    torn = parsers.parse(ART.replace("0.0200   0.3000", "0.0200   0.30 0"))
    assert torn.notes[0].line == 8
    assert torn.notes[0].text.startswith("expected times of TimeTracker, found 'reco:hits:HitFinder ")


@pytest.mark.parametrize("event", ["1 1", "run: 1 subRun: 0 event: 1"])
def test_times_of_events_as_cmssw_2_and_art_print_them(event: str) -> None:
    text = f"TimeModule> {event} maker SimpleMaker 0.125\nTimeEvent> {event} 0.5\n"
    text += "TimeReport> Time report complete in 12.5 seconds\n Time Summary:\n Min: 0.25\n Max: 2.5\n Avg: 1.25\n"
    parsed = time_report.parse(text)
    assert parsed.complete
    assert parsed.series["elapsed"] == [0.125, 0.5]
    mean = parsed.runs[1]
    assert (mean["elapsed_min"], mean["elapsed_max"], mean["elapsed"]) == (0.25, 2.5, 1.25)


def test_a_summary_of_processor_times_has_events_too() -> None:
    text = "TimeReport> Time report complete in 12.5 seconds\n Time Summary: \n - Min event:   0.25\n"
    text += " - Max event:   2\n - Avg event:   1\n"
    text += " CPU Summary: \n - Min event:   0.2\n - Max event:   1.5\n - Avg event:   0.5\n"
    assert not parsers.parse(text).notes


@pytest.mark.parametrize(
    ("end", "lacking"),
    [
        ("Time Summary: ", "Min:"),
        ("Min event:", "Max:"),
        ("Max event:", "Avg:"),
        ("Total loop:  19", "Total job:"),
        ("Event Throughput:", "CPU Summary:"),
    ],
)
def test_a_summary_of_times_that_is_cut_says_what_it_lacks(end: str, lacking: str) -> None:
    text = (LOGS / "cmssw_timereport/imitated-cmssw-13-memory.txt").read_text()
    parsed = parsers.parse(text[: text.index("\n", text.index(end)) + 1])
    assert any(note.text.startswith(f"expected {lacking!r} below ") for note in parsed.notes)


def test_a_mean_of_events_without_totals_behind_it_ended_the_logs_of_old_releases_only() -> None:
    cut = NEW[: NEW.index("\n", NEW.index("Avg event:")) + 1]
    old = "".join(line for line in cut.splitlines(keepends=True) if "Streams" not in line and "/thread" not in line)
    assert [note.text for note in parsers.parse(cut).notes] == [
        "the time summary has no totals behind the mean of events: the log is cut"
    ]
    assert parsers.parse(old).complete
