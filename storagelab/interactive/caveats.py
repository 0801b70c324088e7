"""What one should know before trusting a number: told from the data, each in a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import mark_cached, table
from storagelab.analysis.cells import Rows
from storagelab.analysis.key_codes import Places
from storagelab.analysis.runs import differing_keys
from storagelab.analysis.validity.checks import Study
from storagelab.analysis.validity.completeness import same_bytes
from storagelab.analysis.validity.working_sets import SHARES
from storagelab.errors import AnalysisError
from storagelab.interactive import names_of_logs
from storagelab.wording import words

MEASURING = ("runs", "clients")
"""Nodes whose rows are measurements of a design, with repeats and files."""


def caveats(ds: xr.Dataset, kind: str) -> tuple[str, ...]:
    """Say all that a reader of the dataset has to beware of."""
    found = [_origins(ds), incomplete(ds), _caveats_of_result(ds), _notes(ds)]
    found += [str(ds.attrs.get(names_of_logs.ATTRIBUTE, ""))]
    if kind in MEASURING:
        found += [_repeats(ds), _cached(ds), names_of_logs.not_said(ds)]
    return tuple(sentence for sentence in found if sentence)


def _origins(ds: xr.Dataset) -> str:
    try:
        return "reconstructed, not measured" if table.origin(ds) == "reconstructed" else ""
    except AnalysisError as error:
        return str(error)


def copies(tree: xr.DataTree) -> str:
    """Say which logs are copies of others, byte for byte, with more numbers than chance makes alike."""
    try:
        looked = same_bytes(Study(tree))
    except AnalysisError:
        return ""
    found = [finding for finding in looked.findings if finding.rank == "wrong"]
    more = int(sum(finding.size - 1 for finding in found))
    first = f"{found[0].where} {found[0].found}" if found else ""
    return f"{more:,} logs are copies, and count as runs; the first: {first}" if found else ""


def incomplete(ds: xr.Dataset) -> str:
    """Say how many rows come from logs that are not whole."""
    if "complete" not in ds:
        return ""
    cut = ds["complete"].to_numpy() == 0
    if not cut.any():
        return ""
    logs = f" from {len(set(ds['log_id'].to_numpy()[cut])):,} logs" if "log_id" in ds.variables else ""
    return f"{int(cut.sum()):,} of {cut.size:,} rows{logs} are incomplete: a log was cut, or its tool failed"


def without_statistic(ds: xr.Dataset, variable: str, statistic: str) -> str:
    """Say which tools printed a variable as other statistics only, so that none of their rows is looked at."""
    if not {"tool", "statistic"}.issubset(ds.variables):
        return ""
    known = ~np.isnan(ds[variable].to_numpy())
    tools, statistics = (ds[name].to_numpy()[known].astype(str) for name in ("tool", "statistic"))
    printed = {tool: np.unique(statistics[tools == tool]).tolist() for tool in np.unique(tools).tolist()}
    lacking = [f"{tool} ({' and '.join(there)})" for tool, there in printed.items() if statistic not in there]
    return f"left out, as it has no {statistic} {variable}: {', '.join(lacking)}" if lacking else ""


def _caveats_of_result(ds: xr.Dataset) -> str:
    if "caveat" not in ds.variables:
        return ""
    said = [text for text in ds["caveat"].to_numpy().astype(str).tolist() if text]
    each = sorted({one for text in said for one in text.split("; ")})
    return f"{len(said):,} of {ds.sizes['obs']:,} rows: {'; '.join(each)}" if said else ""


def _notes(ds: xr.Dataset) -> str:
    if "notes" not in ds.variables:
        return ""
    said = pd.Series([note for note in ds["notes"].to_numpy().astype(str).tolist() if note])
    if said.empty:
        return ""
    counts = said.value_counts()
    others = f"; {len(counts) - 1:,} other notes" if len(counts) > 1 else ""
    most = f"most often ({counts.iloc[0]:,}): {counts.index[0]}{others}"
    return f"parsers have notes on {len(said):,} of {ds.sizes['obs']:,} logs, {most}"


def _repeats(ds: xr.Dataset) -> str:
    """Cells that lack a repeat which others have; without repeats, cells with a single run."""
    rows = Rows.of(ds)
    repeats = [repeat for repeat in rows.levels("repeat") if repeat == repeat] if "repeat" in rows else []
    if repeats:
        counts = _distinct(rows, "repeat")
        lacking, shown = int((counts < len(repeats)).sum()), words.listed(f"{repeat:g}" for repeat in repeats)
        return f"{lacking:,} of {counts.size:,} cells lack one of the repeats {shown}" if lacking else ""
    if "run_id" not in rows or not len(rows):
        return ""
    counts = _distinct(rows, "run_id")
    alone = int((counts == 1).sum())
    return f"{alone:,} of {counts.size:,} cells have a single run, and so no interval" if alone else ""


def _distinct(rows: Rows, name: str) -> Places:
    """How many different values of a name each cell has; a missing one is none."""
    known = rows.take(rows[name] == rows[name])
    return known.cells(differing_keys(rows)).distinct(name)


def _cached(ds: xr.Dataset) -> str:
    if not any(flag in ds.variables for _, flag in SHARES.values()):
        try:
            ds = mark_cached(ds)
        except AnalysisError:
            return ""
    flags = np.array([ds[flag].to_numpy() for _, flag in SHARES.values() if flag in ds.variables])
    cached, known = int((flags == 1).any(axis=0).sum()), int(np.isfinite(flags).any(axis=0).sum())
    fit = "are of files that fit in memory: a cache may have served them"
    return f"{cached:,} of the {known:,} rows whose files and memory are known {fit}" if cached else ""
