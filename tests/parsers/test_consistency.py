"""What a log says twice is held against itself; each check has a log that it must leave alone."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers import companion_lines, consistency, mean_checks, row_checks, sample_checks
from storagelab.parsers.declared_checks import Agreement, Checks
from storagelab.parsers.model import Columns, Parsed, Row, Sparse
from storagelab.parsers.text import decode
from storagelab.units import MIB
from tests.conftest import LOGS

Change = Callable[[str], str]


def text_of(log: str) -> str:
    return decode((LOGS / log).read_bytes())[0]


def without_line(number: int) -> Change:
    def change(text: str) -> str:
        lines = text.split("\n")
        return "\n".join(lines[: number - 1] + lines[number:])

    return change


def replaced(old: str, new: str) -> Change:
    return lambda text: text.replace(old, new, 1)


def read(log: str, change: Change = str) -> Parsed:
    text = change(text_of(log))
    assert change is str or text != text_of(log)
    return parsers.parse(text, name=Path(log).name)


def checks(name: str) -> Checks:
    return next(parser.FORMAT.checks for parser in parsers.PARSERS if parser.FORMAT.name == name)


def told(parsed: Parsed) -> list[str]:
    return [f"{note.line}: {note.text}" for note in parsed.notes]


IOR = "ior/4.1.0dev_file_per_process_8_tasks.txt"


def incomplete(log: str, change: Change, said: str, lost: int = 0) -> None:
    whole, broken = read(log), read(log, change)
    assert whole.complete
    assert not broken.complete
    assert len(broken.runs) == len(whole.runs) - lost
    assert [line for line in told(broken) if re.search(said, line)], told(broken)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (replaced("total(s)   iter", "total(s)\0  iter"), r"^\d+: expected text, found the control character '.x00'"),
        (replaced("vm\n", "v٢m\n"), r"^4: expected digits from 0 to 9, found '٢' of another script"),
        (
            replaced("242.11     242.18", "-42.11     242.18"),
            r"^34: expected throughput from 0 on and finite, found -4",
        ),
        (
            replaced("1119.57    1022.54", "1019.57    1022.54"),
            r"^42: expected throughput_min <= throughput_max, found",
        ),
    ],
)
def test_what_cannot_be_makes_a_log_incomplete_and_keeps_its_rows(change: Change, said: str) -> None:
    incomplete(IOR, change, said)


def test_dates_and_times_of_a_locale_may_be_in_its_digits() -> None:
    log, digits = "iostat/extended-times-12.6.1.txt", str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
    english = read(log)
    persian = read(
        log,
        lambda text: re.sub(
            r"\d\d/\d\d/\d\d|\d\d:\d\d:\d\d",
            lambda at: at[0].translate(digits),
            text.replace("11/20/26", "26/11/20"),
        ),
    )
    assert persian.complete
    assert persian.header == english.header
    assert list(persian.series["time"]) == list(english.series["time"])


def test_the_best_rate_may_not_be_negative() -> None:
    log = "ior/2.10.3_shared_4_tasks_summary_only.txt"
    incomplete(log, lambda text: re.sub(r"\(\d+\.\d+ MB/sec\)", "(-5.00 MB/sec)", text, count=1), "finite, found -5e")


def test_lowest_mean_and_highest_latency_are_in_order() -> None:
    log = "warp/warp-1.3.0-put-moto.txt"
    incomplete(log, replaced("Slowest: 50.4ms", "Slowest: 0.4ms"), r"expected latency.* <= latency_max, found")


def test_bytes_over_time_are_the_rate() -> None:
    incomplete(
        "hdparm/hdparm-9.65-direct.txt",
        lambda text: re.sub(r"= +(\d)", r"= 9\1", text, count=1),
        r"expected throughput = data_size / elapsed = .*, found ",
    )


@pytest.mark.parametrize(
    ("agreement", "fit", "unfit"),
    [
        (Agreement(0.0, rate=1.0), [9.0, 11.0], [8.5, 11.5]),
        (Agreement(0.25), [7.5, 12.5, 40 / 3], [7.0, 13.5]),
        (Agreement(0.0, seconds=0.5), [10 / 1.5, 20.0], [6.0, 20.5]),
        (Agreement(0.0, seconds=1.0), [5.0, 1e9], [4.5]),
        (Agreement(0.0, size=2.0), [8.0, 12.0], [7.5, 12.5]),
    ],
)
def test_a_rate_is_off_by_what_the_last_digits_leave_open(
    agreement: Agreement, fit: list[float], unfit: list[float]
) -> None:
    span = [("data_size", "throughput", "elapsed")]
    for rate in (*fit, *unfit):
        parsed = Parsed({})
        row_checks.rate_fits(parsed, {"data_size": 10.0, "throughput": rate, "elapsed": 1.0}, agreement, span)
        assert parsed.complete is (rate in fit), rate


@pytest.mark.parametrize(("rate", "fits"), [(7.4, False), (7.5, True), (12.5, True)])
def test_rates_of_processes_add_up_to_more_than_the_longest_time_gives(rate: float, fits: bool) -> None:
    row: Row = {"data_size": 30.0, "data_size_min": 10.0, "throughput": rate, "elapsed": 4.0}
    for clients in ([], [{"throughput": 10.0}]):
        parsed = Parsed({}, clients=clients)
        row_checks.rate_fits(parsed, row, Agreement(0.0), [("data_size", "throughput", "elapsed")])
        assert parsed.complete is (fits if clients else rate == 7.5)


@pytest.mark.parametrize(
    ("values", "possible", "in_order"),
    [
        ([1.0, 2.0], True, True),
        ([2.0, 2.0], True, True),
        ([2.0, 1.0], True, False),
        ([-1.0, 2.0], False, True),
        ([1.0, math.inf], False, True),
    ],
)
def test_a_table_of_numbers_is_judged_at_once(values: list[float], possible: bool, in_order: bool) -> None:
    table: Columns = {name: [value] for name, value in zip(("throughput_min", "throughput_max"), values, strict=True)}
    assert row_checks._are_possible(table) is possible
    assert row_checks._are_in_order(table) is in_order


@pytest.mark.parametrize(
    ("values", "possible"), [([None, 2.0], True), ([None, -1.0], False), ([None, "?", 2.0], False), (["?", 2.0], False)]
)
def test_a_value_that_is_missing_is_possible_and_hides_none_that_is_not(values: list[Any], possible: bool) -> None:
    assert row_checks._are_possible(Sparse(throughput=values)) is possible


RATES = {
    "dccp": ("dccp/from-pipe.txt", 1), "elbencho": ("elbencho/elbencho-3.1-1-dir-latency-histograms.txt", 14),
    "fio-json": ("fio_json/client-server-2hosts-3.33.json", 1545),
    "fio-terse": ("fio_terse/multi-v2-3.33.txt", 1), "fio-text": ("fio_text/bits-kb1024-3.33.txt", 7),
    "hdparm": ("hdparm/hdparm-9.65-direct.txt", 3), "hibench-report": ("hibench_report/imitated-five-workloads.txt", 2),
    "hpss": ("hpss/imitated-htar-members.txt", 4), "ior": ("ior/4.0.0_summary_not_a_number.txt", 31),
    "iperf3": ("iperf3/imitated-2.0-P2.csv", 6), "md-workbench": ("md_workbench/imitated-1.0.txt", 8),
    "rados-bench": ("rados_bench/imitated-10-seq-without-colon.txt", 12),
}  # fmt: skip
"""For each format that prints an amount, a time and a rate a log, and the line of a rate."""
HELD_BY_PARSER = {"md-workbench"}
"""Its seconds have one digit or two."""


@pytest.mark.parametrize("format", RATES)
def test_a_rate_that_amount_and_time_do_not_give_is_told(format: str) -> None:
    log, line = RATES[format]
    said = r": expected \w+ = (?:data_size|operations|files) / elapsed = .*, found "
    printed = text_of(log).split("\n")[line - 1]

    def wrong(number: re.Match[str]) -> Parsed:
        broken = f"{printed[: number.start()]}9{printed[number.start() :]}"
        return parsers.parse(text_of(log).replace(printed, broken, 1), format, Path(log).name)

    assert not re.search(said, "\n".join(told(read(log))))
    assert any(re.search(said, "\n".join(told(wrong(number)))) for number in re.finditer(r"(?<![\w.])\d+", printed))


def test_every_format_that_prints_amount_time_and_rate_is_held_against_them() -> None:
    assert {parser.FORMAT.name for parser in parsers.PARSERS if parser.FORMAT.checks.rates} == {*RATES} - HELD_BY_PARSER


@pytest.mark.parametrize(
    ("log", "line", "said"),
    [
        ("dbench/dbench-4.0-4clients.txt", 11, r"^11: expected a sample every 1, found none between 3 and 5$"),
        ("sar/ampm-12.6.1.txt", 24, r": expected a sample of each item at .*, as at other times, found one less"),
        (
            "sadf/csv-12.6.1.csv",
            3,
            r"^3: expected a sample 1 after the one before, found it 2 after|expected a sample of",
        ),
    ],
)
def test_a_missing_sample_is_told(log: str, line: int, said: str) -> None:
    assert not [line for line in told(read(log)) if "expected a sample" in line]
    assert [line for line in told(read(log, without_line(line))) if re.search(said, line)]


@pytest.mark.parametrize(
    ("log", "pattern", "said"),
    [
        ("testdfsio/imitated-two-blocks.log", r" *Number of files: 4\n", "expected 'Number of files:' as often as"),
        (
            "cmssw_fwjr_json/imitated-before-2016-09.json",
            r' +"TotalJobTime": .*\n',
            "expected '\"TotalJobTime\"' as often",
        ),
        (
            "iozone/single_diagnostic_3.508.txt",
            r"\tPerformance measurements are invalid .*\n",
            "expected 'Performance measurements are invalid in this mode' as often as 'I/O Diagnostic mode enabled'",
        ),
        ("fio_text/multi-3.33.txt", r" +clat \(usec\): .*\n", r"expected 'clat \(' as often as 'lat \('"),
        ("fio_text/multi-3.33.txt", r" +lat \(usec\): min.*\n", r"expected 'lat \(' as often as 'clat \('"),
        (
            "iperf3/iperf3-3.12-bidir-P2.txt",
            r"\[ 12\]\[RX-C\] .*sender\n",
            "expected 'sender' as often as 'receiver'",
        ),
        ("smallfile/smallfile-3.2-create.txt", r" +threads : .*\n", "expected 'threads' as often as"),
        ("mdtest/4.1.0dev_rates_and_times.txt", r" +File stat .*\n", "expected 'File stat ' as often as"),
        (
            "mountstats/nfs-utils-2.6.2-xprt-invented-counters.txt",
            r"\tXIDs not found: .*\n",
            "expected 'XIDs not found:' as often as 'RPC requests:'",
        ),
    ],
)
def test_a_line_that_lost_its_companions_is_told(log: str, pattern: str, said: str) -> None:
    parsed = read(log, lambda text: re.sub(pattern, "", text, count=1))
    assert [line for line in told(parsed) if re.search(said, line)], told(parsed)
    assert not [line for line in told(read(log)) if "as often as" in line]


@pytest.mark.parametrize(
    ("log", "pattern", "said"),
    [
        ("iozone/ops_16m_64k.log", r"\tRun began: .*\n", "expected 'Run began:' below 'Iozone: Performance Test of"),
        (
            "iozone/ops_16m_64k.log",
            r"\tOPS Mode(?s:.*)17 \* record size.\n",
            "expected 'Command line used:' below 'Iozone: Performance Test of File I/O', found none",
        ),
        (
            "iozone/throughput_c1_read.log",
            r"\tEach process writes .*\n",
            "expected ' writes a ' below 'Throughput test",
        ),
    ],
)
def test_a_line_that_a_banner_lacks_is_told(log: str, pattern: str, said: str) -> None:
    parsed = read(log, lambda text: re.sub(pattern, "", text, count=1))
    assert [line for line in told(parsed) if said in line], told(parsed)
    assert not [line for line in told(read(log)) if " below " in line]


def test_lines_that_an_option_leaves_out_are_not_missed() -> None:
    parsed = read("fio_text/multi-3.33.txt", lambda text: re.sub(r" +clat \(usec\): .*\n", "", text))
    assert not [line for line in told(parsed) if "as often as" in line]


def test_the_banner_that_lacks_a_line_is_named() -> None:
    banner = "Iozone: Performance Test of File I/O\n$Revision: 3.1 $\nRun began: x\nCommand line used: y\n"
    below = checks("iozone").below
    assert companion_lines.missing_below(banner * 3, below) == []
    assert companion_lines.missing_below("Run began: x\n" + banner[:10], below) == []
    [(said, line)] = companion_lines.missing_below(banner + banner.replace("Run began: x\n", "") + banner, below)
    assert said.startswith("expected 'Run began:' below 'Iozone: Performance Test of File I/O', found none")
    assert line == 5


def test_the_block_that_lacks_a_line_is_named() -> None:
    block = "Report: GET\n * Average: 1 obj/s\nThroughput, split into\n * Fastest: 2\n * Slowest: 1\n"
    [(said, line)] = companion_lines.missing(
        block + block.replace(" * Fastest: 2\n", "") + block, checks("warp").together
    )
    assert (
        said == "expected '* Fastest:' as often as 'Throughput, split into' (3), found 2: a piece of the log is missing"
    )
    assert line == 8


@pytest.mark.parametrize(
    ("log", "pattern", "new", "said"),
    [
        ("root/rntuple-write.log", r"(?<=timeCpuZip\|)ns\|.*\n", "", "expected a whole line 'RNTuple', found 'RNTuple"),
        (
            "xrdcl_log/debug-copy.log",
            r"(?<=2026-11-20 )16:17:36[.]97.*\+0000\]",
            "",
            "expected a whole line '.20', found",
        ),
        ("elbencho/elbencho-3.1-1-two-phases.json", r'"phase_id":', "", "as many phases of --write"),
    ],
)
def test_a_line_that_lost_a_piece_is_told(log: str, pattern: str, new: str, said: str) -> None:
    parsed = read(log, lambda text: re.sub(pattern, new, text, count=1))
    assert [line for line in told(parsed) if re.search(said, line)], told(parsed)
    assert not [line for line in told(read(log)) if re.search(said, line)]


@pytest.mark.parametrize(
    ("text", "line"),
    [('{"a": 1,\n"b": 2\n"c": 3}', 3), ('{"a": 1}\n\n{"a": }\n{"a": 1}\n', 3), ('{"a": 1}\n{"a": 2}\n', 0)],
    ids=["one document", "a document a line", "whole"],
)
def test_json_is_broken_on_the_line_of_a_document_or_on_the_document_of_a_line(text: str, line: int) -> None:
    try:
        error: ValueError = ValueError("no document")
        json.loads(text)
    except ValueError as raised:
        error = raised
    assert consistency._broken_line(text, error) == line


def test_a_message_that_is_made_of_two_is_told() -> None:
    parsed = read(
        "xrdcl_log/debug-copy.log", lambda text: re.sub(r"(?s)(?<=job manag)er.*?(?= {2}\] )", "", text, count=1)
    )
    assert [line for line in told(parsed) if "expected a whole line '[20', found" in line], told(parsed)


def test_timings_of_no_device_are_told() -> None:
    log = "hdparm/hdparm-9.65-direct.txt"
    said = "expected the line of a device, as '/dev/sda:', before its first timing, found none"
    without_it = read(log, lambda text: re.sub(r"(?m)^/dev/.*\n", "", text))
    assert [note.text for note in without_it.notes] == [said]
    assert read(log).notes == []
    assert [{**row, "line": 0, "device": ""} for row in read(log).runs] == [
        {**row, "line": 0, "device": ""} for row in without_it.runs
    ]


@pytest.mark.parametrize(("column", "is_told"), [("interface", True), ("label", False)])
def test_an_item_that_lacks_at_one_of_two_times_is_told(column: str, is_told: bool) -> None:
    """What has no name of an interface, disk, processor or host may have happened once."""
    parsed = Parsed({})
    parsed.series = {"time": [0, 0, 1], column: ["eth0", "lo", "lo"], "line": [1, 2, 3]}
    sample_checks.no_sample_missing(parsed, checks("nicstat"))
    said = ["3: expected a sample of each item at 1, as at other times, found one less"] if is_told else []
    assert told(parsed) == said


def test_shares_of_processor_time_add_up() -> None:
    log = "sadf/csv-12.6.1.csv"
    parsed = read(log, replaced("73.87;0.00;25.63", "70.87;0.00;25.63"))
    assert told(parsed) == ["2: expected shares of processor time that add up to 100 %, found 97 %"]
    assert read(log).notes == []


@pytest.mark.parametrize(("idle", "is_told"), [(0.43, False), (0.39, True), (0.54, True)])
def test_whole_percents_may_be_cut_off_each(idle: float, is_told: bool) -> None:
    """Six shares, of which each lost up to one percent: 94 in all may be, less or 104 may not."""
    parsed = Parsed({})
    shares = {"cpu_user": 0.44, "cpu_nice": 0.0, "cpu_system": 0.06, "cpu_iowait": 0.02, "cpu_steal": 0.0}
    first = {**shares, "cpu_idle": 0.48}
    parsed.series = {name: [value] * 20 + [shares.get(name, idle)] for name, value in first.items()}
    parsed.series["line"] = list(range(1, 22))
    sample_checks.shares_fit(parsed)
    assert bool(parsed.notes) is is_told


def test_an_operation_without_its_summary_is_told() -> None:
    incomplete(
        IOR, lambda text: re.sub(r"read +1119.57 +1022.54.*\n", "", text), r"run 1: no read in the summary", lost=1
    )


def samples(times: list[float], *items: str) -> Parsed:
    rows = [(time, item) for time in times for item in items]
    parsed = Parsed({})
    parsed.series = {
        "time": [time for time, _ in rows],
        "interface": [item for _, item in rows],
        "line": list(range(1, len(rows) + 1)),
    }
    return parsed


@pytest.mark.parametrize(
    ("times", "is_told"),
    [
        ([0, 1, 2, 3, 4], False),
        ([0, 1, 2, 4, 5], True),
        ([0, 1.02, 1.98, 3.01, 4], False),
        ([0, 1, 3], True),
        ([0, 10, 26.1], True),
        ([0, 10, 25.9], False),
        ([0, 2], False),
        ([0, 1, 5, 6, 11, 12, 17], False),
        ([0, 1, 2, 22, 23], True),
        ([0, 1, 2, 23, 24], False),
        ([0, 1, 2, 3, 100], False),
    ],
)
def test_a_hole_is_told_where_samples_are_steady(times: list[float], is_told: bool) -> None:
    parsed = samples(times, "eth0")
    sample_checks.no_sample_missing(parsed, checks("sar"))
    assert bool(parsed.notes) == is_told
    assert parsed.complete
    also = samples(times, "eth0")
    sample_checks.no_sample_missing(also, checks("fio-bw-log"))
    assert not also.notes


@pytest.mark.parametrize(("step", "is_told"), [(16, False), (17, True), (200, True), (201, False)])
def test_a_hole_is_told_where_a_printed_interval_does_not_reach_back(step: float, is_told: bool) -> None:
    """The other steps are none that are alike."""
    parsed = samples([0, 10, 50, 70, 140, 170, 170 + step], "eth0")
    parsed.series["elapsed"] = [10, 10, 40, 20, 70, 30, 10]
    sample_checks.no_sample_missing(parsed, checks("sar"))
    said = f"7: expected a sample 10 after the one before, found it {step:g} after"
    assert told(parsed) == ([said] if is_told else [])


@pytest.mark.parametrize(
    ("times", "devices", "once"),
    [([0, 5], ["sda", "sdb"], True), ([0, 0], ["sda", "sda"], True), ([0, 5], ["sda", "sda"], False)],
)
def test_items_that_are_listed_once_lack_no_sample(times: list[float], devices: list[str], once: bool) -> None:
    of_each = np.arange(len(times))[:, np.newaxis]
    assert sample_checks._has_each_once(np.array(times, dtype=float), of_each, {"device": devices}) is once
    assert not sample_checks._has_each_once(np.array(times, dtype=float), of_each.T, {"device": devices})
    assert not sample_checks._has_each_once(np.array(times, dtype=float), of_each, {})


@pytest.mark.parametrize(
    ("times", "are_regular"), [([0, 1, 2], True), ([0, 0, 1], False), ([0, 2, 1], False), ([0], False)]
)
def test_samples_are_regular_where_time_goes_on_from_each_to_the_next(times: list[float], are_regular: bool) -> None:
    clock = np.array(times, dtype=float)
    places = np.arange(len(times))[np.newaxis]
    assert sample_checks._are_regular(clock, places, {}, may_pause=True) is are_regular


@pytest.mark.parametrize("row", [{"latency_p50": 2.0, "latency_p99": 1.0}, {"latency_min": 2.0, "latency": 1.0}])
def test_values_that_do_not_rise_are_told(row: Row) -> None:
    parsed = Parsed({})
    row_checks.in_order(parsed, row | {"line": 7})
    [note] = parsed.notes
    assert note.line == 7
    assert re.fullmatch(r"expected latency_\w+ <= latency\w*, found 2 and 1 \(\)", note.text)
    whole = Parsed({})
    row_checks.in_order(whole, {name: 3.0 - float(str(value)) for name, value in row.items()} | {"line": 7})
    assert whole.complete


def test_values_that_differ_in_a_late_digit_are_told_apart() -> None:
    parsed = Parsed({})
    row_checks.in_order(parsed, {"latency_p50": 0.014221316, "latency_p99": 0.01422131, "line": 7})
    assert re.search(r"found 0\.01422132 and 0\.01422131 \(", parsed.notes[0].text)


DD = "20+0 records in\n20+0 records out\n20971520 bytes (21 MB, 20 MiB) copied, {} s, {} MB/s\n"


HDPARM = "/dev/sda:\n Timing buffered disk reads: 600 MB in  {} seconds = {} MB/sec\n"


def test_a_comma_that_may_be_either_is_refused_with_both_readings() -> None:
    with pytest.raises(ParseError, match=r"log:2: expected .*one way \(this may be 1\.234 or 1234\), found '1,234'"):
        parsers.parse(HDPARM.format("1,234", "486"))


def test_a_comma_is_decimal_where_another_number_of_the_log_says_so() -> None:
    assert parsers.parse(HDPARM.format("1,234", "486,22")).runs[0]["elapsed"] == 1.234


def test_a_comma_of_dd_is_decimal_and_held_against_its_rate() -> None:
    """dd prints seconds by ``%g``, which puts nothing between thousands."""
    assert parsers.parse(DD.format("1,234", "17")).runs[0]["elapsed"] == 1.234
    assert not parsers.parse(DD.format("1,234", "17000")).complete


def test_digits_without_end_are_no_rate_of_a_whole_log() -> None:
    with pytest.raises(ParseError, match=r"log:3: expected a number, found '9{70}"):
        parsers.parse(DD.format("1.5", "9" * 400))


MEANS = [
    (
        "mdtest/4.1.0dev_rates_and_times.txt",
        "3300.514",
        "3310.514",
        "expected a deviation of operation_rate from 266.463",
    ),
    ("mdtest/4.1.0dev_shared_directory_1_task.txt", "366375.515", "366385.515", "expected a mean of operation_rate"),
    (
        "mdtest/4.1.0dev_shared_directory_1_task.txt",
        "274866.992",
        "274766.992",
        "expected a deviation of operation_rate",
    ),
]


@pytest.mark.parametrize(("log", "old", "new", "said"), MEANS)
def test_a_mean_or_deviation_that_its_extremes_deny_makes_a_log_incomplete(
    log: str, old: str, new: str, said: str
) -> None:
    text = (LOGS / log).read_text()
    assert parsers.parse(text).complete
    parsed = parsers.parse(text.replace(old, new))
    assert not parsed.complete
    assert any(note.text.startswith(said) for note in parsed.notes)


@pytest.mark.parametrize(
    ("mean", "count", "fits"), [(1.4, 0, True), (1.2, 3, False), (1.4, 3, True), (1.5, 2, True), (1.4, 2, False)]
)
def test_one_of_so_many_values_is_the_lowest_and_one_the_highest(mean: float, count: int, fits: bool) -> None:
    row: Row = {"operation_rate_min": 1.0, "operation_rate": mean, "operation_rate_max": 2.0, "line": 3}
    parsed = Parsed({})
    mean_checks.mean_fits(parsed, row, count)
    assert parsed.complete == fits


def test_values_whose_squares_no_float_holds_have_a_deviation() -> None:
    """Found by a mutant."""
    row: Row = {"operation_rate_min": 1.0, "operation_rate": 5e199, "operation_rate_max": 1e200, "line": 3}
    for deviation, fits in ((7.07106781e199, True), (1e197, False)):
        parsed = Parsed({})
        mean_checks.mean_fits(parsed, row | {"operation_rate_std": deviation}, 2)
        assert parsed.complete == fits


def test_repetitions_of_mdtest_before_4_are_not_counted() -> None:
    row: Row = {"statistic": "mean", "samples": 1.0, "operation_rate_min": 1.0, "operation_rate": 1.9, "line": 3}
    row["operation_rate_max"] = 2.0
    for version, complete in {"3.4.0": True, "4.0.0": False}.items():
        parsed = Parsed({"tool": "mdtest", "tool_version": version}, runs=[row])
        mean_checks.means_fit(parsed, checks("mdtest"))
        assert parsed.complete == complete


def test_rates_of_processes_add_up() -> None:
    row: Row = {"throughput": 8e9, "throughput_mean": 2e9, "throughput_min": 1e9, "throughput_max": 3e9, "processes": 3}
    parsed = Parsed({}, runs=[row])
    mean_checks.means_fit(parsed, checks("iozone"))
    assert [note.text for note in parsed.notes] == [
        "expected 3 processes with a mean of 2e+09 to have 6e+09, found 8e+09 ()"
    ]


def test_a_log_that_ends_inside_the_blanks_before_a_line_is_incomplete() -> None:
    text = (LOGS / "nicstat/nicstat-1.95.txt").read_text()
    assert parsers.parse(text).complete
    (note,) = parsers.parse(f"{text}   ").notes
    assert note == (text.count("\n") + 1, "the log ends inside the blanks before a line")


@pytest.mark.parametrize("dots", ["...", "\u2026", "[snip]", "  [...]"])
@pytest.mark.parametrize("log", ["pidstat/since-boot-12.6.1.txt", "vdbench/imitated-5.04.07-console.txt"])
def test_dots_below_a_sample_stand_for_others(log: str, dots: str) -> None:
    lines = text_of(log).splitlines(keepends=True)
    at = max(map(int, parsers.parse("".join(lines)).series["line"]))
    parsed = parsers.parse("".join([*lines[:at], f"{dots}\n", *lines[at:]]))
    assert not parsed.complete
    assert (at + 1, f"expected samples, found {dots.strip()!r}: they were left out") in parsed.notes
    assert parsers.parse("".join([f"{dots}\n", *lines])).complete


def test_below_lines_of_blanks_alone_nothing_was_cut() -> None:
    """An editor leaves them, and no tool prints any at its end."""
    text = (LOGS / "nicstat/nicstat-1.95.txt").read_text()
    assert parsers.parse(f"{text}\n\t\n\n\t").complete
    assert not parsers.parse(f"{text}\n\n\t").complete


@pytest.mark.parametrize("log", ["nicstat/nicstat-1.95.txt", "mpstat/ampm-12.6.1.txt", "sar/ampm-12.6.1.txt"])
def test_a_log_that_ends_at_the_point_of_a_number_is_incomplete(log: str) -> None:
    """Behind a cut line stands an end where somebody pasted it."""
    text = text_of(log)
    cut = text[: text.rindex(".") + 1]
    (note,) = parsers.parse(f"{cut}\n\n").notes
    assert note == (cut.count("\n") + 1, "the log ends at the point of a number")
    assert parsers.parse(f"{text}It took 5.\n").notes[-1].text != note.text


def test_a_number_that_is_not_read_and_breaks_off_at_its_point_is_told_too() -> None:
    text = text_of("fio_text/multi-3.33.txt")
    cut = text[: text.rindex("util=")] + "util=63."
    (note,) = parsers.parse(f"{cut}\n").notes
    assert note == (cut.count("\n") + 1, "the log ends at the point of a number")


SECTOR = 512


@pytest.mark.parametrize("fill", [b"\0", b"\xff", bytes(range(0xC0, 0x100))])
def test_a_sector_of_zeros_or_one_that_was_erased_passes_in_no_format(fill: bytes) -> None:
    silent = []
    for folder in sorted(LOGS.iterdir()):
        log = next((log for log in sorted(folder.glob("*[!l]")) if log.stat().st_size > 3 * SECTOR), None)
        if log is None:
            continue
        data = log.read_bytes()
        damaged = data[:SECTOR] + fill * (SECTOR // len(fill)) + data[2 * SECTOR :]
        try:
            if read_text(data, log.name).complete and read_text(damaged, log.name).complete:
                silent.append(log)
        except ParseError:
            continue
    assert silent == []


def read_text(data: bytes, name: str) -> Parsed:
    return parsers.parse(decode(data)[0], name=name)


def drawn_series(draw: random.Random) -> Columns:
    """Draw samples of some devices, most of them steady, with what may be odd in a monitor's series here and there."""
    devices, times = ["sda", "sdb", "sdc"][: draw.randint(1, 3)], [10.0 * at for at in range(draw.randint(1, 6))]
    if draw.random() < 0.3:
        times[-1] += draw.choice([-10.0, 3.0, 10.0, 70.0, math.inf])
    rows = [(time, device, 10.0) for time in times for device in devices]
    if draw.random() < 0.4:
        del rows[draw.randrange(len(rows))]
    if draw.random() < 0.3:
        rows.append((math.nan, draw.choice(devices), math.nan))
    if draw.random() < 0.1:
        draw.shuffle(rows)
    rows = rows or [(0.0, "sda", 10.0)]
    time, device, elapsed = (list(column) for column in zip(*rows, strict=True))
    series: Columns = {
        "time": time,
        "operation": [""] * len(rows),
        "device": device,
        "line": list(range(1, len(rows) + 1)),
    }
    if draw.random() < 0.3:
        parts = (
            dict.fromkeys(time, 0) if draw.random() < 0.5 else {at: part for part, at in enumerate(sorted(set(time)))}
        )
        series["part"] = [parts[at] + (draw.random() < 0.02) for at in time]
    return series | ({"elapsed": elapsed} if draw.random() < 0.3 else {})


