"""``storagelab new``: a project from templates, or one more study of it; nothing that is there is written over.

What a killed ``new`` left is as it would be written now: whoever calls it again finishes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2

from storagelab import __version__, writing
from storagelab.errors import StoragelabError, UnknownNameError
from storagelab.escaping.brackets import BRACKETS
from storagelab.project.listing import notebook, renew, renewed, studies

TEMPLATES = "templates"
PROJECT: Mapping[str, str] = {
    "dvc_config": ".dvc/config",
    "dvc_gitignore": ".dvc/.gitignore",
    "dvcignore": ".dvcignore",
    "gitignore": ".gitignore",
    "catalog.yml": "catalogs/storagelab.yml",
    "Makefile": "Makefile",
    "ci.yml": ".github/workflows/reports.yml",
    "README.md": "README.md",
    "requirements.txt": "requirements.txt",
    "references.bib": "notebooks/references.bib",
    "dvc.yaml": "dvc.yaml",
}
"""Template of a project -> where it goes; the last is what makes a folder one."""

SIDECAR, NOTEBOOK = "study.yaml", "notebook.txt"
STUDY: Mapping[str, str] = {SIDECAR: "raw/{study}/study.yaml", NOTEBOOK: "notebooks/{notebook}.ipynb"}
"""Template of a study -> where it goes."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Made:
    """What was made: the root of the project, the name of the study, and the files below the root."""

    root: Path
    study: str
    files: Sequence[str]


def make(path: Path, study: str = "", like: str = "") -> Made:
    """Make a project, or add a study to one; of a study that is there, only the notebook where that is missing.

    Parameters
    ----------
    path : Path
        A folder that is to become a project, or is one; or ``PROJECT/raw/STUDY``.
    study : str, optional
        Name of the study; that of the folder otherwise.
    like : str, optional
        Study of the same project whose study.yaml and notebook are taken instead of the templates, under the new name:
        keys of one's own, plan and prose are those of last year until somebody changes them.

    Raises
    ------
    StoragelabError
        If the name is none, there is no study to be like, or a file that would be written is there; names all of them.
    """
    root, name = _place(path, study)
    _check_name(name)
    wanted = _wanted(root, name)
    texts = dict(_copied(root, like, name) if like else _texts(wanted, name, _in_git(root)))
    for place in (*PROJECT.values(), *STUDY.values()):
        writing.sweep((root / place.format(study=name, notebook=notebook(name))).parent)
    there = [place for place in texts if (root / place).exists()]
    if any(renewed(texts[place], root, root / place) != _read(root / place) for place in there):
        raise _refused(root, there)
    _write(root, {place: text for place, text in texts.items() if place not in there})
    if not renew(root) and there == list(texts):
        raise _refused(root, there)
    return Made(root, name, list(texts))


def _refused(root: Path, there: Sequence[str]) -> StoragelabError:
    return StoragelabError(f"{root}: nothing was written, since {', '.join(there)} is there already")


