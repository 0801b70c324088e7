"""What golden tables do not show of ifstat: units, midnight, names with blanks, interfaces that come and go."""

from __future__ import annotations

import pytest

from storagelab.errors import ParseError
from storagelab.parsers.monitors import ifstat
from tests.conftest import LOGS

ONE = "        lo        \n KB/s in  KB/s out\n"
TIMED = "  Time           lo        \nHH:MM:SS   KB/s in  KB/s out\n"


def test_a_row_a_direction() -> None:
    series = ifstat.parse(ONE + "  100.0      2.50\n    0.00      1.00\n").series
    assert list(series["operation"]) == ["receive", "transmit"] * 2
    assert list(series["throughput"]) == [102400.0, 2560.0, 0.0, 1024.0]
    assert list(series["line"]) == [3, 3, 4, 4]
    assert "time" not in series


def test_bits_are_1024_a_kilobit() -> None:
    series = ifstat.parse(ONE.replace("KB/s", "Kbps") + "    8.00     16.00\n").series
    assert list(series["throughput"]) == [1024.0, 2048.0]


def test_time_grows_over_midnight() -> None:
    text = TIMED + "23:59:59  1.00  1.00\n00:00:01  1.00  1.00\n"
    assert list(ifstat.parse(text).series["time"]) == [0.0, 0.0, 2.0, 2.0]


def test_heading_comes_again() -> None:
    parsed = ifstat.parse(ONE + "1.0 2.0\n" + ONE + "3.0 4.0\n")
    assert (list(parsed.series["line"]), parsed.complete) == ([3, 3, 6, 6], True)


def test_total_is_all_interfaces_and_an_absent_one_has_no_value() -> None:
    text = "        lo               Total       \n KB/s in  KB/s out   KB/s in  KB/s out\n n/a  n/a  1.0  2.0\n"
    assert list(ifstat.parse(text).series["interface"]) == ["all", "all"]


def test_names_with_blanks_stand_above_their_columns() -> None:
    text = "   Local Area 1          lo        \n KB/s in  KB/s out   KB/s in  KB/s out\n 1 2 3 4\n"
    assert list(ifstat.parse(text).series["interface"])[::2] == ["Local Area 1", "lo"]


@pytest.mark.parametrize("line", ["1.0", "1.0 x", "1.0 2.0 3.0"])
def test_line_that_is_no_sample_is_said(line: str) -> None:
    parsed = ifstat.parse(ONE + line + "\n1.0 2.0\n")
    assert parsed.notes == [(3, "a sample wants 1 pairs of numbers")]
    assert not parsed.complete


def test_counts_of_iproute2_are_powers_of_1000() -> None:
    heading = "#kernel\nInterface        RX Pkts/Rate    TX Pkts/Rate    RX Data/Rate    TX Data/Rate\n"
    parsed = ifstat.parse(heading + "eth0  12K 3  4 5  6M 7K  8 9\n  1 0 2 0 0 0 0 0\nlo 1 2\n")
    series = parsed.series
    traffic = {name: list(series[name])[:2] for name in ("data_size", "throughput", "errors")}
    assert traffic == {"data_size": [6e6, 8.0], "throughput": [7e3, 9.0], "errors": [1.0, 2.0]}
    assert str(list(series["packets_received"])[:2]) == "[12000.0, nan]"
    assert list(series["metric"])[:2] == ["", ""]
    assert all(value != value for name in traffic for value in series[name][2:])
    assert [note.line for note in parsed.notes] == [5]


def test_what_stands_before_the_columns_of_iproute2_is_no_name() -> None:
    text = "17;Interface  RX Pkts/Rate  TX Pkts/Rate  RX Data/Rate  TX Data/Rate\n18;eth0  1 2 3 4 5 6 7 8\n"
    with pytest.raises(ParseError, match=r"^log:1: expected 'Interface' where its line begins, found '17;Inter"):
        ifstat.parse(text)


def test_second_line_of_iproute2_has_its_own_meaning() -> None:
    heading = "Interface  RX Pkts/Rate  TX Pkts/Rate  RX Data/Rate  TX Data/Rate\n"
    parsed = ifstat.parse(heading + "eth0  1 2 3 4 5 6 7 8\n  1 12K 0 3 4 5 6 7\n")
    rows = zip(*(parsed.series[name] for name in ("metric", "operation", "value", "unit", "line")), strict=True)
    assert list(rows)[2:] == [
        ("RX Drop", "receive", 12e3, "1", 3),
        ("TX Drop", "transmit", 3.0, "1", 3),
        ("RX Over", "receive", 4.0, "1", 3),
        ("RX Over/Rate", "receive", 5.0, "1/s", 3),
        ("TX Coll", "transmit", 6.0, "1", 3),
        ("TX Coll/Rate", "transmit", 7.0, "1/s", 3),
    ]
    assert list(parsed.series["errors_line"])[:2] == [3, 3]


def test_line_that_no_heading_explains_is_said() -> None:
    heading = "Interface  RX Pkts/Rate  TX Pkts/Rate  RX Data/Rate  TX Data/Rate\n"
    parsed = ifstat.parse(heading + "eth0  1 2 3 4 5 6 7 8\n" + "  0 0 0 0 0 0 0 0\n" * 2)
    assert [note.line for note in parsed.notes] == [4]
    assert not parsed.complete


def test_json_of_iproute2_that_breaks_off_is_incomplete() -> None:
    parsed = ifstat.parse('{"kernel":{"lo":{"rx_packets":1,"tx_packets":2,"rx_bytes":3,"tx_bytes":4},"eth0":{"rx_pa')
    assert list(parsed.series["data_size"]) == [3.0, 4.0]
    assert parsed.notes == [(1, "the JSON breaks off or is damaged")]


def test_an_object_where_json_has_a_counter_is_no_line() -> None:
    text = '{"kernel": {\n"lo": {"rx_packets": 1, "tx_packets": 2,\n"rx_bytes": {"a": 3}, "tx_bytes": 4}}}\n'
    assert list(ifstat.parse(text).series["line"]) == [3, 3]


@pytest.mark.parametrize("text", ["", ONE, "no log\n"])
def test_what_holds_no_sample_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected a sample under 'KB/s in  KB/s out' or 'RX Pkts/Rate', found"):
        ifstat.parse(text)


def test_text_below_the_end_of_a_table_is_no_sample() -> None:
    parsed = ifstat.parse(f"{ONE}1.0 2.0\n\nthe link is idle\n```\n$ ifstat -i lo\n{ONE}3.0 4.0\n")
    assert (parsed.complete, parsed.notes) == (True, [(5, "not a line of ifstat")])
    assert list(parsed.series["line"]) == [3, 3, 10, 10]
    for cut in (f"{ONE}1.0 2.0\nthe link is idle\n", f"{ONE}1.0 2.0\n\n1.0 idle\n", f"{ONE}1.0 2.0\n\n...\n"):
        assert not ifstat.parse(cut).complete


@pytest.mark.parametrize(
    ("end", "is_whole"), [("```\n\nNow with more load:\n", True), ('    """\n', True), ("veth7\n", False)]
)
def test_text_behind_the_end_of_what_was_counted_is_no_interface(end: str, is_whole: bool) -> None:
    text = (LOGS / "ifstat/imitated-iproute2.txt").read_text()
    assert ifstat.parse(text + end).complete is is_whole
