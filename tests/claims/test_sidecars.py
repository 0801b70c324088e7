"""The sidecars of the five published studies: sound, complete, and none of their parts missing."""

from __future__ import annotations

import functools
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
import yaml

from storagelab.claims.claims_yaml import Checks, Paper, read_paper
from storagelab.reconstruct import study_module
from storagelab.study.amount import Amount
from storagelab.study.published import read_published
from storagelab.study.validation import read_model
from tests.conftest import ROOT, SHARED

STUDIES = ("bnl-2007", "cern-kinetic-2015", "fermicloud-2011", "llnl-2010", "uscms-2009")
EXPECTED = {
    "fermicloud-2011": {"claims": 99, "inconsistencies": 16, "figures": 15},
    "uscms-2009": {"claims": 44, "inconsistencies": 7, "figures": 8},
    "bnl-2007": {"claims": 41, "inconsistencies": 7, "figures": 22},
    "llnl-2010": {"claims": 63, "inconsistencies": 12, "figures": 20},
    "cern-kinetic-2015": {"claims": 34, "inconsistencies": 6, "figures": 12},
}
CHECKS, GROUPS = 135, 30

by_study = pytest.mark.parametrize("study", STUDIES)


@functools.cache
def paper(study: str) -> Paper:
    return read_paper(ROOT / "raw" / study)


def across() -> Checks:
    """What holds across studies."""
    return read_model(ROOT / "raw" / "synthesis" / "checks.yaml", Checks)[0]


def test_every_published_study_has_a_campaign() -> None:
    assert {path.name.replace("_", "-") for path in (ROOT / study_module.FOLDER).glob("*_*")} == {*STUDIES}


@by_study
def test_nothing_is_missing(study: str) -> None:
    found = paper(study)
    assert {name: len(getattr(found, name)) for name in EXPECTED[study]} == EXPECTED[study]


def test_all_checks_and_groups_are_there() -> None:
    papers = [paper(study) for study in STUDIES]
    assert sum(len(each.checks) for each in papers) == CHECKS
    assert sum(len(each.groups) for each in papers) + len(across().groups) == GROUPS


def test_groups_across_studies_name_what_is_there() -> None:
    papers = [paper(study) for study in STUDIES]
    for group in across().groups:
        assert set(group.claims) <= {claim.id for each in papers for claim in each.claims}
        assert set(group.checks) <= {check.id for each in papers for check in each.checks}


def test_seven_inconsistencies_are_severe() -> None:
    severe = Counter(each.severity for study in STUDIES for each in paper(study).inconsistencies)
    assert severe["high"] == 7


@by_study
def test_every_claim_that_no_number_decides_says_why(study: str) -> None:
    silent = [each.id for each in paper(study).claims if not each.claim().decidable and not each.because]
    assert silent == []


@by_study
def test_every_claim_is_somewhere(study: str) -> None:
    """A claim has a number, or is of a figure, or says why no number decides; none only stands there."""
    found = paper(study)
    lost = [each.id for each in found.claims if each.claim().decidable and each.quantity is None and not each.note]
    assert lost == []


def inventory(name: str) -> Any:
    path = SHARED / "studies" / f"{name}.yaml"
    if not path.is_file():
        pytest.skip("the inventory of the studies is not beside the repository")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@by_study
@pytest.mark.parametrize("part", ["claims", "figures"])
def test_ids_are_those_of_the_inventory(study: str, part: str) -> None:
    wanted = {each["id"] for each in inventory(part)[part] if each["study"] == study}
    assert {each.id for each in getattr(paper(study), part)} == wanted


@pytest.mark.parametrize(
    ("part", "name"), [("arithmetic_checks", "checks"), ("consistency_groups", "groups"), ("inconsistencies",) * 2]
)
def test_checks_are_those_of_the_inventory(part: str, name: str) -> None:
    wanted = {each["id"] for each in inventory("claims")[part]}
    ours = {each.id for study in STUDIES for each in getattr(paper(study), name)}
    assert ours | {each.id for each in getattr(across(), name)} == wanted


def test_results_of_checks_are_those_of_the_inventory() -> None:
    wanted = {each["id"]: float(each["result"]) for each in inventory("claims")["arithmetic_checks"]}
    ours = {each.id: each.amount for study in STUDIES for each in paper(study).checks}
    other = {
        name: (wanted[name], str(amount))
        for name, amount in ours.items()
        if not any(abs(number - wanted[name]) <= 1e-3 * abs(wanted[name]) + 6e-5 for number in readings(amount))
    }
    assert other == {}


def readings(written: Amount) -> list[float]:
    """The number as it is written, and of a percentage also as a share."""
    number = float(written.digits)
    return [number, number / 100] if written.unit == "%" else [number]


@by_study
def test_printed_digits_are_text(study: str) -> None:
    for name, value in read_published(ROOT / "raw" / study).values.items():
        assert str(value.amount.digits) == str(Decimal(value.value)), name


def test_no_sentence_of_the_inventory_was_taken_over() -> None:
    """Facts come from the papers, sentences are ours."""
    theirs = {each["statement"].strip(): each["id"] for each in inventory("claims")["claims"]}
    theirs |= {each["description"].strip(): each["id"] for each in inventory("claims")["inconsistencies"]}
    papers = [paper(study) for study in STUDIES]
    ours = [claim.statement for one in papers for claim in one.claims]
    ours += [found.statement for one in papers for found in one.inconsistencies]
    assert [theirs[text.strip()] for text in ours if text.strip() in theirs] == []
