"""What golden tables do not show of ip -s link: cut blocks, unknown columns, JSON that is cut."""

from __future__ import annotations

import pytest

from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors import ip_link

RX = "    RX:  bytes packets errors dropped  missed   mcast\n    2664824550   75749      1       2       3       4\n"
TX = "    TX:  bytes packets errors dropped carrier collsns\n       4081226   38899      5       6       7       8\n"
ETH0 = "4: eth0@if2: <BROADCAST,UP> mtu 1400 qdisc noop\n    link/ether 02:fc:00:00:00:01\n" + RX + TX
JSON = (
    '[{"ifname":"eth0","stats64":{"rx":{"bytes":1,"packets":2,"errors":3,"dropped":4},"tx":{"bytes":5,"packets":6}}},{},'
    '{"ifname":"lo",\n"stats64":{"rx":{\n"bytes":7},\n"tx":{"bytes":8}}}]'
)


def rows(parsed: Parsed, *names: str) -> list[Row]:
    """The rows with a counter of bytes, of some columns."""
    series = parsed.series
    return [
        {name: series[name][at] for name in names}
        for at in range(len(series["line"]))
        if series["counter_bytes"][at] == series["counter_bytes"][at]
    ]


def test_another_count_of_what_was_received_is_not_claimed() -> None:
    assert ip_link.sniff(ETH0)
    assert not ip_link.sniff(ETH0.replace("bytes packets", "packets bytes"))


def test_both_directions_with_their_lines() -> None:
    parsed = ip_link.parse(ETH0)
    assert rows(parsed, "interface", "operation", "counter_bytes", "counter_errors", "line") == [
        {
            "interface": "eth0",
            "operation": "receive",
            "counter_bytes": 2664824550.0,
            "counter_errors": 1.0,
            "line": 4,
        },
        {"interface": "eth0", "operation": "transmit", "counter_bytes": 4081226.0, "counter_errors": 5.0, "line": 6},
    ]
    assert set(parsed.series["metric"]) == {"", "mtu", "RX missed", "RX mcast", "TX carrier", "TX collsns"}


def test_one_line_an_interface() -> None:
    text = ETH0.replace("\n", "\\").removesuffix("\\") + "\n"
    assert [row["line"] for row in rows(ip_link.parse(text + text.replace("eth0", "eth1")), "line")] == [1, 1, 2, 2]


def test_suffixes_are_powers_of_1000_or_with_i_of_1024() -> None:
    text = ETH0.replace("2664824550   75749", "2.66G 75.7k").replace("4081226   38899", "3.89Mi 37.9ki")
    assert rows(ip_link.parse(text), "counter_bytes", "counter_packets") == [
        {"counter_bytes": 2.66e9, "counter_packets": 75.7e3},
        {"counter_bytes": 3.89 * 2**20, "counter_packets": 37.9 * 2**10},
    ]
    large = ip_link.parse(text.replace("2.66G", "2.66P").replace("3.89Mi", "3.89Ei"))
    assert [row["counter_bytes"] for row in rows(large, "counter_bytes")] == [2.66e15, 3.89 * 2**60]


@pytest.mark.parametrize("text", [ETH0.replace(TX, ""), ETH0.replace("38899  ", ""), ETH0.replace("   38899", " 3x")])
def test_missing_half_or_number_is_said(text: str) -> None:
    parsed = ip_link.parse(text)
    assert (parsed.complete, len(rows(parsed, "line"))) == (False, 1)


def test_counters_without_an_interface_are_kept_and_said() -> None:
    parsed = ip_link.parse(RX + TX)
    assert len(rows(parsed, "line")) == 2
    assert parsed.notes == [(1, "counters stand before any interface is named")]


def test_json_has_lines_and_needs_no_newline_at_its_end() -> None:
    parsed = ip_link.parse(JSON)
    assert [(row["counter_bytes"], row["line"]) for row in rows(parsed, "counter_bytes", "line")] == [
        (1.0, 1),
        (5.0, 1),
        (7.0, 3),
        (8.0, 4),
    ]
    assert parsed.complete


@pytest.mark.parametrize("cut", [JSON[:-1], JSON[:-8], JSON[:150]])
def test_cut_json_keeps_what_is_whole(cut: str) -> None:
    parsed = ip_link.parse(cut)
    assert rows(parsed, "interface")[0] == {"interface": "eth0"}
    assert not parsed.complete


@pytest.mark.parametrize("text", ["", "4: eth0: <UP> mtu 1400\n", '[{"ifname":"eth0"}]'])
def test_what_holds_no_counters_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"expected .+ counters under 'RX: bytes packets ...', found"):
        ip_link.parse(text)


def test_interfaces_whose_numbers_a_script_left_away() -> None:
    text = ETH0.removeprefix("4: ") + ETH0.removeprefix("4: ").replace("eth0@if2", "bond1")
    parsed = ip_link.parse(text)
    assert parsed.complete
    assert [row["interface"] for row in rows(parsed, "interface")] == ["eth0", "eth0", "bond1", "bond1"]


CONTROLLER = (
    "    can state ERROR-ACTIVE (berr-counter tx 0 rx 0) restart-ms 100\n"
    "\t  re-started bus-errors arbit-lost error-warn error-pass bus-off\n"
    "\t  3          41         0          7          2          1         numtxqueues 1 numrxqueues 1\n"
)


def test_a_controller_of_can_has_its_counters() -> None:
    series = ip_link.parse(ETH0.replace(RX, CONTROLLER + RX).replace("eth0@if2", "can0")).series
    found = dict(zip(series["metric"], series["value"], strict=True))
    assert (found["re-started"], found["bus-errors"], found["arbit-lost"]) == (3, 41, 0)
    assert (found["error-warn"], found["error-pass"], found["bus-off"]) == (7, 2, 1)
    assert {series["line"][at] for at, name in enumerate(series["metric"]) if name == "bus-off"} == {5}


def test_a_controller_of_can_without_all_its_counters_is_said() -> None:
    text = ETH0.replace(RX, CONTROLLER.replace(" 41 ", "") + RX)
    assert ip_link.parse(text).notes[0].text.startswith("a CAN controller wants 6 numbers under ['re-started',")


def test_json_has_the_counters_of_a_controller() -> None:
    kind = '"linkinfo":{"info_kind":"can",\n"info_xstats":{"restarts":3,\n"bus_off":1}},"stats64"'
    series = ip_link.parse(JSON.replace('"stats64"', kind, 1)).series
    found = zip(series["metric"], series["value"], series["line"], strict=True)
    assert [one for one in found if one[0]] == [("restarts", 3, 2), ("bus_off", 1, 3)]
