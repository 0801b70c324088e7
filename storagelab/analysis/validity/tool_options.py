"""Options of the tools in the runs of one cell: a run with direct I/O among buffered ones is no repeat of them.

Compared are the names of options (``-e``), values that stand behind ``=`` (``--direct=1``, ``oflag=direct``), and
numbers and sizes behind an option (``-i 2``, ``-t 1m``). Files, folders, hosts, jobs and seeds are not: repeats
may differ in them. Of other words nobody knows whether they belong to the option in front of them.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Container, Iterator

import numpy as np

from storagelab.analysis.cells import Cell, Rows
from storagelab.analysis.table import name_known
from storagelab.analysis.validity.checks import Finding, Looked, Study
from storagelab.analysis.validity.tables import values
from storagelab.errors import AnalysisError

Options = frozenset[str]

_NAMES_A_PLACE = re.compile(r"file|directory|name|log|output|path|host|seed|title|^(?:dir|if|of)$")
"""Options whose values may differ from run to run, by their names."""
_IS_A_PLACE = re.compile(r"/|\.[A-Za-z_]|\..*\.")
"""Values that are paths, names of files and addresses."""
_IS_A_SIZE = re.compile(r"\d+(?:\.\d+)?(?:[kmgtp]i?)?b?", re.IGNORECASE)


def options_of(command: str) -> Options:
    """Options of a command in which repeats do not differ.

    Parameters
    ----------
    command : str
        As a log prints it.

    Returns
    -------
    frozenset of str
        Each option, with its value where that is looked at.

    Examples
    --------
    >>> sorted(options_of("fio --rw=read --direct=1 --filename=f3 --output=run.3.json --runtime 10"))
    ['--direct=1', '--filename=', '--output=', '--runtime 10', '--rw=read']
    """
    words = [word.strip("'\",") for word in command.split()[1:]]
    pairs = itertools.pairwise([*words, ""])
    return frozenset(_compared(word, behind) for word, behind in pairs if word.startswith("-") or "=" in word)


def _compared(word: str, behind: str) -> str:
    """Return an option with its value, if that says how a run was made; `behind` is the word behind it."""
    name, sign, value = word.partition("=")
    if _NAMES_A_PLACE.search(name) or _IS_A_PLACE.search(value):
        return f"{name}{sign}"
    return f"{word} {behind}" if not sign and _IS_A_SIZE.fullmatch(behind) else word


def same_options(study: Study) -> Looked:
    """Find the runs that were made with other options than most of their cell."""
    said = _said(study)
    found: dict[tuple[float, Options], Finding] = {}
    compared: set[float] = set()
    for cell, logs in _repeated(study, said):
        compared.update(logs)
        usual = Counter(said[log] for log in logs).most_common(1)[0][0]
        for log in logs:
            if apart := said[log] ^ usual:
                found.setdefault((log, apart), _finding(study, cell, log, said[log], usual))
    if not compared:
        raise AnalysisError("no cell has two runs whose logs say how they were made")
    return Looked(len(compared), "logs", list(found.values()))


def _said(study: Study) -> dict[float, Options]:
    """Options of each log that has a command: as it prints it itself, else as it is listed."""
    columns = [study.logs[name].astype(str) for name in ("options", "command") if name in study.logs]
    commands = [next(filter(None, words), "") for words in zip(*columns, strict=True)] if columns else []
    if not any(commands):
        raise AnalysisError("no log says how it was made")
    ids = study.logs["log_id"].tolist()
    return {log: options_of(command) for log, command in zip(ids, commands, strict=True) if command}


def _repeated(study: Study, said: Container[float]) -> Iterator[tuple[Cell, list[float]]]:
    """Yield each cell with several runs whose logs say how they were made, and these logs."""
    for part in values(study, "runs"):
        rows = Rows.of(part.repeated(2)[0].ds)
        for cell, places in rows.cells(part.by).places():
            logs = dict.fromkeys(rows.get("log_id", np.nan)[places].tolist())
            known = [log for log in logs if log in said]
            if len(known) > 1:
                yield cell, known


def _finding(study: Study, cell: Cell, log: float, options: Options, usual: Options) -> Finding:
    apart = (("with", options - usual), ("without", usual - options))
    made = "made " + " and ".join(f"{word} {' '.join(sorted(others))}" for word, others in apart if others)
    record = study.log_records[log]
    return Finding(
        study.log_name(log),
        f"{made}, unlike other runs of {name_known(cell) or 'its cell'}",
        float(len(options ^ usual)),
        log_id=log,
        run_id=str(record.get("run_id", "")),
        client=str(record.get("client", "")),
        cause=made,
    )
