"""Names in the text lead to what they name: a function to its entry, a command to its own.

Text in backticks is looked up: `analysis.compare`, `compare(ds, ...)`, ``storagelab check nfs-2025``. A bare word is a
function on the pages that speak of functions only, and never where the data contract has a column of that name.
A link that leaves the documentation leads to a copy of the file.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.nodes import make_refnode

from storagelab import schema

ROOMS = ("storagelab.analysis", "storagelab.figures", "storagelab")
OF_FUNCTIONS = ("metrics", "interactive", "analysis", "reference/functions/")
COMMAND = re.compile(r"storagelab ([a-z]+)\b")
ELSEWHERE = re.compile(r"\]\((\.\./[\w./-]+\.ipynb)\)")
NAME = re.compile(r"((?:\w+\.)*[a-zA-Z]\w*)(\(.*\))?", re.DOTALL)


def copy(app: Sphinx, page: str, source: list[str]) -> None:
    """Let links to files of the repository offer the file: a notebook elsewhere is no page."""
    source[0] = ELSEWHERE.sub(r"](path:\1)", source[0])


def named(name: str, rawtext: str, text: str, *rest: Any, **more: Any) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """The role of text in single backticks: code, which may be linked later."""
    return [nodes.literal(rawtext, text)], []


def link(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Link all names of a page."""
    objects = app.env.domains["py"].objects  # type: ignore[attr-defined]
    anchors = app.env.domains["std"].anonlabels  # type: ignore[attr-defined]
    for literal in list(doctree.findall(nodes.literal)):
        if isinstance(literal.parent, (nodes.reference, nodes.title)) or _is_in(literal, nodes.reference):
            continue
        if not (target := function(literal.astext(), page, objects) or command(literal.astext(), anchors)):
            continue
        to, anchor = target
        reference = make_refnode(app.builder, page, to, anchor, literal.deepcopy())
        literal.replace_self(reference)


def function(text: str, page: str, objects: dict[str, Any]) -> tuple[str, str] | None:
    """Return page and place of the function that a text names."""
    if not (found := NAME.fullmatch(text)):
        return None
    name, called = found.groups()
    if "." not in name and not called and (not page.startswith(OF_FUNCTIONS) or is_a_word_of_the_contract(name)):
        return None
    for candidate in (name, *(f"{room}.{name}" for room in ROOMS)):
        if entry := objects.get(candidate):
            return (entry.docname, entry.node_id) if entry.objtype != "module" else None
    return None


def is_a_word_of_the_contract(name: str) -> bool:
    """Whether datasets have a column or a node of this name."""
    return name in schema.FIELDS or name in schema.NODES


def command(text: str, anchors: dict[str, tuple[str, str]]) -> tuple[str, str] | None:
    """Return page and place of the command that a text begins with."""
    found = COMMAND.match(text)
    return anchors.get(f"command-{found[1]}") if found else None


def _is_in(node: nodes.Node, kind: type[nodes.Node]) -> bool:
    while node := node.parent:
        if isinstance(node, kind):
            return True
    return False


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the role, and link when all pages are known."""
    app.add_role("named", named)
    app.connect("source-read", copy)
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
