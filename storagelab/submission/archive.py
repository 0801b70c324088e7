"""``storagelab bundle``: a paper with all that it is made from as one zip, the same bytes each time.

Unpacked it is a project, in which `storagelab verify` builds the paper anew. It is a research object as well
(`storagelab.submission.ro_crate`), so that archives can show what is in it.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson

from storagelab import writing
from storagelab.errors import PaperError
from storagelab.paper import front_matter, notebooks
from storagelab.study.files import files_below
from storagelab.submission import figures, ro_crate

LISTING = "SHA256SUMS"
SHARED = ("notebooks/references.bib", "requirements/reports.txt", "requirements.txt", "LICENSE", "CITATION.cff")
"""Files of a project that belong to each of its papers, where they are there."""
DAY_ZERO = (1980, 1, 1, 0, 0, 0)
"""The time that a zip gives to each file: the earliest that it can say."""


def bundle(study: str, root: Path, output: Path, venue: str = "") -> int:
    """Write a paper, the data and the notebook that it is made from, and their checksums as one zip.

    Parameters
    ----------
    study : str
    root : Path
        Folder of the project.
    output : Path
        The zip; it appears whole or not at all.
    venue : str, optional
        Name or width, as `storagelab.submission.venue` reads it: figures in its column go into `submission/`.

    Returns
    -------
    int
        How many files it holds.

    Raises
    ------
    PaperError
        If the paper was not built.
    """
    files = dict(sorted(_files(study, root)))
    if f"reports/{study}/paper.html" not in files:
        raise PaperError(f"no paper reports/{study}/paper.html: build it first with `storagelab paper {study}`")
    held = {name: path.read_bytes() for name, path in files.items()} | _figures(study, root, venue)
    made = _described(study, root, held)
    with writing.new_file(output) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(made.items()):
            archive.writestr(_entry(name), data)
    return len(made)


def _files(study: str, root: Path) -> Iterator[tuple[str, Path]]:
    """Name in the archive and place of each file that is there."""
    for folder in (f"reports/{study}", f"raw/{study}"):
        for path in files_below(root / folder):
            yield path.relative_to(root).as_posix(), path
    for name in (*SHARED, notebooks.file_of(study)):
        if (root / name).is_file():
            yield name, root / name


def _figures(study: str, root: Path, venue: str) -> dict[str, bytes]:
    """Draw all figures for a venue, if one is named."""
    if not venue:
        return {}
    drawn = figures.printed(study, root, figures.venue(venue))
    return {f"submission/figures/{name}": data for name, data in figures.named(drawn, list(figures.FORMATS)).items()}


def _described(study: str, root: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Add what says what the files are, how they are checked, and their checksums."""
    notebook = root / notebooks.file_of(study)
    metadata = orjson.loads(notebook.read_bytes())["metadata"] if notebook.is_file() else {}
    summary = orjson.loads(files[f"reports/{study}/summary.json"])
    about = ro_crate.About(study, summary, front_matter.read(metadata, notebook.name))
    made = {**files, "README.md": _readme(study, summary["title"]).encode()}
    made[ro_crate.NAME] = ro_crate.metadata(about, made)
    return {**made, LISTING: _sums(made)}


def _sums(files: Mapping[str, bytes]) -> bytes:
    """Write checksums as `sha256sum` does."""
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())).encode()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, DAY_ZERO)
    entry.external_attr = 0o100644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _readme(study: str, title: str) -> str:
    return f"""# {title}

The paper is `reports/{study}/paper.html`. It opens in any browser and fetches nothing.

- `sha256sum --check {LISTING}` compares every file with its checksum.
- `storagelab verify reports/{study}/paper.html` makes dataset and paper anew from the logs in `raw/{study}`, and
  compares them with these, byte by byte. `requirements` has the versions of all packages.
- `{ro_crate.NAME}` describes all files as a research object (RO-Crate).
"""
