"""Numbers of tables as they are read, and tolerances as their names say."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from storagelab import claims
from storagelab.claims.evidence import flip
from storagelab.claims.ledger_tables import ROUNDING, _margin, flips_at, ledger_table, shown_number, with_range
from storagelab.claims.synthesis_table import digits
from storagelab.claims.tolerances import CONVENTIONS, convention
from tests.claims import tiny

NAN = math.nan


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (9999.4, "9999"),
        (10_000.0, "10 000"),
        (1_234_567.0, "1 234 567"),
        (1e-4, "0.0001"),
        (0.00001234, "1.234e-05"),
        (math.nan, ""),
    ],
)
def test_numbers_are_written_without_an_exponent_where_they_can_be_read_so(value: float, shown: str) -> None:
    assert shown_number(value) == shown


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, ""])
def test_a_verdict_that_turns_nowhere_turns_at_no_number(value: float | str) -> None:
    assert flips_at({"flip": value, "printed_unit": "MB/s", "unit": "B/s"}) == ""


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0"), (-ROUNDING / 2, "0"), (ROUNDING, "1e-06"), (0.1234, "0.12"), (-0.056, "-0.056"), (math.nan, "")],
)
def test_a_margin_has_two_digits_and_one_that_is_there_for_rounding_is_none(share: float, shown: str) -> None:
    assert _margin(share) == shown


def test_a_ledger_of_some_parts_has_their_claims_alone(tmp_path: Path) -> None:
    record = claims.evaluate(tiny.write(tmp_path / "tiny"), tiny.logs(), {"cluster-2026": tiny.logs("measured")})
    part_of = {str(row["claim"]): str(row["part"]) for row in record.ledger}
    for part in (parts := set(part_of.values())):
        assert set(ledger_table(record, parts=[part])["claim"]) == {one for one, of in part_of.items() if of == part}
    assert len(parts) > 2
    assert all(row["flip"] == pytest.approx(flip(row), nan_ok=True) for row in record.ledger)


@pytest.mark.parametrize(
    ("verdict", "ends", "shown"),
    [
        ("undecided", (NAN, NAN, 3.5, 3.625), "3.571 MB/s (3.5 to 3.625 MB/s)"),
        ("undecided", (3.25, 3.75, 3.5, 3.875), "3.571 MB/s (3.25 to 3.875 MB/s)"),
        ("supported", (3.25, 3.75, 3.5, 3.625), "3.571 MB/s"),
    ],
)
def test_an_open_row_shows_what_errors_and_rounding_allow(
    verdict: str, ends: tuple[float, float, float, float], shown: str
) -> None:
    names = ("value_low", "value_high", "rounded_low", "rounded_high")
    row = {name: 1e6 * end for name, end in zip(names, ends, strict=True)}
    of = {"value": 3.571e6, "unit": "B/s", "printed_unit": "MB/s", "level": "", "verdict": verdict}
    assert with_range({**of, **row}) == shown


@pytest.mark.parametrize("name", [name for name in CONVENTIONS if name.rpartition("-")[2].isdecimal()])
def test_a_convention_allows_the_percentage_that_it_is_named_after(name: str) -> None:
    kind, _, percent = name.rpartition("-")
    assert convention(name)[{"alike": "relative", "order": "gap"}[kind]] == int(percent) / 100


@pytest.mark.parametrize(
    ("name", "allows"),
    [("full", ("relative", 0.1)), ("neighbouring-steps", ("relative", 0.5)), ("two-errors", ("z", 2))],
)
def test_a_convention_without_a_percentage_in_its_name_allows_what_its_reason_says(
    name: str, allows: tuple[str, float]
) -> None:
    assert allows in convention(name).items()


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(0.5, "1", "0.5"), (12.345, "1", "12.3"), (100.0, "1", "100"), (1234567.0, "1", "1 234 567")],
)
def test_a_number_of_a_table_has_three_digits_or_is_whole(value: float, unit: str, said: str) -> None:
    assert digits(value, unit) == said
