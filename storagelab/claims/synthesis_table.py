"""The numbers of a comparison as a table to read: a line a study, a column a question, and what each cell rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import xarray as xr

from storagelab import dataset, units
from storagelab.claims.quoted_numbers import UNDECIDED
from storagelab.errors import UnknownNameError

SHOWN = {"B/s": "MB/s", "B": "MB", "s": "s", "1/s": "1/s"}
"""Units in which the numbers of a table are written, by their SI unit."""
LETTERS = {"": "", "published": " (p)", "derived": " (d)", "model": " (m)"}
"""Marks of what a number rests on: printed, computed from what is printed or set, of a model; none where measured."""
OPEN = " (not shown)"
"""Mark of a difference that its source leaves undecided."""
SOURCE = {
    "verdict": "verdict",
    "unit_of_repetition": "repeated",
    "aggregate": "clients",
    "selection": "selection",
    "changes": "answer changes with",
}
"""What a number carries along from its source, by its key, with the head of its column."""


def comparison_table(compared: xr.Dataset, *cases: str) -> pd.DataFrame:
    """Lay the numbers of several studies out, a line a study.

    Parameters
    ----------
    compared : Dataset, dimension obs
        A node of `storagelab.claims.synthesise` with the variable ``value``.
    *cases : str
        Questions, the columns in their order.

    Returns
    -------
    DataFrame
        Columns study, origin, and one a question; several answers of a study stand behind each other. A number says
        what it rests on: (p) printed, (d) computed from what is printed or set, (m) of a model; and (not shown) where
        its source leaves the difference undecided.

    Raises
    ------
    UnknownNameError
        If no study answers a question.
    """
    rows = dataset.frame(compared)
    for case in cases:
        if case not in set(rows["case"]):
            raise UnknownNameError("question", case, map(str, rows["case"].unique()))
    lines = [
        {
            "study": study,
            "origin": part["origin"].iloc[0],
            **{case: _cell(part[part["case"] == case]) for case in cases},
        }
        for study, part in rows.groupby("study", sort=False)
    ]
    return pd.DataFrame([line for line in lines if any(line[case] for case in cases)])


def _cell(rows: pd.DataFrame) -> str:
    return "; ".join(_marked(row) for _, row in rows.iterrows())


def _marked(row: pd.Series) -> str:
    left_open = OPEN if row["verdict"] == UNDECIDED else ""
    return f"{shown(row['value'], row['unit'])}{LETTERS[row['basis']]}{left_open}"


def shown(value: float, unit: str) -> str:
    """Write a number in SI with three digits and the unit of a table."""
    return f"{digits(value, unit)} {SHOWN.get(unit, '')}".rstrip()


def digits(value: float, unit: str) -> str:
    """Write a number in SI with three digits, in the unit of a table but without it."""
    number = value / units.factor(SHOWN[unit], unit) if unit in SHOWN else value
    return f"{number:,.0f}".replace(",", " ") if abs(number) >= 100 else f"{number:.3g}"


def extracts_table(compared: xr.Dataset, cases: Sequence[str] = ()) -> pd.DataFrame:
    """Lay every number of a comparison out: question, study, origin, what it rests on and is of, interval, source.

    What a number carries along from its source is the verdict, the unit of repetition, how clients were put together,
    the levels to which it is confined, and those over which the answer changes.

    Parameters
    ----------
    compared : Dataset, dimension obs
        As for `comparison_table`.
    cases : sequence of str
        Questions; all otherwise.

    Returns
    -------
    DataFrame
        A row a number.
    """
    rows = dataset.frame(compared)
    order = list(cases) or rows["case"].unique().tolist()
    return pd.DataFrame([_line(row) for case in order for _, row in rows[rows["case"] == case].iterrows()])


def _line(row: pd.Series) -> dict[str, str]:
    ends = (float(row["value_low"]), float(row["value_high"]))
    unit = str(row["unit"])
    return {
        "question": str(row["case"]),
        "study": str(row["study"]),
        "origin": str(row["origin"]),
        "rests on": _rests_on(str(row["origin"]), str(row["basis"])),
        "of": str(row["label"]),
        "value": shown(float(row["value"]), unit),
        "95 % interval": f"{digits(ends[0], unit)} to {shown(ends[1], unit)}" if all(map(math.isfinite, ends)) else "",
        **{head: str(row[name]) for name, head in SOURCE.items()},
    }


def _rests_on(origin: str, basis: str) -> str:
    """What follows from the test bed of a campaign was computed, not measured."""
    if origin == "measured":
        return "computed" if basis else origin
    return basis


def reporting(compared: xr.DataTree) -> pd.DataFrame:
    """Lay out which statistic and which error each study reports; what a paper says of itself is published.

    Parameters
    ----------
    compared : DataTree
        Several studies, as `storagelab.analysis.compare_campaigns` lays them side by side.

    Returns
    -------
    DataFrame
        A row a study.
    """
    said = dataset.about(compared)["reported"]
    measured = {
        str(study)
        for node in compared.children.values()
        for study, origin in zip(node["study"].to_numpy(), node["origin"].to_numpy(), strict=True)
        if origin == "measured"
    }
    return pd.DataFrame(
        [
            {"study": study, "origin": "measured" if study in measured else "published", **what}
            for study, what in said.items()
        ]
    )
