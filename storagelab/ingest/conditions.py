"""The node ``conditions``: the five keys of every run, each said, whatever words the logs of a study have for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from storagelab import dataset, schema
from storagelab.schema.conditions import READ_FROM

if TYPE_CHECKING:
    import xarray as xr

_OF_A_RUN = ("runs", "clients")
_TRACE = ("log_id", "line")
_ASKED = tuple(dict.fromkeys(["run_id", *(key for keys in READ_FROM.values() for key in keys)]))


def with_conditions(nodes: Mapping[str, xr.Dataset], said: Mapping[str, Any]) -> dict[str, xr.Dataset]:
    """Add the node ``conditions`` to the nodes of a study.

    Parameters
    ----------
    nodes : mapping of str to Dataset
    said : mapping of str to value
        What the study says of the five keys where its rows say nothing (`keys` of study.yaml).

    Returns
    -------
    dict of str to Dataset
        The nodes, and ``conditions``: a row for each run and each set of the five keys in it. A run whose clients never
        made a row of ``runs`` has those of its clients. The attribute ``not_said`` names the keys of which neither rows
        nor study say anything, not even that they do not apply.
    """
    like = nodes["runs"]
    kept: dict[tuple[str, ...], dict[str, Any]] = {}
    for row, trace in _told_apart(nodes):
        said_of_run = {"run_id": row["run_id"], **schema.condition(row, said)}
        kept.setdefault(tuple(map(str, said_of_run.values())), {**said_of_run, **trace})
    made = dataset.from_rows(
        kept.values(), origin=like.attrs["origin"], study=like.attrs["study"], title=like.attrs["title"]
    )
    return {**nodes, "conditions": made.assign_attrs(not_said=", ".join(_not_said(nodes, said)))}


def _not_said(nodes: Mapping[str, xr.Dataset], said: Mapping[str, Any]) -> Iterator[str]:
    for name, keys in READ_FROM.items():
        if name not in said and not any(key in nodes[node].variables for key in keys for node in _OF_A_RUN):
            yield name


def _told_apart(nodes: Mapping[str, xr.Dataset]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each set of keys of each run, once, and the line of a log that leads to it."""
    seen: set[str] = set()
    for node in _OF_A_RUN:
        of_node = [found for found in _distinct(nodes[node]) if found[0]["run_id"] not in seen]
        yield from of_node
        seen |= {row["run_id"] for row, _ in of_node}


def _distinct(ds: xr.Dataset) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    names = [name for name in _ASKED if name in ds.variables]
    if "run_id" not in names:
        return
    first: dict[tuple[Any, ...], int] = {}
    for place, row in enumerate(zip(*(_plain(ds[name].to_numpy()) for name in names), strict=True)):
        first.setdefault(row, place)
    for row, place in first.items():
        keys = {name: "" if value is None else value for name, value in zip(names, row, strict=True)}
        yield keys, {name: ds[name].to_numpy()[place].item() for name in _TRACE}


def _plain(values: np.ndarray[Any, Any]) -> list[Any]:
    """Values that are equal to themselves: None for NaN."""
    return [None if value != value else value for value in values.tolist()]
