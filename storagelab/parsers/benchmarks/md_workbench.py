"""md-workbench: metadata as many users at once make them, phase after phase.

A line a phase (``precreate``, ``benchmark``, ``cleanup``), ``benchmark process max:8.1s min:8.0s mean: 8.1s
balance:99.0 stddev:0.0 rate:15234.1 iops/s objects:30000 rate:3808.5 obj/s tp:28.3 MiB/s op-max:1.2345e-02s (0
errs)``, with quantiles of single operations behind it, ``read(min, q1, median, q3, q90, q99, max)``. Printed by
md-workbench.c of IOR (print_p_stat), before that of JulianKunkel/md-workbench.

A row of `runs` a phase: ``benchmark`` is `mixed_workload`, ``precreate`` `file_create`, ``cleanup`` `file_remove`,
with the phase in `phase`; `operation_rate` are operations a second, `file_rate` objects a second, `throughput` MiB/s
of 2^20 bytes, which versions of its own repository write ``Mib/s``. `elapsed` is that of the slowest process,
`elapsed_min` and `elapsed_std` those of all; their mean is a row of `statistic` "mean", and ``balance`` is the
shortest over the longest in percent; one process alone has no deviation (``stddev:-nan``). A row for each operation
that has quantiles, with its name in `label`; of a single operation some are memory that was never written, and left
out. With ``--process-reports`` each process has a line: rows of `clients`.

In 2017 it was called MD-REAL-IO, and a phase was ``benchmark 358.9s 25680.4 iops/s 2304000 obj 6420.1 obj/s 47.8 Mib/s
(0 errs)``, with data sets, ``16000 dset`` and ``11.942 dset/s``, among the objects of the other two; time and rates are
those of the slowest process, and the options above them say the size of an object. Until 2016 it printed a summary of
all phases (md_real_io.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from storagelab.parsers.benchmarks import md_real_io
from storagelab.parsers.declared_checks import Agreement
from storagelab.parsers.line_formats import Rule, apply, in_its_words, refusal, trusted_lines
from storagelab.parsers.model import Format, Parsed, Row
from storagelab.parsers.row_checks import rate_fits
from storagelab.parsers.text import finite
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import MIB, PERCENT

FORMAT = Format(
    name="md-workbench",
    tool="md-workbench",
    versions="MD-REAL-IO, md-workbench 1.0, IOR 3.3 to 4.x",
    reads="phases and processes",
    source="IOR, src/md-workbench.c (print_p_stat)",
    marks=("precreate", "benchmark", "cleanup", "MD REAL IO"),
    forms=(
        ("MD-Workbench total objects: ", "MD-REAL-IO total objects: ", " process max:"),
        (md_real_io.MARK,),
    ),
)

EXPECTED = "a phase of md-workbench ('benchmark process max:8.1s ... rate:15234.1 iops/s')"
_PHASE = re.compile(r"^[\s#]*(?:(\d{1,7}): )?(precreate|benchmark|cleanup) process max:(\S{1,30})s (.{1,4000})$")
_NUMBER = r"\d[\d.]{0,29}"
_PHASE_OF_REAL_IO = re.compile(
    rf"^\s*(?:(?P<rank>\d{{1,7}}): )?(?P<phase>precreate|benchmark|cleanup) (?P<elapsed>{_NUMBER})s "
    rf"(?P<operation_rate>{_NUMBER}) iops/s (?:\d{{1,18}} dset )?(?P<files>\d{{1,18}}) obj (?:\d{{1,18}} dset )?"
    rf"(?:{_NUMBER} dset/s )?(?P<file_rate>{_NUMBER}) obj/s(?: {_NUMBER} dset/s)?"
    rf"(?: (?P<throughput>{_NUMBER}) Mib/s)?(?: \((?P<errors>\d{{1,18}}) errs(?:!!!)?\))?\s*$"
)
_ASKED = re.compile(r"^\s*(?:run-(?P<phase>precreate|benchmark|cleanup)|iterations=(?P<times>\d{1,9}))\s*$")
_OBJECT_SIZE = re.compile(r"^\s*object-size=(\d{1,18})\s*$")
_TORN = re.compile(
    r"\s*(?:\d{1,7}: )?(?:(?:precreate|benchmark|cleanup)\s.{0,80}(?:max:|balance:|rate:|(?:iops|obj|dset)/s)"
    r"|.{0,80}process\s+max:)"
)
_FIGURES = {
    "elapsed_min": (re.compile(r"\bmin:(\S{1,30})s\b"), 1.0),
    "elapsed_balance": (re.compile(r"\bbalance:(\S{1,30})(?=\s)"), PERCENT),
    "elapsed_std": (re.compile(r"\bstddev:(\S{1,30})(?=\s)"), 1.0),
    "operation_rate": (re.compile(r"\brate:(\S{1,30}) iops/s"), 1.0),
    "file_rate": (re.compile(r"\brate:(\S{1,30}) obj/s"), 1.0),
    "files": (re.compile(r"\bobjects:(\d{1,18})\b"), 1.0),
    "throughput": (re.compile(r"\btp:(\S{1,30}) Mi[Bb]/s"), MIB),
    "latency_max": (re.compile(r"\bop-max:(\S{1,30})s\b"), 1.0),
    "errors": (re.compile(r"\((\d{1,18}) errs(?:!!!)?\)"), 1.0),
}
_LEAST = 1e-30
"""Seconds of which less is what stood in memory."""
_OF_NONE = re.compile(r"\bstddev:-?nan(?=\s)")
_SPANS = (("files", "file_rate", "elapsed"),)
_MEAN = re.compile(r"\bmean: {0,3}(\S{1,30})s\b")
_ANNOUNCED = re.compile(r"\bmin:|\bbalance:|\bstddev:|\brate:|\bobjects:|\btp:|\bop-max:|\berrs\b")
_DATASETS = re.compile(r"\brate:(\S{1,30}) dset/s")
_QUANTILES = re.compile(r"\b(read|stat|create|delete)\(([^()]{1,300})\)")
_NAMES = ("latency_min", "latency_p25", "latency_p50", "latency_p75", "latency_p90", "latency_p99", "latency_max")
_OPERATIONS = {"precreate": "file_create", "benchmark": "mixed_workload", "cleanup": "file_remove", "read": "file_read",
               "stat": "file_stat", "create": "file_create", "delete": "file_remove"}  # fmt: skip
_ENDED = re.compile(r"^\s*Total runtime: (\S{1,30})s time: (\S.{0,60})$")
_BEGUN = re.compile(r"^\s*(MD-(?:Workbench|REAL-IO) total objects: |Args: \S{0,300}md-?workbench)")
_ALL = frozenset({"precreate", "benchmark", "cleanup"})
_CHOSEN = re.compile(r"\s-[a-zA-Z]{0,8}[123](?=\s|$)|--run-(?:precreate|benchmark|cleanup)")
"""Options that ask for some phases alone."""
_FAILED = re.compile(r"^.{0,200}?(?:ERROR|Error while|Unable to open file)")


def sniff(head: str) -> bool:
    """Whether a phase of md-workbench stands here."""
    if "MD-Workbench total objects" in head or "MD-REAL-IO total objects" in head or md_real_io.MARK in head:
        return True
    return any(
        mark in head and any(map(phase.match, head.split("\n")))
        for mark, phase in (("process max:", _PHASE), (" iops/s ", _PHASE_OF_REAL_IO))
    )


def parse(text: str) -> Parsed:
    """Read every phase.

    Raises
    ------
    ParseError
        If there is none.
    """
    if md_real_io.is_one(text):
        return _told_of_others(md_real_io.read(text), text)
    parsed = Parsed({"tool": "md-workbench", "statistic": "single"})
    reader = _Phases(parsed)
    for at, line in trusted_lines(text, parsed):
        if not apply(reader.rules, line, at) and _TORN.match(line):
            parsed.incomplete(f"expected a phase of md-workbench, found {line.strip()[:60]!r}", at)
    if reader.has_begun and not reader.has_ended:
        parsed.incomplete("md-workbench does not say how long it ran: it did not end, or the log is cut")
    reader.hold()
    reader.share_size()
    if parsed.is_empty():
        raise refusal(EXPECTED, text)
    return parsed


def _told_of_others(parsed: Parsed, text: str) -> Parsed:
    """Say where phases on lines of their own stand beside a summary: each form is read by itself."""
    for at, line in enumerate(text.split("\n"), 1):
        if _PHASE.match(line) or _PHASE_OF_REAL_IO.match(line):
            parsed.incomplete("phases of a later version stand here, which are not read with the summary", at)
            break
    return parsed


class _Phases:
    """What has been read so far."""

    def __init__(self, parsed: Parsed) -> None:
        self.has_begun = self.has_ended = False
        self._parsed = parsed
        self._phases = 0
        self._size: Row = {}
        self._runs_all = False
        self._asked: set[str] = set()
        self._times = 1
        self.rules: Sequence[Rule] = (
            (_PHASE, self._phase),
            (_PHASE_OF_REAL_IO, self._phase_of_real_io),
            (_OBJECT_SIZE, self._object_size),
            (_ASKED, self._ask),
            (_ENDED, self._end),
            (_BEGUN, self._begin),
            (_FAILED, self._fail),
        )

    def _begin(self, found: re.Match[str], at: int) -> None:
        self.has_begun, self.has_ended = True, False
        self._runs_all = self._runs_all or (found[1].startswith("Args") and not _CHOSEN.search(found.string))

    def _end(self, found: re.Match[str], at: int) -> None:
        self.has_ended = True

    def _ask(self, found: re.Match[str], at: int) -> None:
        """Take an option that says which phases run, or how often the benchmark does."""
        if found["times"]:
            self._times = int(found["times"])
        else:
            self._asked.add(found["phase"])

    def _hold_asked(self) -> None:
        """Say which phases are missing of those that the options ask for."""
        had = Counter(str(row["phase"]) for row in self._parsed.runs if row.keys().isdisjoint(("label", "statistic")))
        for phase in [phase for phase in _OPERATIONS if phase in self._asked]:
            wanted = self._times if phase == "benchmark" else 1
            if had[phase] < wanted:
                self._parsed.incomplete(f"expected the phase {phase} {wanted} times, found it {had[phase]} times")

    def _object_size(self, found: re.Match[str], at: int) -> None:
        self._size = on(at, {"file_size": float(found[1])})

    def hold(self) -> None:
        """Say which phase is missing of a run of all, and where objects of processes are not those of their phase."""
        phases = {str(row["phase"]): row for row in self._parsed.runs if row.keys().isdisjoint(("label", "statistic"))}
        if self.has_ended:
            self._hold_asked()
        if self._runs_all and self.has_ended:
            for phase in [phase for phase in _OPERATIONS if phase in _ALL and phase not in phases]:
                self._parsed.incomplete(f"expected the phase {phase}, found {', '.join(phases) or 'none'}")
        for phase in dict.fromkeys(str(row["phase"]) for row in self._parsed.clients):
            own = [row for row in self._parsed.clients if row["phase"] == phase and "label" not in row]
            found = sum(float(row.get("files", 0)) for row in own)
            if len(phases) == self._phases and phase in phases and found != phases[phase].get("files"):
                said = f"expected the {phases[phase].get('files', 0):g} objects of {phase} in its processes"
                self._parsed.incomplete(f"{said}, found {found:g}", int(own[0]["line"]))

    def share_size(self) -> None:
        """Put the size of objects into the header, where it is that of all phases."""
        rows = [*self._parsed.runs, *self._parsed.clients]
        if rows and all(row.get("file_size") == self._size.get("file_size") for row in rows):
            self._parsed.header |= self._size
            for row in rows:
                for name in self._size:
                    row.pop(name, None)

    def _fail(self, found: re.Match[str], at: int) -> None:
        if self.has_begun or self._phases:
            self._parsed.incomplete(in_its_words(found), at)

    def _phase(self, found: re.Match[str], at: int) -> None:
        rank, phase, elapsed, rest = found.groups()
        rest = _OF_NONE.sub("", rest)
        figures = ((name, pattern.search(rest), factor) for name, (pattern, factor) in _FIGURES.items())
        try:
            row: Row = {"operation": _OPERATIONS[phase], "phase": phase, "elapsed": finite(elapsed)}
            row |= {name: finite(figure[1]) * factor for name, figure, factor in figures if figure}
            mean = [finite(printed) for printed in _MEAN.findall(rest)[:1]]
            quantiles = [_quantiles(name, inside, phase) for name, inside in _QUANTILES.findall(rest)]
        except ValueError as error:
            self._parsed.incomplete(f"expected the numbers of a phase, found {error}", at)
            return
        wanted = len(_ANNOUNCED.findall(rest)) - len(_DATASETS.findall(rest))
        if len(row) - 3 != wanted or "operation_rate" not in row:
            self._parsed.incomplete("the phase lacks a number", at)
        of_all: Row = {"operation": _OPERATIONS[phase], "phase": phase, "statistic": "mean"}
        means: list[Row] = [{**of_all, "elapsed": seconds} for seconds in mean]
        self._add([row, *means, *quantiles], rank, elapsed, at)

    def _phase_of_real_io(self, found: re.Match[str], at: int) -> None:
        self._parsed.header["tool"] = "md-real-io"
        rank, phase, elapsed = found.group("rank", "phase", "elapsed")
        row: Row = {"operation": _OPERATIONS[phase], "phase": phase}
        factors = {"throughput": MIB}
        try:
            row |= {
                name: finite(printed) * factors.get(name, 1.0)
                for name, printed in found.groupdict().items()
                if printed and name not in ("rank", "phase")
            }
        except ValueError as error:
            self._parsed.incomplete(f"expected the numbers of a phase, found {error}", at)
            return
        if (phase != "cleanup") != ("throughput" in row):
            self._parsed.incomplete("the phase lacks a number", at)
        self._add([row], rank, elapsed, at)

    def _add(self, rows: Sequence[Row], rank: str, elapsed: str, at: int) -> None:
        """Add the rows of a line, of all processes or of one, the row of the phase first."""
        if not rank:
            self._phases += 1
        whose: Row = {"share": "rank", "process": rank} if rank else {}
        common: Row = {"part": float(max(self._phases, 1)), "line": at, **self._size}
        placed = [{**whose, **row, **common} for row in rows]
        (self._parsed.clients if rank else self._parsed.runs).extend(placed)
        rate_fits(self._parsed, placed[0], _agreement(elapsed), _SPANS)


def _agreement(elapsed: str) -> Agreement:
    """How well objects over seconds agree with their rate: seconds have one digit in version 1.0, and two in IOR."""
    return Agreement(0.01, seconds=0.05 if len(elapsed.partition(".")[2]) < 2 else 0.005, rate=0.05)


def _quantiles(name: str, inside: str, phase: str) -> Row:
    """Make the row of one operation."""
    values = [finite(word.strip().removesuffix("s")) for word in inside.split(",")]
    named = {key: value for key, value in zip(_NAMES, values, strict=True) if value > _LEAST}
    return {"operation": _OPERATIONS[name], "phase": phase, "label": name} | named
