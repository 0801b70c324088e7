"""``extracts.yaml``: which numbers of which studies stand side by side, and how each comes out of its dataset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import pydantic

from storagelab.analysis import columns
from storagelab.claims.claims_yaml import CHECKS, FIGURES, Checks, Figure, Figures, Group
from storagelab.errors import UnknownNameError
from storagelab.study.sidecar_numbers import Quantity
from storagelab.study.validation import Strict, read_model

NAME = "extracts.yaml"


def _known(name: str) -> str:
    try:
        columns.field(name)
    except UnknownNameError as error:
        raise ValueError(str(error)) from None
    return name


Column = Annotated[str, pydantic.AfterValidator(_known)]


class Extract(Strict):
    """A number, or the rows of a curve, of one study.

    Attributes
    ----------
    study : str
        Whose it is.
    label : str
        What it is of, for a reader.
    case : str
        Which of several questions it answers, or whose line it is.
    quantity : str or Quantity, optional
        How it comes out of the dataset; a word is the name of a published value.
    fact : str
        In place of a quantity: the fact of the study's own paper that is quoted, with its interval, n and verdict.
    inverse : bool
        The fact is quoted the other way round.
    warns : str
        Why an aggregate stands here that the study refuses: to show what is wrong with it, never as a bandwidth.
    keep : mapping of str to str
        Keys that tell the rows of a curve apart: their names here, and those in the result.
    """

    study: str
    label: str
    case: str = ""
    quantity: str | Quantity | None = None
    fact: str = ""
    inverse: bool = False
    warns: str = ""
    keep: Mapping[Column, Column] = {}

    @pydantic.model_validator(mode="after")
    def _one_way(self) -> Extract:
        if bool(self.fact) == (self.quantity is not None):
            raise ValueError("an extract needs either a `quantity`, or a `fact` of the study's own paper")
        if self.inverse and not self.fact:
            raise ValueError("only a `fact` is quoted the other way round")
        return self

    @pydantic.model_validator(mode="after")
    def _curves_have_steps(self) -> Extract:
        if self.keep and (not isinstance(self.quantity, Quantity) or self.quantity.expression):
            raise ValueError("only the rows of a dataset have keys to `keep`, a published value and an expression none")
        return self

    def __str__(self) -> str:
        return f"{self.study}, {self.label}"


class Node(Strict):
    """Numbers of one kind of several studies: a node of the dataset.

    Attributes
    ----------
    variable : str
        Column under which all stand, and whose unit all have; ``value`` where each has a unit of its own.
    """

    variable: Column
    extracts: tuple[Extract, ...]

    @pydantic.model_validator(mode="after")
    def _no_warning_in_a_table(self) -> Node:
        for extract in self.extracts:
            if extract.warns and self.variable == "value":
                raise ValueError(f"{extract}: an aggregate that its study refuses answers no question of a table")
        return self


class Reported(Strict):
    """What a study prints of repeated measurements: which statistic, and which error."""

    statistic: str
    error: str


class Extracts(Strict):
    """Everything that is set side by side, and what the whole is."""

    title: str
    description: str = ""
    limits: tuple[str, ...] = ()
    reported: Mapping[str, Reported] = {}
    nodes: Mapping[str, Node]

    def studies(self) -> list[str]:
        """Return the studies that are named, each once."""
        return list(dict.fromkeys(each.study for node in self.nodes.values() for each in node.extracts))


def read_extracts(folder: Path) -> Extracts:
    """Read the extracts.yaml of a comparison.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, or breaks the model; names the file and the line.
    """
    return read_model(folder / NAME, Extracts)[0]


def read_groups(folder: Path) -> tuple[Group, ...]:
    """Read the groups of checks.yaml, which join claims of several studies; none where there is no such file.

    Raises
    ------
    SidecarError
        As `read_extracts`.
    """
    path = folder / CHECKS
    return read_model(path, Checks)[0].groups if path.exists() else ()


def read_figures(folder: Path) -> tuple[Figure, ...]:
    """Read figures.yaml alone, whose claims are those of other studies.

    Raises
    ------
    SidecarError
        As `read_extracts`.
    """
    return read_model(folder / FIGURES, Figures)[0].figures
