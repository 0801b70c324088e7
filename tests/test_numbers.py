"""Numbers as tools print them: one syntax, and nothing that can be read in two ways."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from storagelab import units
from storagelab.parsers import text


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("12", 12.0),
        (" -1.5e3", -1500.0),
        (".5", 0.5),
        ("12,5", 12.5),
        ("-0,345", -0.345),
        ("1234,567", 1234.567),
        ("1,2345", 1.2345),
        ("1,5e3", 1500.0),
        ("Inf", math.inf),
        ("-infinity", -math.inf),
    ],
)
def test_a_number_is_read(printed: str, value: float) -> None:
    assert units.number(printed) == value


@pytest.mark.parametrize(
    "printed", ["1_000", "١٢", "１２", "1,234,567", "1,234.5", "", "9" * 400, "-" + "9" * 400, "0x1"]
)
def test_what_is_no_number_is_refused(printed: str) -> None:
    with pytest.raises(units.NumberError, match=r"^expected a number, found '"):
        units.number(printed)


@pytest.mark.parametrize("printed", ["1,234", "-12,345", "999,000"])
def test_a_comma_that_may_be_either_is_refused(printed: str) -> None:
    with pytest.raises(units.AmbiguousNumberError, match=r"this may be -?\d+\.\d{3} or -?\d+\), found"):
        units.number(printed)
    assert units.number(printed, has_decimal_commas=True) == float(printed.replace(",", "."))


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1.234)
def test_what_python_prints_comes_back(value: float) -> None:
    assert units.number(repr(value)) == value
    assert units.number(repr(value).replace(".", ","), has_decimal_commas=True) == value


@pytest.mark.parametrize(
    ("log", "value"),
    [
        ("elapsed 1,234 s, 12,5 MB/s", 1.234),
        ("elapsed 1,234 s, 0,125 MB/s", 1.234),
        ("elapsed 1,234 s, 12 MB/s", None),
        ("elapsed 1,234 s, 1,234,567 bytes, 12,5 MB/s", None),
        ("elapsed 1,234 s, 1,234.5 bytes, 12,5 MB/s", None),
        ("elapsed 1,234 s\n1,2,3,12.5", None),
    ],
)
def test_the_whole_log_decides_what_a_comma_is(log: str, value: float | None) -> None:
    with text.reading(log) as reading:
        if value is None:
            with pytest.raises(units.AmbiguousNumberError, match=r"1\.234 or 1234"):
                text.number("1,234")
            assert list(reading.doubtful) == ["1,234"]
        else:
            assert text.number("1,234") == value
            assert not reading.doubtful


def test_outside_of_a_log_nothing_decides() -> None:
    with pytest.raises(units.AmbiguousNumberError, match=r"1\.234 or 1234"):
        text.number("1,234")
    with text.reading("1,5"):
        pass
    with pytest.raises(units.AmbiguousNumberError, match=r"1\.234 or 1234"):
        text.number("1,234")


def test_the_line_of_a_number_is_found() -> None:
    log = text.Reading("11,234\n1,234\n")
    assert log.line_of("1,234") == 2
    assert log.line_of("7") == 0


def test_a_number_of_printf_has_no_thousands() -> None:
    assert text.printf_number("24,940") == 24.94


ODD = (
    *("1", "2.5", "nan", "-inf", "1e3", "1E999", "12,5", "1,234", "1_000", "\u0663", "x", ".", "1" * 400),
    *("-0", "-0.0", "007", "+3", "5.", ".5", "9007199254740993", "", " 1", '"5"', "[1", "2]", "true", "null"),
)


@given(st.lists(st.sampled_from(ODD), max_size=4))
def test_many_numbers_at_once_are_read_as_each_alone(words: list[str]) -> None:
    assert _said(text.numbers, words) == _said(lambda each: list(map(text.number, each)), words)
    assert _said(text.floats, words) == _said(lambda each: list(map(float, each)), words)


def _said(read: Callable[[list[str]], list[float]], words: list[str]) -> str:
    """What is read of some words, or what is said of them."""
    try:
        return repr(read(words))
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


def test_a_unit_has_at_most_eighty_characters() -> None:
    longest = "m".rjust(units.LONGEST_UNIT)
    assert units.quantity(2.0, longest).to("mm").magnitude == 2000.0
    with pytest.raises(ValueError, match=r"^expected names of units with \* / and powers of one digit$"):
        units.quantity(2.0, f" {longest}")
