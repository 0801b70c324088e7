"""rados bench: forms of older versions, and what golden tables do not show; numbers are invented."""

from __future__ import annotations

import math
import re

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import rados_bench
from tests.conftest import LOGS

MIB = 2.0**20
HAMMER = """\
 Maintaining 32 concurrent writes of 4194304 bytes for up to 40 seconds or 0 objects
 Object prefix: benchmark_data_n1_22710
   sec Cur ops   started  finished  avg MB/s  cur MB/s  last lat   avg lat
     0       0         0         0         0         0         -         0
    19      32       500       468   98.5101       104   0.71024  0.630112
2015-03-02 11:58:43.218321min lat: 0.109342 max lat: 2.34251 avg lat: 0.633
   sec Cur ops   started  finished  avg MB/s  cur MB/s  last lat   avg lat
    20      32       520       488   97.5851        80   0.93417  0.634002
 Total time run:         20.613
Total writes made:      521
Write size:             4194304
Bandwidth (MB/sec):     101.101

Stddev Bandwidth:       21.5
Max bandwidth (MB/sec): 124
Min bandwidth (MB/sec): 0
Average Latency:        0.632
Stddev Latency:         0.31
Max latency:            2.34251
Min latency:            0.109342
"""
SEQ = """\
$ rados -p rbd bench 10 rand -t 8
hints = 1
  sec Cur ops   started  finished  avg MB/s  cur MB/s last lat(s)  avg lat(s)
    1       7       200       193   771.812       772   0.0102   0.0401
Total time run:       1.2
Total reads made:     240
Read size:            4194304
Object size:          4194304
Bandwidth (MB/sec):   800
Average IOPS:         200
Stddev IOPS:          -nan
Max IOPS:             193
Min IOPS:             193
Average Latency(s):   0.04
Max latency(s):       0.2
Min latency(s):       0.003
"""


def test_a_summary_without_its_numbers_of_operations_is_read_and_incomplete() -> None:
    text = """\
$ rados bench -p pages 20 seq
Total time run:        1.25
Bandwidth (MB/sec):    96.5

Average Latency:       0.31
Max latency:           0.62
Min latency:           0.05
"""
    parsed = parsers.parse(text)
    (run,) = parsed.runs
    assert (run["operation"], run["access_pattern"], run["throughput"]) == ("read", "sequential", 96.5 * MIB)
    assert (run["elapsed"], run["latency"], run["latency_max"]) == (1.25, 0.31, 0.62)
    assert not parsed.complete
    [note] = parsed.notes
    assert (note.line, note.text) == (3, "the summary does not say how many reads were made")


def test_seconds_behind_the_first_without_their_heading_are_the_rest_of_a_test() -> None:
    whole = SEQ.replace("    1 ", "    4 ")
    cut = whole.partition("avg lat(s)\n")[2]
    parsed = parsers.parse(cut)
    assert (parsed.complete, [(note.line, note.text) for note in parsed.notes]) == (
        False,
        [(1, "the seconds above this one are not here")],
    )
    assert parsed.series["time"][0] == 4
    assert parsers.parse(cut.replace("    4 ", "    1 ")).complete


def test_a_log_of_another_tool_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected seconds under a heading .*, found 'a log of another tool"):
        rados_bench.parse("a log of another tool\n")


def test_hammer_repeats_its_heading_every_20_seconds() -> None:
    parsed = rados_bench.parse(HAMMER)
    [row] = parsed.runs
    assert parsed.complete
    assert (row["operation"], row["processes"], row["record_size"]) == ("write", 32, 4194304)
    assert row["throughput"] == pytest.approx(101.101 * MIB)
    assert row["throughput_min"] == 0
    assert (row["latency"], row["latency_max"]) == (0.632, 2.34251)
    assert list(parsed.series["time"]) == [0, 19, 20]
    assert parsed.series["throughput"][1] == 104 * MIB


@pytest.mark.parametrize("said", ["      # of all", "\t\tLaufzeit 1.2 s, insgesamt", "  总运行时间 1.2s"])
def test_what_people_say_behind_a_number_is_left_alone(said: str) -> None:
    (row,) = rados_bench.parse(SEQ.replace("run:       1.2", f"run:       1.2{said}")).runs
    assert row["elapsed"] == 1.2


@pytest.mark.parametrize("behind", ["  3", "  Max IOPS: 240", " more"])
def test_a_number_behind_which_another_may_stand_is_none(behind: str) -> None:
    (row,) = rados_bench.parse(SEQ.replace("IOPS:         200", f"IOPS:         200{behind}")).runs
    assert "operation_rate" not in row


def test_random_reads_by_the_command() -> None:
    parsed = rados_bench.parse(SEQ)
    [row] = parsed.runs
    assert (row["operation"], row["access_pattern"]) == ("read", "random")
    assert row["throughput"] == 800 * MIB
    assert "operation_rate_std" not in row


