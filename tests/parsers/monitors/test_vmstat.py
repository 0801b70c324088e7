"""What golden tables do not show of vmstat: columns by name, units, times, other systems, totals that are cut."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors import vmstat, vmstat_headings, vmstat_totals
from tests.conftest import LOGS
from tests.parsers.monitors.samples import rows

GROUPS = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
HEADING = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
LINE = " 1  2    400   8000     40   1200    1    2     3     4    5    6 10 20 30 40  0\n"
FREEBSD = (
    "procs     memory      page                    disks     faults         cpu\n"
    "r b w     avm    fre   flt  re  pi  po    fr  sr ad0 ad1   in   sy   cs us sy id\n"
    "0 1 0   237M    1.5G   100   0   0   0   102   0   3   4  229  150  235  1  2 97\n"
)


def first(parsed: Parsed, name: str, operation: str = "") -> object:
    series = parsed.series
    return next(
        series[name][at]
        for at in range(len(series["line"]))
        if series["operation"][at] == operation and not ("metric" in series and series["metric"][at])
    )


def test_host_and_both_directions() -> None:
    parsed = vmstat.parse(GROUPS + HEADING + LINE)
    assert first(parsed, "memory_free") == 8000 * 1024
    assert first(parsed, "swap_used") == 400 * 1024
    assert (first(parsed, "swap_in"), first(parsed, "swap_out")) == (1024, 2048)
    assert (first(parsed, "throughput", "read"), first(parsed, "throughput", "write")) == (3072, 4096)
    assert (first(parsed, "cpu_user"), first(parsed, "cpu_iowait")) == (0.1, 0.4)
    assert (first(parsed, "processes_running"), first(parsed, "processes_blocked")) == (1, 2)
    assert "time" not in parsed.series


def test_first_sample_is_since_boot_and_the_heading_comes_again() -> None:
    parsed = vmstat.parse(GROUPS + HEADING + LINE + GROUPS + HEADING + LINE)
    assert list(parsed.series["phase"]) == ["since boot"] * 3 + [""] * 3
    assert list(parsed.series["line"]) == [3] * 3 + [6] * 3


@pytest.mark.parametrize(
    ("options", "bytes"),
    [
        ("-S m 1", 10**6),
        ("1 -n -Sm", 10**6),
        ("-wS M 2 3", 2**20),
        ("--unit k", 1000),
        ("--unit=K", 1024),
        ("1 10", 1024),
    ],
)
def test_unit_that_the_command_asks_for(options: str, bytes: float) -> None:
    parsed = parsers.parse(f"[root@n1 ~]# vmstat {options}\n" + GROUPS + HEADING + LINE)
    assert first(parsed, "memory_free") == 8000 * bytes
    assert not parsed.notes


def test_name_before_a_line_is_no_command_without_a_unit() -> None:
    parsed = parsers.parse(f"job: vmstat: started\n$ vmstat -S m 1\n{GROUPS}{HEADING}{LINE}")
    assert first(parsed, "memory_free") == 8000 * 1e6


def test_commands_that_ask_for_other_units_say_nothing() -> None:
    table = GROUPS + HEADING + LINE
    parsed = parsers.parse(f"$ vmstat -S m 1\n{table}\n$ vmstat -S k 1\n{table}")
    assert first(parsed, "memory_free") == 8000 * 1024


@pytest.mark.parametrize(
    ("free", "bytes", "unit"),
    [("8000", 8000 * 1024, ""), ("22355", 22355 * 1024**2, r"MiB \(-S M\)"), ("24685574", 24685574000, r"KB \(-S k\)")],
)
def test_memory_that_is_no_whole_pages_is_in_another_unit(free: str, bytes: float, unit: str) -> None:
    parsed = vmstat.parse(GROUPS + HEADING + LINE.replace("8000", free))
    assert first(parsed, "memory_free") == bytes
    assert first(parsed, "throughput", "read") == 3072
    assert [note.text.split("read as ")[1].split(",")[0] for note in parsed.notes] == (
        [unit.replace("\\", "")] if unit else []
    )


@pytest.mark.parametrize(
    ("zone", "started"),
    [("UTC", "2026-11-20T23:59:59+00:00"), ("PDT", "2026-11-20T23:59:59"), ("-03", "2026-11-20T23:59:59-03:00")],
)
def test_times_and_their_zone(zone: str, started: str) -> None:
    heading = HEADING.rstrip() + f"  {zone}\n"
    lines = [f"{LINE.rstrip()} 2026-11-{day}\n" for day in ("20 23:59:59", "21 00:00:01")]
    parsed = vmstat.parse(GROUPS.rstrip() + " -----timestamp-----\n" + heading + "".join(lines))
    assert parsed.header["started"] == started
    assert list(parsed.series["time"]) == [0.0] * 3 + [2.0] * 3


def test_freebsd_has_system_calls_and_disks() -> None:
    parsed = vmstat.parse(FREEBSD)
    assert first(parsed, "memory_free") == 1.5 * 2**30
    assert first(parsed, "cpu_system") == 0.02
    metrics = dict(zip(parsed.series["metric"], parsed.series["value"], strict=True))
    assert (metrics["system calls"], metrics["ad0"], metrics["avm"]) == (150, 3, 237 * 2**20)


@pytest.mark.parametrize(("gap", "bytes"), [("  ", 1), (" ", 1024)])
def test_freebsd_prints_bytes_where_its_columns_stand_apart(gap: str, bytes: int) -> None:
    heading = f" {gap.join(['r', 'b', 'w', 'avm', 'fre', 'flt'])}  re  pi  po   fr   sr   in   sy   cs us sy id\n"
    numbers = " 1  0  0 7000 524288000 310 0 0 0 5 6 120 2.5k 3K 4 2 94\n"
    parsed = vmstat.parse(" procs    memory    page                    faults      cpu\n" + heading + numbers)
    assert first(parsed, "memory_free") == 524288000 * bytes
    assert first(parsed, "context_switch_rate") == 3072
    assert dict(zip(parsed.series["metric"], parsed.series["value"], strict=True))["system calls"] == 2500


def test_freebsd_counts_in_thousands_and_memory_in_powers_of_1024() -> None:
    series = vmstat.parse(FREEBSD.replace("   100   0 ", "  1.2M   0 ").replace(" 229  150", "  3k  150")).series
    values = {name: value for name, value in zip(series["metric"], series["value"], strict=True) if name}
    assert (values["avm"], values["flt"]) == (237 * 2**20, 1.2e6)
    assert first(vmstat.parse(FREEBSD), "memory_free") == 1.5 * 2**30
    assert first(vmstat.parse(FREEBSD.replace(" 229  150", "  3k  150")), "interrupt_rate") == 3000.0


@pytest.mark.parametrize(
    "heading",
    [
        "r b 交换 空闲 缓冲 缓存 si so bi bo in cs us sy id wa st",
        "r b swpd frei buff Cache si so bi bo in cs us sy id wa st",
        "r b swpd libre tampon cache si so bi bo in cs us sy id wa st",
        "r b swpd liber buff cache sin so bin bo in cs us sy id wa st",
        "r b swpd trống buff nhớtạm si so bi bo in cs us sy id wa st",
    ],
)
def test_names_of_columns_are_translated(heading: str) -> None:
    groups = GROUPS if "交" in heading else GROUPS.replace("procs", "proc")
    parsed = parsers.parse(f"{groups}{heading}\n{LINE}")
    english = vmstat.parse(GROUPS + HEADING + LINE)
    assert parsed.series == english.series


KOREAN = "procs -----------메모리---------- ---스왑-- ---입출력-- -시스템-- ------CPU-----\n"
SWEDISH = "procs -----------minne----------- -växling- -----io---- -system-- ------cpu-----\n"
POLISH = "proc. -----------pamięć---------- ---swap-- ---we/wy--- -system-- ------cpu-----\n"


@pytest.mark.parametrize(
    ("groups", "heading"),
    [
        (KOREAN, " r  b 스왑 가용 버퍼 캐시  입  출   입   출   in   cs us sy id wa st"),
        (SWEDISH, " k  b  växl  fritt   buff  cache   vi   vu    bi    bu  avb ktxb an sy ia vä st"),
        (POLISH, "dz bl   swap  wolna  bufor  cache   si   so    bi    bo   in   cs uż sy be io sk"),
    ],
)
def test_names_of_columns_are_told_by_their_places_under_the_groups(groups: str, heading: str) -> None:
    parsed = parsers.parse(f"{groups}{heading}\n{LINE}")
    assert parsed.series == vmstat.parse(GROUPS + HEADING + LINE).series


@pytest.mark.parametrize(("inactive", "active"), [("비활", "활성"), ("inakt", "aktivt"), ("nieakt", "akt")])
def test_zone_and_what_was_chosen_keep_their_places(inactive: str, active: str) -> None:
    columns = f"dz bl swap wolna {inactive} {active} si so bi bo in cs uż sy be io sk go CET"
    parsed = parsers.parse(f"{POLISH}{columns}\n{LINE.rstrip()} 0 2026-11-29 21:17:45\n")
    assert (first(parsed, "memory_inactive"), first(parsed, "memory_active")) == (40 * 1024, 1200 * 1024)
    assert (first(parsed, "cpu_guest"), parsed.header["started"]) == (0, "2026-11-29T21:17:45")


def test_disks_are_told_in_every_language() -> None:
    text = (
        "dysk- ----------odczyty------------ ------------zapisy----------- ----we/wy----\n"
        "       razem zgrup.   sekt.      ms  razem zgrup.   sekt.      ms bież.    sek\n"
        "sda        7      1      20       3      4      2      30       5      0      6\n"
    )
    parsed = parsers.parse(text)
    assert (parsed.complete, first(parsed, "counter_bytes", "write")) == (True, 30 * 512)


@pytest.mark.parametrize("end", ["\n", "```\n", "$ uptime\n"])
def test_prose_behind_the_samples_loses_none(end: str) -> None:
    parsed = vmstat.parse(GROUPS + HEADING + LINE + end + "Is this much for one host?\n")
    assert (parsed.complete, parsed.notes) == (True, [(5, "not a line of vmstat")])
    assert not vmstat.parse(GROUPS + HEADING + LINE + end + "Is 90 much for one host?\n").complete


def test_memory_of_bsd_is_in_kibibytes_whatever_its_pages() -> None:
    text = (
        " procs    memory       page            disks    traps          cpu\n"
        " r b w    avm     fre  flt  re  pi  po  fr  sr wd0  int   sys   cs us sy id\n"
        " 2 0 0  34001   16273   21   0   0   0  15   5   0  103  2895   17  2  1 97\n"
    )
    parsed = vmstat.parse(text)
    assert (first(parsed, "memory_free"), parsed.notes) == (16273 * 1024, [])


@pytest.mark.parametrize("text", ["bi: blocks that were read\n", "1 关于磁盘\nbi：每秒读取的块数\n"])
def test_prose_directly_below_the_last_sample_loses_none(text: str) -> None:
    assert vmstat.parse(GROUPS + HEADING + LINE + text).complete
    assert not vmstat.parse(GROUPS + HEADING + LINE + text + LINE).complete


@pytest.mark.parametrize("line", ["1 2 3\n", LINE.replace("1200", "12x0"), "slurmstepd: error\n"])
def test_line_that_is_no_sample_is_said(line: str) -> None:
    parsed = vmstat.parse(GROUPS + HEADING + line + LINE)
    assert (parsed.complete, parsed.notes[0].line) == (False, 3)


def test_totals_that_lack_their_end_are_cut() -> None:
    text = "     24684092 K total memory\n      1593144 K used memory\n     75049165 pages paged in\n"
    cut, whole = vmstat.parse(text), vmstat.parse(text + "        85926 forks\n")
    assert (cut.complete, whole.complete) == (False, True)
    assert first(whole, "memory_total") == 24684092 * 1024
    assert first(whole, "counter_bytes", "read") == 75049165 * 1024


@pytest.mark.parametrize(
    ("end", "is_whole"),
    [("```\n> sdb was idle all the time\n", True), ("sdb was idle\n", True), ("sdb\n", False), ("sdb 1 2\n", False)],
)
def test_prose_below_disks_is_no_disk_that_was_cut(end: str, is_whole: bool) -> None:
    disks = (LOGS / "vmstat/procps-4.0.2-d.txt").read_text()
    assert vmstat.parse(disks + end).complete is is_whole
    pages = vmstat.parse(f"{disks}\n{disks}")
    assert (pages.complete, pages.notes, max(pages.series["part"])) == (True, [], 2)


def test_partition() -> None:
    text = "sda1          reads   read sectors  writes    requested writes\n        19     608     5     40\n"
    parsed = vmstat.parse(text)
    assert (first(parsed, "device", "read"), first(parsed, "counter_bytes", "read")) == ("sda1", 608 * 512)
    assert first(parsed, "operations", "write") == 5


@pytest.mark.parametrize("language", ["german", "polish"])
def test_totals_are_told_by_their_place_in_every_language(language: str) -> None:
    """3.3 counts no guests, and says no unit of what is paged."""
    lines = (LOGS / f"vmstat/procps-4.0.2-{language}-s.txt").read_text().splitlines(keepends=True)
    paged = [line.replace(" K", "") for line in lines[20:22]]
    of_3 = parsers.parse("".join([*lines[:18], *paged, *lines[22:]]))
    assert (of_3.complete, of_3.notes, first(of_3, "memory_total")) == (True, [], 24684084 * 1024)
    assert (list(of_3.series["metric"])[-1], "guest" in " ".join(of_3.series["metric"])) == ("forks", False)


@pytest.mark.parametrize("language", ["german", "polish"])
@pytest.mark.parametrize(("start", "stop"), [(1, 28), (0, 26), (2, 28), (0, 27)])
def test_totals_that_lack_a_line_are_not_told_by_their_place(language: str, start: int, stop: int) -> None:
    """Two lines less than 4.0 prints are as many as 3.3 prints; some languages leave the unit of what is paged out."""
    lines = (LOGS / f"vmstat/procps-4.0.2-{language}-s.txt").read_text().splitlines(keepends=True)
    without_units = [*lines[:20], *(line.replace(" K", "") for line in lines[20:22]), *lines[22:]]
    interrupts_as_a_boot_time = [line.replace("  275", "17275") for line in lines]
    for damaged in (lines, without_units, interrupts_as_a_boot_time):
        text = "".join(damaged[start:stop])
        assert not vmstat.sniff(text) or not vmstat.parse(text).complete


@pytest.mark.parametrize("sign", ["\x0b", "\x85", "\u2028"])
def test_what_ends_lines_elsewhere_ends_no_total(sign: str) -> None:
    """Found by a mutant: it stood for the line that was lost behind it."""
    lines = (LOGS / "vmstat/procps-4.0.2-german-s.txt").read_text().splitlines(keepends=True)
    lines[5] = lines[5].replace("speicher", f"{sign}speicher")
    assert parsers.parse("".join(lines)).complete
    assert not parsers.parse("".join(lines[:20] + lines[21:])).complete


def test_size_of_no_known_name_is_no_count() -> None:
    text = (LOGS / "vmstat/procps-4.0.2-s.txt").read_text().replace("K buffer memory", "K Pufferspeicher")
    parsed = vmstat.parse(text)
    assert (parsed.complete, parsed.notes) == (False, [(6, "not a line of vmstat")])
    assert "Pufferspeicher" not in parsed.series["metric"]


def test_prose_behind_the_last_total_loses_none() -> None:
    text = (LOGS / "vmstat/procps-4.0.2-s.txt").read_text()
    parsed = parsers.parse(text + "\n////////\nand a sample:\n" + GROUPS + HEADING + LINE)
    assert (parsed.complete, first(parsed, "memory_buffers") is not None) == (True, True)


def test_disk_with_a_missing_number_is_said() -> None:
    text = "disk- ----reads----\n  total merged sectors ms total merged sectors ms cur sec\n"
    parsed = vmstat.parse(text + "sda 1 2 3 4 5 6 7 8 9 10\nsdb 1 2 3\n")
    assert first(parsed, "counter_bytes", "write") == 7 * 512
    assert parsed.notes == [(4, "a disk wants 10 numbers, found 3")]


@pytest.mark.parametrize("text", ["", GROUPS + HEADING, "   12 things\n"])
def test_what_holds_no_sample_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"expected samples under 'r b swpd .+ 'K total memory', found"):
        vmstat.parse(text)


@pytest.mark.parametrize("strange", ["9" * 5000, "9" * 21, "\u0663"])
def test_what_no_counter_prints_is_no_cell(strange: str) -> None:
    parsed = vmstat.parse(GROUPS + HEADING + LINE.replace("8000", strange) + LINE)
    assert (parsed.complete, parsed.notes[0].line) == (False, 3)
    assert parsed.notes[0].text.startswith("a sample wants 17 numbers, found ")
    assert set(parsed.series["line"]) == {4}


class Word(str):
    """A word that counts how often it is compared with another."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Word.compared += 1
        return str.__eq__(self, other) is True

    __hash__ = str.__hash__


