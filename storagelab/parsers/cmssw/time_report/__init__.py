"""What cmsRun prints: TimeReport tables, the Timing service, storage statistics, and when files and records began.

``TrigReport Events total`` and the ``TimeReport`` tables are the summary of ``wantSummary`` (FWCore/Framework): mean
seconds a event, by path and module. Until CMSSW 7 each pair of columns is CPU and Real, since then all are Real; the
headings say so, and what they count: an event, a run (``per exec``) of the module, a visit. Each pair is a row with
`phase` such as "module per event", `label` the name, `statistic` "mean". 0.000000 is below what is printed: no value.

``TimeReport> Time report complete in 15.1 seconds`` and the lists behind it are the Timing service, with the phases of
`timing`; ``TimeEvent>`` and ``TimeModule>`` lines are its samples.

``Storage statistics: dcap/read=6900/6900/39.6MB/16629ms/0.0007ms/320.6ms; ...`` are the counters of `counters`:
attempts, successes, amount, total, minimum and maximum time, in a line; MB is 2^20 bytes.

File messages and ``Begin processing the 1st record`` carry wall-clock times: phases "to first record" and "first to
last record", rows of `open` with a resolution of a second, and a series of records begun. Times have an offset only
where the zone is one that has only one meaning.

Wrappers put ``== CMSSW: `` and the like in front of each line. The tables end with ``T---Report end!``; what services
print behind it has no end. What art prints besides, which grew out of CMSSW's framework, is read by `art`.
"""

from __future__ import annotations

import re

from storagelab.parsers.cmssw.time_report.job import Job
from storagelab.parsers.declared_checks import Checks, Line, words
from storagelab.parsers.line_formats import refusal
from storagelab.parsers.model import Format, Parsed, Row, columns
from storagelab.parsers.text import line_at

_EXTREMES = tuple(Line(f"{name}:", rf"\b{name}(?: event)?:", name) for name in ("Min", "Max", "Avg"))
CHECKS = Checks(
    together=(
        (
            *words("TrigReport Events total ="),
            Line("TrigReport ---------- Event  Summary", r"TrigReport -+ Event +[Ss]ummary", "TrigReport "),
            Line("T---Report end!", r"T---Report end!|TimeReport CPU = ", "Report"),
        ),
        words("event loop CPU/event =", "event loop Real/event ="),
        words("sum Streams Real/event =", "efficiency CPU/Real/thread ="),
        words("Time report complete in", "Time Summary:"),
        words("Min event:", "Max event:"),
        words("EventSetup Lock:", "EventSetup Get:"),
        words("Total EventSetup:", "Total non-module:"),
        words("Processing Summary:", "Number of Events:", "Global Begin Lumi Calls:", "Global Begin Run Calls:"),
        words("Peak virtual size", "Key events increasing vsize:"),
        words("Peak rss size", "Key events increasing rss:"),
    ),
    below=(
        (
            *words("Time Summary:"),
            *(Line(f"{name}:", rf"\b{name}(?: event)?:", name) for name in ("Min", "Max", "Avg")),
        ),
        words("Total loop:", "Total job:"),
        words("Event Throughput:", "CPU Summary:"),
    ),
    whole_lines=(
        Line("TrigReport Events total", r"TrigReport Events total = \d+ passed = \d+ failed = \d+"),
        Line("TimeReport -", r"TimeReport -{3}.*-"),
        Line("TrigReport -", r"TrigReport -{3}.*-"),
    ),
    pauses="records are printed as they begin",
    numbers_aside=(r"TrigReport +\d", r"TimeReport(?: +0\.0+)+ "),
)

FORMAT = Format(
    "cmssw-timereport",
    "cmsRun",
    "CMSSW 2 to 12, art",
    "phases of a job, modules, storage counters",
    "CMSSW, FWCore",
    marks=(
        "TimeReport",
        "TrigReport",
        "CMSSW",
        "CMSRunAnalysis",
        "processing",
        "Initiating",
        "statistics",
        "operation",
        "TimeTracker",
    ),
    opens=(
        "TimeReport",
        "TrigReport",
        " pre-events",
        "Begin processing the ",
        "== CMSSW: ",
        "Initiating request to open file ",
        "Storage statistics: ",
    ),
    holds=("xrdcl-log",),
    checks=CHECKS,
)

_LOGGER_ENDS = "MessageLogger Summary"
_RELEASE = re.compile(r"--cmsswVersion=(CMSSW_\w+)(?=\s)")
_COMMAND = re.compile(r"^(?:== CMSSW: |\$ )(cmsRun .*\S)[ \t]*\n", re.MULTILINE)


def sniff(head: str) -> bool:
    """Whether a line of cmsRun or of the wrapper around it stands here."""
    return (
        "TimeReport" in head
        or "TrigReport --" in head
        or "== CMSSW: " in head
        or "CMSRunAnalysis.sh" in head
        or "Begin processing the 1" in head
        or "Initiating request to open file " in head
        or "Storage statistics: " in head
        or "stats: class/operation/attempts" in head
        or "TimeTracker printout (sec)" in head
    )


def parse(text: str) -> Parsed:
    """Read the tables, the summaries, the counters and the messages.

    Raises
    ------
    ParseError
        If there is nothing of them.
    """
    parsed = Parsed({"tool": "cmsRun", "statistic": "single"})
    lines = text.split("\n")
    jobs = [Job(parsed)]
    for at, line in enumerate(lines[:-1], 1):
        if jobs[-1].is_over_before(line):
            jobs.append(Job(parsed))
        jobs[-1].line(line, at)
    parsed.cut_line(lines[-1], len(lines))
    if "\ufffd" in text:
        parsed.incomplete("bytes that are not UTF-8", line_at(text, text.index("\ufffd")))
    _add_head(text, parsed)
    _add_rows(jobs, parsed, _LOGGER_ENDS in text)
    if parsed.is_empty():
        raise refusal("a TimeReport, 'Storage statistics:', or 'Begin processing the 1st record'", text)
    return parsed


def _add_head(text: str, parsed: Parsed) -> None:
    """Take the release and the command from what CRAB's wrapper prints."""
    for name, form in (("tool_version", _RELEASE), ("command", _COMMAND)):
        found = form.search(text)
        if found:
            parsed.header[name] = found[1]


def _add_rows(jobs: list[Job], parsed: Parsed, logger_ended: bool) -> None:
    samples: list[Row] = []
    for part, job in enumerate(jobs, 1):
        shared: Row = {"part": float(part)} if len(jobs) > 1 else {}
        started: Row = {"started": job.messages.started} if job.messages.started else {}
        if len(jobs) == 1:
            parsed.header |= started
        else:
            shared |= started
        job.check_end(logger_ended)
        parsed.runs += [shared | row for row in job.rows()]
        samples += [shared | sample for sample in job.samples()]
    parsed.series = columns(samples)
