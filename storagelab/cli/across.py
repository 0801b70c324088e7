"""``storagelab synthesis``: numbers of all studies side by side, in a dataset, and the record of its figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from storagelab import claims, dataset
from storagelab.claims.extracts import read_extracts, read_figures
from storagelab.claims.record import Record
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
    studies = {name: verdicts.dataset_of(reports, name) for name in read_extracts(folder).studies()}
    return claims.synthesise(folder, studies)


def written(tree: xr.DataTree, folder: Path, reports: Path) -> Mapping[str, int]:
    """Write the dataset of a comparison and the record of its figures; return how many numbers each node has."""
    name = folder.resolve().name
    dataset.save(tree, reports / name / "dataset.nc")
    figures = [figure.model_dump() for figure in read_figures(folder)]
    record = Record(name, str(tree.attrs["origin"]), [], [], [], [], [], [], figures)
    claims.save(record, reports / name / "claims.json")
    return {str(node): int(child.sizes["obs"]) for node, child in tree.children.items()}
