"""The rates of mdtest: those of Lustre by the model, those of GPFS by the ratios that the paper prints; all in 1/s."""

from __future__ import annotations

import math
from dataclasses import dataclass

from storagelab.study.published import Published
from storagelab.study.testbed import TestBed

from .shapes import GPFS, along, geometric

STATS = ("directory_stat", "file_stat")
OPERATIONS = ("directory_create", "file_create", *STATS, "directory_remove", "file_remove")


@dataclass(frozen=True, slots=True)
class Cell:
    """What is repeated.

    Attributes
    ----------
    directory : str
        "shared" or "unique".
    items : int
        Files, and directories, of each process.
    is_own : bool
        Whether the node that made an item asks for it, rather than a neighbour.
    """

    filesystem: str
    directory: str
    nodes: int
    items: int
    is_own: bool = False

    @property
    def name(self) -> str:
        """Name of its logs, without the number of the run."""
        origin = "own" if self.is_own else "neighbour"
        return f"{self.filesystem}_{self.directory}_{origin}_{self.nodes:03d}n_{self.items}"


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of all processes together, of the best run of each cell."""

    published: Published
    bed: TestBed

    def against_nodes(self, cell: Cell, operation: str) -> float:
        """Return a rate of the test against nodes."""
        lustre = self._lustre(cell, operation)
        if cell.filesystem != GPFS:
            return lustre * (self.bed.chosen("own_lustre") if cell.is_own and operation in STATS else 1)
        if cell.is_own and operation in STATS:
            return self.bed.chosen("own_stat") * cell.nodes
        return lustre / self._lustre_over_gpfs(cell, operation)

    def against_load(self, cell: Cell, operation: str) -> float:
        """Return a rate of stats against load: Lustre does not change with it, GPFS gains from the printed ratio on."""
        lustre = self._level(cell.directory, operation)
        if cell.filesystem != GPFS:
            return lustre
        leads = cell.directory == "shared"
        last = 1 / (1 + self.bed.chosen("scan_shared_lead")) if leads else self.bed.chosen("scan_unique_ratio")
        share = along(cell.items, self.bed.si("mdtest.scan_least"), self.bed.si("mdtest.scan_most"))
        return lustre / geometric(self.published.si("md_stat_times"), last, share)

    def _lustre(self, cell: Cell, operation: str) -> float:
        """Rise with a power of the nodes up to a peak; behind it creates fall, and stats and removals stay."""
        level, peak = self._level(cell.directory, operation), self._peak(cell.directory, operation)
        if cell.nodes <= peak:
            return float(level * (cell.nodes / peak) ** self.bed.chosen("rise"))
        fall = self.bed.chosen("fall") if operation.endswith("create") else 0.0
        return float(level * (1 - fall) ** math.log2(cell.nodes / peak))

    def _level(self, directory: str, operation: str) -> float:
        phase = operation.partition("_")[2]
        names = {"create": "unique_level", "stat": "unique_stat", "remove": "unique_remove"}
        return self.bed.chosen(operation) * (self.bed.chosen(names[phase]) if directory == "unique" else 1)

    def _peak(self, directory: str, operation: str) -> float:
        if operation.endswith("create") and directory == "unique":
            return self.published.si("md_unique_nodes")
        return self.published.si("md_create_nodes") if operation == "directory_create" else self.bed.chosen("knee")

    def _lustre_over_gpfs(self, cell: Cell, operation: str) -> float:
        """Return the ratio that the paper prints or describes."""
        if operation in STATS:
            return geometric(self.published.si("md_stat_times"), self._beyond("md_dir_stat_times"), self._share(cell))
        if cell.directory == "unique":
            return self._in_unique(cell, operation)
        if operation == "file_create":
            return 1 / (1 + self._lead_in_file_creates(cell))
        if operation == "directory_create":
            ends = self.bed.chosen("create_ratio_low"), self.bed.chosen("create_ratio_high")
            return geometric(*ends, self._share(cell))
        doubled = math.log2(cell.nodes / self.bed.si("mdtest.nodes_least"))
        return float(self._beyond("md_dir_remove_times") * (1 + self.bed.chosen("remove_growth")) ** doubled)

    def _in_unique(self, cell: Cell, operation: str) -> float:
        if operation.endswith("remove"):
            return self.bed.chosen("unique_remove_ratio")
        cross = self.published.si("md_unique_cross")
        if cell.nodes > cross:
            return 1 / (1 + self.bed.chosen("unique_lead"))
        low = self.bed.chosen("unique_gpfs_low")
        return 1 / geometric(low, 1.0, along(cell.nodes, self.bed.si("mdtest.nodes_least"), cross))

    def _lead_in_file_creates(self, cell: Cell) -> float:
        """Highest in one place, and less with each doubling away from it."""
        away = abs(math.log2(cell.nodes / self.bed.chosen("file_create_best")))
        return self.published.si("md_file_create_lead") - self.bed.chosen("file_create_slope") * away

    def _share(self, cell: Cell) -> float:
        return along(cell.nodes, self.bed.si("mdtest.nodes_least"), self.bed.si("mdtest.nodes_most"))

    def _beyond(self, name: str) -> float:
        return self.published.si(name) * (1 + self.bed.chosen("above"))
