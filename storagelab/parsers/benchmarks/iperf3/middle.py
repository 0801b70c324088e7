"""iperf3's JSON of which the head is missing: intervals and sums that no start of a test stands above.

What stands outermost then are the objects of the document's inside. Sums of intervals say if they were ``omitted``,
those of the end do not (iperf_api.c, ``iperf_print_intermediate`` and ``iperf_print_results``). Which end of the
connection printed them, the start says; without it, a sum of an interval tells by ``sender``, which versions before 3.7
lack, or by what senders or receivers alone count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from storagelab.parsers.json_text import Found, mapping

_KEY = re.compile(r'"([a-z_]{1,40})"\s{0,8}:\s{0,8}$')
_AROUND_KEY = 60
_OF_THE_END = ("sum_sent", "sum_received", "cpu_utilization_percent")
_OF_RECEIVERS = ("jitter_ms", "lost_packets")


def found(text: str, bodies: Iterable[Found]) -> list[Found]:
    """Put objects of a document without its head together to one that breaks off; [] where there are none."""
    keyed = [(_key_of(text, one.start), one.body) for one in bodies]
    intervals = list(_intervals(keyed))
    end = _end(keyed)
    sends = next((told for interval in intervals for told in [_sends(interval["sum"])] if told is not None), None)
    if sends is None:
        intervals = []
        end.pop("cpu_utilization_percent", None)
    if not intervals and not any(name.startswith("sum_") for name in end):
        return []
    whole = {"start": {"test_start": {"reverse": int(not sends)}}, "intervals": intervals, "end": end}
    return [Found(whole, 0, 1, whole=False)]


def _key_of(text: str, start: int) -> str:
    """Return the key in front of an object; "" where none is left, as in a list."""
    key = _KEY.search(text[max(0, start - _AROUND_KEY) : start])
    return key[1] if key else ""


def _intervals(keyed: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Yield the intervals, of the first of which the sum alone may be left."""
    for key, body in keyed:
        interval = {"sum": body} if key == "sum" else body if not key else {}
        if "omitted" in mapping(interval.get("sum")):
            yield dict(interval)


def _end(keyed: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the end, whose own head may be missing too."""
    end: dict[str, Any] = {}
    for key, body in keyed:
        end |= body if key == "end" else {key: body} if key in _OF_THE_END else {}
    return end


def _sends(whole: Mapping[str, Any]) -> bool | None:
    """Whether the end that printed the sum of an interval sends; None where that is not told."""
    if isinstance(told := whole.get("sender"), bool):
        return told
    if "retransmits" in whole:
        return True
    return False if any(name in whole for name in _OF_RECEIVERS) else None
