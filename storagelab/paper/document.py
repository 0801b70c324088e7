"""An executed notebook as a paper: front matter, numbered parts, resolved prose. Nothing here is HTML yet but words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from storagelab.errors import PaperError
from storagelab.escaping.characters import shown
from storagelab.paper import (
    cross_references,
    front_matter,
    key_figure,
    number_format,
    numbers_without_lines,
    reference_list,
    sections,
    table_traces,
    validity_facts,
)
from storagelab.paper.facts_as_text import in_words
from storagelab.paper.front_matter import Front
from storagelab.paper.made_from import Part
from storagelab.paper.published_items import NAMES, NAMESPACE, Item, Registry, published, register
from storagelab.paper.reproducible_notebook import is_parameters, normalise
from storagelab.paper.short_answers import Answers, answers

ABSTRACT = "abstract"


@dataclass(slots=True)
class Document:
    """Everything a template, an index or a facts file wants to know about a paper.

    Attributes
    ----------
    blocks : list of dict
        The body in order: ``{"kind": "prose", "source": ...}`` and
        ``{"kind": "code", "label", "source", "texts", "items"}``.
    stated_in : dict of str
        The section of each cell of code.
    answers : Answers or None
        What stands under the abstract.
    key_figure : Item or None
        The figure under the answers.
    made_from : list of Part
        Files and code behind the paper; none where a notebook is exported outside its project.
    source : str
        The notebook as a person wrote it; "" there too.
    """

    title: str = ""
    abstract: str = ""
    front: Front = field(default_factory=Front)
    blocks: list[dict[str, Any]] = field(default_factory=list)
    sections: list[sections.Section] = field(default_factory=list)
    stated_in: dict[str, str] = field(default_factory=dict)
    registry: Registry = field(default_factory=Registry)
    answers: Answers | None = None
    key_figure: Item | None = None
    works: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    made_from: list[Part] = field(default_factory=list)
    source: str = ""

    @property
    def provenance(self) -> dict[str, Any]:
        """What `begin` said about the dataset."""
        return self.registry.provenance

    @property
    def prose(self) -> list[str]:
        """The text in its order, as Markdown with everything resolved."""
        return [block["source"] for block in self.blocks if block["kind"] == "prose"]

    @property
    def numbers(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """Facts by the section in which they are stated, named with its number; those before the first have none."""
        stated = groupby(self.facts, key=lambda fact: self.stated_in.get(fact["cell"], ""))
        return [(section, list(facts)) for section, facts in stated]

    @property
    def figures(self) -> list[Item]:
        """Figures in their order."""
        return self.registry.of("figure")

    @property
    def tables(self) -> list[Item]:
        """Tables in their order."""
        return self.registry.of("table")

    @property
    def facts(self) -> list[dict[str, Any]]:
        """Facts in the order in which the notebook states them, in words too."""
        return [{**fact, "text": in_words(fact)} for fact in self.registry.facts.values()]

    @property
    def dates(self) -> str:
        """When the data were taken: a day, or first to last."""
        days = self.provenance.get("dates", [])
        return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else ""


def compose(nb: NotebookNode, bibliography: Path, name: str = "notebook") -> Document:
    """Turn an executed notebook into a paper.

    Parameters
    ----------
    nb : NotebookNode
        Executed; is normalised in place.
    bibliography : Path
        BibTeX file.
    name : str
        Of the notebook, for messages.

    Raises
    ------
    PaperError
        Naming every cell and id that is wrong, all at once.
    """
    normalise(nb)
    works = reference_list.read(bibliography)
    registry = register(nb, set(works.entries.keys()))
    document = Document(registry=registry, front=front_matter.read(nb.metadata, name))
    _Writer(document).write([cell for cell in nb.cells if not is_parameters(cell)])
    document.notes += cross_references.check_used(registry)
    document.answers = answers(document.prose, document.abstract, document.sections, registry.facts)
    document.key_figure = key_figure.key_figure(
        document.front.key_figure, document.answers, document.figures, registry.facts, partial(registry.problem, name)
    )
    _check_front(document)
    for fact, wrong in numbers_without_lines.missing(registry.facts, _quoted(registry)):
        registry.problem(registry.facts[fact]["cell"], wrong)
    for table, wrong in numbers_without_lines.silent(
        document.tables if registry.provenance.get("origin") == table_traces.MEASURED else ()
    ):
        registry.problem(table.cell, wrong)
    for silence in validity_facts.hidden(nb, registry):
        registry.problem("the paper", silence)
    if registry.problems:
        raise PaperError("\n".join(f"{name}: {problem}" for problem in registry.problems))
    document.works = reference_list.render(works, registry.cited)
    return document


def _quoted(registry: Registry) -> set[str]:
    return {name for kind, name in registry.used if kind == "fact"}


def _check_front(document: Document) -> None:
    wanted = {
        "title: expected one '# heading'": document.title,
        "abstract: expected a section '## Abstract' with text": document.abstract,
        "dataset: expected a call of begin()": document.provenance,
    }
    for what, there in wanted.items():
        if not there:
            document.registry.problem("the paper", f"has no {what}")


class _Writer:
    """Goes through the cells once, in reading order, so that citations are numbered as they are read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.cell = ""
        self.numbering = sections.Numbering(lambda text: document.registry.problem(self.cell, text))
        document.sections = self.numbering.sections

    def write(self, cells: list[NotebookNode]) -> None:
        for cell in cells:
            self.cell = cell.id
            if cell.cell_type == "markdown":
                self._prose(cell)
            elif cell.cell_type == "code" and cell.source.strip():
                self.document.stated_in[cell.id.replace("-", " ")] = self._section
                self.document.blocks.append(self._code(cell))
                self._note_warnings(cell)

    def _prose(self, cell: NotebookNode) -> None:
        body: list[str] = []
        for level, heading, text in sections.split(self._resolve(cell.source)):
            if heading.lower() == ABSTRACT:
                self.document.abstract = text
                continue
            body += [self._heading(level, heading), text] if heading else [text]
        source = "\n\n".join(filter(None, body))
        if source:
            self.document.blocks.append({"kind": "prose", "source": source, "cell": cell})

    def _heading(self, level: int, text: str) -> str:
        if level == 1 and not self.document.title:
            self.document.title = sections.inline(text)
            return ""
        return self.numbering.heading(level, text)

    @property
    def _section(self) -> str:
        """Number and name of the section that is being written, whichever level its last heading has; "" before all."""
        top = [section for section in self.document.sections if section.level == 2]
        return f"{top[-1].number} {sections.plain(top[-1].entry)}" if top else ""

    def _resolve(self, text: str) -> str:
        return cross_references.resolve(text, self.document.registry, self.cell)

    def _code(self, cell: NotebookNode) -> dict[str, Any]:
        items = [self._captioned(record) for record, _ in published(cell) if record["kind"] in NAMES]
        return {
            "kind": "code",
            "label": _label(cell, items),
            "source": cell.source,
            "texts": [_output_text(output) for output in cell.outputs if not output.get("metadata", {}).get(NAMESPACE)],
            "items": items,
        }

    def _note_warnings(self, cell: NotebookNode) -> None:
        if any(output.output_type == "stream" and output.name == "stderr" for output in cell.outputs):
            self.document.notes.append(f"{cell.id.replace('-', ' ')} wrote to stderr, which is not printed")

    def _captioned(self, record: dict[str, Any]) -> Item:
        item = self.document.registry.items[record["kind"], record["id"]]
        caption = cross_references.without_html(item.record["caption"])
        item.caption = sections.inline(self._resolve(caption))
        return item


def _label(cell: NotebookNode, items: list[Item]) -> str:
    """Say whose code it is: of Figure 3, of 5 facts, or what opens the data."""
    if any(record["kind"] == "provenance" for record, _ in published(cell)):
        return "Code that opens the data"
    facts = sum(record["kind"] == "fact" for record, _ in published(cell))
    names = [item.name for item in items]
    if facts:
        names.append(f"{number_format.text(facts)} fact{'s' * (facts > 1)}")
    return f"Code of {' and '.join(names)}" if names else "Code"


def _output_text(output: NotebookNode) -> str:
    """Plain text of an output; what a library says on stderr is no part of a paper."""
    if output.output_type == "stream":
        return shown(str(output.text)) if output.name == "stdout" else ""
    return shown(str(output.get("data", {}).get("text/plain", "")))
