"""Words in the names of logs that no key says: runs that differ in them count as repetitions of one cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping

from storagelab import schema
from storagelab.study.rules_from_names import Proposal, proposed

MOST = 20_000
"""Logs above which nobody waits for their names to be compared."""


def words_without_key(cells: Mapping[str, Hashable]) -> list[list[str]]:
    """Find the places of the names that differ within a cell, each with the words that stand there.

    Parameters
    ----------
    cells : mapping of str to hashable
        Path of each log -> its cell: what is equal for logs that no key tells apart.
    """
    if not 2 < len(cells) <= MOST:
        return []
    found = (tuple(sorted(words)) for one in proposed(list(cells)) for words in _within_cells(one, cells))
    return [list(words) for words in dict.fromkeys(found)]


def _within_cells(rule: Proposal, cells: Mapping[str, Hashable]) -> Iterator[set[str]]:
    """Words of each place of the names that has several of them in one cell, some in several logs of it.

    What is another in each log numbers the logs.
    """
    seen: defaultdict[tuple[str, Hashable], list[str]] = defaultdict(list)
    for path in rule.logs:
        for group, text in rule.groups(path).items():
            seen[group, cells[path]].append(text)
    without: defaultdict[str, set[str]] = defaultdict(set)
    for (group, _), texts in seen.items():
        if 1 < len({*texts}) < len(texts) and not _numbers_runs(rule, group):
            without[group] |= {*texts}
    yield from without.values()


def _numbers_runs(rule: Proposal, group: str) -> bool:
    """Whether a part of the names is known to tell repetitions apart, or is a number of which nothing is known."""
    said = rule.columns.get(group, {})
    key = said.get("key", "" if said else group)
    return key in schema.REPLICATION or (not key and rf"(?P<{group}>\d+)" in rule.regex)
