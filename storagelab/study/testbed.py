"""``testbed.yaml``: servers, disks, links and controllers, what a byte crosses, and what the model assumes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar

import pydantic

from storagelab.errors import ReconstructError, nearest
from storagelab.study.amount import Amount, amount
from storagelab.study.expressions import evaluate, in_si
from storagelab.study.topology import Drawing, rows
from storagelab.study.validation import Strict, read_model

NAME = "testbed.yaml"

Property = str | int | float | bool
Part = Mapping[str, Property]


class Stage(Strict):
    """What a byte crosses: so many of so much each.

    Attributes
    ----------
    stage : str
        Its name.
    each : str
        Rate of one, as an expression over parts, or a number with its unit.
    count : str
        How many there are, as an expression.
    crossings : str
        How often a byte crosses it, such as the number of replicas.
    at_least : bool
        Whether the paper says only that it carries more than this. Such a stage is never what binds.
    """

    stage: str
    each: str
    count: Annotated[str, pydantic.BeforeValidator(str)] = "1"
    crossings: Annotated[str, pydantic.BeforeValidator(str)] = "1"
    at_least: bool = False
    note: str = ""


class Parameter(Strict):
    """A number that the paper does not fix and the model chooses, and why."""

    value: Annotated[Amount, pydantic.BeforeValidator(amount)]
    why: str

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class TestBed(Strict):
    """A test bed: parts with properties, paths of stages, parameters of the model."""

    __test__: ClassVar[bool] = False  # pytest takes classes with this name for tests

    parts: Mapping[str, Part] = {}
    paths: Mapping[str, tuple[Stage, ...]] = {}
    model: Mapping[str, Parameter] = {}
    topologies: Mapping[str, Drawing] = {}

    def namespace(self) -> dict[str, SimpleNamespace]:
        """Return the parts for arithmetic: each a namespace of its numbers, with units; text is left out."""
        return {name: _numbers(tuple(part.items())) for name, part in self.parts.items()}

    def si(self, expression: str) -> float:
        """Evaluate an expression over the parts, such as ``server.link * ost.count``, in its SI unit.

        Raises
        ------
        ReconstructError
            If it cannot be evaluated.
        """
        return in_si(self.quantity(expression))[0]

    def quantity(self, expression: str) -> Any:
        """Evaluate an expression over the parts, or read a number with its unit."""
        with contextlib.suppress(ValueError):
            return amount(expression).quantity
        return evaluate(expression, self.namespace())

    def chosen(self, name: str) -> float:
        """Return a parameter of the model in its SI unit.

        Raises
        ------
        ReconstructError
            If there is none of this name; says the nearest.
        """
        if name not in self.model:
            raise ReconstructError(f"no parameter {name!r} of the model{nearest(name, self.model)}")
        return self.model[name].value.si

    def text(self, part: str, name: str) -> str:
        """Return a property of a part as it is written.

        Raises
        ------
        ReconstructError
            If there is no such part or property; says the nearest.
        """
        if part not in self.parts:
            raise ReconstructError(f"no part {part!r} of the test bed{nearest(part, self.parts)}")
        if name not in self.parts[part]:
            raise ReconstructError(f"{part} has no property {name!r}{nearest(name, self.parts[part])}")
        return str(self.parts[part][name])

    def capacities(self, path: str) -> dict[str, float]:
        """Return what each stage of a path can carry [B/s], counted in bytes at the client.

        Raises
        ------
        ReconstructError
            If there is no such path, or a stage cannot be evaluated.
        """
        if path not in self.paths:
            raise ReconstructError(f"no path {path!r} of the test bed{nearest(path, self.paths)}")
        return {stage.stage: self._capacity(stage) for stage in self.paths[path]}

    def stages(self) -> Iterator[dict[str, str | float]]:
        """Go through the stages of all paths: what each is made of, carries, and how often a byte crosses it."""
        for path, stages in self.paths.items():
            for stage in stages:
                count = in_si(self.quantity(stage.count))[0]
                yield {
                    "path": path,
                    "stage": stage.stage,
                    "made_of": f"{count:g} × {self.quantity(stage.each):~.4g}".replace(" / ", "/"),
                    "capacity": in_si(self.quantity(stage.each) * count)[0],
                    "link_bytes": in_si(self.quantity(stage.crossings))[0],
                    "at_least": stage.at_least,
                }

    def drawings(self) -> Iterator[dict[str, str | float]]:
        """Go through the drawings of the test bed: each kind of machine, how many, and what runs on it."""
        for name, drawing in self.topologies.items():
            yield from rows(name, drawing, self.si)

    def _capacity(self, stage: Stage) -> float:
        return in_si(self.quantity(stage.each) * self.quantity(stage.count) / self.quantity(stage.crossings))[0]


@lru_cache(maxsize=1024)
def _numbers(part: tuple[tuple[str, Property], ...]) -> SimpleNamespace:
    """Read the numbers of a part, once for all expressions: pint takes its time with each."""
    found: dict[str, Any] = {}
    for name, written in part:
        with contextlib.suppress(ValueError):
            found[name] = amount(written).quantity
    return SimpleNamespace(**found)


def read_testbed(folder: Path) -> TestBed:
    """Read the testbed.yaml of a study.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, or breaks the model; names the file and the line.
    """
    return read_model(folder / NAME, TestBed)[0]
