"""iperf3: forms of other versions, and what golden tables do not show."""

from __future__ import annotations

import json

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import iperf3
from storagelab.parsers.model import Columns, Value
from storagelab.units import GIB, PERCENT
from tests.conftest import LOGS

OLD_UDP = """\
Connecting to host 10.0.0.1, port 5201
[  4] local 10.0.0.2 port 38125 connected to 10.0.0.1 port 5201
[ ID] Interval           Transfer     Bandwidth       Total Datagrams
[  4]   0.00-1.00   sec   120 KBytes   983 Kbits/sec  15
[  4]   1.00-2.00   sec   128 KBytes  1.05 Mbits/sec  16
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams
[  4]   0.00-2.00   sec   248 KBytes  1.02 Mbits/sec  0.041 ms  3/31 (9.7%)
[  4] Sent 31 datagrams

iperf Done.
"""


def test_a_log_of_another_tool_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a row of iperf3's table, or its JSON, found 'a log of"):
        iperf3.parse('a log of another tool {"intervals": 1}\n')


def test_udp_of_version_3_1_has_one_sum_without_a_side() -> None:
    parsed = iperf3.parse(OLD_UDP)
    [row] = parsed.runs
    assert parsed.complete
    assert row["operation"] == "receive"
    assert (row["packets_lost"], row["packets_sent"]) == (3, 31)
    assert row["jitter"] == pytest.approx(41e-6)
    assert row["throughput"] == pytest.approx(1.02e6 / 8)
    assert list(parsed.series["packets_sent"]) == [15, 16]


def test_the_sum_of_datagrams_is_one_where_the_line_above_its_table_is_left_out() -> None:
    lines = OLD_UDP.splitlines(keepends=True)
    parsed = iperf3.parse("".join([*lines[:5], "...\n", *lines[6:8], *lines[9:]]))
    (row,) = parsed.runs
    assert (row["operation"], row["packets_lost"], row["line"]) == ("receive", 3.0, 8.0)
    assert list(parsed.series["time"]) == [1.0, 2.0]


def test_clients_with_titles_that_write_at_once_are_tests_of_their_own() -> None:
    lines = OLD_UDP.splitlines()[:-2]
    both = [f"{title}:  {line}" for line in lines for title in ("s1", "s2") if line]
    both[0] = f"[1] 38008\n[root@server35 ~]# {both[0]}"
    parsed = iperf3.parse("\n".join([*both, "s2:  iperf Done.", "s1:  iperf Done.", ""]))
    assert parsed.complete
    assert [(row["part"], row["packets_lost"], row["line"]) for row in parsed.runs] == [(1, 3, 16), (2, 3, 17)]
    assert list(parsed.series["part"]) == [1, 1, 2, 2]


def test_a_word_above_some_lines_alone_is_no_title() -> None:
    lines = OLD_UDP.splitlines()
    lines[2], lines[6] = f"client:  {lines[2]}", f"sum:  {lines[6]}"
    parsed = iperf3.parse("\n".join([*lines, ""]))
    assert [(row["operation"], row["line"]) for row in parsed.runs] == [("receive", 8)]


def test_another_table_of_datagrams_that_begins_is_no_sum() -> None:
    lines = OLD_UDP.splitlines(keepends=True)
    later = lines[7].replace("0.00-2.00", "0.00-1.00")
    parsed = iperf3.parse("".join([*lines[:5], lines[6], later, later.replace("0.00-1.00", "1.00-2.00")]))
    assert not parsed.runs
    assert list(parsed.series["time"]) == [1.0, 2.0, 1.0, 2.0]


def test_what_stands_above_datagrams_that_were_sent_is_a_sum() -> None:
    """So does an excerpt that begins at the second heading of a client of several streams."""
    row = "[{}]   0.00-5.00  sec  {} MBytes  {} Mbits/sec  0.{}1 ms  {}/4000 (2%) \n"
    streams = [row.format(f"  {stream}", 5, 8.4, stream, 80 + stream) for stream in (4, 6)]
    counted = "".join(f"{line}[  {stream}] Sent 4000 datagrams\n" for stream, line in zip((4, 6), streams, strict=True))
    heading = OLD_UDP.splitlines(keepends=True)[7]
    parsed = iperf3.parse(heading + counted + row.format("SUM", 10, 16.8, 5, 170))
    assert [(one["process"], one["packets_lost"], one["line"]) for one in parsed.clients] == [
        ("4", 84.0, 2),
        ("6", 86.0, 4),
    ]
    (total,) = parsed.runs
    assert (total["packets_lost"], total["elapsed"], total["line"]) == (170.0, 5.0, 6)
    assert not parsed.series


def test_a_server_that_ran_two_tests() -> None:
    test = """\
Accepted connection from 10.0.0.2, port 38586
[  5] local 10.0.0.1 port 5201 connected to 10.0.0.2 port 38600
[ ID] Interval           Transfer     Bandwidth
[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth
[  5]   0.00-1.04   sec  0.00 Bytes  0.00 bits/sec                  sender
[  5]   0.00-1.04   sec   116 MBytes   936 Mbits/sec                  receiver
-----------------------------------------------------------
Server listening on 5201
-----------------------------------------------------------
"""
    parsed = iperf3.parse(test * 2)
    assert [(row["part"], row["operation"]) for row in parsed.runs] == [(1, "receive"), (2, "receive")]
    assert list(parsed.series["operation"]) == ["receive", "receive"]
    assert parsed.complete


