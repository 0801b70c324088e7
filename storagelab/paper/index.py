"""The page that lists all papers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import orjson
from markupsafe import Markup

from storagelab import writing
from storagelab.errors import PaperError
from storagelab.paper import allowed_html, number_format, style
from storagelab.study.files import folders_with

TEMPLATES = Path(__file__).parent / "template"
WANTED = ("study", "title", "abstract", "origin", "counts", "lead", "answers", "figures", "thumbnail")
GROUPS = {"synthesis": "Across all studies", "measured": "Measured campaigns", "published": "Published studies"}
"""Papers of a kind, in their order, and what stands above them."""


def build_index(root: Path) -> None:
    """Write ``reports/index.html`` over all ``reports/*/summary.json``.

    Parameters
    ----------
    root : Path
        Folder that holds reports/.

    Raises
    ------
    PaperError
        If a summary is not what a paper writes, or the page holds what `storagelab.paper.allowed_html` does not list.
    """
    reports = root / "reports"
    page = render([read_summary(folder / "summary.json") for folder in folders_with("summary.json", reports)])
    if found := allowed_html.refused(page):
        raise PaperError(f"the index holds what no page may hold (storagelab.paper.allowed_html): {'; '.join(found)}")
    writing.write_text(reports / "index.html", page)


def read_summary(path: Path) -> dict[str, Any]:
    """Read one summary, with the name of its folder."""
    try:
        summary = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise PaperError(f"{path.parent.name}/{path.name}: {error}") from error
    missing = [name for name in WANTED if name not in summary]
    if missing:
        raise PaperError(f"{path.parent.name}/{path.name} lacks {', '.join(missing)}")
    return {**summary, "folder": path.parent.name}


def render(papers: list[dict[str, Any]]) -> str:
    """Return the page."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True)
    environment.filters["css_string"] = style.css_string
    environment.filters["count"] = number_format.text
    groups = [(name, [paper for paper in papers if _group(paper) == kind]) for kind, name in GROUPS.items()]
    known = {"css": Markup(style.css()), "script": style.script(), "pinned_script": style.pinned_script()}
    return environment.get_template("papers.html.j2").render(papers=papers, groups=groups, **known)


def _group(paper: Mapping[str, Any]) -> str:
    """Kind of a paper: one without logs of its own is about several studies."""
    if not paper["counts"].get("logs"):
        return "synthesis"
    return "measured" if paper["origin"] == "measured" else "published"
