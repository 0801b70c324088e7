"""The transfer log of the GridFTP server (globus_i_gfs_log.c): a NetLogger line a transfer.

``DATE=20261120161837.562271 HOST=vm PROG=globus-gridftp-server NL.EVNT=FTP_INFO START=20261120161836.608844 USER=...
FILE=... BUFFER=3939840 BLOCK=262144 NBYTES=314572800 VOLUME=/ STREAMS=4 STRIPES=1 DEST=[127.0.0.1] TYPE=STOR CODE=226``

DATE is the end. Both times are UTC, and what stands behind their point are microseconds: early releases do not pad them
(``.2102`` is 2102 us). FILE may hold blanks, colons and equal signs: it ends where BUFFER begins. The server's own log
(``-l``) has the same line behind ``Transfer stats:``. RETR and ERET are downloads, STOR, ESTO and APPE uploads; MLSD,
NLST and LIST are listings. The log prints no rate: `throughput` is NBYTES over END - START. A CODE other than 2xx is
a transfer that failed: it has `errors` and no rate. The log has no end.

What servers report of their use has the same of each transfer, and receivers keep it as ``HOSTNAME=dtn
START=20120307101502.250000 END=20120307101504.750000 VER="6.5 (gcc64, 1-80)" BUFFER=... TYPE=RETR CODE=226``, newer
ones with FILE=, CLIENTIP=, DATAIP= and who it was behind that. DATAIP is what DEST is above.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from storagelab.parsers.declared_checks import Checks, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row

FORMAT = Format(
    "gridftp-log",
    "globus-gridftp-server",
    "2007 to 13.24",
    "transfers, and reports of use",
    "globus_i_gfs_log.c",
    marks=("EVNT", "HOSTNAME START END VER"),
    opens=("NL.EVNT=FTP_INFO", "NBYTES="),
    stamped=True,
    checks=Checks(together=(words(":: Starting to transfer ", ":: Finished transferring ", ":: Transfer stats: "),)),
)

LONGEST = 16384
"""Characters of a line: paths have 4096 at most."""

_OPERATIONS = {
    "RETR": "download", "ERET": "download", "STOR": "upload", "ESTO": "upload", "APPE": "upload",
    "MLSD": "list", "MLSC": "list", "MLSR": "list", "NLST": "list", "LIST": "list", "STAT": "list",
}  # fmt: skip
_NUMBERS = {
    "NBYTES": "data_size", "BUFFER": "socket_buffer", "BLOCK": "block_size", "STREAMS": "streams",
    "STRIPES": "stripe_count",
}  # fmt: skip
_TEXTS = {"HOST": "host", "HOSTNAME": "host", "DATAIP": "client", "DEST": "client", "FILE": "file"}
_NEEDED = {"START", "NBYTES", "TYPE", "CODE"}
_ENDS = {"DATE", "END"}
_FIELD = re.compile(r"(?:^|\s)([A-Z]+)=(\S+)")
_FIELDS = re.compile(
    r"DATE=(?P<DATE>[^\s=]+) HOST=(?P<HOST>\S*) PROG=(?P<PROG>\S*) NL\.EVNT=FTP_INFO START=(?P<START>\S+) USER=\S*"
    r" FILE=(?P<FILE>(?:(?! NL\.EVNT=).)*?) BUFFER=(?P<BUFFER>\d+) BLOCK=(?P<BLOCK>\d+)"
    r" NBYTES=(?P<NBYTES>\d+) VOLUME=\S* STREAMS=(?P<STREAMS>\d+) STRIPES=(?P<STRIPES>\d+)"
    r" DEST=\d*\[(?P<DEST>[^\]\s]*)\] TYPE=(?P<TYPE>[A-Z]+)"
    r" CODE=(?P<CODE>\d{3})(?!\d)"
)
_USED = re.compile(r"HOSTNAME=[^\s=]+ START=\d{14}\.\d{1,6} END=\d{14}\.\d{1,6} VER=\"")
_USE = re.compile(
    r"HOSTNAME=(?P<HOSTNAME>[^\s=]+) START=(?P<START>\S+) END=(?P<END>\S+) VER=\"[^\"]*\" BUFFER=(?P<BUFFER>\d+)"
    r" BLOCK=(?P<BLOCK>\d+) NBYTES=(?P<NBYTES>\d+) STREAMS=(?P<STREAMS>\d+) STRIPES=(?P<STRIPES>\d+)"
    r" TYPE=(?P<TYPE>[A-Z]+) CODE=(?P<CODE>\d{3})(?!\d)"
    r"(?: FILE=(?P<FILE>(?:(?! CLIENTIP=).)*) CLIENTIP=\S+ DATAIP=(?P<DATAIP>\S+))?"
)
"""A report of use."""
_DIGITS = re.compile(r"\d+ \d{3}")
_STAMP = re.compile(r"(\d{14})\.(\d{1,6})")


def sniff(head: str) -> bool:
    """Whether the event of a transfer stands here, or a report of use."""
    return "NL.EVNT=FTP_INFO" in head or ("HOSTNAME=" in head and bool(_USED.search(head)))


def parse(text: str) -> Parsed:
    """Read every transfer; what is no transfer in a server's log is passed over.

    Raises
    ------
    ParseError
        If there is no whole line of a transfer.
    """
    parsed = Parsed({"tool": "globus-gridftp-server", "statistic": "single"})
    lines = text.split("\n")
    for at, line in enumerate(lines, 1):
        if "NBYTES=" in line or "FTP_INFO" in line:
            _add_transfer(line, at, parsed, whole=at < len(lines))
    parsed.cut_line(lines[-1], len(lines))
    if not parsed.runs:
        raise refusal("a transfer 'DATE=... NL.EVNT=FTP_INFO START=... NBYTES=... TYPE=STOR CODE=226'", text)
    _add_period(parsed)
    return parsed


def _add_transfer(line: str, at: int, parsed: Parsed, whole: bool) -> None:
    pattern = _USE if "HOSTNAME=" in line and "NL.EVNT=" not in line else _FIELDS
    found = pattern.search(line) if len(line) <= LONGEST else None
    fields = _stated(found.groupdict()) if found else dict(_FIELD.findall(line[:LONGEST]))
    needed = fields.keys() >= _NEEDED and bool(fields.keys() & _ENDS)
    row = _row(fields, at) if whole and "\ufffd" not in line and needed else None
    if row:
        parsed.runs.append(row)
    if not row or not found:
        missing = ", ".join(sorted(set(pattern.groupindex) - fields.keys()))
        parsed.incomplete(f"a transfer that cannot be read{' whole, without ' + missing if missing else ''}", at)


def _stated(fields: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in fields.items() if value is not None}


def _row(fields: dict[str, str], at: int) -> Row | None:
    """Name and convert the fields; None where a time is none, or the type is not known."""
    start, end = _seconds(fields["START"]), _seconds(fields.get("DATE") or fields["END"])
    operation = _OPERATIONS.get(fields["TYPE"])
    if start is None or end is None or not operation or not _DIGITS.fullmatch(f"{fields['NBYTES']} {fields['CODE']}"):
        return None
    row: Row = {"operation": operation, "label": fields["TYPE"], "line": at, "start_time": start, "end_time": end}
    row |= {name: fields[key].strip("[]") for key, name in _TEXTS.items() if key in fields}
    row |= {name: float(fields[key]) for key, name in _NUMBERS.items() if fields.get(key, "").isdecimal()}
    if end > start:
        row["elapsed"] = round(end - start, 6)
    if not fields["CODE"].startswith("2"):
        row["errors"] = 1.0
    elif "elapsed" in row and operation != "list":
        row["throughput"] = float(row["data_size"]) / float(row["elapsed"])
    return row


def _seconds(stamp: str) -> float | None:
    """Seconds since 1970 of ``YYYYMMDDhhmmss.microseconds``, UTC."""
    found = _STAMP.fullmatch(stamp)
    if not found:
        return None
    try:
        whole = datetime.fromisoformat(f"{found[1][:8]}T{found[1][8:]}+00:00")
    except ValueError:
        return None
    return whole.timestamp() + int(found[2]) / 1e6


def _add_period(parsed: Parsed) -> None:
    starts = [float(row["start_time"]) for row in parsed.runs]
    ends = [float(row["end_time"]) for row in parsed.runs]
    parsed.header["started"] = datetime.fromtimestamp(min(starts), UTC).isoformat()
    parsed.header["ended"] = datetime.fromtimestamp(max(ends), UTC).isoformat()
