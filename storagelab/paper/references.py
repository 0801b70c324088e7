"""What prose refers to: figures, tables, facts and citations, numbered and resolved, or refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

from nbformat import NotebookNode

from storagelab.errors import nearest
from storagelab.paper import quantity

KINDS = {"fig": "figure", "tab": "table"}
NAMES = {"figure": "Figure", "table": "Table"}

_CODE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)\s*$|`+[^`]*`+)", re.DOTALL | re.MULTILINE)
_REFERENCE = re.compile(r"\[@([^\]\n]*)\]")
_FACT = re.compile(r"\{\{\s*([A-Za-z0-9_-]+)\s*(?::\s*([a-z]+)\s*)?\}\}")
_TEX = re.compile(r"\$\$|\\\(|\\\[|\\begin\{|(?<![\\\w$])\$[^\s$](?:[^$\n]*[^\s$\\])?\$(?![\w$])")
_IMAGE = re.compile(
    r"!\[[^\]]*\]\((?!attachment:)|<(?:img|script|iframe|link|object|embed|video|audio)\b", re.IGNORECASE
)


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
    def anchor(self) -> str:
        """Its id in the page."""
        return f"{self.kind[:3]}-{self.id}"


@dataclass(slots=True)
class Registry:
    """Everything a notebook published, everything its prose used, and everything wrong with both."""

    items: dict[tuple[str, str], Item] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    bibliography: set[str] = field(default_factory=set)
    cited: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def of(self, kind: str) -> list[Item]:
        """Figures or tables in their order."""
        return [item for item in self.items.values() if item.kind == kind]

    def problem(self, cell: str, text: str) -> None:
        """Note what is wrong in a cell."""
        self.problems.append(f"{cell.replace('-', ' ')}: {text}")


def published(cell: NotebookNode) -> Iterator[tuple[dict[str, Any], NotebookNode]]:
    """Each output of a cell that `figure`, `table`, `fact` or `begin` made, with its record."""
    for output in cell.get("outputs", []):
        record = output.get("metadata", {}).get("storagelab")
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
    registry.items[kind, id] = Item(kind, id, len(registry.of(kind)) + 1, cell, dict(record), dict(output.data))


_REGISTRARS: dict[str, Callable[[Registry, str, dict[str, Any], NotebookNode], None]]
_REGISTRARS = {"provenance": _register_provenance, "fact": _register_fact}


def _refuse_strays(registry: Registry, cell: NotebookNode) -> None:
    for output in cell.get("outputs", []):
        ours = "storagelab" in output.get("metadata", {})
        if not ours and any(mime.startswith("image/") for mime in output.get("data", {})):
            registry.problem(cell.id, "an image that figure() did not publish")


def resolve(text: str, registry: Registry, cell: str) -> str:
    """Put numbers, links and values in place of references, outside code.

    Parameters
    ----------
    text : str
        Markdown.
    registry : Registry
        Gets what is used and what is wrong.
    cell : str
        For messages.

    Returns
    -------
    str
        Markdown with inline HTML.
    """
    pieces = _CODE.split(text)
    pieces[::2] = [_resolve_prose(piece, registry, cell) for piece in pieces[::2]]
    return "".join(pieces)


def _resolve_prose(text: str, registry: Registry, cell: str) -> str:
    for pattern, what in ((_TEX, "TeX cannot be printed"), (_IMAGE, "publish it with figure(), not in prose")):
        if match := pattern.search(text):
            registry.problem(cell, f"{what}: {match[0]!r}")
    text = _REFERENCE.sub(lambda match: _references(match[1], registry, cell), text)
    text = _FACT.sub(lambda match: _fact(match[1], match[2] or "", registry, cell), text)
    for left in ("[@", "{{"):
        if left in text:
            registry.problem(cell, f"unfinished reference: {text[text.index(left) :][:40]!r}")
    return text


def _references(inner: str, registry: Registry, cell: str) -> str:
    """Resolve ``fig:a; @fig:b`` or ``one; @two``: citations share one pair of brackets."""
    keys = [key.strip().removeprefix("@") for key in inner.split(";")]
    things = [_item(key, registry, cell) for key in keys if key.partition(":")[0] in KINDS and ":" in key]
    works = [_citation(key, registry, cell) for key in keys if key.partition(":")[0] not in KINDS or ":" not in key]
    return ", ".join(things + ([f"[{', '.join(works)}]"] if works else []))


def _item(key: str, registry: Registry, cell: str) -> str:
    prefix, _, id = key.partition(":")
    kind = KINDS[prefix]
    if (kind, id) not in registry.items:
        known = [name for of, name in registry.items if of == kind]
        registry.problem(cell, f"unknown {kind} {id!r}{nearest(id, known)}")
        return key
    registry.used.add((kind, id))
    item = registry.items[kind, id]
    return f'<a href="#{item.anchor}">{item.name}</a>'


def _citation(key: str, registry: Registry, cell: str) -> str:
    if key not in registry.bibliography:
        registry.problem(cell, f"unknown citation {key!r}{nearest(key, registry.bibliography)}")
        return escape(key)
    if key not in registry.cited:
        registry.cited.append(key)
    number = registry.cited.index(key) + 1
    return f'<a class="citation" href="#ref-{escape(key, quote=True)}">{number}</a>'


def _fact(name: str, form: str, registry: Registry, cell: str) -> str:
    if name not in registry.facts:
        registry.problem(cell, f"unknown fact {name!r}{nearest(name, registry.facts)}")
        return name
    registry.used.add(("fact", name))
    try:
        words = in_words(registry.facts[name], form)
    except KeyError:
        registry.problem(cell, f"fact {name!r} has no {form!r}{nearest(form, FORMS)}")
        return name
    return f'<a class="fact" href="#fact-{name}">{escape(words)}</a>'


def in_words(record: dict[str, Any], form: str = "") -> str:
    """Print a fact in one of its `FORMS`; KeyError if it has none such."""
    words = FORMS[form](record)
    if words is None:
        raise KeyError(form)
    return words


def _text(record: dict[str, Any]) -> str:
    return quantity.text(record["value"], record["unit"], record["digits"], record["display"])


def _value(record: dict[str, Any]) -> str | None:
    value = record["value"]
    if isinstance(value, str):
        return None
    return quantity.scale(value, record["unit"], record["display"]).value(value, record["digits"])


def _interval(record: dict[str, Any]) -> str | None:
    if record["interval"] is None:
        return None
    low, high = record["interval"]
    return quantity.interval(record["value"], (low, high), record["unit"], record["digits"], record["display"])


def _count(record: dict[str, Any]) -> str | None:
    return None if record["n"] is None else quantity.text(record["n"])


def _full(record: dict[str, Any]) -> str | None:
    if record["interval"] is None:
        return None
    level = quantity.text(record["level"], display="%")
    number = f", n = {record['n']}" if record["n"] is not None else ""
    return f"{_text(record)} ({level} CI {_interval(record)}{number})".replace("n = ", "n\u00a0=\u00a0")


FORMS: dict[str, Callable[[dict[str, Any]], str | None]] = {
    "": _text,
    "value": _value,
    "interval": _interval,
    "n": _count,
    "full": _full,
}
"""What may stand behind the colon in ``{{name:form}}``; None where a fact lacks it."""


def check_used(registry: Registry) -> list[str]:
    """Note figures and tables that no sentence refers to; return, as notes, the facts that none quotes."""
    for (kind, id), item in registry.items.items():
        if (kind, id) not in registry.used:
            registry.problem(item.cell, f"{kind} {id!r} is never referred to: write [@{kind[:3]}:{id}]")
    return [f"fact {name!r} is never used" for name in registry.facts if ("fact", name) not in registry.used]
