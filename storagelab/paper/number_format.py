"""Numbers as a paper prints them: rounded, spaced as SI asks, in the units that the figures use."""

from __future__ import annotations

import math
from collections.abc import Sequence

from storagelab import units
from storagelab.wording.quantities import LADDERS, Scale
from storagelab.wording.quantities import scale as fitting

THIN = "\u202f"
MINUS = "\u2212"
MISSING = "\u2013"
DIGITS = 3
BYTES = tuple(symbol for symbol, _ in LADDERS["B"])


def scale(value: float, unit: str, display: str = "") -> Scale:
    """Choose the unit in which a number in SI reads best.

    Parameters
    ----------
    value : float
        The number, in `unit`.
    unit : str
        SI unit as the data contract spells it: "B/s", "1/s", "s", "B", "1".
    display : str, optional
        A unit to print in whatever the size: "%", "MiB/s", "min".

    Returns
    -------
    Scale
        What figures use (MB/s, kops/s, ms), but sizes that were chosen in powers of 1024 in KiB, MiB, GiB.

    Raises
    ------
    UnknownNameError
        If a unit is unknown, or `display` is of another kind than `unit`.
    """
    if display == "%":
        return Scale("%", units.PERCENT)
    if display:
        return Scale(display, units.factor(display, unit))
    if unit == "B" and _in_twos(value):
        return _binary(value)
    return fitting(unit, [value])


def _in_twos(value: float) -> bool:
    return bool(value) and value % 1024 == 0 and not units.is_decimal_size(value)


def _binary(value: float) -> Scale:
    power = next((p for p in (4, 3, 2) if value % 1024**p == 0), 1)
    return Scale(f"{'?KMGT'[power]}iB", 1024.0**power)


def text(value: float | int | str, unit: str = "1", digits: int = DIGITS, display: str = "") -> str:
    """Print a value with its unit; words as they are, whole numbers without a unit (counts) unrounded."""
    if isinstance(value, str):
        return value
    if unit == "1" and not display and float(value).is_integer():
        return fixed(value, 0)
    chosen = scale(value, unit, display)
    return with_unit(bare(value, chosen, digits), chosen)


def bare(value: float, chosen: Scale, digits: int = DIGITS) -> str:
    """Print the number alone; so many KiB or MiB are exact, and so are sizes that were chosen in powers of ten."""
    shown = value / chosen.factor
    if chosen.symbol.endswith("iB") and shown.is_integer():
        return fixed(shown, 0)
    return f"{shown:g}" if chosen.symbol in BYTES and units.is_decimal_size(value) else rounded(shown, digits)


def with_unit(number: str, chosen: Scale) -> str:
    """Put the unit behind a narrow no-break space."""
    return f"{number}{THIN}{chosen.symbol}" if chosen.symbol else number


def interval(
    value: float, bounds: tuple[float, float], unit: str = "1", digits: int = DIGITS, display: str = ""
) -> str:
    """Print both ends of an interval in the unit that suits the value: ``12.1 to 13.4 MB/s``."""
    chosen = scale(value, unit, display)
    return f"{bare(bounds[0], chosen, digits)} to {with_unit(bare(bounds[1], chosen, digits), chosen)}"


def rounded(value: float, digits: int = DIGITS) -> str:
    """Print a number to some significant digits.

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


def probability(p: float) -> str:
    """Print a p value to three decimals, and one that would round to nothing as what it is below.

    Examples
    --------
    >>> probability(0.00002)
    '< 0.001'
    """
    return "< 0.001" if 0 <= p < 0.001 else fixed(p, 3)


def full(value: float | int | str) -> str:
    """Print a number in SI unrounded, but for the noise of binary fractions."""
    return value if isinstance(value, str) else f"{value:.10g}"


def fixed(value: float, places: int) -> str:
    """Print a number to some decimal places; four digits before the point stay together, five do not."""
    if not math.isfinite(value):
        return MISSING
    number = f"{abs(value):,.{places}f}".replace(",", THIN if abs(value) >= 10_000 else "")
    return f"{MINUS}{number}" if float(f"{value:.{places}f}") < 0 else number


def column(values: Sequence[float], unit: str = "1", digits: int = DIGITS, display: str = "") -> tuple[list[str], str]:
    """Print a column in one unit and with one number of decimals, so that the points stand below each other.

    Returns
    -------
    texts : list of str
    symbol : str
        The unit of the column, "" where it has none or each cell has its own (round sizes: 64 KiB, 256 MB).
    """
    sizes = sorted(abs(value) for value in values if math.isfinite(value) and value)
    if unit == "B" and not display and sizes and all(_in_twos(size) or units.is_decimal_size(size) for size in sizes):
        return [text(value, unit) if math.isfinite(value) else MISSING for value in values], ""
    middle = sizes[len(sizes) // 2] if sizes else 0.0
    chosen = scale(middle, unit, display)
    places = _places([value / chosen.factor for value in sizes], middle / chosen.factor, digits)
    return [fixed(value / chosen.factor, places) for value in values], chosen.symbol


def _places(sizes: Sequence[float], middle: float, digits: int) -> int:
    """Decimal places that give the middle value its digits; none for a column of whole numbers."""
    if all(size.is_integer() for size in sizes):
        return 0
    return min(max(digits - 1 - math.floor(math.log10(middle)), 0), digits)
