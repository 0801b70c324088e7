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
from storagelab.analysis.run_times import NAMELESS, telling_apart
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
    names = ds.variables
    return "log" in names or ("log_id" in names and "line" in names)


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
    return [_rows(one, variable, one.places is every) for one in found]


def _rows(one: Behind, variable: str, is_whole: bool) -> xr.Dataset:
    """Rows of a dataset at some places, which say what of them is quoted."""
    if is_whole:
        return one.source.assign_attrs(_quoted(one, variable))
    rows = dataset.take(one.source, one.places)
    rows.attrs.update(_quoted(one, variable))
    return rows


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
        self._steps: dict[tuple[int, str], tuple[str, list[Step]]] = {}

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
        measured, steps = self._known_steps(result, variable) if of is None else self._steps_to(result, variable, of)
        for step in steps:
            found = step.places(places)
            if found.size:
                yield from self.behind(step.source, found, measured)

    def _known_steps(self, result: xr.Dataset, variable: str) -> tuple[str, list[Step]]:
        asked = id(result), variable
        if asked not in self._steps:
            self._steps[asked] = self._steps_to(result, variable, sources_of(result))
        return self._steps[asked]

    def _steps_to(self, result: xr.Dataset, variable: str, of: Sequence[xr.Dataset]) -> tuple[str, list[Step]]:
        """Return what was measured for a column of a result, and the step to each source that says it."""
        own = result.attrs.get(MADE_OF) or result.attrs.get(f"{variable}_{MADE_OF}")
        measured = str(own or result.attrs.get("compared_variable", variable))
        sources = [source for source in _saying(measured, of) if "obs" in source.sizes]
        asked = self.rows(result)
        return measured, [
            Step(result, source, asked, self.rows(source), measured, _keys_behind(result, source, variable))
            for source in sources
        ]


class Step:
    """The step from rows of a result to rows of one of its sources that have their keys, and a value if that is known.

    Parameters
    ----------
    result, source : Dataset, dimension obs
    asked, known : Rows
        Their columns.
    measured : str
        What was measured: rows without a value of it are not behind the result.
    keys : sequence of str
        Keys in which rows must agree.
    """

    def __init__(
        self, result: xr.Dataset, source: xr.Dataset, asked: Rows, known: Rows, measured: str, keys: Sequence[str]
    ) -> None:
        self.source = source
        self._known = known
        self._keys = {key: asked[key] for key in keys}
        self._unnamed = {key: _unnamed(asked[key]) for key in keys if key in OF_A_RUN}
        self._having: dict[tuple[tuple[str, Any], ...], Places] = {}
        self._of_sides: dict[frozenset[Any], npt.NDArray[np.bool_]] = {}
        factor = str(result.attrs.get("compared_factor"))
        self._factor = factor if factor in known and "compared" in result.coords else ""
        self._compared = asked["compared"] if self._factor else None
        variable = result.attrs.get("compared_variable", measured)
        is_known = variable in known and columns.field(variable).unit is not None
        statistic = result.attrs.get("compared_statistic", result.attrs.get("statistic"))
        of_it = known["statistic"] == statistic if "statistic" in known and "statistic" in result.attrs else None
        fit = np.isfinite(known[variable]) if is_known else np.ones(len(known), dtype=bool)
        self._fit = np.flatnonzero(fit if of_it is None or not is_known else fit & of_it)
        self._preferred = None if is_known else of_it

    def places(self, places: Places) -> Places:
        """Places of rows of the source that are behind rows of the result at some places."""
        found = self._alike(places)
        if self._compared is not None:
            found = found[self._sides(frozenset(self._compared[places].tolist()))[found]]
        if self._preferred is not None and self._preferred[found].any():
            found = found[self._preferred[found]]
        return found

    def _alike(self, places: Places) -> Places:
        """Places of rows that have the keys of one of the rows; missing is a level like others."""
        keys = [key for key in self._keys if key not in self._unnamed or not self._unnamed[key][places].any()]
        if not keys or not places.size:
            return self._fit if not keys else self._fit[:0]
        levels = ([(key, _level(one)) for one in self._keys[key][places].tolist()] for key in keys)
        found = [self._with(pairs) for pairs in {*zip(*levels, strict=True)}]
        return found[0] if len(found) == 1 else np.sort(np.concatenate(found))

    def _with(self, pairs: tuple[tuple[str, Any], ...]) -> Places:
        """Places of rows that have all of some levels; rows that are asked for one by one share most of them."""
        if pairs not in self._having:
            *before, (key, level) = pairs
            places = self._with(tuple(before)) if before else self._fit
            found = self._known[key][places]
            self._having[pairs] = places[found != found if level is None else found == level]
        return self._having[pairs]

    def _sides(self, compared: frozenset[Any]) -> npt.NDArray[np.bool_]:
        """Which rows of the source are of a level that was compared."""
        if compared not in self._of_sides:
            self._of_sides[compared] = _of_the_sides(self._known[self._factor], compared)
        return self._of_sides[compared]


def _saying(variable: str, sources: Sequence[xr.Dataset]) -> Sequence[xr.Dataset]:
    """Sources that have a column, or one that it is made of; where none has, all that are rows of the result."""
    names = {*variable.split(), *columns.made_of(variable)}
    having = [source for source in sources if names & {*map(str, source.variables)}]
    return having or [source for source in sources if BESIDE not in source.attrs]


def _keys_behind(result: xr.Dataset, source: xr.Dataset, variable: str) -> list[str]:
    """Keys in which rows of a source must agree with one of the result: not those over whose levels it was set."""
    levels = str(result.attrs.get(AMONG, "")).split() if variable in columns.OF_OTHERS else ()
    return [key for key in telling_apart(result) if key in source.variables and key not in {BASIS, *levels}]


def _level(value: Any) -> Any:
    """Return what equals itself: what is missing is None."""
    return value if value == value else None


def _of_the_sides(levels: npt.NDArray[Any], compared: frozenset[Any]) -> npt.NDArray[np.bool_]:
    """Which rows are of a level that was compared: of a third level none entered."""
    known = [level for level in dict.fromkeys(levels.tolist()) if level == level]
    sides = {level for one in known for other in known if quotient(one, other) in compared for level in (one, other)}
    return np.isin(levels, list(sides))


def _unnamed(names: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which rows have no name of a run: means over runs, and runs that their logs do not name."""
    return np.array([name != name or name == "" or str(name).startswith(NAMELESS) for name in names.tolist()], bool)


def rows_behind_value(value: object) -> list[xr.Dataset]:
    """Follow a number or word that knows where it was taken from back to rows that stand in a log."""
    rows = rows_of(value)
    return [] if rows is None else rows_behind(rows, variable_of(value))
