"""mpstat: what its golden tables do not show."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.monitors.sysstat.json_tree import documents
from tests.parsers.monitors.samples import first, read, rows

BANNER = "Linux 2.6.18 (oss1) \t01/21/09\n\n"


def test_percentages_are_shares() -> None:
    row = first(read("mpstat/all-processors-12.6.1.txt"), cpu="1", time=2.0)
    assert (row["cpu_user"], row["cpu_iowait"], row["line"]) == (pytest.approx(0.0532), pytest.approx(0.7872), 11)


def test_without_interval_the_report_is_since_boot_and_whole() -> None:
    parsed = read("mpstat/since-boot-12.6.1.txt")
    assert parsed.complete
    assert [row["phase"] for row in rows(parsed)] == ["since boot"]


def test_samples_of_an_interval_are_not_since_boot() -> None:
    assert "phase" not in read("mpstat/ampm-12.6.1.txt").series


def test_all_processors_together_have_no_place() -> None:
    assert [row["cpu"] for row in rows(read("mpstat/places-12.6.1.txt"), statistic="single")] == ["all", "0", "1"]


def test_nodes_and_interrupts() -> None:
    parsed = read("mpstat/interrupts-nodes-12.6.1.txt")
    assert first(parsed, cpu="node 0")["cpu_idle"] >= 0
    assert first(parsed, cpu="all", statistic="single", line=4)["cpu_idle"] >= 0
    assert rows(parsed, metric="TIMER/s", cpu="0")


def test_old_tables_end_in_interrupts() -> None:
    text = BANNER + (
        "10:00:01     CPU   %user   %nice    %sys %iowait    %irq   %soft  %steal   %idle    intr/s\n"
        "10:00:02     all    1.00    0.00    2.00    3.00    0.00    0.00    0.00   94.00    111.00\n"
    )
    row = first(parsers.parse(text))
    assert (row["cpu_user"], row["interrupt_rate"]) == (0.01, 111.0)


def test_json_numbers_all_processors_minus_one() -> None:
    text = (
        '{"sysstat": {"hosts": [{"nodename": "oss1", "date": "2021-05-19", "statistics": [{"timestamp": "18:01:05",\n'
        '"cpu-load": [{"cpu": "-1", "usr": 50.01, "idle": 49.98}],\n'
        '"sum-interrupts": [{"cpu": "all", "intr": 274.77}]}]}]}}\n'
    )
    parsed = parsers.parse(text)
    assert parsed.header["started"] == "2021-05-19T18:01:05"
    assert first(parsed, line=2)["cpu"] == "all"
    assert first(parsed, line=3)["interrupt_rate"] == 274.77


def test_a_report_of_sar_is_none_of_mpstat() -> None:
    text = BANNER + "10:00:01 CPU %user %nice %system %iowait %steal %idle\n10:00:02 all 1.0 0.0 1.0 0.0 0.0 98.0\n"
    with pytest.raises(ParseError, match="expected a table of mpstat"):
        parsers.by_name("mpstat").parse(text)


def test_brackets_inside_each_other_are_not_read_on_without_end() -> None:
    """Found by a mutant: a hundred thousand of them, read once for each way to unwrap a log."""
    (found,) = documents('{"sysstat": ' + '{"hosts": ' * 200 + "\n{}")
    assert (found.fault, found.line) == ("more than 100 brackets inside each other", 1)
