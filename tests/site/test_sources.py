"""Pages of the documentation: each command, function and format on them is there, and none is left out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from storagelab import analysis, figures, parsers
from storagelab.cli import app
from tests.conftest import ROOT
from tests.site.conftest import DOCS

PAGES = {str(path.relative_to(ROOT)): path for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]}
BLOCK = re.compile(r"^```\{?([\w-]+)\}?[^\n]*\n(?::[^\n]*\n)*(.*?)^```$", re.MULTILINE | re.DOTALL)
HEREDOC = re.compile(r"<<'(\w+)'.*?^\1$", re.MULTILINE | re.DOTALL)
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def commands(page: Path) -> Iterator[list[str]]:
    """Go through the calls of storagelab in the shell blocks of a page, without what the shell takes from them."""
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language in ("bash", "shell"):
            for line in HEREDOC.sub("", block).replace("\\\n", " ").splitlines():
                words = shlex.shlex(line, posix=True, punctuation_chars=True)
                words.whitespace_split, words.commenters = True, "#"
                yield from calls(list(words))


def calls(words: list[str]) -> Iterator[list[str]]:
    """Cut a line of words into commands, and keep those of storagelab with their arguments."""
    if "storagelab" not in words:
        return
    rest = words[words.index("storagelab") + 1 :]
    end = next((at for at, word in enumerate(rest) if set(word) <= set("|&;<>()")), len(rest))
    if end:
        yield rest[:end]
    yield from calls(rest[end:])


@pytest.mark.parametrize("name", PAGES)
def test_every_command_on_a_page_is_one_that_the_command_line_takes(name: str) -> None:
    for command, *arguments in commands(PAGES[name]):
        COMMANDS[command].make_context(command, list(arguments))


def test_commands_are_found_behind_each_other() -> None:
    assert list(calls(["storagelab", "new", "a", "&&", "storagelab", "check", "a", "|", "head"])) == [
        ["new", "a"],
        ["check", "a"],
    ]


@pytest.mark.parametrize("name", PAGES)
def test_every_snippet_of_python_is_python(name: str) -> None:
    for language, block in BLOCK.findall(PAGES[name].read_text(encoding="utf-8")):
        if language in ("python", "code-cell"):
            compile(re.sub(r"\A---\n.*?^---\n", "", block, flags=re.MULTILINE | re.DOTALL), name, "exec")


def test_every_analysis_stands_under_one_question() -> None:
    import reference

    rooms = {reference.room_of(name) for name in analysis.__all__}
    asked = re.compile(r"<!-- generated: functions (\w+) -->")
    shown = {path.stem: asked.findall(path.read_text()) for path in (DOCS / "reference" / "functions").glob("*.md")}
    assert {name: found for name, found in shown.items() if found} == {room: [room] for room in rooms}


def test_every_format_stands_in_one_family() -> None:
    import reference

    shown = [parser.FORMAT.name for family in reference.FAMILIES.values() for parser in family]
    known = [parser.FORMAT.name for parser in parsers.PARSERS] + [parser.FORMAT.name for parser in parsers.BINARY]
    assert sorted(shown) == sorted(known)


def test_every_format_that_has_logs_says_what_it_gives() -> None:
    """Those of fio 2 share the columns of later ones, and have no log of their own."""
    import reference

    silent = [parser.FORMAT.name for parser in parsers.PARSERS if not reference.gives(parser.FORMAT.name)]
    assert silent == ["fio2-clat-log", "fio2-slat-log", "fio2-lat-log"]


def test_every_mark_has_a_part() -> None:
    import reference

    marks = {mark.split()[0] for path in PAGES.values() for mark in reference.MARK.findall(path.read_text())}
    assert marks == set(reference.PARTS)


def test_every_figure_is_in_the_gallery() -> None:
    gallery = "\n".join(path.read_text() for path in (DOCS / "gallery").glob("*.md"))
    drawn = set(re.findall(r"\bfigures\.(\w+)\(", gallery))
    assert drawn == set(figures.__all__) - {"Drawn", "style"}
