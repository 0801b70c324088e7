"""Keys of a study's own: what its study.yaml adds to the contract (kernel, mount options, release).

One name means one thing: whatever reads a study, or a dataset of it, declares its keys here, and from then on they are
looked up like those of the contract. Each column of such a key carries its declaration (`ATTRIBUTE`), so that a dataset
needs no study.yaml to be understood.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from storagelab.errors import ContractError
from storagelab.schema.names import Field

ATTRIBUTE = "own_key"
"""Attribute of a column that holds what `units` and `long_name` do not: levels and description, as JSON."""

UNITS = ("B", "B/s", "1/s", "s", "1")
"""Units that a number of the contract may have."""


class OwnKeys:
    """Keys that studies declared in this process, beside those of the contract.

    Parameters
    ----------
    fields : dict of str to Field
        The names of the contract; declared ones are added at the end.
    """

    def __init__(self, fields: dict[str, Field]) -> None:
        self._fields = fields
        self._contract = frozenset(fields)
        self._sources: dict[str, str] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def refused(self, name: str) -> str:
        """Say why a name cannot be that of a key of one's own; "" where it can."""
        if name in self._contract:
            what = f"{name!r} is a {self._fields[name].kind} of the contract ({self._fields[name].long_name})"
            return f"{what}: logs, `match`, runs.csv or `defaults` say it"
        if not (name.isidentifier() and name.isascii() and name == name.lower()) or name.startswith("_"):
            return f"expected a name of small letters, digits and _, such as mount_options, found {name!r}"
        return ""

    def declare(self, field: Field, source: str) -> None:
        """Add a key; the study that declared it may do so anew.

        Parameters
        ----------
        field : Field
        source : str
            Study that declares it, for messages.

        Raises
        ------
        ContractError
            If it is no name for a key, or another study says it in another unit: one name means one thing.
        """
        if reason := self.refused(field.name):
            raise ContractError(reason)
        known = self._fields.get(field.name)
        before = self._sources.get(field.name, source)
        if known is not None and before != source and known.unit != field.unit:
            said, wanted = _kind(field), _kind(known)
            raise ContractError(
                f"key {field.name!r} of {source or 'a study'}: expected {wanted}, as {before or 'another study'} "
                f"declares it, found {said}: give one of them another name"
            )
        self._fields[field.name] = field
        self._sources[field.name] = source

    def declare_all(self, fields: Iterable[Field], study: str) -> None:
        """Let a study declare its keys, and forget those that it declared before and does not any more.

        Raises
        ------
        ContractError
            As `declare`.
        """
        for name in [name for name, source in self._sources.items() if source == study]:
            del self._fields[name], self._sources[name]
        for field in fields:
            self.declare(field, study)

    def declare_columns(self, columns: Mapping[Any, Any], source: str) -> None:
        """Add the keys that columns of a dataset declare; columns have `attrs`.

        Raises
        ------
        ContractError
            As `declare`.
        """
        for name, column in columns.items():
            text = column.attrs.get(ATTRIBUTE)
            if text is not None and self._fields.get(str(name)) != (found := _from_attributes(str(name), column.attrs)):
                self.declare(found, source)

    def forget(self) -> None:
        """Leave only the contract."""
        for name in self._sources:
            del self._fields[name]
        self._sources.clear()


def _kind(field: Field) -> str:
    return "text" if field.unit is None else f"a number in {field.unit!r}"


def attributes(field: Field) -> dict[str, str]:
    """Attributes of a column: `long_name`, `units` unless it is text, and of a key of one's own its declaration.

    Parameters
    ----------
    field : Field
        A name of the contract, or of a study.

    Returns
    -------
    dict of str to str
        Attributes by their names.
    """
    told = {"long_name": field.long_name} | ({} if field.unit is None else {"units": field.unit})
    if not field.own:
        return told
    more = {"levels": list(field.values), "description": field.description}
    return told | {ATTRIBUTE: json.dumps({name: value for name, value in more.items() if value})}


def _from_attributes(name: str, attrs: Mapping[str, Any]) -> Field:
    more = json.loads(attrs[ATTRIBUTE])
    return Field(
        name, "key", attrs.get("units"), str(attrs.get("long_name", name)), tuple(more.get("levels", ())),
        own=True, description=more.get("description", ""),
    )  # fmt: skip
