"""A page holds what the list allows, or is not built; text of data adds nothing to it, whatever it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from nbformat import NotebookNode
from nbformat.v4 import new_output

from storagelab import figures
from storagelab.errors import PaperError
from storagelab.escaping import markdown
from storagelab.escaping.characters import harmless
from storagelab.figures import Drawn
from storagelab.paper import build_index, publish, tables
from storagelab.paper.allowed_html import refused
from storagelab.paper.document import compose
from storagelab.paper.exporter import exporter
from storagelab.paper.style import css
from tests.analysis.tables import node, repeats
from tests.paper.conftest import drawn, notebook, opened, paper_of, shown, stated

BODY = (
    '<div class="plate"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" width="1" role="img">{}</svg></div>'
)
HOSTILE = (
    '<script>x()</script>', '"><img src=x onerror=y()>', "**x** [a](http://b) `c` <b>d</b>", "http://evil.example/",
    '" onmouseover="x', "' x='", "</caption></table><style>*{display:none}</style>", "&lt;i&gt; &#42;",
    "{{best}} [@fig:a]", r"$\frac$ $$ \(x\) ${}^{", "{% raw %} {{ 7*7 }}", "<!-- x -->",
    "]]>", "reconstructed", "\u202ex\x1b[2J\0\ud800",
    ' style="}body{display:none" id="a" class="c1" d="1.23456" url(#a) "#a', "1. x", "# x", "~~x~~ ***", "=1+2",
)  # fmt: skip


def page(text: str, level: str = "") -> str:
    """A paper in which a text stands wherever data can stand, exported."""
    level = level or harmless(text)
    frame = pd.DataFrame({"job": [level], "throughput": [1e6], level + " as a column": [level]})
    table = {
        "text/html": tables.html(frame, tables.Look(labels={"throughput": level})),
        "text/csv": publish._csv(frame, "m"),
    }
    figure = drawn("a", caption=f"Rates of {markdown.literal(level)}.")
    figure.metadata["storagelab"] |= {"alt": level, "alt_of_data": True}
    begun = opened()
    begun.metadata["storagelab"] |= {"title": level, "tools": [level]}
    nb = notebook(
        "# Title",
        ("begin()", [begun]),
        "## Abstract\n\nThe best is {{best}}.",
        "## Fast: {{best}}\n\n{{best}}, *{{best}}*, [@fig:a], [@tab:b].",
        (
            "print()",
            [
                figure,
                shown("table", table, id="b", caption=markdown.literal(level), origin="measured"),
                stated("best", level),
            ],
        ),
        ("code", [stated("n", 3, trace={f"raw/{level}": [1]})]),
        ("print(text)", [new_output("stream", name="stdout", text=text)]),
    )
    nb.metadata["authors"] = [{"name": level}]
    return exporter().from_notebook_node(nb, {"paper": compose(nb, Path("none"))})[0]


class Skeleton(HTMLParser):
    """Elements of a page with the names of their attributes, and their text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def adds_nothing(text: str) -> None:
    """See that a page with a text is the page with other letters in its place."""
    level = harmless(text).strip() or "x"
    made, alike = Skeleton(page(text, level)), Skeleton(page("x", "x" * len(level)))
    assert made.elements == alike.elements
    assert made.text.count(level) >= 9


