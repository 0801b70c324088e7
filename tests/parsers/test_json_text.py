"""JSON in logs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.parsers.json_text import DEEPEST, LINE, MISSES, Lines, closed, line_in, objects
from tests.work import Scanned

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4))
DOCUMENTS = st.dictionaries(st.text(max_size=5), VALUES, min_size=1)


def is_part_of(part: Any, whole: Any) -> bool:
    """Whether everything in `part` stands in `whole`, lists from their beginning."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_part_of(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_part_of, part, whole))
    return bool(part == whole)


@pytest.mark.slow
@given(document=DOCUMENTS, data=st.data())
def test_json_cut_anywhere_holds_nothing_new(document: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(document)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    rest = json.loads(closed(cut))
    assert is_part_of(rest, document)


@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=3))
def test_objects_between_other_lines(documents: list[dict[str, Any]]) -> None:
    text = "hints = 1\n" + "\nnote: {no JSON}\n".join(json.dumps(document) for document in documents) + "\n"
    assert [found.body for found in objects(text)] == [document for document in documents if document]
    assert all(found.whole for found in objects(text))


def test_objects_that_hold_nothing_are_skipped() -> None:
    """A line of thousands made a parser look for the line of each: found by a mutant."""
    assert [found.body for found in objects('{"a": 1} ' + "{}" * 1000 + ' {"b": 2}')] == [{"a": 1}, {"b": 2}]


def test_object_that_breaks_off() -> None:
    (found,) = objects('{"a": 1, "b": [{"c": 2}, {"c": 34')
    assert not found.whole
    assert found.body == {"a": 1, "b": [{"c": 2}, {}]}


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ('{"a": [1, 2}', '{"a": [1]}'),
        ('[1, {"b": 2]', "[1, {}]"),
        ("]", ""),
        ("{} }", "{}"),
        ("[[1]", "[[1]]"),
    ],
)
def test_brackets_that_do_not_fit_end_what_is_kept(text: str, whole: str) -> None:
    assert closed(text) == whole


@pytest.mark.parametrize("text", ["", "{", "{{{{", '{"' * 5000, "[" * 5000 + "{}", '{"a": tru'])
def test_what_is_hardly_json_ends_soon(text: str) -> None:
    assert all(found.body in ({}, {"a": 1}) for found in objects(text))


def test_json_that_breaks_off_in_too_many_brackets_is_given_up_there() -> None:
    assert closed("[" * DEEPEST) == "[" * DEEPEST + "]" * DEEPEST
    with pytest.raises(RecursionError, match=f"at most {DEEPEST} open brackets"):
        closed("[" * (DEEPEST + 1))
    text = '{"a": ' * (DEEPEST + 1) + "\n" + '{"b": 1}'
    assert [found.body for found in objects(text)] == [{"b": 1}]


def test_lines_of_keys() -> None:
    lines = Lines('{"a": 1,\n"b": 2,\n"a": 3}', 0, 1)
    assert [lines.of("a"), lines.of("a"), lines.of("b")] == [1, 3, 3]


def test_lines_of_keys_behind_other_lines() -> None:
    text = 'hints = 1\n{"a": 1,\n"b": 2}'
    lines = Lines(text, text.index("{"), 1 + text.count("\n", 0, text.index("{")))
    assert [lines.of("a"), lines.of("b")] == [2, 3]


NAMES = st.text("abc: _", min_size=1, max_size=3)
NESTED = st.dictionaries(
    NAMES,
    st.recursive(
        SCALARS,
        lambda inner: st.dictionaries(NAMES, inner, max_size=4) | st.lists(st.dictionaries(NAMES, inner), max_size=3),
        max_leaves=12,
    ),
    min_size=1,
)


def places(tree: Any, body: Any) -> Iterator[tuple[int, str, Any]]:
    """Line, key and value of everything in an object."""
    for key, value in body.items():
        yield (line_in(tree, key) if not isinstance(value, list) or not value else 0) or 0, key, value
        for inner, one in zip(
            tree[key] if isinstance(value, list) and value else [tree[key]],
            value if isinstance(value, list) else [value],
            strict=False,
        ):
            if isinstance(one, dict):
                yield from places(inner, one)


@given(document=NESTED, before=st.integers(0, 3), colon=st.sampled_from([": ", " : ", ":"]))
def test_every_value_of_a_document_has_its_line(document: dict[str, Any], before: int, colon: str) -> None:
    text = "\n" * before + json.dumps(document, indent=2, separators=(",", colon))
    tree = Lines(text, before, 1 + text.count("\n", 0, before)).under(document)
    lines = text.split("\n")
    for line, key, value in places(tree, document):
        shown = f'"{key}"{colon}'
        if line:
            assert lines[line - 1].lstrip().startswith(shown)
        if line and not isinstance(value, dict | list):
            assert lines[line - 1].strip().rstrip(",") == shown + json.dumps(value)


def test_a_document_on_one_line_has_no_lines_of_its_own() -> None:
    assert Lines('{"a": 1, "b": {"c": 2}}', 0, 1).under({"a": 1, "b": {"c": 2}}) == {}


def test_the_lines_of_one_object_of_a_document() -> None:
    text = '{"x": {"a": 1},\n"y": {\n"a": 2,\n"b": 3}}'
    assert Lines(text, 0, 1).next_object("y", {"a": 2, "b": 3}) == {LINE: 2, "a": 3, "b": 4}


def test_an_object_too_deep_in_others_has_no_lines() -> None:
    depth = 2000
    body: dict[str, Any] = {}
    for _ in range(depth):
        body = {"a": body}
    assert Lines('{"a":\n' * depth + "{" + "}" * depth, 0, 1).under(body)["a"][LINE] == 1


def test_keys_with_another_colon_than_the_first_are_found_and_of_many_that_are_missing_few_are_looked_for() -> None:
    text = '{"a": 1,\n"b" : 2,\n"c"\t: 3}'
    assert Lines(text, 0, 1).under({"a": 1, "b": 2, "c": 3}) == {"a": 1, "b": 2, "c": 3}
    missing = dict.fromkeys(map(str, range(MISSES)), 0)
    assert Lines(text, 0, 1).under({**missing, "c": 3}) == {**dict.fromkeys(missing, 1), "c": 1}


def test_objects_that_are_skipped_are_not_entered() -> None:
    text = '{"a": {\n"b": 1},\n"c": 2}'
    assert Lines(text, 0, 1).under({"a": {"b": 1}, "c": 2}, skip=("a",)) == {"a": 1, "c": 3}


def test_what_only_looks_like_objects_takes_work_in_proportion() -> None:
    def characters(count: int) -> int:
        text = Scanned('{"a": x}\n' * count)
        assert list(objects(text)) == []
        return text.characters

    assert characters(400) <= 4.4 * max(characters(100), 1)


def test_objects_say_their_lines() -> None:
    assert [found.line for found in objects('\n{"a": 1} {"b": 2}\n{"c": x}\n{"d": 3}\n{"e": ')] == [2, 2, 4]
