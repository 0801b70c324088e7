"""Cards: what opens where a reader asks a number where it comes from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from storagelab.errors import PaperError
from storagelab.paper import number_cards, numbers_in_sidecars, numbers_without_lines
from storagelab.paper.document import Document, compose
from tests.paper.conftest import STUDY, notebook, opened, stated


def document(bibliography: Path, prose: str, *facts: Any) -> Document:
    return compose(notebook("# T", "## Abstract\n\nA.", ("x()", [opened(), *facts]), prose), bibliography)


def lines(log: str) -> list[str]:
    return [f"line {number} of {log}" for number in range(1, 10)]


def test_a_card_shows_the_first_log_from_first_to_last_and_the_first_lines_of_others(bibliography: Path) -> None:
    trace = {f"raw/x/{name}.log": [3, 4, 5] for name in "abcdef"}
    (card,) = number_cards.cards(document(bibliography, "{{a}}", stated("a", 1, trace=trace), stated("b", 2)), lines)
    assert [(sample.log, sample.line, sample.text) for sample in card.samples] == [
        (f"raw/x/{name}.log", line, f"line {line} of raw/x/{name}.log")
        for name, line in (("a", 3), ("a", 5), ("b", 3), ("c", 3))
    ]
    assert (card.logs, card.lines, card.shown) == (6, 18, 4)


def test_a_card_shows_a_row_of_a_table_below_its_heading_beside_lines_of_logs(bibliography: Path) -> None:
    trace = {"raw/x/a.log": [3, 5], "raw/x/b.log": [3], "raw/x/runs.csv": [7, 9]}
    (card,) = number_cards.cards(document(bibliography, "{{a}}", stated("a", 1, trace=trace)), lines)
    shown = [(sample.log, sample.line, sample.is_heading) for sample in card.samples]
    assert shown == [
        ("raw/x/a.log", 3, False), ("raw/x/a.log", 5, False), ("raw/x/runs.csv", 1, True), ("raw/x/runs.csv", 7, False),
    ]  # fmt: skip
    assert (card.lines, card.shown) == (5, 3)


def test_of_several_tables_a_card_shows_the_heading_of_the_first(bibliography: Path) -> None:
    trace = {"raw/x/plan.csv": [4], "raw/x/runs.csv": [7, 8, 9]}
    (card,) = number_cards.cards(document(bibliography, "{{a}}", stated("a", 1, trace=trace)), lines)
    assert [(sample.log, sample.line, sample.is_heading) for sample in card.samples] == [
        ("raw/x/plan.csv", 1, True), ("raw/x/plan.csv", 4, False),
        ("raw/x/runs.csv", 7, False), ("raw/x/runs.csv", 8, False),
    ]  # fmt: skip


def test_long_cells_of_a_table_are_cut_and_all_others_stay(bibliography: Path) -> None:
    row = f"a.log,{'fio ' * 30},2026-11-20T16:40:04.444+00:00,0.1168"
    made = document(bibliography, "{{a}}", stated("a", 1, trace={"raw/x/runs.csv": [2]}))
    (card,) = number_cards.cards(made, lambda log: ["file,command,started_utc,elapsed_s", row])
    assert [sample.text.count(",") for sample in card.samples] == [3, 3]
    assert card.samples[1].text.endswith("...,2026-11-20T16:40:04.444+00:00,0.1168")


def test_what_a_quoted_fact_is_computed_from_has_a_card(bibliography: Path) -> None:
    facts = [stated("a", 1), stated("b", 2, comes_from={"facts": ["a"]}), stated("c", 3, comes_from={"facts": ["b"]})]
    made = number_cards.cards(document(bibliography, "{{c}}", *facts), lines)
    assert [card.fact["name"] for card in made] == ["a", "b", "c"]


def test_a_line_that_is_not_there_stops_the_build(bibliography: Path) -> None:
    made = document(bibliography, "{{a}}", stated("a", 1, trace={"raw/x/a.log": [10]}))
    with pytest.raises(PaperError, match=r"raw/x/a\.log: expected line 10, found 9 lines: run `storagelab ingest`"):
        number_cards.cards(made, lines)


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("one\ntwo\n")
    read = number_cards.reader(tmp_path)
    assert (read("a.log")[:2], read("none.log"), number_cards.reader(None)("a.log")) == (["one", "two"], [], [])


def test_each_number_opens_a_card_that_is_there(built: Path) -> None:
    page = re.sub(r"<script.*?</script>", "", (built / "reports" / STUDY / "paper.html").read_text(), flags=re.S)
    targets = set(re.findall(r'popovertarget="([^"]+)"', page))
    assert targets
    assert targets == set(re.findall(r'<div popover="auto" class="card" id="([^"]+)"', page))


@pytest.mark.parametrize(
    ("comes_from", "message"),
    [
        ({}, r"fact 'a' reaches no line of a log: pass trace=rows, of=\[facts\], stated=name in study.yaml, or chosen"),
        ({"facts": ["none"]}, "fact 'a' is computed from 'none', which no cell states"),
    ],
)
def test_a_fact_says_where_it_comes_from(bibliography: Path, comes_from: dict[str, Any], message: str) -> None:
    with pytest.raises(PaperError, match=f"cell 3: {message}"):
        document(bibliography, "{{a}}", stated("a", 1, comes_from=comes_from))


def test_a_fact_that_nobody_quotes_may_keep_silent(bibliography: Path) -> None:
    assert document(bibliography, "None.", stated("a", 1, comes_from={})).facts


def test_sentences_say_each_kind() -> None:
    said = numbers_without_lines.said(["b"], chosen="small. So we say.", counted="rows")
    assert list(numbers_without_lines.sentences(said)) == ["Counted: rows.", "Chosen by us: small. So we say."]
    assert set(said) - {"facts"} <= set(numbers_without_lines.WORDS)


# --- sidecars --------------------------------------------------------------------------------------------------------

ROWS = "file,tool,filesystem\na.log,iozone,ext4\nb.log,iozone,xfs\n"
SIDECAR = """\
id: tiny
title: Tiny
authors: [A]
origin: measured
date: "2026-11-20"
description: Two logs.
testbed:
  servers: 3
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "raw" / "tiny"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(SIDECAR)
    (folder / "runs.csv").write_text(ROWS)
    for name in ("a.log", "b.log"):
        (folder / name).write_text("x\n")
    return tmp_path


