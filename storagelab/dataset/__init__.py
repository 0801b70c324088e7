"""Tidy labelled datasets: from rows to xarray, to netCDF and back, selected and gridded."""

from storagelab.dataset.columns import Coded, Row, Table
from storagelab.dataset.netcdf import declare_keys, load, put, save
from storagelab.dataset.nodes import about, attributes, from_rows, from_table, tree
from storagelab.dataset.selection import five_keys, frame, grid, places, select, take

__all__ = [
    "Coded", "Row", "Table", "about", "attributes", "declare_keys", "five_keys", "frame", "from_rows", "from_table",
    "grid", "load", "places", "put", "save", "select", "take", "tree",
]  # fmt: skip
