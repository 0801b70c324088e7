"""The XML of ``rrdtool dump``: one metric of one host in the round-robin database that Ganglia's gmetad keeps of it.

Format: rrdtool, src/rrd_dump.c, version 0003 as rrdtool 1.4 prints it. gmetad's source of a host is ``sum``; that of a
cluster has ``num``, the count of hosts, beside it. The defects that come with it:

- the dump names neither the metric nor its unit: values are as gmond sends them (``bytes_in`` in B/s, ``mem_free`` in
  KB of 1024 B), and the name of the file says what they are;
- a row stands at the end of its step, on a multiple of the step, however the samples came;
- 15 s are kept for an hour only, everything older as means over longer steps: peaks are gone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from storagelab.errors import ReconstructError
from storagelab.reconstruct.log import MARK
from storagelab.reconstruct.writers import printable

_FUNCTIONS = {"mean": "AVERAGE", "min": "MIN", "max": "MAX", "single": "LAST"}
Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive: rows in the order of time, each of `per_row` steps, with a value a source; NaN is no data."""

    values: Rows
    per_row: int = 1
    statistic: Literal["mean", "min", "max", "single"] = "mean"


@dataclass(frozen=True, slots=True)
class Dump:
    """A round-robin database.

    Attributes
    ----------
    updated : float
        Seconds since 1970 of the last update; whole. The last row of each archive ends at or before it.
    archives : tuple of Archive
        At least one, with at least one row.
    last : tuple of float
        The last value of each source.
    sources : tuple of str
        Names of the data sources.
    step : float
        Seconds of a step; whole.
    """

    updated: float
    archives: tuple[Archive, ...]
    last: tuple[float, ...]
    sources: tuple[str, ...] = ("sum",)
    step: float = 15.0


def render(log: Dump) -> str:
    """Return the dump, with a comment in front of its own.

    Raises
    ------
    ReconstructError
        If there is no row, rows do not fit the sources, or a value is infinite.
    """
    step, updated = _hold(log)
    head = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<!DOCTYPE rrd SYSTEM "http://oss.oetiker.ch/rrdtool/rrdtool.dtd">\n'
        f"<!-- {MARK} -->\n<!-- Round Robin Database Dump -->"
    )
    body = "".join(_source(*source) for source in zip(log.sources, log.last, strict=True))
    archives = "".join(_archive(archive, step, updated) for archive in log.archives)
    return (
        f"{head}<rrd>\n\t<version>0003</version>\n\t<step>{step}</step> <!-- Seconds -->\n"
        f"\t<lastupdate>{updated}</lastupdate> <!-- {_date(updated)} -->\n\n"
        f"{body}\t<!-- Round Robin Archives -->\n{archives}</rrd>\n"
    )


def _hold(log: Dump) -> tuple[int, int]:
    """Return the step and the last update, and refuse what does not fit together."""
    step = printable.whole("step", printable.positive("step", log.step))
    if not log.archives or not all(archive.values for archive in log.archives):
        raise ReconstructError("archives: expected at least one, each with a row, found none")
    if len(log.last) != len(log.sources):
        raise ReconstructError(f"last: expected a value for each of {log.sources}, found {len(log.last)}")
    rows = (row for archive in log.archives for row in archive.values)
    if wrong := next((row for row in rows if len(row) != len(log.sources) or any(map(math.isinf, row))), None):
        raise ReconstructError(f"values: expected {len(log.sources)} numbers a row, none infinite, found {wrong}")
    return step, printable.whole("updated", log.updated, 2**40)


def _source(name: str, last: float) -> str:
    value = f"{printable.amount('last', last):.2f}"
    return (
        f"\t<ds>\n\t\t<name> {printable.word('sources', name)} </name>\n\t\t<type> GAUGE </type>\n"
        "\t\t<minimal_heartbeat>120</minimal_heartbeat>\n\t\t<min>NaN</min>\n\t\t<max>NaN</max>\n\n"
        f"\t\t<!-- PDP Status -->\n\t\t<last_ds>{value}</last_ds>\n\t\t<value>0.0000000000e+00</value>\n"
        "\t\t<unknown_sec> 0 </unknown_sec>\n\t</ds>\n\n"
    )


def _archive(archive: Archive, step: int, updated: int) -> str:
    width = step * printable.whole("per_row", printable.positive("per_row", archive.per_row))
    preparation = "".join(
        f"\t\t\t<ds>\n\t\t\t<primary_value>{_value(value)}</primary_value>\n"
        "\t\t\t<secondary_value>0.0000000000e+00</secondary_value>\n"
        "\t\t\t<value>NaN</value>\n\t\t\t<unknown_datapoints>0</unknown_datapoints>\n\t\t\t</ds>\n"
        for value in archive.values[-1]
    )
    return (
        f"\t<rra>\n\t\t<cf>{_FUNCTIONS[archive.statistic]}</cf>\n"
        f"\t\t<pdp_per_row>{archive.per_row}</pdp_per_row> <!-- {width} seconds -->\n\n"
        "\t\t<params>\n\t\t<xff>5.0000000000e-01</xff>\n\t\t</params>\n"
        f"\t\t<cdp_prep>\n{preparation}\t\t</cdp_prep>\n"
        f"\t\t<database>\n{''.join(_rows(archive, width, updated))}\t\t</database>\n\t</rra>\n"
    )


def _rows(archive: Archive, width: int, updated: int) -> Iterator[str]:
    first = updated - updated % width - width * (len(archive.values) - 1)
    for ordinal, row in enumerate(archive.values):
        end = first + width * ordinal
        cells = "".join(f"<v>{_value(value)}</v>" for value in row)
        yield f"\t\t\t<!-- {_date(end)} / {end} --> <row>{cells}</row>\n"


def _value(value: float) -> str:
    return "NaN" if math.isnan(value) else f"{value:.10e}"


def _date(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
