"""Whether all that was planned is there, whole, and once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import xarray as xr

from storagelab.analysis import table
from storagelab.analysis.cells import Rows
from storagelab.analysis.repeats.planned_runs import design_counts
from storagelab.analysis.validity.checks import Finding, Looked, Study, some
from storagelab.analysis.validity.same_numbers import telling_logs
from storagelab.errors import AnalysisError, UnknownNameError


def whole_logs(study: Study) -> Looked:
    """Find logs that are cut, or whose tool failed."""
    study.rows("logs", "log", "complete")
    logs = study.logs
    cut = logs[logs["complete"] == 0].to_dict("records")
    found = [Finding(row["log"], str(row.get("notes", "")), log_id=row["log_id"]) for row in cut]
    return Looked(len(logs), "logs", found)


def all_clients(study: Study) -> Looked:
    """Find measurements that some clients of a run lack, so that no sum over its clients was made."""
    left_out = study.about.get("left_out")
    if not isinstance(left_out, list):
        raise AnalysisError("the study was made without sidecars: how many clients a run had is not known")
    runs = study.rows("runs", "run_id")["run_id"].nunique()
    return Looked(runs, "runs", [Finding("runs", str(said)) for said in left_out])


def planned_runs(study: Study) -> Looked:
    """Count the runs of each cell of the design against those planned."""
    plans = study.about.get("design")
    if not isinstance(plans, list) or not plans:
        raise AnalysisError("the study states no design")
    counted = [part for plan in plans for part in _counted(study, plan)]
    cells = sum(len(part) for _, part in counted)
    return Looked(cells, "planned cells", [finding for name, part in counted for finding in _missing(name, part)])


def _counted(study: Study, plan: Mapping[str, Any]) -> Iterator[tuple[str, Rows]]:
    where = plan.get("where", {})
    try:
        counts = design_counts(_node_with(study, {*plan["factors"], *where}), "", plan["factors"], where=where)
        yield str(plan["name"]), table.rows(counts)
    except UnknownNameError:  # a level of `where` that no run has: nothing of the plan was run
        repeats = float(len(plan["factors"].get("repeat", [1])))
        yield str(plan["name"]), Rows.of_cells([{"n": 0.0, "planned": repeats, "missing": repeats}])


def _node_with(study: Study, keys: set[str]) -> xr.Dataset:
    """Return the node whose rows have the keys of a plan: it may name a client, which a sum over clients has not."""
    for name in ("runs", "clients", "logs"):
        if study.has(name) and keys.issubset(study.rows(name)):
            return study.node(name)
    raise AnalysisError(f"no rows of the study have all keys of its design: {', '.join(sorted(keys))}")


def _missing(plan: str, counts: Rows) -> Iterator[Finding]:
    for cell in counts.take(counts["missing"] > 0).records():
        keys = {key: value for key, value in cell.items() if key not in ("n", "planned", "missing")}
        where = ", ".join(filter(None, (plan, table.name_cell({str(key): value for key, value in keys.items()}))))
        said = f"{cell['missing']:g} of {cell['planned']:g} planned runs are missing"
        yield Finding(where, said, float(cell["missing"] / cell["planned"]))


def same_bytes(study: Study) -> Looked:
    """Find logs of a benchmark that are the same byte for byte: short ones may be by chance, others are copies."""
    study.rows("logs", "log", "log_sha256")
    logs = study.logs
    logs = some(logs[logs["role"] == "benchmark"] if "role" in logs else logs, "no log is a benchmark's")
    doubled = logs[logs.duplicated("log_sha256", keep=False)].sort_values("log")
    found = []
    telling = telling_logs(study) if len(doubled) else set()
    for _, same in doubled.groupby("log_sha256", sort=False):
        first, second, *others = same["log"].astype(str)
        more = f" and {len(others)} more" if others else ""
        at = float(same["log_id"].iloc[0])
        rank = "wrong" if at in telling else "note"
        cause = "" if at in telling else "logs of few numbers, which may be the same by chance"
        found.append(Finding(first, f"is the same as {second}{more}", float(len(same)), at, rank=rank, cause=cause))
    return Looked(len(logs), "logs", found)
