"""Kinds of message that Lustre, LNet, the kernel and a cluster manager write around a failure.

The words are those of Lustre's sources: ptlrpc/import.c, ptlrpc/client.c, ptlrpc/pinger.c, ptlrpc/service.c,
ldlm/ldlm_lib.c, ldlm/ldlm_lockd.c, obdclass/genops.c, target/, lnet/, from 1.6 to 2.15.
"""

from __future__ import annotations

from storagelab.parsers.messages.kinds import Kind, kind

NID = r"[\w.<>:%-]{1,80}@(?:tcp|o2ib|lo|gni|kfi|ptlf?|elan|ra|vib|iib|openib|mx|gm|efa)\d*+"
_AT = rf"(?:\(?(?:at|via nid|using nid|on|from|to|node|NID) (?P<nid>{NID})\)?)"
_LOCAL = r"(?:XFS|EXT[234]-fs|BTRFS)\b"
"""A file system of the kernel's own, as its messages begin."""
_NAME = r"(?P<target>[\w.-]*\w)"
_TIMES = (
    r"\s*\[sent (?P<sent_time>\d{9,10})\b(?:/real \d+)?\]?(?:.*?\[deadline (?P<time_limit>\d+)s\])?"
    rf"(?:.*?->(?P<target>[\w.-]+?)(?:@(?:tcp|o2ib)\d*)?@(?P<nid>{NID}))?(?:.*?\bdl"
    rf" (?P<deadline_time>\d{{9,10}})(?= |$))?"
)

