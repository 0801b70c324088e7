"""What golden tables do not show of ifconfig: rounded sizes, aliases, missing counters, several snapshots."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.monitors import ifconfig
from storagelab.parsers.monitors.snapshot import rounded
from tests.conftest import LOGS
from tests.parsers.monitors.samples import rows

ETH0 = """eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500
        RX packets 8061  bytes 1514413 (1.4 MiB)
        RX errors 1  dropped 2  overruns 0  frame 0
        TX packets 4502  bytes 866622 (846.3 KiB)
        TX errors 3  dropped 4 overruns 0  carrier 0  collisions 0

"""


def test_both_directions_with_their_lines() -> None:
    series = ifconfig.parse(ETH0).series
    assert list(series["operation"]) == ["receive", "transmit"]
    assert list(series["counter_bytes"]) == [1514413.0, 866622.0]
    assert list(series["counter_packets"]) == [8061.0, 4502.0]
    assert list(series["counter_errors"]) == [1.0, 3.0]
    assert list(series["counter_drops"]) == [2.0, 4.0]
    assert list(series["line"]) == [2, 4]
    assert "part" not in series


@pytest.mark.parametrize(
    ("size", "unit", "exact", "bytes"),
    [
        ("1.4", "MiB", 1514413, 1.4 * 2**20),
        ("178.5", "MB", 178583682, 178.5e6),
        ("170.3", "Mb", 178583682, 170.3 * 2**20),
        ("76.7", "KB", 76797, 76.7e3),
        ("846,3", "KiB", 866622, 846.3 * 2**10),
        ("12.0", "B", 12, 12),
    ],
)
def test_rounded_size_is_of_the_unit_that_fits_the_count(size: str, unit: str, exact: float, bytes: float) -> None:
    assert rounded(size, unit, exact) == pytest.approx(bytes)


def test_a_size_of_both_powers_is_of_that_of_the_other_sizes_of_its_log() -> None:
    assert rounded("1.1", "MB", 1180495.0, 1000) == 1100000
    assert rounded("1.1", "MB", 1180495.0, 1024) == pytest.approx(1153433.6)
    assert rounded("4.6", "MB", 4699877.0, 1024) == 4600000


def test_a_size_that_is_cut_behind_its_decimal_is_no_more_than_the_count() -> None:
    assert rounded("1.0", "KB", 1023.0) == 1000.0
    assert rounded("9.0", "KB", 1023.0) == 9000.0, "neither fits: the nearer one"


def test_same_interface_again_is_another_snapshot() -> None:
    assert list(ifconfig.parse(ETH0 + ETH0).series["part"]) == [1, 1, 2, 2]


def test_alias_without_counters_lacks_nothing() -> None:
    assert ifconfig.parse(ETH0 + "eth0:1: flags=4163<UP>  mtu 1500\n        inet 192.0.2.11\n\n").complete


@pytest.mark.parametrize("lost", ["TX packets", "RX errors", "bytes 866622"])
def test_missing_counters_are_said(lost: str) -> None:
    parsed = ifconfig.parse(ETH0.replace(lost, "", 1))
    assert not parsed.complete
    assert "counters of an interface are missing" in parsed.notes[0].text


def test_counters_without_an_interface_are_said_and_left_out() -> None:
    parsed = ifconfig.parse(ETH0.split("\n", 1)[1] + ETH0)
    assert (parsed.complete, len(parsed.series["line"])) == (False, 2)


def test_short_table_with_a_missing_column() -> None:
    text = "Iface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n"
    parsed = ifconfig.parse(text + "eth0 1400 1 2 3 0 5 6 7 0 BMRU\nlo 65536 1 2 3\n")
    assert list(parsed.series["counter_packets"]) == [1.0, 5.0]
    assert (parsed.complete, parsed.notes[0].line) == (False, 3)


@pytest.mark.parametrize("text", ["", "en0: flags=8863<UP> mtu 1500\n\tether 02:00:5e:10:00:01\n\tstatus: active\n"])
def test_what_holds_no_counters_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected an interface with 'RX packets' and 'TX packets', found"):
        ifconfig.parse(text)


def test_a_binary_unit_is_no_power_of_1000_however_well_that_fits() -> None:
    assert rounded("1.0", "KiB", 1001.0) == 1024.0
    assert rounded("1.0", "KB", 1001.0) == 1000.0


def test_an_interface_of_another_language_needs_its_counters() -> None:
    french = (LOGS / "ifconfig/imitated-1.60-french.txt").read_text()
    assert ifconfig.sniff(french)
    link, *rest = french.splitlines(keepends=True)
    counters = "".join(line for line in rest if line.count(":") >= 5)
    assert not ifconfig.sniff(link)
    assert not ifconfig.sniff(counters)


@pytest.mark.parametrize("indentation", [" ", "\t ", "\t\t"])
def test_an_interface_may_be_indented(indentation: str) -> None:
    text = (LOGS / "ifconfig" / "imitated-net-tools-1.60.txt").read_text()
    indented = "".join(f"{indentation}{line}" if line.strip() else line for line in text.splitlines(keepends=True))
    assert ifconfig.parse(indented).series == ifconfig.parse(text).series


def test_counters_of_the_driver_below_an_interface_are_metrics_of_it() -> None:
    interface = (
        "eth0: flags=4163<UP,RUNNING>  mtu 1500\n"
        "        RX packets 20  bytes 2000 (2.0 KB)\n        RX errors 0  dropped 1  overruns 0  frame 0\n"
        "        TX packets 10  bytes 1000 (1.0 KB)\n"
        "        TX errors 0  dropped 0 overruns 0  carrier 0  collisions 0\n"
    )
    driver = "\nNIC statistics:\n     rx_packets: 21\n     rx_errors: 0\n     tx_queue_0_bytes: 1004\n"
    parsed = parsers.parse(interface + driver + "\nTotal: 7\n")
    assert parsed.complete
    told = [(row["metric"], row["value"], row["line"]) for row in rows(parsed, interface="eth0") if "metric" in row]
    assert told == [("rx_packets", 21.0, 8), ("tx_queue_0_bytes", 1004.0, 10)]
