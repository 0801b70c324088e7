"""Ordinary logs, read in one step, give what their parsers give line by line; damaged ones too, whoever reads them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.ingest import read_log
from storagelab.ingest.columns import count, names, tables
from storagelab.parsers.model import Rows, Sparse
from storagelab.parsers.ordinary import is_plain
from storagelab.parsers.text import decode
from storagelab.parsers.wrapping.unwrapping import Reader
from tests.fuzz.mutants import MUTATORS
from tests.parsers import test_read_at_once

ROOT = Path(__file__).parents[2]
WITH_ORDINARY = [parser for parser in parsers.PARSERS if hasattr(parser, "ORDINARY")]
FOLDERS = {
    "fileop": ("raw/loopback-2026/fileop", "raw/bnl-2007/logs/fileop", "tests/logs/fileop"),
    "ior": ("raw/loopback-2026/ior", "raw/llnl-2010/logs/ior", "tests/logs/ior"),
    "iozone": ("raw/loopback-2026/iozone", "raw/fermicloud-2011/logs/iozone", "tests/logs/iozone"),
    "mdtest": ("raw/loopback-2026/mdtest", "raw/llnl-2010/logs/mdtest", "tests/logs/mdtest"),
}
UNUSUAL = re.compile(r"\.json$|_autoexcel_")
"""Measured logs that are read line by line: documents, and reports for a spreadsheet behind a table."""
CASES = sorted(FOLDERS)


@cache
def line_by_line() -> Reader:
    """Read by the parsers alone."""
    reader = Reader(parsers.PARSERS)
    reader._ordinary = []
    return reader


@cache
def in_one_step() -> Reader:
    return Reader(parsers.PARSERS)


def all_of(reader: Reader, text: str, name: str) -> str:
    """Everything that is read of a log, the order of names included, or why it is refused."""
    try:
        format, parsed = reader.read(text, name)
    except ParseError as error:
        return str(error)
    rows = [list(parsed.runs), list(parsed.clients), parsed.events]
    return repr((format.name, parsed.header, rows, parsed.series, parsed.notes, parsed.complete))


def logs(format: str) -> list[Path]:
    found = [path for folder in FOLDERS[format] for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    return [path for path in found if not path.name.endswith(".golden.jsonl")]


def mutants(format: str, count: int) -> Iterator[tuple[str, str, str]]:
    """Logs, and what they are called, each changed once in a way that its number alone decides."""
    paths = logs(format)
    for seed in range(count):
        draw = random.Random(seed)
        path, kind = draw.choice(paths), draw.choice(sorted(MUTATORS))
        yield f"{seed}: {kind} {path.name}", path.name, MUTATORS[kind](draw, decode(path.read_bytes())[0])


def unlike(format: str, count: int) -> tuple[list[str], int]:
    """Return which mutants are read otherwise in one step, and how many were read in one step at all."""
    found, taken = [], 0
    for said, name, text in mutants(format, count):
        taken += in_one_step()._read_at_once(text, name, None) is not None
        if all_of(in_one_step(), text, name) != all_of(line_by_line(), text, name):
            found.append(said)
    return found, taken


def test_all_formats_with_ordinary_logs_are_held_against_their_parsers() -> None:
    elsewhere = [format.replace("_", "-") for format in test_read_at_once.FORMATS]
    assert sorted(parser.FORMAT.name for parser in WITH_ORDINARY) == sorted([*CASES, *elsewhere])


@pytest.mark.parametrize("format", CASES)
def test_log_is_read_the_same(format: str, quick: bool) -> None:
    chosen = logs(format)[:: 40 if quick else 12]
    texts = {path: decode(path.read_bytes())[0] for path in chosen}
    differ = [
        path
        for path, text in texts.items()
        if all_of(in_one_step(), text, path.name) != all_of(line_by_line(), text, path.name)
    ]
    assert differ == []


@pytest.mark.parametrize("format", CASES)
def test_damaged_log_is_read_the_same(format: str, quick: bool) -> None:
    differ, taken = unlike(format, 20 if quick else 60)
    assert differ == []
    assert taken


def _without_chmod(mark: str) -> str:
    """A log of fileop, built not to run chmod, whose cells hold a mark then."""
    text = (ROOT / "tests/logs/fileop/l4_u8_b_w.log").read_text()
    return re.sub(r"(?m)^([ABW](?: +\S+){11} +)\S+", rf"\g<1>{mark}", text)


@pytest.mark.parametrize("mark", ["nan", "-nan"])
def test_operation_that_was_not_run_is_left_out_at_once(mark: str) -> None:
    text = _without_chmod(mark)
    assert text.count(mark) > 2
    assert in_one_step()._read_at_once(text, "fileop.log", None)
    assert all_of(in_one_step(), text, "fileop.log") == all_of(line_by_line(), text, "fileop.log")


@pytest.mark.parametrize(
    ("found", "other"),
    [
        (r" nan", "   5"),
        (r"([AW])( +\d+)( +\d+)", r"\1\2 nan"),
        (r"(W +\d+)( +\d+)", r"\1 -nan"),
        (r" \d+(?= +nan)", "   0"),
    ],
)
def test_log_of_fileop_that_lacks_some_cells_is_read_the_same(found: str, other: str) -> None:
    text = _without_chmod("nan")
    for changes in (1, 0):
        changed = re.sub(found, other, text, count=changes)
        assert changed != text
        assert all_of(in_one_step(), changed, "fileop.log") == all_of(line_by_line(), changed, "fileop.log")


def test_iteration_of_mdtest_with_swapped_units_is_no_ordinary_one() -> None:
    path = min((ROOT / "raw/llnl-2010/logs/mdtest/nodes").iterdir())
    text = path.read_text()
    assert in_one_step()._read_at_once(text, path.name, None)
    assert not in_one_step()._read_at_once(text.replace(" sec,", " ops/sec", 1), path.name, None)


@pytest.mark.parametrize(
    ("log", "printed", "other"),
    [
        ("ior/4.1.0dev_file_per_process_8_tasks.txt", "229.09      13.02", "299.09      13.02"),
        ("ior/4.1.0dev_file_per_process_8_tasks.txt", "repetitions         : 2\n", ""),
        ("ior/2.10.3_shared_4_tasks_summary_only.txt", "1737.60   1021.94", "1737.60   9021.94"),
        ("iozone/throughput_c8_children.log", "\tTime Resolution = 0.000001 seconds.\n", ""),
        ("iozone/throughput_c8_children.log", "initial writers", "initial riders"),
    ],
)
def test_log_that_denies_itself_is_no_ordinary_one(log: str, printed: str, other: str) -> None:
    text = (ROOT / "tests" / "logs" / log).read_text()
    assert printed in text
    assert in_one_step()._read_at_once(text, log, None)
    assert not in_one_step()._read_at_once(text.replace(printed, other), log, None)


@pytest.mark.parametrize("format", CASES)
def test_measured_log_never_meets_the_parser(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: str) -> object:
        raise AssertionError("the log was read line by line")

    monkeypatch.setattr(parsers.by_name(format), "parse", parse)
    for path in [path for path in logs(format) if "raw" in path.parts and not UNUSUAL.search(str(path))][::20]:
        assert read_log(path).parsed.runs


def test_rows_that_lack_a_value_lack_its_name() -> None:
    rows = Rows()
    rows.add_columns(Sparse(operation=["read", "write"], elapsed=[None, 2.0], line=[3, 4]))
    shared = rows.shared({"part": 1})
    assert list(rows) == [{"operation": "read", "line": 3}, {"operation": "write", "elapsed": 2.0, "line": 4}]
    assert list(shared) == [{"part": 1} | row for row in rows]
    assert rows.distinct("elapsed") == {2.0}
    assert rows.column("elapsed", missing=-1.0) == [-1.0, 2.0]


def test_column_that_lacks_values_has_nan_in_a_table() -> None:
    log = read_log(ROOT / "tests/logs/fileop/f5_b_w_1.63.txt")
    (table,) = filter(count, tables(log, "runs"))
    assert count(table) == 15
    assert "operation_rate_max" in names(table)
    assert isinstance(table, dict)
    assert [rate for rate in table["operation_rate_max"] if rate != rate]
    assert None not in table["operation_rate_max"]


@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\r", "\x7f", "é", "<", "`", "~", "\ud800"])
def test_text_that_may_be_wrapped_is_not_plain(sign: str) -> None:
    assert is_plain("kB  reclen\t1\n")
    assert not is_plain(f"kB{sign}")
