"""US CMS 2009: jobs on mounted Lustre and over dcap, a pool node on Lustre, IOzone and dd over the wide area.

The slides print two results, a largest ratio of 2.6 and a rate above 130 MB/s; the rest is the model's, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.reconstruct.log import Log
from storagelab.reconstruct.studies.uscms_2009 import jobs, pool, wide_area
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield all logs of the study."""
    for part in (jobs.scan, jobs.phases, jobs.remote, pool.transfers, wide_area.iozone, wide_area.dd):
        yield from part(published, bed)