@settings(max_examples=15)
@given(st.text(st.characters(), min_size=1))
def test_any_text_of_data_adds_no_element_and_no_attribute_to_a_page(text: str) -> None:
    adds_nothing(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_that_wants_to_be_more_is_text(text: str) -> None:
    adds_nothing(text)


def test_a_caption_shows_tags_and_a_fact_shows_marks() -> None:
    figure, fact = drawn("a", caption="Of <b>x</b>, `<i>` and {{best}} here."), stated("best", "<b>**y**</b>")
    document = compose(paper_of(("x()", [figure, fact]), "[@fig:a]"), Path("none"))
    link = '<button type="button" class="fact" popovertarget="card-best">&lt;b&gt;**y**&lt;/b&gt;</button>'
    assert document.figures[0].caption == f"Of &lt;b&gt;x&lt;/b&gt;, <code>&lt;i&gt;</code> and {link} here."


def test_a_caption_of_a_drawing_shows_a_name_as_it_is(published: Callable[[Drawn], NotebookNode]) -> None:
    told = "Of **x** [a](http://b), <b> and {{best}}."
    drawing = Drawn(
        Figure(), told, "Alt {{best}}.", xr.Dataset({"ratio": ("obs", [1.0])}, attrs={"origin": "measured"})
    )
    document = compose(paper_of(("x()", [published(drawing)]), "[@fig:a]"), Path("none"))
    assert unescape(document.figures[0].caption) == told
    assert "<em" not in document.figures[0].caption
    assert markdown.read(drawing.caption) == told


def test_a_large_drawing_has_its_name_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storagelab.paper.page.INLINE_LIMIT", 10)
    assert re.findall('<img alt="([^"]*)"', page('"><script>x()</script>')) == [
        "&quot;&gt;&lt;script&gt;x()&lt;/script&gt;"
    ]


def test_what_code_printed_is_shown_as_it_can_be_seen() -> None:
    assert '<pre class="output">a\\x1b[31m\\u202e\n\tb</pre>' in page("a\x1b[31m\u202e\n\tb")


PIECES = [
    '<meta http-equiv="refresh" content="0;url=https://evil.example/">', "<style>.origin{display:none}</style>",
    "<script>1</script>", "<iframe></iframe>", '<base href="https://x/">', '<link rel="stylesheet" href="x.css">',
    "<form></form>", "<input>", "<object></object>", "<template></template>",
    "<math href=\"#x\"></math>", "<math><maction></maction></math>", "<math><annotation-xml></annotation-xml></math>",
    "<p hidden>x</p>",
    '<img src="http://x/y.png">', '<img src="y.png">', '<img src="data:image/svg+xml;base64,AA">',
    '<img srcset="https://x/y.png 2x">', '<p onclick="x()"></p>', '<p style="display:none">x</p>',
    '<p style="background:url(//x/y)"></p>', '<span class="label hidden">reconstructed</span>',
    '<a href="javascript:x()">x</a>', '<a href="java&#10;script:x()">x</a>', '<a href="//x/">x</a>',
    '<a href="data:text/html,x">x</a>', '<a download="x" href="data:text/html;base64,AA">x</a>',
    '<a href="/etc/passwd">x</a>', '<a href="x" target="_top">x</a>', '<a href="file:///x">x</a>',
    "<p id='x'>y</p>", "<p id=x>y</p>", "<p>", "</p>", "<span/>", "a < b", "<!-- x -->", "<!DOCTYPE html>",
    "<?x?>", "<![x[y]]>", '<p>y</p id="x">', "<p>y</p/>",
    '<script type="application/json">{}<p>reconstructed</p></script>', "<title>a <em>b</em></title>",
    "<p>a \u202e b</p>", '<p id="\u200b">x</p>', "<p>\x1b</p>",
    BODY.format("<script></script>"), BODY.format("<p></p>"), BODY.format("<foreignObject></foreignObject>"),
    BODY.format('<image xlink:href="http://x/y"/>'), BODY.format('<use xlink:href="other.svg#a"/>'),
    BODY.format('<a xlink:href="https://x/">x</a>'), BODY.format('<text style="display: none">reconstructed</text>'),
    BODY.format('<text style="fill: url(https://x/)">x</text>'), BODY.format("<style>*{display:none}</style>"),
    BODY.format("<style>.fig-a-c1{fill: red}body{fill: red}</style>"), BODY.format("<style>@import 'x';</style>"),
    BODY.format('<g transform="url(x)"></g>'), BODY.format('<animate attributeName="x"/>'), '<svg onload="x()"></svg>',
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_what_is_not_on_the_list_is_named_with_its_place(piece: str) -> None:
    html = f'<!DOCTYPE html>\n<html lang="en">\n<body>\n<main id="content">\n{piece}\n</main>\n</body>\n</html>\n'
    found = refused(html)
    assert found
    assert re.match(r"line [5-9](, in content)?: ", found[0])


def test_what_is_on_the_list_is_let_through() -> None:
    drawing = BODY.format(
        '<style type="text/css">:where(#fig-a) *{stroke-linejoin: round}.fig-a-c1{fill: #1f77b4; opacity: .5}</style>'
        '<defs><path id="p" d="M 0 1 z "/></defs><use xlink:href="#p" x="1" y="-2.5" class="fig-a-c1"/>'
        '<text x="1" y="1" style="font: 8px \'DejaVu Sans\', sans-serif" transform="rotate(-90 1 1)">x</text>'
    )
    links = '<a href="https://x.example/a?b=c&amp;d">x</a><a href="#p">y</a><a href="figures/a.csv">z</a>'
    saved = (
        '<a download="a.csv" href="data:text/csv;base64,QQ==">x</a><img alt="&lt;" src="data:image/png;base64,QQ==">'
    )
    assert (
        refused(f"<!DOCTYPE html><html><style>\n{css()}\n</style><body><p>{links}{saved}</p>{drawing}</body></html>")
        == []
    )


def test_a_paper_with_anything_else_is_not_built() -> None:
    nb = paper_of("Text with <b>bold</b> letters.")
    with pytest.raises(PaperError, match=r"no paper may hold .*: line \d+, in content: <b>"):
        exporter().from_notebook_node(nb, {"paper": compose(nb, Path("none"))})


@pytest.mark.parametrize("text", [*HOSTILE[:4], "<meta http-equiv=refresh content=0>", "A & B"])
def test_the_index_shows_any_text_as_it_is(text: str, tmp_path: Path) -> None:
    def index(said: str) -> Skeleton:
        summary = {
            "study": said,
            "title": said,
            "abstract": said,
            "origin": "measured",
            "counts": {said: 2},
            "dates": said,
            "lead": said,
            "answers": [[said, said]],
            "figures": [{"name": said, "anchor": "fig-a", "caption": said}],
            "thumbnail": "",
        }
        (tmp_path / "reports" / "one").mkdir(parents=True, exist_ok=True)
        (tmp_path / "reports" / "one" / "summary.json").write_bytes(orjson.dumps(summary))
        build_index(tmp_path)
        return Skeleton((tmp_path / "reports" / "index.html").read_text())

    made, alike = index(text), index("x")
    assert made.elements == alike.elements
    assert made.text.count(text) == 9


def test_an_index_with_anything_else_is_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storagelab.paper.index.render", lambda papers: '<p>\n<script src="x"></script></p>')
    with pytest.raises(PaperError, match=r"the index holds what no page may hold .*: line 2: <script src='x'>"):
        build_index(tmp_path)


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Callable[[Drawn], NotebookNode]:
    """What `publish.figure` leaves in a notebook."""
    said: list[NotebookNode] = []

    def show(data: dict[str, str], metadata: dict[str, Any], raw: bool) -> None:
        said.append(new_output("display_data", data=data, metadata=metadata))

    monkeypatch.setattr(publish, "show", show)
    return lambda drawing: (publish.figure(drawing, "a"), said.pop())[1]


@pytest.mark.parametrize(
    "level", [r"$\frac$ ${}^{$", ' style="}body{display:none" url(#a) d="1.23456"', "</text><b>**x** `y` [a](b)"]
)
def test_a_drawing_shows_a_name_as_it_is(level: str, published: Callable[[Drawn], NotebookNode]) -> None:
    ds = node([row for name in (level, "b", "c") for row in repeats([1e6, 2e6, 3e6], layout=name, clients=1.0)])
    nb = paper_of(("x()", [published(figures.scaling(ds, hue="layout"))]), "[@fig:a]")
    html = exporter().from_notebook_node(nb, {"paper": compose(nb, Path("none"))})[0]
    shown = level.replace("_", " ")
    texts = [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", html)]
    assert shown in texts


@pytest.mark.parametrize(
    "style",
    [
        "--running: 'a'; --about: 'b'; color: red",
        "--running: 'a'; --about: url(http://evil.example)",
        "--running: 'a'; --about: 'b\\'; x: y'",
        "--page: #000",
    ],
)
def test_the_root_says_what_stands_at_the_head_of_a_sheet_and_nothing_else(style: str) -> None:
    assert refused("<html lang=\"en\" style=\"--running: 'a\\27 b'; --about: 'c, d'\"></html>") == []
    assert refused(f'<html lang="en" style="{style}"></html>') == [f"line 1: <html style={style!r}>"]


@pytest.mark.parametrize("text", ["=HYPERLINK(A1)", "+1+2", "-2+3", "@SUM(A1)", "\t=1"])
def test_the_table_beside_a_paper_holds_no_formula_in_cells_and_in_names_of_columns(text: str) -> None:
    head, row = publish._csv(pd.DataFrame({text: [text], "b": [1.0]}), "measured").splitlines()
    assert head.startswith(("'", "\"'"))
    assert row.startswith(("'", "\"'"))
    assert publish._csv(pd.DataFrame({"a": ["write"], "b": [-1.5]}), "m") == "a,b,origin\nwrite,-1.5,m\n"
