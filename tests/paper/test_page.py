"""The page as a browser, a screen reader and a printer get it."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from storagelab.paper import build_index, facts_and_metrics_json
from storagelab.paper import page as page_module
from storagelab.paper.allowed_html import refused
from storagelab.paper.document import compose
from storagelab.paper.exporter import exporter
from storagelab.paper.style import css
from tests.paper.conftest import STUDY

VOID = {"meta", "br", "img", "hr", "input", "col", "wbr"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


class Page(HTMLParser):
    """Tags with attributes, and the text inside each kind of tag."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.unclosed: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.texts.setdefault(tag, []).append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        elif tag not in VOID:
            self.unclosed.append(tag)

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module", params=["paper", "index"])
def html(request: pytest.FixtureRequest, built: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "paper":
        return (built / "reports" / STUDY / "paper.html").read_text()
    root = tmp_path_factory.mktemp("index")
    shutil.copytree(built / "reports", root / "reports")
    build_index(root)
    return (root / "reports" / "index.html").read_text()


@pytest.fixture(scope="module")
def paper(built: Path) -> str:
    return (built / "reports" / STUDY / "paper.html").read_text()


def test_nothing_is_fetched(html: str) -> None:
    assert refused(html) == []
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:;" in html


def test_page_is_well_formed_and_says_language_and_title(html: str) -> None:
    page = Page(html)
    assert page.unclosed == []
    assert page.open == []
    assert html.startswith("<!DOCTYPE html>")
    assert page.all("html")[0]["lang"] == "en"
    assert page.texts["title"][0] in ("A tiny paper", "Papers")


def test_ids_are_unique_and_every_link_inside_has_its_end(html: str) -> None:
    page = Page(html)
    ids = Counter(attrs["id"] for _, attrs in page.tags if "id" in attrs)
    assert [id for id, count in ids.items() if count > 1] == []
    inside = [attrs.get(name) or "" for _, attrs in page.tags for name in ("href", "xlink:href")]
    assert [href for href in inside if href.startswith("#") and href[1:] not in ids] == []
    named = [attrs[name] or "" for _, attrs in page.tags for name in ("aria-labelledby",) if name in attrs]
    assert [name for name in named if name not in ids] == []
    assert set(re.findall(r"url\(#([^)]+)\)", html)) <= set(ids)


def test_headings_are_in_order_and_landmarks_there(html: str) -> None:
    page = Page(html)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(page.all("main")) == len(page.all("header")) == 1
    assert page.all("a")[0] == {"class": "skip", "href": "#content"}


def test_no_link_stands_inside_a_link(html: str) -> None:
    assert not re.search(r"<a\b[^>]*>(?:(?!</a>).)*<a\b", html, re.DOTALL)


def test_figure_has_a_name_a_caption_and_its_data(paper: str) -> None:
    page = Page(paper)
    whole, svg = page.all("svg")  # the first for phones
    assert (svg["role"], svg["aria-label"]) == ("img", "Lines & more.")
    assert (whole["role"], whole["aria-label"]) == ("img", "The whole of Figure\u00a01, which follows larger")
    caption = " ".join(page.texts["figcaption"][0].split())
    assert caption.startswith("Figure 1. Throughput of 6 cases, as [1] measures it. Points: 6 of a model (hollow). ")
    saved = {attrs["download"]: attrs for attrs in page.all("a") if "download" in attrs}
    assert set(saved) == {"throughput.csv", "cases.csv", "facts.json", "notebook.ipynb"}
    assert saved["throughput.csv"]["aria-label"] == "Save data of Figure\u00a01"
    assert all((attrs["href"] or "").startswith("data:") for attrs in saved.values())
    linked = {link for link in re.findall(r' href="([^"]+)"', paper) if not re.match("#|data:|https?:", link)}
    assert linked == {"../index.html"}, "where the page stands alone these links are dead"
    assert "<text" in paper


def test_table_has_caption_and_scopes(paper: str) -> None:
    page = Page(paper)
    assert len(page.all("caption")) == len(page.all("table")) == 2
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.all("th"))
    assert page.texts["caption"][0].startswith("Table\u00a01. Every case.")


def test_sections_are_numbered_and_listed(paper: str) -> None:
    assert '<h2 id="sec-introduction"><span class="number">1</span> Introduction</h2>' in paper
    assert re.search(
        r'<h3 id="sec-why-6"><span class="number">1.1</span> Why <button type="button" class="fact"', paper
    )
    assert '<a href="#sec-method"><span class="number">2 </span>Method</a>' in paper
    assert 'class="number">3 <' not in paper.split("<main")[0]


