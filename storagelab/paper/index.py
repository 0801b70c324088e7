"""The page that lists all papers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import orjson
from markupsafe import Markup

from storagelab import writing
from storagelab.errors import PaperError
from storagelab.paper import allowed, style

TEMPLATES = Path(__file__).parent / "template"
WANTED = ("study", "title", "abstract", "origin", "counts")


def build_index(root: Path) -> None:
    """Write ``reports/index.html`` over all ``reports/*/summary.json``.

    Parameters
    ----------
    root : Path
        Folder that holds reports/.

    Raises
    ------
    PaperError
        If a summary is not what a paper writes, or the page holds anything but what `storagelab.paper.allowed` lists.
    """
    reports = root / "reports"
    page = render([read_summary(path) for path in sorted(reports.glob("*/summary.json"))])
    if found := allowed.refused(page):
        raise PaperError(f"the index holds what no page may hold (storagelab.paper.allowed): {'; '.join(found)}")
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
    return environment.get_template("papers.html.j2").render(papers=papers, css=Markup(style.css()))
