"""What a verb means where it is not told: the obvious variable, and the keys that make the cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis import columns
from storagelab.analysis.dependent_keys import ATTRIBUTE, following, said
from storagelab.analysis.runs import RATES, chosen_rows, differing_keys
from storagelab.errors import AnalysisError
from storagelab.interactive import names_of_logs
from storagelab.lineage import inherit

COUNTS = ("complete", "n")
"""Variables that say something about the rows and nothing about storage."""


def obvious_variable(ds: xr.Dataset) -> str:
    """Choose the one variable that a question without a variable can mean.

    It is that with an interval in the result of an analysis (the ratio, where there is nothing else), else the only
    rate that has values, else the only variable that has any. Spreads, percentiles and other details of a variable are
    none of their own; nor are operations per second where each is of one known size, so that bytes per second say the
    same.

    Raises
    ------
    AnalysisError
        If there is no such one; names the candidates.
    """
    known = [name for name in main_variables(ds) if np.isfinite(ds[name].to_numpy()).any()]
    estimates = [name for name in known if columns.low(name) in ds.data_vars]
    rates = [name for name in known if ds[name].attrs.get("units") in RATES and not _follows(ds, name, known)]
    for candidates in ([name for name in estimates if name != "ratio"], estimates, rates, known):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise AnalysisError(f"no variable is named, and several have values: {', '.join(candidates)}: name one")
    raise AnalysisError("no variable is named, and none has a value")


def _follows(ds: xr.Dataset, name: str, known: Sequence[str]) -> bool:
    """Whether operations per second are bytes per second over a size that every row says."""
    if name != "operation_rate" or "throughput" not in known or "record_size" not in ds:
        return False
    bytes_a_second, size = ds["throughput"].to_numpy(), ds["record_size"].to_numpy()
    return bool(np.allclose(ds[name].to_numpy() * size, bytes_a_second, rtol=AS_PRINTED, atol=0.0))


AS_PRINTED = 0.01
"""How far two rates of one row may be apart that a tool rounds as it prints them."""


def main_variables(ds: xr.Dataset) -> list[str]:
    """Variables that are no detail of another, such as throughput_min beside throughput."""
    names = [str(name) for name, values in ds.data_vars.items() if values.dtype.kind == "f" and name not in COUNTS]
    return [name for name in names if not any(name.startswith(f"{other}_") for other in names)]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what it left out: the variable, the keys of the cells, and the keys that follow from those.

    `not_said` warns of runs that count as repetitions though the names of their logs differ.
    """

    variable: str
    by: list[str]
    follows: dict[str, list[str]]
    not_said: str = ""

    @classmethod
    def of(
        cls, ds: xr.Dataset, variable: str, by: str | Sequence[str] | None, options: Mapping[str, Any], factor: str = ""
    ) -> Question:
        """Complete a question about rows: keys that it names are its own."""
        cells, follows = keys_of_cells(ds, variable, options, factor) if by is None else (named(by), {})
        return cls(variable, cells, follows, names_of_logs.not_said(ds))

    def noted(self, result: xr.Dataset) -> xr.Dataset:
        """Say in a result which keys were not told apart, as they follow from others, and what names of logs tell."""
        attributes = {ATTRIBUTE: said(self.follows), names_of_logs.ATTRIBUTE: self.not_said}
        return inherit(result.assign_attrs({name: text for name, text in attributes.items() if text}), result)


def keys_of_cells(
    ds: xr.Dataset, variable: str, options: Mapping[str, Any], factor: str = ""
) -> tuple[list[str], dict[str, list[str]]]:
    """Keys in which the rows that a verb would look at differ, without those that its options name.

    Of two sides that are compared by a factor, a key that is the same all over each side belongs to the factor (the
    replicas of a layout): it makes no cells, which would have one side only. Nor does a key that follows from it and
    others (`storagelab.analysis.dependent_keys`): processes from nodes and processes per node. Without a factor such
    keys stay: they name cells, and make none.

    Returns
    -------
    list of str
        The keys of the cells.
    dict of str to list of str
        The keys that follow from others, and from which.
    """
    rows = chosen_rows(ds, variable, options.get("statistic", "single"))
    but = [factor, *named(options.get("over")), *named(options.get("pair"))]
    follows = following(rows, differing_keys(rows, but), [factor]) if factor in rows else {}
    return [key for key in differing_keys(rows, but) if key not in follows], follows


def named(names: str | Sequence[str] | None) -> list[str]:
    """Return names as a list, one alone too."""
    return [names] if isinstance(names, str) else [*(names or ())]
