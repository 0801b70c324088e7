"""In campaigns in which nothing is wrong, each check of the content of logs finds something in few."""

from __future__ import annotations

from functools import cache

import pytest

from storagelab.analysis.validity.checks import Check, Study
from storagelab.analysis.validity.report import CHECKS
from tests.analysis.validity.campaigns import campaign

pytestmark = pytest.mark.slow

CAMPAIGNS = 100
ALARMS = 0.05
CONTENT = (
    "same numbers", "counters", "clocks", "overlap", "clock steps", "whole rates", "link and repeats",
    "rounds", "clients", "spread", "order", "bumps",
)  # fmt: skip


@cache
def study(number: int) -> Study:
    """A clean campaign, whose tables are made once for all checks."""
    return Study(campaign(number))


@pytest.mark.parametrize("check", [check for check in CHECKS if check.name in CONTENT], ids=lambda check: check.name)
def test_a_check_finds_nothing_in_clean_campaigns(check: Check) -> None:
    seen = [check.look(study(number)) for number in range(CAMPAIGNS)]
    assert all(one.checked > 0 for one in seen)
    alarms = [one.findings[0] for one in seen if one.findings]
    assert len(alarms) <= ALARMS * CAMPAIGNS, alarms


def test_the_list_names_every_check_of_content() -> None:
    assert {check.name for check in CHECKS} >= set(CONTENT)
