"""What the panels of a figure of permitted curves share, and what a row of it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from storagelab.analysis import columns
from storagelab.errors import AnalysisError
from storagelab.figures.band_panels import HIGH, LOW
from storagelab.figures.palette import Look
from storagelab.figures.panels import Level, rows_of, same_scale
from storagelab.wording import quantities, words

PRINTED, ERROR = "printed", "printed_error"
REACHED, BEYOND = "reached", "beyond"
CLOCK = "clock"
"""Key of an axis of times of day."""
OPEN = 1.35
"""How much higher than its highest printed number an axis is where something has no upper bound: room for an arrow."""


@dataclass(frozen=True, slots=True)
class Plot:
    """Everything the panels of one figure share."""

    rows: pd.DataFrame
    model: pd.DataFrame | None
    variable: str
    x: str
    hue: str
    facet: str
    looks: Mapping[Level, Look]
    lines: Mapping[float, str]
    marks: Mapping[Level, Mapping[float, str]]
    log: bool
    axis: str
    what: str
    grouped: Mapping[Level, Level]
    """Of each panel, what it shares its scale with."""

    @property
    def name(self) -> str:
        """Name of the values."""
        return self.what or words.long_name(self.variable)

    @property
    def unit(self) -> str:
        """SI unit of the values."""
        return str(columns.field(self.variable).unit)

    @property
    def say(self) -> Callable[[float], str]:
        """Write a value, in the unit that fits it."""
        return quantities.say(self.unit)

    def of(self, rows: pd.DataFrame, level: Level) -> Iterator[tuple[Look, pd.DataFrame]]:
        """Rows of each colour of a panel, in the order of the axis."""
        own = rows_of(rows, self.facet, level)
        for name, look in self.looks.items():
            part = own[own[self.hue] == name] if self.hue else own
            if not part.empty:
                yield (
                    look,
                    part.sort_values(self.x, kind="stable") if pd.api.types.is_numeric_dtype(part[self.x]) else part,
                )

    def top(self, level: Level) -> float:
        """Highest number that somebody printed for a panel, or that follows from printed ones; with room for arrows."""
        own = rows_of(self.rows, self.facet, level)
        ends = [*own[HIGH], *own[LOW], *own[PRINTED], *(own[PRINTED] + own[ERROR]), *own[REACHED], *self.lines]
        known = [value for value in ends if np.isfinite(value)]
        highest = max(known, default=0.0)
        if highest <= 0:
            raise AnalysisError(f"nothing that is printed gives {self.variable} a height: draw no axis for it")
        return highest * (OPEN if np.isinf(own[HIGH]).any() else 1.0)

    def tops(self, levels: Sequence[Level]) -> dict[Level, float]:
        """Height of each panel: one for all where none is squashed, else one for those that belong together."""
        own = {level: self.top(level) for level in levels}
        group = dict.fromkeys(levels, levels[0]) if same_scale([*own.values()]) else self.grouped
        return {level: max(own[one] for one in levels if group[one] == group[level]) for level in levels}

    def arrows(self) -> bool:
        """Whether an arrow is drawn: a curve without upper bound has one where it has a lower bound, a bar always."""
        open_ = self.rows[np.isinf(self.rows[HIGH])]
        return bool((self.named | (open_[LOW] > 0)).any() or self.rows[BEYOND].any())

    @property
    def named(self) -> bool:
        """Whether the axis has names instead of numbers."""
        return not pd.api.types.is_numeric_dtype(self.rows[self.x])


def worked_out(rows: pd.DataFrame) -> pd.Series[bool]:
    """Which places are fixed by arithmetic on printed numbers."""
    same = (rows[HIGH] - rows[LOW]).abs() <= 1e-9 * rows[HIGH]
    fixed: pd.Series[bool] = rows[PRINTED].isna() & np.isfinite(rows[HIGH]) & same
    return fixed


def any_range(rows: pd.DataFrame) -> bool:
    """Whether a text leaves anything open: else there is no band and no bar."""
    return bool((rows[HIGH] > rows[LOW]).any())


def has_unbounded_band(plot: Plot) -> bool:
    """Whether a band goes from zero to where nobody says."""
    return not plot.named and bool((np.isinf(plot.rows[HIGH]) & (plot.rows[LOW] <= 0)).any())


def name_of_axis(x: str) -> str:
    """Name of the axis."""
    return "time of day (local)" if x == CLOCK else words.long_name(x)


def name_of_place(x: str, value: Level) -> str:
    """Write a place on the axis: a time of day as a clock shows it."""
    if x != CLOCK:
        return words.full(x, value) if isinstance(value, str) else words.level(x, value)
    minutes = int(float(value)) // 60
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
