"""Words in the names of logs that no key says: runs that differ in them count as repetitions of one cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence

import xarray as xr

from storagelab.analysis.cells import Rows
from storagelab.analysis.runs import REPLICATION, differing_keys
from storagelab.study.rules_from_names import Proposal, proposed
from storagelab.wording import words
from storagelab.wording.levels import natural

MOST = 20_000
"""Logs above which nobody waits for their names to be compared."""
SHOWN = 4


def not_said(ds: xr.Dataset) -> str:
    """Say which words in the names of logs differ within a cell; of a study, its rules have said what names mean.

    Parameters
    ----------
    ds : Dataset, dimension obs
        Runs, whose ``run_id`` is the path of their log where no study names them.
    """
    rows = Rows.of(ds)
    if ds.attrs.get("study") or "run_id" not in rows:
        return ""
    cells = dict(zip(rows["run_id"].tolist(), rows.cells(differing_keys(rows)).of_row.tolist(), strict=True))
    if not 2 < len(cells) <= MOST:
        return ""
    found = (tuple(levels) for one in proposed(list(cells)) for levels in _within_cells(one, cells))
    told = "; ".join(_first([words.listed(_first(levels)) for levels in dict.fromkeys(found)]))
    return f"names of logs differ in what no key says ({told}): such runs count as repetitions" if told else ""


def _within_cells(rule: Proposal, cells: dict[str, int]) -> Iterator[list[str]]:
    """Levels of each place of the names that has several of them in one cell, some in several logs of it.

    What is another in each log numbers the logs.
    """
    seen: defaultdict[tuple[str, Hashable], list[str]] = defaultdict(list)
    for path in rule.logs:
        for group, text in rule.groups(path).items():
            seen[group, cells[path]].append(text)
    hidden: defaultdict[str, set[str]] = defaultdict(set)
    for (group, _), texts in seen.items():
        if 1 < len({*texts}) < len(texts) and not _numbers_runs(rule, group):
            hidden[group] |= {*texts}
    yield from (sorted(levels, key=natural) for levels in hidden.values())


def _numbers_runs(rule: Proposal, group: str) -> bool:
    """Whether a part of the names is known to tell repetitions apart, or is a number of which nothing is known."""
    said = rule.columns.get(group, {})
    key = said.get("key", "" if said else group)
    return key in REPLICATION or (not key and rf"(?P<{group}>\d+)" in rule.regex)


def _first(levels: Sequence[str]) -> list[str]:
    more = len(levels) - SHOWN
    return [*levels] if more <= 1 else [*levels[:SHOWN], f"{more} more"]
