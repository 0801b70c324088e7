"""What the template of a page asks for: the document, its figures as HTML, files that travel inside the page."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import orjson
from nbformat import NotebookNode

from storagelab.paper import (
    facts_and_metrics_json,
    front_matter,
    number_cards,
    number_format,
    numbers_without_lines,
    point_data,
    style,
    svg,
    table_traces,
)
from storagelab.paper.document import Document, compose
from storagelab.paper.made_from import Part
from storagelab.paper.sections import inline, plain

__all__ = ["captioned", "embedded", "figure_html", "resources"]

EMBED_LIMIT = 150_000
"""Bytes above which a file is only linked, not carried inside the page as well."""
DATA_LIMIT = 1_000_000
"""The same for data, of figures and of facts: a page alone must have them."""
FOLD_FROM = 20
"""Rows above which a table is folded: its caption and their number are seen."""
TRACE_LIMIT = 40
"""Logs that a page names for one fact; facts.json names them all."""
INLINE_LIMIT = 400_000
"""Characters of SVG above which the page shows the PNG."""


def resources(nb: NotebookNode, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template sees; ``given["paper"]`` is the `Document`, composed here if there is none."""
    document = given.get("paper") or _composed(nb, given.get("metadata", {}))
    made: dict[str, Any] = {
        "paper": document,
        "css": style.css(),
        "full": number_format.full,
        "trace_limit": TRACE_LIMIT,
    }
    made |= {"sentences": numbers_without_lines.sentences, "scrolling": scrolling, "opened": table_traces.opened}
    made |= {"inline": inline, "rows": rows, "fold_from": FOLD_FROM}
    made |= _cited(document) | {"script": style.script(), "pinned_script": style.pinned_script()}
    made["key_drawing"] = _key_drawing(document)
    made["files"] = _files(document)
    made["cards"] = shown = number_cards.cards(document, number_cards.reader(given.get("root")))
    made["cell_cards"] = number_cards.of_cells(document, number_cards.reader(given.get("root")))
    made["points"] = in_script(point_data.of_figures(document, number_cards.reader(given.get("root"))))
    made["reach"] = number_cards.reach_of_tables(document)
    made["samples"] = {card.fact["name"]: card.samples for card in shown}
    made |= {"figure_html": figure_html, "stacked": stacked, "overview": overview, "captioned": captioned}
    return {**given, **made, "plain": plain, "embedded": embedded}


def _cited(document: Document) -> dict[str, Any]:
    """How the paper is cited, for people, search engines and machines."""
    title = plain(document.title)
    article = front_matter.scholarly_article(document.front, title, facts_and_metrics_json.abstract(document))
    article["isBasedOn"] = [_based_on(part) for part in document.made_from]
    return {
        "bibtex": front_matter.bibtex(document.front, title, str(document.provenance["study"])),
        "citation_metadata": front_matter.citation_metadata(document.front, title),
        "linked_data": in_script(article),
    }


def _based_on(part: Part) -> dict[str, str]:
    return {"@type": "MediaObject", "additionalType": part.kind, "name": part.name, "sha256": part.sha256}


def in_script(content: Mapping[str, Any]) -> str:
    """Write JSON so that no part of it can be taken for an element of the page."""
    text = orjson.dumps(content, option=orjson.OPT_INDENT_2).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _files(document: Document) -> list[dict[str, str]]:
    """Files beside the page: name, and address of what the page carries of it."""
    facts = facts_and_metrics_json.facts(document)
    whole = embedded(facts_and_metrics_json.as_json(facts).decode(), "application/json")
    compact = embedded(
        orjson.dumps(facts_and_metrics_json.without_repeats(facts)).decode(), "application/json", DATA_LIMIT
    )
    notebook = embedded(document.source, "application/x-ipynb+json")
    return [
        {"name": "facts.json", "saved": "facts.json" if whole else "facts-compact.json", "address": whole or compact},
        {"name": "notebook.ipynb", "saved": "notebook.ipynb", "address": notebook},
        {"name": "summary.json", "saved": "", "address": ""},
    ]


def _composed(nb: NotebookNode, metadata: dict[str, Any]) -> Document:
    return compose(nb, Path(metadata.get("path", "")) / "references.bib", metadata.get("name", "notebook"))


def figure_html(item: Any) -> str:
    """Inline SVG of a figure, or its PNG where the SVG is too large for a page."""
    drawing = item.data["image/svg+xml"]
    if len(drawing) <= INLINE_LIMIT:
        return svg.inline(drawing, item.anchor, item.record["alt"])
    picture = "".join(item.data["image/png"].split())
    return f'<img alt="{escape(item.record["alt"])}" src="data:image/png;base64,{picture}">'


def stacked(item: Any, drawing: str) -> str:
    """Parts of a figure below each other, for phones; "" where its panels stand in one column."""
    return svg.stacked(drawing, item.anchor, item.record.get("parts", ()))


def overview(item: Any, drawing: str) -> str:
    """The whole of a drawing as wide as a phone, above the one that is moved under the finger."""
    seen = svg.again(drawing, item.anchor, f"The whole of {item.name}, which follows larger")
    return f'<div class="overview">{seen}</div>\n' if seen else ""


def _key_drawing(document: Document) -> str:
    """Drawing of the key figure, shown again; "" where there is none, or its page shows it as an image."""
    item = document.key_figure
    return svg.again(figure_html(item), item.anchor, item.record["alt"]) if item else ""


def captioned(table: str, caption: str) -> str:
    """Put a caption into a table; both are HTML."""
    opening, _, rest = table.partition(">")
    return f"{opening}>\n{caption}{rest}"


def rows(table: str) -> int:
    """Count the rows of a table, its head left out."""
    return table.count("<tr>") - table.partition("</thead>")[0].count("<tr>") * ("</thead>" in table)


def scrolling(html: str) -> str:
    """Put the tables of prose, which hold answers in words, into regions that scroll where a screen is narrow."""
    region = '<div class="answers" role="region" aria-label="Answers" tabindex="0">'
    return html.replace("<table>", f"{region}\n<table>").replace("</table>", "</table>\n</div>")


def embedded(text: str, mime: str, limit: int = 0) -> str:
    """Write a file as a ``data:`` address, or "" where it is too large for a page."""
    data = text.encode()
    if len(data) > (limit or (DATA_LIMIT if mime == "text/csv" else EMBED_LIMIT)):
        return ""
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"
