"""Jobs of CMSSW: execution times against the number of jobs, the phases of single jobs, and jobs far away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from storagelab.reconstruct.draws import seeded
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.model import fair_shares
from storagelab.reconstruct.writers import cmssw_messages, cmssw_report
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import access, repeats
from .access import Access, Times

TICKS = 5
"""Intervals between the numbers that are left of the axis of jobs: 0, 10, ..., 50."""
PRINTED = {"lustre": "model", "dcache-xfs": "derived"}
"""The two sides of the printed ratio, and what their times rest on: one is chosen, the other follows from the ratio."""


def scan(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield the job reports behind both plots of execution times."""
    most = int(published.si("jobs_axis_high"))
    for jobs in (1, *range(most // TICKS, most + 1, most // TICKS)):
        for way in (access.direct(bed), access.dcap_from_xfs(published, bed), access.dcap_from_lustre(published, bed)):
            printed = jobs == most and way.filesystem in PRINTED
            yield from _runs(way, jobs, printed, bed)


def _runs(way: Access, jobs: int, printed: bool, bed: TestBed) -> Iterator[Log]:
    elapsed = way.times(bed.chosen("job_data"), jobs).elapsed
    basis = PRINTED[way.filesystem] if printed else "model"
    draw = repeats.printed if printed else repeats.scattered
    means = draw(elapsed, bed.chosen("run_unevenness"), int(bed.chosen("repeats")), "scan", way.filesystem, jobs)
    for repeat, mean in enumerate(means, 1):
        run_id = f"scan/{way.filesystem}/jobs-{jobs:02d}/r{repeat}"
        keys = _keys(way, basis, "scan", repeat) | {"run_id": run_id, "clients": jobs}
        spread = bed.chosen("job_unevenness")
        each = fair_shares(jobs * mean, jobs, spread, seeded(run_id))
        busy = repeats.scattered(1.0, spread, jobs, run_id, "cpu")
        for job, (seconds, cpu) in enumerate(zip(each, busy, strict=True), 1):
            client = f"job-{job:02d}"
            text = _report(way, jobs, seconds / elapsed, bed, cpu)
            yield Log(f"{run_id}/{client}.xml", text, keys | {"client": client})


def phases(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield what single jobs print, whose clock tells the phases apart."""
    for way, keys in (
        (access.direct(bed), {}),
        (access.dcap_from_lustre(published, bed), {"striping": "dcache-striped"}),
    ):
        times = way.times(bed.chosen("job_data"))
        for repeat, elapsed in _repeats(times.elapsed, "phase_repeats", bed, "phases", way.filesystem):
            run_id = f"phases/{way.filesystem}/r{repeat}"
            said = _keys(way, "model", "phases", repeat) | keys | {"run_id": run_id, "clients": 1}
            yield Log(f"{run_id}.log", _messages(way, times.scaled(elapsed / times.elapsed), bed), said)


def remote(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield the reports of the same job at UF, at FIU and at FIT."""
    for mount, way, keys in _sites(published, bed):
        elapsed = way.times(bed.chosen("job_data")).elapsed
        for repeat, seconds in _repeats(elapsed, "remote_repeats", bed, "remote", mount):
            run_id = f"remote/{mount}/r{repeat}"
            said = {**_keys(way, "model", "remote", repeat), **keys, "run_id": run_id, "mount": mount, "clients": 1}
            yield Log(f"{run_id}.xml", _report(way, 1, seconds / elapsed, bed), said)


def _sites(published: Published, bed: TestBed) -> Iterator[tuple[str, Access, Mapping[str, Key]]]:
    yield "campus", access.direct(bed), {"host": "UF"}
    far = {"wan-fiu": ("medianoche", published.si("wan_limit")), "wan-fit": ("FIT", bed.chosen("fit_link"))}
    for mount, (host, link) in far.items():
        payload = link * bed.chosen("payload_share")
        request, round_trip = bed.chosen("job_request"), published.si("wan_rtt")
        stream = access.one_request_a_round_trip(request, payload, round_trip)
        way = access.direct(bed, stream=min(stream, bed.chosen("direct_stream")), capacity=payload)
        yield mount, way, {"host": host}


def _repeats(mean: float, count: str, bed: TestBed, *names: object) -> Iterator[tuple[int, float]]:
    """Yield repeats, numbered, with the spread of the model."""
    times = repeats.scattered(mean, bed.chosen("run_unevenness"), int(bed.chosen(count)), *names)
    yield from enumerate(times, 1)


def _keys(way: Access, basis: str, group: str, repeat: int) -> dict[str, Key]:
    return {
        "basis": basis,
        "operation_group": group,
        "repeat": repeat,
        "filesystem": way.filesystem,
        "protocol": way.protocol,
    }


def _report(way: Access, jobs: int, factor: float, bed: TestBed, cpu: float = 1.0) -> str:
    """Return the report of one of so many jobs, slower than the model by a factor, its processor time by another."""
    times = way.times(bed.chosen("job_data"), jobs).scaled(factor)
    event = times.loop / bed.chosen("job_events")
    timing = cmssw_report.Timing(times.elapsed, cpu * times.computing, event, event, event)
    return cmssw_report.render(cmssw_report.JobReport(counters=_counters(way, times, bed), timing=timing))


def _counters(way: Access, times: Times, bed: TestBed) -> tuple[cmssw_report.Counter, ...]:
    data = bed.chosen("job_data")
    reads = -(-data // bed.chosen("job_request"))
    each = times.reading / reads
    opened = cmssw_report.Counter(way.protocol, "open", 1, 1, 0, times.opening, times.opening, times.opening)
    return opened, cmssw_report.Counter(way.protocol, "read", reads, reads, data, times.reading, each, each)


def _messages(way: Access, times: Times, bed: TestBed) -> str:
    door = "dcap://dcache.example.org" if way.protocol == "dcap" else "file:"
    log = cmssw_messages.Log(
        started=datetime.fromisoformat(bed.text("slides", "date")).replace(tzinfo=UTC),
        file=f"{door}{bed.text('lustre', 'mount_point')}/events.root",
        opening=times.opening,
        to_first_record=times.opening,
        loop=times.loop,
        elapsed=times.elapsed,
        cpu_time=times.computing,
        job_events=bed.chosen("job_events"),
        report_every=1,
        decimals=3,
    )
    return cmssw_messages.render(log)
