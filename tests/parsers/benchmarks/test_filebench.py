"""filebench: runs that follow each other, forms of old versions, and what is said where a run lacks something."""

from __future__ import annotations

import functools
import json

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import filebench
from storagelab.units import MIB
from tests.conftest import LOGS

OLD = """10: 0.004: Web-server Version 2.0 personality successfully loaded
10: 5.102: Running...
10: 65.110: Run took 60 seconds...
10: 65.110: Per-Operation Breakdown
appendlog                 98ops/s   0.8mb/s      0.4ms/op      101us/op-cpu
readfile1                984ops/s  15.1mb/s      0.3ms/op       61us/op-cpu

10: 65.110: IO Summary:      64930 ops 1082.1 ops/s, (984/98 r/w)  15.9mb/s,    117us cpu/op,   0.3ms latency
10: 65.110: Shutting down processes
"""
SEQUENTIAL = """Filebench Version 1.4.9.1
31: 0.262: Starting 1 writer instances
31: 1.262: Running...
31: 44.268: Run took 43 seconds...
31: 44.268: Per-Operation Breakdown
finish               1ops        0ops/s   0.0mb/s      0.0ms/op        0us/op-cpu [0ms - 0ms]
write1               3870000ops    90000ops/s 351.6mb/s      0.0ms/op        5us/op-cpu [0ms - 21ms]
open1                1ops        0ops/s   0.0mb/s      1.7ms/op        0us/op-cpu [1ms - 1ms]
31: 44.268: IO Summary: 3870002 ops, 90000.047 ops/s, (0/90000 r/w), 351.6mb/s,     12us cpu/op,   0.0ms latency
31: 44.268: Shutting down processes
"""
DOWN = "61.105: Shutting down processes\n"


@functools.cache
def mail() -> str:
    return (LOGS / "filebench" / "imitated-1.5-mail.txt").read_text()


def notes(text: str) -> list[str]:
    parsed = filebench.parse(text)
    assert not parsed.complete
    return [note.text for note in parsed.notes]


def test_runs_that_follow_each_other_are_parts_with_keys_of_their_own() -> None:
    periods = (LOGS / "filebench" / "imitated-1.5-database-periods.txt").read_text()
    without_its_name = periods.partition("\n")[2]
    for text in (mail() + periods, mail() + without_its_name):
        parsed = filebench.parse(text)
        assert parsed.complete
        told = {(row["part"], row["job"], row.get("iteration"), row.get("elapsed")) for row in parsed.runs}
        assert told == {(1.0, "Mail", None, 60.0), (2.0, "Database", 0.0, None), (2.0, "Database", 1.0, None)}


def test_version_1_3_counts_no_operations_and_is_read() -> None:
    parsed = parsers.parse(OLD)
    assert parsed.complete
    whole, reads, writes, append, read = parsed.runs
    assert (whole["operations"], whole["operation_rate"], whole["throughput"]) == (64930, 1082.1, 15.9 * MIB)
    assert (reads["operation"], reads["operation_rate"]) == ("read", 984)
    assert (writes["operation"], writes["operation_rate"]) == ("write", 98)
    assert "operations" not in append
    assert (read["label"], read["throughput"], read["line"]) == ("readfile1", 15.1 * MIB, 6)


def test_a_longest_latency_that_is_cut_below_the_mean_is_no_value() -> None:
    parsed = parsers.parse(SEQUENTIAL)
    assert parsed.complete
    opened = parsed.runs[-1]
    assert (opened["latency"], opened["latency_min"], "latency_max" in opened) == (0.0017, 0.001, False)
    assert not parsers.parse(SEQUENTIAL.replace("1.7ms/op", "2.7ms/op")).complete
    assert not parsers.parse(SEQUENTIAL.replace("[1ms - 1ms]", "[1.00ms - 1.00ms]")).complete


