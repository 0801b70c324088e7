"""Datasets put together, and keys made of several keys, for one figure or table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import schema
from storagelab.analysis import table
from storagelab.analysis.validity.working_sets import mark_cached
from storagelab.errors import AnalysisError
from storagelab.lineage import inherit, remember, sources_of

_SIDE = "_side"
"""Column that says which of two tables a joined row comes from; no key is called so."""


def concat(*parts: xr.Dataset) -> xr.Dataset:
    """Put the rows of several datasets of one study below each other.

    Parameters
    ----------
    *parts : Dataset, dimension obs
        With the same columns.

    Returns
    -------
    Dataset, dimension obs
        Attributes are those of the first part. Intervals and verdicts stay those of the parts: where they hold together
        over a table, ``method`` says that they do over each of so many.

    Raises
    ------
    AnalysisError
        If there is none, if they are of several studies or origins, or a part lacks a column that another has.
    """
    _of_one("studies", [str(part.attrs.get("study", "")) for part in parts])
    _of_one("origins", [table.origin(part) for part in parts])
    names = {str(name) for part in parts for name in part.variables}
    parts = tuple(_with_lines(part, sorted(names & schema.OF_VALUES)) for part in parts)
    for place, part in enumerate(parts, start=1):
        if lacking := sorted(names - set(map(str, part.variables))):
            raise AnalysisError(
                f"dataset {place} of {len(parts)} lacks {', '.join(lacking)}, which another has: leave these columns "
                "out of all of them, or add them (`with_keys_of`)"
            )
    joined = xr.concat(parts, "obs", coords="different", compat="equals", combine_attrs="override", join="override")
    method = str(joined.attrs.get("method", ""))
    if len(parts) > 1 and OVER_A_TABLE in method:
        joined.attrs["method"] = method.replace(OVER_A_TABLE, f"over each of {len(parts)} tables")
    return remember(joined, *(part for part in parts if sources_of(part)))


OVER_A_TABLE = "over the table"
"""How methods say what is corrected together."""


def _with_lines(part: xr.Dataset, names: Sequence[str]) -> xr.Dataset:
    """Add the lines of single values that another part has: here the values stand on the lines of their rows."""
    missing = {name: ("obs", np.full(part.sizes["obs"], np.nan)) for name in names if name not in part.variables}
    attrs = {name: schema.attributes(schema.field(name)) for name in missing}
    return inherit(part.assign_coords({name: (*column, attrs[name]) for name, column in missing.items()}), part)


def _of_one(what: str, named: Sequence[str]) -> None:
    """Refuse datasets that do not come from the same."""
    if not named:
        raise AnalysisError("no dataset is given: nothing to put together")
    if len(set(named)) > 1:
        raise AnalysisError(
            f"expected datasets of one study, got {what} {', '.join(dict.fromkeys(named))}: analyse each alone, "
            "and set the results side by side"
        )


def cases(ds: xr.Dataset, keys: Sequence[str]) -> xr.Dataset:
    """Add the key ``case``, the levels of several keys of text that are not empty in one: ``file_create, shared``.

    Parameters
    ----------
    ds : Dataset, dimension obs
    keys : sequence of str
        In the order in which their levels are named.

    Returns
    -------
    Dataset, dimension obs
        The same rows.

    Raises
    ------
    AnalysisError
        If the dataset lacks a key.
    """
    table.require(ds, *keys)
    rows = table.frame(ds)
    case = [", ".join(filter(None, levels)) for levels in rows[list(keys)].astype(str).to_numpy().tolist()]
    return table.with_keys(ds, pd.DataFrame({"case": case}))


def regimes(ds: xr.Dataset) -> xr.Dataset:
    """Add the key ``case``: ``fits in memory`` or ``exceeds memory``, as `mark_cached` finds the files of a run.

    Parameters
    ----------
    ds : Dataset, dimension obs
        With what `storagelab.analysis.mark_cached` needs.

    Returns
    -------
    Dataset, dimension obs
        The same rows.

    Raises
    ------
    AnalysisError
        As `mark_cached`, or if of some row it is not known.
    """
    marked = mark_cached(ds)
    table.require(marked, "cached")
    cached = marked["cached"].to_numpy()
    if not np.isfinite(cached).all():
        raise AnalysisError(
            f"of {int((~np.isfinite(cached)).sum())} rows it is not known whether their files fit in memory"
        )
    case = pd.DataFrame({"case": np.where(cached == 1, "fits in memory", "exceeds memory")})
    return table.with_keys(ds, case)


def with_keys_of(ds: xr.Dataset, of: xr.Dataset, keys: Sequence[str], on: Sequence[str] = ("run_id",)) -> xr.Dataset:
    """Add keys that another node of the study has: those of its run to a series, for instance.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with the keys `on`.
    of : Dataset, dimension obs
        Rows with `on` and `keys`; all with the same `on` must agree on the keys.
    keys : sequence of str
        What to add.
    on : sequence of str
        What the two have in common.

    Returns
    -------
    Dataset, dimension obs
        All rows of `ds`, in their order.

    Raises
    ------
    AnalysisError
        If rows of `of` disagree, or a row of `ds` has no match.
    """
    table.require(of, *on, *keys)
    if (one := table.origin(ds)) != (another := table.origin(of)):
        raise AnalysisError(f"rows are {one}, the keys come from rows that are {another}: two origins are not mixed")
    table.require(ds, *on)
    known = table.rows(of).only([*on, *keys]).frame().drop_duplicates()
    doubled = known[known.duplicated(list(on))]
    if len(doubled):
        cell = table.name_cell({key: doubled.iloc[0][key] for key in on})
        raise AnalysisError(f"rows with {cell} differ in {', '.join(keys)}: name what tells them apart in `on`")
    joined = table.rows(ds).only(on).frame().merge(known, on=list(on), how="left", indicator=_SIDE)
    lost = joined[joined[_SIDE] != "both"]
    if len(lost):
        raise AnalysisError(f"no row has {table.name_cell({key: lost.iloc[0][key] for key in on})}")
    return table.with_keys(ds, joined[list(keys)])
