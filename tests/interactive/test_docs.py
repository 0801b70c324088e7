"""The page on the accessor names every verb and no other, and its snippets run."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import storagelab
from storagelab import analysis, figures
from storagelab.interactive import NodeStorage, StudyStorage
from storagelab.interactive.figure_kinds import PLACES
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "interactive.md").read_text(encoding="utf-8")
VERBS = {name: member for name, member in inspect.getmembers(NodeStorage, inspect.isfunction) if name[0] != "_"}
ROWS = re.findall(r"^\| `(\w+)\((.*?)\)` \| (.*?) \|", PAGE, re.MULTILINE)


def test_every_verb_is_on_the_page_with_its_arguments() -> None:
    assert {name for name, *_ in ROWS} == set(VERBS)
    for name, arguments, _ in ROWS:
        own = [str(parameter) for parameter in inspect.signature(VERBS[name]).parameters.values()][1:]
        shown = [text.partition(":")[0] for text in own]
        assert arguments.split(", ") == [text for text in shown if text != "**options"] or not arguments


def test_every_function_that_a_verb_calls_is_there() -> None:
    rooms = {"storagelab": storagelab, "analysis": analysis, "figures": figures}
    for _, _, called in ROWS:
        for room, function in re.findall(r"`(\w+)\.(\w+)`", called):
            assert hasattr(rooms[room], function)
    (_, _, kinds) = next(row for row in ROWS if row[0] == "plot")
    assert re.findall(r"`(?:figures\.)?(\w+)`", kinds) == list(PLACES)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_documented_with_an_example(verb: str) -> None:
    words = VERBS[verb].__doc__ or ""
    assert "Returns\n" in words
    assert "Examples\n" in words
    assert f".storage.{verb}(" in words


def test_a_study_has_the_same_verbs() -> None:
    assert {name for name, _ in inspect.getmembers(StudyStorage, inspect.isfunction) if name[0] != "_"} == {
        *VERBS,
        "validity",
    }


@pytest.mark.slow
def test_the_snippets_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    for snippet in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(snippet, "docs/interactive.md", "exec"), names)
    assert names["rates"].sizes == {"operation": 2, "mount": 2, "branching": 3}
    assert names["rates"].notnull().all()
    assert set(names["means"]["n"].values) == {3.0}
