"""Words of commands as people leave them: quoted, cut off inside a quote, very long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from storagelab.parsers.shell import words_of


@given(st.text("'\"\\ a-", max_size=12))
def test_any_command_has_words(command: str) -> None:
    words = words_of(command)
    assert all(set(word) <= set(command) for word in words)
    assert words == command.split() or not {"'", '"', "\\"}.isdisjoint(command)


def test_long_command_is_not_taken_apart_by_quotes() -> None:
    assert words_of("'a b' " + 9 * "c") == ["a b", "ccccccccc"]
    assert words_of("'a b' " + 20_000 * "c")[:2] == ["'a", "b'"]
