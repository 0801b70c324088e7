"""HPSS: transfers that hsi, htar and the log of its FTP server tell of.

hsi prints ``put 'FILE' : '/home/u/FILE' ( 1024000000 bytes, 250138.1 KBS (cos=11))`` and ``get 'FILE' : '/home/u/FILE'
(2011/10/04 16:28:50 1024000000 bytes, 325844.9 KBS )``; with ``-P`` also files of lists. htar ends with ``HTAR Create
complete for A.tar. 5,120,006,144 bytes written for 5 member files, max threads: 3 Transfer time: 16.457 seconds
(311.121 MB/s)``, or with ``HTAR: Extract complete for A.tar, 5 files. total bytes read: 5,120,004,608 in 18.841 seconds
(271.749 MB/s )``, newer ones with ``wallclock/user/sys: 19.2 0.5 3.4 seconds`` behind, and ``HTAR: HTAR SUCCESSFUL`` or
``HTAR FAILED``; in between, ``HTAR: x FILE, 1024000000 bytes, 2000001 media blocks`` for each file of ``-v``. htar -t
prints ``HTAR: -rw-r--r--  u/g 1024000000 2011-10-04 16:30  FILE`` for each and, in newer ones, ``HTAR: Listing complete
for A.tar, 5 files 5 total objects``. A line of the FTP log is a command of a client: date, seconds, host, bytes, file,
direction. hsi and htar manuals (Gleicher Enterprises), hsi(1); HPSS User's Guide, FTP.

A row of `runs` a transfer, one of `series` a file of an archive; `elapsed` is the time of the transfer, and what the
clock on the wall says a row with `metric`. KBS are 1024 bytes a second (250138.1 KBS for 1024000000 bytes);
htar's MB/s are 10^6: its bytes over its seconds. A size of 2147483647 in the FTP log is capped, and left out. Numbers
may have commas between thousands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from storagelab.parsers.declared_checks import Agreement, Checks
from storagelab.parsers.line_formats import Rule, apply, in_its_words, metric, trusted_lines, with_parts
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import ctime, finite
from storagelab.units import KIB, MB

FORMAT = Format(
    name="hpss",
    tool="hsi, htar, HPSS FTP",
    versions="hsi 3.5 to 8, htar 3.5 to 8",
    reads="transfers: output of hsi and htar, log of the FTP server",
    source="hsi and htar manuals; HPSS User's Guide, FTP",
    marks=("KBS", "HTAR", "Cmd"),
    opens=(" KBS ", "HTAR: ", "HTAR Create ", "HTAR Extract ", "HTAR Verify ", "_Cmd "),
    stamped=True,
    checks=Checks(rates=Agreement(0.01, seconds=0.0005, rate=500.0)),
)

EXPECTED = "a transfer of hsi ('put  'A' : 'B' ( 4 bytes, 1.3 KBS (cos=1))'), of htar, or of HPSS's FTP"
_COUNT = r"\d{1,3}(?:,\d{3}){1,6}|\d{1,20}"
_LOGGED = r"(?:[^H]|H(?!TAR)){1,200}(?<!\S)"
_BEGUN = rf"(?:\s{{0,40}}(?:HTAR: )?|{_LOGGED}HTAR: )"
"""Behind what a program that runs htar puts there the name of htar must stand."""
_HSI = re.compile(
    r".{0,300}?\b(put|get|cput|cget|append)\s+'[^']{1,2000}' : '([^']{1,2000})' "
    rf"\((?:\d{{4}}/\d\d/\d\d \d\d:\d\d:\d\d)?\s*({_COUNT}) bytes,\s+(\S{{1,40}}) KBS\s*(?:\(cos=(\d{{1,6}})\))?\s*\)"
)
_HTAR = re.compile(
    rf"(?:\s{{0,40}}(?:HTAR:? )?(?:HTAR )?|{_LOGGED}HTAR )(Create|Extract|Verify) complete for (\S{{1,2000}}?)"
    rf"[.,]? +({_COUNT}) bytes (?:written|read) for ({_COUNT}) member files,?(.{{0,400}})$"
)
_THREADS = re.compile(r"max threads: (\d{1,6})")
_TIME = re.compile(r"[Tt]ransfer time: (\S{1,40}) seconds \((\S{1,40}) MB/s\)")
_EXTRACTED = re.compile(rf"{_BEGUN}(Extract|Verify) complete for (\S{{1,2000}}?), ({_COUNT}) files\.(.{{0,400}})$")
_READ = re.compile(rf" [Tt]otal bytes read: ({_COUNT}) in (\S{{1,40}}) seconds \((\S{{1,40}}) MB/s ?\)")
_WALL = re.compile(r"wallclock/user/sys: (\S{1,40}) (\S{1,40}) (\S{1,40}) seconds")
_MEMBER = re.compile(rf"{_BEGUN}x (\S.{{0,2000}}?), ({_COUNT}) bytes, ({_COUNT}) media blocks\s*$")
_LISTED = re.compile(
    rf"{_BEGUN}[-bcdlps][-rwxsStT]{{9}}[.+]? +[^\s/]{{1,400}}/\S{{1,400}} +({_COUNT}) "
    r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? +(\S.{0,2000})$"
)
_ALL_LISTED = re.compile(
    rf"{_BEGUN}Listing complete for (\S{{1,2000}}?), ({_COUNT}) files,? ({_COUNT}) total objects\s*$"
)
_FTP = re.compile(
    r"([A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4}) (\d{1,9}[.,]\d{1,6}) (\S{1,300}) (\d{1,20}) "
    r"(\S.{0,1000}?) [ab] ([io]) ([A-Z]{4})_Cmd\b"
)
_FTP_OTHER = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4} .{0,1000}_Cmd\b")
_FAILED = re.compile(r".{0,100}?(?:HTAR FAILED|\*\*\* |HPSS I/O error|Error -?\d{1,5} on (?:transfer|read|write))")
_SUCCESS = re.compile(r"HTAR: HTAR SUCCESSFUL")
_TORN = re.compile(
    r".{0,1000}(?:KBS\b|_Cmd\b|complete for (?:(?!complete for ).){0,1000}bytes)"
    r"|\s{0,40}(?:HTAR: )?(?:[-bcdlps][-rwxsStT]{9}|Listing complete)"
)
_OPERATIONS = {"put": "put", "cput": "put", "append": "append", "get": "get", "cget": "get", "Create": "put",
               "Extract": "get", "Verify": "read"}  # fmt: skip
_DIRECTIONS = {"i": "put", "o": "get"}
_CAPPED = 2147483647.0
_BLOCK = 512


def sniff(head: str) -> bool:
    """Whether a transfer of HPSS stands here."""
    if not any(mark in head for mark in ("KBS", "HTAR", "_Cmd")):
        return False
    kinds = (_HSI, _HTAR, _SUCCESS, _FTP_OTHER, _EXTRACTED, _MEMBER, _LISTED, _ALL_LISTED)
    return "HTAR: HTAR " in head or any(kind.match(line) for line in head.split("\n") for kind in kinds)


def parse(text: str) -> Parsed:
    """Read every transfer.

    Raises
    ------
    ParseError
        If there is none, and no failure of htar.
    """
    parsed = Parsed({"tool": "hpss", "statistic": "single"})
    reader = _Transfers(parsed)
    for at, line in trusted_lines(text, parsed):
        if not apply(reader.rules, line, at) and _TORN.match(line):
            parsed.incomplete(f"expected a transfer of HPSS, found {line.strip()[:60]!r}", at)
    if reader.samples:
        parsed.series = columns(reader.samples)
    return with_parts(parsed, EXPECTED, text)


class _Transfers:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self.samples: list[Row] = []
        self._members = 0
        self._entries = 0
        self.rules: Sequence[Rule] = (
            (_HSI, self._hsi),
            (_HTAR, self._htar),
            (_EXTRACTED, self._extracted),
            (_MEMBER, self._member),
            (_LISTED, self._listed),
            (_ALL_LISTED, self._all_listed),
            (_FTP, self._ftp),
            (_FTP_OTHER, self._ftp_other),
            (_FAILED, self._failed),
        )

    def _add(self, row: Row, at: int) -> None:
        self._parsed.runs.append(row | {"line": at})

    def _hsi(self, found: re.Match[str], at: int) -> None:
        verb, remote, size, rate, service = found.groups()
        try:
            row: Row = {"throughput": finite(rate) * KIB}
        except ValueError:
            self._parsed.incomplete(f"expected a rate, found {rate!r}", at)
            return
        row |= {"operation": _OPERATIONS[verb], "tool": "hsi", "file": remote, "data_size": _count(size)}
        self._add(row | ({"label": f"cos {service}"} if service else {}), at)

    def _htar(self, found: re.Match[str], at: int) -> None:
        verb, archive, size, files, rest = found.groups()
        row: Row = {"operation": _OPERATIONS[verb], "tool": "htar", "file": archive, "label": verb}
        row |= {"data_size": _count(size), "files": _count(files)}
        if threads := _THREADS.search(rest):
            row["streams"] = finite(threads[1])
        time = _TIME.search(rest)
        try:
            row |= {"elapsed": finite(time[1]), "throughput": finite(time[2]) * MB} if time else {}
        except ValueError:
            time = None
        if not time:
            self._parsed.incomplete(f"expected a transfer time, found {rest.strip()[:80]!r}", at)
        self._add(row | self._processor(rest, at), at)

    def _extracted(self, found: re.Match[str], at: int) -> None:
        verb, archive, count, rest = found.groups()
        row: Row = {
            "operation": _OPERATIONS[verb],
            "tool": "htar",
            "file": archive,
            "label": verb,
            "files": _count(count),
        }
        if self._members and self._members != row["files"]:
            self._parsed.note(f"expected {count} files above, found {self._members}", at)
        self._members = 0
        read = _READ.match(rest)
        try:
            row |= {"elapsed": finite(read[2]), "throughput": finite(read[3]) * MB} if read else {}
        except ValueError:
            read = None
        if read:
            row["data_size"] = _count(read[1])
        elif rest.strip():
            self._parsed.incomplete(f"expected bytes, seconds and a rate, found {rest.strip()[:80]!r}", at)
        self._add(row | self._processor(rest, at), at)

    def _processor(self, rest: str, at: int) -> Row:
        """Take the time of the processors; that of the clock on the wall becomes a sample."""
        if not (wall := _WALL.search(rest)):
            return {}
        try:
            elapsed, user, system = map(finite, wall.groups())
        except ValueError:
            self._parsed.incomplete(f"expected three times, found {wall[0][:80]!r}", at)
            return {}
        self.samples.append(metric("wallclock", elapsed, "s", at))
        return {"cpu_user_time": user, "cpu_system_time": system}

    def _member(self, found: re.Match[str], at: int) -> None:
        """Take a file that comes out of an archive; a media block is 512 bytes, one of them its header."""
        file, size, blocks = found.groups()
        self._members += 1
        if _count(blocks) != -(-_count(size) // _BLOCK) + 1:
            self._parsed.incomplete(f"expected blocks for {size} bytes, found {blocks}", at)
        sample = metric("media blocks", _count(blocks), "1", at, operation="get", file=file)
        self.samples.append(sample | {"data_size": _count(size)})

    def _listed(self, found: re.Match[str], at: int) -> None:
        """Take an entry of a table of contents, which says how large a file is and moves nothing."""
        size, file = found.groups()
        self._entries += 1
        self.samples.append(metric("listed size", _count(size), "B", at, operation="list", file=file.rstrip()))

    def _all_listed(self, found: re.Match[str], at: int) -> None:
        archive, count, objects = found.groups()
        if self._entries != _count(objects):
            self._parsed.incomplete(f"expected {objects} entries above, found {self._entries}", at)
        self._entries = 0
        self._add({"operation": "list", "tool": "htar", "file": archive, "label": "List", "files": _count(count)}, at)
        self.samples.append(metric("total objects", _count(objects), "1", at, operation="list", file=archive))

    def _ftp(self, found: re.Match[str], at: int) -> None:
        date, seconds, host, size, file, direction, command = found.groups()
        row: Row = {
            "operation": _DIRECTIONS[direction],
            "tool": "hpss-ftp",
            "label": command,
            "client": host,
            "file": file,
        }
        row["elapsed"] = finite(seconds)
        if finite(size) == _CAPPED:
            self._parsed.note("a size of 2147483647 is capped: left out", at)
        else:
            row["data_size"] = finite(size)
        started = ctime(date)
        if not started:
            self._parsed.incomplete(f"expected a date, found {date!r}", at)
        self._add(row, at)

    def _ftp_other(self, found: re.Match[str], at: int) -> None:
        """Pass over a command that moved nothing."""

    def _failed(self, found: re.Match[str], at: int) -> None:
        self._parsed.incomplete(in_its_words(found), at)


def _count(text: str) -> float:
    return float(text.replace(",", ""))
