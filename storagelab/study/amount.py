"""A number with its unit, as somebody wrote it: its digits count."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from storagelab import units

if TYPE_CHECKING:
    import pint

_WRITTEN = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*(\S.*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit.

    Attributes
    ----------
    digits : Decimal
        The number with the digits that were written.
    unit : str
        Its unit, for pint; "1" where it has none.
    """

    digits: Decimal
    unit: str = "1"

    @property
    def si_unit(self) -> str:
        """SI unit of the contract."""
        return units.si_unit(self.unit)

    @property
    def si(self) -> float:
        """The number in its SI unit."""
        return float(self.digits) * self._factor

    @property
    def half_digit(self) -> float:
        """Half a unit of the last digit that was written, in the SI unit: 12.55 stands for 12.545 to 12.555."""
        return 0.5 * 10.0 ** int(self.digits.as_tuple().exponent) * self._factor

    @property
    def quantity(self) -> pint.Quantity[Any]:
        """The number for arithmetic with units."""
        return units.quantity(float(self.digits), self.unit)

    @property
    def _factor(self) -> float:
        return 1.0 if self.unit == "1" else units.factor(self.unit, self.si_unit)

    def __str__(self) -> str:
        return str(self.digits) if self.unit == "1" else f"{self.digits} {self.unit}"


def amount(written: Any) -> Amount:
    """Read a number with its unit, such as ``24 GiB``, ``0.06 MB/s`` or ``3``.

    Raises
    ------
    ValueError
        If it begins with no number, or pint does not know the unit; for pydantic.
    """
    found = _WRITTEN.fullmatch(str(written).strip())
    if isinstance(written, bool) or not found:
        raise ValueError(f"expected a number and its unit, such as '24 GiB', found {str(written)!r}")
    read = Amount(Decimal(found[1]), found[2] or "1")
    try:
        units.si_unit(read.unit)
    except Exception as error:
        raise ValueError(f"expected a number and its unit, found {str(written)!r}: {error}") from None
    return read
