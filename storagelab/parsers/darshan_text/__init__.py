"""darshan-parser and darshan-dxt-parser: a log of Darshan as text, its records, totals, kinds of files and requests.

The header (``# exe:``, ``# nprocs:``, ``# run time:``) is followed by a section for each module. ``--base`` prints a
line a record and counter; ``--total`` prints ``total_POSIX_BYTES_READ: 1649291067392``; ``--file`` the number and
bytes of files read, written, shared; ``--perf`` Darshan's estimate of throughput. Printed by
darshan-util/darshan-parser.c, counters in darshan-util's documentation and in the ``darshan-*-log-format.h`` of each
module. Darshan 2 has one module, whose counters begin with ``CP_``.

Rows of `runs`: ``job`` with the run time; for each module (`api`) that moved bytes ``read`` and ``write``, and
``open``, ``stat``, ``seek`` and ``sync`` where there were any, from the totals, else summed over the records. Rows of
`clients`: the reads and writes of each record, `process` its rank ("all" for a shared file). `transfer_time` and
`metadata_time` are summed over ranks. Darshan's estimate is a ``job`` with `api`, its bytes over the time of the
slowest rank; other estimates have their name in `label`, kinds of files too. Totals without a name in the contract, and
the times behind an estimate, are `series` with `metric`. A value of -1 was not monitored and is left out. POSIX, MPI-IO
or STDIO without the section that the header promises is incomplete. darshan-dxt-parser prints each request of each
rank: a row of `series`, at the second at which it began; how many there are of a file and a rank is one of `clients`.
"""

from __future__ import annotations

import re

from storagelab.parsers.checks import Checks, words
from storagelab.parsers.darshan_text.reader import TAB, Reader
from storagelab.parsers.darshan_text.traces import FIRST_LINE as FIRST_LINE_OF_TRACES
from storagelab.parsers.line_formats import refusal, trusted_lines
from storagelab.parsers.model import Format, Parsed, columns

FORMAT = Format(
    name="darshan-parser",
    tool="Darshan",
    versions="darshan-parser 2.2 to 3.5",
    reads="--base, --total, --file, --perf and --all: job, modules, files; requests of darshan-dxt-parser",
    source="darshan-util/darshan-parser.c, darshan-dxt-logutils.c; darshan-util documentation",
    marks=("darshan", "agg perf by", "total OPENS", "DXT file id", "POSIX", "STDIO", "MPIIO", "LUSTRE", "total bytes"),
    opens=("# darshan log version:", "# total_bytes:", "# agg_perf_by_"),
    checks=Checks(
        together=(
            words("agg_perf_by_cumul:", "agg_perf_by_open:", "agg_perf_by_open_lastio:"),
            words("# total:", "# read_only:", "# write_only:", "# read_write:", "# unique:", "# shared:"),
        ),
        lacking_samples="requests come when the application makes them",
    ),
)

_FIRST_LINE = "# darshan log version:"
EXPECTED = "the header of darshan-parser ('# darshan log version: ...') and counters of a module"
_ALONE = re.compile(
    rf"^(POSIX|STDIO|MPI-IO|MPIIO|LUSTRE){TAB}-?\d{{1,12}}{TAB}\d{{1,20}}{TAB}(?:POSIX|STDIO|MPIIO|LUSTRE)_[A-Z0-9_]{{2,60}}{TAB}\S",
    re.MULTILINE,
)
"""A counter of a record, as somebody picks it out of a log."""
_KINDS = "# <file_type> <file_count> <total_bytes>"
"""Above the kinds of files of a module."""
_OPENS = re.compile(r"^total_(?:POSIX|STDIO|MPIIO_INDEP|CP_POSIX)_OPENS: ", re.MULTILINE)


def sniff(head: str) -> bool:
    """Whether darshan-parser's header stands here, says that there is none, or lies before totals or an estimate."""
    if "# darshan log version:" in head or "darshan_log_open" in head or FIRST_LINE_OF_TRACES in head:
        return True
    if _KINDS in head or ("_" in head and _ALONE.search(head)):
        return True
    return "# agg_perf_by_slowest: " in head or _OPENS.search(head) is not None


