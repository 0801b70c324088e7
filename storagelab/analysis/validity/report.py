"""What a study has to be asked before its numbers are believed, all at once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import xarray as xr

from storagelab import dataset
from storagelab.analysis import table
from storagelab.analysis.validity import (
    best_of,
    bytes_and_time,
    bytes_over_links,
    completeness,
    finding_ranks,
    limits,
    mislabelled_logs,
    provenance,
    repetitions,
)
from storagelab.analysis.validity.bumps import bumps
from storagelab.analysis.validity.checks import ABOUT, RANKS, Check, Finding, Looked, Study
from storagelab.analysis.validity.clock_resolution import clock_steps
from storagelab.analysis.validity.counter_resets import counters_rise
from storagelab.analysis.validity.interleaving import interleaving
from storagelab.analysis.validity.outlying_link_bytes import moved_bytes
from storagelab.analysis.validity.overlapping_runs import overlapping
from storagelab.analysis.validity.rounded_rates import heaping
from storagelab.analysis.validity.same_numbers import same_numbers
from storagelab.analysis.validity.shifted_rounds import rounds
from storagelab.analysis.validity.simultaneous_clients import together
from storagelab.analysis.validity.slow_clients import members
from storagelab.analysis.validity.start_times import clocks
from storagelab.analysis.validity.too_similar import alike
from storagelab.analysis.validity.tool_options import same_options
from storagelab.errors import AnalysisError, UnknownNameError

CHECKS: tuple[Check, ...] = (
    Check("origin", "Is one origin stated everywhere?", provenance.one_origin, "wrong"),
    Check("origin in logs", "Do the logs say where they come from?", provenance.said_by_the_logs, "wrong"),
    Check("planned runs", "Is every planned run there?", completeness.planned_runs),
    Check("whole logs", "Are the logs whole, and did their tools end well?", completeness.whole_logs),
    Check("all clients", "Has every measurement all clients of its run?", completeness.all_clients),
    Check("copies", "Is each log there only once?", completeness.same_bytes),
    Check("same numbers", "Does no log hold the numbers of another one?", same_numbers, "wrong"),
    Check("counters", "Do the counters of each client rise from run to run?", counters_rise),
    Check("clocks", "Did logs begin, by their own clocks, when they are listed to have begun?", clocks),
    Check("together", "Did the clients of each run ever run all at once?", together),
    Check("overlap", "Had each run ended before the next one began?", overlapping),
    Check(
        "listed names",
        "Do path and command of a log name its own client and run?",
        mislabelled_logs.named_by_the_sidecar,
        "wrong",
    ),
    Check("names in logs", "Do the logs' own words name their own client?", mislabelled_logs.named_by_the_log, "wrong"),
    Check("rate and time", "Are rates bytes over time?", bytes_and_time.rate_and_time),
    Check("clock steps", "Are rates bytes over times that the tool's clock can show?", clock_steps, "wrong"),
    Check("whole rates", "Do rates have the digits that the tool prints?", heaping),
    Check("link and bytes", "Did the clients' links carry what was asked for?", bytes_over_links.link_and_bytes),
    Check("link and repeats", "Did the clients' links carry the same in each repeat?", moved_bytes),
    Check("series and bytes", "Do series hold the bytes that their tools say?", bytes_and_time.series_and_bytes),
    Check("own link", "Is each client slower than its link?", limits.link_of_a_client),
    Check("all links", "Are all clients slower than the links together?", limits.links_together),
    Check("memory", "Do the files exceed the memory of those who wrote and read them?", limits.memory, "note"),
    Check("equal n", "Has each cell as many runs as the cells like it?", repetitions.equal_n, "note"),
    Check("options", "Were the runs of each cell made with the same options?", same_options),
    Check("outliers", "Is each run near the others of its cell?", repetitions.apart),
    Check("factors", "Is no run off by a factor of units?", repetitions.factors, "wrong"),
    Check("rounds", "Is no repeat apart from the others as a whole?", rounds),
    Check("clients", "Is no client slower or faster than the others everywhere?", members),
    Check("spread", "Do repeats differ as much as those of the rest of the campaign?", alike),
    Check("order", "Were the levels of each factor run among each other?", interleaving),
    Check("drift", "Did the values stay the same over the campaign?", repetitions.steady),
    Check("bumps", "Were values the same throughout the campaign?", bumps),
    Check("best of N", "Are values single ones or means, not the best of several?", best_of.only_the_best, "note"),
)

NAMES = tuple(check.name for check in CHECKS)
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
        many (NaN where nothing could be checked), and of each rank ``findings_wrong``, ``findings_doubtful``,
        ``findings_note``, ``findings_known``; ``worst``, the worst finding in words, with its ``finding_rank``,
        ``log_id``, ``line`` and ``log_line`` (path:line); ``outcome``: "nothing found", "found", or "not checked" and
        why.
        A check never passes in silence: what it could not look at stands in the outcome too.

    Raises
    ------
    AnalysisError
        If the study does not say its origin.
    UnknownNameError
        If the study expects findings of a check that there is not.

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
        One row a finding, the worst of a check first: keys ``check``; ``finding_rank`` (wrong, doubtful, note, or
        known: the study itself says it, in `expected` of study.yaml); ``cause``, what it shares with the others of
        its line in `validity_lines`; ``where``, the log, run or cell; run_id, client and operation as far as it is
        about one; ``log_id`` and ``line`` (NaN where no log has it). ``found``, in words;
        ``finding_size`` [1], how far off it is in the measure of its check (NaN where there is no more and less);
        ``log_line`` (path:line). No row where nothing is found.

    Raises
    ------
    AnalysisError
        If the study does not say its origin.
    UnknownNameError
        If the study expects findings of a check that there is not.
    """
    return validity_report(study)[1]


