"""IO500's lines of results: result_summary.txt, stdout, the script's log, and the drafts of 2017."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from storagelab.parsers.benchmarks.io500.phases import command_keys, keys, positive, rate
from storagelab.parsers.benchmarks.io500.runs import MEASURED, Runs
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.values_on_several_lines import on
from storagelab.units import GIB, KB, MIB

_DRAFT = re.compile(
    r"\d/((?:md|ior)-(?:easy|hard)-\w+|md-real-io|find)(?: \(\w+\))?"
    r"\s+(\w+):\s*([\d.,]++)\s*+(\S*?/s)?\s*time:\s*([\d.,]+)s\s*"
)
_DRAFT_SCORE = re.compile(r"IO-500 (?:(bw|md) )?score:\s+([\d.]+)(?: (?:MB/s|IOPS))?\s*")
_REAL_RATE = re.compile(r"bw\d=([\d.]+)\s+md-real-bw\s*")
_DATE = re.compile(r"date=(\d{4})\.(\d\d)\.(\d\d)-(\d\d)\.(\d\d)\.(\d\d)\s*")
_RUNTIME = re.compile(r"ERROR INVALID (\(\S{1,99}\.c:\d+\) )?.{0,99}?Runtime of phase \(([\d.]+)\)")
_PAIRS = re.compile(r"\s*(\d+): stonewalling pairs accessed: (\d+)\s*")
_MARKS = ("[RESULT", "[      ]", "[ ]")
"""Where the number of a phase that is not scored stands beside, its mark is empty; pages print one blank of it."""
_MATCHED = re.compile(r"\[FIND\] MATCHED (\d+)/(\d+) in ([\d.,]+) seconds\s*")


def speaks(text: str) -> bool:
    """Whether results stand in lines rather than in sections."""
    return any(mark in text for mark in ("[RESULT]", "[Result]", "[SCORE ] ", "[SCORE] ", "[RESULT-invalid]"))


def read(numbered: Sequence[str], parsed: Parsed) -> None:
    """Read every line that IO500 itself prints."""
    runs = Runs(parsed)
    for number, line in enumerate(numbered, 1):
        for mark, take in _READERS:
            if mark in line:
                try:
                    take(line, number, runs)
                except (ValueError, IndexError):
                    parsed.incomplete(f"cannot read {line.strip()[:80]!r}", number)
                break
    runs.close(len(numbered))


def _result(line: str, number: int, runs: Runs) -> None:
    """Read ``[RESULT] ior-easy-write 10.6 GiB/s : time 35.0 seconds [INVALID]`` and its older spellings."""
    before, colon, after = line[_mark(line) :].partition(": time")
    tag, _, rest = before[1:].partition("]")
    if not colon:
        raise ValueError(line)
    words = rest.split()
    if words[0] in ("BW", "IOPS"):
        words = words[3:] if words[1] == "phase" else words[1:]
    *name, value, unit = words
    time, *ending = after.split()
    if not name or not ending or ending[0] not in ("seconds", "s"):
        raise ValueError(line)
    elapsed, runs.runtime = positive("elapsed", time) or runs.runtime, {}
    row: Row = {**keys(" ".join(name)), **rate(value, unit), **elapsed}
    verdict = "invalid" if "invalid" in tag or "[INVALID]" in ending else "" if tag.strip() else "unscored"
    runs.add({**row, **({"valid": verdict} if verdict else {}), "line": number})


def _unscored(line: str, number: int, runs: Runs) -> None:
    """Read ``[ ] timestamp 0.000 kIOPS : time 0.004 seconds``; a box of somebody's list has no time."""
    if ": time" in line:
        _result(line, number, runs)


def _mark(line: str) -> int:
    """Return where the bracket of a result begins; a process may stand in brackets before it."""
    return next(line.index(mark) for mark in _MARKS if mark in line)


