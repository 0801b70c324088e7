"""What golden tables do not show of dstat's CSV: groups of columns, several runs, times, failures."""

from __future__ import annotations

import math

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers import parse
from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors import dstat, dstat_headings, dstat_table
from storagelab.units import KIB, MIB
from tests.conftest import LOGS
from tests.parsers.monitors.samples import first, rows
from tests.work import calls

ABOUT = '"Host:","n1",,,,"User:","x"\n"Cmdline:","dstat -tdn 1",,,,"Date:","31 Dec 2025 23:59:58 UTC"\n'
TITLE = '"Dstat 0.7.2 CSV output"\n'
TIMED = '"system","dsk/total",,"net/eth0",\n"time","read","writ","net/eth0:recv","net/eth0:send"\n'
PCP = '"pcp-dstat 5.0.3 CSV Output"\n"Author:","A and B,,,,"URL:","x"\n'


def column(parsed: Parsed, name: str, operation: str) -> list[object]:
    series = parsed.series
    return [series[name][at] for at in range(len(series["line"])) if series["operation"][at] == operation]


def test_columns_belong_to_their_groups() -> None:
    parsed = dstat.parse(TITLE + ABOUT + TIMED + "31-12 23:59:59,1,2,3,4\n")
    assert [column(parsed, "throughput", op)[0] for op in ("read", "write", "receive", "transmit")] == [1, 2, 3, 4]
    assert column(parsed, "device", "read") == ["all"]
    assert column(parsed, "interface", "receive") == ["eth0"]
    assert parsed.header["tool_version"] == "0.7.2"
    assert parsed.header["command"] == "dstat -tdn 1"


def test_samples_are_of_the_host_that_the_run_names() -> None:
    sample = "31-12 23:59:59,1,2,3,4\n"
    one, other = (f"{about}{TIMED}{sample}" for about in (ABOUT, ABOUT.replace("n1", "n2")))
    assert dstat.parse(TITLE + one).header["host"] == "n1"
    both = dstat.parse(TITLE + one + other)
    assert "host" not in both.header
    assert list(dict.fromkeys(both.series["host"])) == ["n1", "n2"]


def test_time_without_a_year_is_next_to_the_date_of_the_command_and_grows_over_midnight() -> None:
    parsed = dstat.parse(TITLE + ABOUT + TIMED + "31-12 23:59:59,1,2,3,4\n01-01 00:00:01,1,2,3,4\n")
    assert parsed.header["started"] == "2025-12-31T23:59:59+00:00"
    assert column(parsed, "time", "read") == [0.0, 2.0]
    after = dstat.parse(TITLE + ABOUT + TIMED + "01-01 00:00:01,1,2,3,4\n")
    assert after.header["started"] == "2026-01-01T00:00:01+00:00"


def test_zone_that_is_no_utc_gives_no_offset() -> None:
    parsed = dstat.parse(TITLE + ABOUT.replace("UTC", "CET") + TIMED + "31-12 23:59:59,1,2,3,4\n")
    assert parsed.header["started"] == "2025-12-31T23:59:59"


def test_epoch_and_the_quote_that_pcp_forgets() -> None:
    text = PCP + '\n"epoch","total cpu usage",,"io/sda",\n"epoch","usr","idl","read","writ"\n1000.5,25,75,3,4\n'
    parsed = dstat.parse(text)
    assert parsed.header["started"] == "1970-01-01T00:16:40.500000+00:00"
    assert parsed.header["tool_version"] == "pcp-dstat 5.0.3"
    assert column(parsed, "cpu_user", "") == [0.25]
    assert column(parsed, "operation_rate", "write") == [4.0]


PCP_COLUMNS = (
    '"procs",,"memory usage",,"paging",,"dsk/total",,"net/total",,"total usage",\n'
    '"run","new","used","free","in","out","dsk/total:read","dsk/total:writ","net/total:recv","net/total:send",'
    '"total usage:usr","total usage:sys"\n'
)


