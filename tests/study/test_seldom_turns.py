"""Ends of what sidecars may say: names of logs without a key, digits that were printed, expressions too long."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pydantic
import pytest
import simpleeval

from storagelab.errors import ReconstructError
from storagelab.study import expressions, linear_regex, rules_from_names, words_without_key
from storagelab.study.published import Published, Value
from storagelab.study.validation import Strict, first_violation


def logs(*parts: str, cell: str = "x") -> dict[str, str]:
    return {f"{name}.log": cell for name in parts}


@pytest.mark.parametrize(("cells", "found"), [
    (logs("fast_1", "fast_2"), []), (logs("fast_1", "fast_2", "slow_1"), [["fast", "slow"]]),
    (logs("fast_1", "fast_2", "slow_1", "slow_2"), [["fast", "slow"]]),
    ({"fast_1.log": "x", "fast_2.log": "x", "slow_1.log": "y", "slow_2.log": "y"}, []),
    (logs("a_1", "b_2", "c_3", "d_4"), []),
    (logs(*(f"{mode}_c{clients}_r{repeat}" for mode in ("fast", "slow") for clients in (1, 2) for repeat in (1, 2))),
     [["fast", "slow"], ["1", "2"]]),
])  # fmt: skip
def test_words_of_names_that_differ_in_a_cell_are_found_but_not_what_numbers_its_logs(
    cells: dict[str, str], found: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert words_without_key.words_without_key(cells) == found
    monkeypatch.setattr(words_without_key, "MOST", len(cells))
    assert words_without_key.words_without_key(cells) == found
    monkeypatch.setattr(words_without_key, "MOST", len(cells) - 1)
    assert words_without_key.words_without_key(cells) == []


@pytest.mark.parametrize(("said", "rounded_by"), [
    ({"value": "12", "unit": "1"}, 0.0), ({"value": "1.2", "unit": "1"}, 0.05), ({"value": "12", "unit": "MB/s"}, 5e5),
    ({"value": "12", "unit": "MB/s", "error": "0.5"}, 0.0), ({"value": "12.0", "unit": "1"}, 0.0),
    ({"value": "12", "unit": "MB/s", "setting": "a"}, 0.0),
])  # fmt: skip
def test_a_printed_number_is_rounded_by_half_its_last_digit_unless_more_is_known(
    said: dict[str, str], rounded_by: float
) -> None:
    source = {} if "setting" in said else {"context": "elsewhere"}
    value = Value.model_validate({"what": "a rate", **said, **source})
    assert value.rounded_by == pytest.approx(rounded_by)
    assert (value.error_amount is None) is ("error" not in said)
    named = Published.model_construct(values={"rate": value}).namespace()
    assert named["rate"] == value.amount.quantity


def test_expressions_and_patterns_may_be_so_long_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "LONGEST", 5)
    monkeypatch.setattr(linear_regex, "LONGEST", 5)
    assert isinstance(expressions._parsed("1 + 2"), ast.Expression)
    with pytest.raises(ReconstructError, match=r"^'1 \+ 23': more than 5 characters$"):
        expressions._parsed("1 + 23")
    linear_regex.check("a[bc]")
    with pytest.raises(ValueError, match=r"^regex: expected at most 5 characters, found 6$"):
        linear_regex.check("a[bcd]")

    def deep(*asked: Any, **more: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(expressions, "ast", SimpleNamespace(parse=deep))
    with pytest.raises(ReconstructError, match=r"^'1': no expression: nested too deeply$"):
        expressions._parsed("1")


def test_an_error_of_arithmetic_without_a_text_is_named_by_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[Exception] = []

    def fail(*asked: object) -> None:
        raise raised[-1]

    monkeypatch.setattr(simpleeval.SimpleEval, "eval", fail)
    for error, said in ((RecursionError(), "RecursionError"), (ValueError("odd"), "odd")):
        raised.append(error)
        with pytest.raises(ReconstructError, match=f"^'1': {said}$"):
            expressions.evaluate("1", {})


def test_what_is_said_in_one_line_of_yaml_is_quoted_where_it_would_be_something_else() -> None:
    assert rules_from_names._flow({"key": "clients", "words": {"one": 1, "t": "10:30"}, "more": "a b"}) == (
        '{key: clients, words: {one: "1", t: "10:30"}, more: a b}'
    )


def test_the_first_thing_that_is_wrong_is_said_with_its_place() -> None:
    class Said(Strict):
        clients: int = 1

    for given, told in (
        ({"clinets": 1}, "unknown key 'clinets'; did you mean 'clients'"),
        ({"clients": "x"}, "clients: "),
    ):
        with pytest.raises(pydantic.ValidationError) as raised:
            Said.model_validate(given)
        assert first_violation(raised.value, Said).startswith(told)
