"""sadf: what its golden tables do not show."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.model import Row
from storagelab.parsers.monitors.sysstat.groups import Group, items
from storagelab.parsers.recognition import Recogniser
from storagelab.parsers.text import decode
from storagelab.units import KIB
from tests.conftest import LOGS
from tests.parsers.monitors.samples import first, read, rows
from tests.work import calls

CSV = "# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s\n"


def test_the_forms_say_the_same() -> None:
    forms = ("csv-12.6.1.csv", "pairs-12.6.1.txt", "tables-12.6.1.json", "tables-12.6.1.xml")
    found = [
        {
            (row["time"], row["operation"], row["throughput"])
            for row in rows(read(f"sadf/{form}"), interface="lo")
            if "throughput" in row
        }
        for form in forms
    ]
    assert found[0]
    assert all(samples == found[0] for samples in found)


def test_an_offset_stands_where_the_zone_is_known() -> None:
    started = {log: read(f"sadf/{log}-12.6.1.csv").header["started"] for log in ("csv", "csv-epoch", "csv-local")}
    assert started["csv"] == started["csv-epoch"] == f"{started['csv-local']}+00:00"


def test_items_of_a_sample_may_stand_in_one_line() -> None:
    text = CSV.replace("\n", "[...]\n") + "vm;2;2026-11-20 16:23:33;lo;1.00;2.00;3.00;4.00;eth0;5.00;6.00;7.00;8.00\n"
    parsed = parsers.parse(text)
    assert [row["throughput"] for row in rows(parsed, operation="transmit")] == [4 * KIB, 8 * KIB]
    assert rows(parsed)[0]["elapsed"] == 2.0


DISKS_AND_INTERFACES = (
    "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;%util[...];IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s[...]\n"
    "vm;2;2026-11-20 16:23:33 UTC;sda;1.0;2.0;3.0;4.0;{};1.0;2.0;3.0;5.0;lo;1.0;2.0;3.0;4.0;enp3s0;5.0;6.0;7.0;8.0\n"
)


def test_disks_and_interfaces_in_one_line_are_told_by_the_names_that_linux_gives() -> None:
    parsed = parsers.parse(DISKS_AND_INTERFACES.format("nvme0n1"))
    assert parsed.complete
    assert {row["device"] for row in rows(parsed) if "device" in row} == {"sda", "nvme0n1"}
    assert [row["throughput"] for row in rows(parsed, operation="transmit")] == [4 * KIB, 8 * KIB]


def test_of_disks_and_interfaces_whose_names_tell_nothing_none_is_read() -> None:
    with pytest.raises(ParseError, match="expected a sample of sadf"):
        parsers.parse(DISKS_AND_INTERFACES.format("vg-root"))


def test_a_restart_tells_the_processors() -> None:
    text = (
        CSV + "vm;-1;2026-11-20 16:23:33 UTC;LINUX-RESTART\t(2 CPU)\nvm;1;2026-11-20 16:23:34 UTC;lo;1.0;2.0;3.0;4.0\n"
    )
    parsed = parsers.parse(text)
    assert first(parsed, metric="CPUs")["value"] == 2.0
    assert "elapsed" not in first(parsed, metric="CPUs")
    assert parsed.complete


def test_a_comment_is_passed_over() -> None:
    text = CSV + "vm;0;2026-11-20 16:23:33 UTC;COM hello\nvm;1;2026-11-20 16:23:34 UTC;lo;1.0;2.0;3.0;4.0\n"
    assert parsers.parse(text).complete


def test_hosts_that_differ_are_told_apart() -> None:
    text = CSV + "".join(f"oss{n};1;2026-11-20 16:23:34 UTC;lo;1.0;2.0;3.0;4.0\n" for n in (1, 2))
    assert {row["host"] for row in rows(parsers.parse(text))} == {"oss1", "oss2"}


def test_raw_counters_keep_what_was_before_the_first_sample() -> None:
    line = "16:23:{}; IFACE; lo; rxpck/s; {}; {}; rxkB/s; {}; {}; speed; 1000; duplex; 2;\n"
    parsed = parsers.parse(line.format("33 UTC", 10, 20, 1000, 2000) + line.format("35 UTC", 20, 30, 2000, 5000))
    received = rows(parsed, operation="receive")
    assert [row["counter_bytes"] for row in received] == [1000.0, 2000.0, 5000.0]
    assert [row.get("time") for row in received] == [None, 0.0, 2.0]
    assert first(parsed, interface="lo", operation="", metric="")["link_speed"] == 125e6


def test_raw_counters_go_on_over_midnight() -> None:
    text = "23:59:55 UTC; IFACE; lo; rxkB/s; 1; 2;\n00:00:05 UTC; IFACE; lo; rxkB/s; 2; 3;\n"
    received = rows(parsers.parse(text), operation="receive")
    assert [row.get("time") for row in received] == [None, 0.0, 10.0]


@pytest.mark.parametrize(
    ("line", "is_whole"), [("two samples\n", True), ("two; samples\n", False), ("23:59:57 UTC;\n", False), ("\n", True)]
)
def test_a_raw_line_that_is_cut_loses_what_prose_does_not(line: str, is_whole: bool) -> None:
    sample = "23:59:55 UTC; IFACE; lo; rxkB/s; 1; 2;\n"
    parsed = parsers.by_name("sadf").parse(sample + line)
    said = [(2, "not a line of sadf -r")] if line.strip() else []
    assert (parsed.complete, parsed.notes, len(rows(parsed))) == (is_whole, said, 2)


def test_raw_marks_are_passed_over_and_a_registered_counter_begins_anew() -> None:
    text = (
        "# uptime_cs; 719255; ust_time; 1555593609; extra_next; 0; record_type; 1; HH:MM:SS; 13:20:09\n"
        "13:20:19 UTC; IFACE; lo; rxkB/s; 10; 20;\n13:20:29 UTC; IFACE [BCK]; lo; rxkB/s [DEC]; 0; 5;\n"
    )
    parsed = parsers.parse(text)
    assert [row["counter_bytes"] for row in rows(parsed)] == [10.0, 20.0, 0.0, 5.0]
    assert parsed.header["started"] == "2019-04-18T13:20:19+00:00"


def test_entities_are_refused() -> None:
    text = '<?xml version="1.0"?>\n<!DOCTYPE sysstat [<!ENTITY a "b">]>\n<sysstat><host nodename="&a;"/></sysstat>\n'
    with pytest.raises(ParseError, match="entity declarations"):
        parsers.by_name("sadf").parse(text)


def test_xml_that_is_cut_gives_what_came_before() -> None:
    whole = read("sadf/tables-12.6.1.xml")
    text = (LOGS / "sadf" / "tables-12.6.1.xml").read_text()
    parsed = parsers.parse(text[: text.rindex("<timestamp")])
    assert not parsed.complete
    assert 0 < len(parsed.series["line"]) < len(whole.series["line"])


def test_json_that_is_cut_in_its_first_sample_gives_the_records_before() -> None:
    text = (LOGS / "sadf" / "tables-12.6.1.json").read_text()
    place = text.index('"iface"')
    parsed = parsers.parse(text[: text.index('"iface"', place + 1)])
    assert not parsed.complete
    assert {row["interface"] for row in rows(parsed) if "interface" in row} == {"lo"}


def test_a_heading_may_be_indented_below_a_prompt() -> None:
    text = f"$ sadf -d sa17 -- -n DEV\n {CSV}vm;1;2026-11-20 16:23:34 UTC;lo;1.0;2.0;3.0;4.0\n"
    assert first(parsers.parse(text), operation="transmit")["throughput"] == 4 * KIB


def test_columns_that_somebody_left_out_are_said() -> None:
    text = f"{CSV[:-1]};...\nvm;1;2026-11-20 16:23:34 UTC;lo;1.0;2.0;3.0;4.0;...\n"
    parsed = parsers.parse(text)
    assert first(parsed, operation="transmit")["throughput"] == 4 * KIB
    assert (parsed.complete, parsed.notes[0]) == (False, (1, "somebody left out the last columns"))


def test_a_line_of_no_table_is_not_read() -> None:
    text = (
        "# hostname;interval;timestamp;CPU;%idle\nvm;1;2026-11-20 16:23:33 UTC\nvm;1;2026-11-20 16:23:34 UTC;-1;9.0\n"
    )
    parsed = parsers.parse(text)
    assert not parsed.complete
    assert [row["cpu"] for row in rows(parsed)] == ["all"]


@pytest.mark.parametrize("text", ["", CSV, "# uptime_cs; 1; ust_time; 2;\n", '{"sysstat": {"hosts": []}}\n'])
def test_no_sample_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected a sample of sadf"):
        parsers.by_name("sadf").parse(text)


def test_a_line_that_falls_into_tables_in_two_ways_is_said() -> None:
    header = "# hostname;interval;timestamp;IFACE;rxpck/s[...];DEV;tps[...]\n"
    line = "n1;1;2026-11-23 06:48:34 UTC;lo;1.00;uplink;2.00;vg-root;3.00\n"
    again = header + "n1;1;2026-11-23 06:48:34 UTC;uplink;2.00;vg-root;3.00\n"
    parsed = parsers.parse(again + header + line, format="sadf")
    assert not parsed.complete
    assert [note.text for note in parsed.notes] == ["a line that its header does not explain"]
    assert parsed.series["interface"].count("uplink") == 1


HORIZONTAL = "# hostname;interval;timestamp;CPU;%idle[...];INTR;CPU*[...]"


@pytest.mark.parametrize("processors", [2, 3])
def test_interrupts_of_one_line_have_a_count_for_each_processor(processors: int) -> None:
    counts = [";".join([f"{rate}.00"] * processors) for rate in (70, 10, 60)]
    line = f"vm;5;2026-11-20 16:23:33 UTC;-1;99.00;0;98.00;sum;{counts[0]};9;{counts[1]};NMI;{counts[2]}\n"
    header = f"{HORIZONTAL};IFACE;rxpck/s[...]"
    parsed = parsers.parse(f"{header}\n{line.strip()};lo;7.00;eth0;8.00\n")
    assert parsed.complete
    assert first(parsed, cpu="0")["cpu_idle"] == 0.98
    assert first(parsed, interface="eth0")["packet_rate"] == 8.0
    assert first(parsed, cpu="all", operation="", metric="intr/s 9")["value"] == 10.0
    assert first(parsed, metric="intr/s NMI")["value"] == 60.0


def test_interrupts_of_one_line_without_their_sum_are_counted_from_the_last() -> None:
    line = "vm;5;2026-11-20 16:23:33 UTC;-1;99.00;9;10.00;4.00;NMI;60.00;30.00\n"
    parsed = parsers.parse(f"{HORIZONTAL}\n{line}")
    assert first(parsed, metric="intr/s 9")["value"] == 10.0
    assert parsed.complete


def test_interrupts_with_fewer_counts_than_their_sum_are_said() -> None:
    line = "vm;5;2026-11-20 16:23:33 UTC;-1;99.00;sum;70.00;9.00;9;10.00\n"
    parsed = parsers.by_name("sadf").parse(f"{HORIZONTAL}\n{line}{line.replace('9;10.00', '9;10.00;2.00')}")
    assert [note.text for note in parsed.notes if note.line == 2] == ["a line that its header does not explain"]


BATTERIES = {
    "-d": "# hostname;interval;timestamp;BAT;%cap;cap/min;status\nvm;5;2026-11-20 16:23:33 UTC;1;83;-3.85;Charging\n",
    "-p": "".join(
        f"vm\t5\t2026-11-20 16:23:33 UTC\tBAT1\t{column}\t{value}\n"
        for column, value in (("%cap", "83"), ("cap/min", "-3.85"), ("status", "Charging"))
    ),
    "-j": '{"sysstat": {"sysdata-version": 3.16, "hosts": [{"nodename": "vm", "file-date": "2026-11-20", "statistics": '
    '[{"timestamp": {"date": "2026-11-20", "time": "16:23:33", "utc": 1, "interval": 5}, "power-management": '
    '{"battery": [{"number": 1, "percent-capacity": 83, "variation": -3.85, "status": "Charging"}]}}]}]}}\n',
    "-x": '<sysstat>\n<host nodename="vm">\n<statistics>\n<timestamp date="2026-11-20" time="16:23:33" utc="1" '
    'interval="5">\n<battery unit="minute">\n<bat number="1" percent-capacity="83" variation="-3.85" '
    'status="Charging"/>\n</battery>\n</timestamp>\n</statistics>\n</host>\n</sysstat>\n',
}


@pytest.mark.parametrize("text", BATTERIES.values(), ids=BATTERIES)
def test_the_state_of_a_battery_is_no_number(text: str) -> None:
    parsed = parsers.by_name("sadf").parse(text)
    assert parsed.complete
    assert [(row["metric"], row["value"]) for row in rows(parsed)] == [
        (f"{'%capacity' if 'percent' in text else '%cap'} 1", 83.0),
        ("cap/min 1", -3.85),
    ]


def test_hosts_of_fibre_channel_and_weighted_frequencies_have_other_names_in_xml() -> None:
    text = BATTERIES["-x"].replace(
        "<battery",
        '<fchost name="host0" fch_rxf="1.50"/>\n<cpuwfreq number="0" weighted-frequency="872.73"/>\n<battery',
    )
    parsed = parsers.by_name("sadf").parse(text)
    assert parsed.complete
    assert first(parsed, device="host0")["value"] == 1.5
    assert first(parsed, cpu="0")["metric"] == "wghMHz"


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ('"psi": {"psi-cpu": {"some_avg10": 7.25}}', {"metric": "%scpu-10", "unit": "%", "value": 7.25}),
        ('"psi": {"psi-io": {"full_avg": 7.25}}', {"metric": "%fio", "unit": "%", "value": 7.25}),
        ('"network": {"softnet": [{"cpu": "0", "blg_len": 7}]}', {"cpu": "0", "metric": "blg_len", "value": 7.0}),
        ('"network": {"softnet": [{"cpu": "0", "total": 7}]}', {"metric": "total/s", "unit": "1/s", "value": 7.0}),
        ('"filesystems": [{"mountpoint": "/", "%fsused": 7.25}]', {"device": "/", "utilisation": 0.0725}),
    ],
)
def test_what_json_names_otherwise_is_what_a_text_report_tells(section: str, named: Row) -> None:
    battery = BATTERIES["-j"].index('"power-management')
    parsed = parsers.by_name("sadf").parse(BATTERIES["-j"][:battery] + section + "}]}]}}\n")
    assert first(parsed).items() >= named.items()


def test_the_use_of_a_file_system_is_that_in_pairs_too() -> None:
    pair = "vm\t5\t2026-11-20 16:23:33 UTC\t/dev/sda1\t%fsused\t7.25\n"
    assert first(parsers.parse(pair), device="/dev/sda1")["utilisation"] == 0.0725


def test_what_is_plugged_in_is_no_measurement() -> None:
    header = "# hostname;interval;timestamp;manufact;product;BUS;idvendor;idprod;maxpower\n"
    usb = "vm;5;2026-11-20 16:23:33 UTC;1;3f0;862;196;Maker;A keyboard\n"
    pairs = "vm\t5\t2026-11-20 16:23:33 UTC\tbus1\tmanufact\tMaker\n"
    for text in (f"{CSV}vm;5;2026-11-20 16:23:33 UTC;lo;1.0;2.0;3.0;4.0\n{header}{usb}", BATTERIES["-p"] + pairs):
        parsed = parsers.by_name("sadf").parse(text)
        assert parsed.complete
        assert not any("maxpower" in row.get("metric", "") for row in rows(parsed))


def test_pairs_without_rates_and_shares_are_pairs() -> None:
    line = "vm\t5\t2026-11-20 16:23:33 UTC\t{}\t{}\t{}\n"
    local = line.replace(" UTC", "")
    load = local.format("-", "ldavg-1", "3.16")
    assert Recogniser([parsers.by_name("sadf")]).candidates(load)
    assert first(parsers.parse(load))["load_1"] == 3.16
    row = first(
        parsers.parse(line.format("all", "wghMHz", "1123.35") + line.format("cpu0", "wghMHz", "872.73")), cpu="0"
    )
    assert (row["metric"], row["value"]) == ("wghMHz", 872.73)


def test_raw_times_may_be_seconds_since_1970() -> None:
    line = "{}; IFACE; lo; rxkB/s; {}; {};\n"
    parsed = parsers.parse(line.format(1795954948, 10, 20) + line.format(1795954950, 20, 50))
    assert [row["counter_bytes"] for row in rows(parsed)] == [10.0, 20.0, 50.0]
    assert [row.get("time") for row in rows(parsed)] == [None, 0.0, 2.0]
    assert parsed.header["started"] == "2026-11-29T12:22:28+00:00"


def test_raw_sensors_are_told_apart() -> None:
    fan = "16:23:33 UTC; FAN; {}; DEVICE; chip-isa-0200; rpm; {}.000000; rpm_min; 0.000000;\n"
    battery = "16:23:33 UTC; BAT; 0; %cap; 85; 83; status; 4 [Full];\n"
    usb = '16:23:33 UTC; manufact; "Maker"; product; "A keyboard"; BUS; 1; idvendor; 3f0; idprod; 862; maxpower; 196;\n'
    parsed = parsers.by_name("sadf").parse(fan.format(1, 1283) + fan.format(2, 1347) + battery + usb)
    assert parsed.complete
    found = {row["metric"]: row["value"] for row in rows(parsed) if "time" in row}
    assert found == {"rpm 1": 1283.0, "rpm_min 1": 0.0, "rpm 2": 1347.0, "rpm_min 2": 0.0, "%cap 0": 83.0}


def test_raw_times_at_each_frequency_are_told_apart() -> None:
    line = "16:23:33 UTC; CPU; -1; freq; 2001000; tminst; 10; 17; freq; 800000; tminst; 20; 31;\n"
    found = rows(parsers.by_name("sadf").parse(line), cpu="all")
    assert [(row["metric"], row["value"]) for row in found if "time" in row] == [
        ("tminst 2001000", 17.0),
        ("tminst 800000", 31.0),
    ]


def test_a_raw_interrupt_goes_on_from_its_own_count() -> None:
    line = "16:23:{} UTC; INTR; {}; all; {}; {};\n"
    first_sample = line.format(33, 8, 10, 20) + line.format(33, 9, 100, 200)
    parsed = parsers.by_name("sadf").parse(first_sample + line.format(34, 8, 20, 30) + line.format(34, 9, 200, 300))
    assert [row["value"] for row in rows(parsed, metric="interrupts 8")] == [10.0, 20.0, 30.0]


def test_a_table_without_items_stands_once() -> None:
    tables = [Group(("CPU", "%usr"), repeats=True), Group(("proc/s", "cswch/s"), repeats=False)]
    assert items(tables, ["0", "1", "2", "3", "4", "5"]) == [
        (("CPU", "%usr"), ["0", "1"]),
        (("CPU", "%usr"), ["2", "3"]),
        (("proc/s", "cswch/s"), ["4", "5"]),
    ]


def test_tables_that_stand_in_one_place_are_read_beside_others() -> None:
    header = "# hostname;interval;timestamp;CPU;%user;%idle[...];IFACE;rxpck/s[...];DEV;tps[...];proc/s;cswch/s"
    line = "n1;1;2026-11-23 06:48:34 UTC;-1;1.00;9.00;0;1.00;8.00;lo;1.00;uplink;2.00;vg-root;3.00;4.00;5.00"
    parsed = parsers.by_name("sadf").parse(f"{header}\n{line}\n")
    assert [note.text for note in parsed.notes] == ["which items are of which table, the line does not tell"]
    assert [row["cpu_idle"] for row in rows(parsed) if "cpu_idle" in row] == [0.09, 0.08]
    assert first(parsed, metric="proc/s")["value"] == 4.0
    assert not any("interface" in row or "device" in row for row in rows(parsed))


def test_only_places_that_can_be_reached_cost_work() -> None:
    tables = [Group(("CPU", "%usr"), repeats=number % 2 == 0) for number in range(40)]
    cells = ["0", "1.00"] * 20 + ["word", "word"] * 2000
    assert items(tables, cells) == []
    assert calls(lambda: items(tables, cells)) < 20 * calls(lambda: items(tables, cells[:40]))


def test_a_cell_with_two_numbers_moves_no_other_cell() -> None:
    """A separator that was lost: the line has one cell too few, or one that is no number."""
    line = "host;1;2026-11-20 10:00:01 UTC;lo;1.00;2.00;0.00 17;4.00\n"
    parsed = parsers.by_name("sadf").parse(CSV + line.replace("0.00 17", "3.00") + line)
    assert [row["throughput"] / KIB for row in rows(parsed, operation="transmit")] == [4.0]
    assert not parsed.complete
    assert "found '0.00 17'" in parsed.notes[-1].text


def test_names_of_columns_that_no_tool_prints_explain_no_line() -> None:
    line = "vm;2;2026-11-20 16:23:33;lo;1.00;2.00;3.00;4.00\n"
    parsed = parsers.parse(CSV + line + CSV.rstrip() + ";DEV;tps" * 3000 + "\n" + line)
    said = [note.text for note in parsed.notes]
    assert said == ["the names of the columns are damaged or too long", "a line that its header does not explain"]
    assert [note.line for note in parsed.notes] == [3, 4]
    assert (parsed.complete, len(rows(parsed, operation="transmit"))) == (False, 1)


@pytest.mark.parametrize(
    ("above", "quote", "sign"),
    [("", '"{}"\r\n', ";"), ("#TYPE System.String\r\n", '"{}"\r\n', '";"')],
    ids=["lines", "cells"],
)
def test_powershell_writes_quotes_around_lines_or_cells(above: str, quote: str, sign: str) -> None:
    lines = (
        "# hostname;interval;timestamp;CPU;%user;%idle",
        "oss1;600;2024-03-18 08:10:01 UTC;-1;2.50;97.50",
        "oss1;600;2024-03-18 08:20:01 UTC;-1;3.50;96.50",
    )
    text = above + "".join(quote.format(line.replace(";", sign)) for line in lines)
    parsed = parsers.parse(decode(text.encode("utf-16"))[0])
    assert parsed.complete
    assert [(row["time"], row["cpu_user"]) for row in rows(parsed)] == [(0.0, 0.025), (600.0, 0.035)]
    assert parsed.header["host"] == "oss1"
