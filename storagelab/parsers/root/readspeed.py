"""Output of rootreadspeed (ROOT 6.28 on, tree/readspeed) and of its forerunners root-readspeed and root-throughput.

A line a quantity. Its MB/s are 2^20 bytes per second. `throughput` is that of the compressed bytes, as files are read;
the forerunners print only that of the uncompressed bytes, as ``Throughput``. With threads, the time to find the
clusters of all files is said apart (`setup_time`). The pool size is 0 without threads. What one thread gets is not
kept: it is the throughput over the threads. CPU Efficiency is CPU time over elapsed time and threads (`utilisation`).
No end is printed, but the throughput comes last of what every test has.
"""

from __future__ import annotations

import re

from storagelab import units
from storagelab.parsers.declared_checks import Checks, line_starts
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.values_on_several_lines import on, settled

CHECKS = Checks(
    together=(
        line_starts(
            "Thread pool size:",
            "Compressed data read:",
            "Uncompressed throughput:",
            "Compressed throughput:",
            "CPU Efficiency:",
        ),
        line_starts("Real time:", "CPU time:", "Uncompressed data read:"),
        line_starts("Real time to setup MT run:", "CPU time to setup MT run:"),
    ),
)

FORMAT = Format(
    "root-readspeed",
    "rootreadspeed",
    "0.1 to 6.40",
    "throughput of reading trees",
    "ROOT, ReadSpeedCLI.cxx",
    marks=("Uncompressed", "Compressed"),
    opens=(
        "ompressed data read:",
        "ompressed throughput:",
    ),
    checks=CHECKS,
)

_FIELDS: dict[str, tuple[str, str, float]] = {
    "Thread pool size": ("processes", "", 1.0),
    "Real time to setup MT run": ("setup_time", "s", 1.0),
    "CPU time to setup MT run": ("cpu_setup_time", "s", 1.0),
    "Real time": ("elapsed", "s", 1.0),
    "CPU time": ("cpu_time", "s", 1.0),
    "Uncompressed data read": ("data_size_uncompressed", "bytes", 1.0),
    "Compressed data read": ("data_size", "bytes", 1.0),
    "Throughput": ("throughput_uncompressed", "MB/s", units.MIB),
    "Uncompressed throughput": ("throughput_uncompressed", "MB/s", units.MIB),
    "Compressed throughput": ("throughput", "MB/s", units.MIB),
    "CPU Efficiency": ("utilisation", "%", units.PERCENT),
}
_LABELS = tuple(_FIELDS)
_LINE = re.compile(r"(?:^|[\n:>] ?)[ \t]*Uncompressed data read:\s+\d+ bytes|(?:Unc|C)ompressed throughput:\s+\d")
_TITLE = re.compile(r"\*{4} (.+) test \*{4}$")
_COMMAND = re.compile(r"(?:^|[$#>%] +)(root-?(?:readspeed|throughput)(?: .*)?)$")
_THREADS = re.compile(r"--threads[ =](\d+)")


def sniff(head: str) -> bool:
    """Whether the bytes or the throughput of a test stand here."""
    return ("ompressed data read:" in head or "ompressed throughput:" in head) and _LINE.search(head) is not None


def parse(text: str) -> Parsed:
    """Read every test as a row of ``runs``.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "rootreadspeed"})
    *lines, rest = without_prefix(text.split("\n"))
    tests: list[Row] = []
    said: Row = {}
    for line, shown in enumerate(lines, 1):
        said |= _said(shown.strip(), parsed)
        found = _field(shown.strip())
        if found:
            _add(tests, said, *found, line)
        elif "\ufffd" in shown:
            parsed.incomplete("bytes that are not UTF-8", line)
    parsed.cut_line(rest, len(lines) + 1)
    if not tests:
        raise refusal("a line such as 'Uncompressed data read: 80000000 bytes'", text)
    _finish(tests, parsed)
    return parsed


def _said(shown: str, parsed: Parsed) -> Row:
    """What a title or a command line says of the test under it."""
    title = _TITLE.match(shown) if shown.startswith("****") else None
    if title:
        return {"label": title[1]}
    command = _COMMAND.search(shown) if shown.startswith("root") or " root" in shown else None
    if command and " " in command[1]:
        parsed.header.setdefault("command", command[1])
        threads = _THREADS.search(command[1])
        return {"processes": float(threads[1])} if threads else {}
    return {}


def _field(shown: str) -> tuple[str, float] | None:
    """Read a line as its label and its value in SI."""
    if not shown.startswith(_LABELS):
        return None
    label, _, rest = shown.partition(":")
    words = rest.replace("%", " %").split()
    known = _FIELDS.get(label)
    if not known or not words or (known[1] and words[1:2] != [known[1]]):
        return None
    try:
        return label, number(words[0]) * known[2]
    except ValueError:
        return None


def _add(tests: list[Row], said: Row, label: str, value: float, line: int) -> None:
    """Put a value into the last test, or into a new one where that has it."""
    name = _FIELDS[label][0]
    if not tests or name in tests[-1]:
        tests.append({"operation": "read", "line": line})
    tests[-1] |= on(line, {name: value})
    if name in ("throughput", "throughput_uncompressed"):
        tests[-1]["line"] = line
    for key in [key for key in said if key not in tests[-1]]:
        tests[-1][key] = said.pop(key)


def _finish(tests: list[Row], parsed: Parsed) -> None:
    """Number the tests, and say which lack something."""
    for ordinal, test in enumerate(tests, 1):
        wanted = {"elapsed", "cpu_time", "data_size_uncompressed", "throughput_uncompressed"}
        wanted |= {"throughput"} if "data_size" in test else set()
        missing = sorted(wanted - test.keys())
        if missing:
            parsed.incomplete(f"a test without {', '.join(missing)}", int(test["line"]))
        if test.get("processes") == 0:
            test["processes"] = 1.0
        part: Row = {"part": float(ordinal)} if len(tests) > 1 else {}
        parsed.runs.append(settled(part | test))
