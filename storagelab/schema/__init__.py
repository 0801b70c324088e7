"""The data contract: every name that a dataset may carry, with its meaning and SI unit. Spelled here and nowhere else.

A study is a tree of up to six nodes (`NODES`), each with the one dimension ``obs``. A field is a *key* (it identifies
a measurement), a *variable* (it was measured) or a *trace* (it leads back to the log). Text is "" where a key does not
apply and "unknown" where the source does not say; a missing number is NaN, never 0. A study may declare keys of its own
(`OWN`).
"""

from __future__ import annotations

from collections.abc import Mapping

from storagelab.errors import UnknownNameError
from storagelab.schema.conditions import FIVE_KEYS, NOT_APPLICABLE, UNKNOWN, condition
from storagelab.schema.keys import KEYS, REPLICATION
from storagelab.schema.lines import COMPUTED, LINE_OF, LOG_OF, MADE_OF, OF_VALUES, VALUE_AT, by_line, line_of, lines_of
from storagelab.schema.logs import LOG_FIELDS, TRACE
from storagelab.schema.names import Field, Kind
from storagelab.schema.own_keys import OwnKeys, attributes
from storagelab.schema.variables import VARIABLES
from storagelab.schema.vocabularies import (
    BASES,
    DIRECTIONS,
    EVENT_CLASSES,
    EVENTS,
    LEGIBILITIES,
    MEASURED,
    NODES,
    OPERATIONS,
    ORIGINS,
    ROLES,
    SAYS_RECONSTRUCTED,
    SEVERITIES,
    SIDECAR,
    TRANSLATIONS,
    VALUES,
    weakest,
)

__all__ = [
    "BASES",
    "COMPUTED",
    "DIRECTIONS",
    "EVENTS",
    "EVENT_CLASSES",
    "FIELDS",
    "FIVE_KEYS",
    "KEYS",
    "LEGIBILITIES",
    "LINE_OF",
    "LOG_FIELDS",
    "LOG_OF",
    "MADE_OF",
    "MEASURED",
    "NODES",
    "NOT_APPLICABLE",
    "OF_VALUES",
    "OPERATIONS",
    "ORIGINS",
    "OWN",
    "REPLICATION",
    "ROLES",
    "SAYS_RECONSTRUCTED",
    "SEVERITIES",
    "SIDECAR",
    "TRACE",
    "TRANSLATIONS",
    "UNKNOWN",
    "VALUES",
    "VALUE_AT",
    "VARIABLES",
    "Field",
    "Kind",
    "attributes",
    "by_line",
    "check_value",
    "condition",
    "field",
    "is_same_operation",
    "is_text",
    "line_of",
    "lines_of",
    "weakest",
]

_FIELDS = {field.name: field for field in [*KEYS, *VARIABLES, *TRACE, *LOG_FIELDS]}
FIELDS: Mapping[str, Field] = _FIELDS
OWN = OwnKeys(_FIELDS)
"""Keys that studies declare besides; `FIELDS` has them from then on."""


def field(name: str) -> Field:
    """Look a name up; an unknown one raises with the nearest known name.

    Parameters
    ----------
    name : str
        A name.

    Returns
    -------
    Field
        Its unit, kind and meaning.

    Raises
    ------
    UnknownNameError
        If neither the contract nor a study has it.

    Examples
    --------
    >>> field("throughput").unit
    'B/s'
    """
    try:
        return FIELDS[name]
    except KeyError:
        raise UnknownNameError("name", name, FIELDS) from None


def is_same_operation(of_log: object, said: object) -> bool:
    """Whether a sidecar's word for an operation agrees with the log's, which may leave the direction open.

    Parameters
    ----------
    of_log : object
        The operation of a row.
    said : object
        That of a sidecar.

    Returns
    -------
    bool
        True where they agree.
    """
    return of_log == said or said in DIRECTIONS.get(str(of_log), ())


def check_value(name: str, value: object) -> None:
    """Refuse a value outside the closed vocabulary of its name.

    Parameters
    ----------
    name : str
        A name of the contract.
    value : object
        What a row has under it.

    Raises
    ------
    UnknownNameError
        If the vocabulary does not have the value; says the nearest.
    """
    allowed = field(name).values
    if allowed and value not in allowed:
        raise UnknownNameError(f"{name}", _spelled(value), map(_spelled, allowed))


def _spelled(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def is_text(name: str) -> bool:
    """Whether values of this name are text rather than float64 in SI.

    Parameters
    ----------
    name : str
        A name of the contract.

    Returns
    -------
    bool
        False where they are numbers.

    Examples
    --------
    >>> is_text("filesystem"), is_text("throughput")
    (True, False)
    """
    return field(name).unit is None
