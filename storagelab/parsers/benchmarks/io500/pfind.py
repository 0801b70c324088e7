"""find.csv: what each rank of pfind found, under a line with the rate of all.

The table has no end mark, but the entries of all ranks add up to rate times runtime.
"""

from __future__ import annotations

from collections.abc import Sequence

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import number

HEADING = "rank, errors, unknown, found, total, checked"
_COLUMNS = {"errors": "errors", "found": "files", "total": "items", "checked": "operations"}


def apart(numbered: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines of the table, and all others: in each of the two the lines of the other are empty."""
    table, others = [""] * len(numbered), list(numbered)
    is_table = False
    for at, line in enumerate(numbered):
        begins = HEADING in line or (line.startswith("runtime:") and " rate:" in line)
        is_table = begins or (is_table and (not line.strip() or line.count(",") > 1))
        if is_table:
            table[at], others[at] = line, ""
    return table, others


def read(numbered: Sequence[str], parsed: Parsed) -> None:
    """Read the line of the whole run and the rows of the ranks."""
    names: list[str] = []
    for line_number, line in enumerate(numbered, 1):
        if line.startswith("runtime:"):
            _add_run(line.split(), line_number, parsed)
        elif HEADING in line:
            names = [name.strip() for name in line.split(",")]
        elif names and line.strip():
            _add_rank(dict(zip(names, line.split(","), strict=False)), len(names), line_number, parsed)
    _check_sum(parsed, len(numbered))


def _add_run(words: list[str], line: int, parsed: Parsed) -> None:
    values = dict(zip(words[::2], words[1::2], strict=False))
    try:
        row: Row = {
            "operation": "find",
            "operation_rate": number(values["rate:"]),
            "elapsed": number(values["runtime:"]),
        }
    except (KeyError, ValueError):
        parsed.incomplete("expected 'runtime: SECONDS rate: OPERATIONS PER SECOND'", line)
    else:
        parsed.runs.append({**row, "line": line})


def _add_rank(cells: dict[str, str], width: int, line: int, parsed: Parsed) -> None:
    try:
        values: Row = {variable: float(int(cells[name])) for name, variable in _COLUMNS.items()}
        rank = int(cells["rank"])
    except (KeyError, ValueError, OverflowError):
        parsed.incomplete("expected the counts of a rank", line)
        return
    if len(cells) != width:
        parsed.incomplete(f"a rank has {len(cells)} of {width} cells", line)
        return
    parsed.clients.append({"operation": "find", "share": "rank", "process": str(rank), **values, "line": line})


def _check_sum(parsed: Parsed, last: int) -> None:
    if len(parsed.runs) != 1:
        parsed.incomplete(f"expected one line of runtime and rate, found {len(parsed.runs)}", last)
        return
    run = parsed.runs[0]
    entries = float(run["operation_rate"]) * float(run["elapsed"])
    counted = sum(float(row["items"]) for row in parsed.clients)
    if not abs(counted - entries) <= 1e-5 * entries + 1:
        parsed.incomplete(f"the ranks' entries add up to {counted:.0f}, rate times runtime to {entries:.0f}", last)
    else:
        run["processes"] = float(len(parsed.clients))
