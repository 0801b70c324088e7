"""Every page holds what is asked of it on paper, on a phone, by axe-core, and in both themes.

All that is asked of a page is asked before the next is opened: a page of five megabytes loads once, not eleven times.
What is asked of one width stands together, since a page is laid out anew for each: paper, phones, wide screen, paper,
wide screen, phone. What leaves marks and rows of a page out comes last, so that it need not be loaded again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.once import made_once
from tests.pages import measure
from tests.pages.chromium import MISSING, PROGRAM, Browser, browser
from tests.paper.conftest import STUDY, make_built

pytestmark = [pytest.mark.slow, pytest.mark.longest, pytest.mark.skipif(PROGRAM is None, reason=MISSING)]

TINY = "tiny paper"
PAGES = [TINY, *sorted(path.parent.name for path in ROOT.glob("reports/*/metrics.json")), "index"]

BLANK = 0.05
"""Share of the sheets that may be blank."""
STILL_BLANK = {STUDY: 0.095}
"""Pages that leave more: the paper of the tests, of three sheets. The most of the others is 4.84 %, of synthesis."""

LARGE = 700_000
"""Bytes of a page from which on it takes most of a minute to print it, or to ask axe-core of each of its elements."""

LETTERS = 6.5
"""Points of the smallest letter on paper, in drawings and tables."""


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture(params=PAGES, scope="module")
def page(request: pytest.FixtureRequest) -> Path:
    """A page: one that the tests build, or one of reports/ if it is there."""
    if request.param == TINY:
        return made_once("tiny-paper", make_built) / "reports" / STUDY / "paper.html"
    place = ROOT / "reports" / ("index.html" if request.param == "index" else f"{request.param}/paper.html")
    if not place.exists():
        pytest.skip(f"{place.relative_to(ROOT)} is not built: make reports")
    return place


def test_paper_has_no_buttons(page: Path, running: Browser) -> None:
    """A button in the head of a table is not drawn where the head stands again on the next sheet."""
    running.screen(1000, media="print")
    running.show(page)
    for what, wanted in {".sort": "contents", ".toggles": "none"}.items():
        shown = f"[...document.querySelectorAll({what!r})].map(one => getComputedStyle(one).display)"
        assert {*running.value(shown)} <= {wanted}


def test_fits_a_narrow_phone(page: Path, running: Browser) -> None:
    assert measure.narrow(running, page) <= 320


def test_a_phone_shows_every_drawing_whole(page: Path, running: Browser) -> None:
    """In parts below each other, or small above the one that is moved under the finger."""
    assert measure.beyond_the_screen(running, page) == []


def test_no_text_of_a_drawing_covers_another_or_is_cut(page: Path, running: Browser) -> None:
    assert measure.overlaps(running, page) == []


def test_every_id_is_given_once_and_every_one_that_is_named_is_given(page: Path, running: Browser) -> None:
    assert measure.wrong_names(running, page) == []


def test_a_number_opens_its_card_and_escape_closes_it(page: Path, running: Browser) -> None:
    running.screen(1440)
    running.show(page)
    if not running.value("!!document.querySelector('main .fact')"):
        pytest.skip("no sentence of this page quotes a number")
    running.value("document.querySelector('main .fact').focus()")
    running.press("Enter", "\r")
    assert running.value("document.querySelectorAll('.card:popover-open').length") == 1
    running.press("Escape")
    assert running.value("document.querySelectorAll('.card:popover-open').length") == 0


def test_the_script_of_a_page_runs_under_its_own_policy(page: Path, running: Browser) -> None:
    running.screen(1440)
    running.show(page)
    what = "body.index .search input, .table .sort"
    assert running.value(f"document.querySelectorAll({what!r}).length") > 0


def test_drawings_read_in_both_themes(page: Path, running: Browser) -> None:
    if page.parent.name == STUDY:
        pytest.skip("its drawing has the colours of matplotlib, not those of storagelab.figures")
    least, cells = measure.colours(running, page, dark=False)
    in_dark, cells_in_dark = measure.colours(running, page, dark=True)
    for found in (least, in_dark):
        assert found.get("text", (21.0, ""))[0] >= 4.5, found["text"]
        assert found.get("mark", (21.0, ""))[0] >= 3.0, found["mark"]
        assert found.get("on cell", (21.0, ""))[0] >= 4.5, found["on cell"]
    assert cells_in_dark == cells


@pytest.mark.parametrize("paper", measure.PAPERS)
def test_prints_large_whole_and_numbered(page: Path, paper: str, running: Browser) -> None:
    if paper != "A4" and page.stat().st_size > LARGE:
        pytest.skip("a large page is printed on A4 alone: all pages have one style sheet")
    found = measure.printed(running, page, paper, whole=page.stat().st_size <= LARGE)
    assert found.body >= 9.0
    assert found.smallest >= LETTERS
    assert found.cut == []
    assert found.split == 0
    assert found.captions == []
    assert found.bare == []
    assert found.blank < STILL_BLANK.get(page.parent.name, BLANK)


@pytest.mark.skipif(not measure.AXE.exists(), reason=measure.NO_AXE)
@pytest.mark.parametrize(("width", "dark"), [(1440, False), (360, True)], ids=["1440-light", "360-dark"])
def test_axe_finds_nothing(page: Path, width: int, dark: bool, running: Browser) -> None:
    """Each rule at each width and in each theme: no colour of the style sheet depends on how wide a page is.

    The thousandth row of a table is asked on the wide screen only, and there of a page that is not large, unless it
    looks like none before it.
    """
    whole = not dark and page.stat().st_size <= LARGE
    assert measure.violations(running, page, width, dark=dark, whole=whole) == []
