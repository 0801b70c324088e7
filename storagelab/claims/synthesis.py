"""Numbers of several studies side by side: each row keeps its study, its origin and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isclose, isfinite, nan
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import xarray as xr

from storagelab import dataset, schema
from storagelab.analysis import columns, table
from storagelab.analysis.significant_digits import PRINTED
from storagelab.claims.extracts import Extract, Node, read_extracts
from storagelab.claims.number_evaluation import Found, Keys, as_stated, lines_behind, take, take_rows
from storagelab.claims.number_sources import Paper, fact_of, read_sources
from storagelab.claims.quoted_numbers import (
    RUN,
    Level,
    Quotation,
    is_computed,
    pinned,
    quotation,
    refuse_sum,
    refuse_units,
)
from storagelab.claims.study_numbers import Numbers, input_basis
from storagelab.errors import AnalysisError, StoragelabError
from storagelab.study import published, testbed
from storagelab.study.sidecar_numbers import Quantity

KEYS = ("study", "origin", "basis", "case", "label")
SAMPLES = 4
"""Logs of which a number names a line."""

CARRIED = {
    "verdict": "verdict of the source",
    "unit_of_repetition": "unit of repetition of the source",
    "aggregate": "aggregate over the clients",
    "selection": "levels to which the number is confined",
    "changes": "keys over which the answer changes",
    "demands": "what a sentence that quotes the number has to say",
    "trace": "first lines of its logs",
}
"""What a quoted number carries along from its source, by the key under which it stands; demands are JSON."""
Row = dict[str, Any]


def synthesise(
    folder: Path, studies: Mapping[str, xr.DataTree], papers: Mapping[str, Paper] | None = None
) -> xr.DataTree:
    """Set numbers of several studies side by side; nothing is averaged, and no origin washes off.

    Parameters
    ----------
    folder : Path
        ``raw/<comparison>``, with extracts.yaml and sources.yaml; the sidecars of published studies are in the folders
        beside it.
    studies : mapping of str to DataTree
        Datasets by name.
    papers : mapping of str to facts, optional
        What the papers of these studies state, for extracts that quote a fact.

    Returns
    -------
    DataTree
        A node a table or figure, each with the one dimension obs: keys study, origin, basis ("" where measured), case,
        label, what each number carries along (`CARRIED`), and those that tell the rows of a curve apart; the variable
        of the node with ``_low`` and ``_high`` (95 % interval), ``n`` and ``caveat``. Where the variable is ``value``,
        the key ``unit`` says its SI unit.

    Raises
    ------
    SidecarError
        If extracts.yaml is wrong; names the file and the line.
    StoragelabError
        If a number cannot be taken; says all that cannot.
    """
    asked = read_extracts(folder)
    sources = Sources(folder, studies, papers or {})
    wrong: list[str] = []
    nodes = {name: _node(node, list(_rows(node, sources, wrong))) for name, node in asked.nodes.items()}
    if wrong:
        raise StoragelabError("\n".join(wrong))
    origins = {str(origin) for ds in nodes.values() for origin in ds["origin"].to_numpy()}
    about = {"study": folder.resolve().name, "origin": joined(origins), **asked.model_dump(exclude={"nodes"})}
    return dataset.tree(nodes, about)


class Sources:
    """The datasets of the studies, what published studies print, and what papers of campaigns say of their numbers."""

    def __init__(self, folder: Path, studies: Mapping[str, xr.DataTree], papers: Mapping[str, Paper]) -> None:
        self.raw = folder.parent
        self.studies = studies
        self.papers = papers
        self.said = read_sources(folder)
        self._numbers: dict[str, Numbers] = {}

    def numbers(self, study: str) -> Numbers:
        """Return the numbers that a published study prints."""
        if study not in self._numbers:
            folder = self.raw / study
            sidecars = published.read_published(folder), testbed.read_testbed(folder)
            self._numbers[study] = Numbers(*sidecars, self.tree(study))
        return self._numbers[study]

    def tree(self, study: str) -> xr.DataTree:
        """Return the dataset of a study."""
        if study not in self.studies:
            raise AnalysisError(f"no dataset of {study}, only of {', '.join(self.studies)}")
        return self.studies[study]

    def origin(self, study: str) -> str:
        """Return where the logs of a study come from."""
        return table.origin(next(iter(self.tree(study).children.values())).to_dataset())

    def found(self, extract: Extract) -> list[tuple[Keys, Found]]:
        """Take what an extract asks for out of its study."""
        quantity = extract.quantity
        if quantity is None:
            return [({}, quoted(fact_of(self.papers, extract.study, extract.fact), extract.inverse))]
        if isinstance(quantity, str):
            printed = self.numbers(extract.study).named(quantity)
            return [({}, replace(printed, basis=input_basis(printed.basis)))]
        if quantity.expression:
            return [({}, self.numbers(extract.study).expression(quantity.expression))]
        found = take_rows(quantity, self.tree(extract.study), str(extract), list(extract.keep.values()))
        found = [(keys, as_stated(each)) for keys, each in found]
        return [(keys, replace(each, basis="derived")) for keys, each in found] if is_computed(quantity) else found

    def lines(self, extract: Extract, keys: Keys) -> dict[str, list[int]]:
        """Return first lines of logs that a number comes from; its paper has them all."""
        quantity, known = extract.quantity, dict[str, list[int]]()
        if quantity is None:
            known = dict[str, list[int]](fact_of(self.papers, extract.study, extract.fact)["trace"])  # type: ignore[call-overload]
        elif not (isinstance(quantity, str) or quantity.expression):
            known = lines_behind(quantity, self.tree(extract.study), extract.study, **keys)
        return {log: numbers[:1] for log, numbers in list(known.items())[:SAMPLES]}

    def carried(self, extract: Extract, found: Found) -> Quotation:
        """Return what a number carries along from its source, once its source allows that it is quoted so.

        Raises
        ------
        AnalysisError
            If the source refuses the aggregate, has fewer units of repetition, or states the number with another
            interval.
        """
        if self.origin(extract.study) != "measured":
            return Quotation(aggregate="", unit="")
        if extract.quantity is None:
            return of_fact(fact_of(self.papers, extract.study, extract.fact), extract.inverse)
        if isinstance(extract.quantity, str) or extract.quantity.expression:
            return Quotation()
        quantity, tree, source = extract.quantity, self.tree(extract.study), self.said.of(extract.study)
        if is_computed(quantity):
            return Quotation(unit="", aggregate="", selection=pinned(quantity, source))
        if not extract.warns:
            refuse_sum(quantity, tree, extract.study, source)
        if not extract.keep:
            refuse_other_interval(found, extract.study, self.papers.get(extract.study, {}))
        refuse_units(quantity, tree, extract.study, source, found.n)
        if extract.keep:
            return quotation(quantity, tree, source, lambda _: "", "")
        return quotation(quantity, tree, source, partial(_verdict, tree=tree, name=str(extract)), found.verdict)


def _verdict(quantity: Quantity, tree: xr.DataTree, name: str) -> str:
    return take(quantity, tree, name).verdict


def quoted(fact: Mapping[str, Any], inverse: bool = False) -> Found:
    """Return a fact of a paper as a number with interval, n and verdict; the other way round where that is asked."""
    ends = fact.get("interval", {})
    low, value, high = (float(one) for one in (ends.get("low", nan), fact["value"], ends.get("high", nan)))
    if inverse:
        low, value, high = 1 / high, 1 / value, 1 / low
    n, verdict = float(fact.get("n", nan)), verdict_of(fact, inverse)
    return Found(value, low, high, unit=str(fact["unit"]), n=n, verdict=verdict)


_TURNED = {"lower": "higher", "higher": "lower"}


def verdict_of(fact: Mapping[str, Any], inverse: bool) -> str:
    """Return the verdict of a fact, "" where nothing was compared."""
    verdict = str(fact.get("verdict", ""))
    return _TURNED.get(verdict, verdict) if inverse else verdict


def of_fact(fact: Mapping[str, Any], inverse: bool) -> Quotation:
    """Return what a fact of a paper carries along, as the paper states it."""
    keys = fact.get("keys", {})
    turn = _TURNED if inverse else {}
    changes: dict[str, dict[Level, str]] = {}
    for key, found in fact.get("changes", {}).items():
        changes[key] = {level: turn.get(word, word) for level, word in found.items()}
    return Quotation(verdict_of(fact, inverse), "run", RUN, keys, changes)


SAME, OTHER = 1e-7, 1e-5
"""Relative differences below which two papers state one number, and above which they state two intervals of it."""


def refuse_other_interval(found: Found, study: str, paper: Paper) -> None:
    """Refuse a number that the paper of its study states too, with an interval of another family of comparisons.

    Raises
    ------
    AnalysisError
        If there is such a fact; names it.
    """
    if not isfinite(found.low + found.high) or float(found.value).is_integer():
        return
    for name, stated in paper.items():
        fact: Mapping[str, Any] = stated
        ends = fact.get("interval")
        if not ends or str(fact["unit"]) != found.unit or not isclose(float(fact["value"]), found.value, rel_tol=SAME):
            continue
        if not all(isclose(*pair, rel_tol=OTHER) for pair in ((ends["low"], found.low), (ends["high"], found.high))):
            raise AnalysisError(
                f"the paper {study} states this number with an interval of {ends['low']:.4g} to {ends['high']:.4g}, not"
                f" {found.low:.4g} to {found.high:.4g}: quote it with `fact: {name}`, whose family of comparisons it is"
            )


def without_drawn(found: Found, origin: str) -> Found:
    """Return a number without the interval of scatter that a model drew; arithmetic has that of printed errors."""
    if origin == "measured" or found.basis == "derived":
        return found
    return replace(found, low=nan, high=nan, error=nan)


def refuse_drawn_curve(points: Sequence[Found], origin: str) -> None:
    """Refuse a curve whose shape a model drew: beside measured curves it would look like one.

    Raises
    ------
    AnalysisError
        If a point of a study that was not measured rests on its model.
    """
    drawn = sum(point.basis == "model" for point in points)
    if origin != "measured" and drawn:
        raise AnalysisError(
            f"{drawn} of {len(points)} points rest on a model: a curve beside measured ones needs printed points"
        )


def joined(origins: set[str]) -> str:
    """Join origins, the least measured last: "measured and reconstructed"."""
    return " and ".join(origin for origin in schema.ORIGINS if origin in origins)


def _rows(node: Node, sources: Sources, wrong: list[str]) -> Iterator[Row]:
    """Make the rows of a node; what cannot be taken is noted."""
    for extract in node.extracts:
        try:
            found = sources.found(extract)
            if not found or (len(found) > 1 and not extract.keep):
                raise AnalysisError(f"{len(found)} rows: name the keys to `keep`, or those that choose one row")
            carried = sources.carried(extract, found[0][1])
            told = {**carried.words(), "demands": orjson.dumps(carried.demands(sources.said, extract.study)).decode()}
            origin = sources.origin(extract.study)
            if extract.keep:
                refuse_drawn_curve([each for _, each in found], origin)
            for keys, each in found:
                trace = {"trace": orjson.dumps(sources.lines(extract, keys)).decode()}
                yield {**_row(extract, origin, keys, without_drawn(each, origin), node.variable), **told, **trace}
        except StoragelabError as error:
            wrong.append(f"{extract}: " + str(error).removeprefix(f"{extract}: "))


def _row(extract: Extract, origin: str, keys: Keys, found: Found, variable: str) -> Row:
    wanted = columns.field(variable).unit
    if variable != "value" and found.unit != wanted:
        raise AnalysisError(f"in {found.unit!r}, but {variable} is in {wanted!r}")
    return {
        "study": extract.study,
        "origin": origin,
        "basis": found.basis if origin != "measured" or found.basis == "derived" else "",
        "case": extract.case,
        "label": extract.label,
        **({"unit": found.unit} if variable == "value" else {}),
        **{name: keys[key] for name, key in extract.keep.items()},
        variable: found.value,
        columns.low(variable): found.low,
        columns.high(variable): found.high,
        "n": found.n,
        "caveat": found.caveat,
    }


def _node(node: Node, rows: list[Row]) -> xr.Dataset:
    if not rows:
        return xr.Dataset({"origin": ("obs", [])})
    kept = {name for extract in node.extracts for name in extract.keep}
    unit = ["unit"] if node.variable == "value" else []
    frame = pd.DataFrame(rows)
    made = table.labelled(frame.drop(columns=list(CARRIED)), [*KEYS, *unit, *sorted(kept)], PRINTED)
    told = {name: ("obs", frame[name].to_numpy().astype(str), {"long_name": what}) for name, what in CARRIED.items()}
    return made.assign_coords(told)
