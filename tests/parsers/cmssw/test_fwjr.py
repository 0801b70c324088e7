"""What golden tables do not show of WMCore's reports: which generation they are of, cuts, JSON that is none."""

from __future__ import annotations

import json
import pprint
from collections.abc import Callable

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.cmssw import fwjr
from storagelab.parsers.cmssw.json_places import read
from storagelab.parsers.model import Row
from storagelab.units import MIB
from tests.conftest import LOGS, SHARED
from tests.work import calls

CORPUS = SHARED / "corpus" / "cmssw-fwjr-json"


def report(storage: dict[str, float], cpu: dict[str, float] | None = None) -> str:
    step = {"performance": {"storage": storage, "cpu": cpu or {}}}
    return json.dumps({"fallbackFiles": [], "steps": {"cmsRun1": step}}, indent=1) + "\n"


def row(text: str, operation: str) -> dict[str, str | float | int]:
    return next(row for row in fwjr.parse(text).runs if row["operation"] == operation)


READS = {"readTotalMB": 1000.0, "readNumOps": 5000.0, "readMaxMSec": 2000.0}


@pytest.mark.parametrize(
    ("rate", "job_time", "mean", "throughput"),
    [
        (0.02, 100.0, 0.0, 20 * 2**20),  # 50000 s as named, 50 s as it was meant
        (20.0, 100.0, 0.0, 20 * 2**20),  # 50 s as named; as a lie 0.05 s, less than the longest read
        (0.02, 0.0, 0.0, 0.02 * 2**20),  # both can be: taken at its word
        (0.02, 0.0, 20480.0, 20 * 2**20),  # 50 reads of at most 2 s
        (0.02, 0.0, 20.0, 0.02 * 2**20),  # 51200 reads of at most 2 s: both can be
        (0.5, 0.0, 1024000.0, 500 * 2**20),  # one read, of 2 s
        (0.499999, 0.0, 1024000.0, 499.999 * 2**20),
        (0.500001, 0.0, 1024000.0, 500.001 * 2**20),
    ],
)
def test_rate_means_what_the_other_numbers_allow(rate: float, job_time: float, mean: float, throughput: float) -> None:
    cpu = {"TotalJobTime": job_time} if job_time else {}
    storage = READS | {"readMBSec": rate} | ({"readAveragekB": mean} if mean else {})
    assert row(report(storage, cpu), "read")["throughput"] == pytest.approx(throughput)


def test_times_of_the_same_generation_are_microseconds() -> None:
    storage = READS | {"readMBSec": 0.02, "writeTotalMB": 10.0, "writeTotalSecs": 844421.0}
    parsed = fwjr.parse(report(storage, {"TotalJobTime": 100.0}))
    assert [row["elapsed"] for row in parsed.runs if row["operation"] == "write"] == [pytest.approx(0.844421)]
    assert parsed.notes == [
        (10, "readMBSec is MB a millisecond and ...TotalSecs are microseconds: an agent before 09/2016")
    ]


def test_time_that_the_job_had_is_in_seconds() -> None:
    assert (
        row(report({"writeTotalSecs": 80.0}, {"TotalJobTime": 50.0, "NumberOfThreads": 2.0}), "write")["elapsed"]
        == 80.0
    )


def test_numbers_keep_their_lines() -> None:
    parsed = fwjr.parse(report(READS | {"readMBSec": 20.0}))
    assert parsed.series["metric"] == [
        "storage/readTotalMB",
        "storage/readNumOps",
        "storage/readMaxMSec",
        "storage/readMBSec",
    ]
    assert parsed.series["line"] == [7, 8, 9, 10]


def test_report_in_a_list_and_on_one_line_is_found() -> None:
    text = json.dumps([json.loads(report(READS)), json.loads(report(READS))]) + "\n"
    assert [(row["part"], row["line"]) for row in parsers.parse(text).runs] == [(1.0, 1), (2.0, 1)]


