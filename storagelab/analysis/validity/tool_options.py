"""Options of the tools in the runs of one cell: a run with direct I/O among buffered ones is no repeat of them.

Compared are the names of options (``-e``, ``--direct=1``, ``oflag=direct``) and values that stand behind ``=``, as far
as they name no file, folder, host, job or seed, in which repeats may differ. A value that is a word of its own
(``-i 2``) is not looked at: what tells cells apart is a key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from storagelab.analysis.cells import Cell, Rows
from storagelab.analysis.validity.checks import Finding, Looked, Study, name_known
from storagelab.analysis.validity.tables import Values, values
from storagelab.errors import AnalysisError

Options = frozenset[str]

_NAMES_A_PLACE = re.compile(r"file|directory|name|log|output|path|host|seed|title|^(?:dir|if|of)$")
"""Options whose values may differ from run to run, by their names."""
_IS_A_PLACE = re.compile(r"/|\.[A-Za-z_]|\..*\.")
"""Values that are paths, names of files and addresses."""


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
    >>> sorted(options_of("fio --rw=read --direct=1 --filename=f3 -e --output=run.3.json"))
    ['--direct=1', '--filename=', '--output=', '--rw=read', '-e']
    """
    words = (word.strip("'\",") for word in command.split()[1:])
    return frozenset(_compared(word) for word in words if word.startswith("-") or "=" in word)


def _compared(word: str) -> str:
    name, sign, value = word.partition("=")
    return f"{name}{sign}" if _NAMES_A_PLACE.search(name) or _IS_A_PLACE.search(value) else word


def same_options(study: Study) -> Looked:
    """Find the runs that were made with other options than most of their cell."""
    said = _said(study)
    if not any(said.values()):
        raise AnalysisError("no log says with which options it was made")
    found: dict[tuple[float, Options, Options], Finding] = {}
    compared = set[float]()
    for part in values(study, "runs"):
        for cell, logs in _repeated(part):
            known = {log: said[log] for log in logs if said.get(log)}
            if len(known) > 1:
                compared |= known.keys()
                usual = Counter(known.values()).most_common(1)[0][0]
                for log, options in known.items():
                    if options != usual:
                        finding = _finding(study, cell, log, options, usual)
                        found.setdefault((log, options - usual, usual - options), finding)
    if not compared:
        raise AnalysisError("no cell has two runs whose logs say their options")
    return Looked(len(compared), "logs", list(found.values()))


def _said(study: Study) -> dict[float, Options]:
    """Options of each log: as it prints them itself, else as they are listed."""
    logs = study.logs
    columns = [logs[name].astype(str) for name in ("options", "command") if name in logs]
    if not columns:
        raise AnalysisError("no log says with which options it was made")
    commands = zip(*columns, strict=True)
    return {
        log: options_of(next(filter(None, command), ""))
        for log, command in zip(logs["log_id"].tolist(), commands, strict=True)
    }


def _repeated(part: Values) -> Iterator[tuple[Cell, list[float]]]:
    """Yield each cell with several runs, and the logs of its runs."""
    several, _ = part.repeated(2)
    rows = Rows.of(several.ds)
    if "log_id" in rows:
        cells = rows.cells(part.by)
        for cell, logs in zip(cells.names(), cells.slices("log_id"), strict=True):
            yield cell, list(dict.fromkeys(logs.tolist()))


def _finding(study: Study, cell: Cell, log: float, options: Options, usual: Options) -> Finding:
    apart = (("with", options - usual), ("without", usual - options))
    made = " and ".join(f"{word} {' '.join(sorted(others))}" for word, others in apart if others)
    record = study.log_records[log]
    return Finding(
        study.log_name(log),
        f"made {made}, unlike most runs of {name_known(cell) or 'its cell'}",
        float(len(options ^ usual)),
        log_id=log,
        cause=f"made {made}",
        **{name: str(record[name]) for name in ("run_id", "client") if name in record},
    )
