"""What is a run in a document of fio, and what is one process's or one host's share of it.

fio prints an entry a process, or one a group with ``group_reporting``. Entries with one name, group and options are the
processes of one job (``numjobs``): each is a row of `clients`, and their sum is the run. In client/server mode the
entries of a host are its share, and fio's own "All clients" entry is the run, unless it adds up several jobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from storagelab.parsers.fio.json_report import options as job_options
from storagelab.parsers.fio.json_report.entries import Entry
from storagelab.parsers.fio.json_report.sums import keys_of, total
from storagelab.parsers.model import Parsed, Row
from storagelab.schema import LINE_OF, VALUE_AT

ALL_CLIENTS = "All clients"
Job = list[Entry]


def add_rows(parsed: Parsed, entries: Sequence[Entry], whole: bool, keys: Row) -> None:
    """Add the rows of one document; `keys` stand on each of them."""
    summary = next((entry for entry in entries if entry.host and entry.job == ALL_CLIENTS), None)
    jobs = _grouped([entry for entry in entries if entry is not summary])
    users = Counter(operation for job in jobs for operation in _operations(job)) if summary else {}
    for job in jobs:
        certain = whole or _is_known_whole(job)
        _complete_rows(job, {**keys, **_counts(job)} if certain else keys, certain)
        if len(job) == 1 and certain:
            parsed.runs.extend([*job[0].rows.values(), *job[0].parts])
            continue
        parsed.clients += _shares_of_parts(job)
        for operation in _operations(job):
            having = [entry for entry in job if operation in entry.rows]
            rows = [entry.rows[operation] for entry in having]
            parsed.clients += _shares(having, operation)
            if certain:
                parsed.runs.append(_summarised(summary, rows) if summary and users[operation] == 1 else total(rows))
    if summary and not jobs:
        parsed.runs += [{**row, **keys} for row in summary.rows.values()]


def _operations(job: Job) -> dict[str, None]:
    return dict.fromkeys(operation for entry in job for operation in entry.rows)


def _complete_rows(job: Job, keys: Row, certain: bool) -> None:
    """Put the keys of the job on its rows, and make the CPU share of an entry that stands for several their sum.

    fio prints the mean over an entry's processes. Where nobody knows whether it stands for one or for several, the
    share is left out.
    """
    for own in _by_host(job).values():
        number = processes(own) if len(own) == 1 else 1.0
        for entry in own:
            for row in [*entry.rows.values(), *entry.parts]:
                row |= {name: value for name, value in keys.items() if name not in VALUE_AT or value != row["line"]}
                if number > 1 and "cpu_utilisation" in row:
                    share = float(row.pop("cpu_utilisation"))
                    if certain:
                        row["cpu_utilisation"] = share * number
                    else:
                        row.pop(LINE_OF["cpu_utilisation"], None)


def _grouped(entries: Sequence[Entry]) -> list[Job]:
    """Entries that are the processes of one job, on all hosts, in the order of the log."""
    if len(entries) == 1:
        return [list(entries)]
    groups: dict[tuple[str, str, str], Job] = {}
    for entry in entries:
        groups.setdefault((entry.job, entry.group, str(entry.own_options)), []).append(entry)
    return list(groups.values())


def _by_host(job: Sequence[Entry]) -> dict[str, Job]:
    if len(job) == 1:
        return {job[0].host: list(job)}
    hosts: dict[str, Job] = {}
    for entry in job:
        hosts.setdefault(entry.host, []).append(entry)
    return hosts


def _counts(job: Job) -> Row:
    """How many processes, and hosts, a job ran on."""
    hosts = _by_host(job)
    row: Row = {"clients": float(len(hosts))} if job[0].host else {}
    numbers = [processes(entries) for entries in hosts.values()]
    if not all(numbers):
        return row
    row["processes"] = sum(numbers)
    return row | (job_options.lines(job[0].option_lines, ("processes",)) if len(job) == 1 else {})


def processes(entries: Job) -> float:
    """Count the processes behind the entries of one host; 0 where the log does not say.

    One entry stands for ``numjobs`` processes, which fio takes as 1 where the options do not name it.
    """
    if len(entries) > 1:
        return float(len(entries))
    options = entries[0].options
    return job_options.number(options.get("numjobs", "1")) if options else 0.0


def _is_known_whole(job: Job) -> bool:
    """Whether a job of a broken document lost no process."""
    options = job[0].options
    if job[0].host or not options or (len(job) > 1 and job[-1].is_cut):
        return False
    return "group_reporting" in options or len(job) == job_options.number(options.get("numjobs", "1"))


def _shares(entries: Sequence[Entry], operation: str) -> Iterator[Row]:
    """Rows of hosts and processes; a host with several processes has a row for each and one for itself."""
    hosts = _by_host(entries)
    for host, own in hosts.items():
        client: Row = {"client": host} if host else {}
        rows = [entry.rows[operation] for entry in own]
        if host:
            yield {**total(rows), "share": "client", **client}
        if len(rows) > 1 or not host:
            for number, row in enumerate(rows):
                yield {**row, "share": "process", **client, "process": str(number)}


def _shares_of_parts(job: Job) -> Iterator[Row]:
    """Rows of the parts of each host and process."""
    for host, own in _by_host(job).items():
        client: Row = {"client": host} if host else {}
        for number, entry in enumerate(own):
            is_process = len(own) > 1 or not host
            whose: Row = {"share": "process", "process": str(number)} if is_process else {"share": "client"}
            yield from ({**row, **whose, **client} for row in entry.parts)


def _summarised(summary: Entry, rows: Sequence[Row]) -> Row:
    """Take fio's own sum over its clients, for the one job that did the operation."""
    own = summary.rows.get(str(rows[0]["operation"]))
    if not own:
        return total(rows)
    of_processes = ("cpu_utilisation", LINE_OF["cpu_utilisation"], "operation_group")
    measured = {name: value for name, value in own.items() if name not in of_processes}
    return {**measured, **keys_of(rows[0]), "label": summary.job}
