"""FermiCloud, 2011: IOzone and NOvA jobs on Lustre, on bare metal and in virtual machines; Hadoop and BlueArc.

`iozone` draws the curves of Fig. 3, 4 and 6, `nova` the clients of Fig. 7 and 8, `fairness` those of Fig. 9, `writing`
the jobs that also write, and `disks` what hdparm said. What the paper concludes without a number (fail-over, messages,
CPU time) has no logs here.
"""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.reconstruct.log import Log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import disks, fairness, iozone, nova, writing


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield all logs of the study."""
    for part in (disks, iozone, nova, fairness, writing):
        yield from part.logs(published, bed)
