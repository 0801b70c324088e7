"""Rows chosen on the command line: ``--where operation=write``, ``--before release=A``."""

from __future__ import annotations

from collections.abc import Sequence

import xarray as xr

from storagelab import dataset, schema
from storagelab.errors import ContractError


def chosen(ds: xr.Dataset, choices: Sequence[str], option: str) -> xr.Dataset:
    """Return the rows that have all levels which the choices name.

    Parameters
    ----------
    ds : Dataset, dimension obs
    choices : sequence of str
        "key=value", numbers in SI; of a key that is named twice, both levels.
    option : str
        Where they were given, for messages.

    Raises
    ------
    ContractError
        If a choice is not written so, or a number is none.
    UnknownNameError
        As `storagelab.dataset.select`.
    """
    wanted: dict[str, list[str | float]] = {}
    for text in choices:
        key, level = _choice(text, option)
        wanted.setdefault(key, []).append(level)
    return dataset.select(ds, **wanted) if wanted else ds


def _choice(text: str, option: str) -> tuple[str, str | float]:
    key, said, value = text.partition("=")
    if not said:
        raise ContractError(f"{option} {text}: expected key=value, such as operation=write")
    if schema.field(key).unit is None:
        return key, value
    try:
        return key, float(value)
    except ValueError:
        raise ContractError(f"{option} {text}: expected a number in {schema.field(key).unit}") from None
