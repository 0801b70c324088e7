"""Keys of a study's own, as study.yaml declares them: kernel, mount options, release, tuning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import pydantic

from storagelab import schema
from storagelab.errors import ContractError
from storagelab.escaping.characters import harmless
from storagelab.schema import Field
from storagelab.study.validation import Strict, doc


def _level(value: object) -> object:
    """Take text and numbers as they are; what YAML made of a word without quotes is neither."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        shown = "nothing" if value is None else str(value)
        raise ValueError(f"expected text or a number, found {shown}: put text in quotes")
    return harmless(value) if isinstance(value, str) else float(value)


Level = Annotated[str | float, pydantic.BeforeValidator(_level)]


class OwnKey(Strict):
    """A key that the contract does not have; it is used wherever keys of the contract are."""

    long_name: str = doc("", "what axes and tables call it; its name otherwise")
    unit: Literal["", "B", "B/s", "1/s", "s", "1"] = doc("", "SI unit of a number, `1` for pure numbers; none for text")
    levels: tuple[Level, ...] = doc(
        (), "all levels that it may have, in the order in which figures show them; any otherwise"
    )
    description: str = doc("", "what a reader has to know of it")

    @pydantic.model_validator(mode="after")
    def _one_kind(self) -> OwnKey:
        kinds = {type(level) for level in self.levels}
        if len(kinds) > 1:
            raise ValueError(f"levels: expected all text or all numbers, found {_listed(self.levels)}: quote the texts")
        if self.unit and str in kinds:
            raise ValueError(f"levels: expected numbers in {self.unit}, found the text {self.levels[0]!r}")
        if len(set(self.levels)) < len(self.levels):
            raise ValueError(f"levels: expected each once, found {_listed(self.levels)}")
        return self

    def field(self, name: str) -> Field:
        """Return it as a name of the contract; numbers without a unit are pure."""
        is_number = bool(self.unit) or any(isinstance(level, float) for level in self.levels)
        unit = (self.unit or "1") if is_number else None
        long_name = harmless(self.long_name or name.replace("_", " "))
        return Field(name, "key", unit, long_name, self.levels, own=True, description=harmless(self.description))


def _listed(levels: tuple[str | float, ...]) -> str:
    return ", ".join(repr(level) if isinstance(level, str) else f"{level:g}" for level in levels)


def kind_of_entry(value: object) -> str:
    """Tell a declaration from a value, for pydantic: a mapping, or nothing at all, declares a key."""
    return "declared" if value is None or isinstance(value, (Mapping, OwnKey)) else "said"


def declared(value: object) -> object:
    """Take a name without anything behind it as a key that is text."""
    return {} if value is None else value


def own_name(name: str) -> str:
    """Refuse what can be no name in `keys`; a ValueError, for pydantic."""
    if name not in schema.FIVE_KEYS and (reason := schema.OWN.refused(name)):
        raise ValueError(reason)
    return name


def declare(keys: Mapping[str, object], study: str) -> None:
    """Add the keys that a study declares to the contract of this process.

    Raises
    ------
    ValueError
        If one of the five keys is declared anew, a name has a value instead of a declaration, or another study means
        something else by it; for pydantic.
    """
    for name, said in keys.items():
        if name in schema.FIVE_KEYS and isinstance(said, OwnKey):
            raise ValueError(f"{name} is one of the five keys: expected its value, found a declaration")
        if name not in schema.FIVE_KEYS and not isinstance(said, OwnKey):
            how = "what all logs have in common belongs into `defaults`"
            raise ValueError(f"{name}: expected {', '.join(OwnKey.model_fields)}, found {said!r}: {how}")
    try:
        schema.OWN.declare_all((said.field(name) for name, said in keys.items() if isinstance(said, OwnKey)), study)
    except ContractError as error:
        raise ValueError(str(error)) from None