LUSTRE: tuple[Kind, ...] = (
    kind("messages_skipped", "info", "Skipped", r"Skipped (?P<messages>\d+) previous similar message"),
    kind("messages_skipped", "info", "previous similar", r"(?<!\d)(?P<messages>\d+) previous similar message"),
    # the import of a client, or of a server that is a client of another
    kind(
        "connection_lost", "warning", "was lost", rf"Connection to (?:service )?{_NAME}(?: {_AT})?.{{0,40}}? was lost"
    ),
    kind(
        "connection_lost", "warning", "lost", rf"(?:[Ll]ost connection|Connection lost) (?:to|with) {_NAME}(?: {_AT})?"
    ),
    kind(
        "connection_restored",
        "info",
        "Connection restored",
        rf"Connection restored (?:to|using)\s+(?:service )?(?P<nid>{NID}) \({_NAME}\)",
    ),
    kind(
        "connection_restored",
        "info",
        "Connection restored",
        rf"Connection restored(?: to\s+(?:{NID} |(?:service )?(?:{_NAME}\s*)?))?{_AT}",
    ),
    kind(
        "connection_restored",
        "info",
        "Connection restored",
        rf"Connection restored(?: to\s+(?:service )?|\W+\(){_NAME}",
    ),
    kind("connection_restored", "info", "Connection restored"),
    kind("evicted", "error", "This client was evicted", rf"This client was evicted by {_NAME}"),
    kind("evicted", "error", "Evicted from", rf"Evicted from {_NAME}(?: {_AT})?"),
    kind("request_timeout", "warning", "has timed out", rf"Request sent has timed out for [a-z ]+:{_TIMES}"),
    kind(
        "request_failed",
        "warning",
        "has failed due to network",
        rf"Request sent has failed due to network error:{_TIMES}",
    ),
    kind(
        "request_timeout",
        "warning",
        "has timed out",
        rf"Request +x\d+ sent from {_NAME} to NID (?P<nid>{NID}) (?P<elapsed>\d+)s ago has timed out"
        r"(?: \(limit (?P<time_limit>\d+)s\))?",
    ),
    kind(
        "request_failed",
        "warning",
        "has failed due to network",
        rf"Request +x\d+ sent from {_NAME} to NID (?P<nid>{NID}) (?P<elapsed>\d+)s ago has failed due to network"
        r" error(?: \(limit (?P<time_limit>\d+)s\))?",
    ),
    kind(
        "request_timeout",
        "warning",
        "has timed out",
        rf"Request +x\d+ sent from {_NAME} to NID (?P<nid>{NID}) has (?:timed out|failed)[^\[]*(?:\[sent"
        rf" (?P<sent_time>\d{{9,10}})\])?"
        r"(?:.*?\[deadline (?P<time_limit>\d+)s\])?",
    ),
    kind("request_timeout", "warning", "timed out", r"[Rr]equest\b(?:(?![Rr]equest\b).)*\btimed out\b"),
    # what a server does to its clients
    kind(
        "evicting",
        "error",
        "lock callback timer expired",
        rf"lock callback timer expired(?: after (?P<elapsed>\d+)s)?: evicting client at (?P<nid>{NID})"
        r"(?:.*?\bns: (?P<label>\S+))?(?:.*?\bexpref: (?P<references>\d+))?(?:.*?\bpid: (?P<pid>\d+))?",
    ),
    kind(
        "evicting",
        "error",
        "was evicted due to a lock",
        rf"A client on nid (?P<nid>{NID}) was evicted due to a lock (?:(?!A client on).)*?tim(?:e|ed) ?out: rc (?P<return_code>-?\d+)",  # noqa: E501
    ),
    kind(
        "evicting",
        "warning",
        "evicting it",
        rf"haven't heard from client \S+ \(at (?P<nid>{NID})\) in (?P<elapsed>\d+) seconds",
    ),
    kind("evicting", "warning", "evicting", rf"evicting (?:client )?(?:\S+ )?\(?(?:at )?(?P<nid>{NID})?"),
    kind("lock_timeout", "error", "lock timed out", r"lock timed out(?: \(enqueued at \d+, (?P<elapsed>\d+)s ago\))?"),
    kind("lock_timeout", "error", "lock callback", r"lock (?:blocking|completion|glimpse)? ?callback"),
    # recovery
    kind(
        "recovery_ended",
        "info",
        "over after",
        r"[Rr]ecovery (?:period )?over after (?P<elapsed>[\d:]*\d)(?:,? of (?P<clients_expected>\d+) clients?"
        r" (?P<clients_recovered>\d+) recovered and (?P<clients_evicted>\d+) (?:was|were) evicted)?",
    ),
    kind(
        "recovery_ended",
        "info",
        "ecovery",
        r"[Rr]ecovery (?:period over|complete|finished)\b.*?(?:(?P<clients_recovered>\d+) clients? (?:recovered|in))?",
    ),
    kind("recovery_ended", "info", "sending delayed replies to recovered clients"),
    kind(
        "recovery_started",
        "info",
        "n recovery for at least",
        r"[Ww]ill be in recovery for at least (?P<time_limit>[\d:]*\d)(?:, or until"
        r" (?P<clients_expected>\d+) clients? reconnects?)?",
    ),
    kind("recovery_started", "info", "starting recovery timer", r"starting recovery timer \((?P<time_limit>\d+)s?\)"),
    kind(
        "recovery_planned",
        "info",
        "Imperative Recovery",
        r"Imperative Recovery (?:enabled, recovery window shrunk from [\d-]+ down to|not enabled, recovery window)"
        r" (?P<time_limit>\d+)-\d+",
    ),
    kind(
        "recovery_progress",
        "info",
        "extended recovery timer",
        r"extended recovery timer reaching hard limit: (?P<time_limit>\d+)",
    ),
    kind(
        "client_denied",
        "warning",
        "enying connection",
        rf"enying connection for new client (?:\S++ ?)(?:\(at (?P<nid>{NID})\))?(?:(?!enying connection).)*?(?:waiting for (?:all"  # noqa: E501
        rf" )?(?P<clients_expected>\d+)"
        r" known clients \((?P<clients_recovered>\d+) recovered, (?P<clients_remaining>\d+) in progress, and"
        r" (?P<clients_evicted>\d+) evicted\)(?: (?:to recover in|already passed deadline) (?P<time_limit>[\d:]*\d))?"
        r")",
    ),
    kind(
        "client_denied",
        "warning",
        "enying connection",
        rf"enying connection for new client (?:\S++ ?)(?:\(at (?P<nid>{NID})\))?(?:(?!enying connection).)*?"
        r"(?<!\d)(?P<clients_remaining>\d+) clients? in recovery for (?P<time_limit>[\d:]*\d)s?",
    ),
    kind("client_denied", "warning", "enying connection"),
    kind(
        "recovery_progress",
        "info",
        "in recovery for",
        rf"(?:\(at (?P<nid>{NID})\) )?re(?:connect\w*|fused)?,? waiting for (?P<clients_remaining>\d+)"
        rf" clients in recovery for (?P<time_limit>[\d:]*\d)",
    ),
    kind(
        "recovery_progress",
        "info",
        "recoverable clients",
        r"(?<!\d)(?P<clients_remaining>\d+) recoverable clients? remain",
    ),
    kind(
        "recovery_aborted",
        "warning",
        "recovery",
        r"[Aa]borting (?:\w{1,40} ){0,9}recovery|recovery (?:is |was )?aborted|recovery (?:is |has )?timed out",
    ),
    kind("evicting", "warning", "stale client", r"disconnecting (?P<clients_evicted>\d+) stale clients?"),
    # connections refused, requests failed
    kind(
        "connection_refused",
        "warning",
        "efus",
        rf"(?:[Rr]efus(?:ed|ing) (?:re)?connection|connection refused)(?:.*?(?P<nid>{NID}))?"
        r"(?:, still busy with (?P<references>\d+))?",
    ),
    kind(
        "target_unavailable",
        "error",
        "not available for connect",
        rf"(?<![\w.-])(?P<target>[\w.-]+?)(?:_UUID)?'? is not available for connect(?: from (?P<nid>{NID}))?",
    ),
    kind(
        "target_unavailable",
        "error",
        "not available for connect",
        rf"(?<![\w.-])(?P<target>[\w.-]+?)(?:_UUID)?: not available for connect(?: from (?P<nid>{NID}))?",
    ),
    kind(
        "request_failed",
        "error",
        "operation",
        rf"operation (?P<label>\w+) to node (?P<nid>{NID}|\S+) failed(?:: rc = |:? with )(?P<return_code>-?\d+)",
    ),
    kind(
        "request_failed",
        "error",
        "ommunicating with",
        rf"ommunicating with (?P<nid>{NID})[.,] *(?:The |operation )?(?P<label>\w+)(?: operation)? failed"
        rf" with (?P<return_code>-?\d+)",
    ),
    kind(
        "request_failed",
        "error",
        "bulk",
        r"[Bb]ulk (?:IO )?\w+ (?:write |read )?error(?:(?![Bb]ulk ).)*?(?:rc:? =? ?(?P<return_code>-?\d+))",
    ),
    kind("request_timeout", "error", "timeout on bulk", r"timeout on bulk \w+ after (?P<elapsed>\d+)"),
    kind("request_failed", "error", "network error on bulk"),
    kind("reconnecting", "info", "reconnecting", rf"[Cc]lient \S+ \(at (?P<nid>{NID})\) reconnecting"),
    kind("reconnecting", "info", "reconnect", r"\breconnect(?:ed|ing)?\b"),
    # servers and targets
    kind("started", "info", "Build Version"),
    kind("failover", "notice", "Failing over", rf"Failing over {_NAME}"),
    kind("target_stopped", "notice", "server umount", rf"server umount {_NAME} complete"),
    kind("target_stopped", "notice", "nmounted", rf"\b[Uu]nmounted {_NAME}"),
    kind("target_started", "notice", "ounted", rf"\b[Mm]ounted {_NAME}"),
    kind("target_started", "notice", "Now serving", rf"Now serving {_NAME}"),
    kind(
        "slow",
        "warning",
        "was inactive for",
        r"(?:thread pid|for pid|process) (?P<pid>\d+)(?:.{0,20}) was inactive for (?P<elapsed>\d+(?:\.\d+)?)",
    ),
    kind(
        "task_resumed", "info", "completed after", r"thread pid (?P<pid>\d+) completed after (?P<elapsed>\d+(?:\.\d+)?)"
    ),
    kind("slow", "warning", "slow ", r"\bslow (?P<label>[\w ]{1,80}?) (?P<elapsed>\d+)s\b(?: due to)?"),
    kind("slow", "warning", "not sending early reply", r"(?:Already past deadline|ouldn't add any time)"),
    kind("slow", "warning", "was busy", r"was busy|still busy with (?P<references>\d+)"),
    # the network
    kind(
        "network_error",
        "error",
        "imed out tx",
        rf"[Tt]imed out tx(?:.*?(?P<nid>{NID}))?(?:.*?[:,] *(?P<elapsed>\d+) seconds)?",
    ),
    kind(
        "network_error", "error", "imed out RDMA", rf"[Tt]imed out RDMA with (?P<nid>{NID})(?: \((?P<elapsed>\d+)\))?"
    ),
    kind("network_error", "error", "nexpected error", r"nexpected error (?P<return_code>-?\d+) (?:connecting|on)"),
    kind("network_error", "error", "reset our connection"),
    kind("network_error", "error", "was unreachable"),
    kind("network_error", "error", "was reset"),
    kind("network_error", "error", "peer", r"peer (?:NI )?\S* ?(?:is )?(?:down|dead|not alive)"),
    kind("link_down", "error", "FATAL", r"HW port|fatal (?:device )?error|IB_EVENT_PORT_ERR"),
    kind("network_error", "error", "too big", r"Matching packet (?:(?!Matching).)* too big"),
    kind(
        "network_error",
        "error",
        "eleting messages",
        rf"eleting messages for (?P<nid>{NID})(?:(?!eleting).)*?(?P<return_code>-\d+)",
    ),
    kind("checksum_error", "error", "CHECKSUM", r"BAD (?:WRITE|READ) CHECKSUM|CHECKSUM"),
    kind("crashed", "critical", "LBUG"),
    kind("crashed", "critical", "ASSERTION", r"ASSERTION *\("),
    kind("no_space", "error", "rc = -28", r"rc = (?P<return_code>-28)\b"),
)

