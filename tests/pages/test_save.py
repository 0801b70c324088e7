"""What is drawn in a page can be saved from it: the drawing as SVG and as PNG, although it stands in the page once."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from storagelab.paper import style
from tests.pages.chromium import MISSING, PROGRAM, Browser, browser

pytestmark = [pytest.mark.slow, pytest.mark.skipif(PROGRAM is None, reason=MISSING)]

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>t</title><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{pinned}'">
<style>{css}</style></head>
<body><main><figure class="figure" id="fig-rates"><div class="plate" tabindex="0">
<svg id="fig-rates-drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 36" width="96" role="img" aria-label="A">
<rect class="off" width="72" height="36" style="fill: light-dark(#ff0000, #00ff00)"/></svg></div>
<figcaption><p><span class="label">Figure 1.</span> Rates.</p><p class="files">Files</p></figcaption></figure>
</main><script>{script}</script></body></html>
"""
CLICKED = (
    "(() => {{ window.saved = []; HTMLAnchorElement.prototype.click = function () {{"
    "window.saved.push([this.download, this.href]); }};"
    "[...document.querySelectorAll('.save')].find((one) => one.textContent === 'Save {kind}').click(); }})()"
)


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Browser]:
    (tmp_path / "page.html").write_text(
        PAGE.format(pinned=style.pinned_script(), css=style.css(), script=style.script()), encoding="utf-8"
    )
    with browser() as running:
        running.screen(900, 700, dark=True)
        running.open(tmp_path / "page.html")
        yield running


def saved(page: Browser, kind: str) -> tuple[str, str]:
    page.value(CLICKED.format(kind=kind))
    name, address = json.loads(
        page.value(
            "new Promise((done) => { const look = () => window.saved.length"
            "? done(JSON.stringify(window.saved[0])) : setTimeout(look, 20); look(); })"
        )
    )
    return name, address


def test_a_drawing_is_saved_in_the_colours_of_paper(page: Browser) -> None:
    name, address = saved(page, "SVG")
    drawing = unquote(address.partition(",")[2])
    assert name == "rates.svg"
    assert "#ff0000" in drawing
    assert "light-dark" not in drawing
    assert 'class="off"' not in drawing, "what a reader has hidden is in the file"
    assert drawing.startswith("<svg ")


def test_a_drawing_is_saved_as_a_picture(page: Browser) -> None:
    name, address = saved(page, "PNG")
    picture = base64.b64decode(address.partition(",")[2])
    assert name == "rates.png"
    assert picture.startswith(b"\x89PNG")
    width, height = (int.from_bytes(picture[at : at + 4]) for at in (16, 20))
    assert (width, height) == (192, 96)
    assert page.value("document.querySelectorAll('.save').length") == 2
