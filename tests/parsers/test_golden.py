"""Each log in tests/logs/<format>/ is read by the parser of that name and gives the table beside it.

A new case is two files, no code: put the log there and run ``pytest tests/parsers/test_golden.py --update-golden``,
then read the table line by line before you commit it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.text import decode
from tests.conftest import fixture_logs, log_id


def table(log: Path) -> list[dict[str, object]]:
    """One object for the log, one a row, one a column of a series; or the error it deserves."""
    try:
        parsed = parsers.parse(decode(log.read_bytes())[0], name=log.name)
    except ParseError as error:
        return [{"error": str(error)}]
    notes = [list(note) for note in parsed.notes]
    head: list[dict[str, object]] = [{"header": parsed.header, "complete": parsed.complete, "notes": notes}]
    rows = [{"node": node, **row} for node in ("runs", "clients", "events") for row in getattr(parsed, node)]
    columns = [{"node": "series", "name": name, "values": list(column)} for name, column in parsed.series.items()]
    return head + rows + columns


@pytest.mark.parametrize("log", fixture_logs(), ids=log_id)
def test_log_gives_its_golden_table(log: Path, request: pytest.FixtureRequest) -> None:
    golden = log.with_name(log.name + ".golden.jsonl")
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table(log))
    if request.config.getoption("--update-golden"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_logs_are_recognised_by_the_parser_of_their_folder() -> None:
    found = {log: parsers.recognise(decode(log.read_bytes())[0], log.name).FORMAT.name for log in fixture_logs()}
    assert {log: name for log, name in found.items() if name.replace("-", "_") != log.parent.name} == {}
