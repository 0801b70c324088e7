"""smallfile: files created, read, renamed, ... by the threads of one or more hosts, as text and as ``--output-json``.

A row of `runs` a test, a row of `clients` a thread of a host (`process`, `host`). `file_rate` are files a second;
`operation_rate` are I/O operations (records) a second, or files where no data move. `elapsed` is that of the slowest
thread. KB, MB and GB are powers of 1024 in all versions. `progress` is the share of the files that were asked for.
``total IOPS`` is left alone: some versions print records there, some a rate. JSON of 3.0 and 3.1 has hyphens in its
names and threads below their host, of which only the last host is there. Printed by smallfile_cli.py and
output_results.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from storagelab.parsers.declared_checks import Checks, options
from storagelab.parsers.file_system_calls import operation_of
from storagelab.parsers.json_text import LINE, Lines, Tree, line_within, mapping, objects, quantity
from storagelab.parsers.line_formats import Rule, apply, in_its_words, trusted_lines, with_parts
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.text import finite
from storagelab.parsers.values_on_several_lines import of_names, on, settled
from storagelab.schema import line_of
from storagelab.units import GIB, KIB, MIB, PERCENT

CHECKS = Checks(
    together=(
        options(
            "hosts in test",
            "top test directory(s)",
            "operation",
            "files/thread",
            "threads",
            "file size (KB)",
            "threads share directories?",
            "stonewall?",
        ),
    )
)

FORMAT = Format(
    name="smallfile",
    tool="smallfile",
    versions="1.x to 3.2",
    reads="console output, --output-json",
    source="distributed-system-analysis/smallfile, output_results.py, smallfile_cli.py",
    marks=("thr", "thread elapsed status", "threads", "stonewall"),
    forms=(
        ("smallfile version ", "hosts in test : ", "top test directory(s) : ", ",thr = ", "total threads = "),
        ('"host_set":', '"host-set":'),
    ),
    checks=CHECKS,
)

EXPECTED = "results of smallfile ('files/sec = 661.9', or JSON with 'filesPerSec')"
_OWN = {"rename": "file_rename", "overwrite": "rewrite", "truncate-overwrite": "rewrite", "delete-renamed": "delete",
        "swift-put": "put", "swift-get": "get"}  # fmt: skip
_SETTING = re.compile(
    r"^\s*(version|operation|files/thread|threads|(?:record|file) size \(KB\b[^:]{0,40}|total hosts) : (\S{1,200})\s*$"
)
_THREAD = re.compile(
    r"host = (\S{1,200}),\s?thr(?:ead)? = (\S{1,40}),\s?elapsed(?: sec\.| time)? = (\S{1,40}),\s?(?:total )?"
    r"files = (\d{1,18}),\s?(?:total_)?records = (\d{1,18}),\s?status = (.{1,200})$"
)
_SUM = re.compile(r"elapsed time = ([\d.,]{1,40}), total files = (\d{1,18}), total_records = (\d{1,18})\s*$")
"""Of the threads of one host, before 2.0, which does not say how many they are."""
_OLD_VERSION = re.compile(r"smallfile version (\S{1,40})\s*$")
_RESULT = re.compile(
    r"(total threads|total files|total data|elapsed time|files/sec|IOPS|MiB/sec|MB/sec) = +([\d.,]{1,40})(?: Gi?B)?\s*$"
)
_OLD_RESULT = re.compile(
    r"([\d.,]{1,40}) (sec elapsed time|files/sec|IOPS|MiB/sec|MB/sec)(?:, ([\d.,]{1,40}) (files/sec|MB/sec))?\s*$"
)
_DONE = re.compile(r"^\s*([\d.,]{1,20})% of requested files processed")
_FAULT = re.compile(
    r"^.{0,200}?(?:SMFResultException|not enough total files|thread encountered error|failed to get some)"
)
_TORN = re.compile(
    r"host = |(?:elapsed time|files/sec|IOPS|MiB/sec|total (?:threads|files|data))\b|total +=|host +\S+,thr"
    r"|\s*(?:files/thread|(?:record|file)\s.{0,20}\(KB|threads\s++(?::\s*+)?\d|total\s{2,}:|total hosts\s)"
)
_SETTINGS = {"files/thread": ("items", 1.0), "total hosts": ("clients", 1.0)}
_RESULTS = {
    "total files": ("files", 1.0),
    "total data": ("data_size", GIB),
    "elapsed time": ("elapsed", 1.0),
    "sec elapsed time": ("elapsed", 1.0),
    "files/sec": ("file_rate", 1.0),
    "IOPS": ("operation_rate", 1.0),
    "MiB/sec": ("throughput", MIB),
    "MB/sec": ("throughput", MIB),
}
_JSON = {
    "elapsed": ("elapsed", 1.0),
    "files": ("files", 1.0),
    "records": ("operations", 1.0),
    "filesPerSec": ("file_rate", 1.0),
    "IOPS": ("operation_rate", 1.0),
    "MiBps": ("throughput", MIB),
    "totalDataGB": ("data_size", GIB),
    "pctFilesDone": ("progress", PERCENT),
    "startTime": ("start_time", 1.0),
    "files-per-sec": ("file_rate", 1.0),
    "total-data-GB": ("data_size", GIB),
    "pct-files-done": ("progress", PERCENT),
    "start-time": ("start_time", 1.0),
    "total-threads": ("processes", 1.0),
}
_OF_JSON = ('"files_per_thread"', '"files-per-thread"')
_JSON_SETTINGS = {
    "files_per_thread": ("items", 1.0),
    "files-per-thread": ("items", 1.0),
    "file_size": ("file_size", KIB),
    "file-size": ("file_size", KIB),
    "total_hosts": ("clients", 1.0),
}


def sniff(head: str) -> bool:
    """Whether smallfile's settings, a thread of it or its JSON stand here."""
    return (
        "threads share directories?" in head
        or ("host = " in head and any(map(_THREAD.match, head.split("\n"))))
        or ('"stonewall"' in head and any(name in head for name in _OF_JSON))
    )


