"""Damaged forms of each fixture, and what is made of them: ``python -m tests.parsers.damaged fio_json/x.json 3``.

Kept are the first few of each, and others that ``python -m tests.parsers.choose`` has found to show something new.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from storagelab import parsers
from storagelab.errors import ParseError
from tests.conftest import LOGS, fixture_logs, log_id
from tests.fuzz import mutants

KEPT = Path(__file__).with_name("damaged.tsv")
FIRST = 2
"""Damaged forms of each fixture that are kept whatever they show."""
Reading = list[Any]
Forms = dict[int, str]
"""The numbers of damaged forms of a fixture, and a hash of what is made of each."""
Kept = dict[str, tuple[Forms, Forms]]
"""By fixture the forms that fast tests read, and the others that are kept."""

MUTATORS = (
    mutants.numbers, mutants.fields, mutants.dropped_field, mutants.swapped_lines, mutants.dropped_lines,
    mutants.repeated_lines, mutants.deleted_span, mutants.odd_characters, mutants.words,
)  # fmt: skip
LONGEST = 20_000
"""Characters of a fixture before it is damaged; a longer one ends with a line."""


def form(log: Path, number: int) -> str:
    """Return a damaged form of a fixture: a function of its name and the number alone."""
    draw = random.Random(f"{log_id(log)} {number}")
    text = mutants.read(log)
    if len(text) > LONGEST:
        text = text[: text.rfind("\n", 0, LONGEST) + 1]
    for _ in range(1 + number % 2):
        text = draw.choice(MUTATORS)(draw, text)
    return text


def reading(text: str, name: str) -> Reading:
    """Return all that is made of a text, as JSON has it; or the error it deserves."""
    try:
        parsed = parsers.parse(text, name=name)
    except ParseError as error:
        return [str(error).replace(f" {len(parsers.PARSERS)} formats ", " formats ")]
    rows = [[dict(row) for row in of] for of in (parsed.runs, parsed.clients, parsed.events)]
    series = {name: list(column) for name, column in parsed.series.items()}
    return [parsed.header, parsed.complete, [list(note) for note in parsed.notes], *rows, series]


def results(log: Path, numbers: Iterable[int]) -> Forms:
    """Return a short hash of what is made of some damaged forms of a fixture, by their number."""
    found = ((number, json.dumps(reading(form(log, number), log.name))) for number in numbers)
    return {number: hashlib.sha256(text.encode()).hexdigest()[:6] for number, text in found}


def kept() -> Kept:
    """Return the hashes that are kept, by fixture and number."""
    rows = (line.split("\t") for line in KEPT.read_text().splitlines())
    return {log: (_read(quick), _read(others)) for log, quick, others in rows}


def _read(forms: str) -> Forms:
    pairs = (one.split(":") for one in forms.split())
    return {int(number): made for number, made in pairs}


def _written(forms: Forms) -> str:
    return " ".join(f"{number}:{made}" for number, made in forms.items())


def write() -> None:
    """Keep what is made now of the forms that are kept; of a new fixture, of the first ones."""
    known, first = kept(), dict.fromkeys(range(FIRST), "")
    forms = {log: known.get(log_id(log), ({}, first)) for log in fixture_logs()}
    keep({log_id(log): (results(log, quick), results(log, others)) for log, (quick, others) in forms.items()})


def keep(found: Kept) -> None:
    """Keep forms with what is made of them."""
    KEPT.write_text(
        "".join(f"{log}\t{_written(quick)}\t{_written(others)}\n" for log, (quick, others) in found.items())
    )


def main() -> None:
    """Print one damaged form and what is made of it."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.parsers.damaged", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("log", type=Path, help="a fixture below tests/logs, as fio_json/jsonplus-3.33.json")
    parser.add_argument("number", type=int, help="which of its damaged forms")
    asked = parser.parse_args()
    text = form(LOGS / asked.log, asked.number)
    parts = [json.dumps(part, ensure_ascii=False) for part in reading(text, asked.log.name)]
    sys.stdout.write("\n".join([text, *parts, ""]))


if __name__ == "__main__":
    main()