KERNEL: tuple[Kind, ...] = (
    kind(
        "task_hung",
        "error",
        "blocked for more than",
        r"task (?P<label>\S+?):(?P<pid>\d+) blocked for more than (?P<elapsed>\d+) seconds",
    ),
    kind(
        "task_hung",
        "error",
        "soft lockup",
        r"soft lockup - CPU#\d+ stuck for (?P<elapsed>\d+)s!(?: \[\S+?:(?P<pid>\d+)\])?",
    ),
    kind("io_error", "error", "I/O error", r"I/O error(?:,| on)? (?:dev|device) (?P<device>[\w/.-]+)"),
    kind("io_error", "error", "I/O error", r"(?:\((?P<device>[\w.-]+)\): (?:(?!\([\w.-]+\): ).)*)?I/O error"),
    kind(
        "io_error",
        "error",
        "rejecting I/O",
        r"(?:(?P<device>\d{1,4}(?::\d{1,4}){3}): (?:\[\w{1,20}\] )?)?rejecting I/O to (?:offline|dead) device",
    ),
    kind("io_error", "error", "Disk failure", r"Disk failure on (?P<device>\w+)"),
    kind("io_error", "error", "FAILED Result", r"(?:\[(?P<device>\w+)\](?:(?!\[\w+\]).)*)?FAILED Result"),
    kind("io_error", "error", "Medium Error", r"(?:\[(?P<device>\w+)\](?:(?!\[\w+\]).)*)?Medium Error"),
    kind(
        "read_only",
        "error",
        "emounting filesystem read-only",
        r"(?:\((?P<device>[\w.-]+)\): )?[Rr]emounting filesystem read-only",
    ),
    kind(
        "read_only",
        "error",
        "read-only",
        r"(?:remount\w{0,9}|forced|switching|become|becoming|turned|now) .{0,40}read-only",
    ),
    kind("filesystem_error", "error", "-fs error", r"-fs error \((?:device )?(?P<device>[\w.-]+)\)"),
    kind(
        "filesystem_error",
        "error",
        "orruption",
        rf"{_LOCAL}(?:(?!{_LOCAL})[^(])*\((?:device )?(?P<device>[\w.-]+)\)(?:(?!{_LOCAL}).)*[Cc]orruption",
    ),
    kind("filesystem_error", "error", "force_shutdown", r"\((?P<device>[\w.-]+)\)(?:(?!\([\w.-]+\)).)*force_shutdown"),
    kind(
        "link_down",
        "error",
        "ink is",
        r"(?:(?P<interface>[a-z][\w.-]{0,40}):? )?(?:\(\w{1,40}\): )?(?:NIC )?(?:\w{1,40} )?[Ll]ink is (?:[Dd]own|not ready)",  # noqa: E501
    ),
    kind(
        "link_up", "info", "ink is", r"(?:(?P<interface>[a-z][\w.-]{0,40}):? )?(?:NIC )?(?:\w{1,40} )?[Ll]ink is [Uu]p"
    ),
    kind("link_up", "info", "becomes ready", r"(?P<interface>[a-z][\w.-]{0,40}): link becomes ready"),
    kind("link_down", "error", "ink down", r"(?:(?P<interface>[a-z][\w.-]{0,40}): (?:\w{1,40} ){0,2})?[Ll]ink down"),
    kind("link_up", "info", "ink up", r"(?:(?P<interface>[a-z][\w.-]{0,40}): (?:\w{1,40} ){0,2})?[Ll]ink up"),
    kind("not_responding", "warning", "not responding", r"(?:nfs: )?server (?P<server>\S+) not responding"),
    kind("responding", "info", "nfs: server", r"nfs: server (?P<server>\S+) OK"),
    kind("out_of_memory", "error", "Out of memory", r"Out of memory: Kill(?:ed)? process (?P<pid>\d+)"),
    kind("out_of_memory", "error", "oom-killer"),
    kind("crashed", "critical", "Kernel panic"),
    kind("crashed", "critical", "kernel BUG at"),
    kind("crashed", "critical", "general protection fault"),
    # cluster managers
    kind("link_down", "error", "Marking ringid", r"interface (?P<nid>\S+) FAULTY"),
    kind("link_down", "error", "Monitoring of", r"ERROR: Monitoring of (?P<interface>[a-z]+\d++)\S* failed"),
    kind("node_lost", "error", "is now lost", r"Node (?P<server>[\w.-]{1,255}?)\[?\d{0,9}\]? - state is now lost"),
    kind("node_joined", "info", "is now member", r"Node (?P<server>[\w.-]{1,255}?)\[?\d{0,9}\]? - state is now member"),
    kind("node_lost", "error", "processor failed", r"A processor failed"),
    kind(
        "node_fenced",
        "warning",
        "was terminated",
        r"Peer (?P<server>[\w.-]+) was (?:not )?terminated \((?P<label>\w+)\)",
    ),
)
