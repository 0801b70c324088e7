"""sadf: what its golden tables do not show."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.monitors.sysstat.groups import Group, items
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
    line = "n1;1;2026-11-23 06:48:34 UTC;lo;1.00;eth0;2.00;sda;3.00\n"
    again = header + "n1;1;2026-11-23 06:48:34 UTC;eth0;2.00;sda;3.00\n"
    parsed = parsers.parse(again + header + line, format="sadf")
    assert not parsed.complete
    assert [note.text for note in parsed.notes] == ["a line that its header does not explain"]
    assert parsed.series["interface"].count("eth0") == 1


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
