"""LLNL 2010: GPFS and Lustre on one DDN 9550, with IOR and mdtest; runs follow one another on one model clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from storagelab.reconstruct.log import Log
from storagelab.reconstruct.writers import ior, mdtest
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import bandwidth, metadata


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Render every run of the study, the best of each cell among them with the rate that is printed."""
    now = datetime.fromtimestamp(bed.chosen("begins"), UTC).replace(tzinfo=None)
    pause = timedelta(seconds=bed.chosen("pause"))
    for stream in bandwidth.runs(published, bed):
        timed = replace(stream.log, started=now)
        yield Log(stream.path, ior.render(timed), stream.keys)
        now = timed.ended() + pause
    for operations in metadata.runs(published, bed):
        counted = replace(operations.log, started=now)
        yield Log(operations.path, mdtest.render(counted), operations.keys)
        now = counted.ended() + pause
