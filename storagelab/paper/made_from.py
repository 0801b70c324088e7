"""What a paper is made from: name and SHA-256 of each file, and of the code, so that a page alone can say it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import storagelab
from storagelab.paper.notebooks import file_of, stripped

CODE = (
    "__init__.py", "analysis", "claims", "counter_differences.py", "dataset", "days_and_rounds.py", "deprecated.py",
    "entry_points.py", "errors.py", "escaping", "figures", "ingest", "lineage.py", "optional_packages.py", "paper",
    "parsers", "pinned_environment.py", "schema", "study", "truncated_hdf5.py", "units.py", "wording", "writing",
)  # fmt: skip
"""Parts of storagelab that a paper depends on, as dvc.yaml lists them for its stage."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that a paper is made from.

    Attributes
    ----------
    kind : str
        dataset, ledger, notebook, bibliography, pins or code.
    name : str
        Path below the root of the project; of code, name and version.
    sha256 : str
    """

    kind: str
    name: str
    sha256: str


def parts(root: Path, study: str) -> list[Part]:
    """List what the paper of a study is made from, those files that are there.

    Parameters
    ----------
    root : Path
        Folder of the project.
    study : str
    """
    return [*_files(root, study), *_notebook(root, study), Part("code", f"storagelab {storagelab.__version__}", code())]


def _files(root: Path, study: str) -> Iterator[Part]:
    wanted = {
        f"reports/{study}/dataset.nc": "dataset",
        f"reports/{study}/claims.json": "ledger",
        "notebooks/references.bib": "bibliography",
        "requirements/reports.txt": "pins",
        "requirements.txt": "pins",
    }
    for name, kind in wanted.items():
        if (root / name).is_file():
            yield Part(kind, name, hashlib.sha256((root / name).read_bytes()).hexdigest())


def _notebook(root: Path, study: str) -> Iterator[Part]:
    """The notebook as a person wrote it: opening it in Jupyter makes no other paper."""
    path = root / file_of(study)
    if path.is_file():
        yield Part("notebook", file_of(study), hashlib.sha256(stripped(path).encode()).hexdigest())


@cache
def code() -> str:
    """SHA-256 of the code that papers depend on."""
    return digest(Path(__file__).parent.parent)


def digest(home: Path) -> str:
    """SHA-256 over the names and the bytes of all files of `CODE` below a folder, but for what Python compiled."""
    found = hashlib.sha256()
    for part in CODE:
        for file in sorted(_below(home / part)):
            found.update(f"{file.relative_to(home).as_posix()}\0{file.stat().st_size}\0".encode())
            found.update(file.read_bytes())
    return found.hexdigest()


def _below(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    else:
        yield from (file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
