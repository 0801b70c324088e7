"""How long a job takes, by the way it reaches its data: the model behind all job times of the slides.

A job starts, asks for its file and waits for the first record, computes and reads in turn, and ends. While n jobs run,
each reads at the rate of one stream or at its share of what serves them all, whichever is less::

    t(n) = start + opening + computing + data / min(stream, capacity / n) + rest

What serves dcap from XFS is not printed. It is solved from the one ratio that is, at the largest number of jobs.
"""

from __future__ import annotations

from dataclasses import dataclass

from storagelab.reconstruct.model import narrowest
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of one job by phase: `loop` is from the first record to the last, of which `reading` is a part."""

    start: float
    opening: float
    loop: float
    reading: float
    rest: float = 0.0

    @property
    def elapsed(self) -> float:
        """Seconds of the whole job."""
        return self.start + self.opening + self.loop + self.rest

    @property
    def computing(self) -> float:
        """Seconds of the loop that are not spent reading."""
        return self.loop - self.reading

    def scaled(self, factor: float) -> Times:
        """Return the times of a job that is slower by a factor in everything."""
        parts = (self.start, self.opening, self.loop, self.reading, self.rest)
        return Times(*(factor * part for part in parts))


@dataclass(frozen=True, slots=True)
class Access:
    """A way to the data.

    Attributes
    ----------
    filesystem, protocol : str
        What the contract calls them.
    start, opening, computing, rest : float
        Seconds of a job that do not depend on how many there are.
    stream : float
        What one job alone can read [B/s].
    capacity : float
        What all jobs together can read [B/s].
    """

    filesystem: str
    protocol: str
    start: float
    opening: float
    computing: float
    stream: float
    capacity: float
    rest: float = 0.0

    def times(self, data: float, jobs: int = 1) -> Times:
        """Return the times of each of so many jobs, each of which reads so many bytes."""
        reading = data / narrowest({"stream": self.stream, "share": self.capacity / jobs})
        return Times(self.start, self.opening, self.computing + reading, reading, self.rest)


def direct(bed: TestBed, **instead: float) -> Access:
    """Return mounted Lustre, with a stream or a capacity instead of that on campus."""
    rates = {"stream": bed.chosen("direct_stream"), "capacity": narrowest(bed.capacities("campus"))} | instead
    start, opening, computing = (bed.chosen(name) for name in ("job_start", "direct_open", "job_cpu"))
    return Access("lustre", "file", start, opening, computing, **rates)


def dcap_from_lustre(published: Published, bed: TestBed) -> Access:
    """Return dcap from pools on Lustre, each node of which gives what is printed of one."""
    capacity = bed.chosen("lustre_pools") * published.si("pool_rate")
    return _dcap(bed, "dcache-lustre", bed.chosen("lustre_pool_stream"), capacity)


def dcap_from_xfs(published: Published, bed: TestBed) -> Access:
    """Return dcap from a pool on XFS, of a capacity that makes most jobs slower by the printed factor."""
    most, data = int(published.si("jobs_axis_high")), bed.chosen("job_data")
    unbounded = _dcap(bed, "dcache-xfs", bed.chosen("xfs_stream"), float("inf")).times(data)
    elapsed = published.si("speedup_max") * direct(bed).times(data, most).elapsed
    reading = elapsed - (unbounded.elapsed - unbounded.reading)
    return _dcap(bed, "dcache-xfs", bed.chosen("xfs_stream"), most * data / reading)


def _dcap(bed: TestBed, filesystem: str, stream: float, capacity: float) -> Access:
    start, opening, rest = (bed.chosen(name) for name in ("job_start", "dcap_open", "dcap_rest"))
    computing = bed.chosen("job_cpu") * (1 + bed.chosen("dcap_analysis"))
    return Access(filesystem, "dcap", start, opening, computing, stream, capacity, rest)


def one_request_a_round_trip(request: float, link: float, round_trip: float) -> float:
    """Return the rate of a reader that asks again when the answer has come: ``s / (s / L + RTT)``."""
    return request / (request / link + round_trip)
