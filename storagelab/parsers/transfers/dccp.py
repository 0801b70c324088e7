"""What dccp, the copy command of dCache's dCap library, prints (dcap, src/dccp.c).

One line a transfer, ``314572800 bytes (300 MiB) in 1 seconds (300 MiB/s)``; before version 2.47
``314572800 bytes in 1 seconds (307200.00 KB/sec)``, where KB is 1024 bytes too, and some write kiB; wdccp puts
``source => target: `` in front. The time is in whole seconds and the rate is the bytes over them, so that
small files have none. The sizes in brackets are rounded to three digits: `throughput` is the printed one.

``-H`` shows progress, rewritten with carriage returns: ``[--#####--] 358 MiB (119 MiB/s)``, of a known size with its
share, ``[####--]  66% 358 MiB (119 MiB/s)``. Failures are said in words
(``Can't open source file : ...``, ``dccp failed.``) and give a row with `errors`. There is no end mark.
"""

from __future__ import annotations

import math
import re

from storagelab import units
from storagelab.parsers.declared_checks import Agreement, Checks
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.transfers.source_and_destination import between, command, numbered

FORMAT = Format(
    "dccp",
    "dccp",
    "1.2 to 2.47",
    "transfers, progress",
    "dCache dcap, src/dccp.c",
    marks=(
        "seconds",
        "dccp",
        "Can",
    ),
    opens=(
        " bytes) in ",
        "dccp failed",
        "Can't open ",
    ),
    checks=Checks(rates=Agreement(0.01, rate=0.005 * units.KIB)),
)

_UNITS = {
    "bytes": 1.0, "B": 1.0, "KB": units.KIB, "kiB": units.KIB, "KiB": units.KIB, "MiB": units.MIB, "GiB": units.GIB,
    "TiB": units.TIB,
}  # fmt: skip
_UNIT = "|".join(_UNITS)
_NUMBER = r"\d+(?:[.,]\d+)?"
_SIZE = rf"{_NUMBER} (?:{_UNIT})"
_DONE = re.compile(
    rf"(?<![\w.,+])(\d+) bytes(?: \({_SIZE}\))? in (\d+) seconds \(({_NUMBER}) ({_UNIT})/s(?:ec)?\)(?=\s|$)"
)
_UNDER_A_SECOND = re.compile(
    rf"(?<![\w.,+])(?:^[ \t\r]*|(?<==> )\S+: |(?=\d+ bytes \())(\d+) bytes(?: \({_SIZE}\))? in (\d+) seconds[ \t\r]*$",
    re.MULTILINE,
)
"""Without a rate only so much tells it from other programs, which write of bytes and seconds in sentences."""
_TIMED = re.compile(rf" bytes(?: \({_SIZE}\))? in \d+ seconds")
"""Part of that, which begins with a literal and is looked for many times as fast."""
_ENDS = re.compile(r"(?<!\S)(\S+) => (\S+): $")
_PROGRESS = re.compile(rf"\](?: {{1,3}}\d{{1,3}}%)? ({_NUMBER}) ({_UNIT}) \(({_NUMBER}) ({_UNIT})/s\)")
_FAILED = re.compile(r"Can't open (?:source|destination) file\b|dccp failed\.|Failed to copy .* to |dc_stage fail\b")
_MESSAGE = re.compile(r"(?:Failed|System error:|Error|Server error|Command failed|Can't )")
_ALMOST = re.compile(r"bytes(?:(?!bytes).)* in \d|in \d+ sec|\d \w?i?B/s\)|KB/sec\)")


def sniff(head: str) -> bool:
    """Whether the line of a transfer stands here, or dccp says that one failed."""
    if _TIMED.search(head) and (_DONE.search(head) or _UNDER_A_SECOND.search(head)):
        return True
    return "dccp failed.\n" in head or ("Can't open " in head and "\nCan't open " in f"\n{head}" and " file : " in head)


def parse(text: str) -> Parsed:
    """Read every transfer.

    Raises
    ------
    ParseError
        If there is neither a transfer nor the message that one failed.
    """
    parsed = Parsed({"tool": "dccp", "statistic": "single"})
    lines = without_prefix(text.split("\n"))
    reader = _Reader(parsed)
    for at, line in enumerate(lines, 1):
        if line:
            reader.line(line, at, whole=at < len(lines))
    parsed.cut_line(lines[-1], len(lines))
    if not reader.transfers:
        raise refusal("a transfer such as '13 bytes (13 bytes) in 1 seconds (13 bytes/s)'", text)
    parsed.runs = numbered(reader.transfers, [], reader.samples)
    parsed.series = columns(reader.samples)
    return parsed


class _Reader:
    def __init__(self, parsed: Parsed) -> None:
        self.transfers: list[Row] = []
        self.samples: list[Row] = []
        self._parsed = parsed
        self._ends = between("", "")

    def line(self, line: str, at: int, whole: bool) -> None:
        done = _DONE.search(line) or _UNDER_A_SECOND.search(line)
        words = command(line, "dccp")
        if words:
            self._ends = between(*words[-2:]) if len(words) > 2 else between("", "")
        elif "\ufffd" in line:
            self._parsed.incomplete("a line that cannot be read", at)
        elif done:
            self._transfer(done, at, whole)
        elif _FAILED.search(line):
            self._parsed.incomplete(f"dccp failed: {line.strip()}", at)
            self._add({"errors": 1.0}, at)
        elif _MESSAGE.match(line.lstrip()):
            self._parsed.incomplete(line.strip(), at)
        elif _ALMOST.search(_PROGRESS.sub("", line)):
            self._parsed.incomplete("a line that cannot be read", at)
        self._progress(line, at)

    def _transfer(self, done: re.Match[str], at: int, whole: bool) -> None:
        size, seconds, rate, unit = (*done.groups(), "", "")[:4]
        if not (whole or rate):
            return
        if ends := _ENDS.search(done.string[: done.start(1)]):
            self._ends = between(*ends.groups())
        row: Row = {"data_size": float(size)}
        if float(seconds):
            row["elapsed"] = float(seconds)
        if rate:
            row["throughput"] = number(rate) * _UNITS[unit]
        self._add(row, at)

    def _add(self, row: Row, at: int) -> None:
        self.transfers.append({**self._ends, **row, "line": at})

    def _progress(self, line: str, at: int) -> None:
        """Read the samples of -H, whose rate is all bytes over the whole seconds since the start."""
        for size, size_unit, rate, rate_unit in _PROGRESS.findall(line):
            data, mean = number(size) * _UNITS[size_unit], number(rate) * _UNITS[rate_unit]
            sample: Row = {"part": len(self.transfers) + 1.0, "data_size": data, "throughput_mean": mean, "line": at}
            self.samples.append(
                self._ends | sample | ({"time": float(round(data / mean))} if mean and math.isfinite(data) else {})
            )
