"""Columns of a chunk: their types in Arrow, and a table of them as a dataset."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from storagelab import dataset, schema

if TYPE_CHECKING:
    import pyarrow
    import xarray as xr


def column_types(names: Iterable[str]) -> pyarrow.Schema:
    """Types of columns: text as codes with a dictionary, numbers of 8 bytes."""
    import pyarrow

    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    return pyarrow.schema([(name, text if schema.is_text(name) else pyarrow.float64()) for name in names])


def labelled(table: pyarrow.Table) -> xr.Dataset:
    """Columns of a chunk as a dataset: text as objects that share their words, "" and NaN where it is missing."""
    import xarray as xr

    columns = {name: ("obs", _values(table[name]), dataset.attributes(name)) for name in table.column_names}
    variables = {name for name in columns if schema.field(name).kind == "variable"}
    return xr.Dataset(
        {name: column for name, column in columns.items() if name in variables},
        coords={name: column for name, column in columns.items() if name not in variables},
        attrs={"study": "", "title": "", "origin": "measured"},
    )


def _values(column: pyarrow.ChunkedArray) -> np.ndarray[Any, Any]:
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        return np.asarray(column.fill_null(np.nan).to_numpy())
    whole = column.unify_dictionaries().combine_chunks()
    parts = whole.chunks if isinstance(whole, pyarrow.ChunkedArray) else [whole]
    found = [_words(part) for part in parts]
    return np.concatenate([np.zeros(0, dtype=object), *found])


def _words(part: Any) -> np.ndarray[Any, Any]:
    words = np.array([*part.dictionary.to_pylist(), ""], dtype=object)
    codes = part.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)
    found: np.ndarray[Any, Any] = words[codes]
    return found
