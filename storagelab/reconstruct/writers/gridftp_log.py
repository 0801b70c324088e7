"""The transfer log of the Globus GridFTP server (``-Z``): a NetLogger line a transfer.

Format: globus_i_gfs_log.c of the GridFTP server of Globus Toolkit 4 and 5. The defects that come with it: the log has
no rate, only start, end and bytes; early releases do not pad the microseconds (``.2102`` is 2102 us), see `padded`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from storagelab import units
from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = 253402300799.0
"""Seconds since 1970 at which the year 9999 ends."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """A file that a client sent to the server, or got from it.

    Attributes
    ----------
    file : str
        Path on the server.
    data_size : float
        Bytes.
    start_time, end_time : float
        Seconds since 1970.
    kind : {"STOR", "RETR"}
        The command of the client: an upload is STOR, a download RETR.
    host, client : str
        The server, and the address of the client.
    """

    file: str
    data_size: float
    start_time: float
    end_time: float
    kind: Literal["STOR", "RETR"]
    host: str
    client: str


@dataclass(frozen=True, slots=True)
class Log:
    """The log of a server: its transfers in the order in which they ended, by custom."""

    transfers: tuple[Transfer, ...]
    padded: bool = True


def render(log: Log) -> str:
    """Return the log, behind a remark.

    Raises
    ------
    ReconstructError
        If there is no transfer, or one has a value that the server cannot print.
    """
    if not log.transfers:
        raise ReconstructError("transfers: expected at least one, found none")
    return shell.REMARK + "".join(_line(one, log.padded) for one in log.transfers)


def _line(of: Transfer, padded: bool) -> str:
    if of.kind not in ("STOR", "RETR"):
        raise ReconstructError(f"kind: expected STOR or RETR, found {of.kind!r}")
    if " BUFFER=" in printable.line("file", of.file) or of.file != of.file.strip():
        raise ReconstructError(f"file: expected a path without ' BUFFER=' and blanks around it, found {of.file!r}")
    if of.end_time < of.start_time:
        raise ReconstructError(f"end_time: expected at least start_time {of.start_time}, found {of.end_time}")
    return (
        f"DATE={_stamp('end_time', of.end_time, padded)} HOST={printable.word('host', of.host)}"
        " PROG=globus-gridftp-server NL.EVNT=FTP_INFO"
        f" START={_stamp('start_time', of.start_time, padded)} USER=user FILE={of.file}"
        f" BUFFER=87040 BLOCK=262144 NBYTES={printable.whole('data_size', of.data_size)} VOLUME=/ STREAMS=1 STRIPES=1"
        f" DEST=[{_address(of.client)}] TYPE={of.kind} CODE=226\n"
    )


def _address(client: str) -> str:
    if "[" in printable.word("client", client) or "]" in client:
        raise ReconstructError(f"client: expected an address without brackets, found {client!r}")
    return client


def _stamp(name: str, seconds: float, padded: bool) -> str:
    if printable.amount(name, seconds) > _LAST:
        raise ReconstructError(f"{name}: expected a moment before the year 10000, found {seconds!r}")
    moment = _EPOCH + timedelta(microseconds=round(seconds / units.MICROSECOND))
    return f"{moment:%Y%m%d%H%M%S}.{moment.microsecond:{'06d' if padded else 'd'}}"