def parse(text: str) -> Parsed:
    """Read the job and every module.

    Raises
    ------
    ParseError
        If there is neither a job nor an error of darshan-parser.
    """
    parsed = Parsed({"tool": "Darshan", "statistic": "single"})
    readers = [Reader(parsed)]
    for at, line in trusted_lines(text, parsed):
        if line.startswith(_FIRST_LINE) and not readers[-1].is_empty:
            readers.append(Reader(parsed))
        readers[-1].take(line, at)
    for part, reader in enumerate(readers, start=1):
        reader.end({"part": float(part)} if len(readers) > 1 else {})
    samples = [sample for reader in readers for sample in reader.samples]
    parsed.series = columns(samples) if samples else {}
    if parsed.is_empty() and parsed.complete:
        raise refusal(EXPECTED, text)
    return parsed
<<<<<<< HEAD


class _Reader:
    """What has been read so far of one log of Darshan."""

    def __init__(self, parsed: Parsed) -> None:
        self.is_empty = True
        self.samples: list[Row] = []
        self._parsed = parsed
        self._header: Row = {}
        self._job: Row = {}
        self._keys: Row = {}
        self._listed: set[str] = set()
        self._modules: dict[str, Module] = {}
        self._module = _OLD
        self._others: list[Row] = []
        self._moved: Row = {}
        self._times: list[Row] = []
        self._traces = Traces(parsed)
        self._rules: Sequence[Rule] = (
            (_RECORD, self._record),
            (_TOTAL, self._total),
            (_SECTION, self._section),
            (_REGION, self._region),
            (_LIBRARY, self._library),
            (_KIND, self._kind),
            (_BYTES, self._bytes),
            (_SECONDS, self._seconds),
            (_TIME, self._time),
            (_ESTIMATE, self._estimate),
            (_HEADER, self._head),
            (_FAULT, self._fault),
            *self._traces.rules,
        )

    def take(self, line: str, at: int) -> None:
        """Read one line."""
        if not apply(self._rules, line, at) and _TORN.match(line):
            self._parsed.incomplete(f"expected a counter of Darshan, found {line.strip()[:60]!r}", at)

    def end(self, part: Row) -> None:
        """Hand over the rows, and say what is missing."""
        self._traces.end()
        has_traces = bool(self._traces.samples or self._traces.clients)
        for name in sorted(set() if has_traces else self._listed - self._modules.keys()):
            self._parsed.incomplete(f"the header lists the module {name}, which has no section")
        keys = part | self._keys
        self._parsed.header = self._header | self._parsed.header
        for name, module in self._modules.items():
            if name in _ALWAYS_PRINTED:
                module.check(self._parsed)
            self._others += module.runs(self._parsed)
            self._parsed.clients += [{**row, **keys} for row in module.clients(self._parsed)]
            self.samples += [{**row, **keys} for row in module.others()]
        self._parsed.clients += [{**row, **keys} for row in self._traces.clients]
        self.samples += [{**row, **keys} for row in self._traces.samples]
        self.samples += [{**row, **keys} for row in self._times]
        is_empty = self.is_empty and not (self._modules or self._others or has_traces)
        if not is_empty and not ("elapsed" in self._job and "processes" in keys):
            self._parsed.incomplete("the header lacks the run time or the number of processes")
        found = [self._job, *self._others] if "elapsed" in self._job else self._others
        self._parsed.runs += [{**row, **keys} for row in found]
        if self._moved:
            self._parsed.incomplete("the performance of a module is cut", int(self._moved["line"]))

    def _head(self, found: re.Match[str], at: int) -> None:
        name, value = found[1], found[2].strip()
        self.is_empty = False
        if name == "exe":
            self._header["command"] = value
        elif name == "darshan log version":
            self._header.setdefault("tool_version", value)
        elif name == "jobid":
            self._keys["job"] = value
        else:
            self._number(name, value, at)

    def _number(self, name: str, value: str, at: int) -> None:
        try:
            number = finite(value)
            if name == "nprocs":
                self._keys |= on(at, {"processes": number})
            elif name.startswith("run time"):
                self._job = {"operation": "job", "elapsed": number, "line": at}
            else:
                self._header[named(name)] = moment(number).isoformat()
        except ValueError:
            self._parsed.incomplete(f"expected a number behind {name!r}, found {value[:60]!r}", at)

    def _library(self, found: re.Match[str], at: int) -> None:
        self._header["tool_version"] = found[1]

    def _region(self, found: re.Match[str], at: int) -> None:
        if finite(found[2]) and found[1] in _ALWAYS_PRINTED:
            self._listed.add(found[1])

    def _section(self, found: re.Match[str], at: int) -> None:
        self._module = found[1]
        self._of(found[1])

    def _of(self, module: str) -> Module:
        return self._modules.setdefault(module, Module(module))

    def _record(self, found: re.Match[str], at: int) -> None:
        module, rank, record, counter, value, rest = found.groups()
        if value == _NO_NUMBER:
            self._of(module or _OLD).unknown.add(counter)
            return
        try:
            number = finite(value)
        except ValueError:
            self._parsed.incomplete(f"expected a number behind {counter}, found {value!r}", at)
            return
        cells = rest.split("\t") if "\t" in rest else rest.rsplit(maxsplit=2)
        if len(cells) < 3:
            self._parsed.incomplete("a record lacks its file, its mount or its file system", at)
        else:
            self._of(module or _OLD).add_record((rank, record), counter, number, cells, at)

    def _total(self, found: re.Match[str], at: int) -> None:
        try:
            self._of(self._module).totals[found[1]] = (finite(found[2]), at)
        except ValueError:
            self._parsed.incomplete(f"expected a number behind {found[1]}, found {found[2]!r}", at)

    def _kind(self, found: re.Match[str], at: int) -> None:
        api = "unknown" if self.is_empty and not self._modules else self._module
        row: Row = {"operation": "job", "api": api, "label": found[1]}
        self._others.append({**row, "files": finite(found[2]), "data_size": finite(found[3]), "line": at})

    def _bytes(self, found: re.Match[str], at: int) -> None:
        self._moved = {"operation": "job", "api": self._module, **on(at, {"data_size": finite(found[1])}), "line": at}

    def _seconds(self, found: re.Match[str], at: int) -> None:
        if not self._moved:
            self._parsed.incomplete("seconds of a transfer whose bytes are missing", at)
            return
        try:
            self._moved |= on(at, {"transfer_time": finite(found[1])})
        except ValueError:
            self._parsed.incomplete(f"expected seconds, found {found[1]!r}", at)

    def _time(self, found: re.Match[str], at: int) -> None:
        row: Row = {"operation": "", "api": self._module, "metric": f"{found[1] or ''}{found[2]}"}
        try:
            self._times.append({**row, "value": finite(found[3]), "unit": "s", "line": at})
        except ValueError:
            self._parsed.incomplete(f"expected seconds, found {found[3]!r}", at)

    def _estimate(self, found: re.Match[str], at: int) -> None:
        try:
            throughput = finite(found[2]) * MIB
        except ValueError:
            self._parsed.incomplete(f"expected MiB/s, found {found[2]!r}", at)
            return
        row: Row = {"operation": "job", "api": self._module, "throughput": throughput, "line": at}
        if found[1] != "slowest":
            self._others.append(row | {"label": f"agg_perf_by_{found[1]}"})
        else:
            self._others += [self._moved | row] if throughput else []
            self._moved = {}

    def _fault(self, found: re.Match[str], at: int) -> None:
        self._parsed.incomplete((found[1] or found[2] or found[3]).strip(), at)
=======
>>>>>>> h14n
