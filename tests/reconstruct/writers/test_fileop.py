"""Logs of fileop: rendered and read back, byte for byte, and what cannot be rendered."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab.errors import ReconstructError
from storagelab.parsers import Row, parse
from storagelab.reconstruct.writers import fileop
from storagelab.reconstruct.writers.fileop import OPERATIONS, Log, Rates
from tests.conftest import LOGS
from tests.reconstruct.writers.reading import notes, read_back

OLDEST = tuple(operation for operation in OPERATIONS if operation not in ("chdir", "open"))
numbers = st.floats(min_value=1.0, max_value=9e6)
rates = st.lists(numbers, min_size=3, max_size=3).map(sorted).map(lambda own: Rates(own[1], own[2], own[0]))
ranges = st.builds(range, st.integers(1, 20), st.integers(21, 40), st.integers(1, 19))


@st.composite
def logs(draw: st.DrawFn) -> Log:
    factors = draw(st.one_of(st.integers(1, 50).map(lambda factor: [factor]), ranges.map(list)))[:4]
    operations = draw(st.sampled_from([OPERATIONS, OLDEST]))
    return Log(
        {factor: {operation: draw(rates) for operation in operations} for factor in factors},
        file_size=draw(st.integers(0, 10**6)),
        directory=draw(st.sampled_from([".", "/zpool/test"])),
        shows_extremes=draw(st.booleans()),
    )


def near(found: object, expected: float) -> bool:
    return isinstance(found, float) and math.isclose(found, expected, rel_tol=1e-12, abs_tol=0.500001)


@settings(max_examples=40)
@given(logs())
def test_every_number_of_a_table_comes_back(log: Log) -> None:
    parsed = read_back(fileop.render(log), "fileop")
    assert parsed.header["file_size"] == log.file_size
    found = {(row["branching"], row["operation"]): row for row in parsed.runs}
    assert set(found) == {(factor, operation) for factor in log.rates for operation in log.operations}
    for factor, own in log.rates.items():
        for operation, printed in own.items():
            row = found[factor, operation]
            assert row["items"] == factor**3
            holds(row, printed, log.shows_extremes)


def holds(row: Row, printed: Rates, extremes: bool) -> None:
    assert near(row["operation_rate"], printed.operation_rate)
    assert ("operation_rate_max" in row) == extremes
    if extremes:
        assert near(row["operation_rate_max"], printed.operation_rate_max)
        assert near(row["operation_rate_min"], printed.operation_rate_min)


ALIKE = Rates(1000.0, 2000.0, 500.4)
SMALL = Log({5: {**dict.fromkeys(OPERATIONS, ALIKE), "stat": Rates(123456.5, math.inf, 4096.0)}}, directory="/zpool")
GOLDEN = """\
# reconstructed from published numbers and a model of the test bed, not measured
+ fileop -f 5 -s 1 -d /zpool -b -w

Fileop:  Working in /zpool, File size is 1,  Output is in Ops/sec. (A=Avg, B=Best, W=Worst)
 .       mkdir   chdir   rmdir  create    open    read   write   close    stat  access   chmod readdir  link    unlink  delete  Total_files
A    5    1000    1000    1000    1000    1000    1000    1000    1000  123456    1000    1000    1000    1000    1000    1000        125 \n\
B    5    2000    2000    2000    2000    2000    2000    2000    2000     inf    2000    2000    2000    2000    2000    2000        125 \n\
W    5     500     500     500     500     500     500     500     500    4096     500     500     500     500     500     500        125 \n\
"""  # noqa: E501


def test_a_table_byte_for_byte() -> None:
    assert fileop.render(dataclasses.replace(SMALL, shows_extremes=True)) == GOLDEN


def test_what_the_clock_could_not_see_is_no_value() -> None:
    [row] = [row for row in read_back(GOLDEN, "fileop").runs if row["operation"] == "stat"]
    assert "operation_rate_max" not in row
    assert row["operation_rate_min"] == 4096.0


def test_the_log_says_that_it_is_reconstructed(tmp_path: Path) -> None:
    notes(GOLDEN, tmp_path)


def test_a_range_of_factors_is_one_command() -> None:
    own = SMALL.rates[5]
    text = fileop.render(dataclasses.replace(SMALL, rates={14: own, 10: own, 12: own}))
    assert "+ fileop -l 10 -u 14 -i 2 -s 1 -d /zpool\n" in text
    assert text.index("\nA   10 ") < text.index("\nA   12 ") < text.index("\nA   14 ")


def with_stat(own: Rates) -> dict[str, object]:
    return {"rates": {5: {**SMALL.rates[5], "stat": own}}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rates": {}}, "rates: expected those of one force factor at least, found none"),
        ({"rates": {0: SMALL.rates[5]}}, "factor: expected a finite number above 0, found 0"),
        ({"rates": {10000: SMALL.rates[5]}}, "factor: expected a whole number from 0 to 9999, found 10000"),
        ({"rates": {1: SMALL.rates[5], 2: SMALL.rates[5], 4: SMALL.rates[5]}}, r"one step .* found \[1, 2, 4\]"),
        ({"rates": {5: {"stat": ALIKE}}}, "rates of 5: expected mkdir, .*, found stat"),
        ({"rates": {5: {**SMALL.rates[5], "find": ALIKE}}}, "rates of 5: expected mkdir, .*, found .*find"),
        ({"file_size": 0.5}, "file_size: expected a whole number .* found 0.5"),
        ({"directory": "a b"}, "directory: expected text without white space, found 'a b'"),
        (with_stat(Rates(0.5, 2.0, 1.0)), "stat: expected a rate of at least 1.0 1/s, found 0.5"),
        (with_stat(Rates(math.nan, 2.0, 1.0)), "stat: expected a finite number above 0, found nan"),
        (with_stat(Rates(math.inf, math.inf, 1.0)), "stat: expected a finite number above 0, found inf"),
        (with_stat(Rates(3.0, 2.0, 1.0)), "stat: expected a mean between the slowest and the fastest"),
    ],
)
def test_what_fileop_cannot_print_is_refused(changes: dict[str, object], message: str) -> None:
    log = dataclasses.replace(SMALL, **changes)  # type: ignore[arg-type]
    with pytest.raises(ReconstructError, match=message):
        fileop.render(log)


def test_the_numbers_of_a_real_log_give_its_table_again() -> None:
    real = (LOGS / "fileop" / "f5_b_w_1.63.txt").read_text()
    own = {
        str(row["operation"]): Rates(
            float(row["operation_rate"]),
            float(row.get("operation_rate_max", math.inf)),
            float(row["operation_rate_min"]),
        )
        for row in parse(real).runs
    }
    text = fileop.render(Log({5: own}, file_size=1024, shows_extremes=True))
    assert text.split("\n", 2)[2] == real
