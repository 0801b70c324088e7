"""JSON in logs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.parsers.json_text import Lines, closed, objects

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


@given(document=DOCUMENTS, data=st.data())
def test_json_cut_anywhere_holds_nothing_new(document: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(document)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    rest = json.loads(closed(cut))
    assert is_part_of(rest, document)


@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=3))
def test_objects_between_other_lines(documents: list[dict[str, Any]]) -> None:
    text = "hints = 1\n" + "\nnote: {no JSON}\n".join(json.dumps(document) for document in documents) + "\n"
    assert [found.body for found in objects(text)] == documents
    assert all(found.whole for found in objects(text))


def test_object_that_breaks_off() -> None:
    (found,) = objects('{"a": 1, "b": [{"c": 2}, {"c": 34')
    assert not found.whole
    assert found.body == {"a": 1, "b": [{"c": 2}, {}]}


@pytest.mark.parametrize("text", ["", "{", "{{{{", '{"' * 5000, "[" * 5000 + "{}", '{"a": tru'])
def test_what_is_hardly_json_ends_soon(text: str) -> None:
    assert all(found.body in ({}, {"a": 1}) for found in objects(text))


def test_lines_of_keys() -> None:
    lines = Lines('{"a": 1,\n"b": 2,\n"a": 3}', 0)
    assert [lines.of("a"), lines.of("a"), lines.of("b")] == [1, 3, 3]


def test_lines_of_keys_behind_other_lines() -> None:
    text = 'hints = 1\n{"a": 1,\n"b": 2}'
    lines = Lines(text, text.index("{"))
    assert [lines.of("a"), lines.of("b")] == [2, 3]