def test_sums_that_were_cut_out_of_several_tests_are_told_apart() -> None:
    heading = "- - - - - - - - - - - - -\n[ ID] Interval  Transfer  Bandwidth  Jitter  Lost/Total Datagrams\n"
    sums = (
        "[  4]   0.00-10.00  sec  1.25 MBytes  1.05 Mbits/sec  0.013 ms  0/160 (0%)  \n[  4] Sent 160 datagrams\n",
        "[  4]   0.00-20.00  sec  5.00 MBytes  2.10 Mbits/sec  0.021 ms  3/640 (0.47%)  \n[  4] Sent 640 datagrams\n",
    )
    parsed = iperf3.parse("".join(heading + text for text in sums))
    assert [(row["part"], row["elapsed"], row["packets_lost"]) for row in parsed.runs] == [
        (1.0, 10.0, 0),
        (2.0, 20.0, 3),
    ]
    assert not parsed.clients
    assert not parsed.series


def test_a_sum_without_bytes_has_its_datagrams() -> None:
    heading = "[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n"
    row = "[  5]   0.00-{}  sec  {}  0.047 ms  1/31 (3.2%)  \n"
    accepted = "Accepted connection from 192.0.2.5, port 51244\n"
    parsed = iperf3.parse(
        accepted + heading + row.format("1.00", "238 KBytes  1.95 Mbits/sec") + "- - - - - - - - - - - - -\n" + heading
        + row.format("1.04", "0.00 Bytes  0.00 bits/sec")
    )  # fmt: skip
    assert len(parsed.runs) == 1
    assert parsed.runs[0].items() >= {"packets_lost": 1.0, "packets_sent": 31.0, "line": 6}.items()
    assert parsed.runs[0]["jitter"] == pytest.approx(4.7e-5)
    assert not {"throughput", "data_size"} & parsed.runs[0].keys()


def test_a_client_that_was_stopped_is_not_whole() -> None:
    text = OLD_UDP.replace("iperf Done.\n", "iperf3: interrupt - the client has terminated\n")
    parsed = iperf3.parse(text)
    assert not parsed.complete
    assert "interrupt - the client has terminated" in {note.text for note in parsed.notes}


def test_the_last_second_of_iperf_2_is_no_sum() -> None:
    text = (
        "Client connecting to node1, TCP port 5001\n[ ID] Interval       Transfer     Bandwidth\n"
        "[  1] 0.0000-1.0000 sec  6.25 MBytes  52.4 Mbits/sec\n[  1] 1.0000-2.0000 sec  6.25 MBytes  52.4 Mbits/sec\n"
    )
    whole = iperf3.parse(text + "[  1] 0.0000-2.0069 sec  12.6 MBytes  52.8 Mbits/sec\n")
    assert [row["line"] for row in whole.runs] == [5]
    cut = iperf3.parse(text)
    assert (cut.runs, cut.complete) == ([], False)
    assert cut.series["line"] == [3, 4]


def test_bytes_are_binary_and_bits_decimal() -> None:
    table = (
        "[ ID] Interval           Transfer     Bitrate\n[  5]   0.00-1.00   sec  1.00 GBytes  {}/sec      receiver\n"
    )
    rates = {"1.00 MBytes": 2.0**20, "8.00 Mbits": 1e6, "8.00 Kbits": 1e3, "1.00 KBytes": 1024.0, "8.00 bits": 1.0}
    for printed, rate in rates.items():
        assert iperf3.parse(table.format(printed)).runs[0]["throughput"] == rate


def test_json_of_old_udp_has_one_sum() -> None:
    total = {"start": 0, "end": 2, "seconds": 2.0, "bytes": 4000, "bits_per_second": 16000.0}
    document = {"start": {"version": "iperf 3.1.3"}, "intervals": [], "end": {"sum": {**total, "lost_packets": 2}}}
    parsed = iperf3.parse(json.dumps(document, indent=1))
    assert parsed.complete
    assert parsed.header["tool_version"] == "3.1.3"
    assert parsed.runs[0] == {
        "operation": "transmit",
        "throughput": 2000.0,
        "data_size": 4000.0,
        "elapsed": 2.0,
        "packets_lost": 2.0,
        "line": 12,
        "data_size_line": 11,
        "elapsed_line": 10,
        "packets_lost_line": 13,
    }


def test_json_of_an_old_server_is_what_it_received() -> None:
    sample = {"start": 0, "end": 1.0, "seconds": 1.0, "bytes": 131072, "bits_per_second": 1048576.0, "jitter_ms": 0.05}
    total = {"start": 0, "end": 1.0, "seconds": 1.0, "bytes": 0, "bits_per_second": 0, "lost_packets": 2, "packets": 16}
    start = {"accepted_connection": {"host": "192.0.2.1"}, "test_start": {"protocol": "UDP", "reverse": 0}}
    parsed = iperf3.parse(json.dumps({"start": start, "intervals": [{"sum": sample}], "end": {"sum": total}}) + "\n")
    assert list(parsed.series["operation"]) == ["receive"]
    assert [(row["operation"], row["packets_lost"]) for row in parsed.runs] == [("receive", 2.0)]
    assert "throughput" not in parsed.runs[0]
    assert parsed.complete


def test_json_stream_is_put_together() -> None:
    total = {"start": 0, "end": 1, "seconds": 1.0, "bytes": 1000, "bits_per_second": 8000.0, "sender": True}
    events = [
        {"event": "start", "data": {"version": "iperf 3.17.1", "timestamp": {"timesecs": 1700000000}}},
        {"event": "interval", "data": {"sum": total}},
        {"event": "end", "data": {"sum_sent": total, "sum_received": total}},
    ]
    parsed = iperf3.parse("".join(json.dumps(event) + "\n" for event in events))
    assert parsed.complete
    assert parsed.header["started"] == "2023-11-14T22:13:20+00:00"
    assert [(row["operation"], row["throughput"], row["line"]) for row in parsed.runs] == [
        ("transmit", 1000.0, 3),
        ("receive", 1000.0, 3),
    ]
    assert list(parsed.series["line"]) == [2]


