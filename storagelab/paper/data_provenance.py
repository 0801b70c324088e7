"""Where published data come from: the study that is open, their origin, and the lines of the logs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

import storagelab
from storagelab import dataset, schema
from storagelab.analysis.traces import Logs
from storagelab.errors import PaperError, UnknownNameError

LIBRARIES = ("numpy", "pandas", "xarray", "scipy", "matplotlib", "seaborn", "netCDF4", "pint")
"""Whose versions a paper states. Not Python's: the bytes of a paper are the same from 3.11 on."""
Data: TypeAlias = pd.DataFrame | xr.Dataset


class Opened(Logs):
    """The study that a notebook works on, as far as publishing needs it."""

    def __init__(self, study: str = "", tree: xr.DataTree | None = None) -> None:
        super().__init__(study, xr.DataTree() if tree is None else tree)
        self.origin = str(self.tree.attrs.get("origin", ""))

    def count_logs(self) -> int:
        """Count the logs: an experimenter's table to which rows lead is none."""
        return int((self.logs.get("role", "") != schema.SIDECAR).sum())


def open_study(study: str, path: Path) -> Opened:
    """Read a dataset and see that it is the one meant.

    Raises
    ------
    PaperError
        If the file is missing or holds another study.
    """
    if not path.is_file():
        raise PaperError(f"no dataset {path.name} of {study}: run `storagelab ingest {study}` first")
    tree = dataset.load(path)
    if tree.attrs.get("study", study) != study:
        raise PaperError(f"{path.name} holds the study {tree.attrs['study']!r}, the paper is about {study!r}")
    return Opened(study, tree)


def provenance(opened: Opened, path: Path) -> dict[str, Any]:
    """Say what a paper rests on, without a word about when or where it was built."""
    sizes = {name: int(node.sizes.get("obs", 0)) for name, node in opened.tree.children.items()}
    if "logs" in sizes:
        sizes["logs"] = opened.count_logs()
    return {
        "study": opened.study,
        "title": str(opened.tree.attrs.get("title", "")),
        "origin": opened.origin,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "rows": dict(sorted(sizes.items())),
        "runs": _runs(opened),
        "incomplete": int((opened.logs["complete"] == 0).sum()) if "complete" in opened.logs else 0,
        "tools": _tools(opened),
        "dates": _days(opened),
        "versions": {"storagelab": storagelab.__version__, **{name: version(name) for name in LIBRARIES}},
    }


def _runs(opened: Opened) -> int:
    """Runs behind the rows: an operation of a run is a row, and so is a client's share of one."""
    names = {name for node in map(opened.node, ("runs", "clients")) for name in np.unique(node.get("run_id", ""))}
    return len(names - {""})


def _tools(opened: Opened) -> list[str]:
    named = [name for name in ("tool", "tool_version") if name in opened.logs]
    return sorted({" ".join(filter(None, row.values())) for row in opened.logs.only(named).records()} - {""})


def _days(opened: Opened) -> list[str]:
    """First and last day of the logs; of the rows where the logs' heads do not say.

    The days in logs that were not measured are the model's: their study's date, that of a publication, stands instead.
    """
    if opened.origin != "measured":
        return str(opened.tree.attrs.get("date", "")).split("/") if opened.tree.attrs.get("date") else []
    texts = {str(day)[:10] for name in ("started", "ended") for day in opened.logs.get(name, "")}
    found = {day for day in texts if day[:4].isdigit()}
    found = found or {str(np.datetime64(int(second), "s"))[:10] for second in _seconds(opened)}
    return [min(found), max(found)] if found else []


def _seconds(opened: Opened) -> Iterable[float]:
    for node in map(opened.node, ("runs", "clients")):
        for name in ("start_time", "end_time"):
            times = node.get(name, np.nan)
            yield from times[np.isfinite(times)]


def rows(data: Data, opened: Opened) -> pd.DataFrame:
    """One flat row a line, with the path of its log beside `log_id`; lines of single values are left to cards."""
    if isinstance(data, xr.Dataset):
        frame = dataset.frame(data) if set(data.dims) == {"obs"} else data.to_dataframe().reset_index()
    elif isinstance(data.index, pd.MultiIndex) or data.index.name is not None:
        frame = data.reset_index(drop=data.index.name == "obs")
    else:
        frame = data
    frame = frame.drop(columns=[name for name in frame if name in schema.OF_VALUES])
    if "log_id" in frame and "log" not in frame and opened.paths:
        frame = frame.assign(log=[opened.paths.get(id, "") for id in frame["log_id"]])
    return frame


def origin_of(data: Data, frame: pd.DataFrame, opened: Opened, what: str) -> str:
    """Origin of some data: their own column or attribute, else the study's; reconstruction never washes off.

    Raises
    ------
    PaperError
        If nobody says an origin.
    UnknownNameError
        If it is none of the contract's.
    """
    said = set(map(str, frame["origin"])) if "origin" in frame else {str(data.attrs.get("origin", ""))}
    own = {origin for each in said for origin in split_origin(each)} or split_origin(opened.origin)
    return joined_origin(own | ({opened.origin} & {"reconstructed"}), what)


def split_origin(text: str) -> set[str]:
    """Split what `joined_origin` joined: data of several studies may have several origins."""
    return set(text.split(" and ")) - {""}


def joined_origin(origins: set[str], what: str) -> str:
    """Join origins, the least measured last."""
    if not origins - {""}:
        raise PaperError(f"{what} says no origin: expected one of {', '.join(schema.ORIGINS)}; was begin() called?")
    for unknown in sorted(origins - {"", *schema.ORIGINS}):
        raise UnknownNameError(f"origin of {what}", unknown, schema.ORIGINS)
    return " and ".join(origin for origin in schema.ORIGINS if origin in origins)
