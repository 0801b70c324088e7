"""Small parts that parsers share, where a whole log shows too little of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from storagelab import parsers
from storagelab.parsers import parse, sample_checks
from storagelab.parsers.monitors.sysstat.cells import plain_cells
from tests import damage
from tests.conftest import LOGS


@pytest.mark.parametrize(("count", "said"), [(1, ""), (2, " (the first of 2)"), (3, " (the first of 3)")])
def test_the_first_of_several_is_called_so(count: int, said: str) -> None:
    assert sample_checks._first_of(count) == said


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["1.5", "20"], [1.5, 20.0]),
        (["1,5", "2,0"], [1.5, 2.0]),
        (["1.5", "n/a"], []),
        (["1.5", "\u0662"], []),
        (["1,2,3"], []),
    ],
)
def test_cells_are_read_at_once_where_all_are_numbers(words: list[str], numbers: list[float]) -> None:
    assert plain_cells(words) == numbers


IN_PLACE_OF_NUMBERS = {
    "smallfile/imitated-2.1-two-hosts.txt": (
        "elapsed = 2.250000", "elapsed = soon", (12, "expected seconds, found 'soon'"),
    ),
    "darshan_parser/imitated-3.4-perf-alone.txt": (
        "slowest: 16.250000", "slowest: soon", (20, "expected seconds, found 'soon'"),
    ),
    "darshan_parser/imitated-3.4-total-file-perf.txt": (
        "POSIX_READS: 2048", "POSIX_READS: many", (36, "expected a number behind POSIX_READS, found 'many'"),
    ),
    "md_workbench/imitated-md-real-io.txt": (
        "20020.0 iops", "20.02.0 iops",
        (18, "expected the numbers of a phase, found expected a number, found '20.02.0'"),
    ),
    "vnstat/vnstat-2.10-oneline.txt": (
        ";2026-11;1.75 GiB;3.50 GiB;5.25 GiB;125.27 Mbit/s", ";2026-11;1.75 GiB;3.50 GiB;5.25 GiB;125.27 Xbit/s",
        (1, "expected a rate, found '125.27 Xbit/s'"),
    ),
    "gpfsperf/imitated-three-tests.txt": (
        "/usr/lpp", "gpfsperf: write failed: no space\n/usr/lpp", (16, "gpfsperf: write failed: no space"),
    ),
}  # fmt: skip
"""Log -> what it says, another word in its place, and what is said of it on which line."""


def test_a_word_where_a_number_belongs_makes_a_log_incomplete() -> None:
    def check(log: str) -> None:
        printed, instead, said = IN_PLACE_OF_NUMBERS[log]
        parsed = parse((LOGS / log).read_text(encoding="utf-8").replace(printed, instead, 1))
        assert not parsed.complete
        assert said in [(note.line, note.text) for note in parsed.notes]

    assert damage.faults(check, IN_PLACE_OF_NUMBERS) == {}


@pytest.mark.parametrize(
    ("name", "key"), [("score           = 37.869317", "mdtest-easy-write"), ("SCORE           = 19.883466", "SCORE")]
)
def test_a_result_of_io500_that_its_result_txt_calls_invalid_is(name: str, key: str) -> None:
    text = (LOGS / "io500/rendered-result-2022.txt").read_text(encoding="utf-8")
    rows = parse(text.replace(name, f"{name} [INVALID]", 1)).runs
    assert [row["job"] for row in rows if row.get("valid") == "invalid"] == [key]


def test_what_reads_a_log_stands_in_a_module_with_a_name() -> None:
    """The `__init__` of a parser holds FORMAT, `sniff` and `parse`: a class there is one that nobody finds."""
    packages = Path(parsers.__file__).parent.rglob("__init__.py")
    assert not [str(path) for path in packages if re.search(r"^class ", path.read_text(encoding="utf-8"), re.MULTILINE)]