def comparisons(words: int) -> int:
    """Count the comparisons that a line of so many columns takes."""
    Word.compared = 0
    names = list(vmstat_headings.columns([Word(f"x{at}") for at in range(words)]))
    assert len(names) == words
    return Word.compared


def test_a_long_line_of_columns_takes_work_in_its_length() -> None:
    assert comparisons(4000) <= 4.4 * comparisons(1000)


def test_totals_whose_first_lines_are_missing_are_an_excerpt() -> None:
    lines = (LOGS / "vmstat/procps-4.0.2-s.txt").read_text().splitlines(keepends=True)
    parsed = parsers.parse("".join(lines[12:]))
    assert not parsed.complete
    assert "begin with" in parsed.notes[0].text
    assert "forks" in parsed.series["metric"]


def test_a_row_that_a_mail_wrapped_and_whose_end_is_cut_is_said() -> None:
    heading, row = HEADING.replace(" sy id", "\nsy id"), LINE.replace(" 20 30", "\n20 30")
    parsed = vmstat.parse(GROUPS + heading + row + row.split("\n")[0] + "\n")
    assert (list(parsed.series["line"]), first(parsed, "cpu_idle")) == ([4] * 3, 0.3)
    assert (first(parsed, "cpu_idle_line"), "cpu_user_line" in parsed.series) == (5, False)
    assert [note.text.split(", found")[0] for note in parsed.notes] == ["a sample wants 17 numbers"]


