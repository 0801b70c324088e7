"""The runs of IOR: one client, a file per process, one shared file, and half of the disks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from storagelab.reconstruct.draws import normal, seeded, with_best
from storagelab.reconstruct.log import Key
from storagelab.reconstruct.writers import ior
from storagelab.reconstruct.writers.file_system import FileSystem
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from .curves import Curves
from .shapes import FILESYSTEMS, LUSTRE, filesystem_keys, striped

SINGLE, FPP, SHARED, TIERS = "single-client", "file-per-process", "shared-file", "tiers"
UNTIMED = datetime(1970, 1, 1)
"""Stands for the beginning of a run until the clock of the campaign gives it one."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run before the clock of the campaign: where its log lies, what stands in it, and what is known of it."""

    path: str
    log: ior.Log
    keys: Mapping[str, Key]


@dataclass(frozen=True, slots=True)
class Cell:
    """What is repeated, and the best rate that it has to show [B/s].

    Attributes
    ----------
    basis : str
        What the best run rests on; the others rest on the model.
    is_pinned : bool
        Whether the best run is exactly at the rate, or scatters around it as runs do.
    keys : mapping
        Besides those of the file system.
    """

    group: str
    filesystem: str
    operation: str
    nodes: int
    best: float
    basis: str = "model"
    is_pinned: bool = True
    keys: Mapping[str, Key] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of its logs, without the number of the run."""
        parts = (self.filesystem, self.operation, f"{self.nodes:03d}n", *(f"{k}-{v:g}" for k, v in self._numbers()))
        return f"ior/{self.group}/{'_'.join(parts)}"

    def _numbers(self) -> list[tuple[str, float]]:
        return [(name, value) for name, value in self.keys.items() if not isinstance(value, str)]


def runs(published: Published, bed: TestBed) -> Iterator[Run]:
    """Return every run of IOR, cell by cell."""
    curves = Curves(published, bed)
    for cell in (*_single(curves), *_scans(curves), *_tiers(curves)):
        yield from _repeated(cell, bed)


def _single(curves: Curves) -> Iterator[Cell]:
    for filesystem in FILESYSTEMS:
        yield Cell(SINGLE, filesystem, "write", 1, curves.single(filesystem), "derived")
    for stripes, rate in curves.wider():
        yield Cell(SINGLE, LUSTRE, "write", 1, rate, keys=striped(stripes))


def _scans(curves: Curves) -> Iterator[Cell]:
    for filesystem in FILESYSTEMS:
        for nodes in curves.nodes:
            for group, write in ((FPP, curves.own_write), (SHARED, curves.shared_write)):
                yield Cell(group, filesystem, "write", nodes, *write(filesystem, nodes))
            yield Cell(FPP, filesystem, "read", nodes, curves.own_read(nodes), is_pinned=False)
            yield Cell(SHARED, filesystem, "read", nodes, *curves.shared_read(filesystem, nodes))


def _tiers(curves: Curves) -> Iterator[Cell]:
    for filesystem in FILESYSTEMS:
        nodes, tiers, rate = curves.half_of_the_tiers(filesystem)
        yield Cell(TIERS, filesystem, "write", nodes, rate, keys={"raid_tiers": tiers})


def _repeated(cell: Cell, bed: TestBed) -> Iterator[Run]:
    n, spread = round(bed.chosen("repeats")), bed.chosen("ior_spread")
    draw = seeded(cell.name)
    best = cell.best if cell.is_pinned else cell.best * (1 + spread * normal(1, draw)[0])
    rates = with_best(best, spread, n, draw)
    for repeat, rate in enumerate(rates, 1):
        basis = cell.basis if rate == max(rates) else "model"
        path = f"{cell.name}_r{repeat}.log"
        yield Run(path, _log(cell, rate, bed), _keys(cell, bed) | {"repeat": repeat, "run_id": path, "basis": basis})


def _keys(cell: Cell, bed: TestBed) -> dict[str, Key]:
    shifted: dict[str, Key] = {"stat_origin": "neighbour_node"} if cell.operation == "read" else {}
    tiers: dict[str, Key] = {"raid_tiers": bed.si("ddn.tiers")}
    own: dict[str, Key] = {"operation_group": cell.group, "nodes": cell.nodes, **shifted}
    return {**filesystem_keys(bed, cell.filesystem), **tiers, **own, **cell.keys}


def _log(cell: Cell, rate: float, bed: TestBed) -> ior.Log:
    of_node = 1 if cell.group == SINGLE else round(bed.chosen("ior_per_node"))
    done = [ior.Repetition(rate)]
    reads = cell.operation == "read"
    return ior.Log(
        started=UNTIMED,
        writes=[] if reads else done,
        reads=done if reads else [],
        processes=cell.nodes * of_node,
        processes_per_node=of_node,
        block_size=bed.chosen("ior_file"),
        record_size=bed.chosen("ior_transfer"),
        file_mode=FPP if cell.group in (FPP, TIERS) else SHARED,
        path=f"/{cell.filesystem}/ior",
        shifts_reads=reads,
        node="hyperion1",
        verbose=ior.Verbose(bed.text("cluster", "arch"), of_storage(bed)),
    )


def of_storage(bed: TestBed) -> FileSystem:
    """Return what the tools print of the file system: all disks but those of parity."""
    data = bed.si("ddn.tiers * (ddn.disks_per_tier - ddn.parity_per_tier) * ddn.disk")
    return FileSystem(data, bed.chosen("inodes"))
