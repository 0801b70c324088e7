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
print behind it has no end.
"""

from __future__ import annotations

from storagelab.errors import ParseError
from storagelab.parsers.cmssw.time_report.messages import Messages
from storagelab.parsers.cmssw.time_report.storage import statistics
from storagelab.parsers.cmssw.time_report.summary import Summary
from storagelab.parsers.cmssw.time_report.tables import Tables
from storagelab.parsers.model import Format, Parsed, columns

FORMAT = Format(
    "cmssw-timereport", "cmsRun", "CMSSW 5 to 12", "phases of a job, modules, storage counters", "CMSSW, FWCore"
)

_MARKS = (
    "TimeReport> ", "TimeReport --", "TrigReport --", "Begin processing the ", "== CMSSW: ", "CMSRunAnalysis.sh",
    "Initiating request to open file ", "Storage statistics: ", "stats: class/operation/attempts",
)  # fmt: skip


def sniff(head: str) -> bool:
    """Whether a line of cmsRun or of the wrapper around it stands here."""
    return any(mark in head for mark in _MARKS)


def parse(text: str) -> Parsed:
    """Read the tables, the summaries, the counters and the messages.

    Raises
    ------
    ParseError
        If there is nothing of them.
    """
    parsed = Parsed({"tool": "cmsRun", "statistic": "single"})
    tables, summary, messages = Tables(parsed), Summary(parsed), Messages(parsed)
    lines = text.split("\n")
    for at, line in enumerate(lines[:-1], 1):
        if "TimeReport" in line or "TrigReport" in line or "Report end!" in line:
            tables.line(line, at)
        if "MB/" in line and "ms/" in line:
            parsed.runs += statistics(line, at, parsed)
        elif not messages.line(line, at):
            summary.line(line, at)
    cut = lines[-1].strip()
    if cut:
        parsed.incomplete("the last line has no end", len(lines))
    if "\ufffd" in text:
        parsed.incomplete("bytes that are not UTF-8", text.count("\n", 0, text.index("\ufffd")) + 1)
    tables.end()
    parsed.runs = [*summary.rows(), *messages.rows(whole=parsed.complete), *parsed.runs]
    parsed.series = columns([*messages.samples, *summary.samples])
    if parsed.is_empty():
        at, found = next(((at, line) for at, line in enumerate(lines, 1) if line.strip()), (1, ""))
        raise ParseError("a TimeReport, 'Storage statistics:', or 'Begin processing the 1st record'", found, at)
    return parsed
