"""bnl-2007: three file systems on one server with 48 disks, and dCache on the first of them.

Rates of the dCache tests and the tables of the host pages are printed; what clients saw follows from them. Of IOzone
and fileop no number is printed: their logs are the model's, and carry nothing but the orders that the slides name.
"""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.reconstruct.log import Log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import clients, host, local, network
from .dcache import dcache_tests


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Render all logs of the study."""
    yield from local.iozone(bed)
    yield from local.fileop(bed)
    tests = dcache_tests(published, bed)
    for test in tests:
        yield from network.dumps(test, bed)
        yield from clients.logs(test, bed)
    yield from host.pages(bed)
    yield from host.hours(tests, bed)
