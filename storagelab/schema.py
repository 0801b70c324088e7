"""The data contract: every name that a dataset may carry, with its meaning and SI unit. Spelled here and nowhere else.

A study is a tree of up to five nodes (`NODES`), each with the one dimension ``obs``. A field is a *key* (it identifies
a measurement), a *variable* (it was measured) or a *trace* (it leads back to the log). Text is "" where a key does not
apply and "unknown" where the source does not say; a missing number is NaN, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from storagelab.errors import UnknownNameError

MEASURED = ("runs", "clients", "series", "events")
NODES = (*MEASURED, "logs")
ORIGINS = ("measured", "published", "reconstructed")
BASES = ("published", "derived", "model")

Kind = Literal["key", "variable", "trace"]


@dataclass(frozen=True, slots=True)
class Field:
    """One name of the contract; `unit` is None for text, "1" for pure numbers."""

    name: str
    kind: Kind
    unit: str | None
    long_name: str
    values: tuple[str, ...] = ()


def _fields(kind: Kind, rows: Iterable[tuple[str, str | None, str]]) -> list[Field]:
    return [Field(name, kind, unit, long_name, VALUES.get(name, ())) for name, unit, long_name in rows]


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

ROLES = ("benchmark", "netdev_before", "netdev_after", "bandwidth_log", "network_log", "messages", "striping")

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
    "server_mode": ("", "bare-metal", "virtual", "namespace", "unknown"),
    "file_mode": ("", "file-per-process", "shared-file", "unknown"),
    "directory_mode": ("", "shared", "unique", "unknown"),
    "client_location": ("", "external", "on-board", "unknown"),
    "stat_origin": ("", "creating_node", "neighbour_node", "unknown"),
    "access_pattern": ("", "sequential", "random", "strided", "mixed", "unknown"),
    "statistic": ("single", "mean", "max", "min", "median", "sum"),
    "share": ("", "client", "process", "rank"),
    "origin": ORIGINS,
    "basis": ("", *BASES),
    "role": ("", *ROLES, "sidecar"),
}

KEYS = _fields("key", (
    ("study", None, "study"),
    ("origin", None, "where the logs come from"),
    ("basis", None, "what a value that was not measured rests on: printed, computed from what was printed, or a model"),
    ("run_id", None, "run"),
    ("part", "1", "ordinal of the test inside its log, from 1"),
    ("tool", None, "benchmark tool"),
    ("operation", None, "operation"),
    ("operation_group", None, "group of operations"),
    ("statistic", None, "what the value is: one measurement, or a statistic over the tool's own iterations"),
    ("label", None, "label the log gives the row"),
    ("filesystem", None, "file system"),
    ("filesystem_version", None, "version of the file system"),
    ("server_mode", None, "server mode"),
    ("mount", None, "mount"),
    ("driver_net", None, "network driver"),
    ("driver_disk", None, "disk driver"),
    ("striping", None, "striping"),
    ("stripe_size", "B", "stripe size"),
    ("stripe_count", "1", "stripe count"),
    ("stripe_offset", "1", "index of the first OST"),
    ("component", None, "component or mirror of a layout"),
    ("layout", None, "volume layout"),
    ("replicas", "1", "replicas"),
    ("erasure_code", None, "erasure code"),
    ("protocol", None, "access protocol"),
    ("api", None, "I/O interface"),
    ("server", None, "server"),
    ("client_location", None, "client location"),
    ("client_link", "B/s", "client link"),
    ("server_link", "B/s", "server link"),
    ("clients", "1", "clients"),
    ("jobs", "1", "jobs"),
    ("processes", "1", "processes"),
    ("nodes", "1", "client nodes"),
    ("processes_per_node", "1", "processes per node"),
    ("share", None, "whose share of the run the row is"),
    ("client", None, "client"),
    ("process", None, "process or rank"),
    ("host", None, "host"),
    ("cluster", None, "cluster of hosts that a monitor names"),
    ("grid", None, "grid of clusters that a monitor names"),
    ("interface", None, "network interface"),
    ("device", None, "block device"),
    ("job", None, "job name"),
    ("phase", None, "phase of the job"),
    ("file", None, "file or URL"),
    ("tree", None, "ROOT tree"),
    ("cpu", None, "processor"),
    ("metric", None, "metric that has no name of its own here, as the log names it"),
    ("unit", None, "unit that the log gives to `value`"),
    ("targets", "1", "targets of servers"),
    ("target", None, "target of a server, such as an OST or a brick"),
    ("event", None, "what happened"),
    ("event_class", None, "who can act on it: whoever looks after the part that it names"),
    ("legibility", None, "what reading the message takes: plain words, a table of codes, or the source"),
    ("severity", None, "severity"),
    ("code", None, "code of the message"),
    ("source", None, "place in the source that wrote the message"),
    ("nid", None, "network address of the peer"),
    ("message", None, "message, shortened"),
    ("file_mode", None, "file mode"),
    ("directory_mode", None, "directory mode"),
    ("stat_origin", None, "node that stats what another created"),
    ("access_pattern", None, "access pattern"),
    ("record_size", "B", "record size"),
    ("file_size", "B", "file size"),
    ("block_size", "B", "contiguous bytes a process handles"),
    ("segments", "1", "segments"),
    ("stride", "1", "stride"),
    ("items", "1", "files or directories a process handles"),
    ("depth", "1", "depth of the directory tree"),
    ("branching", "1", "branching factor of the directory tree"),
    ("queue_depth", "1", "queue depth"),
    ("streams", "1", "parallel streams of a transfer"),
    ("socket_buffer", "B", "socket buffer"),
    ("read_share", "1", "share of reads in a mix"),
    ("entries_fraction", "1", "fraction of entries read"),
    ("branches_fraction", "1", "fraction of branches read"),
    ("read_ahead", "B", "read-ahead"),
    ("cache_size", "B", "cache size of the tool"),
    ("memory_limit", "B", "memory the benchmark may use"),
    ("fetch_block", "B", "block that is only fetched whole"),
    ("disks", "1", "disks of a server"),
    ("disk_size", "B", "size of a disk"),
    ("controllers", "1", "disk controllers of a server"),
    ("raid_sets", "1", "RAID sets"),
    ("disks_per_set", "1", "disks of a RAID set"),
    ("parity_disks", "1", "disks of a RAID set whose space is parity"),
    ("raid_tiers", "1", "tiers of disks behind a controller"),
    ("client_memory", "B", "memory of a client"),
    ("server_memory", "B", "memory of all servers together"),
    ("cache_dropped", None, "caches dropped before the run"),
    ("file_on_failed_server", None, "file lies on the server that failed"),
    ("repeat", "1", "repeat of the campaign"),
    ("iteration", "1", "iteration inside the tool, from 0"),
    ("block", "1", "randomised block"),
    ("valid", None, "verdict of the tool on its own result"),
    ("time", "s", "time since the start of the run"),
))  # fmt: skip

VARIABLES = _fields("variable", (
    ("throughput", "B/s", "throughput"),
    ("throughput_min", "B/s", "lowest throughput"),
    ("throughput_max", "B/s", "highest throughput"),
    ("throughput_mean", "B/s", "mean throughput"),
    ("throughput_std", "B/s", "standard deviation of throughput"),
    ("throughput_rounded", "B/s", "throughput as the tool rounds it"),
    ("throughput_parent", "B/s", "throughput the parent process sees"),
    ("throughput_span", "B/s", "all bytes over first start to last end"),
    ("throughput_common", "B/s", "throughput over the window in which all clients ran"),
    ("throughput_stonewall", "B/s", "throughput up to the stonewall"),
    ("throughput_transfer", "B/s", "throughput without open and close"),
    ("operation_rate", "1/s", "operation rate"),
    ("operation_rate_min", "1/s", "lowest operation rate"),
    ("operation_rate_max", "1/s", "highest operation rate"),
    ("operation_rate_mean", "1/s", "mean operation rate"),
    ("operation_rate_std", "1/s", "standard deviation of the operation rate"),
    ("operation_rate_parent", "1/s", "operation rate the parent process sees"),
    ("operation_rate_stonewall", "1/s", "operation rate up to the stonewall"),
    ("file_rate", "1/s", "whole files a second"),
    ("file_rate_stonewall", "1/s", "whole files a second up to the stonewall"),
    ("latency", "s", "mean latency of an operation"),
    ("latency_min", "s", "lowest latency"),
    ("latency_max", "s", "highest latency"),
    ("latency_std", "s", "standard deviation of latency"),
    ("latency_p1", "s", "1st percentile of latency"),
    ("latency_p5", "s", "5th percentile of latency"),
    ("latency_p10", "s", "10th percentile of latency"),
    ("latency_p20", "s", "20th percentile of latency"),
    ("latency_p30", "s", "30th percentile of latency"),
    ("latency_p40", "s", "40th percentile of latency"),
    ("latency_p50", "s", "median latency"),
    ("latency_p60", "s", "60th percentile of latency"),
    ("latency_p70", "s", "70th percentile of latency"),
    ("latency_p75", "s", "75th percentile of latency"),
    ("latency_p80", "s", "80th percentile of latency"),
    ("latency_p90", "s", "90th percentile of latency"),
    ("latency_p95", "s", "95th percentile of latency"),
    ("latency_p99", "s", "99th percentile of latency"),
    ("latency_p99_5", "s", "99.5th percentile of latency"),
    ("latency_p99_9", "s", "99.9th percentile of latency"),
    ("latency_p99_95", "s", "99.95th percentile of latency"),
    ("latency_p99_99", "s", "99.99th percentile of latency"),
    ("file_latency", "s", "mean latency of a whole file"),
    ("file_latency_min", "s", "lowest latency of a whole file"),
    ("file_latency_max", "s", "highest latency of a whole file"),
    ("first_byte_latency", "s", "mean time to the first byte"),
    ("first_byte_latency_min", "s", "lowest time to the first byte"),
    ("first_byte_latency_max", "s", "highest time to the first byte"),
    ("submission_latency", "s", "mean submission latency"),
    ("total_latency", "s", "mean latency from submission to completion"),
    ("elapsed", "s", "elapsed time"),
    ("elapsed_min", "s", "shortest elapsed time"),
    ("elapsed_max", "s", "longest elapsed time"),
    ("elapsed_std", "s", "standard deviation of elapsed time"),
    ("open_time", "s", "time to open"),
    ("transfer_time", "s", "time to write or read, without open and close"),
    ("close_time", "s", "time to close"),
    ("metadata_time", "s", "time in metadata operations, summed over processes"),
    ("stonewall_time", "s", "time to the stonewall"),
    ("cpu_time", "s", "CPU time"),
    ("cpu_user_time", "s", "CPU time in user mode"),
    ("cpu_system_time", "s", "CPU time in system mode"),
    ("cpu_utilisation", "1", "CPU time over elapsed time"),
    ("start_time", "s", "start, seconds since 1970-01-01T00:00:00Z"),
    ("end_time", "s", "end, seconds since 1970-01-01T00:00:00Z"),
    ("data_size", "B", "bytes moved"),
    ("data_size_min", "B", "fewest bytes moved by a process"),
    ("operations", "1", "operations done"),
    ("operations_tried", "1", "operations tried"),
    ("operations_min", "1", "fewest operations done by a process"),
    ("operations_max", "1", "most operations done by a process"),
    ("records", "1", "records of full size"),
    ("records_partial", "1", "records shorter than that"),
    ("files", "1", "files"),
    ("progress", "1", "share of the work that is done"),
    ("samples", "1", "values behind a summary"),
    ("errors", "1", "errors"),
    ("error_code", "1", "errno of the failure"),
    ("exit_status", "1", "exit status"),
    ("score", "1", "score"),
    ("network_received", "B", "bytes received from the network"),
    ("network_sent", "B", "bytes sent to the network"),
    ("retransmits", "1", "segments sent again"),
    ("packets_received", "1", "packets received"),
    ("packets_sent", "1", "packets sent"),
    ("packets_lost", "1", "packets that did not arrive"),
    ("jitter", "s", "mean change of the transit time from packet to packet"),
    # what a job read and did
    ("data_size_uncompressed", "B", "bytes after decompression"),
    ("data_size_extra", "B", "bytes read that nobody asked for"),
    ("throughput_uncompressed", "B/s", "bytes after decompression over elapsed time"),
    ("request_size", "B", "mean bytes of a request"),
    ("data_extra_share", "1", "bytes read that nobody asked for over bytes read"),
    ("data_size_file", "B", "bytes that the file counts as read, its headers included"),
    ("operations_file", "1", "reads that the file counts"),
    ("disk_time", "s", "elapsed time in raw reads"),
    ("disk_throughput", "B/s", "bytes read over elapsed time in raw reads"),
    ("throughput_cpu", "B/s", "bytes read over CPU time"),
    ("throughput_uncompressed_cpu", "B/s", "bytes after decompression over CPU time"),
    ("throughput_stream", "B/s", "bytes after decompression over CPU time without decompression"),
    ("throughput_unzip", "B/s", "bytes after decompression over time of decompression"),
    ("unzip_time", "s", "elapsed time of decompression"),
    ("cpu_unzip_time", "s", "CPU time of decompression"),
    ("cpu_stream_time", "s", "CPU time without decompression"),
    ("setup_time", "s", "elapsed time before the first event"),
    ("cpu_setup_time", "s", "CPU time before the first event"),
    ("cache_efficiency", "1", "reads found in the cache over reads prefetched into it"),
    ("cache_efficiency_relative", "1", "reads found in the cache over reads"),
    ("cache_efficiency_secondary", "1", "reads found in the secondary cache over reads prefetched into it"),
    ("cache_efficiency_secondary_relative", "1", "reads found in the secondary cache over reads that missed the first"),
    ("cache_blocks", "1", "blocks in the cache"),
    ("cache_used", "B", "bytes of the blocks in the cache"),
    ("branches", "1", "branches read"),
    ("branches_total", "1", "branches of the tree"),
    ("leaves", "1", "leaves of the tree"),
    ("blocks_fetched", "1", "blocks fetched, each as often as it was"),
    ("blocks_distinct", "1", "different blocks fetched"),
    ("offset", "B", "place in the file at which a request begins"),
    ("priority", "1", "priority of a request, as the tool numbers it"),
    ("chunks", "1", "pieces of a file that vector operations asked for"),
    ("entries", "1", "entries read"),
    ("entries_total", "1", "entries of the tree"),
    ("entries_learnt", "1", "entries from which the cache learns the branches in use"),
    ("job_events", "1", "events a job processed"),
    ("job_events_failed", "1", "events a job failed on"),
    ("memory_peak", "B", "most memory the job had"),
    ("memory_mean", "B", "mean memory the job had"),
    ("disk_read", "B", "bytes that came from disks"),
    ("disk_written", "B", "bytes that went to disks"),
    ("switches_forced", "1", "context switches by force"),
    ("switches_waiting", "1", "context switches to wait for something"),
    # what an interface or a disk did
    ("packet_rate", "1/s", "packets a second"),
    ("error_rate", "1/s", "errors a second"),
    ("drop_rate", "1/s", "drops a second"),
    ("merge_rate", "1/s", "requests merged a second"),
    ("merge_share", "1", "share of requests merged before they reached the disk"),
    ("queue_length", "1", "mean requests in the queue"),
    ("utilisation", "1", "share of its time or capacity in use"),
    ("link_speed", "B/s", "nominal speed of the link"),
    # what a host did
    ("cpu_user", "1", "share of CPU time in user mode"),
    ("cpu_nice", "1", "share of CPU time in user mode at low priority"),
    ("cpu_system", "1", "share of CPU time in system mode"),
    ("cpu_iowait", "1", "share of CPU time waiting for I/O"),
    ("cpu_steal", "1", "share of CPU time that the hypervisor took"),
    ("cpu_irq", "1", "share of CPU time in hardware interrupts"),
    ("cpu_softirq", "1", "share of CPU time in software interrupts"),
    ("cpu_guest", "1", "share of CPU time in guests"),
    ("cpu_guest_nice", "1", "share of CPU time in guests at low priority"),
    ("cpu_idle", "1", "share of CPU time idle"),
    ("load_1", "1", "load over 1 minute"),
    ("load_5", "1", "load over 5 minutes"),
    ("load_15", "1", "load over 15 minutes"),
    ("processes_running", "1", "processes that run or could"),
    ("processes_blocked", "1", "processes that wait for I/O"),
    ("processes_total", "1", "processes"),
    ("context_switch_rate", "1/s", "context switches a second"),
    ("interrupt_rate", "1/s", "interrupts a second"),
    ("memory_total", "B", "memory"),
    ("memory_free", "B", "free memory"),
    ("memory_available", "B", "memory that a new process could have"),
    ("memory_used", "B", "memory in use"),
    ("memory_buffers", "B", "memory in buffers"),
    ("memory_cached", "B", "memory in the page cache"),
    ("memory_active", "B", "active memory"),
    ("memory_inactive", "B", "inactive memory"),
    ("memory_dirty", "B", "memory to be written to disk"),
    ("memory_shared", "B", "shared memory"),
    ("swap_total", "B", "swap space"),
    ("swap_free", "B", "free swap space"),
    ("swap_used", "B", "swap space in use"),
    ("swap_in", "B/s", "memory swapped in"),
    ("swap_out", "B/s", "memory swapped out"),
    ("disk_total", "B", "disk space"),
    ("disk_free", "B", "free disk space"),
    ("value", "1", "value of `metric`, in `unit`"),
    # what happened
    ("event_time", "s", "when it happened, seconds since 1970-01-01T00:00:00Z"),
    ("uptime", "s", "time since the host was booted"),
    ("sent_time", "s", "when the request was sent, seconds since 1970-01-01T00:00:00Z"),
    ("deadline_time", "s", "deadline of the request, seconds since 1970-01-01T00:00:00Z"),
    ("time_limit", "s", "time that the message says is allowed or left"),
    ("return_code", "1", "error number that the message gives"),
    ("messages", "1", "messages of the kind that the log counts without printing them"),
    ("clients_expected", "1", "clients that recovery waits for"),
    ("clients_recovered", "1", "clients that recovered"),
    ("clients_remaining", "1", "clients that recovery still waits for"),
    ("clients_evicted", "1", "clients that were evicted"),
    ("pid", "1", "process id of what wrote the message"),
    ("references", "1", "references held on what the message is about"),
    # counters
    ("counter_bytes", "B", "bytes counted since boot"),
    ("counter_packets", "1", "packets counted since boot"),
    ("counter_errors", "1", "errors counted since boot"),
    ("counter_drops", "1", "drops counted since boot"),
    ("counter_bytes_rounded", "B", "bytes counted since boot, as the tool rounds them"),
))  # fmt: skip

TRACE = [
    Field("log_id", "trace", "1", "row of the node logs"),
    Field("line", "trace", "1", "line of the log, from 1"),
    Field("log_count", "trace", "1", "clients' logs that were added up; 1 where the value comes from one log"),
]

LOG_FIELDS = [
    Field("log", "key", None, "path of the log below its study"),
    Field("log_sha256", "key", None, "SHA-256 of the log"),
    Field("format", "key", None, "format of the log"),
    Field("role", "key", None, "role of the log in its run", VALUES["role"]),
    Field("tool_version", "key", None, "version of the tool"),
    Field("command", "key", None, "command line"),
    Field("options", "key", None, "command line or options, as the log itself prints them"),
    Field("started", "key", None, "start (ISO 8601, UTC)"),
    Field("ended", "key", None, "end (ISO 8601, UTC)"),
    Field("time_zone", "key", None, "time zone of the log's clock, where the log does not say it"),
    Field(
        "complete", "variable", "1", "1 where all logs behind the row are whole, 0 where one is cut or its tool failed"
    ),
    Field("notes", "key", None, "what the parser has to say about the log"),
]

FIELDS: Mapping[str, Field] = {field.name: field for field in [*KEYS, *VARIABLES, *TRACE, *LOG_FIELDS]}

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


def field(name: str) -> Field:
    """Look a name up; an unknown one raises with the nearest known name."""
    try:
        return FIELDS[name]
    except KeyError:
        raise UnknownNameError("name", name, FIELDS) from None


def is_same_operation(of_log: object, said: object) -> bool:
    """Whether a sidecar's word for an operation agrees with the log's, which may leave the direction open."""
    return of_log == said or said in DIRECTIONS.get(str(of_log), ())


def check_value(name: str, value: object) -> None:
    """Refuse a value outside the closed vocabulary of its name."""
    allowed = field(name).values
    if allowed and value not in allowed:
        raise UnknownNameError(f"{name}", str(value), allowed)


def is_text(name: str) -> bool:
    """Whether values of this name are text rather than float64 in SI."""
    return field(name).unit is None
