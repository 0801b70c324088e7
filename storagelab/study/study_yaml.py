"""study.yaml: its model, and reading it with the line of every mistake."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pydantic
import yaml

from storagelab import schema, units
from storagelab.errors import SidecarError, UnknownNameError, all_of
from storagelab.study import linear_regex, yaml_reading
from storagelab.study.campaign_plan import Campaign, Check, Plan, levels_of_campaign, of_campaign, of_values
from storagelab.study.declared_keys import OwnKey, declare
from storagelab.study.fields import Date, EventName, KeyEntry, KeyName, OwnName, Reason, Said
from storagelab.study.validation import Strict, doc, dotted, read_model
from storagelab.study.value_checks import Key, checked, known_in
from storagelab.study.yaml_reading import Steps


class Column(Strict):
    """How a column of runs.csv (or a named group of a rule) becomes a key of the contract, or an event of the run."""

    key: KeyName | None = doc(None, "key of the contract, or of the study, that the cells say")
    event: EventName | None = doc(None, "what was done to the run at the moment that a cell says")
    unit: str = doc("", "unit of the cells, such as MiB; SI otherwise")
    words: Mapping[str, str] = doc({}, "word of a cell -> level of the key")
    within: KeyName | None = doc(None, "key in each level of which the numbers begin anew")
    ignore: str = doc("", "why the column says nothing")

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

    glob: str = doc("", "pattern of paths below the study, * for anything")
    regex: str = doc("", "expression for whole paths; its named groups, such as (?P<nodes>[0-9]+), are keys")
    keys: Mapping[KeyName, Said] = doc({}, "key -> level of all logs that it covers, numbers in SI")
    ignore: str = doc("", "why these files are no logs of the study")

    @pydantic.model_validator(mode="after")
    def _one_pattern(self) -> Rule:
        if bool(self.glob) == bool(self.regex):
            raise ValueError("a rule needs either `glob` or `regex`")
        linear_regex.check(self.regex)
        return self

    def __str__(self) -> str:
        return self.glob or self.regex

    @property
    def groups(self) -> list[str]:
        """Named groups of the expression: each is a key of the contract, of the study, or a column that says one."""
        return linear_regex.names(self.regex)

    def match(self, paths: Sequence[str]) -> Sequence[Mapping[str, str] | None]:
        """Return of each path the named groups where the rule covers it, else None."""
        if self.glob:
            return [{} if fnmatch.fnmatchcase(path, self.glob) else None for path in paths]
        return linear_regex.fullmatches(self.regex, paths)


class Expected(Strict):
    """What the study declares of its own data: findings of a check of `validity` that are known, where, and why.

    `by` is "construction" where rendering the logs causes them, so that no campaign need have had them.
    """

    check: str = doc(..., "name of the check of `validity`")
    where: Mapping[KeyName, Said | tuple[Said, ...]] = doc({}, "findings that are known: key -> level, or levels")
    why: str = doc(..., "the reason")
    by: Literal["", "construction"] = doc("", "construction, where rendering the logs causes them")


class Sidecar(Strict):
    """Everything that study.yaml may say."""

    id: str = doc(..., "name of the study, that of its folder")
    title: str = doc(..., "what it is about, in a line")
    authors: tuple[str, ...] = doc((), "who made it")
    origin: Literal["measured", "published", "reconstructed"] = doc(..., "where the numbers come from")
    date: Date = doc("", "day, or first/last, in ISO 8601")
    description: str = doc("", "what was done, in a paragraph")
    asks: tuple[str, ...] = doc((), "questions that it answers")
    testbed: Mapping[str, Any] = doc({}, "hosts, networks and disks, in any words")
    limits: tuple[str, ...] = doc((), "what must not be concluded")
    keys: Mapping[OwnName, KeyEntry] = doc(
        {},
        "of the five keys by which studies are compared, what holds where neither logs nor rows say it; "
        "any other name is declared as a key of the study's own",
    )
    expected: tuple[Expected, ...] = doc((), "findings of `validity` that are known")
    design: tuple[Plan, ...] = doc((), "what was planned")
    plan: Campaign | None = doc(None, "what `storagelab campaign` runs; it is part of the design")
    defaults: Mapping[KeyName, Said] = doc({}, "key -> level of all logs, where no rule and no row says another")
    columns: Mapping[str, Column] = doc({}, "column of runs.csv, or group of a rule, that is not named like its key")
    match: tuple[Rule, ...] = doc((), "rules by which names of logs say keys; two rules must not disagree")
    aside: Mapping[str, str] = doc({}, "glob of files that are no logs -> what they are")
    identical: Mapping[str, Reason] = doc(
        {}, "glob of logs of which some have the same bytes -> why none of them is a copy"
    )

    @pydantic.field_validator("keys")
    @classmethod
    def _declared(cls, keys: Mapping[str, OwnKey | Key], known: pydantic.ValidationInfo) -> Mapping[str, OwnKey | Key]:
        """Make keys of its own known before the rest of the file names them."""
        declare(keys, str(known.data.get("id", "")))
        return keys

    @property
    def own_keys(self) -> dict[str, OwnKey]:
        """Keys that the study declares."""
        return {name: said for name, said in self.keys.items() if isinstance(said, OwnKey)}

    @property
    def five_keys(self) -> dict[str, Key]:
        """What it says of the five keys where its rows say nothing."""
        return {name: said for name, said in self.keys.items() if not isinstance(said, OwnKey)}


def read_sidecar(path: Path) -> Sidecar:
    """Read one study.yaml.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    Sidecar
        What it says.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, or breaks the model; names the file and the line.
    """
    sidecar, tree = read_model(path, Sidecar)
    hold(path, tree, _checks(sidecar))
    return sidecar


def hold(path: Path, tree: yaml.Node | None, checks: Iterable[tuple[Steps, Check]]) -> None:
    """Refuse values that the contract does not allow, all at once.

    Raises
    ------
    SidecarError
        With the place of each.
    """
    wrong = []
    for steps, check in checks:
        try:
            check()
        except (ValueError, UnknownNameError) as error:
            wrong.append(SidecarError(str(path), f"{dotted(steps)}: {error}", yaml_reading.line_of(tree, steps)))
    if wrong:
        raise all_of(wrong)


def _checks(sidecar: Sidecar) -> Iterator[tuple[Steps, Check]]:
    """What the contract says of each value, as checks with the place of the value."""
    for place, name in _named(sidecar):
        yield place, partial(known_in, name, sidecar.own_keys)
    yield from of_values(("defaults",), sidecar.defaults)
    for name, value in sidecar.five_keys.items():
        yield ("keys", name), partial(_check_condition, name, value)
    for name, column in sidecar.columns.items():
        yield ("columns", name), partial(_check_column, column)
    for i, rule in enumerate(sidecar.match):
        yield from of_values(("match", i, "keys"), rule.keys)
    if sidecar.plan:
        yield from of_campaign(sidecar.plan, ("plan",))
    for i, plan in enumerate(sidecar.design):
        yield from of_values(("design", i, "where"), plan.where)
        for name, levels in plan.factors.items():
            for j, level in enumerate(levels):
                yield ("design", i, "factors", name, j), partial(checked, name, level)


def _named(sidecar: Sidecar) -> Iterator[tuple[Steps, str]]:
    """Every key that the file names, and where."""
    for name in sidecar.defaults:
        yield ("defaults", name), name
    for name, column in sidecar.columns.items():
        if column.key:
            yield ("columns", name, "key"), column.key
    for i, rule in enumerate(sidecar.match):
        yield from ((("match", i, "keys", name), name) for name in rule.keys)
        yield from ((("match", i, "regex"), name) for name in rule.groups if name not in sidecar.columns)
    for i, plan in enumerate(sidecar.design):
        yield from ((("design", i, "where", name), name) for name in plan.where)
        yield from ((("design", i, "factors", name), name) for name in plan.factors)
    if sidecar.plan:
        yield from ((("plan", *place), str(place[-1])) for place, _ in levels_of_campaign(sidecar.plan))


def _check_condition(name: str, value: Key) -> None:
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
