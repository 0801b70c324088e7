"""iostat: what its golden tables do not show."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.units import KIB, MIB
from tests.conftest import LOGS
from tests.parsers.monitors.samples import first, read, rows

BANNER = "Linux 2.6.18 (oss1) \t01/21/2009\n\n"


def test_the_first_report_is_since_boot_and_a_note_says_why() -> None:
    parsed = read("iostat/extended-times-12.6.1.txt")
    assert {row["iteration"] for row in rows(parsed, phase="since boot")} == {0.0}
    assert [row["time"] for row in rows(parsed, device="vda", operation="read")] == [0.0, 1.0, 2.0, 3.0]
    assert "-y" in parsed.notes[-1].text


def test_json_of_disks_alone_lacks_no_processors() -> None:
    sample = '{{{}\n"disk": [\n{{"disk_device": "sda", "tps": 1.00, "kB_read/s": 2.00}}]}}'
    document = (
        '{{"sysstat": {{"hosts": [{{"nodename": "vm", "sysname": "Linux", "release": "6.1", "machine": "x86_64", '
        '"number-of-cpus": 2, "date": "11/20/26", "statistics": [\n{},\n{}]}}]}}}}\n'
    )
    alone, cpu = sample.format(""), sample.format('\n"avg-cpu": {"user": 1.00, "idle": 99.00},')
    assert not any("avg-cpu" in note.text for note in parsers.parse(document.format(alone, alone)).notes)
    assert any("avg-cpu" in note.text for note in parsers.parse(document.format(cpu, alone)).notes)


def test_a_page_may_print_wide_colons() -> None:
    text = (LOGS / "iostat/extended-times-12.6.1.txt").read_text()
    wide = text.replace("avg-cpu:", "avg-cpu\uff1a").replace("Device ", "Device\uff1a ")
    assert wide.count("\uff1a") > 1
    assert rows(parsers.parse(wide)) == rows(parsers.parse(text))
    assert parsers.recognise(wide.partition("Device")[0]).FORMAT.name == "iostat"


@pytest.mark.parametrize("command", ["$ iostat -xy 5 2", "user@oss1:~$ iostat -d 5 -y", "iostat -dyk vda 5"])
def test_a_command_says_that_the_first_report_is_not_since_boot(command: str) -> None:
    parsed = parsers.parse(f"{command}\n{(LOGS / 'iostat/extended-times-12.6.1.txt').read_text()}")
    assert set(parsed.series.get("phase", [""])) == {""}
    assert not any("-y" in note.text for note in parsed.notes)


def test_directions_of_a_device_are_rows() -> None:
    parsed = read("iostat/extended-times-12.6.1.txt")
    write = first(parsed, device="vda", operation="write", iteration=1.0)
    assert (write["throughput"], write["operation_rate"], write["line"]) == (1616 * KIB, 188.0, 22)
    assert write["latency"] == pytest.approx(0.00047)
    assert write["merge_share"] == pytest.approx(0.0784)
    assert first(parsed, device="vda", operation="trim", iteration=1.0)["throughput"] == 205520 * KIB


def test_a_unit_in_the_cell_beats_the_heading() -> None:
    row = first(read("iostat/human-12.6.1.txt"), device="vda", operation="write", iteration=1.0)
    assert (row["throughput"], row["data_size"]) == (pytest.approx(199.0 * MIB), pytest.approx(201.0 * MIB))


def test_json_says_the_same_in_mebibytes() -> None:
    row = first(read("iostat/megabytes-12.6.1.json"), device="vda", operation="write", iteration=1.0)
    assert (row["throughput"], row["line"]) == (pytest.approx(205.36 * MIB), 27)


DISK = (
    '{{"disk_device": "{}", "r/s": {}, "w/s": {}, "d/s": 0.00, "r{unit}/s": {}, "w{unit}/s": {}, "d{unit}/s": 0.00, '
    '"r_await": 0.20, "w_await": 0.40, "rareq-sz": {}, "wareq-sz": {}, "aqu-sz": 0.10, "util": 1.00}}'
)


def document(unit: str, *disks: tuple[object, ...]) -> str:
    """Return what ``iostat -xd -o JSON`` prints once of disks."""
    host = '"nodename": "oss2", "sysname": "Linux", "release": "5.4.0", "machine": "x86_64", "number-of-cpus": 4'
    printed = ",\n".join(DISK.format(*disk, unit=unit) for disk in disks)
    sample = f'"date": "07/20/20",\n"statistics": [\n{{"disk": [\n{printed}\n]}}\n]'
    return f'{{"sysstat": {{"hosts": [{{{host}, {sample}}}]}}}}\n'


def test_written_sectors_that_json_calls_kilobytes_are_counted_in_bytes() -> None:
    parsed = parsers.parse(document("kB", ("sdb", 8, 40, 512, 1280, 64, 16), ("sdc", 0, "0.01", 0, "0.10", 0, "8.00")))
    written = {row["device"]: row["throughput"] for row in rows(parsed, operation="write")}
    assert written == {"sdb": 1280 * 512, "sdc": pytest.approx(0.10 * 512)}
    assert first(parsed, device="sdb", operation="read")["throughput"] == 512 * KIB
    assert [note.text.partition(":")[0] for note in parsed.notes if "sectors of 512 bytes" in note.text] == ["write"]


def test_written_sectors_that_json_calls_megabytes_are_counted_in_bytes() -> None:
    parsed = parsers.parse(document("MB", ("sdb", 0, 31, 0, 248, 0, 4)))
    assert first(parsed, operation="write")["throughput"] == 248 * 512


@pytest.mark.parametrize(
    ("printed", "rate", "size"),
    [(640, 40, 16), (1280, 40, 16.5), (1000, 40, 16), ("0.12", "0.01", "6.00")],
    ids=["fits", "fits neither", "far from both", "too few digits"],
)
def test_kilobytes_that_json_may_well_mean_stay(printed: object, rate: object, size: object) -> None:
    parsed = parsers.parse(document("kB", ("sdb", 0, rate, 0, printed, 0, size)))
    assert first(parsed, operation="write")["throughput"] == pytest.approx(float(str(printed)) * KIB)
    assert not any("sectors" in note.text for note in parsed.notes)


def test_json_may_indent_the_name_of_a_group_of_disks() -> None:
    parsed = parsers.parse(document("kB", ("sda", 1, 2, 3, 4, 5, 6), (" all", 1, 2, 3, 4, 5, 6)))
    assert set(parsed.series["device"]) == {"sda", "all"}


def test_old_columns_count_sectors() -> None:
    text = BANNER + (
        "Device:    rrqm/s wrqm/s   r/s   w/s  rsec/s  wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n"
        "sda          1.00   2.00  3.00  4.00    8.00   16.00     3.43     0.50    6.00   1.00   7.00\n\n"
    )
    parsed = parsers.parse(text)
    assert first(parsed, operation="write")["throughput"] == 16 * 512
    common = first(parsed, operation="", metric="")
    assert (common["request_size"], common["queue_length"]) == (pytest.approx(3.43 * 512), 0.5)
    assert first(parsed, metric="svctm")["unit"] == "ms"


def test_solaris_counts_megabytes_in_columns_without_a_slash_for_the_unit() -> None:
    text = (
        "                    extended device statistics              \n"
        "    r/s    w/s   Mr/s   Mw/s wait actv wsvc_t asvc_t  %w  %b device\n"
        "   12.5   88.0    1.5   44.0  0.2  1.4    2.0   13.9   4  61 c2t0d0\n"
    )
    parsed = parsers.parse(text)
    assert first(parsed, operation="write")["throughput"] == 44 * MIB
    assert first(parsed, operation="", metric="")["utilisation"] == 0.61


def test_numbers_that_a_mail_has_wrapped_lead_to_the_line_below() -> None:
    row = first(read("iostat/imitated-12.4-wrapped.txt"), device="sda", operation="write")
    assert (row["line"], row["latency_line"]) == (8, 9)


def test_a_long_name_may_have_a_line_of_its_own() -> None:
    text = BANNER + "Device: tps Blk_read/s Blk_wrtn/s Blk_read Blk_wrtn\nluks-ea06d19b-489f\n 1.00 2.00 3.00 4 5\n\n"
    row = first(parsers.parse(text), operation="read")
    assert (row["device"], row["throughput"], row["data_size"]) == ("luks-ea06d19b-489f", 1024.0, 2048.0)


@pytest.mark.parametrize(
    ("times", "noon"),
    [
        (("Time: 11:59:59 PM", "Time: 12:00:01 AM"), "Time: 12:00:00 PM"),
        (("Ora:  23:59:59", "Ora:  00:00:01"), "Ora:  12:00:00"),
        (("時間: 23時59分59秒", "時間: 00時00分01秒"), "時間: 12時00分00秒"),
    ],
)
def test_a_bare_time_takes_the_day_from_the_banner_and_passes_each_midnight(times: tuple[str, str], noon: str) -> None:
    report = "{}\nDevice: tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 1.00 2.00 3.00 4 5\n\n"
    parsed = parsers.parse(BANNER + "".join(map(report.format, [*times, noon, *times])))
    assert parsed.complete
    assert parsed.header["started"] == "2009-01-21T23:59:59"
    assert [row["time"] for row in rows(parsed, operation="read")] == [0.0, 2.0, 43201.0, 86400.0, 86402.0]


def test_dates_above_all_reports_are_their_times() -> None:
    """As ``iostat -xT d`` of Solaris prints them; one of a script says nothing of the reports behind the next."""
    report = (
        "                 extended device statistics\n"
        "device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b\n"
        "sd0      75.5   12.5  800.0   64.0  0.0  0.4    4.6   0  13\n"
    )
    log = f"Fri Nov 20 23:59:59 2026\n{report}Sat Nov 21 00:00:09 2026\n{report}"
    parsed = parsers.parse(log)
    assert (parsed.complete, parsed.header["started"]) == (True, "2026-11-20T23:59:59")
    assert [row["time"] for row in rows(parsed, operation="read")] == [0.0, 10.0]
    for other in (log + report, f"Fri Nov 20 23:59:59 2026\n{report}"):
        parsed = parsers.parse(other)
        assert (parsed.complete, any("time" in row for row in rows(parsed))) == (True, False)


def test_a_table_without_its_blank_line_may_be_cut() -> None:
    parsed = parsers.parse(
        BANNER + "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n 1.0 0.0 1.0 0.0 0.0 98.0\n"
    )
    assert not parsed.complete


def test_no_table_is_no_report() -> None:
    with pytest.raises(ParseError, match="expected a table of iostat"):
        parsers.by_name("iostat").parse(BANNER)


def test_json_that_is_cut_gives_what_came_before() -> None:
    text = (LOGS / "iostat" / "megabytes-12.6.1.json").read_text()
    parsed = parsers.parse(text[: text.rindex('"vda"')])
    assert not parsed.complete
    assert len(rows(parsed, device="vda", operation="write")) == 1
    assert len(rows(parsed, device="loop2", operation="write")) == 2


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("device     r/s   w/s    kr/s    kw/s qlen svc_t  %b  ", "sd0   1.0   2.0    16.0    32.0    0   1.5   3 "),
        (
            "    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b device",
            "  1.0  2.0 16.0 32.0  0.0  0.0  1.5   0   3 sd0",
        ),
    ],
)
def test_extended_statistics_of_other_systems(heading: str, line: str) -> None:
    parsed = parsers.parse(f"                    extended device statistics  \n{heading}\n{line}\n")
    assert first(parsed, operation="write", device="sd0")["throughput"] == 32 * KIB
    both = first(parsed, operation="", metric="")
    assert (both["latency"], both["utilisation"]) == (0.0015, 0.03)


def test_a_rate_that_is_printed_in_sectors_and_in_kilobytes_is_one_rate() -> None:
    """sysstat up to 8: the second column says the same as the first, and keeps its unit."""
    heading = "Device:    rrqm/s wrqm/s   r/s   w/s  rsec/s  wsec/s    rkB/s    wkB/s avgrq-sz"
    line = "sda          0.10  11.20  1.20  3.40   96.00  116.80    48.00    58.40    46.26"
    parsed = parsers.by_name("iostat").parse(f"{BANNER}{heading}\n{line}\n\n")
    assert first(parsed, operation="read")["throughput"] == 48 * KIB
    assert first(parsed, operation="write")["throughput"] == pytest.approx(58.4 * KIB)
    assert (first(parsed, metric="rkB/s")["unit"], first(parsed, metric="rkB/s")["value"]) == ("kB/s", 48.0)
    assert (first(parsed, metric="wkB/s")["unit"], first(parsed, metric="wkB/s")["value"]) == ("kB/s", 58.4)


AIX = (LOGS / "iostat/imitated-aix.txt").read_text
AIX_TIMES = (LOGS / "iostat/imitated-aix-D.txt").read_text


@pytest.mark.parametrize("text", [AIX, AIX_TIMES])
def test_a_report_of_aix_that_is_cut_is_incomplete(text: Callable[[], str]) -> None:
    lines = text().splitlines(keepends=True)
    whole = parsers.parse("".join(lines))
    assert (whole.complete, whole.notes) == (True, [])
    for cut in (-2, -4):
        assert not parsers.parse("".join(lines[:cut])).complete, cut


def test_numbers_of_aix_have_suffixes_of_sizes_and_of_times() -> None:
    parsed = parsers.parse(AIX_TIMES())
    assert first(parsed, operation="write", iteration=0.0)["throughput"] == 21.9e6
    slow = [row for row in rows(parsed, operation="write", iteration=0.0) if "latency_max" in row]
    assert [(row["latency"], row["latency_max"], row["line"]) for row in slow] == [(pytest.approx(0.0091), 1.4, 9)]
    assert [row["operation_rate"] for row in rows(parsed, operation="write", line=18)] == [1300.0]


def test_a_line_a_disk_with_the_time_of_day_behind_it() -> None:
    parsed = parsers.parse(
        "System configuration: lcpu=4 drives=1 paths=1 vdisks=1\n\n"
        "Disks:        xfers          read      write      queue      time\n"
        "------------- -------------- --------- ---------- ---------- ----\n"
        "    %tm bps tps bread bwrtn rps avg min max time fail wps avg min max time fail avg min max avg avg serv\n"
        "    act serv serv serv outs serv serv serv outs time time time wqsz sqsz qfull\n"
        "hdisk4 4.8 2.1M 48.7 1.9M 0.2M 40.2 2.4 0.1 31.0 0 0 8.5 3.1 0.2 1.2S 0 0 0.8 0.0 47.4 0.5 0.1 0.2 14:05:01\n"
    )
    assert (parsed.complete, parsed.notes) == (True, [])
    assert first(parsed, operation="read")["throughput"] == 1.9e6
    assert first(parsed, metric="queue sqfull")["value"] == 0.2


@pytest.mark.parametrize("cell", ["4.8X", "1.1S", "-"])
def test_a_cell_that_is_none_of_its_column_is_lost_and_said(cell: str) -> None:
    parsed = parsers.parse(AIX().replace("97.4", cell))
    assert not parsed.complete


def test_errors_stand_behind_the_disks_of_solaris() -> None:
    parsed = parsers.parse(
        "                            extended device statistics       ---- errors --- \n"
        "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b s/w h/w trn tot device\n"
        "    0.9    2.8    7.3    1.8  0.0  0.0    2.7    9.3   1   2   0   3   0   3 c0t0d0\n"
    )
    assert (parsed.complete, first(parsed, metric="h/w")["value"]) == (True, 3.0)


def test_commas_of_solaris_separate_a_disk_from_its_slice() -> None:
    parsed = parsers.parse(
        "extended device statistics\nr/s,w/s,kr/s,kw/s,wait,actv,wsvc_t,asvc_t,%w,%b,device\n"
        "0.9,2.8,7.3,1.8,0.0,0.0,2.7,9.3,1,2,c0t0d0\n"
    )
    assert first(parsed, operation="read", device="c0t0d0")["throughput"] == 7.3 * KIB
    sliced = parsers.parse(
        "extended device statistics\ndevice,r/s,w/s,kr/s,kw/s,wait,actv,svc_t,%w,%b,\n"
        "dad0,a,0.0,17.2,0.0,89.7,0.0,0.0,0.2,0,0\n"
    )
    assert first(sliced, operation="write", device="dad0,a")["operation_rate"] == 17.2


def test_a_virtual_adapter_of_aix_has_columns_of_its_own() -> None:
    adapter = "\nVadapter:\nvscsi0  xfer:  Kbps  tps  bkread  bkwrtn  partition-id\n  12.0  3.0  1.0  2.0  1\n"
    parsed = parsers.parse(AIX() + adapter)
    at = list(parsed.series["device"]).index("vscsi0")
    assert [parsed.series[name][at] for name in ("throughput", "operation_rate")] == [12288, 3]
    assert "vscsi0" not in parsers.parse(AIX() + adapter.replace("bkread", "other")).series["device"]


def test_two_runs_of_aix_are_parts() -> None:
    parsed = parsers.parse(AIX_TIMES() * 2)
    assert (parsed.complete, parsed.series["part"][-1], max(parsed.series["iteration"])) == (True, 2, 1)


def test_rows_under_columns_of_aix_that_nobody_knows_are_not_read_as_those_above() -> None:
    adapters = "\nAdapter:       Kbps    tps  Kb_read  Kb_other\nfcs0           12.0    3.0      120       240\n"
    parsed = parsers.parse(AIX() + adapters)
    assert not parsed.complete
    assert "fcs0" not in parsed.series["device"]


def test_a_disk_of_aix_without_its_last_section_is_said_where_another_follows() -> None:
    lines = AIX_TIMES().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if "queue:" in line)
    assert not parsers.parse("".join([*lines[:at], *lines[at + 2 :]])).complete


def test_a_command_without_a_prompt_is_no_lost_line() -> None:
    text = (LOGS / "iostat/extended-times-12.6.1.txt").read_text()
    assert parsers.parse(f"iostat -tx 1 4\n{text}").complete
    assert not parsers.parse(f"vda 1 4\n{text}").complete


def test_the_last_columns_of_a_table_are_enough() -> None:
    parsed = parsers.parse("Device   r_await w_await aqu-sz  %util\nsdb         0.40    1.50   3.25  64.00\n\n")
    assert first(parsed, operation="write")["latency"] == pytest.approx(0.0015)
    assert first(parsed, operation="", device="sdb")["utilisation"] == pytest.approx(0.64)


def test_hp_ux_counts_kibibytes_and_seeks() -> None:
    parsed = read("iostat/imitated-hp-ux.txt")
    assert first(parsed, device="c2t1d0", iteration=1.0, metric="")["throughput"] == 532 * KIB
    assert first(parsed, device="c2t1d0", iteration=1.0, metric="sps")["value"] == 61.4


def test_a_device_of_hp_ux_that_comes_again_under_its_heading_is_of_the_next_report() -> None:
    parsed = read("iostat/imitated-hp-ux-headed-once.txt")
    rates = [first(parsed, device="c1t2d0", iteration=at, metric="")["throughput"] for at in (0.0, 1.0, 2.0)]
    assert rates == [241 * KIB, 1024 * KIB, 0.0]
    assert {row["iteration"] for row in rows(parsed, phase="since boot")} == {0.0}


def test_solaris_may_be_indented_by_tabs() -> None:
    text = (
        "\t\textended device statistics\n"
        "\tr/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n"
        "\t2.5   41.0   80.0 3072.0  0.0  0.1    0.0    0.9   0   3 sd4\n"
    )
    assert first(parsers.parse(text), operation="write")["throughput"] == 3072 * KIB


def test_a_line_of_blanks_is_nothing() -> None:
    text = (LOGS / "iostat/extended-times-12.6.1.txt").read_text()
    assert parsers.parse(f" \n{text}").complete


def test_names_of_columns_lose_the_backslashes_of_markdown() -> None:
    text = (
        "Device: r/s w/s rkB/s wkB/s await r\\_await w\\_await %util\nsdq 4.00 2.00 64.00 32.00 1.50 1.25 2.00 0.90\n\n"
    )
    series = parsers.parse(text).series
    latency = dict(zip(series["operation"], series["latency"], strict=True))
    assert (latency["read"], latency["write"]) == (pytest.approx(1.25e-3), pytest.approx(2e-3))


def test_terminals_and_processors_of_aix_alone_are_read() -> None:
    parsed = parsers.parse(
        "System configuration: lcpu=4 ent=0.50\n\n"
        "tty:      tin         tout    avg-cpu: % user % sys % idle % iowait physc % entc\n"
        "          1.0         23.5                2.5   1.5   95.0      1.0   0.1    4.0\n"
    )
    [processors] = rows(parsed, cpu="all")
    assert (processors["cpu_user"], processors["cpu_idle"]) == (pytest.approx(0.025), pytest.approx(0.95))
    assert [row["value"] for row in rows(parsed, metric="tout")] == [23.5]


def test_file_systems_of_aix_have_no_share_of_their_time() -> None:
    head = "FS Name:               % tm_act      Kbps      tps    Kb_read   Kb_wrtn\n"
    first = "/lake                       -         3.0      0.5         96        64\n"
    parsed = parsers.parse(head + first + "\n" + head + first.replace("3.0", "8.0") + "\n")
    assert parsed.complete
    both, read, write = rows(parsed, device="/lake", iteration=1.0)
    assert (both["throughput"], both["operation_rate"]) == (8 * 1024, 0.5)
    assert (read["data_size"], write["data_size"]) == (96 * 1024, 64 * 1024)
    assert "utilisation" not in parsed.series


@pytest.mark.parametrize(
    ("name", "processors"),
    [
        ("imitated-freebsd-with-host.txt", [(0.06, 0.90, 4), (0.12, 0.82, 8)]),
        ("imitated-freebsd-12-cpu.txt", [(0.06, 0.90, 4), (0.12, 0.82, 11)]),
        ("imitated-solaris-xtc.txt", [(0.04, 0.87, 4)]),
        ("imitated-hp-ux-t.txt", [(0.03, 0.94, 4), (0.09, 0.87, 13)]),
    ],
)
def test_processors_of_unix_stand_above_its_disks_or_behind_the_first(name: str, processors: list[object]) -> None:
    parsed = read(f"iostat/{name}")
    assert parsed.complete
    found = [(row["cpu_user"], row["cpu_idle"], row["line"]) for row in rows(parsed, cpu="all")]
    assert found == [pytest.approx(one) for one in processors]
    lines = (LOGS / "iostat" / name).read_text().splitlines()
    disks = [at for at, line in enumerate(lines, 1) if line.lstrip().startswith(("da", "sd", "c0t", "c4t"))]
    assert sorted({row["line"] for row in rows(parsed) if "device" in row}) == disks


def test_terminals_are_counted_where_disks_are() -> None:
    heading = "device           r/i         w/i         kr/i         kw/i qlen   tsvc_t/i      sb/i  tin  tout \n"
    text = f"       extended device statistics        tty \n{heading}ada0 12.0 7.0 96.0 28.0 0 1.5 0.7  31 4805 \n"
    parsed = parsers.parse(text)
    metrics = {row["metric"]: (row["value"], row.get("unit")) for row in rows(parsed) if row.get("metric") in TERMINALS}
    assert metrics == {"tin/i": (31.0, None), "tout/i": (4805.0, None)}
    per_second = read("iostat/imitated-solaris-xtc.txt")
    assert first(per_second, metric="tout")["unit"] == "1/s"


TERMINALS = {"tin", "tout", "tin/i", "tout/i"}


def test_a_first_disk_without_its_processors_is_lost_and_said() -> None:
    text = (LOGS / "iostat/imitated-solaris-xtc.txt").read_text().replace("    1  217  4  7  2 87", "")
    parsed = parsers.parse(text)
    assert (4, "not a line of the table: 16 columns wanted, found 10") in parsed.notes
    assert not parsed.complete
    assert {row["device"] for row in rows(parsed)} == {"sd1"}


@pytest.mark.parametrize("unit", ["", "k"])
def test_cifsiostat_may_print_its_names_behind_the_numbers(unit: str) -> None:
    """As ``--pretty`` and ``-h`` do, with which units stand behind the numbers."""
    text = (
        BANNER + "        rkB/s        wkB/s    rops/s    wops/s         fo/s         fc/s         fd/s Filesystem\n"
        f"         8.00{unit}        16.50{unit}      2.00      4.00         1.00         1.00         0.00 "
        "\\\\srv\\share\n\n"
    )
    parsed = parsers.parse(text)
    read = first(parsed, operation="read")
    assert (parsed.complete, read["device"], read["throughput"]) == (True, "\\\\srv\\share", 8 * KIB)
    assert first(parsed, operation="write")["throughput"] == 16.5 * KIB


TABLE = "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\nsda  1.00  2.00  3.00  4  5\n"


@pytest.mark.parametrize(
    ("end", "is_whole"),
    [
        ("\n", True),
        ("\n```\n\nNow the same for sdb\n", True),
        ("\n[root@oss1 ~]# \n", True),
        ("", False),
        ("Now the same for sdb\n", False),
        ("\nNow the same for 12 disks\n", False),
    ],
)
def test_text_behind_the_blank_line_that_ends_a_report_is_no_cut(end: str, is_whole: bool) -> None:
    assert parsers.parse(BANNER + TABLE + end).complete is is_whole


def test_headings_may_stand_behind_blanks() -> None:
    assert first(parsers.parse(f"{BANNER} {TABLE}\n"), operation="read")["throughput"] == 2 * KIB


def test_a_disk_that_comes_again_under_one_heading_is_of_the_next_report() -> None:
    heading = "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n"
    row = "{:10} {:.2f}         1.00         2.00          3          4\n"
    text = heading + "".join(row.format(disk, at) for at in range(3) for disk in ("sda", "sdb")) + "\n"
    parsed = parsers.parse(text)
    found = {(row["device"], row["iteration"], row.get("phase", "")) for row in rows(parsed)}
    phases = ["since boot", "", ""]
    assert found == {(disk, float(at), phases[at]) for at in range(3) for disk in ("sda", "sdb")}


PCP = """\
# {0}Device     rrqm/s  wrqm/s    r/s    w/s   rkB/s   wkB/s  avgrq-sz  avgqu-sz  await  r_await  w_await  %util
{1}sda             0.0     1.0    0.0    2.0     0.0    12.0     6.000     0.001    0.5      0.0      0.5    0.1
{1}sdb             0.0     0.0    1.0    0.0     4.0     0.0     4.000     0.001    0.5      0.5      0.0    0.1
{2}sda             0.0     0.0   10.0    4.0    40.0    64.0     7.429     0.010    0.7      0.6      1.0    1.0
{2}sdb               ?       ?      ?      ?       ?       ?         ?         ?      ?        ?        ?      ?
"""


@pytest.mark.parametrize(
    ("stamps", "times"),
    [
        (("", "", ""), []),
        (("Timestamp                ", "Thu Mar  7 23:59:59 2024   ", "Fri Mar  8 00:00:01 2024   "), [0.0, 2.0]),
    ],
    ids=["no times", "-x t"],
)
def test_iostat_of_performance_co_pilot(stamps: tuple[str, str, str], times: list[float]) -> None:
    parsed = parsers.parse(PCP.format(*stamps))
    assert parsed.complete
    read = rows(parsed, device="sda", operation="read")
    assert [(row["throughput"], row["iteration"]) for row in read] == [(0.0, 0.0), (40 * KIB, 1.0)]
    assert [row["time"] for row in read if "time" in row] == times
    assert first(parsed, device="sda", operation="")["request_size"] == 6 * KIB
    assert not rows(parsed, phase="since boot")
    assert len(rows(parsed, device="sdb", operation="read")) == 1


def test_iostat_of_performance_co_pilot_that_lost_its_last_disk_is_incomplete() -> None:
    lost = PCP.format("", "", "").rsplit("sdb", 1)[0]
    assert "lacks a disk" in parsers.parse(lost).notes[0].text
    assert parsers.parse(f"$ pcp iostat -x noidle\n{lost}").complete
    assert not parsers.parse(PCP.format("", "", "").replace("    12.0     6.000", "    12.0  ")).complete


def test_aix_times_count_from_the_first_of_a_run_over_midnight() -> None:
    report = (
        "Disks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn   time\n"
        "hdisk0           0.5      12.0      3.0          0        12  {0}\n"
        "hdisk1           1.0      24.0      6.0         12        12  {0}\n\n"
    )
    run = "System configuration: lcpu=8 drives=2 paths=2 vdisks=0\n\n{}{}"
    parsed = parsers.parse(2 * run.format(report.format("23:59:58"), report.format("00:00:03")))
    assert parsed.complete
    assert [row["time"] for row in rows(parsed, device="hdisk1", operation="read")] == [0.0, 5.0, 0.0, 5.0]
