"""How often a log is read: no way that gives what was read before, and no way that takes a tool's own words away."""

from __future__ import annotations

import pytest

from storagelab import parsers, testing
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Parser
from storagelab.parsers.reading import read_by
from storagelab.parsers.wrapping import unwrapping
from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.several_tools import Part
from tests.conftest import LOGS
from tests.fuzz.mutants import read

SAR = read(LOGS / "sar" / "client-rep3-failover.txt")
BANNER = "Linux 5.14.0 (n1) \t11/20/2026 \t_x86_64_\t(2 CPU)\n"


def stopped(columns: str, rows: list[str]) -> str:
    """Return a report of sysstat of 40 samples, which has no averages."""
    times = [f"10:00:{second:02}" for second in range(41)]
    pages = ("".join(f"{end} {row}\n" for row in rows) for end in times[1:])
    return BANNER + "".join(f"\n{begin} {columns}\n{page}" for begin, page in zip(times, pages, strict=False))


MPSTAT = stopped(
    "    CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle",
    [f"    {cpu:>3}    5.00    0.00    2.00    1.00    0.00    0.00    0.00    0.00    0.00   92.00" for cpu in "01"],
)
PIDSTAT = stopped("  UID       PID   kB_rd/s   kB_wr/s  Command", ["    0      4711      1.00      2.00  writer"])


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Lines]:
    """Lines that a log was read from, way by way."""
    found: list[Lines] = []
    reads = unwrapping.Reader._read

    def told(reader: unwrapping.Reader, lines: Lines, name: str) -> Part:
        found.append(lines)
        return reads(reader, lines, name)

    monkeypatch.setattr(unwrapping.Reader, "_read", told)
    return found


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Formats that read a log or lines of it, one a reading."""
    found: list[str] = []

    def told(parser: Parser, text: str) -> Parsed:
        found.append(parser.FORMAT.name)
        return read_by(parser, text)

    monkeypatch.setattr(unwrapping, "read_by", told)
    return found


def without_averages(report: str) -> str:
    return "".join(line for line in report.splitlines(keepends=True) if not line.startswith("Average:"))


@pytest.mark.parametrize(("name", "report"), [("sar", SAR), ("mpstat", MPSTAT), ("pidstat", PIDSTAT)])
def test_the_times_of_a_stopped_monitor_are_not_taken_away(name: str, report: str, tried: list[Lines]) -> None:
    format, parsed = parsers.read(without_averages(report))
    assert format.name == name
    assert not parsed.complete
    assert [lines.steps for lines in tried] == [()]


def test_times_before_those_of_a_stopped_sar_are(tried: list[Lines]) -> None:
    stamped = "".join(f"10:00:01 {line}" for line in without_averages(SAR).splitlines(keepends=True))
    format, parsed = parsers.read(stamped)
    bare = parsers.read(without_averages(SAR))[1]
    assert format.name == "sar"
    assert parsed.header["wrapping"] == "stamped"
    assert list(parsed.series["line"]) == list(bare.series["line"])


def test_equal_lines_are_read_once(tried: list[Lines]) -> None:
    with pytest.raises(ParseError, match="expected a log of one of the"):
        parsers.read("".join(f"{' ' * 12}word {number}\n" for number in range(9)))
    kept = [lines.kept for lines in tried]
    assert len(kept) > 3
    assert len(kept) == len(set(kept))


def test_times_that_make_iostat_look_like_sar_are_taken_away() -> None:
    report = read(LOGS / "iostat" / "compact-12.6.1.txt")
    stamped = "".join(f"00:00:{number:02} {line}" for number, line in enumerate(report.splitlines(keepends=True)))
    format, parsed = parsers.read(stamped)
    assert format.name == "iostat"
    assert list(parsed.series["line"]) == list(parsers.read(report)[1].series["line"])


@pytest.mark.parametrize("name", ["tables-12.6.1.json", "tables-12.6.1.xml"])
def test_a_document_with_words_of_other_tools_is_read_once(readings: list[str], name: str) -> None:
    assert parsers.read(read(LOGS / "sadf" / name))[0].name == "sadf"
    assert readings == ["sadf"]


def test_a_column_of_a_table_does_not_number_the_lines() -> None:
    iozone = read(LOGS / "iozone" / "auto_i0_i2_i5_i7_shifted_3.508.txt")
    found = parsers.read(testing.DAMAGES["blanked_column"](iozone))[1]
    assert "wrapping" not in found.header
    assert not found.complete
    collectl = read(LOGS / "collectl" / "imitated-2.6-brief.txt").replace("ctxsw KBRead", "ctxswBRead")
    assert [line.split()[0] for line in collectl.splitlines()[-2:]] == ["8", "14"]
    with pytest.raises(ParseError, match="expected a sample under a heading of collectl's"):
        parsers.read(collectl)


def test_lines_that_are_numbered_anew_once_are_read() -> None:
    """As ``cat -n`` of two files one after the other."""
    report = read(LOGS / "hdparm" / "hdparm-9.65-tT-loop.txt")
    numbered = "".join(f"{number:6}\t{line}" for number, line in enumerate(report.splitlines(keepends=True), 1))
    one, two = parsers.read(report)[1], parsers.read(numbered * 2)[1]
    assert two.header["wrapping"] == "numbered"
    assert len(two.runs) == 2 * len(one.runs) > 0


def test_of_two_guesses_the_one_that_finds_more_is_taken() -> None:
    """Some remarks of a program have a blank behind their sign, others none."""
    vmstat = read(LOGS / "vmstat" / "procps-4.0.2.txt").splitlines()
    iostat = read(LOGS / "iostat" / "imitated-12.0-cifs.txt").splitlines()
    remarks = [*(f"  # {line}" for line in vmstat), "  x = 1", *(f"  #{line}" for line in iostat if line), ""]
    program = "\n".join([*remarks, *("y = read(x)",) * len(remarks), ""])
    assert parsers.read(program)[0].name == "vmstat, iostat"


def test_a_log_outside_of_the_elements_of_a_page_is_read_with_those_inside() -> None:
    inside = read(LOGS / "pidstat" / "since-boot-12.6.1.txt").strip()
    outside = read(LOGS / "vmstat" / "procps-4.0.2.txt")
    format, parsed = parsers.read(f"<p>First</p>\n<pre>$ pidstat\n{inside}</pre>\n\n{outside}\n<p>That is all</p>\n")
    assert format.name == "pidstat, vmstat"
    assert parsed.header["wrapping"] == "HTML"


def test_text_around_the_elements_of_a_page_costs_no_reading(tried: list[Lines]) -> None:
    inside = read(LOGS / "pidstat" / "since-boot-12.6.1.txt").strip()
    parsers.read(f"<p>First of 2</p>\n<pre>$ pidstat\n{inside}</pre>\n\n<p>That is all</p>\n")
    assert [lines.steps for lines in tried] == [(), ("HTML",)]
