"""From bytes to text: byte order marks, UTF-16 and UTF-32 also without one, UTF-8, Latin-1 where it reads as such.

Source: the Unicode standard, section 23.8 (byte order marks); ISO/IEC 8859-1.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8-sig", ""),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
"""The first two of UTF-32 begin with those of UTF-16: they are asked first."""

_SAMPLE = 4096
_MOSTLY = 0.7
"""Share of a sample's bytes that are NUL on the places where an encoding of ASCII has them."""

_READS_AS_LATIN = re.compile(
    rb"(?<=[A-Za-z])[\xc0-\xd6\xd8-\xf6\xf8-\xfe]{1,2}(?=[A-Za-z])"
    rb"|(?<=[A-Za-z])[\xc0-\xd6\xd8-\xf6\xf8-\xfe]{1,2}(?=[ \t\r\n.,:;)'\"]|\Z)"
    rb"|(?:(?<=[ \t\r\n('\"])|\A)[\xc0-\xd6\xd8-\xf6\xf8-\xfe](?=[A-Za-z])"
    rb"|(?:(?<=[ \t\r\n\d(])|\A)[\xb5](?=s\b|sec)"
    rb"|(?<=[\d ])\xb0(?=[CF\s])"
    rb"|(?<=\d)\xa0(?=[A-Za-z\d])"
)
"""A byte above 127 inside a word, a micro sign before seconds, a degree, a space that does not break behind a digit."""


class Decoded(NamedTuple):
    """A text, how it was encoded ("" for UTF-8 as it should be), and how many of its bytes could not be read."""

    text: str
    encoding: str
    damaged: int


def decoded(data: bytes) -> Decoded:
    r"""Turn bytes into text with ``\n`` line ends.

    What cannot be read becomes U+FFFD, so that a byte costs a character and not the log.

    A lone ``\r`` stays: progress bars use it inside a line.
    """
    found = _decoded(data)
    return found._replace(text=found.text.replace("\r\n", "\n")) if "\r\n" in found.text else found


def _decoded(data: bytes) -> Decoded:
    if data[:1].isascii() and 0 not in data[:_SAMPLE]:
        return _in_utf_8(data)
    mark, codec, name = next((known for known in _MARKS if data.startswith(known[0])), (b"", "", ""))
    if not mark:
        codec, name = _by_zeros(data[:_SAMPLE])
    if not codec:
        return _in_utf_8(data)
    try:
        return Decoded(data.decode(codec), name, 0)
    except UnicodeDecodeError:
        return _damaged(data, codec, name)


def _in_utf_8(data: bytes) -> Decoded:
    try:
        return Decoded(data.decode("utf-8"), "", 0)
    except UnicodeDecodeError:
        return Decoded(data.decode("latin-1"), "Latin-1", 0) if _is_latin(data) else _damaged(data, "utf-8", "")


def _damaged(data: bytes, codec: str, name: str) -> Decoded:
    text = data.decode(codec, errors="replace")
    return Decoded(text, name, max(text.count("\ufffd") - data.count("\ufffd".encode()), 0))


def _by_zeros(sample: bytes) -> tuple[str, str]:
    """Tell UTF-16 and UTF-32 without a mark by where the zeros of ASCII stand."""
    if sample.count(0) < len(sample) // 4 or len(sample) < 8:
        return "", ""
    shares = [sample[place::4].count(0) / len(sample[place::4]) for place in range(4)]
    mostly = [share >= _MOSTLY for share in shares]
    if mostly == [False, True, True, True]:
        return "utf-32-le", "UTF-32"
    if mostly == [True, True, True, False]:
        return "utf-32-be", "UTF-32"
    if mostly == [False, True, False, True]:
        return "utf-16-le", "UTF-16"
    if mostly == [True, False, True, False]:
        return "utf-16-be", "UTF-16"
    return "", ""


def _is_latin(data: bytes) -> bool:
    """Whether every byte above 127 stands where text in Latin-1 has one: then none of them is damage."""
    high = len(data) - len(data.translate(None, _HIGH))
    return high == sum(len(found) for found in _READS_AS_LATIN.findall(data))


_HIGH = bytes(range(128, 256))
