"""Messages of Lustre and of kernels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from storagelab import parsers, schema
from storagelab.errors import ParseError
from storagelab.parsers.messages import kinds, syslog
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import decode
from storagelab.testing import survive
from tests.conftest import SHARED
from tests.work import calls

CORPUS = SHARED / "corpus" / "lustre-syslog"


def read(*lines: str) -> Parsed:
    return parsers.parse("".join(f"{line}\n" for line in lines), format="syslog")


def event(line: str) -> Row:
    found = read(line).events
    assert len(found) == 1, found
    return found[0]


def test_every_event_has_its_class_and_every_class_is_of_the_contract() -> None:
    assert set(kinds.EVENT_CLASS) == set(schema.EVENTS)
    assert set(kinds.EVENT_CLASS.values()) <= set(schema.EVENT_CLASSES)


AT = {"nid": "10.1.0.3@o2ib"}
SCRATCH = {"target": "scratch-OST0003"}


@pytest.mark.parametrize(
    ("text", "what", "said"),
    [
        (
            "Lustre: scratch-OST0003-osc-ff: Connection restored to 10.1.0.3@o2ib (at 10.1.0.3@o2ib)",
            "connection_restored",
            {**SCRATCH, **AT},
        ),
        # 1.6 and 1.8
        (
            "Lustre: scratch-OST0003-osc-ff: Connection to service scratch-OST0003 via nid 10.1.0.3@o2ib"
            " was lost; in progress"
            " operations using this service will wait for recovery to complete.",
            "connection_lost",
            {**SCRATCH, **AT},
        ),
        (
            "Lustre: scratch-OST0003-osc-ff: Connection restored to service scratch-OST0003 using nid 10.1.0.3@o2ib.",
            "connection_restored",
            {**SCRATCH, **AT},
        ),
        (
            "Lustre: 9:0:(client.c:1463:ptlrpc_expire_one_request()) @@@ Request x1331 sent from"
            " scratch-OST0003-osc-ff to NID"
            " 10.1.0.3@o2ib 17s ago has timed out (limit 17s).",
            "request_timeout",
            {**SCRATCH, **AT, "elapsed": 17.0, "time_limit": 17.0},
        ),
        (
            "LustreError: 11-0: an error occurred while communicating with 10.1.0.3@o2ib. The ost_connect"
            " operation failed with -19",
            "request_failed",
            {**AT, "return_code": -19.0, "code": "11-0", "label": "ost_connect"},
        ),
        (
            "LustreError: 138-a: scratch-OST0003: A client on nid 10.1.0.3@o2ib was evicted due to a lock"
            " blocking callback"
            " to 10.1.0.3@o2ib timed out: rc -107",
            "evicting",
            {**SCRATCH, **AT},
        ),
        (
            "Lustre: scratch-MDT0000: sending delayed replies to recovered clients",
            "recovery_ended",
            {"target": "scratch-MDT0000"},
        ),
        # 2.x
        (
            "Lustre: 9:0:(client.c:2141:ptlrpc_expire_one_request()) @@@ Request sent has failed due to"
            " network error: [sent"
            " 1508144508/real 1508144518]  req@ff x157/t0(0) o250->MGC10.1.0.3@o2ib@10.1.0.3@o2ib:26/25"
            " lens 520/544 e 0 to 1"
            " dl 1508144563 ref 1",
            "request_failed",
            {**AT, "target": "MGC10.1.0.3", "sent_time": 1508144508.0, "deadline_time": 1508144563.0},
        ),
        (
            "Lustre: scratch-OST0003: Recovery period over after 0:53, of 4 clients 3 recovered and 1 was evicted.",
            "recovery_ended",
            {**SCRATCH, "elapsed": 53.0, "clients_expected": 4.0, "clients_recovered": 3.0, "clients_evicted": 1.0},
        ),
        (
            "Lustre: scratch-OST0003: Recovery over after 1:02:03, of 12 clients 10 recovered and 2 were evicted.",
            "recovery_ended",
            {**SCRATCH, "elapsed": 3723.0, "clients_expected": 12.0, "clients_recovered": 10.0, "clients_evicted": 2.0},
        ),
        (
            "Lustre: scratch-OST0003: Denying connection for new client 77 (at 10.1.0.3@o2ib), waiting for"
            " 40 known clients (38"
            " recovered, 1 in progress, and 1 evicted) already passed deadline 4:33",
            "client_denied",
            {
                **SCRATCH,
                **AT,
                "clients_expected": 40.0,
                "clients_recovered": 38.0,
                "clients_remaining": 1.0,
                "clients_evicted": 1.0,
                "time_limit": 273.0,
            },
        ),
        (
            "LustreError: 9:0:(ldlm_lockd.c:256:expired_lock_main()) ### lock callback timer expired after"
            " 99s: evicting client at"
            " 10.1.0.3@o2ib  ns: mdt-scratch-MDT0000_UUID lock: ff/0x expref: 7 pid: 42 timeout: 1",
            "evicting",
            {**AT, "elapsed": 99.0, "references": 7.0, "pid": 42.0},
        ),
        (
            "LNetError: 9:0:(o2iblnd_cb.c:3335:kiblnd_check_txs_locked()) Timed out tx: active_txs, 1 seconds",
            "network_error",
            {"elapsed": 1.0},
        ),
        (
            "LNet: 9:0:(o2iblnd_cb.c:3370:kiblnd_check_conns()) Timed out RDMA with 10.1.0.3@o2ib (55): c:"
            " 7, oc: 0, rc: 8",
            "network_error",
            {**AT, "elapsed": 55.0},
        ),
        (
            "LustreError: 11b-b: Connection to 10.1.0.3@tcp at host 10.1.0.3 on port 988 was reset: is it"
            " running a compatible"
            " version of Lustre?",
            "network_error",
            {"nid": "10.1.0.3@tcp", "code": "11b-b"},
        ),
        (
            "LNet: Service thread pid 1234 was inactive for 200.50s. The thread might be hung",
            "slow",
            {"pid": 1234.0, "elapsed": 200.5},
        ),
        ("LNet: Service thread pid 1234 completed after 300.00s.", "task_resumed", {"pid": 1234.0, "elapsed": 300.0}),
        ("LustreError: 9:0:(osd_handler.c:1:f()) LBUG", "crashed", {}),
        (
            "LustreError: 9:0:(file.c:113:ll_close()) inode 95 mdc close failed: rc = -116",
            "other",
            {"severity": "error"},
        ),
        ("Lustre: Mounted scratch-client", "target_started", {"target": "scratch-client"}),
        (
            "Lustre: scratch-OST0001: Client 5b-6c (at 10.1.0.3@o2ib) refused reconnection, still busy with 8 active"
            " RPCs",
            "connection_refused",
            {**AT, "references": 8.0},
        ),
        (
            "Lustre: scratch-OST0001: Imperative Recovery not enabled, recovery window 300-900",
            "recovery_planned",
            {"time_limit": 300.0},
        ),
        (
            "Lustre: 9:0:(ldlm_lib.c:1777:extend_recovery_timer()) scratch-OST0001: extended recovery timer"
            " reaching hard limit: 900, extend: 1",
            "recovery_progress",
            {"time_limit": 900.0},
        ),
    ],
)
def test_kinds_of_message(text: str, what: str, said: Row) -> None:
    row = event(text)
    assert row["event"] == what
    assert row | said == row


@pytest.mark.parametrize(
    ("text", "what", "said"),
    [
        (
            "sd 0:0:0:0: [sda] tag#3 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_SENSE",
            "io_error",
            {"device": "sda"},
        ),
        ('XFS (dm-1): metadata I/O error in "x" at daddr 0x1 len 1 error 5', "io_error", {"device": "dm-1"}),
        ("EXT4-fs (sda1): Remounting filesystem read-only", "read_only", {"device": "sda1"}),
        ("mlx5_core 0000:5e:00.0 eth2: Link down", "link_down", {"interface": "eth2"}),
        ("ixgbe 0000:01:00.0 eth0: NIC Link is Down", "link_down", {"interface": "eth0"}),
        ("ixgbe 0000:01:00.0 eth0: NIC Link is Up 10 Gbps, Flow Control: RX/TX", "link_up", {"interface": "eth0"}),
        ("nfs: server nas1 not responding, still trying", "not_responding", {"server": "nas1"}),
        ("nfs: server nas1 OK", "responding", {"server": "nas1"}),
        ("watchdog: BUG: soft lockup - CPU#1 stuck for 67s! [dd:4711]", "task_hung", {"elapsed": 67.0, "pid": 4711.0}),
        ("Kernel panic - not syncing: LBUG", "crashed", {}),
    ],
)
def test_kernels_troubles(text: str, what: str, said: Row) -> None:
    row = event(f"[  100.000000] {text}")
    assert row["event"] == what
    assert row | said == row


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lustre: scratch-OST0003: Connection restored to  (at 10.1.0.3@tcp)", "plain"),
        ("LustreError: 11-0: scratch-OST0003-osc: operation ost_read to node 10.1.0.3@tcp failed: rc = -19", "code"),
        ("LustreError: 9:0:(file.c:113:ll_close()) inode 95 mdc close failed: rc = -116", "source"),
    ],
)
def test_legibility(text: str, expected: str) -> None:
    assert event(text)["legibility"] == expected


def test_an_address_begins_behind_what_lustre_puts_in_front_of_it() -> None:
    config = event(
        "LustreError: 15c-8: MGC10.2.3.4@tcp: The configuration from log 'x-client' failed (-5). This may be"
    )
    assert (config["target"], config["nid"], config["return_code"]) == ("MGC10.2.3.4@tcp", "10.2.3.4@tcp", -5.0)
    sent = event("LustreError: 77:0:(client.c:1:send()) Error sending to 12345-10.0.0.1@tcp: rc = -5")
    assert sent["nid"] == "10.0.0.1@tcp"


def test_a_disk_that_is_gone_is_an_error_of_it() -> None:
    gone = event("[23949.221000] sd 8:0:42:0: [sdq] rejecting I/O to offline device")
    assert (gone["event"], gone["device"], gone["severity"]) == ("io_error", "8:0:42:0", "error")


def test_seconds_of_the_axis_count_from_the_first_line() -> None:
    parsed = read("Jun 25 23:59:50 n1 sshd[1]: hello", "Jun 26 00:00:10 n1 kernel: Lustre: Failing over a-OST0001")
    assert parsed.events[0]["time"] == 20.0
    assert "started" not in parsed.header
    assert "event_time" not in parsed.events[0]


def test_a_year_ends() -> None:
    parsed = read(*(f"{day} 12:00:00 n1 kernel: Lustre: Failing over a-OST0001" for day in ("Dec 31", "Jan  1")))
    assert [row["time"] for row in parsed.events] == [0.0, 86400.0]


def test_a_day_ends() -> None:
    parsed = read("23:59:50 Lustre: Failing over a-OST0001", "00:00:10 Lustre: Failing over a-OST0002")
    assert [row["time"] for row in parsed.events] == [0.0, 20.0]


def test_after_a_reboot_there_is_no_time() -> None:
    parsed = read("[ 99.000000] Lustre: Failing over a-OST0001", "[ 9.000000] Lustre: Failing over a-OST0001")
    assert [row.get("time") for row in parsed.events] == [0.0, None]
    assert [row["uptime"] for row in parsed.events] == [99.0, 9.0]
    assert parsed.notes == [(2, "the seconds since boot begin anew: later events have no time")]


EXPIRED = "Lustre: 9:0:(client.c:1:f()) @@@ Request sent has timed out for slow reply: [sent 1403733437/real 0]  req@f x1/t0(0) o4->a-OST0001-osc-f@10.1.0.3@tcp:6/4 lens 1/1 e 0 to 1 dl {} ref 1"  # noqa: E501


def test_deadlines_tell_year_and_zone() -> None:
    parsed = read(f"Jun 25 23:57:26 n1 kernel: {EXPIRED.format(1403733444)}")
    assert parsed.header["started"] == "2014-06-25T23:57:26+02:00"
    assert parsed.events[0]["event_time"] == 1403733446.0
    assert any("time zone" in note.text for note in parsed.notes)


def test_deadlines_that_disagree_tell_nothing() -> None:
    lines = (f"Jun 25 23:57:26 n1 kernel: {EXPIRED.format(deadline)}" for deadline in (1403733444, 1403733444 - 7200))
    assert "started" not in read(*lines).header


def test_a_wrapped_message_is_one_event_on_the_line_of_its_number() -> None:
    parsed = read("Lustre: 9:0:(ldlm_lib.c:1029:f()) south-ost12:", "4 recoverable clients remain")
    assert [(row["clients_remaining"], row["line"]) for row in parsed.events] == [(4.0, 2)]


def test_what_is_behind_a_message_is_not_part_of_it() -> None:
    parsed = read("Lustre: Failing over a-OST0001", "", "and then 4 recoverable clients remain")
    assert [row["event"] for row in parsed.events] == ["failover"]


def test_seconds_since_1970_are_no_kernels() -> None:
    line = "[1594706145.434943] [n1:1234 :0] sys.c:123 UCX WARN no devices\n"
    assert not syslog.sniff(line)


def test_the_last_line_is_not_trusted_without_its_end() -> None:
    parsed = parsers.parse("Lustre: Failing over a-OST0001\nLustre: Skipped 12", format="syslog")
    assert (len(parsed.events), parsed.complete) == (1, False)


def test_lines_of_others_are_no_events() -> None:
    parsed = read(
        "Jun 25 23:59:50 n1 sshd[1]: session opened", "Jun 25 23:59:51 n1 kernel: Lustre: Failing over a-OST0001"
    )
    assert len(parsed.events) == 1


@pytest.mark.parametrize("text", ["hello\n", "", "12:00:00 all is well\n"])
def test_what_is_no_log_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="a message of Lustre or of a kernel"):
        syslog.parse(text)


@pytest.mark.parametrize(("head", "piece"), [("Lustre: ", "a-"), ("Lustre: ", ")"), ("", "Lustre: Request ")])
def test_long_lines_do_not_hang(head: str, piece: str) -> None:
    """The parser's own loops are counted; an expression that goes back and forth is stopped by `survive`."""
    once, twice = (calls(lambda size=size: read(head + size * piece)) for size in (1000, 2000))  # type: ignore[misc]
    assert twice <= 2 * once
    assert survive(read, head + 200_000 * piece)


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus at {CORPUS}")
@pytest.mark.parametrize("name", sorted(path.name for path in CORPUS.glob("*.txt")) if CORPUS.is_dir() else [])
def test_corpus(name: str) -> None:
    """Every number of the hand-read truth stands in the event of its line, and every number of events is counted."""
    parsed = parsers.parse(decode((CORPUS / name).read_bytes())[0])
    truth = json.loads(Path(CORPUS / "truth.json").read_text())[name]
    numbers = [fact for fact in truth["facts"] if isinstance(fact["value"], int | float)]
    for fact in numbers:
        rows = [row for row in parsed.events if row["line"] == fact["at"]["line"]]
        assert any(fact["value"] in row.values() for row in rows), (fact, rows)


def test_a_clock_that_is_set_back_by_hours_ends_no_day() -> None:
    parsed = read("20:00:00 Lustre: Failing over a-OST0001", "10:00:00 Lustre: Failing over a-OST0002")
    assert [row["time"] for row in parsed.events] == [0.0, -36000.0]


def test_the_number_in_front_says_the_severity_whatever_the_words_are() -> None:
    """Facilities stand behind, eight numbers each: 0 is an emergency of the kernel, 191 the last one that there is."""
    words = ("emergency", "alert", "critical", "error", "warning", "notice", "info", "debug")
    line = "2026-03-01T10:00:00Z oss2 kernel - - - Lustre: a-OST0001: Client 0f0e-1 (at 10.1.0.42@tcp) reconnecting"
    numbers = {number: words[number % 8] for number in (*range(9), 191)}
    assert {number: event(f"<{number}>1 {line}")["severity"] for number in numbers} == numbers
