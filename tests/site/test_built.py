"""The site builds without a warning, leads nowhere that is not there, and fetches nothing."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from storagelab import analysis, figures, parsers
from storagelab.cli import app
from tests.site import pages
from tests.site.conftest import DOCS, build

pytestmark = [pytest.mark.slow, pytest.mark.longest]
FIGURES = set(figures.__all__) - {"Drawn", "style"}
CONF = 'extensions = ["myst_nb", "workplace", "shell", "closed"]\nhtml_theme = "furo"\n'


def test_no_link_of_the_site_is_dead(site: Path) -> None:
    assert len(pages.pages(site)) > 40
    assert list(pages.dead(site)) == []


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    assert list(pages.fetched(site)) == []


def test_every_page_tells_the_browser_to_fetch_nothing(site: Path) -> None:
    import closed

    said = "; ".join(f"{kind} {where}" for kind, where in closed.POLICY.items())
    assert [path.name for path in pages.pages(site) if pages.page(path).policy != said] == []
    assert "http" not in said


def test_the_first_hour_shows_what_was_printed(site: Path) -> None:
    text = pages.page(site / "first-hour.html").text
    assert "24 logs read, 0 of them incomplete, 0 not read; 144 rows" in text
    assert "logs/fuse against logs/kernel: slower." in text
    assert "Exit status 1." in text
    assert ">    34 | write " in text


def test_every_figure_of_the_gallery_is_drawn_and_described(site: Path) -> None:
    where = [path for path in (site / "gallery").glob("*.html") if path.stem != "index"]
    drawn = [alt for path in where for alt in pages.page(path).pictures]
    assert len(drawn) == len(FIGURES)
    assert [alt for alt in drawn if len(alt) < 40] == []


def test_the_gallery_begins_with_each_figure_small_above_a_link_to_its_code(site: Path) -> None:
    page = (site / "gallery" / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r'<a href="\w+\.html#([\w-]+)"><img src="\.\./(_gallery/(\w+)\.svg)"', page)
    assert {name for *_, name in shown} == FIGURES
    assert [place for place, _, name in shown if not place.startswith(name.replace("_", "-"))] == []
    assert [file for _, file, _ in shown if not (site / file).read_bytes().rstrip().endswith(b"</svg>")] == []


def test_the_reference_has_every_command_format_function_and_error(site: Path) -> None:
    there = {name: pages.page(path).ids for path in pages.pages(site) for name in [path.stem]}
    names = [one.name or one.callback.__name__ for one in app.registered_commands]  # type: ignore[union-attr]
    assert [name for name in names if f"command-{name}" not in there["commands"]] == []
    assert [one.FORMAT.name for one in parsers.PARSERS if one.FORMAT.name not in there["formats"]] == []
    functions = set().union(*(pages.page(path).ids for path in (site / "reference" / "functions").glob("*.html")))
    wanted = [f"storagelab.analysis.{name}" for name in analysis.__all__]
    wanted += [f"storagelab.figures.{name}" for name in figures.__all__]
    assert [name for name in wanted if name not in functions] == []
    assert "storagelab.errors.AnalysisError" in there["errors"]


def test_no_path_of_this_machine_is_shown(site: Path) -> None:
    from workplace import ROOT

    assert [path.name for path in pages.pages(site) if str(ROOT) in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("page", ["planning.md", "others-logs.md", "origins.md", "provenance.md"])
def test_snippets_of_python_run_where_no_other_test_runs_them(site: Path, page: str) -> None:
    names: dict[str, object] = {}
    with contextlib.chdir(site.with_name("made-with") / "workplace"):
        for snippet in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL):
            exec(compile(snippet, page, "exec"), names)
    assert len(names) > 1


WRONG = {
    "[there](nowhere.md)": "'myst' cross-reference target not found: 'nowhere.md'",
    "```{shell}\nfalse\n```": "exit status 1, expected 0: false",
    "```{shell}\n:status: 3\ntrue\n```": "exit status 0, expected 3: true",
}


def test_a_page_that_is_wrong_stops_the_build(tmp_path: Path) -> None:
    """Each is one warning, and no more is said: one build tells of all, and warnings are what it ends with 1 for."""
    from workplace import ROOT

    (tmp_path / "docs").mkdir()
    path = f"import sys\nsys.path.insert(0, {str(ROOT / 'docs' / 'extensions')!r})\nimport workplace\n"
    nothing = "workplace.make_datasets = lambda folder: None\n"
    (tmp_path / "docs" / "conf.py").write_text(path + nothing + CONF)
    wrong = {f"page{number}": text for number, text in enumerate(WRONG)}
    listed = "\n".join(("```{toctree}", *wrong, "```"))
    for name, text in {**wrong, "index": listed}.items():
        (tmp_path / "docs" / f"{name}.md").write_text(f"# Page\n\n{text}\n")
    done = build(tmp_path / "docs", tmp_path / "site")
    assert done.returncode == 1
    warned = sorted(re.findall(r"/(\w+)\.md:\d+: (?:WARNING|ERROR): (.*)", done.stderr))
    assert [name for name, _ in warned] == [*wrong], done.stderr
    for (_, warning), said in zip(warned, WRONG.values(), strict=True):
        assert said in warning


@pytest.mark.parametrize(
    "element",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//cdn.example/x.css">',
        '<link rel="preconnect" href="https://fonts.example">',
        '<img src="http://example/x.png" alt="">',
        "<style>@import 'https://example/x.css';</style>",
        '<p style="background: url(https://example/x.png)">x</p>',
    ],
)
def test_what_would_be_fetched_is_named(tmp_path: Path, element: str) -> None:
    (tmp_path / "page.html").write_text(f"<!DOCTYPE html><html><body>{element}</body></html>")
    assert len(list(pages.fetched(tmp_path))) == 1


@pytest.mark.parametrize("link", ["other.html", "page.html#there", "#there", "folder/"])
def test_a_dead_link_is_named(tmp_path: Path, link: str) -> None:
    (tmp_path / "page.html").write_text(f'<a href="{link}">x</a><a href="#here" id="here">y</a>')
    assert list(pages.dead(tmp_path)) == [f"page.html: {link}"]
