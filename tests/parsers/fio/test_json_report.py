"""What golden tables do not show of fio's JSON: options, text around and inside it, processes, broken documents."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.parsers.fio import json_report as fio_json
from storagelab.parsers.fio.json_report import documents, options, sums
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import decode
from tests.conftest import LOGS, SHARED, fixture_logs, log_id

CORPUS = SHARED / "corpus" / "fio-json"
OWN = fixture_logs("fio_json")


def text_of(name: str) -> str:
    return decode((LOGS / "fio_json" / name).read_bytes())[0]


def direction(data: int = 0, milliseconds: int = 2000) -> dict[str, Any]:
    """One data direction as fio 3.x prints it."""
    rate = 1000 * data // milliseconds
    counts = {"io_bytes": data, "io_kbytes": data >> 10, "bw_bytes": rate, "bw": rate >> 10, "iops": rate / 4096}
    latency = {"min": 1000, "max": 9000, "mean": 4000.5, "stddev": 10.0, "N": data // 4096}
    return {**counts, "runtime": milliseconds, "total_ios": data // 4096, "clat_ns": latency}


def job(name: str, own: dict[str, str], **directions: dict[str, Any]) -> dict[str, Any]:
    idle = {"read": direction(), "write": direction(), "trim": direction()}
    return {"jobname": name, "groupid": 0, "error": 0, "job options": own, **idle, **directions}


def document(*jobs: dict[str, Any], **more: object) -> dict[str, Any]:
    return {
        "fio version": "fio-3.36",
        "timestamp": 1700000000,
        "timestamp_ms": 1700000000500,
        **more,
        "jobs": list(jobs),
    }


def parse(body: object, **style: Any) -> Parsed:
    return parsers.parse(json.dumps(body, **style))


# --- options --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "pattern"),
    [
        ({"rw": "read"}, "sequential"),
        ({"rw": "randwrite"}, "random"),
        ({"rw": "randread:8"}, "random"),
        ({"rw": "read:64k"}, "strided"),
        ({"rw": "write", "zonemode": "strided"}, "strided"),
        ({"readwrite": "randrw"}, "random"),
        ({"rw": "rw", "percentage_random": "30"}, "mixed"),
        ({}, ""),
    ],
)
def test_access_pattern_is_that_of_rw(own: dict[str, str], pattern: str) -> None:
    assert options.access_pattern(own) == pattern


@pytest.mark.parametrize(
    ("own", "operation", "expected"),
    [
        ({"bs": "4k,8k,16k"}, "read", 4096.0),
        ({"bs": "4k,8k,16k"}, "write", 8192.0),
        ({"bs": "4k,8k"}, "trim", 8192.0),
        ({"bs": "1m"}, "write", 1048576.0),
        ({"bs": "4k-16k"}, "read", None),
        ({"bs": "4k", "bssplit": "4k/50:64k/50"}, "read", None),
        ({"bs": "4k", "kb_base": "1000"}, "read", None),
    ],
)
def test_record_size_is_that_of_the_direction(own: dict[str, str], operation: str, expected: float | None) -> None:
    assert options.keys(own, operation).get("record_size") == expected


@pytest.mark.parametrize(
    ("own", "share"),
    [
        ({"rw": "randrw", "rwmixread": "70"}, 0.7),
        ({"rw": "rw", "rwmixwrite": "25"}, 0.75),
        ({"rw": "rw"}, 0.5),
        ({"rw": "read", "rwmixread": "70"}, None),
    ],
)
def test_share_of_reads_belongs_to_mixes(own: dict[str, str], share: float | None) -> None:
    assert options.keys(own, "read").get("read_share") == share


def test_size_in_percent_is_no_file_size() -> None:
    assert "file_size" not in options.keys({"size": "100%%"}, "read")


def test_stride_is_in_records() -> None:
    assert options.keys({"rw": "read:64k", "bs": "64k"}, "read")["stride"] == 2.0


@given(st.dictionaries(st.sampled_from(["rw", "bs", "size", "iodepth", "numjobs", "rwmixread"]), st.text(max_size=9)))
def test_any_option_text_is_survived(own: dict[str, str]) -> None:
    parse(document(job("any", own, read=direction(4096))))


def test_job_options_beat_global_ones() -> None:
    body = document(
        job("j", {"bs": "8k"}, read=direction(8192)), **{"global options": {"bs": "4k", "ioengine": "psync"}}
    )
    row = parse(body).runs[0]
    assert (row["record_size"], row["api"]) == (8192.0, "psync")


# --- lines ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", OWN, ids=log_id)
def test_line_of_a_row_holds_its_number(log: Path) -> None:
    text = decode(log.read_bytes())[0]
    parsed, lines = parsers.parse(text), text.split("\n")
    rows = [row for row in [*parsed.clients, *parsed.runs] if row.get("label") != "steadystate"]
    singles = [row for row in rows if "throughput" in row and "data_size_min" not in row]
    for row in singles:
        match = re.fullmatch(r'\s*"bw(_bytes)?" : (\d+),', lines[int(row["line"]) - 1])
        assert match
        assert float(match[2]) * (1 if match[1] else 1024) == row["throughput"]


@pytest.mark.parametrize("style", [{}, {"indent": 4}, {"sort_keys": True, "indent": 1}, {"separators": (",", ":")}])
def test_another_program_may_lay_the_json_out(style: dict[str, Any]) -> None:
    text = text_of("two-processes-3.33.json")
    original, again = parsers.parse(text), parse(json.loads(text), **style)
    assert [without_line(row) for row in again.runs] == [without_line(row) for row in original.runs]


def without_line(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "line" and name not in schema.VALUE_AT}


def test_document_inside_another_program_s_json() -> None:
    body = document(job("j", {}, read=direction(4096)))
    wrapped = json.dumps({"command": "fio", "data": [{"x": 1}, body]}, indent=2)
    row = parsers.parse(wrapped).runs[0]
    assert '"bw_bytes": 2048' in wrapped.split("\n")[int(row["line"]) - 1]


def test_a_program_that_names_the_first_key_begins_no_document() -> None:
    text = text_of("multi-3.39.json")
    program = f'/*\n{text}*/\ntype Report struct {{\n\tVersion string `json:"fio version"`\n}}\n'
    found = fio_json.parse(program)
    assert found.complete
    assert len(found.runs) == len(fio_json.parse(text).runs)


def test_a_document_that_breaks_off_behind_its_first_key_is_found() -> None:
    assert not fio_json.parse(text_of("multi-3.39.json") + '{\n  "fio version"').complete


def test_the_header_of_several_documents_says_what_they_have_in_common() -> None:
    one, other = (document(job("j", {}, read=direction(4096)), time=time) for time in (1763632800, 1763636400))
    parsed = parsers.parse(f"{json.dumps(one, indent=2)}\n{json.dumps(other | {'fio version': 'fio-3.1'}, indent=2)}\n")
    alone = parsers.parse(json.dumps(one, indent=2))
    assert {"tool", "tool_version"} <= set(alone.header)
    assert parsed.header["tool"] == alone.header["tool"]
    assert "tool_version" not in parsed.header


# --- processes and clients ------------------------------------------------------------------------------------------


def test_processes_of_a_job_add_up_to_its_run() -> None:
    own = {"rw": "write", "numjobs": "2"}
    parsed = parse(document(job("j", own, write=direction(8192)), job("j", own, write=direction(4096, 1000))))
    assert [(row["share"], row["process"], row["data_size"]) for row in parsed.clients] == [
        ("process", "0", 8192.0),
        ("process", "1", 4096.0),
    ]
    (run,) = parsed.runs
    assert (run["processes"], run["data_size"], run["throughput"], run["elapsed"]) == (2.0, 12288.0, 8192.0, 2.0)
    assert (run["data_size_min"], run["throughput_span"], run["throughput_common"]) == (4096.0, 6144.0, 8192.0)
    assert not any("elapsed" in note.text for note in parsed.notes)


@pytest.mark.parametrize("hint", [r"\g<0>", ""])
def test_completion_latencies_of_priorities_have_none_of_submission(hint: str) -> None:
    text = re.sub(r'"priohint" : \d+,\s*', hint, text_of("imitated-3.37-priorities.json"))
    of_completion = re.sub(r'(prio(?:hint)?" : \d+,\s*)"lat_ns"', r'\1"clat_ns"', text)
    assert of_completion.count('"clat_ns"') > text.count('"clat_ns"')
    assert parsers.read(of_completion)[1].notes == []


def test_processes_have_rows_of_their_priorities() -> None:
    own = direction(8192) | {"clat_high_prio": {"mean": 50.0, "N": 1}, "clat_low_prio": {"mean": 7.0, "N": 1}}
    mixed = direction(4096) | {"prios": [{"prioclass": 1, "prio": 7, "clat_ns": {"mean": 9.0}}, "no priority"]}
    parsed = parse(document(job("j", {}, read=own), job("j", {}, read=mixed)))
    parts = [(row["process"], row["label"], row["latency"]) for row in parsed.clients if "label" in row]
    high, low, new = [pytest.approx(seconds) for seconds in (5e-8, 7e-9, 9e-9)]
    assert parts == [("0", "clat high prio", high), ("0", "clat low prio", low), ("1", "clat prio 1/7", new)]
    assert [row.get("label") for row in parsed.runs] == [None]


def test_a_layout_with_parts_is_not_learnt() -> None:
    text = text_of("imitated-3.37-priorities.json")
    for _ in range(3):
        assert len(parsers.parse(text).runs) == 4


def test_pooled_latency_weighs_operations() -> None:
    slow, quick = direction(4096), direction(3 * 4096)
    slow["clat_ns"] |= {"mean": 8000.0, "stddev": 0.0}
    quick["clat_ns"] |= {"mean": 4000.0, "stddev": 0.0}
    (run,) = parse(document(job("j", {}, read=slow), job("j", {}, read=quick))).runs
    assert run["latency"] == pytest.approx(5e-6)
    assert "latency_p99" not in run


def test_jobs_of_one_name_but_other_options_are_two_runs() -> None:
    parsed = parse(document(job("j", {"bs": "4k"}, read=direction(4096)), job("j", {"bs": "8k"}, read=direction(8192))))
    assert [row["record_size"] for row in parsed.runs] == [4096.0, 8192.0]
    assert not parsed.clients


def test_group_reporting_stands_for_all_processes() -> None:
    entry = job("j", {"numjobs": "4"}, read=direction(4096)) | {"usr_cpu": 10.0, "sys_cpu": 15.0}
    (run,) = parse(document(entry)).runs
    assert (run["processes"], run["cpu_utilisation"]) == (4.0, 1.0)


def test_directions_that_ran_together_say_so() -> None:
    parsed = parse(document(job("j", {"rw": "randrw"}, read=direction(4096), write=direction(8192))))
    assert {row["operation_group"] for row in parsed.runs} == {"read+write"}


def test_all_clients_are_not_added_up_twice() -> None:
    parsed = parsers.parse(text_of("client-server-2hosts-3.33.json"))
    assert [(row["operation"], row["data_size"], row["clients"]) for row in parsed.runs] == [
        ("write", 24560795648.0, 2.0),
        ("read", 350429184.0, 2.0),
    ]
    by_client = [row["data_size"] for row in parsed.clients if row["share"] == "client" and row["operation"] == "write"]
    assert sum(map(float, by_client)) == 24560795648.0


def test_all_clients_of_several_jobs_is_no_run() -> None:
    hosts = [{"hostname": "a", "port": 1}, {"hostname": "b", "port": 1}]
    jobs = [job(name, {}, read=direction(4096)) | host for name in ("x", "y") for host in hosts]
    everything = job("All clients", {}, read=direction(4 * 4096)) | hosts[1]
    body = document()
    body["client_stats"] = [*jobs, everything]
    del body["jobs"]
    assert [(row["job"], row["data_size"]) for row in parse(body).runs] == [("x", 8192.0), ("y", 8192.0)]


def test_start_and_end_come_from_the_time_of_printing() -> None:
    (run,) = parse(document(job("j", {}, read=direction(4096, 2000)))).runs
    assert (run["start_time"], run["end_time"]) == (1699999998.5, 1700000000.5)


def test_job_start_beats_the_time_of_printing() -> None:
    (run,) = parse(document(job("j", {}, read=direction(4096, 2000)) | {"job_start": 1699999990000})).runs
    assert (run["start_time"], run["end_time"]) == (1699999990.0, 1699999992.0)


@pytest.mark.parametrize("second", [{"groupid": 1}, {"job options": {"startdelay": "1"}}])
def test_no_times_where_jobs_did_not_run_together(second: dict[str, Any]) -> None:
    parsed = parse(document(job("a", {}, read=direction(4096)), job("b", {}, read=direction(4096)) | second))
    assert not any("start_time" in row for row in parsed.runs)


# --- errors and broken documents ------------------------------------------------------------------------------------


def test_failed_job_leaves_its_error_on_its_line() -> None:
    parsed = parsers.parse(text_of("error-enospc-3.33.json"))
    (run,) = parsed.runs
    assert (run["operation"], run["error_code"], run["line"], "throughput" in run) == ("write", 28.0, 12, False)
    assert not parsed.complete
    assert parsed.notes == [(12, "job 'nospc' failed with error 28")]


def test_stderr_inside_the_json_costs_no_job() -> None:
    text = text_of("strided-3.33.json")
    at = text.index("2026") - 9
    parsed = parsers.parse(
        text[:at] + "fio: io_u error on file /mnt/x: No space left\nfio: pid=3, err=28\n" + text[at:]
    )
    assert [row["data_size"] for row in parsed.runs] == [12582912.0]
    assert not parsed.complete
    assert "breaks off or is broken" in parsed.notes[-1].text


@pytest.mark.parametrize("end", ["\n", "  \r\n\n"])
def test_a_document_of_which_somebody_left_values_out_keeps_the_others(end: str) -> None:
    text = text_of("strided-3.33.json")
    first = text.index('"bw_min"')
    parsed = parsers.parse(text[:first].rstrip() + end + text[text.index("      }", first) :])
    assert [(row["data_size"], "throughput_min" in row) for row in parsed.runs] == [(12582912.0, False)]
    assert not parsed.complete
    assert "1 lines that may have held values are unreadable or left out" in [note.text for note in parsed.notes]


def test_interrupted_run_is_incomplete() -> None:
    parsed = parsers.parse("\nfio: terminating on signal 2\n" + text_of("strided-3.33.json"))
    assert (parsed.complete, parsed.notes) == (False, [(2, "fio: terminating on signal 2")])


def test_run_that_is_interrupted_behind_another_is_incomplete() -> None:
    text = text_of("strided-3.33.json")
    parsed = parsers.parse(f"{text}fio: terminating on signal 15\n{text}")
    assert (parsed.complete, parsed.notes) == (
        False,
        [(1 + text.count("\n"), "fio: terminating on signal 15")],
    )


def test_several_documents_are_parts() -> None:
    parsed = parsers.parse(text_of("strided-3.33.json") * 2)
    assert [row["part"] for row in parsed.runs] == [1.0, 2.0]
    assert parsed.complete


def test_broken_document_keeps_its_processes_but_no_sum() -> None:
    text = text_of("two-processes-3.33.json")
    parsed = parsers.parse(text[: text.rindex('"jobname"')])
    assert (len(parsed.runs), len(parsed.clients), parsed.complete) == (0, 1, False)


@pytest.mark.parametrize(
    ("below", "left"), [('"bw_dev"', []), ('"write" :', [12582912.0]), ('"usr_cpu"', [12582912.0])]
)
def test_a_job_that_breaks_off_keeps_the_directions_above(below: str, left: list[float]) -> None:
    text = text_of("strided-3.33.json")
    parsed = parsers.parse(text[: text.index(below)])
    assert [row["data_size"] for row in parsed.runs] == left
    assert not parsed.complete


def test_a_process_that_breaks_off_is_no_part_of_a_sum() -> None:
    text = json.dumps(document(*[job("j", {"numjobs": "2"}, read=direction(4096), write=direction(8192))] * 2))
    parsed = parsers.parse(text[: text.rindex('"write"')])
    assert not parsed.runs
    assert [row["operation"] for row in parsed.clients] == ["read", "read", "write"]


def test_an_entry_of_a_client_that_breaks_off_is_of_no_known_host() -> None:
    text = text_of("client-server-2hosts-3.33.json")
    whole = [text.index('"hostname"', text.index('"usr_cpu"')), text.rindex('"usr_cpu"')]
    counts = [len(parsers.parse(text[:at]).clients) for at in whole]
    assert counts[0] < counts[1]
    for at in whole:
        parsed = parsers.parse(text[:at])
        assert (parsed.runs, parsed.complete) == ([], False)
        assert all("client" in row for row in parsed.clients)


@pytest.mark.parametrize("below", ['"jobs"', '"jobname"', '"job options"', '"read" :'])
def test_a_document_that_breaks_off_above_its_first_direction_is_cut(below: str) -> None:
    text = text_of("strided-3.33.json")
    parsed = parsers.parse(text[: text.index(below)])
    assert (parsed.header["tool_version"], parsed.complete) == ("3.33", False)
    assert not parsed.runs
    assert not parsed.clients


def test_document_whose_first_line_is_damaged_keeps_its_jobs() -> None:
    text = text_of("two-processes-3.33.json")
    assert text.startswith("{\n")
    parsed = parsers.parse(f"\0\0{text[2:]}")
    assert (len(parsed.clients), parsed.complete) == (2, False)


def test_prefixed_lines_are_read() -> None:
    text = "".join(f"[1,0]<stdout>: {line}\n" for line in text_of("strided-3.33.json").split("\n"))
    assert [row["data_size"] for row in parsers.parse(text).runs] == [12582912.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fio: engine libaio not loadable\n", r"log:1: expected an object with a fio version, found 'fio: engine"),
        (
            '{"fio version" : "fio-3.33", "jobs" : []}',
            r"expected a job that did I/O or failed, found 'none that is whole'",
        ),
        ('{"fio version" : [[[', r"expected a job that did I/O"),
    ],
)
def test_what_holds_no_job_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        fio_json.parse(text)


@pytest.mark.parametrize("value", ["1e999", '"12"', "null", "true", "[1]", "-5", "9" * 400])
def test_value_that_is_no_number_is_left_out_or_refused(value: str) -> None:
    text = json.dumps(document(job("j", {}, read=direction(4096)))).replace('"iops": 0.5', f'"iops": {value}')
    assert f'"iops": {value}' in text
    rates = [row.get("operation_rate", 0.0) for row in parsers.parse(text).runs]
    assert all(isinstance(rate, float) and abs(rate) < 1e300 for rate in rates)


# --- other people's logs --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of other people's logs is not here")
@pytest.mark.parametrize("log", sorted(CORPUS.glob("*.json")) + sorted(CORPUS.glob("*.txt")), ids=lambda log: log.name)
def test_other_people_s_logs_give_what_they_print(log: Path) -> None:
    truth = json.loads((CORPUS / "truth.json").read_text()).get(log.name, {"facts": []})
    data = {fact["value"] for fact in truth["facts"] if fact["metric"] in ("bytes_read", "bytes_written")}
    if not data:
        pytest.skip("nobody wrote down how many bytes this log says")
    parsed = parsers.parse(decode(log.read_bytes())[0])
    found = {row.get("data_size") for row in [*parsed.runs, *parsed.clients]}
    assert all(value in found or value * 1024 in found for value in data)


@pytest.mark.parametrize("lowest", [[[]], {"a": {}}, "slow", None])
def test_what_stands_in_place_of_a_lowest_rate_gives_neither_a_rate_nor_a_line(lowest: object) -> None:
    text = text_of("multi-2.0.15.json")
    said = re.sub(r'"bw_min" : [1-9]\d*', f'"bw_min" : {json.dumps(lowest)}', text)
    assert said != text
    whole, parsed = (fio_json.parse(one) for one in (text, said))
    assert any("throughput_min" in row for row in whole.runs)
    for row in [*parsed.runs, *parsed.clients]:
        assert isinstance(row.get("throughput_min", 0.0), float | int)
        assert isinstance(row.get("throughput_min_line", 1), int)
    assert sum("throughput_min" in row for row in parsed.runs) < sum("throughput_min" in row for row in whole.runs)


def test_a_number_of_a_section_without_input_and_output_is_not_taken_for_that_of_the_next() -> None:
    text = (LOGS / "fio_json" / "strided-3.33.json").read_text()
    before, trim = text.split('"trim" : {', 1)
    text = before + '"trim" : {' + trim.replace('"io_bytes" : 0', '"io_bytes" : 9', 1)
    row = next(row for row in parsers.parse(text).runs if row["operation"] == "trim")
    assert row["line"] == 1 + before.count("\n") + trim.partition('"bw_bytes"')[0].count("\n")


def test_a_log_of_many_broken_documents_is_repaired_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by a mutant: each of thousands was read after repairs of the whole."""
    calls: list[str] = []
    repaired = documents.repaired
    monkeypatch.setattr(documents, "repaired", lambda text: calls.append(text) or repaired(text))
    found = documents.find('{\n  "fio version" : "fio-3.33",\n  "jobs" : \n' * 50)
    assert (len(found), len(calls), any(one.whole for one in found)) == (50, 1, False)


