"""Keys of the configurations: servers, drivers, stripes, where clients are."""

from __future__ import annotations

from storagelab.reconstruct.log import Key
from storagelab.study.testbed import TestBed

EXTERNAL: dict[str, Key] = {"client_location": "external"}
ONBOARD: dict[str, Key] = {"client_location": "on-board"}
WHOLE: dict[str, Key] = {"striping": "none"}
UNKNOWN = "unknown"


def striped(bed: TestBed) -> dict[str, Key]:
    """Return keys of files with stripes."""
    return {"striping": "4MB", "stripe_size": bed.si("stripe.size")}


def lustre(bed: TestBed, mode: str, net: str = "", disk: str = "", guests: int = 0) -> dict[str, Key]:
    """Return keys of Lustre in a server mode: drivers, machines on a server's host, memory and links of the OSTs."""
    memory = "server.memory" if mode == "bare-metal" else "vm_server.memory"
    keys: dict[str, Key] = {
        "filesystem": "lustre",
        "filesystem_version": bed.text("ost", "version"),
        "server_mode": mode,
        "server_memory": bed.si(f"{memory} * ost.count"),
        "server_link": bed.si("server.link"),
    }
    virtual: dict[str, Key] = {"driver_net": net, "driver_disk": disk}
    machines: dict[str, Key] = {"server_guests": guests} if guests else {}
    return keys | (virtual if mode == "virtual" else {}) | machines
