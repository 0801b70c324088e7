"""CMSSW's Timing service (FWCore/Services, Timing.cc): the times of a job, by the names of the job report.

All in seconds. The rows have a `phase`: "total" from beginJob to endJob, "init" before the first run, "loop" over the
events, "event" the mean over events, with the spread beside it (the loop of several threads handles several at once),
"events" the sum of them, "event setup" and "non-module" what the loop spent there. -1 means that there was no event.
"""

from __future__ import annotations

from collections.abc import Mapping

from storagelab.parsers.cmssw.counters import Number, placed
from storagelab.parsers.model import Row
from storagelab.parsers.values_on_several_lines import computed, settled

_PHASES: Mapping[str, Mapping[str, str]] = {
    "total": {"elapsed": "TotalJobTime", "cpu_time": "TotalJobCPU"},
    "init": {"elapsed": "TotalInitTime", "cpu_time": "TotalInitCPU"},
    "loop": {"elapsed": "TotalLoopTime", "cpu_time": "TotalLoopCPU", "operation_rate": "EventThroughput"},
    "event": {
        "elapsed": "AvgEventTime", "elapsed_min": "MinEventTime", "elapsed_max": "MaxEventTime",
        "cpu_time": "AvgEventCPU",
    },
    "events": {"cpu_time": "TotalEventCPU"},
    "event setup": {"elapsed": "TotalEventSetupTime"},
    "non-module": {"elapsed": "TotalNonModuleTime"},
    "children": {"cpu_time": "TotalJobChildrenCPU"},
}  # fmt: skip


def phases(numbers: Mapping[str, Number]) -> list[Row]:
    """Make a row a phase that the report has numbers of; 0 and -1 are no measurements."""
    rows: list[Row] = []
    for phase, names in _PHASES.items():
        found = {name: numbers[key] for name, key in names.items() if key in numbers and numbers[key].value > 0}
        if not found:
            continue
        values = placed(found)
        if "elapsed" in values and "cpu_time" in values:
            values |= computed({"cpu_utilisation": float(values["cpu_time"]) / float(values["elapsed"])})
        statistic: Row = {"statistic": "mean"} if phase == "event" else {}
        line = next(iter(found.values())).line
        rows.append(settled({"operation": "job", "phase": phase, **statistic, **values, "line": line}))
    return rows
