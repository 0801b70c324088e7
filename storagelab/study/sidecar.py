"""study.yaml: its model, and reading it with the line of every mistake."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import yaml

from storagelab import schema, units
from storagelab.errors import SidecarError, UnknownNameError, nearest
from storagelab.parsers.text import number

Key = str | float
Keys = dict[str, Key]

LOG_LEVEL = frozenset({"elapsed", "exit_status", *(entry.name for entry in schema.LOG_FIELDS)})
"""Names that describe a log rather than a measurement; they stay in the node ``logs``."""


def _known_key(name: str) -> str:
    known = [entry.name for entry in schema.FIELDS.values() if entry.kind == "key" or entry.name in LOG_LEVEL]
    if name not in known:
        raise ValueError(str(UnknownNameError("key", name, known)))
    return name


KeyName = Annotated[str, pydantic.AfterValidator(_known_key)]


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


class Column(_Strict):
    """How a column of runs.csv (or a named group of a rule) becomes a key of the contract."""

    key: KeyName | None = None
    unit: str = ""
    words: Mapping[str, str] = {}
    ignore: str = ""

    @pydantic.model_validator(mode="after")
    def _key_or_reason(self) -> Column:
        if (self.key is None) == (not self.ignore):
            raise ValueError("a column needs either a key of the contract, or `ignore` with the reason")
        return self


class Rule(_Strict):
    """Which logs a rule covers, by glob or regular expression on the path below the study, and what it says of them."""

    glob: str = ""
    regex: str = ""
    keys: Mapping[KeyName, Key] = {}
    ignore: str = ""

    @pydantic.model_validator(mode="after")
    def _one_pattern(self) -> Rule:
        if bool(self.glob) == bool(self.regex):
            raise ValueError("a rule needs either `glob` or `regex`")
        re.compile(self.regex)
        return self

    def match(self, path: str) -> Mapping[str, str] | None:
        """Return the named groups where the rule covers the path, else None."""
        if self.glob:
            return {} if fnmatch.fnmatchcase(path, self.glob) else None
        found = re.fullmatch(self.regex, path)
        return {name: text for name, text in found.groupdict().items() if text is not None} if found else None


class Plan(_Strict):
    """A part of the design: what was planned, as factors and their levels."""

    name: str
    where: Mapping[KeyName, Key] = {}
    factors: Mapping[KeyName, tuple[Key, ...]]


class Sidecar(_Strict):
    """Everything that study.yaml may say."""

    id: str
    title: str
    authors: tuple[str, ...] = ()
    origin: Literal["measured", "published", "reconstructed"]
    date: str = ""
    description: str = ""
    asks: tuple[str, ...] = ()
    testbed: Mapping[str, Any] = {}
    limits: tuple[str, ...] = ()
    design: tuple[Plan, ...] = ()
    defaults: Mapping[KeyName, Key] = {}
    columns: Mapping[str, Column] = {}
    match: tuple[Rule, ...] = ()
    aside: Mapping[str, str] = pydantic.Field({}, description="glob of files that are no logs -> what they are")


def read_sidecar(path: Path) -> Sidecar:
    """Read one study.yaml.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, or breaks the model; names the file and the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        return Sidecar.model_validate(yaml.safe_load(text))
    except (FileNotFoundError, NotADirectoryError):
        raise SidecarError(str(path), "no such file: a study is a folder with a study.yaml") from None
    except UnicodeDecodeError as error:
        raise SidecarError(str(path), f"not UTF-8: {error.reason} at byte {error.start}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        message = f"not YAML: {getattr(error, 'problem', error)}"
        raise SidecarError(str(path), message, mark.line + 1 if mark else 0) from None
    except pydantic.ValidationError as error:
        raise _first_violation(path, tree, error) from None


def _first_violation(path: Path, tree: yaml.Node | None, error: pydantic.ValidationError) -> SidecarError:
    first = error.errors(include_url=False)[0]
    dotted = ".".join(str(step) for step in first["loc"]) or "the file"
    message = f"{dotted}: {first['msg']}"
    if first["type"] == "extra_forbidden":
        message = f"unknown key {first['loc'][-1]!r}{nearest(str(first['loc'][-1]), Sidecar.model_fields)}"
    return SidecarError(str(path), message, _line_of(tree, first["loc"]))


def _line_of(node: yaml.Node | None, steps: tuple[str | int, ...]) -> int:
    """Find the line on which the value at a pydantic location stands."""
    line = node.start_mark.line + 1 if node else 0
    for step in steps:
        child = _child(node, step)
        if child is None:
            break
        line, node = child
    return line


def _child(node: yaml.Node | None, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((k.start_mark.line + 1, v) for k, v in node.value if k.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark.line + 1, node.value[step]
    return None


def to_keys(cells: Mapping[str, str], columns: Mapping[str, Column]) -> Keys:
    """Translate words and units of a row into keys of the contract; an empty cell says nothing."""
    keys: Keys = {}
    for name, text in cells.items():
        column = columns[name]
        if column.key and text != "":
            keys[column.key] = _value(column, column.words.get(text, text))
    return keys


def _value(column: Column, text: str) -> Key:
    assert column.key is not None
    if schema.is_text(column.key):
        schema.check_value(column.key, text)
        return text
    try:
        value = number(text)
    except ValueError:
        raise ValueError(f"{column.key}: expected a number, found {text!r}") from None
    return value * units.factor(column.unit, str(schema.field(column.key).unit)) if column.unit else value
