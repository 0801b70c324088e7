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

from storagelab.analysis.inference.elementary import exp, log
from storagelab.analysis.validity.checks import Finding, Looked, Study, once
from storagelab.analysis.validity.measured import measured_names, rows_of_logs
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
    told = prints[prints["numbers"] >= FEWEST]
    same = told[told.duplicated(["kind", "digits"], keep=False) & (told["chance"] < CHANCE)]
    found = [_finding(study, logs) for _, logs in same.groupby(["kind", "digits"], sort=False)]
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
    return set(prints.loc[(prints["numbers"] >= FEWEST) & (prints["chance"] < CHANCE), "log_id"])


def _finding(study: Study, logs: pd.DataFrame) -> Finding:
    first, second, *others = logs["log_id"]
    more = f" and {len(others)} more" if others else ""
    count = int(logs["numbers"].iloc[0])
    about = study.log_records[second]
    found = f"has the same {count} numbers as {study.log_names[first]}{more}"
    run, client = (str(about.get(name, "")) for name in ("run_id", "client"))
    return Finding(study.log_names[second], found, float(count), float(second), run_id=run, client=client)


@once
def _fingerprints(study: Study) -> pd.DataFrame:
    """One row a log: its digits as one text, how many numbers they are, and the chance of another log to have them."""
    numbers = _numbers(rows_of_logs(study))
    by_log = numbers.groupby("log_id", sort=False)
    logs = by_log.agg(kind=("kind", "first"), digits=("mantissa", " ".join), numbers=("mantissa", "size")).reset_index()
    different = logs[~logs.duplicated(["kind", "digits"])]
    agree = _agreement(numbers[numbers["log_id"].isin(different["log_id"])])
    each = log(numbers["what"].map(agree).fillna(1.0).to_numpy())
    chance = pd.Series(each).groupby(numbers["log_id"].to_numpy()).sum().reindex(logs["log_id"]).to_numpy()
    n = logs["kind"].map(different["kind"].value_counts()).to_numpy(dtype=np.float64)
    return logs.assign(chance=exp(chance * INDEPENDENT) * np.maximum(n * (n - 1) / 2, 1.0))


def _numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """Every number of every log with enough digits, each of the same digits once a log, in the order of the log."""
    kind = rows.get("tool", pd.Series("", rows.index)).astype(str) + "/" + rows.get("operation", "")
    parts = [
        pd.DataFrame({"log_id": own["log_id"], "what": f"{one}/{name}", "mantissa": _mantissas(own[name])})
        for one, own in rows.groupby(kind, sort=True)
        for name in _independent(own)
    ]
    found = pd.concat([pd.DataFrame({"log_id": [], "what": [], "mantissa": []}), *parts])
    found = found[found["mantissa"] != ""].drop_duplicates(["log_id", "mantissa"])
    found = found.sort_values(["log_id", "what", "mantissa"], kind="stable")
    kinds = found.drop_duplicates(["log_id", "what"]).groupby("log_id")["what"].agg(" ".join)
    return found.assign(kind=found["log_id"].map(kinds))


def _independent(rows: pd.DataFrame) -> list[str]:
    """Columns of numbers without those that another gives: a rate that is bytes over the time that is printed too."""
    kept: dict[str, np.ndarray] = {}
    for name in measured_names(rows):
        values = rows[name].to_numpy(dtype=np.float64)
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


def _mantissas(values: pd.Series) -> list[str]:
    """Digits of numbers, without their power of ten: "23456" for 2345.6 and 0.23456; "" for fewer than four."""
    written = (f"{abs(value):.9e}"[:11].replace(".", "").rstrip("0") for value in values.to_numpy(dtype=np.float64))
    return [digits if len(digits) >= DIGITS and digits.isdigit() else "" for digits in written]


def _agreement(numbers: pd.DataFrame) -> dict[str, float]:
    """How often two different logs agree in a number of a kind."""
    times = numbers.groupby(["what", "mantissa"], sort=True).size().groupby("what")
    counts, pairs_alike = times.sum().to_dict(), times.agg(lambda m: float((m * (m - 1)).sum())).to_dict()
    return {str(what): min(1.0, (pairs_alike[what] + 2) / (n * (n - 1) + 2)) for what, n in counts.items()}