def test_what_is_regular_at_a_glance_is_regular_for_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    regular, odd = 0, []
    for seed in range(600):
        series = drawn_series(random.Random(seed))
        at_a_glance, looked_at = Parsed({}, series=series), Parsed({}, series=series)
        sample_checks.no_sample_missing(at_a_glance, checks("sar"))
        with monkeypatch.context() as patch:
            patch.setattr(sample_checks, "FEW", 0)
            patch.setattr(sample_checks, "_has_each_once", lambda *_: False)
            sample_checks.no_sample_missing(looked_at, checks("sar"))
        regular += not looked_at.notes
        odd += [seed] if at_a_glance.notes != looked_at.notes else []
    assert not odd
    assert 100 < regular < 590


def test_shares_that_add_up_at_a_glance_add_up_for_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = 0
    for seed in range(300):
        draw = random.Random(seed)
        columns = {name: [draw.choice([0.0, 0.1, 0.25]) for _ in range(4)] for name in sample_checks._SHARES[:-1]}
        sums = map(sum, zip(*columns.values(), strict=True))
        idle = [1.0 - share + draw.choice([0.0, 0.0, 0.0, 0.0001, 0.02, math.nan]) for share in sums]
        series: Columns = {**columns, "cpu_idle": idle, "line": [1, 2, 3, 4]}
        if draw.random() < 0.3:
            series["cpu_irq"] = [draw.choice([0.0, 0.0, 0.0002, math.nan]) for _ in range(4)]
        at_a_glance, looked_at = Parsed({}, series=series), Parsed({}, series=series)
        sample_checks.shares_fit(at_a_glance)
        with monkeypatch.context() as patch:
            patch.setattr(sample_checks, "FEW", 0)
            sample_checks.shares_fit(looked_at)
        assert at_a_glance.notes == looked_at.notes, seed
        odd += bool(looked_at.notes)
    assert odd


