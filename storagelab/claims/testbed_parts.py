"""Parts of a test bed as rows that an analysis takes."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import xarray as xr

from storagelab import schema
from storagelab.analysis import table
from storagelab.claims.record import Record
from storagelab.errors import StoragelabError, nearest
from storagelab.study.amount import amount

KEYS = frozenset(entry.name for entry in schema.KEYS)


def part_rows(record: Record, *parts: str) -> xr.Dataset:
    """Lay parts of the test bed out as rows for an analysis, such as RAID sets for `storagelab.analysis.raid_capacity`.

    Parameters
    ----------
    record : Record
    *parts : str
        Names of parts, a row each.

    Returns
    -------
    Dataset, dimension obs
        Those of their properties that are keys of the contract, numbers in SI; NaN or "" where a part lacks one.

    Raises
    ------
    StoragelabError
        If there is no such part, or none of the parts has such a property.
    """
    known = list(dict.fromkeys(row["part"] for row in record.parts))
    if unknown := [part for part in parts if part not in known]:
        raise StoragelabError(f"no part {unknown[0]!r} in the test bed{nearest(unknown[0], known)}")
    rows = pd.DataFrame([dict(_keys_of(record, part)) for part in parts])
    if rows.empty:
        raise StoragelabError(f"no property of {', '.join(parts)} is a key of the contract")
    rows = rows.fillna({name: "" for name in rows if schema.is_text(str(name))})
    like = xr.Dataset(attrs={"origin": "published", "study": record.study})
    return table.dataset(rows, like, [str(name) for name in rows])


def _keys_of(record: Record, part: str) -> Iterator[tuple[str, str | float]]:
    for row in record.parts:
        name, value = row["property"], row["value"]
        if row["part"] == part and name in KEYS:
            yield name, value if schema.is_text(name) else amount(value).si
