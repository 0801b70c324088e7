"""``storagelab synthesis``: numbers of all studies side by side, in a dataset, and the record of its figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import xarray as xr

from storagelab import claims, dataset, schema, writing
from storagelab.analysis import table
from storagelab.analysis.significant_digits import PRINTED
from storagelab.claims.extracts import read_extracts, read_figures, read_groups
from storagelab.claims.number_sources import read_facts
from storagelab.claims.record import Record, as_json
from storagelab.claims.tables_yaml import read_tables
from storagelab.cli.claims import dataset_of


def compared(folder: Path, reports: Path) -> xr.DataTree:
    """Set the numbers that extracts.yaml asks for side by side.

    Raises
    ------
    StoragelabError
        If a dataset is missing or says nothing of one of the five keys, extracts.yaml is wrong, or a number cannot be
        taken.
    """
    names = read_extracts(folder).studies()
    studies = {name: dataset_of(reports, name) for name in names}
    return _with_conditions(claims.synthesise(folder, studies, read_facts(reports, names)), studies)


def _with_conditions(tree: xr.DataTree, studies: Mapping[str, xr.DataTree]) -> xr.DataTree:
    """Add what the studies were made under, by the five keys that all of them have; `n` counts runs."""
    rows = dataset.five_keys(*studies.values()).rename(columns={"runs": "n"})
    keys = ["study", "origin", *schema.FIVE_KEYS]
    return tree.assign({"conditions": xr.DataTree(table.labelled(rows, keys, PRINTED))})


def write_synthesis(tree: xr.DataTree, folder: Path, reports: Path) -> Mapping[str, int]:
    """Write the dataset of a comparison and the record of its figures, both in one step.

    Returns
    -------
    mapping of str to int
        How many numbers each node has.
    """
    name = folder.resolve().name
    groups, figures = ([part.model_dump() for part in read(folder)] for read in (read_groups, read_figures))
    tables = [{**each.model_dump(), "rows": []} for each in read_tables(folder)]
    record = Record(name, str(tree.attrs["origin"]), [], [], [], [], groups, [], figures, tables=tables)
    place = reports / name
    writing.ready(place)
    with writing.renewed_folder(place, ("dataset.nc", "claims.json")) as made:
        dataset.put(tree, made / "dataset.nc", place / "dataset.nc")
        writing.put(made / "claims.json", as_json(record))
    return {str(node): int(child.sizes["obs"]) for node, child in tree.children.items()}
