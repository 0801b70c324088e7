"""IOzone and dd on Lustre mounted over the wide area: the link is full, up to what frames and hosts take of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from storagelab.reconstruct.draws import seeded
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.model import fair_shares
from storagelab.reconstruct.writers import dd as dd_writer
from storagelab.reconstruct.writers import iozone_throughput
from storagelab.reconstruct.writers.iozone_banner import Banner
from storagelab.reconstruct.writers.iozone_throughput import Child, ThroughputTest
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from . import repeats

OPERATIONS = ("write", "read")


@dataclass(frozen=True, slots=True)
class Host:
    """A host far away: where it is, what it can move [B/s], its memory [B], and what limits it [B/s]."""

    name: str
    mount: str
    rate: float
    memory: float
    link: float

    def keys(self, bed: TestBed) -> dict[str, Key]:
        """Return what is the same in all its logs."""
        return {
            "host": self.name,
            "mount": self.mount,
            "filesystem": "lustre",
            "filesystem_version": bed.text("lustre", "version"),
            "client_link": self.link,
            "client_memory": self.memory,
            "clients": 1,
        }


def at_fiu(published: Published, bed: TestBed) -> tuple[Host, Host]:
    """Return the two hosts at FIU; their buffers are larger than what is under way, and limit nothing."""
    full = published.si("wan_limit") * bed.chosen("payload_share")
    slower = full * (1 - bed.chosen("host_loss"))
    link, memory = published.si("host_link"), published.si
    return (
        Host("medianoche", "wan-fiu", full, memory("medianoche_memory"), link),
        Host("dgt", "wan-fiu", slower, memory("dgt_memory"), link),
    )


def iozone(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield the logs of both hosts, over records, numbers of processes and repeats."""
    for host in at_fiu(published, bed):
        for record in _records(bed):
            for processes in _doubled_up_to(int(published.si("processes_max"))):
                cell = f"iozone/{host.name}/r{record // 1024}k/t{processes}"
                rates = {operation: _rates(host, bed, cell, operation) for operation in OPERATIONS}
                for i, repeat in enumerate(range(1, int(bed.chosen("repeats")) + 1)):
                    run_id = f"{cell}/r{repeat}"
                    tests = [_test(name, found[i], processes, host, run_id, bed) for name, found in rates.items()]
                    keys = host.keys(bed) | {"basis": "model", "repeat": repeat, "run_id": run_id}
                    keys |= {"socket_buffer": published.si("tcp_buffer")}
                    yield Log(f"{run_id}.log", _render(host, record, tests, bed), keys)


def _records(bed: TestBed) -> tuple[int, int, int]:
    """Return the shortest record, the longest, and the one that lies in between by the same factor."""
    least, most = (bed.chosen(name) for name in ("record_smallest", "record_largest"))
    return int(least), int((least * most) ** 0.5), int(most)


def _doubled_up_to(most: int) -> list[int]:
    return [2**i for i in range(most.bit_length()) if 2**i <= most]


def _rates(host: Host, bed: TestBed, *names: object) -> list[float]:
    return repeats.scattered(host.rate, bed.chosen("wan_unevenness"), int(bed.chosen("repeats")), *names)


def _file_size(host: Host, processes: int, bed: TestBed) -> float:
    """Return the file of one process: all of them together are as large as the slides say of one."""
    return bed.si("iozone.file_over_memory") * host.memory / processes


def _test(operation: str, rate: float, processes: int, host: Host, run_id: str, bed: TestBed) -> ThroughputTest:
    shares = fair_shares(rate, processes, bed.chosen("process_unevenness"), seeded(run_id, operation))
    size = _file_size(host, processes, bed)
    children = [Child(share, size * share / max(shares)) for share in shares]
    return ThroughputTest(operation, rate * (1 - bed.chosen("parent_loss")), children)


def _render(host: Host, record: int, tests: Sequence[ThroughputTest], bed: TestBed) -> str:
    size = _file_size(host, len(tests[0].children), bed)
    banner = Banner(started=datetime.fromisoformat(bed.text("slides", "date")))
    return iozone_throughput.render(iozone_throughput.Log(banner, size, record, tests))


def dd(published: Published, bed: TestBed) -> Iterator[Log]:
    """Yield what dd printed on both hosts at FIU, and on one at FIT, of whose link no number is printed."""
    fit = bed.chosen("fit_link")
    far = Host("FIT", "wan-fit", fit * bed.chosen("payload_share"), bed.chosen("fit_memory"), fit)
    for host in (*at_fiu(published, bed), far):
        rates = {operation: _rates(host, bed, "dd", host.name, operation) for operation in OPERATIONS}
        for i, repeat in enumerate(range(1, int(bed.chosen("repeats")) + 1)):
            run_id = f"dd/{host.name}/r{repeat}"
            text = _copies(host, {operation: found[i] for operation, found in rates.items()}, bed)
            yield Log(f"{run_id}.log", text, host.keys(bed) | {"basis": "model", "repeat": repeat, "run_id": run_id})


def _copies(host: Host, rates: Mapping[str, float], bed: TestBed) -> str:
    """Return a copy onto the mounted file system, and one back from it, of a file that no memory holds."""
    record = _records(bed)[-1]
    records = _file_size(host, 1, bed) // record
    file = f"{bed.text('lustre', 'mount_point')}/dd"
    ends = {"write": ("/dev/zero", file), "read": (file, "/dev/null")}
    return dd_writer.render(
        dd_writer.Log(
            [
                dd_writer.Copy(*ends[name], record * records, record * records / rate, record)
                for name, rate in rates.items()
            ],
            writes_out_seconds=True,
        )
    )
