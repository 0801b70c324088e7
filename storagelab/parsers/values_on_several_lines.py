"""Rows whose values stand on several lines: what parsers say of them, in few words.

A row says the line of a value that is not on its own (`storagelab.schema.lines`): ``latency_line`` beside `latency`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from storagelab.parsers.model import Row, Value
from storagelab.schema import COMPUTED, LINE_OF, VALUE_AT, lines_of


def on(line: float, values: Mapping[str, Value]) -> Row:
    """Return values with their line: numbers that all stand on one.

    Examples
    --------
    >>> on(7, {"latency": 0.1})
    {'latency': 0.1, 'latency_line': 7}
    """
    return {**values, **lines_of((name for name in values if name in LINE_OF), line)}


def computed(values: Mapping[str, Value]) -> Row:
    """Say of values that no line states them: they were computed from others of the row (`storagelab.schema.MADE_OF`).

    Examples
    --------
    >>> computed({"throughput": 4.0})
    {'throughput': 4.0, 'throughput_line': 0}
    """
    return on(COMPUTED, values)


def settled(row: Row) -> Row:
    """Leave out of a row the lines that are its own, and those of values that it does not have.

    Examples
    --------
    >>> settled({"latency": 0.1, "latency_line": 7, "elapsed_line": 7, "line": 7})
    {'latency': 0.1, 'line': 7}
    """
    own = row["line"]
    return {
        name: value for name, value in row.items() if name not in VALUE_AT or (value != own and VALUE_AT[name] in row)
    }


def of_names(names: Mapping[str, str], lines: Mapping[str, object], having: Iterable[str]) -> Row:
    """Return the lines of values that a tool has under other names.

    Parameters
    ----------
    names : mapping of str to str
        The tool's names -> those of the contract.
    lines : mapping of str to int
        Line by the tool's name.
    having : iterable of str
        Names of the contract of which a row has values.
    """
    there = set(having)
    return {
        LINE_OF[name]: line for own, name in names.items() if name in there and isinstance(line := lines.get(own), int)
    }
