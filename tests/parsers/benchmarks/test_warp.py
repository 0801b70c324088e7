"""warp: reports of other versions than those of the logs; layouts are those of its source, numbers are invented."""

from __future__ import annotations

import json
import re

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import warp
from tests.conftest import LOGS

MIB = 2.0**20

HOSTS = """\
Operation: GET. Concurrency: 4. Hosts: 2.
* Average: 100.00 MiB/s, 10.00 obj/s (4m59.883s, starting 14:01:09 UTC)

Throughput by host:
 * http://a:9000: Avg: 60.00 MiB/s, 6.00 obj/s (4m59.8s, starting 14:01:09 UTC)
 * http://b:9000: Avg: 40.00 MiB/s, 4.00 obj/s (4m59.7s, starting 14:01:09 UTC)

Aggregated Throughput, split into 299 x 1s time segments:
 * Fastest: 1.50GiB/s, 150.00 obj/s (1s, starting 14:01:11 UTC)
 * 50% Median: 101.0MiB/s, 10.10 obj/s (1s, starting 14:04:25 UTC)
 * Slowest: 512.0KiB/s, 0.05 obj/s (1s, starting 14:02:23 UTC)
"""
MIXED = """\
Mixed operations.
----------------------------------------
Operation: DELETE - total: 1854, 10.0%, Concurrency: 20, Ran 5m0s, starting 2023-10-16 10:23:57.115 +0500 +05
 * Throughput: 6.25 obj/s

Requests considered: 1855:
 * Avg: 104ms, 50%: 30ms, 90%: 207ms, 99%: 1.355s, Fastest: 950µs, Slowest: 1m4.5s, StdDev: 320ms

----------------------------------------
Operation: GET - total: 8388, 45.3%, Size: 10485760 bytes. Concurrency: 20, Ran 5m0s, starting 2023-10-16 10:23:57.12
Errors: 3
 * Throughput: 280.00 MiB/s, 28.00 obj/s

Requests considered: 8389:
 * Avg: 221ms, 50%: 106ms, 90%: 492ms, 99%: 1.739s, Fastest: 8ms, Slowest: 8.633s, StdDev: 383ms
 * First Byte: Avg: 81ms, Best: 2ms, 25th: 24ms, Median: 39ms, 75th: 65ms, 90th: 171ms, 99th: 669ms, Worst: 4.783s
 * First Access: Avg: 240ms, 50%: 105ms, 90%: 511ms, 99%: 2.08s, Fastest: 12ms, Slowest: 8.633s, StdDev: 480ms

Cluster Total: 280.00 MiB/s, 34.25 obj/s, 3 errors over 5m0s.
Total Errors:3.
"""
FIRST = """\
Mixed operations.

Operation: GET
 * 600.50 MB/s, 350.25 obj/s (59.875s, starting 10:20:30 CET) (45.0% of operations)

Operation: STAT
 * 233.75 obj/s (59.75s, starting 10:20:30 CET) (30.0% of operations)

Cluster Total:  600.50 MB/s, 584.00 obj/s (59.625s, starting 10:20:30 CET)
"""


def test_a_log_of_another_tool_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a report of warp .*, found 'a log of another tool"):
        warp.parse("a log of another tool\n")


def test_hosts_are_not_the_whole() -> None:
    parsed = warp.parse(HOSTS)
    [row] = parsed.runs
    assert parsed.complete
    assert row == {
        "operation": "get",
        "line": 2,
        "processes": 4.0,
        "nodes": 2.0,
        "throughput": 100 * MIB,
        "operation_rate": 10.0,
        "elapsed": pytest.approx(299.883),
        "throughput_max": 1.5 * 1024 * MIB,
        "operation_rate_max": 150.0,
        "throughput_median": 101 * MIB,
        "operation_rate_median": 10.1,
        "throughput_min": MIB / 2,
        "operation_rate_min": 0.05,
        **dict.fromkeys(("processes_line", "nodes_line"), 1),
        **dict.fromkeys(("throughput_max_line", "operation_rate_max_line"), 9),
        **dict.fromkeys(("throughput_median_line", "operation_rate_median_line"), 10),
        **dict.fromkeys(("throughput_min_line", "operation_rate_min_line"), 11),
    }
    assert parsed.series["server"] == ["a:9000", "b:9000"]
    assert parsed.series["throughput"] == [60 * MIB, 40 * MIB]
    assert parsed.series["line"] == [5, 6]


