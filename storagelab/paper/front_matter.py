"""Who wrote a paper, and how it is cited: what the metadata of its notebook say, for people and for machines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import pydantic

from storagelab.errors import PaperError, nearest
from storagelab.study.fields import Date
from storagelab.study.validation import Strict, doc, dotted
from storagelab.study.violations import in_words

_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_DOI = re.compile(r"10\.\d{4,9}/[^\s<>\"\\{}]+")
_LICENSE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
_WEB = re.compile(r"https?://[^\s<>\"\\{}]+")


def _orcid(text: str) -> str:
    """Refuse what is no ORCID iD: sixteen digits, of which the last is a checksum (ISO 7064, MOD 11-2)."""
    if text and not (_ORCID.fullmatch(text) and _checksum(text[:-1].replace("-", "")) == text[-1]):
        raise ValueError(f"expected an ORCID iD such as 0000-0002-1825-0097, found {text!r}")
    return text


def _checksum(digits: str) -> str:
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    found = (12 - total % 11) % 11
    return "X" if found == 10 else str(found)


def _written(pattern: re.Pattern[str], wanted: str) -> pydantic.AfterValidator:
    def check(text: str) -> str:
        if text and not pattern.fullmatch(text):
            raise ValueError(f"expected {wanted}, found {text!r}")
        return text

    return pydantic.AfterValidator(check)


class Author(Strict):
    """Who wrote a paper: a person, or an organization that signs as one."""

    name: Annotated[str, pydantic.StringConstraints(min_length=1, strip_whitespace=True)] = doc(..., "as it is printed")
    type: Literal["person", "organization"] = doc("person", "an organization's name is never cut into parts")
    orcid: Annotated[str, pydantic.AfterValidator(_orcid)] = doc("", "ORCID iD, without https://orcid.org/")
    affiliation: str = doc("", "where the author works")


class Front(Strict):
    """What the metadata of a notebook say of the paper.

    Parameters
    ----------
    authors : tuple of Author
    date : str
        Day of this version in ISO 8601.
    version, doi, license : str
        A DOI without https://doi.org/; an identifier of the SPDX licence list.
    repository : str
        Address of the project that the paper is built from.
    key_figure : str
        Id of the figure that stands under the findings.
    """

    authors: tuple[Author, ...] = doc((), "who wrote the paper")
    date: Date = doc("", "day of this version, in ISO 8601")
    version: str = doc("", "of the paper")
    license: Annotated[str, _written(_LICENSE, "an SPDX identifier such as CC-BY-4.0")] = doc("", "SPDX identifier")
    doi: Annotated[str, _written(_DOI, "a DOI such as 10.5281/zenodo.1234")] = doc("", "without https://doi.org/")
    repository: Annotated[str, _written(_WEB, "an address of the web")] = doc("", "address of the project")
    key_figure: str = doc("", "id of the figure under the findings; by default the one that the first finding rests on")

    @property
    def year(self) -> str:
        """Year of this version, or "" where no date is said."""
        return self.date.split("/")[-1][:4]

    @property
    def license_address(self) -> str:
        """Where the licence can be read."""
        return f"https://spdx.org/licenses/{self.license}.html" if self.license else ""


METADATA = tuple(Front.model_fields)
"""Names in the metadata of a notebook that are the front matter of its paper."""


def read(metadata: Mapping[str, Any], notebook: str) -> Front:
    """Read the front matter of a paper.

    Parameters
    ----------
    metadata : mapping
        Of the notebook; names that are none of `METADATA` are Jupyter's.
    notebook : str
        Its name, for messages.

    Raises
    ------
    PaperError
        If a value is not what it is to be; names all of them.
    """
    said = {name: metadata[name] for name in METADATA if name in metadata}
    try:
        return Front.model_validate(said)
    except pydantic.ValidationError as error:
        raise PaperError("\n".join(_violations(error, notebook))) from None


def _violations(error: pydantic.ValidationError, notebook: str) -> Iterator[str]:
    for found in error.errors(include_url=False):
        message = in_words(found)
        if found["type"] == "extra_forbidden":
            message = f"no such name{nearest(str(found['loc'][-1]), Author.model_fields)}"
        yield f"{notebook}: metadata.{dotted(found['loc'])}: {message}"


def bibtex(front: Front, title: str, study: str) -> str:
    """Write how a paper is cited, as an entry of BibTeX.

    Parameters
    ----------
    front : Front
    title : str
        Plain text.
    study : str
        Its key.
    """
    from pybtex.database import BibliographyData, Entry, Person

    fields = {
        "title": _braced(title), "year": front.year, "doi": front.doi, "url": front.repository,
        "note": ", ".join(filter(None, [f"Version {front.version}" if front.version else "", f"study {study}"])),
    }  # fmt: skip
    persons = [Person(_name(author)) for author in front.authors]
    entry = Entry("misc", fields={name: text for name, text in fields.items() if text}, persons={"author": persons})
    written: str = BibliographyData({study: entry}).to_string("bibtex")
    return written.strip()


def _name(author: Author) -> str:
    """Write a name as BibTeX reads it; of more than two commas it would not know which part is which."""
    cut = author.type == "person" and author.name.count(",") <= 2
    return author.name.translate(_BRACES) if cut else _braced(author.name)


def _braced(text: str) -> str:
    """Keep a text as it is: BibTeX changes neither case nor order of what stands in braces."""
    return f"{{{text.translate(_BRACES)}}}"


_BRACES = {ord("{"): "(", ord("}"): ")"}


def citation_metadata(front: Front, title: str) -> list[tuple[str, str]]:
    """Name and content of each ``meta`` by which search engines of scholars know a paper (Highwire Press)."""
    return [("citation_title", title), *_of_authors(front.authors), *_of_version(front)]


def _of_authors(authors: Sequence[Author]) -> Iterator[tuple[str, str]]:
    for author in authors:
        yield "citation_author", author.name
        if author.affiliation:
            yield "citation_author_institution", author.affiliation
        if author.orcid:
            yield "citation_author_orcid", f"https://orcid.org/{author.orcid}"


def _of_version(front: Front) -> Iterator[tuple[str, str]]:
    if front.date:
        yield "citation_publication_date", front.date.split("/")[-1].replace("-", "/")
    if front.doi:
        yield "citation_doi", front.doi


def scholarly_article(front: Front, title: str, abstract: str) -> dict[str, Any]:
    """Describe a paper in the words of schema.org, without what nobody said."""
    said = {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "headline": title,
        "abstract": abstract,
        "author": [_agent(author) for author in front.authors],
        "datePublished": front.date.split("/")[-1],
        "version": front.version,
        "license": front.license_address,
        "identifier": f"https://doi.org/{front.doi}" if front.doi else "",
        "isPartOf": front.repository,
    }
    return {name: value for name, value in said.items() if value}


def _agent(author: Author) -> dict[str, Any]:
    said = {
        "@type": author.type.capitalize(),
        "@id": f"https://orcid.org/{author.orcid}" if author.orcid else "",
        "name": author.name,
        "affiliation": {"@type": "Organization", "name": author.affiliation} if author.affiliation else "",
    }
    return {name: value for name, value in said.items() if value}
