"""What the columns that an analysis adds are called. The one place; `docs/analysis.md` shows the table.

A statistic of a variable of the contract keeps its name and unit: ``throughput`` is then the mean over the runs.
Suffixes say which other statistic a column holds:

``<variable>_low``, ``<variable>_high``
    ends of the 95 % confidence interval; NaN where one run, or runs without any spread, allow none
``<variable>_min``, ``<variable>_max``, ``<variable>_std``
    lowest and highest run, and sample standard deviation over the runs
``<variable>_error``
    standard error of the mean over the runs; NaN for one run, and for a median
``<variable>_best``
    best run
    standard error, as a paper gives it or by propagation
``n``
    how many runs stand behind the row

All other columns stand in `storagelab.analysis.derived_columns`, a module a room, and together in `DERIVED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from storagelab import schema
from storagelab.analysis.derived_columns import (
    aggregation,
    comparison,
    efficiency,
    fairness,
    planning,
    repeats,
    scaling,
    series,
    shapes,
    validity,
    verdicts,
)
from storagelab.errors import ContractError, UnknownNameError
from storagelab.schema import Field
from storagelab.schema.own_keys import ATTRIBUTE

if TYPE_CHECKING:
    import xarray as xr

SUFFIXES: Mapping[str, str] = {
    "_low_unadjusted": "lower end of the 95 % interval, not corrected for the number of comparisons, of",
    "_high_unadjusted": "upper end of the 95 % interval, not corrected for the number of comparisons, of",
    "_low": "lower end of the 95 % interval of",
    "_high": "upper end of the 95 % interval of",
    "_min": "lowest run of",
    "_max": "highest run of",
    "_std": "standard deviation over runs of",
    "_error": "standard error of",
    "_best": "best run of",
}

ROOMS = (aggregation, comparison, efficiency, fairness, planning, repeats, scaling, series, shapes, validity, verdicts)

DERIVED: Mapping[str, Field] = {
    name: Field(name, "key" if kind == "key" else "variable", unit, long_name)
    for room in ROOMS
    for name, kind, unit, long_name in room.ROWS
}

MADE_OF: Mapping[str, tuple[str, ...]] = {
    "amplification": ("network_received", "network_sent", "data_size", "entries", "entries_total"),
    "block_amplification": ("blocks_fetched", "data_size"),
    "bound_share": ("throughput",),
    "bytes_asked": ("data_size",),
    "children_over_parent": ("throughput", "throughput_parent"),
    "children_over_whole": ("throughput", "throughput_parent", "data_size", "file_size", "processes"),
    "clients_most": ("file_size",),
    "completion_over_submission": ("latency", "submission_latency"),
    "counted_share": ("data_size", "file_size", "processes"),
    "cpu_utilisation": ("cpu_time", "cpu_user_time", "cpu_system_time", "elapsed"),
    "file_share": ("data_size", "file_size"),
    "link_share": ("network_received", "data_size"),
    "network_throughput": ("network_received", "network_sent", "throughput", "data_size"),
    "link_time": ("network_received",),
    "opening_time": ("stopwatch_time", "elapsed"),
    "operations_time": ("operation_rate",),
    "outside_time": ("job_time", "elapsed"),
    "printed_share": ("throughput_rounded", "data_size", "elapsed"),
    "printed_time": ("data_size", "throughput_rounded"),
    "processing_time": ("elapsed", "disk_time"),
    "repeat_factor": ("blocks_fetched", "blocks_distinct"),
    "volume_ratio": ("data_size", "time"),
    "volume_ratio_held": ("data_size", "time"),
    "wait_rate": ("data_size", "disk_time"),
    "wait_share": ("disk_time", "elapsed"),
    "working_set": ("file_size", "block_size", "segments", "processes"),
}
"""Column that an analysis works out -> columns of the rows of logs that it is worked out from: their lines are its."""

OF_OTHERS = frozenset(
    {"", "caveat", "p", "p_adjusted", "rank", "ratio", "ratio_low", "ratio_high", "share_of_messages", "tied", "winner"}
)
"""Columns, and "" for a count of rows, that set a row against the others of its cell: their lines are its too."""

_LINKS = ("client_link", "server_link", "testbed.servers", "testbed.gateway_link_mbit")
SET_BY: Mapping[str, tuple[str, ...]] = {
    "bound": _LINKS,
    "bound_share": _LINKS,
    "clients_most": ("memory_limit",),
    "jobs": ("clients",),
    "link_time": _LINKS,
    "over_memory": ("memory_limit",),
}
"""Column -> keys, and names in study.yaml, with which an experimenter says what else it was worked out from."""

KNOWN: Mapping[str, Field] = {**{name: known for name, known in schema.FIELDS.items() if not known.own}, **DERIVED}
"""Without keys that studies declare: `field` asks for those besides."""


def made_of(names: str) -> list[str]:
    """Columns of the rows of logs that some columns, named with blanks between them, are worked out from."""
    return [part for name in names.split() for part in MADE_OF.get(name, (name,))]


def set_by(name: str) -> tuple[str, ...]:
    """Keys, and names in study.yaml, that say what else a column, or an end of its interval, was worked out from."""
    return SET_BY.get(name.removesuffix("_low").removesuffix("_high"), ())


def low(variable: str) -> str:
    """Name of the lower end of the interval of a variable."""
    return f"{variable}_low"


def high(variable: str) -> str:
    """Name of the upper end of the interval of a variable."""
    return f"{variable}_high"


def error(variable: str) -> str:
    """Name of the standard error of a variable."""
    return f"{variable}_error"


def field(name: str) -> Field:
    """Look a column up among the derived ones, the contract, keys of studies, and their suffixed statistics.

    Raises
    ------
    UnknownNameError
        With the nearest known name.
    """
    found = find(name)
    if found is None:
        raise UnknownNameError("column", name, KNOWN)
    return found


def find(name: str) -> Field | None:
    """Look a column up as `field` does; None where there is none of the name."""
    own = schema.FIELDS.get(name)
    return own if own is not None and own.own else _of_all_studies(name)


@cache
def _of_all_studies(name: str) -> Field | None:
    if name in KNOWN:
        return KNOWN[name]
    for suffix, meaning in SUFFIXES.items():
        base = KNOWN.get(name.removesuffix(suffix))
        if base is not None and name.endswith(suffix):
            return Field(name, "variable", base.unit, f"{meaning} {base.long_name}")
    return None


def declare_own(ds: xr.Dataset) -> None:
    """Take over the keys that the columns of a dataset declare (`storagelab.schema.own_keys`).

    Raises
    ------
    ContractError
        If one has the name of a column that analyses make, or another study means something else by it.
    """
    for name, column in ds.variables.items():
        if ATTRIBUTE in column.attrs and _of_all_studies(str(name)):
            raise ContractError(
                f"key {str(name)!r} has the name of a column that analyses make: rename it in study.yaml"
            )
    schema.OWN.declare_columns(ds.variables, str(ds.attrs.get("study", "")))


def known(name: str) -> bool:
    """Whether a name is that of a column."""
    return find(name) is not None
