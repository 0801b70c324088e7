"""What golden tables do not show of /proc/net/dev: kernels with other columns, damaged lines, several snapshots."""

from __future__ import annotations

import math

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.monitors import proc_net_dev
from tests.conftest import LOGS

TITLE = "Inter-|   Receive                          |  Transmit\n"
HEADING = (
    " face |bytes packets errs drop fifo frame compressed multicast|"
    "bytes packets errs drop fifo colls carrier compressed\n"
)


def snapshot(*lines: str) -> str:
    return TITLE + HEADING + "".join(f"{line}\n" for line in lines)


def line(name: str, received: int, sent: int) -> str:
    return f"{name}:{received} 2 3 4 0 0 0 0 {sent} 6 7 8 0 0 0 0"


def test_both_directions_of_every_interface() -> None:
    series = proc_net_dev.parse(snapshot(line("    lo", 1, 5), line("vethf345468", 10, 50))).series
    assert list(series["interface"]) == ["lo", "lo", "vethf345468", "vethf345468"]
    assert list(series["operation"]) == ["receive", "transmit"] * 2
    assert list(series["counter_bytes"]) == [1.0, 5.0, 10.0, 50.0]
    assert list(series["counter_packets"]) == [2.0, 6.0, 2.0, 6.0]
    assert list(series["counter_errors"]) == [3.0, 7.0, 3.0, 7.0]
    assert list(series["counter_drops"]) == [4.0, 8.0, 4.0, 8.0]
    assert list(series["line"]) == [3, 3, 4, 4]
    assert "part" not in series


def test_time_is_unknown() -> None:
    series = proc_net_dev.parse(snapshot(line("eth0", 1, 5))).series
    assert all(isinstance(value, float) and math.isnan(value) for value in series["time"])


def test_columns_are_found_by_name() -> None:
    text = TITLE + " face |packets bytes|drop bytes\neth0: 1 2 3 4\n"
    series = proc_net_dev.parse(text).series
    assert list(series["counter_bytes"]) == [2.0, 4.0]
    assert str(list(series["counter_packets"])) == "[1.0, nan]"
    assert str(list(series["counter_drops"])) == "[nan, 3.0]"


def test_two_snapshots_are_parts() -> None:
    series = proc_net_dev.parse(snapshot(line("eth0", 1, 5)) + snapshot(line("eth0", 2, 6))).series
    assert list(series["part"]) == [1.0, 1.0, 2.0, 2.0]
    assert list(series["line"]) == [3, 3, 6, 6]


def test_line_with_a_missing_counter_is_not_shifted() -> None:
    parsed = proc_net_dev.parse(snapshot("eth0: 1 2 3", line("eth1", 1, 5)))
    assert list(parsed.series["interface"]) == ["eth1", "eth1"]
    assert (parsed.complete, parsed.notes) == (False, [(3, "an interface wants 16 counters, found 3 words")])


@pytest.mark.parametrize("foreign", ["a message", "[me@node:~] $ cat /proc/net/dev", "sum of all: 42.1MiB"])
def test_foreign_line_leaves_a_note(foreign: str) -> None:
    parsed = proc_net_dev.parse(snapshot(foreign, line("eth0", 1, 5)))
    assert (parsed.complete, parsed.notes) == (True, [(3, "not a line of the table")])


def test_damaged_interface_is_no_foreign_line() -> None:
    assert not proc_net_dev.parse(snapshot("eth1:\ufffd\ufffd", line("eth0", 1, 5))).complete


def test_last_line_without_its_end_is_not_trusted() -> None:
    whole = snapshot(line("lo", 1, 5), line("eth0", 100, 500))
    parsed = proc_net_dev.parse(whole[:-1])
    assert list(parsed.series["interface"]) == ["lo", "lo"]
    assert not parsed.complete


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"log:1: expected an interface with its counters under a header 'face \|bytes ...', found ''"),
        (TITLE + HEADING, r"log:1: expected an interface .+, found 'Inter-\|"),
        ("eth0: 1 2 3\n", r"log:1: expected an interface .+, found 'eth0: 1 2 3'"),
    ],
)
def test_what_holds_no_interface_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        proc_net_dev.parse(text)


def test_no_other_format_is_claimed() -> None:
    for log in (LOGS / "fio_json").glob("*.json"):
        assert not proc_net_dev.sniff(log.read_text()[: parsers.HEAD])


def test_a_date_above_a_snapshot_is_its_time() -> None:
    table = snapshot(line("eth0", 10, 50))
    parsed = proc_net_dev.parse(f"1300450000.500000000\n{table}1300450002\n{table}")
    assert list(parsed.series["time"]) == [0.0, 0.0, 1.5, 1.5]
    assert parsed.header["started"] == "2011-03-18T12:06:40.500000+00:00"
    assert parsed.complete


@pytest.mark.parametrize("above", ["Fri Mar 18 12:06:40 UTC 2011\n", "12345\n", "1300450000\n\n", ""])
def test_without_seconds_right_above_it_a_snapshot_has_no_time(above: str) -> None:
    parsed = proc_net_dev.parse(above + snapshot(line("eth0", 10, 50)))
    assert all(math.isnan(float(time)) for time in parsed.series["time"])
    assert "started" not in parsed.header
