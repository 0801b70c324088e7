"""iostat of BSD and macOS: headings and lines that no log of the repository shows."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.monitors import iostat_bsd
from storagelab.units import KIB
from tests.conftest import LOGS
from tests.parsers.monitors.samples import first

MAC = "              disk0       cpu    load average\n    KB/t  tps  MB/s  us sy id   1m   5m   15m\n"
LINE = "   12.50   40  0.49  12  8 80  2.00 1.50 1.25\n"


@pytest.mark.parametrize("page", [10, 20])
def test_headings_come_again_after_a_screenful(page: int) -> None:
    parsed = parsers.parse((MAC + LINE * page) * 2)
    assert parsed.complete
    assert parsed.series["iteration"][-1] == 2 * page - 1
    assert parsed.series["phase"].count("since boot") == 3


def test_headings_before_a_screenful_is_full_begin_another_run() -> None:
    parsed = parsers.parse((MAC + LINE * 3) * 2)
    assert parsed.series["part"][-1] == 2
    assert parsed.series["iteration"][-1] == 2
    assert parsed.series["phase"].count("since boot") == 6


def test_pages_of_a_run_are_as_long_as_its_first() -> None:
    parsed = parsers.parse((MAC + LINE * 20) * 2 + MAC + LINE * 12 + MAC + LINE)
    assert parsed.series["part"].count(2) == len(parsed.series["part"]) / 53


@pytest.mark.parametrize("word", ["Tue", "1", "Samples"])
def test_a_word_alone_is_no_date(word: str) -> None:
    parsed = parsers.parse(f"{word}\n{MAC}{LINE}")
    assert (parsed.complete, "time" in parsed.series) == (True, False)


@pytest.mark.parametrize("end", ["\n", "```\n", ""])
def test_prose_behind_the_samples_loses_none(end: str) -> None:
    parsed = parsers.parse(MAC + LINE + end + "This host is idle\n")
    assert (parsed.complete, [note.line for note in parsed.notes]) == (True, [4 + len(end.splitlines())])


def test_processors_alone() -> None:
    parsed = parsers.parse("      cpu    load average\n us sy id   1m   5m   15m\n 13 25 62  2.25 2.61 2.69\n")
    assert parsed.series["cpu_user"][0] == 0.13
    assert parsed.series["load_15"][1] == 2.69


def test_disks_may_change_between_headings() -> None:
    other = MAC.replace("disk0", "disk0               disk9").replace(" MB/s ", " MB/s     KB/t  tps  MB/s ")
    parsed = parsers.parse(MAC + LINE + other + LINE.replace(" 12  8", "    64.00    4  0.25  12  8"))
    assert parsed.complete
    assert parsed.series["device"].count("disk9") == 1


@pytest.mark.parametrize(
    "line", ["   12.50   40  0.49  12  8 80  2.00 1.50", "   12.50   4x  0.49  12  8 80  2.00 1.50 1.25"]
)
def test_a_line_with_other_columns_is_said(line: str) -> None:
    parsed = parsers.parse(f"{MAC}{LINE}{line}\n{LINE}")
    assert not parsed.complete
    assert "not a line of the table" in parsed.notes[0].text


def test_names_that_do_not_fit_the_columns_are_said() -> None:
    parsed = iostat_bsd.parse(MAC + LINE + MAC.replace("disk0", "disk0 disk1") + LINE)
    assert not parsed.complete
    assert parsed.notes[0].line == 5


def test_headings_alone_are_refused() -> None:
    with pytest.raises(ParseError, match="expected a sample under 'KB/t tps MB/s' or 'us sy id'"):
        iostat_bsd.parse(MAC)


def test_the_table_of_sysstat_is_not_claimed() -> None:
    assert not iostat_bsd.sniff((LOGS / "iostat/short-12.6.1.txt").read_text())


@pytest.mark.parametrize("above", ["", "\n", "$ iostat -d 5\n"])
def test_columns_of_one_disk_may_have_lost_its_name(above: str) -> None:
    parsed = parsers.parse(f"{above}    KB/t tps  MB/s\n  127.61 585 72.95\n  126.41 591 72.98\n")
    assert list(parsed.series["operation_rate"]) == [585.0, 591.0]
    assert "device" not in parsed.series or set(parsed.series["device"]) == {""}
    assert [note.text for note in parsed.notes] == ["an excerpt: the name of the disk above its columns is missing"]
    assert not parsed.complete


def test_a_disk_whose_name_was_left_out_stands_beside_processors_and_load() -> None:
    parsed = parsers.parse(
        "$ iostat\n    KB/t  tps  MB/s  us sy id   1m   5m   15m\n   18.25  31  0.55   6  2 92  1.20 1.31 1.44\n"
    )
    assert first(parsed, operation_rate=31.0)["request_size"] == 18.25 * KIB
    assert first(parsed, cpu="all")["cpu_idle"] == pytest.approx(0.92)
    assert first(parsed, load_1=1.2)["load_15"] == 1.44
    assert not parsed.complete


def test_what_the_contract_has_no_name_for_is_kept_as_it_is_printed() -> None:
    parsed = parsers.parse(
        "      tty            sd0           cpu\n tin tout  KB/t  t/s  MB/s  us ni sy in id\n"
        "   3   17 16.00   25  0.39   1  2  3  4 90\n"
    )
    series = parsed.series
    found = dict(zip(series["metric"], zip(series["value"], series["unit"], strict=True), strict=True))
    assert (found["tin"], found["tout"]) == ((3.0, "1/s"), (17.0, "1/s"))


SOLARIS = "   tty        sd0           cpu\n tin tout kps tps serv   us sy wt id\n"
LINE_OF_SOLARIS = "   0   80 1024  12    4    3  1  5 91\n"


@pytest.mark.parametrize(
    ("columns", "quantity", "expected"),
    [
        ("kps tps serv", "throughput", 2048.0),
        ("Mps tps serv", "throughput", 2048.0 * KIB),
        ("kpi tpi serv", "data_size", 2048.0),
        ("kpi tpi serv", "operations", 4.0),
        ("kps tps serv", "latency", 0.006),
        ("rps wps util", "utilisation", 0.06),
    ],
)
def test_columns_of_solaris(columns: str, quantity: str, expected: float) -> None:
    parsed = parsers.parse(f"     sd0\n{columns}\n  2   4    6\n")
    assert parsed.complete
    assert first(parsed, device="sd0", operation="")[quantity] == pytest.approx(expected)


@pytest.mark.parametrize(("columns", "quantity"), [("rps wps util", "operation_rate"), ("rpi wpi util", "operations")])
def test_reads_and_writes_of_solaris_are_rows_of_their_own(columns: str, quantity: str) -> None:
    parsed = parsers.parse(f"     sd0\n{columns}\n  2   4  6.0\n")
    assert [first(parsed, operation=operation)[quantity] for operation in ("read", "write")] == [2.0, 4.0]


def test_other_columns_begin_another_run() -> None:
    parsed = parsers.parse(f"{SOLARIS}{LINE_OF_SOLARIS}     sd0\nrps wps util\n  2   4  6.0\n")
    assert parsed.series["part"][-1] == 2
    assert first(parsed, operation="read")["phase"] == "since boot"


def test_a_processor_of_solaris_waits() -> None:
    assert first(parsers.parse(SOLARIS + LINE_OF_SOLARIS), cpu="all")["cpu_iowait"] == 0.05


@pytest.mark.parametrize(
    ("dates", "started"),
    [
        (("Fri Nov 20 14:00:05 2026", "Fri Nov 20 14:00:15 2026"), "2026-11-20T14:00:05"),
        (("Fri Nov 20 14:00:05 CET 2026", "Fri Nov 20 14:00:15 CET 2026"), "2026-11-20T14:00:05"),
        (
            ("Friday, November 20, 2026 02:00:05 PM CET", "Friday, November 20, 2026 02:00:15 PM CET"),
            "2026-11-20T14:00:05",
        ),
        (("1795183205", "1795183215"), "2026-11-20T14:00:05+00:00"),
    ],
)
def test_dates_above_all_lines_are_their_times(dates: tuple[str, str], started: str) -> None:
    log = f"{dates[0]}\n{SOLARIS}{LINE_OF_SOLARIS}{dates[1]}\n{LINE_OF_SOLARIS}"
    parsed = parsers.parse(log)
    assert (parsed.complete, parsed.header["started"]) == (True, started)
    times = [time for time, device in zip(parsed.series["time"], parsed.series["device"], strict=True) if device]
    assert times == [0.0, 10.0]
    for other in (log + LINE_OF_SOLARIS, f"{dates[0]}\n{SOLARIS}{LINE_OF_SOLARIS}"):
        assert (parsers.parse(other).complete, "time" in parsers.parse(other).series) == (True, False)
