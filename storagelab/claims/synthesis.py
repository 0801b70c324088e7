"""Numbers of several studies side by side: each row keeps its study, its origin and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from storagelab import dataset, schema
from storagelab.analysis import columns, table
from storagelab.analysis.digits import PRINTED
from storagelab.claims.extracts import Extract, Node, read_extracts
from storagelab.claims.numbers import Numbers, put_in
from storagelab.claims.quantities import Found, Keys, take_rows
from storagelab.errors import AnalysisError, StoragelabError
from storagelab.study import published, testbed

KEYS = ("study", "origin", "basis", "case", "label")
Row = dict[str, Any]


def synthesise(folder: Path, studies: Mapping[str, xr.DataTree]) -> xr.DataTree:
    """Set numbers of several studies side by side; nothing is averaged, and no origin washes off.

    Parameters
    ----------
    folder : Path
        ``raw/<comparison>``, with extracts.yaml; the sidecars of published studies are in the folders beside it.
    studies : mapping of str to DataTree
        Datasets by name.

    Returns
    -------
    DataTree
        A node a table or figure, each with the one dimension obs: keys study, origin, basis ("" where measured), case,
        label, and those that tell the rows of a curve apart; the variable of the node with ``_low`` and ``_high`` (95 %
        interval), ``n`` and ``caveat``. Where the variable is ``value``, the key ``unit`` says its SI unit.

    Raises
    ------
    SidecarError
        If extracts.yaml is wrong; names the file and the line.
    StoragelabError
        If a number cannot be taken; says all that cannot.
    """
    asked = read_extracts(folder)
    sources = Sources(folder.parent, studies)
    wrong: list[str] = []
    nodes = {name: _node(node, list(_rows(node, sources, wrong))) for name, node in asked.nodes.items()}
    if wrong:
        raise StoragelabError("\n".join(wrong))
    origins = {str(origin) for ds in nodes.values() for origin in ds["origin"].to_numpy()}
    about = {"study": folder.resolve().name, "origin": joined(origins), **asked.model_dump(exclude={"nodes"})}
    return dataset.tree(nodes, about)


class Sources:
    """The datasets of the studies, and what published studies print."""

    def __init__(self, raw: Path, studies: Mapping[str, xr.DataTree]) -> None:
        self.raw = raw
        self.studies = studies
        self._numbers: dict[str, Numbers] = {}

    def numbers(self, study: str) -> Numbers:
        """Return the numbers that a published study prints."""
        if study not in self._numbers:
            folder = self.raw / study
            sidecars = published.read_published(folder), testbed.read_testbed(folder)
            self._numbers[study] = Numbers(*sidecars, self.tree(study))
        return self._numbers[study]

    def tree(self, study: str) -> xr.DataTree:
        """Return the dataset of a study."""
        if study not in self.studies:
            raise AnalysisError(f"no dataset of {study}, only of {', '.join(self.studies)}")
        return self.studies[study]

    def origin(self, study: str) -> str:
        """Return where the logs of a study come from."""
        return table.origin(next(iter(self.tree(study).children.values())).to_dataset())

    def found(self, extract: Extract) -> list[tuple[Keys, Found]]:
        """Take what an extract asks for out of its study."""
        quantity = extract.quantity
        if isinstance(quantity, str):
            printed = self.numbers(extract.study).named(quantity)
            return [({}, replace(printed, basis=put_in(printed.basis)))]
        if quantity.expression:
            return [({}, self.numbers(extract.study).expression(quantity.expression))]
        return take_rows(quantity, self.tree(extract.study), str(extract), list(extract.keep.values()))


def joined(origins: set[str]) -> str:
    """Join origins, the least measured last: "measured and reconstructed"."""
    return " and ".join(origin for origin in schema.ORIGINS if origin in origins)


def _rows(node: Node, sources: Sources, wrong: list[str]) -> Iterator[Row]:
    """Make the rows of a node; what cannot be taken is noted."""
    for extract in node.extracts:
        try:
            found = sources.found(extract)
            if len(found) != 1 and not extract.keep:
                raise AnalysisError(f"{len(found)} rows: name the keys to `keep`, or those that choose one row")
            yield from [_row(extract, sources.origin(extract.study), keys, each, node.variable) for keys, each in found]
        except StoragelabError as error:
            wrong.append(f"{extract}: " + str(error).removeprefix(f"{extract}: "))


def _row(extract: Extract, origin: str, keys: Keys, found: Found, variable: str) -> Row:
    wanted = columns.field(variable).unit
    if variable != "value" and found.unit != wanted:
        raise AnalysisError(f"in {found.unit!r}, but {variable} is in {wanted!r}")
    return {
        "study": extract.study,
        "origin": origin,
        "basis": "" if origin == "measured" else found.basis,
        "case": extract.case,
        "label": extract.label,
        **({"unit": found.unit} if variable == "value" else {}),
        **{name: keys[key] for name, key in extract.keep.items()},
        variable: found.value,
        columns.low(variable): found.low,
        columns.high(variable): found.high,
        "n": found.n,
        "caveat": found.caveat,
    }


def _node(node: Node, rows: list[Row]) -> xr.Dataset:
    if not rows:
        return xr.Dataset({"origin": ("obs", [])})
    kept = {name for extract in node.extracts for name in extract.keep}
    unit = ["unit"] if node.variable == "value" else []
    return table.labelled(pd.DataFrame(rows), [*KEYS, *unit, *sorted(kept)], PRINTED)