def parse(text: str) -> Parsed:
    """Read every test.

    Raises
    ------
    ParseError
        If there is none.
    """
    parsed = Parsed({"tool": "smallfile", "statistic": "single"})
    if any(name in text for name in _OF_JSON):
        _read_json(text, parsed)
    else:
        _Report(parsed).read(text)
    return with_parts(parsed, EXPECTED, text)


def _operation(word: str) -> Row:
    operation = _OWN.get(word) or operation_of(word)
    return {"operation": operation} if operation else {"operation": "unknown", "label": word}


class _Report:
    """What has been read so far of the console output."""

    def __init__(self, parsed: Parsed) -> None:
        self._parsed = parsed
        self._keys: Row = {"operation": "unknown"}
        self._row: Row = {}
        self._threads: list[Row] = []
        self._wanted, self._wanted_at = 0.0, 0
        self._each, self._each_at = 0.0, 0
        self._has_begun = self._moves_data = False
        self._rules: Sequence[Rule] = (
            (_THREAD, self._thread),
            (_SUM, self._sum),
            (_OLD_VERSION, self._old_version),
            (_RESULT, self._result),
            (_OLD_RESULT, self._old_result),
            (_DONE, self._done),
            (_SETTING, self._setting),
            (_FAULT, self._fault),
        )

    def read(self, text: str) -> None:
        """Read a whole log."""
        lines = trusted_lines(text, self._parsed)
        for at, line in lines:
            if not apply(self._rules, line, at) and _TORN.match(line):
                self._parsed.incomplete(f"expected a result of smallfile, found {line.strip()[:60]!r}", at)
        self._end(len(lines))

    def _setting(self, found: re.Match[str], at: int) -> None:
        name, value = found[1], found[2]
        if name == "version":
            self._begin(value, at)
        elif name == "operation":
            self._keys |= _operation(value)
        elif not value.isdecimal():
            return
        elif name == "threads":
            self._each, self._each_at = finite(value), at
        elif name.startswith(("record", "file size")):
            size: Row = {f"{name.partition(' ')[0]}_size": finite(value) * KIB}
            self._keys |= on(at, size) if finite(value) else {}
        else:
            short, factor = _SETTINGS[name]
            self._keys |= on(at, {short: finite(value) * factor})

    def _old_version(self, found: re.Match[str], at: int) -> None:
        self._begin(found[1], at)

    def _begin(self, version: str, at: int) -> None:
        self._end(at)
        self._has_begun = True
        self._parsed.header["tool_version"] = version

    def _thread(self, found: re.Match[str], at: int) -> None:
        self._has_begun = True
        try:
            elapsed = finite(found[3])
        except ValueError:
            self._parsed.incomplete(f"expected seconds, found {found[3]!r}", at)
            return
        row: Row = {"share": "process", "host": found[1], "process": found[2], "elapsed": elapsed}
        row |= {"files": finite(found[4])} | ({"operations": finite(found[5])} if finite(found[5]) else {})
        self._threads.append({**row, "line": at})
        if found[6].strip() != "ok":
            self._parsed.incomplete(f"thread {found[2]} of {found[1]}: {found[6].strip()}", at)

    def _result(self, found: re.Match[str], at: int) -> None:
        self._take(found[1], found[2], at)

    def _old_result(self, found: re.Match[str], at: int) -> None:
        if found[2] != "sec elapsed time" or "elapsed" not in self._row:
            self._take(found[2], found[1], at)
        if found[4]:
            self._take(found[4], found[3], at)

    def _sum(self, found: re.Match[str], at: int) -> None:
        self._wanted, self._wanted_at = self._each or float(len(self._threads)), self._each_at
        self._take("elapsed time", found[1], at)
        self._take("total files", found[2], at)
        self._moves_data = finite(found[3]) > 0

    def _take(self, name: str, printed: str, at: int) -> None:
        try:
            value = finite(printed)
        except ValueError:
            self._parsed.incomplete(f"{name}: expected a number, found {printed!r}", at)
            return
        self._has_begun = True
        if name == "total threads":
            self._wanted, self._wanted_at = value, at
            return
        short, factor = _RESULTS[name]
        self._row |= on(at, {short: value * factor})
        if short == "file_rate":
            self._row["line"] = at

    def _done(self, found: re.Match[str], at: int) -> None:
        self._row |= on(at, {"progress": finite(found[1]) * PERCENT})

    def _fault(self, found: re.Match[str], at: int) -> None:
        self._parsed.incomplete(in_its_words(found), at)

    def _end(self, at: int) -> None:
        """Hand over a test, and say what it lacks."""
        if self._has_begun and not self._wanted:
            self._parsed.incomplete("the test does not say how many threads it had", at)
        elif self._wanted != len(self._threads):
            self._parsed.incomplete(f"expected {self._wanted:.0f} threads, found {len(self._threads)}", at)
        wanted = {"elapsed", "file_rate", "files"} | (
            {"throughput", "operation_rate"} if "data_size" in self._row or self._moves_data else set()
        )
        if self._has_begun and not wanted <= self._row.keys():
            self._parsed.incomplete(f"the test lacks {', '.join(sorted(wanted - self._row.keys()))}", at)
        keys = self._keys | (on(self._wanted_at, {"processes": self._wanted}) if self._wanted_at else {})
        if "file_rate" in self._row:
            row = self._row if self._moves_data else _with_rate(self._row)
            self._parsed.runs.append(settled(keys | row))
        operation = {name: self._keys[name] for name in ("operation", "label") if name in self._keys}
        self._parsed.clients += [operation | row for row in self._threads]
        self._keys, self._row, self._threads, self._wanted = {"operation": "unknown"}, {}, [], 0.0
        self._wanted_at, self._each, self._each_at = 0, 0.0, 0
        self._has_begun = self._moves_data = False


