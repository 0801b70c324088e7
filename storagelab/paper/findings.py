"""Facts straight from the result of an analysis: value, interval, n and trace of one row, all from the same place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
import xarray as xr

from storagelab import dataset, schema
from storagelab.analysis import columns, stated, table
from storagelab.analysis.basis import KEY as BASIS
from storagelab.analysis.source_rows import rows_behind
from storagelab.analysis.traces import Trace
from storagelab.claims.number_evaluation import basis_of
from storagelab.errors import PaperError
from storagelab.paper import number_format
from storagelab.paper.publish import fact

_NO_CONDITION = frozenset({"study", "origin", BASIS, "run_id", "log_id", "compared"})


def finding(
    name: str,
    result: xr.Dataset,
    variable: str,
    *,
    of: xr.Dataset | Sequence[xr.Dataset] = (),
    display: str = "",
    digits: int = number_format.DIGITS,
    comes_from: Mapping[str, Any] | None = None,
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
    of : Dataset or sequence of Dataset, optional
        What the result was computed from, where its lineage does not say it, or says more (`storagelab.lineage`): the
        rows with the keys of the row are those whose log lines the fact rests on. Where lineage says less, it holds.
    display, digits, comes_from
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
    trace: Trace = _behind(row, variable, [of] if isinstance(of, xr.Dataset) else of) if row.sizes["obs"] == 1 else []
    if "trace" in row.coords:
        trace, comes_from = orjson.loads(str(row["trace"].item())), _quoted(row)
    source = quotable(row, result) if row.sizes["obs"] == 1 else {}
    origin = table.origin(row) if "origin" in row.coords else ""
    if columns.field(variable).unit is None:
        return fact(name, _word(name, row, variable), origin=origin, trace=trace, comes_from=comes_from)
    said = stated(row, variable)
    if _drawn(row):
        said.pop("interval", None)
    return fact(
        name, **said, display=display, digits=digits, origin=origin, trace=trace, source=source, comes_from=comes_from
    )  # fmt: skip


def _behind(row: xr.Dataset, variable: str, of: Sequence[xr.Dataset]) -> list[xr.Dataset]:
    """Rows of logs behind a row: those of which its lineage knows, or of these the fewer that `of` says."""
    remembered = rows_behind(row, variable)
    said = rows_behind(row, variable, of) if of else []
    return remembered if remembered and _places(remembered) <= _places(said) else said or remembered


def _places(found: Iterable[xr.Dataset]) -> set[tuple[float, float]]:
    """Log and line of rows; line 0 of what is a log itself."""
    return {
        place
        for rows in found
        for place in zip(
            rows["log_id"].to_numpy().tolist(),
            rows["line"].to_numpy().tolist() if "line" in rows.variables else [0.0] * rows.sizes["obs"],
            strict=True,
        )
    }


def _quoted(row: xr.Dataset) -> dict[str, str]:
    """Say of a row that `storagelab.claims.synthesise` took out of a study what it is and whose."""
    return {"quoted": str(row["label"].item()), "study": str(row["study"].item())}


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


def _among(values: np.ndarray[Any, Any], levels: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which values are among the levels; where a level is missing (NaN), those that are missing too."""
    found = values == levels[0] if levels.size == 1 else np.isin(values, levels)
    missing = bool((levels != levels).any())
    return np.asarray(found | (values != values) if missing else found, dtype=bool)
