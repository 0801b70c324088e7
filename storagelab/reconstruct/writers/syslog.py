"""The syslog of a client or a server of Lustre around a failure, as syslogd of that time writes it (RFC 3164).

The words are those of Lustre 1.8 (ptlrpc/import.c, ptlrpc/client.c, ptlrpc/pinger.c, ptlrpc/service.c, ldlm/ldlm_lib.c,
obdclass/obd_mount.c) and of Linux 2.6.18, each behind its function here. The defects that come with it:

- the stamps have whole seconds, neither a year nor a zone; with `iso` they are rsyslog's, with all of them;
- what is to be done, and by whom, is in few of the messages; some are codes and places in the source.

The mark is the first line, as ``logger(1)`` would write it, at the moment from which times are counted.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import datetime, timedelta

from storagelab.errors import ReconstructError
from storagelab.reconstruct.mark import MARK
from storagelab.reconstruct.writers import printable

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_IMPORT = "osc-ffff810237c5f400"
_UUID = "5c1e9d3a-7f0b-4f0e-93b4-0c6a1f2e8d11"


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the kernel, `time` seconds after the log began; its words come from a function of this module."""

    time: float
    text: str


@dataclass(frozen=True, slots=True)
class Log:
    """The syslog of one host: messages in the order of time; `started` has a zone and no part of a second."""

    host: str
    started: datetime
    messages: tuple[Message, ...]
    iso: bool = False


def render(log: Log) -> str:
    """Return the log, behind the line of ``logger(1)``.

    Raises
    ------
    ReconstructError
        If there is no message, they are not in order, or there is a value that a logger cannot print.
    """
    host = printable.word("host", log.host)
    if not log.messages:
        raise ReconstructError("messages: expected at least one, found none")
    if log.started.tzinfo is None or log.started.microsecond:
        raise ReconstructError(f"started: expected a zone and whole seconds, found {log.started.isoformat()!r}")
    times = [printable.amount("time", message.time) for message in log.messages]
    if later := next((one for one, other in itertools.pairwise(times) if other < one), None):
        raise ReconstructError(f"messages: expected them in the order of time, found one behind that at {later} s")
    lines = (f"{_stamp(log, one.time)} {host} kernel: {printable.line('text', one.text)}\n" for one in log.messages)
    return f"{_stamp(log, 0)} {host} root: {MARK}\n{''.join(lines)}"


def _stamp(log: Log, seconds: float) -> str:
    moment = log.started + timedelta(seconds=seconds)
    if log.iso:
        return moment.isoformat(timespec="microseconds")
    return f"{_MONTHS[moment.month - 1]} {moment.day:2d} {moment:%H:%M:%S}"


def connection_lost(target: str, nid: str) -> str:
    """Return what a client says whose server does not answer any more."""
    target, nid = _peer(target, nid)
    return (
        f"Lustre: {target}-{_IMPORT}: Connection to service {target} via nid {nid} was lost; in progress operations"
        " using this service will wait for recovery to complete."
    )


def connection_restored(target: str, nid: str) -> str:
    """Return what a client says when its server answers again."""
    target, nid = _peer(target, nid)
    return f"Lustre: {target}-{_IMPORT}: Connection restored to service {target} using nid {nid}."


def evicted(target: str) -> str:
    """Return what a client says that a server has given up; its operations fail."""
    target = printable.word("target", target)
    return (
        f"LustreError: 167-0: This client was evicted by {target}; in progress operations using this service will fail."
    )


def request_timeout(target: str, nid: str, elapsed: float, time_limit: float) -> str:
    """Return what a client says of a request without an answer: seconds since it was sent, and its limit."""
    target, nid = _peer(target, nid)
    since, limit = printable.whole("elapsed", elapsed), printable.whole("time_limit", time_limit)
    return (
        "Lustre: 2211:0:(client.c:1463:ptlrpc_expire_one_request()) @@@ Request x1337011002003004 sent from"
        f" {target}-{_IMPORT} to NID {nid} {since}s ago has timed out (limit {limit}s)."
    )


def operation_failed(operation: str, nid: str, return_code: float) -> str:
    """Return what a client says of an operation that a server refused, such as ost_connect with -19."""
    code = printable.whole("return_code", -return_code)
    name = printable.word("operation", operation)
    return (
        f"LustreError: 11-0: an error occurred while communicating with {printable.word('nid', nid)}."
        f" The {name} operation failed with -{code}"
    )


def evicting(target: str, nid: str, elapsed: float) -> str:
    """Return what a server says of a client that has been silent for so many seconds."""
    target, nid = _peer(target, nid)
    seconds = printable.whole("elapsed", elapsed)
    return (
        f"Lustre: {target}: haven't heard from client {_UUID} (at {nid}) in {seconds} seconds."
        " I think it's dead, and I am evicting it."
    )


def not_available(target: str) -> str:
    """Return what a server says that is asked for a target it does not have."""
    target = printable.word("target", target)
    return f"LustreError: 137-5: UUID '{target}_UUID' is not available for connect (no target)"


def failing_over(target: str) -> str:
    """Return what a server says when a target is stopped so that clients wait for it."""
    return f"Lustre: Failing over {printable.word('target', target)}"


def stopped(target: str) -> str:
    """Return what a server says when a target is stopped."""
    return f"Lustre: server umount {printable.word('target', target)} complete"


def started(target: str, device: str) -> str:
    """Return what a server says when a target is mounted."""
    target, device = printable.word("target", target), printable.word("device", device)
    return f"Lustre: {target}: Now serving {target} on {device} with recovery enabled"


def recovery_started(target: str, time_limit: float, clients_expected: float) -> str:
    """Return what a server says that waits for its clients, at least so many seconds."""
    clients = printable.whole("clients_expected", clients_expected)
    return (
        f"Lustre: {printable.word('target', target)}: Will be in recovery for at least"
        f" {_minutes('time_limit', time_limit)}, or until {clients} client{'s' if clients != 1 else ''} reconnect"
    )


def recovery_ended(target: str, elapsed: float, clients_recovered: float, clients_evicted: float) -> str:
    """Return what a server says when its clients are back, or those that are not have been given up."""
    recovered = printable.whole("clients_recovered", clients_recovered)
    lost = printable.whole("clients_evicted", clients_evicted)
    return (
        f"Lustre: {printable.word('target', target)}: Recovery period over after {_minutes('elapsed', elapsed)}, of"
        f" {recovered + lost} clients {recovered} recovered and {lost} {'was' if lost == 1 else 'were'} evicted."
    )


def io_error(device: str, sector: float) -> str:
    """Return what the kernel says of a disk that does not read or write."""
    return f"end_request: I/O error, dev {printable.word('device', device)}, sector {printable.whole('sector', sector)}"


def link_down(interface: str) -> str:
    """Return what the driver tg3 says of an interface that has lost its link."""
    return f"tg3: {printable.word('interface', interface)}: Link is down."


def link_up(interface: str) -> str:
    """Return what the driver tg3 says of an interface whose link is back."""
    return f"tg3: {printable.word('interface', interface)}: Link is up at 1000 Mbps, full duplex."


def _peer(target: str, nid: str) -> tuple[str, str]:
    return printable.word("target", target), printable.word("nid", nid)


def _minutes(name: str, seconds: float) -> str:
    minutes, rest = divmod(printable.whole(name, seconds), 60)
    return f"{minutes}:{rest:02d}"
