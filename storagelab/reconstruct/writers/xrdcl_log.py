"""Reads in the log of XRootD's client library (``XRD_LOGLEVEL=Debug``): what was asked of a server, and when it came.

Format: XRootD 4, src/XrdCl/XrdClLog.cc (the head of a line), src/XrdCl/XrdClXRootDTransport.cc (the request with its
arguments), src/XrdCl/XrdClXRootDMsgHandler.cc. Only the two lines are written that every read has at this level: that
its handler was made, and that it was called. The log has no end of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from storagelab.errors import ReconstructError
from storagelab.reconstruct.writers import printable, shell

_HEAD = "[{:%Y-%m-%d %H:%M:%S.%f} {:%z}][Debug  ][ExDbgMsg          ] [{}] "
_REQUEST = "kXR_read (handle: 0x00000000, offset: {}, size: {})"


@dataclass(frozen=True, slots=True)
class Request:
    """A read of a part of a file.

    Attributes
    ----------
    time : float
        Seconds from the start of the log to the moment it was sent.
    latency : float
        Seconds to its answer.
    offset, data_size : float
        Where in the file it begins, and its bytes.
    """

    time: float
    latency: float
    offset: float
    data_size: float


@dataclass(frozen=True, slots=True)
class Log:
    """Reads of one file from one server, ``host:port``; `started` is a date and time with its offset from UTC."""

    server: str
    started: datetime
    requests: Sequence[Request]


def render(log: Log) -> str:
    """Return what the library logged, in the order of time.

    Raises
    ------
    ReconstructError
        If there is no request, the start has no zone, or a value cannot stand in a request.
    """
    if not log.requests:
        raise ReconstructError("requests: expected at least one, found none")
    if log.started.tzinfo is None:
        raise ReconstructError(f"started: expected a time with its offset from UTC, found {log.started.isoformat()!r}")
    lines = [line for request in log.requests for line in _lines(request, log)]
    return shell.REMARK + "".join(text for _, text in sorted(lines, key=lambda line: line[0]))


def _lines(request: Request, log: Log) -> list[tuple[float, str]]:
    sent = printable.amount("time", request.time)
    answered = sent + printable.amount("latency", request.latency)
    offset, size = (printable.whole(name, getattr(request, name)) for name in ("offset", "data_size"))
    named = f"0x1 (message: {_REQUEST.format(offset, printable.positive('data_size', size))} )"
    said = (sent, f"MsgHandler created: {named}."), (answered, f"Calling MsgHandler: {named} with status: [SUCCESS] .")
    return [(time, f"{_head(time, log)}{text}\n") for time, text in said]


def _head(time: float, log: Log) -> str:
    now = log.started + timedelta(seconds=time)
    return _HEAD.format(now, now, printable.word("server", log.server))
