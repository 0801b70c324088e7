"""From the logs of a study and its sidecars to one tidy dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from storagelab import dataset, study
from storagelab.errors import ContractError, IncompleteLogError, StoragelabError, all_of
from storagelab.ingest import checksums, identical
from storagelab.ingest.conditions import with_conditions
from storagelab.ingest.log_file import Log
from storagelab.ingest.nodes import Nodes, RunNames
from storagelab.ingest.one_run import add_run, read_entry
from storagelab.ingest.order_day_round import ordered
from storagelab.ingest.plan_progress import designs
from storagelab.ingest.rows_as_read import tables
from storagelab.study import published

if TYPE_CHECKING:
    import xarray as xr

    from storagelab.parsers import Row
    from storagelab.study import Entry, Study

Progress = Callable[[int, int], None]
"""Called with logs done and logs in all."""


def tidy(logs: Iterable[Log], *, origin: str = "measured") -> xr.DataTree:
    """Make a study of logs that no sidecar describes: what the logs say of themselves is all there is.

    Parameters
    ----------
    logs : iterable of Log
        As `read_log` gives them.
    origin : str
        Where the numbers come from: measured, published or reconstructed.

    Returns
    -------
    xarray.DataTree
        Nodes ``runs``, ``clients``, ``series``, ``events``, ``logs`` and ``conditions``, as far as the logs have any.

    Raises
    ------
    ContractError
        If one is no log, such as the path of one.

    Examples
    --------
    >>> study = storagelab.tidy(map(storagelab.read_log, ["one.log", "other.log"]))  # doctest: +SKIP
    """
    nodes, names = Nodes(origin), RunNames()
    for log in logs:
        if not isinstance(log, Log):
            raise ContractError(f"expected logs, as storagelab.read_log gives them, got {log!r}")
        run_id = names(log.name)
        log_id = nodes.add_log(log.record() | {"run_id": run_id})
        of_log: Row = {"run_id": run_id, "log_id": log_id}
        said: Row = {"run_id": run_id, **log.header(), "complete": float(log.parsed.complete), "log_id": log_id}
        for node in ("runs", "clients"):
            nodes.add_rows(node, tables(log, node), said)
        nodes.add_samples(log.parsed.tables(), log.of_a_sample() | of_log)
        nodes.add_events(row | of_log for row in log.iter_events())
    return dataset.tree(with_conditions(ordered(nodes.datasets()), {}), {"study": "", "title": "", "origin": origin})


def ingest(folder: Path | str, progress: Progress | None = None) -> xr.DataTree:
    """Read all logs of a study.

    Parameters
    ----------
    folder : Path or str
        ``raw/<study>``.
    progress : callable, optional
        Called with the number of logs done and in all.

    Returns
    -------
    xarray.DataTree
        The study; its root says what study.yaml says, and in `left_out` which measurements are no row of ``runs``
        because not all clients of the run have them.

    Raises
    ------
    SidecarError
        If a file is not what SHA256SUMS says, two logs are the same and study.yaml does not say why, a log is not
        covered, a rule covers none, a cell is wrong, or a sidecar contradicts a log or another.
    ParseError
        If a log cannot be read; names file and line.
    """
    folder = Path(folder)
    loaded = study.load(folder)
    if wrong := problems_on_disk(loaded):
        raise all_of(wrong)
    nodes = Nodes(loaded.sidecar.origin, loaded.id, loaded.sidecar.title)
    for run_id, run in runs_with_progress(loaded, progress):
        add_run(nodes, folder, run_id, run, [read_entry(folder, entry) for entry in run])
    made = with_conditions(ordered(nodes.datasets()), loaded.sidecar.five_keys)
    return dataset.tree(made, _about(loaded) | {"left_out": [str(error) for error in nodes.left_out]})


def unsealed(folder: Path) -> list[str]:
    """Say that nothing shows whether a file of a study was changed, if it has no SHA256SUMS.

    Parameters
    ----------
    folder : Path or str
        Folder of the study, with study.yaml.

    Returns
    -------
    list of str
        One sentence, or none where there are checksums.
    """
    if checksums.are_there(folder):
        return []
    remedy = (
        "`storagelab check` holds its logs against what is published"
        if (folder / published.NAME).exists()
        else "`storagelab checksums` writes it"
    )
    return [f"{folder}: no {checksums.NAME}, so a changed log is not noticed here: {remedy}"]


def problems_on_disk(loaded: Study) -> list[StoragelabError]:
    """What is wrong before a log is looked into: files that are not those of SHA256SUMS, sidecars, copies."""
    changed = checksums.problems(loaded.folder) if checksums.are_there(loaded.folder) else []
    return [*changed, *loaded.problems, *identical.problems(loaded)]


def incomplete(study_: xr.DataTree) -> list[str]:
    """What a study lacks: ends of logs, tools that failed, measurements that not all clients of a run have.

    Hidden files and folders, which were not looked into, and texts that had to be escaped stand at the end.

    Parameters
    ----------
    study_ : DataTree
        A study, as `storagelab.open_study` gives it.

    Returns
    -------
    list of str
        A sentence a finding.
    """
    logs = dataset.frame(study_["logs"].to_dataset())
    cut = logs[logs["complete"] == 0]
    said = [str(IncompleteLogError(str(log), str(note))) for log, note in zip(cut["log"], cut["notes"], strict=True)]
    about = dataset.about(study_)
    hidden = map(not_looked_into, about.get("hidden", []))
    return [*said, *about.get("left_out", []), *hidden, *map(written_with_escapes, about.get("escaped", []))]


def not_looked_into(hidden: str) -> str:
    """Say that a hidden file or folder is no part of a study."""
    return f"{hidden} is hidden: nothing in it is a log of the study"


def written_with_escapes(line: int) -> str:
    """Say that a text of study.yaml is not written as it stands there."""
    return f"study.yaml:{line}: control, invisible or direction characters are written as escapes"


def runs_of(loaded: Study) -> list[tuple[str, Sequence[Entry]]]:
    """Logs of one run_id together; a log that names none is a run of its own."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    names = RunNames()
    for entry in loaded.entries:
        groups[str(entry.keys.get("run_id") or names(entry.path))].append(entry)
    return list(groups.items())


def runs_with_progress(loaded: Study, progress: Progress | None) -> Iterator[tuple[str, Sequence[Entry]]]:
    """Go through the logs of each run, and tell how many logs are done after each."""
    done = 0
    for run_id, run in runs_of(loaded):
        yield run_id, run
        done += len(run)
        if progress:
            progress(done, len(loaded.entries))


def _about(loaded: Study) -> dict[str, object]:
    sidecar = loaded.sidecar.model_dump(
        mode="json", exclude={"columns", "match", "aside", "identical", "defaults", "keys", "plan"}
    )
    sidecar["design"] = [plan.model_dump(mode="json") for plan in designs(loaded.sidecar)]
    hidden = {"hidden": list(loaded.hidden)} if loaded.hidden else {}
    escaped = {"escaped": list(loaded.escaped)} if loaded.escaped else {}
    return {"study": sidecar.pop("id"), **sidecar, **hidden, **escaped}
