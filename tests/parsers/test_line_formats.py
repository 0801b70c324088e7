"""Lines that can be trusted, and what is said of those that cannot."""

from __future__ import annotations

import re

import pytest

from storagelab.errors import ParseError
from storagelab.parsers.file_system_calls import OPERATION_OF_CALL
from storagelab.parsers.line_formats import LONGEST, apply, fill, in_its_words, metric, trusted_lines
from storagelab.parsers.model import Parsed
from storagelab.parsers.text import finite
from storagelab.schema import OPERATIONS


def test_lines_keep_their_numbers_and_lose_a_launchers_prefix() -> None:
    parsed = Parsed({"tool": "toy"})
    assert trusted_lines("190: a\n190: b\n", parsed) == [(1, "a"), (2, "b")]
    assert parsed.complete


@pytest.mark.parametrize("bad", ["a\ufffd", "a" * (LONGEST + 1)])
def test_a_damaged_line_is_left_out_and_said(bad: str) -> None:
    parsed = Parsed({"tool": "toy"})
    assert trusted_lines(f"a\n{bad}\nb\n", parsed) == [(1, "a"), (3, "b")]
    assert [note.line for note in parsed.notes] == [2]
    assert not parsed.complete


@pytest.mark.parametrize("text", ["inf", "-nan", "nan"])
def test_numbers_are_finite(text: str) -> None:
    with pytest.raises(ValueError, match=f"no finite number: {text}"):
        finite(text)


def test_a_note_shows_the_beginning_of_what_a_tool_says_of_its_failure() -> None:
    found = re.match(" *error", f"  error: {'no space ' * 20}\n")
    assert found
    assert in_its_words(found) == f"error: {'no space ' * 12}no sp"


def test_the_first_rule_that_fits_takes_a_line() -> None:
    taken: list[tuple[str, int]] = []
    rules = (
        (re.compile("a"), lambda found, at: taken.append(("a", at))),
        (re.compile("ab"), lambda found, at: taken.append(("ab", at))),
    )
    assert apply(rules, "abc", 7)
    assert not apply(rules, "bc", 8)
    assert taken == [("a", 7)]


def test_a_log_without_samples_is_refused_with_its_first_line() -> None:
    with pytest.raises(ParseError, match="expected a sample, found 'nothing'"):
        fill(Parsed({"tool": "toy"}), [], "a sample", "\nnothing\n")


def test_samples_become_columns() -> None:
    parsed = fill(Parsed({"tool": "toy"}), [metric("depth", 2.0, "1", 3, device="sda")], "a sample", "")
    assert dict(parsed.series) == {
        "operation": [""], "device": ["sda"], "metric": ["depth"], "value": [2.0], "unit": ["1"], "line": [3],
    }  # fmt: skip


def test_calls_are_operations_of_the_contract() -> None:
    assert set(OPERATION_OF_CALL.values()) <= set(OPERATIONS)


@pytest.mark.parametrize("rest", ["row", "  ", "\t"])
def test_a_last_line_without_an_end_is_said_and_not_trusted(rest: str) -> None:
    parsed = Parsed({"tool": "toy"})
    assert trusted_lines(f"one\n{rest}", parsed) == [(1, "one")]
    assert (parsed.complete, parsed.notes[0].line) == (False, 2)
    whole = Parsed({"tool": "toy"})
    assert trusted_lines("one\n", whole) == [(1, "one")]
    assert whole.complete
