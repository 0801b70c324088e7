"""What the text of a test of iperf lacks: sums, intervals between its rows, counters."""

from __future__ import annotations

import itertools
import operator

from storagelab.parsers.benchmarks.iperf3.rows import SIDES
from storagelab.parsers.benchmarks.iperf3.tests import Test
from storagelab.parsers.model import Parsed, Row

CLOSE = 0.02
"""Seconds by which times may differ that are printed with two digits."""
ALMOST = 0.9
"""Part of an interval that may be left at the end: a test that is stopped does not end with one."""
_by_stream = operator.attrgetter("stream")


def judge(test: Test, runs: list[Row], parsed: Parsed) -> None:
    """Say which sums are missing: a client has those of both sides, a server its own."""
    roles = dict.fromkeys(line.found["role"] for line in test.lines)
    for role in roles:
        of_role = [line for line in test.lines if line.found["role"] == role]
        known = {row["operation"] for row in runs if row.get("label") == role}
        if len(known) < (1 if test.is_server or test.is_old or test.is_done else 2):
            parsed.incomplete("the sums of sender and receiver are not both there", test.lines[-1].at)
        elif len(known) == 1 and not test.is_server and any(line.side for line in of_role):
            parsed.note("one of the sums of sender and receiver is not there", test.lines[-1].at)
    _judge_streams(test, parsed)
    _judge_sides(test, parsed)
    if not all(line.heading for line in test.lines):
        parsed.note("rows without their heading: what their last columns count, it alone says", test.lines[0].at)
    _judge_intervals(test, parsed)
    if test.is_old:
        _judge_order(test, parsed)
        if not test.is_named:
            parsed.note("an excerpt of iperf 2: expected the line that says which end it is", test.lines[0].at)
    if test.is_verbose and not test.cpu:
        parsed.incomplete("the line 'CPU Utilization' is missing", test.lines[-1].at)
    if test.is_server and not test.is_old:
        _judge_server(test, parsed)


def _judge_streams(test: Test, parsed: Parsed) -> None:
    """Say which streams have no rows: of those that a call asks for, that share a sum, or that were opened."""
    last = test.lines[-1].at
    if test.asked and test.seen() < float(test.asked["processes"]):
        parsed.incomplete(f"{test.seen()} of {test.asked['processes']:g} streams have rows", last)
    elif not (test.is_old or test.adds_up()):
        parsed.incomplete("the streams do not add up to their sum: some are left out", last)
    silent = test.opened - {line.found["stream"].lstrip("*") for line in test.lines} if test.is_old else set()
    if silent:
        parsed.incomplete(f"stream {min(silent, key=int)} was opened, and has no row", last)


def _judge_sides(test: Test, parsed: Parsed) -> None:
    """Say which stream has the sum of one side, where others have those of both."""
    known = {(line.stream, line.side): line.at for line in test.lines if line.side}
    if len({side for _, side in known}) < len(SIDES):
        return
    for (stream, side), at in known.items():
        (other,) = SIDES.keys() - {side}
        if (stream, other) not in known:
            parsed.note(f"stream {stream}: expected {other!r} as often as {side!r}", at)


def _judge_intervals(test: Test, parsed: Parsed) -> None:
    """Say where the intervals of a stream leave a gap, among them or before its sum: iperf3 itself leaves none."""
    say = parsed.note if test.is_old else parsed.incomplete
    sums = [] if test.is_old else [line for line in test.lines if line.is_sum]
    places = {line.at for line in sums}
    whole = {line.stream: line.end for line in reversed(sums)}
    for stream, lines in itertools.groupby(sorted(test.lines, key=_by_stream), key=_by_stream):
        ends = [(line.start, line.end, line.at) for line in lines if line.at not in places]
        for (_, before, _), (start, _, at) in itertools.pairwise([(0.0, 0.0, 0), *ends]):
            if start > before + CLOSE:
                say(f"stream {stream}: no interval from {before:g} to {start:g} s", at)
        if ends and stream in whole and whole[stream] - ends[-1][1] > max(1.0, ends[-1][1] - ends[-1][0]) * ALMOST:
            say(f"stream {stream}: no interval from {ends[-1][1]:g} to {whole[stream]:g} s", ends[-1][2])


def _judge_order(test: Test, parsed: Parsed) -> None:
    """Say where datagrams of intervals were out of order, and those of no sum are."""
    counted = [line.at for line in test.lines if "packets_out_of_order" in line.counted]
    sums = {line.at for line in test.sums_of_old()}
    if counted and sums and sums.isdisjoint(counted):
        parsed.incomplete("the sum lacks its datagrams out of order", max(sums))


def _judge_server(test: Test, parsed: Parsed) -> None:
    for stream, lines in itertools.groupby(sorted(test.lines, key=_by_stream), key=_by_stream):
        if not any(line.in_summary for line in lines):
            parsed.incomplete(f"stream {stream} has no sum", test.lines[-1].at)