def test_a_sum_of_one_kind_of_operation_is_of_that_kind() -> None:
    def told(text: str) -> list[tuple[object, object]]:
        return [(row["operation"], row["operation_rate"]) for row in filebench.parse(text).runs if row["line"] == 9]

    assert told(SEQUENTIAL) == [("write", 90000.047)]
    assert told(SEQUENTIAL.replace("(0/90000", "(90000/0")) == [("read", 90000.047)]
    assert told(SEQUENTIAL.replace("(0/90000", "(0/89999")) == [("mixed_workload", 90000.047), ("write", 89999.0)]
    assert told(SEQUENTIAL.replace("(0/90000", "(1/90000"))[0] == ("mixed_workload", 90000.047)
    few = SEQUENTIAL.replace("90000.047", "40.300").replace("(0/90000", "(0/40")
    assert told(few) == [("mixed_workload", 40.3), ("write", 40.0)]


def test_a_sum_that_somebody_cut_out_is_whole() -> None:
    line = next(line for line in mail().split("\n") if "IO Summary" in line)
    parsed = parsers.parse(f"{line}\n")
    assert parsed.complete
    assert parsed.runs[0]["operations"] == 600177
    assert [note.text for note in parsed.notes] == ["the sum stands alone: its operations are not in the log"]


@pytest.mark.parametrize(
    ("lost", "said"),
    {
        "readbox1  ": "the operations above move 15.6 mb/s, and their sum 44.0",
        "deletebox1": "the operations above are fewer than the 600177 of their sum",
        "IO Summary": "operations without their sum 'IO Summary'",
        "Per-Operation": "operations without 'Per-Operation Breakdown' above them",
        "Shutting down": "no 'Shutting down processes': filebench was stopped, or the log is cut",
    }.items(),
)
def test_a_lost_line_is_missed(lost: str, said: str) -> None:
    assert said in notes("".join(line for line in mail().splitlines(keepends=True) if lost not in line))


def test_a_run_without_results_says_why() -> None:
    begun, _, _ = mail().partition("61.105: Run took")
    assert notes(begun) == ["the run before this line has no 'IO Summary'"]
    failure = "61.105: NO VALID RESULTS! Filebench run terminated prematurely"
    assert notes(f"{begun}{failure}\n{DOWN}") == [failure]
    started, _, _ = mail().partition("1.091: Running")
    assert notes(started) == ["filebench started and did not run a workload"]
    table, _, _ = mail().partition("closebox2")
    total = next(line for line in mail().split("\n") if "IO Summary" in line)
    assert notes(f"{table}{total}\n{DOWN}") == ["no operation stands above their sum"]
    assert notes(f"{table}61.2: Per-Operation Breakdown\n{DOWN}")[0].startswith("the operations above have no sum")
    assert notes(f"{table}closebox2 12ops\n{total}\n{DOWN}")[0] == (
        "expected an operation of filebench or their sum, found 'closebox2 12ops'"
    )


def test_text_of_others_is_refused() -> None:
    assert not filebench.sniff("IO Summary: none")
    with pytest.raises(ParseError, match=r"expected results of filebench \('IO Summary: .*found 'nothing'"):
        filebench.parse("nothing\n")


def test_times_in_brackets_are_no_colours_whose_escapes_are_lost() -> None:
    web = (LOGS / "filebench" / "imitated-1.4.9-web.txt").read_text()
    parsed = parsers.parse(json.dumps({"stdout": web}))
    assert (parsed.complete, parsed.header["wrapping"]) == (True, "string literals")
    assert len(parsed.runs) == len(parsers.parse(web).runs)


def test_the_shortest_latency_of_what_never_ran_is_no_value() -> None:
    ran = "finish               1ops        0ops/s   0.0mb/s      0.0ms/op        0us/op-cpu [0ms - 0ms]"
    idle = "idle                 0ops        0ops/s   0.0mb/s    0.000ms/op [18446744073709.551ms - 0.000ms]"
    parsed = filebench.parse(SEQUENTIAL.replace(ran, f"{ran}\n{idle}"))
    (row,) = [row for row in parsed.runs if row.get("label") == "idle"]
    assert parsed.complete
    assert row.keys().isdisjoint(("latency_min", "latency_max"))
