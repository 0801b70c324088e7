"""Snapshots of interface counters, written and read back exactly; a pair of them becomes traffic."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab import counter_differences, dataset
from storagelab.errors import ReconstructError
from storagelab.ingest import ingest
from storagelab.reconstruct.writers import proc_net_dev
from storagelab.reconstruct.writers.proc_net_dev import Counted, Interface, Readings, Snapshot
from tests.reconstruct.writers.reading import notes, read_back

LOOPBACK = Interface("lo", Counted(648, 8), Counted(648, 8))
ETH0 = Interface("eth0", Counted(515679964, 66270, 1, 2), Counted(4294967000, 57019))
BEFORE = Snapshot((LOOPBACK, ETH0))
RECEIVED, SENT = Counted(7_000_000, 5000), Counted(3_000_000_000, 40_000)

counts = st.integers(0, 2**52).map(float)
counted = st.builds(Counted, counts, counts, counts, counts)
names = st.from_regex(r"[a-z][a-z0-9.@-]{0,14}", fullmatch=True)


def interfaces(named: list[str]) -> st.SearchStrategy[tuple[Interface, ...]]:
    return st.tuples(*(st.builds(Interface, st.just(name), counted, counted) for name in named))


snapshots = st.builds(Snapshot, st.lists(names, min_size=1, max_size=4, unique=True).flatmap(interfaces))


def later(before: Snapshot, received: Counted, sent: Counted) -> Snapshot:
    """A reading after the last interface received and sent so much more."""
    *others, last = before.interfaces
    moved = dataclasses.replace(last, received=plus(last.received, received), sent=plus(last.sent, sent))
    return dataclasses.replace(before, interfaces=(*others, moved))


def plus(one: Counted, more: Counted) -> Counted:
    return Counted(*map(sum, zip(dataclasses.astuple(one), dataclasses.astuple(more), strict=True)))


def reading(snapshot: Snapshot) -> counter_differences.Reading:
    series = read_back(proc_net_dev.render(snapshot), "proc-net-dev").series
    return counter_differences.reading(
        dict(zip(series, row, strict=True)) for row in zip(*series.values(), strict=True)
    )


def test_golden() -> None:
    assert proc_net_dev.render(BEFORE) == (
        "# reconstructed from published numbers and a model of the test bed, not measured\n"
        "Inter-|   Receive                                                |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast"
        "|bytes    packets errs drop fifo colls carrier compressed\n"
        "    lo:     648       8    0    0    0     0          0         0"
        "      648       8    0    0    0     0       0          0\n"
        "  eth0: 515679964   66270    1    2    0     0          0         0"
        " 4294967000   57019    0    0    0     0       0          0\n"
    )


@given(snapshots)
@settings(max_examples=50)
def test_every_counter_comes_back(wanted: Snapshot) -> None:
    series = read_back(proc_net_dev.render(wanted), "proc-net-dev").series
    directions = [one for interface in wanted.interfaces for one in (interface.received, interface.sent)]
    assert list(series["interface"]) == [one.interface for one in wanted.interfaces for _ in range(2)]
    for name in ("counter_bytes", "counter_packets", "counter_errors", "counter_drops"):
        assert list(series[name]) == [getattr(one, name) for one in directions]


@given(counted, st.integers(1, 2**32 - 1), st.sampled_from(proc_net_dev.BITS))
@settings(max_examples=50)
def test_what_moved_between_two_snapshots_comes_back(since_boot: Counted, moved: int, bits: int) -> None:
    before = Snapshot((Interface("eth0", Counted(1, 1), since_boot),), counter_bits=bits)
    after = later(before, Counted(moved, 1), Counted(moved, 1))
    pair = reading(before), reading(after)
    for operation in ("receive", "transmit"):
        assert counter_differences.difference(*pair, "eth0", operation).bytes == moved


def test_a_counter_of_32_bits_runs_over() -> None:
    before = dataclasses.replace(BEFORE, counter_bits=32)
    pair = reading(before), reading(later(before, RECEIVED, SENT))
    assert pair[1]["eth0", "transmit"]["counter_bytes"] < pair[0]["eth0", "transmit"]["counter_bytes"]
    assert counter_differences.difference(*pair, "eth0", "transmit").wrapped == 2**32


@pytest.mark.parametrize("bits", proc_net_dev.BITS)
def test_ingest_makes_traffic_of_a_pair(tmp_path: Path, bits: int) -> None:
    before = dataclasses.replace(BEFORE, counter_bits=bits)
    pair = {"before": before, "after": later(before, RECEIVED, SENT)}
    folder = tmp_path / "pair"
    folder.mkdir()
    for name, snapshot in pair.items():
        (folder / f"{name}.txt").write_text(proc_net_dev.render(snapshot))
    (folder / "study.yaml").write_text("id: pair\ntitle: t\norigin: reconstructed\n")
    (folder / "runs.csv").write_text(
        "file,role,run_id,client,interface\n" + "".join(f"{name}.txt,netdev_{name},one,client1,eth0\n" for name in pair)
    )
    runs = dataset.frame(ingest(folder)["runs"].to_dataset()).set_index("operation")
    assert runs.loc["receive", "network_received"] == RECEIVED.counter_bytes
    assert runs.loc["transmit", "network_sent"] == SENT.counter_bytes
    assert runs.loc["transmit", "packets_sent"] == SENT.counter_packets


def test_the_log_says_what_it_is(tmp_path: Path) -> None:
    notes(proc_net_dev.render(BEFORE), tmp_path)


@pytest.mark.parametrize(
    ("snapshot", "message"),
    [
        (Snapshot(()), "interfaces: expected at least one, found none"),
        (Snapshot((LOOPBACK,), counter_bits=16), "counter_bits: expected 32 or 64, found 16"),
        (Snapshot((dataclasses.replace(ETH0, interface="eth0:1"),)), "interface: expected up to 15 characters"),
        (Snapshot((dataclasses.replace(ETH0, interface="eth 0"),)), "interface: expected text without white space"),
        (Snapshot((dataclasses.replace(ETH0, sent=Counted(-1, 0)),)), "counter_bytes: expected a whole number"),
        (Snapshot((dataclasses.replace(ETH0, sent=Counted(1, 0.5)),)), "counter_packets: expected a whole number"),
    ],
)
def test_what_cannot_be_printed_is_refused(snapshot: Snapshot, message: str) -> None:
    with pytest.raises(ReconstructError, match=message):
        proc_net_dev.render(snapshot)


def test_readings_carry_their_times() -> None:
    one = Snapshot((Interface("eth0", Counted(10.0, 1.0), Counted(20.0, 2.0)),))
    log = Readings((1300450000.0, 1300450001.5), (one, later(one, Counted(5.0, 1.0), Counted(0.0, 0.0))))
    series = read_back(proc_net_dev.render(log), "proc-net-dev").series
    assert list(series["time"]) == [0.0, 0.0, 1.5, 1.5]
    assert list(series["counter_bytes"]) == [10.0, 20.0, 15.0, 20.0]


@pytest.mark.parametrize("times", [(2e9, 1.9e9), (1e9,), (0.0, 1.0)])
def test_times_that_no_script_prints_are_refused(times: tuple[float, ...]) -> None:
    one = Snapshot((Interface("eth0", Counted(10.0, 1.0), Counted(20.0, 2.0)),))
    with pytest.raises(ReconstructError, match="times: expected 2 seconds since 1970 that rise"):
        proc_net_dev.render(Readings(times, (one, one)))