def _application_result(line: str, number: int, runs: Runs) -> None:
    """Read ``[Result] IOR ior_easy_write bw: 118.0 GiB/s time: 1084.3s (perf at stonewall min: ... avg: ...)``."""
    words = line.partition("[Result]")[2].replace("(", " ").replace(")", " ").split()
    first = next((at for at, word in enumerate(words) if word.endswith(":")), 0)
    row: Row = {**keys(words[first - 1])}
    for name, value, unit in _labelled(words[first:]):
        row |= _application_value(name, value, unit)
    if not MEASURED & row.keys():
        raise ValueError(line)
    runs.add({**row, "line": number})


def _labelled(words: list[str]) -> Iterator[tuple[str, str, str]]:
    """Read ``name: value unit`` triples; a word that only one of them has is taken as a unit and ignored."""
    for at, word in enumerate(words[:-1]):
        if word.endswith(":") or word == "scanned":
            yield word, words[at + 1], words[at + 2] if at + 2 < len(words) else ""


def _application_value(name: str, value: str, unit: str) -> Row:
    if name in ("bw:", "rate:"):
        return rate(value, unit)
    if name in ("min:", "avg:"):
        suffix = "_min" if name == "min:" else "_stonewall"
        return {f"{variable}{suffix}": si for variable, si in rate(value, unit).items()}
    plain: dict[str, tuple[str, float]] = {
        "time:": ("elapsed", 1.0),
        "size:": ("data_size", GIB),
        "found:": ("files", 1.0),
        "scanned": ("operations", 1.0),
    }
    return positive(plain[name][0], value.removesuffix("s"), plain[name][1]) if name in plain else {}


def _score(line: str, number: int, runs: Runs) -> None:
    """Read ``[SCORE ] Bandwidth 4.76 GiB/s : IOPS 65.7 kiops : TOTAL 17.69 [INVALID]``."""
    words = line[line.index("[SCORE") :].rstrip("` ").replace("]", " ").replace("[", " ").split()
    value = {name: words[words.index(name) + 1] for name in ("Bandwidth", "IOPS", "TOTAL")}
    row: Row = {"operation": "score", "job": words[0].partition("-")[0]}
    row |= {**positive("score", value["TOTAL"]), **positive("throughput", value["Bandwidth"], GIB)}
    row |= positive("operation_rate", value["IOPS"], KB)
    if words[0] == "SCOREX":
        row["label"] = "extended"
    if words[0].endswith("-invalid") or words[-1] == "INVALID":
        row["valid"] = "invalid"
    runs.add({**row, "line": number})


def _damaged(line: str, number: int, runs: Runs) -> None:
    raise ValueError(line)


def _draft(line: str, number: int, runs: Runs) -> None:
    """Read ``1/md-easy-create IOPs:28320.444 time:313s``."""
    match = _DRAFT.fullmatch(line)
    if not match:
        if line[:1].isdecimal() and line[1:2] == "/":
            raise ValueError(line)
        return
    unit = "IOPS" if match[2].lower() == "iops" else match[4] or ""
    row: Row = {**keys(match[1]), **rate(match[3], unit), **positive("elapsed", match[5])}
    runs.add({**row, "label": "draft", "line": number})


def _draft_score(line: str, number: int, runs: Runs) -> None:
    """Read ``IO-500 bw score: 21637.4 MB/s``, ``IO-500 md score: 29065.4 IOPS`` and their product, a line each."""
    match = _DRAFT_SCORE.fullmatch(line)
    if match and match[1]:
        name, unit = ("throughput", MIB) if match[1] == "bw" else ("operation_rate", 1.0)
        runs.pending |= on(number, positive(name, match[2], unit))
    elif match:
        if not {"throughput", "operation_rate"} <= runs.pending.keys():
            runs.parsed.incomplete("a score of which the parts are missing", number)
        row: Row = {"operation": "score", "job": "SCORE", **positive("score", match[2])}
        runs.add({**row, "label": "draft", "line": number})


def _real_rate(line: str, number: int, runs: Runs) -> None:
    """Read ``bw5=29.1 md-real-bw``: bytes of md-real-io, which its own line does not say."""
    match = _REAL_RATE.fullmatch(line)
    for row in runs.rows if match else ():
        if match and row["job"] == "md-real-io":
            row |= on(number, positive("throughput", match[1], MIB))


