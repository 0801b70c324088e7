"""Job reports and group summaries out of the lines of a log."""

from __future__ import annotations

import re

from storagelab.parsers.fio.json_report.entries import Entry
from storagelab.parsers.fio.json_report.variables import OPERATIONS
from storagelab.parsers.fio.text_report import directions, headings, wrapped
from storagelab.parsers.fio.text_report.beheaded import DETAIL, DIRECTION, beheaded
from storagelab.parsers.fio.text_report.details import Details
from storagelab.parsers.fio.text_report.run import ALL_CLIENTS, Run
from storagelab.parsers.model import Parsed
from storagelab.parsers.monitors.snapshot import is_prompt, without_prompt
from storagelab.parsers.text import ctime

SYNC = re.compile(r"^[ \t]*sync \([num]?sec\) *: min=", re.MULTILINE)


class Reader:
    """Goes through the lines of a log once; every line that should say something and cannot be read is noted."""

    def __init__(self, parsed: Parsed, lines: list[str], is_excerpt: bool) -> None:
        self.parsed = parsed
        self.runs = [Run(is_excerpt=is_excerpt)]
        self._lines, self._pieces = wrapped.unwrapped(lines)
        self._beheaded = beheaded(self._lines)
        self._details = Details(parsed, self._pieces)
        self._group = ""
        self._host = ""
        """The host whose report comes next."""
        self._line = 0

    def read(self) -> list[Run]:
        """Return the invocations of fio that the lines come from; those that reported nothing are left out."""
        for line, text in enumerate(self._lines, 1):
            self._line = line
            if self._details.entry and self.runs[-1].is_excerpt and is_prompt(text):
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
        host = headings.HOST.match(text)
        if host:
            text = text[host.end() :]
            self._host = "" if text else host[1]
        bare = text.lstrip()
        if "(groupid=" in text or ("jobs=" in text and "): err=" in text):
            self._details.entry, self._group = None, ""
            self._begin_job(text)
        elif match := headings.GROUP.match(bare):
            self._open_group(match[1])
        elif match := headings.ANNOUNCED.fullmatch(bare):
            self._announce(match)
        elif bare.startswith(("fio", "hostname=")) or (headings.BARE_VERSION.fullmatch(bare) and self.runs[-1].jobs):
            self._remark(bare)
        elif (self._group or self._is_bare()) and bare[:6].isupper():
            self._summarise(text)
        elif self.runs[-1].is_excerpt and self._begins(text):
            self._go_on_without_heading(text)
        elif self._details.entry:
            self._detail(text)
        else:
            self._read_without_job(text)

    def _read_without_job(self, text: str) -> None:
        """Read a line above which no job stands."""
        if self._line == self._beheaded.line:
            self._go_on_without_direction(text)
        elif DIRECTION.match(text) or DETAIL.match(text):
            raise ValueError(text)

    def _is_bare(self) -> bool:
        """Whether summaries may stand here without what fio prints above them."""
        return self.runs[-1].is_excerpt or not self.runs[-1].entries

    def _remark(self, text: str) -> None:
        version = headings.VERSION.fullmatch(text)
        if version or text.startswith("hostname="):
            if self.runs[-1].entries:
                self._begin_run()
            self.runs[-1].served = self.runs[-1].served or text.startswith("hostname=")
        if version:
            said = self.parsed.header.setdefault("tool_version", version[1] or version[2])
            if said != (version[1] or version[2]):
                self.parsed.note(f"another version of fio: {version[1] or version[2]}", self._line)
        elif text.startswith(headings.SIGNAL) or headings.FAILED.fullmatch(text):
            self.parsed.incomplete(text.strip(), self._line)

    def _begin_run(self) -> None:
        self.runs.append(Run(served=self.runs[-1].served, is_excerpt=self.runs[-1].is_excerpt))
        self._details.entry, self._group = None, ""

    def _open_group(self, group: str) -> None:
        if self._is_bare() and group in self.runs[-1].groups:
            self._begin_run()
        self._details.entry, self._group = None, group
        self.runs[-1].groups.add(group)
        self.runs[-1].summed_up.add(len(self.runs[-1].hosts))

    def _begins(self, text: str) -> bool:
        """Whether a line of an excerpt is a direction, or a sync of which no direction stands above."""
        is_first = not self._details.entry or "sync" in self._details.entry.rows
        return bool(DIRECTION.match(text) or (is_first and SYNC.match(text)))

    def _go_on_without_heading(self, text: str) -> None:
        """Read a direction of an excerpt: of the same job as the one before, unless that has it or was summed up."""
        if self.runs[-1].summaries:
            self._begin_run()
        word = text.partition(":")[0].split()[0]
        if not self._details.entry or OPERATIONS.get(word, word) in self._details.entry.rows:
            self._begin(Entry("", str(len(self.runs[-1].entries)), "", {}, {}))
        self._detail(text)

    def _go_on_without_direction(self, text: str) -> None:
        """Read the first line of what is left of a report whose job and direction were cut off."""
        self.runs[-1].entries.append(self._details.begin_beheaded(self._beheaded))
        self.parsed.incomplete("an excerpt: the line of a direction is cut off above its details", self._line)
        self._detail(text)

    def _begin(self, entry: Entry) -> None:
        self.runs[-1].entries.append(entry)
        self._details.begin(entry)

    def _detail(self, text: str) -> None:
        self._details.read(text, self.runs[-1], self._line)

    def _announce(self, match: re.Match[str]) -> None:
        if self.runs[-1].groups or (self.runs[-1].is_excerpt and self.runs[-1].entries):
            self._begin_run()
        job = match["job"], match["group"]
        self.runs[-1].jobs[job] = headings.announced_options(match["options"])
        self.runs[-1].announced[job] = self._line

    def _begin_job(self, text: str) -> None:
        """Begin a report; a progress line may stand before it on its line."""
        match = headings.JOB.fullmatch(text[text.rfind("[eta ") :].partition("]")[2] if "[eta " in text else text)
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
        self._details.begin(entry)

    def _summarise(self, text: str) -> None:
        operation = OPERATIONS.get(text.partition(":")[0].strip().lower())
        if operation:
            row = directions.of_a_group(text)
            host = len(self.runs[-1].hosts)
            if self._is_bare() and (host, self._group, operation) in self.runs[-1].summaries:
                self._begin_run()
            if row:
                self.runs[-1].summed_up.add(host)
                places = wrapped.lines_below(row, self._line, self._pieces)
                self.runs[-1].summaries[host, self._group, operation] = {**row, **places, "line": self._line}
