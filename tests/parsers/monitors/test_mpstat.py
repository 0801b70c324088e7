"""mpstat: what its golden tables do not show."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.monitors import iostat, mpstat
from storagelab.parsers.monitors.sysstat.json_tree import documents
from tests.conftest import LOGS
from tests.parsers.monitors.samples import first, read, rows

BANNER = "Linux 2.6.18 (oss1) \t01/21/09\n\n"


def test_percentages_are_shares() -> None:
    row = first(read("mpstat/all-processors-12.6.1.txt"), cpu="1", time=2.0)
    assert (row["cpu_user"], row["cpu_iowait"], row["line"]) == (pytest.approx(0.0532), pytest.approx(0.7872), 11)


def test_without_interval_the_report_is_since_boot_and_whole() -> None:
    parsed = read("mpstat/since-boot-12.6.1.txt")
    assert parsed.complete
    assert [row["phase"] for row in rows(parsed)] == ["since boot"]


def test_samples_of_an_interval_are_not_since_boot() -> None:
    assert "phase" not in read("mpstat/ampm-12.6.1.txt").series


def test_all_processors_together_have_no_place() -> None:
    assert [row["cpu"] for row in rows(read("mpstat/places-12.6.1.txt"), statistic="single")] == ["all", "0", "1"]


def test_an_average_of_a_processor_without_a_sample_is_told() -> None:
    text = (LOGS / "mpstat/all-processors-12.6.1.txt").read_text()
    parsed = parsers.parse(re.sub(r"(?m)^16:.*  1  .*\n", "", text))
    assert not parsed.complete
    assert parsed.notes == [(14, "an average of what no sample above it is of: samples are missing")]


def test_an_average_of_an_interrupt_may_have_columns_that_its_samples_lack() -> None:
    assert read("mpstat/interrupts-nodes-12.6.1.txt").complete


def test_places_in_json_are_no_numbers() -> None:
    places = '{{"cpu": "{}", "core": "{}", "socket": "{}", "node": "{}", "usr": {}, "idle": 9.00}}'
    records = ", ".join((places.format("all", "", "", "", "1.00"), places.format(5, 1, 0, 1, "2.00")))
    parsed = parsers.parse(
        '{"sysstat": {"hosts": [{"nodename": "vm", "date": "11/20/26", "statistics": '
        f'[{{"timestamp": "12:53:20", "cpu-load": [{records}]}}]}}]}}}}\n',
        format="mpstat",
    )
    assert parsed.complete
    assert [(row["cpu"], row["cpu_user"]) for row in rows(parsed)] == [("all", 0.01), ("5", 0.02)]
    assert not any("metric" in row for row in rows(parsed))


def test_nodes_and_interrupts() -> None:
    parsed = read("mpstat/interrupts-nodes-12.6.1.txt")
    assert first(parsed, cpu="node 0")["cpu_idle"] >= 0
    assert first(parsed, cpu="all", statistic="single", line=4)["cpu_idle"] >= 0
    assert rows(parsed, metric="TIMER/s", cpu="0")


def test_old_tables_end_in_interrupts() -> None:
    text = BANNER + (
        "10:00:01     CPU   %user   %nice    %sys %iowait    %irq   %soft  %steal   %idle    intr/s\n"
        "10:00:02     all    1.00    0.00    2.00    3.00    0.00    0.00    0.00   94.00    111.00\n"
    )
    row = first(parsers.parse(text))
    assert (row["cpu_user"], row["interrupt_rate"]) == (0.01, 111.0)


def test_json_numbers_all_processors_minus_one() -> None:
    text = (
        '{"sysstat": {"hosts": [{"nodename": "oss1", "date": "2021-05-19", "statistics": [{"timestamp": "18:01:05",\n'
        '"cpu-load": [{"cpu": "-1", "usr": 50.01, "idle": 49.98}],\n'
        '"sum-interrupts": [{"cpu": "all", "intr": 274.77}]}]}]}}\n'
    )
    parsed = parsers.parse(text)
    assert parsed.header["started"] == "2021-05-19T18:01:05"
    assert first(parsed, line=2)["cpu"] == "all"
    assert first(parsed, line=3)["interrupt_rate"] == 274.77


def test_a_report_of_sar_is_none_of_mpstat() -> None:
    text = BANNER + "10:00:01 CPU %user %nice %system %iowait %steal %idle\n10:00:02 all 1.0 0.0 1.0 0.0 0.0 98.0\n"
    with pytest.raises(ParseError, match="expected a table of mpstat"):
        parsers.by_name("mpstat").parse(text)


def test_brackets_inside_each_other_are_not_read_on_without_end() -> None:
    """Found by a mutant: a hundred thousand of them, read once for each way to unwrap a log."""
    (found,) = documents('{"sysstat": ' + '{"hosts": ' * 200 + "\n{}")
    assert (found.fault, found.line) == ("more than 100 brackets inside each other", 1)


SOLARIS = """CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  st idl
  0   12   0  104   411  205  512   11   24    9    0  1408    3   2   0  95
  1    9   1   96   120   14  498   10   22    7    0  1311    2   2   0  96
