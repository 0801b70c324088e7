"""Which rows of logs a row of a result was computed from: its lineage, followed back to rows that stand in a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import xarray as xr

from storagelab import dataset
from storagelab.analysis import columns
from storagelab.analysis.basis import KEY as BASIS
from storagelab.analysis.basis import OF_A_RUN
from storagelab.analysis.cells import Rows
from storagelab.analysis.comparison.comparison import quotient
from storagelab.analysis.runs import NAMELESS
from storagelab.analysis.traces import QUOTED, SET_BY
from storagelab.lineage import rows_of, sources_of, variable_of

Places = npt.NDArray[np.intp]

BESIDE = "beside"
"""Attribute of a source from which a result took one column, and whose rows are none of its own."""


MADE_OF = "made_of"
"""Attribute of a result: columns of its sources that it was computed from; behind the name of a column, that was."""
AMONG = "among"
"""Attribute of a result: keys over whose levels some of its columns (`columns.OF_OTHERS`) set a row."""


def stands_in_logs(ds: xr.Dataset) -> bool:
    """Whether each row of a dataset says its log and line, or is a log."""
    names = {*ds.variables}
    return "log" in names or {"log_id", "line"} <= names


def rows_behind(result: xr.Dataset, variable: str = "", of: Sequence[xr.Dataset] | None = None) -> list[xr.Dataset]:
    """Follow the rows of a result back to rows that stand in a log.

    Parameters
    ----------
    result : Dataset, dimension obs
    variable : str
        The column that is quoted: rows without a value of what was measured are not behind it.
    of : sequence of Dataset, optional
        What the result was computed from; by default what its lineage remembers.

    Returns
    -------
    list of Dataset, dimension obs
        Of each dataset at the start, the rows that have the keys of the result; none where nobody remembers. They
        say which column is quoted (`storagelab.analysis.traces.QUOTED`), whose lines are then those of the trace.
    """
    every = np.arange(result.sizes.get("obs", 0))
    found = Follower().behind(result, every, variable, of)
    return [
        (one.source if one.places is every else dataset.take(one.source, one.places)).assign_attrs(
            _quoted(one, variable)
        )
        for one in found
    ]


def _quoted(one: Behind, variable: str) -> dict[str, str]:
    """What rows behind a number say of it: the column that is quoted, and what an experimenter set besides."""
    names = dict.fromkeys(name for asked in (variable, one.variable) for name in columns.set_by(asked))
    said = {QUOTED: one.variable, SET_BY: " ".join(names)}
    return {name: words for name, words in said.items() if words}


class Behind(NamedTuple):
    """Rows that stand in a log: those of a dataset at some places, and the column that is quoted, "" if none."""

    source: xr.Dataset
    places: Places
    variable: str


class Follower:
    """Follows rows of results back to rows that stand in a log; what it looked up in a dataset it keeps."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[xr.Dataset, Rows]] = {}
        self._places: dict[tuple[int, tuple[tuple[str, Any], ...]], Places] = {}

    def rows(self, ds: xr.Dataset) -> Rows:
        """Columns of a dataset."""
        if id(ds) not in self._rows:
            self._rows[id(ds)] = ds, Rows.of(ds)  # a dataset that is kept has an id of its own
        return self._rows[id(ds)][1]

    def behind(
        self, result: xr.Dataset, places: Places, variable: str = "", of: Sequence[xr.Dataset] | None = None
    ) -> Iterator[Behind]:
        """Follow the rows of a result at some places; see `rows_behind`."""
        if of is None and stands_in_logs(result):
            yield Behind(result, places, variable)
            return
        own = result.attrs.get(MADE_OF) or result.attrs.get(f"{variable}_{MADE_OF}")
        measured = str(own or result.attrs.get("compared_variable", variable))
        for source in _saying(measured, sources_of(result) if of is None else of):
            found = places[:0]
            if "obs" in source.sizes:
                found = self._with_keys_of(result, places, source, measured, _keys_behind(result, source, variable))
            if found.size:
                yield from self.behind(source, found, measured)

    def _with_keys_of(
        self, result: xr.Dataset, places: Places, source: xr.Dataset, variable: str, keys: Sequence[str]
    ) -> Places:
        """Places of rows with the keys of a row of the result, and a value of what was measured, if that is known."""
        asked, known = self.rows(result), self.rows(source)
        found = self._alike(asked, places, source, [key for key in keys if not _unnamed(asked[key][places], key)])
        factor = str(result.attrs.get("compared_factor"))
        if factor in known and "compared" in result.coords:
            found = found[_of_the_sides(known[factor], {*asked["compared"][places].tolist()})[found]]
        measured = result.attrs.get("compared_variable", variable)
        is_known = measured in known and columns.field(measured).unit is not None
        if is_known:
            found = found[np.isfinite(known[measured][found])]
        if "statistic" in known and "statistic" in result.attrs:
            statistic = result.attrs.get("compared_statistic", result.attrs["statistic"])
            of_it = known["statistic"][found] == statistic
            found = found[of_it] if is_known or of_it.any() else found
        return found

    def _alike(self, asked: Rows, places: Places, source: xr.Dataset, keys: Sequence[str]) -> Places:
        """Places of rows of the source that have the keys of one of the rows; missing is a level like others."""
        if not keys or not places.size:
            return np.arange(source.sizes["obs"] if not keys else 0)
        wanted = {*zip(*([(key, _level(one)) for one in asked[key][places].tolist()] for key in keys), strict=True)}
        found = [self._having(source, pairs) for pairs in wanted]
        return found[0] if len(found) == 1 else np.sort(np.concatenate(found))

    def _having(self, source: xr.Dataset, pairs: tuple[tuple[str, Any], ...]) -> Places:
        """Places of rows that have all of some levels; rows that are asked for one by one share most of them."""
        asked = id(source), pairs
        if asked not in self._places:
            *before, (key, level) = pairs
            known = self.rows(source)[key]
            places = self._having(source, tuple(before)) if before else np.arange(len(known))
            found = known[places] if before else known
            self._places[asked] = places[found != found if level is None else found == level]
        return self._places[asked]