def drawn_rows(draw: random.Random) -> Columns:
    """Draw rows of which most agree: rates with their amounts and times, means with lowest and highest."""
    rows: list[list[Any]] = []
    for _ in range(draw.randint(1, 4)):
        low, high = sorted(draw.choice([0.0, 1.0, 2.0, 4.5]) * MIB for _ in range(2))
        seconds = draw.choice([1.0, 3.0])
        mean = draw.choice([low, high, (low + high) / 2, (low + high) * 0.7])
        deviation = draw.choice([0.0, (high - low) / 2, (high - low) * math.sqrt(0.5), (high - low) * 0.9])
        moved = mean * seconds * draw.choice([1.0, 1.0, 1.0, 1.5])
        odd = draw.choice([mean] * 12 + [-mean, math.inf, math.nan])
        rows.append([draw.choice(["mean", "single"]), low, odd, high, deviation, moved, seconds])
    names = ("statistic", "throughput_min", "throughput", "throughput_max", "throughput_std", "data_size", "elapsed")
    count = float(draw.choice([1, 2, 3, 5]))
    columns: Columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return columns | {"samples": [count] * len(rows), "line": list(range(1, len(rows) + 1))}


def test_rows_that_are_sound_at_once_are_so_one_by_one() -> None:
    agreement, sound = Agreement(0.05, statistic="single"), {"possible": 0, "rates": 0, "means": 0}
    for seed in range(600):
        table = drawn_rows(random.Random(seed))
        said = {name: Parsed({"tool": "ior"}) for name in sound}
        for values in zip(*table.values(), strict=True):
            row: Row = dict(zip(table, values, strict=True))
            row_checks.possible(said["possible"], row)
            if row["statistic"] == "single":
                row_checks.rate_fits(said["rates"], row, agreement, row_checks.questions(tuple(row)).spans)
            mean_checks.mean_fits(said["means"], row, mean_checks.repetitions(said["means"], row["samples"]))
        fit = {
            "possible": row_checks.are_plain(table),
            "rates": row_checks._rates_fit(table, agreement),
            "means": mean_checks.fit(Parsed({"tool": "ior"}), table),
        }
        assert not [name for name, parsed in said.items() if parsed.notes and fit[name]], seed
        sound = {name: count + fit[name] for name, count in sound.items()}
    assert all(20 < count < 590 for count in sound.values()), sound


