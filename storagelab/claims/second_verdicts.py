"""Second verdicts: what measured campaigns say of a paper's claims, an answer a number and one verdict a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.verdicts.verdicts import NOT_SUPPORTED, SUPPORTED, verdict_alone
from storagelab.claims.claim_evaluation import NUMBERS, UNDECIDED, WORDS, decided, numbers_of
from storagelab.claims.claims_yaml_entries import Entry, Second
from storagelab.claims.evidence import flip
from storagelab.claims.number_evaluation import as_stated, lines_behind, take
from storagelab.claims.number_sources import SourcesFile
from storagelab.claims.quoted_numbers import Level, Quotation, quotation, refuse_level, refuse_sum, refuse_units
from storagelab.claims.record import Record, Row
from storagelab.errors import StoragelabError
from storagelab.study.sidecar_numbers import Quantity

REPLICATED, NOT_REPLICATED, NOT_COMPARABLE = "replicated", "not replicated", "not comparable"
MIXED = "mixed"
"""Verdict on a claim of which one answer is replicated and another is not."""
VERDICTS = (REPLICATED, NOT_REPLICATED, MIXED, UNDECIDED, NOT_COMPARABLE)
DISTANCES = ("same sign only", "same mechanism", "same quantity")
"""How far what was measured is from what a claim speaks of, the furthest first."""
RUNS = ("run_lowest", "run_highest")
"""Ends of the runs behind a number that has no interval: where they lie on both sides of a line nothing is decided."""
_SECOND = {SUPPORTED: REPLICATED, NOT_SUPPORTED: NOT_REPLICATED}


def measured(claims: Sequence[Entry], studies: Mapping[str, xr.DataTree], sources: SourcesFile) -> list[Row]:
    """Judge claims a second time, on campaigns that were measured.

    Parameters
    ----------
    claims : sequence of Entry
    studies : mapping of str to DataTree
        Datasets of the campaigns, by name.
    sources : SourcesFile
        What the papers of the campaigns say of their own numbers.

    Returns
    -------
    list of rows
        One a claim and quantity of a campaign: replicated, not replicated, undecided (by the 95 % interval, or where
        there is none by the lowest and the highest run) or not comparable (a number may stand beside it), and why;
        ``distance`` from the claim, ``flip`` (the value at which the verdict would be another, in SI), and what the
        number carries along from its source.

    Raises
    ------
    StoragelabError
        If a campaign is not there, is not measured, a quantity cannot be taken, or its source refuses to be quoted so;
        says all that is wrong.
    """
    rows, wrong = [], []
    for entry, second in _seconds(claims):
        try:
            rows.append(_row(entry, second, studies, sources))
        except StoragelabError as error:
            wrong.append(f"{entry.id} @ {second.study}: {error}")
    if wrong:
        raise StoragelabError("\n".join(wrong))
    return rows


def _seconds(claims: Sequence[Entry]) -> Iterator[tuple[Entry, Second]]:
    for entry in claims:
        for second in entry.measured:
            yield entry, second


def _row(entry: Entry, second: Second, studies: Mapping[str, xr.DataTree], sources: SourcesFile) -> Row:
    said = {"claim": entry.id, "study": second.study, "statement": entry.statement, "because": second.because}
    if second.study not in studies:
        raise StoragelabError(f"no dataset of {second.study}, only of {', '.join(studies)}")
    if not isinstance(second.quantity, Quantity):
        return {**said, **_nothing()}
    tree = studies[second.study]
    like = next(iter(tree.children.values())).to_dataset()
    if table.origin(like) != "measured":
        raise StoragelabError(f"{second.study} is {table.origin(like)}: a second verdict needs measured logs")
    judged = _judged(entry, second, second.quantity, tree)
    verdict = _second(judged, _in_errors(entry, second))
    carried = _allowed(entry, second, second.quantity, tree, sources, float(judged["n"]), verdict)
    stated = second if second.stated is not None else entry
    beside = {} if second.comparable else {"verdict": NOT_COMPARABLE, "distance": "", "flip": np.nan}
    return {
        **said,
        "stated": str(stated.stated or second.level or entry.level),
        "printed_unit": stated.stated.unit if stated.stated else "1",
        **numbers_of(judged),
        **_runs(judged),
        "verdict": verdict,
        "distance": second.distance,
        "flip": flip(numbers_of(judged)),
        **{name: word for name, word in carried.words().items() if name != "verdict"},
        "demands": carried.demands(sources, second.study),
        "trace": lines_behind(second.quantity, tree, second.study),
        **beside,
    }


def _nothing() -> dict[str, Any]:
    numbers = dict.fromkeys((*NUMBERS, "p_outside", "p_outside_holm"), np.nan) | dict.fromkeys(WORDS, "")
    words = dict.fromkeys(("stated", "distance", "unit_of_repetition", "aggregate", "selection", "changes"), "")
    return {
        **words,
        "printed_unit": "1",
        **numbers,
        **dict.fromkeys(RUNS, np.nan),
        "verdict": NOT_COMPARABLE,
        "flip": np.nan,
        "demands": [],
        "trace": {},
    }


def _judged(entry: Entry, second: Second, quantity: Quantity, tree: xr.DataTree) -> dict[str, float | str]:
    claim = entry.claim(second)
    found = as_stated(take(quantity, tree, claim.id))
    alone = np.isnan([found.low, found.high]).all()
    runs = found.runs if alone else (np.nan, np.nan)
    return verdict_alone(claim, found.row(claim.id)) | dict(zip(RUNS, runs, strict=True))


def _runs(judged: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(judged[name]) for name in RUNS}


def _in_errors(entry: Entry, second: Second) -> bool:
    return entry.claim(second).tolerance.kind == "z"


def _second(judged: Mapping[str, Any], in_errors: bool) -> str:
    low, high = _runs(judged).values()
    verdict = decided(str(judged["verdict"]), judged, in_errors, (low, high))
    return verdict if verdict == UNDECIDED else _SECOND.get(verdict, NOT_COMPARABLE)


def _answer(quantity: Quantity, entry: Entry, second: Second, tree: xr.DataTree) -> str:
    return _second(_judged(entry, second, quantity, tree), _in_errors(entry, second))


def _allowed(
    entry: Entry, second: Second, quantity: Quantity, tree: xr.DataTree, sources: SourcesFile, n: float, verdict: str
) -> Quotation:
    """What the number carries along, once its source allows that it is quoted so."""
    source = sources.of(second.study)
    if not second.warns:
        refuse_sum(quantity, tree, second.study, source)
    refuse_units(quantity, tree, second.study, source, n)
    carried = quotation(quantity, tree, source, partial(_answer, entry=entry, second=second, tree=tree), verdict)
    if not second.comparable:
        return replace(carried, verdict="", changes={})
    refuse_level(carried.changes, list(second.only), partial(_asked_as_well, entry, second.study))
    return carried


def _asked_as_well(entry: Entry, study: str, key: str, level: Level) -> bool:
    given = [
        {**each.quantity.where, **each.quantity.at}.get(key)
        for each in entry.measured
        if each.study == study and isinstance(each.quantity, Quantity)
    ]
    return level in given


def of_claim(answers: Iterable[str]) -> str:
    """Return the one verdict on a claim from its answers.

    Answers that could not be asked count only where there are no others. All alike give that verdict; one that is
    replicated beside one that is not is mixed; anything else leaves the claim undecided.
    """
    found = set(answers) - {NOT_COMPARABLE}
    if len(found) < 2:
        return found.pop() if found else NOT_COMPARABLE
    return MIXED if {REPLICATED, NOT_REPLICATED} <= found else UNDECIDED


def claim_verdicts(rows: Iterable[Row]) -> list[Row]:
    """Put the answers to each claim together: one verdict a claim.

    Parameters
    ----------
    rows : iterable of rows
        Of `measured`.

    Returns
    -------
    list of rows
        One a claim, in their order: claim, statement, verdict, distance (of its furthest answer, "" where none could be
        asked), answers (its rows).
    """
    of: dict[str, list[Row]] = {}
    for row in rows:
        of.setdefault(str(row["claim"]), []).append(row)
    return [
        {
            "claim": claim,
            "statement": answers[0]["statement"],
            "verdict": of_claim(str(row["verdict"]) for row in answers),
            "distance": furthest(str(row.get("distance", "")) for row in answers),
            "answers": answers,
        }
        for claim, answers in of.items()
    ]


def furthest(distances: Iterable[str]) -> str:
    """Return the furthest of several distances, "" where there is none."""
    said = set(distances)
    return next((distance for distance in DISTANCES if distance in said), "")


def replication_table(records: Iterable[Record], *verdicts: str) -> pd.DataFrame:
    """Lay out what measured campaigns say of the claims of papers: a row a claim, the furthest analogues first.

    Parameters
    ----------
    records : iterable of Record
    *verdicts : str
        Only claims with one of these verdicts, such as "replicated".

    Returns
    -------
    DataFrame
        Columns claim, statement, campaign, distance, verdict, answers (each number with its interval, where it would
        flip, and its verdict), because; all of it was measured.
    """
    claims = [row for record in records for row in claim_verdicts(record.measured)]
    kept = [row for row in claims if not verdicts or row["verdict"] in verdicts]
    order = {distance: place for place, distance in enumerate((*DISTANCES, ""))}
    columns = ["claim", "statement", "campaign", "distance", "verdict", "answers", "because"]
    lines = [_line(row) for row in sorted(kept, key=lambda row: order[row["distance"]])]
    shown = pd.DataFrame(lines, columns=columns)
    shown.attrs["origin"] = "measured"
    return shown


def _line(row: Row) -> dict[str, str]:
    answers = row["answers"]
    return {
        "claim": str(row["claim"]),
        "statement": str(row["statement"]),
        "campaign": ", ".join(dict.fromkeys(str(each["study"]) for each in answers)),
        "distance": str(row["distance"]),
        "verdict": str(row["verdict"]),
        "answers": "; ".join(filter(None, map(_answered, answers))),
        "because": " ".join(str(each["because"]) for each in answers),
    }


def _answered(row: Row) -> str:
    """Write an answer: "0.81 (0.62 to 1.07), flips at 0.9, layout distribute: undecided"."""
    if row["verdict"] == NOT_COMPARABLE:
        return ""
    number = row["level"] or f"{_digits(row['value'])}{_interval(row)}"
    flips = f", flips at {_digits(row['flip'])}" if math.isfinite(row["flip"]) else ""
    where = f", {row['selection']}" if row["selection"] else ""
    return f"{number}{flips}{where}: {row['verdict']}"


def _interval(row: Row) -> str:
    for low, high, what in (("value_low", "value_high", ""), (*RUNS, "runs ")):
        if math.isfinite(row[low]) and math.isfinite(row[high]):
            return f" ({what}{_digits(row[low])} to {_digits(row[high])})"
    return ""


def _digits(value: float) -> str:
    return f"{value:.3g}"


def tally(records: Iterable[Record]) -> dict[str, int]:
    """Count claims by the verdict of measured campaigns, those that were asked, and answers.

    Returns
    -------
    dict
        replicated, not_replicated, mixed, undecided, not_comparable (claims), asked (claims with a number), questioned
        (claims in all), answers (numbers).
    """
    rows = [row for record in records for row in claim_verdicts(record.measured)]
    words = [str(row["verdict"]) for row in rows]
    asked = [each for row in rows for each in row["answers"] if each["verdict"] != NOT_COMPARABLE]
    counted = {verdict.replace(" ", "_"): words.count(verdict) for verdict in VERDICTS}
    return {**counted, "questioned": len(rows), "asked": len(rows) - words.count(NOT_COMPARABLE), "answers": len(asked)}