def test_a_host_that_is_missing_is_said() -> None:
    assert warp.parse(HOSTS).notes == []
    first = " * http://a:9000: Avg: 60.00 MiB/s, 6.00 obj/s (4m59.8s, starting 14:01:09 UTC)\n"
    (note,) = warp.parse(HOSTS.replace(first, "")).notes
    assert note.text == "expected about 10 operations a second of all hosts, found 4"


def test_requests_of_hosts_are_theirs() -> None:
    text = (LOGS / "warp/imitated-0.5-mixed-by-host.txt").read_text()
    byte = "\t- First Byte: Avg: 12ms, Best: 2ms, 25th: 5ms, Median: 9ms, 90th: 20ms, 99th: 41ms, Worst: 90ms\n"
    hosts = parsers.parse(text.replace(" 90%: 790ms\n", f" 90%: 790ms\n{byte}")).series
    assert hosts["first_byte_latency"][2] == pytest.approx(0.012)
    assert hosts["first_byte_latency_p99"][2] == pytest.approx(0.041)
    assert hosts["operation_rate"][:2] == [1.05, 1.03]
    assert hosts["latency_p90"][2:4] == pytest.approx([0.79, 0.83])


def test_a_mix_may_be_counted_and_not_measured() -> None:
    text = (LOGS / "warp/imitated-0.2-mixed-counts.txt").read_text()
    rates = re.findall(r"(?m)^ \* Throughput: .*\n", text)
    counted = text
    for rate in rates:
        counted = counted.replace(rate, "")
    *parts, total = parsers.parse(counted).runs
    assert parsers.parse(counted).complete
    assert [row["operations"] for row in parts] == [1350, 450, 900]
    assert total["operation_rate"] == 90.75
    assert not parsers.parse(text.replace(rates[0], "")).complete


def test_mixed_of_version_0_7() -> None:
    parsed = warp.parse(MIXED)
    delete, get, total = parsed.runs
    assert parsed.complete
    assert (delete["operation_rate"], delete["operations"], delete["elapsed"]) == (6.25, 1854, 300)
    assert delete["latency_min"] == pytest.approx(950e-6)
    assert delete["latency_max"] == pytest.approx(64.5)
    assert (get["throughput"], get["errors"], get["file_size"]) == (280 * MIB, 3, 10485760)
    assert get["latency"] == pytest.approx(0.221)
    assert get["first_byte_latency_max"] == pytest.approx(4.783)
    assert [get[f"first_byte_latency_p{share}"] for share in (25, 50, 75, 90, 99)] == pytest.approx(
        [0.024, 0.039, 0.065, 0.171, 0.669]
    )
    assert (total["operation"], total["operation_rate"], total["errors"], total["elapsed"]) == (
        "mixed_workload",
        34.25,
        3,
        300,
    )


def test_first_versions_print_mb_and_mean_mib() -> None:
    parsed = warp.parse(FIRST)
    assert [(row["operation"], row.get("throughput")) for row in parsed.runs] == [
        ("get", 600.5 * MIB),
        ("stat", None),
        ("mixed_workload", 600.5 * MIB),
    ]
    assert [row["elapsed"] for row in parsed.runs] == [59.875, 59.75, 59.625]


def test_an_operation_that_was_skipped_has_no_row_and_is_said() -> None:
    parsed = warp.parse(f"-------------------\nSkipping PUT too few samples.\n-------------------\n{HOSTS}")
    assert len(parsed.runs) == 1
    assert parsed.complete
    assert "Skipping PUT too few samples." in {note.text for note in parsed.notes}