def _saying(variable: str, sources: Sequence[xr.Dataset]) -> Sequence[xr.Dataset]:
    """Sources that have a column, or one that it is made of; where none has, all that are rows of the result."""
    names = {*variable.split(), *columns.made_of(variable)}
    having = [source for source in sources if names & {*map(str, source.variables)}]
    return having or [source for source in sources if BESIDE not in source.attrs]


def _keys_behind(result: xr.Dataset, source: xr.Dataset, variable: str) -> list[str]:
    """Keys in which rows of a source must agree with one of the result: not those over whose levels it was set."""
    levels = str(result.attrs.get(AMONG, "")).split() if variable in columns.OF_OTHERS else ()
    return [str(key) for key in result.coords if key in source.variables and key not in {BASIS, *levels}]


def _level(value: Any) -> Any:
    """Return what equals itself: what is missing is None."""
    return value if value == value else None


def _of_the_sides(levels: npt.NDArray[Any], compared: set[str]) -> npt.NDArray[np.bool_]:
    """Which rows are of a level that was compared: of a third level none entered."""
    known = [level for level in dict.fromkeys(levels.tolist()) if level == level]
    sides = {level for one in known for other in known if quotient(one, other) in compared for level in (one, other)}
    return np.isin(levels, list(sides))


def _unnamed(values: npt.NDArray[Any], key: str) -> bool:
    """Whether a key names runs, and some row has no name: a mean over runs, or a run that its log does not name."""
    return key in OF_A_RUN and any(
        level != level or level == "" or str(level).startswith(NAMELESS) for level in {*values.tolist()}
    )


def rows_behind_value(value: object) -> list[xr.Dataset]:
    """Follow a number or word that knows where it was taken from back to rows that stand in a log."""
    rows = rows_of(value)
    return [] if rows is None else rows_behind(rows, variable_of(value))