@pytest.mark.parametrize("wrong", [None, [], "x", 7, True, {"sum_sent": []}, {"sum_sent": {"bits_per_second": "fast"}}])
def test_json_with_something_else_in_its_place(wrong: object) -> None:
    parsed = iperf3.parse(json.dumps({"start": {"timestamp": wrong}, "intervals": wrong, "end": wrong}))
    assert not parsed.runs
    assert not parsed.complete


OF_TWO = "20150311{clock},10.0.0.1,{port},10.0.0.2,5001,3,0.0-{end},{size},{rate}\n"
APPENDED = "".join(
    OF_TWO.format(clock=clock, port=port, end=end, size=size, rate=size * 8 // 10)
    for clock, port, end, size in (
        ("101202", 41202, "10.0", 1164902400),
        ("101302", 41204, "10.0", 1174902400),
        ("101402", 41206, "10.0", 1154902400),
    )
)


def test_tests_that_were_appended_to_one_csv_are_told_apart_by_their_ports() -> None:
    parsed = iperf3.parse(APPENDED)
    assert parsed.complete
    assert [(row["part"], row["operation"], row["throughput"], row["elapsed"]) for row in parsed.runs] == [
        (1.0, "transmit", 116490240.0, 10.0),
        (2.0, "transmit", 117490240.0, 10.0),
        (3.0, "transmit", 115490240.0, 10.0),
    ]
    assert not parsed.series


def test_csv_of_a_udp_client_has_what_its_server_counted() -> None:
    counted = "20150311101202,10.0.0.2,5001,10.0.0.1,41202,3,0.0-10.0,1312500,1049874,0.011,3,893,0.336,2\n"
    parsed = iperf3.parse("20150311101202,10.0.0.1,41202,10.0.0.2,5001,3,0.0-10.0,1312500,1050000\n" + counted)
    sent, received = parsed.runs
    assert (sent["operation"], sent["throughput"]) == ("transmit", 131250.0)
    assert (received["operation"], received["packets_lost"], received["packets_sent"]) == ("receive", 3.0, 893.0)
    assert received["jitter"] == pytest.approx(1.1e-5)
    assert (received["packets_out_of_order"], received["packets_lost_share"]) == (2.0, pytest.approx(0.00336))
    assert "packets_out_of_order" not in sent


@pytest.mark.parametrize("wrong", ["0.0-0.0", "10.0-0.0", "0.0-x"])
def test_a_line_of_csv_without_an_interval_is_said(wrong: str) -> None:
    parsed = iperf3.parse(APPENDED.replace("0.0-10.0", wrong, 1))
    assert not parsed.complete
    assert len(parsed.runs) == 2
    assert [note.line for note in parsed.notes] == [1]


@pytest.mark.parametrize(("line", "is_passed_over"), [("done, or so\n", True), ("20150311101202,10.0.0.1,41\n", False)])
def test_a_line_between_those_of_csv_is_one_of_them_from_two_commas_on(line: str, is_passed_over: bool) -> None:
    parsed = iperf3.parse(line + APPENDED)
    assert (parsed.complete, len(parsed.runs)) == (is_passed_over, 3)


def test_what_stands_below_a_row_of_another_stream_is_not_counted_to_it() -> None:
    text = OLD_UDP.replace("Sent 31 datagrams", "0.0- 2.0 sec  5 datagrams received out-of-order")
    assert iperf3.parse(text).runs[0]["packets_out_of_order"] == 5
    assert iperf3.parse(text).runs[0]["packets_out_of_order_line"] == 9
    other = iperf3.parse(text.replace("[  4] 0.0- 2.0", "[  6] 0.0- 2.0"))
    assert "packets_out_of_order" not in other.runs[0]


@pytest.mark.parametrize("sums_first", [False, True])
def test_json_says_of_the_only_stream_what_holds_for_the_sum(sums_first: bool) -> None:
    streams = {"streams": [{"sender": {"max_rtt": 3000, "min_rtt": 1000, "mean_rtt": 2000, "max_snd_cwnd": 4096}}]}
    sums = {"sum_sent": {"bits_per_second": 8e6, "bytes": 1000}, "sum_received": {"bits_per_second": 8e6, "bytes": 999}}
    end = sums | streams if sums_first else streams | sums
    sent, received = iperf3.parse(json.dumps({"start": {}, "end": end}, indent=1)).runs
    said = {"round_trip_time": 2e-3, "round_trip_time_min": 1e-3, "round_trip_time_max": 3e-3}
    assert ("congestion_window_max" in sent, "round_trip_time" in received) == (not sums_first, False)
    assert sums_first or {name: sent[name] for name in said} == pytest.approx(said)


def test_a_share_that_is_no_number_is_left_out() -> None:
    [row] = iperf3.parse(OLD_UDP.replace("(9.7%)", "(-nan%)")).runs
    assert (row["packets_lost"], "packets_lost_share" in row) == (3, False)


SUMS = """\
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-20.00  sec   374 MBytes   157 Mbits/sec  734    sender
[  5]   0.00-20.00  sec   373 MBytes   156 Mbits/sec    receiver
"""


def test_the_end_of_a_row_that_a_mail_broke_off_is_given_back() -> None:
    broken = iperf3.parse(SUMS.replace("    sender", "\n> sender").replace("    receiver", "\n>  receiver"))
    assert broken.complete
    whole = iperf3.parse(SUMS)
    assert [row | {"line": 0} for row in broken.runs] == [row | {"line": 0} for row in whole.runs]
    assert not iperf3.parse(SUMS.replace("    receiver", "\n\nreceiver")).complete


def test_a_stream_that_opens_behind_sums_is_of_another_test() -> None:
    opens = "[  6] local 10.0.0.1 port 40000 connected to 10.0.0.2 port 5201\n"
    interval = "[  6]   0.00-10.00  sec  2.00 GBytes  1718 Mbits/sec\n"
    sums = "".join(f"[SUM]   0.00-10.00  sec  1.00 GBytes   859 Mbits/sec  {side}\n" for side in ("sender", "receiver"))
    parsed = iperf3.parse(sums + opens + interval + sums.replace("SUM", "  6").replace("1.00 GB", "2.00 GB"))
    assert [(row["part"], row["data_size"] / GIB) for row in parsed.runs] == [(1, 1), (1, 1), (2, 2), (2, 2)]
    assert [size / GIB for size in parsed.series["data_size"]] == [2]


def test_datagrams_are_read_where_a_mail_breaks_a_line_before_their_share() -> None:
    heading = "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
    row = "[SUM]   0.00-10.00  sec   160 MBytes   134 Mbits/sec  0.250 ms  7/115894 \n(0.006%)\n"
    series = iperf3.parse(heading + row).series
    assert [list(series[name]) for name in ("packets_sent", "packets_lost", "jitter")] == [[115894], [7], [0.00025]]
    assert list(series["packets_lost_share"]) == [0.006 * PERCENT]
    assert "packets_sent" not in iperf3.parse(heading + row.replace("(0.006%)", "")).series


def test_a_heading_behind_sums_begins_another_test() -> None:
    parsed = iperf3.parse(SUMS + "\nand so:\n\n" + SUMS)
    assert [row["part"] for row in parsed.runs] == [1, 1, 2, 2]


@pytest.mark.parametrize("names", [("sum",), ("sum_sent", "sum_received")], ids=["one sum", "a sum of each side"])
def test_datagrams_out_of_order_belong_to_the_sum_of_who_received_them(names: tuple[str, ...]) -> None:
    """The stream says how many there were; a sender cannot know."""
    datagrams = {"bits_per_second": 8e6, "bytes": 1000, "packets": 10, "lost_packets": 1, "seconds": 1.0}
    sums = {name: datagrams | {"sender": name != "sum_received"} for name in names}
    end = {"streams": [{"udp": {**datagrams, "out_of_order": 4}}], **sums}
    runs = iperf3.parse(json.dumps({"start": {"test_start": {"protocol": "UDP"}}, "end": end}, indent=1)).runs
    assert [row.get("packets_out_of_order") for row in runs] == ([4] if len(names) == 1 else [None, 4])


def test_iperf_2_says_how_long_datagrams_were_on_their_way() -> None:
    (total,) = iperf3.parse((LOGS / "iperf3/imitated-2.1-udp-enhanced.txt").read_text()).runs
    latency = [total[f"latency{of}"] for of in ("", "_min", "_max", "_std")]
    assert latency == pytest.approx([1.50e-4, 6.0e-5, 4.80e-4, 3.3e-5])
    assert total["packet_rate"] == 4458.0


SIDES = ("sender", "receiver")
HEADING_OF_SUMS = "[ ID] Interval           Transfer     Bandwidth       Retr\n"
CPU = "CPU Utilization: local/sender 3.5% (1.5%u/2.0%s), remote/receiver 0.75% (0.25%u/0.50%s)\n"


def test_processors_of_both_sides_are_those_of_their_sums() -> None:
    summary = OLD_UDP[: OLD_UDP.index("- - -")] + "- - - - -\n" + HEADING_OF_SUMS
    rows = "".join(f"[  4]   0.00-2.00   sec   248 KBytes  1.02 Mbits/sec    0    {side}\n" for side in SIDES)
    sent, received = iperf3.parse(summary + rows + CPU + "\niperf Done.\n").runs
    names = ("cpu_utilisation", "cpu_user", "cpu_system")
    assert [sent[name] for name in names] == pytest.approx([0.035, 0.015, 0.02])
    assert [received[name] for name in names] == pytest.approx([0.0075, 0.0025, 0.005])


def test_processors_of_a_side_without_a_sum_are_samples() -> None:
    parsed = iperf3.parse(OLD_UDP.replace("\niperf Done", CPU + "\niperf Done"))
    (run,) = parsed.runs
    at = [place for place, name in enumerate(parsed.series["metric"]) if name]
    assert (run["operation"], run["cpu_user"]) == ("receive", pytest.approx(0.0025))
    assert [parsed.series["metric"][place] for place in at] == ["cpu_utilisation", "cpu_user", "cpu_system"]
    assert [parsed.series["value"][place] for place in at] == pytest.approx([0.035, 0.015, 0.02])
    assert {parsed.series["operation"][place] for place in at} == {"transmit"}


def _sum_of(name: str, size: int, rest: str = "") -> str:
    return f'"{name}": {{"start": 0, "end": 2, "seconds": 2, "bytes": {size}, "bits_per_second": {4 * size}{rest}}}'


def _both_directions(names: tuple[str, ...], of_server: bool = False) -> str:
    start = '"accepted_connection": {}' if of_server else '"connecting_to": {}'
    sums = ",\n".join(_sum_of(name, 1000 * at) for at, name in enumerate(names, 1))
    sent, received = _sum_of("sum", 7, ', "sender": true'), _sum_of("sum", 8, ', "sender": false')
    intervals = f"[{{{sent},\n{received}}}]"
    return f'{{"start": {{{start}}},\n"intervals": {intervals},\n"end": {{\n{sums}}}}}\n'


def test_sums_of_both_directions_that_are_named_alike_are_two() -> None:
    parsed = iperf3.parse(_both_directions(("sum_sent", "sum_received") * 2))
    found = [(row["label"], row["operation"], row["data_size"], row["line"]) for row in parsed.runs]
    assert found == [
        ("TX-C", "transmit", 1000, 5),
        ("TX-C", "receive", 2000, 6),
        ("RX-C", "transmit", 3000, 7),
        ("RX-C", "receive", 4000, 8),
    ]
    assert list(parsed.series["data_size"]) == [7, 8]
    assert list(parsed.series["line"]) == [2, 3]
    assert parsed.complete


def test_datagrams_of_both_directions_that_are_named_alike_are_two() -> None:
    parsed = iperf3.parse(_both_directions(("sum", "sum")))
    assert [(row["label"], row["operation"], row["data_size"]) for row in parsed.runs] == [
        ("TX-C", "transmit", 1000),
        ("RX-C", "receive", 2000),
    ]


@pytest.mark.parametrize(("of_server", "roles"), [(False, ["TX-C", "RX-C"]), (True, ["RX-S", "TX-S"])])
def test_the_reverse_direction_is_what_the_server_sends(of_server: bool, roles: list[str]) -> None:
    names = ("sum_sent", "sum_received", "sum_sent_bidir_reverse", "sum_received_bidir_reverse")
    parsed = iperf3.parse(_both_directions(names, of_server))
    assert [row["label"] for row in parsed.runs] == [roles[0], roles[0], roles[1], roles[1]]


def test_a_rate_is_one_without_the_bytes_that_somebody_took_away() -> None:
    parsed = iperf3.parse('{"start": {}, "end": {"sum_sent": {"bits_per_second": 800}}}\n')
    assert [row["throughput"] for row in parsed.runs] == [100]
    assert parsed.notes[0].text == "the sum 'sum_sent' lacks its bytes"


@pytest.mark.parametrize("window", ["-1K", "NA"])
def test_a_round_trip_is_read_beside_a_window_that_is_not_known(window: str) -> None:
    parsed = iperf3.parse(
        "Client connecting to node05, TCP port 5001 with pid 71\n"
        "[ ID] Interval        Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT        NetPwr\n"
        f"[  3] 0.00-4.00 sec  2.50 GBytes  5.37 Gbits/sec  20481/0          0       {window}/86 us  7804.17\n"
    )
    [row] = parsed.runs
    assert row["round_trip_time"] == pytest.approx(86e-6)
    assert "congestion_window" not in row


OPENING_OF_TWO = """\
Client connecting to node05, UDP port 5001 with pid 71
[  1] local 10.0.0.2 port 43388 connected with 10.0.0.1 port 5001
"""


def test_what_a_server_reports_to_a_client_of_iperf_2_was_received() -> None:
    parsed = iperf3.parse(
        f"{OPENING_OF_TWO}[ ID] Interval        Transfer     Bandwidth      Write/Err  PPS\n"
        "[  1] 0.00-1.00 sec  12.5 MBytes   105 Mbits/sec  8917/0     8916 pps\n"
        "[  1] 0.00-2.00 sec  25.0 MBytes   210 Mbits/sec  17834/0     8915 pps\n"
        "[  1] Sent 17834 datagrams\n"
        "[  1] Server Report:\n"
        "[  1] 0.00-2.00 sec  24.0 MBytes   201 Mbits/sec   0.010 ms    4/17834 (0.022%)\n"
    )
    assert [(row["operation"], row["throughput"]) for row in parsed.runs] == [
        ("transmit", 26.25e6),
        ("receive", 25.125e6),
    ]
    assert (parsed.runs[0]["packet_rate"], parsed.runs[1]["packets_lost"]) == (8915, 4)
    assert list(parsed.series["packet_rate"]) == [8916]


@pytest.mark.parametrize(("name", "more"), [("SUM", "8/3574 (0.22%)"), ("SUM-2", "8/3574     1787 pps")])
def test_sums_of_iperf_2_have_their_datagrams(name: str, more: str) -> None:
    stream = "0.00-2.00 sec  2.50 MBytes  10.5 Mbits/sec   0.013 ms 4/1787 (0.22%)\n"
    parsed = iperf3.parse(
        "Server listening on UDP port 5001\n"
        "[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams\n"
        f"[  1] {stream}[  2] {stream}[{name}] 0.00-2.00 sec  5.00 MBytes  21.0 Mbits/sec   {more}\n"
    )
    [row] = parsed.runs
    assert (row["operation"], row["packets_lost"], row["packets_sent"]) == ("receive", 8, 3574)
    assert len(parsed.clients) == 2
    assert parsed.complete


def test_times_of_bursts_are_read() -> None:
    parsed = iperf3.parse(
        "Server listening on TCP port 5001 with pid 3\n[ ID] Interval        Transfer    Bandwidth    "
        "Burst Latency avg/min/max/stdev (cnt/size) inP NetPwr  Reads=Dist\n"
        "[  1] 0.00-4.01 sec   452 MBytes   945 Mbits/sec  2.250/0.500/7.125/0.750 ms (905/131100)  247 KByte 54634\n"
    )
    [row] = parsed.runs
    times = [row[name] for name in ("latency", "latency_min", "latency_max", "latency_std")]
    assert times == pytest.approx([2.25e-3, 0.5e-3, 7.125e-3, 0.75e-3])


def test_what_bounces_back_is_counted() -> None:
    parsed = iperf3.parse(
        "Client connecting to node05, TCP port 5001 with pid 71 (1 flows)\n"
        "[ ID] Interval     Transfer    Bandwidth      BB cnt=avg/min/max/stdev         Rtry  Cwnd/RTT    RPS\n"
        "[  1] 0.00-2.00 sec  3.91 KBytes  16.0 Kbits/sec  20=0.340/0.206/0.852/0.190 ms  6  14K/195 us    2940 rps\n"
    )
    [row] = parsed.runs
    assert (row["operations"], row["operation_rate"], row["retransmits"]) == (20, 2940, 6)
    assert (row["latency"], row["round_trip_time"]) == pytest.approx((340e-6, 195e-6))


OF_2013 = """Connecting to host 192.0.2.7, port 5201
[  4] local 192.0.2.9 port 43380 connected to 192.0.2.7 port 5201
[ ID] Interval           Transfer     Bandwidth       Retransmits
[  4]   0.00-1.00   sec   110 MBytes   923 Mbits/sec  0
[  4]   1.00-2.00   sec   112 MBytes   940 Mbits/sec  0
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bandwidth       Retransmits
      Sent
[  4]   0.00-2.00   sec   222 MBytes   931 Mbits/sec  7
      Received
[  4]   0.00-2.00   sec   221 MBytes   927 Mbits/sec

iperf Done.
"""


@pytest.mark.parametrize(("command", "operation"), [("", "transmit"), ("$ iperf3 -t2 -c 192.0.2.7 -R\n", "receive")])
def test_sums_of_2013_stand_below_the_word_that_says_whose_they_are(command: str, operation: str) -> None:
    parsed = parsers.parse(command + OF_2013)
    assert parsed.complete
    assert [(row["operation"], row.get("retransmits")) for row in parsed.runs] == [("transmit", 7), ("receive", None)]
    assert set(parsed.series["operation"]) == {operation}


def test_a_negative_count_without_its_sign_is_none() -> None:
    parsed = parsers.parse(OF_2013.replace("sec  7", "sec  4294967295"))
    assert "retransmits" not in parsed.runs[0]
    assert (9, "retransmits: 4294967295 is a negative count without its sign: left out") in parsed.notes


def test_a_second_sum_of_a_stream_without_a_heading_is_of_another_test() -> None:
    heading = "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
    row = "[  5]   0.00-10.00  sec   {} MBytes   {} Mbits/sec  1.250 ms  12/5000 (0.24%)  receiver\n"
    parsed = parsers.parse(heading + row.format("300", "252") + "the other way:\n" + row.format("250", "210"))
    assert [(row["part"], row["data_size"]) for row in parsed.runs] == [(1.0, 300 * 2.0**20), (2.0, 250 * 2.0**20)]


@pytest.mark.parametrize(("silent", "did"), [("sender", "receive"), ("receiver", "transmit")])
def test_intervals_of_a_server_whose_sums_count_one_side_alone_went_that_way(silent: str, did: str) -> None:
    counted = "receiver" if silent == "sender" else "sender"
    text = (
        "[  5]   0.00-1.00   sec   250 MBytes  2.10 Gbits/sec                  \n"
        "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
        "[ ID] Interval           Transfer     Bandwidth\n"
        f"[  5]   0.00-1.02   sec  0.00 Bytes  0.00 bits/sec                  {silent}\n"
        f"[  5]   0.00-1.02   sec   255 MBytes  2.10 Gbits/sec                  {counted}\n"
    )
    parsed = parsers.parse(text)
    assert list(parsed.series["operation"]) == [did]
    assert [row["operation"] for row in parsed.runs] == [did]


def test_tests_of_one_log_have_each_its_own_protocol_and_blocks() -> None:
    test = (
        "Connecting to host node17, port 5201\n"
        "Starting Test: protocol: {}, 1 streams, {} byte blocks, omitting 0 seconds, 10 second test\n"
        "[ ID] Interval           Transfer     Bitrate\n"
        "[  5]   0.00-10.00  sec   300 MBytes   252 Mbits/sec                  sender\n"
        "[  5]   0.00-10.00  sec   300 MBytes   252 Mbits/sec                  receiver\n"
        "CPU Utilization: local/sender 2.0% (0.5%u/1.5%s), remote/receiver 1.0% (0.2%u/0.8%s)\n"
        "\niperf Done.\n"
    )
    two = parsers.parse(test.format("TCP", 131072) + test.format("UDP", 1448))
    said = {(row["part"], row["protocol"], row["record_size"], row["record_size_line"]) for row in two.runs}
    assert said == {(1.0, "TCP", 131072.0, 2), (2.0, "UDP", 1448.0, 10)}
    assert not {"protocol", "record_size"} & two.header.keys()
    alike = parsers.parse(test.format("TCP", 131072) * 2)
    assert (alike.header["protocol"], alike.header["record_size"]) == ("TCP", 131072.0)


def test_a_blank_that_is_missing_in_front_of_the_unit_of_an_interval_loses_no_sum() -> None:
    text = (
        "[ ID] Interval           Transfer     Bandwidth       Retr\n"
        "[  4]   0.00-10.00sec   500 MBytes   419 Mbits/sec    3             sender\n"
        "[  4]   0.00-10.00  sec   499 MBytes   418 Mbits/sec                  receiver\n"
    )
    parsed = parsers.parse(text)
    assert [(row["operation"], row["elapsed"], row["line"]) for row in parsed.runs] == [
        ("transmit", 10.0, 2),
        ("receive", 10.0, 3),
    ]
    assert parsed.complete


OF_IPERF_2 = """\
[  {0}] local 10.0.0.1 port 5001 connected with 10.0.0.2 port 4000{0}
[ ID] Interval       Transfer     Bandwidth
[  {0}] 0.0000-10.0{0}  sec  1.25 GBytes  1.07 Gbits/sec
"""


def test_clients_of_a_server_of_iperf_2_one_after_the_other_are_tests_of_their_own() -> None:
    banner = "Server listening on TCP port 5001\n"
    parsed = iperf3.parse(banner + "".join(OF_IPERF_2.format(f"{stream}") for stream in (1, 2, 3)))
    assert (parsed.complete, parsed.notes) == (True, [])
    assert [(row["part"], row["operation"], row["elapsed"]) for row in parsed.runs] == [
        (1, "receive", 10.01),
        (2, "receive", 10.02),
        (3, "receive", 10.03),
    ]
    first, second = (OF_IPERF_2.format(stream).splitlines(keepends=True) for stream in (1, 2))
    together = iperf3.parse(banner + first[0] + second[0] + first[1] + first[2] + second[2])
    assert ([row["process"] for row in together.clients], together.runs) == (["1", "2"], [])
    third = OF_IPERF_2.format(3).splitlines(keepends=True)
    waiting = iperf3.parse(banner + first[0] + second[0] + "".join(first[1:]) + third[0] + second[2] + third[2])
    assert [row["process"] for row in waiting.clients] == ["1", "2", "3"]
    begun = first[2].replace("0.0000-10.01", "3.0000-4.0000")
    late = iperf3.parse(banner + "".join(first[:2]) + begun + second[0] + first[2] + second[2])
    assert [row["process"] for row in late.clients] == ["1", "2"]


INTERVALS = "".join(f"[  1] {span} sec   640 MBytes  1.07 Gbits/sec\n" for span in ("0.0000-5.0000", "5.0000-10.0000"))


@pytest.mark.parametrize("intervals", ["", INTERVALS])
def test_clients_of_iperf_2_whose_streams_have_one_number_are_tests_of_their_own(intervals: str) -> None:
    banner = "Client connecting to 10.0.0.1, TCP port 5001\n"
    first = OF_IPERF_2.format(1).splitlines(keepends=True)
    second = [line.replace("40001", "40009").replace("10.01", "10.05") for line in first]
    parsed = iperf3.parse(banner * 2 + first[0] + second[0] + first[1] + intervals + "".join((*first[2:], *second[1:])))
    assert (parsed.complete, parsed.clients) == (True, [])
    assert [(row["part"], row["elapsed"]) for row in parsed.runs] == [(1, 10.01), (2, 10.05)]


@pytest.mark.parametrize(("start", "end"), [("0.0000", "10.0014"), ("0.0", "10.0"), ("0,0", "10,0")])
def test_rows_of_iperf_2_are_told_by_their_digits_where_its_banner_is_lost(start: str, end: str) -> None:
    rows = [
        f"[  3] local 10.0.0.2 port 4000{turn} connected with 10.0.0.1 port 5001\n"
        "[ ID] Interval       Transfer     Bandwidth\n"
        f"[  3]  {start}-{end} sec  1.{turn}5 GBytes  1.0{turn} Gbits/sec\n"
        for turn in (1, 2)
    ]
    parsed = iperf3.parse("".join(rows))
    assert (parsed.header["tool"], parsed.complete) == ("iperf", True)
    assert [(row["part"], row["operation"], row["data_size"]) for row in parsed.runs] == [
        (1, "transmit", 1.15 * 2**30),
        (2, "transmit", 1.25 * 2**30),
    ]
    assert [(note.line, note.text) for note in parsed.notes] == [
        (line, "an excerpt of iperf 2: expected the line that says which end it is") for line in (3, 6)
    ]
    at_the_server = iperf3.parse(rows[0].replace("port 5001", "port 40009").replace("port 40001", "port 5001"))
    assert [row["operation"] for row in at_the_server.runs] == ["receive"]
    named = iperf3.parse("Client connecting to 10.0.0.1, TCP port 9\n" + rows[0].replace("port 40001", "port 5001"))
    assert ([row["operation"] for row in named.runs], named.notes) == (["transmit"], [])
    of_iperf3 = iperf3.parse(rows[0].replace(start, "0.00").replace(end, "10.00"))
    assert "tool" not in of_iperf3.header or of_iperf3.header["tool"] != "iperf"
    assert not of_iperf3.complete


def test_a_stream_of_iperf_2_that_goes_both_ways_has_a_star_on_its_way_back() -> None:
    rows = "[ *1] 0.0000-4.0100 sec  1.50 GBytes  3.21 Gbits/sec\n"
    rows += "[  1] 0.0000-4.0050 sec  1.25 GBytes  2.68 Gbits/sec\n"
    opened = "[  1] local 10.0.0.2 port 40009 connected with 10.0.0.1 port 5001 (full-duplex)\n"
    heading = "[ ID] Interval       Transfer     Bandwidth\n"
    client = iperf3.parse(f"Client connecting to 10.0.0.1, TCP port 5001\n{opened}{heading}{rows}")
    server = iperf3.parse(f"Server listening on TCP port 5001\n{opened}{heading}{rows}")
    for parsed, there, back in ((client, "transmit", "receive"), (server, "receive", "transmit")):
        assert parsed.complete
        assert [(row["operation"], row["elapsed"]) for row in parsed.runs] == [(back, 4.01), (there, 4.005)]


def test_iperf_2_may_listen_at_several_ports() -> None:
    there = OF_IPERF_2.format(1).replace("port 5001 connected", "port 40009 connected").replace("40001", "5001")
    banners = "Client connecting to 10.0.0.2, TCP port 5001\nServer listening on TCP ports 5290-5298 with pid 9377\n"
    parsed = iperf3.parse(banners + there + OF_IPERF_2.format(2).replace("port 5001", "port 5290"))
    assert parsed.complete
    assert [row["operation"] for row in parsed.runs] == ["transmit", "receive"]


def test_the_way_back_of_a_client_of_iperf_2_is_of_the_same_test() -> None:
    there = OF_IPERF_2.format(4).replace("port 5001 connected", "port 40009 connected").replace("40004", "5001")
    banners = "Server listening on TCP port 5001\nClient connecting to 10.0.0.2, TCP port 5001\n"
    parsed = iperf3.parse(banners + there + OF_IPERF_2.format(5))
    assert [(row["operation"], "part" in row) for row in parsed.runs] == [("transmit", False), ("receive", False)]


CALL = "$ sudo ip netns exec h1 iperf3 -c 10.0.0.2 -P 4 -t 10\n"


def _streams(*sizes: float, total: float) -> str:
    rows = [*enumerate(map(float, sizes), start=5), ("SUM", total)]
    return "".join(
        f"[{name:>3}]   0.00-10.00  sec  {size:.1f} GBytes  859 Mbits/sec    {side}\n"
        for name, size in rows
        for side in ("sender", "receiver")
    )


def test_streams_that_make_their_sum_are_counted() -> None:
    parsed = iperf3.parse(_streams(1, 1, 2, total=4.1))
    assert parsed.complete
    assert (parsed.header["processes"], parsed.header["processes_line"]) == (3, 0)


@pytest.mark.parametrize("sizes", [(1, 1, 2), (4,)], ids=["some", "one"])
def test_streams_that_somebody_left_out_are_missed_in_their_sum(sizes: tuple[float, ...]) -> None:
    parsed = iperf3.parse(_streams(*sizes, total=8))
    assert not parsed.complete
    assert "processes" not in parsed.header
    assert "the streams do not add up to their sum: some are left out" in [said for _, said in parsed.notes]


def test_the_call_at_a_prompt_says_how_many_streams_there_are() -> None:
    whole = iperf3.parse(CALL + _streams(1, 1, 1, 1, total=4))
    assert whole.complete
    assert (whole.header["processes"], whole.header["processes_line"]) == (4, 1)
    sums = iperf3.parse(CALL + _streams(total=4))
    assert not sums.complete
    assert sums.header["processes"] == 4
    assert "0 of 4 streams have rows" in [said for _, said in sums.notes]
    assert iperf3.parse(CALL + _streams(1, 1, 1, 1, 1, total=5)).header["processes"] == 5


@pytest.mark.parametrize(
    "above",
    [CALL + CALL.replace("4", "8"), CALL + "...\n" * 20, f"{CALL}[me@n1 ~]$ tail iperf3.log\n"],
    ids=["two", "far away", "another command"],
)
def test_a_call_that_may_be_of_another_test_says_nothing(above: str) -> None:
    parsed = iperf3.parse(above + _streams(total=4))
    assert parsed.complete
    assert "processes" not in parsed.header


@pytest.mark.parametrize("kept", [(0, 2), (1, 2), (0, 1)], ids=["between", "before", "behind"])
def test_intervals_that_somebody_left_out_are_missed(kept: tuple[int, ...]) -> None:
    intervals = [f"[  5]   {at:.2f}-{at + 10:.2f}  sec  1.0 GBytes  859 Mbits/sec\n" for at in (0, 10, 20)]
    sums = _streams(3, total=3).replace("0.00-10.00", "0.00-30.00").partition("[SUM]")[0]
    assert iperf3.parse("".join(intervals) + sums).complete
    assert not iperf3.parse("".join(intervals[at] for at in kept) + sums).complete


def test_a_call_in_a_container_is_one() -> None:
    call = "kubectl exec -n netperf -it client -- iperf3 -c server -t 10 -P 4\n"
    assert iperf3.parse(call + _streams(total=4)).header["processes"] == 4


def piece_of(name: str, first: int, last: int) -> str:
    """Return some lines of a fixture, as somebody posts them."""
    lines = (LOGS / "iperf3" / name).read_text().split("\n")
    return "\n".join(lines[first - 1 : last]) + "\n"


@pytest.mark.parametrize("name", ["iperf3-3.12-tcp-P4.json", "iperf3-3.12-udp.json"])
def test_intervals_without_the_head_of_their_document_are_read(name: str) -> None:
    """What is read of any piece stands in the whole document, on the line that many further down."""
    text = (LOGS / "iperf3" / name).read_text()
    whole, count = _samples(parsers.parse(text).series), text.count("\n")
    for first in range(60, count - 30, 29):
        parsed = parsers.parse(piece_of(name, first, count))
        assert not parsed.complete
        found = _samples(parsed.series)
        assert [{**row, "line": row["line"] + first - 1} for row in found] == whole[len(whole) - len(found) :]
    assert whole[0]["operation"] == "transmit"


def _samples(series: Columns) -> list[dict[str, Value]]:
    names = ("time", "throughput", "operation", "line")
    return [dict(zip(names, row, strict=True)) for row in zip(*(series.get(name, ()) for name in names), strict=True)]


def test_sums_without_the_head_of_their_document_are_read() -> None:
    parsed = parsers.parse(piece_of("iperf3-3.12-reverse-server-output.json", 80, 153))
    assert [(row["operation"], row["line"]) for row in parsed.runs] == [("transmit", 53), ("receive", 62)]
    assert parsed.runs[1]["cpu_utilisation"] == pytest.approx(0.0671018255886239)


@pytest.mark.parametrize(
    ("told", "operation"),
    [('"sender": false', "receive"), ('"retransmits": 4', "transmit"), ('"jitter_ms": 0.1', "receive")],
)
def test_an_interval_alone_went_the_way_that_it_says(told: str, operation: str) -> None:
    parsed = parsers.parse(INTERVALS.replace('"omitted"', f'{told}, "omitted"'))
    assert (parsed.series["operation"], parsed.complete) == ([operation, operation], False)


def test_intervals_that_do_not_say_which_way_they_went_are_refused() -> None:
    with pytest.raises(ParseError, match="expected a row of iperf3's table, or its JSON"):
        parsers.parse(INTERVALS)


INTERVALS = '"intervals": [\n' + 2 * (
    '{"streams": [], "sum": {"start": 1, "end": 2, "bytes": 8, "bits_per_second": 64, "omitted": false}},\n'
)


@pytest.mark.parametrize("name", ["server_output_text", "server_output_json"])
def test_what_the_server_reports_is_left_alone_and_told(name: str) -> None:
    text = (LOGS / "iperf3" / "iperf3-3.12-udp.json").read_text()
    assert not iperf3.parse(text).notes
    parsed = iperf3.parse(json.dumps(json.loads(text) | {name: "[ ID] Interval"}, indent=1) + "\n")
    assert [note.text for note in parsed.notes] == ["the server's own report is left alone"]


def test_a_server_that_reports_its_own_side_alone_leaves_no_sum_out() -> None:
    rows = [f"[  5]   0.00-3.00   sec  2.19 GBytes  6.26 Gbits/sec    2             {side}\n" for side in SIDES]
    own = "Server output:\n[ ID] Interval           Transfer     Bitrate\n" + rows[1]
    log = f"Connecting to host a, port 5201\n{HEADING_OF_SUMS}{''.join(rows)}\n{own}\niperf Done.\n"
    assert [note.text for note in parsers.read(log)[1].notes] == ["the server's own report is left alone"]
