"""What golden tables do not show of the IOzone parser: damage, disguise, refusals, and rendered tables read back."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers import Parsed, Row
from storagelab.parsers.benchmarks import iozone
from storagelab.parsers.benchmarks.iozone import table as iozone_table
from storagelab.parsers.benchmarks.iozone import throughput as iozone_throughput
from storagelab.parsers.benchmarks.iozone.automatic_sizes import sweep_of
from storagelab.parsers.benchmarks.iozone.command import read_command
from storagelab.parsers.benchmarks.iozone.header import Run
from storagelab.parsers.model import Rows
from storagelab.parsers.text import decode
from tests.conftest import LOGS, SHARED, fixture_logs, log_id

CORPUS = SHARED / "corpus" / "iozone"
SECOND_HAND = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of other people's logs is not there")
WHOLE = "throughput_c8_children.log", "auto_excel_i0_i1.log", "auto_extended_3.508.txt", "ops_16m_64k.log"


def text_of(name: str) -> str:
    return decode((LOGS / "iozone" / name).read_bytes())[0]


def values(parsed: Parsed) -> set[tuple[object, ...]]:
    """Every measured value with what it is, without its line."""
    keys = ("operation", "file_size", "record_size", "processes", "process")
    rows: list[Row] = [parsed.header | row for row in parsed.runs + parsed.clients]
    return {
        (*(row.get(key) for key in keys), name, value)
        for row in rows
        for name, value in row.items()
        if isinstance(value, float) and name not in keys
    }


def one(parsed: Parsed, operation: str) -> Row:
    [row] = [row for row in parsed.runs if row["operation"] == operation]
    return row


# Tables, as IOzone prints them ---------------------------------------------------------------------------------------

WIDTHS = {
    "3.4": (9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9),
    "3.5": (10, 10, 10, 10, 10, 10, 10, 11, 11, 10, 10, 10, 10),
}
HEADINGS = {
    "3.4": "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite"
    "      read   fwrite frewrite    fread  freread",
    "3.5": "              kB  reclen    write    rewrite      read    reread      read     write      read    rewrite"
    "       read    fwrite  frewrite     fread   freread",
}
TESTS = ((0, 1), (2, 3), (4, 5), (6,), (7,), (8,), (9, 10), (11, 12))
BLANKS = (18, 18, 18, 9, 10, 10, 18, 18)
OPERATIONS = (
    "write", "rewrite", "read", "reread", "random_read", "random_write", "backward_read", "record_rewrite",
    "stride_read", "fwrite", "frewrite", "fread", "freread",
)  # fmt: skip


def render(version: str, ran: list[bool], numbers: list[int]) -> str:
    """One line of a table under its heading, with the blanks of the tests that did not run."""
    return f"{HEADINGS[version]}\n{render_line(version, ran, numbers)}\n\niozone test complete.\n"


def render_line(version: str, ran: list[bool], numbers: list[int], file_size: int = 4096) -> str:
    line = f"{file_size:16d}{64:8d}"
    for test, (columns, blank) in enumerate(zip(TESTS, BLANKS, strict=True)):
        cells = [f"{numbers[column]:{WIDTHS[version][column]}d}" for column in columns]
        line += "".join(cells) if ran[test] else " " * blank
    return line


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(WIDTHS)),
    st.lists(st.booleans(), min_size=8, max_size=8).filter(any),
    st.lists(st.integers(1, 99_999_999), min_size=13, max_size=13),
)
def test_the_columns_of_any_choice_of_tests_are_found(version: str, ran: list[bool], numbers: list[int]) -> None:
    parsed = iozone.parse(render(version, ran, numbers))
    columns = [column for test, columns in enumerate(TESTS) if ran[test] for column in columns]
    assert [(row["operation"], row["throughput"]) for row in parsed.runs] == [
        (OPERATIONS[column], numbers[column] * 1024.0) for column in columns
    ]
    assert parsed.complete


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(WIDTHS)),
    st.lists(st.booleans(), min_size=8, max_size=8).filter(any),
    st.lists(st.lists(st.integers(0, 99_999_999), min_size=13, max_size=13), min_size=6, max_size=12),
    st.lists(st.tuples(st.integers(0, 2000), st.sampled_from("x. \n\t\ufffd7")), max_size=3),
)
def test_many_lines_at_once_are_read_like_one_by_one(
    version: str, ran: list[bool], table: list[list[int]], damage: list[tuple[int, str]]
) -> None:
    lines = [[1] * 13, *table]
    text = "\n".join(render_line(version, ran, numbers, 2048 << at) for at, numbers in enumerate(lines))
    for place, sign in damage:
        at = place % len(text)
        text = text[:at] + sign + text[at + 1 :]
    log = f"{HEADINGS[version]}\n{text}\n\niozone test complete.\n"
    at_once = iozone.parse(log)
    with mock.patch.object(iozone_table, "FEW", 1000):
        one_by_one = iozone.parse(log)
    assert at_once == one_by_one


def test_lines_with_other_blanks_are_not_read_like_those_before_them() -> None:
    """As many numbers in a line, but of other tests: those that were read at once had other columns."""
    reads, writes = ([True, test == 1, test == 2, *[False] * 5] for test in (1, 2))
    lines = [render_line("3.5", ran, list(range(1001, 1014)), 2048).rstrip() for ran in [reads, reads, *[writes] * 6]]
    parsed = iozone.parse("\n".join([HEADINGS["3.5"], *lines, "", "iozone test complete.", ""]))
    assert [row["operation"] for row in parsed.runs] == ["write", "rewrite", "read", "reread"] * 2 + [
        "write", "rewrite", "random_read", "random_write",
    ] * 6  # fmt: skip


def test_lines_that_are_not_alike_are_held_against_each_other_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(iozone_table, "read_picture", lambda model, lines: looked.append(len(lines)))
    text = "\n".join(render_line("3.5", [True] * 8, list(range(1001, 1014)), 2048) for _ in range(50))
    iozone.parse(f"{HEADINGS['3.5']}\n{text}\n\niozone test complete.\n")
    assert looked == [49]


def test_a_long_table_is_kept_as_columns() -> None:
    text = "\n".join(render_line("3.5", [True] * 8, list(range(1001, 1014)), 2048 << at) for at in range(9))
    rows = iozone.parse(f"{HEADINGS['3.5']}\n{text}\n\niozone test complete.\n").runs
    assert isinstance(rows, Rows)
    assert sum(isinstance(part, dict) for part in rows.parts) == 1
    assert [row["throughput"] for row in rows] == [value * 1024.0 for value in range(1001, 1014)] * 9
    assert [row["line"] for row in rows] == [line for line in range(2, 11) for _ in range(13)]


def test_numbers_that_touch_are_cut_where_the_version_prints_its_columns() -> None:
    row = iozone.parse(text_of("single_extended_touching_3.471.txt"))
    expected = {"pwrite": 13834587, "repwrite": 12185983, "pread": 10319444, "repread": 11252164}
    assert {operation: one(row, operation)["throughput"] for operation in expected} == {
        operation: value * 1024.0 for operation, value in expected.items()
    }


def test_numbers_that_touch_below_a_strange_heading_are_not_guessed() -> None:
    with pytest.raises(ParseError, match=r"log:2: .* found 'cannot tell which columns .* 1234567812345678 1 2'"):
        iozone.parse("kB reclen write rewrite read reread\n4096 64 1234567812345678 1 2\n")


@pytest.mark.parametrize("filled", [*itertools.product((True, False), repeat=4)][:-1])
def test_below_a_heading_made_by_hand_numbers_belong_to_what_they_stand_under(filled: tuple[bool, ...]) -> None:
    words = ("write", "rewrite", "read", "reread")
    heading = f"{'kB':>12}{'reclen':>12}" + "".join(f"{word:>14}" for word in words)
    cells = "".join(f"{1000 + at if there else '':>14}" for at, there in enumerate(filled))
    parsed = iozone.parse(f"{heading}\n{4096:12d}{64:12d}{cells}\n\niozone test complete.\n")
    found = {row["operation"]: row["throughput"] for row in parsed.runs}
    assert found == {word: (1000 + at) * 1024.0 for at, word in enumerate(words) if filled[at]}


def test_a_blank_cell_leaves_the_others_in_their_columns() -> None:
    text = render("3.5", [True] * 8, list(range(1001, 1014)))
    parsed = iozone.parse(text.replace("1005", "    "))
    assert {row["operation"]: row["throughput"] for row in parsed.runs} == {
        operation: (1001 + column) * 1024.0 for column, operation in enumerate(OPERATIONS) if column != 4
    }


@pytest.mark.parametrize("last", ["1006", "1012"])
def test_a_line_that_something_else_interrupts_goes_on_further_down(last: str) -> None:
    text = render("3.5", [True] * 8, list(range(1001, 1014)))
    cut = text.index(last) + 4
    parsed = iozone.parse(f"{text[:cut]}[   79.8 0:143 fs] invalid\n[   79.9 0:143 fs] invalid\n{text[cut:]}")
    assert [row["throughput"] for row in parsed.runs] == [value * 1024.0 for value in range(1001, 1014)]
    assert any("inside a line" in note.text for note in parsed.notes)


@pytest.mark.parametrize("file_size", ["4096", "  64"])
def test_a_cell_that_is_no_number_is_left_out_and_said(file_size: str) -> None:
    text = render("3.4", [True] * 8, list(range(1001, 1014))).replace("4096", file_size)
    parsed = iozone.parse(text.replace("1005 ", "100a5"))
    assert not parsed.complete
    assert "random_read" not in {row["operation"] for row in parsed.runs}
    assert one(parsed, "random_write")["throughput"] == 1006 * 1024.0


def test_zero_is_what_did_not_run() -> None:
    parsed = iozone.parse(text_of("single_noretest_3.508.txt"))
    assert {row["operation"] for row in parsed.runs} == {"write", "read", "random_read", "random_write"}


# Throughput mode -----------------------------------------------------------------------------------------------------


def block(children: str, least: str, most: str, mean: str, moved: str = "4096.00") -> str:
    return (
        "\tEach process writes a 4096 kByte file in 64 kByte records\n\n"
        f"\tChildren see throughput for  2 initial writers \t= {children} kB/sec\n"
        f"\tParent sees throughput for  2 initial writers \t= {children} kB/sec\n"
        f"\tMin throughput per process \t\t\t= {least} kB/sec \n"
        f"\tMax throughput per process \t\t\t= {most} kB/sec\n"
        f"\tAvg throughput per process \t\t\t= {mean} kB/sec\n"
        f"\tMin xfer \t\t\t\t\t= {moved} kB\n\niozone test complete.\n"
    )


def test_a_minimum_above_the_mean_is_not_believed() -> None:
    parsed = iozone.parse(block("900.00", "900.00", "900.00", "450.00"))
    assert {"throughput_min", "data_size_min", "data_size"}.isdisjoint(one(parsed, "write"))
    assert any("minimum above the mean" in note.text for note in parsed.notes)


def test_bytes_moved_are_known_where_even_the_slowest_process_moved_its_whole_file() -> None:
    row = one(iozone.parse(block("900.00", "440.00", "460.00", "450.00")), "write")
    assert row["data_size"] == 2 * 4096 * 1024.0


@pytest.mark.parametrize("moved", ["4032.00", "0.00"])
def test_bytes_moved_are_not_guessed_after_a_stonewall(moved: str) -> None:
    assert "data_size" not in one(iozone.parse(block("900.00", "440.00", "460.00", "450.00", moved)), "write")


def test_bytes_are_no_operations_where_the_stonewall_is_off() -> None:
    row = one(iozone.parse("\tStonewall disabled\n" + block("900.00", "440.00", "460.00", "450.00")), "write")
    assert row["data_size"] == 2 * 4096 * 1024.0
    assert "operations" not in row


def test_bytes_of_children_add_up_to_those_of_the_test() -> None:
    parsed = iozone.parse(text_of("throughput_c8_children.log"))
    for row in parsed.runs:
        shares = [child["data_size"] for child in parsed.clients if child["operation"] == row["operation"]]
        assert row["data_size"] == sum(map(float, shares))


def test_processes_are_those_of_the_result_not_of_the_command() -> None:
    parsed = iozone.parse("iozone -t 32 -i 0\n\n" + block("900.00", "440.00", "460.00", "450.00"))
    assert "processes" not in parsed.header
    assert one(parsed, "write")["processes"] == 2.0


def test_a_test_in_which_nothing_moved_gives_no_row() -> None:
    parsed = iozone.parse(block("0.00", "0.00", "0.00", "0.00", "0.00"))
    assert parsed.runs == []
    assert not parsed.complete


def test_numbers_above_the_first_name_go_to_the_test_that_always_runs_before() -> None:
    text = text_of("throughput_c1_read.log")
    parsed = iozone.parse(text[text.index("\tMax throughput") :])
    row = one(parsed, "read")
    assert row["throughput_max"] == 4804.97 * 1024
    assert "throughput" not in row
    assert not parsed.complete


def test_an_unreadable_name_does_not_give_its_numbers_to_the_test_before() -> None:
    text = text_of("throughput_c1_read.log")
    parsed = iozone.parse(text.replace("1 re-readers", "1 re-?eaders"))
    assert [row["operation"] for row in parsed.runs] == ["read"]
    assert not parsed.complete


# Several runs, reports -----------------------------------------------------------------------------------------------


def test_two_runs_in_a_log_are_two_parts_with_their_own_keys() -> None:
    parsed = iozone.parse(text_of("throughput_c1_read.log") + text_of("ops_16m_64k.log"))
    assert {(row["part"], row["file_size"]) for row in parsed.runs} == {(1, 24576 * 1024.0), (2, 16384 * 1024.0)}
    assert "file_size" not in parsed.header
    assert parsed.complete


def test_a_second_run_that_breaks_off_makes_the_log_incomplete() -> None:
    second = text_of("ops_16m_64k.log")
    parsed = iozone.parse(text_of("throughput_c1_read.log") + second[: second.index("kB  reclen")])
    assert len(parsed.runs) == 2
    assert not parsed.complete


def test_a_run_that_is_printed_twice_counts_once() -> None:
    text = text_of("ops_16m_64k.log")
    parsed = iozone.parse(text + text)
    assert len(parsed.runs) == 6
    assert any("printed again" in note.text for note in parsed.notes)


def test_an_excel_report_alone_gives_its_numbers_once_and_knows_its_unit_by_the_command() -> None:
    text = 'iozone -i 0 -O -r 4k -s 1g -Rb a.xls\n\n"Writer report"\n        "4"\n"1048576"   2102 \n'
    text += '\n"Re-writer report"\n        "4"\n"1048576"   2178 \n'
    parsed = iozone.parse(text)
    assert [(row["operation"], row["operation_rate"], row["line"]) for row in parsed.runs] == [
        ("write", 2102.0, 5),
        ("rewrite", 2178.0, 9),
    ]
    assert parsed.complete


def test_the_excel_report_repeats_the_table() -> None:
    with_report = text_of("auto_excel_i0_i1.log")
    without = with_report[: with_report.index("Excel output is below")]
    assert values(iozone.parse(with_report)) == values(iozone.parse(without))


def test_worksheets_beside_each_other_keep_apart() -> None:
    text = "one\t\t\ttwo\t\nWriter Report\t\t\tWriter Report\t\n\t64\t\t\t64\n1024\t11\t\t1024\t12\n"
    parsed = iozone.parse(text)
    assert [(row["label"], row["throughput"]) for row in parsed.runs] == [("one", 11 * 1024.0), ("two", 12 * 1024.0)]


def test_the_columns_of_a_throughput_report_are_numbers_of_processes() -> None:
    text = text_of("throughput_l1_u3_3.508.txt")
    command = "iozone -l 1 -u 3 -s 4m -r 64k -R\n"
    parsed = iozone.parse(command + text[text.index('"Throughput report') :])
    rows = [(row["processes"], row["throughput"]) for row in parsed.runs if row["operation"] == "rewrite"]
    assert rows == [(1.0, 7274040.00 * 1024), (2.0, 5780950.44 * 1024), (3.0, 5339001.50 * 1024)]


# Disguise ------------------------------------------------------------------------------------------------------------


def quoted_printable(text: str) -> str:
    lines = (line.replace("=", "=3D") for line in text.split("\n"))
    return "\n".join(f"{line[:60]}=\n{line[60:]}" if len(line) > 70 else line for line in lines)


DISGUISES: dict[str, Callable[[str], str]] = {
    "comment": lambda text: "\n".join(f"# {line}" for line in text.split("\n")),
    "mail": lambda text: "\n".join(f"> >> {line}" for line in text.split("\n")),
    "pdsh": lambda text: "\n".join(f"node01: {line}" for line in text.split("\n")),
    "rank": lambda text: "\n".join(f"190: {line}" for line in text.split("\n")),
    "quoted-printable": quoted_printable,
    "junk above": lambda text: f"Welcome\n--- 3 4 5 ---\n{text}",
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "decimal commas": lambda text: text if "Child" not in text else _with_commas(text),
}


def _with_commas(text: str) -> str:
    head, rest = text.split("Children", 1)
    return f"{head}Children{rest.replace('.', ',')}".replace("complete,", "complete.")


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("name", WHOLE)
def test_what_mail_pdsh_and_wikis_do_to_a_log_is_undone(name: str, disguise: str) -> None:
    text = text_of(name)
    parsed = parsers.parse(DISGUISES[disguise](text), format="iozone")
    assert values(parsed) == values(iozone.parse(text))
    assert parsed.complete


def test_hosts_whose_lines_are_mixed_are_runs_of_their_own() -> None:
    lines = [line for line in text_of("throughput_c1_read.log").split("\n") if " see" in line or "complete" in line]
    mixed = [f"{host}: {line}" for line in lines for host in ("n1", "n2")]
    parsed = iozone.parse("\n".join(mixed) + "\n")
    assert [(row["host"], row["operation"], row["part"]) for row in parsed.runs] == [
        ("n1", "read", 1), ("n1", "reread", 1), ("n2", "read", 2), ("n2", "reread", 2),
    ]  # fmt: skip


def test_lines_keep_the_numbers_they_have_in_the_log() -> None:
    text = quoted_printable(text_of("throughput_c8_children.log"))
    row = one(parsers.parse(text), "rewrite")
    assert "rewriters" in text.split("\n")[int(row["line"]) - 1]


def test_a_table_folded_into_one_line_is_unfolded() -> None:
    row = " 1024000 {} 11 12 13 14 15 16"
    text = "# iozone -I -a -r 4k -r 16k -i 0 -i 1 -i 2 random random bkwd record stride kB reclen write rewrite read"
    text += " reread read write read rewrite read fwrite frewrite fread freread" + row.format(4) + row.format(16)
    parsed = iozone.parse(text + " iozone test complete.\n")
    assert [row["throughput"] for row in parsed.runs] == [value * 1024.0 for value in (11, 12, 13, 14, 15, 16)] * 2
    assert {row["record_size"] for row in parsed.runs} == {4096.0, 16384.0}


# Damage --------------------------------------------------------------------------------------------------------------


def read_or_refuse(text: str) -> Parsed | None:
    try:
        return parsers.parse(text, format="iozone")
    except ParseError:
        return None


@pytest.mark.parametrize("log", fixture_logs("iozone"), ids=log_id)
def test_a_log_cut_at_any_line_is_incomplete_or_refused(log: object) -> None:
    text = decode(LOGS.joinpath(str(log)).read_bytes())[0]
    whole = iozone.parse(text)
    lines = text.split("\n")
    for end in range(0, len(lines), max(1, len(lines) // 60)):
        parsed = read_or_refuse("".join(f"{line}\n" for line in lines[:end]))
        if parsed is not None and parsed.complete:
            assert values(parsed) == values(whole), f"cut after line {end}"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(WHOLE), st.floats(0, 1))
def test_a_log_cut_anywhere_gives_no_number_that_it_does_not_hold(name: str, share: float) -> None:
    text = text_of(name)
    parsed = read_or_refuse(text[: int(len(text) * share)])
    if parsed is not None:
        numbers = {value[-1] for value in values(parsed)}
        assert numbers <= {value[-1] for value in values(iozone.parse(text))}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(WHOLE), st.lists(st.tuples(st.floats(0, 0.999), st.characters()), max_size=6))
def test_damaged_characters_raise_nothing_but_a_parse_error(name: str, damage: list[tuple[float, str]]) -> None:
    text = list(text_of(name))
    for share, character in damage:
        text[int(len(text) * share)] = character
    read_or_refuse("".join(text))


@given(
    st.text(
        alphabet=st.sampled_from('kB reclen write\n0123456789.="[]Children see throughput for per\t>:'), max_size=400
    )
)
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refuse(text)
    read_or_refuse(f"kB reclen write rewrite read reread\n{text}")
    read_or_refuse(f'"Writer report"\n{text}')


@pytest.mark.parametrize("strange", ["²", "٣", "1" * 5000, "-1", "1e3", "nan", "1_0"])
def test_strange_numbers_raise_nothing_but_a_parse_error(strange: str) -> None:
    for name in WHOLE:
        text = text_of(name)
        for known in ("64", "4096", "16384", "1024", "8"):
            read_or_refuse(text.replace(known, strange))


@pytest.mark.parametrize("text", ["", "\n", "total 48\n-rw-r--r-- 1 a a 12 iozone.tmp\n"])
def test_a_text_without_anything_of_iozone_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected a table, a throughput test or a report of IOzone"):
        iozone.parse(text)


def test_a_run_without_a_result_is_incomplete() -> None:
    text = text_of("ops_16m_64k.log")
    parsed = iozone.parse(text[: text.index("Time Resolution")])
    assert parsed.runs == []
    assert not parsed.complete


# Recognition, other people's logs ------------------------------------------------------------------------------------


def test_logs_of_other_tools_are_not_claimed() -> None:
    claimed = [log_id(log) for log in fixture_logs() if iozone.sniff(decode(log.read_bytes())[0][: parsers.HEAD])]
    assert [log for log in claimed if not log.startswith("iozone/")] == []


def test_lines_of_a_table_are_recognised_without_their_heading_and_other_columns_of_numbers_are_not() -> None:
    rows = [f"{2048:16d}{record:8d}" + "".join(f"{100 + n:9d}" for n in range(13)) for record in (4, 8, 16)]
    assert iozone.sniff("\n".join(rows) + "\n")
    vmstat = " 2  0      0 816300 240 312 12 0 0 24 6 0 10 20 70 0 0\n" * 4
    assert not iozone.sniff(vmstat)


def test_a_row_without_its_heading_has_sizes_that_fit_and_four_to_seventeen_rates() -> None:
    rows = {count: " ".join(["64", "4", *["1000"] * count]) for count in range(20)}
    assert [count for count, row in rows.items() if iozone_table.is_headless_row(row)] == [*range(4, 18)]
    others = ("4 64", "64 0", "64 12", "96 24", "64 -4", "64 4.")
    assert not any(iozone_table.is_headless_row(f"{sizes} 1000 1000 1000 1000") for sizes in others)
    assert iozone_table.is_headless_row("96 32 1000 1000 1000 1000")


@SECOND_HAND
def test_facts_read_by_hand_off_other_peoples_logs_are_found() -> None:
    truth = json.loads((CORPUS / "truth.json").read_text())
    missed = list(
        itertools.chain.from_iterable(missed_facts(name, log) for name, log in truth.items() if name[0] != "_")
    )
    assert missed == [("auto_rows_verify_error_slash2_398.txt", "freread", 30276)]  # that is its fread


def missed_facts(name: str, log: dict[str, list[dict[str, object]]]) -> list[tuple[str, object, object]]:
    parsed = parsers.parse(decode((CORPUS / name).read_bytes())[0])
    found = {(row["operation"], round(float(value), 3)) for row in parsed.runs + parsed.clients
             for value in row.values() if isinstance(value, float)}  # fmt: skip
    facts = [(fact["operation"], float(str(fact["value"])), fact.get("unit_bytes")) for fact in log["facts"]
             if fact.get("operation") and fact["value"]]  # fmt: skip
    return [
        (name, operation, value)
        for operation, value, unit in facts
        if not {(operation, round(value * scale, 3)) for scale in (float(str(unit or 1)), 0.01)} & found
    ]


# Tables of old versions, whose columns are narrow and whose blanks are narrower ---------------------------------------

OLD_HEADING = (
    "              KB  reclen   write rewrite    read    reread    read   write    read  rewrite     read"
    "   fwrite frewrite   fread  freread\n"
)


def old_rates(command: str, line: str) -> dict[object, object]:
    text = f"\tCommand line used: iozone {command}\n{OLD_HEADING}{line}\n\niozone test complete.\n"
    parsed = parsers.parse(text, "iozone")
    assert parsed.complete, parsed.notes
    assert {(row["file_size"], row["record_size"]) for row in parsed.runs} == {(65536 * 1024, 4 * 1024)}
    return {row["operation"]: row["throughput"] for row in parsed.runs}


def test_a_number_that_touches_the_record_size_is_none_of_it() -> None:
    found = old_rates("-a -i 0", f"{65536:16d}{4:8d}{12345678:8d}{1234567:8d}{'':74}")
    assert found == {"write": 12345678 * 1024.0, "rewrite": 1234567 * 1024.0}


def test_numbers_that_touch_behind_narrow_blanks_are_cut_where_they_end() -> None:
    cells = f"{12345678:8d}{23456789:8d}{'':18}{'':16}{'':8}{'':8}{'':8}{'':18}{34567890:8d}{123456789:9d}"
    found = old_rates("-a -i 0 -i 7", f"{65536:16d}{4:8d}{cells}")
    assert found == {
        "write": 12345678 * 1024.0,
        "rewrite": 23456789 * 1024.0,
        "fread": 34567890 * 1024.0,
        "freread": 123456789 * 1024.0,
    }


ALL_OF_A_TEST = [log for log in fixture_logs() if log.parent.name == "iozone" and b"Children see" in log.read_bytes()]


@pytest.mark.parametrize("log", ALL_OF_A_TEST, ids=log_id)
def test_the_lines_of_a_test_at_once_are_read_like_one_by_one(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = decode(log.read_bytes())[0]
    several = text + text.replace(" 1 ", " 2 ") + text
    at_once = [iozone.parse(one) for one in (text, several)]
    monkeypatch.setattr(iozone_throughput, "_TEST", re.compile("(?!)"))
    assert [iozone.parse(one) for one in (text, several)] == at_once


def test_a_log_without_its_last_full_stop_is_incomplete() -> None:
    text = text_of("auto_i0_i2_i5_i7_shifted_3.508.txt").rstrip()
    assert iozone.parse(text).complete
    parsed = iozone.parse(text[:-1])
    assert not parsed.complete
    assert parsed.notes[-1].text == 'the run has no "iozone test complete."'


def test_a_run_in_a_mode_that_measures_nothing_makes_no_other_invalid() -> None:
    logs = Path(str(LOGS)) / "iozone"
    diagnostic = (logs / "single_diagnostic_3.508.txt").read_text()
    lines = [line for line in diagnostic.splitlines() if "invalid in this mode" not in line]
    other = "\n".join(lines).replace("16:16:55", "17:16:55") + "\n"
    for text in (diagnostic + other, other + diagnostic):
        parsed = parsers.parse(text)
        verdicts = [row.get("valid", "") for row in parsed.runs]
        assert "valid" not in parsed.header
        assert sorted(set(verdicts)) == ["", "INVALID"]


def test_options_of_two_letters_are_kept_with_their_values() -> None:
    command = read_command("iozone -a -+u -+mclients.txt -s 64m")
    assert command.options["+u"] == [""]
    assert command.options["+m"] == ["clients.txt"]


DOUBLING = "auto_mmap_3.471.txt"
"""``-a -n 1m -g 2m -y 64k -q 256k``: 1024 and 2048 kB, each in records of 64, 128 and 256 kB."""
CHOSEN = "auto_extended_3.508.txt"
"""``-a -s 4m -r 64k -r 256k``."""


@pytest.mark.parametrize(
    ("log", "lost", "said", "at"),
    [
        (DOUBLING, "1024      64", "64 kB records of a file of 1024 kB", "1024     128"),
        (DOUBLING, "1024     128", "128 kB records of a file of 1024 kB", "1024     256"),
        (DOUBLING, "1024     256", "256 kB records of a file of 1024 kB", "2048      64"),
        (DOUBLING, "2048      64", "64 kB records of a file of 2048 kB", "2048     128"),
        (DOUBLING, "2048     256", "256 kB records of a file of 2048 kB", "2048     128"),
        (CHOSEN, "4096      64", "64 kB records of a file of 4096 kB", "4096     256"),
        (CHOSEN, "4096     256", "256 kB records of a file of 4096 kB", "4096      64"),
    ],
)
def test_a_line_that_an_automatic_table_lacks_is_told(log: str, lost: str, said: str, at: str) -> None:
    text = text_of(log)
    assert not iozone.parse(text).notes
    left = re.sub(rf"(?m)^ *{lost} .*\n", "", text)
    [note] = iozone.parse(left).notes
    assert note.text == f"expected a line of {said}: it is missing"
    assert re.match(rf" *{at} ", left.split("\n")[note.line - 1])
    assert parsers.parse(left).notes == [note]


def test_many_lines_of_a_table_are_held_as_each_one_is() -> None:
    sizes = [(file, record) for file in (1024, 2048, 4096) for record in (64, 128, 256)]
    for chosen in ("-r 64 -r 128 -r 256", "-y 64 -q 256"):
        run = Run(command=read_command(f"iozone -a {chosen}"))
        for lost in itertools.chain.from_iterable(itertools.combinations(sizes, count) for count in (0, 1, 2, 4)):
            kept = [size for size in sizes if size not in lost]
            lines = list(range(10, 10 + len(kept)))
            run.notes = []
            one_by_one, together = sweep_of(run), sweep_of(run)
            for (file, record), line in zip(kept, lines, strict=True):
                one_by_one.hold(file, record, line)
            one_by_one.end()
            said, run.notes = run.notes, []
            together.hold_all(np.array(kept), lines)
            together.end()
            assert run.notes == said, lost
            assert bool(said) == bool(lost)


@pytest.mark.parametrize("option", ["-r", "-y", "-q"])
def test_a_size_that_no_number_holds_says_nothing_of_a_table(option: str) -> None:
    text = text_of(DOUBLING)
    parsed = parsers.parse(text.replace("-a -n 1m -g 2m -y 64k -q 256k", f"-a {option} {'9' * 400}"))
    assert len(parsed.runs) == len(iozone.parse(text).runs)


def test_a_process_that_a_test_does_not_show_is_told() -> None:
    text = text_of("throughput_c8_children.log")
    assert not [note for note in iozone.parse(text).notes if "Child" in note.text]
    parsed = iozone.parse(re.sub(r"\tChild\[6\] .*\n", "", text, count=1))
    expected = "expected a line Child[...] of each of 8 processes of the test write, found 7"
    assert [note.text for note in parsed.notes if "Child" in note.text] == [expected]
