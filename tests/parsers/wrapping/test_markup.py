"""What is looked for around a log is found by the characters that it begins with."""

from __future__ import annotations

import pytest

from storagelab.parsers.wrapping import markup


@pytest.mark.parametrize("sign", [*markup._SIGNS, "**", "*\n", "[/", "\\n", "=3D", "=\n", "=20\n"])
def test_a_sign_is_seen_among_characters_of_which_logs_are_made(sign: str) -> None:
    assert not markup.may_be_in("write 12.5 MB/s\n")
    assert markup.may_be_in(f"write 12.5 {sign} MB/s\n")
