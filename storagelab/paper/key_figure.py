"""The one figure that stands under the findings: the one that the notebook names, else what the findings rest on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from storagelab.errors import nearest
from storagelab.paper import cross_references
from storagelab.paper.published_items import Item
from storagelab.paper.short_answers import Answers

_REFERRED = re.compile(r'href="#fig-([\w-]+)"')
_NUMBER = re.compile(r"\d+")


def key_figure(
    named: str,
    answers: Answers | None,
    figures: Sequence[Item],
    facts: Mapping[str, Mapping[str, Any]],
    problem: Callable[[str], object],
) -> Item | None:
    """Choose the key figure of a paper.

    Parameters
    ----------
    named : str
        Its id as the metadata of the notebook say it; "" where they do not.
    answers : Answers or None
        The findings: the figure that the first of them refers to, else the one that was drawn nearest to where the
        first number that they quote was stated.
    figures : sequence of Item
    facts : mapping
        Records of the facts, by name.
    problem : callable
        Is told of an id that no figure has.

    Returns
    -------
    Item or None
        None where nothing is named and there are no findings, or no figures.
    """
    known = {figure.id: figure for figure in figures}
    if named and named not in known:
        problem(f"metadata.key_figure: unknown figure {named!r}{nearest(named, known)}")
        return None
    if named:
        return known[named]
    rows = [" ".join(row) for row in answers.rows] if answers else []
    referred = (id for row in rows for id in _REFERRED.findall(row) if id in known)
    return next((known[id] for id in referred), None) or _nearest(rows, figures, facts)


def _nearest(rows: Iterable[str], figures: Sequence[Item], facts: Mapping[str, Mapping[str, Any]]) -> Item | None:
    """Figure whose cell is nearest to that of the first number quoted; of two the one before."""
    quoted = next((name for row in rows for name in cross_references.quoted(row)), "")
    if not quoted or not figures:
        return None
    place = _place(facts[quoted]["cell"])
    return min(figures, key=lambda figure: (abs(_place(figure.cell) - place), _place(figure.cell)))


def _place(cell: str) -> int:
    number = _NUMBER.search(cell)
    return int(number[0]) if number else 0
