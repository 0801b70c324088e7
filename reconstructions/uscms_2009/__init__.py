"""US CMS 2009: jobs on mounted Lustre and over dcap, a pool node on Lustre, IOzone and dd over the wide area.

Of what the slides print of results, two have logs: the largest ratio of job times, and the rate of the pool node. All
other times and rates are the model's, and say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.reconstruct.log import Log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import jobs, pool, wide_area


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield all logs of the study."""
    for part in (jobs.scan, jobs.phases, jobs.remote, pool.transfers, wide_area.iozone, wide_area.dd):
        yield from part(published, bed)
