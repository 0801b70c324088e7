"""The last line of a report: bytes, seconds and the rate, by every dd and in any language."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import printf_number

NUMBER = r"\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
RATED = re.compile(
    rf"[^\d(]*(?P<size>\d{{1,300}})(?![\d.\ufffd]) *+[^\d\s(]++ ?(?:\([^()]*\))?"
    rf"[^\d()]*+(?P<seconds>{NUMBER}) ?[^\W\d]+ ?[,，、;] ?"
    rf"(?P<rate>{NUMBER}|[Ii]nf\w*)(?P<blank> ?)(?P<prefix>[kKMGTPE]?)(?P<binary>i?)(?P<byte>[Bo]?)/[^\W\d]+"
)
_SUMMED = re.compile(
    rf"(?P<size>(?<!\d)\d{{1,300}}) bytes (?:\([^()]*\) )?transferred in (?P<seconds>{NUMBER}) sec\w*"
    rf" \((?P<rate>{NUMBER}|[Ii]nf\w*) (?:bytes|(?P<prefix>[KMGT])iB)/sec\)"
)
_ALONE = re.compile(
    rf"[ \t]*\d+ (?:[^\W\d]+ \([^()]*B\) [^\d\n]{{1,40}}|bytes copied), {NUMBER} s\w*, {NUMBER} ?[kMGT]?B/s[ \t]*$"
)
"""The line with the rate, which scripts keep of a report; in other languages it has the sizes in brackets."""
_BEGUN = re.compile(r"[ \t]*\d{1,300} [^\W\d]{1,20} (?:\([^()\n]{1,40}B\) )?[^\d\n()]{1,40}, \d")
"""The line with the rate, up to its seconds."""

LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Timing:
    """The last line of a report: bytes, seconds, and the rate as printed, in B/s."""

    line: int
    size: int
    seconds: float
    rate: float

    def row(self) -> Row:
        """Bytes, time and rates; nothing copied has no rate."""
        row: Row = {"line": self.line, "data_size": float(self.size), "elapsed": self.seconds}
        if self.size and math.isfinite(self.rate):
            row |= {"throughput": self.rate, "throughput_rounded": self.rate}
        if self.size and self.seconds > 0:
            row |= {"throughput": float(self.size) / self.seconds}
        return row

    def agrees(self) -> bool:
        """Whether bytes over seconds are the rate, which has two digits at least, or one where it is below 1 kB/s."""
        if not (self.size and self.seconds > 0 and math.isfinite(self.rate)):
            return True
        return math.isclose(self.size / self.seconds, self.rate, rel_tol=0.06, abs_tol=500.0)

    def sample(self, operation: str) -> Row:
        """The same as a sample on the time axis of the run."""
        row = {"time": self.seconds, "operation": operation, **self.row()}
        return {name: value for name, value in row.items() if name not in ("elapsed", "throughput_rounded")}


def read_timing(line: str, at: int, parsed: Parsed) -> Timing | None:
    """Read the line with the rate, and say where it is not as any dd prints it; None where it is another line."""
    if found := _SUMMED.search(line):
        scale = 1024.0 ** " KMGT".index(found["prefix"] or " ")
        return Timing(at, int(found["size"]), printf_number(found["seconds"]), printf_number(found["rate"]) * scale)
    if len(line) > LONGEST:
        parsed.incomplete("a line is too long to be one of dd's", at)
        return None
    if not (found := RATED.match(line)):
        if _BEGUN.match(line) or ("/s" in line and any(map(str.isdecimal, line))):
            parsed.incomplete(f"expected bytes, seconds and a rate, found {line.strip()[:80]!r}", at)
        return None
    binary = found["binary"] or not found["blank"] or not found["byte"]
    scale = (1024.0 if binary else 1000.0) ** (" kMGTPE".index(found["prefix"].replace("K", "k") or " "))
    return Timing(at, int(found["size"]), printf_number(found["seconds"]), printf_number(found["rate"]) * scale)


def stands_alone(line: str) -> bool:
    """Whether a line is the last one of a report, whatever stands above it."""
    return "/s" in line and bool(_ALONE.match(line) or _SUMMED.search(line))
