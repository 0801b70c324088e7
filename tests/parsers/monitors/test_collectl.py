"""What golden tables do not show of collectl: groups, suffixes, times, titles, damaged headings."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors import collectl
from storagelab.units import KIB, MIB
from tests.conftest import LOGS
from tests.parsers.monitors.samples import first, rows

BRIEF = (
    "waiting for 1 second sample...\n"
    "#         <--------CPU--------><--------Memory--------><----------Disks-----------><----------Network---------->\n"
    "#Time     cpu sys inter  ctxsw Free Buff Cach Slab  Map KBRead  Reads KBWrit Writes   KBIn  PktIn  KBOut  PktOut\n"
)
SAMPLE = (
    "16:24:53   46   5   38K   7198  21G  19M 571M  80M   1G  2000K      3  44300     78      4     10      2       1\n"
)
LUSTRE = "#<--------CPU--------><-------Lustre Client-------->\n#cpu sys inter  ctxsw KBRead  Reads  KBWrite Writes\n"
RECORD = "### RECORD    1 >>> n1 <<< (1795191898.001) (Fri Nov 20 16:24:58 2026) ###\n\n"
DISKS = (
    "# DISK STATISTICS (/sec)\n"
    "#         <---------reads---------------><---------writes--------------><--------averages--------> Pct\n"
    "#Name       KBytes Merged  IOs Size  Wait  KBytes Merged  IOs Size  Wait  RWSize  QLen  Wait SvcTim Util\n"
    "sda            100      1    2    3     4      50      6    7    8     9      10    11    12     13   14\n"
)
PLOT = "#Date Time [CPU]User% [DSK:sda]Name [DSK:sda]Reads [DSK:sda]RKBytes [NET:eth0]RxKB [MEM]Free [MEM]Slab\n"


def row(parsed: Parsed, operation: str, name: str) -> dict[str, object]:
    """Return the first row of an operation that has a value of some name."""
    series = parsed.series
    rows = ({key: values[at] for key, values in series.items()} for at in range(len(series["line"])))
    return next(found for found in rows if found["operation"] == operation and found[name] == found[name])


def metrics(parsed: Parsed) -> dict[object, object]:
    return {name: value for name, value in zip(parsed.series["metric"], parsed.series["value"], strict=True) if name}


def test_brief_columns_and_their_suffixes() -> None:
    parsed = collectl.parse(BRIEF + SAMPLE)
    assert row(parsed, "read", "throughput")["throughput"] == 2000 * 1024 * 1024
    assert row(parsed, "write", "operation_rate")["operation_rate"] == 78
    assert row(parsed, "receive", "packet_rate")["packet_rate"] == 10
    assert row(parsed, "", "memory_free")["memory_free"] == 21 * 2**30
    assert row(parsed, "", "utilisation")["utilisation"] == pytest.approx(0.46)
    assert row(parsed, "", "interrupt_rate")["interrupt_rate"] == 38000
    assert metrics(parsed) == {"Memory Slab": 80 * 1024, "Memory Map": 1024 * 1024}


def test_fractions_of_a_gigabyte() -> None:
    for text, size in (("2.1G", 2.1), ("2g14", 2.14)):
        parsed = collectl.parse(BRIEF + SAMPLE.replace(" 21G", f" {text}"))
        assert row(parsed, "", "memory_free")["memory_free"] == pytest.approx(size * 2**30)


def test_time_over_midnight_and_the_heading_again() -> None:
    late, early = SAMPLE.replace("16:24:53", "23:59:59"), SAMPLE.replace("16:24:53", "00:00:00")
    assert set(collectl.parse(BRIEF + late + BRIEF + early).series["time"]) == {0.0, 1.0}


def test_rates_of_lustre_have_a_label_since_their_columns_are_called_like_those_of_disks() -> None:
    parsed = collectl.parse(LUSTRE + "1 2 3 4 5 6 7 8\n")
    assert row(parsed, "read", "throughput")["throughput"] == 5 * 1024
    assert row(parsed, "write", "throughput")["label"] == "Lustre Client"
    assert "device" not in parsed.series


def test_record_has_the_time_and_detail_has_devices() -> None:
    parsed = collectl.parse(RECORD + DISKS)
    assert parsed.header["started"] == "2026-11-20T16:24:58.001000+00:00"
    assert row(parsed, "read", "throughput")["device"] == "sda"
    assert row(parsed, "read", "latency")["latency"] == pytest.approx(0.004)
    assert row(parsed, "write", "throughput")["throughput"] == 50 * 1024
    assert row(parsed, "write", "request_size")["request_size"] == 8 * 1024
    assert row(parsed, "", "queue_length")["utilisation"] == pytest.approx(0.14)
    assert metrics(parsed) == {"DISK STATISTICS averages SvcTim": 13}


def test_namesakes_keep_apart() -> None:
    text = "# INODE SUMMARY\n#   Dentries   File Handles   Inodes\n# Number Unused Alloc MaxPct Number\n 1 2 3 4 5\n"
    assert metrics(collectl.parse(text))["INODE SUMMARY (5) Number"] == 5


@pytest.mark.parametrize("separator", [" ", ",", ";"])
def test_plot_format(separator: str) -> None:
    text = (PLOT + "20261120 16:25:02 12 sda 600 57512 3 1024 80\n").replace(" ", separator)
    parsed = collectl.parse(text)
    assert parsed.header["started"] == "2026-11-20T16:25:02"
    assert row(parsed, "read", "throughput")["throughput"] == 57512 * 1024
    assert row(parsed, "receive", "throughput")["interface"] == "eth0"
    assert row(parsed, "", "memory_free")["memory_free"] == 2**20
    assert metrics(parsed) == {"[MEM] Slab": 80}


def test_file_of_plots_has_version_and_options() -> None:
    comment = "# Collectl:   V4.3.1-1  HiRes: 1  Options: -scd -P -f x \n# Host:       n1\n"
    header = collectl.parse(comment + PLOT + "20261120 16:25:02 12 sda 600 57512 3 1024 80\n").header
    assert (header["tool_version"], header["command"]) == ("4.3.1-1", "collectl -scd -P -f x")


def test_seconds_since_1970_and_dates() -> None:
    assert collectl.parse("#UTC [CPU]User%\n1000.5 3\n").header["started"] == "1970-01-01T00:16:40.500000+00:00"
    dated = BRIEF.replace("#Time", "#Date    Time") + SAMPLE.replace("16:24:53", "20261120 16:24:53.001")
    assert collectl.parse(dated).header["started"] == "2026-11-20T16:24:53.001000"


def test_what_stands_below_a_damaged_heading_is_left_out() -> None:
    parsed = collectl.parse(RECORD + DISKS + DISKS.replace("DISK", "D\ufffdSK") + DISKS)
    assert set(parsed.series["line"]) == {6, 14}
    assert parsed.notes == [(7, "a heading cannot be read, nor what stands below it")]


@pytest.mark.parametrize("line", ["1 2 3\n", SAMPLE.replace("7198", "71x8"), "slurmstepd: error\n"])
def test_line_that_is_no_sample_is_said(line: str) -> None:
    parsed = collectl.parse(BRIEF + line + SAMPLE)
    assert (parsed.complete, parsed.notes[0].line) == (False, 4)


def test_mean_size_of_no_request_is_left_out() -> None:
    text = "# NETWORK SUMMARY (/sec)\n# KBIn  PktIn SizeIn  KBOut PktOut  SizeO\n 0 0 0 1 2 3\n"
    series = collectl.parse(text).series
    assert str(list(series["request_size"])) == "[nan, 3.0]"


@pytest.mark.parametrize("text", ["", BRIEF, "waiting for 1 second sample...\n", PLOT])
def test_what_holds_no_sample_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected a sample under a heading of collectl's, found"):
        collectl.parse(text)


@pytest.mark.parametrize("answer", ["Ouch!\n", "^COuch!\n"])
def test_answer_to_an_interrupt_is_no_sample(answer: str) -> None:
    parsed = collectl.parse(BRIEF + SAMPLE + answer)
    assert (parsed.complete, parsed.series) == (True, collectl.parse(BRIEF + SAMPLE).series)


PROCESSES = (LOGS / "collectl/imitated-4.3-plot-processes.csv").read_text


@pytest.mark.parametrize(
    ("old", "new"),
    [(";812;", ";x12;"), (";0.02;", ";0,0x;"), ("20261120;14:00:16;812", "20261320;14:00:16;812"), (";RT;", ";")],
)
def test_a_process_in_plot_format_that_is_damaged_is_left_out_and_said(old: str, new: str) -> None:
    assert old in PROCESSES()
    parsed = parsers.parse(PROCESSES().replace(old, new))
    assert not parsed.complete
    assert set(parsed.series["process"]) == {"4107"}


def test_processes_in_plot_format_may_be_parted_by_blanks_and_have_seconds_since_1970() -> None:
    parsed = parsers.parse(
        "#UTC PID User VmRSS PCT AccumT Command\n1795183216 41+ ceph 2048 12 0:00:07 ceph-osd -f --id 3\n"
    )
    assert parsed.complete
    assert (parsed.series["process"][0], parsed.series["job"][0]) == ("41", "ceph-osd -f --id 3")
    assert parsed.series["memory_used"][0] == 2048 * 1024


def test_details_say_of_which_interrupt_node_zone_and_target_they_are() -> None:
    series = parsers.parse((LOGS / "collectl/imitated-4.3-detail-whose.txt").read_text()).series
    whose = {line: (series["label"][at], series["target"][at]) for at, line in enumerate(series["line"])}
    assert [whose[line][0] for line in (7, 8, 9)] == ["019", "064", "LOC"]
    assert [whose[line][1] for line in (13, 14)] == ["work-OST0003", "work-OST0004"]
    assert [whose[line][0] for line in (18, 19, 27, 28)] == ["0", "1", "0 DMA", "0 Normal"]


def test_an_interrupt_that_is_cut_is_said() -> None:
    text = (LOGS / "collectl/imitated-4.3-detail-whose.txt").read_text()
    parsed = parsers.parse(text.replace("  LOC    1004    998   \n", "  LOC    1004\n"))
    assert not parsed.complete
    assert 9 not in set(parsed.series["line"])


def test_a_heading_too_short_for_its_columns_leaves_them_their_names() -> None:
    text = "#         <----Network---->\n#Time       KBIn  PktIn  KBOut  PktOut\n"
    parsed = collectl.parse(text + "".join(f"10:00:0{at}       {at}      2      6       4\n" for at in range(1, 4)))
    assert row(parsed, "transmit", "throughput")["throughput"] == 6 * 1024


@pytest.mark.parametrize("name", ["4.3.1-verbose.txt", "imitated-4.3-detail-whose.txt"])
def test_a_table_whose_title_is_lost_has_not_that_of_the_table_above(name: str) -> None:
    lines = (LOGS / "collectl" / name).read_text().splitlines(keepends=True)
    titles = [at for at, line in enumerate(lines) if line.startswith("# ") and lines[at - 1].isspace()]
    assert len(titles) > 4
    silent = []
    for at in titles[1:]:
        parsed = collectl.parse("".join(lines[:at] + lines[at + 1 :]))
        said = any(note.text.startswith("expected a title above other columns") for note in parsed.notes)
        below = [line for line in parsed.series["line"] if at < line <= at + 3]
        silent += [lines[at]] if parsed.complete or not said or below else []
    assert silent == []


def test_samples_of_less_than_a_second_are_told_apart_by_their_order() -> None:
    text = (LOGS / "collectl" / "imitated-4.3-half-seconds.txt").read_text()
    parsed = parsers.parse(text)
    assert (parsed.complete, parsed.notes) == (True, [])
    samples = rows(parsed, operation="read")
    assert [(sample["time"], sample["iteration"]) for sample in samples] == [(0, 0), (0, 1), (1, 2), (1, 3)]
    assert "iteration" not in parsers.parse(text.replace("for 0.5", "for 1")).series


@pytest.mark.parametrize("time", ["12:31:{:02}", "20261129 12:31:{:02}", "11/29 12:31:{:02}.001"])
def test_headings_of_memory_leave_the_place_of_the_time_blank(time: str) -> None:
    """With ``--verbose -oT``; the groups stand above their columns, further to the right."""
    blank = " " * len(time.format(0))
    table = (
        f"\n# MEMORY SUMMARY\n#{blank}<--Physical Memory--><--Swap-->\n#{blank}    Total    Used Total Used\n"
        "{} 24105M   7030M  512M  12K\n"
    )
    text = "waiting for 1 second sample...\n" + "".join(table.format(time.format(second)) for second in (14, 15))
    parsed = parsers.parse(text)
    assert parsed.complete
    memory = [row for row in rows(parsed) if "memory_used" in row]
    assert [row["memory_used"] for row in memory] == [7030 * MIB] * 2
    assert [row["time"] for row in memory] == [0.0, 1.0]
    assert [row["swap_used"] for row in rows(parsed) if "swap_used" in row] == [12 * KIB] * 2


def test_text_below_the_end_of_a_table_is_no_sample() -> None:
    parsed = collectl.parse(f"{BRIEF}{SAMPLE}\nVector - for the nodes\n")
    assert (parsed.complete, parsed.notes) == (True, [(6, "not a line of collectl")])
    assert not collectl.parse(f"{BRIEF}{SAMPLE}\nall 12 nodes\n").complete
    assert not collectl.parse(f"{BRIEF}{SAMPLE}\n{SAMPLE}Vector - for the nodes\n").complete


@pytest.mark.parametrize(
    ("title", "heading", "sample"),
    [
        ("LUSTRE CLIENT SUMMARY (/sec): READAHEAD", "#  KBRead  Reads Hits", "   64  2  12"),
        ("LUSTRE MDS SUMMARY (/sec)", "#Getattr GttrLck Sttrwrk", "  12  0  3"),
        ("INTERRUPT DETAILS", "# Int    Cpu0   Type            Device(s)", "  041       1   PCI-MSI  1-edge rx"),
        ("MEMORY FRAGMENTATION (4K pages)", "#Node    Zone      1Pg    2Pgs", "    0     DMA       7       5"),
        ("SOCKET STATISTICS", "#      <-------------Tcp------------->\n#Used  Inuse Orphan", "  28  3  0"),
    ],
)
def test_a_log_of_one_subsystem_is_told_by_its_title(title: str, heading: str, sample: str) -> None:
    parsed = parsers.parse(f"\n# {title}\n{heading}\n{sample}\n")
    assert (parsed.header["tool"], parsed.complete) == ("collectl", True)
    assert len(parsed.series["line"]) > 0


def test_headings_whose_signs_got_lost_on_a_page() -> None:
    text = (
        "#<--------CPU--------><----------Disks----------->\n"
        "#cpu sys inter  ctxsw KBRead  Reads KBWrit Writes \n"
        "   3   1  1450   1760    512     16   2048     33 \n"
    )
    whole, lost = parsers.parse(text), parsers.parse(text.replace("#", ""))
    assert lost.complete
    assert rows(lost) == rows(whole)
    assert first(lost, operation="read")["throughput"] == 512 * KIB
