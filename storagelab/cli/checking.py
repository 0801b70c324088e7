"""``storagelab check``: what is wrong with a study, which planned runs it lacks, and rules for logs without any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from storagelab import ingest
from storagelab.cli import console
from storagelab.errors import IncompleteLogError, IncompleteRunError, SidecarError, StoragelabError
from storagelab.ingest import checksums, planned
from storagelab.reconstruct import campaign
from storagelab.study import proposals, published
from storagelab.study.sidecar import Column, Rule
from storagelab.study.values import to_keys

CELLS = 30
"""Rows of the table of keys; of more only how many."""


def check(folder: Path) -> bool:
    """Tell all that is wrong with a study; return whether anything is that would stop `ingest`."""
    with console.progress("reading") as advance:
        found = ingest.survey(folder, advance)
        problems = found.problems + _of_its_kind(folder)
    uncovered = {str(folder / path) for path in found.uncovered}
    for problem in problems:
        if not (isinstance(problem, SidecarError) and problem.file in uncovered):
            console.complain_of(problem)
    for line in _proposals(folder, found.uncovered):
        print(line)
    counted = planned.counted(found.study.sidecar, found.rows)
    for part in counted:
        print(part)
    lacking = sum(part.planned - part.there for part in counted)
    if wrong := any(not isinstance(one, (IncompleteLogError, IncompleteRunError)) for one in problems):
        return wrong
    but = [f"{len(problems)} incomplete logs or runs"] if problems else []
    but += [f"{lacking} planned runs are missing"] if lacking else []
    print(f"{folder}: nothing wrong" + (f" but {' and '.join(but)}" if but else ""))
    return False


def _of_its_kind(folder: Path) -> list[StoragelabError]:
    """What is wrong with how the study is sealed: by what it was rendered from, or by checksums."""
    if (folder / published.NAME).exists():
        return list(campaign.differences(folder))
    return [] if checksums.are_there(folder) else list(checksums.problems(folder))


def _proposals(folder: Path, uncovered: Sequence[str]) -> Iterator[str]:
    if not uncovered:
        return
    console.complain(
        f"{folder}: {len(uncovered)} logs have no row of runs.csv and no rule of study.yaml, such as {uncovered[0]}"
    )
    found = proposals.proposed(uncovered)
    yield f"# Rules for {folder / 'study.yaml'}, read from the names of these logs; look at them before they go there:"
    yield from proposals.lines(found)
    yield ""
    yield "# The keys that they give:"
    yield from _table(found)


def _table(found: Sequence[proposals.Proposal]) -> Iterator[str]:
    """A row a cell, with its repeats and logs."""
    logs: Counter[tuple[tuple[str, str], ...]] = Counter()
    repeats: dict[tuple[tuple[str, str], ...], set[str]] = {}
    for one in found:
        for path in one.logs:
            keys = _keys(one, path)
            repeat = keys.pop("repeat", "")
            cell = tuple(keys.items())
            logs[cell] += 1
            repeats.setdefault(cell, set()).add(repeat)
    names = list(dict.fromkeys(name for cell in logs for name, _ in cell))
    rows = [
        [*(dict(cell).get(name, "") for name in names), _repeats(repeats[cell]), str(n)] for cell, n in logs.items()
    ]
    yield from _laid_out([*names, "repeats", "logs"], sorted(rows, key=_in_order)[:CELLS])
    if len(rows) > CELLS:
        yield f"... and {len(rows) - CELLS} cells more"


def _in_order(row: Sequence[str]) -> list[tuple[float, str]]:
    return [(float(cell), "") if cell.replace(".", "", 1).isdigit() else (float("inf"), cell) for cell in row]


def _repeats(found: set[str]) -> str:
    numbers = sorted(found, key=lambda text: (len(text), text))
    return ", ".join(numbers) if len(numbers) <= 4 else f"{numbers[0]} to {numbers[-1]} ({len(numbers)})"


def _keys(one: proposals.Proposal, path: str) -> dict[str, str]:
    """Return keys of a log as the rule would give them, and parts of its name that are none yet."""
    groups = Rule(regex=one.regex).match(path) or {}
    columns = {name: Column.model_validate(one.columns.get(name, {"key": name})) for name in groups}
    known = {name: _written(value) for name, value in to_keys(groups, columns).items()}
    return {**known, **{name: text for name, text in groups.items() if columns[name].ignore}}


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.15g}"


def _laid_out(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    for row in [heads, *rows]:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
