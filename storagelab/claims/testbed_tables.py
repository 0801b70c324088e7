"""Tables of a test bed: its stages and parts, what its model assumes, and what is not drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import analysis
from storagelab.analysis import table
from storagelab.claims.record import Record, Row


def stages(record: Record, *paths: str) -> xr.Dataset:
    """Lay out what a byte crosses on the paths of the test bed, and which stage binds.

    Parameters
    ----------
    record : Record
    *paths : str
        Names of paths; all otherwise.

    Returns
    -------
    Dataset, dimension obs
        As `storagelab.analysis.bottlenecks`, with the keys ``path``, ``made_of`` and ``at_least``. A stage of which
        the paper prints a lower bound alone never binds; where another might, but for it, the bottleneck is "".
    """
    rows = pd.DataFrame([row for row in record.stages if not paths or row["path"] in paths])
    like = xr.Dataset(attrs={"origin": "published", "study": record.study})
    open_ended = rows["at_least"].astype(bool) if "at_least" in rows else pd.Series(data=False, index=rows.index)
    known = rows.assign(capacity=rows["capacity"].where(~open_ended, math.inf)).drop(
        columns="at_least", errors="ignore"
    )
    bound = analysis.bottlenecks(table.dataset(known, like, ["path", "stage", "made_of"]), ["path"])
    made = {name: _in_order(rows, bound, name) for name in ("made_of", "capacity")}
    limits = {
        name: (bound[name].dims, values, bound[name].attrs) for name, values in _open(bound, made["capacity"]).items()
    }
    said = np.isinf(bound["capacity"].to_numpy())
    return bound.assign(limits).assign_coords(
        made_of=("obs", made["made_of"], {"long_name": "what a stage is made of"}),
        at_least=("obs", said, {"long_name": "whether only a lower bound is printed"}),
    )


def _open(bound: xr.Dataset, printed: Sequence[float]) -> dict[str, list[Any]]:
    """Put printed lower bounds back, and take back what binds where such a stage could bind as well."""
    crossed, said = bound["link_bytes"].to_numpy(), np.isinf(bound["capacity"].to_numpy())
    limit = [float(rate / times) for rate, times in zip(printed, crossed, strict=True)]
    lowest = {
        path: min(
            (
                one
                for one, own, open_ended in zip(limit, bound["path"].values, said, strict=True)
                if own == path and open_ended
            ),
            default=math.inf,
        )
        for path in set(bound["path"].values)
    }
    unsure = [lowest[path] < least for path, least in zip(bound["path"].values, bound["bound"].values, strict=True)]
    names = [
        "" if open_ended else str(name) for name, open_ended in zip(bound["bottleneck"].values, unsure, strict=True)
    ]
    return {"capacity": list(printed), "limit": limit, "bottleneck": names}


def _in_order(rows: pd.DataFrame, bound: xr.Dataset, name: str) -> list[Any]:
    made = rows.set_index(["path", "stage"])[name]
    return [made[path, stage] for path, stage in zip(bound["path"].values, bound["stage"].values, strict=True)]


def properties_table(record: Record, *parts: str) -> pd.DataFrame:
    """Lay out the properties of parts of the test bed, a row a property; of all parts where none is named.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.
    *parts : str
        Names of parts.

    Returns
    -------
    DataFrame
        A row a property.
    """
    return pd.DataFrame(_of_parts(record, parts))


def _of_parts(record: Record, parts: Sequence[str]) -> list[Row]:
    return [row for row in record.parts if not parts or row["part"] in parts]


def parts_table(record: Record, *parts: str) -> pd.DataFrame:
    """Lay out parts of the test bed, a row a part: what it is, its other properties, its section of the paper.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.
    *parts : str
        Names of parts.

    Returns
    -------
    DataFrame
        A row a part.
    """
    described: dict[str, dict[str, str]] = {}
    for row in _of_parts(record, parts):
        described.setdefault(str(row["part"]), {})[str(row["property"])] = str(row["value"])
    return pd.DataFrame(
        [
            {
                "part": name.replace("_", " "),
                "what": of.pop("is", ""),
                "section": of.pop("section", ""),
                "properties": ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in of.items()),
            }
            for name, of in described.items()
        ]
    )[["part", "what", "properties", "section"]]


def model_table(record: Record) -> pd.DataFrame:
    """Lay out what the model of the test bed assumes, and why.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row an assumption.
    """
    return pd.DataFrame(record.model)


def absent_figures(record: Record) -> pd.DataFrame:
    """Lay out the figures of a paper that are not drawn, each with the reason.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.

    Returns
    -------
    DataFrame
        A row a figure.
    """
    return pd.DataFrame(
        [
            {"figure": row["number"] or row["id"], "shows": row["shows"], "absent because": row["absent"]}
            for row in record.figures
            if row["absent"]
        ]
    )
