"""Numbers, references, citations and facts in prose, resolved or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_output

from storagelab.errors import PaperError
from storagelab.paper.document import Document, compose
from storagelab.paper.exporter import PaperExporter
from tests.paper.conftest import drawn, notebook, opened, paper_of, shown, stated, tabled

THIN = "\u202f"


def document_of(bibliography: Path, *cells: Any) -> Document:
    return compose(paper_of(*cells), bibliography, "paper.ipynb")


def prose(document: Document) -> str:
    return "\n".join(block["source"] for block in document.blocks if block["kind"] == "prose")


def test_figures_and_tables_are_numbered_each_in_the_order_of_the_notebook(bibliography: Path) -> None:
    document = document_of(
        bibliography,
        "[@fig:late], [@fig:early] and [@tab:only]",
        ("code", [drawn("early"), tabled("only")]),
        ("code", [drawn("late")]),
    )
    assert [(item.id, item.name) for item in document.figures] == [
        ("early", "Figure\u00a01"),
        ("late", "Figure\u00a02"),
    ]
    assert '<a href="#fig-late">Figure\u00a02</a>, <a href="#fig-early">Figure\u00a01</a>' in prose(document)
    assert '<a href="#tab-only">Table\u00a01</a>' in prose(document)


def test_citations_are_numbered_as_they_are_read_and_only_cited_works_listed(bibliography: Path) -> None:
    bibliography.write_text(bibliography.read_text() + "@misc{late, title = {Late}, year = 2001}")
    document = document_of(bibliography, "By [@late; @iozone], later [@iozone].")
    assert [key for key, _ in document.works] == ["late", "iozone"]
    assert '[<a class="citation" href="#ref-late">1</a>, <a class="citation" href="#ref-iozone">2</a>]' in prose(
        document
    )
    assert "William&nbsp;D. Norcott" in document.works[1][1]
    assert '<a href="https://www.iozone.org/">' in document.works[1][1]


RATE = {"interval": [1.1e8, 1.3e8], "n": 9}


def button(name: str, text: str) -> str:
    return f'<button type="button" class="fact" popovertarget="card-{name}">{text}</button>'


def kept(text: str) -> str:
    return f'<span class="kept">{text}</span>'


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("", f"123{THIN}MB/s"),
        (":value", "123"),
        (":interval", f"110 to 130{THIN}MB/s"),
        (":n", "9"),
        (":full", f"123{THIN}MB/s (95{THIN}% CI 110 to 130{THIN}MB/s, n\u00a0=\u00a09)"),
    ],
)
def test_facts_are_printed_with_unit_and_open_their_card(bibliography: Path, form: str, text: str) -> None:
    document = document_of(
        bibliography, f"It is {{{{rate{form}}}}}.", ("code", [stated("rate", 1.234e8, "B/s", **RATE)])
    )
    assert f"It is {kept(button('rate', text) + '.')}" in prose(document)


def test_a_fact_may_be_a_word(bibliography: Path) -> None:
    document = document_of(bibliography, "Best is {{ best }}.", ("code", [stated("best", "a<b")]))
    assert f"Best is {kept(button('best', 'a&#60;b') + '.')}" in prose(document)


def test_signs_stay_with_the_number_that_they_stand_beside(bibliography: Path) -> None:
    """A browser may end a line beside a button, and so begin the next one with a full stop."""
    facts = ("code", [stated("n", 6)])
    text = "({{n}}), ({{n}} to {{n}}), {{n}}; {{n}} **{{n}}**."
    n, document = button("n", "6"), document_of(bibliography, text, facts)
    assert prose(document).startswith(
        f"{kept(f'({n}),')} {kept(f'({n}')} to {kept(f'{n}),')} {kept(f'{n};')} {n} **{n}**."
    )


def test_references_and_facts_work_in_title_abstract_headings_and_captions(bibliography: Path) -> None:
    document = compose(
        notebook(
            "# Of {{n}} cases",
            ("code", [opened(), stated("n", 6), drawn("one", caption="All {{n}}, *as* [@iozone] says.")]),
            "## Abstract\n\n{{n}}, [@fig:one].\n\n## Why {{n}}\n\nBecause.",
        ),
        bibliography,
    )
    fact = button("n", "6")
    assert document.title == f"Of {fact} cases"
    assert fact in document.abstract
    assert document.sections[0].entry == "Why 6"
    assert document.figures[0].caption.startswith(f"All {kept(f'{fact},')} <em>as</em> [")


def test_code_is_left_alone(bibliography: Path) -> None:
    text = "`{{x}}` and `` [@fig:y] `` and\n\n```bash\n# not a heading [@z] {{x}} $a$\n```"
    document = document_of(bibliography, text)
    assert text in prose(document)
    assert not document.sections


def test_unused_facts_and_warnings_are_notes(bibliography: Path) -> None:
    warning = new_output("stream", name="stderr", text="UserWarning: no")
    document = document_of(bibliography, ("code", [stated("idle", 1), warning]))
    assert document.notes == ["cell 4 wrote to stderr, which is not printed", "fact 'idle' is never used"]


WRONG = {
    "unknown figure": (
        ["[@fig:thruput]", ("c", [drawn("throughput")])],
        "cell 4: unknown figure 'thruput'; did you mean 'th",
    ),
    "unknown table": (["[@tab:x]"], "cell 4: unknown table 'x'"),
    "unknown citation": (["[@iozon]"], "cell 4: unknown citation 'iozon'; did you mean 'iozone'"),
    "unknown kind": (["[@chart:a]"], "cell 4: unknown citation 'chart:a'"),
    "unknown fact": (["{{bst}}", ("c", [stated("best", 1)])], "cell 4: unknown fact 'bst'; did you mean 'best'"),
    "unknown form": (["{{best:sum}}", ("c", [stated("best", 1)])], "cell 4: fact 'best' has no 'sum'"),
    "no interval": (["{{best:full}}", ("c", [stated("best", 1)])], "cell 4: fact 'best' has no 'full'"),
    "figure twice": (
        ["[@fig:a]", ("c", [drawn("a")]), ("c", [drawn("a")])],
        "cell 6: figure 'a' is published twice, first in cell 5",
    ),
    "table twice": (["[@tab:a]", ("c", [tabled("a"), tabled("a")])], "cell 5: table 'a' is published twice"),
    "fact twice": (
        ["{{a}}", ("c", [stated("a", 1)]), ("c", [stated("a", 2)])],
        "cell 6: fact 'a' is stated twice, first in",
    ),
    "figure never referred to": ([("c", [drawn("a")])], r"cell 4: figure 'a' is never referred to: write \[@fig:a\]"),
    "table never referred to": ([("c", [tabled("a")])], r"cell 4: table 'a' is never referred to: write \[@tab:a\]"),
    "unfinished reference": (["see [@fig:a"], r"cell 4: unfinished reference: '\[@fig:a'"),
    "unfinished fact": (["see {{a b}}"], "cell 4: unfinished reference: '{{a b}}'"),
    "unknown TeX": (
        [r"where $\barr x$ is"],
        r"cell 4: TeX '\\\\barr x': unknown command '\\\\barr'; did you mean 'bar'",
    ),
    "display TeX": (["$$x"], r"cell 4: a formula that does not end, or stands in no \$: '\$\$'"),
    "TeX environment": ([r"\begin{align}"], r"cell 4: a formula that does not end, or stands in no \$: '\\\\begin{'"),
    "image in prose": (["![a](b.png)"], r"cell 4: publish it with figure\(\), not in prose: '!\[a\]\(b.png\)'"),
    "script in prose": (["<script src='x'>"], "cell 4: publish it with figure"),
    "image in output": (
        [("c", [new_output("display_data", data={"image/png": "aGk="})])],
        r"cell 4: an image that figure\(\) did not publish",
    ),
    "fact in an alt": (
        ["[@fig:a]", ("c", [shown("figure", id="a", caption="c", alt="{{x}}", origin="measured")])],
        "cell 5: the alt of figure 'a' is printed as it stands",
    ),
    "skipped level": (["## One\n\n#### Four"], "cell 4: heading 'Four' has level 4: expected 2 to 3"),
    "second title": (["# Another"], "cell 4: heading 'Another' has level 1: expected 2 to 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_with_its_cell(bibliography: Path, name: str) -> None:
    cells, message = WRONG[name]
    with pytest.raises(PaperError, match=f"paper.ipynb: {message}"):
        document_of(bibliography, *cells)


def test_all_that_is_wrong_is_said_at_once(bibliography: Path) -> None:
    with pytest.raises(PaperError) as caught:
        document_of(bibliography, "[@fig:a] {{b}}", "[@c]")
    assert len(str(caught.value).splitlines()) == 3


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["## Abstract\n\nAll.", ("begin()", [opened()])], "the paper: has no title: expected one '# heading'"),
        (["# T", ("begin()", [opened()])], "the paper: has no abstract: expected a section '## Abstract'"),
        (["# T\n\n## Abstract\n\nAll."], r"the paper: has no dataset: expected a call of begin\(\)"),
    ],
)
def test_front_matter_must_be_whole(bibliography: Path, cells: list[Any], message: str) -> None:
    with pytest.raises(PaperError, match=message):
        compose(notebook(*cells), bibliography)


def test_dollars_are_no_tex(bibliography: Path) -> None:
    assert "$5 and US$6" in prose(document_of(bibliography, "It costs $5 and US$6 today."))


def test_a_bibliography_that_is_none(bibliography: Path) -> None:
    bibliography.write_text("@misc{a, title = ")
    with pytest.raises(PaperError, match=r"references.bib: .*premature end of file"):
        document_of(bibliography, "x")


def test_an_entry_that_lacks_what_its_kind_needs(bibliography: Path) -> None:
    bibliography.write_text("@article{a, year = 2000}")
    with pytest.raises(PaperError, match=r"an entry of the bibliography cannot be printed: .*missing"):
        document_of(bibliography, "x [@a]")


def test_an_entry_of_an_unknown_kind(bibliography: Path) -> None:
    bibliography.write_text("@blog{a, title = {T}}")
    told = r"^an entry of the bibliography cannot be printed: a is of the unknown kind 'blog'$"
    with pytest.raises(PaperError, match=told):
        document_of(bibliography, "x [@a]")


def test_code_is_labelled_with_what_it_makes(bibliography: Path) -> None:
    document = document_of(
        bibliography,
        "[@fig:a] {{b}} {{c}}",
        ("one", [drawn("a")]),
        ("two", [stated("b", 1), stated("c", 1)]),
        ("three",),
    )
    labels = [block["label"] for block in document.blocks if block["kind"] == "code"]
    assert labels == ["Code that opens the data", "Code of Figure\u00a01", "Code of 2 facts", "Code"]


def test_the_exporter_works_alone_as_nbconvert_calls_it(tmp_path: Path, bibliography: Path) -> None:
    exporter = PaperExporter()  # type: ignore[no-untyped-call]
    metadata = {"metadata": {"path": str(tmp_path), "name": "alone"}}
    html, _ = exporter.from_notebook_node(paper_of("[@iozone]"), metadata)
    assert "IOzone" in html
    with pytest.raises(PaperError, match="alone: cell 4: unknown citation"):
        exporter.from_notebook_node(paper_of("[@nobody]"), metadata)


def test_a_page_that_would_fetch_is_no_paper(bibliography: Path, tmp_path: Path) -> None:
    bad = shown(
        "table",
        {"text/html": "<table background='http://x/y'></table>", "text/csv": ""},
        id="a",
        caption="c",
        origin="measured",
    )
    exporter = PaperExporter()  # type: ignore[no-untyped-call]
    with pytest.raises(PaperError, match=r"line \d+, in tab-a: <table background='http://x/y'>"):
        exporter.from_notebook_node(paper_of("[@tab:a]", ("c", [bad])), {"metadata": {"path": str(tmp_path)}})
