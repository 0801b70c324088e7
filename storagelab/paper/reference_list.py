"""The list of references: only what is cited, in the order of citation, by pybtex."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from storagelab.errors import PaperError


def read(bibliography: Path) -> Any:
    """Read a BibTeX file; a missing one is an empty one.

    Raises
    ------
    PaperError
        If pybtex cannot read it; the message names file and line.
    """
    from pybtex.database import BibliographyData
    from pybtex.database.input.bibtex import Parser
    from pybtex.exceptions import PybtexError

    if not bibliography.is_file():
        return BibliographyData()
    try:
        return Parser().parse_file(str(bibliography))
    except PybtexError as error:
        raise PaperError(f"{bibliography.name}: {error}") from error


def render(data: Any, keys: Sequence[str]) -> list[tuple[str, str]]:
    """Format entries as HTML.

    Parameters
    ----------
    data : pybtex BibliographyData
    keys : sequence of str
        In the order of citation.

    Returns
    -------
    list of (key, html)

    Raises
    ------
    PaperError
        If an entry lacks a field that its kind needs, or its kind is unknown.
    """
    from pybtex.backends.html import Backend
    from pybtex.exceptions import PybtexError

    for key in keys:
        if not hasattr(style(), f"get_{data.entries[key].type}_template"):
            kind = data.entries[key].type
            raise PaperError(f"an entry of the bibliography cannot be printed: {key} is of the unknown kind {kind!r}")
    backend = Backend()
    try:
        entries = list(style().format_entries([data.entries[key] for key in keys])) if keys else []
        return [(key, entry.text.render(backend)) for key, entry in zip(keys, entries, strict=True)]
    except PybtexError as error:
        raise PaperError(f"an entry of the bibliography cannot be printed: {error}") from error


@cache
def style() -> Any:
    """How entries are printed; pybtex looks through all packages that are installed to find it."""
    from pybtex.style.formatting.unsrt import Style

    return Style()