def test_cut_step_gives_samples_and_no_rows() -> None:
    text = report(READS)
    parsed = fwjr.parse(text[: text.index("readMaxMSec")])
    assert parsed.runs == []
    assert parsed.series["value"] == [1000.0, 5000.0]
    assert (parsed.complete, parsed.notes) == (False, [(4, "the step is cut: cmsRun1"), (0, "the document is cut")])


@pytest.mark.parametrize("text", ["", "{}", '{"steps": []}', "[[[[1"])
def test_what_holds_no_step_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a job report with 'steps' and their 'performance'"):
        fwjr.parse(text)


def test_deep_json_is_read_or_refused() -> None:
    with pytest.raises(ParseError, match="expected a job report"):
        fwjr.parse("[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize(
    "text", ["{}", '{"a": [1, -2.5e3, true, null, "\\u00e9\\n\\"", {}]}', '[{"a": {"b": []}}, "]"]']
)
def test_values_are_those_of_json(text: str) -> None:
    (node,), fault = read(text)

    def plain(value: object) -> object:
        if not hasattr(value, "values"):
            return value
        below = {name: plain(item) for name, item in value.values.items()}
        return list(below.values()) if value.is_array else below  # type: ignore[attr-defined]

    assert plain(node) == json.loads(text)
    assert fault == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"a": 1,5}', "line 1: a name is expected, found '5'"),
        ('{"a": 1]', "line 1: ] closes what another bracket opened"),
        ('{"a":\n x}', "line 2: 'x' is no value"),
        ('{"a": "b', "the document is cut"),
    ],
)
def test_what_is_wrong_is_said(text: str, fault: str) -> None:
    (node,), found = read(text)
    assert found == fault
    assert not any(isinstance(value, float) for value in node.values.values()) or "]" in fault


@pytest.mark.skipif(not SHARED.exists(), reason="the reports that others wrote are not here")
@pytest.mark.parametrize(
    ("name", "throughput"),
    [("MergeSuccessFwjr", 10.5379744805), ("ProcessingSuccessFwjr", 18.2757248272), ("fwjr", 40.6538919926)],
)
def test_reports_of_others(name: str, throughput: float) -> None:
    text = (CORPUS / f"{name}.json").read_text()
    rates = [row["throughput"] for row in parsers.parse(text).runs if "throughput" in row]
    assert rates == [pytest.approx(throughput * 2**20)]


def test_brackets_without_end_are_left_where_no_report_goes() -> None:
    def reading(depth: int) -> int:
        return calls(lambda: read('{"steps": ' + "[" * depth))

    assert read("[" * 99 + "]" * 99)[1] == ""
    assert read("[" * 200)[1] == "line 1: more than 100 brackets inside each other"
    assert reading(20_000) == reading(200)


@pytest.mark.parametrize("before", ["", "\n", "\n\n"])
def test_bytes_that_are_not_utf8_are_told_with_their_line(before: str) -> None:
    text = before + report(READS).replace("fallbackFiles", "fallback\ufffdFiles")
    [note] = fwjr.parse(text).notes
    assert (note.text, note.line) == ("bytes that are not UTF-8", before.count("\n") + 2)


@pytest.mark.parametrize("printed", [repr, pprint.pformat, lambda report: f"loaded: {report}"])
@pytest.mark.parametrize("name", ["before-2016-09", "after-2016-09", "2.3-cmssw"])
def test_a_report_as_python_prints_it_is_read(name: str, printed: Callable[[object], str]) -> None:
    loaded = json.loads((LOGS / f"cmssw_fwjr_json/imitated-{name}.json").read_text())
    bare, parsed = (parsers.parse(f"{text}\n") for text in (json.dumps(loaded), printed(loaded)))
    assert [values_of(row) for row in parsed.runs] == [values_of(row) for row in bare.runs]
    assert parsed.complete == bare.complete
    assert [note.text for note in parsed.notes] == [note.text for note in bare.notes]


def values_of(row: Row) -> Row:
    return {name: value for name, value in row.items() if not name.endswith("line")}


