"""Whether what a study says of the origin of its data is said everywhere, and by the logs themselves."""

from __future__ import annotations

import numpy as np
import pandas as pd

from storagelab import schema
from storagelab.analysis.validity.checks import Finding, Looked, Study, some
from storagelab.errors import AnalysisError

RECONSTRUCTED = "reconstructed"


def one_origin(study: Study) -> Looked:
    """Hold the origin on each node and each row against that of the root: a subset must not say another."""
    if not study.origin:
        raise AnalysisError("the study does not say its origin")
    nodes = list(study.tree.children)
    found = [
        Finding(f"node {name}", f"says {origin}, the study says {study.origin}")
        for name in nodes
        for origin in sorted(_origins(study, name) - {study.origin})
    ]
    return Looked(len(nodes), "nodes", found)


def _origins(study: Study, node: str) -> set[str]:
    ds = study.node(node)
    on_rows = set(np.unique(ds["origin"]).tolist()) if "origin" in ds.variables else set()
    return ({str(ds.attrs.get("origin", ""))} | on_rows) - {""}


def said_by_the_logs(study: Study) -> Looked:
    """Hold the origin against the logs: one that was reconstructed says so in a line of its own, no other does."""
    if not study.origin:
        raise AnalysisError("the study does not say its origin")
    study.rows("logs", "log", "notes")
    logs = some(_of_tools(study.logs), "no log is a tool's")
    says = logs["notes"].str.contains(schema.SAYS_RECONSTRUCTED, regex=False)
    wrong = logs[says != (study.origin == RECONSTRUCTED)]
    return Looked(len(logs), "logs", [_contradiction(row, study.origin) for _, row in wrong.iterrows()])


def _of_tools(logs: pd.DataFrame) -> pd.DataFrame:
    return logs[logs["role"] != schema.SIDECAR] if "role" in logs else logs


def _contradiction(row: pd.Series, origin: str) -> Finding:
    said = "does not say that it is reconstructed" if origin == RECONSTRUCTED else "says that it is reconstructed"
    return Finding(str(row["log"]), f"the study is marked as {origin}, but the log {said}", log_id=float(row["log_id"]))
