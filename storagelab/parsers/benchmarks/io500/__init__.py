"""IO500 in every form it has had: result_summary.txt, result.txt, the script's log, pfind's CSV, the drafts of 2017.

Documented in the README of IO500/io500; printed by its main.c, by io500.sh before 2020, and by pfind. Forms:

* result_summary.txt and stdout (`lines`): ``[RESULT] ior-easy-write 10.6 GiB/s : time 35.0 seconds [INVALID]``, the
  shell script's ``[RESULT] BW phase 1 ior_easy_write 40.9 GB/s : ...``, the ``[Result] IOR ior_easy_write bw: ...`` of
  the first C application, and ``1/md-easy-create IOPs:28320.4 time:313s`` of the draft; ``[SCORE]`` ends them.
* result.txt (`ini`): sections of ``key = value``, ended by ``; END``; or some sections of it.
* find.csv (`pfind`): a row a rank.

The operation is what a phase does; the phase's name is in `job`, spelt with hyphens. Where IO500 prints GB/s it divides
by powers of 1024: GiB/s. Phases in empty brackets do not count: `valid` is "unscored"; what the tool itself declared
invalid is "invalid"; otherwise it says nothing. The score of 2017 is the product, of later years the root of it.
IO500's logs may hold output of IOR and mdtest; only what IO500 itself says is read.
"""

from __future__ import annotations

import re

from storagelab.errors import ParseError
from storagelab.parsers.benchmarks.io500 import ini, lines, pfind, scores
from storagelab.parsers.declared_checks import Checks, Line, line_starts, word, words
from storagelab.parsers.model import Format, Parsed
from storagelab.parsers.text import without_prefix

_IO500 = (
    *("ior-easy-write", "mdtest-easy-write", "ior-hard-write", "mdtest-hard-write", "find", "ior-easy-read"),
    *("mdtest-easy-stat", "ior-hard-read", "mdtest-hard-stat", "mdtest-easy-delete", "mdtest-hard-read"),
    "mdtest-hard-delete",
)

CHECKS = Checks(
    together=(
        words(*(f"[{name}]" for name in _IO500)),
        tuple(Line(name, rf"\[RESULT\] +{word(name)}", name) for name in _IO500),
        line_starts("t_start", "t_delta", "t_end"),
        line_starts("exe ", "score "),
    ),
)

FORMAT = Format(
    "io500",
    "IO500",
    "2017 to 2025",
    "phases, scores, ranks of find",
    "IO500/io500, README and main.c",
    marks=(
        "IO",
        "easy",
        "hard",
        "hash",
        "unknown",
        "Result",
        "Starting",
        "SCORE",
        "RESULT",
        "kIOPS",
        "kiops",
        "IOPs",
        "start exe score delta",
    ),
    shapes=(r"      \] [^\n]{1,90}Gi?B/s ",),
    opens=("[SCORE",),
    forms=(
        (
            "IO500 version ",
            "io500_ior_easy_params",
            "[RESULT]",
            "[RESULT-invalid]",
            "[SCORE ]",
            "[Starting]",
            "[Creating]",
            "IO-500 submission",
        ),
        ("config-hash", "[run]", *(f"[{name}]" for name in _IO500)),
    ),
    holds=(
        "ior",
        "mdtest",
    ),
    checks=CHECKS,
)

_BRACKETS = re.compile(
    r"\[(?:Result\] (?:IOR ior_|mdtest mdtest_)|Starting\] ior_easy|SCORE ?\] Bandwidth"
    r"|(?:RESULT(?:-invalid)?| {6})\] [^\n]{1,90}(?:Gi?B/s|k(?:IOPS|iops)) )"
)
_NAMES = ("IO500 version", "Running the IO500 Benchmark", "io500_ior_easy_params", "IO-500 submission")
_SECTION = re.compile(r"^[ \t]*\[(?:(?:ior|mdtest)-\w+-\w+|find)\][ \t\r]*\nt_start +=", re.MULTILINE)
_OTHERS = ("MPI Coordinated Test of Parallel I/O", " was launched with ")
"""IOR's and mdtest's output beside some sections of result.txt is another tool's, and read as such."""
_DRAFT = re.compile(r"\n\d/(?:(?:md|ior)-(?:easy|hard)-\w+|(?:md-real-io|find) IOPs:\d)")


def sniff(head: str) -> bool:
    """Whether IO500 speaks here; it never begins with JSON."""
    return not head.startswith("{") and bool(
        ("500" in head and any(name in head for name in _NAMES))
        or ("[" in head and (_BRACKETS.search(head) or ("[run]" in head and "config-hash" in head)))
        or ("t_start" in head and not any(name in head for name in _OTHERS) and _SECTION.search(head))
        or (any(mark in head for mark in ("/md-", "/ior-", "/find ")) and _DRAFT.search(f"\n{head}"))
        or pfind.HEADING in head
    )


def parse(text: str) -> Parsed:
    """Read a log in whichever of the forms it is.

    Raises
    ------
    ParseError
        If no phase has a result in it.
    """
    parsed = Parsed({"tool": "IO500", "statistic": "single"})
    numbered = _trusted(text, parsed)
    if pfind.HEADING in text:
        table, numbered = pfind.apart(numbered)
        pfind.read(table, parsed)
    if ("[run]" in text or "t_start" in text) and not lines.speaks(text):
        ini.read(numbered, parsed)
    elif any(map(str.strip, numbered)):
        lines.read(numbered, parsed)
    if not (parsed.runs or parsed.clients):
        raise ParseError("a result of an IO500 phase", text.strip()[:80], line=1)
    scores.hold(parsed)
    return parsed


def _trusted(text: str, parsed: Parsed) -> list[str]:
    """Split into lines, without a last one that may be cut."""
    *whole, rest = text.split("\n")
    if rest.strip() and not rest.startswith(ini.END):
        parsed.cut_line(rest, len(whole) + 1)
        return without_prefix(whole)
    return without_prefix([*whole, rest])
