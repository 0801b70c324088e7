"""Kinds of message that GlusterFS clients, bricks and self-heal daemons write around a failure.

The words are those of GlusterFS' sources, 3.0 to 11: xlators/protocol/client/, xlators/protocol/server/,
xlators/cluster/{afr,ec,dht}/, xlators/mount/fuse/, xlators/storage/posix/, rpc/.
"""

from __future__ import annotations

from storagelab.parsers.messages.kinds import Kind, kind

_PEER = r"(?P<nid>[\w.-]+:\d{2,5}|/[\w./-]+(?<=\.socket)(?![\w./-]))"
_ERRNO = r"(?:.*?\[?\{errno=(?P<return_code>\d+)\})?"
_ERRNO_BEFORE = r"^(?:(?:(?!\{errno=\d).)*\{errno=(?P<return_code>\d+)\})?.*?"

GLUSTER: tuple[Kind, ...] = (
    # the log itself
    kind(
        "started",
        "info",
        "Started running version",
        r"Started running version \[\{arg=[^{}]*\}, \{version=(?P<tool_version>[^}]+)\}(?:,"
        r" \{cmdlinestr=(?P<command>[^}]*)\})?",
    ),
    kind(
        "started",
        "info",
        "Started running",
        r"Started running \S+ version (?P<tool_version>[\w.-]+)(?: \((?:args: )?(?P<command>.*)\))?",
    ),
    kind("stopped", "warning", "received signum", r"received signum \((?P<return_code>\d+)\)"),
    kind("crashed", "critical", "signal received", r"signal received: (?P<return_code>\d+)"),
    # what nobody needs to know, but names itself an error
    kind("no_space", "error", "No space left on device", rf"{_ERRNO_BEFORE}No space left on device"),
    kind("read_only", "error", "Read-only file system", rf"{_ERRNO_BEFORE}Read-only file system"),
    kind("io_error", "error", "Input/output error", rf"{_ERRNO_BEFORE}Input/output error"),
    kind("io_error", "error", "health-check failed"),
    kind("io_error", "error", "health_check"),
    # a client and its bricks
    kind(
        "request_timeout",
        "error",
        "has not responded in the last",
        rf"[Ss]erver {_PEER} has not responded in the last (?P<time_limit>\d+) seconds",
    ),
    kind("request_timeout", "error", "bailing out frame", rf"bailing out frame .*?(?:for {_PEER})?$"),
    kind("request_failed", "error", "forced unwinding frame", r"op\((?P<label>\w+)(?:\(-?\d+\))?\)"),
    kind(
        "connection_lost", "info", "disconnected from", rf"disconnected from (?:client\b|{_PEER}|(?P<target>[\w.-]*\w))"
    ),
    kind("connection_lost", "info", "disconnected", r"^disconnected\b"),
    kind(
        "connected",
        "info",
        "attached to remote volume",
        rf"[Cc]onnected(?: to (?:{_PEER}|(?P<target>[\w.-]*\w)))?, attached to remote volume",
    ),
    kind("connection_failed", "error", "failed to get the port number"),
    kind("connection_failed", "error", "failed to get 'port'"),
    kind(
        "connection_refused",
        "error",
        "Connection refused",
        rf"(?:to|with|on) {_PEER}(?:(?!(?:to|with|on) {_PEER.replace('?P<nid>', '?:')}).)*Connection refused",
    ),
    kind("connection_refused", "error", "Connection refused"),
    kind("connection_failed", "error", "connection", rf"connection (?:to|attempt on) (?:{_PEER})? *failed"),
    kind("connection_failed", "error", "DNS resolution failed"),
    kind("network_error", "warning", "readv", rf"(?:readv|read|writev|write) on {_PEER} failed"),
    kind(
        "network_error", "warning", "reading from socket failed", rf"reading from socket failed.*?(?:peer \({_PEER}\))?"
    ),
    kind("network_error", "warning", "EPOLLERR"),
    kind("child_up", "info", "notifying CHILD_UP"),
    kind("child_up", "info", "Going UP"),
    kind("offline", "error", "Going DOWN"),
    kind("child_up", "info", "came back up", r"Subvolume '?(?P<target>[\w.-]+)'? came back up"),
    kind("offline", "error", "ubvolumes are down"),
    kind("child_down", "error", "is down", r"[Ss]ubvol(?:ume)?\w{0,9} '?(?P<target>[\w.-]{0,255}\w)'? is down"),
    kind("quorum_lost", "error", "uorum is not met"),
    kind("quorum_lost", "error", "uorum not met"),
    kind("quorum_restored", "info", "uorum is met"),
    kind("quorum_restored", "info", "uorum regained"),
    # redundancy
    kind("split_brain", "error", "plit-brain"),
    kind("split_brain", "error", "plit brain"),
    kind(
        "healing_ended",
        "info",
        "ompleted",
        r"[Cc]ompleted (?P<label>data|metadata|entry|full sweep)\b(?:(?![Cc]ompleted ).)*?(?:self-?heal|sweep)",
    ),
    kind("healing_ended", "info", "elf-heal", r"self-heal (?:is )?(?:complete|successful)"),
    kind("healing_started", "info", "erforming", r"[Pp]erforming (?P<label>\w+) self-?heal"),
    kind("healing_started", "info", "tarting full sweep", r"[Ss]tarting full sweep"),
    kind(
        "request_degraded",
        "warning",
        "Operation failed on",
        r"Operation failed on \d+ of \d+ subvolumes.*?(?:FOP : '(?P<label>\w+)')?",
    ),
    kind(
        "request_degraded",
        "warning",
        "failed on subvolume",
        r"(?<!\w)(?P<label>\w+)\([^\s()]*\) failed on subvolume (?P<target>[\w.-]*\w)",
    ),
    kind("request_degraded", "warning", "some subvolumes unavailable", r"(?:FOP : '(?P<label>\w+)')?"),
    kind("request_degraded", "warning", "Insufficient available children"),
    kind("request_failed", "error", "remote_fd is -1", rf"remote_fd is -1{_ERRNO}"),
    kind("request_failed", "error", "remote operation failed", rf"remote operation failed{_ERRNO}"),
    kind("request_failed", "error", "failed to send the fop"),
    kind("request_failed", "error", "ERR => -1", r"(?<!\w)(?P<label>\w+)\(\)(?: \S+)? ERR => -1"),
    kind("request_failed", "error", "=> -1", r"(?<![A-Z])(?P<label>[A-Z]{3,}) => -1"),
    kind("request_failed", "error", "ransport endpoint is not connected"),
    # a brick and its clients
    kind("connected", "info", "accepted client from"),
    kind("disconnected", "info", "disconnecting connection from"),
    kind("disconnected", "info", "hutting down connection"),
    kind("request_failed", "error", "failed to submit message"),
    kind("target_stopped", "notice", "cleanup-and-exit"),
    kind("lock_timeout", "warning", "ost lock"),
    kind("reconnecting", "info", "attempting reconnect"),
    kind("other", "info", "changing port to", r"changing port to \d+"),
)
