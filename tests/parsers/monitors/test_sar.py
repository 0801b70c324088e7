"""sar: what its golden tables do not show."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.monitors.sysstat import clock
from storagelab.units import KIB, MIB
from tests.conftest import LOGS
from tests.parsers.monitors.samples import first, read, rows

BANNER = "Linux 6.1.0 (oss1) \t{date} \t_x86_64_\t(4 CPU)\n\n"
DEV = """{0} IFACE rxpck/s txpck/s rxkB/s txkB/s
{1} eth0 1.00 2.00 3.00 4.00
"""


def test_kb_is_1024_bytes_and_a_line_has_both_directions() -> None:
    parsed = read("sar/ampm-12.6.1.txt")
    received, sent = (first(parsed, interface="v-oss1", operation=o) for o in ("receive", "transmit"))
    assert (received["packet_rate"], received["throughput"]) == (2287.0, 233.87 * KIB)
    assert (sent["throughput"], sent["line"]) == (23495.36 * KIB, 9)
    assert first(parsed, interface="v-oss1", operation="")["utilisation"] == pytest.approx(0.0192)


def test_a_unit_in_the_cell_beats_the_heading() -> None:
    parsed = read("sar/german-human-12.6.1.txt")
    assert first(parsed, interface="lo", operation="receive")["throughput"] == pytest.approx(238.7 * MIB)
    assert first(parsed, interface="v-oss1", operation="receive")["throughput"] == pytest.approx(193.7 * KIB)


def test_averages_are_means_in_every_language() -> None:
    for log in ("ampm-12.6.1", "german-human-12.6.1", "french-12.6.1", "chinese-processors-12.6.1"):
        means = rows(read(f"sar/{log}.txt"), statistic="mean")
        assert means, log
        assert not any("time" in row for row in means), log


def test_averages_of_solaris_have_no_colon() -> None:
    parsed = parsers.parse(
        "SunOS c9 5.10 Generic sun4v    03/17/2010\n\n00:00:00    %usr    %sys    %wio   %idle\n"
        "00:20:00       3       2       1      94\n00:40:00       5       4       1      90\n\n"
        "Average        4       3       1      92\n"
    )
    assert parsed.complete
    assert first(parsed, statistic="mean")["cpu_idle"] == 0.92


@pytest.mark.parametrize("title", ["Summary:", "Zusammenfassung:"])
def test_file_systems_end_with_their_last_values_and_not_with_means(title: str) -> None:
    columns = "MBfsfree MBfsused %fsused %ufsused Ifree Iused %Iused FILESYSTEM"
    rest = "100 12.50 12.50 4000 1000 20.00 /dev/vda"
    parsed = parsers.parse(
        BANNER.format(date="11/29/26")
        + f"10:00:01 {columns}\n10:00:02 900 {rest}\n10:00:03 700 {rest}\n\n{title} {columns}\n{title} 700 {rest}\n"
    )
    free = [(row["statistic"], row["disk_free"] / MIB) for row in rows(parsed) if "disk_free" in row]
    assert free == [("single", 900), ("single", 700), ("last", 700)]


@pytest.mark.parametrize(
    ("morning", "noon"),
    [
        ("11:59:59 πμ", "12:00:01 μμ"),
        ("11:59:59 पूर्वाह्न IST", "12:00:01 अपराह्न IST"),
        ("EET 11:59:59 ص", "EET 12:00:01 م"),
        ("காலை 11:59:59 IST", "மாலை 12:00:01 IST"),
        (" 11:59:59 ጡዋት", " 12:00:01 ከሰዓት"),
    ],
)
def test_halves_of_the_day_are_told_in_every_language(morning: str, noon: str) -> None:
    parsed = parsers.parse(BANNER.format(date="03/11/2026") + DEV.format(morning, noon))
    assert parsed.header["started"] == "2026-11-03T11:59:59"
    assert first(parsed, operation="transmit")["time"] == 2.0


@pytest.mark.parametrize("blanks", ["", "          "])
def test_of_tables_whose_times_were_cut_off_nobody_knows_which_lines_are_averages(blanks: str) -> None:
    lines = [f"{blanks}{line[1:]}" for line in DEV.format("", "").splitlines()]
    parsed = parsers.parse("\n".join([*lines, ""]))
    assert first(parsed, operation="transmit")["throughput"] == 4 * KIB
    assert not {"statistic", "time"} & parsed.series.keys()
    assert [note.text.partition(":")[0] for note in parsed.notes] == ["no times"]
    assert not parsed.complete


def test_averages_below_tables_without_times_are_means() -> None:
    columns = "CPU %user %nice %system %iowait %steal %idle"
    parsed = parsers.parse(f"{columns}\nall 1 0 0 0 0 99\n\nAverage: {columns}\nAverage: all 2 0 0 0 0 98\n")
    assert [row.get("statistic") for row in rows(parsed)] == [None, "mean"]


def test_without_interval_the_report_is_since_boot_and_whole() -> None:
    text = BANNER.format(date="11/20/26") + "12:53:20 CPU %user %idle\n12:53:20 all 1.00 99.00\n12:53:20 0 2.00 98.00\n"
    parsed = parsers.parse(text)
    assert parsed.complete
    assert [row["phase"] for row in rows(parsed)] == ["since boot"] * 2
    later = parsers.parse(f"{text}\n12:53:20 CPU %user %idle\n12:53:21 all 1.00 99.00\n")
    assert not later.complete


def test_samples_of_one_second_are_not_since_boot() -> None:
    page = "{} CPU %user %idle\n12:53:22 all 1.00 99.00\n\n"
    parsed = parsers.parse(BANNER.format(date="11/20/26") + page.format("12:53:20") + page.format("12:53:22"))
    assert len(rows(parsed)) == 2
    assert not any("phase" in row for row in rows(parsed))


def test_averages_of_interrupts_are_of_all_processors_that_ever_were_online() -> None:
    lines = (
        *(
            "12:53:20 INTR all CPU0",
            "12:53:21 9 10.00 10.00",
            "",
            "12:53:21 INTR all CPU0 CPU1",
            "12:53:22 9 9.00 4.00 5.00",
        ),
        *("", "Average: INTR all CPU0 CPU1 CPU2", "Average: 9 8.00 4.00 3.00 1.00"),
    )
    text = BANNER.format(date="11/20/26") + "\n".join(lines) + "\n"
    parsed = parsers.parse(text)
    assert parsed.complete
    assert first(parsed, statistic="mean", cpu="2")["value"] == 1.0
    assert not parsers.parse(text.replace("Average: 9", "Average: 8")).complete


@pytest.mark.parametrize(
    ("printed", "started"),
    [
        ("29/11/2569", "2026-11-29T10:00:00"),
        ("29. nov. 2026", ""),
        ("il-Hadd, 29 ta Nov, 2026", ""),
        ("\u06f2\u06f6/\u06f1\u06f1/\u06f2\u06f9", "2026-11-29T10:00:00"),
    ],
)
def test_dates_of_rare_locales_are_read_or_said(printed: str, started: str) -> None:
    parsed = parsers.by_name("sar").parse(BANNER.format(date=printed) + DEV.format("10:00:00", "10:00:01"))
    assert parsed.header.get("started", "") == started
    assert parsed.header["host"] == "oss1"
    assert [note.line for note in parsed.notes if "cannot be read" in note.text] == ([] if started else [1])


def test_each_report_of_a_page_has_its_clock_and_its_host() -> None:
    halves = BANNER.format(date="11/20/2026") + DEV.format("10:00:00 AM", "10:10:00 AM") + "Average: eth0 1 2 3 4\n\n"
    whole = BANNER.format(date="11/20/2026").replace("oss1", "oss2") + DEV.format("22:00:00", "22:10:00")
    parsed = parsers.parse(halves + whole + "Average: eth0 1 2 3 4\n")
    assert parsed.complete
    received = rows(parsed, operation="receive", statistic="single")
    assert [(row["host"], row["part"], row["time"]) for row in received] == [
        ("oss1", 1.0, 600.0),
        ("oss2", 2.0, 12.0 * 3600 + 600),
    ]
    assert "host" not in parsed.header
    mixed = parsers.parse(halves + DEV.format("22:00:00", "22:10:00"))
    assert not mixed.complete


def test_a_battery_is_no_time_zone() -> None:
    lines = (
        *(
            "12:53:20          BAT      %cap   cap/min    status",
            "12:53:21            0        70       -58         \u2198",
        ),
        *("", "Average:          BAT      %cap   cap/min    status", "Average:            0        70       -58"),
    )
    parsed = parsers.parse(BANNER.format(date="11/20/26") + "\n".join(lines) + "\n")
    assert parsed.complete
    assert [(row["metric"], row["value"]) for row in rows(parsed, statistic="mean")] == [
        ("%cap 0", 70.0),
        ("cap/min 0", -58.0),
    ]


@pytest.mark.parametrize(
    ("table", "device"),
    [
        ("Average:     pswpin/s pswpout/s\nAverage:         0.00      1.25\n", ""),
        ("Average:          tps     rkB/s   areq-sz DEV\nAverage:        31.50     12.00    128.00 sda\n", "sda"),
        ("Average:    kbmemfree kbmemused\nAverage:        26609     39071\n", ""),
    ],
)
def test_averages_alone_are_an_excerpt(table: str, device: str) -> None:
    for text in (table, BANNER.format(date="11/20/26") + table):
        parsed = parsers.parse(text)
        assert not parsed.complete
        assert {row.get("device", "") for row in rows(parsed, statistic="mean")} == {device}


@pytest.mark.parametrize(
    "columns", ["active/s passive/s", "atmptf/s  estres/s", "idgm/s    odgm/s", "call/s retrans/s"]
)
def test_tables_of_networks_need_no_banner(columns: str) -> None:
    behind = "    iseg/s  read/s  getatt/s"
    parsed = parsers.parse(f"12:00:01  {columns}{behind}\n12:00:02      3.00      2.00  1.00  4.00  5.00\n")
    assert first(parsed, metric=columns.split()[1])["value"] == 2.0


def test_a_disk_of_aix_without_a_time_is_of_the_last_sample() -> None:
    parsed = parsers.parse(
        "AIX p7 1 6 00F69A714C00    07/24/18\n\nSystem configuration: lcpu=4 drives=2 mode=Capped\n\n"
        "11:35:09     device    %busy    avque    r+w/s    Kbs/s   avwait   avserv\n\n"
        "11:35:10     hdisk0      2      0.0        2        8      0.0      3.9\n"
        "             hdisk1      1      0.5        3       12      0.2      3.8\n\n"
        "Average      hdisk0      2      0.0        2        8      0.0      3.9\n"
        "             hdisk1      1      0.5        3       12      0.2      3.8\n"
    )
    assert (parsed.complete, parsed.notes, parsed.header["started"]) == (True, [], "2018-07-24T11:35:09")
    other = first(parsed, device="hdisk1", statistic="single", metric="")
    assert (other["throughput"], other["latency"], other["time"]) == (12 * KIB, 0.0038, 1.0)


def test_interfaces_of_macos() -> None:
    parsed = parsers.parse(
        "\n10:00:01    IFACE    Ipkts/s      Ibytes/s     Opkts/s      Obytes/s\n"
        "\n10:00:01    IFACE     Ierrs/s     Oerrs/s    Coll/s      Drop/s\n"
        "\n10:00:02    IFACE    Ipkts/s      Ibytes/s     Opkts/s      Obytes/s\n"
        "10:00:02    en0            4           512           1            64\n"
        "\n10:00:02    IFACE     Ierrs/s     Oerrs/s    Coll/s      Drop/s\n"
        "10:00:02    en0             3          2        1           0\n"
    )
    received, sent = (first(parsed, operation=operation) for operation in ("receive", "transmit"))
    assert (received["throughput"], received["packet_rate"]) == (512.0, 4.0)
    assert (sent["throughput"], sent["packet_rate"]) == (64.0, 1.0)
    assert [row["error_rate"] for row in rows(parsed) if "error_rate" in row] == [3.0, 2.0]


def test_a_page_may_put_blanks_around_the_characters_of_a_time() -> None:
    text = (LOGS / "sar" / "chinese-processors-12.6.1.txt").read_text()
    spaced = re.sub(r"(?<=\d)(?=[年月日时分秒])|(?<=[年月时分])(?=\d)", " ", text)
    assert spaced != text
    assert rows(parsers.parse(spaced)) == rows(parsers.parse(text))


def test_old_columns_count_bytes() -> None:
    text = BANNER.format(date="01/21/09") + DEV.format("10:00:01", "10:00:11").replace("kB/s", "byt/s")
    row = first(parsers.parse(text), operation="transmit")
    assert row["throughput"] == 4.0


def test_the_clock_passes_midnight_in_each_table() -> None:
    text = BANNER.format(date="2026-11-20")
    for before, now in (("23:59:58", "23:59:59"), ("23:59:59", "00:00:00"), ("00:00:00", "00:00:01")):
        text += DEV.format(before, now) + f"\n{before} proc/s cswch/s\n{now} 1.00 2.00\n\n"
    parsed = parsers.parse(text)
    assert [row["time"] for row in rows(parsed, operation="receive")] == [1.0, 2.0, 3.0]
    assert [row["time"] for row in rows(parsed, metric="proc/s")] == [1.0, 2.0, 3.0]
    assert parsed.header["started"] == "2026-11-20T23:59:58"


def test_a_saved_report_begins_each_activity_at_the_same_time() -> None:
    day = [f"{hour:02}:00:01" for hour in range(24)]
    text = BANNER.format(date="2026-11-20") + f"{day[0]} IFACE rxkB/s txkB/s\n"
    text += "".join(f"{time} eth0 1.00 2.00\n" for time in day[1:]) + "Average: eth0 1.00 2.00\n\n"
    text += f"{day[0]} proc/s cswch/s\n" + "".join(f"{time} 1.00 2.00\n" for time in day[1:]) + "Average: 1.00 2.00\n"
    parsed = parsers.parse(text)
    assert parsed.complete
    assert {row["time"] for row in rows(parsed, statistic="single")} == {3600.0 * hour for hour in range(1, 24)}


def test_a_restart_begins_the_tables_anew_and_tells_the_processors() -> None:
    text = BANNER.format(date="2026-11-20") + DEV.format("10:00:01", "10:00:11") + "Average: eth0 1.00 2.00 3.00 4.00\n"
    text += "\n10:30:01     LINUX RESTART\t(10 CPU)\n\n" + DEV.format("10:40:01", "10:40:11")
    text += "Average: eth0 1.00 2.00 3.00 4.00\n"
    parsed = parsers.parse(text)
    assert first(parsed, metric="CPUs") == {
        "time": 1800.0,
        "statistic": "single",
        "metric": "CPUs",
        "value": 10.0,
        "line": 7,
    }
    assert [row["time"] for row in rows(parsed, operation="receive", statistic="single")] == [10.0, 2410.0]
    assert parsed.complete


def test_a_report_without_averages_is_stopped_or_cut() -> None:
    parsed = parsers.parse(BANNER.format(date="2026-11-20") + DEV.format("10:00:01", "10:00:02"))
    assert not parsed.complete
    assert "averages" in parsed.notes[0].text


def test_interrupts_have_a_sum_and_a_metric_each() -> None:
    text = BANNER.format(date="2026-11-20") + "10:00:01 INTR all CPU0 CPU1\n10:00:02 sum 5.00 2.00 3.00\n"
    parsed = parsers.parse(text + "10:00:02 24 1.00 0.00 1.00\n")
    assert first(parsed, cpu="1", line=4)["interrupt_rate"] == 3.0
    assert first(parsed, cpu="all", line=5)["metric"] == "intr/s 24"


def test_names_with_blanks_stand_behind_the_numbers() -> None:
    text = BANNER.format(date="2026-11-20") + "10:00:01 MBfsfree MBfsused %fsused FILESYSTEM\n"
    parsed = parsers.parse(text + "10:00:02 100 300 75.00 /mnt/my disk\n")
    row = first(parsed, device="/mnt/my disk")
    assert (row["disk_free"], row["utilisation"]) == (100 * MIB, 0.75)


def test_a_line_that_does_not_fit_is_not_read() -> None:
    text = BANNER.format(date="2026-11-20") + DEV.format("10:00:01", "10:00:02") + "10:00:03 eth0 1.00 2.00 3.00\n"
    parsed = parsers.parse(text)
    assert not parsed.complete
    assert (5, "not a line of the table: 5 columns wanted, found 4") in parsed.notes
    assert len(rows(parsed)) == 2


@pytest.mark.parametrize("text", ["", "nothing\n", BANNER.format(date="2026-11-20"), "10:00:01 IFACE rxkB/s txkB/s\n"])
def test_no_sample_is_no_report(text: str) -> None:
    with pytest.raises(ParseError, match="expected a table of sar"):
        parsers.by_name("sar").parse(text)


@pytest.mark.parametrize(
    ("text", "day_first", "iso", "doubtful"),
    [
        ("11/20/26", False, "2026-11-20", False),
        ("11/20/2026", False, "2026-11-20", False),
        ("20/11/2026", False, "2026-11-20", False),
        ("05/06/2026", None, "2026-05-06", True),
        ("05/06/26", None, "2026-05-06", False),
        ("05/06/2026", False, "2026-05-06", False),
        ("05/06/2026", True, "2026-06-05", False),
        ("20.11.2026", False, "2026-11-20", False),
        ("20-11-26", False, "2026-11-20", False),
        ("2026-11-20", False, "2026-11-20", False),
        ("13/13/2026", False, "", False),
        ("tomorrow", False, "", False),
    ],
)
def test_dates_of_all_locales(text: str, day_first: bool | None, iso: str, doubtful: bool) -> None:
    assert clock.day(text, day_first) == (iso, doubtful)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("12:00:01 AM eth0", (1.0, 2, True)),
        ("12:00:01 PM eth0", (43201.0, 2, True)),
        ("04:23:37 PM eth0", (59017.0, 2, True)),
        ("16:23:37 eth0", (59017.0, 1, False)),
        ("16.23.37 eth0", (59017.0, 1, False)),
        ("下午04:23:37 eth0", (59017.0, 1, True)),
        ("오후 04:23:37 eth0", (59017.0, 2, True)),
        ("16时23分37秒 eth0", (59017.0, 1, False)),
        ("16시 23분 37초 eth0", (59017.0, 1, False)),
        ("24:00:00 eth0", None),
        ("99:99:99 eth0", None),
        ("Average: eth0", None),
    ],
)
def test_clocks_of_all_locales(line: str, found: tuple[float, int, bool] | None) -> None:
    assert clock.time_of_day(clock.plain(line).split()) == found


def test_a_value_that_a_mail_put_on_the_next_line_stands_there() -> None:
    wrapped = first(read("sar/imitated-12.6-wrapped-paging.txt"), metric="pgscand/s")
    ordinary = first(read("sar/ampm-12.6.1.txt"), interface="v-oss1", operation="transmit")
    assert (wrapped["value"], wrapped["line"]) == (12.8, 7)
    assert ordinary["line"] == 9


def test_the_date_of_another_unix_is_month_and_day_without_a_doubt() -> None:
    """A date such as 05/07 would be noted below a banner of Linux."""
    text = (LOGS / "sar/imitated-solaris-disks.txt").read_text()
    parsed = parsers.parse(text.replace("11/20/2026", "05/07/2026"))
    assert (parsed.header["started"], parsed.notes) == ("2026-05-07T14:00:05", [])


def test_a_command_without_a_prompt_and_a_line_of_blanks_are_no_lost_lines() -> None:
    text = (LOGS / "sar/many-tables-12.6.1.txt").read_text()
    assert parsers.parse(f"sar -A 1 2\n \n{text}").complete
    assert not parsers.parse(f"sort 1 2\n{text}").complete


def test_a_command_with_a_variable_before_it_makes_no_log_incomplete() -> None:
    text = (LOGS / "sar" / "ampm-12.6.1.txt").read_text()
    assert parsers.parse(text).complete
    assert parsers.parse(f"$ LC_ALL=C sar -n DEV --dec=0 10 2\n{text}").complete


INTERRUPTS = """04:10:00         INTR    intr/s
04:10:01           71      1.50
04:10:02           71      2.50
"""
OF_EACH_PROCESSOR = """04:10:00         INTR      CPU0      CPU1
04:10:01           71      1.50      9.25
04:10:02           71      2.50      8.25
"""


@pytest.mark.parametrize(("text", "cpu"), [(INTERRUPTS, "all"), (OF_EACH_PROCESSOR, "0")])
def test_interrupts_that_lost_their_banner_are_read(text: str, cpu: str) -> None:
    parsed = parsers.parse(text)
    assert [row["value"] for row in rows(parsed, metric="intr/s 71", cpu=cpu)] == [1.5, 2.5]
    assert not parsed.complete


@pytest.mark.parametrize("time", ["10:00:01 ", ""])
def test_columns_that_say_twice_whose_a_line_is_are_no_table(time: str) -> None:
    first, damaged = (
        f"{time}IFACE rxpck/s {name} rxkB/s txkB/s\n{time}eth0 1.00 2.00 3.00 4.00\n\n" for name in ("txpck/s", "IFACE")
    )
    parsed = parsers.parse(BANNER.format(date="11/20/2026") + first + damaged, "sar")
    assert {int(row["line"]) for row in rows(parsed)} == {4}
    assert not parsed.complete
    assert "a table that sar does not print" in [note.text for note in parsed.notes]