def _with_rate(row: Row) -> Row:
    """Files are the operations where no data moved."""
    if "operation_rate" in row:
        return row
    return row | on(float(line_of(row, "file_rate")), {"operation_rate": row["file_rate"]})


def _read_json(text: str, parsed: Parsed) -> None:
    for found in objects(text):
        settings, results = mapping(found.body.get("params")), mapping(found.body.get("results"))
        lines = Lines(text, found.start, found.line)
        if not found.whole or "\ufffd" in text:
            parsed.incomplete("the JSON breaks off or is damaged", lines.of("params"))
        if settings:
            _test(settings, results, lines, parsed)


def _test(settings: Mapping[str, Any], results: Mapping[str, Any], lines: Lines, parsed: Parsed) -> None:
    keys = _operation(str(settings.get("operation")))
    parsed.header |= {"tool_version": str(settings["version"])} if "version" in settings else {}
    found = ((short, factor, quantity(settings, name)) for name, (short, factor) in _JSON_SETTINGS.items())
    each: Row = {short: value * factor for short, factor, value in found if value}
    each |= {"clients": float(len(str(settings["host-set"]).split(",")))} if "host-set" in settings else {}
    names = {name: short for name, (short, _) in _JSON_SETTINGS.items()} | {"host-set": "clients"}
    each |= of_names(names, lines.next_object("params", settings), each)
    places = lines.next_object("results", results)
    row = _figures(results, places)
    if not {"elapsed", "files", "file_rate"} <= row.keys():
        parsed.incomplete("the results lack elapsed, files or filesPerSec", places[LINE])
        return
    status = results.get("status")
    if status is not None and str(status).lower() not in ("success", "ok"):
        parsed.incomplete(f"status: {status}")
    line = line_within(places, "filesPerSec" if "filesPerSec" in results else "files-per-sec")
    parsed.runs.append(settled({**keys, **each, **_processes(settings), **_with_rate(row | {"line": line})}))
    for who, share, tree in _threads(results, places):
        at = line_within({LINE: line, **tree}, LINE)
        parsed.clients.append(settled({**keys, "share": "process", **who, **_figures(share, tree), "line": at}))


def _threads(results: Mapping[str, Any], places: Tree) -> Iterator[tuple[Row, Mapping[str, Any], Tree]]:
    """Yield who each thread is, what it did, and the lines of that."""
    nobodys: Row = {}
    of_hosts = [(nobodys, results, places, "thread"), (nobodys, results, places, "in-thread")]
    hosts, trees = mapping(results.get("in-host")), mapping(places.get("in-host"))
    of_hosts += [({"host": host}, mapping(hosts[host]), mapping(trees.get(host)), "in-thread") for host in hosts]
    for host, body, tree, name in of_hosts:
        of_threads = mapping(tree.get(name))
        for thread, share in mapping(body.get(name)).items():
            yield {**host, "process": thread}, mapping(share), mapping(of_threads.get(thread))


def _processes(settings: Mapping[str, Any]) -> Row:
    each, hosts = quantity(settings, "threads"), quantity(settings, "total_hosts")
    return {"processes": each * hosts} if each and hosts else {}


def _figures(results: Mapping[str, Any], lines: Tree) -> Row:
    found = ((short, factor, quantity(results, name)) for name, (short, factor) in _JSON.items())
    row = {short: value * factor for short, factor, value in found if value or (value == 0 and short == "progress")}
    return row | of_names({name: short for name, (short, _) in _JSON.items()}, lines, row)