def test_thousands_of_documents_without_a_list_of_jobs_are_told_up_to_a_hundred() -> None:
    """Found by a mutant: each of thousands looked through the whole log for damaged keys, in each way to unwrap it."""
    whole = json.dumps({"fio version": "fio-3.33", "jobs": [{"jobname": "whole", "elapsed": 1}]})
    found = documents.find('{"fio version" : "\ufffd" {\n' * 5000 + whole)
    assert [len(found), found[-1].whole, found[-2].whole] == [101, True, False]


def test_jobs_of_a_broken_document_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by a mutant: for each of thousands the decoder counted the lines of all that stood before it."""
    looked: list[int] = []
    read = documents._object
    monkeypatch.setattr(documents, "_object", lambda text, start: looked.append(len(text) - start) or read(text, start))
    jobs = "".join(f'{{"jobname" : "{at}", "elapsed" : {at},, }},\n' for at in range(500))
    text = f'{{"fio version" : "fio-3.33", "jobs" : [\n{jobs}{{"jobname" : "whole", "elapsed" : 1}}\n'
    (document,) = documents.find(text)
    assert [job["jobname"] for job in document.body["jobs"]] == ["whole"]
    assert sum(looked) < 5 * len(text)


def test_latencies_are_weighted_by_rates_where_no_operations_are_printed() -> None:
    rows: list[Row] = [{"operation": "read", "latency": at, "operation_rate": at, "line": 1} for at in (1.0, 3.0)]
    assert sums.total(rows)["latency"] == 2.5
    assert sums.total([row | {"operations": 10.0} for row in rows])["latency"] == 2.0
    assert sums.total([row | {"elapsed": 6.0 / float(row["latency"])} for row in rows])["latency"] == 2.0


def test_mean_rates_of_a_steady_state_and_their_lines() -> None:
    text = (LOGS / "fio_json/imitated-3.36-steadystate.json").read_text()
    lines = text.split("\n")
    (steady,) = [row for row in parsers.parse(text).runs if row.get("label") == "steadystate"]
    assert (steady["operation"], steady["throughput"], steady["operation_rate"]) == ("read", 413138944.0, 50432.0)
    assert "bw_mean" in lines[int(steady["line"]) - 1]
    assert "iops_mean" in lines[int(steady["operation_rate_line"]) - 1]
    assert "steadystate" not in str(parsers.parse(text.replace("413138944", "0")).runs)
    idle = parsers.parse(text.replace('"total_ios" : 0', '"total_ios" : 7').replace('"io_bytes" : 0', '"io_bytes" : 7'))
    assert "mixed_workload" in [row["operation"] for row in idle.runs if row.get("label") == "steadystate"]


def test_submission_and_the_whole_have_their_extremes_and_deviations() -> None:
    run = fio_json.parse((LOGS / "fio_json" / "two-processes-3.33.json").read_text()).runs[0]
    for whole in ("submission_latency", "total_latency"):
        lowest, mean, highest = (run[f"{whole}{end}"] for end in ("_min", "", "_max"))
        assert 0 < lowest < mean < highest
        assert run[f"{whole}_std"] > 0


def test_a_rate_that_fell_to_zero_between_two_samples_is_a_lowest_rate() -> None:
    text = re.sub(r'"bw_min" : [1-9]\d*', '"bw_min" : 0', text_of("multi-3.39.json"))
    lowest = [row["throughput_min"] for row in parse(text).runs if "throughput_mean" in row]
    assert lowest
    assert set(lowest) == {0.0}
