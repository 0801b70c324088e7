"""Lines that a script prints around what its tools do: they lose nothing, and hide nothing that was lost."""

from __future__ import annotations

import functools

import pytest

from storagelab import parsers, schema
from storagelab.parsers.model import Parsed
from storagelab.parsers.wrapping.lines import Lines
from storagelab.parsers.wrapping.scripts import without_script
from tests import damage
from tests.conftest import LOGS, fixture_logs, log_id
from tests.fuzz.mutants import read

DATE = "Mon Jul  6 10:00:00 CEST 2020"
FRAMES = {
    "date": (f"{DATE}\n", f"{DATE}\n{DATE}\n"),
    "divider": ("=== vmstat, 1 of 2 ===\n", "--- end 1 ---\n"),
    "title": ("==========\nThe first 2\n==========\n", ""),
    "sentence": (f"Starting on node 42 at {DATE}\n", "All done.\n"),
    "trace": ("+ run_one 4k 16\n", "++ date +%s\n"),
    "Actions": (
        "##[group]Run ./run.sh 4\nshell: /usr/bin/bash -e {0}\n##[endgroup]\n",
        "##[group]Run 2\n##[endgroup]\n",
    ),
    "time": ("", "\nreal\t0m10.012s\nuser\t0m0.012s\nsys\t0m0.022s\n"),
}
MONITORS = ("iostat", "iostat_bsd", "mpstat", "pidstat", "sar", "vmstat", "nicstat", "ifstat", "ifconfig")
IOSTAT = read(LOGS / "iostat" / "imitated-12.0-cifs.txt")


SESSION = (
    'Script started on 2024-03-02 10:11:12+01:00 [TERM="xterm"]\n[u@n ~]$ cat log\n',
    '[u@n ~]$ exit\n\nScript done on 2024-03-02 10:12:12+01:00 [COMMAND_EXIT_CODE="0"]\n',
)
SHOWN = (
    "collectl/4.3.1-verbose.txt",
    "collectl/4.3.1-plot.txt",
    "dstat/dstat-0.8.0-time.csv",
    "elbencho/elbencho-3.1-1-dir-phases.csv",
    "fio_bw_log/avg-offset-3.33_bw.1.log",
)


@functools.cache
def whole_logs() -> dict[str, str]:
    """Logs of monitors that are whole, by their names; records of nicstat have no heading that tells whose they are."""
    logs = {log_id(log): read(log) for log in fixture_logs(*MONITORS) if not log.name.endswith(("json", "p.txt"))}
    return {name: text for name, text in logs.items() if text.endswith("\n") and parsers.parse(text).complete}


def samples(parsed: Parsed) -> list[tuple[str, ...]]:
    """Return all samples of a log, without the lines on which they stand."""
    columns = (column for name, column in parsed.series.items() if name != "line" and name not in schema.VALUE_AT)
    return list(zip(*(map(repr, column) for column in columns), strict=True))


@pytest.mark.parametrize("frame", FRAMES)
def test_what_a_script_prints_around_a_monitor_loses_nothing(frame: str) -> None:
    begin, end = FRAMES[frame]

    def check(name: str) -> None:
        text = whole_logs()[name]
        framed = parsers.parse(begin + text + end)
        assert framed.complete, framed.notes
        assert samples(framed) == samples(parsers.parse(text))

    assert damage.faults(check, whole_logs()) == {}


def test_a_log_that_was_shown_in_a_session_is_whole() -> None:
    def check(name: str) -> None:
        text = read(LOGS / name)
        plain, shown = (parsers.parse(log, name=name) for log in (text, text.join(SESSION)))
        assert (shown.complete, shown.header.pop("wrapping")) == (True, "script")
        assert (samples(shown), len(shown.runs)) == (samples(plain), len(plain.runs))
        assert not parsers.parse(text.rstrip()[:-4].join(SESSION), name=name).complete

    assert damage.faults(check, SHOWN) == {}


def test_lines_keep_their_numbers() -> None:
    begin, end = FRAMES["title"]
    text = read(LOGS / "vmstat" / "procps-4.0.2.txt")
    framed = parsers.parse(begin + text + end + begin + text)
    assert framed.header["wrapping"] == "script"
    assert sorted(set(framed.series["line"])) == [6, 7, 8, 14, 15, 16]


@pytest.mark.parametrize("said", ["=== iostat was killed ===", f"error at {DATE}", "--- time limit ---"])
def test_what_a_script_says_of_a_failure_is_kept(said: str) -> None:
    assert without_script(Lines.of(f"{said}\n{IOSTAT}")) is None
    assert not parsers.parse(IOSTAT[: IOSTAT.rindex("\n\n")] + f"\n{said} 1 2 3\n").complete


def test_a_table_that_breaks_off_above_a_divider_is_cut() -> None:
    assert not parsers.parse(f"{IOSTAT.rstrip()}\n=== run 2 ===\n").complete
    assert not parsers.parse(f"{IOSTAT}{IOSTAT.rstrip()[:-9]}\n\n=== run 2 ===\n").complete


def test_a_command_that_the_shell_traced_says_what_was_asked_for() -> None:
    text = read(LOGS / "vmstat" / "procps-4.0.2.txt")
    memory = parsers.parse(text).series["memory_free"][0]
    traced = parsers.parse(f"+ vmstat -S m 1 3\n{text}+ sleep 1\n{text}")
    assert (traced.complete, traced.series["memory_free"][0]) == (True, memory / 1024 * 1e6)
