"""Facts straight from the result of an analysis: value, interval, n and trace of one row, all from the same place."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
import xarray as xr

from storagelab import dataset, schema
from storagelab.analysis import columns, stated, table
from storagelab.analysis.basis import KEY as BASIS
from storagelab.analysis.comparison.comparison import quotient
from storagelab.claims.quantities import basis_of
from storagelab.errors import PaperError
from storagelab.paper import quantity
from storagelab.paper.publish import fact

_NO_CONDITION = frozenset({"study", "origin", BASIS, "run_id", "log_id", "compared"})


def finding(
    name: str,
    result: xr.Dataset,
    variable: str,
    *,
    of: xr.Dataset | None = None,
    display: str = "",
    digits: int = quantity.DIGITS,
    **keys: object,
) -> None:
    """State what a result says in one of its rows as the fact ``{{name}}``; scatter that a model drew has no interval.

    Parameters
    ----------
    name : str
        Of the fact.
    result : Dataset, dimension obs
        From `storagelab.analysis`.
    variable : str
        The column to state: a number, as `storagelab.analysis.stated` takes it out, or words (a verdict, the key of an
        extreme).
    of : Dataset, optional
        What the result was computed from: the rows with the keys of the row are those whose log lines the fact rests
        on.
    display, digits
        See `fact`.
    **keys
        The row; none are needed where there is only one.

    Raises
    ------
    PaperError
        If words are asked for and not exactly one row is chosen.
    AnalysisError, UnknownNameError
        As `storagelab.analysis.stated`.
    """
    table.require(result, variable)
    row = dataset.select(result, **keys) if keys else result
    trace = () if of is None or row.sizes["obs"] != 1 else _behind(row, of, variable)
    source = quotable(row, result) if row.sizes["obs"] == 1 else {}
    origin = table.origin(row) if "origin" in row.coords else ""
    if columns.field(variable).unit is None:
        return fact(name, _word(name, row, variable), origin=origin, trace=trace)
    said = stated(row, variable)
    if _drawn(row):
        said.pop("interval", None)
    return fact(name, **said, display=display, digits=digits, origin=origin, trace=trace, source=source)


def _drawn(row: xr.Dataset) -> bool:
    """Whether a model drew the scatter behind a row, of which no interval is stated."""
    return table.origin(row) == "reconstructed" and basis_of(row) == schema.BASES[-1]


def quotable(row: xr.Dataset, result: xr.Dataset) -> dict[str, Any]:
    """Return what a quotation of a row must carry along: its verdict, its keys, and the keys over which it changes.

    Parameters
    ----------
    row : Dataset, dimension obs
        One row; one of a comparison (`storagelab.claims.synthesise`) carries what its own source demands.
    result : Dataset, dimension obs
        The rows among which it stands.

    Returns
    -------
    dict
        ``verdict`` (lower, higher, equivalent, undecided), ``keys`` (by name), ``changes`` (by key: the verdict at each
        level, that of the row first; rows that differ from it in this key alone), ``demands`` (what a sentence that
        quotes it has to say). Only what there is.
    """
    if "demands" in row.coords:
        return {"study": str(row["study"].item()), "demands": orjson.loads(str(row["demands"].item()))}
    if "verdict" not in row.variables:
        return {}
    keys = [str(key) for key in row.coords if key not in _NO_CONDITION]
    changes = {key: found for key in keys if len(found := _answers(row, result, key, keys)) > 1}
    said = {"verdict": str(row["verdict"].item()), "keys": {key: row[key].item() for key in keys}}
    return {**said, "changes": changes} if changes else said


def _answers(row: xr.Dataset, result: xr.Dataset, key: str, keys: list[str]) -> dict[str, str]:
    """The verdict of a row, and those of rows that differ from it in one key alone and have another."""
    alike = np.ones(result.sizes["obs"], dtype=bool)
    for other in keys:
        if other != key:
            alike &= _among(result[other].to_numpy(), row[other].to_numpy())
    verdict = str(row["verdict"].item())
    others = zip(result[key].to_numpy()[alike].tolist(), result["verdict"].to_numpy()[alike].tolist(), strict=True)
    changed = {_spelled(level): str(word) for level, word in others if word != verdict}
    return {_spelled(row[key].item()): verdict, **changed}


def _spelled(level: object) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


def _word(name: str, row: xr.Dataset, variable: str) -> str:
    if row.sizes["obs"] != 1:
        raise PaperError(f"fact {name!r}: expected one row, found {row.sizes['obs']}")
    return str(row[variable].to_numpy()[0])


def _behind(row: xr.Dataset, of: xr.Dataset, variable: str) -> xr.Dataset:
    """Rows that have the keys of the row, and a value of what was measured where that is known."""
    rows = np.ones(of.sizes["obs"], dtype=bool)
    for key in row.coords:
        if key in of.variables and key != BASIS:
            rows &= _among(of.variables[key].to_numpy(), row.variables[key].to_numpy())
    if (factor := row.attrs.get("compared_factor")) in of.variables and "compared" in row.coords:
        rows &= _of_the_sides(of.variables[factor].to_numpy(), set(row["compared"].to_numpy().tolist()))
    measured = row.attrs.get("compared_variable", variable)
    if measured in of.variables and columns.field(measured).unit is not None:
        rows &= np.isfinite(of.variables[measured].to_numpy())
        if "statistic" in of.variables and "statistic" in row.attrs:
            rows &= of.variables["statistic"].to_numpy() == row.attrs["statistic"]
    return dataset.take(of, np.flatnonzero(rows))


def _of_the_sides(levels: np.ndarray[Any, Any], compared: set[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which rows are of a level that was compared: of a third level none entered."""
    known = [level for level in dict.fromkeys(levels.tolist()) if level == level]
    sides = {level for one in known for other in known if quotient(one, other) in compared for level in (one, other)}
    return np.isin(levels, list(sides))


def _among(values: np.ndarray[Any, Any], levels: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which values are among the levels; where a level is missing (NaN), those that are missing too."""
    found = values == levels[0] if levels.size == 1 else np.isin(values, levels)
    missing = bool((levels != levels).any())
    return np.asarray(found | (values != values) if missing else found, dtype=bool)
