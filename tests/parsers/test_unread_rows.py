"""Rows of numbers from which nothing was read are said: the heading above them is lost, or nobody knows their table."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from storagelab.parsers import unread_rows
from storagelab.parsers.model import Parsed
from storagelab.parsers.text import decode
from tests.conftest import LOGS

TABLE = "write 10 20 30\nread 40 50 60\n"


def parsed(name: str, text: str) -> Parsed:
    return parsers.parse(text, name=name.partition("/")[2])


def notes_of(read: Parsed) -> list[tuple[int, str]]:
    return [(note.line, note.text) for note in read.notes if "expected a table that is known" in note.text]


def said_of(
    text: str, *lines: int, aside: str = "", complete: bool = True, rests: dict[int, int] | None = None
) -> list[tuple[int, str]]:
    """Return what is said of a text from some lines of which rows were read."""
    read = Parsed({}, [{"operation": "write", "line": line} for line in lines], complete=complete)
    unread_rows.no_numbers_unread(read, text, aside, rests or {})
    return notes_of(read)


@pytest.mark.parametrize(
    ("name", "heading", "line", "found"),
    [
        ("collectl/4.3.1-detail-oT.txt", r"#Time +Name +KBytes Merged.*\n", 12, "found the numbers '22:17:49 vda"),
        ("nicstat/nicstat-1.95.txt", r".*rKB/s.*\n", 1, "found the numbers '22:06:42       lo"),
        ("lctl_get_param/imitated-client-2.12.txt", r"pages per rpc .*\n", 27, "found the numbers '1:"),
        ("elbencho/imitated-3.0-livecsv-stdout.txt", r"ISO Date,.*\n", 3, "found the numbers '2026"),
    ],
)
def test_a_table_whose_heading_is_lost_is_said(name: str, heading: str, line: int, found: str) -> None:
    text = decode((LOGS / name).read_bytes())[0]
    assert notes_of(parsed(name, text)) == []
    [(at, said)] = notes_of(parsed(name, re.sub(heading, "", text, count=1)))
    assert at == line
    assert found in said
    assert said.endswith("which were not read")


def test_the_first_row_is_shown_and_the_others_are_counted() -> None:
    [(line, said)] = said_of(TABLE)
    assert line == 1
    assert said == (
        "expected a table that is known, found the numbers 'write 10 20 30' and 1 more such lines, which were not read"
    )


@pytest.mark.parametrize(
    "row",
    ["a b c d 1 2 3", "1 a 2 b 3 c", "12:00:00 1 2", "1 2", "v1.2.3 v2 v3", " list = 0 1 2 3", " for i in 5 6 7 8"],
)
def test_words_that_are_no_row_of_numbers_are_not_said(row: str) -> None:
    assert said_of(f"{row}\n") == []


@pytest.mark.parametrize("row", ["a b c 1 2 3", "x,1,-2.5,3e4", "12K 5% .5", "lat | 1 | 2 | 3"])
def test_rows_of_numbers_are_said(row: str) -> None:
    assert [line for line, _ in said_of(f"title\n{row}\n")] == [2]


def test_a_line_that_was_read_is_not_said() -> None:
    assert [line for line, _ in said_of(TABLE, 1)] == [2]
    assert said_of(TABLE, 1, 2) == []


def test_a_row_that_repeats_what_was_read_is_not_said() -> None:
    text = "write 1000 2000 3000\nsummary 3000 2000 1000\n"
    assert said_of(text, 1) == []
    assert [line for line, _ in said_of(text.replace("summary 3000", "summary 3001"), 1)] == [2]
    assert [line for line, _ in said_of("write 10 20 30\nsummary 10 20 30\n", 1)] == [2], (
        "short numbers repeat by chance"
    )


@pytest.mark.parametrize(
    ("shown", "is_said"), [("1141 3790.6", []), ("1142 3790.6", []), ("1141 3791", []), ("1141 3792", [2])]
)
def test_a_row_that_repeats_what_was_read_may_round_it(shown: str, is_said: list[int]) -> None:
    text = f"write 1141.5 3790.6 3000\nsummary {shown} 3000\n"
    assert [line for line, _ in said_of(text, 1)] == is_said


def test_lines_that_a_format_sets_aside_are_not_said() -> None:
    assert [line for line, _ in said_of(TABLE, aside="^write")] == [2]


def test_of_a_cut_log_no_more_is_said() -> None:
    assert said_of(TABLE, complete=False) == []


def test_what_mdtest_did_not_do_is_set_aside_and_what_it_did_is_not() -> None:
    text = decode((LOGS / "mdtest" / "4.1.0dev_rates_and_times.txt").read_bytes())[0]
    assert "Tree creation                   0.000          0.000          0.000          0.000" in text
    assert notes_of(parsed("mdtest/x.txt", text)) == []
    [(line, _)] = notes_of(parsed("mdtest/x.txt", f"{text}   Tree uprooting   0.000   0.000   0.000   0.001\n"))
    assert line == text.count("\n") + 1


def test_what_a_tool_prints_beside_its_results_is_set_aside() -> None:
    text = decode((LOGS / "hdparm/hdparm-9.65-direct.txt").read_bytes())[0]
    line = "SG_IO: bad/missing sense data, sb[]:  70 00 05 00 00 00 00 0a"
    assert notes_of(parsed("x/x.txt", f"{text}{line}\n")) == []
    [(at, _)] = notes_of(parsed("x/x.txt", f"{text}{line.replace('SG_IO', 'x')}\n"))
    assert at == text.count("\n") + 1


def test_each_tool_of_a_log_sets_its_lines_aside() -> None:
    mdtest, dd = (
        decode((LOGS / name).read_bytes())[0]
        for name in ("mdtest/4.1.0dev_rates_and_times.txt", "dd/gnu-9.1-512-bytes.txt")
    )
    both = parsed("x/x.txt", f"{mdtest}\n{dd}")
    assert both.header["tool"] == "mdtest, dd"
    assert notes_of(both) == []


def test_numbers_of_a_line_that_goes_on_with_one_that_was_read_are_read() -> None:
    assert said_of(TABLE, 1) != []
    assert said_of(TABLE, 1, rests={2: 1}) == []
    assert said_of(TABLE, rests={2: 1}) != []


def test_the_rest_of_a_row_in_the_next_literal_is_read() -> None:
    lines = (LOGS / "vmstat" / "procps-4.0.2.txt").read_text().splitlines()[:3]
    pieces = '"\n  "'.join([*(f"{line}\\n" for line in lines[:2]), lines[2][:30], f"{lines[2][30:]}\\n"])
    read = parsers.parse(f'text = (\n  "{pieces}"\n)\n')
    assert (read.series["cpu_idle"][0], notes_of(read)) == (0.42, [])


def test_the_rest_of_a_row_that_mail_broke_is_read() -> None:
    lines = (LOGS / "vmstat" / "procps-4.0.2.txt").read_text().splitlines()[:3]
    read = parsers.parse("\n".join([*lines[:2], f"{lines[2][:62]}=", lines[2][62:], "a =3D b", ""]))
    assert (read.series["cpu_idle"][0], notes_of(read)) == (0.42, [])


def test_zeros_do_not_say_that_a_row_is_known() -> None:
    text = "write 0.00 0.00 0.00\n07:19:38 0.00 0.0 0.00 261\n"
    assert [line for line, _ in said_of(text, 1)] == [2]
