"""Closed vocabularies of the contract: the words that a key may have, and those that stand for others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

MEASURED = ("runs", "clients", "series", "events")
NODES = (*MEASURED, "logs", "conditions")
ORIGINS = ("measured", "published", "reconstructed")
BASES = ("published", "derived", "model")
"""What a value that was not measured rests on, the weakest last."""


def weakest(bases: Iterable[str]) -> str:
    """Return the weakest of several bases: what a value rests on that was made from several; "" where none is said.

    Parameters
    ----------
    bases : iterable of str
        Bases of what a value is made from.

    Returns
    -------
    str
        One of them, or an empty text.
    """
    return max(bases, key=("", *BASES).index, default="")


OPERATIONS = (
    # data
    "write", "rewrite", "read", "reread", "random_read", "random_write", "backward_read", "stride_read",
    "record_rewrite", "mixed_workload", "fwrite", "frewrite", "fread", "freread", "pwrite", "repwrite", "pread",
    "repread", "pwritev", "repwritev", "preadv", "repreadv", "readv", "writev", "append", "truncate", "seek",
    "prefetch", "trim", "sync",
    # metadata: mdtest, IO500, fileop
    "file_create", "file_stat", "file_read", "file_remove", "file_rename", "directory_create", "directory_stat",
    "directory_read", "directory_remove", "directory_rename", "tree_create", "tree_remove", "find",
    "mkdir", "rmdir", "create", "open", "close", "stat", "access", "chmod", "readdir", "link", "unlink", "delete",
    "chdir",
    # what CMSSW's storage layer counts besides
    "construct", "destruct", "stage",
    # transfers, networks, jobs
    "upload", "download", "copy", "put", "get", "list", "receive", "transmit", "job", "score",
    "unknown",
)  # fmt: skip

DIRECTIONS: Mapping[str, tuple[str, ...]] = {"copy": ("upload", "download")}
"""An operation that logs name where they do not say which way it went -> what a sidecar may call it."""

ROLES = (
    "benchmark", "netdev_before", "netdev_after", "netdev_readings", "bandwidth_log", "network_log", "monitor_log",
    "messages", "striping",
)  # fmt: skip
SIDECAR = "sidecar"
"""Role of an experimenter's table to which rows lead; it is no log."""

EVENTS = (
    # a client and its servers
    "connected", "disconnected", "connection_lost", "connection_restored", "connection_refused", "connection_failed",
    "reconnecting", "evicted", "evicting", "request_timeout", "request_failed", "request_degraded", "lock_timeout",
    "slow", "not_responding", "responding",
    # recovery and redundancy
    "recovery_planned", "recovery_started", "recovery_progress", "recovery_ended", "recovery_aborted", "client_denied",
    "child_down", "child_up", "offline", "quorum_lost", "quorum_restored", "split_brain", "healing_started",
    "healing_ended",
    # servers, targets and their nodes
    "started", "stopped", "target_started", "target_stopped", "target_unavailable", "failover", "node_lost",
    "node_joined", "node_fenced", "crashed", "task_hung", "task_resumed", "out_of_memory",
    # networks and disks
    "network_error", "link_down", "link_up", "io_error", "filesystem_error", "checksum_error", "read_only", "no_space",
    # what the experimenter did
    "server_failed", "server_restored",
    # the log itself
    "messages_skipped", "other",
)  # fmt: skip

EVENT_CLASSES = ("client", "server", "network", "disk", "administrator", "nobody", "unknown")
LEGIBILITIES = ("plain", "code", "source")
SEVERITIES = ("emergency", "alert", "critical", "error", "warning", "notice", "info", "debug")

VALUES: Mapping[str, tuple[str, ...]] = {
    "operation": OPERATIONS,
    "event": EVENTS,
    "event_class": EVENT_CLASSES,
    "legibility": ("", *LEGIBILITIES),
    "severity": ("", *SEVERITIES),
    "server_mode": ("", "bare-metal", "virtual", "namespace", "not applicable", "unknown"),
    "file_mode": ("", "file-per-process", "shared-file", "unknown"),
    "directory_mode": ("", "shared", "unique", "unknown"),
    "client_location": ("", "external", "on-board", "unknown"),
    "stat_origin": ("", "creating_node", "neighbour_node", "unknown"),
    "access_pattern": ("", "sequential", "random", "strided", "mixed", "unknown"),
    "statistic": ("single", "mean", "max", "min", "median", "sum", "last"),
    "share": ("", "client", "process", "rank"),
    "origin": ORIGINS,
    "basis": ("", *BASES),
    "role": ("", *ROLES, SIDECAR),
}

SAYS_RECONSTRUCTED = "the log says that it is reconstructed"
"""Note on a log with a line that holds the word "reconstructed" and behind it "published" or "not measured"."""

TRANSLATIONS: Mapping[str, str] = {
    "run": "repeat",
    "client_id": "client",
    "client_network": "client_link",
    "entries_percent": "entries_fraction",
    "branches_percent": "branches_fraction",
    "erasure": "erasure_code",
    "directory": "directory_mode",
}
"""Words of the studies' inventory -> names of the contract. (Its `layout` of files is `file_mode` here.)"""
