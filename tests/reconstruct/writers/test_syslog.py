"""Syslogs of Lustre, written and read back: every kind of message with its numbers, at whole seconds."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Row
from storagelab.reconstruct.writers import syslog
from storagelab.reconstruct.writers.syslog import Log, Message
from tests.reconstruct.writers.reading import notes, read_back

A_SECOND, A_MICROSECOND = 1.0, 1.01e-6
STARTED = datetime(2010, 12, 31, 23, 59, 50, tzinfo=UTC)
TARGET, NID = "lustre-OST0001", "192.0.2.11@tcp"
LOST = syslog.connection_lost(TARGET, NID)
LOG = Log(
    "oss1", STARTED, (Message(2.5, syslog.failing_over(TARGET)), Message(30.0, syslog.recovery_started(TARGET, 300, 4)))
)

counts = st.integers(0, 10**6).map(float)
targets = st.from_regex(r"[a-z]{1,8}-(OST|MDT)[0-9a-f]{4}", fullmatch=True)
nids = st.sampled_from([NID, "10.1.0.3@o2ib", "10.1.0.3@tcp1"])
devices = st.sampled_from(["sda", "sdb", "dm-1"])
interfaces = st.sampled_from(["eth0", "ib0", "bond0"])
Case = tuple[str, Row]


def message(event: str, write: object, **said: st.SearchStrategy[object]) -> st.SearchStrategy[Case]:
    """Return texts of one kind of message, each with what must be read out of it."""
    return st.fixed_dictionaries(said).map(lambda values: (write(**values), {"event": event, **values}))  # type: ignore[operator]


messages = st.one_of(
    message("connection_lost", syslog.connection_lost, target=targets, nid=nids),
    message("connection_restored", syslog.connection_restored, target=targets, nid=nids),
    message("evicted", syslog.evicted, target=targets),
    message("request_timeout", syslog.request_timeout, target=targets, nid=nids, elapsed=counts, time_limit=counts),
    message("evicting", syslog.evicting, target=targets, nid=nids, elapsed=counts),
    message("target_unavailable", syslog.not_available, target=targets),
    message("failover", syslog.failing_over, target=targets),
    message("target_stopped", syslog.stopped, target=targets),
    message("recovery_started", syslog.recovery_started, target=targets, time_limit=counts, clients_expected=counts),
    message(
        "recovery_ended",
        syslog.recovery_ended,
        target=targets,
        elapsed=counts,
        clients_recovered=counts,
        clients_evicted=counts,
    ),
    message("link_down", syslog.link_down, interface=interfaces),
    message("link_up", syslog.link_up, interface=interfaces),
)


def test_golden() -> None:
    assert syslog.render(LOG) == (
        "Dec 31 23:59:50 oss1 root: reconstructed from published numbers and a model of the test bed, not measured\n"
        "Dec 31 23:59:52 oss1 kernel: Lustre: Failing over lustre-OST0001\n"
        "Jan  1 00:00:20 oss1 kernel: Lustre: lustre-OST0001: Will be in recovery for at least 5:00, or until 4 clients"
        " reconnect\n"
    )


@given(st.lists(st.tuples(st.floats(0, 1e6), messages), min_size=1, max_size=8), st.booleans())
@settings(max_examples=100)
def test_every_message_comes_back(wanted: list[tuple[float, Case]], iso: bool) -> None:
    wanted = sorted(wanted, key=lambda pair: pair[0])
    log = Log("oss1", STARTED, tuple(Message(time, text) for time, (text, _) in wanted), iso)
    events = read_back(syslog.render(log), "syslog").events
    assert len(events) == len(wanted)
    for (time, (_, said)), event in zip(wanted, events, strict=True):
        assert {name: event.get(name) for name in said} == said
        assert event["host"] == "oss1"
        assert event["time"] == pytest.approx(time, abs=A_MICROSECOND if iso else A_SECOND)


def test_messages_that_name_their_things_otherwise() -> None:
    texts = (
        syslog.operation_failed("ost_connect", NID, -19),
        syslog.started(TARGET, "/dev/sdb"),
        syslog.io_error("sdb", 123456),
    )
    log = Log("c1", STARTED, tuple(Message(float(at), text) for at, text in enumerate(texts)))
    failed, mounted, broken = read_back(syslog.render(log), "syslog").events
    assert (failed["event"], failed["code"], failed["nid"]) == ("request_failed", "11-0", NID)
    assert (failed["label"], failed["return_code"]) == ("ost_connect", -19.0)
    assert (mounted["event"], mounted["target"]) == ("target_started", TARGET)
    assert (broken["event"], broken["device"]) == ("io_error", "sdb")


def test_a_log_with_zones_says_when_it_began() -> None:
    parsed = read_back(syslog.render(dataclasses.replace(LOG, iso=True)), "syslog")
    assert parsed.header["started"] == STARTED.isoformat()


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(syslog.render(LOG), tmp_path)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"messages": ()}, "messages: expected at least one, found none"),
        (
            {"messages": (Message(2.0, LOST), Message(1.0, LOST))},
            "messages: expected them in the order of time, .* 2.0 s",
        ),
        ({"messages": (Message(-1.0, LOST),)}, "time: expected a finite number that is not negative, found -1.0"),
        ({"messages": (Message(0.0, "a\nb"),)}, "text: expected text on one line"),
        ({"host": "a b"}, "host: expected text without white space, found 'a b'"),
        ({"started": datetime(2010, 1, 1)}, "started: expected a zone and whole seconds, found '2010-01-01T00:00:00'"),
    ],
)
def test_what_cannot_be_printed_is_refused(changed: dict[str, object], error: str) -> None:
    with pytest.raises(ReconstructError, match=error):
        syslog.render(dataclasses.replace(LOG, **changed))  # type: ignore[arg-type]


def test_what_no_message_can_say_is_refused() -> None:
    with pytest.raises(ReconstructError, match=r"return_code: expected a whole number .*, found -19"):
        syslog.operation_failed("ost_connect", NID, 19)
    with pytest.raises(ReconstructError, match=r"elapsed: expected a whole number .*, found 0.5"):
        syslog.evicting(TARGET, NID, 0.5)
    with pytest.raises(ReconstructError, match="target: expected text without white space, found 'a b'"):
        syslog.evicted("a b")
