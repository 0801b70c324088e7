"""Numbers as tools print them, factors from their units to SI, and pint for display at the edge.

At rest every number is in SI: bytes, seconds, bytes per second, operations per second. A parser decides what its
tool *means* by "KB" and multiplies by one of these factors.
"""

from __future__ import annotations

import functools
import math
import re
from types import ModuleType
from typing import TYPE_CHECKING, Any

from storagelab import optional_packages
from storagelab.errors import UnknownNameError, shorten

if TYPE_CHECKING:
    import pint

KB, MB, GB, TB = 1e3, 1e6, 1e9, 1e12
KIB, MIB, GIB, TIB = 2.0**10, 2.0**20, 2.0**30, 2.0**40
BIT = 1 / 8
NANOSECOND, MICROSECOND, MILLISECOND = 1e-9, 1e-6, 1e-3
PERCENT = 0.01


def powers(base: float, prefixes: str) -> dict[str, float]:
    """Lay out what prefixes of a unit stand for, each the next power of a base; none stands for 1.

    Parameters
    ----------
    base : float
        `KB` or `KIB`.
    prefixes : str
        As the tool spells them, the smallest first.

    Returns
    -------
    dict of str to float
        Factors.

    Examples
    --------
    >>> powers(KIB, "KM")
    {'': 1.0, 'K': 1024.0, 'M': 1048576.0}
    """
    return {prefix: base**power for power, prefix in enumerate(["", *prefixes])}


_BINARY = powers(KIB, "kmgt")
_DECIMAL_COMMA = re.compile(r"[-+]?([0-9]+,[0-9]+)(?:[eE][-+]?[0-9]+)?")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_SIZE = re.compile(r"(\d+(?:\.\d*)?)\s*([kmgt]?)(?:i?b(?:ytes?)?)?", re.IGNORECASE)


def binary_size(text: str) -> float:
    """Bytes behind a size as benchmark options spell it, where k, m, g and t are powers of 1024.

    Parameters
    ----------
    text : str
        A size, such as 4m.

    Returns
    -------
    float
        Bytes.

    Raises
    ------
    UnknownNameError
        If the text is no such size.

    Examples
    --------
    >>> binary_size("4m")
    4194304.0
    """
    match = _SIZE.fullmatch(text.strip())
    if not match:
        raise UnknownNameError("size", text, ["512", "4k", "4 KiB", "1m", "2g"])
    return float(match[1]) * _BINARY[match[2].lower()]


ROUND_DIGITS = 3
"""Most digits of a size that somebody chose in powers of ten, such as 256 MB or 1.5 GB."""


