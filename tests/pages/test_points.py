"""Points of a figure in a browser: what they open, what is marked with them, and what a legend shows and hides."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from storagelab.paper import allowed_html, style
from tests.pages.chromium import MISSING, PROGRAM, Browser, browser

pytestmark = [pytest.mark.slow, pytest.mark.skipif(PROGRAM is None, reason=MISSING)]

ROWS = (
    "drawn_as,layout,clients,throughput,caveat,log_lines,origin\n"
    'mean,disperse,1.0,21456700.0,"few ""runs"", so",raw/x/a.log:3 raw/x/b.log:1,measured\n'
    "run,disperse,1.0,21000000.0,,raw/x/a.log:3,measured\n"
    "run,striped,2.0,0.0375,,raw/x/b.log:1,measured\n"
)
KNOWN = {
    "columns": {"throughput": ["throughput", "B/s"], "clients": ["clients", "1"], "layout": ["layout", ""]},
    "lines": {"raw/x/a.log": {"3": "write 21.0 MB/s"}, "raw/x/b.log": {"1": "\\u003cb>"}},
}
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
viewBox="0 0 200 100" width="400">
<defs><path id="m" d="M -2 -2 L 2 -2 L 2 2 Z"/></defs>
<g><use xlink:href="#m" x="20" y="50" style="fill: #aa0000" data-row="0"/>
<use xlink:href="#m" x="90" y="50" style="fill: #aa0000" data-row="1"/>
<use xlink:href="#m" x="150" y="50" style="fill: #0000aa" data-row="2"/></g>
<g class="legend">
<g><path d="M 0 5 L 5 5" style="fill: none; stroke: #aa0000"/></g><g><text x="8" y="8">disperse</text></g>
<g><path d="M 60 5 L 65 5" style="fill: none; stroke: #0000aa"/></g>
<g><text x="68" y="8">striped</text></g></g></svg>"""
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>t</title><meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; script-src '{pinned}'"><style>{css}</style></head>
<body><main><figure class="figure" id="fig-a"><div class="plate" tabindex="0">{drawing}</div><figcaption>
<p><span class="label">Figure&nbsp;1.</span> Points.</p><p class="files">
<a download="a.csv" href="data:text/csv;base64,{rows}">Save data</a></p>
</figcaption></figure><table><tbody><tr><td>
<button type="button" class="fact" popovertarget="cell-t-1">21</button></td></tr></tbody></table>
<div popover="auto" class="card" id="cell-t-1"><ol class="lines"><li><code>a.log:3</code></li></ol></div></main>
<script type="application/json">{known}</script><script>{script}</script></body></html>
"""
CARD = "document.querySelector('.card.point')"


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture
def page(running: Browser, tmp_path: Path) -> Browser:
    return opened(running, tmp_path / "page.html", PAGE, DRAWING, 900)


def opened(running: Browser, path: Path, page: str, drawing: str, width: int) -> Browser:
    """Write a page that shows a drawing, and open it as wide as said."""
    whole = page.format(
        pinned=style.pinned_script(), css=style.css(), drawing=drawing, script=style.script(),
        rows=base64.b64encode(ROWS.encode()).decode(), known=json.dumps(KNOWN).replace("<", "\\u003c"),
    )  # fmt: skip
    path.write_text(whole, encoding="utf-8")
    running.screen(width, 700)
    running.open(path)
    return running


def click(page: Browser, row: int, aside: float = 0) -> str:
    """Click beside a point; return what its card says."""
    said: str = page.value(
        f"(() => {{ const box = document.querySelector('[data-row=\"{row}\"]').getBoundingClientRect();"
        "document.querySelector('.plate').dispatchEvent(new MouseEvent('click', {bubbles: true,"
        f"clientX: (box.left + box.right) / 2 + {aside}, clientY: (box.top + box.bottom) / 2}}));"
        f"return {CARD}.matches(':popover-open') ? {CARD}.textContent : ''; }})()"
    )
    return said


def marked(page: Browser) -> list[str]:
    found: list[str] = json.loads(
        page.value(
            "JSON.stringify([...document.querySelectorAll('.linked')].map((one) => one.dataset.row || one.tagName))"
        )
    )
    return found


def press(page: Browser, key: str) -> None:
    page.value(
        f"document.querySelector('.plate').dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))"
    )


def test_a_point_opens_its_row_and_the_lines_behind_it(page: Browser) -> None:
    said = click(page, 1)
    assert said.startswith("Row 2 of the data of Figure\xa01")
    assert "layout: disperse; clients: 1; throughput: 21 MB/s" in said
    assert "a.log:3write 21.0 MB/s" in said
    assert "log_lines" not in said
    assert "caveat" not in said


def test_words_of_a_log_are_words(page: Browser) -> None:
    assert "b.log:1\\u003cb>" in click(page, 2)
    assert page.value(f"{CARD}.querySelector('b')") is None
    assert "throughput: 0.0375 B/s" in click(page, 2)


def test_quotes_of_the_data_are_read(page: Browser) -> None:
    assert 'caveat: few "runs", so' in click(page, 0)


def test_near_a_point_is_as_good_as_on_it_and_far_from_all_opens_nothing(page: Browser) -> None:
    assert click(page, 1, aside=15).startswith("Row 2")
    page.value(f"{CARD}.hidePopover()")
    assert click(page, 1, aside=50) == ""


def test_what_the_same_log_is_behind_is_marked_until_the_card_closes(page: Browser) -> None:
    said = click(page, 1)
    assert sorted(marked(page)) == ["0", "1", "TR"]
    assert "behind 2 marks of figures and 1 row of tables" in said
    click(page, 2)
    assert sorted(marked(page)) == ["0", "2"], "what belonged to the point before is no longer marked"
    page.value(
        f"new Promise((done) => {{ {CARD}.addEventListener('toggle', done, {{once: true}}); {CARD}.hidePopover(); }})"
    )
    assert marked(page) == []


def test_arrows_go_from_point_to_point_and_enter_opens(page: Browser) -> None:
    press(page, "Enter")
    assert page.value(f"{CARD}.matches(':popover-open')") is False
    press(page, "ArrowRight")
    press(page, "ArrowRight")
    assert page.value("document.querySelector('.asked').dataset.row") == "1"
    press(page, "Enter")
    assert page.value(f"{CARD}.textContent").startswith("Row 2")
    page.value(f"{CARD}.hidePopover()")
    press(page, "ArrowLeft")
    press(page, "Enter")
    assert page.value(f"{CARD}.textContent").startswith("Row 1")


def test_what_a_legend_names_is_hidden_and_shown_again(page: Browser) -> None:
    assert (
        page.value("[...document.querySelectorAll('.toggle')].map((one) => one.textContent).join()")
        == "disperse,striped"
    )
    page.value("document.querySelector('.toggle').click()")
    hidden = "[...document.querySelectorAll('.off')].map((one) => one.dataset.row).join()"
    assert page.value(hidden) == "0,1"
    assert page.value("document.querySelector('.toggle').getAttribute('aria-pressed')") == "false"
    press(page, "ArrowRight")
    assert page.value("document.querySelector('.asked').dataset.row") == "2", "what is hidden is passed over"
    page.value("document.querySelector('.toggle').click()")
    assert page.value(hidden) == ""


def test_the_card_stays_inside_the_window(page: Browser) -> None:
    for width in (900, 360):
        page.screen(width, 500)
        click(page, 2)
        left, right, top, bottom = json.loads(page.value(
            f"(() => {{ const box = {CARD}.getBoundingClientRect();"
            "return JSON.stringify([box.left, innerWidth - box.right, box.top, innerHeight - box.bottom]); })()"
        ))  # fmt: skip
        assert min(left, right, top, bottom) >= 0


def test_rows_of_a_drawing_are_numbers() -> None:
    page = '<!DOCTYPE html>\n<html lang="en"><body><svg><use x="1" y="1" data-row="{}"/></svg></body></html>'
    assert allowed_html.refused(page.format(4)) == []
    assert allowed_html.refused(page.format("4; x"))


VIEWPORT = '<meta name="viewport" content="width=device-width">'
STACK = """<div class="stack"><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
viewBox="0 0 100 100" width="133"><svg x="0" width="100" height="100" viewBox="100 0 100 100">
<use xlink:href="#fig-a-all"/></svg></svg></div>"""


@pytest.fixture
def on_a_phone(running: Browser, tmp_path: Path) -> Browser:
    """Show the page at 360 px, with a part that holds the right half of the drawing."""
    whole = DRAWING.replace("<g><use", '<g id="fig-a-all"><g><use', 1).replace("</svg>", "</g></svg>")
    framed = PAGE.replace("</div><figcaption>", f"</div>{STACK}<figcaption>", 1)
    return opened(running, tmp_path / "phone.html", framed.replace("<title>", f"{VIEWPORT}<title>"), whole, 360)


def test_a_phone_shows_the_parts_of_a_drawing_in_its_place(on_a_phone: Browser) -> None:
    width = "document.querySelector(one).getBoundingClientRect().width"
    sizes = f"JSON.stringify(['.plate', '.stack > svg'].map((one) => {width}))"
    assert json.loads(on_a_phone.value(sizes)) == [1, 133]
    on_a_phone.screen(900, 700)
    assert on_a_phone.value("getComputedStyle(document.querySelector('.stack')).display") == "none"


@pytest.mark.parametrize(("x", "row"), [(50, "Row 3"), (20, "")])
def test_a_point_in_a_part_opens_its_row(on_a_phone: Browser, x: float, row: str) -> None:
    said = on_a_phone.value(
        "(() => { const part = document.querySelector('.stack use');"
        f"const at = new DOMPoint({100 + x}, 50).matrixTransform(part.getScreenCTM());"
        "part.dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: at.x, clientY: at.y}));"
        f"return {CARD}.matches(':popover-open') ? {CARD}.textContent : ''; }})()"
    )
    assert said[: len("Row 3")] == row


CELL = """<svg id="fig-a-drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100" width="267" role="img"
aria-label="A"><g id="fig-a-all"><rect width="200" height="100" style="fill: #ffff00"/>
<g class="on-cell"><rect x="100" width="100" height="100"/></g></g></svg>"""


def test_what_stands_on_a_cell_is_black_in_a_part_too(running: Browser, tmp_path: Path) -> None:
    framed = PAGE.replace("</div><figcaption>", f"</div>{STACK}<figcaption>", 1).replace(
        "<title>", f"{VIEWPORT}<title>"
    )
    page = opened(running, tmp_path / "cell.html", framed, CELL, 360)
    page.screen(360, dark=True)
    place = (
        "(() => { const at = document.querySelector('.stack use').getBoundingClientRect(); return at.right - 20; })()"
    )
    below = "document.querySelector('.stack > svg').getBoundingClientRect().top + 20"
    with Image.open(io.BytesIO(page.picture())) as seen:
        assert seen.convert("RGB").getpixel((int(page.value(place)), int(page.value(below)))) == (0, 0, 0)
