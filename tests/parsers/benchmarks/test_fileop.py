"""What golden tables do not show of the fileop parser: damage, refusals, several runs, other people's logs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers import Parsed, Row
from storagelab.parsers.benchmarks import fileop
from storagelab.parsers.text import decode
from tests.conftest import LOGS, SHARED, fixture_logs, log_id

CORPUS = SHARED / "corpus" / "fileop"
SECOND_HAND = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of other people's logs is not there")
TABLE = "f5_b_w_1.63.txt"


def text_of(name: str) -> str:
    return decode((LOGS / "fileop" / name).read_bytes())[0]


def row_of(parsed: Parsed, operation: str, factor: float) -> Row:
    [row] = [row for row in parsed.runs if row["operation"] == operation and row["branching"] == factor]
    return row


def test_average_best_and_worst_are_one_row() -> None:
    row = row_of(fileop.parse(text_of(TABLE)), "mkdir", 5.0)
    assert row == {
        "operation": "mkdir", "branching": 5.0, "items": 125.0, "line": 4,
        "operation_rate": 119595.0, "operation_rate_max": 199729.0, "operation_rate_min": 36792.0,
        "operation_rate_max_line": 5, "operation_rate_min_line": 6,
    }  # fmt: skip


def test_a_time_of_zero_gives_no_rate() -> None:
    assert "operation_rate_max" not in row_of(fileop.parse(text_of(TABLE)), "chdir", 5.0)


@pytest.mark.parametrize("cell", ["nan", "-nan", "inf"])
def test_what_did_not_run_gives_no_row(cell: str) -> None:
    text = text_of("f5_1.61.txt").replace("585143", f"{cell:>6}")
    parsed = fileop.parse(text)
    assert "open" not in {row["operation"] for row in parsed.runs}
    assert any("give no value" in note.text for note in parsed.notes)


def test_the_older_table_has_neither_chdir_nor_open() -> None:
    names = "mkdir rmdir create read write close stat access chmod readdir link unlink delete"
    text = f" . {names} Total_files\nA    2" + "".join(f"{11 + n:8d}" for n in range(13)) + "          8 \n"
    rates = {row["operation"]: row["operation_rate"] for row in fileop.parse(text).runs}
    assert (rates["rmdir"], rates["read"], rates["delete"]) == (12.0, 14.0, 23.0)
    assert not {"chdir", "open"} & set(rates)


def test_a_blank_cell_leaves_the_others_in_their_columns() -> None:
    whole = fileop.parse(text_of("f5_1.61.txt"))
    parsed = fileop.parse(text_of("f5_1.61.txt").replace("105026", "      "))
    rates = {row["operation"]: row["operation_rate"] for row in whole.runs if row["operation"] != "write"}
    assert {row["operation"]: row["operation_rate"] for row in parsed.runs} == rates
    assert not parsed.complete


def test_two_runs_are_two_parts_with_their_own_file_size() -> None:
    parsed = fileop.parse(text_of("f5_1.61.txt") + text_of(TABLE))
    assert {(row["part"], row["file_size"]) for row in parsed.runs} == {(1, 1.0), (2, 1024.0)}


def test_a_run_without_its_first_line_has_no_file_size_of_another() -> None:
    table, paragraphs = text_of("f5_1.61.txt"), text_of("f4_t_1.63.txt")
    headless_table, headless_paragraphs = table.split("\n", 2)[2], paragraphs.split("\n", 2)[2]
    behind_a_table = {(row["part"], row.get("file_size")) for row in fileop.parse(table + headless_paragraphs).runs}
    assert behind_a_table == {(1, 1.0), (2, None)}
    behind_paragraphs = {(row["part"], row.get("file_size")) for row in fileop.parse(paragraphs + headless_table).runs}
    assert behind_paragraphs == {(1, 4096.0), (2, None)}


def test_paragraphs_give_times_too() -> None:
    [row] = [row for row in fileop.parse(text_of("f4_t_1.63.txt")).runs if row["operation"] == "create"]
    assert (row["elapsed"], row["latency"], row["items"]) == (0.001179457, 0.000018429, 64.0)


@pytest.mark.parametrize("failure", ["Create failed", "Mkdir failed", "write: No space left on device"])
def test_a_failure_makes_the_log_incomplete(failure: str) -> None:
    parsed = fileop.parse(f"{text_of(TABLE)}{failure}\n")
    assert not parsed.complete
    assert parsed.notes[0].text == failure


def test_a_range_that_its_command_states_must_have_been_gone_through() -> None:
    text = f"$ fileop -l 2 -u 8 -i 2\n{text_of('l2_u8_i2_1.63.txt')}"
    assert fileop.parse(text).complete
    cut = fileop.parse(text[: text.index("A    8")])
    assert cut.notes[-1].text == "ends at force factor 6 of 8"
    assert not cut.complete


def test_a_factor_that_lacks_its_worst_rates_is_incomplete() -> None:
    text = text_of("l4_u8_b_w.log")
    assert not fileop.parse(text[: text.rindex("W    8")]).complete


@pytest.mark.parametrize("name", ["f4_t_1.63.txt", "l4_u8_b_w.log"])
def test_a_number_that_the_end_of_the_log_cuts_is_not_taken(name: str) -> None:
    text = text_of(name)
    known = {value for row in fileop.parse(text).runs for value in row.values()}
    for end in range(120, len(text)):
        rows = fileop.parse(text[:end]).runs
        assert {value for row in rows for name, value in row.items() if name != "line"} <= known


def test_prefixes_of_pdsh_and_mail_do_not_hide_the_table() -> None:
    text = text_of("l4_u8_b_w.log")
    for prefix in ("node01: ", "> ", "190: "):
        prefixed = "\n".join(prefix + line for line in text.split("\n"))
        assert fileop.parse(prefixed).runs == fileop.parse(text).runs


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([TABLE, "f4_t_1.63.txt"]), st.lists(st.tuples(st.floats(0, 0.999), st.characters()), max_size=6))
def test_damaged_characters_raise_nothing_but_a_parse_error(name: str, damage: list[tuple[float, str]]) -> None:
    text = list(text_of(name))
    for share, character in damage:
        text[int(len(text) * share)] = character
    try:
        parsers.parse("".join(text), format="fileop")
    except ParseError:
        return


@pytest.mark.parametrize("text", ["", "\n", "A    5  1 2 3\n"])
def test_a_text_without_a_table_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="expected a table or a paragraph of fileop"):
        fileop.parse(text)


def test_logs_of_other_tools_are_not_claimed() -> None:
    claimed = [log_id(log) for log in fixture_logs() if fileop.sniff(decode(log.read_bytes())[0][: parsers.HEAD])]
    assert [log for log in claimed if not log.startswith("fileop/")] == []


@SECOND_HAND
def test_facts_read_by_hand_off_other_peoples_logs_are_found() -> None:
    truth = json.loads((CORPUS / "truth.json").read_text())
    for name, log in truth.items():
        if name[0] == "_":
            continue
        parsed = parsers.parse(decode((CORPUS / name).read_bytes())[0])
        found = {(row["operation"], row["branching"], value) for row in parsed.runs for value in row.values()}
        facts = {(fact["operation"], fact["force_factor"], fact["value"]) for fact in log["facts"] if fact["value"]}
        assert facts <= found


def test_paragraphs_that_end_before_that_of_delete_are_cut() -> None:
    text = text_of("f4_t_1.63.txt")
    cut = fileop.parse(text[: text.index("delete:")])
    assert not cut.complete
    assert [note.text for note in cut.notes] == ["the last paragraph is not that of delete"]


def test_the_size_that_one_run_states_is_not_that_of_another() -> None:
    stated = text_of("f5_1.61.txt")
    unstated = "".join(line for line in stated.splitlines(keepends=True) if "File size" not in line)
    parsed = parsers.parse(stated + unstated)
    sizes = {row["part"]: row.get("file_size") for row in parsed.runs}
    assert "file_size" not in parsed.header
    assert (sizes[1], sizes[2]) == (1.0, None)


@pytest.mark.parametrize("called", ["fileop", "./fileop", "/opt/iozone/fileop", "../src/current/fileop_linux-AMD64"])
def test_the_command_that_a_shell_showed_before_the_table_is_kept(called: str) -> None:
    parsed = fileop.parse(f"me@host:~$ {called} -f 5 -b -w\n" + text_of(TABLE))
    assert parsed.header["command"] == f"{called} -f 5 -b -w"
