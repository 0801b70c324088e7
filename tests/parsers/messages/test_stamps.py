"""Times at the head of a message, in the forms in which loggers print them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storagelab.parsers.messages import stamps

JUNE_25 = 176 * stamps.DAY  # of a leap year, counted from its first day
CLOCK = 23 * 3600 + 57 * 60 + 24.0


@pytest.mark.parametrize(
    ("line", "clock", "seconds", "host", "text"),
    [
        ("Jun 25 23:57:24 oss1 kernel: Lustre: x", "yearless", JUNE_25 + CLOCK, "oss1", "Lustre: x"),
        ("      Jun 25 23:57:24 oss1 kernel: Lustre: x", "yearless", JUNE_25 + CLOCK, "oss1", "Lustre: x"),
        ("> Jun  5 00:00:01 oss1 crmd[12]:  notice: x", "yearless", 156 * stamps.DAY + 1, "oss1", "notice: x"),
        ("Jun 25 2014 23:57:24 oss1 kernel: x", "local", 1403740644.0, "oss1", "x"),
        ("[Wed Jun 25 23:57:24 2014] Lustre: x", "local", 1403740644.0, "", "Lustre: x"),
        ("  [ 12.345678] Lustre: x", "boot", 12.345678, "", "Lustre: x"),
        ("[ 12.345678] oss1 kernel: Lustre: x", "boot", 12.345678, "oss1", "Lustre: x"),
        ("oss1: [ 12.345678] Lustre: x", "boot", 12.345678, "oss1", "Lustre: x"),
        ("2014-06-25T23:57:24.500000+02:00 oss1 kernel: x", "epoch", 1403733444.5, "oss1", "x"),
        ("2014-06-25T23:57:24+0200 oss1 kernel: x", "epoch", 1403733444.0, "oss1", "x"),
        ("2014-06-25T23:57:24,500000+02:00 Lustre: x", "epoch", 1403733444.5, "", "Lustre: x"),
        ("2014-06-25 23:57:24 Lustre: x", "local", 1403740644.0, "", "Lustre: x"),
        ("Wed 2014-06-25 21:57:24 UTC oss1 kernel: x", "epoch", 1403733444.0, "oss1", "x"),
        ("2014-06-25T21:57:24.250Z c0-0c1s2n3 Lustre: x", "epoch", 1403733444.25, "c0-0c1s2n3", "Lustre: x"),
        ("<4>1 2014-06-25T21:57:24Z oss1 kernel - - - x", "epoch", 1403733444.0, "oss1", "x"),
        ("1403733444.250000 oss1 kernel: x", "epoch", 1403733444.25, "oss1", "x"),
        (
            "00000100:00000400:1.0:1403733444.25:0:8465:0:(client.c:1:f()) x",
            "epoch",
            1403733444.25,
            "",
            "(client.c:1:f()) x",
        ),
        ("03:27:47  LustreError 167-0: x", "day", 12467.0, "", "LustreError 167-0: x"),
        ("Lustre: x", "", 0.0, "", "Lustre: x"),
        ("Foo 25 23:57:24 oss1 kernel: x", "", 0.0, "", "Foo 25 23:57:24 oss1 kernel: x"),
        ("Feb 30 23:57:24 oss1 kernel: x", "", 0.0, "", "Feb 30 23:57:24 oss1 kernel: x"),
        ("2014-13-25 23:57:24 x", "", 0.0, "", "2014-13-25 23:57:24 x"),
    ],
)
def test_forms(line: str, clock: str, seconds: float, host: str, text: str) -> None:
    stamp = stamps.read(line)
    assert (stamp.clock, stamp.seconds, stamp.host, stamp.text) == (clock, pytest.approx(seconds), host, text)


def test_the_kernels_own_time_behind_syslogs_is_kept() -> None:
    stamp = stamps.read("Jun 25 23:57:24 oss1 kernel: [812345.678901] Lustre: x")
    assert (stamp.clock, stamp.uptime, stamp.text) == ("yearless", 812345.678901, "Lustre: x")


def test_the_priority_of_syslog_is_kept() -> None:
    assert stamps.read("<131>1 2014-06-25T21:57:24Z oss1 kernel - - - x").priority == 131


@given(st.text(max_size=80))
def test_any_line_is_read(line: str) -> None:
    assert line.endswith(stamps.read(line).text)
