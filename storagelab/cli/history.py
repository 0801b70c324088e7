"""``storagelab history``: many releases in their order, as a table or as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from storagelab.analysis.comparison.history import History, LeftOut, LevelHistory, change_points
from storagelab.cli import command_output, console
from storagelab.cli.compare import left_out, opened, the_variable
from storagelab.cli.display import quantity
from storagelab.errors import StoragelabError


def history(
    releases: Sequence[str], *, variable: str = "", by: Sequence[str] = (), over: Sequence[str] = (),
    statistic: str = "single", margin: float,
) -> History:  # fmt: skip
    """Open releases and find their changes; what speaks against their runs goes to standard error.

    Parameters
    ----------
    releases : sequence of str
        As for `storagelab.cli.compare.opened`, in their order.
    variable, by, over, statistic, margin
        See `storagelab.analysis.comparison.history.change_points`.

    Raises
    ------
    StoragelabError
        If one is named twice or cannot be opened, or as `change_points`.
    """
    if twice := [name for name in releases if releases.count(name) > 1]:
        raise StoragelabError(f"{twice[0]} is named twice: each release has one place in the order")
    found = {name: opened(name) for name in releases}
    runs = {name: campaign.runs for name, campaign in found.items()}
    asked = variable or the_variable(runs[releases[0]])
    history = change_points(runs, asked, by or None, over=over, statistic=statistic, margin=margin)
    warnings = [warning for name, campaign in found.items() for warning in campaign.warnings(name)]
    for warning in [*warnings, *left_out(found.values(), asked, statistic)]:
        console.warn(warning)
    return history


def sentence(found: History) -> str:
    """Return the answer in a sentence."""
    good = "higher" if found.best == "highest" else "lower"
    names = [release.name for release in found.levels[0].releases]
    count = sum(len(level.changes) for level in found.levels)
    lacking = (
        f" Cells that not all releases have, and that are left out: {len(found.left_out)}." if found.left_out else ""
    )
    return (
        f"{names[0]} to {names[-1]}: {found.answer}. {found.variable} ({good} is better), {len(names)} releases,"
        f" {len(found.levels)} levels: {count} change{'s' * (count != 1)}.{lacking}"
    )


_CHANGES = (
    "Changes by permutation of the {}, one more against those found (Bai and Perron 1998); of histories without any, at"
    " most 5 % have one named{}. Ratios of releases are to the mean of all."
)
_ONE_SLOW_DAY = "{} of several releases differ no more than those of one: a release that was measured on one slow day"
METHODS = {
    "run": _CHANGES.format(
        "runs of each cell", f", if {_ONE_SLOW_DAY.format('runs')} counts as slower, and so may one with a slow round"
    ),
    "round": _CHANGES.format(
        "rounds", f", if a round says nothing of the next and {_ONE_SLOW_DAY.format('rounds')} counts as slower"
    ),
    "mean": _CHANGES.format(
        "means of each cell and release, as its runs depend on the ones before",
        f", if cells do not depend on each other too and {_ONE_SLOW_DAY.format('means')} counts as slower",
    ),
    "day": _CHANGES.format("days", ", if a day says nothing of the next"),
}

MOST_LEFT_OUT = 10
"""Cells that are named one by one where they are left out."""


def text(found: History) -> str:
    """Write a table for a terminal: the changes, then each level from release to release."""
    parts = [sentence(found)], [*_changes(found), *_left_out(found)], _levels(found), [METHODS[found.unit]]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _changes(found: History) -> Iterator[str]:
    for level in found.levels:
        for change in level.changes:
            ratio = f"{change.ratio:.3f} ({change.low:.3f} to {change.high:.3f}), p {change.p:.3g}"
            yield f"{change.verdict} since {change.release}: {_named(level)}: {ratio}"
        if not level.changes and level.verdict != "fine":
            beyond = f"the last release may be slower by more than {100 * found.margin:g} %"
            yield f"{level.verdict}: {_named(level)}: {beyond}"


def _left_out(found: History) -> Iterator[str]:
    for cell in found.left_out[:MOST_LEFT_OUT]:
        first, *others = cell.lacking
        more = f" and {len(others)} more" if others else ""
        yield f"left out: {_named(cell)}: not in {first}{more}"
    if len(found.left_out) > MOST_LEFT_OUT:
        yield f"left out: {len(found.left_out) - MOST_LEFT_OUT} more cells; --json names all"


def _levels(found: History) -> Iterator[str]:
    heads = ["level", "release", "ratio", "interval", f"{found.unit}s"]
    rows = [
        [
            _named(level),
            release.name,
            f"{release.ratio:.3f}",
            f"{release.low:.3f} to {release.high:.3f}",
            f"{release.runs}",
        ]
        for level in found.levels
        for release in level.releases
    ]
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    for row in [heads, *rows]:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _named(level: LevelHistory | LeftOut) -> str:
    keys: Mapping[str, str | float] = level.keys
    known = [name for name, value in keys.items() if value not in ("",) and value == value]
    said = [
        str(keys[name]) if isinstance(keys[name], str) else f"{name} {quantity(name, keys[name])}" for name in known
    ]
    return ", ".join(said) or "all"


def json(found: History) -> str:
    """Write everything, a row a level."""
    whole = dataclasses.asdict(found)
    return command_output.text(whole.pop("levels"), answer=found.answer, method=METHODS[found.unit], **whole)


WRITERS = {"text": text, "json": json}
