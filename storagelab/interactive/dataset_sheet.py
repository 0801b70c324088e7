"""What is shown of one dataset: a node, a part of it, or the result of an analysis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from storagelab import schema
from storagelab.analysis import table
from storagelab.dataset import value_lines
from storagelab.errors import AnalysisError
from storagelab.interactive.caveats import caveats
from storagelab.interactive.default_variables import COUNTS, main_variables
from storagelab.interactive.levels import abbreviated, differing, shared, written
from storagelab.interactive.results import quantity, result_table
from storagelab.interactive.sheet import Sheet, Table

MARKS = {"logs": "log_sha256", "events": "event", "series": "time", "clients": "share"}
"""Names by which a node is known where nothing says which it is."""


def node_sheet(ds: xr.Dataset, name: str = "") -> Sheet:
    """Collect what is shown of a dataset; `name` is that of the node, where it is known."""
    if set(ds.dims) != {"obs"}:
        found = ", ".join(map(str, ds.dims)) or "none"
        opened = f", {value_lines.OPENED}" if value_lines.DIMENSION in ds.dims else ""
        return Sheet("no node of a study", f"expected the one dimension obs, found {found}{opened}", "not known", False)
    kind = name if name in schema.NODES else kind_of(ds)
    origin = origin_of(ds)
    return Sheet(
        heading=f"{ds.attrs.get('study') or 'logs without a study'}, {kind}",
        title=str(ds.attrs.get("title", "")),
        origin=origin,
        alarming=origin != "measured",
        facts=tuple(_facts(ds)),
        warnings=caveats(ds, kind),
        tables=tuple(_tables(ds, kind)),
    )


def kind_of(ds: xr.Dataset) -> str:
    """Tell which node a dataset comes from, or that it is the result of an analysis."""
    if "method" in ds.attrs or "unit" in ds.attrs:
        return "result"
    return next((node for node, mark in MARKS.items() if mark in ds.variables), "runs")


def origin_of(ds: xr.Dataset) -> str:
    """Where the logs come from, in a word or, where there is no one word, in more."""
    try:
        return table.origin(ds)
    except AnalysisError:
        said = {str(ds.attrs.get("origin", "")), *(map(str, np.unique(ds["origin"])) if "origin" in ds.coords else ())}
        return f"mixed: {', '.join(sorted(said - {''}))}" if said - {""} else "not known"


def _facts(ds: xr.Dataset) -> Iterator[tuple[str, str]]:
    yield "rows", f"{ds.sizes['obs']:,}"
    if "run_id" in ds.variables:
        yield "runs", f"{np.unique(ds['run_id']).size:,}"
    if "log_id" in ds.variables:
        yield "logs", _logs(ds)
    if "complete" in ds:
        cut = ds["complete"].to_numpy() == 0
        yield "incomplete rows", f"{int(cut.sum()):,}" if cut.any() else "none"
    if same := shared(ds):
        yield "all rows", ", ".join(f"{key} {written(key, level)}" for key, level in same.items())
    if "method" in ds.attrs:
        yield "method", str(ds.attrs["method"])
    if "follows" in ds.attrs:
        yield "not told apart", str(ds.attrs["follows"])
    if empty := [name for name, values in ds.data_vars.items() if _is_number(values) and not _known(values).size]:
        yield "no value in any row", f"{len(empty):,} variables"


def _is_number(values: xr.DataArray) -> bool:
    return bool(values.dtype.kind == "f")


def _known(values: xr.DataArray) -> NDArray[np.float64]:
    numbers = values.to_numpy().astype(np.float64)
    return numbers[np.isfinite(numbers)]


def _logs(ds: xr.Dataset) -> str:
    """Logs that rows lead to; a row that adds clients up leads to the first of theirs."""
    leads = f"{np.unique(ds['log_id']).size:,}"
    most = float(ds["log_count"].max()) if "log_count" in ds.variables and ds.sizes["obs"] else 1.0
    return f"{leads} leading ones of runs of up to {most:g} logs" if most > 1 else leads


def _tables(ds: xr.Dataset, kind: str) -> Iterator[Table]:
    if (keys := differing(ds)) and kind != "result":
        rows = ((key, f"{len(levels):,}", abbreviated(key, levels)) for key, levels in keys.items())
        yield Table("Keys that differ", ("key", "levels", "level (rows)"), tuple(rows))
    known = [str(name) for name, values in ds.data_vars.items() if _is_number(values) and _known(values).size]
    main = [name for name in main_variables(ds) if name in known]
    details = [name for name in known if name not in main and name not in COUNTS]
    columns = ("variable", "is", "lowest", "highest", "missing")
    if kind == "result" and known:
        yield result_table(ds)
    elif main:
        yield Table("Variables", columns, tuple(_variable(ds[name]) for name in main))
    if details and kind != "result":
        yield Table("Details of variables", columns, tuple(_variable(ds[name]) for name in details), folded=True)


def _variable(values: xr.DataArray) -> tuple[str, ...]:
    known = _known(values)
    missing = int(values.size - known.size)
    ends = (quantity(values, float(known.min())), quantity(values, float(known.max())))
    return (str(values.name), str(values.attrs.get("long_name", "")), *ends, f"{missing:,}" if missing else "none")
