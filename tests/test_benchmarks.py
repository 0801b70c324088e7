"""The page of benchmarks has a place for each section; generated logs are what the tools would write."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import generate
from storagelab.ingest import read_log

COUNT = 40


@pytest.mark.parametrize("name", benchmarks.SECTIONS)
def test_every_section_has_its_place(name: str) -> None:
    page = benchmarks.PAGE.read_text(encoding="utf-8")
    before, after = page.split(f"<!-- {name} -->\n")
    assert (
        benchmarks.written(page, name, "anew\n")
        == f"{before}<!-- {name} -->\nanew\n<!-- /{name} -->" + (after.split(f"<!-- /{name} -->")[1])
    )


def test_page_says_which_sections_there_are() -> None:
    page = benchmarks.PAGE.read_text(encoding="utf-8")
    head = page.split("\n## ")[0]
    assert [name for name in benchmarks.SECTIONS if f"`{name}`" not in head] == []


def test_text_without_the_section_is_refused() -> None:
    with pytest.raises(ValueError, match="no section <!-- papers --> to <!-- /papers -->"):
        benchmarks.written("<!-- papers -->\n", "papers", "anew")


def test_unknown_section_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        benchmarks.main(["papers", "speed"])
    assert "no section speed: expected parsing, monitors" in capsys.readouterr().err


def test_measured_section_is_put_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "speed.md"
    page.write_text("a\n<!-- startup -->\nold\n<!-- /startup -->\nz\n", encoding="utf-8")
    monkeypatch.setattr(benchmarks, "PAGE", page)
    monkeypatch.setitem(benchmarks.SECTIONS, "startup", lambda folder: f"| {folder.is_dir()} |\n")
    benchmarks.main(["startup"])
    assert "old" in page.read_text(encoding="utf-8")
    benchmarks.main(["startup", "--write"])
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[2].startswith("Measured on ")
    assert lines[3:5] == ["", "| True |"]
    assert (lines[:2], lines[5:]) == (["a", "<!-- startup -->"], ["<!-- /startup -->", "z"])
    assert "startup: Measured on" in capsys.readouterr().out


@pytest.mark.parametrize("tool", generate.LOGS)
def test_generated_logs_are_whole_and_no_two_the_same(tool: str, tmp_path: Path) -> None:
    logs = [read_log(path) for path in generate.generate(tmp_path, tool, COUNT)]
    assert [log.name for log in logs if not log.parsed.complete] == []
    assert len({log.sha256 for log in logs}) == COUNT
