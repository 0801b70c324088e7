"""Several forms of one tool's output in one log: none is lost beside another."""

from __future__ import annotations

from storagelab import parsers
from storagelab.parsers import Parsed
from storagelab.parsers.model import Format, Note
from storagelab.parsers.wrapping.documents import documents
from storagelab.parsers.wrapping.regions import Openings
from storagelab.parsers.wrapping.same_run_twice import _are_one, without_repeated
from storagelab.parsers.wrapping.several_tools import Part
from tests import several_forms
from tests.conftest import LOGS
from tests.work import Scanned, calls


def text_of(name: str) -> str:
    return (LOGS / name).read_text()


def parts_of(parsed: Parsed) -> list[tuple[object, object]]:
    return [(row["part"], row["operation"]) for row in parsed.runs]


def test_no_more_is_lost_of_several_forms_than_before() -> None:
    table = {tool: several_forms.count(tool) for tool in several_forms.forms()}
    assert not several_forms.risen(table, several_forms.kept())


def test_tables_and_json_of_a_tool_are_parts_in_the_order_of_their_lines() -> None:
    table, document = text_of("smallfile/smallfile-3.2-create.txt"), text_of("smallfile/smallfile-3.2-create.json")
    parsed = parsers.parse(table + document + text_of("smallfile/smallfile-3.2-rename.txt"))
    assert parts_of(parsed) == [(1.0, "create"), (3.0, "file_rename"), (2.0, "create")]
    assert parsed.complete
    assert parsed.header["tool"] == "smallfile"


def test_what_fio_tells_twice_of_one_run_is_one_run() -> None:
    twice = text_of("fio_json/json-then-normal-3.33.txt")
    other = text_of("fio_text/bits-kb1024-3.33.txt")
    alone = [row["line"] for row in parsers.parse(twice).runs]
    parsed = parsers.parse(twice + other)
    assert [row["line"] for row in parsed.runs if row["line"] <= twice.count("\n")] == alone
    assert len(parsed.runs) == len(alone) + len(parsers.parse(other).runs)


def test_a_document_that_a_line_announces_is_of_that_line() -> None:
    inside = text_of("iperf3/iperf3-3.12-P2-server-json-inside.txt")
    assert len(parsers.parse(inside).runs) == 2


def test_documents_are_those_that_end_and_stand_alone_on_their_lines() -> None:
    text = '<?xml version="1.0"?>\n<a>\n</a>\n[  4] 0.0-1.0 sec\n{"a": [\n1]}\nx {\n{"broken": 1\n{"b": {}}\n<b>\n'
    assert documents(text) == [range(3), range(4, 6), range(8, 9)]
    assert documents("{\n" * 5000) == []


def test_a_line_that_opens_one_form_is_not_of_the_others() -> None:
    format = Format("x", "x", "", "", "", opens=("both",), forms=(("first",), ("second",)))
    found = Openings([format]).find("both\nboth second\nfirst\n")
    assert [sorted(one.voices) for one in found] == [[0, 1], [1], [0]]


def test_what_only_looks_like_documents_takes_work_in_proportion() -> None:
    def characters(count: int) -> int:
        text = Scanned('{"a": x}\n' * count)
        assert documents(text) == []
        return text.characters

    assert characters(400) <= 4.4 * max(characters(100), 1)


def test_reports_of_nearly_the_same_rate_are_of_two_runs() -> None:
    row = {"job": "scratch", "operation": "read", "throughput": 1e8, "latency": 1e-3, "elapsed": 60.0}
    assert _are_one(row, row | {"throughput": 1.004e8, "latency": 0.996e-3})
    for name, value in {"throughput": 1.01e8, "latency": 0.99e-3, "elapsed": 60.1, "job": "other"}.items():
        assert not _are_one(row, row | {name: value})
    assert not _are_one(row, {"job": "scratch", "operation": "read", "elapsed": 60.0})


def test_thousands_of_jobs_told_twice_take_work_in_proportion() -> None:
    def work(count: int) -> int:
        runs = [
            {"job": "w", "operation": "read", "throughput": 1e8 * 1.03**at, "elapsed": 60.0, "line": 1}
            for at in range(count)
        ]
        json, text = (Parsed({}, [dict(row) for row in runs]) for _ in range(2))
        parts = [Part(parsers.by_name(name).FORMAT, said) for name, said in (("fio-json", json), ("fio-text", text))]
        left: list[Part] = []
        done = calls(lambda: left.extend(without_repeated(parts)))
        assert [part.format.name for part in left] == ["fio-json"]
        return done

    assert work(800) <= 8 * work(200)


def test_a_run_that_is_told_once_stays() -> None:
    row = {"job": "w", "operation": "read", "throughput": 1e8, "elapsed": 60.0, "part": 1.0, "line": 3}
    json = Parsed({}, [row, row | {"throughput": 2e8, "part": 2.0}, row | {"throughput": 4e8, "part": 3.0}])
    said = ((2.003e8, 1.0, 8), (3e8, 2.0, 9), (4.003e8, 3.0, 10))
    text = Parsed({}, [row | {"throughput": rate, "part": part, "line": line} for rate, part, line in said])
    parts = [Part(parsers.by_name(name).FORMAT, said) for name, said in (("fio-json", json), ("fio-text", text))]
    left = [[run["throughput"] for run in part.parsed.runs] for part in without_repeated(parts)]
    assert left == [[1e8, 2e8, 4e8], [3e8]]
    assert (json.notes, text.notes) == ([Note(8, "runs that stand here again, as fio-text, are taken once")], [])