def test_an_operation_that_is_not_known_keeps_its_name() -> None:
    parsed = warp.parse("Operation: RETENTION\n* Average: 170.25 obj/s\n")
    assert parsed.runs[0]["label"] == "RETENTION"
    assert parsed.runs[0]["operation"] == "unknown"


def test_sizes_of_a_random_size_run_are_not_the_whole() -> None:
    parsed = warp.parse(
        "Operation: GET (40). Ran 5s. Concurrency: 8.\n\n"
        "Requests considered: 40. Multiple sizes, average 1000 bytes:\n\n"
        "Request size 1 B -> 1 KiB . Requests - 26:\n"
        " * Throughput: Average: 1.5KiB/s, 50%: 1.2KiB/s, 90%: 900.0B/s, Fastest: 3.0KiB/s, Slowest: 100.0B/s\n"
        " * First Byte: Avg: 12ms, Median: 10ms, Best: 1ms, Worst: 60ms\n\n"
        "Throughput:\n* Average: 2.00 MiB/s, 8.00 obj/s\n"
    )
    assert parsed.runs[0]["throughput"] == 2 * MIB
    assert "first_byte_latency" not in parsed.runs[0]


def test_a_mix_that_lacks_an_operation_and_an_average_without_heading_are_said() -> None:
    text = (LOGS / "warp/imitated-0.2-mixed-requests.txt").read_text()
    assert parsers.parse(text).notes == []
    puts = " * 64.00 MB/s, 32.00 obj/s (59.9s, starting 09:15:00 CET) (40.0% of operations)\n"
    (note,) = parsers.parse(text.replace(f"Operation: PUT\n{puts}", "")).notes
    assert note.text == "expected about 112.5 operations a second in all, found 80.5"
    headless = parsers.parse("Operation: GET\n * Average: 8.00 MiB/s, 1.00 obj/s\n * Average: 4.00 MiB/s, 2.00 obj/s\n")
    assert "a second average: the heading of its report is missing" in [note.text for note in headless.notes]
    assert not headless.complete


@pytest.mark.parametrize(("unit", "factor"), [("TB", 2.0**40), ("B", 1.0), ("iB", None)])
def test_units_of_rates(unit: str, factor: float | None) -> None:
    """Found by a mutant: a letter of the unit may be lost, and then it is none."""
    rows = warp.parse(HOSTS.replace("100.00 MiB/s", f"100.00 {unit}/s", 1)).runs
    assert [row["throughput"] for row in rows if "throughput" in row] == ([] if factor is None else [100 * factor])


def test_latencies_of_no_client_are_not_read_and_the_log_is_not_whole() -> None:
    text = (LOGS / "warp" / "imitated-1.2-realtime.json").read_text()
    (whole,) = parsers.parse(text, format="warp").runs
    assert whole["latency"] == pytest.approx(0.125)
    parsed = parsers.parse(text.replace('"merged_entries": 1', '"merged_entries": -1', 1), format="warp")
    assert "latency" not in parsed.runs[0]
    assert not parsed.complete
    assert "found fewer" in parsed.notes[-1].text


def test_ranges_of_sizes_in_every_spelling() -> None:
    report = "Operation: GET\n* Average: 9.5 MiB/s, 3.5 obj/s\n\n"
    text = report + "Request size  -> 10KB. Requests - 17:\n * Avg: 3ms, 50%: 2ms, Fastest: 1ms, Slowest: 9ms\n"
    series = warp.parse(text).series
    assert (series["label"], series["operations"], series["latency"]) == (["-> 10KB"], [17.0], [0.003])
    lost = warp.parse(report + "Request size 1 B -> 10 KiB. Requests - 17:\n")
    assert [note.text for note in lost.notes] == [
        "the report has ranges of sizes, and no segments behind them",
        "the requests of 1B -> 10KiB have no rate",
    ]


