"""Lines that a mail broke at a blank: joined again, as long as what is joined then is a whole line of fio's.

Of percentiles only those that broke in their brackets are joined: others are read where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from storagelab.parsers.model import Row
from storagelab.schema import lines_of

_FORMS = tuple(
    (re.compile(begins), re.compile(ends))
    for begins, ends in (
        (
            r"\A\s*+(?:(?:slat|clat|lat|sync|bw) \([^()]*+\)|iops)\s*+: min=",
            r"dev= *+[\d.]++ *+(?:, samples= *+\d++)? *+$",
        ),
        (r"\A\s*+(?:\| *+)?\d{1,2}\.\d\dth=\[", r"\],? *+$"),
        (r"\A\s*+(?:READ|WRITE|TRIM|MIXED): (?:bw|io)=", r"\d *+msec *+$"),
        (r"\A\s*+(?:read|write|trim|mixed) *+: (?:IOPS|io)=", r"\d *+msec\b"),
        (r"\A[^(]*+(?<=: )\(g=\d++\): rw=", r", iodepth=\d++ *+$"),
        (r"\A[^(]*+(?<=: )\(groupid=\d++", r"(?:\bpid=-?\d++| \d{4}) *+$"),
    )
)
_OTHER = re.compile(
    r"\s*+(?:$|\||(?:slat|clat|lat|sync|bw|clat percentiles|lat percentiles) \(|(?:iops|cpu|submit|complete|issued"
    r"|latency|errors|read|write|trim|mixed|IO depths)\b[^:=]*+:|[A-Z]{4,5}: |Run status|Disk stats|Jobs: |fio-"
    r"|Starting |[^(]*+(?<=: )\((?:g|groupid)=)"
)
_YEAR = re.compile(r"\A\s*+20\d\d (?=(?:read|write|trim|mixed) *+: (?:IOPS|io)=)")
"""The end of a date in front of the first line of a report, where a mail filled its lines anew."""
_MOST = 3


def unwrapped(lines: list[str]) -> tuple[list[str], Mapping[int, list[str]]]:
    """Join what was broken, and leave nothing where the rest stood; also return the pieces, by their first line."""
    lines = [_YEAR.sub("", line) for line in lines]
    found, pieces = list(lines), dict[int, list[str]]()
    for at, line in enumerate(lines):
        ends = next((ends for begins, ends in _FORMS if begins.match(line)), None)
        if not ends or ends.search(line):
            continue
        for parts in _longer(lines, at):
            whole = " ".join([parts[0].rstrip(" \\\r"), *(part.strip(" \\\r\t") for part in parts[1:])])
            if ends.search(whole):
                found[at : at + len(parts)] = [whole, *[""] * (len(parts) - 1)]
                pieces[at + 1] = parts
                break
    return found, pieces


def _longer(lines: list[str], at: int) -> Iterator[list[str]]:
    """Yield a line with one, two, three of those behind it, up to one that says something else."""
    for end in range(at + 1, min(at + 1 + _MOST, len(lines))):
        if _OTHER.match(lines[end]):
            return
        yield lines[at : end + 1]


_WORDS = {
    "data_size": ("io=",),
    "throughput": ("bw=", "BW=", "aggrb="),
    "throughput_rounded": ("bw=", "BW="),
    "operation_rate": ("IOPS=", "iops="),
    "elapsed": ("run=", "maxt=", "runt="),
    "elapsed_min": ("run=", "mint="),
    "samples": ("samples=",),
}
_ENDINGS = {"_min": ("min=", "minb="), "_max": ("max=", "maxb="), "_std": ("dev=",)}


def _words(name: str) -> tuple[str, ...]:
    """Return what fio prints in front of a value."""
    return _WORDS.get(name) or next((words for end, words in _ENDINGS.items() if name.endswith(end)), ("avg=",))


def lines_below(names: Iterable[str], line: int, pieces: Mapping[int, list[str]]) -> Row:
    """Return the lines of values that stood below their own line, by the word in front of each."""
    row: Row = {}
    for below, piece in enumerate(pieces.get(line, [])[1:], 1):
        row |= lines_of((name for name in names if any(word in piece for word in _words(name))), line + below)
    return row