def test_pcp_writes_each_metric_in_its_own_unit() -> None:
    parsed = dstat.parse(f"{PCP}{PCP_COLUMNS}10,0,7000,9000,3,0,16.5,2,300,4,25,75\n")
    (host, *_) = rows(parsed, operation="", metric="")
    assert (host["memory_used"], host["memory_free"]) == (7000 * KIB, 9000 * KIB)
    assert [column(parsed, "throughput", op)[0] for op in ("read", "receive")] == [16.5 * KIB, 300.0]
    assert [(row["value"], row["unit"]) for row in rows(parsed, metric="paging in")] == [(3.0, "pages/s")]
    assert not rows(parsed, phase="since boot")


@pytest.mark.parametrize(
    ("group", "name"), [("advanced memory usage", "recl"), ("freespace", "free"), ("total", "used")]
)
def test_sizes_of_pcp_without_a_name_of_ours_are_bytes_as_on_a_terminal(group: str, name: str) -> None:
    parsed = dstat.parse(f'{PCP}"{group}","procs"\n"{name}","new"\n7,2\n')
    assert [row["value"] for row in rows(parsed)] == [7 * KIB, 2.0]


def test_the_first_sample_of_pcp_has_one_blank_for_a_group_and_none_is_since_boot() -> None:
    parsed = dstat.parse(f"{PCP}{PCP_COLUMNS}10,,7000,9000,,,,,\n9,1,7001,9001,3,0,16.5,2,300,4,25,75,\n")
    assert (parsed.complete, parsed.notes) == (True, [])
    assert [row["memory_used"] for row in rows(parsed) if "memory_used" in row] == [7000 * KIB, 7001 * KIB]
    assert [row["processes_running"] for row in rows(parsed) if "processes_running" in row] == [10.0, 9.0]
    cut = dstat.parse(f"{PCP}{PCP_COLUMNS}10,,7000,9000,,,,\n9,1,7001,9001,3,0,16.5,2,300,4,25,75\n")
    assert [note.text for note in cut.notes] == ["a sample wants 12 cells, found 10"]


def test_processes_that_pcp_names_by_their_group_are_told() -> None:
    text = (
        f'{PCP}"most expensive cpu process",,"dsk/total",\n"cmd","cpu","dsk/total:read","dsk/total:writ"\n"vi",7,1,2\n'
    )
    assert [note.text for note in dstat.parse(text).notes] == ["not read: most expensive cpu process"]
    first_blank = f'{PCP}"most expensive cpu process",,"procs"\n"cmd","cpu","run"\n,7\n"vi",7,8\n'
    assert dstat.parse(first_blank).complete


def test_the_names_of_interrupts_are_no_row_of_numbers() -> None:
    headings = "-swap- ---load-avg--- --interrupts---\n used  free| 1m   5m  15m | 39   41   42 \n"
    _, parsed = parsers.read(headings + "   0     0 | 1.0  2.0 3.0|  1    2    3 \n")
    assert parsed.notes == []


@pytest.mark.parametrize(("above", "phase"), [("", ""), ("$ dool -c\n", "since boot")])
def test_total_usage_between_plain_dashes_is_of_pcp_unless_dool_is_called(above: str, phase: str) -> None:
    table = "----total-usage---- -dsk/total-\nusr sys idl wai stl| read  writ\n  1   2  97   0   0|  12k    0 \n"
    assert set(parse(above + table).series.get("phase", [""])) == {phase}


def test_requests_of_disks_alone_are_told_by_their_heading() -> None:
    parsed = parse("-dsk/total-\n#read #writ\n   8     0 \n   9     4 \n")
    assert [row["operation_rate"] for row in rows(parsed, operation="write")] == [0.0, 4.0]


@pytest.mark.parametrize(("above", "unit"), [("total", 1.0), ("total-cpu", 1e-3)])
def test_waits_of_pcp_are_shown_in_seconds(above: str, unit: float) -> None:
    table = f"--{above}-usage-- ---sda--- sda-\nusr sys idl|rawa wawa|svct\n  1   2  97|0.02 0.05|0.03\n"
    parsed = parse(table)
    assert first(parsed, device="sda", operation="write")["latency"] == pytest.approx(0.05 * unit)
    assert first(parsed, metric="svctm")["unit"] == ("s" if unit == 1.0 else "ms")


