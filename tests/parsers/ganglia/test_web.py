"""What golden tables do not show of the web front end: legends of exports, dates of host pages, damage."""

from __future__ import annotations

import pytest

from storagelab.errors import ParseError
from storagelab.parsers.ganglia import graph_csv, graph_json, host_page
from storagelab.parsers.model import Parsed, Parser
from tests.conftest import LOGS, SHARED

PAGE = """oss1 Host Report for Wed, 20 Dec 2006 16:35:00 -0500
Time and String Metrics
boottime Fri, 8 Dec 2006 19:57:13 -0500
os_release 5.10
uptime 11 days, 20:37:04
Constant Metrics
mem_total 16314992 KB
"""
JSON = '[{"metric_name":"%s","datapoints":[[1.5,1700000100],["NaN",1700000115],[2,1700000130]]}]\n'


def export(*legends: str) -> Parsed:
    cells = ",".join(["1.5"] * len(legends))
    rows = "".join(f"2026-11-20T16:40:{seconds}+00:00,{cells}\n" for seconds in ("00", "15"))
    return graph_csv.parse(f"Timestamp,{','.join(legends)}\n{rows}")


# --- legends --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("legends", "values"),
    [
        (["User\\g", "Idle\\g"], {"cpu_user": 0.015, "cpu_idle": 0.015}),
        (["Use\\g", "Cache\\g", "Total\\g"], {"memory_used": 1.5, "memory_cached": 1.5, "memory_total": 1.5}),
        (["1-min", "Nodes", "CPUs ", "Procs"], {"load_1": 1.5, "processes_running": 1.5, "value": 1.5}),
        (["In ", "Out"], {"throughput": 1.5}),
        (["mem_free   "], {"memory_free": 1536.0}),
        (["oss1 bytes_in", "oss2 bytes_in"], {"throughput": 1.5}),
        (["Used", "Avail", "Total"], {"value": 1.5}),
    ],
)
def test_legends_of_reports_and_metrics(legends: list[str], values: dict[str, float]) -> None:
    series = export(*legends).series
    known = {"time", "operation", "label", "metric", "unit", "host", "line"}
    assert set(series) - known == set(values)
    for name, value in values.items():
        found = [cell for cell in series[name] if cell == cell]
        assert found == pytest.approx([value] * len(found))


def test_aggregate_has_hosts_and_an_unknown_metric() -> None:
    series = export("10.99.0.1", "oss2.site.org", "oss3").series
    assert list(dict.fromkeys(series["host"])) == ["10.99.0.1", "oss2.site.org", ""]
    assert list(dict.fromkeys(series["metric"])) == ["unknown", "oss3"]


def test_hosts_before_a_known_metric_are_keys() -> None:
    series = export("oss1.site.org bytes_in", "oss2 bytes_out").series
    assert list(zip(series["host"], series["operation"], strict=True))[::2] == [
        ("oss1.site.org", "receive"),
        ("oss2", "transmit"),
    ]


def test_in_and_out_leave_a_note() -> None:
    assert any("packet_report has the same legends" in note.text for note in export("In ", "Out").notes)


# --- exports --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("1.5\n2026", "1.5\nslurmstepd: error\n2026", None),
        ("1.5\n2026", "1.5,2\n2026", "a row wants 1 values, found 2"),
        ("1.5\n2026", "1.\ufffd5\n2026", "a value is no number"),
        ("2026-11-20T16:40:15", "2026-11-20T16:40:\ufffd5", "bytes of this line are no text"),
    ],
)
def test_damaged_csv(old: str, new: str, note: str | None) -> None:
    text = "Timestamp,bytes_in   \n" + "".join(f"2026-11-20T16:40:{at}+00:00,1.5\n" for at in ("00", "15", "30"))
    parsed = graph_csv.parse(text.replace(old, new, 1))
    assert parsed.complete == (note is None)
    assert note is None or note in [note.text for note in parsed.notes]


@pytest.mark.parametrize("cut", range(60, len(JSON % "bytes_in") - 3, 7))
def test_cut_json_gives_what_is_whole(cut: int) -> None:
    text = JSON % "bytes_in"
    try:
        parsed = graph_json.parse(text[:cut])
    except ParseError:
        return
    assert not parsed.complete
    assert set(parsed.series.get("throughput", ())) <= {1.5, 2.0}


def test_json_for_flot_has_milliseconds_first() -> None:
    parsed = graph_json.parse('[{"label":" bytes_in   ","data":[[1700000100000,1.5],[1700000115000,"NaN"]],"x":1}]\n')
    assert parsed.header["started"] == "2023-11-14T22:15:00+00:00"
    assert list(parsed.series["throughput"]) == [1.5]