"""


@pytest.mark.parametrize(
    ("times", "started"),
    [
        (("1795183200", "1795183205"), "2026-11-20T14:00:00+00:00"),
        (("Fri Nov 20 14:00:00 2026", "Fri Nov 20 14:00:05 2026"), "2026-11-20T14:00:00"),
    ],
)
def test_reports_of_solaris_are_counted_and_may_have_a_time(times: tuple[str, str], started: str) -> None:
    parsed = parsers.parse(f"{times[0]}\n{SOLARIS}{times[1]}\n{SOLARIS}")
    assert (parsed.complete, parsed.header["started"]) == (True, started)
    last = rows(parsed, cpu="1", metric="")[-1]
    assert (last["iteration"], last["time"], last["context_switch_rate"], last["cpu_idle"]) == (1.0, 5.0, 498.0, 0.96)
    assert not any("time" in row for row in rows(parsers.parse(f"{times[0]}\n{SOLARIS}{SOLARIS}")))
    again = parsers.parse(f"$ mpstat\n{SOLARIS}$ mpstat 5\n{SOLARIS}<<processor 1 moved from pset: -1 to: 1>>\n")
    assert (again.complete, again.notes, set(again.series["part"])) == (True, [], {1.0, 2.0})


@pytest.mark.parametrize("rest", ["  x    9   1   96\n", "  0   12   0  104\n", SOLARIS[:150] + "\n"])
def test_a_report_of_solaris_that_is_cut_is_incomplete(rest: str) -> None:
    assert not parsers.parse(SOLARIS + rest).complete


@pytest.mark.parametrize("above", ["", "Fri Nov 20 14:00:05 2026\n"])
@pytest.mark.parametrize(
    "columns",
    [
        "CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl\n",
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n",
    ],
)
def test_columns_without_numbers_are_refused_with_a_date_above_them_too(above: str, columns: str) -> None:
    with pytest.raises(ParseError, match=r"expected (?:processors under 'CPU|a table of iostat)"):
        (iostat if "avg" in columns else mpstat).parse(above + columns)


def test_reports_of_a_lone_processor_of_solaris_have_one_heading() -> None:
    heading, row = SOLARIS.splitlines(keepends=True)[:2]
    parsed = parsers.parse(f"$ mpstat 2 3\n{heading}{row * 3}")
    assert parsed.complete
    assert list(dict.fromkeys(zip(parsed.series["iteration"], parsed.series["phase"], strict=True))) == [
        (0.0, "since boot"),
        (1.0, ""),
        (2.0, ""),
    ]


def test_a_command_of_solaris_says_how_many_reports_there_are() -> None:
    assert parsers.parse(f"$ mpstat 5 2\n{SOLARIS}{SOLARIS}").complete
    assert not parsers.parse(f"$ mpstat 5 3\n{SOLARIS}{SOLARIS}").complete
    assert not parsers.parse(f"{SOLARIS}{SOLARIS.splitlines()[0]}\n").complete


def test_a_command_of_solaris_says_nothing_of_the_reports_of_the_next() -> None:
    """The second command has no count: its only report is all that it wants."""
    parsed = parsers.parse(f"$ mpstat 5 2\n{SOLARIS}{SOLARIS}$ mpstat\n{SOLARIS}")
    assert (parsed.complete, parsed.notes) == (True, [])
    more = parsers.parse(f"$ mpstat 5 2\n{SOLARIS}{SOLARIS}$ mpstat 5 4\n{SOLARIS}")
    assert [note.text for note in more.notes] == ["4 reports wanted, found 1"]


AIX = (LOGS / "mpstat/imitated-aix.txt").read_text()


def test_aix_counts_and_its_reports_end_with_all_processors() -> None:
    parsed = parsers.parse(AIX)
    assert first(parsed, cpu="all", iteration=1.0, metric="")["cpu_idle"] == pytest.approx(0.88)
    assert first(parsed, cpu="0", metric="cs")["value"] == 422.0
    assert set(parsed.series["phase"]) == {""}
    assert not parsers.parse(AIX[: AIX.rindex("ALL")]).complete


def test_aix_without_an_interval_counts_since_boot() -> None:
    once = AIX[: AIX.index("-----")].replace("mpstat 5 2", "mpstat")
    assert {row["phase"] for row in rows(parsers.parse(once))} == {"since boot"}
    configured = once[once.index("System") :]
    twice = parsers.parse(once + configured)
    assert {row["part"] for row in rows(twice, part=2.0)} == {2.0}


def test_a_prompt_with_host_and_folder_begins_a_run_of_aix_mpstat() -> None:
    since_boot = (LOGS / "mpstat/imitated-aix-5.3.txt").read_text()
    within = since_boot.replace("# mpstat\n", "testpar1:/# mpstat 2 1\n")
    series = parsers.parse(since_boot + within).series
    last = since_boot.count("\n")
    phases = {(line > last): phase for line, phase in zip(series["line"], series["phase"], strict=True)}
    assert phases == {False: "since boot", True: ""}
    assert [share for share in series["cpu_iowait"] if share == share] == [0.01, 0.02, 0.06, 0.06] * 2


def test_a_report_of_another_host_of_which_nothing_is_read_leaves_the_first_its_host() -> None:
    table = "10:00:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft   %idle\n"
    mine = f"{BANNER}{table}10:00:01     all    1.00    0.00    2.00    0.50    0.00    0.00   96.50\n\n"
    others = f"{BANNER.replace('oss1', 'oss2')}10:00:01     proc/s   cswch/s\n10:00:02       1.00      9.00\n"
    parsed = parsers.by_name("mpstat").parse(mine + others)
    assert (parsed.header["host"], parsed.complete) == ("oss1", False)
    assert [row["cpu_user"] for row in rows(parsed)] == [0.01]


def test_pcp_counts_from_the_first_sample_over_midnight() -> None:
    parsed = read("mpstat/imitated-pcp.txt")
    assert [row["time"] for row in rows(parsed, cpu="1") if "cpu_idle" in row] == [0.0, 1.0, 2.0]
    assert (parsed.header["started"], parsed.header["host"]) == ("2025-11-26T23:59:58", "oss7")
    assert parsed.complete


@pytest.mark.parametrize(
    ("lines", "lost"),
    [
        (1, "the last sample lacks a processor that the one before has"),
        (4, "the last sample lacks a table that the one before has"),
        (10, "3 samples wanted, found 2"),
    ],
)
def test_what_the_last_sample_of_pcp_lacks_is_told(lines: int, lost: str) -> None:
    text = (LOGS / "mpstat/imitated-pcp.txt").read_text()
    parsed = parsers.parse("".join(text.splitlines(keepends=True)[:-lines]))
    assert [note.text for note in parsed.notes] == [lost]
    assert not parsed.complete


def test_numbers_of_pcp_without_columns_are_told() -> None:
    text = (LOGS / "mpstat/imitated-pcp.txt").read_text()
    _, banner, _, columns, sample, *_ = text.splitlines(keepends=True)
    parsed = parsers.parse(banner + sample + columns + sample)
    assert [(note.line, note.text) for note in parsed.notes] == [
        (2, "not a line of the table: no columns stand over it")
    ]


def test_a_second_report_of_pcp_is_another_part() -> None:
    text = (LOGS / "mpstat/imitated-pcp.txt").read_text()
    parsed = parsers.parse(text + text)
    found = rows(parsed, cpu="1")
    assert parsed.complete
    assert [(row["part"], row["time"]) for row in found if "cpu_idle" in row] == [
        (part, time) for part in (1.0, 2.0) for time in (0.0, 1.0, 2.0)
    ]


def test_a_first_report_of_pcp_that_is_cut_is_told() -> None:
    text = (LOGS / "mpstat/imitated-pcp.txt").read_text()
    parsed = parsers.parse("".join(text.splitlines(keepends=True)[:-10]) + text)
    assert [note.text for note in parsed.notes] == ["3 samples wanted, found 2"]


def test_pcp_without_numbers_is_refused() -> None:
    with pytest.raises(ParseError, match="expected processors under 'Timestamp CPU'"):
        parsers.parse("Timestamp \tCPU\t%usr \t%nice \t%sys \t%iowait \t%idle\n", format="mpstat")
