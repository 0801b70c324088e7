"""What a number that is quoted from another study carries along, and which quotations are refused.

A quotation carries the verdict of its source, its unit of repetition, the kind of its aggregate, and what was selected.
It is refused where it drops a level over which the answer changes, takes more units of repetition than its source has,
or adds up rates of clients in a way that its source calls wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from storagelab.analysis.aggregation.slowest import UNTIL_SLOWEST
from storagelab.analysis.aggregation.sums_over_clients import AGGREGATES
from storagelab.claims.number_evaluation import chosen, node_of
from storagelab.claims.number_sources import Source, SourcesFile
from storagelab.errors import AnalysisError, StoragelabError
from storagelab.study.sidecar_numbers import Quantity

SUM = AGGREGATES["throughput"]
PER_CLIENT, ONE_CLIENT, RUN = "mean over the clients", "one client", "the run"
RATES = frozenset({"throughput", "network_throughput", "bound_share", "saturation", "curve_share"})
"""Rates of all clients together, and shares of what a link or a peak is."""
COMPUTED = frozenset({"write_amplification", "bound", "capacity"})
"""Columns that follow from the test bed and the layout: nobody measured them."""

UNDECIDED = "undecided"
OPEN = ("not shown", "not show", "undecided", "left open", "not decided")
"""Words by which a sentence leaves open what its source leaves open."""
ADDED = ("added", "add up", "sum")
"""Words by which a sentence says that rates of clients were added up."""

Level = str | float
Answers = Mapping[str, Mapping[Level, str]]
"""By key: the answer at the level that is quoted, and at those where it is another."""


@dataclass(frozen=True)
class Quotation:
    """What a quoted number carries along from its source.

    Attributes
    ----------
    verdict : str
        Of the source; "" where nothing was compared.
    unit : str
        What was repeated: "run", or the keys whose combinations are the units.
    aggregate : str
        How clients were put together.
    selection : mapping of str to level
        Levels of the source's keys to which the number is confined.
    changes : mapping
        Of these keys those over which the answer changes, with the answer at each level.
    """

    verdict: str = ""
    unit: str = "run"
    aggregate: str = RUN
    selection: Mapping[str, Level] = field(default_factory=dict)
    changes: Answers = field(default_factory=dict)

    def words(self) -> dict[str, str]:
        """Return what is carried as text: verdict, unit_of_repetition, aggregate, selection, changes."""
        return {
            "verdict": self.verdict,
            "unit_of_repetition": self.unit,
            "aggregate": self.aggregate,
            "selection": "; ".join(f"{key} {format_level(level)}" for key, level in self.selection.items()),
            "changes": "; ".join(changing(key, answers) for key, answers in self.changes.items()),
        }

    def demands(self, sources: SourcesFile, study: str) -> list[dict[str, Any]]:
        """List what a sentence that quotes the number has to say: ``one_of`` some words, and ``because``."""
        asked = [
            {"one_of": list(sources.named(key, self.selection[key])), "because": changing(key, answers)}
            for key, answers in self.changes.items()
        ]
        if self.verdict == UNDECIDED:
            asked.append({"one_of": list(OPEN), "because": "its source leaves it undecided"})
        if sources.of(study).refuses(self.aggregate):
            asked.append({"one_of": list(ADDED), "because": "it is a sum of the clients' rates, and no bandwidth"})
        return asked


def changing(key: str, answers: Mapping[Level, str]) -> str:
    """Write how an answer changes: "layout distribute: higher, distribute+shard: undecided"."""
    return f"{key} " + ", ".join(f"{format_level(level)}: {answer}" for level, answer in answers.items())


def format_level(level: Level) -> str:
    """Write a level: a number without a needless point."""
    return f"{level:g}" if isinstance(level, float | int) else str(level)


def unit_of(quantity: Quantity) -> str:
    """Return what is repeated: the keys of pairs or blocks where the last comparison has some, else the run."""
    unit = "run"
    for _, arguments in steps(quantity):
        for name in ("pair", "blocks"):
            keys = arguments.get(name) or ()
            unit = " x ".join([keys] if isinstance(keys, str) else keys) or unit
    return unit


def steps(quantity: Quantity) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the functions of a quantity with their arguments."""
    for step in quantity.steps:
        yield from step.items()


def aggregate_of(quantity: Quantity, tree: xr.DataTree) -> str:
    """Return how the clients of a run are put together in a quantity.

    Parameters
    ----------
    quantity : Quantity
        Rows, steps and a column; no expression.
    tree : DataTree
        The study.
    """
    done = dict(steps(quantity))
    if quantity.node != "runs":
        return PER_CLIENT if quantity.node == "clients" else RUN
    if "until_slowest" in done:
        picked = quantity.at.get("aggregate") or done.get("select", {}).get("aggregate")
        return UNTIL_SLOWEST if picked == UNTIL_SLOWEST else SUM
    if "per_client" in done:
        return PER_CLIENT
    if not RATES & {quantity.take, *(str(given.get("variable", "")) for given in done.values())}:
        return RUN
    few = {key: quantity.at[key] for key in ("clients",) if key in quantity.at}
    rows = chosen(node_of(tree, quantity.node), {**quantity.where, **few})
    most = rows["clients"].max().item() if "clients" in rows.variables and rows.sizes["obs"] else np.nan
    return SUM if most > 1 else ONE_CLIENT


