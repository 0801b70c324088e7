"""Several tools in one log: whose lines are whose, and that nobody claims what only mentions a tool."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers import Columns, Parsed
from storagelab.parsers.benchmarks import dd
from storagelab.parsers.monitors import dstat
from storagelab.parsers.wrapping import regions
from storagelab.parsers.wrapping.regions import Openings
from storagelab.parsers.wrapping.several_tools import Part, joined
from tests.conftest import LOGS, fixture_logs, log_id

DD = "300+0 records in\n300+0 records out\n314572800 bytes (315 MB, 300 MiB) copied, 0.308774 s, 1.0 GB/s\n"


def text_of(name: str) -> str:
    return (LOGS / name).read_text()


IOR, OTHER_IOR = text_of("ior/4.1.0dev_shared_file_2_tasks.txt"), text_of("ior/4.1.0dev_file_per_process_8_tasks.txt")
MDTEST = text_of("mdtest/4.1.0dev_shared_directory_1_task.txt")
FIO, IOSTAT = text_of("fio_text/multi-3.33.txt"), text_of("iostat/extended-times-12.6.1.txt")


def values(parsed: Parsed) -> list[tuple[object, ...]]:
    return [(row["operation"], row.get("throughput"), row.get("operation_rate")) for row in parsed.runs]


def test_tools_by_turns_become_parts_in_the_order_of_their_lines() -> None:
    parsed = parsers.parse(IOR + MDTEST + OTHER_IOR)
    found = {(row["part"], row["tool"]) for row in ({**parsed.header, **row} for row in parsed.runs)}
    assert found == {(1.0, "ior"), (2.0, "mdtest"), (3.0, "ior")}
    alone = [value for text in (IOR, MDTEST, OTHER_IOR) for value in values(parsers.parse(text))]
    assert sorted(values(parsed), key=str) == sorted(alone, key=str)
    assert parsed.complete


def test_a_sample_that_says_no_test_is_of_the_first_of_its_tool() -> None:
    samples: Columns = {"part": [1.0, math.nan, 2.0], "line": [5, 6, 7]}
    parts = [Part(dd.FORMAT, Parsed({}, [{"line": 1}])), Part(dstat.FORMAT, Parsed({}, series=samples))]
    assert joined(parts).parsed.series["part"] == [2.0, 2.0, 3.0]


def test_lines_are_those_of_the_whole_log() -> None:
    before = IOR.count("\n")
    parsed = parsers.parse(IOR + MDTEST)
    alone = parsers.parse(MDTEST)
    lines = sorted(row["line"] for row in parsed.runs if row.get("part") == 2.0)
    assert lines == sorted(int(row["line"]) + before for row in alone.runs)


def test_samples_between_the_paragraphs_of_a_report() -> None:
    reports, samples = FIO.split("\n\n"), IOSTAT.removesuffix("\n").split("\n\n")
    mixed = [samples[0], reports[0], *samples[1:4], *reports[1:3], *samples[4:], *reports[3:]]
    parsed = parsers.parse("\n\n".join(mixed))
    assert sorted(values(parsed), key=str) == sorted(values(parsers.parse(FIO)), key=str)
    assert len(parsed.series["line"]) == len(parsers.parse(IOSTAT).series["line"])


def test_a_loop_of_dd_between_other_tools() -> None:
    loop = "".join(f"+ dd if=/dev/zero of=f{number}\n{DD}" for number in range(3))
    parsed = parsers.parse(IOR + loop)
    rows = [{**parsed.header, **row} for row in parsed.runs]
    assert [row["part"] for row in rows if row["tool"] == "dd" and row["operation"] == "write"] == [2.0, 3.0, 4.0]


def test_behind_a_long_preamble_what_was_skipped_is_said() -> None:
    noise = "".join(f"libfabric: provider {number} is not used\n" for number in range(9000))
    parsed = parsers.parse(noise + IOR + MDTEST)
    assert any(note.text == "lines 1-9000: not recognised" for note in parsed.notes)
    assert min(int(row["line"]) for row in parsed.runs) > 9000


PROSE = """Dear all,

