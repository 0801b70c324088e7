"""Rows of the tables of iperf3 and iperf 2: an interval or a sum of a stream, and what its columns mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from storagelab.parsers.model import Row
from storagelab.parsers.text import number, printf_number
from storagelab.units import BIT, KB, KIB, MICROSECOND, MILLISECOND, PERCENT, powers

SIDES = {"sender": "transmit", "receiver": "receive"}

NUMBER = r"\d+(?:[.,]\d+)?"
ROW = re.compile(
    rf"\[ *(?P<stream>\*?\d+|SUM)(?:-\d{{1,6}})?\](?:\[(?P<role>\w+-[CS])\])?"
    rf" +(?P<start>{NUMBER}) ?[-\u2013] ?(?P<end>{NUMBER})"
    rf" *sec +(?P<size>{NUMBER}) (?P<unit>[KMGT]?)Bytes +(?P<rate>{NUMBER}) (?P<per>[KMGT]?)(?P<what>bits|Bytes)/sec"
    rf"(?P<more>.*)$"
)
_DATAGRAMS = re.compile(
    rf"^\s*(?:(?P<jitter>{NUMBER}) ms\s+)?(?P<lost>-?\d+)/\s*(?P<sent>\d+) \((?P<share>-?{NUMBER}(?:e[-+]?\d+)?)?"
)
_DATAGRAMS_OF_SUM = re.compile(r"^\s*(?P<lost>-?\d{1,18})/(?P<sent>\d{1,18}) +(?P<rate>\d{1,12}) pps\b")
"""Of iperf 2's ``[SUM-2]``; of a sender, whose heading says so, the same are writes and errors."""
_BURST = re.compile(rf"^\s*(?:(\d{{1,12}})=)?({NUMBER})/({NUMBER})/({NUMBER})/({NUMBER}) ms(?: +(\d{{1,9}}) |\b)")
"""Of iperf 2: what a burst takes on its way, or there and back (``--bounceback``), with its retransmits."""
_REQUESTS = re.compile(r" (?P<rate>\d{1,12}) rps\b")
_LATENCY = re.compile(rf" ({NUMBER})/ *({NUMBER})/ *({NUMBER})/ *({NUMBER}) ms +(\d{{1,12}}) pps\b")
_LATENCIES = ("latency", "latency_min", "latency_max", "latency_std")
_WINDOW = re.compile(rf"^\s*\d+ +(?P<size>{NUMBER}) (?P<unit>[KMGT]?)Bytes\b")
_WINDOW_AND_TRIP = re.compile(r" (?P<size>-1K|NA|\d{1,12}K)/(?P<trip>\d{1,12})(?:\(\d{1,12}\))? us\b")
"""Of iperf 2 with ``-e``."""
_NO_WINDOW = ("-1K", "NA")
"""What stands for a window that the system does not tell."""
_BINARY = powers(KIB, "KMGT")
_DECIMAL = {prefix: factor * BIT for prefix, factor in powers(KB, "KMGT").items()}


@dataclass(slots=True)
class TableRow:
    """A row of a table, under its heading."""

    at: int
    found: re.Match[str]
    heading: str
    in_summary: bool
    counted: Row = field(default_factory=dict)
    below: str = ""
    """What a mail broke off its end, and put on the next line."""

    @property
    def side(self) -> str:
        """Whose sum it is, in iperf3's words."""
        return next((word for word in SIDES if word in self.found["more"] or word == self.below), "")

    @property
    def is_sum(self) -> bool:
        """Whether it is the sum of a test or of one of its streams."""
        return self.in_summary or bool(self.below) or any(word in self.found["more"].split() for word in SIDES)

    @property
    def stream(self) -> str:
        """The stream, with its role where one test goes both ways."""
        return f"{self.found['stream']} {self.found['role'] or ''}".strip()

    @property
    def start(self) -> float:
        """When its interval began, in seconds."""
        return number(self.found["start"])

    @property
    def end(self) -> float:
        """When its interval ended, in seconds."""
        return number(self.found["end"])

    @property
    def has_datagrams(self) -> bool:
        """Whether it says itself how many datagrams there were, as who receives them does."""
        return _DATAGRAMS.match(self.found["more"]) is not None

    @property
    def is_of_receiver(self) -> bool:
        """Whether it says what only who receives datagrams knows."""
        found = _DATAGRAMS.match(self.found["more"])
        return bool(found and found["jitter"])