def test_code_is_folded_and_parameters_are_not_shown(paper: str) -> None:
    assert re.findall(r"<summary>(Code[^<]*)", paper) == [
        "Code that opens the data",
        "Code of Figure\u00a01",
        "Code of Table\u00a01 and 3 facts",
    ]
    assert "&lt;object object&gt;" in paper
    assert "../reports" not in paper


def test_provenance_says_what_the_paper_rests_on(paper: str) -> None:
    tail = re.sub(r"<[^>]+>", " ", paper.split('id="provenance"')[1])
    for piece in (
        "2, of which 1 cut short",
        "2 in clients, 6 in runs",
        "iozone 3.506",
        "xarray",
        "storagelab",
    ):
        assert piece in tail.replace("\u00a0", " ")
    assert re.search(r"SHA-256\s+[0-9a-f]{64}", tail)


def test_page_is_small(paper: str) -> None:
    assert len(paper) < 200_000


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, by WCAG 2.2."""

    def luminance(colour: str) -> float:
        digits = colour.lstrip("#")
        digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_reads_on_every_ground(scheme: int) -> None:
    blocks = re.findall(r":root \{(.*?)\}", css(), re.DOTALL)
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+);", blocks[scheme]))
    for ground in ("page", "shade"):
        for ink in ("ink", "muted", "link", "warn"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["ink"], colours["warn-shade"]) >= 4.5


def chromium(page: Path, profile: Path, *flags: str) -> None:
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", *flags, page.as_uri()]
    subprocess.run(command, check=True, capture_output=True)


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: no browser to print with")


@pytest.mark.slow
@needs_chromium
def test_page_prints_from_disk(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "paper.pdf"
    page = built / "reports" / STUDY / "paper.html"
    chromium(page, tmp_path / "profile", "--no-pdf-header-footer", f"--print-to-pdf={out}")
    assert out.read_bytes().startswith(b"%PDF")
    assert out.read_bytes().count(b"/Type /Page\n") in (2, 3)


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("scheme", ["0", "1"], ids=["dark", "light"])
def test_page_shows_in_both_schemes(built: Path, tmp_path: Path, scheme: str) -> None:
    out = tmp_path / "paper.png"
    page = built / "reports" / STUDY / "paper.html"
    options = (f"--blink-settings=preferredColorScheme={scheme}", "--window-size=1200,800", f"--screenshot={out}")
    chromium(page, tmp_path / "profile", *options)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    corner = pyplot.imread(out)[-1, 0, :3]
    assert corner.mean() == pytest.approx(1.0 if scheme == "1" else 0x18 / 0xFF, abs=0.01)


def with_repeats(compact: dict[str, Any]) -> dict[str, Any]:
    """Undo `without_repeats` as its result says how."""
    logs = compact["logs"]
    traces = [{logs[int(log)]: lines for log, lines in trace.items()} for trace in compact["traces"]]
    facts = {name: {**fact, "trace": traces[fact["trace"]]} for name, fact in compact["facts"].items()}
    return {"study": compact["study"], "dataset_sha256": compact["dataset_sha256"], "facts": facts}


def test_facts_without_repeats_say_the_same(built: Path) -> None:
    facts = json.loads((built / "reports" / STUDY / "facts.json").read_text())
    twice = {**facts, "facts": facts["facts"] | {f"{name}_2": fact for name, fact in facts["facts"].items()}}
    compact = json.loads(json.dumps(facts_and_metrics_json.without_repeats(twice)))
    assert with_repeats(compact) == twice
    assert len(compact["traces"]) < len(twice["facts"])
    assert len(compact["logs"]) == len({log for fact in facts["facts"].values() for log in fact["trace"]})


def test_a_page_carries_a_file_up_to_its_limit_in_bytes() -> None:
    assert [bool(page_module.embedded("größe", "text/plain", limit)) for limit in (6, 7)] == [False, True]


def test_a_page_carries_facts_that_are_too_long_without_repeats(
    executed: NotebookNode, bibliography: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "EMBED_LIMIT", 100)
    html, _ = exporter().from_notebook_node(executed, {"paper": compose(executed, bibliography)})
    address = re.search(r'download="facts-compact.json" href="data:application/json;base64,([^"]+)"', html)
    assert address is not None
    carried = with_repeats(json.loads(base64.b64decode(address[1])))
    assert set(carried["facts"]) == {"best", "cases", "unused"}
