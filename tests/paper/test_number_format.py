"""Numbers as a paper prints them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.errors import UnknownNameError
from storagelab.paper import facts_as_text, number_format

T = number_format.THIN


@pytest.mark.parametrize(
    ("value", "unit", "options", "text"),
    [
        (1.2345e8, "B/s", {}, f"123{T}MB/s"),
        (1.2345e8, "B/s", {"digits": 4}, f"123.5{T}MB/s"),
        (1.2345e8, "B/s", {"display": "MiB/s"}, f"118{T}MiB/s"),
        (12_345.0, "1/s", {}, f"12.3{T}kops/s"),
        (0.00123, "s", {}, f"1.23{T}ms"),
        (4321.0, "s", {}, f"4320{T}s"),
        (4.0 * 2**20, "B", {}, f"4{T}MiB"),
        (65536.0 * 1024 * 1024, "B", {}, f"64{T}GiB"),
        (1.0012e9, "B", {}, f"1.00{T}GB"),
        (0.1234, "1", {"display": "%"}, f"12.3{T}%"),
        (-0.05, "1", {"display": "%", "digits": 1}, f"\u22125{T}%"),
        (1.0345, "1", {}, "1.03"),
        (12.0, "1", {}, "12"),
        (0, "1", {}, "0"),
        (0.0, "B/s", {}, f"0{T}B/s"),
        (9876, "1", {}, "9876"),
        (1234567, "1", {}, f"1{T}234{T}567"),
        ("btrfs", "1", {}, "btrfs"),
    ],
)
def test_a_value_in_words(value: float, unit: str, options: dict[str, object], text: str) -> None:
    assert number_format.text(value, unit, **options) == text  # type: ignore[arg-type]


def test_an_interval_is_in_the_unit_of_its_value() -> None:
    assert number_format.interval(1e9, (9.5e8, 1.05e9), "B/s") == f"0.950 to 1.05{T}GB/s"


def test_a_column_has_one_unit_and_one_number_of_decimals() -> None:
    assert number_format.column([1.234e8, 9.87e6, math.nan, 1.5e9], "B/s") == (
        ["123", "10", number_format.MISSING, "1500"],
        "MB/s",
    )
    assert number_format.column([1.25, 0.5], "1") == (["1.25", "0.50"], "")
    assert number_format.column([1.0, 12.0], "1") == (["1", "12"], "")
    assert number_format.column([4096.0, 2.0**30], "B") == ([f"4{T}KiB", f"1{T}GiB"], "")
    assert number_format.column([4e3, 2.56e8, 1.5e9], "B") == ([f"4{T}kB", f"256{T}MB", f"1.5{T}GB"], "")
    assert number_format.text(64e6, "B") == f"64{T}MB"
    assert number_format.column([0.5, 0.25], "1", display="%") == (["50", "25"], "%")
    assert number_format.column([math.nan], "B/s") == ([number_format.MISSING], "B/s")


@pytest.mark.parametrize(("unit", "display"), [("furlong", ""), ("B/s", "s"), ("B/s", "furlongs")])
def test_unknown_units_are_refused(unit: str, display: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown unit"):
        number_format.text(1.0, unit, display=display)


@given(st.floats(min_value=1e-6, max_value=1e15), st.integers(min_value=1, max_value=6))
def test_rounding_keeps_the_value_to_its_digits(value: float, digits: int) -> None:
    printed = float(number_format.rounded(value, digits).replace(T, ""))
    assert printed == pytest.approx(value, rel=0.5001 * 10.0 ** (1 - digits))
    assert number_format.rounded(-value, digits) == number_format.MINUS + number_format.rounded(value, digits)


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "< 0.001"), (0.00099, "< 0.001"), (0.001, "0.001"), (0.0474, "0.047"), (1.0, "1.000"), (math.nan, "\u2013")],
)
def test_a_p_value_is_never_nothing(p: float, text: str) -> None:
    assert number_format.probability(p) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(float("nan"), number_format.MISSING), (float("inf"), number_format.MISSING), (0.0, "0"), (0.5, "0.500")],
)
def test_what_is_no_number_is_rounded_to_a_dash(value: float, text: str) -> None:
    assert number_format.rounded(value) == text


FACT = {"value": 2e6, "unit": "B/s", "digits": 3, "display": "", "interval": (1e6, 4e6), "n": 3, "level": 0.95}


@pytest.mark.parametrize(
    ("form", "more", "text"),
    [
        ("", {}, "2.00 MB/s"),
        ("value", {}, "2.00"),
        ("value", {"value": "undecided"}, None),
        ("interval", {}, "1.00 to 4.00 MB/s"),
        ("interval", {"interval": None}, None),
        ("n", {}, "3"),
        ("n", {"n": None}, None),
        ("full", {}, "2.00 MB/s (95 % CI 1.00 to 4.00 MB/s, n = 3)"),
        ("full", {"n": None}, "2.00 MB/s (95 % CI 1.00 to 4.00 MB/s)"),
        ("full", {"interval": (1.9999e6, 2.0001e6)}, "2.00 MB/s (95 % CI within the last digit, n = 3)"),
        ("full", {"interval": None}, None),
        ("trace", {}, None),
    ],
)
def test_a_fact_is_quoted_in_its_forms(form: str, more: dict[str, object], text: str | None) -> None:
    found = facts_as_text.in_form({**FACT, **more}, form)
    assert (found and found.replace("\u202f", " ").replace("\u00a0", " ")) == text
