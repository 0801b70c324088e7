"""Front matter: who wrote a paper and how it is cited, in the page, in BibTeX, for search engines and for machines."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.errors import PaperError
from storagelab.escaping.characters import harmless
from storagelab.paper import facts_and_metrics_json, front_matter, notebooks
from storagelab.paper.allowed_html import refused
from storagelab.paper.exporter import exporter
from storagelab.paper.notebooks import KEPT_METADATA
from storagelab.paper.page import in_script
from tests.paper.conftest import STUDY, paper_of

SAID: dict[str, Any] = {
    "authors": [
        {"name": "Ada Example", "orcid": "0000-0002-1694-233X", "affiliation": "R&D <lab>"},
        {"name": "The {disk} group", "type": "organization"},
    ],
    "date": "2026-11-20", "version": "1.1", "license": "CC-BY-4.0", "doi": "10.5281/zenodo.1234",
    "repository": "https://example.org/disks",
}  # fmt: skip


def page(metadata: dict[str, Any]) -> str:
    nb = paper_of()
    nb.metadata |= metadata
    html: str = exporter().from_notebook_node(nb)[0]
    return html


def test_what_a_person_writes_is_kept_by_the_pipeline() -> None:
    assert set(KEPT_METADATA) == {*front_matter.METADATA, "title"}


def test_a_page_says_who_wrote_it_and_how_it_is_cited() -> None:
    html = page(SAID)
    assert refused(html) == []
    for name, content in [
        ("citation_title", "Title"), ("citation_author", "Ada Example"), ("citation_author", "The {disk} group"),
        ("citation_author_institution", "R&amp;D &lt;lab&gt;"), ("citation_publication_date", "2026/11/20"),
        ("citation_author_orcid", "https://orcid.org/0000-0002-1694-233X"), ("citation_doi", "10.5281/zenodo.1234"),
    ]:  # fmt: skip
        assert f'<meta name="{name}" content="{content}">' in html
    assert '<a href="https://orcid.org/0000-0002-1694-233X"' in html
    assert '<a href="https://doi.org/10.5281/zenodo.1234">' in html
    assert '<a href="../index.html">All papers</a>' in html
    cited = unescape(re.search(r'<details class="cite">.*?<pre>(.*?)</pre>', html, re.DOTALL)[1])  # type: ignore[index]
    for words in ("@misc{tiny-2026", "Example, Ada", "{The (disk) group}", "{Title}", "2026", "10.5281/zenodo.1234"):
        assert words in cited


def test_machines_read_the_same() -> None:
    html = page(SAID)
    said = json.loads(re.search(r'ld\+json">\n(.*?)\n</script>', html, re.DOTALL)[1])  # type: ignore[index]
    assert said["@type"] == "ScholarlyArticle"
    assert [one["@type"] for one in said["author"]] == ["Person", "Organization"]
    assert said["author"][0]["affiliation"] == {"@type": "Organization", "name": "R&D <lab>"}
    assert said["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert (said["datePublished"], said["headline"], said["abstract"]) == ("2026-11-20", "Title", "All.")


def test_a_paper_of_which_nobody_says_anything_has_a_page() -> None:
    html = page({"authors": []})
    assert refused(html) == []
    assert "Cite this paper" not in html


@pytest.mark.parametrize(("said", "problem"), [
    ({"authors": [{"name": "A", "orcid": "0000-0002-1825-0098"}]}, "metadata.authors.0.orcid: expected an ORCID"),
    ({"authors": [{"name": "A", "orcid": "1"}]}, "metadata.authors.0.orcid: expected an ORCID iD such as 0000-0002-"),
    ({"authors": [{"name": " "}]}, "metadata.authors.0.name: String should have at least 1 character"),
    ({"authors": [{"name": "A", "orcd": ""}]}, "metadata.authors.0.orcd: no such name; did you mean 'orcid'?"),
    ({"date": "yesterday"}, "metadata.date: expected a date in ISO 8601"),
    ({"doi": "https://doi.org/10.1/x"}, "metadata.doi: expected a DOI such as 10.5281/zenodo.1234, found 'https://doi"),
    ({"license": "my own"}, "metadata.license: expected an SPDX identifier such as CC-BY-4.0, found 'my own'"),
    ({"repository": "javascript:x"}, "metadata.repository: expected an address of the web, found 'javascript:x'"),
])  # fmt: skip
def test_what_is_wrong_is_named(said: dict[str, Any], problem: str) -> None:
    with pytest.raises(PaperError, match=rf"^n\.ipynb: {re.escape(problem)}"):
        front_matter.read(said, "n.ipynb")


def test_all_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(PaperError) as caught:
        front_matter.read({"doi": "x", "license": "a b"}, "n.ipynb")
    assert len(str(caught.value).splitlines()) == 2


def test_names_of_jupyter_are_left_alone() -> None:
    assert front_matter.read({"kernelspec": {}, "version": "2"}, "n.ipynb").version == "2"


@given(st.text(min_size=1).map(harmless).filter(str.strip))
def test_any_name_can_be_cited(name: str) -> None:
    for kind in ("person", "organization"):
        said = front_matter.Front.model_validate({"authors": [{"name": name, "type": kind}]})
        entry = front_matter.bibtex(said, name, STUDY)
        assert entry.startswith(f"@misc{{{STUDY},")
        assert entry.count("{") == entry.count("}")


@pytest.mark.parametrize(
    ("said", "note"), [({"version": "1.1"}, f"Version 1.1, study {STUDY}"), ({}, f"study {STUDY}")]
)
def test_an_entry_of_bibtex_says_the_version_if_there_is_one(said: dict[str, str], note: str) -> None:
    assert f'note = "{note}"' in front_matter.bibtex(front_matter.Front.model_validate(said), "Disks", STUDY)


@given(st.dictionaries(st.text(), st.text()))
def test_data_for_machines_never_end_a_script(content: dict[str, str]) -> None:
    content = {harmless(name): harmless(text) for name, text in content.items()}
    text = in_script(content)
    assert not set(text) & set("<>&")
    assert json.loads(text) == content


@pytest.mark.parametrize("script", [
    "<script></script>", "<script>x()</script>", '<script type="module">1</script>',
    '<script type="text/javascript">1</script>',
    '<script type="application/ld+json">x()</script>', '<script type="application/ld+json">"<b>"</script>',
    '<script type="application/ld+json" src="x">{}</script>',
])  # fmt: skip
def test_no_other_script_is_let_in(script: str) -> None:
    html = page(SAID)
    assert refused(html.replace("</head>", f"{script}\n</head>"))


def test_the_index_shows_whole_sentences_of_an_abstract() -> None:
    first, second, third = "A" * 300 + ".", "B" * 18 + ".", "C."
    assert facts_and_metrics_json.lead(f"{first} {second} {third}") == f"{first} {second}"
    assert facts_and_metrics_json.lead(f"{first} {second[1:]}BB. {third}") == first
    assert facts_and_metrics_json.lead("D" * 400 + ". E.") == "D" * 400 + "."
    assert facts_and_metrics_json.lead("") == ""


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"cells": []}', '{"cells": [1], "metadata": {}}'])
def test_what_is_no_notebook_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    with pytest.raises(PaperError, match=r"n\.ipynb: no such notebook$"):
        notebooks.stripped(path)
    path.write_text(text)
    with pytest.raises(PaperError, match=r"n\.ipynb: expected a Jupyter notebook of format 4, found "):
        notebooks.stripped(path)
