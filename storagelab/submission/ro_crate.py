"""The description of an archive as a research object: RO-Crate 1.1, profile Process Run Crate 0.5.

Sources: https://www.researchobject.org/ro-crate/1.1/ and https://www.researchobject.org/workflow-run-crate/profiles/
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

import orjson

import storagelab
from storagelab.paper.front_matter import Author, Front

NAME = "ro-crate-metadata.json"
CONTEXT = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "http://schema.org/sha256"}]
"""Checksums have no name of their own in RO-Crate 1.1."""
CRATE = "https://w3id.org/ro/crate/1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
SOFTWARE = "#storagelab"

FORMATS = {
    ".csv": "text/csv", ".html": "text/html", ".ipynb": "application/x-ipynb+json", ".json": "application/json",
    ".md": "text/markdown", ".nc": "application/x-netcdf", ".png": "image/png", ".svg": "image/svg+xml",
    ".tex": "application/x-tex", ".yaml": "application/yaml",
    ".bz2": "application/x-bzip2", ".gz": "application/gzip", ".xz": "application/x-xz", ".zst": "application/zstd",
}  # fmt: skip
"""Media types by the end of a name; all else is a log, and plain text."""

Entity = dict[str, Any]


@dataclass(frozen=True, slots=True)
class About:
    """What is described: the study, what summary.json says of its paper, and the front matter."""

    study: str
    summary: Mapping[str, Any]
    front: Front

    @property
    def days(self) -> Sequence[str]:
        """First and last day of the data, or one day, or nothing."""
        return str(self.summary.get("dates", "")).split(" to ") if self.summary.get("dates") else []

    @property
    def published(self) -> str:
        """Day of this version; else the last day of the data."""
        return self.front.date.split("/")[-1] or (self.days[-1] if self.days else "")


def metadata(about: About, files: Mapping[str, bytes]) -> bytes:
    """Write what an archive holds and how it was made.

    Parameters
    ----------
    about : About
    files : mapping of str to bytes
        Name in the archive -> content.
    """
    entities = [
        {"@id": NAME, "@type": "CreativeWork", "about": _link("./"), "conformsTo": _link(CRATE)},
        _root(about, sorted(files)),
        {"@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
        *_agents(about.front.authors),
        *_license(about.front),
        {"@id": SOFTWARE, "@type": "SoftwareApplication", "name": "storagelab",
         "softwareVersion": storagelab.__version__, "description": "From raw storage benchmark logs to papers"},
        *_actions(about, sorted(files)),
        *(_file(name, data) for name, data in sorted(files.items())),
    ]  # fmt: skip
    content = {"@context": CONTEXT, "@graph": [_without_nothing(entity) for entity in entities]}
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _root(about: About, names: Sequence[str]) -> Entity:
    return {
        "@id": "./", "@type": "Dataset", "name": about.summary["title"], "description": about.summary["abstract"],
        "datePublished": about.published, "author": _links(map(_id, about.front.authors)),
        "license": _link(about.front.license_address) if about.front.license else "",
        "identifier": f"https://doi.org/{about.front.doi}" if about.front.doi else "", "version": about.front.version,
        "conformsTo": _link(PROFILE), "hasPart": _links(map(_address, names)),
        "mentions": [_link(action["@id"]) for action in _actions(about, names)],
    }  # fmt: skip


def _actions(about: About, names: Sequence[str]) -> list[Entity]:
    """What was run: the dataset from the logs, and the paper from the dataset."""
    reports = f"reports/{about.study}/"
    dataset, raw = f"{reports}dataset.nc", [name for name in names if name.startswith("raw/")]
    sources = [name for name in names if name.startswith("notebooks/") or name == dataset]
    paper = [name for name in names if name.startswith(reports) and name not in (dataset, f"{reports}notebook.ipynb")]
    return [
        _action("ingest", "One dataset is made from the raw logs.", raw, [dataset] * (dataset in names), about),
        _action("paper", "Page, figures, tables and numbers are made from the dataset.", sources, paper, about),
    ]


def _action(verb: str, what: str, used: Sequence[str], made: Sequence[str], about: About) -> Entity:
    return {
        "@id": f"#{verb}", "@type": "CreateAction", "name": f"storagelab {verb} {about.study}", "description": what,
        "instrument": _link(SOFTWARE), "object": _links(map(_address, used)), "result": _links(map(_address, made)),
        "agent": _links(map(_id, about.front.authors)),
    }  # fmt: skip


def _agents(authors: Sequence[Author]) -> Iterator[Entity]:
    for author in authors:
        place = f"#{author.affiliation.replace(' ', '-')}" if author.affiliation else ""
        yield {
            "@id": _id(author), "@type": author.type.capitalize(), "name": author.name,
            "affiliation": _link(place) if place else "",
        }  # fmt: skip
        if place:
            yield {"@id": place, "@type": "Organization", "name": author.affiliation}


def _license(front: Front) -> Iterator[Entity]:
    if front.license:
        yield {"@id": front.license_address, "@type": "CreativeWork", "name": front.license,
               "description": f"Licence {front.license} of the SPDX list"}  # fmt: skip


def _file(name: str, data: bytes) -> Entity:
    return {
        "@id": _address(name), "@type": "File", "name": name, "contentSize": str(len(data)),
        "encodingFormat": _format(name), "sha256": hashlib.sha256(data).hexdigest(),
    }  # fmt: skip


def _format(name: str) -> str:
    suffix = PurePosixPath(name).suffix.lower()
    return FORMATS.get(suffix, "text/plain")


def _id(author: Author) -> str:
    return f"https://orcid.org/{author.orcid}" if author.orcid else f"#{author.name.replace(' ', '-')}"


def _address(name: str) -> str:
    """Write the name of a file as an address relative to the crate."""
    return quote(name)


def _link(id: str) -> Entity:
    return {"@id": id}


def _links(ids: Iterable[str]) -> list[Entity] | Entity:
    """Name entities; one alone stands without a list around it, as RO-Crate recommends."""
    links = [_link(id) for id in ids]
    return links[0] if len(links) == 1 else links


def _without_nothing(entity: Mapping[str, Any]) -> Entity:
    return {name: value for name, value in entity.items() if value not in ("", [], None)}