def validity_lines(findings: xr.Dataset) -> xr.Dataset:
    """Tell findings of one kind and cause as one line, the worst rank first: what a reader should see.

    Parameters
    ----------
    findings : Dataset, dimension obs
        As `validity_findings` returns them. None of them is lost: each is counted in one line.

    Returns
    -------
    Dataset, dimension obs
        One row a check, rank and cause: keys of the worst finding among them, as an example; ``found``,
        ``finding_size``, ``log_line`` of it; ``alike`` [1], how many findings the line stands for; ``line_text``, the
        line.

    Raises
    ------
    AnalysisError
        If the dataset has no findings' columns, or does not say its origin.

    Examples
    --------
    >>> lines = validity_lines(validity_findings(study))  # doctest: +SKIP
    >>> lines["line_text"].values[:3]  # doctest: +SKIP
    """
    table.require(findings, "check", "finding_rank", "cause", "where", "found")
    rows = dataset.frame(table.validate(findings, empty=True))
    method = "findings of one check, rank and cause as one"
    return table.dataset(finding_ranks.lines(rows), findings, [*map(str, findings.coords)], method=method)


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
    UnknownNameError
        If the study expects findings of a check that there is not.
    """
    if not isinstance(study, xr.DataTree):
        kind = type(study).__name__
        raise AnalysisError(f"validity is asked of a whole study, as open_study and open_logs give it, not of a {kind}")
    seen = Study(study)
    said = finding_ranks.expected(seen)
    if unknown := [one.check for one in said if one.check not in NAMES]:
        raise UnknownNameError("check in `expected` of study.yaml", unknown[0], NAMES)
    with warnings.catch_warnings():  # pandas warns of frames of over a hundred columns of text, however they were made
        warnings.simplefilter("ignore", pd.errors.PerformanceWarning)
        answers = [(check, _ranked(check, _asked(check, seen), seen, said)) for check in CHECKS]
    return _checks(seen, answers), _all_findings(seen, answers)


Answers = Sequence[tuple[Check, Looked | str]]


def _checks(seen: Study, answers: Answers) -> xr.Dataset:
    rows = [_row(check, answer) for check, answer in answers]
    named = [{**row, "log_line": _written(seen, row)} for row in rows]
    return table.dataset(named, _like(seen.tree), ["check"], method="every check on the whole study")


def _all_findings(seen: Study, answers: Answers) -> xr.Dataset:
    rows = [_finding_row(check, one, seen) for check, answer in answers for one in _findings(answer)]
    keys = ["check", "finding_rank", "cause", "where", *ABOUT, "log_id", "line"]
    names = [*keys, "found", "finding_size", "log_line"]
    table_ = pd.DataFrame(rows, columns=names)
    return table.dataset(table_, _like(seen.tree), keys, method="every check on the whole study")


def _finding_row(check: Check, found: Finding, seen: Study) -> table.Cell:
    row = {one.name: getattr(found, one.name) for one in fields(found)}
    named = {"check": check.name, "finding_rank": found.rank, "finding_size": found.size}
    return {**row, **named, "log_line": _written(seen, row)}


def _like(study: xr.DataTree) -> xr.Dataset:
    return xr.Dataset(attrs={name: study.attrs[name] for name in table.CARRIED if name in study.attrs})


def _ranked(check: Check, answer: Looked | str, seen: Study, said: Sequence[finding_ranks.Expected]) -> Looked | str:
    if isinstance(answer, str):
        return answer
    return replace(answer, findings=finding_ranks.ranked(check, answer.findings, seen, said))


def _findings(answer: Looked | str) -> Sequence[Finding]:
    return answer.findings if isinstance(answer, Looked) else ()


def _asked(check: Check, study: Study) -> Looked | str:
    """Return what a check saw, or why it could not look."""
    try:
        return check.look(study)
    except AnalysisError as error:
        return str(error)


def _row(check: Check, seen: Looked | str) -> table.Cell:
    asked = {"check": check.name, "question": check.question}
    if isinstance(seen, str):
        return {**asked, **_counts(0, "", None, f"not checked: {seen}"), **_place(None)}
    left = f"; {seen.left}" if seen.left else ""
    word = FOUND if seen.findings else NOTHING
    return {
        **asked,
        **_counts(seen.checked, seen.unit, seen.findings, word + left),
        **_place(next(iter(seen.findings), None)),
    }


def _counts(checked: int, unit: str, findings: Sequence[Finding] | None, outcome: str) -> table.Cell:
    """Count findings, and those of each rank; NaN where nothing could be checked."""
    known = findings is not None
    of_rank = {f"findings_{rank}": float(sum(one.rank == rank for one in findings or ())) for rank in RANKS}
    counted = {"findings": float(len(findings or ())), **of_rank}
    shown = counted if known else dict.fromkeys(counted, np.nan)
    return {"checked": float(checked), "checked_unit": unit, **shown, "outcome": outcome}


def _place(finding: Finding | None) -> table.Cell:
    if finding is None:
        return {"finding_rank": "", "worst": "", "log_id": np.nan, "line": np.nan}
    said = f"{finding.where}: {finding.found}"
    return {"finding_rank": finding.rank, "worst": said, "log_id": finding.log_id, "line": finding.line}


def _written(study: Study, found: table.Cell) -> str:
    """Write the place of a finding as log:line; of a log that the study no longer lists nothing is known."""
    if not study.has("logs") or not (log := study.log_names.get(found["log_id"], "")):
        return ""
    return f"{log}:{found['line']:g}" if np.isfinite(found["line"]) else log
