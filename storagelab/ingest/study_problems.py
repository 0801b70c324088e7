"""Everything that is wrong with a study, at once: its sidecars, its files, each of its runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from storagelab import study
from storagelab.errors import IncompleteLogError, StoragelabError, together
from storagelab.ingest.log_file import Log
from storagelab.ingest.nodes import Nodes
from storagelab.ingest.one_run import add_run, is_whole, notes_on, read_entry
from storagelab.ingest.study_dataset import Progress, problems_on_disk, runs_with_progress

if TYPE_CHECKING:
    from storagelab.parsers import Row
    from storagelab.study import Entry, Study


def problems(folder: Path | str, progress: Progress | None = None) -> list[StoragelabError]:
    """Everything that is wrong with a study, at once: `ingest` would stop at the first.

    An `IncompleteLogError` or `IncompleteRunError` among them does not stop `ingest`: what is whole is used.

    Parameters
    ----------
    folder : Path or str
        Folder of the study, with study.yaml.
    progress : callable, optional
        Called with the number of runs that were read, and of all runs.

    Returns
    -------
    list of StoragelabError
        What is wrong; each names its file and line.
    """
    return survey(folder, progress).problems


@dataclass(frozen=True, slots=True)
class Survey:
    """A study looked through: what is wrong with it, and the rows of its runs as far as they could be read.

    `uncovered` are logs that no rule and no row of runs.csv covers.
    """

    study: Study
    problems: list[StoragelabError]
    rows: list[Row]
    uncovered: Sequence[str]


def survey(folder: Path | str, progress: Progress | None = None) -> Survey:
    """Look through a study: its problems as `problems` tells them, its rows as `ingest` would make them.

    Parameters
    ----------
    folder : Path or str
        Folder of the study, with study.yaml.
    progress : callable, optional
        Called with the number of runs that were read, and of all runs.

    Returns
    -------
    Survey
        Problems and rows.
    """
    folder = Path(folder)
    loaded = study.load(folder)
    found: list[StoragelabError] = problems_on_disk(loaded)
    rows: list[Row] = []
    for run_id, run in runs_with_progress(loaded, progress):
        found += _problems_of_run(folder, run_id, run, rows)
    return Survey(loaded, together(found), rows, loaded.uncovered)


class _Kept(Nodes):
    """Nodes that keep the rows of runs and clients as they come."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__("measured")
        self._rows = rows

    def extend(self, node: str, rows: Iterable[Row]) -> None:
        new = list(rows)
        if node in ("runs", "clients"):
            self._rows += new
        super().extend(node, new)


def _problems_of_run(folder: Path, run_id: str, run: Sequence[Entry], rows: list[Row]) -> list[StoragelabError]:
    wrong: list[StoragelabError] = []
    read: list[tuple[Entry, Log]] = []
    for entry in run:
        try:
            read.append((entry, read_entry(folder, entry)))
        except StoragelabError as error:
            wrong.append(error)
    incomplete = [IncompleteLogError(log.name, notes_on(entry, log)) for entry, log in read if not is_whole(entry, log)]
    nodes = _Kept(rows)
    try:
        if not wrong:
            add_run(nodes, folder, run_id, run, [log for _, log in read])
    except StoragelabError as error:
        wrong.append(error)
    return wrong + incomplete + list(nodes.left_out)
