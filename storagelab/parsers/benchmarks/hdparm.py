"""hdparm: timed reads of a block device, through its cache and from the disk.

A row of ``read`` a timing; `label` is hdparm's own word for it, which says what was read: ``cached reads`` is memory,
not the disk. MB are 2^20 bytes, kB 2^10. A timing that failed has no row, and the log is incomplete.
"""

from __future__ import annotations

import itertools
import re

from storagelab import units
from storagelab.parsers.declared_checks import Agreement, Checks
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import number, without_prefix
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import KIB, powers

FORMAT = Format(
    name="hdparm",
    tool="hdparm",
    versions="6 to 9.65",
    reads="-t, -T, --direct, --offset",
    source="hdparm.c, sysfs.c (time_cache, time_device: the buffer is counted in units of 2^20 bytes)",
    marks=("Timing",),
    opens=(
        "hdparm -",
        "HDIO_DRIVE_CMD(",
        "SG_IO: bad/missing sense data",
        "Timing cached reads",
        "Timing buffered disk reads",
        "Timing O_DIRECT",
    ),
    checks=Checks(
        rates=Agreement(0.01, seconds=0.005, rate=0.005 * units.KIB),
        numbers_aside=("SG_IO: bad/missing sense data",),
    ),
)

_DEVICE = re.compile(r"\s*(?:# ?)?(/dev/\S+):(?:\s*| +[(\[<].*)$")
"""People say in brackets behind it what drive that is."""
_COMMAND = re.compile(r"\bhdparm (?:-\S{1,20} )+(/dev/\S+?):?\s*$")
"""A command of one device, whose name people leave out below it."""
_NUMBER = r"\d+(?:[.,]\d+)?"
_TIMING = re.compile(
    rf"\s*(?:# ?)?[\"']?Timing (?P<label>[^:]{{1,60}}?)(?::|(?<=reads))\s+(?P<size>{_NUMBER}) (?P<unit>[MkG])B in"
    rf"\s+(?P<seconds>{_NUMBER}) seconds? ?=\s*(?P<rate>{_NUMBER}) (?P<per>[MkG])B/s(?:ec)?"
)
_REST = re.compile(rf"[\s=]*(?:{_NUMBER} )?[MkG]B/s(?:ec)?\s*")
"""What a mail that breaks long lines leaves of a timing for the next one."""
UNKNOWN = "unknown"
"""Device of timings above which no line names one."""
_FAILURE = re.compile(
    r"\s*(?:# ?)?(?:\w{1,40}(?:\([\w ]{0,40}\))? (?:ioctl )?(?:failed|hit EOF)|could not |mlock\b"
    r"|(?:/dev/\S{1,200}|hdparm|sudo|-?\w{0,8}sh): "
    r".*(?:fail|error|denied|No such|cannot|not found|unsupported|Inappropriate))",
    re.IGNORECASE,
)
"""What hdparm and the shell say; a mail around them may say of errors what it likes."""
_ASIDE = re.compile(r"\s*HDIO_(?:DRIVE_CMD\((?:identify|null)\)|GET_?\w{2,20}\b)")
"""What drives other than ATA refuse beside each timing, which counts all the same: to drain, and to tell settings."""
_SENTENCE = re.compile(r"\s*(?!Timing )[A-Z][a-z]++,? [^:=]*+$")
"""What people write, who may name a timing."""
_BYTES = powers(KIB, "kMG")


def sniff(head: str) -> bool:
    """Whether hdparm times reads here, or names a device and an ioctl that failed."""
    return " reads:" in head.replace(" reads (", " reads:(") and "Timing " in head


def parse(text: str) -> Parsed:
    """Read every timing.

    Raises
    ------
    ParseError
        If the log holds no line ``Timing ... reads:``.
    """
    parsed = Parsed({"tool": "hdparm", "statistic": "single"})
    device, timed = "", False
    printed = without_prefix(text.split("\n"))
    *lines, rest = _unwrapped(printed)
    for at, line in enumerate(lines, start=1):
        if found := _DEVICE.match(line) or _COMMAND.search(line):
            device = found[1]
        elif timings := _timings(line):
            ends = len(printed[at - 1].rstrip())
            parsed.runs += [_row(found, at, device, rate_at=at + (found.start("rate") > ends)) for found in timings]
            if len(timings) < line.count("Timing "):
                parsed.incomplete(line.strip(), at)
            if not device:
                parsed.note("expected the line of a device, as '/dev/sda:', before its first timing, found none", at)
                device = UNKNOWN
        elif _ASIDE.match(line):
            parsed.note(line.strip(), at)
        elif _FAILURE.match(line) or ("Timing " in line and not _SENTENCE.match(line)):
            parsed.incomplete(line.strip(), at)
        timed = timed or "Timing " in line
    parsed.cut_line(rest, len(lines) + 1)
    ends = 1 + text.rstrip().count("\n")
    if last := _DEVICE.match("".join(lines[ends - 1 : ends])):
        parsed.incomplete(f"{last[1]} has no timing", ends)
    if not timed and not rest.strip().startswith("Timing "):
        raise refusal("a line 'Timing ... reads: ...'", text)
    return parsed


def _timings(line: str) -> list[re.Match[str]]:
    """Return the timings of a line: one as a rule, those of a page that folded several into one."""
    found: list[re.Match[str]] = []
    while timing := _TIMING.match(line, found[-1].end() if found else 0):
        found.append(timing)
    return found


def _unwrapped(lines: list[str]) -> list[str]:
    """Put the rate, where a mail has it on a line of its own, back behind its timing; the last line stays as it is."""
    whole = list(lines)
    for at, (line, behind) in enumerate(itertools.pairwise(lines[:-1])):
        if "Timing " in line and "B/s" not in line and _REST.fullmatch(behind):
            whole[at : at + 2] = f"{line.rstrip()} {behind.strip()}", ""
    return whole


def _row(found: re.Match[str], at: int, device: str, rate_at: int) -> Row:
    row: Row = {
        "operation": "read",
        "label": found["label"],
        **({"device": device} if device not in ("", UNKNOWN) else {}),
        "data_size": number(found["size"]) * _BYTES[found["unit"]],
        "elapsed": number(found["seconds"]),
        **on(rate_at, {"throughput": number(found["rate"]) * _BYTES[found["per"]]}),
        "line": at,
    }
    return settled(row)
