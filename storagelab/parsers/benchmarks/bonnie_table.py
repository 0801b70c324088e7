"""bonnie++'s table for people, of 1.03 to 2.00: the same cells as its CSV, where a log has no CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

OUTPUT = ("putc", "put_block", "rewrite", "getc", "get_block", "seeks")
FILES = ("seq_create", "seq_stat", "seq_del", "ran_create", "ran_stat", "ran_del")
FAST = ("put_block", "rewrite", "get_block", "seeks")
"""With ``-f`` nothing is done by character, and its columns are blank."""

_VERSION = re.compile(r"\s*(?:Version +(\d[\w.]*) +)?-{3,}Sequential (Output|Create)")
_CONCURRENCY = re.compile(r"\s*Concurrency +(\d+)")
_ROW = re.compile(r"(\S{1,200}) +(\d+[MG](?::\d+k?)?) +(.*)")
_RATE = re.compile(r"(\d+(?:\.\d+)?)([kmg]?)|\++")
_SCALE = {"": 1.0, "k": 1.0, "m": 1024.0, "g": 1024.0**2}


LATENCY_LINE = "latency line"
"""Cell with the number of the line on which the latencies stand."""


class Cells(NamedTuple):
    """Cells of a line of the table, by the names of the CSV, and those of the latencies below it."""

    line: int
    part: int
    cells: dict[str, str]


def read(lines: list[str]) -> Iterator[Cells]:
    """Yield the cells of each row of a table, with the latencies that stand below it."""
    shared: dict[str, str] = {}
    is_files, part = False, 0
    row: Cells | None = None
    for at, line in enumerate(lines, start=1):
        words = line.split()
        if version := _VERSION.match(line):
            is_files = version[2] == "Create"
            shared |= {"bonnie_version": version[1]} if version[1] else {}
            part += not is_files
        elif concurrency := _CONCURRENCY.match(line):
            shared["concurrency"] = concurrency[1]
        elif row and words[:1] == ["Latency"]:
            if any(name.endswith("_latency") for name in row.cells):
                continue
            names = _names(len(words) - 1, FILES if is_files else OUTPUT)
            row.cells.update({f"{name}_latency": word for name, word in zip(names, words[1:], strict=False)})
            row.cells[LATENCY_LINE] = str(at)
        elif part and (cells := _files(words) if is_files else _output(line, shared)):
            if row:
                yield row
            row = Cells(at, part, {**shared, **cells})
    if row:
        yield row


def _output(line: str, shared: dict[str, str]) -> dict[str, str]:
    """Cells of the row of output and input; it names the machine and the size for the rows of files too."""
    found = _ROW.match(line.strip())
    if not found:
        return {}
    cells = _pairs(found[3].split(), OUTPUT)
    if cells:
        shared |= {"name": found[1], "file_size": found[2]}
    return cells


def _files(words: list[str]) -> dict[str, str]:
    return _pairs(words[1:], FILES) if len(words) == 1 + 2 * len(FILES) else {}


def _pairs(words: list[str], names: tuple[str, ...]) -> dict[str, str]:
    """Rates and shares of CPU by turns; nothing where a word is none of the two."""
    names = _names(len(words) // 2, names)
    if not names or len(words) % 2 or not all(map(_RATE.fullmatch, words)):
        return {}
    rates = {name: _plain(word) for name, word in zip(names, words[::2], strict=True)}
    return rates | {f"{name}_cpu": word for name, word in zip(names, words[1::2], strict=True)}


def _names(count: int, names: tuple[str, ...]) -> tuple[str, ...]:
    return names if count == len(names) else FAST if count == len(FAST) and names is OUTPUT else ()


def _plain(word: str) -> str:
    """Write a rate as the CSV does: 2.00 prints ``2149k`` and ``1.2m`` for K/sec."""
    found = _RATE.fullmatch(word)
    if not found or not found[1] or not found[2]:
        return word
    return str(float(found[1]) * _SCALE[found[2]])
