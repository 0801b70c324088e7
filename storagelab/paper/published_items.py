"""What a notebook publishes, numbered, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

NAMESPACE = "storagelab"
"""Key of the output metadata that says what an output is."""
FOUND = "v_"
"""Beginning of the names of facts that say what the validity report found; nobody has to quote all of them."""
NAMES = {"figure": "Figure", "table": "Table"}


@dataclass(slots=True)
class Item:
    """One figure or table: its output, and where it stands."""

    kind: str
    id: str
    number: int
    cell: str
    record: dict[str, Any]
    data: dict[str, str]
    caption: str = ""

    @property
    def name(self) -> str:
        """What prose calls it: Figure 3."""
        return f"{NAMES[self.kind]}\u00a0{self.number}"

    @property
    def badge(self) -> str:
        """Origin, unless the words of a caption already say that the data are measured."""
        origin = str(self.record["origin"])
        return "" if origin == "measured" and "measured" in self.record["caption"] else origin

    @property
    def anchor(self) -> str:
        """Its id in the page."""
        return f"{self.kind[:3]}-{self.id}"


@dataclass(slots=True)
class Registry:
    """Everything a notebook published, everything its prose used, and everything wrong with both."""

    items: dict[tuple[str, str], Item] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    open_findings: dict[str, str] = field(default_factory=dict)
    bibliography: set[str] = field(default_factory=set)
    cited: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def of(self, kind: str) -> list[Item]:
        """Figures or tables in their order."""
        return [item for item in self.items.values() if item.kind == kind]

    def problem(self, cell: str, text: str) -> str:
        """Note what is wrong in a cell; nothing stands in its place, for no such paper is made."""
        self.problems.append(f"{cell.replace('-', ' ')}: {text}")
        return ""


def published(cell: NotebookNode) -> Iterator[tuple[dict[str, Any], NotebookNode]]:
    """Each output of a cell that `figure`, `table`, `fact` or `begin` made, with its record."""
    for output in cell.get("outputs", []):
        record = output.get("metadata", {}).get(NAMESPACE)
        if record:
            yield record, output


def register(nb: NotebookNode, bibliography: set[str]) -> Registry:
    """Count what a notebook publishes, and note ids that stand twice and images that nothing published."""
    registry = Registry(bibliography=bibliography)
    for cell in nb.cells:
        for record, output in published(cell):
            _REGISTRARS.get(record["kind"], _register_item)(registry, cell.id, record, output)
        _refuse_strays(registry, cell)
    return registry


def _register_provenance(registry: Registry, cell: str, record: dict[str, Any], output: NotebookNode) -> None:
    registry.provenance = dict(record)


def _register_fact(registry: Registry, cell: str, record: dict[str, Any], output: NotebookNode) -> None:
    name = record["name"]
    if name in registry.facts:
        registry.problem(cell, f"fact {name!r} is stated twice, first in {registry.facts[name]['cell']}")
    else:
        registry.facts[name] = {**record, "cell": cell.replace("-", " ")}


def _register_item(registry: Registry, cell: str, record: dict[str, Any], output: NotebookNode) -> None:
    kind, id = record["kind"], record["id"]
    if (kind, id) in registry.items:
        first = registry.items[kind, id].cell.replace("-", " ")
        registry.problem(cell, f"{kind} {id!r} is published twice, first in {first}")
        return
    if "{{" in record.get("alt", "") and not record.get("alt_of_data"):
        registry.problem(cell, f"the alt of figure {id!r} is printed as it stands and cannot quote facts")
    registry.items[kind, id] = Item(kind, id, len(registry.of(kind)) + 1, cell, dict(record), dict(output.data))


def _register_findings(registry: Registry, cell: str, record: dict[str, Any], output: NotebookNode) -> None:
    registry.open_findings |= record["open"]


_REGISTRARS: dict[str, Callable[[Registry, str, dict[str, Any], NotebookNode], None]]
_REGISTRARS = {"provenance": _register_provenance, "fact": _register_fact, "findings": _register_findings}


def _refuse_strays(registry: Registry, cell: NotebookNode) -> None:
    for output in cell.get("outputs", []):
        ours = NAMESPACE in output.get("metadata", {})
        if not ours and any(mime.startswith("image/") for mime in output.get("data", {})):
            registry.problem(cell.id, "an image that figure() did not publish")
