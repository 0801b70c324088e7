"""Sentences that quote a number of another paper have to say what that paper says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from storagelab.paper.facts_as_text import in_words

FACT = re.compile(r"\{\{\s*([A-Za-z0-9_-]+)\s*(?::\s*([a-z]+)\s*)?\}\}")
"""A fact in prose: ``{{name}}`` or ``{{name:form}}``."""
_END = re.compile(r"(?<=[.!?])\s+|\n\s*(?=(?:[-*|]|\d+\.)\s)|\n\s*\n")
Facts = Mapping[str, Mapping[str, Any]]


def refused(text: str, facts: Facts) -> list[str]:
    """List what sentences leave out of numbers that they quote from other papers.

    Parameters
    ----------
    text : str
        Markdown.
    facts : mapping
        Facts by name; ``source`` may list ``demands``: each is met by ``one_of`` some words.

    Returns
    -------
    list of str
        A line a demand that is not met: the sentence, the fact, the words, and why.
    """
    return [problem for sentence in sentences(text) for problem in _of(sentence, facts)]


def sentences(text: str) -> list[str]:
    """Split Markdown into sentences, each on one line; points of lists and rows of tables are sentences, too."""
    return [" ".join(each.split()) for each in _END.split(text) if each.strip()]


def _of(sentence: str, facts: Facts) -> Iterator[str]:
    said = FACT.sub(lambda match: _word(match[1], facts), sentence).lower()
    for name in dict.fromkeys(match[1] for match in FACT.finditer(sentence)):
        for demand in facts.get(name, {}).get("source", {}).get("demands", ()):
            if not any(word.lower() in said for word in demand["one_of"]):
                words = " or ".join(repr(word) for word in demand["one_of"])
                yield f"the sentence {sentence!r} quotes {name!r} without {words}: {demand['because']}"


def _word(name: str, facts: Facts) -> str:
    return in_words(dict(facts[name])) if name in facts else name
