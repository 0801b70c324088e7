"""The one script of pages: tables are sorted and filtered, papers are searched, and nothing else runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import pytest

from storagelab.paper import build_index, style, tables
from storagelab.paper.tables import Look
from tests.pages.chromium import MISSING, PROGRAM, Browser, browser

pytestmark = [pytest.mark.slow, pytest.mark.skipif(PROGRAM is None, reason=MISSING)]

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>t</title>
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; script-src '{pinned}'">
<style>{css}</style></head>
<body><main><div class="table">{table}</div></main><script>{script}</script></body></html>
"""
FIRST_CELLS = (
    "JSON.stringify([...document.querySelectorAll('tbody tr')].filter((row) => !row.hidden)"
    ".map((row) => row.cells[0].textContent))"
)


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser() as one:
        yield one


def shown(running: Browser) -> list[str]:
    found: list[str] = json.loads(running.value(FIRST_CELLS))
    return found


def press(running: Browser, head: int) -> list[str]:
    running.value(f"document.querySelectorAll('thead .sort')[{head}].click()")
    return shown(running)


def type_(running: Browser, words: str) -> str:
    """Search for words; return what the page says of it."""
    running.value(
        "(() => { const field = document.querySelector('.search input'); field.value = "
        f"{json.dumps(words)}; field.dispatchEvent(new Event('input')); }})()"
    )
    said: str = running.value("document.querySelector('.search [role=status]').textContent")
    return said


def opened(running: Browser, folder: Path, frame: pd.DataFrame, script: str = "", **look: Any) -> None:
    page = PAGE.format(
        pinned=style.pinned_script(), css=style.css(), table=tables.html(frame, Look(**look)),
        script=script or style.script(),
    )  # fmt: skip
    (folder / "page.html").write_text(page, encoding="utf-8")
    running.open(folder / "page.html")


def test_numbers_are_sorted_as_numbers_and_what_is_none_stands_last(running: Browser, tmp_path: Path) -> None:
    frame = pd.DataFrame({"job": ["b10", "b9", "a", "c"], "count": [12000.0, float("nan"), -3.5, 200.0]})
    opened(running, tmp_path, frame)
    assert press(running, 1) == ["a", "c", "b10", "b9"]
    assert running.value("document.querySelectorAll('th[aria-sort=ascending]').length") == 1
    assert press(running, 1) == ["b10", "c", "a", "b9"]
    assert press(running, 0) == ["a", "b9", "b10", "c"]
    assert running.value("document.querySelectorAll('[aria-sort]').length") == 1


def test_values_in_several_units_are_sorted_by_size(running: Browser, tmp_path: Path) -> None:
    frame = pd.DataFrame({
        "quantity": ["a", "b", "c"], "value": [2e9, 5e6, 0.25], "value_unit": ["B/s", "B/s", "s"],
    })  # fmt: skip
    opened(running, tmp_path, frame, mixed={"value": "value_unit"})
    assert running.value("document.querySelectorAll('tbody td')[0].textContent").startswith("2")
    assert press(running, 1) == ["c", "b", "a"]


def test_rows_are_filtered_and_counted(running: Browser, tmp_path: Path) -> None:
    opened(running, tmp_path, pd.DataFrame({"job": [f"job {i}" for i in range(30)], "kind": ["x", "y", "z"] * 10}))
    assert type_(running, "job 1") == "12 of 30 rows"
    assert len(shown(running)) == 12
    assert type_(running, "JOB 1  z") == "3 of 30 rows"
    assert type_(running, "<none>") == "0 of 30 rows"
    assert type_(running, "") == ""
    assert len(shown(running)) == 30


def test_no_other_script_runs(running: Browser, tmp_path: Path) -> None:
    frame = pd.DataFrame({"job": ["a", "b", "c"]})
    opened(running, tmp_path, frame)
    assert running.value("document.querySelectorAll('.sort').length") == 1
    opened(running, tmp_path, frame, script=style.script() + " ")
    assert running.value("document.querySelectorAll('.sort').length") == 0


def test_the_index_is_searched_in_answers_and_figures(running: Browser, tmp_path: Path) -> None:
    for name, answer in (("one", "Virtio is <faster>"), ("two", "Nothing is")):
        summary = {
            "study": name, "title": f"Paper {name}", "abstract": "", "lead": "All.", "origin": "measured", "dates": "",
            "counts": {"logs": 2}, "answers": [["Which?", answer]], "thumbnail": "",
            "figures": [{"name": f"Figure {i}", "anchor": f"f-{i}", "caption": f"{name} drawing {i}"} for i in (1, 2)],
        }  # fmt: skip
        (tmp_path / "reports" / name).mkdir(parents=True)
        (tmp_path / "reports" / name / "summary.json").write_bytes(orjson.dumps(summary))
    build_index(tmp_path)
    running.open(tmp_path / "reports" / "index.html")
    assert escape("<faster>") in (tmp_path / "reports" / "index.html").read_text()
    assert type_(running, "virtio") == "1 of 2 papers"
    assert (
        running.value("String([...document.querySelectorAll('details')].map((d) => d.open))")
        == "true,false,false,false"
    )
    assert type_(running, "nowhere") == "0 of 2 papers"
    assert running.value("document.querySelectorAll('section[hidden]').length") == 1
    assert type_(running, "drawing 2") == "2 of 2 papers"
    assert running.value("document.querySelectorAll('li:not([hidden]) a').length") == 2
    assert type_(running, "") == ""
    assert running.value("document.querySelectorAll('details[open], [hidden]').length") == 0
