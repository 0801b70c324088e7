"""result.txt of the C application: sections of ``key = value`` between ``; START`` and ``; END``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from storagelab.parsers.benchmarks.io500.phases import command_keys, keys, positive, rate
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import on, settled
from storagelab.units import GIB, KB

END = "; END"
_SCORES = {"SCORE": "", "SCOREX": "extended"}
_REMARK = re.compile("ERROR|WARNING", re.IGNORECASE)
_DATE = re.compile(r"; (START|END) (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*")
_PLAIN = {
    "t_delta": ("elapsed", 1.0),
    "throughput-stonewall": ("throughput_stonewall", GIB),
    "rate-stonewall": ("operation_rate_stonewall", KB),
    "maxOpTime": ("latency_max", 1.0),
    "found": ("files", 1.0),
    "total-files": ("operations", 1.0),
    "nproc": ("processes", 1.0),
}


@dataclass(slots=True)
class Section:
    """One section: its values and the lines on which they stand."""

    name: str
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


def read(numbered: Sequence[str], parsed: Parsed) -> None:
    """Read all sections; several results in one text are parts."""
    part, parts = 0, sum(line.strip() == "[run]" for line in numbered)
    ended = True
    mode = ""
    for section in _sections(numbered, parsed):
        if section.name == "run":
            part += 1
            mode = section.values.get("mode", "")
            if parts == 1:
                _put_header(section, parsed)
        own: Row = {"part": float(part)} if parts > 1 else {}
        _add(section, own, parsed)
    ends = sum(bool(_DATE.fullmatch(line)) and line.startswith(END) for line in numbered)
    ended = ends >= max(parts, 1)
    if not ended:
        parsed.incomplete("there is no '; END' for each result", len(numbered))
    elif mode == "extended" and not any(row.get("label") == "extended" for row in parsed.runs):
        parsed.incomplete("an extended run has no [SCOREX]", len(numbered))


def _sections(numbered: Sequence[str], parsed: Parsed) -> list[Section]:
    sections: list[Section] = []
    for number, line in enumerate(numbered, 1):
        text = line.strip()
        date = _DATE.fullmatch(text)
        if date:
            parsed.header["started" if date[1] == "START" else "ended"] = f"{date[2]}T{date[3]}"
        elif text.startswith("[") and text.endswith("]"):
            sections.append(Section(text[1:-1]))
        elif "=" in text and sections and not text.startswith(";"):
            name, _, value = map(str.strip, text.partition("="))
            if name in sections[-1].values:
                parsed.incomplete(
                    f"expected the line of another section than [{sections[-1].name}] above its {name!r}", number
                )
                sections.append(Section(""))
            sections[-1].values[name] = value
            sections[-1].lines[name] = number
        elif text and not text.startswith(";") and not _REMARK.search(text):
            parsed.incomplete("neither a section nor 'key = value' nor a comment", number)
    return sections


def _put_header(section: Section, parsed: Parsed) -> None:
    if section.values.get("version"):
        parsed.header["tool_version"] = section.values["version"]
    if section.values.get("procs", "").isdecimal():
        parsed.header["processes"] = float(section.values["procs"])


def _add(section: Section, own: Row, parsed: Parsed) -> None:
    """Add the rows of a phase or a score; a value that is no number makes the log incomplete."""
    if "SCORE" in section.values and section.name not in _SCORES:
        parsed.incomplete("expected the line '[SCORE]' above the score", section.lines["SCORE"])
    try:
        rows = _score(section) if section.name in _SCORES else _phase(section)
        parsed.runs += [{**own, **row} for row in rows]
    except ValueError as error:
        parsed.incomplete(f"section [{section.name}]: {error}", min(section.lines.values(), default=0))


def _phase(section: Section) -> list[Row]:
    values = section.values
    if not section.name or ("score" not in values and "t_delta" not in values):
        return []
    common = {**keys(section.name), **on(section.lines.get("exe", 0), command_keys(values.get("exe", "")))}
    score, mark = _verdict(section, "score")
    row = {**common, **rate(score, _unit(section.name))}
    for name, (variable, factor) in _PLAIN.items():
        row |= _under(section, name, variable, factor)
    if mark:
        row["valid"] = "invalid"
    row["line"] = section.lines.get("score") or section.lines["t_delta"]
    return [settled(row), *_iterations(section, common)]


def _verdict(section: Section, name: str) -> tuple[str, bool]:
    """Return a score and whether ``[INVALID]`` stands behind it; an empty one is no number."""
    words = section.values.get(name, "0").split()
    return words[0] if words else "", len(words) > 1


def _unit(phase: str) -> str:
    return "GiB/s" if phase.startswith("ior") else "kIOPS"


def _iterations(section: Section, common: Row) -> list[Row]:
    """Rows of md-workbench's iterations, ``scoreIteration0`` and so on."""
    rows: list[Row] = []
    for name, value in section.values.items():
        index = name.removeprefix("scoreIteration")
        if index != name and index.isdecimal():
            slowest = _under(section, f"maxOpTime{index}", "latency_max")
            result = rate(value, _unit(section.name))
            rows.append({**common, **result, **slowest, "iteration": float(index), "line": section.lines[name]})
    return rows


def _under(section: Section, key: str, name: str, factor: float = 1.0) -> Row:
    """Value of a key, with its line."""
    return on(section.lines.get(key, 0), positive(name, section.values.get(key, "0"), factor))


def _score(section: Section) -> list[Row]:
    values = section.values
    if "SCORE" not in values:
        return []
    score, mark = _verdict(section, "SCORE")
    row: Row = {
        "operation": "score",
        "job": section.name,
        **positive("score", score),
        **_under(section, "BW", "throughput", GIB),
    }
    row |= _under(section, "MD", "operation_rate", KB)
    if _SCORES[section.name]:
        row["label"] = _SCORES[section.name]
    if mark:
        row["valid"] = "invalid"
    return [{**row, "line": section.lines["SCORE"]}]
