"""Lists of studies in dvc.yaml and catalogs, found in the folders of a project, so that nobody edits them.

A list stands between two comments, the first of which says for what there is a line, and how that looks::

    # for each measured study: - reports/{study}/figures
    - reports/nfs-2026/figures
    # end
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from storagelab import writing
from storagelab.errors import StoragelabError
from storagelab.study.files import folders_with, is_file, visible

PUBLISHED = "published.yaml"
"""What a study has whose logs are rendered from printed numbers."""

_BEGIN = re.compile(r"(?P<indent>\s*)# for each (?P<kind>[^:]+): (?P<line>.*\S)\s*")
_END = re.compile(r"\s*# end\s*")


def notebook(study: str) -> str:
    """Name of the notebook of a study, without its suffix."""
    return study.replace("-", "_")


def studies(root: Path) -> list[str]:
    """Names of the studies of a project, sorted: folders below raw/ with a study.yaml."""
    return [folder.name for folder in folders_with("study.yaml", root / "raw")]


def _measured(root: Path) -> list[str]:
    return [name for name in studies(root) if not is_file(root / "raw" / name / PUBLISHED)]


def _published(root: Path) -> list[str]:
    return [name for name in studies(root) if is_file(root / "raw" / name / PUBLISHED)]


def _papers(root: Path) -> list[str]:
    """Studies, and what else below raw/ has a notebook: papers over several studies."""
    below = (path.name for path in visible(root / "raw"))
    others = {name for name in below if is_file(root / "notebooks" / f"{notebook(name)}.ipynb")}
    return sorted({*studies(root), *others})


KINDS: Mapping[str, Callable[[Path], Sequence[str]]] = {
    "study": studies, "measured study": _measured, "published study": _published, "paper": _papers,
}  # fmt: skip


def renew(root: Path) -> list[Path]:
    """Bring the lists of a project up to date; return the files that changed.

    Raises
    ------
    StoragelabError
        If a list is for what nobody knows, or has no end; names file and line.
    """
    changed = []
    for path in (root / "dvc.yaml", *visible(root / "catalogs")):
        if path.suffix in (".yaml", ".yml") and is_file(path):
            writing.sweep(path.parent)
            before = path.read_text(encoding="utf-8")
            if (now := renewed(before, root, path)) != before:
                writing.write_text(path, now)
                changed.append(path)
    return changed


def renewed(text: str, root: Path, path: Path) -> str:
    """Return the text of a file with its lists as they are to be.

    Raises
    ------
    StoragelabError
        As `renew`.
    """
    return "".join(_lines(text.splitlines(keepends=True), root, path))


def _lines(lines: Sequence[str], root: Path, path: Path) -> Iterator[str]:
    rest = iter(enumerate(lines, start=1))
    for number, line in rest:
        yield line
        if begun := _BEGIN.fullmatch(line):
            if begun["kind"] not in KINDS:
                raise StoragelabError(f"{path}:{number}: a list for each {begun['kind']!r}: known: {', '.join(KINDS)}")
            for name in KINDS[begun["kind"]](root):
                yield (
                    begun["indent"]
                    + begun["line"].replace("{study}", name).replace("{notebook}", notebook(name))
                    + "\n"
                )
            end = next((line for _, line in rest if _END.fullmatch(line)), None)
            if end is None:
                raise StoragelabError(f"{path}:{number}: a list without `# end`")
            yield end