def test_two_tests_are_two_parts() -> None:
    parsed = rados_bench.parse(HAMMER + SEQ)
    assert [(row["part"], row["operation"]) for row in parsed.runs] == [(1, "write"), (2, "read")]


def test_a_test_that_was_stopped_has_samples_only() -> None:
    parsed = rados_bench.parse(HAMMER[: HAMMER.index(" Total")])
    assert not parsed.runs
    assert not parsed.complete
    assert len(parsed.series["time"]) == 3


@pytest.mark.parametrize("wrong", ["null", "7", '"x"', "[null]", '[{"sec": []}]'])
def test_json_with_something_else_in_its_place(wrong: str) -> None:
    text = (
        f'{{"concurrent_ios": {wrong}, "datas": {wrong}, "total_time_run": 1, "total_writes_made": 2, "bandwidth": 3}}'
    )
    parsed = rados_bench.parse(text + "\n")
    assert parsed.runs[0]["throughput"] == 3 * MIB


@pytest.mark.parametrize("name", ["total_time_run", "concurrent_ios", "average_latency"])
def test_an_object_in_place_of_a_number_of_the_json_is_said_with_its_line(name: str) -> None:
    text = (LOGS / "rados_bench" / "rados-16.2-write.json").read_text()
    broken = re.sub(rf'"{name}": *"?[\d.]+"?', f'"{name}": {{"a": 1}}', text)
    assert broken != text
    parsed = rados_bench.parse(broken)
    assert all(isinstance(note.line, int) for note in parsed.notes)
    assert name == "concurrent_ios" or not parsed.complete


CLEANED = """\
Cleaning up (deleting benchmark objects)
Removed 640 objects
Clean up completed and total clean up time :0.203147
"""


def test_objects_that_are_removed_behind_a_test_belong_to_it() -> None:
    alone = (LOGS / "rados_bench/rados-16.2-write.txt").read_text()
    text, above = alone + CLEANED, alone.count("\n")
    (_, cleaned) = parsers.parse(text).runs
    assert (cleaned["operations"], cleaned["operations_line"], cleaned["elapsed"]) == (640.0, above + 2, 0.203147)
    assert cleaned["line"] == above + 3
    twice = parsers.parse(text + "Removed 12 objects\n" + text).runs
    assert [(row["operation"], row["part"]) for row in twice] == [
        ("write", 1.0),
        ("delete", 1.0),
        ("delete", 1.0),
        ("write", 2.0),
        ("delete", 2.0),
    ]
    assert len(parsers.parse("Removed 12 objects\n" + text).runs) == 2
    noted = text.replace("Removed 640 objects\n", "").replace("0.203147", "0.203147 <- new")
    assert [row.get("elapsed") for row in parsers.parse(noted).runs][1:] == [0.203147]


def test_seconds_of_an_excerpt_that_begins_below_their_heading_are_read() -> None:
    heading, below = HAMMER.index("     0       0"), HAMMER.index(" Total time run")
    without = HAMMER[heading:].replace(HAMMER[HAMMER.index("2015") : HAMMER.index("    20      32")], "")
    parsed = rados_bench.parse(without + SEQ)
    of_first = [time for time, part in zip(parsed.series["time"], parsed.series["part"], strict=True) if part == 1]
    assert of_first == [0, 19, 20]
    behind = HAMMER[below:] + "    21      32       540       508   96.5851        80   0.93417  0.634002\n" + SEQ
    assert list(rados_bench.parse(behind).series["time"]) == [1]


def test_a_second_without_a_rate_has_none() -> None:
    text = (LOGS / "rados_bench/rados-16.2-write.txt").read_text()
    whole = parsers.parse(text).series["throughput"]
    at = next(line for line in text.split("\n") if line.split()[:1] == ["1"])
    words = at.split()
    lost = parsers.parse(text.replace(at, " ".join([*words[:5], "-1", *words[6:]]))).series["throughput"]
    assert [math.isnan(rate) for rate in lost].count(True) == 1
    assert len(lost) == len(whole)


def test_seconds_say_of_which_test_of_a_log_they_are() -> None:
    for name in ("rados-16.2-write.txt", "rados-16.2-write.json"):
        text = (LOGS / "rados_bench" / name).read_text()
        one, two = parsers.parse(text), parsers.parse(text + text)
        count = len(one.series["time"])
        assert "part" not in one.series
        assert list(two.series["part"]) == [1.0] * count + [2.0] * count
        assert [row["part"] for row in two.runs] == [1.0] * len(one.runs) + [2.0] * len(one.runs)


SUMMARY = """\
Total time run:         30.5
Total {made} made:      600
{size} size:             4194304
Bandwidth (MB/sec):     78.6885
Average Latency(s):     0.81
Max latency(s):         2.5
Min latency(s):         0.05
"""
LIST = "rados bench -p tank 30 {}\n"


