"""Whether a log is of the client and of the run that it is listed under: by the names in its path and in its words.

Logs of equal clients cannot be told apart by their numbers. But most campaigns write the name of the client into the
path of a log, its command or the file that it wrote; where such a text names another client of the study, and not its
own, two were exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pandas as pd

from storagelab.analysis.cells import Cell, Rows
from storagelab.analysis.validity.checks import Finding, Looked, Study
from storagelab.errors import AnalysisError


def named_by_the_sidecar(study: Study) -> Looked:
    """Look for the name of another client, or of another run, in the path of each log and in its command as listed."""
    _require_clients(study)
    return _looked(study.logs, ("log", "command"))


def named_by_the_log(study: Study) -> Looked:
    """Look for the name of another client in what a log says itself: its options, and the files that it names."""
    _require_clients(study)
    files = _files(study)
    logs = study.logs.assign(file=[files.get(log_id, "") for log_id in study.logs["log_id"]])
    return _looked(logs, ("options", "file"), runs=False)


def _require_clients(study: Study) -> None:
    if not {"client", "run_id"}.issubset(study.rows("logs", "log")):
        raise AnalysisError("the study names no client")


def _files(study: Study) -> dict[float, str]:
    """Files that the rows of each log name."""
    parts = [study.rows(node) for node in ("runs", "clients", "series") if study.has(node)]
    named = [part.loc[part["file"] != "", ["log_id", "file"]] for part in parts if {"file", "log_id"}.issubset(part)]
    if not named:
        return {}
    return {float(str(log)): " ".join(files.unique()) for log, files in pd.concat(named).groupby("log_id")["file"]}


def _looked(logs: pd.DataFrame, columns: Sequence[str], *, runs: bool = True) -> Looked:
    texts = [name for name in columns if name in logs]
    keys = [key for key in ("client", "run_id") if key == "client" or runs]
    names = {key: _Names(logs[key]) for key in keys}
    if len(names["client"]) < 2:
        raise AnalysisError("the study does not name two clients")
    telling = 0
    found = []
    listed = Rows.of_frame(logs[logs["client"] != ""]).only(dict.fromkeys(["log", "log_id", *keys, *texts]))
    for row in listed.records():
        seen = {(text, key): names[key].within(str(row[text])) for text in texts for key in keys}
        telling += any(seen.values())
        found += list(_strangers(row, seen))
    if not telling:
        raise AnalysisError("no log names a client")
    silent = len(listed) - telling
    return Looked(telling, "logs", found, f"{silent} logs name no client" if silent else "")


def _strangers(row: Cell, seen: dict[tuple[str, str], set[str]]) -> Iterator[Finding]:
    for (text, key), within in seen.items():
        if within and row[key] not in within:
            who, what = ("client", "run")[key == "run_id"], {"log": "its path"}.get(text, f"its {text}")
            listed = f"listed under {who} {row[key]}, but {what} names {', '.join(sorted(within))}"
            yield Finding(str(row["log"]), listed, log_id=float(row["log_id"]))


class _Names:
    """Names of the clients, or runs, of a study, to be found as whole words."""

    def __init__(self, column: pd.Series) -> None:
        self.all = {str(name) for name in column.unique() if re.search("[A-Za-z]", str(name))}
        longest_first = sorted(self.all, key=lambda name: (-len(name), name))
        words = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])")
        self._known: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self.all)

    def within(self, text: str) -> set[str]:
        if text not in self._known:
            self._known[text] = set(self._pattern.findall(text))
        return self._known[text]
