"""The disks under everything, as hdparm read them."""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.reconstruct.log import Log
from storagelab.reconstruct.writers import hdparm
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

DEVICES = {"server": ("hdparm_server", "/dev/sdb"), "itb": ("hdparm_client", "/dev/sda")}
"""Host -> what the paper prints of its disks, and a name for the device, which it does not print."""


def logs(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield a log of hdparm for a server, and one for a host of external clients."""
    for host, (value, device) in DEVICES.items():
        timed = hdparm.Device(device, disk=hdparm.steady(published.si(value)))
        keys = {"host": host, "run_id": f"hdparm-{host}", "command": f"hdparm -t {device}", "basis": "published"}
        yield Log(f"hdparm/{host}.hdparm.log", hdparm.render(hdparm.Log([timed])), keys)
