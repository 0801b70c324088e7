"""The line of StorageAccount::summaryText: ``dcap/read=6900/6900/39.6MB/16629ms/0.000768ms/320.6ms; ...``."""

from __future__ import annotations

import re

from storagelab.parsers.cmssw.counters import FACTORS, Number, counter
from storagelab.parsers.model import Parsed, Row

_NUMBER = r"(\?|\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
_COUNTER = re.compile(
    rf"(?<![\w.+-])([A-Za-z][\w.+-]*)/([A-Za-z]\w*)={_NUMBER}/{_NUMBER}/{_NUMBER}MB/{_NUMBER}ms/{_NUMBER}ms/{_NUMBER}ms(?![\w.])"
)
_BEGUN = re.compile(r"(?<![\w.+-])[\w.+-]+/\w+=")
_STATISTICS = ("numOperations", "numSuccessfulOperations", "totalMegabytes", "totalMsecs", "minMsecs", "maxMsecs")


def statistics(line: str, at: int, parsed: Parsed) -> list[Row]:
    """Read the counters of a line; ``?`` stands where nothing was counted."""
    found = _COUNTER.findall(line)
    if len(found) != len(_BEGUN.findall(line)):
        parsed.incomplete("a storage counter that cannot be read", at)
    rows: list[Row | None] = []
    for subsystem, operation, *values in found:
        numbers: dict[str, Number] = {}
        for statistic, value in zip(_STATISTICS, values, strict=True):
            key, factor = FACTORS[statistic]
            if value != "?":
                numbers[key] = Number(float(value) * factor, at)
        rows.append(counter(subsystem, operation, numbers))
    return [row for row in rows if row]