def values(line: TableRow) -> Row:
    """Return what a row says: its bytes, its rate, and what stands behind them under its heading."""
    found = line.found
    rates = _DECIMAL if found["what"] == "bits" else _BINARY
    row: Row = {
        "data_size": number(found["size"]) * _BINARY[found["unit"]],
        "throughput": number(found["rate"]) * rates[found["per"]],
    }
    words = found["more"].split()
    first_is_count = bool(words) and words[0].isdecimal()
    if datagrams := _DATAGRAMS.match(found["more"]):
        row |= {"jitter": number(datagrams["jitter"]) * MILLISECOND} if datagrams["jitter"] else {}
        row |= {"packets_lost": float(datagrams["lost"]), "packets_sent": float(datagrams["sent"])}
        row |= {"packets_lost_share": printf_number(datagrams["share"]) * PERCENT} if datagrams["share"] else {}
        row |= _latencies(found["more"])
    elif burst := _BURST.match(found["more"]):
        row |= _of_bursts(burst, found["more"])
    elif datagrams := _DATAGRAMS_OF_SUM.match(found["more"]):
        row |= _of_datagrams(datagrams, is_sender="Write/Err" in line.heading)
    elif "Rtry" in line.heading and len(words) > 1 and words[1].isdecimal():
        row["retransmits"] = float(words[1])
    elif first_is_count and ("Retr" in line.heading or (not line.heading and _are_of_tcp(words))):
        row["retransmits"] = float(words[0])
    elif first_is_count and "Total Datagrams" in line.heading:
        row["packets_sent"] = float(words[0])
    return line.counted | row | _window(line)


def _of_bursts(found: re.Match[str], more: str) -> Row:
    """What iperf 2 says of bursts: how many went there and back, how long they took, and how many a second."""
    count, average, least, most, deviation, retransmits = found.groups()
    times = zip(_LATENCIES, (average, least, most, deviation), strict=True)
    said: Row = {name: number(time) * MILLISECOND for name, time in times}
    if count:
        said["operations"] = float(count)
        said |= {"retransmits": float(retransmits)} if retransmits else {}
    if requests := _REQUESTS.search(more):
        said["operation_rate"] = float(requests["rate"])
    return said


def _of_datagrams(found: re.Match[str], *, is_sender: bool) -> Row:
    said: Row = {"packet_rate": float(found["rate"])}
    return said if is_sender else said | {"packets_lost": float(found["lost"]), "packets_sent": float(found["sent"])}


def _latencies(more: str) -> Row:
    """What iperf 2 says with ``-e`` of the way of a datagram."""
    if not (found := _LATENCY.search(more)):
        return {}
    *times, rate = found.groups()
    said: Row = {name: number(time) * MILLISECOND for name, time in zip(_LATENCIES, times, strict=True)}
    return said | {"packet_rate": float(rate)}


def _window(line: TableRow) -> Row:
    """What the sender may have on its way, and how long that takes."""
    if "Cwnd" not in line.heading:
        return {}
    if found := _WINDOW.match(line.found["more"]):
        return {"congestion_window": number(found["size"]) * _BINARY[found["unit"]]}
    if found := _WINDOW_AND_TRIP.search(line.found["more"]):
        trip: Row = {"round_trip_time": float(found["trip"]) * MICROSECOND}
        is_known = found["size"] not in _NO_WINDOW
        return ({"congestion_window": float(found["size"].removesuffix("K")) * KIB} if is_known else {}) | trip
    return {}


def _are_of_tcp(words: list[str]) -> bool:
    """Whether a count without a heading is one of retransmits: before a window, or alone in a sender's sum."""
    return words[1:2] == ["sender"] or (len(words) > 2 and words[2].endswith("Bytes"))


def is_of_iperf_2(found: re.Match[str]) -> bool:
    """Whether the times of a row have one digit behind the point, or four: iperf3 prints two."""
    return {len(re.split("[.,]", found[name])[-1]) for name in ("start", "end") if not found[name].isdecimal()} in (
        {1},
        {4},
    )


def summed(found: re.Match[str]) -> tuple[str, ...] | None:
    """Stream, role and side of a row that says whose sum it is."""
    side = next((word for word in SIDES if word in found["more"].split()), None)
    return (found["stream"], found["role"] or "", side) if side else None
