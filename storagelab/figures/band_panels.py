"""Which panels bands of a figure have: those that lie on each other have one each, beside each other on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from storagelab.analysis import table
from storagelab.figures.panels import Level
from storagelab.wording import words
from storagelab.wording.levels import ordered

LOW, HIGH = "permitted_low", "permitted_high"
"""Columns with the ends of a band."""
ALIKE = 0.01
"""Relative height up to which what two bands share is one line to the eye."""
PANEL = "panel"
"""Key of panels that are the levels of two keys."""

Marks = Mapping[float, str] | Mapping[Level, Mapping[float, str]]
"""Places on an axis with what they are: those of all panels, or those of each."""


def one_key(keys: Sequence[str]) -> str:
    """Name the key of panels that are the levels of these keys."""
    return PANEL if len(keys) > 1 else "".join(keys)


def with_panels(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Give rows the key of their panel, if no key of theirs says it."""
    found = rows[list(keys)].itertuples(index=False, name=None)
    return rows.assign(**{PANEL: [_panel_of(keys, own) for own in found]}) if len(keys) > 1 else rows


def panel_groups(rows: pd.DataFrame, keys: Sequence[str]) -> dict[Level, Level]:
    """Panels, in reading order, each with the level of the first of its keys."""
    if not keys:
        return {"": ""}
    places = {key: ordered(key, rows[key].unique().tolist()) for key in keys}
    found = set(rows[list(keys)].itertuples(index=False, name=None))
    in_order = sorted(found, key=lambda own: [places[key].index(level) for key, level in zip(keys, own, strict=True)])
    return {_panel_of(keys, own): own[0] for own in in_order}


def _panel_of(keys: Sequence[str], own: Sequence[Level]) -> Level:
    return words.cell(dict(zip(keys, own, strict=True))) if len(keys) > 1 else own[0]


def marks_of_each(marks: Marks, groups: Mapping[Level, Level]) -> dict[Level, Mapping[float, str]]:
    """Give each panel its marks."""
    own = {level: dict(of) for level, of in marks.items() if isinstance(of, Mapping)}
    all_ = {float(place): text for place, text in marks.items() if isinstance(text, str)}
    return {level: own.get(level, all_) for level in groups}


def covered(rows: pd.DataFrame, keys: Sequence[str], hue: str, x: str) -> bool:
    """Whether the bands of two levels share some of their area at half of their places in a panel or more."""
    return any(
        _on_each_other(one, other)
        for _, own in table.cells(rows, keys)
        for one, other in combinations([part.set_index(x)[[LOW, HIGH]] for _, part in own.groupby(hue)], 2)
    )


def _on_each_other(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    one, other = one.align(other, join="inner")
    top, bottom = np.minimum(one[HIGH], other[HIGH]), np.maximum(one[LOW], other[LOW])
    return bool(len(one)) and bool(2 * (top > (1 + ALIKE) * bottom).sum() >= len(one))
