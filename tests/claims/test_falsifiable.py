"""What can fail is told apart from what cannot, by rule: each rule is broken here, and the claim is named."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from storagelab import claims
from storagelab.claims import tolerances
from storagelab.claims.claims_yaml import read_paper
from storagelab.claims.claims_yaml_entries import Entry, Slack
from storagelab.claims.evidence import part_of, refuse_test_of_model
from storagelab.claims.record import Record
from storagelab.errors import SidecarError, StoragelabError
from storagelab.study.amount import amount
from tests.claims import tiny
from tests.conftest import ROOT
from tests.published import STUDIES

CAMPAIGNS = {"cluster-2026": tiny.logs("measured")}
ROW: dict[str, Any] = {
    "verdict": "supported", "basis": "derived", "role": "result", "operator": "approx", "expression": "a / b",
    "inputs": {"a": 250.0, "b": 70.0}, "stated_number": 4.0, "stated_value": "said", "forced": "",
}  # fmt: skip


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return held(tmp_path)


def held(tmp_path: Path, basis: str = "published", **changed: tuple[str, str]) -> Record:
    return claims.evaluate(tiny.write(tmp_path / "tiny", **changed), tiny.logs(basis=basis), CAMPAIGNS)


@pytest.mark.parametrize(
    ("changed", "part", "why"),
    [
        ({}, "falsifiable", "do not follow from each other"),
        ({"basis": "model"}, "model", "of the model"),
        ({"basis": "measured"}, "falsifiable", "measured"),
        ({"inputs": {}, "expression": ""}, "transcription", "put into the logs"),
        ({"role": "derived"}, "identity", "the sentence is ours"),
        ({"stated_value": "a"}, "identity", "a is compared with itself"),
        ({"inputs": {"a": 4.0}}, "identity", "stands on both sides"),
        ({"inputs": {"a": 4.0}, "expression": "", "basis": "published"}, "transcription", "stands on both sides"),
        ({"inputs": {"a": 3.9}}, "falsifiable", "do not follow"),
        ({"inputs": {"a": 3.9}, "stated_value": ""}, "identity", "stands on both sides"),
        # 24 / 48 = 0.5 and 2 x 10 = 20: the result is ours
        ({"inputs": {"a": 24.0, "b": 48.0}, "stated_number": 0.5, "stated_value": ""}, "identity", "is ours"),
        ({"inputs": {"a": 24.0, "b": 48.0}, "stated_number": 1.0, "stated_value": ""}, "identity", "is ours"),
        ({"stated_number": 1.0, "stated_value": "", "operator": ">"}, "falsifiable", "do not follow"),
        ({"stated_number": 0.9, "stated_value": "", "operator": ">"}, "identity", "is ours"),
        ({"forced": "both ends of one range"}, "identity", "both ends of one range"),
        ({"repeats": "four"}, "identity", "the same arithmetic as four"),
        ({"verdict": "not testable"}, "", ""),
        ({"verdict": "not reported"}, "", ""),
    ],
)
def test_the_part_of_a_row_follows_from_the_row(changed: dict[str, Any], part: str, why: str) -> None:
    found = part_of(ROW | changed)
    assert found[0] == part
    assert why in found[1]


@pytest.mark.parametrize(
    ("basis", "claim", "message"),
    [
        ("model", "same", "tiny: same: called falsifiable, but it is model: the number is of the model"),
        ("published", "read", "tiny: read: called falsifiable, but it is transcription"),
        ("published", "links", "tiny: links: called falsifiable, but it is identity"),
        ("published", "opinion", "tiny: opinion: called falsifiable, but it is not decided"),
    ],
)
def test_a_row_that_cannot_fail_is_not_called_falsifiable(tmp_path: Path, basis: str, claim: str, message: str) -> None:
    record = held(tmp_path, basis)
    rows = [{**row, "part": "falsifiable"} if row["claim"] == claim else row for row in record.ledger]
    claims.save(dataclasses.replace(record, ledger=rows), tmp_path / "claims.json")
    claimed = claims.read(tmp_path / "claims.json")
    for shown in (claims.counts, claims.ledger_table, lambda each: claims.falsifiable_table([each])):
        with pytest.raises(StoragelabError, match=message):
            shown(claimed)


def test_a_row_that_can_fail_is_not_hidden(record: Record) -> None:
    rows = [{**row, "part": "identity"} if row["claim"] == "four" else row for row in record.ledger]
    with pytest.raises(StoragelabError, match="four: called identity, but it is falsifiable"):
        claims.falsifiable_table([dataclasses.replace(record, ledger=rows)])


def test_an_identity_is_not_counted(tmp_path: Path) -> None:
    """A number that is ours, and one that is compared with itself, leave the count."""
    assert claims.counts(held(tmp_path))["judged"] == 2
    ours = ("stated_value: said, contradicts", "contradicts")
    assert claims.counts(held(tmp_path, claims=ours))["judged"] == 1
    itself = ("stated_value: said,", 'stated_value: bm_write, note: "",')
    with pytest.raises(StoragelabError, match="four: states 4, but bm_write is printed as 250 MB/s"):
        held(tmp_path, claims=itself)


def test_an_own_number_must_be_a_published_one(tmp_path: Path) -> None:
    with pytest.raises(StoragelabError, match=r"four: .*no published value 'sayd'; did you mean 'said'"):
        held(tmp_path, claims=("stated_value: said", "stated_value: sayd"))


WHOLE = "{relative: 0.07, source: a plot, reason: it is read off}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (WHOLE, "{relative: 0.07}", "read: a tolerance needs a `source` and a `reason`"),
        (WHOLE, "{relative: 0.07, source: a plot}", "read: a tolerance needs a `source` and a `reason`"),
        ("tolerance: border", "tolerance: {exact: true}", "same: a tolerance needs a `source` and a `reason`"),
        ("tolerance: about", "tolerance: abuot", r"claims.yaml:\d+: .*unknown tolerance 'abuot'.*about"),
    ],
)
def test_an_untold_tolerance_stops_the_build(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SidecarError, match=message):
        held(tmp_path, claims=(old, new))


def test_every_shared_tolerance_is_whole() -> None:
    for name, said in tolerances.CONVENTIONS.items():
        slack = Slack(**said, name=name)
        assert slack.told, name
        assert slack.words()["is"] == name
    assert Slack(absolute=amount("0.1 MB/s"), source="s", reason="r").words()["is"] == "absolute 0.1 MB/s"
    assert Slack(exact=True, source="s", reason="r").words()["is"] == "exact"
    assert not Slack(exact=True, source="the text").told


@pytest.mark.parametrize(
    ("kind", "stated", "half"),
    [
        ("digits", "270", 0.5),
        ("about", "270", 5.0),
        ("about", "15", 0.5),
        ("digits", "2.50", 0.005),
        ("about", "2.50", 0.05),
    ],
)
def test_digits_decide(kind: str, stated: str, half: float) -> None:
    assert Slack(**{kind: True}).tolerance(amount(stated)).amount == pytest.approx(half)


@pytest.mark.parametrize("column", ["z", "p_uniform", "ratio_low", "throughput_error"])
def test_no_test_and_no_interval_of_what_a_model_drew(column: str) -> None:
    with pytest.raises(StoragelabError, match=f"c: '{column}' is a test or an interval of scatter that the model drew"):
        refuse_test_of_model("c", column, "model")
    refuse_test_of_model("c", column, "published")
    refuse_test_of_model("c", "throughput", "model")


def test_a_z_on_scatter_of_the_model_stops_the_build(tmp_path: Path) -> None:
    step = "[{compare: {variable: throughput, factor: server_mode, base: bare-metal, other: virtual, by: []}}]\n"
    step += "    take: ratio"
    test = "[{summarise: {variable: throughput, by: [server_mode]}}, {compatibility: {variable: throughput, "
    test += "factor: server_mode, base: bare-metal, other: virtual}}]\n    take: z"
    with pytest.raises(StoragelabError, match="same: 'z' is a test or an interval of scatter that the model drew"):
        held(tmp_path, "model", claims=(step, test))


def test_what_was_drawn_has_no_interval(tmp_path: Path) -> None:
    row = tiny.row(held(tmp_path, "model"), "same")
    assert np.isfinite(row["value"])
    assert all(np.isnan(row[name]) for name in ("value_low", "value_high", "value_error", "p_outside"))


def test_a_misfit_that_agrees_stops_the_build(tmp_path: Path) -> None:
    agrees = ('value: "3", section: "7"', 'value: "3.6", section: "7"')
    with pytest.raises(StoragelabError, match="x1: concluded is called a misfit, but comes out as it is printed"):
        held(tmp_path, published=agrees, claims=("stated_value: concluded", 'note: ""'))
    with pytest.raises(StoragelabError, match="x1: no published value 'conclude'"):
        held(tmp_path, checks=("{concluded:", "{conclude:"))


def test_an_interval_across_the_line_leaves_printed_and_measured_numbers_alike_open(tmp_path: Path) -> None:
    """250 +- 0.6 over 70 is 3.571 +- 0.016: within 0.5 of four, and not within 0.43 for sure."""
    strict = "{relative: 0.05, source: ours, reason: strict},\n   stated_value: said, contradicts: [three]"
    told = '{absolute: "0.43", source: ours, reason: strict},\n   stated_value: said, contradicts: []'
    narrow = (strict, told)
    record = held(tmp_path, claims=narrow)
    assert tiny.row(record, "four")["verdict"] == "undecided"
    assert claims.counts(record)["open"] == 1
    wide = (narrow[0], narrow[1].replace("0.43", "0.5"))
    assert tiny.row(held(tmp_path, claims=wide), "four")["verdict"] == "supported"


READINGS = """stated_value: concluded,
   reading: times slower,
   readings: [{reading: times as slow less one, quantity: {expression: bm_write / vi_write - 1}}]}"""


def test_a_sentence_with_two_readings_has_two_rows_and_is_one_claim(tmp_path: Path) -> None:
    record = held(tmp_path, claims=("stated_value: concluded}", READINGS))
    first, second = (tiny.row(record, name) for name in ("three", "three_2"))
    assert (first["verdict"], second["verdict"]) == ("internally inconsistent", "not supported")
    assert second["value"] == pytest.approx(250 / 70 - 1)
    assert (first["reading_of"], second["reading_of"]) == ("", "three")
    assert claims.counts(record)["claims"] == 8
    assert claims.counts(record)["judged"] == 3
    shown = claims.falsifiable_table([record])["statement"].tolist()
    assert "Virtual servers write three times slower. (Taken here: times as slow less one.)" in shown
    assert len(claims.claim_coverage([record])) == 8


def test_arithmetic_that_is_done_twice_is_counted_once(tmp_path: Path) -> None:
    again = tiny.CLAIMS[tiny.CLAIMS.index("- {id: three") : tiny.CLAIMS.index("- {id: links")]
    record = held(tmp_path, claims=(again, again + again.replace("id: three", "id: thrice")))
    assert tiny.row(record, "thrice")["part_because"] == "the same arithmetic as three, where it is counted"
    assert claims.counts(record)["judged"] == 2


def test_readings_say_which_one_stands_first(tmp_path: Path) -> None:
    with pytest.raises(SidecarError, match="three: `reading` says which of several `readings` stands here"):
        held(tmp_path, claims=("stated_value: concluded}", READINGS.replace("reading: times slower,", "")))


def test_the_table_can_be_recounted_by_hand(tmp_path: Path) -> None:
    """From claims.json, with nothing of this package: rows that are falsifiable, and second verdicts that compare."""
    claims.save(held(tmp_path), tmp_path / "claims.json")
    plain = json.loads((tmp_path / "claims.json").read_text())
    by_hand = [row["claim"] for row in plain["ledger"] if row["part"] == "falsifiable"]
    by_hand += [row["claim"] for row in plain["measured"] if row["verdict"] != "not comparable"]
    shown = claims.falsifiable_table([claims.read(tmp_path / "claims.json")])
    assert shown["claim"].tolist() == by_hand == ["four", "three", "same"]
    assert len(by_hand) == claims.counts(claims.read(tmp_path / "claims.json"))["falsifiable"]
    assert shown["kind"].tolist() == ["printed numbers", "printed numbers", "measured: cluster-2026"]
    assert shown["flips at"].tolist() == ["3.8", "3.15", "10 MB/s"]
    assert shown.attrs["origin"] == "measured and reconstructed"


def test_distance_and_flip_of_a_measured_row_are_taken_from_it(record: Record) -> None:
    told = [{**row, "flip": 2e7, "distance": "same sign only"} for row in record.measured]
    shown = claims.falsifiable_table([dataclasses.replace(record, measured=told)]).iloc[-1]
    assert (shown["flips at"], shown["distance"]) == ("20 MB/s", "same sign only")


@pytest.mark.parametrize("study", STUDIES)
def test_every_tolerance_of_a_published_study_says_where_it_comes_from_and_why(study: str) -> None:
    entries: list[Entry] = [each for entry in read_paper(ROOT / "raw" / study).claims for each in entry.taken()]
    assert [entry.id for entry in entries if not entry.tolerance.told] == []
    judged = Counter(entry.tolerance.name for entry in entries if entry.claim().decidable)
    assert judged


def test_the_misfits_of_the_papers_are_named() -> None:
    papers = [read_paper(ROOT / "raw" / study) for study in STUDIES]
    named = {name for paper in papers for each in paper.inconsistencies for name in each.misfits}
    assert {"n21_aggregate", "bw_spread", "write_slower_conclusion", "others_share", "fpp_trail"} <= named
    assert {"raidz_sets", "usable"} <= named


def test_both_readings_of_the_papers_are_judged() -> None:
    found = {entry.id: len(entry.taken()) for study in STUDIES for entry in read_paper(ROOT / "raw" / study).claims}
    assert (found["cern-write-net-bound"], found["llnl-concl-shared-stat"], found["bnl-test4-mixed"]) == (3, 2, 2)
    assert found["llnl-concl-20pct"] == 2, "for the most part: of all layouts, or of most"
