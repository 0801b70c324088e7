"""From bytes to text."""

from __future__ import annotations

import pytest

from storagelab.parsers.wrapping.encodings import decoded

TEXT = "200+0 Datensätze ein\r\n12 µs, kopiert\n"


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_encodings(codec: str) -> None:
    found = decoded((TEXT * 9).encode(codec))
    assert found.text == TEXT.replace("\r\n", "\n") * 9
    assert found.encoding == codec[:6].upper()
    assert found.damaged == 0


def test_latin_1_is_taken_where_every_byte_reads_as_such() -> None:
    assert decoded(TEXT.encode("latin-1"))[:2] == (TEXT.replace("\r\n", "\n"), "Latin-1")


@pytest.mark.parametrize("data", [b"12\xff34\n", b"Datens\xe4tze 1\x92\n", b"\xc3("])
def test_damage_is_no_latin_1(data: bytes) -> None:
    found = decoded(data)
    assert "\ufffd" in found.text
    assert found.encoding == ""
    assert found.damaged


def test_sectors_of_zeros_are_no_utf_16() -> None:
    assert decoded(b"Max Write: 5\n" * 90 + bytes(512)).encoding == ""
