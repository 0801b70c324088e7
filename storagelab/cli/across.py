"""``storagelab synthesis``: numbers of all studies side by side, in a dataset, and the record of its figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from storagelab import claims, dataset
from storagelab.claims.extracts import read_extracts, read_figures, read_groups
from storagelab.claims.record import Record
from storagelab.claims.sources import read_facts
from storagelab.cli import verdicts

if TYPE_CHECKING:
    import xarray as xr


def compared(folder: Path, reports: Path) -> xr.DataTree:
    """Set the numbers that extracts.yaml asks for side by side.

    Raises
    ------
    StoragelabError
        If a dataset is missing, extracts.yaml is wrong, or a number cannot be taken.
    """
    names = read_extracts(folder).studies()
    studies = {name: verdicts.dataset_of(reports, name) for name in names}
    return claims.synthesise(folder, studies, read_facts(reports, names))


def written(tree: xr.DataTree, folder: Path, reports: Path) -> Mapping[str, int]:
    """Write the dataset of a comparison and the record of its figures; return how many numbers each node has."""
    name = folder.resolve().name
    dataset.save(tree, reports / name / "dataset.nc")
    groups, figures = ([part.model_dump() for part in read(folder)] for read in (read_groups, read_figures))
    record = Record(name, str(tree.attrs["origin"]), [], [], [], [], groups, [], figures)
    claims.save(record, reports / name / "claims.json")
    return {str(node): int(child.sizes["obs"]) for node, child in tree.children.items()}
