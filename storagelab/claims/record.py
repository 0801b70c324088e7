"""The record of a study, ``reports/<study>/claims.json``: its ledger, printed numbers, checks and figures."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from storagelab import writing
from storagelab.analysis.significant_digits import printed
from storagelab.errors import StoragelabError

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """What came of holding a paper against its logs; every part is a list of rows, numbers in SI.

    Attributes
    ----------
    study, origin : str
        Name of the study, and where its logs come from.
    ledger : sequence of rows
        A row a claim, with its verdict.
    measured : sequence of rows
        A row a claim and measured campaign that speaks of it.
    printed : sequence of rows
        A row a printed number.
    checks, groups, inconsistencies : sequence of rows
        Arithmetic on the paper, and what follows from it.
    figures : sequence of rows
        A row a figure of the paper, or one that is proposed.
    stages : sequence of rows
        What a byte crosses on each path of the test bed: path, stage, made_of, capacity [B/s], link_bytes.
    parts : sequence of rows
        Properties of the test bed: part, property, value.
    model : sequence of rows
        What the model assumes: parameter, value, why.
    tables : sequence of rows
        A row a table that the paper should have: id, where it is drawn, its columns, claims, and its rows.
    permits : sequence of rows
        What the text permits of curves that it does not print, a row a place of a curve: `storagelab.claims.permitted`.
    rules : sequence of rows
        What that rests on, a row a constraint: figure, curve, says, because.
    topologies : sequence of rows
        Boxes and lines of the drawings of the test bed: `storagelab.study.topology`.
    """

    study: str
    origin: str
    ledger: Sequence[Row]
    measured: Sequence[Row]
    printed: Sequence[Row]
    checks: Sequence[Row]
    groups: Sequence[Row]
    inconsistencies: Sequence[Row]
    figures: Sequence[Row]
    stages: Sequence[Row] = ()
    parts: Sequence[Row] = ()
    model: Sequence[Row] = ()
    tables: Sequence[Row] = ()
    permits: Sequence[Row] = ()
    rules: Sequence[Row] = ()
    topologies: Sequence[Row] = ()

    def verdicts(self) -> dict[str, str]:
        """Return each verdict by claim, and by ``claim @ study`` where it is a measured campaign's.

        Returns
        -------
        dict of str to str
            Words such as consistent, by the name of the row.
        """
        own = {str(row["claim"]): str(row["verdict"]) for row in self.ledger}
        return own | {name: str(row["verdict"]) for name, row in self.seconds().items()}

    def seconds(self) -> dict[str, Row]:
        """Return the rows of measured campaigns by ``claim @ study``, the second of one name with a 2.

        Returns
        -------
        dict of str to mapping
            Rows by their names.
        """
        named: dict[str, Row] = {}
        names = [f"{row['claim']} @ {row['study']}" for row in self.measured]
        for place, row in enumerate(self.measured):
            nth = names[: place + 1].count(names[place])
            named[names[place] if nth == 1 else f"{names[place]} {nth}"] = row
        return named


def save(record: Record, path: Path) -> None:
    """Write a record; the file appears whole or not at all.

    Parameters
    ----------
    record : Record
        What ``storagelab claims`` wrote of a study.
    path : Path
        The file; one that is there is replaced.
    """
    writing.write_bytes(path, as_json(record))


def as_json(record: Record) -> bytes:
    """Return what the file of a record holds."""
    content = _plain(dataclasses.asdict(record))
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def read(path: str | Path) -> Record:
    """Read the record that ``storagelab claims`` wrote.

    Parameters
    ----------
    path : Path or str
        The record.

    Returns
    -------
    Record
        What it holds.

    Raises
    ------
    StoragelabError
        If there is none, or it is no record.
    """
    try:
        content = orjson.loads(Path(path).read_bytes())
        return Record(**{name: _numbers(value) for name, value in content.items()})
    except FileNotFoundError:
        raise StoragelabError(f"{path}: no such record: run `storagelab claims STUDY` first") from None
    except (orjson.JSONDecodeError, TypeError, AttributeError) as error:
        raise StoragelabError(f"{path}: not a record of claims: {error}") from None


def _plain(value: Any) -> Any:
    """Numbers are rounded to what is printed, and those that JSON cannot hold become words: "nan", "inf"."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    return printed(value) if isinstance(value, float) else value


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return float(value["number"]) if set(value) == {"number"} else {k: _numbers(v) for k, v in value.items()}
    return [_numbers(each) for each in value] if isinstance(value, list) else value