def test_values_of_a_report_that_python_prints_keep_their_lines() -> None:
    loaded = json.loads((LOGS / "cmssw_fwjr_json/imitated-2.3-cmssw.json").read_text())
    bare, found = map(lines_of_rows, (json.dumps(loaded, indent=1), pprint.pformat(loaded, sort_dicts=False)))
    assert [wanted in line for wanted, line in zip(bare, found, strict=True)] == [True] * len(bare)


def lines_of_rows(text: str) -> list[str]:
    """Return the lines that rows name, as JSON writes them."""
    lines = text.replace("'", '"').split("\n")
    return [lines[int(row["line"]) - 1].strip(" {},") for row in parsers.parse(f"{text}\n").runs]


def test_a_report_that_python_prints_and_that_is_cut_is_incomplete() -> None:
    text = repr(json.loads((LOGS / "cmssw_fwjr_json/imitated-2.3-cmssw.json").read_text()))
    assert not parsers.parse(f"{text[:-300]}\n").complete


IN_PYTHON = """\
FrameworkJobReport = ConfigSection("FrameworkJobReport")
FrameworkJobReport.section_('cmsRun1')
FrameworkJobReport.cmsRun1.status = 0
FrameworkJobReport.cmsRun1.outputModules = ['Merged']
FrameworkJobReport.cmsRun1.stopTime = 1338808530.5
FrameworkJobReport.cmsRun1.section_('performance')
FrameworkJobReport.cmsRun1.performance.memory.PeakValueRss = '891.5'
FrameworkJobReport.cmsRun1.performance.storage.writeTotalMB = 1.5
FrameworkJobReport.cmsRun1.performance.storage.readTotalMB = 2.5
FrameworkJobReport.cmsRun1.performance.storage.readNumOps = 930.0
FrameworkJobReport.cmsRun1.performance.cpu.TotalJobTime = '2.25'
FrameworkJobReport.cmsRun1.startTime = 1338808520.0
FrameworkJobReport.cmsRun1.input.source.files.file0.lfn = '/store/a.root'
FrameworkJobReport.cmsRun1.input.source.files.file0.events = 7
FrameworkJobReport.cmsRun1.input.source.files.fileCount = 1
FrameworkJobReport.hostName = 'worker1'
FrameworkJobReport.steps = ['cmsRun1']
"""


def test_a_report_in_python_says_what_the_same_in_json_does() -> None:
    parsed = parsers.parse(IN_PYTHON)
    assert parsed.complete
    assert (parsed.header["host"], parsed.header["started"]) == ("worker1", "2012-06-04T11:15:20+00:00")
    assert {row["job"] for row in parsed.runs} == {"cmsRun1"}
    told = [(row["operation"], name, value) for row in parsed.runs for name, value in row.items()]
    wanted = (
        *(("job", "elapsed", 10.5), ("job", "elapsed", 2.25), ("job", "memory_peak", 891.5 * MIB)),
        *(("read", "data_size", 2.5 * MIB), ("read", "operations", 930.0), ("write", "data_size", 1.5 * MIB)),
        *(("read", "file", "/store/a.root"), ("read", "entries", 7.0), ("read", "line", 9)),
    )
    assert [fact for fact in wanted if fact not in told] == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [(IN_PYTHON.replace("['cmsRun1']", "['cmsRun1', 'logArch1']"), "logArch1"), (IN_PYTHON[:-4], "last line is cut")],
)
def test_a_report_in_python_that_lost_a_step_or_its_end_is_incomplete(text: str, fault: str) -> None:
    parsed = parsers.parse(text)
    assert not parsed.complete
    assert any(fault in note.text for note in parsed.notes)


def test_a_performance_that_was_picked_out_of_a_report_is_of_no_known_step() -> None:
    storage = "u'storage': {u'readTotalMB': 2.5, u'readNumOps': 3.0}"
    picked = f"u'performance': {{u'cpu': {{u'TotalJobTime': u'100.5'}},\n{storage}}},\n"
    parsed = parsers.parse(picked)
    assert not parsed.complete
    assert [(row["operation"], row["job"], row["line"]) for row in parsed.runs] == [("job", "", 1), ("read", "", 2)]
    assert parsed.runs[1]["data_size"] == 2.5 * MIB
