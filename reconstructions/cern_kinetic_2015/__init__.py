"""The campaign of CERN openlab of 2015: uploads to EOS, and an analysis that reads from it, over three configurations.

Printed are ends of ranges and a few percentages. The rest is drawn so that these come out: see `uploads` and
`analysis`; `requests` rests on no printed number but the shares of the entries.
"""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.reconstruct.log import Log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import analysis, requests, uploads


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield the logs of both clients' uploads, of the analysis, and of the requests that it is taken to have sent."""
    yield from uploads.logs(published, bed)
    yield from analysis.logs(published, bed)
    yield from requests.logs(published, bed)
