"""The nodes of a study while its logs come in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from storagelab import dataset, schema
from storagelab.dataset import Table
from storagelab.ingest.checksums import sha256
from storagelab.ingest.rows_as_read import Rowwise

if TYPE_CHECKING:
    import xarray as xr

    from storagelab.errors import IncompleteRunError
    from storagelab.parsers import Columns, Row


class Nodes:
    """Tables that grow run by run, and what could not become a row of ``runs``."""

    def __init__(self, origin: str, study_id: str = "", title: str = "") -> None:
        self.origin, self.study, self.title = origin, study_id, title
        self.tables = {node: Table() for node in schema.NODES}
        self._sidecars: dict[str, int] = {}
        self.left_out: list[IncompleteRunError] = []

    def add_log(self, record: Row) -> int:
        """Add a row to the node ``logs`` and return its number."""
        self.tables["logs"].append(record)
        return len(self.tables["logs"]) - 1

    def extend(self, node: str, rows: Iterable[Row]) -> None:
        """Add rows to a node, the study named on each."""
        self.tables[node].extend(self._shared() | row for row in rows)

    def add_rows(self, node: str, parts: Iterable[Rowwise], same: Row) -> None:
        """Add rows with what is the same for all of them, unless one says it itself; columns stay columns."""
        for part in parts:
            if isinstance(part, dict):
                self.tables[node].extend_columns(part, self._shared() | same)
            else:
                self.extend(node, (same | row for row in part))

    def _shared(self) -> Row:
        return {"study": self.study, "statistic": "single", "log_count": 1}

    def add_samples(self, blocks: Iterable[Columns], same: Row) -> None:
        """Add series column by column, with what is the same for all of their samples; where both say it, they do."""
        for columns in blocks:
            self.tables["series"].extend_columns(columns, {"statistic": "single"} | same)

    def add_events(self, rows: Iterable[Row]) -> None:
        """Add events."""
        self.tables["events"].extend(rows)

    def sidecar(self, folder: Path, file: str) -> int:
        """Return the row in ``logs`` of an experimenter's table, there once an event or a value leads to it."""
        if file not in self._sidecars:
            path = Path(file)
            record: Row = {
                "log": path.relative_to(folder).as_posix(),
                "log_sha256": sha256(path),
                "format": path.name,
                "role": schema.SIDECAR,
                "complete": 1.0,
            }
            self._sidecars[file] = self.add_log(record)
        return self._sidecars[file]

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
