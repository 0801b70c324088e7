"""Text of ``rrdtool info``: the head of a round-robin database, a line a property.

Printed by rrd_info.c. Measured in it is only what was written last (``ds[sum].last_ds = "389.65"``), at
``last_update``. Where the file is one of Ganglia's (``bytes_in.rrd`` with the data source ``sum``) its name says which
metric that is, in gmond's own unit. There is no end mark; a last line without its newline is not trusted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.ganglia import metrics
from storagelab.parsers.ganglia.samples import Series, columns, reading
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.text import utc

CHECKS = Checks(
    together=(words(".type =", ".minimal_heartbeat =", ".last_ds =", ".unknown_sec ="),),
    lacking_samples="steps whose value is not known are left out",
)

FORMAT = Format(
    "rrd-info",
    "rrdtool",
    "1.7",
    "last update of a round-robin database",
    "rrdinfo(1), rrd_info.c",
    marks=(
        "rrd",
        "ds",
    ),
    opens=(
        "rrd_version = ",
        "].last_ds = ",
    ),
    checks=CHECKS,
)

_PROPERTY = re.compile(
    r'(?:^|\s)(filename|last_update|ds\[(\w{1,19})\]\.(?:last_ds|type)) = (?:"([^"]*)"|(\d+))\'{0,3}$'
)

_SOURCE = re.compile(r"(?:^|\s)(ds\[\w{1,19}\])\.\w+ = ")


def sniff(head: str) -> bool:
    """Whether the first properties, or those of a data source, stand here."""
    return ("rrd_version = " in head and "filename = " in head) or "].last_ds = " in head


def parse(text: str) -> Parsed:
    """Read the last update of every data source into `series`.

    Raises
    ------
    ParseError
        If there is no time of the last update, or no value of a data source.
    """
    parsed = Parsed({"tool": "rrdtool"})
    *lines, rest = text.split("\n")
    found = {match[1]: (match, number) for number, line in enumerate(lines, 1) if (match := _PROPERTY.search(line))}
    parsed.cut_line(rest, len(lines) + 1)
    sources = {match[1]: number for number, line in enumerate(lines, 1) if (match := _SOURCE.search(line))}
    for source in [name for name in sources if f"{name}.last_ds" not in found]:
        parsed.incomplete(f"{source}.last_ds is missing", sources[source])
    file = _text(found, "filename")
    updated = float(found["last_update"][0][4] or "nan") if "last_update" in found else math.nan
    if math.isnan(updated):
        parsed.incomplete("last_update is missing: when the values were written is not known")
    samples = [_sample(match, number, file, found, updated, parsed) for match, number in found.values() if match[2]]
    parsed.header |= {"started": utc(updated)} if utc(updated) else {}
    parsed.header |= {"file": file} if file else {}
    parsed.series = columns(samples, updated)
    if not parsed.series:
        raise refusal("a property ds[name].last_ds with a number", text)
    return parsed


_Properties = Mapping[str, tuple[re.Match[str], int]]
"""Properties by their names, each with its line."""


def _text(found: _Properties, name: str) -> str:
    """Return what stands in quotes behind a name; "" where nothing does."""
    return (found[name][0][3] or "") if name in found else ""


def _sample(
    match: re.Match[str],
    line: int,
    file: str,
    found: _Properties,
    updated: float,
    parsed: Parsed,
) -> Series:
    kind = _text(found, f"ds[{match[2]}].type")
    metric = PurePosixPath(file).stem
    if match[2] == "sum" and kind == "GAUGE" and metrics.is_known(metric):
        keys, name, factor = metrics.reading(metric)
    else:
        keys, name, factor = metrics.Reading({"operation": "", "metric": match[2], "unit": ""}, "value", 1.0)
    series = Series(keys | {"label": kind, "statistic": "single"}, name, factor)
    if match[1].endswith(".last_ds"):
        try:
            series.add(updated, reading(match[3] or ""), line)
        except ValueError:
            parsed.incomplete("the last value of a data source is no number", line)
    return series