def test_the_end_of_a_row_that_cannot_be_read_begins_no_other() -> None:
    heading, row = HEADING.replace(" wa st", "\nwa st"), LINE.replace(" 40  0", "\n40  0")
    parsed = vmstat.parse(GROUPS + heading + row.replace("8000", "80x0") + row)
    assert (parsed.complete, set(parsed.series["line"]), first(parsed, "cpu_iowait")) == (False, {6}, 0.4)


def test_prose_above_totals_loses_none_and_a_damaged_total_does() -> None:
    totals = "  8008 K total memory\n  1208 K used memory\n  5678 forks\n"
    parsed = vmstat.parse(f"What the host did since boot:\n{totals}")
    assert parsed.complete
    assert [note.text for note in parsed.notes] == ["not a line of vmstat"]
    assert not vmstat.parse(totals.replace("used memory\n", "used memory\nWhat else it did:\n")).complete
    assert not vmstat.parse(f"sda 1 2 3 4 5 6 7 8 9 10\n{totals}").complete


@pytest.mark.parametrize("groups", [GROUPS, "procs memory swap io system cpu\n", "kthr memory page disk faults cpu\n"])
def test_the_line_of_groups_comes_again_and_is_no_sample(groups: str) -> None:
    parsed = vmstat.parse((groups + HEADING + LINE) * 2)
    assert (parsed.complete, parsed.notes, sorted(set(parsed.series["line"]))) == (True, [], [3, 6])