def test_a_client_that_is_missing_is_said() -> None:
    text = (LOGS / "warp/imitated-1.1-clients.txt").read_text()
    whole = parsers.parse(text)
    assert [row["client"] for row in whole.clients] == ["1", "2", "3"]
    assert (whole.complete, whole.notes) == (True, [])
    lost = parsers.parse(text.replace("Client 2 throughput: 98.60 MiB/s, 24.65 obj/s\n", ""))
    assert not lost.complete
    assert [note.text for note in lost.notes] == [
        "expected client 2, found 3",
        "expected about 78.1 operations a second of all clients, found 53.45",
    ]
    again = warp.parse(text + text)
    assert (len(again.clients), again.complete) == (6, True)


def test_rates_that_most_requests_reach_and_first_accesses_have_rows_of_their_own() -> None:
    series = parsers.parse((LOGS / "warp/imitated-1.2-sizes.txt").read_text()).series
    rates = dict(zip(series["label"], series["throughput"], strict=True))
    assert (rates["1MiB -> 10MiB, 90%"], rates["1MiB -> 10MiB, 99%"]) == (12.5 * MIB, 7 * MIB)
    report = "Operation: GET\n * Average: 9.5 MiB/s, 3.5 obj/s\n"
    first = warp.parse(report + " * First Access: Avg: 7ms, 50%: 6ms\n * First Access TTFB: Avg: 2ms, Best: 1ms\n")
    assert (first.series["label"], first.series["latency"]) == (["first access"], [0.007])
    assert (first.series["first_byte_latency"], first.series["first_byte_latency_line"]) == ([0.002], [4])
    lost = warp.parse(report + " * Last Access TTFB: Avg: 2ms, Best: 1ms\n")
    assert [note.text for note in lost.notes] == ["the requests of last access have no rate"]


def test_requests_of_clients_of_one_host_are_read() -> None:
    text = """Operation: GET (5000). Ran 16s. Size: 100000 bytes. Concurrency: 64. Warp Instances: 2.

Requests considered: 4800:
 * Avg: 11ms, 50%: 8ms, 90%: 19ms, 99%: 40ms, Fastest: 1ms, Slowest: 133ms, StdDev: 7ms

Requests by host:
 * Client_a - 2837 requests:
\t- Avg: 12ms Fastest: 1ms Slowest: 133ms 50%: 9ms 90%: 19ms StdDev: 7ms
 * Client_b - 1963 requests:
\t- Avg: 10ms Fastest: 1ms Slowest: 99ms 50%: 8ms 90%: 18ms StdDev: 6ms

Throughput:
* Average: 29.80 MiB/s, 312.50 obj/s

Throughput, split into 16 x 1s:
 * Fastest: 36.1MiB/s, 378.20 obj/s
 * 50% Median: 29.9MiB/s, 313.20 obj/s
 * Slowest: 24.2MiB/s, 253.20 obj/s
"""
    parsed = parsers.parse(text)
    assert parsed.complete
    assert list(parsed.series["client"]) == ["Client_a", "Client_b"]
    assert list(parsed.series["operations"]) == [2837.0, 1963.0]
    assert list(parsed.series["latency"]) == pytest.approx([0.012, 0.010])
    assert parsed.runs[0]["latency"] == pytest.approx(0.011)
    unnamed = parsers.parse(text.replace("* Client_b -", "* node b -"))
    assert "expected a host, or the heading of the whole, before rates, found '* node b" in unnamed.notes[0].text


@pytest.mark.parametrize("name", ["50%", "Fastest", "StdDev"])
def test_a_line_that_ends_behind_the_name_of_a_value_is_damaged(name: str) -> None:
    text = "Operation: GET. Concurrency: 2\n* Average: 29.80 MiB/s, 312.50 obj/s\n * Reqs: Avg: 12ms, 50%: 9ms\n"
    assert parsers.parse(text).complete
    parsed = parsers.parse(f"{text.rstrip()}, {name}:\n")
    assert [(note.line, note.text) for note in parsed.notes] == [(3, "the line is damaged")]


