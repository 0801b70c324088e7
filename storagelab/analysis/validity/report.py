"""What a study has to be asked before its numbers are believed, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.digits import printed
from storagelab.analysis.validity import best_of, completeness, consistency, identity, limits, provenance, repeated
from storagelab.analysis.validity.checks import ABOUT, Check, Finding, Looked, Study
from storagelab.errors import AnalysisError

CHECKS: tuple[Check, ...] = (
    Check("origin", "Is one origin stated everywhere?", provenance.one_origin),
    Check("origin in logs", "Do the logs say where they come from?", provenance.said_by_the_logs),
    Check("planned runs", "Is every planned run there?", completeness.planned_runs),
    Check("whole logs", "Are the logs whole, and did their tools end well?", completeness.whole_logs),
    Check("all clients", "Has every measurement all clients of its run?", completeness.all_clients),
    Check("copies", "Is each log there only once?", completeness.same_bytes),
    Check("listed names", "Do path and command of a log name its own client and run?", identity.named_by_the_sidecar),
    Check("names in logs", "Do the logs' own words name their own client?", identity.named_by_the_log),
    Check("rate and time", "Are rates bytes over time?", consistency.rate_and_time),
    Check("link and bytes", "Did the clients' links carry what was asked for?", consistency.link_and_bytes),
    Check("series and bytes", "Do series hold the bytes that their tools say?", consistency.series_and_bytes),
    Check("own link", "Is each client slower than its link?", limits.link_of_a_client),
    Check("all links", "Are all clients slower than the links together?", limits.links_together),
    Check("memory", "Do the files exceed the memory of those who wrote and read them?", limits.memory),
    Check("equal n", "Has each cell as many runs as the cells like it?", repeated.equal_n),
    Check("outliers", "Is each run near the others of its cell?", repeated.apart),
    Check("factors", "Is no run off by a factor of units?", repeated.factors),
    Check("drift", "Did the values stay the same over the campaign?", repeated.steady),
    Check("best of N", "Are values single ones or means, not the best of several?", best_of.only_the_best),
)

NOTHING, FOUND = "nothing found", "found"


def validity(study: xr.DataTree) -> xr.Dataset:
    """Ask a study everything that speaks against believing its numbers; nothing is dropped or changed.

    Parameters
    ----------
    study : DataTree
        A study, as `storagelab.dataset.load` gives it; any of its nodes may be missing.

    Returns
    -------
    Dataset, dimension obs
        One row a check: keys ``check``; ``question``; ``checked``, how many of ``checked_unit``; ``findings``, how
        many (NaN where nothing could be checked); ``worst``, the worst finding in words, with ``log_id``, ``line``
        and ``log_line`` (path:line) where it stands; ``outcome``: "nothing found", "found", or "not checked" and why.
        A check never passes in silence: what it could not look at stands in the outcome too.

    Raises
    ------
    AnalysisError
        If the study does not say its origin.

    See Also
    --------
    validity_findings : All findings, each with its place in the logs.
    """
    return validity_report(study)[0]


def validity_findings(study: xr.DataTree) -> xr.Dataset:
    """List everything that the checks of `validity` find.

    Parameters
    ----------
    study : DataTree
        As for `validity`.

    Returns
    -------
    Dataset, dimension obs
        One row a finding, the worst of a check first: keys ``check``; ``where``, the log, run or cell; run_id, client
        and operation as far as it is about one; ``log_id`` and ``line`` (NaN where no log has it). ``found``, in words;
        ``finding_size`` [1], how far off it is in the measure of its check (NaN where there is no more and less);
        ``log_line`` (path:line). No row where nothing is found.

    Raises
    ------
    AnalysisError
        If the study does not say its origin.
    """
    return validity_report(study)[1]


def validity_report(study: xr.DataTree) -> tuple[xr.Dataset, xr.Dataset]:
    """Ask a study once, and return what `validity` and `validity_findings` say of it.

    Parameters
    ----------
    study : DataTree
        As for `validity`.

    Returns
    -------
    tuple of Dataset
        The checks, and all findings.

    Raises
    ------
    AnalysisError
        If the study does not say its origin.
    """
    seen = Study(study)
    answers = [(check, _asked(check, seen)) for check in CHECKS]
    return _checks(seen, answers), _all_findings(seen, answers)


Answers = Sequence[tuple[Check, Looked | str]]


def _checks(seen: Study, answers: Answers) -> xr.Dataset:
    rows = [_row(check, answer) for check, answer in answers]
    named = [{**row, "log_line": _written(seen, row)} for row in rows]
    return table.dataset(named, _like(seen.tree), ["check"], method="every check on the whole study")


def _all_findings(seen: Study, answers: Answers) -> xr.Dataset:
    found = [(check, asdict(one)) for check, answer in answers for one in _by_size(_findings(answer))]
    rows = [
        {"check": check.name, **one, "finding_size": one["size"], "log_line": _written(seen, one)}
        for check, one in found
    ]
    keys = ["check", "where", *ABOUT, "log_id", "line"]
    names = [*keys, "found", "finding_size", "log_line"]
    table_ = pd.DataFrame(rows, columns=names)
    return table.dataset(table_, _like(seen.tree), keys, method="every check on the whole study")


def _like(study: xr.DataTree) -> xr.Dataset:
    return xr.Dataset(attrs={name: study.attrs[name] for name in table.CARRIED if name in study.attrs})


def _asked(check: Check, study: Study) -> Looked | str:
    """Return what a check saw, or why it could not look."""
    try:
        return check.look(study)
    except AnalysisError as error:
        return str(error)


def _findings(seen: Looked | str) -> Sequence[Finding]:
    return seen.findings if isinstance(seen, Looked) else ()


def _by_size(findings: Sequence[Finding]) -> list[Finding]:
    """Sort the worst first; of equals the first."""
    return sorted(findings, key=lambda one: -printed(one.size) if np.isfinite(one.size) else np.inf)


def _row(check: Check, seen: Looked | str) -> table.Cell:
    asked = {"check": check.name, "question": check.question}
    if isinstance(seen, str):
        return {**asked, **_counts(0, "", np.nan, f"not checked: {seen}"), **_place(None)}
    left = f"; {seen.left}" if seen.left else ""
    word = FOUND if seen.findings else NOTHING
    first = next(iter(_by_size(seen.findings)), None)
    return {**asked, **_counts(seen.checked, seen.unit, float(len(seen.findings)), word + left), **_place(first)}


def _counts(checked: int, unit: str, findings: float, outcome: str) -> table.Cell:
    return {"checked": float(checked), "checked_unit": unit, "findings": findings, "outcome": outcome}


def _place(finding: Finding | None) -> table.Cell:
    if finding is None:
        return {"worst": "", "log_id": np.nan, "line": np.nan}
    return {"worst": f"{finding.where}: {finding.found}", "log_id": finding.log_id, "line": finding.line}


def _written(study: Study, found: table.Cell) -> str:
    """Write the place of a finding as log:line."""
    if not (np.isfinite(found["log_id"]) and study.has("logs")):
        return ""
    log = study.log_names[found["log_id"]]
    return f"{log}:{found['line']:g}" if np.isfinite(found["line"]) else log