We ran IOR-4.0.0 (MPI Coordinated Test of Parallel I/O) and mdtest, which was launched with 4 tasks; fio (groupid=0)
gave less, and iostat's avg-cpu: and Device columns looked fine. IOzone: Performance Test of File I/O is next. dd has
copied, as always, what records in and records out say. TestDFSIO and Run status group 0 follow in May.
"""


@pytest.mark.parametrize("text", [PROSE, PROSE * 200, "".join(f"> {line}\n" for line in PROSE.split("\n"))])
def test_prose_that_mentions_tools_is_not_claimed(text: str) -> None:
    try:
        parsed = parsers.parse(text)
    except ParseError:
        return
    assert parsed.is_empty()


@pytest.mark.parametrize(
    "log",
    [
        log
        for log in fixture_logs("syslog", "sar", "fio_bw_log", "lfs_getstripe", "xrdcl_log", "mpstat")
        if log.stat().st_size
    ],
    ids=log_id,
)
def test_a_prefix_that_is_part_of_the_format_stays(log: Path) -> None:
    parsed = parsers.parse(log.read_text(), name=log.name)
    (parser,) = (parser for parser in parsers.PARSERS if parser.FORMAT.name.replace("-", "_") == log.parent.name)
    alone = parser.parse(log.read_text())
    assert "wrapping" not in parsed.header
    assert repr((list(parsed.runs), parsed.series, parsed.events)) == repr(
        (list(alone.runs), alone.series, alone.events)
    )


def test_every_opening_holds_a_word_and_what_formats_hold_is_known() -> None:
    known = {parser.FORMAT.name for parser in parsers.PARSERS}
    for parser in parsers.PARSERS:
        assert set(parser.FORMAT.holds) <= known
        for literal in parser.FORMAT.openings:
            found = Openings([parser.FORMAT]).find(f"\n{literal}\n")
            assert [opening.line for opening in found] == [1], (parser.FORMAT.name, literal)


def test_an_opening_that_begins_above_its_line_is_looked_for_behind_each_place() -> None:
    """Of a format that somebody installs: it would be found for ever."""
    found = itertools.islice(regions._occurrences("\nRate 1\n\nRate 2\n", "\nRate "), 3)
    assert list(found) == [0, 8]


def test_only_a_rate_opens_the_result_of_dbench() -> None:
    openings = Openings([parser.FORMAT for parser in parsers.PARSERS])

    assert openings.find("\tThroughput test with 1 process\n      Throughput mb/sec: 50\n") == []
    assert [one.line for one in openings.find("\nThroughput 27.4 MB/sec  8 procs\n")] == [1]


def test_the_command_above_a_report_of_dd_says_which_side_is_no_storage() -> None:
    hdparm = "\n/dev/sda:\n Timing buffered disk reads: 1500 MB in  3.00 seconds = 500.00 MB/sec\n"
    parsed = parsers.parse(f"$ dd if=/dev/zero of=/mnt/f bs=1M\n{DD}$ hdparm -t /dev/sda\n{hdparm}")
    timed = [(row["tool"], row["operation"]) for row in parsed.runs if "throughput" in row]
    assert timed == [("dd", "write"), ("hdparm", "read")]


def test_bars_of_xrdcp_beside_another_copy_tool_are_read() -> None:
    bar = f"[2.5MB/2.5MB][100%][{50 * '='}][1.25MB/s]\n"
    parsed = parsers.parse(bar + "\nCopying file:///d/a.dat   [DONE]  after 3s\n")
    assert [(row["part"], row["tool"], row["line"]) for row in parsed.runs] == [(1, "xrdcp", 1), (2, "gfal-copy", 3)]


HDPARM = "/dev/sdq:\n Timing cached reads:   3000 MB in  2.00 seconds = 1500.00 MB/sec\n"
PROSE = "Somebody wrote a line here that says nothing of any storage.\n" * 100
ONE_OF_EACH = (
    *("smallfile/smallfile-3.2-create.txt", "smallfile/smallfile-3.2-create.json", "warp/warp-1.3.0-put-moto.txt"),
    *("md_workbench/imitated-ior-4.0.txt", "gpfsperf/imitated-three-tests.txt", "vdbench/imitated-5.04.07-console.txt"),
    *("hpss/imitated-hsi.txt", "mountstats/imitated-linux-6.1.txt", "nfsiostat/imitated-1.2-tabs.txt"),
    *(
        "lctl_get_param/imitated-client-2.12.txt",
        "mmperfmon/imitated-usage.txt",
        "darshan_parser/imitated-3.4-base.txt",
    ),
)
NEAR_ONLY = (
    *("rados_bench/imitated-quoted-with-remarks.txt", "dbench/imitated-5.0-smb2-names.txt"),
    *("vdbench/imitated-5.04.07-flatfile.html", "fio_terse/multi-v2-3.33.txt", "io500/rendered-result-extended.txt"),
)


def rows_of(parsed: Parsed) -> int:
    return len(parsed.runs) + len(parsed.clients) + len(parsed.series.get("line", ()))


@pytest.mark.parametrize("other", ["root/imitated-6.04-tree-cache.log", "xrdcp/upload-4k-time.log"])
def test_what_else_a_job_of_cmssw_prints_is_read_beside_its_report(other: str) -> None:
    job = text_of("cmssw_timereport/imitated-cmssw-9.txt").splitlines(keepends=True)
    alone, beside = parsers.parse("".join(job)), parsers.parse(text_of(other))
    parsed = parsers.parse("".join([*job[:8], text_of(other), *job[8:]]))
    assert parsed.header["started"] == alone.header["started"]
    assert sorted(values(parsed), key=str) == sorted([*values(alone), *values(beside)], key=str)
    assert len(parsed.series["line"]) == len(alone.series["line"]) + len(beside.series.get("line", ()))


def test_no_tool_is_lost_beside_one_that_says_where_it_begins() -> None:
    for name, gaps in [*((name, ("", PROSE)) for name in ONE_OF_EACH), *((name, ("",)) for name in NEAR_ONLY)]:
        alone = text_of(name)
        count = rows_of(parsers.parse(alone))
        for gap in gaps:
            for text in (f"{alone}\n\n{gap}{HDPARM}", f"{HDPARM}\n{gap}{alone}"):
                parsed = parsers.parse(text)
                assert (rows_of(parsed), parsed.complete) == (count + 1, True), (
                    name,
                    bool(gap),
                    text.startswith("/dev"),
                )


def test_a_tool_that_failed_beside_one_that_did_not_is_said() -> None:
    failed = text_of("warp/warp-1.3.0-connection-refused.txt")
    whole = parsers.parse(HDPARM)
    parsed = parsers.parse(f"{HDPARM}\n{failed}")
    assert (len(parsed.runs), parsed.complete) == (len(whole.runs), False)
    assert parsed.notes


def test_a_run_that_broke_off_hides_no_other_tool() -> None:
    announced = MDTEST[: MDTEST.index("SUMMARY rate")]
    for text in (IOR + announced, announced + IOR):
        parsed = parsers.parse(text)
        assert values(parsed) == values(parsers.parse(IOR))
        assert not parsed.complete


@pytest.mark.parametrize("between", ["", " HDIO_DRIVE_CMD(identify) failed: Invalid argument\n"])
def test_a_timing_behind_another_tool_is_of_the_device_above_it(between: str) -> None:
    timed = "\n/dev/{}:\n" + between + " Timing buffered disk reads: 134 MB in  3.01 seconds =  44.52 MB/sec\n"
    parsed = parsers.parse(timed.format("sdq") + DD + timed.format("sdr"))
    assert [row["device"] for row in parsed.runs if row["tool"] == "hdparm"] == ["/dev/sdq", "/dev/sdr"]


PACKAGES = (
    ("mpstat/all-processors-12.6.1.txt", "sar/many-tables-12.6.1.txt", "iostat/extended-times-12.6.1.txt"),
    ("nfsiostat/nfs-utils-2.6.2-invented-counters.txt", "mountstats/imitated-linux-6.1.txt"),
    ("nfsiostat/imitated-1.2-tabs.txt", "mountstats/nfs-utils-2.6.2-invented-counters.txt"),
)


def test_tools_of_one_package_begin_alike_and_are_told_by_what_follows() -> None:
    for first, second in (pair for names in PACKAGES for pair in itertools.permutations(map(text_of, names), 2)):
        parsed = parsers.parse(f"{first}\n{second}")
        assert rows_of(parsed) == rows_of(parsers.parse(first)) + rows_of(parsers.parse(second))
        assert parsed.complete


BEHIND_ANOTHER = (
    *("vmstat/procps-4.0.2-D-summary.txt", "vmstat/imitated-3.2-s.txt", "sar/chinese-processors-12.6.1.txt"),
    *("sar/imitated-aix-processors.txt", "sar/imitated-solaris-disks.txt", "mpstat/interrupts-nodes-12.6.1.txt"),
    *("iostat/imitated-solaris-xr.txt", "iostat/imitated-9.0-nfs.txt", "collectl/4.3.1-detail-oDm.txt"),
)


def test_a_monitor_behind_a_report_keeps_all_of_its_paragraphs() -> None:
    before = rows_of(parsers.parse(FIO))
    for name in BEHIND_ANOTHER:
        alone = text_of(name)
        parsed = parsers.parse(FIO + alone)
        assert (rows_of(parsed), parsed.complete) == (rows_of(parsers.parse(alone)) + before, True), name


def test_samples_of_several_tools_say_whose_they_are() -> None:
    vmstat = text_of("vmstat/imitated-3.2-s.txt")
    parsed = parsers.parse(f"$ vmstat 1\n{vmstat}$ iostat\n{IOSTAT}")
    assert parsed.header["tool"] == "vmstat, iostat"
    first = 1 + vmstat.count("\n")
    told = zip(parsed.series["tool"], parsed.series["line"], strict=True)
    assert {(tool, float(line) > first) for tool, line in told} == {("vmstat", False), ("iostat", True)}