def fact(**more: Any) -> dict[str, dict[str, Any]]:
    return {"a": {"name": "a", "key": "", "trace": {}, "comes_from": {}, **more}}


def test_the_level_of_a_key_leads_to_the_row_of_runs_csv(root: Path) -> None:
    facts = fact(key="filesystem", trace={"raw/tiny/b.log": [7]})
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["trace"] == {"raw/tiny/runs.csv": [3]}


def test_a_key_that_the_log_says_itself_leads_to_the_log(root: Path) -> None:
    facts = fact(key="record_size", trace={"raw/tiny/b.log": [7]})
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["trace"] == {"raw/tiny/b.log": [7]}


def test_what_study_yaml_states_leads_to_its_line(root: Path) -> None:
    facts = fact(comes_from={"stated": "testbed.servers"})
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["trace"] == {"raw/tiny/study.yaml": [8]}
    with pytest.raises(PaperError, match=r"study\.yaml: expected 'testbed\.switch', under which fact 'a' says"):
        numbers_in_sidecars.find(fact(comes_from={"stated": "testbed.switch"}), root, "tiny")


def test_what_a_block_of_study_yaml_states_leads_to_all_of_it(root: Path) -> None:
    sidecar = root / "raw" / "tiny" / "study.yaml"
    first = sidecar.read_text().count("\n") + 1
    with sidecar.open("a") as more:
        more.write("design:\n- name: uploads\n  where: {}\nlimits: []\n")
    facts = fact(comes_from={"stated": "design"})
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["trace"] == {"raw/tiny/study.yaml": [first, first + 1, first + 2]}


def test_a_key_that_study_yaml_sets_for_all_logs_leads_to_its_line(root: Path) -> None:
    (root / "raw" / "tiny" / "study.yaml").write_text(SIDECAR + "# one layout, of many\ndefaults:\n  layout: single\n")
    facts = fact(key="layout", trace={"raw/tiny/a.log": [7], "raw/tiny/b.log": [7]})
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["trace"] == {"raw/tiny/study.yaml": [11]}


def test_what_was_set_of_some_logs_and_stated_of_all_stands_beside_what_was_measured(root: Path) -> None:
    lines = {"raw/tiny/b.log": [7], "raw/tiny/runs.csv": [1]}
    facts = fact(set_by=["filesystem", "testbed.servers", "testbed.switch", "record_size"], trace=lines)
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["trace"] == {"raw/tiny/b.log": [7], "raw/tiny/runs.csv": [1, 3], "raw/tiny/study.yaml": [8]}


def test_a_table_of_what_is_stated_names_the_line_of_study_yaml(root: Path) -> None:
    tables: Any = [
        SimpleNamespace(id="machines", record={"comes_from": {"stated": "testbed.servers", "counted": "2 of them"}}),
        SimpleNamespace(id="rates", record={}),
    ]
    numbers_in_sidecars.find_stated(tables, root, "tiny")
    assert tables[0].record["comes_from"] == {"stated": "testbed.servers, line 8", "counted": "2 of them"}
    numbers_in_sidecars.find_stated(tables, root, "elsewhere")
    assert tables[0].record["comes_from"]["stated"] == "testbed.servers, line 8", "no raw study is here"


def test_a_printed_number_leads_to_published_yaml(root: Path) -> None:
    (root / "raw" / "old").mkdir()
    value = {"what": "spread", "value": "15", "unit": "%", "section": "4.4", "context": "printed only"}
    (root / "raw" / "old" / "published.yaml").write_text(f"values:\n  spread: {json.dumps(value)}\n")
    facts = fact(comes_from={"printed": "old.spread"})
    numbers_in_sidecars.find(facts, root, "tiny")
    assert facts["a"]["comes_from"]["printed"] == "old, section 4.4: spread, 15 %"
    assert facts["a"]["trace"] == {"raw/old/published.yaml": [2]}
    with pytest.raises(PaperError, match="fact 'a': old prints no 'sprad'; did you mean 'spread'"):
        numbers_in_sidecars.find(fact(comes_from={"printed": "old.sprad"}), root, "tiny")


def test_on_paper_the_list_of_numbers_has_two_lines_of_each_fact(built: Path) -> None:
    page = (built / "reports" / STUDY / "paper.html").read_text()
    sampled = re.findall(r'<ul class="sampled">(.*?)</ul>', page, re.DOTALL)
    assert [re.findall(r"<code>(.*?)</code>", one) for one in sampled] == [["a.log:11", "a.log:12"]] * 2
