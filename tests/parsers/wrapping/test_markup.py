"""What is looked for around a log is found by the characters that it begins with."""

from __future__ import annotations

import pytest

from storagelab.parsers.wrapping import markup
from storagelab.parsers.wrapping.lines import Lines


@pytest.mark.parametrize("sign", [*markup._SIGNS, "**", "*\n", "[/", "\\n", "=3D", "=\n", "=20\n"])
def test_a_sign_is_seen_among_characters_of_which_logs_are_made(sign: str) -> None:
    assert not markup.may_be_in("write 12.5 MB/s\n")
    assert markup.may_be_in(f"write 12.5 {sign} MB/s\n")


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("<pre>1 2\n<b></b></pre>", ("1 2", "")),
        ("<pre>1 2\n<b></b>", ("1 2", "<b></b>")),
        ("<pre>1 2\n<b></b>\n", ("1 2", "", "")),
    ],
    ids=["closed", "cut", "cut behind the line"],
)
def test_tags_alone_stay_where_more_of_their_line_followed(html: str, left: tuple[str, ...]) -> None:
    shown = markup.preformatted(Lines.of(html))
    assert shown
    assert tuple(shown.texts) == left
