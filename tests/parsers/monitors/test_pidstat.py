"""pidstat: what cut, foreign and damaged reports become, beyond the golden tables."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers import Parsed
from storagelab.parsers.monitors import pidstat
from tests.conftest import LOGS
from tests.parsers.monitors.samples import rows

TABLES = (LOGS / "pidstat/all-tables-12.6.1.txt").read_text
MIDNIGHT = (LOGS / "pidstat/imitated-11.5-midnight.txt").read_text
_RATES = ("kB_rd/s   kB_wr/s", "kB_wr/s   kB_rd/s")
HEADING = "10:12:01      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n"


def values(parsed: Parsed, name: str, metric: str = "") -> list[object]:
    """Values of a column, or of a metric, where they are not missing."""
    column = parsed.series["value" if metric else name]
    of = parsed.series["metric"]
    return [
        value for value, about in zip(column, of, strict=True) if value == value and (not metric or about == metric)
    ]


def test_a_report_may_be_indented_by_a_blank() -> None:
    text = "".join(f" {line}" for line in TABLES().splitlines(keepends=True))
    indented, plain = parsers.parse(text), parsers.parse(TABLES())
    assert (indented.complete, indented.notes, indented.header) == (plain.complete, plain.notes, plain.header)
    assert indented.series == plain.series


@pytest.mark.parametrize("kept", [4, 8, 10, 15])
def test_a_report_without_its_averages_is_incomplete(kept: int) -> None:
    lines = TABLES().splitlines(keepends=True)
    parsed = parsers.parse("".join(lines[:kept]))
    assert not parsed.complete
    assert "without all its averages" in parsed.notes[-1].text


def test_a_process_that_ended_has_no_average() -> None:
    heading = "{}      UID       PID    %usr    %CPU   CPU  Command\n"
    begun = heading.format("12:53:20") + "12:53:22     1000        90   11.74   17.51     3  reader\n\n"
    ended = begun + heading.format("12:53:22") + "\n"
    assert parsers.parse(ended + heading.format("Average:")).complete
    assert not parsers.parse(ended).complete
    assert not parsers.parse(begun + heading.format("Average:")).complete


def test_midnight_is_passed() -> None:
    assert parsers.parse(MIDNIGHT()).series["time"][:8] == [1.0] * 4 + [2.0] * 4


def test_decimal_commas_and_words_of_other_languages() -> None:
    text = (
        "Linux 6.1.0 (vm) \t11/20/2026 \t_x86_64_\t(2 CPU)\n\n"
        f"{HEADING}10:12:02        0      4711   4111,50      0,00      0,00       3  ior -a POSIX\n\n"
        f"{HEADING.replace('10:12:01', 'Moyenne :')}"
        "Moyenne :        0      4711   4111,50      0,00      0,00       3  ior\n"
    )
    parsed = parsers.parse(text)
    assert parsed.complete
    assert values(parsed, "throughput") == [4111.5 * 1024, 0.0] * 2
    assert parsed.series["job"][0] == "ior -a POSIX"


def test_a_process_that_may_not_be_looked_at_has_no_rates() -> None:
    parsed = parsers.parse(f"{HEADING}10:12:01        0      4711     -1.00     -1.00     -1.00       3  ior\n")
    assert parsed.series["metric"] == ["iodelay"]
    assert parsed.series["phase"] == ["since boot"]


def test_several_tables_of_processes_that_may_not_be_looked_at_say_so() -> None:
    rates = "10:12:01        0      4711     -1.00     -1.00  ior\n"
    tables = (f"10:12:01      UID       PID   {columns}  Command\n{rates}" for columns in _RATES)
    with pytest.raises(ParseError, match=r"expected a process under 'UID PID \.\.\. Command'"):
        pidstat.parse("\n".join(tables))


def test_two_reports_are_parts() -> None:
    parsed = parsers.parse(MIDNIGHT() * 2)
    assert parsed.complete
    assert max(value for value in parsed.series["part"] if value == value) == 2.0  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("10:12:02        0      4711      1.00      1.00", "columns wanted, found"),
        ("10:12:02        0       x11      1.00      1.00      0.00       3  ior", "no process id: x11"),
        ("10:12:02        0      4711      1.0x      1.00      0.00       3  ior", "not a line of the table"),
        ("something else that stands in between", "not a line of a table"),
        ("what stands here: 4711 1.00 1.00 0.00 3 ior", "not a line of a table"),
    ],
)
def test_a_line_that_cannot_be_read_is_said(line: str, said: str) -> None:
    whole = "10:12:02        0         1      1.00      1.00      0.00       3  init\n"
    parsed = pidstat.parse(f"{HEADING}{whole}{line}\n")
    assert not parsed.complete
    assert any(said in note.text for note in parsed.notes)


def test_columns_alone_are_refused() -> None:
    with pytest.raises(ParseError, match=r"expected a process under 'UID PID \.\.\. Command'"):
        pidstat.parse(HEADING)


def test_a_blank_behind_the_heading_and_a_prompt_above_lose_nothing() -> None:
    prompt, heading = "user@node:~$ pidstat -d -p 77 1 1\n", "10:00:01  UID  PID  kB_rd/s  kB_wr/s  Command \n"
    row = "0  77  1.50  0.00  dd\n"
    parsed = parsers.parse(f"{prompt}{heading}10:00:02  {row}Average:  {row}")
    assert (parsed.complete, parsed.notes) == (True, [])
    assert 1536.0 in parsed.series["throughput"]


def test_columns_alone_of_an_earlier_run_do_not_begin_the_time() -> None:
    banner = "Linux 6.1.0 (node)\t03/04/2025\t_x86_64_\t(4 CPU)\n\n"
    row = "10:12:02        0         7      0.00      4.00      0.00       0  jbd2\n"
    parsed = parsers.parse(f"{HEADING.replace('10:12:01', '11:30:00')}\n{banner}{HEADING}{row}")
    assert parsed.series["time"][0] == 1


def test_a_table_whose_heading_is_lost_is_said() -> None:
    lines = TABLES().splitlines(keepends=True)
    headings = [at for at, line in enumerate(lines) if line.endswith("Command\n") and lines[at + 1].strip()]
    silent = [lines[at] for at in headings[1:] if parsers.parse("".join(lines[:at] + lines[at + 1 :])).complete]
    assert silent == []


def test_a_process_that_is_listed_again_at_the_same_time_is_of_a_table_whose_heading_is_lost() -> None:
    heading = "10:02:01      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
    line = "10:02:02     1000      4711    1.00    0.50    0.00    0.00    1.50     1  writer\n"
    parsed = parsers.parse(heading + line + line)
    said = "expected the heading of another table above a process that is listed already, found none"
    assert (3, said) in parsed.notes
    assert set(parsed.series["line"]) == {2}


def test_one_table_of_one_process_may_have_its_heading_once() -> None:
    heading = "10:02:01      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
    line = "10:02:0{}     1000      4711    1.00    0.50    0.00    0.00    1.50     1  writer\n"
    parsed = parsers.parse(heading + line.format(2) + line.format(3))
    assert [row["time"] for row in rows(parsed) if "cpu_user" in row or row.get("metric") == "%usr"] == [1.0, 2.0]


def test_a_command_without_a_prompt_begins_another_run() -> None:
    row = "0  4711  0.00  {}  0.00  writer\n"
    first = "pidstat -u -p 4711 3\n10:00:01  PID  %usr  %CPU  CPU  Command\n10:00:04  4711  1.00  1.50  1  writer\n"
    second = "pidstat -d -p 4711 3\n10:01:01  UID  PID  kB_rd/s  kB_wr/s  kB_ccwr/s  Command\n"
    samples = f"10:01:04  {row.format('2.00')}10:01:07  {row.format('4.00')}"
    written = values(parsers.parse(first + second + samples), "throughput")
    assert [value for value in written if value] == [2048.0, 4096.0]


def test_averages_alone_are_an_excerpt() -> None:
    text = (LOGS / "pidstat/all-tables-12.6.1.txt").read_text()
    averages = text[text.index("Average:") :]
    parsed = parsers.parse(averages)
    assert (parsed.complete, parsed.notes[-1].text) == (
        False,
        "an excerpt: the samples above the averages are missing",
    )
    assert set(parsed.series["statistic"]) == {"mean"}
