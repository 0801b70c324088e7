"""What golden tables do not show of fio's terse output: names with separators, appended runs, damage."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.fio import terse
from storagelab.units import KIB
from tests.conftest import LOGS

FOLDER = LOGS / "fio_terse"


def text_of(name: str) -> str:
    return (FOLDER / name).read_text()


ONE = text_of("semicolons-v3-3.33.txt")
MULTI = text_of("multi-v3-3.33.txt")


@pytest.mark.parametrize("name", ["x", "a;b;c", ";", "3;fio-3.33;x", "50%", ""])
def test_a_job_name_may_hold_anything(name: str) -> None:
    (row,) = parsers.parse(ONE.replace(";odd;name;", f";{name};")).runs
    assert (row["job"], row["operation"]) == (name, "write")
    assert float(row["throughput"]) % KIB == 0


def test_a_line_that_markdown_shows_as_code() -> None:
    line = ONE.strip("\n")
    assert "\n" not in line
    parsed = parsers.parse(f"what I got\n\n`{line}`\n")
    (row,), (plain,) = parsed.runs, parsers.parse(ONE).runs
    assert row == {**plain, "line": 3}


@pytest.mark.parametrize("remark", ["# output version ", "\t// as printed: ", " * "])
def test_a_line_behind_the_words_of_a_remark(remark: str) -> None:
    parsed = parsers.parse(f"def read(line)\n{remark}{ONE}  fields = line.split(';')\nend\n")
    (row,), (plain,) = parsed.runs, parsers.parse(ONE).runs
    assert row == {**plain, "line": 2}


@pytest.mark.parametrize("letters", ["rwt", "rwts"])
def test_operations_that_the_report_for_people_counts_again_are_no_table(letters: str) -> None:
    issued = f"     issued {letters}: total=524288,0,0, short=0,0,0, dropped=0,0,0\n"
    assert parsers.parse(ONE + issued).notes == parsers.parse(ONE).notes


def test_fio_2_0_gave_its_version_without_its_name() -> None:
    parsed = parsers.parse(MULTI.replace("3;fio-3.33;", "3;2.0.8;"))
    assert parsed.header["tool_version"] == "2.0.8"
    assert parsed.runs == parsers.parse(MULTI).runs


@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_every_version_tells_the_same_story(version: int) -> None:
    parsed = parsers.parse(text_of(f"multi-v{version}-3.33.txt"))
    assert {(row["job"], row["operation"]) for row in parsed.runs} == {
        ("seqwrite", "write"), ("randread", "read"), ("mix", "read"), ("mix", "write"),
    }  # fmt: skip
    assert all(0 < float(row["latency_p50"]) < 0.01 for row in parsed.runs if "latency_p50" in row)
    assert ("operation_rate_mean" in parsed.runs[0]) == (version == 5)


def test_lines_of_one_invocation_are_processes_and_of_others_are_parts() -> None:
    alone = parsers.parse(MULTI)
    assert [row["processes"] for row in alone.runs if row["job"] == "randread"] == [2.0]
    again = parsers.parse(MULTI + MULTI)
    assert [row["part"] for row in again.runs] == [1.0] * 4 + [2.0] * 4
    assert [row["throughput"] for row in again.runs] == 2 * [row["throughput"] for row in alone.runs]


def test_a_cut_line_and_a_line_without_its_end_are_left_out() -> None:
    first, second, *_ = MULTI.split("\n")
    parsed = parsers.parse(f"{first}\n{second[:900]}\n{second}")
    assert [row["job"] for row in parsed.runs] == ["seqwrite"]
    assert [note.line for note in parsed.notes] == [2, 3]
    assert not parsed.complete


def test_a_failed_job_says_so() -> None:
    parsed = parsers.parse(text_of("error-enospc-v3-3.33.txt"))
    assert [(row["job"], row["error_code"]) for row in parsed.runs] == [("err", 28.0)]
    assert not parsed.complete


def test_a_log_without_a_job_that_did_anything_is_refused() -> None:
    fields = ONE.split(";")
    idle = ";".join("0" if field.isdecimal() and 6 < place < 95 else field for place, field in enumerate(fields))
    with pytest.raises(ParseError, match="expected a job that did I/O"):
        terse.parse(idle)
    with pytest.raises(ParseError, match="expected a line of terse output"):
        terse.parse("3;fio-3.33;x;0;0\n")


def test_an_error_that_is_no_number_of_8_bytes_leaves_its_line_out() -> None:
    text = text_of("error-enospc-v3-3.33.txt")
    parsed = parsers.parse(text_of("multi-v3-3.33.txt") + text.replace(";28;", f";{'9' * 400};"))
    assert not parsed.complete
    assert "a terse line that is cut or damaged: left out" in [note.text for note in parsed.notes]


def test_a_group_with_thousands_of_digits_is_no_number() -> None:
    assert parsers.parse(MULTI.replace("randread;1;", f"randread;{'7' * 5000};")).runs


@pytest.mark.parametrize(
    ("opening", "between", "closing"),
    [
        ('OUT = (\n  b"', '"\n  b"', '"\n)\n'),
        ("const out = '", "' +\n    '", "';\n"),
        ('String out = "', '"\n    + "', '";\n'),
        ('parse("', '" \\\n  "', '");\n'),
        ("$out = '", "'\n . '", "';\n"),
    ],
)
@pytest.mark.parametrize("version", [3, 5])
def test_a_line_in_pieces_of_a_program_is_read(version: int, opening: str, between: str, closing: str) -> None:
    """Pieces of 53 characters end inside of numbers."""
    line = text_of(f"multi-v{version}-3.33.txt").partition("\n")[0]
    pieces = [line[at : at + 53] for at in range(0, len(line), 53)]
    parsed = parsers.parse(opening + between.join(pieces) + closing)
    bare = parsers.parse(f"{line}\n")
    start = opening.count("\n") + 1
    assert parsed.runs == [{**row, "line": start} for row in bare.runs]
    assert (parsed.complete, parsed.notes, parsed.header["wrapping"]) == (True, [], "string literals")


@pytest.mark.parametrize("closing", ["' +\n", ""])
def test_a_line_in_pieces_of_which_the_last_is_missing_is_not_trusted(closing: str) -> None:
    line = MULTI.partition("\n")[0]
    pieces = "' +\n  '".join(line[at : at + 53] for at in range(0, len(line), 53))
    with pytest.raises(ParseError, match="expected"):
        parsers.parse(f"const out = '{pieces}{closing}")