def is_computed(quantity: Quantity) -> bool:
    """Tell whether a quantity follows from the test bed and the layout alone."""
    return quantity.take in COMPUTED


def pinned(quantity: Quantity, source: Source) -> dict[str, Level]:
    """Return the keys of a source that a quantity confines to one level."""
    given = {**quantity.where, **quantity.at}
    factors = {str(arguments.get("factor", "")) for _, arguments in steps(quantity)}
    single = {key: given[key] for key in source.levels if key in given and key not in factors}
    return {key: level for key, level in single.items() if isinstance(level, str | int | float)}


def alternatives(quantity: Quantity, tree: xr.DataTree, key: str) -> Iterator[tuple[Level, Quantity]]:
    """Yield a quantity at each other level of a key to which it is confined."""
    part = "at" if key in quantity.at else "where"
    given = getattr(quantity, part)
    rows = chosen(node_of(tree, quantity.node), {name: v for name, v in quantity.where.items() if name != key})
    if key not in rows.variables:
        return
    for level in np.unique(rows[key].to_numpy()).tolist():
        if level not in ("", given[key]) and level == level:
            yield level, quantity.model_copy(update={part: {**given, key: level}})


def answers(
    quantity: Quantity, tree: xr.DataTree, source: Source, answer: Callable[[Quantity], str], own: str
) -> dict[str, dict[Level, str]]:
    """Return the keys over which an answer changes, with the answers; levels that the data cannot answer are left out.

    Parameters
    ----------
    quantity : Quantity
    tree : DataTree
        The study.
    source : Source
        What its paper says of its numbers.
    answer : callable
        From a quantity to its answer, "" where there is none.
    own : str
        The answer to the quantity itself.
    """
    found: dict[str, dict[Level, str]] = {}
    for key, level in pinned(quantity, source).items() if own else ():
        others = {other: _asked(answer, asked) for other, asked in alternatives(quantity, tree, key)}
        changed = {other: word for other, word in others.items() if word not in ("", own)}
        if changed:
            found[key] = {level: own, **changed}
    return found


def _asked(answer: Callable[[Quantity], str], quantity: Quantity) -> str:
    try:
        return answer(quantity)
    except StoragelabError:
        return ""


def quotation(
    quantity: Quantity, tree: xr.DataTree, source: Source, answer: Callable[[Quantity], str], own: str
) -> Quotation:
    """Return what a number carries along that is taken out of the dataset of its source; arguments as for `answers`."""
    return Quotation(
        verdict=own,
        unit=unit_of(quantity),
        aggregate=aggregate_of(quantity, tree),
        selection=pinned(quantity, source),
        changes=answers(quantity, tree, source, answer, own),
    )


def refuse_sum(quantity: Quantity, tree: xr.DataTree, study: str, source: Source) -> None:
    """Refuse rates of clients that are put together in a way that the source calls wrong.

    Raises
    ------
    AnalysisError
        Names the study, the aggregate, and the sentence of its paper.
    """
    aggregate = aggregate_of(quantity, tree)
    if against := source.refuses(aggregate):
        raise AnalysisError(
            f"{quantity.take} is a {aggregate}, which {study} refuses ({against.says!r}): count until the slowest is"
            " done, or take the mean over the clients"
        )


def refuse_units(quantity: Quantity, tree: xr.DataTree, study: str, source: Source, n: float) -> None:
    """Refuse more units of repetition than the source has.

    Raises
    ------
    AnalysisError
        Names the study, how many units it has, and the sentence of its paper.
    """
    factors = {str(arguments.get("factor", "")) for _, arguments in steps(quantity)}
    rows = chosen(node_of(tree, quantity.node), quantity.where)
    for unit in source.units:
        split = unit.key in quantity.at or unit.key not in rows.variables
        levels = 1 if split else len(np.unique(rows[unit.key].to_numpy()))
        if factors & set(unit.factors) and levels > 1 and n > levels:
            raise AnalysisError(
                f"n = {n:g}, but {study} takes {unit.key} as the unit, of which there are {levels} ({unit.says!r})"
            )


def refuse_level(changes: Answers, said: Sequence[str], others: Callable[[str, Level], bool]) -> None:
    """Refuse one level of several where the answer changes, unless it is said, or the others are asked as well.

    Parameters
    ----------
    changes : mapping
        Keys over which the answer changes, with the answers.
    said : sequence of str
        Keys whose selection is stated, with a reason.
    others : callable
        From key and level to whether that level is asked as well.

    Raises
    ------
    AnalysisError
        Names the key and all answers.
    """
    for key, found in changes.items():
        missing = [level for level in list(found)[1:] if not others(key, level)]
        if missing and key not in said:
            raise AnalysisError(
                f"one level of {key} is quoted, and the answer changes ({changing(key, found)}): ask"
                f" {', '.join(map(format_level, missing))} as well, or say under `only` why this level alone"
            )
