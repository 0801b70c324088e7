"""Whether a code gives data back after losses: by losing fragments and decoding, not by counting them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import xarray as xr

from storagelab.analysis import basis, table
from storagelab.analysis.efficiency.reed_solomon import Bytes, decode, encode
from storagelab.analysis.inference.seeds import generator
from storagelab.analysis.scaling.bounds import fragments
from storagelab.errors import AnalysisError

MOST_PATTERNS = 60_000
"""Patterns of loss up to which all are tried: more than the 58,905 in which 4 of 36 fragments can be lost."""
AT_ONCE = 4096
"""Patterns that are decoded together: as many as memory takes easily."""
LENGTH = 4
"""Bytes of a fragment: each byte is coded for itself, so few show as much as many."""


def losses_survived(ds: xr.Dataset, *, most: int = MOST_PATTERNS) -> xr.Dataset:
    """Encode random bytes with each erasure code of a dataset, lose fragments in every way, decode, and compare.

    The code is Reed-Solomon's over bytes with a Cauchy matrix; the dataset gives its sizes, and nothing is measured.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Rows with erasure_code, spelled "data+redundancy"; rows without one are left out.
    most : int
        Patterns of loss up to which all are tried; of more, as many are drawn (seeded).

    Returns
    -------
    Dataset, dimension obs
        One row a code and number of ``losses``, from 0 to one more than its redundancy: ``patterns`` (ways in which
        that many fragments are lost, as many as there are or as were drawn), ``recovered`` (those after which every
        byte came back), ``recovered_share``. Pure numbers.

    Raises
    ------
    AnalysisError
        If `most` is below one, no row has an erasure code, or a code is spelled otherwise or has more fragments than
        bytes allow.
    """
    table.require(ds, "erasure_code")
    if most < 1:
        raise AnalysisError(f"most: expected one pattern or more, got {most:g}")
    codes = sorted({str(code) for code in ds["erasure_code"].values} - {"", "unknown"})
    if not codes:
        raise AnalysisError("no row has an erasure_code: there is nothing to decode")
    found = basis.computed([row for code in codes for row in _rows(code, most)], ds)
    method = "fragments of random bytes lost in all ways, or in many, and decoded"
    return table.dataset(found, ds, ["erasure_code"], statistic="single", method=method)


def _rows(code: str, most: int) -> Iterator[table.Cell]:
    data, redundancy = fragments(code)
    draw = generator("losses", code)
    stored = encode(draw.integers(0, 256, (data, LENGTH), dtype=np.uint8), redundancy)
    for losses in range(redundancy + 2):
        tried = _patterns(len(stored), losses, most, draw)
        came_back = sum(_recovered(stored, redundancy, part) for part in _parts(tried))
        counts = {"losses": float(losses), "patterns": float(len(tried)), "recovered": float(came_back)}
        yield {"erasure_code": code, **counts, "recovered_share": came_back / len(tried)}


def _patterns(whole: int, losses: int, most: int, draw: np.random.Generator) -> npt.NDArray[np.intp]:
    if math.comb(whole, losses) <= most:
        every = list(itertools.combinations(range(whole), losses))
        return np.array(every, dtype=np.intp).reshape(len(every), losses)
    shuffled = np.argsort(draw.random((most, whole)), axis=1)
    return np.sort(shuffled[:, :losses], axis=1)


def _parts(tried: npt.NDArray[np.intp]) -> Iterator[npt.NDArray[np.intp]]:
    for start in range(0, len(tried), AT_ONCE):
        yield tried[start : start + AT_ONCE]


def _recovered(stored: Bytes, redundancy: int, lost: npt.NDArray[np.intp]) -> int:
    """Count the patterns after which every lost byte is what it was."""
    found, solvable = decode(stored, redundancy, lost)
    same = (found == stored[lost]).all(axis=(1, 2))
    return int((same & solvable).sum())