@pytest.mark.parametrize("tag", ['{{<command host="n1">}}', "{% highlight bash %}"])
def test_a_page_that_begins_with_a_tag_of_its_template_is_no_broken_json(tag: str) -> None:
    text = f"{tag}\n/dev/sda:\n Timing buffered disk reads: 512 MB in  3.20 seconds = 160.00 MB/sec\n"
    assert parsers.parse(text).notes == []


@pytest.mark.parametrize(("end", "is_whole"), [('{"s', False), ('{"s\n', True), ("{", False)])
def test_a_document_a_line_that_ends_in_a_document_is_cut(end: str, is_whole: bool) -> None:
    lines = (LOGS / "vnstat/imitated-2.12-live.json").read_text().splitlines(keepends=True)
    parsed = parsers.parse("".join(lines[:3]) + end)
    assert (parsed.complete, parsed.notes) == (is_whole, [(4, f"expected JSON, found {end.strip()!r}")])


CUT = re.compile("decimals at the end of the log, as above")


@pytest.mark.parametrize("name", ["mpstat/all-processors-12.6.1.txt", "sar/chinese-processors-12.6.1.txt"])
def test_a_last_number_without_its_last_decimal_is_cut(name: str) -> None:
    text = (LOGS / name).read_text().rstrip()
    assert not any(CUT.search(note.text) for note in parsers.parse(text + "\n").notes)
    cut = text[:-1]
    said = f"expected 2 decimals at the end of the log, as above, found {cut.split()[-1]}: it is cut"
    assert (text.count("\n") + 1, said) in parsers.parse(cut + "\n").notes