@pytest.mark.parametrize("counter", ["pages swapped in", "CPU context switches"])
def test_one_counter_alone_is_no_list_of_totals(counter: str) -> None:
    assert not vmstat_totals.sniff(f"        12 {counter}\n")
    assert vmstat_totals.sniff("        12 pages swapped in\n        40 CPU context switches\n")


SAMPLES = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 2448924 384428 734696    0    0   140     6   42   68  1  0 98  1  0
 0  0      0 2448940 384428 734696    0    0     0     0   40   53  0  0 100  0  0
"""


def test_totals_above_samples_are_read() -> None:
    totals = (LOGS / "vmstat" / "procps-4.0.2-s.txt").read_text()
    alone, both = parsers.parse(totals).series, parsers.parse(f"vmstat -s\n{totals}\n/////\n{SAMPLES}").series
    assert len(both["line"]) == len(alone["line"]) + 6
    assert max(both["memory_total"]) == max(alone["memory_total"])
    assert list(both["line"][: len(alone["line"])]) == [line + 1 for line in alone["line"]]


def test_the_first_sample_behind_a_prompt_is_since_boot() -> None:
    phases = parsers.parse(f"# vmstat -a\n{SAMPLES}# vmstat\n{SAMPLES}").series["phase"]
    assert phases == ["since boot"] * 3 + [""] * 3 + ["since boot"] * 3 + [""] * 3


@pytest.mark.parametrize("name", ["us", "id"])
def test_a_damaged_name_beside_shares_of_time_makes_no_calls_a_share(name: str) -> None:
    text = (LOGS / "vmstat/imitated-freebsd-14.2-bytes.txt").read_text()
    parsed = parsers.parse(text.replace(f" {name} ", " \ufffd ", 1).replace(f" {name}\n", " \ufffd\n", 1), "vmstat")
    assert [(note.line, note.text) for note in parsed.notes] == [(3, "a name of a column is damaged")]
    assert (first(parsed, "cpu_system"), first(parsed, "context_switch_rate")) == (0.02, 2250)
    assert not parsed.complete


def test_system_calls_are_no_share_of_time_where_that_lost_its_name() -> None:
    text = (LOGS / "vmstat/imitated-freebsd-14.2-bytes.txt").read_text()
    parsed = parsers.parse(text.replace(" us sy id", " us \ufffd id"), "vmstat")
    assert "cpu_system" not in parsed.series
    assert dict(zip(parsed.series["metric"], parsed.series["value"], strict=True))["system calls"] == 2760


def test_the_numbers_of_columns_are_no_sample() -> None:
    """Somebody counted them below the samples, and 1, 2 and 3 are no whole pages."""
    numbering = " ".join(str(at) for at in range(1, len(HEADING.split()) + 1)) + "\n"
    for parsed in map(vmstat.parse, (GROUPS + HEADING + LINE + numbering, GROUPS + HEADING + numbering + LINE)):
        assert (parsed.complete, parsed.notes, len(set(parsed.series["line"]))) == (True, [], 1)
    assert parsers.parse(GROUPS + HEADING + LINE + numbering).series["line"][-1] == 3


def test_prose_between_a_sample_and_the_end_of_its_block_loses_none() -> None:
    text = GROUPS + HEADING + LINE + "si and so are pages that were swapped\n```\n\n" + GROUPS + HEADING + LINE
    parsed = vmstat.parse(text)
    assert (parsed.complete, parsed.notes) == (True, [(4, "not a line of vmstat")])


@pytest.mark.parametrize(
    "dates", [("Fri Nov 20 14:00:05 2026", "Fri Nov 20 14:00:15 2026"), ("1795183205", "1795183215")]
)
def test_dates_above_all_samples_are_their_times(dates: tuple[str, str]) -> None:
    heading = " kthr      memory            page\n r b w   swap  free  re  mf pi po\n"
    line = " 0 0 0 3770420 3732560 92 178  1  0\n"
    log = f"{dates[0]}\n{heading}{line}{dates[1]}\n{line}"
    parsed = parsers.parse(log)
    assert (parsed.complete, str(parsed.header["started"])[:19]) == (True, "2026-11-20T14:00:05")
    assert dict(zip(parsed.series["line"], parsed.series["time"], strict=True)) == {4: 0.0, 6: 10.0}
    for other in (log + line, f"{dates[0]}\n{heading}{line}"):
        assert (parsers.parse(other).complete, "time" in parsers.parse(other).series) == (True, False)


def test_a_date_leaves_the_times_that_vmstat_prints() -> None:
    stamped = (LOGS / "vmstat" / "procps-4.0.2-t-a.txt").read_text()
    times = parsers.parse(stamped).series["time"]
    parsed = parsers.parse(f"Fri Nov 20 14:00:05 2026\n{SAMPLES}$ vmstat -t 1\n{stamped}")
    assert list(parsed.series["time"])[-len(times) :] == list(times)
    assert parsers.parse(f"Fri Nov 20 14:00:05 2026\n{stamped}").series["time"] == times


def test_the_time_of_day_that_exawatcher_prints_before_each_sample() -> None:
    parsed = parsers.parse(
        "--time-- procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu-----\n"
        "          r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        "23:59:58  6  0   4528 22656 23600 744640    0    0   374 60698 2258 1663 32  5 63  1  0\t\n"
        "00:00:03  3  0   4528 22072 23604 748592    0    0   399 77304 2063 1640 33  5 62  1  0\t\n"
    )
    assert parsed.complete
    assert [row["time"] for row in rows(parsed, operation="read")] == [0.0, 5.0]
    assert [row["processes_running"] for row in rows(parsed, operation="")] == [6.0, 3.0]
