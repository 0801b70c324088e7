"""From a kind of figure to the function that draws it, with the keys that differ in its places."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import xarray as xr

from storagelab import figures
from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.dependent_keys import following
from storagelab.analysis.runs import chosen_rows, differing_keys
from storagelab.errors import UnknownNameError
from storagelab.interactive.default_variables import named, obvious_variable
from storagelab.interactive.joined_keys import joined

PLACES: Mapping[str, tuple[str, ...]] = {
    "points": ("category", "hue", "facet"),
    "distribution": ("category", "hue", "facet"),
    "scaling": ("hue", "facet"),
    "heatmap": ("facet",),
    "percentiles": ("hue", "facet"),
    "ratios": ("category", "hue", "facet"),
    "winners_map": ("category", "facet"),
}
"""Kinds of figures, and the places in them that keys which differ may take, in this order."""

HAVE_A_KEY = ("x", "y", "among")
"""Other parameters of these figures that name a key."""

ANY = "operation"
"""Key that all rows have, for the first place of a figure where nothing differs."""


def draw(ds: xr.Dataset, kind: str, variable: str, options: Mapping[str, Any]) -> figures.Drawn:
    """Call the function of `storagelab.figures`; see `storagelab.interactive.NodeStorage.plot`."""
    kind = kind or _kind_of_result(ds)
    if kind and kind not in PLACES:
        raise UnknownNameError("kind of figure", kind, PLACES)
    of_variable = not kind or "variable" in inspect.signature(getattr(figures, kind)).parameters
    asked = {"variable": variable or obvious_variable(ds)} if of_variable else {}
    rows = chosen_rows(ds, asked["variable"], options.get("statistic", "single")) if asked else table.rows(ds)
    number = _number(rows, options) if kind == "scaling" or not (kind or "category" in options) else ""
    kind = kind or ("scaling" if number else "points")
    places = {"x": number, **options} if number else options
    shown, taken = _placed(ds, kind, rows, places)
    drawn: figures.Drawn = getattr(figures, kind)(shown, **asked, **taken)
    return drawn


def _kind_of_result(ds: xr.Dataset) -> str:
    names = {str(name) for name in ds.variables}
    return "ratios" if {"ratio", "compared"} <= names else "winners_map" if {"rank", "winner"} <= names else ""


def _number(rows: Rows, options: Mapping[str, Any]) -> str:
    """Choose the key that goes along: what `x` says, else a number that differs and has three levels or more."""
    keys = differing_keys(rows, but=_named(options))
    follows = following(rows, keys)
    numbers = [key for key in keys if key not in follows and rows[key].dtype.kind == "f" and len(rows.levels(key)) > 2]
    return str(options.get("x") or next(iter(numbers), ""))


def _named(options: Mapping[str, Any]) -> list[str]:
    """Keys that the caller gave a place, or wants to be averaged over."""
    return [*named(options.get("over")), *(value for value in options.values() if isinstance(value, str))]


def _placed(ds: xr.Dataset, kind: str, rows: Rows, options: Mapping[str, Any]) -> tuple[xr.Dataset, dict[str, Any]]:
    """Give the places that are free to the keys that differ, those with the most levels first.

    Where there are more keys than places, the last free one takes all that are left, joined.
    """
    keys = _keys(kind, rows, options)
    free = [place for place in PLACES[kind] if place not in options]
    needed = {place: ANY for place in PLACES[kind][:1] if place in free and place != "facet"}
    if free and len(keys) > len(free):
        ds, last = joined(ds, keys[len(free) - 1 :])
        keys = [*keys[: len(free) - 1], last]
    return ds, {**dict.fromkeys(free, ""), **needed, **dict(zip(free, keys, strict=False)), **options}


def _keys(kind: str, rows: Rows, options: Mapping[str, Any]) -> list[str]:
    """Keys that differ and have no place yet, without those that follow from others, most levels first."""
    parameters = inspect.signature(getattr(figures, kind)).parameters
    own = [str(parameters[name].default) for name in HAVE_A_KEY if name in parameters and name not in options]
    placed = [*own, *_named(options)]
    keys = differing_keys(rows, but=placed)
    follows = following(rows, keys, given=[key for key in placed if key in rows])
    return sorted((key for key in keys if key not in follows), key=lambda key: len(rows.levels(key)), reverse=True)