def test_segments_of_hosts_are_theirs() -> None:
    """``--analyze.hostdetails``."""
    hosts = """
Throughput by host:
 * http://n1:9000: Avg: 80.00 MiB/s, 80.00 obj/s (59.9s)
\t- Fastest: 88.00 MiB/s, 70.00 obj/s (1s)
\t- 50% Median: 82.00 MiB/s, 82.00 obj/s (1s)
\t- Slowest: 64.00 MiB/s, 90.00 obj/s (1s)
 * http://n2:9000: Avg: 81.00 MiB/s, 81.00 obj/s (59.9s)
"""
    average = "Operation: GET. Concurrency: 2. Hosts: 2.\n* Average: 161 MiB/s, 161.0 obj/s\n"
    segments = [("Fastest", 170), ("50% Median", 161), ("Slowest", 150)]
    of_all = "".join(f" * {name}: {rate} MiB/s, {rate} obj/s\n" for name, rate in segments)
    whole = parsers.parse(f"{average}{hosts}\nAggregated Throughput, split into 59 x 1s time segments:\n{of_all}")
    alone = parsers.parse(f"what hosts do:\n{hosts}")
    assert (whole.complete, whole.notes, alone.complete, alone.runs) == (True, [], False, [])
    assert [note.text for note in alone.notes] == ["an excerpt: no report stands above"]
    for parsed in (whole, alone):
        first = {name: column[0] for name, column in parsed.series.items()}
        assert (first["server"], first["throughput"]) == ("n1:9000", 80 * MIB)
        assert (first["throughput_min"], first["throughput_max"]) == (64 * MIB, 88 * MIB)
        assert (first["operation_rate_min"], first["operation_rate_max"]) == (70.0, 90.0)


def test_a_report_that_is_cut_above_its_average_is_told_by_its_requests() -> None:
    requests = "Requests considered: 90:\n * Avg: 11ms, 50%: 8ms, 90%: 19ms, Fastest: 1ms, Slowest: 133ms\n"
    parsed = parsers.parse(
        f"λ warp analyze get.csv.zst\nOperation: GET (100). Ran 16s. Concurrency: 640.\n\n{requests}"
    )
    assert not parsed.complete
    (row,) = parsed.runs
    assert (row["operation"], row["processes"], row["latency"]) == ("get", 640.0, 0.011)


@pytest.mark.parametrize("heading", ["Request size 10B -> 100KiB", "Request size 1MiB", "Throughput, split"])
def test_a_report_that_is_cut_above_its_sizes_or_segments_keeps_them(heading: str) -> None:
    text = (LOGS / "warp/imitated-1.2-sizes.txt").read_text()
    whole, cut = parsers.parse(text), parsers.parse(text[text.index(heading) :])
    assert [(note.line, note.text) for note in cut.notes] == [(1, "an excerpt: no report stands above")]
    assert (cut.runs[0]["operation"], cut.runs[0]["throughput_max"]) == ("unknown", whole.runs[0]["throughput_max"])
    rates = whole.series["throughput"]
    assert list(cut.series.get("throughput", [])) == list(rates)[len(rates) - len(cut.series.get("line", [])) :]


def test_a_report_that_is_cut_above_its_throughput_has_it() -> None:
    _, _, segments = (LOGS / "warp/imitated-1.2-sizes.txt").read_text().partition("Throughput, split")
    average = "* Average: 462.25 MiB/s, 154.08 obj/s (59s, starting 07:20 CET)"
    parsed = parsers.parse(f"Throughput:\n{average}\n\nThroughput, split{segments}")
    [row] = parsed.runs
    assert (row["operation_rate"], row["elapsed"], row["line"]) == (154.08, 59, 2)
    assert [(note.line, note.text) for note in parsed.notes] == [(1, "an excerpt: no report stands above")]


