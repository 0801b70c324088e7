"""What holds for the logs of every published study: marked, repeatable, and the printed numbers come back."""

from __future__ import annotations

import pytest

from storagelab import schema
from storagelab.claims.claims_yaml import read_paper
from storagelab.claims.printed_numbers import checked, printed
from storagelab.claims.study_numbers import Numbers
from storagelab.reconstruct import campaign
from storagelab.reconstruct.log import MARK
from storagelab.study.published import read_published
from storagelab.study.testbed import read_testbed
from tests.conftest import ROOT
from tests.published import STUDIES, rendered, tree

pytestmark = pytest.mark.slow

MOST = 1500
"""Logs that a study may have, so that it can be read in seconds."""

by_study = pytest.mark.parametrize("study", STUDIES)


@by_study
def test_every_log_says_that_it_is_reconstructed(study: str) -> None:
    unmarked = [log.path for log in rendered(study) if MARK not in log.text[: 4096 + len(MARK)]]
    assert unmarked == []


@by_study
def test_the_same_bytes_every_time(study: str) -> None:
    again = campaign.reconstruct(ROOT / "raw" / study)
    assert [log.path for log, first in zip(again, rendered(study), strict=True) if log != first] == []
    assert 0 < len(again) < MOST


@by_study
def test_every_row_says_what_it_rests_on(study: str) -> None:
    for name, node in tree(study).children.items():
        ds = node.to_dataset()
        assert ds.attrs["origin"] == "reconstructed"
        if name in ("runs", "clients"):
            assert set(ds["basis"].values.tolist()) <= set(schema.BASES), name


@by_study
def test_every_log_in_the_dataset_carries_the_note(study: str) -> None:
    logs = tree(study)["logs"].to_dataset()
    silent = [log for log, notes in zip(logs["log"].values, logs["notes"].values, strict=True)
              if schema.SAYS_RECONSTRUCTED not in notes]  # fmt: skip
    assert silent == []


@by_study
def test_every_printed_number_comes_back_to_its_digits(study: str) -> None:
    folder = ROOT / "raw" / study
    numbers = Numbers(read_published(folder), read_testbed(folder), tree(study))
    rows = printed(numbers)
    assert [(row["name"], row["printed"], row["value"]) for row in rows if row["agrees"] == "no"] == []
    assert [row["check"] for row in checked(read_paper(folder).checks, numbers) if row["agrees"] == "no"] == []
