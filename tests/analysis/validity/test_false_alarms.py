"""In campaigns in which nothing is wrong, each check of the content of logs finds something in few."""

from __future__ import annotations

import pytest

from storagelab.analysis.validity.checks import Finding, Study
from storagelab.analysis.validity.report import CHECKS
from tests.analysis.validity.campaigns import campaign

pytestmark = pytest.mark.slow

CAMPAIGNS = 50
"""Of so many, three have an alarm nine times in ten where a check has one in a tenth of all campaigns."""
ALARMS = 0.05
CONTENT = (
    "same numbers", "counters", "clocks", "overlap", "clock steps", "whole rates", "link and repeats",
    "rounds", "clients", "spread", "order", "bumps",
)  # fmt: skip


def test_a_check_finds_nothing_in_clean_campaigns() -> None:
    """All checks look at a campaign before the next is made: one is dearer than most of what they ask it."""
    checks = [check for check in CHECKS if check.name in CONTENT]
    alarms: dict[str, list[Finding]] = {check.name: [] for check in checks}
    for number in range(CAMPAIGNS):
        study = Study(campaign(number))
        for check in checks:
            seen = check.look(study)
            assert seen.checked > 0, (check.name, number)
            alarms[check.name] += seen.findings[:1]
    assert {name: found for name, found in alarms.items() if len(found) > ALARMS * CAMPAIGNS} == {}


def test_the_list_names_every_check_of_content() -> None:
    assert {check.name for check in CHECKS} >= set(CONTENT)
