"""IO500's scores held against the results of their phases: geometric means, and of these the root of the product."""

from __future__ import annotations

import math
from collections import defaultdict

from storagelab.parsers.model import Parsed, Row, Value
from storagelab.units import GIB, MIB

_DATA = frozenset(f"ior-{mode}-{operation}" for mode in ("easy", "hard") for operation in ("write", "read"))
_METADATA = frozenset(
    ["find", *(f"mdtest-{mode}-{operation}" for mode in ("easy", "hard") for operation in ("write", "stat", "delete"))]
) | {"mdtest-hard-read"}
_OF = {"throughput": _DATA, "operation_rate": _METADATA}
_CLOSE = 1e-3
"""How far a score may be from its results: the first versions print three or four digits."""


def hold(parsed: Parsed) -> None:
    """Mark a log incomplete whose scores do not follow from its results; what lacks a phase is not held."""
    parts = defaultdict[Value, list[Row]](list)
    for row in parsed.runs:
        parts[row.get("part", 1.0)].append(row)
    for rows in parts.values():
        for score in (row for row in rows if row["operation"] == "score"):
            _hold_total(parsed, score)
            for name, phases in _OF.items():
                if score.get("job") == "SCORE":
                    _hold_mean(parsed, score, name, [row for row in rows if _phase(row) in phases and name in row])


def _phase(row: Row) -> str:
    return str(row.get("job", "")).replace("_", "-")


def _hold_total(parsed: Parsed, score: Row) -> None:
    """Hold a score against its two parts: the root of their product, in 2017 the product, once of MiB/s and 1/s."""
    if not {"score", "throughput", "operation_rate"} <= score.keys():
        return
    product = float(score["throughput"]) / GIB * float(score["operation_rate"]) / 1e3
    totals = math.sqrt(product), product, product * GIB / MIB * 1e3
    if not any(math.isclose(float(score["score"]), total, rel_tol=_CLOSE) for total in totals):
        said = f"expected a score of {math.sqrt(product):.6g} = sqrt({product:.6g}), found {float(score['score']):.6g}"
        parsed.incomplete(said, int(score["line"]))


def _hold_mean(parsed: Parsed, score: Row, name: str, results: list[Row]) -> None:
    values = [float(row[name]) for row in results]
    if {_phase(row) for row in results} != _OF[name] or len(results) != len(_OF[name]) or min(values) <= 0:
        return
    mean = math.exp(sum(map(math.log, values)) / len(values))
    if name in score and not math.isclose(float(score[name]), mean, rel_tol=_CLOSE):
        said = f"expected a mean {name} of all phases of {mean:.6g}, found {float(score[name]):.6g}"
        parsed.incomplete(said, int(score["line"]))
