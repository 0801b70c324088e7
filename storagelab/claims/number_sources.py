"""``sources.yaml``: what the papers of measured campaigns say of their own numbers, for whoever quotes one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from storagelab.errors import StoragelabError, nearest
from storagelab.study.validation import Strict, read_model

NAME = "sources.yaml"
SYNTHESIS = "synthesis"
"""The folder beside those of the studies that holds it."""

Paper = Mapping[str, Mapping[str, object]]
"""The facts of a paper by name, as its facts.json holds them."""


class Unit(Strict):
    """What a paper takes as the unit of repetition where it compares the levels of some factors.

    Attributes
    ----------
    key : str
        Key whose levels are the units.
    factors : tuple of str
        What is compared over these units.
    says : str
        The sentence of the paper that says so.
    """

    key: str
    factors: tuple[str, ...]
    says: str


class Aggregate(Strict):
    """A way to add up clients that a paper refuses as a bandwidth.

    Attributes
    ----------
    refused : str
        The aggregate, as `storagelab.analysis.until_slowest` names it.
    says : str
        The sentence of the paper that says so.
    """

    refused: str
    says: str


class Source(Strict):
    """What a paper says of its own numbers.

    Attributes
    ----------
    levels : tuple of str
        Keys over which the paper answers apart: a quotation of one level is not one of all.
    units : tuple of Unit
    aggregates : tuple of Aggregate
    """

    levels: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()

    def refuses(self, aggregate: str) -> Aggregate | None:
        """Return what the paper says against an aggregate, None where it says nothing."""
        return next((each for each in self.aggregates if each.refused == aggregate), None)


class SourcesFile(Strict):
    """What the papers of all campaigns say of their numbers, and the words of the field for levels of keys.

    Attributes
    ----------
    sources : mapping of str to Source
    words : mapping
        Key, level, and the words by which a sentence may name that level.
    """

    sources: Mapping[str, Source] = {}
    words: Mapping[str, Mapping[str, tuple[str, ...]]] = {}

    def of(self, study: str) -> Source:
        """Return what the paper of a study says of its numbers; nothing where it has no entry."""
        return self.sources.get(study, Source())

    def named(self, key: str, level: object) -> tuple[str, ...]:
        """Return the words by which a sentence may name a level of a key."""
        spelled = f"{level:g}" if isinstance(level, float) else str(level)
        return self.words.get(key, {}).get(spelled, (spelled,))


def read_sources(folder: Path) -> SourcesFile:
    """Read the sources.yaml of a comparison; nothing is said where there is no such file.

    Raises
    ------
    SidecarError
        If it is no YAML, or breaks the model; names the file and the line.
    """
    path = folder / NAME
    return read_model(path, SourcesFile)[0] if path.exists() else SourcesFile()


def sources_beside(study: Path) -> SourcesFile:
    """Read the sources.yaml that all studies share, given the folder of one of them; see `read_sources`."""
    return read_sources(study.parent / SYNTHESIS)


def read_facts(reports: Path, studies: Sequence[str]) -> dict[str, Paper]:
    """Read the facts of the papers that are there."""
    paths = {study: reports / study / "facts.json" for study in studies}
    return {study: orjson.loads(path.read_bytes())["facts"] for study, path in paths.items() if path.exists()}


def fact_of(papers: Mapping[str, Paper], study: str, name: str) -> Mapping[str, object]:
    """Return a fact of a paper.

    Raises
    ------
    StoragelabError
        If the paper was not made, or states no such fact; says the nearest.
    """
    if study not in papers:
        raise StoragelabError(f"no facts of {study}: run `storagelab paper {study}` first")
    if name not in papers[study]:
        raise StoragelabError(f"the paper {study} states no fact {name!r}{nearest(name, papers[study])}")
    return papers[study][name]
