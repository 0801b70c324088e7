"""study.yaml: its model, and reading it with the line of every mistake."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import yaml

from storagelab import schema, units
from storagelab.errors import SidecarError, UnknownNameError
from storagelab.escaping.characters import harmless
from storagelab.study import document, linear_regex
from storagelab.study.document import Steps
from storagelab.study.model import Strict, dotted, read_model
from storagelab.study.values import Key, checked, known_event, known_key

_DAY = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


def _said(value: object) -> object:
    """Refuse what YAML made of a word that was not quoted: a truth value, or nothing at all."""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    shown = "nothing" if value is None else str(value)
    why = " (YAML reads yes, no, on and off so)" if isinstance(value, bool) else ""
    raise ValueError(f"expected text or a number, found {shown}{why}: put text in quotes")


def _day(value: object) -> str:
    """Refuse what is no year, month, day or interval of them in ISO 8601; YAML reads a year as a number."""
    text = str(value)
    for part in text.split("/") if text else ():
        try:
            if not _DAY.fullmatch(part):
                raise ValueError
            date.fromisoformat(part + "0000-01-01"[len(part) :])
        except ValueError:
            wanted = "a date in ISO 8601 (2026, 2026-11, 2026-11-20, or first/last)"
            raise ValueError(f"expected {wanted}, found {text!r}") from None
    return text


def _given(reason: str) -> str:
    if not reason.strip():
        raise ValueError("expected the reason, found nothing")
    return reason


KeyName = Annotated[str, pydantic.AfterValidator(known_key)]
EventName = Annotated[str, pydantic.AfterValidator(known_event)]
Said = Annotated[Key, pydantic.BeforeValidator(_said)]
Reason = Annotated[str, pydantic.AfterValidator(_given)]
Date = Annotated[str, pydantic.BeforeValidator(_day)]


class Column(Strict):
    """How a column of runs.csv (or a named group of a rule) becomes a key of the contract, or an event of the run."""

    key: KeyName | None = None
    event: EventName | None = None
    unit: str = ""
    words: Mapping[str, str] = {}
    within: KeyName | None = None
    """Key in each level of which the numbers begin anew."""
    ignore: str = ""

    @pydantic.model_validator(mode="after")
    def _key_or_reason(self) -> Column:
        if sum(map(bool, (self.key, self.event, self.ignore))) != 1:
            raise ValueError("a column needs either a key of the contract, or `ignore` with the reason, or an `event`")
        for key in (self.key, self.within) if self.within else ():
            if key is None or schema.is_text(key):
                raise ValueError(f"`within` numbers a key within another, and {key} is no number")
        return self


class Rule(Strict):
    """Which logs a rule covers, by glob or regular expression on the path below the study, and what it says of them.

    The expression is one of RE2 (see `linear_regex`).
    """

    glob: str = ""
    regex: str = ""
    keys: Mapping[KeyName, Said] = {}
    ignore: str = ""

    @pydantic.model_validator(mode="after")
    def _one_pattern(self) -> Rule:
        if bool(self.glob) == bool(self.regex):
            raise ValueError("a rule needs either `glob` or `regex`")
        linear_regex.check(self.regex)
        return self

    def __str__(self) -> str:
        return self.glob or self.regex

    def match(self, path: str) -> Mapping[str, str] | None:
        """Return the named groups where the rule covers the path, else None."""
        if self.glob:
            return {} if fnmatch.fnmatchcase(path, self.glob) else None
        return linear_regex.fullmatch(self.regex, path)


class Plan(Strict):
    """A part of the design: what was planned, as factors and their levels."""

    name: str
    where: Mapping[KeyName, Said] = {}
    factors: Mapping[KeyName, tuple[Said, ...]]


class Pilot(Strict):
    """What decides on `repeats: auto`: how many rounds come first, and what the campaign is to show after them."""

    rounds: Annotated[int, pydantic.Field(ge=2)] = 3
    variable: str = "throughput"
    effect: Annotated[float, pydantic.Field(gt=0)] = 1.1
    power: Annotated[float, pydantic.Field(gt=0.05, lt=1)] = 0.9
    most: Annotated[int, pydantic.Field(ge=2)] = 30
    """Rounds that are not exceeded, however much the pilot spreads."""


class Campaign(Strict):
    """What `storagelab campaign` runs: each combination of levels once in each round, in random order."""

    seed: int = 1
    repeats: Annotated[int, pydantic.Field(ge=1)] | Literal["auto"]
    factors: Mapping[KeyName, Annotated[tuple[Said, ...], pydantic.Field(min_length=1)]]
    set: Mapping[KeyName, Said] = {}
    """Keys that all runs have alike."""
    command: str = ""
    """What a run is; ``{clients}`` stands for the level of that factor, ``{{`` for a brace."""
    target: str = ""
    drop_caches: bool = False
    hosts: tuple[str, ...] = ()
    """Where the command of each run is started at once, over ssh; on this host alone where none is named."""
    ssh: tuple[str, ...] = ("ssh", "-o", "BatchMode=yes")
    slurm: tuple[str, ...] = ()
    """Lines behind ``#SBATCH`` in the script that ``--slurm`` writes."""
    pilot: Pilot = Pilot()

    @pydantic.model_validator(mode="after")
    def _each_level_once(self) -> Campaign:
        for name, levels in self.factors.items():
            if len(set(levels)) < len(levels):
                raise ValueError(
                    f"factors.{name}: expected each level once, found {', '.join(f'{one}' for one in levels)}"
                )
        if taken := [name for name in ("repeat", *self.set) if name in self.factors]:
            raise ValueError(f"factors.{taken[0]}: `repeats` and `set` say it already")
        return self

    def design(self) -> Plan | None:
        """Return the plan as a part of the design; None while nobody knows how many repeats there will be."""
        if self.repeats == "auto":
            return None
        rounds = tuple(float(number) for number in range(1, self.repeats + 1))
        return Plan(name="plan", where=self.set, factors={**self.factors, "repeat": rounds})


class Expected(Strict):
    """What the study declares of its own data: findings of a check of `validity` that are known, where, and why.

    `by` is "construction" where rendering the logs causes them, so that no campaign need have had them.
    """

    check: str
    where: Mapping[KeyName, Said | tuple[Said, ...]] = {}
    why: str
    by: Literal["", "construction"] = ""


class Sidecar(Strict):
    """Everything that study.yaml may say."""

    id: str
    title: str
    authors: tuple[str, ...] = ()
    origin: Literal["measured", "published", "reconstructed"]
    date: Date = ""
    description: str = ""
    asks: tuple[str, ...] = ()
    testbed: Mapping[str, Any] = {}
    limits: tuple[str, ...] = ()
    expected: tuple[Expected, ...] = ()
    design: tuple[Plan, ...] = ()
    plan: Campaign | None = None
    defaults: Mapping[KeyName, Said] = {}
    keys: Mapping[str, Said] = pydantic.Field(
        {}, description="of the five keys by which studies are compared, what holds where neither logs nor rows say it"
    )
    columns: Mapping[str, Column] = {}
    match: tuple[Rule, ...] = ()
    aside: Mapping[str, str] = pydantic.Field({}, description="glob of files that are no logs -> what they are")
    identical: Mapping[str, Reason] = pydantic.Field(
        {}, description="glob of logs of which some have the same bytes -> why none of them is a copy"
    )


def read_sidecar(path: Path) -> Sidecar:
    """Read one study.yaml.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, or breaks the model; names the file and the line.
    """
    sidecar, tree = read_model(path, Sidecar)
    hold(path, tree, _checks(sidecar))
    return sidecar


Check = Callable[[], object]


def hold(path: Path, tree: yaml.Node | None, checks: Iterable[tuple[Steps, Check]]) -> None:
    """Refuse the first value that the contract does not allow.

    Raises
    ------
    SidecarError
        With its place.
    """
    for steps, check in checks:
        try:
            check()
        except (ValueError, UnknownNameError) as error:
            raise SidecarError(str(path), f"{dotted(steps)}: {error}", document.line_of(tree, steps)) from None


def _checks(sidecar: Sidecar) -> Iterator[tuple[Steps, Check]]:
    """What the contract says of each value, as checks with the place of the value."""
    yield from _of_values(("defaults",), sidecar.defaults)
    for name, value in sidecar.keys.items():
        yield ("keys", name), partial(_check_condition, name, value)
    for name, column in sidecar.columns.items():
        yield ("columns", name), partial(_check_column, column)
    for i, rule in enumerate(sidecar.match):
        yield from _of_values(("match", i, "keys"), rule.keys)
        yield ("match", i, "regex"), partial(_check_groups, rule, sidecar.columns)
    if sidecar.plan:
        yield from of_campaign(sidecar.plan, ("plan",))
    for i, plan in enumerate(sidecar.design):
        yield from _of_values(("design", i, "where"), plan.where)
        for name, levels in plan.factors.items():
            for j, level in enumerate(levels):
                yield ("design", i, "factors", name, j), partial(checked, name, level)


def of_campaign(plan: Campaign, place: Steps = ()) -> Iterator[tuple[Steps, Check]]:
    """What the contract says of each level of a campaign."""
    yield from _of_values((*place, "set"), plan.set)
    for name, levels in plan.factors.items():
        for j, level in enumerate(levels):
            yield (*place, "factors", name, j), partial(checked, name, level)


def _of_values(place: Steps, values: Mapping[str, Key]) -> Iterator[tuple[Steps, Check]]:
    for name, value in values.items():
        yield (*place, name), partial(checked, name, value)


def _check_condition(name: str, value: Key) -> None:
    if name not in schema.FIVE_KEYS:
        raise UnknownNameError("key by which studies are compared", name, schema.FIVE_KEYS)
    if schema.is_text(name) and value == "":
        raise ValueError(f"{name}: expected a word, {schema.NOT_APPLICABLE!r} or {schema.UNKNOWN!r}, found nothing")
    if value != schema.NOT_APPLICABLE:
        checked(name, value)
    elif not schema.is_text(name):
        raise ValueError(f"{name}: expected a number, found {value!r}")


def _check_column(column: Column) -> None:
    if column.key is None:
        return
    unit = schema.field(column.key).unit
    if column.unit and unit is None:
        raise ValueError(f"{column.key} is text and has no unit, found {column.unit!r}")
    if column.unit:
        units.factor(column.unit, str(unit))
    for word in column.words.values() if unit is None else ():
        checked(column.key, word)


def _check_groups(rule: Rule, columns: Mapping[str, Column]) -> None:
    for name in linear_regex.names(rule.regex):
        if name not in columns:
            known_key(name)
