"""One test in the text of iperf: its rows, and what other lines say of it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from storagelab.parsers.benchmarks.iperf3.rows import NUMBER, ROW, SIDES, TableRow, summed, values
from storagelab.parsers.model import Row
from storagelab.parsers.text import number
from storagelab.parsers.values_on_several_lines import on
from storagelab.schema import COMPUTED

_PORT = re.compile(r"\] local \S+ port (\d+) connected ")
_COUNTED = re.compile(
    rf"\[ *(?P<stream>\*?\d+|SUM)\] (?:Sent (?P<sent>\d{{1,18}}) datagrams"
    rf"| *{NUMBER} ?[-\u2013] ?{NUMBER} +sec +(?P<disorder>\d{{1,18}}) datagrams received out-of-order)"
)
"""What is counted in lines of its own, below the row that it belongs to."""
_SHARE = re.compile(rf"\({NUMBER}(?:e[-+]?\d+)?%\)")
"""Of datagrams that were lost, which a mail puts on a line of its own."""
_OF_IPERF_2 = "5001"
"""The port of its servers."""
_PART_OF_A_STREAM = 0.4
_SHARED = ("is_server", "is_old", "is_named")
"""What tests at one end have in common."""
_SIDES_ABOVE = {"Sent": "sender", "Received": "receiver"}
"""Of 2013: headings of sums, which do not say themselves whose they are."""


@dataclass(slots=True)
class Test:
    """One test of a log."""

    lines: list[TableRow] = field(default_factory=list)
    cpu: dict[str, Row] = field(default_factory=dict)
    heading: str = ""
    in_summary: bool = False
    is_server: bool = False
    is_reverse: bool = False
    next_is_reverse: bool = False
    """What a command below it asks for; iperf3 of 2013 does not say itself that the server sends."""
    side_above: str = ""
    is_done: bool = False
    is_old: bool = False
    is_named: bool = False
    """Whether a line above its rows says which program runs at which end."""
    is_verbose: bool = False
    setup: Row = field(default_factory=dict)
    asked: Row = field(default_factory=dict)
    """How many streams its call asks for, with the line."""
    streams: int = 0
    listens_at: str = ""
    """The port of an iperf 2 that is a server, too: with -d and -r the streams to it are those of the other way."""
    served: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    twins: set[str] = field(default_factory=set)
    """Streams with the number of another, of a second client whose lines stand between those of the first."""
    running: set[str] = field(default_factory=set)
    """Streams whose last row is none of their whole time."""
    streams_with_rows: set[str] = field(default_factory=set)
    summed: dict[tuple[str, ...] | None, str] = field(default_factory=dict)
    own_side: str = ""
    """What this end did, where its sums of the other side count nothing: iperf3 3.0 to 3.6 at a server."""

    def another(self, *, heading: str = "", in_summary: bool = False) -> Test:
        """Return a test of the same program at the same end, which nothing but its rows says to begin."""
        return Test(heading=heading, in_summary=in_summary, **{name: getattr(self, name) for name in _SHARED})

    def is_over(self) -> bool:
        """Whether the streams have their sums, of a server of iperf 2 all: those that open then are of another test."""
        if self.is_old:
            return self.is_server and not self.running
        return bool(self.lines) and self.lines[-1].is_sum

    def is_client_without_rows(self) -> bool:
        """Whether it is of a client of iperf 2 that has not begun: if it listens, too, the server sends back."""
        return self.is_old and self.is_named and not self.is_server and not self.lines

    def take(self, at: int, found: re.Match[str]) -> None:
        """Keep a row."""
        in_summary = self.in_summary or self._is_sum_of_datagrams(found)
        row = TableRow(at, found, self.heading, in_summary, below=self.side_above)
        self.lines.append(row)
        self.streams_with_rows.add(found["stream"])
        (self.running.discard if _spans_all(row) else self.running.add)(found["stream"].lstrip("*"))
        if (whose := summed(found)) is not None:
            self.summed[whose] = found[0]

    def _is_sum_of_datagrams(self, found: re.Match[str]) -> bool:
        """Whether it is of the table that a sender ends with, the line above it left out: it alone tells of jitter."""
        above = self.lines[0].heading if self.lines and not self.is_old else ""
        if "Total Datagrams" not in above or "Jitter" in above or "Jitter" not in self.heading:
            return False
        end = number(found["end"])
        return not number(found["start"]) and self.lines[0].end < end >= self.lines[-1].end

    def has_sum_of(self, found: re.Match[str]) -> bool:
        """Whether stream and side of a row have another sum: then it is of a test whose heading is not here."""
        return self.summed.get(summed(found), found[0]) != found[0]

    def is_of_twin(self, found: re.Match[str]) -> bool:
        """Whether a row is of a second client: the stream of this number has its sum, and this one begins anew."""
        stream = found["stream"]
        return stream in self.twins and stream not in self.running and not number(found["start"])

    def count(self, at: int, found: re.Match[str]) -> None:
        """Keep what a line of its own counts, with the last row if it is of the same stream."""
        last = self.lines[-1].found if self.lines else None
        if not last or found["stream"] not in ("SUM", last["stream"]):
            return
        if found["sent"] and not self.is_old:
            self.lines[-1].in_summary = self.in_summary = True
        if not (found["sent"] and self.lines[-1].has_datagrams):
            name = "packets_sent" if found["sent"] else "packets_out_of_order"
            self.lines[-1].counted |= on(at, {name: float(found["sent"] or found["disorder"])})

    def goes_on(self, at: int, line: str) -> bool:
        """Whether a line counts something of the row above, or is its end, which it is then given back to."""
        if counted := _COUNTED.search(line):
            self.count(at, counted)
            return True
        rest = line.strip("> \t\r")
        is_below = bool(self.lines) and self.lines[-1].at == at - 1
        if is_below and rest in SIDES:
            self.lines[-1].below = rest
        elif is_below and _SHARE.fullmatch(rest):
            whole = ROW.search(f"{self.lines[-1].found.string.rstrip()} {rest}")
            self.lines[-1].found = whole or self.lines[-1].found
        else:
            return False
        return True

    def is_told(self, line: str) -> bool:
        """Whether a line says of those below whose sums they are, or is a command that says who will send."""
        if self.in_summary and line.strip() in _SIDES_ABOVE:
            self.side_above = _SIDES_ABOVE[line.strip()]
        elif "iperf3 " in line and "-c" in line:
            self.next_is_reverse = _asks_for_reverse(line)
        else:
            return False
        return True

    def open_stream(self, stream: str, line: str) -> None:
        """Count a stream, and keep which come to the port at which this end listens."""
        if stream in self.opened:
            self.twins.add(stream)
        else:
            self.streams += 1
        self.opened.add(stream)
        self.running.add(stream)
        port = _PORT.search(line)
        if port and port[1] == self.listens_at:
            self.served.add(stream)
        self.is_server = self.is_server or bool(port and port[1] == _OF_IPERF_2 and not self.is_named)

    def is_way_back(self, line: TableRow) -> bool:
        """Whether a star marks the other way of a stream of iperf 2 that goes both ways (``--full-duplex``)."""
        stream = line.found["stream"]
        return stream.startswith("*") and stream[1:] in self.streams_with_rows

    def parallel(self) -> Row:
        """How many streams run side by side: as many as the call asks for, or as make a sum that they share."""
        if self.asked or self.is_old or not self._shares() or not self.adds_up():
            return self.asked
        return on(COMPUTED, {"processes": float(self.seen())})

    def seen(self) -> int:
        """How many streams have rows, in one direction."""
        streams = {(row.found["role"], row.found["stream"]) for row in self.lines if row.found["stream"] != "SUM"}
        return max(Counter(role for role, _ in streams).values(), default=0)

    def adds_up(self) -> bool:
        """Whether streams make the sum that they share, but for a part of one, which rounding leaves."""
        shares = self._shares()
        return all(abs(sum(parts) - whole) <= _PART_OF_A_STREAM * whole / len(parts) for whole, parts in shares)

    def _shares(self) -> list[tuple[float, list[float]]]:
        """Sums of all streams with those of each, where none of the streams that have rows has lost its own."""
        wholes: dict[str, float] = {}
        parts: dict[str, list[float]] = defaultdict(list)
        for row in self.lines:
            if row.is_sum:
                side, size = f"{row.found['role']} {row.side}", float(values(row)["data_size"])
                if row.found["stream"] == "SUM":
                    wholes[side] = size
                else:
                    parts[side].append(size)
        seen = self.seen()
        return [(whole, parts[side]) for side, whole in wholes.items() if 0 < len(parts[side]) == seen]

    def direction(self, line: TableRow) -> str:
        """Which way the bytes of an interval went, seen from the end that prints it."""
        role = line.found["role"] or ""
        if role:
            return "transmit" if role.startswith("TX") else "receive"
        if self.own_side:
            return self.own_side
        if self.is_way_back(line):
            return "transmit" if self.is_server else "receive"
        if (
            "Jitter" in line.heading
            or (self.is_old and line.is_of_receiver)
            or line.found["stream"].lstrip("*") in self.served
        ):
            return "receive"
        if ("Retr" in line.heading or "Datagrams" in line.heading) and not (self.is_reverse and not self.is_server):
            return "transmit"
        return "receive" if self.is_server or self.is_reverse else "transmit"

    def sums_of_old(self) -> list[TableRow]:
        """Return sums of iperf 2, which repeats no heading: the last row of a stream, which begins at 0 like its first.

        Behind that of a sender of datagrams stands what the server reports of them.
        """
        last = {
            (line.found["stream"].lstrip("*"), self.is_way_back(line), line.is_of_receiver): line for line in self.lines
        }
        return [line for line in last.values() if _spans_all(line)]


def _spans_all(line: TableRow) -> bool:
    """Whether a row of iperf 2 may be a sum: it begins with its stream, and lasts."""
    return not line.start and line.end > 1


def _asks_for_reverse(command: str) -> bool:
    options = [word for word in command.partition("iperf3 ")[2].split() if word.startswith("-")]
    return any(option == "--reverse" or (option[1:2] != "-" and "R" in option) for option in options)
