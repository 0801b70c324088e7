"""Logs that hold the same numbers: a copy whose date or name was changed has other bytes, but the same digits.

The digits of all measured numbers of a log, without their power of ten, are its fingerprint. Two logs of a tool that
prints few digits may have the same one by chance; how often single numbers of different logs agree says how probable
that is.

Source: S. Simonsohn, "Just post it: the lesson from two cases of fabricated data detected by statistics alone"
(Psychological Science 2013), for numbers that coincide too often; the chance is that of all pairs of logs of a kind.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from storagelab.analysis.cells import Floats, Rows
from storagelab.analysis.inference.processor_independent import exp, log
from storagelab.analysis.key_codes import Array, array
from storagelab.analysis.validity.checks import Finding, Looked, Study, once
from storagelab.analysis.validity.measured_values import measured_names, rows_of_logs
from storagelab.errors import AnalysisError

FEWEST = 3
"""Different numbers that a fingerprint needs."""

DIGITS = 4
"""Digits below which a number says nothing of where it comes from."""

INDEPENDENT = 0.75
"""Power to which the chance of all numbers is taken, as they depend on each other."""

SAME = 1e-4
"""Range of a logarithm below which two numbers are one: tools round both."""

CHANCE = 0.01
"""Pairs of logs with one fingerprint that chance may make in the whole study."""


def same_numbers(study: Study) -> Looked:
    """Find logs with the same digits in all of their measured numbers."""
    prints = _fingerprints(study)
    told = prints.take(prints["numbers"] >= FEWEST)
    same = told.take(told["chance"] < CHANCE).cells(["kind", "digits"])
    by_first_log = sorted(np.flatnonzero(same.size > 1).tolist(), key=lambda place: same.order[same.starts[place]])
    found = [_finding(study, same.part(place)) for place in by_first_log]
    few = len(prints) - len(told)
    return Looked(
        len(told), "logs", found, f"{few} logs have fewer than {FEWEST} numbers of {DIGITS} digits" * (few > 0)
    )


def telling_logs(study: Study) -> set[float]:
    """Return the logs whose numbers are too many to be those of another log by chance."""
    try:
        prints = _fingerprints(study)
    except AnalysisError:
        return set()
    return set(prints["log_id"][(prints["numbers"] >= FEWEST) & (prints["chance"] < CHANCE)].tolist())


def _finding(study: Study, logs: Rows) -> Finding:
    first, second, *others = logs["log_id"].tolist()
    more = f" and {len(others)} more" if others else ""
    count = int(logs["numbers"][0])
    about = study.log_records.get(second, {})
    found = f"has the same {count} numbers as {study.log_name(first)}{more}"
    run, client = (str(about.get(name, "")) for name in ("run_id", "client"))
    return Finding(study.log_name(second), found, float(count), second, run_id=run, client=client)


@once
def _fingerprints(study: Study) -> Rows:
    """One row a log: its digits as one text, how many numbers they are, and the chance of another log to have them."""
    numbers = _numbers(rows_of_logs(study))
    logs = numbers.cells(["log_id"])
    kinds = [" ".join(dict.fromkeys(what)) for what in logs.slices("what")]
    digits = [" ".join(mantissas) for mantissas in logs.slices("mantissa")]
    prints = logs.results(kind=kinds, digits=digits, numbers=logs.size)
    alike = prints.cells(["kind", "digits"])
    different = prints.take(alike.order[alike.starts])
    agree = _agreement(numbers.take(np.isin(numbers["log_id"], different["log_id"])))
    each = numbers.looked_up(agree, ["what"], ["agree"])["agree"]
    chance = exp(INDEPENDENT * logs.sum_of(log(each)[logs.order]))
    of_kind = different.cells(["kind"])
    n = prints.looked_up(of_kind.results(n=of_kind.size), ["kind"], ["n"])["n"]
    return prints.assign(chance=chance * np.maximum(n * (n - 1) / 2, 1.0))


def _numbers(rows: pd.DataFrame) -> Rows:
    """Every number of every log with enough digits, each of the same digits once a log, in the order of the log."""
    kinds = rows.get("tool", pd.Series("", rows.index)).astype(str) + "/" + rows.get("operation", "")
    parts = [
        Rows({"log_id": own["log_id"], "mantissa": _mantissas(own[name])}, len(own)).assign(
            what=f"{cell['kind']}/{name}"
        )
        for cell, own in Rows.of_frame(rows.assign(kind=kinds)).cells(["kind"])
        for name in _independent(own)
    ]
    none = Rows({name: np.zeros(0) for name in ("log_id", "mantissa", "what")}, 0)
    found = Rows.stacked([none, *parts])
    told = found.take(found["mantissa"] != "")
    once_a_log = told.cells(["log_id", "mantissa"])
    return told.take(np.sort(once_a_log.order[once_a_log.starts])).sorted("log_id", "what", "mantissa")


def _independent(rows: Rows) -> list[str]:
    """Columns of numbers without those that another gives: a rate that is bytes over the time that is printed too."""
    kept: dict[str, np.ndarray] = {}
    for name in measured_names(rows):
        values = rows[name]
        logs = log(np.where(values > 0, values, np.nan))
        if np.isfinite(logs).any() and not any(_derived(logs, other) for other in kept.values()):
            kept[name] = logs
    return list(kept)


def _derived(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether product or ratio of two numbers is the same in all rows."""
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < 2:
        return False
    return bool(min(np.ptp((one + other)[both]), np.ptp((one - other)[both])) < SAME)


def _mantissas(values: Floats) -> Array:
    """Digits of numbers, without their power of ten: "23456" for 2345.6 and 0.23456; "" for fewer than four."""
    written = (f"{value:.9e}"[:11].replace(".", "").rstrip("0") for value in np.abs(values).tolist())
    return array([digits if len(digits) >= DIGITS and digits.isdigit() else "" for digits in written])


def _agreement(numbers: Rows) -> Rows:
    """How often two different logs agree in a number of a kind (``agree``)."""
    times = numbers.cells(["what", "mantissa"])
    m = times.size.astype(np.float64)
    kinds = times.results(numbers=m, alike=m * (m - 1)).cells(["what"])
    n, alike = kinds.sum("numbers"), kinds.sum("alike")
    return kinds.results(agree=np.minimum(1.0, (alike + 2) / (n * (n - 1) + 2)))
