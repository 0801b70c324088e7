"""What each escape lets through, and that it can be undone where it says so."""

from __future__ import annotations

import csv
import io
import re
import sys
import unicodedata
from collections import Counter
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nbconvert.filters import markdown2html_mistune

from storagelab.errors import ParseError, SidecarError, StoragelabError
from storagelab.escaping import cells, markdown
from storagelab.escaping.characters import BUDGET, harmless, is_harmless, is_visible, shown, visible

ANY = st.text(st.characters())
"""Any text that Python can hold, surrogates too."""
MARKS = st.text("*_`[]()<>&!~$^{}@=:/\\\"'|#+-.1 aHTtps\t\n", max_size=25)


def test_whatever_unicode_calls_a_control_a_format_or_half_a_character_is_an_escape() -> None:
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in hidden and chr(code) not in SIGNS:
            assert not is_visible(chr(code)), hex(code)


SIGNS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd" + "".join(
    map(chr, range(0x13430, 0x13440))
)
"""Of the category Cf, but seen: signs of numbers and of Egyptian hieroglyphs."""


@pytest.mark.parametrize(("text", "escaped"), [
    ("plain, grün, \u6587\u5b57, \u0645\u0644\u0641", "plain, grün, \u6587\u5b57, \u0645\u0644\u0641"),
    ("a\x1b[31mb\x9bc\x7f\0", r"a\x1b[31mb\x9bc\x7f\x00"),
    ("txt.\u202egpj\u2066\u200f\u061c", r"txt.\u202egpj\u2066\u200f\u061c"),
    ("ad\u200bmin\ufeff\xad\u034f\ufe0f\u3164", r"ad\u200bmin\ufeff\xad\u034f\ufe0f\u3164"),
    ("half \ud800 of one", r"half \ud800 of one"),
    ("\U000e0041\uffff\U0001ffff", r"\U000e0041\uffff\U0001ffff"),
    ("two\nlines\tand a\r", r"two\nlines\tand a\r"),
])  # fmt: skip
def test_what_nobody_sees_is_written_as_an_escape_and_the_rest_is_kept(text: str, escaped: str) -> None:
    assert visible(text) == harmless(text) == escaped
    assert shown(text) == escaped.replace(r"\n", "\n").replace(r"\t", "\t")


@given(ANY)
def test_harmless_text_is_visible_can_be_written_and_stays(text: str) -> None:
    made = harmless(text)
    assert is_harmless(made)
    assert harmless(made) == made
    assert made.encode().decode() == made


def test_two_long_texts_stay_two_and_say_how_long_they_were() -> None:
    one, other = (harmless("x" * 9999 + end) for end in "ab")
    assert one != other
    assert len(one) == len(other) == BUDGET
    assert re.search(r"x\.\.\. \(10000 characters, SHA-256 [0-9a-f]{16}\.\.\.\)$", one)
    assert harmless("x" * BUDGET) == "x" * BUDGET
    assert is_harmless("x" * BUDGET)
    assert not is_harmless("x" * (BUDGET + 1))
    assert not is_harmless("\x1b")


@pytest.mark.parametrize("error", [
    StoragelabError("run \x1b[2Ja\u202eb"),
    ParseError("a line", "\x1b[2J", 3, "\x1b]0;a\x07\u202e.log"),
    SidecarError("runs\u2066.csv", "client 'a\x9b'"),
])  # fmt: skip
def test_no_message_of_an_error_drives_a_terminal(error: StoragelabError) -> None:
    assert is_visible(str(error))


@given(ANY | MARKS)
@example("'=1")
@example("''")
@example(";'=;-\t'")
def test_a_cell_comes_back_from_a_file_that_computes_nothing(text: str) -> None:
    written = cells.text(text)
    assert cells.read(written) == text
    for cell in re.split("[;\t]", written):
        assert not cell.startswith(tuple("=@\t\r\n\uff1d\uff0b\uff0d\uff20"))
        assert not cell.startswith(("+", "-")) or re.match(r"[+-](\.?\d|inf|nan)", cell)
    if not re.search("[\ud800-\udfff]", text):
        file = io.StringIO(newline="")
        csv.writer(file, lineterminator="\n").writerow([written, "next"])
        assert next(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [written, "next"]


@pytest.mark.parametrize("text", [
    '=HYPERLINK("http://x","y")', "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1",
    "x;=1", "x\t-A1", "-A1", "-1/A1", "-1 A1", "+1 to =2",
])  # fmt: skip
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    assert cells.text(text).count("'") > text.count("'")


@pytest.mark.parametrize(
    "text", ["-5", "+1.5e-9", "-.5", "-inf", "-1.032 %", "-2.9 to 0.8 %", "-3 MB/s", "write", "a-b=c", ""]
)
def test_numbers_and_words_get_none(text: str) -> None:
    assert cells.text(text) == text
    assert cells.row({"a": -5.0, "b": text, "c": 3}) == {"a": -5.0, "b": text, "c": 3}


def tags(html: str) -> Counter[str]:
    return Counter(re.findall(r"<\w+", html))


@given(MARKS)
@example("**x** [a](http://b) <b>c</b> `d` ~~e~~ $f$ {{g}} [@fig:h] &amp; https://i")
@example("1. x")
@example("# x")
@example("    x")
def test_markdown_shows_a_text_as_it_is(text: str) -> None:
    literal = markdown.literal(text)
    assert markdown.read(literal) == text
    for before, after in (("", ""), ("see ", " there"), ("see *", "*"), ("a [b", "](c)"), ("_", "_")):
        made, alike = (tags(markdown2html_mistune(f"{before}{inner}{after}")) for inner in (literal, "x"))
        assert not made - alike, (before, text)
    assert unescape(markdown2html_mistune(f"see {literal} there")) == f"<p>see {text} there</p>\n"


def test_a_text_is_kept_up_to_4096_characters_and_cut_beyond() -> None:
    longest = "a" * 4096
    assert harmless(longest) == longest
    cut = harmless(longest + "a")
    assert cut.startswith("aaa")
    assert "4097 characters" in cut.replace(",", "")
    assert len(cut) <= 4096
