"""The runs in a log of IO500: which results belong together, and whether the last run came to its end."""

from __future__ import annotations

from dataclasses import dataclass, field

from storagelab.parsers.model import Parsed, Row

_FINGERPRINT = ("job", "throughput", "operation_rate", "elapsed")
_LAST_PHASES = {"md": "delete", "ior": "read"}
_ALONE = ("find", "md-real-io")
"""Phases whose results have a file each in a draft; those of the others have one a family."""
MEASURED = {"throughput", "operation_rate", "elapsed", "score"}


@dataclass(slots=True)
class Runs:
    """What has been read so far of one run, and of the runs before it."""

    parsed: Parsed
    pending: Row = field(default_factory=dict)
    runtime: Row = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    before: list[list[Row]] = field(default_factory=list)
    counts: list[Row] = field(default_factory=lambda: [{}])
    """Nodes and processes of each run, that of now last."""
    seen: set[tuple[object, ...]] = field(default_factory=set)
    listed: set[object] | None = None
    extended: bool = False

    def add(self, row: Row) -> None:
        """Keep a result unless it is said again; a phase that comes again with another result is another run."""
        fingerprint = tuple(row.get(name) for name in _FINGERPRINT)
        if self.listed is not None:
            self.listed.add(row["job"])
        if row["operation"] != "score" and self.rows and self.rows[-1]["operation"] == "score":
            self.begin(int(row["line"]))
        if fingerprint in self.seen and row.get("label") != "draft":
            return
        if row["job"] in {known[0] for known in self.seen}:
            self.begin(int(row["line"]))
        self.seen.add(fingerprint)
        self.rows.append({**row, **self.pending})
        self.pending = {}

    def count(self, values: Row, line: int) -> None:
        """Take how many nodes or processes a run has, which it says above its results: below them another begins."""
        if self.rows:
            self.begin(line)
        self.counts[-1] |= values

    def begin(self, line: int) -> None:
        """Begin another run, if there was one."""
        if self.rows:
            if not self.is_ended():
                self.parsed.incomplete("a run ends before its score, and another begins", line)
            self.before.append(self.rows)
            self.counts.append({})
        self.rows, self.seen, self.pending, self.listed, self.extended = [], set(), {}, None, False
        self.runtime = {}

    def is_ended(self) -> bool:
        """Whether the run came to its end, by the mark of its form: scores, a full list, or a draft's last phases."""
        done = {str(row["job"]) for row in self.rows}
        if self.listed is not None:
            return done <= self.listed
        scores = sum(row["operation"] == "score" for row in self.rows)
        families = {str(row["job"]).partition("-")[0] for row in self.rows if row.get("label") == "draft"}
        if families and len(self.rows) == 1 and done.issubset(_ALONE):
            return True
        if families and not scores and "find" not in done:
            return all(any(job.startswith(f) and job.endswith(_LAST_PHASES[f]) for job in done) for f in families)
        return scores >= (2 if self.extended else 1)

    def close(self, last: int) -> None:
        """Hand over what was measured, numbered by run where there are several."""
        if not self.is_ended():
            self.parsed.incomplete("the log ends before the score", last)
        runs = [*self.before, self.rows] if self.rows else self.before
        counts = self.counts[: len(runs)] or self.counts
        shared = counts[0] if all(one == counts[0] for one in counts) else {}
        self.parsed.header |= shared
        for part, (rows, counted) in enumerate(zip(runs, counts, strict=False), 1):
            own: Row = {"part": float(part)} if len(runs) > 1 else {}
            own |= {} if shared else counted
            self.parsed.runs += [{**own, **row} for row in rows if MEASURED & row.keys()]
