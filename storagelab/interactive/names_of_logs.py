"""The warning that names of logs say what no key does: such runs count as repetitions of one cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import xarray as xr

from storagelab.analysis.cells import Rows
from storagelab.analysis.runs import differing_keys
from storagelab.study.words_without_key import words_without_key
from storagelab.wording import words
from storagelab.wording.levels import natural

ATTRIBUTE = "names_of_logs"
"""Attribute of a result that warns of the runs that it rests on."""

SHOWN = 4


def not_said(ds: xr.Dataset) -> str:
    """Say which words in the names of logs differ within a cell; of a study, its rules have said what names mean.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Runs, whose ``run_id`` is the path of their log where no study names them.
    """
    rows = Rows.of(ds)
    if ds.attrs.get("study") or "run_id" not in rows:
        return ""
    cells = rows.cells(differing_keys(rows)).of_row.tolist()
    return warning(words_without_key(dict(zip(rows["run_id"].tolist(), cells, strict=True))))


def warning(places: Iterable[Sequence[str]]) -> str:
    """Say which words stand in each place of the names; "" for no place."""
    told = "; ".join(_first([words.listed(_first(sorted(one, key=natural))) for one in places]))
    return f"names of logs differ in what no key says ({told}): such runs count as repetitions" if told else ""


def _first(levels: Sequence[str]) -> list[str]:
    more = len(levels) - SHOWN
    return [*levels] if more <= 1 else [*levels[:SHOWN], f"{more} more"]
