"""What the clients of the dCache tests saw: dccp prints on each of them, the GridFTP server logs them all."""

from __future__ import annotations

from collections.abc import Iterator

from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.writers import dccp, gridftp_log
from storagelab.study.testbed import TestBed

from . import clock
from .dcache import READ, DcacheTest, Load
from .transfers import Transfer, transfers

DOOR = "dcap://door.example:22125"
FOLDER = "/pnfs/example/thumper"
OPERATIONS = {READ: "download", "write": "upload"}


def logs(test: DcacheTest, bed: TestBed) -> Iterator[Log]:
    """Yield the logs of the clients of a test."""
    for direction, load in test.loads.items():
        moved = list(transfers(test, direction, bed))
        yield from (_dccp if test.tool == "dccp" else _gridftp)(test, direction, load, moved, bed)


def _keys(test: DcacheTest, direction: str, load: Load, begins: float, bed: TestBed) -> dict[str, Key]:
    return {
        "basis": test.basis_of_clients,
        "tool": test.tool,
        "filesystem": "zfs",
        "server": bed.text("server", "host"),
        "server_mode": "bare-metal",
        "client_location": "external",
        "client_link": bed.si("server.link"),
        "server_link": bed.si("server.link * server.ports"),
        "clients": load.clients,
        "operation": OPERATIONS[direction],
        "operation_group": test.group,
        "started": clock.local(begins, bed).isoformat(timespec="microseconds"),
    }


def _dccp(test: DcacheTest, direction: str, load: Load, moved: list[Transfer], bed: TestBed) -> Iterator[Log]:
    for client in range(load.clients):
        own = [_copy(test, direction, load, one) for one in moved if one.client == client]
        keys = _keys(test, direction, load, test.begins, bed)
        name = f"node{client + 1:02d}"
        yield Log(
            f"{test.name}-{direction}/{name}.log",
            dccp.render(dccp.Log(tuple(own))),
            keys | {"run_id": f"{test.name}-{direction}", "client": name, "protocol": "dcap"},
        )


def _copy(test: DcacheTest, direction: str, load: Load, one: Transfer) -> dccp.Copy:
    begins = test.begins + one.begins
    ends = f"{DOOR}{_file(test, direction, one)}", f"/scratch/{one.client + 1:02d}-{one.file + 1}"
    source, target = ends if direction == READ else reversed(ends)
    return dccp.Copy(source, target, load.size, one.ends - one.begins, phase=begins % 1)


def _file(test: DcacheTest, direction: str, one: Transfer) -> str:
    """Path of a file in dCache; in test 1 all clients read the same one."""
    if test.number == 1:
        return f"{FOLDER}/{test.name}/same"
    return f"{FOLDER}/{test.name}/{direction}-{one.client + 1:02d}-{one.file + 1}"


def _gridftp(test: DcacheTest, direction: str, load: Load, moved: list[Transfer], bed: TestBed) -> Iterator[Log]:
    """The log of the server, cut by direction and by the ordinal of the file at its client."""
    for file in range(load.files):
        own = sorted((one for one in moved if one.file == file), key=lambda one: one.ends)
        lines = tuple(_transfer(test, direction, load, one, bed) for one in own)
        keys = _keys(test, direction, load, test.begins + min(one.begins for one in own), bed)
        yield Log(
            f"{test.name}-{direction}/{file + 1}.log",
            gridftp_log.render(gridftp_log.Log(lines)),
            keys | {"run_id": f"{test.name}-{direction}-{file + 1}", "protocol": "gsiftp", "part": file + 1},
        )


def _transfer(test: DcacheTest, direction: str, load: Load, one: Transfer, bed: TestBed) -> gridftp_log.Transfer:
    return gridftp_log.Transfer(
        file=_file(test, direction, one),
        data_size=load.size,
        start_time=test.begins + one.begins,
        end_time=test.begins + one.ends,
        kind="RETR" if direction == READ else "STOR",
        host=bed.text("server", "host"),
        client=f"10.0.{1 if direction == READ else 2}.{one.client + 1}",
    )