def test_runs_in_one_file_are_parts_each_with_a_sample_since_boot() -> None:
    parsed = dstat.parse(TITLE + 2 * (ABOUT + TIMED + "31-12 23:59:59,1,2,3,4\n01-01 00:00:00,1,2,3,4\n"))
    assert column(parsed, "part", "read") == [1, 1, 2, 2]
    assert column(parsed, "phase", "read") == ["since boot", "", "since boot", ""]


def test_waits_of_disks_are_latencies_unless_nothing_moved() -> None:
    text = TITLE + '"dsk/sda",,"sda",,"sda"\n"read","writ","rawait","wawait","avgqu"\n7,0,2.5,0,1.5\n'
    parsed = dstat.parse(text)
    assert column(parsed, "latency", "read") == [0.0025]
    assert math.isnan(float(str(column(parsed, "latency", "write")[0])))
    assert column(parsed, "queue_length", "") == [1.5]


def test_what_a_plugin_tells_of_disks_alone_with_names_that_are_cut() -> None:
    titles = "----system---- nvme-nvme\n     time     |svct:svct\n"
    series = parse(titles + "07-11 09:15:20|0.25: 1.5\n07-11 09:15:25|0.50:   0\n").series
    assert list(series["device"]) == ["nvme", "nvme 2"] * 2
    assert list(series["value"]) == [0.25, 1.5, 0.5, 0.0]
    assert {*series["metric"]} == {"svctm"}
    assert {*series["unit"]} == {"ms"}


def test_other_columns_are_metrics_and_text_is_left_out() -> None:
    text = TITLE + '"sockets","most expensive"\n"tot","cpu process"\n17,firefox\n'
    series = dstat.parse(text).series
    assert (list(series["metric"]), list(series["value"])) == (["sockets tot"], [17.0])


def test_processes_in_the_csv_have_the_numbers_behind_their_names() -> None:
    head = '"sockets","most expensive",,\n"tot","cpu process","memory process","i/o process"\n'
    parsed = dstat.parse(TITLE + head + '17,ior / 24%,kv server / 4096%,ior / 98304:120\n18,"",kv server / 8192%,\n')
    rows = zip(*(parsed.series[name] for name in ("line", "job", "operation")), strict=True)
    assert list(rows)[2:] == [
        *((4, "ior", ""), (4, "kv server", ""), (5, "kv server", ""), (4, "ior", "read"), (4, "ior", "write"))
    ]
    values = (parsed.series["utilisation"][2], *parsed.series["memory_used"][3:5], *parsed.series["throughput"][5:])
    assert values == (0.24, 4096.0, 8192.0, 98304.0, 120.0)
    assert parsed.complete


@pytest.mark.parametrize("line", ["31-12 23:59:59,1,2,3", "31-12 23:59:59,1,,3,4", "a message"])
def test_line_that_is_no_sample_is_said(line: str) -> None:
    parsed = dstat.parse(TITLE + ABOUT + TIMED + line + "\n31-12 23:59:59,1,2,3,4\n")
    assert (parsed.complete, parsed.notes[0].line) == (False, 6)


def test_heading_alone_is_incomplete_and_empty() -> None:
    parsed = parse(TITLE + ABOUT + TIMED)
    assert (parsed.complete, parsed.is_empty()) == (False, True)