def is_decimal_size(size: float) -> bool:
    """Whether a size was chosen in powers of ten: it is no less round so than in powers of 1024.

    Parameters
    ----------
    size : float
        Bytes.

    Returns
    -------
    bool
        False where it is rounder in powers of 1024.

    Examples
    --------
    >>> [is_decimal_size(size) for size in (256e3, 1.5e9, 4096.0, 64 * 2.0**20, 512.0)]
    [True, True, False, False, False]
    """
    if not (size // KIB and float(size).is_integer()):
        return False
    in_twos = size
    while in_twos % KIB == 0:
        in_twos /= KIB
    return len(f"{size:.0f}".rstrip("0")) <= min(ROUND_DIGITS, len(f"{in_twos:.0f}"))


class NumberError(ValueError):
    """Text that is no number, or no number that can be read in one way alone."""

    def __init__(self, text: str, expected: str = "a number") -> None:
        super().__init__(f"expected {expected}, found {text[:80]!r}")
        self.text = text
        self.expected = expected


class AmbiguousNumberError(NumberError):
    """A number whose comma may stand for the decimal point or between thousands."""

    def __init__(self, text: str) -> None:
        point, thousands = text.replace(",", "."), text.replace(",", "")
        super().__init__(text, f"a number that can be read in one way (this may be {point} or {thousands})")


def number(text: str, *, has_decimal_commas: bool = False) -> float:
    """Read a number as tools print it, ``inf`` and ``nan`` in any spelling included.

    Python's own liberties are refused: underscores, digits of other scripts, and digits so many that they are infinite.
    A comma is the decimal one where it cannot stand between thousands, or where the caller knows the log to have such.

    Parameters
    ----------
    text : str
        What stands in a log.
    has_decimal_commas : bool, optional
        Whether a comma is the decimal one wherever it stands.

    Returns
    -------
    float
        The number.

    Raises
    ------
    AmbiguousNumberError
        If the comma may be either: ``1,234``.
    NumberError
        If the text is not a number.

    Examples
    --------
    >>> number("0,345"), number("12,5"), number("1,234", has_decimal_commas=True)
    (0.345, 12.5, 1.234)
    """
    try:
        value = float(text)
    except ValueError:
        return _with_comma(text, has_decimal_commas)
    if not text.isascii() or "_" in text or (math.isinf(value) and "n" not in text.lower()):
        raise NumberError(text)
    return value


def _with_comma(text: str, has_decimal_commas: bool) -> float:
    match = _DECIMAL_COMMA.fullmatch(text.strip())
    if not match:
        raise NumberError(text)
    if not has_decimal_commas and _THOUSANDS.fullmatch(match[1]):
        raise AmbiguousNumberError(text)
    return number(text.replace(",", "."))


def _pint() -> ModuleType:
    """The package pint, or one line that says which extra brings it."""
    optional_packages.require("study", "a unit in a sidecar or of a figure")
    import pint

    return pint


@functools.cache
def registry() -> pint.UnitRegistry[float]:
    """Return the one pint registry, with an operation and an event as countable things.

    Raises
    ------
    MissingPackageError
        If pint is not installed.
    """
    library = _pint()

    units: pint.UnitRegistry[float] = library.UnitRegistry(cache_folder=None)
    units.formatter.default_format = "~"
    return units


_UNIT = re.compile(r"(?:[^\W\d_]|[%°Ω/*·^ ._()-]|\d(?!\d))*")
_POWERS = re.compile(r"(?:\*\*|\^)[^*^/]*(?:\*\*|\^)")
LONGEST_UNIT = 80


def quantity(value: float, unit: str) -> pint.Quantity[Any]:
    """Make a quantity of pint; "1" is the unit of what has none.

    pint evaluates a unit as an expression, so what is none is refused before: ``9**9**9`` would never end.

    Parameters
    ----------
    value : float
        The number.
    unit : str
        Its unit, as pint spells it.

    Returns
    -------
    pint.Quantity
        The number with its unit.

    Raises
    ------
    ValueError
        If the text is no unit.
    """
    library = _pint()

    if len(unit) > LONGEST_UNIT or not _UNIT.fullmatch(unit) or _POWERS.search(unit):
        raise ValueError("expected names of units with * / and powers of one digit")
    try:
        return registry().Quantity(value, "" if unit == "1" else unit)
    except library.PintError:
        raise
    except Exception as error:  # pint hands on whatever its tokenizer and its arithmetic raise
        raise ValueError(f"no unit: {shorten(str(error) or type(error).__name__)}") from None


def _one(unit: str) -> pint.Quantity[Any]:
    return quantity(1.0, unit)


@functools.cache
def factor(unit: str, si: str) -> float:
    """How many `si` one `unit` is, by pint: ``factor("Mbit/s", "B/s") == 125000.0``.

    Raises
    ------
    UnknownNameError
        If pint does not know a unit, or the two are not of one kind.
    """
    library = _pint()

    try:
        return float(_one(unit).to(si).magnitude)
    except (library.PintError, ValueError) as error:
        raise UnknownNameError(f"unit (wanted one that converts to {si}: {error})", unit, []) from error


@functools.cache
def si_unit(unit: str) -> str:
    """Name the SI unit, as the contract spells it, of what a unit measures: ``si_unit("Gbit/s") == "B/s"``.

    Raises
    ------
    UnknownNameError
        If pint does not know the unit, or the contract has none of its kind.
    """
    library = _pint()

    try:
        root = _one(unit).to_root_units()
    except (library.PintError, ValueError) as error:
        raise UnknownNameError(f"unit ({error})", unit, []) from error
    return si_of(root, unit)


def si_of(quantity: pint.facets.plain.PlainQuantity[Any], shown: str = "") -> str:
    """Name the SI unit of a quantity of pint, as `si_unit` does of a unit.

    Parameters
    ----------
    quantity : pint.Quantity
        A number with a unit.
    shown : str, optional
        How the unit is spelt in a message.

    Returns
    -------
    str
        The unit.

    Raises
    ------
    UnknownNameError
        If the contract has no SI unit of this dimension.
    """
    powers = dict(quantity.to_root_units().unit_items())
    for si, found in _KINDS.items():
        if powers == found:
            return si
    raise UnknownNameError("kind of unit", shown or str(quantity.units), _KINDS)


_KINDS: dict[str, dict[str, int]] = {
    "1": {},
    "B": {"bit": 1},
    "s": {"second": 1},
    "B/s": {"bit": 1, "second": -1},
    "1/s": {"second": -1},
}
"""SI units of the contract, with the powers that pint gives their root units."""
