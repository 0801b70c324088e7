"""Where a value stands that is not on the line of its row.

A row has one `line`. Many tools print what belongs together below each other, and a row may hold a value of another
log of its run. ``<name>_line`` is then the line of that one value, and ``<name>_log_id`` its log; where they are
missing, the value stands on the line, and in the log, of the row. A value that no line states, because it was computed
from others of its row, has the line 0 (`COMPUTED`); `MADE_OF` says from which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from storagelab.schema.keys import KEYS
from storagelab.schema.names import Field
from storagelab.schema.variables import VARIABLES

COMPUTED = 0
"""Line of a value that stands on none."""

MADE_OF: Mapping[str, tuple[str, ...]] = {
    "cpu_utilisation": ("cpu_time", "elapsed"),
    "data_size": ("data_size_min", "processes"),
    "elapsed": ("start_time", "end_time"),
    "file_size": ("segments", "block_size"),
    "latency": ("elapsed", "operations"),
    "network_received": ("counter_before", "counter_after"),
    "network_sent": ("counter_before", "counter_after"),
    "operation_rate": ("operations", "elapsed"),
    "operation_rate_max": ("operation_rate",),
    "operation_rate_min": ("operation_rate",),
    "processes_per_node": ("processes", "nodes"),
    "request_size": ("data_size", "operations"),
    "throughput": ("data_size", "elapsed"),
    "throughput_common": ("data_size", "start_time", "end_time"),
    "throughput_max": ("throughput",),
    "throughput_min": ("throughput",),
    "throughput_span": ("data_size", "start_time", "end_time"),
}
"""Name of a value that may be computed -> names of those that it is computed from."""

_NUMBERS = [field for field in (*KEYS, *VARIABLES) if field.unit is not None]
LINE_OF: Mapping[str, str] = {field.name: f"{field.name}_line" for field in _NUMBERS}
"""Name of a number -> name of its line."""
LOG_OF: Mapping[str, str] = {field.name: f"{field.name}_log_id" for field in _NUMBERS}
"""Name of a number -> name of its log."""
VALUE_AT: Mapping[str, str] = {line: name for name, line in LINE_OF.items()}
"""Name of a line -> name of the number that stands there."""

PLACES = [
    *(Field(LINE_OF[one.name], "trace", "1", f"line of: {one.long_name}") for one in _NUMBERS),
    *(Field(LOG_OF[one.name], "trace", "1", f"row of the node logs of: {one.long_name}") for one in _NUMBERS),
]
"""Fields of the lines and logs of single values."""
OF_VALUES = frozenset(field.name for field in PLACES)
"""Their names."""


def lines_of(names: Iterable[str], line: float) -> dict[str, Any]:
    """Say of values on which line they stand.

    Parameters
    ----------
    names : iterable of str
        Names of values.
    line : float
        Number of the line.

    Returns
    -------
    dict
        What a row says of them.

    Examples
    --------
    >>> lines_of(["latency", "latency_max"], 7)
    {'latency_line': 7, 'latency_max_line': 7}
    """
    return {LINE_OF[name]: line for name in names}


def line_of(row: Mapping[str, Any], name: str) -> Any:
    """Return the line of one value of a row: its own, or that of the row.

    Parameters
    ----------
    row : mapping
        Values by their names.
    name : str
        Name of a value.

    Returns
    -------
    int
        Number of the line, from 1; 0 where the value was computed from others.

    Examples
    --------
    >>> row = {"throughput": 9.0, "latency": 0.1, "latency_line": 7, "line": 4}
    >>> line_of(row, "throughput"), line_of(row, "latency")
    (4, 7)
    """
    line = row.get(LINE_OF.get(name, ""))
    return row.get("line") if line is None or line != line else line


def by_line(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Split a row into one a line of the log: what stands there, and all that says which measurement it belongs to.

    Lines that state nothing but keys come first, then those with what a tool rounds, so that a number that is looked
    up as it is printed is found where it is printed so; then what stands on the line of the row; what was computed
    comes last.

    Parameters
    ----------
    row : mapping
        Values by their names.

    Returns
    -------
    list of dict
        A row a line.

    Examples
    --------
    >>> by_line({"operation": "read", "throughput": 9.0, "latency": 0.1, "latency_line": 7, "line": 4})
    [{'operation': 'read', 'throughput': 9.0, 'line': 4}, {'operation': 'read', 'latency': 0.1, 'line': 7}]
    """
    keys = {name: value for name, value in row.items() if name in _KEYS}
    said = {name: value for name, value in row.items() if name != "line" and _identifies(row, name)}
    parts: dict[Any, dict[str, Any]] = {row.get("line"): {}}
    for name, value in row.items():
        if name not in said and name not in OF_VALUES and name != "line":
            parts.setdefault(line_of(row, name), {})[name] = value
    measured = {line: bool(parts[line].keys() - _KEYS) for line in parts}

    def order(line: Any) -> tuple[bool, bool, bool]:
        return line == COMPUTED, measured[line], not any("_rounded" in name for name in parts[line])

    return [
        {**said, **(keys if measured[line] else {}), **parts[line], "line": line} for line in sorted(parts, key=order)
    ]


def _identifies(row: Mapping[str, Any], name: str) -> bool:
    """Whether something says which measurement a row is, and on no line of its own."""
    return isinstance(row[name], str) or (name in _KEYS and LINE_OF.get(name, "") not in row)


_KEYS = frozenset(field.name for field in KEYS)
