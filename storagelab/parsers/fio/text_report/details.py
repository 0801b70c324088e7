"""Lines of the report of a job below its first: its directions, and what is said of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from storagelab.parsers.fio.json_report import options as job_options
from storagelab.parsers.fio.json_report.entries import Entry
from storagelab.parsers.fio.json_report.variables import OPERATIONS, PERCENTILES, converted
from storagelab.parsers.fio.text_report import directions, quantities, wrapped
from storagelab.parsers.fio.text_report.beheaded import ISSUED, Beheaded
from storagelab.parsers.fio.text_report.run import Run
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import PERCENT

_ERRORS = re.compile(r"\s*errors\s+: total=(\d+), first_error=.*")
_PRIORITY = re.compile(r"\s*(?:c?lat|high|low) prio[_ ]")
_KEYWORDS = re.compile(
    r"\s*(read|write|trim|mixed|slat|clat|lat|sync|bw|iops|cpu|issued|errors|steadystate)\b(.*)", re.IGNORECASE
)
_DEPTH = re.compile(r"\s*latency\s+: target=0, window=0, percentile=[\d.]+%, depth=(\d+)")
"""Without a target of latency to search the depth for, it is that of the job (`lat_target_init`)."""
_MORE_PERCENTILES = re.compile(r"\s*+\d{1,2}\.\d{2}th=\[")
_RATES = {"bw": "throughput", "iops": "operation_rate"}
_LATENCIES = (("mean", "latency"), ("min", "latency_min"), ("max", "latency_max"), ("stddev", "latency_std"))
_COMPLETION = tuple((key, name, 1.0) for key, name in _LATENCIES)
_SPANS = {
    word: tuple((key, f"{span}_{name}", 1.0) for key, name in _LATENCIES)
    for word, span in (("slat", "submission"), ("lat", "total"))
}
_PERCENTILES = tuple((f"{float(p):.6f}", f"latency_p{p.replace('.', '_')}", 1.0) for p in PERCENTILES)


class Details:
    """Reads them one by one into the rows of an entry; `entry` is None where the report has come to its end."""

    def __init__(self, parsed: Parsed, pieces: Mapping[int, list[str]]) -> None:
        self.entry: Entry | None = None
        self._parsed = parsed
        self._pieces = pieces
        self._run = Run()
        self._line = 0
        self._row: Row = {}
        self._with_percentiles: Row = {}
        self._keys: Row = {}
        self._spans: dict[str, Row] = {}
        self._parts: dict[str, Row] = {}
        self._old = False
        self._unit = 0.0

    def begin(self, entry: Entry) -> None:
        """Go on with the report of another job."""
        self.entry, self._row, self._keys, self._unit = entry, {}, {}, 0.0

    def begin_beheaded(self, left: Beheaded) -> Entry:
        """Go on with what is left of a report whose job and direction were cut off."""
        about: Row = {"operation": left.operation, "job": ""}
        self._old, self._keys, self._row = left.is_old, about, {**about, "line": left.line}
        self.entry = Entry("", "0", "", {}, {}, rows={left.operation: self._row})
        return self.entry

    def read(self, text: str, run: Run, line: int) -> None:
        """Read a line of the report; one that says nothing of what we keep is passed over.

        Raises
        ------
        ValueError
            If it cannot be read.
        """
        self._run, self._line = run, line
        if self.entry:
            self._read(text, self.entry)

    def _read(self, text: str, entry: Entry) -> None:
        if text.lstrip().startswith("|") or _MORE_PERCENTILES.match(text):
            self._add_percentiles(text)
            return
        if "percentiles (" in text:
            self._open_percentiles(text.strip(), entry)
            return
        if _PRIORITY.match(text):
            label, found = quantities.latency_of_a_part(text)
            row, values = self._part(label, entry), converted(found, _COMPLETION)
            row |= values if row["line"] == self._line else on(self._line, values)
            return
        if depth := _DEPTH.fullmatch(text):
            self._add_depth(float(depth[1]), entry)
            return
        match = _KEYWORDS.fullmatch(text)
        word, rest = (match[1], match[2].lstrip()) if match else ("", "")
        if word in OPERATIONS and rest.startswith(":"):
            self._begin_direction(text, entry, word)
        elif word in _READ and not (word == "lat" and "=" in rest and "avg" not in rest):
            _READ[word](self, text, entry)

    def _open_percentiles(self, heading: str, entry: Entry) -> None:
        """Say whose the percentiles are that follow: those of completion, or of a sync, or of a row of their own."""
        ours = "sync" if self._row.get("operation") == "sync" else "clat"
        whose, _, rest = heading.partition(" percentiles (")
        self._unit = quantities.SECONDS.get(rest.partition(")")[0], 0.0)
        if whose == ours:
            self._with_percentiles = self._row
        elif label := quantities.part(whose):
            self._with_percentiles = self._part(label, entry)
        else:
            self._unit = 0.0

    def _part(self, label: str, entry: Entry) -> Row:
        """Return the row of a part of the requests of a direction, or of a part of their latency."""
        if not self._keys:
            raise ValueError(label)
        if label not in self._parts:
            self._parts[label] = {**self._keys, "label": label, "line": self._line, **self._spans.get(label, {})}
            entry.parts.append(self._parts[label])
        return self._parts[label]

    def _begin_direction(self, text: str, entry: Entry, word: str) -> None:
        self._old, self._unit, self._row = directions.is_old(text), 0.0, {}
        values = directions.of_a_job(text)
        operation = OPERATIONS[word]
        if values and (operation in entry.rows or self._run.is_ended(entry)):
            entry = self._begin_nameless(entry, word)
        if operation == "mixed_workload":
            self._run.mixed.add(entry.group)
        keys = job_options.keys(entry.options, operation)
        keys.pop("read_share", None)
        places = job_options.lines(entry.option_lines, keys)
        self._keys, self._spans, self._parts = {"operation": operation, "job": entry.job, **keys, **places}, {}, {}
        self._row = {"operation": operation, "job": entry.job, **keys, **values, **places, "line": self._line}
        if entry.error:
            self._row["error_code"] = float(entry.error)
        self._row |= self._apart(values)
        if values or operation == "mixed_workload":  # whose rates are 0 with unified_rw_reporting=both
            entry.rows[operation] = self._row

    def _begin_nameless(self, before: Entry, word: str) -> Entry:
        """Begin the report of a job whose first line is lost, so that its numbers are not those of the job before."""
        self._parsed.incomplete(f"expected the line of another job than {before.job!r} above its {word!r}", self._line)
        self.entry = Entry("", before.group, "", {}, {})
        self._run.entries.append(self.entry)
        return self.entry

    def _add_latency(self, text: str, entry: Entry) -> None:
        word, found = quantities.latency(text)
        if word in _SPANS:
            self._spans[word] = {**converted(found, _COMPLETION), "line": self._line}
            values = converted(found, _SPANS[word]) if found["mean"] else {}
            self._row |= on(self._line, values) | self._apart(values)
            return
        if word == "sync":
            self._row = {"operation": "sync", "job": entry.job, "line": self._line}
            entry.rows["sync"] = self._row
        if found["mean"]:
            values = converted(found, _COMPLETION)
            self._row |= values if self._row.get("line") == self._line else on(self._line, values)
            self._row |= self._apart(values)

    def _add_percentiles(self, text: str) -> None:
        found = quantities.percentiles(text)
        if self._unit:
            values = converted({percent: value * self._unit for percent, value in found.items()}, _PERCENTILES)
            if not values.keys().isdisjoint(self._with_percentiles):  # the heading of other ones is lost
                raise ValueError(text)
            self._with_percentiles |= on(self._line, values)

    def _add_rates(self, text: str, entry: Entry) -> None:
        for name, value in quantities.rates(text, self._old).items():
            word, _, what = name.partition("_")
            if name == "samples" and self._row.get(name, value) != value:  # --log_avg_msec has more of the bandwidth
                continue
            if value or what == "min":
                values = {f"{_RATES[word]}_{what}" if what else name: value}
                self._row |= on(self._line, values) | self._apart(values)

    def _add_cpu(self, text: str, entry: Entry) -> None:
        share = quantities.cpu(text) * PERCENT
        for row in entry.rows.values() if share else ():
            row |= on(self._line, {"cpu_utilisation": share})

    def _add_issued(self, text: str, entry: Entry) -> None:
        match = ISSUED.fullmatch(text)
        if not match:
            raise ValueError(text)
        self._run.issued.append(entry)
        operations = ("mixed_workload",) if [*entry.rows] == ["mixed_workload"] else ("read", "write", "trim")
        for operation, number in zip(operations, match.groups(), strict=False):
            if operation in entry.rows and int(number or 0):
                entry.rows[operation] |= on(self._line, {"operations": float(number)})

    def _add_depth(self, depth: float, entry: Entry) -> None:
        """Take the depth of a lone job of which no line says how it was called."""
        if "iodepth" in entry.options or entry.options.get("numjobs") != "1":
            return
        for operation, row in entry.rows.items():
            row |= on(self._line, {"queue_depth": depth}) if operation != "sync" else {}

    def _add_steady_state(self, text: str, entry: Entry) -> None:
        """Take the means of the seconds that fio judged, which it prints whether their rate was steady or not."""
        row = self._part("steadystate", entry) | directions.of_a_steady_state(text)
        directed = [operation for operation in entry.rows if operation != "sync"]
        row["operation"] = directed[0] if len(directed) == 1 else "mixed_workload"
        self._parts["steadystate"].update(row)

    def _add_errors(self, text: str, entry: Entry) -> None:
        match = _ERRORS.fullmatch(text)
        if not match:
            raise ValueError(text)
        for row in entry.rows.values():
            row |= on(self._line, {"errors": float(match[1])})

    def _apart(self, values: Row) -> Row:
        """Return the lines of values that a mail's break put on a line below."""
        return wrapped.lines_below(values, self._line, self._pieces)


_READ: Mapping[str, Callable[[Details, str, Entry], None]] = {
    **dict.fromkeys(("slat", "clat", "lat", "sync"), Details._add_latency),
    **dict.fromkeys(("bw", "iops"), Details._add_rates),
    "cpu": Details._add_cpu,
    "issued": Details._add_issued,
    "errors": Details._add_errors,
    "steadystate": Details._add_steady_state,
}
