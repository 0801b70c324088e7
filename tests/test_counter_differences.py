"""Counters before and after: overflow, reset, the interface that is meant."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab import counter_differences
from storagelab.counter_differences import LONG_WORD, WORD, Reading, difference, the_interface
from storagelab.errors import ContractError


def reading(received: float, packets: float = 10.0, sent: float = 5.0, interface: str = "eth0") -> Reading:
    return {
        (interface, "receive"): {"counter_bytes": received, "counter_packets": packets, "line": 4},
        (interface, "transmit"): {"counter_bytes": sent, "counter_packets": packets, "line": 4},
    }


def test_what_moved_is_the_difference() -> None:
    moved = difference(reading(100, 1), reading(350, 3), "eth0", "receive")
    assert (moved.bytes, moved.packets, moved.line) == (250, 2, 4)


@given(data=st.data(), after=st.integers(0, 2**32 - 2))
def test_one_overflow_of_a_32_bit_counter_is_mended(data: st.DataObject, after: int) -> None:
    before = data.draw(st.integers(after + 1, 2**32 - 1), label="before, above what follows")
    moved = difference(reading(before, 10), reading(after, 20), "eth0", "receive").bytes
    assert 0 < moved < 2**32
    assert (before + moved) % 2**32 == after


def test_counters_that_stand_still_moved_nothing() -> None:
    moved = difference(reading(100), reading(100), "eth0", "receive")
    assert (moved.bytes, moved.packets, moved.wrapped) == (0, 0, 0)
    assert counter_differences.Moved(0, 0, 4) == dataclasses.replace(moved, line_before=0)


@pytest.mark.parametrize("first", [LONG_WORD - 2048, LONG_WORD / 2], ids=["near the end", "in the middle"])
def test_one_overflow_of_a_64_bit_counter_is_mended(first: float) -> None:
    moved = difference(reading(first, 10), reading(4096, 20), "eth0", "receive")
    assert (moved.bytes, moved.wrapped) == (2.0**64 - first + 4096, 2.0**64)


def test_a_counter_that_fell_to_one_and_others_that_went_on_ran_over() -> None:
    before, after = reading(1000, 10, sent=1), reading(10, 1, sent=2)
    assert difference(before, after, "eth0", "receive").bytes == WORD - 990


def test_counters_of_another_interface_do_not_count() -> None:
    gone = {("eth2", "receive"): reading(1)["eth0", "receive"]}
    before = reading(100) | reading(WORD * 3, interface="eth1") | gone
    after = reading(350) | reading(5, interface="eth1")
    assert difference(before, after, "eth0", "receive").bytes == 250


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (reading(1000, 10, 500), reading(10, 1, 5)),
        (reading(1000, 10, 0), reading(10, 1, 0)),
        (reading(WORD * 3, 10), reading(5, 20)),
        (reading(WORD, 10), reading(5, 20)),
        (reading(LONG_WORD / 2 - 2048, 10), reading(5, 20)),
        (reading(LONG_WORD / 2 + 2048, 10), reading(LONG_WORD / 2, 20)),
    ],
    ids=[
        "all counters fell together",
        "all fell but one that never counted",
        "a counter beyond 32 bits fell",
        "a counter just beyond 32 bits fell",
        "a counter in the lower half of 64 bits fell",
        "a counter fell within the upper half of 64 bits",
    ],
)
def test_a_reset_is_told_from_an_overflow(before: Reading, after: Reading) -> None:
    with pytest.raises(ContractError, match="counters of eth0 were reset between the two readings"):
        difference(before, after, "eth0", "receive")


def test_a_counter_with_a_row_of_its_own_is_no_reading() -> None:
    rows = [
        {"interface": "eth0", "operation": "receive", "counter_bytes": 7.0, "counter_packets": 2.0, "line": 4},
        {"interface": "eth0", "operation": "receive", "metric": "RX fifo", "value": 3.0, "line": 4},
    ]
    assert counter_differences.reading(rows) == {
        ("eth0", "receive"): {"counter_bytes": 7.0, "counter_packets": 2.0, "line": 4.0}
    }


def test_the_only_interface_besides_loopback_is_meant() -> None:
    both = reading(1) | reading(1, interface="lo")
    assert the_interface(both, both) == "eth0"


def test_which_of_two_interfaces_must_be_said() -> None:
    both = reading(1) | reading(1, interface="eth1")
    with pytest.raises(ContractError, match=r"expected one interface besides loopback .* found eth0, eth1"):
        the_interface(both, both)
    assert the_interface(both, both, "eth1") == "eth1"


def test_a_named_interface_that_is_not_there() -> None:
    with pytest.raises(ContractError, match="expected the interface 'ib0' in both readings, found eth0"):
        the_interface(reading(1), reading(1), "ib0")
