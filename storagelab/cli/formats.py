"""``storagelab formats``: what can be read, and of logs which format each is and on which line one sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from storagelab import parsers, writing
from storagelab.cli.command_output import give
from storagelab.cli.console import bug, format_oserror, warn
from storagelab.cli.shared_options import STANDARD_INPUT
from storagelab.errors import ParseError, StoragelabError, shorten
from storagelab.escaping.characters import visible
from storagelab.ingest import Log, log_lines, read_log
from storagelab.ingest.log_file import Ending, lines_of
from storagelab.ingest.logs_without_study import find_logs
from storagelab.parsers import Format

WIDTH = 100
"""Characters of a line that are shown."""

LISTED = "{name}\n  {tool} {versions}\n  reads: {reads}\n  source: {source}"


def listed(*, as_json: bool) -> int:
    """Print a paragraph a format, from what each parser says of itself; return 0, as nothing can fail."""
    names = ("name", "tool", "versions", "reads", "source")
    rows = [{name: getattr(format, name) for name in names} for format in _formats()]
    give(rows, (LISTED.format(**row) for row in rows), as_json=as_json)
    return 0


def told(paths: Sequence[Path], *, as_json: bool) -> int:
    """Print of each log its format, the line that shows it, and what was found; return how many could not be read.

    Raises
    ------
    StoragelabError
        If a folder holds no file.
    """
    found = [_told_of_input() if path == STANDARD_INPUT else _told(path) for path in find_logs(paths)]
    give(found, (visible(line) for one in found for line in _lines(one)), as_json=as_json)
    return sum("error" in one for one in found)


def _formats() -> Iterator[Format]:
    return (parser.FORMAT for known in (parsers.PARSERS, parsers.BINARY) for parser in known)


def _told_of_input() -> dict[str, Any]:
    """Tell of standard input, which is kept, as its lines are looked at once more."""
    with writing.scratch() as folder:
        kept = folder / "input"
        with Path("/dev/stdin").open("rb") as source:
            writing.write_bytes(kept, Ending(source).read())
        return _told(kept, log_lines.STANDARD_INPUT)


def _told(path: Path, name: str = "") -> dict[str, Any]:
    name = name or path.as_posix()
    try:
        return {**_found(path, read_log(path, name=name)), "log": visible(name)}
    except (ParseError, StoragelabError) as error:
        reason = str(error)
    except OSError as error:
        reason = format_oserror(error)
    except Exception as error:  # a mistake in one parser must not hide the other logs
        reason = f"{name}: {bug(error)}"
    warn(reason)
    return {"log": visible(name), "error": visible(reason)}


def _found(path: Path, log: Log) -> dict[str, Any]:
    header = log.parsed.header
    return {
        "format": log.format,
        "tool": str(header.get("tool", "")),
        "tool_version": str(header.get("tool_version", "")),
        "because": [reason for format in _named(log.format) if (reason := _why(format, path))],
        "wrapping": str(header.get("wrapping", "")),
        "complete": log.parsed.complete,
        "notes": log.notes(),
        "rows": {
            "runs": len(log.parsed.runs), "clients": len(log.parsed.clients), "events": len(log.parsed.events),
            "series": sum(len(columns["line"]) for columns in log.parsed.tables()),
        },
    }  # fmt: skip


def _named(names: str) -> list[Format]:
    """Formats of a log; of several tools there are several."""
    wanted = set(re.split(r"[ ,+]+", names))
    return [format for format in _formats() if format.name in wanted]


def _why(format: Format, path: Path) -> dict[str, Any] | None:
    """Find the first line on which a format shows: by what opens it, else by a word or a shape that it has.

    Returns
    -------
    dict or None
        ``line`` (from 1), ``text`` and ``shows``, which is what of the line is the format's; None where nothing of a
        log that is no text can be shown.
    """
    if format.names:
        return {"line": 0, "text": path.name, "shows": f"the name of the file, and numbers as of {format.name}"}
    try:
        lines = lines_of(path)
    except StoragelabError:
        return None
    signs = [re.escape(text) for text in format.openings], [rf"\b{word}\b" for word in format.marks], [*format.shapes]
    for patterns in signs:
        for number, line in enumerate(lines, 1):
            if found := next((match for pattern in patterns if (match := re.search(pattern, line))), None):
                return {"line": number, "text": shorten(line.strip(), WIDTH), "shows": found[0].strip()}
    return None


def _lines(found: dict[str, Any]) -> Iterator[str]:
    if "error" in found:
        yield f"{found['log']}: not known"
        return
    tool = f"{found['tool']} {found['tool_version']}".strip()
    state = "complete" if found["complete"] else "incomplete"
    yield f"{found['log']}: {found['format']}, {tool}, {state}"
    for reason in found["because"]:
        place = f"line {reason['line']}: {reason['text']}" if reason["line"] else reason["text"]
        yield f"  because of {reason['shows']!r} in {place}"
    if found["wrapping"]:
        yield f"  taken away to read it: {found['wrapping']}"
    counts = ", ".join(f"{count:,} {node}" for node, count in found["rows"].items() if count)
    yield f"  found: {counts or 'no rows'}"
    if found["notes"]:
        yield f"  notes: {found['notes']}"
