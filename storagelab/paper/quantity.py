"""Numbers as a paper prints them, and the only place that does: rounded, with an SI prefix, spaced as SI asks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from storagelab import units

THIN = "\u202f"
MINUS = "\u2212"
MISSING = "\u2013"
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Scale:
    """What a number in SI is divided by for display, and the symbol behind it."""

    divisor: float
    symbol: str

    def value(self, value: float, digits: int = DIGITS) -> str:
        """Print the number alone, to some significant digits."""
        return rounded(value / self.divisor, digits)

    def text(self, value: float, digits: int = DIGITS) -> str:
        """Print the number and its unit."""
        return f"{self.value(value, digits)}{self.suffix}"

    @property
    def suffix(self) -> str:
        """The unit with the narrow no-break space in front of it."""
        return f"{THIN}{self.symbol}" if self.symbol else ""


def scale(value: float, unit: str, display: str = "") -> Scale:
    """Choose the unit in which a number in SI reads best.

    Parameters
    ----------
    value : float
        The number, in `unit`.
    unit : str
        SI unit as the data contract spells it: "B/s", "1/s", "s", "B", "1".
    display : str, optional
        A unit to print in whatever the size: "%", "MiB/s", "h".

    Returns
    -------
    Scale
        MB/s and the like by powers of 1000; sizes that are whole powers of 1024 in KiB, MiB, GiB; seconds without
        kilo; rates as ops/s.

    Raises
    ------
    UnknownNameError
        If pint does not know a unit, or `display` is of another kind than `unit`.
    """
    if display == "%":
        return Scale(0.01, "%")
    if display:
        return Scale(units.factor(display, unit), display)
    if unit == "1":
        return Scale(1.0, "")
    if unit == "1/s":
        return Scale(1.0, "ops/s")
    if unit == "B" and value and value % 1024 == 0:
        return _binary(value)
    return _compact(value, unit)


def _binary(value: float) -> Scale:
    power = next((p for p in (4, 3, 2, 1) if value % 1024**p == 0), 1)
    return Scale(1024.0**power, f"{'?KMGT'[power]}iB")


def _compact(value: float, unit: str) -> Scale:
    """Let pint find the prefix; a time above one second keeps its seconds."""
    if not math.isfinite(value) or value == 0 or (unit == "s" and abs(value) >= 1):
        return Scale(1.0, unit)
    quantity = units.registry().Quantity(value, unit).to_compact()
    return Scale(value / float(quantity.magnitude), f"{quantity.units:~P}")


def rounded(value: float, digits: int = DIGITS) -> str:
    """Print a number to some significant digits, thousands set apart, a true minus sign in front.

    Examples
    --------
    >>> rounded(0.012345)
    '0.0123'
    """
    if not math.isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return fixed(round(value, places), max(places, 0))


def fixed(value: float, places: int) -> str:
    """Print a number to some decimal places; four digits before the point stay together, five do not."""
    if not math.isfinite(value):
        return MISSING
    text = f"{abs(value):,.{places}f}".replace(",", THIN if abs(value) >= 10_000 else "")
    return f"{MINUS}{text}" if value < 0 and float(f"{value:.{places}f}") else text


def text(value: float | int | str, unit: str = "1", digits: int = DIGITS, display: str = "") -> str:
    """Print a value with its unit; text and whole numbers (counts) as they are."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and unit == "1" and not display:
        return fixed(value, 0)
    return scale(value, unit, display).text(value, digits)


def interval(
    value: float, bounds: tuple[float, float], unit: str = "1", digits: int = DIGITS, display: str = ""
) -> str:
    """Print both ends of an interval in the unit that suits the value: ``12.1 to 13.4 MB/s``."""
    chosen = scale(value, unit, display)
    return f"{chosen.value(bounds[0], digits)} to {chosen.text(bounds[1], digits)}"


def column(values: Sequence[float], unit: str = "1", digits: int = DIGITS, display: str = "") -> tuple[list[str], str]:
    """Print a column in one unit and with one number of decimals, so that the points stand below each other.

    Returns
    -------
    texts : list of str
    symbol : str
        The unit of the column, "" where it has none.
    """
    sizes = sorted(abs(value) for value in values if math.isfinite(value) and value)
    if not sizes:
        return [fixed(value, 0) for value in values], scale(0.0, unit, display).symbol
    if unit == "B" and all(value % 1024 == 0 for value in sizes):
        return [text(value, "B") if math.isfinite(value) else MISSING for value in values], ""
    chosen = scale(sizes[len(sizes) // 2], unit, display)
    whole = all(float(value / chosen.divisor).is_integer() for value in sizes)
    places = 0 if whole else digits - 1 - math.floor(math.log10(sizes[len(sizes) // 2] / chosen.divisor))
    return [fixed(value / chosen.divisor, min(max(places, 0), digits)) for value in values], chosen.symbol
