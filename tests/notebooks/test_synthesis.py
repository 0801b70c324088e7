"""The paper over all studies, where their datasets were made: it builds, and says of everything what it rests on."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from storagelab.paper import provenance_checks
from tests.notebooks.all_studies import NEEDS_ALL_STUDIES, STUDIES, laid_out, synthesis_report
from tests.notebooks.papers import captions_of, facts_of, refusal

STUDY = "synthesis"
pytestmark = [pytest.mark.slow, NEEDS_ALL_STUDIES]


@pytest.fixture(scope="module")
def report() -> Path:
    return synthesis_report()


def rows_of(report: Path, table: str) -> list[dict[str, str]]:
    with (report / "tables" / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_fact_is_used(report: Path) -> None:
    assert json.loads((report / "summary.json").read_text())["notes"] == []


def test_the_coverage_has_a_row_for_every_figure_every_table_and_every_claim(report: Path) -> None:
    listed, claims = rows_of(report, "figures"), rows_of(report, "claims")
    figures = [row for row in listed if row["kind"] == "figure"]
    assert (len(figures), len(listed), len(claims)) == (83, 83 + 16, 281)
    assert len({row["figure_id"] for row in listed}) == 99
    assert len({row["claim"] for row in claims}) == 281
    assert all(bool(row["drawn"]) != bool(row["absent"]) for row in listed)
    assert all(row["verdict"] for row in claims)


def test_every_figure_of_the_list_is_drawn_where_it_is_said_to_be(report: Path) -> None:
    own = [row for row in rows_of(report, "figures") if row["study"] == STUDY and row["kind"] == "figure"]
    assert len(own) == 6
    for row in own:
        assert (report / "figures" / f"{row['drawn']}.svg").exists()


def test_every_study_has_its_conditions_by_the_same_keys(report: Path) -> None:
    rows = rows_of(report, "conditions")
    assert {row["study"] for row in rows} == set(STUDIES)
    assert all(row[key] for row in rows for key in ("filesystem", "server_mode", "driver", "striping", "clients"))
    assert len(rows_of(report, "inconsistencies")) == 48
    assert len(rows_of(report, "cross-study")) == 5


def test_every_figure_counts_what_was_measured_and_what_was_not(report: Path) -> None:
    of_figures = captions_of(report)
    assert len(of_figures) == 6
    for caption in of_figures:
        assert re.search(r"Points: \d+ measured", caption)
        logs = caption.partition("Logs: ")[2]
        assert ("Hollow markers: reconstructed" in caption) == ("reconstructed (" in logs), logs


def test_each_conclusion_says_its_origin(report: Path) -> None:
    for table in ("rates", "costs", "answers"):
        rows = rows_of(report, table)
        assert {row["study"] for row in rows} == set(STUDIES)
        assert {row["origin"] for row in rows} == {"measured", "reconstructed"}


def test_nothing_that_rests_on_reconstructed_logs_is_silent_about_it(report: Path, tmp_path: Path) -> None:
    assert provenance_checks.find_unlabelled(report, "measured and reconstructed") == []
    changed = shutil.copytree(report, tmp_path / STUDY)
    drawing = changed / "figures" / "effects.svg"
    drawing.write_text(drawing.read_text().replace("reconstructed", "measured"))
    assert provenance_checks.find_unlabelled(changed, "measured and reconstructed") == ["figures/effects.svg"]


def test_facts_of_campaigns_are_measured_and_those_of_papers_are_not(report: Path) -> None:
    facts: dict[str, Any] = facts_of(report)
    assert facts["read_end"]["origin"] == facts["m_fermi-stripe-stability"]["origin"] == "measured"
    assert facts["fermi_over"]["origin"] == "reconstructed"
    assert facts["k_k-f01"]["origin"] == "published"
    assert facts["n_claims"]["value"] == 281


def test_a_claim_that_is_lost_fails_the_paper(tmp_path: Path) -> None:
    root = laid_out(tmp_path)
    record = root / "reports" / "llnl-2010" / "claims.json"
    content = json.loads(record.read_text())
    content["ledger"] = [row for row in content["ledger"] if row["claim"] != "llnl-ssf-lustre"]
    record.write_text(json.dumps(content))
    assert "names the claim 'llnl-ssf-lustre', which no record has" in refusal(STUDY, root)


def test_a_sentence_that_drops_what_its_source_says_fails_the_paper(tmp_path: Path) -> None:
    root = laid_out(tmp_path)
    notebook = root / "notebooks" / f"{STUDY}.ipynb"
    content = json.loads(notebook.read_text(encoding="utf-8"))
    told = {
        "Eight jobs alone are not shown to differ:": "Eight jobs alone:",
        "Striped files bring the variation between twelve clients": "Striped files bring the variation between clients",
        "Three writers of three replicas on": "Three writers on",
        "The added rates of twelve strided": "The rates of twelve strided",
    }
    for cell in content["cells"]:
        text = "".join(cell["source"])
        for old, new in told.items():
            text = text.replace(old, new)
        cell["source"] = text
    notebook.write_text(json.dumps(content), encoding="utf-8")
    message = refusal(STUDY, root)
    assert re.search(r"the sentence 'Eight jobs alone.*' quotes 'mount_many' without 'not shown'", message)
    assert re.search(
        r"the sentence 'Striped files bring.*' quotes 'm_fermi-stripe-stability' without 'twelve'", message
    )
    assert re.search(r"the sentence '.*Three writers on.*' quotes 'board_write' without 'replica'", message)
    assert re.search(
        r"the sentence 'The rates of twelve strided.*' quotes 'm_fermi-fair-saturation_2' without 'added'", message
    )