def _version(line: str, number: int, runs: Runs) -> None:
    words = line.partition("IO500 version")[2].split()
    version = words[0]
    if runs.rows and runs.rows[-1]["operation"] == "score":
        runs.begin(number)
    if runs.parsed.header.setdefault("tool_version", version) != version:
        runs.parsed.note(f"another version of IO500, {version}, begins here", number)
    runs.extended = "(extended)" in words


def _command(line: str, number: int, runs: Runs) -> None:
    runs.pending = on(number, command_keys(line))


def _date(line: str, number: int, runs: Runs) -> None:
    match = _DATE.fullmatch(line)
    if match:
        year, month, day, hour, minute, second = match.groups()
        runs.parsed.header["started"] = f"{year}-{month}-{day}T{hour}:{minute}:{second}"


def _count(name: str) -> Callable[[str, int, Runs], None]:
    def take(line: str, number: int, runs: Runs) -> None:
        if line.startswith(("NPROC=", "NODES=")):
            runs.count(positive(name, line.partition("=")[2].strip()), number)

    return take


def _matched(line: str, number: int, runs: Runs) -> None:
    """Read ``[FIND] MATCHED 162019/12001002 in 36.9407 seconds``: found, looked at."""
    match = _MATCHED.fullmatch(line)
    if match:
        runs.pending |= on(number, {**positive("files", match[1]), **positive("operations", match[2])})


def _runtime(line: str, number: int, runs: Runs) -> None:
    """Read ``ERROR INVALID Runtime of phase (0.000016) is below stonewall time``: of the phase just reported.

    Where the error names its line of the source, it stands above the result of its phase.
    """
    match = _RUNTIME.search(line)
    if match and match[1]:
        runs.runtime = on(number, positive("elapsed", match[2]))
    elif match and runs.rows and "elapsed" not in runs.rows[-1]:
        runs.rows[-1] |= on(number, positive("elapsed", match[2]))


def _pairs(line: str, number: int, runs: Runs) -> None:
    """Read ``395: stonewalling pairs accessed: 67654``: transfers of a rank in the write phase that is running."""
    match = _PAIRS.fullmatch(line)
    if match:
        row: Row = {"operation": "write", "share": "rank", "process": match[1], **positive("operations", match[2])}
        runs.parsed.clients.append({**row, "line": number})


def _starting(line: str, number: int, runs: Runs) -> None:
    """Read ``[Starting] ior_easy_create: ...``; after the list of all results it begins another run."""
    if runs.listed is not None:
        runs.begin(number)


def _submission(line: str, number: int, runs: Runs) -> None:
    runs.listed = set()


def _invalid(line: str, number: int, runs: Runs) -> None:
    """Read ``One or more test phases invalid.  Not valid for IO-500 submission.``: of the score that follows."""
    runs.pending["valid"] = "invalid"


def _verdict(line: str, number: int, runs: Runs) -> None:
    """Read ``[INVALID]`` alone on its line: what a result's line ended with before somebody wrapped it."""
    if runs.rows and line.strip("` \t") == "[INVALID]":
        runs.rows[-1]["valid"] = "invalid"


_READERS: tuple[tuple[str, Callable[[str, int, Runs], None]], ...] = (
    ("[RESULT", _result),
    ("[      ]", _result),
    ("[ ] ", _unscored),
    ("[Result]", _application_result),
    ("[SCORE", _score),
    ("/md-", _draft),
    ("/ior-", _draft),
    ("IO500 version", _version),
    ("[Exec]", _command),
    ("[Starting]", _starting),
    ("[FIND]", _matched),
    ("ERROR INVALID", _runtime),
    ("stonewalling pairs", _pairs),
    ("=== IO-500 submission", _submission),
    ("test phases invalid", _invalid),
    ("[INVALID]", _verdict),
    ("\ufffdRESULT", _damaged),
    ("date=", _date),
    ("/find", _draft),
    ("IO-500 ", _draft_score),
    ("md-real-bw", _real_rate),
    ("NPROC=", _count("processes")),
    ("NODES=", _count("nodes")),
)
