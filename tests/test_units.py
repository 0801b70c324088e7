"""Factors to SI, held against pint, and what is a unit."""

from __future__ import annotations

import pytest

from storagelab import optional_packages, units
from storagelab.errors import MissingPackageError, UnknownNameError


@pytest.mark.parametrize(
    ("constant", "unit", "si"),
    [
        ("KB", "kB", "B"),
        ("MB", "MB", "B"),
        ("GB", "GB", "B"),
        ("TB", "TB", "B"),
        ("KIB", "KiB", "B"),
        ("MIB", "MiB", "B"),
        ("GIB", "GiB", "B"),
        ("TIB", "TiB", "B"),
        ("BIT", "bit", "B"),
        ("NANOSECOND", "ns", "s"),
        ("MICROSECOND", "us", "s"),
        ("MILLISECOND", "ms", "s"),
        ("PERCENT", "percent", "1"),
    ],
)
def test_a_factor_is_that_of_pint(constant: str, unit: str, si: str) -> None:
    assert getattr(units, constant) == pytest.approx(units.factor(unit, si), rel=1e-15)


@pytest.mark.parametrize(
    ("unit", "si"),
    [("percent", "1"), ("Mbit", "B"), ("hour", "s"), ("Gbit/s", "B/s"), ("MiB/s", "B/s"), ("1/minute", "1/s")],
)
def test_the_si_unit_of_what_a_unit_measures(unit: str, si: str) -> None:
    assert units.si_unit(unit) == si


def test_of_a_kind_that_the_contract_lacks_there_is_no_si_unit() -> None:
    with pytest.raises(UnknownNameError, match=r"kind of unit 'kelvin'; known: 1, 1/s, B, B/s, s"):
        units.si_unit("kelvin")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("parsec/fortnigth", "fortnigth"),
        ("()", "no unit"),
        ("B^^2", "expected names of units with"),
        ("m" * 81, "expected names of units with"),
        ("m" * 80, "is not defined"),
    ],
    ids=["unknown", "an expression without a value", "two powers", "too long", "as long as may be"],
)
def test_what_is_no_unit_is_refused(text: str, why: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"unit \(wanted one that converts to B: .*{why}"):
        units.factor(text, "B")


def test_quantities_are_printed_with_short_units() -> None:
    assert f"{units.registry.__wrapped__().Quantity(1.5, 'megabyte/second')}" == "1.5 MB / s"


def test_without_pint_the_extra_that_brings_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional_packages, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r"storagelab\[study\]"):
        units.quantity(1.0, "B")


@pytest.mark.parametrize("unit", ["kelvins_of_old", "()"])
def test_what_is_no_unit_has_no_si_unit(unit: str) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown unit \("):
        units.si_unit(unit)


@pytest.mark.parametrize(
    ("size", "is_decimal"),
    [
        (256e3, True),
        (1.5e9, True),
        (123e7, True),
        (1234e6, False),
        (64 * 2.0**20, False),
        (5120.0, False),
        (300.0, False),
        (2500.5, False),
    ],
)
def test_a_size_that_is_round_in_powers_of_ten_was_chosen_so(size: float, is_decimal: bool) -> None:
    assert units.is_decimal_size(size) is is_decimal


def test_what_is_wrong_with_a_number_can_be_asked() -> None:
    with pytest.raises(units.NumberError, match="found 'twelve'") as caught:
        units.number("twelve")
    assert (caught.value.text, caught.value.expected) == ("twelve", "a number")
