"""What prose refers to: figures, tables, facts and citations, numbered and resolved, or refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from storagelab.errors import nearest
from storagelab.escaping import markdown
from storagelab.paper import mathml, quotations
from storagelab.paper.facts_as_text import FORMS, in_form
from storagelab.paper.published_items import FOUND, Registry

KINDS = {"fig": "figure", "tab": "table"}

_CODE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)\s*$|`+[^`]*`+)", re.DOTALL | re.MULTILINE)
_REFERENCE = re.compile(r"\[@((?:(?!\[@)[^\]\n]|(?!))*+)\]")
_FACT = quotations.FACT
_TEX = re.compile(r"\$\$|\\\(|\\\[|\\begin\{")
"""What is left of TeX where all formulas were taken (`storagelab.paper.mathml`)."""
_QUOTED = re.compile(r'<button type="button" class="fact" popovertarget="card-([\w-]++)">[^<]*+</button>')
_BESIDE_SIGNS = re.compile(rf"\((?:{_QUOTED.pattern})[).,;:%]*+|(?:{_QUOTED.pattern})[).,;:%]++")
"""A fact with the signs before and behind it: a browser may break a line beside a button, whatever stands there."""
_IMAGE = re.compile(
    r"!\[(?:(?!!\[)[^\]]|(?!))*+\]\((?!attachment:)[^)\s]*\)?"
    r"|<(?:img|script|iframe|link|object|embed|video|audio)\b",
    re.IGNORECASE,
)


def without_html(text: str) -> str:
    """Let Markdown show the tags of a caption instead of obeying them: a caption may quote names that the data hold."""
    pieces = _CODE.split(text)
    pieces[::2] = [piece.replace("<", "&#60;") for piece in pieces[::2]]
    return "".join(pieces)


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
    text = mathml.formulas(text, lambda why: registry.problem(cell, why))
    for pattern, what in (
        (_TEX, "a formula that does not end, or stands in no $"),
        (_IMAGE, "publish it with figure(), not in prose"),
    ):
        if match := pattern.search(text):
            registry.problem(cell, f"{what}: {match[0]!r}")
    for problem in quotations.refused(text, registry.facts):
        registry.problem(cell, problem)
    text = _REFERENCE.sub(lambda match: _references(match[1], registry, cell), text)
    text = _FACT.sub(lambda match: _fact(match[1], match[2] or "", registry, cell), text)
    text = _BESIDE_SIGNS.sub(r'<span class="kept">\g<0></span>', text)
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
        return registry.problem(cell, f"unknown {kind} {id!r}{nearest(id, known)}")
    registry.used.add((kind, id))
    item = registry.items[kind, id]
    return f'<a href="#{item.anchor}">{item.name}</a>'


def _citation(key: str, registry: Registry, cell: str) -> str:
    if key not in registry.bibliography:
        return registry.problem(cell, f"unknown citation {key!r}{nearest(key, registry.bibliography)}")
    if key not in registry.cited:
        registry.cited.append(key)
    number = registry.cited.index(key) + 1
    return f'<a class="citation" href="#ref-{escape(key, quote=True)}">{number}</a>'


def _fact(name: str, form: str, registry: Registry, cell: str) -> str:
    if name not in registry.facts:
        return registry.problem(cell, f"unknown fact {name!r}{nearest(name, registry.facts)}")
    registry.used.add(("fact", name))
    words = in_form(registry.facts[name], form)
    if words is None:
        return registry.problem(cell, f"fact {name!r} has no {form!r}{nearest(form, FORMS)}")
    return _button(name, words)


def _button(name: str, words: str) -> str:
    """Print a fact so that it opens its card."""
    return f'<button type="button" class="fact" popovertarget="card-{name}">{markdown.literal(words)}</button>'


def quoted(resolved: str) -> list[str]:
    """Names of the facts that a resolved text quotes."""
    return [match[1] for match in _QUOTED.finditer(resolved)]


def requoted(resolved: str, words: Callable[[str], str | None]) -> str:
    """Print the facts of a resolved text in other words, where a function of their names has any."""

    def anew(match: re.Match[str]) -> str:
        said = words(match[1])
        return match[0] if said is None else _button(match[1], said)

    return _QUOTED.sub(anew, resolved)


def check_used(registry: Registry) -> list[str]:
    """Note figures and tables that no sentence refers to; return, as notes, the facts that none quotes."""
    for (kind, id), item in registry.items.items():
        if (kind, id) not in registry.used:
            registry.problem(item.cell, f"{kind} {id!r} is never referred to: write [@{kind[:3]}:{id}]")
    unused = [name for name in registry.facts if ("fact", name) not in registry.used and not name.startswith(FOUND)]
    return [f"fact {name!r} is never used" for name in unused]
