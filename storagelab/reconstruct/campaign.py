"""All logs of a study, written below ``raw/<study>/logs`` with their runs.csv: all of them, or none."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from storagelab import schema, writing
from storagelab.errors import ReconstructError
from storagelab.reconstruct.log import Key, Log
from storagelab.reconstruct.study_module import campaign_of
from storagelab.study.files import files_below
from storagelab.study.published import read_published
from storagelab.study.testbed import read_testbed

FOLDER = "logs"


def reconstruct(folder: Path) -> list[Log]:
    """Render all logs of a study, from its published.yaml and testbed.yaml.

    Parameters
    ----------
    folder : Path
        ``raw/<study>``.

    Returns
    -------
    list of Log
        Sorted by path.

    Raises
    ------
    SidecarError
        If one of the two files is wrong; names the file and the line.
    ReconstructError
        If no module renders the study, a log has no basis, two have one path, or the model cannot do what the numbers
        demand.
    """
    campaign = campaign_of(folder)
    made = sorted(campaign(read_published(folder), read_testbed(folder)), key=lambda log: log.path)
    for log, following in itertools.pairwise(made):
        if log.path == following.path:
            raise ReconstructError(f"{log.path}: written twice")
    for log in made:
        _check(log)
    return made


def _check(log: Log) -> None:
    if log.keys.get("basis") not in schema.BASES:
        raise ReconstructError(
            f"{log.path}: basis {log.keys.get('basis')!r}, expected one of {', '.join(schema.BASES)}"
        )
    if PurePosixPath(log.path).is_absolute() or ".." in PurePosixPath(log.path).parts:
        raise ReconstructError(f"{log.path}: not below the folder of the study")


def write(logs: Sequence[Log], folder: Path) -> Path:
    """Write logs and their runs.csv to ``logs`` below the folder of a study, in place of what is there.

    The folder is whole at any moment: the old one, or the new one.

    Returns
    -------
    Path
        The folder ``logs``.
    """
    target = folder / FOLDER
    with writing.new_folder(target) as new:
        for log in logs:
            writing.put(new / log.path, log.text.encode("utf-8"))
        writing.put(new / "runs.csv", table(logs).encode("utf-8"))
    return target


def differences(folder: Path) -> list[ReconstructError]:
    """Say which logs of a study are not those that its sidecars give: other ones, missing ones, and ones too many.

    Raises
    ------
    SidecarError, ReconstructError
        As `reconstruct`.
    """
    home = folder / FOLDER
    made = reconstruct(folder)
    wanted = {log.path: log.text for log in made} | {"runs.csv": table(made)}
    there = {path.relative_to(home).as_posix(): path for path in files_below(home, hidden=True)}
    other = [name for name in wanted if name in there and there[name].read_bytes() != wanted[name].encode("utf-8")]
    told = [(name, "is not the log that `storagelab reconstruct` writes") for name in other]
    told += [(name, "is not there: run `storagelab reconstruct`") for name in wanted if name not in there]
    told += [(name, "is no log of this study") for name in there if name not in wanted]
    return [ReconstructError(f"{home / name}: {what}") for name, what in sorted(told)]


def table(logs: Iterable[Log]) -> str:
    """Lay out runs.csv: a row a log, a column a key that any of them has, empty where one has it not."""
    logs = list(logs)
    names = sorted({name for log in logs for name in log.keys})
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(["file", *names])
    lines.writerows([log.path, *(_cell(log.keys.get(name, "")) for name in names)] for log in logs)
    return out.getvalue()


def _cell(value: Key) -> str:
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() else repr(float(value))