def test_keys_behind_the_points_are_found_too() -> None:
    parsed = graph_json.parse('[{"datapoints":[[1,1700000100]],"metric_name":"load_one"}]')
    assert list(parsed.series["load_1"]) == [1.0]


@pytest.mark.parametrize(
    ("parser", "text", "message"),
    [
        (graph_csv, "Timestamp,bytes_in   \n", "log:1: expected a line 'Timestamp,legend ...', and rows under it"),
        (graph_json, "[]\n", "log:1: expected objects with metric_name and datapoints"),
        (graph_json, "", "log:1: expected objects with metric_name and datapoints"),
        (host_page, "Time and String Metrics\n", "log:1: expected tables 'Time and String Metrics' and"),
    ],
)
def test_what_holds_nothing_is_refused(parser: Parser, text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parser.parse(text)


# --- host page ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("boot", "uptime", "moment"),
    [
        ("Fri, 8 Dec 2006 19:57:13 -0500", "11 days, 20:37:04", "2006-12-20T16:34:17-05:00"),
        ("Fri, 8 Dec 2006 19:57:13 -0500", "11d 21:9", "2006-12-20T17:06:13-05:00"),
        ("Fri, 8 Dec 2006 19:57:13", "18d 20:36", "2006-12-27T16:33:13"),
        ("8 Dec 2006 19:57:13", "41 days, 19:32:00", "2007-01-19T15:29:13"),
        ("Fri, 8 Dec 2006 19:57:13 +0000", "1 day, 0:00:05", "2006-12-09T19:57:18+00:00"),
        ("some day", "0 days, 1:00:00", "2006-12-20T16:35:00-05:00"),
    ],
)
def test_boot_time_and_uptime_date_the_page(boot: str, uptime: str, moment: str) -> None:
    text = PAGE.replace("Fri, 8 Dec 2006 19:57:13 -0500", boot).replace("11 days, 20:37:04", uptime)
    assert host_page.parse(text).header == {"tool": "ganglia", "host": "oss1", "started": moment}


def test_release_of_the_system_is_text_even_if_it_looks_like_a_number() -> None:
    series = host_page.parse(PAGE).series
    assert series["label"][list(series["metric"]).index("os_release")] == "5.10"


def test_addresses_are_left_out() -> None:
    page = (LOGS / "ganglia_host_page" / "host-excerpt-3.7.5.html").read_text()
    assert "127.0.0.1" in page
    assert "127.0.0.1" not in str(host_page.parse(page))


def test_saved_page_and_its_text_say_the_same() -> None:
    saved, copied = (
        host_page.parse((LOGS / "ganglia_host_page" / name).read_text())
        for name in ("host-excerpt-3.7.5.html", "host-as-text-3.7.5.txt")
    )
    assert saved.header == copied.header
    for name in ("metric", "memory_total", "unit"):
        assert str(saved.series[name]) == str(copied.series[name])


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("16314992 KB", "KB", "mem_total is no number"),
        ("16314992", "163\ufffd4992", "bytes of this row are no text"),
        ("KB\n", "KB", "the last line has no end and is not trusted"),
        ("Constant Metrics\n", "", "no table 'Constant Metrics'"),
        ("mem_total ", "Memory      Total   ", "the title that begins with Memory is not whole"),
    ],
)
def test_damaged_page(old: str, new: str, note: str) -> None:
    parsed = host_page.parse(PAGE.replace(old, new))
    assert not parsed.complete
    assert note in [note.text for note in parsed.notes]


@pytest.mark.parametrize("parser", [graph_csv, graph_json, host_page])
def test_logs_of_others_are_not_claimed(parser: Parser) -> None:
    own = parser.FORMAT.name.replace("-", "_")
    for log in LOGS.glob("*/*"):
        if log.parent.name != own and not log.name.endswith(".golden.jsonl"):
            assert not parser.sniff(log.read_text(errors="replace")[:4096]), log


@pytest.mark.skipif(not (SHARED / "corpus").is_dir(), reason="needs the corpus of the studies")
def test_rows_of_the_corpus_have_no_gap() -> None:
    for log in (SHARED / "corpus" / "ganglia-graph-export").glob("*.csv"):
        assert graph_csv.parse(log.read_text()).complete


def test_a_second_host_page_in_one_text_is_said() -> None:
    page = (LOGS / "ganglia_host_page" / "host-as-text-3.7.5.txt").read_text()
    parsed = host_page.parse(page + page)
    assert [(note.text, note.line) for note in parsed.notes if "another" in note.text] == [
        (
            "expected one page, found the table of another",
            2 * page.count("\n") - page.split("Constant")[1].count("\n") + 1,
        )
    ]
    assert not parsed.complete
