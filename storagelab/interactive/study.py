"""What is shown of a whole study: its nodes, how much of its design was measured, its logs and their notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import xarray as xr

from storagelab import dataset
from storagelab.analysis import design_counts
from storagelab.dataset.selection import logs_of_tools
from storagelab.errors import StoragelabError
from storagelab.interactive.caveats import caveats, copies
from storagelab.interactive.dataset_sheet import origin_of
from storagelab.interactive.levels import abbreviated, levels_of
from storagelab.interactive.sheet import Sheet, Table


def study_sheet(tree: xr.DataTree) -> Sheet:
    """Collect what is shown of a study."""
    about = dataset.about(tree)
    nodes = {str(name): child.to_dataset() for name, child in tree.children.items()}
    origins = sorted({origin_of(ds) for ds in nodes.values()} | {str(about.get("origin", "not known"))})
    return Sheet(
        heading=str(about.get("study") or "logs without a study"),
        title=str(about.get("title", "")),
        origin=", ".join(origins),
        alarming=origins != ["measured"],
        facts=tuple(_facts(nodes)),
        warnings=tuple(_warnings(tree, nodes, about)),
        tables=tuple(_tables(nodes, about)),
    )


def _facts(nodes: Mapping[str, xr.Dataset]) -> Iterator[tuple[str, str]]:
    if "logs" not in nodes:
        return
    logs = logs_of_tools(nodes["logs"])
    cut = int((logs["complete"] == 0).sum()) if "complete" in logs else 0
    yield "logs", f"{logs.sizes['obs']:,}, {f'{cut:,} of them incomplete' if cut else 'none of them incomplete'}"
    for key in ("tool", "format"):
        if key in logs.variables:
            yield f"{key}s", abbreviated(key, levels_of(logs, key))


def _warnings(tree: xr.DataTree, nodes: Mapping[str, xr.Dataset], about: Mapping[str, Any]) -> Iterator[str]:
    for name, ds in nodes.items():
        yield from (f"{name}: {sentence}" for sentence in caveats(ds, name))
    if copied := copies(tree):
        yield copied
    if skipped := about.get("skipped"):
        yield f"{len(skipped):,} logs could not be read and were left out; the first: {skipped[0]}"
    if left_out := about.get("left_out"):
        yield f"{len(left_out):,} measurements are no row of runs, as clients lack them; the first: {left_out[0]}"


def _tables(nodes: Mapping[str, xr.Dataset], about: Mapping[str, Any]) -> Iterator[Table]:
    rows = [
        (name, f"{ds.sizes['obs']:,}", _runs(ds), f"{len(ds.data_vars):,}", origin_of(ds)) for name, ds in nodes.items()
    ]
    yield Table("Nodes", ("node", "rows", "runs", "variables", "origin"), tuple(rows))
    if "runs" in nodes and about.get("design"):
        plans = tuple(_coverage(nodes["runs"], plan) for plan in about["design"])
        yield Table("Design", ("plan", "measured", "planned", "share"), plans)
    if limits := about.get("limits"):
        yield Table("Limits of the study", ("limit",), tuple((str(limit),) for limit in limits), folded=True)


def _runs(ds: xr.Dataset) -> str:
    return f"{np.unique(ds['run_id']).size:,}" if "run_id" in ds.variables else ""


def _coverage(runs: xr.Dataset, plan: Mapping[str, Any]) -> tuple[str, ...]:
    """Planned runs of one plan, and how many of them there are."""
    try:
        counted = design_counts(runs, "", plan["factors"], where=plan.get("where"))
    except StoragelabError as error:
        return (str(plan["name"]), f"cannot be counted: {error}", "", "")
    planned, missing = float(counted["planned"].sum()), float(counted["missing"].sum())
    done = planned - missing
    return (str(plan["name"]), f"{done:,.0f}", f"{planned:,.0f}", f"{100 * done / planned:.0f} %")
