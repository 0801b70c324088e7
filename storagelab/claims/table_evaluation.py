"""``tables.yaml``: the tables that a paper should have, each with its columns, and where every cell comes from.

A cell is written as

``= bm_read / vi_read``
    arithmetic on printed numbers, on parts of the test bed, and on cells of its row that stand before it;
``~ bm_read / vi_read``
    the standard error of such arithmetic, from the printed errors alone;
``@ fermi-concl-66``
    what comes out for a claim; with ``verdict`` or ``accepted`` behind it the verdict, or what supports the claim;
``{where: ..., steps: ..., take: ...}``
    what the logs say, as in published.yaml;
``{highest: [zfs, xfs]}``, ``{lead: [zfs, xfs]}``, ``{lowest_over_highest: [zfs, xfs]}``
    the name of the cell of the row that is highest, or the label before it (with ``apart: 0.05`` "none" unless it leads
    by so much), that cell over the next one, and the last over the first;
``{in: TB, of: = disks * disk_size}``
    a number in that unit, where the name of its column says so;
``{clock: = begins}``
    a time since midnight as hours and minutes;
``{at_most: [= a, = b]}``, ``{equal: [= a, = b]}``
    yes or no;
``{join: {lustre: ..., gpfs: ...}}``
    several numbers in one cell;

and anything else is text, in which ``{bm_read}`` is a number as it is printed. `each` makes a row for each combination
of words, which stand in braces too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import pydantic

from storagelab import schema, units
from storagelab.claims.number_evaluation import Found, take
from storagelab.claims.record import Record, Row
from storagelab.claims.study_numbers import ERROR, NORMAL, Numbers
from storagelab.claims.tables_yaml import Line, Table
from storagelab.errors import ReconstructError, StoragelabError, nearest
from storagelab.study.expressions import evaluate, in_si, names_in
from storagelab.study.published import Value, joined
from storagelab.study.sidecar_numbers import Quantity
from storagelab.study.validation import first_violation

EQUAL = 1e-10
"""Relative distance below which two numbers are equal, and none of them is ahead."""
SIGMAS, MARGIN = 2.0, 0.05
"""When two printed numbers agree by their errors, and when they are the same for practical purposes."""


def filled(tables: Sequence[Table], numbers: Numbers, ledger: Sequence[Row]) -> list[Row]:
    """Work out every cell of every table.

    Parameters
    ----------
    tables : sequence of Table
    numbers : Numbers
        Of the study.
    ledger : sequence of rows
        Its claims with their verdicts.

    Returns
    -------
    list of rows
        One a table, its rows with every column; numbers in SI, ``unit`` says which where a column has several.

    Raises
    ------
    StoragelabError
        If a cell cannot be worked out; says all that cannot, each with its table, row and column.
    """
    judged = {str(row["claim"]): row for row in ledger}
    wrong: list[str] = []
    found = [_table(table, Cells(numbers, judged), wrong) for table in tables]
    if wrong:
        raise StoragelabError("\n".join(wrong))
    return found


def _table(table: Table, cells: Cells, wrong: list[str]) -> Row:
    rows: list[dict[str, Any]] = []
    for line in itertools.chain.from_iterable(map(_repeated, table.rows)):
        try:
            rows.append(cells.row(line, table.columns))
        except StoragelabError as error:
            wrong.append(f"{table.id}, row {line.row!r}, {error}")
    return {**table.model_dump(exclude={"rows"}), "rows": rows}


def _repeated(line: Line) -> Iterator[Line]:
    """A line for each combination of the words that it is to be repeated for."""
    for words in itertools.product(*line.each.values()):
        said = dict(zip(line.each, words, strict=True))
        content = {name: _with(value, said) for name, value in line.model_dump(exclude={"each"}).items()}
        yield Line.model_validate(content)


def _with(value: Any, words: Mapping[str, Any]) -> Any:
    """Put words in the place of their names in braces; a place that is nothing else keeps a number a number."""
    if isinstance(value, Mapping):
        return {name: _with(each, words) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_with(each, words) for each in value]
    if not isinstance(value, str):
        return value
    for name, word in words.items():
        if value == f"{{{name}}}":
            return word
        value = value.replace(f"{{{name}}}", f"{word:g}" if isinstance(word, float | int) else word)
    return value


class Cells:
    """Works out the cells of a row, each after those before it."""

    def __init__(self, numbers: Numbers, ledger: Mapping[str, Row]) -> None:
        self.numbers = numbers
        self.ledger = ledger
        values = numbers.published.values.items()
        self.errors = {name + ERROR: each.error_amount.quantity for name, each in values if each.error_amount}
        self.known: dict[str, Found] = {}
        self.names = {**joined(numbers.published, numbers.bed.namespace()), **self.errors}

    def row(self, line: Line, columns: Sequence[str]) -> dict[str, Any]:
        """Work out a row: text, numbers in SI, and what both rest on."""
        found: dict[str, Any] = self._pair(*line.pair) if line.pair else {}
        bases = {"derived"} if line.pair else set()
        for name, written in line.cells.items():
            try:
                found[name], basis = self.cell(written, found)
            except pydantic.ValidationError as error:
                raise ReconstructError(f"column {name!r}: {first_violation(error, Quantity)}") from error
            except StoragelabError as error:
                raise ReconstructError(f"column {name!r}: {error}") from error
            bases |= {basis} if basis else set()
        if line.claim:
            found.setdefault("verdict", self._claim(line.claim)["wording"])
        basis = schema.weakest(bases)
        return {
            "row": self._filled_in(line.row),
            **{name: _value(found.get(name, "")) for name in columns},
            "units": {name: found[name][1] for name in columns if isinstance(found.get(name), tuple)},
            "basis": basis,
        }

    def cell(self, written: Any, row: Mapping[str, Any]) -> tuple[Any, str]:
        """Work out a cell: text, or a number with its SI unit; and what it rests on."""
        if isinstance(written, Mapping):
            return self._of_mapping(written, row)
        text = str(written)
        kind, rest = text[:1], text[1:].strip()
        if kind == "=":
            return in_si(evaluate(rest, self._with_row(row))), self._basis(rest)
        if kind == "~":
            return self._error(rest), "derived"
        if kind == "@":
            return self._of_claim(rest)
        return self._filled_in(text), ""

    def _of_mapping(self, written: Mapping[str, Any], row: Mapping[str, Any]) -> tuple[Any, str]:
        (kind, given), *others = written.items()
        if kind in _OF_OTHERS and [name for name, _ in others] in ([], ["apart"]):
            cells = given.items() if isinstance(given, Mapping) else ((name, name) for name in given)
            named = {label: row[name][0] for label, name in cells if isinstance(row.get(name), tuple)}
            return _ahead(kind, named, written.get("apart", EQUAL)), ""
        if kind in _HOLDS and not others:
            (one, basis), (other, _) = (self.cell(each, row) for each in given)
            return "yes" if _HOLDS[kind](one[0], other[0]) else "no", basis
        if kind == "clock" and not others:
            (seconds, _), basis = self.cell(given, row)
            return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d}", basis
        if kind == "join" and not others:
            found = {name: self.cell(each, row) for name, each in given.items()}
            words = ", ".join(f"{name} {_written(_value(each), each[1])}" for name, (each, _) in found.items())
            return words, schema.weakest(basis for _, basis in found.values())
        if set(written) == {"in", "of"}:
            (value, unit), basis = self.cell(written["of"], row)
            return (value / units.factor(written["in"], unit), "1"), basis
        return self._of_logs(written)

    def _of_logs(self, written: Mapping[str, Any]) -> tuple[Any, str]:
        asked = repr(written)
        if asked not in self.known:
            self.known[asked] = take(Quantity.model_validate(written), self.numbers.tree, "the logs")
        found = self.known[asked]
        return found.level or (found.value, found.unit), found.basis

    def _of_claim(self, named: str) -> tuple[Any, str]:
        claim, _, what = named.partition(" ")
        row = self._claim(claim)
        if what == "verdict":
            return row["wording"], ""
        if what == "accepted":
            return _accepted(row), ""
        value = row["value"]
        return (row["level"] or (value, row["unit"] or "1")) if value == value or row["level"] else "", row["basis"]

    def _claim(self, name: str) -> Row:
        if name not in self.ledger:
            raise ReconstructError(f"no claim {name!r}{nearest(name, self.ledger)}")
        return self.ledger[name]

    def _basis(self, expression: str) -> str:
        return "published" if expression.removesuffix(ERROR) in self.numbers.published.values else "derived"

    def _with_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: _quantity(*each) for name, each in row.items() if isinstance(each, tuple)}
        return {**self.names, **own}

    def _error(self, expression: str) -> tuple[float, str]:
        """Propagate printed errors, as `Numbers.expression` does those that come out of logs."""
        unit = in_si(evaluate(expression, self.names))[1]
        moved = [self._moved(expression, name) for name in names_in(expression) if name + ERROR in self.errors]
        if not moved:
            raise ReconstructError(f"{expression!r}: none of its numbers has a printed error")
        return math.hypot(*moved), unit

    def _moved(self, expression: str, name: str) -> float:
        error, middle = self.errors[name + ERROR], self.names[name]
        ends = [in_si(evaluate(expression, {**self.names, name: middle + sign * error}))[0] for sign in (1, -1)]
        return abs(ends[0] - ends[1]) / 2

    def _filled_in(self, text: str) -> str:
        for name, value in self.numbers.published.values.items():
            text = text.replace(f"{{{name}}}", as_printed(value))
        if "{" in text:
            raise ReconstructError(f"no published value {text[text.index('{') :]!r}")
        return text

    def _pair(self, one: str, other: str) -> dict[str, Any]:
        """Hold two printed numbers with printed errors against each other."""
        (a, unit), (b, _) = (in_si(evaluate(name, self.names)) for name in (one, other))
        error, ratio = self._error(f"{one} - {other}")[0], self._error(f"{other} / {one}")[0]
        z, relative = (b - a) / error, b / a - 1
        inside = abs(relative) + NORMAL * ratio < MARGIN
        return {
            "a": (a, unit),
            "b": (b, unit),
            "difference": (b - a, unit),
            "z": (z, "1"),
            "p_value": (math.erfc(abs(z) / math.sqrt(2)), "1"),
            "relative_difference": (relative, "1"),
            "compatible_2sigma": "yes" if abs(z) <= SIGMAS else "no",
            "equivalent_5pct": "yes" if inside else "no",
        }


def as_printed(value: Value) -> str:
    """Write a number as its paper prints it: "about 350 MB/s", "12.55 ± 0.06 MB/s"."""
    error = f" ± {value.error}" if value.error else ""
    unit = "" if value.unit == "1" else f" {value.unit}"
    return f"{'about ' if value.about else ''}{value.value}{error}{unit}"


_OF_OTHERS = ("highest", "lead", "lowest_over_highest")
_HOLDS: Mapping[str, Callable[[float, float], bool]] = {
    "at_most": lambda one, other: one <= other * (1 + EQUAL),
    "equal": lambda one, other: abs(one - other) <= EQUAL * abs(other),
}


def _ahead(kind: str, cells: Mapping[str, float], apart: float) -> Any:
    """Say which cell is highest ("none" of equal ones), by how much it leads, or how far the last lies below it."""
    ordered = sorted(cells.items(), key=lambda each: -each[1])
    if len(ordered) < 2:
        raise ReconstructError(f"{kind} needs two cells with numbers, found {', '.join(cells) or 'none'}")
    (name, first), (_, second), (_, last) = ordered[0], ordered[1], ordered[-1]
    if kind == "highest":
        return "none" if first <= second * (1 + apart) else name
    return (first / second if kind == "lead" else last / first, "1")


def _accepted(row: Row) -> str:
    """Say where a number supports a claim: "0.93 to 1.07", "at least 0.9"."""
    low, high = (
        _written(row[f"accepted_{end}"], "1") if math.isfinite(row[f"accepted_{end}"]) else "" for end in _ENDS
    )
    if low and high:
        return f"{low} to {high}"
    return f"at {'least' if low else 'most'} {low or high}" if low or high else ""


_ENDS = ("low", "high")


def _value(found: Any) -> Any:
    return found[0] if isinstance(found, tuple) else found


def _quantity(value: float, unit: str) -> Any:
    return units.quantity(value, unit)


def study_table(record: Record, id: str) -> pd.DataFrame:
    """Lay out a table that tables.yaml describes.

    Parameters
    ----------
    record : Record
    id : str
        Of the table.

    Returns
    -------
    DataFrame
        Columns row, those of the table, basis (what a row rests on) and, where numbers of a column are in several
        units, ``unit``. Numbers in SI, NaN where there is none; a column of words and numbers is text. Its attributes
        say the ``units`` of columns and the columns (``mixed``) whose unit stands in ``unit``.

    Raises
    ------
    StoragelabError
        If the record has no such table, or the notebook has to make it.
    """
    known = {str(table["id"]): table for table in record.tables}
    if id not in known:
        raise StoragelabError(f"no table {id!r} in tables.yaml{nearest(id, known)}")
    if not (rows := known[id]["rows"]):
        raise StoragelabError(f"{id} has no rows in tables.yaml: the notebook makes it from the dataset")
    columns = {name: _column(name, rows) for name in known[id]["columns"]}
    mixed = {name for name in columns if len(_units(name, rows)) > 1 and not isinstance(columns[name][0], str)}
    whole = {"row": [row["row"] for row in rows], **columns}
    if mixed:
        whole["unit"] = [_one_unit(row, mixed) for row in rows]
    made = pd.DataFrame({**whole, "basis": [row["basis"] or "not a number" for row in rows]})
    plain = {name: _units(name, rows).pop() for name in columns if name not in mixed and _units(name, rows)}
    made.attrs |= {"origin": "published", "units": plain, "mixed": {name: "unit" for name in columns if name in mixed}}
    return made


def _units(name: str, rows: Sequence[Row]) -> set[str]:
    return {row["units"][name] for row in rows if name in row["units"]}


def _one_unit(row: Row, mixed: set[str]) -> str:
    said = {unit for name, unit in row["units"].items() if name in mixed}
    if len(said) > 1:
        raise StoragelabError(f"row {row['row']!r} has {' and '.join(sorted(said))} in columns that share their unit")
    return said.pop() if said else ""


def _column(name: str, rows: Sequence[Row]) -> list[Any]:
    cells = [row[name] for row in rows]
    if all(isinstance(cell, float | int) or cell == "" for cell in cells) and any(cell != "" for cell in cells):
        return [math.nan if cell == "" else float(cell) for cell in cells]
    return [_written(cell, row["units"].get(name, "1")) for cell, row in zip(cells, rows, strict=True)]


def _written(cell: Any, unit: str) -> str:
    if isinstance(cell, str):
        return cell
    shown = {"B/s": "MB/s", "B": "GB"}.get(unit, unit)
    number = cell if shown == unit else cell / units.factor(shown, unit)
    return f"{number:.4g}" + ("" if unit == "1" else f" {shown}")
