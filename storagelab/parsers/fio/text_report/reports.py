"""Job reports and group summaries out of the lines of a log."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from storagelab.parsers.fio.json_report import options as job_options
from storagelab.parsers.fio.json_report.entries import Entry
from storagelab.parsers.fio.json_report.variables import OPERATIONS, PERCENTILES, converted
from storagelab.parsers.fio.text_report import directions, quantities, wrapped
from storagelab.parsers.fio.text_report.run import ALL_CLIENTS, Run
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.monitors.snapshot import is_prompt, without_prompt
from storagelab.parsers.several_lines import on
from storagelab.parsers.text import ctime
from storagelab.schema import lines_of
from storagelab.units import PERCENT

JOB = re.compile(
    r"(?P<job>(?:(?!: \(groupid=).|(?!))*+): \(groupid=(?P<group>\d+)(?:, jobs=(?P<jobs>\d+))?\): "
    r"err=\s*(?P<error>-?\d{1,9}+)(?: \((?P<why>.*)\))?:(?: pid=-?\d+(?::\s*(?P<date>.*))?)?"
)
_OPTIONS = re.compile(r"(?P<job>(?:(?!: \(g=\d+\): rw=).)+): \(g=(?P<group>\d+)\): (?P<options>rw=.+)")
_BARE_VERSION = re.compile(r"[12]\.\d{1,2}(?:\.\d{1,2})?")
_VERSION = re.compile(r"(?:fio[- ])?(\d+\.\d++\S*+)|hostname=(?:(?!\bfio=fio-).)*\bfio=fio-(\d+\.\d+[^\s,]*),.*")
_GROUP = re.compile(r"Run status group (\d+) \(all jobs\):")
_HOST = re.compile(r"<([^>\s]+)>(?: |$)")
_SIGNAL = "fio: terminating on signal"
_ISSUED = re.compile(r"\s*issued [^:]*: total=(?:r=)?(\d+)[,/](?:w=)?(\d+)(?:[,/](?:d=|t=)?(\d+))?.*")
_ERRORS = re.compile(r"\s*errors\s+: total=(\d+), first_error=.*")
_DIRECTION = re.compile(r"\s*(?:read|write|trim|mixed)\s*: (?:IOPS|io)=")
_DETAIL = re.compile(r"\s*(?:(?:[cs]?lat \([num]?sec\)|bw \([^()]{1,12}\)|iops)\s*: min=|issued [^:]{1,20}: total=)")
SYNC = re.compile(r"^[ \t]*sync \([num]?sec\) *: min=", re.MULTILINE)
_SIZE = re.compile(quantities.SIZE)
_BLOCK_SIZES = re.compile(r"\([RWT]\) ")
_PRIORITY = re.compile(r"\s*(?:c?lat|high|low) prio[_ ]")
KEYWORDS = re.compile(
    r"\s*(read|write|trim|mixed|slat|clat|lat|sync|bw|iops|cpu|issued|errors|steadystate)\b(.*)", re.IGNORECASE
)
_MORE_PERCENTILES = re.compile(r"\s*+\d{1,2}\.\d{2}th=\[")
_RATES = {"bw": "throughput", "iops": "operation_rate"}
_LATENCIES = (("mean", "latency"), ("min", "latency_min"), ("max", "latency_max"), ("stddev", "latency_std"))
_COMPLETION = tuple((key, name, 1.0) for key, name in _LATENCIES)
_SPANS = {
    word: tuple((key, f"{span}_{name}", 1.0) for key, name in _LATENCIES)
    for word, span in (("slat", "submission"), ("lat", "total"))
}
_PERCENTILES = tuple((f"{float(p):.6f}", f"latency_p{p.replace('.', '_')}", 1.0) for p in PERCENTILES)


class Beheaded(NamedTuple):
    """The first line of details above which no job and no direction stands, and of which direction they are."""

    line: int = 0
    operation: str = ""
    is_old: bool = False


def beheaded(lines: list[str]) -> Beheaded:
    """Find details whose job and direction were cut off; what was issued says of which they are, if it is one alone."""
    first = 0
    for at, line in enumerate(lines, 1):
        if "(groupid=" in line or _DIRECTION.match(line):
            return Beheaded()
        first = first or (at if _DETAIL.match(line) else 0)
        if issued := _ISSUED.fullmatch(line):
            counts = zip(("read", "write", "trim"), issued.groups(), strict=True)
            operations = [operation for operation, count in counts if int(count or 0)]
            return Beheaded(first, operations[0], "/" in issued[0]) if len(operations) == 1 else Beheaded()
    return Beheaded()


class Reader:
    """Goes through the lines of a log once; every line that should say something and cannot be read is noted."""

    def __init__(self, parsed: Parsed, is_excerpt: bool) -> None:
        self.parsed = parsed
        self.runs = [Run(is_excerpt=is_excerpt)]
        self._entry: Entry | None = None
        self._row: Row = {}
        self._with_percentiles: Row = {}
        self._keys: Row = {}
        self._spans: dict[str, Row] = {}
        self._parts: dict[str, Row] = {}
        self._old = False
        self._group = ""
        self._host = ""
        """The host whose report comes next."""
        self._unit = 0.0
        self._line = 0
        self._pieces: Mapping[int, list[str]] = {}
        self._beheaded = Beheaded()

    def read(self, lines: list[str]) -> list[Run]:
        """Return the invocations of fio that the lines come from; those that reported nothing are left out."""
        whole, self._pieces = wrapped.unwrapped(lines)
        self._beheaded = beheaded(whole)
        for self._line, text in enumerate(whole, 1):
            if self._entry and self.runs[-1].is_excerpt and is_prompt(text):
                self._begin_run()
                continue
            try:
                self._read(text)
            except (ValueError, OverflowError):
                self.parsed.incomplete(f"a line that cannot be read: {text.strip()[:60]!r}", self._line)
        for run in self.runs:
            self._hold_parts(run)
        if self.runs[-1].is_only_announced():
            self.parsed.incomplete("the log ends before the report of a job that fio announces", self._announced_at())
        return [run for run in self.runs if run.entries or run.everything or run.summaries]

    def _announced_at(self) -> int:
        return min(self.runs[-1].announced.values())

    def _hold_parts(self, run: Run) -> None:
        """Say where the latency of a priority is missing, or its percentiles where the others have some."""
        rows = [row for entry in run.entries for row in entry.parts if " prio" in str(row["label"])]
        have = any("latency_p50" in row for row in rows)
        for row in rows:
            if "latency" not in row or ("latency_p50" in row) != have:
                self.parsed.incomplete(f"{row['label']}: latency or percentiles are missing", int(row["line"]))

    def _read(self, text: str) -> None:
        text = text.rstrip().rpartition("\r")[2]
        host = _HOST.match(text)
        if host:
            text = text[host.end() :]
            self._host = "" if text else host[1]
        bare = text.lstrip()
        if "(groupid=" in text or ("jobs=" in text and "): err=" in text):
            self._entry, self._group = None, ""
            self._begin_job(text)
        elif match := _GROUP.match(bare):
            self._open_group(match[1])
        elif match := _OPTIONS.fullmatch(bare):
            self._announce(match)
        elif bare.startswith(("fio", "hostname=")) or (_BARE_VERSION.fullmatch(bare) and self.runs[-1].jobs):
            self._remark(bare)
        elif (self._group or self._is_bare()) and bare[:6].isupper():
            self._summarise(text)
        elif self.runs[-1].is_excerpt and self._begins(text):
            self._go_on_without_heading(text)
        elif self._entry:
            self._detail(text, self._entry)
        else:
            self._read_without_job(text)

    def _read_without_job(self, text: str) -> None:
        """Read a line above which no job stands."""
        if self._line == self._beheaded.line:
            self._go_on_without_direction(text)
        elif _DIRECTION.match(text) or _DETAIL.match(text):
            raise ValueError(text)

    def _is_bare(self) -> bool:
        """Whether summaries may stand here without what fio prints above them."""
        return self.runs[-1].is_excerpt or not self.runs[-1].entries

    def _remark(self, text: str) -> None:
        version = _VERSION.fullmatch(text)
        if version or text.startswith("hostname="):
            if self.runs[-1].entries:
                self._begin_run()
            self.runs[-1].served = self.runs[-1].served or text.startswith("hostname=")
        if version:
            said = self.parsed.header.setdefault("tool_version", version[1] or version[2])
            if said != (version[1] or version[2]):
                self.parsed.note(f"another version of fio: {version[1] or version[2]}", self._line)
        elif text.startswith(_SIGNAL):
            self.parsed.incomplete(text.strip(), self._line)

    def _begin_run(self) -> None:
        self.runs.append(Run(served=self.runs[-1].served, is_excerpt=self.runs[-1].is_excerpt))
        self._entry, self._group = None, ""

    def _open_group(self, group: str) -> None:
        if self._is_bare() and group in self.runs[-1].groups:
            self._begin_run()
        self._entry, self._group = None, group
        self.runs[-1].groups.add(group)
        self.runs[-1].summed_up.add(len(self.runs[-1].hosts))

    def _begins(self, text: str) -> bool:
        """Whether a line of an excerpt is a direction, or a sync of which no direction stands above."""
        is_first = not self._entry or "sync" in self._entry.rows
        return bool(_DIRECTION.match(text) or (is_first and SYNC.match(text)))

    def _go_on_without_heading(self, text: str) -> None:
        """Read a direction of an excerpt: of the same job as the one before, unless that has it or was summed up."""
        if self.runs[-1].summaries:
            self._begin_run()
        word = text.partition(":")[0].split()[0]
        if not self._entry or OPERATIONS.get(word, word) in self._entry.rows:
            self._entry = Entry("", str(len(self.runs[-1].entries)), "", {}, {})
            self.runs[-1].entries.append(self._entry)
        self._detail(text, self._entry)

    def _go_on_without_direction(self, text: str) -> None:
        """Read the first line of what is left of a report whose job and direction were cut off."""
        about: Row = {"operation": self._beheaded.operation, "job": ""}
        self._old, self._keys, self._row = self._beheaded.is_old, about, {**about, "line": self._line}
        self._entry = Entry("", "0", "", {}, {}, rows={self._beheaded.operation: self._row})
        self.runs[-1].entries.append(self._entry)
        self.parsed.incomplete("an excerpt: the line of a direction is cut off above its details", self._line)
        self._detail(text, self._entry)

    def _announce(self, match: re.Match[str]) -> None:
        if self.runs[-1].groups or (self.runs[-1].is_excerpt and self.runs[-1].entries):
            self._begin_run()
        text = _BLOCK_SIZES.sub("", match["options"])
        found = dict(option.split("=", 1) for option in re.split(r", (?=[a-z]+=)", text) if "=" in option)
        sizes = [_one_size(sizes) for sizes in re.split(r", ?|/", found.pop("bs", ""))]
        found |= {"bs": ",".join(sizes)} if all(sizes) else {}
        job = match["job"], match["group"]
        self.runs[-1].jobs[job], self.runs[-1].announced[job] = found, self._line

    def _begin_job(self, text: str) -> None:
        """Begin a report; a progress line may stand before it on its line."""
        match = JOB.fullmatch(text[text.rfind("[eta ") :].partition("]")[2] if "[eta " in text else text)
        if not match:
            raise ValueError(text)
        run, job = self.runs[-1], without_prompt(match["job"].lstrip())
        everything = job == ALL_CLIENTS and bool(run.entries)
        if run.served and self._host and not run.everything:
            run.hosts.append(self._host)
        if run.everything or (run.is_summed_up() and not everything):
            self._begin_run()
            run = self.runs[-1]
            run.is_excerpt = False
            run.jobs, run.announced = self.runs[-2].jobs, self.runs[-2].announced
        key = run.announcement(job, match["group"])
        said = run.jobs.get(key, {})
        options = {**said, "numjobs": match["jobs"]} if match["jobs"] else said
        self._host = ""
        entry = Entry(job, match["group"], run.hosts[-1] if run.hosts and not everything else "", {}, options)
        entry.option_lines = dict.fromkeys(said, run.announced.get(key, 0))
        entry.option_lines |= {"numjobs": self._line} if match["jobs"] else {}
        entry.error, entry.error_line = int(match["error"]), self._line
        if entry.error:
            self.parsed.incomplete(f"job {entry.job!r} failed with error {entry.error}", self._line)
        if match["date"] and (ended := ctime(match["date"])):
            self.parsed.header["ended"] = ended
        if everything:
            run.everything = entry
        else:
            run.entries.append(entry)
        self._entry, self._row, self._keys, self._unit = entry, {}, {}, 0.0

    def _summarise(self, text: str) -> None:
        operation = OPERATIONS.get(text.partition(":")[0].strip().lower())
        if operation:
            row = directions.of_a_group(text)
            host = len(self.runs[-1].hosts)
            if self._is_bare() and (host, self._group, operation) in self.runs[-1].summaries:
                self._begin_run()
            if row:
                self.runs[-1].summed_up.add(host)
                summary = {**row, **self._apart(row), "line": self._line}
                self.runs[-1].summaries[host, self._group, operation] = summary

    def _detail(self, text: str, entry: Entry) -> None:
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
        match = KEYWORDS.fullmatch(text)
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
        if values and (operation in entry.rows or self.runs[-1].is_ended(entry)):
            entry = self._begin_nameless(entry, word)
        if operation == "mixed_workload":
            self.runs[-1].mixed.add(entry.group)
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
        self.parsed.incomplete(f"expected the line of another job than {before.job!r} above its {word!r}", self._line)
        self._entry = Entry("", before.group, "", {}, {})
        self.runs[-1].entries.append(self._entry)
        return self._entry

    def _apart(self, values: Row) -> Row:
        """Return the lines of values that a mail's break put on a line below, by the word in front of each."""
        row: Row = {}
        for below, piece in enumerate(self._pieces.get(self._line, [])[1:], 1):
            row |= lines_of(
                (name for name in values if any(word in piece for word in wrapped.words(name))), self._line + below
            )
        return row

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
            self._with_percentiles |= on(self._line, values)

    def _add_rates(self, text: str, entry: Entry) -> None:
        for name, value in quantities.rates(text, self._old).items():
            word, _, what = name.partition("_")
            if value or what == "min":
                values = {f"{_RATES[word]}_{what}" if what else name: value}
                self._row |= on(self._line, values) | self._apart(values)

    def _add_cpu(self, text: str, entry: Entry) -> None:
        share = quantities.cpu(text) * PERCENT
        for row in entry.rows.values() if share else ():
            row |= on(self._line, {"cpu_utilisation": share})

    def _add_issued(self, text: str, entry: Entry) -> None:
        match = _ISSUED.fullmatch(text)
        if not match:
            raise ValueError(text)
        self.runs[-1].issued.append(entry)
        operations = ("mixed_workload",) if [*entry.rows] == ["mixed_workload"] else ("read", "write", "trim")
        for operation, number in zip(operations, match.groups(), strict=False):
            if operation in entry.rows and int(number or 0):
                entry.rows[operation] |= on(self._line, {"operations": float(number)})

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


_READ: Mapping[str, Callable[[Reader, str, Entry], None]] = {
    **dict.fromkeys(("slat", "clat", "lat", "sync"), Reader._add_latency),
    **dict.fromkeys(("bw", "iops"), Reader._add_rates),
    "cpu": Reader._add_cpu,
    "issued": Reader._add_issued,
    "errors": Reader._add_errors,
    "steadystate": Reader._add_steady_state,
}


def _one_size(text: str) -> str:
    """Return the size of a range such as ``4096B-4096B`` that is one size, else ""."""
    low, _, high = text.partition("-")
    return low if low == high and _SIZE.fullmatch(low) else ""
