"""The nodes of a study while its logs come in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from storagelab import dataset, schema
from storagelab.dataset import Table

if TYPE_CHECKING:
    import xarray as xr

    from storagelab.errors import IncompleteRunError
    from storagelab.parsers import Columns, Row


class Nodes:
    """Tables that grow run by run, and what could not become a row of ``runs``."""

    def __init__(self, origin: str, study_id: str = "", title: str = "") -> None:
        self.origin, self.study, self.title = origin, study_id, title
        self.tables = {node: Table() for node in schema.NODES}
        self.left_out: list[IncompleteRunError] = []

    def add_log(self, record: Row) -> int:
        """Add a row to the node ``logs`` and return its number."""
        self.tables["logs"].append(record)
        return len(self.tables["logs"]) - 1

    def extend(self, node: str, rows: Iterable[Row]) -> None:
        """Add rows to a node, the study named on each."""
        self.tables[node].extend(self._shared() | row for row in rows)

    def extend_series(self, blocks: Iterable[Columns], shared: Row) -> None:
        """Add samples column by column, with what holds for all of them; where both say it, the samples do."""
        for columns in blocks:
            self.tables["series"].extend_columns(columns, self._shared() | shared)

    def _shared(self) -> Row:
        return {"study": self.study, "statistic": "single", "log_count": 1}

    def datasets(self) -> dict[str, xr.Dataset]:
        """Return the nodes as datasets."""
        return {
            node: dataset.from_table(table, origin=self.origin, study=self.study, title=self.title)
            for node, table in self.tables.items()
        }


class RunNames:
    """Names of runs that no sidecar names: the log's path without its suffix, whole where another log has that name."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        """Name the run of a log; asked again, the answer is the same."""
        stem = path.removesuffix(PurePosixPath(path).suffix) or path
        return stem if self._owners.setdefault(stem, path) == path else path
