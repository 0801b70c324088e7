"""The five keys by which studies are compared, and the one rule that finds them in the rows of any study.

A study names its conditions in the words of its own tools: a volume has a layout, a parallel program has nodes, a batch
system has jobs. Here these are mapped onto file system, server mode, driver, striping and clients. In the node
``conditions`` each is said in words: "not applicable" where a study has none, "unknown" where its source does not say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

FIVE_KEYS = ("filesystem", "server_mode", "driver", "striping", "clients")
NOT_APPLICABLE, UNKNOWN = "not applicable", "unknown"

READ_FROM: Mapping[str, tuple[str, ...]] = {
    "filesystem": ("filesystem",),
    "server_mode": ("server_mode",),
    "driver": ("driver_net", "driver_disk"),
    "striping": ("striping", "layout"),
    "clients": ("clients", "nodes", "jobs"),
}
"""Key -> keys of a row that say it, the first that does."""

STRIPING_OF_A_LAYOUT: Mapping[str, str] = {
    "single": "none",
    "distribute": "none",
    "replicate": "none",
    "distribute+shard": "shards",
    "disperse": "fragments",
}
"""How a volume of a layout cuts a file: whole files, shards on several servers, or fragments of an erasure code."""

_PARTS = {"driver_net": "network", "driver_disk": "disk"}


def condition(row: Mapping[str, Any], fallback: Mapping[str, Any]) -> dict[str, Any]:
    """Say the five keys of a row.

    Parameters
    ----------
    row : mapping of str to value
        Keys of the contract; "" or NaN where the row says nothing, and no entry where its study has no such key.
    fallback : mapping of str to value
        What the study says (`keys` of study.yaml) where its rows say nothing.

    Returns
    -------
    dict
        The five keys. Text is never empty: where neither row nor study says a key, it is "not applicable" if other rows
        of the study have it, and else "unknown". `clients` is a number, NaN where it is not known.
    """
    said = {**{name: _first(row, name) for name in FIVE_KEYS}, "driver": _driver(row), "striping": _striping(row)}
    return {name: _explicit(name, said[name], row, fallback) for name in FIVE_KEYS}


def _first(row: Mapping[str, Any], name: str) -> Any:
    """What the first of the keys says that says anything."""
    return next((row[key] for key in READ_FROM[name] if _says(row.get(key))), None)


def _driver(row: Mapping[str, Any]) -> str | None:
    """Join what is known of the two drivers: "network virtio, disk ide"."""
    said = {part: str(row[key]) for key, part in _PARTS.items() if _says(row.get(key))}
    if set(said.values()) == {UNKNOWN}:
        return UNKNOWN
    return ", ".join(f"{part} {word}" for part, word in said.items()) or None


def _striping(row: Mapping[str, Any]) -> str | None:
    if _says(row.get("striping")):
        return str(row["striping"])
    layout = row.get("layout")
    return STRIPING_OF_A_LAYOUT.get(str(layout), str(layout)) if _says(layout) else None


def _explicit(name: str, said: Any, row: Mapping[str, Any], fallback: Mapping[str, Any]) -> Any:
    if said is not None:
        return said
    if name in fallback:
        return fallback[name]
    if name == "clients":
        return math.nan
    return NOT_APPLICABLE if any(key in row for key in READ_FROM[name]) else UNKNOWN


def _says(value: Any) -> bool:
    """Whether a value says anything: neither missing nor empty."""
    return value is not None and value == value and value != ""