@pytest.mark.parametrize(
    "heading",
    ["Throughput by client:", "Throughput by host:", "Requests considered: 90:", "Throughput, split into 5 x 1s:"],
)
def test_a_report_that_ends_with_a_heading_is_cut(heading: str) -> None:
    report = "Report: PUT. Concurrency: 8. Ran: 59s\n * Average: 462.25 MiB/s, 154.08 obj/s\n"
    assert parsers.parse(report).complete
    parsed = parsers.parse(f"{report}\n{heading}\n\n")
    assert ("the report ends with a heading", 4) in [(note.text, note.line) for note in parsed.notes]
    assert not parsed.complete


def test_latencies_of_a_host_that_is_not_named_above_them_are_told() -> None:
    lines = (LOGS / "warp" / "imitated-0.5-mixed-by-host.txt").read_text().splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("\t- Avg:"))
    hosts = [at for at, line in enumerate(lines[:first]) if line.startswith(" * http")]
    left = [line for at, line in enumerate(lines) if at not in (*hosts, first - 1)]
    (note,) = [note for note in parsers.parse("\n".join([*left, ""])).notes if "a host above" in note.text]
    assert note.line == left.index(lines[first]) + 1
    assert note.text == f"expected a host above latencies, found {lines[first].strip()[:60]!r}"


def test_a_report_that_is_cut_behind_its_sizes_says_so() -> None:
    lines = (LOGS / "warp/imitated-1.2-sizes.txt").read_text().splitlines()
    for end in (6, 9, 10, 13):
        cut = parsers.parse("\n".join([*lines[:end], ""]))
        said = (9 if end == 10 else end, "the report has ranges of sizes, and no segments behind them")
        assert (cut.complete, cut.notes) == (False, [said])


def test_a_mix_that_is_cut_above_its_total_says_so() -> None:
    lines = (LOGS / "warp/imitated-0.2-mixed-counts.txt").read_text().splitlines()
    for end in (5, 9, 13):
        cut = parsers.parse("\n".join([*lines[:end], ""]))
        assert (cut.complete, cut.notes) == (False, [(end, "the operations of a mix have no total behind them")])


def test_a_document_of_several_operations_has_their_total() -> None:
    body = json.loads((LOGS / "warp/imitated-1.2-realtime.json").read_text(encoding="utf-8"))
    body["by_op_type"]["GET"] = body["by_op_type"]["PUT"]
    assert [row["operation"] for row in parsers.parse(json.dumps(body, indent=1)).runs] == [
        "put",
        "get",
        "mixed_workload",
    ]


def test_hosts_below_the_total_of_a_mix_are_theirs() -> None:
    text = """Mixed operations.

Operation: GET
 * 300.25 MB/s, 292.00 obj/s (59.625s, starting 10:20:30 CET) (50.0% of operations)

Operation: PUT
 * 300.25 MB/s, 292.00 obj/s (59.625s, starting 10:20:30 CET) (50.0% of operations)

Cluster Total:  600.50 MB/s, 584.00 obj/s (59.625s, starting 10:20:30 CET)
 * http://10.1.0.1:9000:  320.50 MB/s, 312.00 obj/s (59.610s, starting 10:20:30 CET)
 * http://10.1.0.2:9000:  280.00 MB/s, 272.00 obj/s (59.625s, starting 10:20:30 CET)
"""
    parsed = warp.parse(text)
    assert (parsed.complete, parsed.notes, parsed.runs[-1]["operation_rate"]) == (True, [], 584)
    found = zip(*(parsed.series[name] for name in ("server", "throughput", "elapsed", "line")), strict=True)
    assert list(found) == [("10.1.0.1:9000", 320.5 * MIB, 59.61, 10), ("10.1.0.2:9000", 280 * MIB, 59.625, 11)]
    assert set(parsed.series["operation"]) == {"mixed_workload"}
