"""What one invocation of fio printed, and what its text lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from storagelab.parsers.fio.json_report import options as job_options
from storagelab.parsers.fio.json_report.entries import Entry
from storagelab.parsers.model import Row

ALL_CLIENTS = "All clients"
_ENDS = " =:>#"


@dataclass(slots=True)
class Run:
    """What one invocation of fio printed: its reports, summaries by host, group and operation, groups with a mix.

    `hosts` are those whose servers reported to a client, one after the other; a summary has the number of its host.
    """

    entries: list[Entry] = field(default_factory=list)
    summaries: dict[tuple[int, str, str], Row] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    summed_up: set[int] = field(default_factory=set)
    """Numbers of the hosts whose groups were summed up: no job of theirs follows."""
    groups: set[str] = field(default_factory=set)
    mixed: set[str] = field(default_factory=set)
    jobs: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    announced: dict[tuple[str, str], int] = field(default_factory=dict)
    served: bool = False
    is_excerpt: bool = False
    everything: Entry | None = None
    issued: list[Entry] = field(default_factory=list)

    def announcement(self, job: str, group: str) -> tuple[str, str]:
        """Return the name under which a job was announced: its own, or the only one that ends with it.

        What a script wrote without the end of its line stands before it.
        """
        behind = [
            key for key in self.jobs if key[1] == group and key[0].endswith(tuple(f"{end}{job}" for end in _ENDS))
        ]
        return behind[0] if len(behind) == 1 and (job, group) not in self.jobs else (job, group)

    def is_summed_up(self) -> bool:
        """Whether the report that was printed last came to its groups; an excerpt has no such order."""
        return self.is_excerpt or len(self.hosts) in self.summed_up

    def is_only_announced(self) -> bool:
        """Whether fio said what its jobs would do, and nothing of what they did."""
        return bool(self.announced) and not (self.entries or self.everything or self.summaries)

    def is_ended(self, entry: Entry) -> bool:
        """Whether the last lines of a report were read, those of what it issued."""
        return bool(self.issued) and self.issued[-1] is entry

    def mixtures(self) -> set[tuple[str, str]]:
        """Sums of both directions of a group, which need no report of their own."""
        return {(group, "mixed_workload") for group in self.groups | self.mixed}

    def missing(self) -> Iterator[str]:
        """What fio would have printed, had the log gone on to its end and lost nothing on the way."""
        reports = Counter(
            (entry.group, operation)
            for entry in self.entries
            for operation, row in entry.rows.items()
            if "throughput" in row
        )
        reported = reports.keys() | {(group, "mixed_workload") for group in self.mixed}
        summed = Counter((group, operation) for _, group, operation in self.summaries)
        mixtures = self.mixtures()
        unreported = {key for key, hosts in summed.items() if hosts > reports[key] and key not in mixtures}
        yield from (
            f"no summary of {operation} of group {group}" for group, operation in sorted(reported - summed.keys())
        )
        yield from (f"no report of {operation} of group {group}" for group, operation in sorted(unreported))
        for entry in [*self.entries, *filter(None, [self.everything])]:
            if not any(entry is ended for ended in self.issued):
                yield f"a report of job {entry.job!r} breaks off"
        if self.served and len(self.entries) > 1 and not self.everything:
            yield f'fio ran as a client, but there is no "{ALL_CLIENTS}"'


def finished(run: Run) -> Iterator[Entry]:
    """Entries of a run, each direction saying what ran with it; those that only failed have a row too."""
    for entry in [*run.entries, *filter(None, [run.everything])]:
        together = [operation for operation in entry.rows if operation in ("read", "write", "trim")]
        for row in entry.rows.values() if len(together) > 1 else ():
            row["operation_group"] = "+".join(together)
        if entry.error and not entry.rows:
            operation = job_options.direction(entry.options) or "job"
            code = {"error_code": float(entry.error), "line": entry.error_line}
            entry.rows[operation] = {"operation": operation, "job": entry.job, **code}
        yield entry