def test_a_list_of_commands_above_their_reports_says_of_none_how_it_reads() -> None:
    reports = [SUMMARY.format(made="writes", size="Write"), *[SUMMARY.format(made="reads", size="Read")] * 2]
    asked = "".join(LIST.format(kind) for kind in ("write --no-cleanup", "seq", "rand"))
    listed = parsers.parse(asked + "\n".join(reports)).runs
    assert [(row["operation"], row.get("access_pattern")) for row in listed] == [
        ("write", None),
        ("read", None),
        ("read", None),
    ]
    kinds = ("write", "seq", "rand")
    each = "\n".join(LIST.format(kind) + report for kind, report in zip(kinds, reports, strict=True))
    assert [row.get("access_pattern") for row in parsers.parse(each).runs] == [None, "sequential", "random"]


@pytest.mark.parametrize("option", ["-t 48", "--concurrent-ios=48", "--concurrent-ios 48"])
def test_threads_of_the_command(option: str) -> None:
    report = SUMMARY.format(made="writes", size="Write")
    asked = f"rados -p tank bench 30 write {option} --no-cleanup\n"
    [row] = parsers.parse(asked + report).runs
    assert (row["processes"], row["processes_line"]) == (48, 1)
    both = parsers.parse(asked + LIST.format("seq") + report + "\n" + SUMMARY.format(made="reads", size="Read"))
    assert ["processes" in row for row in both.runs] == [False, False]
    assert parsers.parse(asked + HAMMER).runs[0]["processes"] == 32
    other = parsers.parse(asked + "rados bench -p tank 30 seq -t 6\n" + report)
    assert [row.get("processes") for row in other.runs] == [None]


def test_a_summary_that_is_cut_is_no_summary_that_is_missing() -> None:
    parsed = rados_bench.parse(SEQ[: SEQ.index("Bandwidth")])
    assert [(note.text, note.line) for note in parsed.notes] == [("the summary is cut", 5)]
    [row] = parsed.runs
    assert (row["operation"], "throughput" in row, row["line"], "operations" in row) == ("read", False, 5, True)


@pytest.mark.parametrize("dots", ["...", "\t\t ...", "[snip]", "[...]"])
def test_seconds_that_were_left_out_are_said(dots: str) -> None:
    lines = HAMMER.split("\n")
    at = next(at for at, line in enumerate(lines) if line.split()[:1] == ["20"])
    parsed = rados_bench.parse("\n".join([*lines[:at], dots, *lines[at:]]))
    assert (parsed.complete, [(note.line, note.text) for note in parsed.notes]) == (
        False,
        [(at + 1, "seconds were left out here")],
    )
    assert parsers.parse(HAMMER).complete
    assert parsers.parse(f"...\n{HAMMER}...\n").complete


def test_a_report_below_a_document_keeps_how_many_operations_ran_side_by_side() -> None:
    document, report = ((LOGS / "rados_bench" / f"rados-16.2-{name}").read_text() for name in ("seq.json", "write.txt"))
    assert [row.get("processes") for row in parsers.parse(f"{document}\n{report}").runs] == [None, 16]


def test_the_extremes_of_nothing_done_are_none_and_the_others_are_of_their_second() -> None:
    read = rados_bench.parse(HAMMER).series
    assert (read["latency_min"][2], read["latency_max"][2]) == (0.109342, 2.34251)
    for end in ("", " "):
        text = HAMMER.replace(
            "321min lat: 0.109342 max lat: 2.34251 avg lat: 0.633", f"321{end}min lat: 9999 max lat: 0 avg lat: 0"
        )
        parsed = rados_bench.parse(text)
        assert (parsed.complete, "latency_min" in parsed.series) == (True, False)


@pytest.mark.parametrize("lowest", ["1.79769e+308", "1.8e+308"])
def test_lowest_rates_of_no_second_are_none(lowest: str) -> None:
    text = HAMMER.replace("Min bandwidth (MB/sec): 0", f"Min bandwidth (MB/sec): {lowest}")
    text = text.replace(
        "Average Latency", "Average IOPS: 25\nStddev IOPS: 0\nMax IOPS: 0\nMin IOPS: 2147483647\nAverage Latency"
    )
    parsed = rados_bench.parse(text)
    (row,) = parsed.runs
    assert {name for name in row if re.search("_(min|max|std)$", name)} == {"latency_min", "latency_max", "latency_std"}
    assert (row["throughput"], row["operation_rate"], parsed.complete) == (101.101 * MIB, 25, True)
    assert [note.text.split(": ")[1] for note in parsed.notes] == ["there was no second that had a rate"] * 2


def test_json_of_ceph_10_has_a_colon_in_a_key() -> None:
    text = (LOGS / "rados_bench/rados-16.2-write.json").read_text()
    old = parsers.parse(text.replace('"max_latency":', '"max_latency:":'))
    new = parsers.parse(text)
    assert (old.complete, old.notes, old.runs) == (True, new.notes, new.runs)
