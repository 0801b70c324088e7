"""Lustre's I/O kit: summary lines of obdfilter-survey, sgpdd-survey, ost-survey's engine and mds-survey.

A row of `runs` for each operation of a line. MB/s are 2^20 bytes a second. `throughput_min` and `throughput_max` are of
single objects or regions in single intervals, in brackets on the line, or ``SHORT`` where a test was over before there
was one. What has no rate but ``SHORT``, and a rate with ``ERROR`` behind it, of a test that failed, give no value.
obdfilter-survey leaves out a test whose buffers would be too large, and says so. sgpdd-survey's older lines do not name
the operation: it is "unknown".
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence

from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.lustre import ost_survey
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import KIB, MIB

CHECKS = Checks(
    together=(
        words(
            "Worst  Read OST indx",
            "Best   Read OST indx",
            "Read Average",
            "Worst  Write OST indx",
            "Best   Write OST indx",
            "Write Average",
        ),
        words(
            "Average read Speed",
            "Average write Speed",
            "read - Worst OST indx",
            "write - Worst OST indx",
            "read - Best OST indx",
            "write - Best OST indx",
        ),
    ),
)

FORMAT = Format(
    name="lustre-iokit",
    tool="obdfilter-survey, sgpdd-survey, ost-survey, mds-survey",
    versions="Lustre 1.8 to 2.15",
    reads="summary lines, as printed and as in the .summary files",
    source="lustre-iokit/obdfilter-survey (print_summary), sgpdd-survey, mds-survey; Lustre manual, Benchmarking",
    marks=("thr", "OST", "Ost"),
    opens=(
        "Obdfilter-survey for",
        " thr ",
        "sgpdd-survey on",
        "OST indx",
        "Ost index ",
        "ost-survey:",
        "Number of Active OST devices",
    ),
    checks=CHECKS,
)

_NUMBER = r"\d++(?:[.,]\d+)?"
_LINE = re.compile(r"\s*(?:(ost|mdt)\s+\d+\s|(total_size)\s+\d+K?\s)")
_WORD = re.compile(r"(?<![a-z_])([a-z_]+)\s+(\d+)(K?)\s")
_RESULT = re.compile(
    rf"\b(?P<word>[a-z_]+)\s+(?:(?P<rate>{_NUMBER})(?![\d.,]| ?MB/s)\s*"
    rf"(?:\[\s*(?P<min>{_NUMBER}),\s*(?P<max>{_NUMBER})\s*\]|(?P<failed>ERROR\b))?|(?P<none>SHORT|ERROR))"
)
_END = re.compile(r"(?:\]|MB/s|SHORT|ERROR)\s*$")
_LEFT_OUT = re.compile(r"\sToo much buffer space\s*$")
_REGIONS = re.compile(
    rf"(?:(?P<word>read|write)\s++)?(?<![\d.,])(?P<rate>{_NUMBER}) MB/s"
    rf"\s+(?P<count>\d+) x\s+(?P<each>{_NUMBER})\s*+\\?\s*+"
    rf"=\s*(?P<all>{_NUMBER}) MB/s"
)
_KEYS: Mapping[str, tuple[str, float]] = {
    "ost": ("targets", 1.0),
    "mdt": ("targets", 1.0),
    "sz": ("data_size", KIB),
    "total_size": ("data_size", KIB),
    "rsz": ("record_size", KIB),
    "obj": ("files", 1.0),
    "file": ("files", 1.0),
    "crg": ("files", 1.0),
    "thr": ("processes", 1.0),
    "dir": ("branching", 1.0),
}
_DATA = {"write": "write", "rewrite": "rewrite", "read": "read"}
_METADATA = {
    "create": "create",
    "lookup": "stat",
    "md_getattr": "stat",
    "setxattr": "chmod",
    "destroy": "unlink",
}


def sniff(head: str) -> bool:
    """Whether a summary line stands here, known by its counts and its threads."""
    return (" thr " in head.replace("\t", " ") and any(map(_is_summary, head.split("\n")))) or ost_survey.sniff(head)


def _is_summary(line: str) -> bool:
    return bool(_LINE.match(line)) and {"thr"} <= {word for word, _, _ in _WORD.findall(line)}


def parse(text: str) -> Parsed:
    """Read every summary line.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "lustre-iokit", "statistic": "single"})
    found = 0
    survey = ost_survey.Survey()
    for at, ends, line, is_whole in _joined(text):
        if is_whole and survey.take(line, at):
            continue
        if survey.is_ruin(line):
            parsed.incomplete("the line is cut or damaged", at)
        if _is_summary(line) and _LEFT_OUT.search(line):
            found += 1
            parsed.note(f"left out: {line.strip()[-60:]}", at)
        elif _is_summary(line):
            found += 1
            if not is_whole:
                parsed.incomplete("the last line has no end: operations may be missing", at)
            is_whole = is_whole or bool(_END.search(line))
            rows = list(_rows(line, at, ends, parsed)) if is_whole else []
            parsed.runs += [row | {"part": float(found)} for row in rows]
            if not is_whole or "\ufffd" in line or not (rows or "SHORT" in line or "ERROR" in line):
                parsed.incomplete(f"expected operations with their rates, found {line.strip()[-60:]!r}", at)
        elif (not is_whole and line.strip()) or "\ufffd" in line or _LINE.match(line):
            parsed.incomplete("the line is cut or damaged", at)
    parsed.runs += survey.rows
    if not found and not survey.rows and not parsed.notes:
        raise refusal("a summary line of the I/O kit ('ost 8 sz ... thr 8 write ...')", text)
    return parsed


def _joined(text: str) -> Iterator[tuple[int, Sequence[int], str, bool]]:
    """Yield lines with their numbers, those that a backslash continues as one, and whether they have an end.

    Where the lines end that were made one is told too: places in the one line.
    """
    lines = without_prefix(text.split("\n"))
    at = 0
    while at < len(lines):
        start = at
        while lines[at].rstrip().endswith("\\") and at + 1 < len(lines):
            at += 1
        pieces = lines[start : at + 1]
        ends = list(itertools.accumulate(len(piece) + 1 for piece in pieces[:-1]))
        yield start + 1, ends, " ".join(pieces), at + 1 < len(lines)
        at += 1


def _rows(line: str, at: int, ends: Sequence[int], parsed: Parsed) -> Iterator[Row]:
    keys = {_KEYS[word][0]: float(count) * _KEYS[word][1] for word, count, _ in _WORD.findall(line) if word in _KEYS}
    for region in _REGIONS.finditer(line):
        names = {"rate": "throughput", "each": "throughput_mean", "all": "throughput_rounded"}
        rates: Row = {}
        for group, name in names.items():
            rates |= on(at + bisect(ends, region.start(group)), {name: number(region[group]) * MIB})
        yield settled({"operation": region["word"] or "unknown", **keys, **rates, "line": at})
    for result in _RESULT.finditer(line):
        word = result["word"]
        if none := result["none"] or result["failed"]:
            parsed.note(f"{word} was {none}: no value", at)
        elif word in _DATA:
            yield {"operation": _DATA[word], **keys, **_values(result, "throughput", MIB), "line": at}
        elif word in _METADATA:
            yield {
                "operation": _METADATA[word],
                "label": word,
                **keys,
                **_values(result, "operation_rate", 1.0),
                "line": at,
            }


def _values(result: re.Match[str], name: str, unit: float) -> Row:
    values: Row = {name: number(result["rate"]) * unit}
    if result["max"]:
        values |= {f"{name}_min": number(result["min"]) * unit, f"{name}_max": number(result["max"]) * unit}
    return values
