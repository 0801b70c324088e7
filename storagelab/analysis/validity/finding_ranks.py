"""Which findings a reader sees first: ranked, told as one where they have one cause, and known where the study says so.

Nothing is left out: each finding keeps its row, with its rank and its cause, and a line that stands for several says
for how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from storagelab.analysis.significant_digits import printed
from storagelab.analysis.validity.checks import ABOUT, RANKS, Check, Finding, Study

KNOWN = RANKS[-1]


@dataclass(frozen=True, slots=True)
class Expected:
    """What a study says of findings beforehand: which check, where (keys of the log or of the finding), and why."""

    check: str
    where: Mapping[str, Sequence[str]]
    why: str

    def covers(self, keys: Mapping[str, Any]) -> bool:
        """Whether a finding with these keys was expected: it has one of the levels of each key that is named."""
        return all(_text(keys.get(name, "")) in levels for name, levels in self.where.items())


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def expected(study: Study) -> list[Expected]:
    """Return what the study declares (`expected` of study.yaml)."""
    said = study.about.get("expected")
    return [_expected(one) for one in said] if isinstance(said, list) else []


def _expected(said: Mapping[str, Any]) -> Expected:
    where = {
        str(key): [_text(one) for one in (levels if isinstance(levels, (list, tuple)) else [levels])]
        for key, levels in said.get("where", {}).items()
    }
    return Expected(str(said["check"]), where, str(said["why"]))


def ranked(check: Check, findings: Sequence[Finding], study: Study, said: Sequence[Expected]) -> list[Finding]:
    """Give each finding its rank, and sort them: the worst rank first, and in a rank the largest."""
    of_check = [one for one in said if one.check == check.name]
    found = [_ranked(check, finding, study, of_check) for finding in findings]
    return sorted(found, key=lambda one: (RANKS.index(one.rank), _smallness(one)))


def _smallness(one: Finding) -> float:
    return -printed(one.size) if np.isfinite(one.size) else np.inf


def _ranked(check: Check, finding: Finding, study: Study, said: Sequence[Expected]) -> Finding:
    keys = _keys(finding, study) if said else {}
    for one in said:
        if one.covers(keys):
            return replace(finding, rank=KNOWN, cause=one.why)
    return finding if finding.rank else replace(finding, rank=check.rank)


def _keys(finding: Finding, study: Study) -> dict[str, Any]:
    """Keys of the log that a finding stands in, those in the name of its cell, and its own."""
    told = (part.partition("=") for part in finding.where.split(", "))
    own = {name: value for name, equals, value in told if equals}
    own |= {name: value for name in ABOUT if (value := getattr(finding, name))}
    return {**study.log_records.get(finding.log_id, {}), **own} if study.has("logs") else own


def lines(findings: pd.DataFrame) -> pd.DataFrame:
    """Tell findings of one check, rank and cause as one: the first of them as an example, and how many they are."""
    keys = ["check", "finding_rank", "cause"]
    counted = findings.groupby(keys, sort=False)["found"].transform("size")
    first = findings[~findings.duplicated(keys)].assign(alike=counted.astype(float))
    order = [RANKS.index(rank) for rank in first["finding_rank"]]
    told = first.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    return told.assign(line_text=[_told(row) for _, row in told.iterrows()])


def _told(row: pd.Series) -> str:
    others = int(row["alike"]) - 1
    more = f" (and {others:,} more like it)" if others else ""
    why = f"; {row['cause']}" if row["finding_rank"] == KNOWN else ""
    return f"{row['where']}: {row['found']}{more}{why}"
