"""Which losses a code bears: found by losing, in all ways or in many."""

from __future__ import annotations

import pytest

from storagelab.analysis import losses_survived
from storagelab.dataset import frame
from storagelab.errors import AnalysisError
from tests.analysis.tables import node


def of(*codes: str, most: int = 1000) -> list[tuple[str, float, float, float, float]]:
    rows = frame(losses_survived(node([{"erasure_code": code} for code in codes]), most=most))
    columns = ["erasure_code", "losses", "patterns", "recovered", "recovered_share"]
    return list(rows[columns].itertuples(index=False, name=None))


def test_two_of_twelve() -> None:
    assert of("10+2", "10+2", "") == [
        ("10+2", 0.0, 1.0, 1.0, 1.0),
        ("10+2", 1.0, 12.0, 12.0, 1.0),
        ("10+2", 2.0, 66.0, 66.0, 1.0),
        ("10+2", 3.0, 220.0, 0.0, 0.0),
    ]


def test_the_result_says_its_units() -> None:
    found = losses_survived(node([{"erasure_code": "10+2"}]), most=10)
    assert {found[name].attrs["units"] for name in ("patterns", "recovered", "recovered_share")} == {"1"}


def test_many_patterns_are_drawn() -> None:
    *_, last, beyond = of("32+4", most=500)
    assert last == ("32+4", 4.0, 500.0, 500.0, 1.0)
    assert beyond == ("32+4", 5.0, 500.0, 0.0, 0.0)


def test_four_of_thirty_six_in_all_ways() -> None:
    *_, last, _beyond = of("32+4", most=60_000)
    assert last == ("32+4", 4.0, 58_905.0, 58_905.0, 1.0)


def test_replicas_are_no_code() -> None:
    with pytest.raises(AnalysisError, match="no row has an erasure_code: there is nothing to decode"):
        losses_survived(node([{"erasure_code": "", "replicas": 2.0}]))


def test_a_code_spelled_otherwise() -> None:
    with pytest.raises(AnalysisError, match="'12/10': expected data\\+redundancy"):
        losses_survived(node([{"erasure_code": "12/10"}]))
