"""The runs of mdtest: operations against nodes, and stats against load. No rate of them is printed, only ratios."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from storagelab.reconstruct.draws import seeded, with_best
from storagelab.reconstruct.log import Key
from storagelab.reconstruct.writers import mdtest
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from .bandwidth import UNTIMED, of_storage
from .rates import OPERATIONS, STATS, Cell, Rates
from .shapes import FILESYSTEMS, doublings, filesystem_keys

NODES, LOAD = "nodes", "load"
DIRECTORIES = ("shared", "unique")
SERIES = (1, 2, 5)
"""Steps of a decade, as scans over several decades take them."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run before the clock of the campaign: where its log lies, what stands in it, and what is known of it."""

    path: str
    log: mdtest.Log
    keys: Mapping[str, Key]


def runs(published: Published, bed: TestBed) -> Iterator[Run]:
    """Return every run of mdtest, cell by cell."""
    rates = Rates(published, bed)
    for filesystem, directory in itertools.product(FILESYSTEMS, DIRECTORIES):
        for is_own, nodes in itertools.product((False, True), _nodes(bed)):
            cell = Cell(filesystem, directory, nodes, round(bed.si("mdtest.items")), is_own)
            best = {operation: rates.against_nodes(cell, operation) for operation in OPERATIONS}
            tree = dict.fromkeys(("tree_create", "tree_remove"), bed.chosen("tree"))
            yield from _repeated(NODES, cell, best | tree, bed, round(bed.si("mdtest.per_node")))
        for items in decades(bed.si("mdtest.scan_least"), bed.si("mdtest.scan_most")):
            cell = Cell(filesystem, directory, round(bed.chosen("scan_nodes")), items)
            best = {operation: rates.against_load(cell, operation) for operation in STATS}
            yield from _repeated(LOAD, cell, best, bed, round(bed.si("mdtest.scan_processes") / cell.nodes))


def _nodes(bed: TestBed) -> list[int]:
    return doublings(bed.si("mdtest.nodes_least"), bed.si("mdtest.nodes_most"))


def decades(first: float, last: float) -> list[int]:
    """List 1, 2, 5, 10, 20, ... from the first to the last number.

    Examples
    --------
    >>> decades(10, 500)
    [10, 20, 50, 100, 200, 500]
    """
    powers = (10**power for power in itertools.count())
    steps = itertools.chain.from_iterable([step * power for step in SERIES] for power in powers)
    return [step for step in itertools.takewhile(lambda step: step <= last, steps) if step >= first]


def _repeated(group: str, cell: Cell, best: Mapping[str, float], bed: TestBed, of_node: int) -> Iterator[Run]:
    n, spread = round(bed.chosen("repeats")), bed.chosen("mdtest_spread")
    drawn = {name: with_best(rate, spread, n, seeded(group, cell, name)) for name, rate in best.items()}
    for number in range(n):
        path = f"mdtest/{group}/{cell.name}_r{number + 1}.log"
        log = mdtest.Log(
            started=UNTIMED,
            rates={name: [rates[number]] for name, rates in drawn.items()},
            processes=cell.nodes * of_node,
            nodes=cell.nodes,
            items=cell.items,
            file_system=of_storage(bed),
            directory_mode=cell.directory,
            stride=0 if cell.is_own else of_node,
            path=f"/{cell.filesystem}/mdtest",
            verbose=True,
        )
        own: dict[str, Key] = {"operation_group": group, "repeat": number + 1, "run_id": path, "basis": "model"}
        yield Run(path, log, {**filesystem_keys(bed, cell.filesystem), "raid_tiers": bed.si("ddn.tiers"), **own})
