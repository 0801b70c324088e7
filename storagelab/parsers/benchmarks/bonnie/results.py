"""What bonnie++ measured, from the cells of a row: keys of the run, and a row for each of its tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from storagelab.parsers.benchmarks.bonnie import broken_rows, table
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import KIB, MICROSECOND, MILLISECOND, PERCENT, binary_size

_KIND: Mapping[str, Row] = {
    "putc": {"operation": "write", "label": "per character"},
    "put_block": {"operation": "write", "label": "block"},
    "rewrite": {"operation": "rewrite"},
    "getc": {"operation": "read", "label": "per character"},
    "get_block": {"operation": "read", "label": "block"},
    "seeks": {"operation": "seek", "access_pattern": "random"},
    **{
        f"{short}_{what}": {"operation": operation, "access_pattern": pattern}
        for short, pattern in (("seq", "sequential"), ("ran", "random"))
        for what, operation in (("create", "file_create"), ("stat", "file_stat"), ("del", "file_remove"))
    },
}
_IN_BYTES = ("putc", "put_block", "rewrite", "getc", "get_block")
LATENCY = re.compile(r"(\d+)(us|ms|s)")
_SECONDS = {"us": MICROSECOND, "ms": MILLISECOND, "s": 1.0}
_TOO_FAST = re.compile(r"\++")
_NO_RATE = re.compile(rf"\++|{table.NUMBER_OF_FILES}")
_NO_NUMBER = re.compile(r"-?(?:nan|inf)")
_COUNT_OF_FILES = re.compile(r"(\d{1,9})(?::|$)")
"""What ``-n`` says first; behind it may stand sizes and folders."""


def keys_of(cells: Mapping[str, str]) -> Row:
    """Return what is the same for all tests of a run: its machine, sizes and processes."""
    file_size, _, chunk = cells.get("file_size", "").partition(":")
    keys: Row = {"host": cells["name"]} if cells.get("name") else {}
    sizes: Row = {}
    for name, printed in (("file_size", file_size), ("record_size", chunk or cells.get("io_chunk_size", ""))):
        if printed:
            sizes[name] = binary_size(printed if name == "record_size" or printed[-1:].isalpha() else f"{printed}M")
    at = cells.get(table.SIZE_LINE)
    keys |= on(int(at), sizes) if at else sizes
    if cells.get("concurrency", "").isdecimal():
        keys["processes"] = float(cells["concurrency"])
    return keys


def _items(cells: Mapping[str, str]) -> Row:
    """Files that the tests of files create; nothing where the log does not say."""
    found = _COUNT_OF_FILES.match(cells.get("num_files", ""))
    items: Row = {"items": float(found[1]) * table.UNIT_OF_FILES} if found and int(found[1]) else {}
    return _placed(items, cells.get(broken_rows.line_of("num_files")))


def tests_of(cells: Mapping[str, str], at: int, parsed: Parsed) -> Iterator[Row]:
    """Yield a row for each test that was measured; what is no number makes the log incomplete."""
    items = _items(cells)
    if table.NUMBER_OF_FILES in cells.values():
        parsed.note("the number of files is printed in place of their rates, which 1.98 and 2.00 have in CSV alone", at)
    for rate, kind in _KIND.items():
        printed = cells.get(rate, "")
        if _NO_NUMBER.fullmatch(printed):
            parsed.note(f"{rate} is {printed}: it was not measured", at)
            continue
        if _TOO_FAST.fullmatch(printed):
            parsed.note(f"{rate} was too fast to be measured", at)
        if printed and not (_NO_RATE.fullmatch(printed) and _is_unmeasured(cells.get(f"{rate}_latency", ""))):
            try:
                yield {**kind, **(items if rate in table.FILES else {}), **_values(rate, cells)}
            except ValueError:
                parsed.incomplete(
                    f"{rate}: expected numbers, found {printed!r} and {cells.get(f'{rate}_latency', '')!r}", at
                )


def _is_unmeasured(printed: str) -> bool:
    return not printed or bool(_TOO_FAST.fullmatch(printed))


def _values(rate: str, cells: Mapping[str, str]) -> Row:
    row: Row = {}
    if not _NO_RATE.fullmatch(cells[rate]):
        value = number(cells[rate])
        found: Row = {"throughput": value * KIB} if rate in _IN_BYTES else {"operation_rate": value}
        row |= _placed(found, cells.get(broken_rows.line_of(rate)))
    if not _is_unmeasured(cpu := cells.get(f"{rate}_cpu", "")):
        row |= _placed({"cpu_utilisation": number(cpu) * PERCENT}, cells.get(broken_rows.line_of(f"{rate}_cpu")))
    if not _is_unmeasured(latency := cells.get(f"{rate}_latency", "")):
        at = cells.get(table.LATENCY_LINE) or cells.get(broken_rows.line_of(f"{rate}_latency"))
        row |= _placed({"latency_max": _latency(latency)}, at)
    return row


def _placed(found: Row, at: str | None) -> Row:
    """Return values with the line on which they stand, where it is another than that of their row."""
    return on(int(at), found) if at else found


def _latency(printed: str) -> float:
    found = LATENCY.fullmatch(printed)
    if not found:
        raise ValueError
    return float(found[1]) * _SECONDS[found[2]]
