"""A paper over several studies: their records, and data of several origins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from storagelab import claims, paper
from storagelab.errors import StoragelabError, UnknownNameError
from storagelab.paper import data_provenance, publish
from tests.claims import tiny

BOTH = "measured and reconstructed"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What was published, in a paper whose data have two origins."""
    records: list[dict[str, Any]] = []
    monkeypatch.setattr(publish, "_show", lambda kind, text, record, bundle=None: records.append(dict(record)))
    monkeypatch.setattr(publish, "_opened", data_provenance.Opened("synthesis"))
    publish._opened.origin = BOTH
    return records


def stored(folder: Path) -> Path:
    record = claims.evaluate(tiny.write(folder / "tiny"), tiny.logs(), {"cluster-2026": tiny.logs("measured")})
    claims.save(record, folder / "claims.json")
    return folder / "claims.json"


def test_what_is_asked_for_is_stated_and_counts_are_of_all(shown: list[dict[str, Any]], tmp_path: Path) -> None:
    (record,) = paper.compared([stored(tmp_path)], ["m_same", "k_k1", "n_claims"])
    assert record.study == "tiny"
    facts = {fact["name"]: fact for fact in shown}
    assert facts["m_same"]["origin"] == "measured"
    assert facts["k_k1"]["value"] == pytest.approx(250 / 70)
    assert (facts["n_claims"]["value"], facts["n_claims"]["origin"]) == (8, BOTH)
    assert len(facts) == 3


def test_every_number_of_a_record_says_where_it_comes_from(shown: list[dict[str, Any]], tmp_path: Path) -> None:
    paper.claimed(stored(tmp_path))
    facts = {fact["name"]: fact for fact in shown}
    assert not [name for name, fact in facts.items() if not (fact["comes_from"] or fact["trace"])]
    assert facts["k_k1"]["comes_from"]["facts"] == ["p_bm_write", "p_vi_write"]
    assert "k_k1" not in facts["k_k1"]["comes_from"]["facts"]
    assert {name[:2] for name in facts} == {"p_", "c_", "m_", "k_", "n_", "a_"}
    assert (facts["a_noise"]["value"], facts["a_noise"]["comes_from"]) == (0.01, {"assumed": "it is not printed"})
    assert facts["m_same"]["comes_from"]["study"] == "cluster-2026"
    shown_in = {(fact["unit"], fact["display"]) for name, fact in facts.items() if name[0] in "pcm"}
    assert shown_in == {("1", ""), ("B/s", "MB/s")}, "the unit that the paper prints"


def test_a_check_is_printed_with_the_digits_of_its_result_and_at_most_three(
    shown: list[dict[str, Any]], tmp_path: Path
) -> None:
    paper.claimed(stored(tmp_path))
    digits = {fact["name"]: fact["digits"] for fact in shown if fact["name"].startswith("k_")}
    assert digits == {"k_k1": 3, "k_k2": 2, "k_k3": 3}, "of 3.571, 0.0024 and 2500"


def test_arithmetic_on_rounded_numbers_has_both_ends_of_what_they_give(
    shown: list[dict[str, Any]], tmp_path: Path
) -> None:
    paper.claimed(stored(tmp_path))
    ends = {fact["name"]: fact["value"] for fact in shown if fact["name"].startswith("c_") and "_low" in fact["name"]}
    assert ends == {"c_four_low": pytest.approx(250 / 70.5), "c_three_low": pytest.approx(250 / 70.5)}
    assert [fact["value"] for fact in shown if fact["name"] == "c_four_high"] == [pytest.approx(250 / 69.5)]


def test_a_record_that_is_missing_is_named(shown: list[dict[str, Any]], tmp_path: Path) -> None:
    with pytest.raises(StoragelabError, match=r"claims\.json: no such record"):
        paper.compared([tmp_path / "claims.json"], [])


@pytest.mark.parametrize("name", ["m_some", "p_bm_read", "n_claim"])
def test_a_number_that_no_record_has_is_named(shown: list[dict[str, Any]], tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown fact of these records '{name}'"):
        paper.compared([stored(tmp_path)], [name])


def test_rows_say_their_origin_before_the_paper_does(shown: list[dict[str, Any]]) -> None:
    rows = pd.DataFrame({"study": ["a", "b"], "origin": ["measured", "measured"]})
    paper.table(rows, "measured", "Seen.")
    paper.table(rows.assign(origin=["measured", "reconstructed"]), "both", "Seen and not.")
    paper.table(rows.drop(columns="origin"), "unsaid", "Who knows.")
    assert [record["origin"] for record in shown] == ["measured", BOTH, BOTH]


def test_a_fact_has_both_origins_unless_it_says_one(shown: list[dict[str, Any]]) -> None:
    paper.fact("all", 3)
    paper.fact("seen", 3, origin="measured")
    assert [record["origin"] for record in shown] == [BOTH, "measured"]