def _read(path: Path) -> str:
    """Return the text of a file; "" where it is a folder, or no text."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _wanted(root: Path, study: str) -> Mapping[str, str]:
    """Templates of a project, of a study of one, or of the notebook alone that a study lacks."""
    if not _is_project(root):
        return {**STUDY, **PROJECT}
    known = {"study": study, "notebook": notebook(study)}
    there = {template: (root / place.format(**known)).exists() for template, place in STUDY.items()}
    return {NOTEBOOK: STUDY[NOTEBOOK]} if there[SIDECAR] and not there[NOTEBOOK] else STUDY


def _copied(root: Path, like: str, study: str) -> Iterator[tuple[str, str]]:
    """Place and text of the files of a study that are those of another, with the name changed where it stands alone."""
    if not (root / "raw" / like / "study.yaml").is_file():
        raise UnknownNameError(f"study of {root} to be like", like, studies(root))
    whole_name = re.compile(rf"(?<![\w-]){re.escape(like)}(?![\w-])")
    for place in STUDY.values():
        text = (root / place.format(study=like, notebook=notebook(like))).read_text(encoding="utf-8")
        of_cells = place == STUDY[NOTEBOOK]
        renamed = _written(_renamed(json.loads(text), whole_name, study)) if of_cells else whole_name.sub(study, text)
        yield place.format(study=study, notebook=notebook(study)), renamed


def _renamed(content: Any, name: re.Pattern[str], study: str) -> Any:
    """Write another name in all texts of a notebook."""
    if isinstance(content, str):
        return name.sub(study, content)
    if isinstance(content, list):
        return [_renamed(one, name, study) for one in content]
    if isinstance(content, dict):
        return {key: _renamed(one, name, study) for key, one in content.items()}
    return content


def _place(path: Path, study: str) -> tuple[Path, str]:
    """Tell the root of the project and the name of the study from what was named."""
    full = path.resolve()
    if full.parent.name == "raw" and _is_project(full.parent.parent):
        if study not in ("", full.name):
            raise StoragelabError(f"{path} is the folder of a study, and --study says {study!r}: name one of both")
        return path.parent.parent, full.name
    if _is_project(full) and not study:
        raise StoragelabError(f"{path} is a project: say with --study which study to add")
    return path, study or full.name


def _is_project(root: Path) -> bool:
    return (root / "dvc.yaml").is_file()


def _in_git(root: Path) -> bool:
    full = root.resolve()
    return any((folder / ".git").exists() for folder in (full, *full.parents))


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        wanted = "small letters, digits and single hyphens between them, such as nfs-2026"
        raise StoragelabError(f"name of a study {name!r}: expected {wanted}; say it with --study")


def _texts(wanted: Mapping[str, str], study: str, git: bool) -> Iterator[tuple[str, str]]:
    """Place below the root and text of each file."""
    known = {"study": study, "notebook": notebook(study), "version": __version__, "git": git}
    for name, place in wanted.items():
        kind = "study" if name in STUDY else "project"
        text = _ENVIRONMENT.from_string(_template(kind, name)).render(known)
        yield place.format(**known), _notebook(text) if place.endswith(".ipynb") else text


def _template(kind: str, name: str) -> str:
    return resources.files(__package__).joinpath(TEMPLATES, kind, name).read_text(encoding="utf-8")


_ENVIRONMENT = jinja2.Environment(
    **BRACKETS, undefined=jinja2.StrictUndefined, keep_trailing_newline=True, trim_blocks=True, autoescape=False
)


def _write(root: Path, texts: Mapping[str, str]) -> None:
    """Write a project that is new in one step, and what comes into a folder that is there file by file."""
    if root.exists():
        for place, text in texts.items():
            writing.write_text(root / place, renewed(text, root, root / place))
        return
    with writing.new_folder(root) as folder:
        for place, text in texts.items():
            writing.put(folder / place, renewed(text, folder, folder / place).encode("utf-8"))


KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
"""What Jupyter runs a notebook with; it asks for it where a notebook does not say."""


def _notebook(text: str) -> str:
    """Make a Jupyter notebook from text in which each cell begins with ``# %%``, its kind or its tag behind it."""
    _, *parts = _CELL.split(text)
    cells = [_cell(number, *pair) for number, pair in enumerate(zip(parts[::2], parts[1::2], strict=True), start=1)]
    metadata = {"authors": [], "kernelspec": KERNEL, "language_info": {"name": "python"}}
    return _written({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _written(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cell(number: int, kind: str, source: str) -> dict[str, Any]:
    said = kind.strip()
    cell: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}, "source": source.strip("\n")}
    if said == "[markdown]":
        return {**cell, "cell_type": "markdown"}
    tagged = {"metadata": {"tags": [said]}} if said else {}
    return {**cell, **tagged, "cell_type": "code", "execution_count": None, "outputs": []}
