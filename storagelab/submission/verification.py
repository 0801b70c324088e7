"""Whether a page is what data and code make of it: what it says it is made from, what is here, and the page anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from storagelab import dataset, ingest, writing
from storagelab.errors import PaperError, shorten
from storagelab.paper import build_paper
from storagelab.paper.build import OUTPUTS
from storagelab.paper.made_from import Part, parts

BEGIN, END = '<script type="application/ld+json">\n', "\n</script>"
"""What stands before and behind the data for machines in a page."""
DATASET = "dataset"


@dataclass(frozen=True, slots=True)
class Said:
    """What a page says of itself: its study, its title, and what it is made from."""

    study: str
    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A part that a page says it is made from, and the SHA-256 of what is here; "" where nothing is."""

    part: Part
    here: str

    @property
    def same(self) -> bool:
        """Whether it is the same here."""
        return self.part.sha256 == self.here


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of a comparison.

    Attributes
    ----------
    said : Said
    compared : tuple of Compared
        Nothing where the study of the page is not here.
    difference : str or None
        Where the page that was built anew is another: the first line of both; "" where it is the same, byte by byte;
        None where it was not built.
    beside : mapping of str to bool
        Files beside the page that were built anew with it (figures, tables, numbers), and whether they are the same.
    """

    said: Said
    compared: tuple[Compared, ...]
    difference: str | None
    beside: Mapping[str, bool] = field(default_factory=dict)

    @property
    def differing_files(self) -> list[str]:
        """Files beside the page that are others when they are built anew."""
        return [name for name, same in self.beside.items() if not same]

    @property
    def differs(self) -> bool:
        """Whether anything is not what the page says it is."""
        return bool(self.difference or self.differing_files) or not all(one.same for one in self.compared)


def said_by(page: Path) -> Said:
    """Read what a page says that it is made from.

    Parameters
    ----------
    page : Path
        A paper.html, wherever it is.

    Raises
    ------
    PaperError
        If it does not say so: it is no paper of storagelab, or was exported outside its project.
    """
    text = page.read_text(encoding="utf-8", errors="replace")
    said = text.partition(BEGIN)[2].partition(END)[0]
    try:
        content: Mapping[str, Any] = orjson.loads(said) if said else {}
        made = tuple(Part(one["additionalType"], one["name"], one["sha256"]) for one in content.get("isBasedOn", ()))
        title = str(content.get("headline", ""))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PaperError(f"{page}: expected what a paper says of itself as JSON-LD, found {error!r}") from None
    study = next((Path(part.name).parent.name for part in made if part.kind == DATASET), "")
    if not study:
        raise PaperError(f"{page}: does not say what it is made from: expected a paper that `storagelab paper` wrote")
    return Said(study, title, made)


def verify(page: Path, root: Path, *, rebuild: bool = True) -> Verified:
    """Compare a page with the project that it says it comes from.

    Parameters
    ----------
    page : Path
    root : Path
        Folder of the project; nothing in it is changed.
    rebuild : bool
        Whether dataset and page are made anew from the raw logs, in a folder of their own, and compared.

    Raises
    ------
    PaperError
        If the page does not say what it is made from, or cannot be built.
    """
    said = said_by(page)
    if not (root / "raw" / said.study).is_dir():
        return Verified(said, (), None)
    if not rebuild:
        return Verified(said, _compared(said, root), None)
    with _copy(root, said.study) as copy:
        compared = _compared(said, copy)
        build_paper(said.study, copy)
        anew = copy / "reports" / said.study / "paper.html"
        difference = first_difference(page.read_bytes(), anew.read_bytes())
        return Verified(said, compared, difference, dict(_beside(page, anew)))


def _beside(page: Path, anew: Path) -> Iterator[tuple[str, bool]]:
    """Files that stand beside both pages, and whether they are the same byte by byte."""
    made = [path for name in OUTPUTS for path in (anew.parent / name, *(anew.parent / name).rglob("*"))]
    for path in sorted(path for path in made if path.is_file() and path != anew):
        name = path.relative_to(anew.parent)
        if (page.parent / name).is_file():
            yield name.as_posix(), (page.parent / name).read_bytes() == path.read_bytes()


def _compared(said: Said, root: Path) -> tuple[Compared, ...]:
    here = {_key(part): part.sha256 for part in parts(root, said.study)}
    return tuple(Compared(part, here.get(_key(part), "")) for part in said.parts)


def _key(part: Part) -> str:
    """What a part is found by; the name of the code says its version, which may be another here."""
    return part.kind if part.kind == "code" else part.name


@contextmanager
def _copy(root: Path, study: str) -> Iterator[Path]:
    """Make a project that has all of another but what is to be made anew; the dataset is made from the raw logs."""
    with writing.scratch() as copy:
        reports = copy / "reports"
        writing.link((root / name for name in ("notebooks", "raw", "requirements", "requirements.txt")), copy)
        writing.link((other for other in (root / "reports").glob("*") if other.name != study), reports)
        writing.link(
            (file for file in (root / "reports" / study).glob("*") if file.name not in OUTPUTS), reports / study
        )
        if (root / "raw" / study / "study.yaml").is_file():
            writing.remove(reports / study / "dataset.nc")
            dataset.save(ingest.ingest(root / "raw" / study), reports / study / "dataset.nc")
        yield copy


def first_difference(one: bytes, other: bytes) -> str:
    """Say where two texts begin to differ: the number of the line, and the line in both; "" where they never do."""
    if one == other:
        return ""
    lines, others = ([*text.splitlines(), b"(its end)"] for text in (one, other))
    pairs = enumerate(zip(lines, others, strict=False), start=1)
    number, (here, there) = next((pair for pair in pairs if pair[1][0] != pair[1][1]), (0, (b"", b"")))
    start = next((place for place, pair in enumerate(zip(here, there, strict=False)) if pair[0] != pair[1]), 0)
    shown = [shorten(text[max(0, start - 20) : start + 60].decode("utf-8", "replace")) for text in (here, there)]
    return f"line {number}: {shown[0]!r} in the page, {shown[1]!r} when it is built anew"
