"""What the analysis is taken to have asked for: stretches of the file, all of them or a random half.

The study counted no blocks. These requests are a model from end to end: adjacent entries are read or skipped together,
and each stretch that is read is one request.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from storagelab.reconstruct.draws import seeded
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.writers import xrdcl_log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

STUDY = "cern-kinetic-2015"
STARTED = datetime(2015, 8, 1, tzinfo=UTC)
"""The month of the report; the log of a client cannot do without a date."""


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield a log of requests for each share of the entries."""
    for name in ("all_entries", "half_entries"):
        entries = published.si(name)
        text = xrdcl_log.render(xrdcl_log.Log("fst:1095", STARTED, sent(entries, bed)))
        keys: dict[str, Key] = {
            "tool": "xrdcl", "operation_group": "requests", "entries_fraction": entries, "client": "virtual",
            "clients": 1, "repeat": 1, "run_id": f"requests/{name}", "basis": "model",
        }  # fmt: skip
        yield Log(f"requests/{name}.log", text, keys)


def stretches(entries: float, bed: TestBed) -> list[tuple[float, float]]:
    """Return offset and size of every stretch of the file that is read."""
    size, stretch = bed.chosen("file"), bed.chosen("stretch")
    count = int(size // stretch)
    chosen = seeded(STUDY, "stretches", entries).sample(range(count), round(entries * count))
    return [(place * stretch, stretch) for place in sorted(chosen)]


def sent(entries: float, bed: TestBed) -> list[xrdcl_log.Request]:
    """Return the requests, spread evenly over the time of the processor; each takes the link of the client."""
    parts = stretches(entries, bed)
    apart = entries * bed.chosen("cpu") / len(parts)
    link = bed.si("virtual.link")
    return [xrdcl_log.Request(place * apart, size / link, at, size) for place, (at, size) in enumerate(parts)]
