"""What a page is like on paper, on a phone, to axe-core, and in both themes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any
from unicodedata import normalize

from tests.conftest import ROOT
from tests.pages.chromium import Browser
from tests.pages.pdf import Document, Mark, Page

PAPERS = {"A4": (210 / 25.4, 297 / 25.4), "Letter": (8.5, 11.0)}
"""Width and height in inches."""
TOP, SIDE, BOTTOM = (mm * 72 / 25.4 for mm in (20, 18, 18))
"""Margins of `paper.css` in points."""

AXE = Path(os.environ.get("STORAGELAB_AXE", ROOT.parent / "axe")) / "node_modules" / "axe-core" / "axe.min.js"
"""axe-core of Deque (Mozilla Public License 2.0), which is not in the repository."""
NO_AXE = (
    "axe-core is not here: npm install --prefix ../axe axe-core, or name another folder in STORAGELAB_AXE, "
    "and accessibility is tested too"
)
RULES = ("wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice")

_COLOURS = """
(() => {
  const shares = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const page = luminance(shares(getComputedStyle(document.body).backgroundColor));
  const contrast = (colour, ground = page) => { const own = luminance(shares(colour));
    return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05); };
  const holds = (x, y) => cell => { const box = cell.getBoundingClientRect();
    return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom; };
  const below = text => { const box = text.getBoundingClientRect();
    const here = holds((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    return luminance(shares(getComputedStyle(
      [...text.ownerSVGElement.querySelectorAll(".QuadMesh path")].find(here)).fill)); };
  const hued = colour => { const [r, g, b, a = 1] = shares(colour);
    const high = Math.max(r, g, b), low = Math.min(r, g, b);
    const sum = high + low; return a == 1 && high > low && (high - low) / (sum <= 255 ? sum : 510 - sum) >= 0.3; };
  const least = {};
  const note = (kind, colour, ground) => { least[kind] ??= [21, ""]; const own = contrast(colour, ground);
    if (own < least[kind][0]) least[kind] = [own, colour]; };
  const meshes = [];
  for (const one of document.querySelectorAll(".plate svg text, .plate svg path, .plate svg use")) {
    const look = getComputedStyle(one);
    if (one.closest(".QuadMesh")) { if (meshes.length < 500) meshes.push(look.fill); continue; }
    if (one.closest(".watermark, defs, clipPath")) continue;
    if (one.closest(".on-cell")) { note("on cell", look.fill, below(one)); continue; }
    if (one.tagName == "text") { note("text", look.fill); continue; }
    if (hued(look.stroke) && look.strokeOpacity == 1 && look.opacity == 1) note("mark", look.stroke);
    if (one.tagName == "use" && hued(look.fill) && look.stroke == look.fill) note("mark", look.fill);
  }
  return JSON.stringify({least, meshes});
})()
"""


@dataclass(frozen=True, slots=True)
class Printed:
    """A page as Chromium prints it: sizes in points, `blank` a share of the text areas of all sheets but the last."""

    sheets: int
    body: float
    smallest: float
    cut: list[str]
    figures: int
    split: int
    captions: list[str]
    blank: float
    bare: list[int]


def printed(browser: Browser, page: Path, paper: str, *, whole: bool = True) -> Printed:
    """Print a page and read what came out.

    Of a page that is not printed as a whole, drawings have one of all marks that look the same, and each of its words.

    The factor by which Chromium shrinks a page that is too wide is that between the largest letters in the PDF, those
    of the title, and their size in the style sheet.
    """
    browser.screen(1000, media="print")
    browser.show(page, *(() if whole else (ONE_OF_EACH_MARK,)))
    sizes = "['h1', 'body'].map(tag => parseFloat(getComputedStyle(document.querySelector(tag)).fontSize) * 0.75)"
    title, body = browser.value(sizes)
    browser.on_paper()
    captions = browser.value(
        "[...document.querySelectorAll('caption:not(.hidden), .table > .caption')].map(one => one.textContent)"
    )
    document = Document(browser.pdf(*PAPERS[paper]))
    sheets = document.pages
    letters = [mark.size for sheet in sheets for mark in sheet.marks if mark.text]
    said = [_letters("".join(mark.text for mark in sheet.marks)) for sheet in sheets]
    figures = document.figures()
    return Printed(
        sheets=len(sheets),
        body=body * max(letters) / title,
        smallest=min(letters),
        cut=[f"sheet {number}: {cut}" for number, sheet in enumerate(sheets, start=1) for cut in _cut(sheet)],
        figures=len(figures),
        split=sum(len(places) > 1 for places in figures),
        captions=[caption for caption in captions if not any(_letters(caption) in sheet for sheet in said)],
        blank=fmean(map(_blank, sheets[:-1])) if sheets[1:] else 0.0,
        bare=[number for number, sheet in enumerate(sheets, start=1) if not _numbered(sheet, number, len(sheets))],
    )


def _cut(sheet: Page) -> Iterator[str]:
    """Text that reaches beyond the margins, where Chromium cuts it."""
    for mark in sheet.marks:
        left, _, right, _ = mark.box
        if mark.text and (left < SIDE - 1 or right > sheet.width - SIDE + 1):
            yield f"{mark.text!r} from {left:.0f} to {right:.0f} of {sheet.width:.0f}"


def _letters(text: str) -> str:
    """A text without its spaces, with ligatures or without."""
    return "".join(normalize("NFKC", text).split())


def _inside(sheet: Page) -> list[Mark]:
    return [mark for mark in sheet.marks if mark.box[3] > BOTTOM + 1 and mark.box[1] < sheet.height - TOP - 1]


def _blank(sheet: Page) -> float:
    """Share of the text area below everything that stands in it."""
    lowest = min((mark.box[1] for mark in _inside(sheet)), default=sheet.height - TOP)
    return max(0.0, (lowest - BOTTOM) / (sheet.height - TOP - BOTTOM))


def _numbered(sheet: Page, number: int, of: int) -> bool:
    """Whether a sheet has its number at the foot and, but for the first, words at its head."""
    foot = "".join(mark.text for mark in sheet.marks if mark.box[3] < BOTTOM)
    head = "".join(mark.text for mark in sheet.marks if mark.box[1] > sheet.height - TOP)
    return "".join(foot.split()) == f"{number}/{of}" and (number == 1 or len(head) > 3)


def narrow(browser: Browser, page: Path, width: int = 320) -> int:
    """Measure how wide a page is on a screen of a width."""
    browser.screen(width)
    browser.show(page)
    return int(browser.value("document.documentElement.scrollWidth"))


_LEFT_ONCE = r"""
(() => {
  const seen = new Set();
  const named = "id|(?:xlink:)?href|title|popovertarget|aria-(?:label|labelledby|describedby|controls)";
  const own = `${named}|clip-path|data-row|d|x|y|width|height|transform|points`;
  const within = one => { const classes = [];
    for (let up = one.parentElement; up; up = up.parentElement) classes.push(up.tagName, up.getAttribute("class"));
    return classes.join() + getComputedStyle(one).color; };
  const home = one => one.closest("svg, tbody, pre") ? one.closest("table, figure, section")?.className : within(one);
  const look = one => home(one) + one.outerHTML
    .replace(/>[^<]+/g, ">t").replace(new RegExp(` (${own})="[^"]+"`, "g"), " $1");
  for (const one of document.querySelectorAll("%s"))
    if (seen.has(look(one))) one.remove(); else seen.add(look(one));
  for (const one of [...document.querySelectorAll("svg g:not([role], [tabindex])")].reverse())
    if (!one.children.length) one.remove();
})()
"""
"""Leave one of all elements of a kind that have the same elements, classes and colours, and no group of marks that is
empty then. An attribute that is empty is no other's like. What stands in running text has to
stand in the same and to have the same colour, too."""

ONE_OF_EACH_MARK = _LEFT_ONCE % "svg use, svg path"
ONE_OF_EACH_LOOK = (ONE_OF_EACH_MARK, _LEFT_ONCE % "tbody tr, details li, .card, main .fact, pre span, svg text")
"""Changes of a page: marks first, then rows, logs that a row names, cards, numbers in the text and words of code."""


def violations(browser: Browser, page: Path, width: int, *, dark: bool, whole: bool = True) -> list[str]:
    """Ask axe-core what is wrong with a page: rules, how often each is broken, and the first element that does.

    Of a page that is not asked as a whole, one of all that look the same is left.
    """
    browser.screen(width, dark=dark)
    browser.show(page, *(() if whole else ONE_OF_EACH_LOOK))
    browser.value(AXE.read_text(encoding="utf-8"))
    wanted = json.dumps({"runOnly": RULES, "resultTypes": ["violations"]})
    said = browser.value(f"axe.run(document, {wanted}).then(found => JSON.stringify(found.violations))")
    broken: list[dict[str, Any]] = json.loads(said)
    return [f"{rule['id']}: {len(rule['nodes'])}, first {rule['nodes'][0]['html'][:200]}" for rule in broken]


_NAMES = """
(() => {
  const ids = [...document.querySelectorAll("[id]")].map(one => one.id);
  const known = new Set(ids);
  const twice = ids.filter((id, at) => ids.indexOf(id, at + 1) >= 0);
  const asked = [...document.querySelectorAll("[aria-labelledby], [aria-describedby], [aria-controls], [for]")]
    .flatMap(one => ["aria-labelledby", "aria-describedby", "aria-controls", "for"].map(of => one.getAttribute(of)))
    .concat([...document.querySelectorAll("[popovertarget]")].map(one => one.getAttribute("popovertarget")))
    .concat([...document.querySelectorAll("a[href^='#']")].map(one => decodeURIComponent(one.hash.slice(1))))
    .filter(names => names).flatMap(names => names.split(" ")).filter(name => !known.has(name));
  return JSON.stringify([...twice.map(id => `${id} twice`), ...asked.map(id => `no ${id}`)].slice(0, 20));
})()
"""


def wrong_names(browser: Browser, page: Path) -> list[str]:
    """Tell which ids a page gives to two elements, and which it names that no element has."""
    browser.screen(1440)
    browser.show(page)
    found: list[str] = json.loads(browser.value(_NAMES))
    return found


_OVERLAPS = """
(() => {
  const found = [];
  for (const plate of document.querySelectorAll(".figure .plate")) {
    const texts = [...plate.querySelectorAll("svg text")].filter(one => !one.closest(".watermark, defs"));
    const boxes = texts.map(one => one.getBoundingClientRect());
    const svg = plate.querySelector("svg");
    const room = svg && svg.getBoundingClientRect();
    boxes.forEach((a, i) => {
      const beyond = Math.max(room.left - a.left, a.right - room.right, room.top - a.top, a.bottom - room.bottom);
      if (a.width && beyond > 0.5) found.push(`${plate.parentElement.id}: ${texts[i].textContent} is cut`);
    });
    const px = svg ? 0.75 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > px && high > 4 * px)
        found.push(`${plate.parentElement.id}: ${texts[i].textContent} | ${texts[i + 1 + j].textContent}`);
    }));
  }
  return JSON.stringify(found);
})()
"""
"""Texts that are cut at the edge of a drawing, and pairs whose boxes share more than 1 px across and 4 px down, of a
drawing in its own size: lines below each other share 3 px."""


def overlaps(browser: Browser, page: Path) -> list[str]:
    """Tell which texts of drawings cover each other, or are cut."""
    browser.screen(1440)
    browser.show(page)
    found: list[str] = json.loads(browser.value(_OVERLAPS))
    return found


_BEYOND = """
(() => {
  const fits = one => one.getBoundingClientRect().width > 20 && one.getBoundingClientRect().right <= innerWidth;
  const found = [];
  for (const figure of document.querySelectorAll("figure:has(.plate)")) {
    const stack = [...figure.querySelectorAll(".stack > svg")];
    const whole = stack.length ? stack.every(fits) : [...figure.querySelectorAll("svg, img")].some(fits);
    if (!whole) found.push(figure.id || figure.className);
  }
  return JSON.stringify(found);
})()
"""


def beyond_the_screen(browser: Browser, page: Path, width: int = 360) -> list[str]:
    """Tell which drawings a phone shows nowhere whole."""
    browser.screen(width)
    browser.show(page)
    found: list[str] = json.loads(browser.value(_BEYOND))
    return found


def colours(browser: Browser, page: Path, *, dark: bool) -> tuple[dict[str, tuple[float, str]], list[str]]:
    """Return the least contrasts of text and marks in drawings, with their colours, and the colours of heat maps."""
    browser.screen(1440, dark=dark)
    browser.show(page)
    said = json.loads(browser.value(_COLOURS))
    return {kind: (float(least), colour) for kind, (least, colour) in said["least"].items()}, said["meshes"]
