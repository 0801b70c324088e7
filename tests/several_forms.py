"""How often one of two forms of a tool's output is lost where both stand in one log: ``python -m tests.several_forms``.

Many tools print tables, CSV, JSON or XML. Of each tool, whole fixture logs of different forms are put below each other,
as A, B and as A, B, A'; what is read of them must be what is read of each alone. `LIMITS` keeps, for each tool, how
many logs are tried, of how many that is not so, and how many of these are called whole all the same: the last two may
only fall. ``--write`` keeps what has fallen.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.parsers.model import Parsed, Row
from tests.conftest import LOGS, fixture_logs

LIMITS = Path(__file__).with_name("several_forms.tsv")
FEW = 3
"""Logs of a form that are put before those of another."""
LARGEST = 100_000
_ONE_TOOL = {"fio_json": "fio", "fio_terse": "fio", "fio_text": "fio"}
_SAID = {field.name for field in schema.VARIABLES} | {"operation", "metric", "label", "statistic", "value"}
_PLACED = {"start_time", "end_time", "time", *schema.VALUE_AT}


class Log(NamedTuple):
    """A whole fixture log."""

    text: str
    said: Counter[str]


class Counts(NamedTuple):
    """Logs of several forms that were tried, that are read otherwise than their parts, and that also seem whole."""

    tried: int = 0
    lost: int = 0
    silent: int = 0


def said(parsed: Parsed) -> Counter[str]:
    """Return what a log says: every row and sample by what was measured."""
    rows = [*parsed.runs, *parsed.clients, *parsed.events]
    samples = (dict(zip(parsed.series, values, strict=True)) for values in zip(*parsed.series.values(), strict=True))
    return Counter(map(_measured, itertools.chain(rows, samples)))


def _measured(row: Row) -> str:
    names = sorted(_SAID.intersection(row) - _PLACED)
    return repr([(name, row[name]) for name in names if row[name] == row[name] and row[name] != ""])


def form(text: str, name: str) -> str:
    """Name the form of a log by how it begins, and by its name."""
    begins = text.lstrip()[:1]
    if begins == "<":
        return "markup"
    if begins == "{" or text.lstrip().startswith(("[\n", "[ ", "[{")):
        return "json"
    return "csv" if name.endswith((".csv", ".ssv")) else "text"


@cache
def forms() -> dict[str, dict[tuple[str, str], list[Log]]]:
    """Return the whole logs of each tool by their form; tools of one form are left out."""
    found: dict[str, dict[tuple[str, str], list[Log]]] = {}
    for folder in sorted(LOGS.iterdir()):
        for log in fixture_logs(folder.name):
            text = "" if log.stat().st_size > LARGEST else log.read_text(errors="replace")
            parsed = _read(text) if text else None
            if parsed and parsed.complete and not parsed.is_empty():
                tool = found.setdefault(_ONE_TOOL.get(folder.name, folder.name), {})
                of_form = tool.setdefault((folder.name, form(text, log.name)), [])
                of_form.append(Log(text if text.endswith("\n") else f"{text}\n", said(parsed)))
    return {tool: logs for tool, logs in found.items() if len(logs) > 1}


def _read(text: str) -> Parsed | None:
    try:
        return parsers.parse(text)
    except ParseError:
        return None


def mixed(tool: str) -> Iterator[tuple[Log, ...]]:
    """Yield logs of two forms of a tool: A and B, and A, B and another A."""
    for of_one, of_other in itertools.permutations(forms()[tool].values(), 2):
        for at in range(min(FEW, max(len(of_one), len(of_other)))):
            one, other = of_one[at % len(of_one)], of_other[at % len(of_other)]
            yield one, other
            yield one, other, of_one[(at + 1) % len(of_one)]


def count(tool: str) -> Counts:
    """Count the logs of several forms of a tool, and what is lost of them."""
    found = Counts()
    for logs in mixed(tool):
        parsed = _read("".join(log.text for log in logs))
        lost = parsed is None or said(parsed) != sum((log.said for log in logs), Counter())
        silent = lost and parsed is not None and parsed.complete
        found = Counts(found.tried + 1, found.lost + lost, found.silent + silent)
    return found


def kept() -> dict[str, Counts]:
    """Read the table that is in the repository."""
    rows = [line.split("\t") for line in LIMITS.read_text().splitlines()[3:]] if LIMITS.exists() else []
    return {row[0]: Counts(*map(int, row[1:])) for row in rows if row[0] != "all"}


def written(table: dict[str, Counts]) -> str:
    """Lay the table out: a line a tool, sums last."""
    sums = Counts(*map(sum, zip(*table.values(), strict=True)))
    lines = [
        "# Logs of several forms of a tool: tried, not read as their parts are, and of these such as seem whole.",
        "# Written by `python -m tests.several_forms --write`. The last two numbers may only fall.",
        "tool\ttried\tlost\tsilent",
        *("\t".join([tool, *map(str, counts)]) for tool, counts in sorted(table.items())),
        "\t".join(["all", *map(str, sums)]),
    ]
    return "".join(f"{line}\n" for line in lines)


def risen(table: dict[str, Counts], limits: dict[str, Counts]) -> list[str]:
    """Say of which tools more is lost than is kept; of a tool that is not kept nothing may be."""
    return [
        f"{tool}: {counts.lost} lost, {counts.silent} of them in silence; {limit.lost} and {limit.silent} may be"
        for tool, counts in table.items()
        for limit in [limits.get(tool, Counts())]
        if counts.lost > limit.lost or counts.silent > limit.silent
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print or write the table."""
    options = argparse.ArgumentParser(description="Count losses of one of two forms.")
    options.add_argument("tools", nargs="*", help="of these tools alone")
    options.add_argument("--write", action="store_true", help=f"keep the table in {LIMITS.name}")
    given = options.parse_args(arguments)
    table = {tool: count(tool) for tool in given.tools or forms()}
    worse = risen(table, kept()) if LIMITS.exists() else []
    if given.write and not worse:
        LIMITS.write_text(written(kept() | table))
    else:
        sys.stdout.write(written(table))
    sys.stderr.write("".join(f"{line}\n" for line in worse))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