@pytest.mark.parametrize(
    ("above", "last", "told"),
    [
        (["a 1.25 2.50", "b 1.50 2.25", "c 1.75 2.75"], "d 1.25 2.5", True),
        (["a 1.25 2.50", "b 1.50 2.25"], "d 1.25 2.5", False),
        (["a 1.25 2.50", "b 1.5 2.25", "c 1.75 2.75"], "d 1.25 2.5", False),
        (["a 1.25 2.50", "b 1.50 2.25", "c 1.75 2.5"], "d 1.25 2.5", False),
        (["a 1.25 2.50", "b 1.50 2.25", "c 1.75 2.75"], "d 1.25 100.0", False),
        (["a 1.25 2.50", "b 1.50 2.25", "c 1.75 2.75"], "d 1.25 2.555", False),
        (20 * ["a 125 2.50"], "a 1.5 2.5", True),
        (19 * ["a 125 2.50"], "a 1.5 2.5", False),
        (20 * ["a 2.50"], "a 1.5 2.5", False),
    ],
)
def test_decimals_are_missed_where_all_rows_have_them(above: list[str], last: str, told: bool) -> None:
    text = "\n".join([*above, last, ""])
    parsed = Parsed({}, [{"operation": "read", "line": len(above) + 1}])
    consistency.no_shortened_number(parsed, text)
    assert parsed.complete is not told


def test_decimals_of_a_line_that_is_not_read_are_nothing() -> None:
    parsed = Parsed({}, [{"operation": "read", "line": 1}])
    consistency.no_shortened_number(parsed, "a 1.25 2.50\nb 1.50 2.25\nc 1.75 2.75\nd 1.25 2.5\n")
    assert parsed.complete