def test_heading_that_no_machine_is_wide_enough_for_is_none() -> None:
    titles, group = "-net/total-", "recv send|"
    longest = group * (dstat_headings.LONGEST_HEADING // len(group))
    assert dstat_headings.begins(titles, longest)
    assert not dstat_headings.begins(titles, longest + group)


def test_traceback_is_refused_with_its_last_words() -> None:
    text = 'Traceback (most recent call last):\n  File "/usr/bin/dstat", line 1\nNameError: no types\n'
    with pytest.raises(ParseError, match=r"log:3: expected a line with dstat's groups .+, found 'NameError: no types'"):
        parse(text)


@pytest.mark.parametrize("text", ["", TITLE + ABOUT])
def test_what_has_no_columns_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected a line with dstat's groups of columns and one with its columns"):
        dstat.parse(text)


def test_letters_of_a_terminal_are_powers_of_1024_of_bytes_and_of_1000_else() -> None:
    parsed = parse((LOGS / "dstat/imitated-0.8-terminal.txt").read_text())
    assert parsed.complete
    assert column(parsed, "throughput", "read")[0:6:2] == [160 * KIB, 1024 * KIB, 12 * MIB]
    assert column(parsed, "throughput", "receive")[:3] == [0, 66, 1.5 * MIB]
    assert 12_000.0 in parsed.series["context_switch_rate"]
    assert column(parsed, "time", "read")[0:6:2] == [0, 1, 2]
    assert column(parsed, "device", "write")[:2] == ["sda", "sdb"]


@pytest.mark.parametrize(
    ("titles", "names", "sample", "wanted"),
    [
        (
            "-advanced-memory-usage-",
            "total  used  free  buff",
            "12.5G  3.5G   96M 8872k",
            [12.5 * 1024, 3584, 96, 8.664],
        ),
        ("-----/----- --/home--- ", " used  free: used  free", " 1.5G   63G:   0    2M ", [1536, 63 * 1024, 0, 2]),
        ("-gpfs-i/o-- ", "read  write", " 12M 1024k ", [12, 1]),
        ("scratch-fff ", "read  write", " 12M 1024k ", [12, 1]),
        ("ib/mlx5_0-1 ", " recv   send", " 1.5M  512k ", [1.5, 0.5]),
    ],
)
def test_what_plugins_count_in_bytes_are_powers_of_1024(
    titles: str, names: str, sample: str, wanted: list[float]
) -> None:
    series = parse(
        f"--total-usage-- {titles} ---system--\nusr sys idl|{names}| int   csw\n  1   2  97|{sample}|  2k    3k\n"
    ).series
    assert {2000.0} <= set(series["interrupt_rate"])
    found = [
        cell / MIB
        for name in ("memory_total", "memory_used", "memory_free", "memory_buffers", "value")
        for cell in series.get(name, ())
        if isinstance(cell, float) and not math.isnan(cell)
    ]
    assert found == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize(
    ("group", "names"),
    [("-dsk/total-", "#read #writ"), ("--io/total-", " read  writ"), ("nfs3-client", "read  write readd")],
)
def test_what_plugins_count_in_operations_are_powers_of_1000(group: str, names: str) -> None:
    series = parse(
        f"---system-- {group}-\n int   csw |{names}\n  2k    3k| 12k    4k{'  5k' * (len(names.split()) - 2)}\n"
    ).series
    rates = [cell for name in ("operation_rate", "value") for cell in series.get(name, ()) if cell in (12_000, 4_000)]
    assert rates == [12_000, 4_000]


def test_memory_of_all_kinds_may_stand_first() -> None:
    text = "-advanced-memory-usage-\ntotal  used  free  buff\n23.5G 2794M 13.9G  162M\n"
    assert dstat.sniff(text)
    assert parse(text).series["memory_used"] == [2794 * MIB]


def test_times_of_a_terminal_go_on_over_midnight() -> None:
    heading = "----system---- -dsk/total-\n     time     | read  writ\n"
    parsed = parse(f"{heading}31-12 23:59:59|   1B    2B\n01-01 00:00:01|   3B    4B\n")
    assert column(parsed, "time", "read") == [0, 2]


@pytest.mark.parametrize("stop", ["^C", " ^C", " ^", "^C   "])
def test_what_stopped_a_terminal_is_no_cell(stop: str) -> None:
    """Who copies what a terminal shows may leave the letter of ``^C`` behind."""
    text = "-dsk/total- -net/total-\n read  writ| recv  send\n  12k  340k|  66B   80B\n   0    16k|1201B  795B"
    stopped = dstat.parse(f"{text}{stop}\n")
    assert stopped.complete
    assert stopped.series == dstat.parse(f"{text}\n").series


def test_a_sample_of_a_terminal_that_lacks_a_cell_is_told() -> None:
    text = (LOGS / "dstat/imitated-0.8-terminal.txt").read_text()
    parsed = parse(text.replace("|1024k 2048k:", "|2048k:"))
    assert [note.line for note in parsed.notes] == [5]
    assert not parsed.complete
    disks = "-dsk/total-\n read  writ\n"
    assert column(parse(f"{disks} 160k  320k\n  66B    0 \n"), "throughput", "read") == [160 * KIB, 66]
    assert parse(disks).notes[0].text == "a heading is followed by no sample"


@pytest.mark.parametrize("cell", ["              ", "05-05         ", "05-05 10:0x:03"])
def test_a_sample_of_a_terminal_without_its_time_is_told(cell: str) -> None:
    text = (LOGS / "dstat/imitated-0.8-terminal.txt").read_text()
    parsed = parse(text.replace("05-05 10:00:03", cell))
    assert [note.line for note in parsed.notes] == [9]
    assert not parsed.complete


def test_dool_is_named() -> None:
    assert dstat.parse(TITLE.replace("Dstat", "Dool") + ABOUT + TIMED).header["tool_version"] == "Dool 0.7.2"


DOOL = (
    "┄┄┄┄┄system┄┄┄┄┬┄┄┄total┄usage┄┄┄┄┬┄┄dsk/sda┄┄┄┄dsk/sdb┄┄┬┄net/total┄\n"
    "      time     │usr sys idl wai stl│ read  writ┊ read  writ│ recv  send\n"
    "Nov-20 16:18:31│  1   0  98   1   0│ 160k  320k┊   0    12k│   0   528b\n"
    "Nov-20 16:18:32│ 10   5  80   5   0│1024k 2048k┊   0     0 │4229k 4257k\n"
)


def _sent(text: str) -> list[object]:
    series = dstat.parse(text).series
    return [rate for rate, side in zip(series["throughput"], series["operation"], strict=True) if side == "transmit"]


def test_dool_draws_its_tables_and_counts_in_bits() -> None:
    parsed = dstat.parse(DOOL)
    assert dstat.sniff(DOOL)
    assert parsed.complete
    assert {"sda", "sdb"} <= set(parsed.series["device"])
    assert _sent(DOOL) == [66.0, 532125.0]


def test_dool_counts_in_bytes_where_a_letter_or_its_command_says_so() -> None:
    assert _sent(DOOL.replace("528b", "528B")) == [528.0, 4257 * 1024.0]
    by_itself = DOOL.replace("528b", "   0")
    assert _sent(by_itself) == [0.0, 532125.0]
    assert _sent("$ dool -dn --bytes 1\n" + by_itself) == [0.0, 4257 * 1024.0]


@pytest.mark.parametrize(
    ("version", "option", "rate"), [("1.3.4", "", 66517.75), ("1.3.4", " --bytes", 532142.0), ("1.2.0", "", 532142.0)]
)
def test_csv_of_dool_is_in_bits_since_1_3(version: str, option: str, rate: float) -> None:
    head = (
        f'"dool {version} CSV output"\n"Cmdline:","dool -n{option} --output x.csv",,,,"Date:","13 Jul 2026 13:34:38"\n'
    )
    assert _sent(head + '"net/total",\n"recv","send"\n0,0\n528572,532142\n') == [0.0, rate]


def test_processes_of_dool_are_text_though_their_title_has_a_slash() -> None:
    text = (
        "┄┄┄total┄usage┄┄┄┄┬┄┄┄┄most┄expensive┄i/o┄process┄┄┄\n"
        "usr sys idl wai stl│process              pid  read write cpu\n"
        "  1   0  98   1   0│firefox            12345  693K 609K8.3%\n"
    )
    parsed = dstat.parse(text)
    assert parsed.complete
    assert parsed.series["cpu_user"] == [0.01]


def test_a_line_with_other_bars_than_its_headings_is_refused_before_it_is_split() -> None:
    """A heading may be thousands of groups long, and have thousands of lines below it."""
    table = dstat_table.Table("----total-usage----|" * 500, "usr sys idl wai stl|" * 500)

    def refused() -> None:
        with pytest.raises(ValueError, match="one bar"):
            table.cells("one bar|")

    assert calls(refused) < 500


def test_use_of_each_processor() -> None:
    parsed = parse("-per-cpu-usage- -dsk/total-\n 0   1   2 | read  writ\n  4  92   0|   0   12k\n")
    named = {cpu: used for cpu, used in zip(parsed.series["cpu"], parsed.series["utilisation"], strict=True) if cpu}
    assert named == {"0": 0.04, "1": 0.92, "2": 0}


BLANK = (LOGS / "dstat/imitated-pcp-first-blank.txt").read_text()


def test_a_first_sample_with_blanks_is_of_the_moment() -> None:
    parsed = parse(BLANK)
    series = parsed.series
    at = series["line"].index(4)
    assert series["memory_used"][at] == 2811 * MIB
    assert (series["processes_running"][at], series["processes_blocked"][at]) == (1.0, 0.0)
    assert set(series["phase"]) == {""}
    assert parsed.complete


@pytest.mark.parametrize(
    ("printed", "written"), [("|1.0   0    |", "|1.0 x 0   |"), ("|2.0 1.0 3.2|", "|2.0     3.2|")]
)
def test_blanks_elsewhere_and_words_below_no_column_are_told(printed: str, written: str) -> None:
    assert not parse(BLANK.replace(printed, written)).complete


def test_a_name_of_a_process_may_go_on_before_a_short_number() -> None:
    text = "--highest-total--\nlatency process \npdflush        21\nmetadata-sync   5\nmover/1:2-io_5321\n"
    parsed = parse(text)
    assert parsed.series["job"] == ["pdflush", "metadata-sync", "mover/1:2-io_"]
    assert parsed.series["value"] == [21.0, 5.0, 5321.0]


def test_times_of_processes_on_a_terminal_have_no_unit() -> None:
    """Six milliseconds and six seconds are both printed as 6000: dstat divides by 1000 until a number fits."""
    parsed = parse("--highest-total--\ncputime process \npdflush      6000\n")
    assert (parsed.series["metric"], parsed.series["value"], parsed.series["unit"]) == (["cputime"], [6000.0], [""])
    assert [(note.line, note.text) for note in parsed.notes] == [(2, "times of processes have no unit in the table")]


@pytest.mark.parametrize(
    "text",
    [
        "-most-expensive-cpu-process-\nprocess    pid cpu read write\nior         21  3%  2k   3k\n",
        TITLE
        + '"total cpu usage","most expensive"\n"usr","process    pid cpu read write"\n1,Top: ior\t3\t2000\t3000\n',
    ],
)
def test_columns_of_processes_that_are_not_read_are_told(text: str) -> None:
    parsed = parse(text)
    assert "not read: process pid cpu read write" in [note.text for note in parsed.notes]


def test_who_may_be_killed_for_its_memory_hides_no_other_column() -> None:
    text = "--total-usage-- --out-of-memory---\nusr sys idl|    kill score    \n  1   2  97|python        675 \n"
    assert dstat.parse(text).series["cpu_user"] == [0.01]


def test_disks_whose_names_are_cut_alike_are_numbered() -> None:
    parsed = dstat.parse(
        TITLE + '"epoch","nvme","nvme","nvme","sda"\n"epoch","util","util","util","util"\n1000.5,1,2,3,4\n'
    )
    used = dict(zip(parsed.series["device"], parsed.series["utilisation"], strict=True))
    assert used == {"nvme": 0.01, "nvme 2": 0.02, "nvme 3": 0.03, "sda": 0.04}


def test_a_csv_of_dstat_under_the_title_of_pcp_is_in_bytes() -> None:
    parsed = dstat.parse(f'{PCP}"memory usage","dsk/total",\n"used","read","writ"\n7000,1,2\n')
    assert rows(parsed, operation="", phase="since boot")[0]["memory_used"] == 7000.0
    assert column(parsed, "throughput", "write") == [2.0]
