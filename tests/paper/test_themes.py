"""Drawings on a light and on a dark page."""

from __future__ import annotations

import re

import pytest

from storagelab.figures import palette
from storagelab.figures.palette import contrast
from storagelab.figures.style import INK, LIMIT
from storagelab.paper import style
from storagelab.paper.themes import DARK_PAGE, MARK, TEXT, dark, themed

COLOURS = sorted({colour.lower() for colours in (*palette.OWN.values(), palette.OTHERS) for colour in colours})
SHADES = [look.colour for look in palette.shades([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]).values()]


def test_the_dark_page_is_that_of_the_style_sheet() -> None:
    assert re.findall("--page: (#[0-9a-f]+)", style.css())[1] == DARK_PAGE


def of_widths(css: str) -> list[str]:
    """What a style sheet says for pages of some width only."""
    return re.findall(r"@media [^{]*width[^{]*\{((?:[^{}]*\{[^{}]*\})*)", css)


def test_no_colour_depends_on_how_wide_a_page_is() -> None:
    """So axe-core, which compares colours for most of its time, is asked at one width in each theme (`tests.pages`)."""
    assert len(of_widths(style.css())) >= 5
    assert re.findall(r"[\s;{](?:[\w-]*color|background|fill)\s*:[^;}]*", "".join(of_widths(style.css()))) == []
    assert of_widths("@media (max-width: 9rem) { p { color: #fff; } a { top: 0; } } b {}") == [
        " p { color: #fff; } a { top: 0; }"
    ]


@pytest.mark.parametrize("colour", [*COLOURS, *SHADES])
def test_marks_and_their_names_are_seen_on_both_pages(colour: str) -> None:
    name = palette.readable(colour)
    assert contrast(colour, "#ffffff") >= MARK
    assert contrast(dark(colour), DARK_PAGE) >= MARK
    assert contrast(name, "#ffffff") >= TEXT
    assert contrast(dark(name, TEXT), DARK_PAGE) >= TEXT


@pytest.mark.parametrize("colour", [INK, LIMIT])
def test_text_reads_on_both_pages(colour: str) -> None:
    assert contrast(colour, "#ffffff") >= TEXT
    assert contrast(dark(colour, TEXT), DARK_PAGE) >= TEXT


def test_kinds_stay_apart_in_the_dark() -> None:
    for colours in palette.OWN.values():
        assert len({dark(colour.lower()) for colour in colours}) == len({*colours})


def test_shades_keep_their_order_away_from_the_page() -> None:
    away = [contrast(dark(colour), DARK_PAGE) for colour in SHADES]
    assert away == sorted(away)
    assert len({*away}) == len(SHADES)


def test_grounds_and_inks_change_places_and_faint_lines_stay_faint() -> None:
    assert dark("#ffffff") == DARK_PAGE
    assert contrast(dark("#000000"), DARK_PAGE) > 12
    assert contrast(dark("#e3e3e3"), DARK_PAGE) < 1.5


DRAWING = """<svg><style>.c1{fill: #262626; stroke: #ffffff}
.c2{fill: #332288}
.c3{font: 8px 'DejaVu Sans'; fill: #0072b2}</style>
<g id="axes_1"><g id="patch_1"><path class="c1" style="fill: #c58800"/></g>
<g id="QuadMesh_1"><g clip-path="url(#p)"><path class="c2"/><path style="fill: #262626; stroke: #ffffff"/></g></g>
<g id="on-cell-0-1"><text style="fill: #000000">1</text></g><text class="c3" style="fill: #000000">2</text></g></svg>"""


def test_colours_of_a_scale_and_what_stands_on_them_are_kept() -> None:
    svg = themed(DRAWING)
    assert ".c1{fill: light-dark(#262626, #c7c7c7); stroke: light-dark(#ffffff, #181818)}" in svg
    assert ".c2{fill: #332288}" in svg
    assert '<path style="fill: #262626; stroke: light-dark(#ffffff, #181818)"/>' in svg, "between cells is the page"
    assert '<text style="fill: #000000">1' in svg
    assert '<text class="c3" style="fill: light-dark(#000000, #e6e6e6)">2' in svg
    assert 'style="fill: #c58800"' in svg


def test_words_that_look_like_a_rule_stay_words() -> None:
    assert "<text>.c1{fill: #262626}</text>" in themed(
        DRAWING.replace("</svg>", "<text>.c1{fill: #262626}</text></svg>")
    )


def test_text_is_lightened_further_than_marks() -> None:
    assert "fill: light-dark(#0072b2, #2f8cc0)}" in themed(DRAWING)
    assert dark("#0072b2") == "#0072b2"


@pytest.mark.parametrize("ground", ["#000000", "#ffffff", "#7d7c78", "#0072b2", "#e69f00", "#777777", "#757575"])
def test_black_or_white_reads_on_any_cell(ground: str) -> None:
    red, green, blue = (int(ground[at : at + 2], 16) / 255 for at in (1, 3, 5))
    assert contrast(palette.upon((red, green, blue)), ground) >= TEXT


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Plain, (a): 1-2", "'Plain, (a): 1-2'"),
        ("it's", r"'it\27 s'"),
        ('"</style>\n', r"'\22 \3c \2f style\3e \a '"),
        ("é", "'é'"),
    ],
)
def test_words_at_the_head_of_a_sheet_are_one_string_of_css(text: str, written: str) -> None:
    assert style.css_string(text) == written
