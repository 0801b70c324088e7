"""hdparm, Bonnie, bonnie++, dbench and TestDFSIO: what golden tables do not show."""

from __future__ import annotations

import re

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import bonnie, bonnie_classic, dbench, hdparm, hibench, md_workbench, testdfsio
from storagelab.parsers.benchmarks.bonnie import fields
from storagelab.parsers.model import Parsed, Row
from storagelab.parsers.text import decode
from storagelab.units import MIB
from tests.conftest import LOGS, SHARED

CORPUS = SHARED / "corpus"


def corpus(name: str) -> str:
    log = CORPUS / name
    if not log.is_file():
        pytest.skip(f"the corpus of strangers' logs is not there: {log}")
    return decode(log.read_bytes())[0]


@pytest.mark.parametrize("module", [bonnie, bonnie_classic, dbench, hdparm, testdfsio])
def test_a_log_of_another_tool_is_refused(module) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParseError, match=r"log:1: expected a .*, found 'a log of another tool"):
        module.parse("a log of another tool\n")


def test_bonnie_of_all_layouts() -> None:
    parsed = bonnie.parse(corpus("bonnie/bonnie2gchart-6x1.96-1x1.03.csv"))
    blocks = [row for row in parsed.runs if row["operation"] == "write" and row["label"] == "block"]
    assert [row["throughput"] / 1024 for row in blocks] == [110033, 109696, 94051, 86703, 75834, 99612, 36403]
    assert blocks[0]["file_size"] == 8096 * 2.0**20
    assert "latency_max" not in blocks[-1]


def test_bonnie_too_fast_is_no_rate() -> None:
    parsed = bonnie.parse(corpus("bonnie/pkb-bonnie-1.96.csv"))
    stats = [row for row in parsed.runs if row["operation"] == "file_stat"]
    assert [row.keys() & {"operation_rate", "cpu_utilisation"} for row in stats] == [set(), set()]
    assert all(0 < row["latency_max"] < 1 for row in stats)
    assert "seq_stat was too fast to be measured" in {note.text for note in parsed.notes}


def test_hdparm_units_and_older_wording() -> None:
    parsed = hdparm.parse("/dev/hda:\n Timing buffered disk reads:    2 MB in  3.01 seconds = 680.14 kB/sec\n")
    assert parsed.runs[0]["throughput"] == pytest.approx(680.14 * 1024)
    parsed = hdparm.parse("/dev/hda:\n Timing buffer-cache reads:   128 MB in  0.94 seconds =136.17 MB/sec\n")
    assert parsed.runs[0]["label"] == "buffer-cache reads"


def test_dbench_megabytes_are_decimal() -> None:
    parsed = dbench.parse("Throughput 537.761 MB/sec  4 clients  4 procs  max_latency=70.779 ms\n")
    assert parsed.runs[0]["throughput"] == pytest.approx(537.761e6)
    assert parsed.runs[0]["processes"] == 4


def test_dbench_is_told_by_its_table_alone() -> None:
    table = " Operation      Count    AvgLat    MaxLat\n ----\n NTCreateX      1000     0.020     5.000\n"
    (row,) = parsers.parse(table).runs
    assert (row["label"], row["operations"], row["latency"], row["latency_max"]) == ("NTCreateX", 1000, 2e-5, 5e-3)
    with pytest.raises(ParseError, match="expected a log of one of"):
        parsers.parse(table.replace("MaxLat", "Max"))


@pytest.mark.parametrize(
    "operations",
    [("NTCreateX", "** Close", "* Rename", "Unlink", "** WriteX", "ReadX", "LockX", "UnlockX", "** Flush"),
     ("Deltree", "GETATTR3", "WRITE3", "MKDIR3"),
     ("Deltree", "Mkdir"),
     ("Qpathinfo", "** Qfileinfo", "Qfsinfo", "Sfileinfo", "Find")],
)  # fmt: skip
def test_dbench_lacks_no_operation_behind_stars_or_of_another_load(operations: tuple[str, ...]) -> None:
    rows = "".join(f" {name:12} 1000     0.020     5.000\n" for name in operations)
    table = f" Operation      Count    AvgLat    MaxLat\n ----\n{rows}\nThroughput 5.5 MB/sec  2 clients  2 procs\n"
    parsed = parsers.parse(table)
    assert (parsed.complete, parsed.notes, len(parsed.runs)) == (True, [], 1 + len(operations))
    (note,) = parsers.parse(table.replace(f" {operations[-1]:12}", " Other")).notes
    assert note.text.startswith(f"expected '{operations[-1].strip('* ').replace('MKDIR3', 'Mkdir')} ' as often as")


def test_dbench_of_version_3() -> None:
    parsed = dbench.parse("dbench version 3.04\nThroughput 312.5 MB/sec 8 procs\n")
    assert parsed.runs[0]["processes"] == 8
    assert parsed.complete


def test_dbench_counts_that_are_no_numbers_are_not_added_up_as_such() -> None:
    """Found by a mutant: four hundred digits are more than a float holds."""
    text = (LOGS / "dbench/imitated-4.00-machine-readable-per-client.txt").read_text()
    parsed = dbench.parse(text.replace(":WriteX:300:", ":WriteX:" + "9" * 400 + ":", 1))
    assert any("WriteX: the operations of the clients are not 600 together" in note.text for note in parsed.notes)


@pytest.mark.parametrize("rows", [0, 3], ids=["a heading", "some operations"])
def test_a_second_table_of_dbench_without_its_result_is_cut(rows: int) -> None:
    text = (LOGS / "dbench/dbench-4.0-4clients.txt").read_text()
    table = text[text.index(" Operation") :].splitlines(keepends=True)
    assert dbench.parse(text + "\n" + "".join(table)).complete
    assert not dbench.parse(text + "\n" + "".join(table[: 2 + rows])).complete


def test_processes_of_dbench_that_did_not_end_are_those_that_it_launched() -> None:
    text = (LOGS / "dbench/dbench-4.0-4clients.txt").read_text()
    assert "processes" not in dbench.parse(text).header
    stopped = dbench.parse(text[: text.index(" Operation")]).header
    said = text[: text.index("4 of 4 processes prepared")].count("\n") + 1
    assert (stopped["processes"], stopped["processes_line"]) == (4, said)
    assert "processes" not in dbench.parse("2 of 4 processes prepared for launch   0 sec\ndbench version 4.00\n").header


@pytest.mark.parametrize(
    ("command", "processes"),
    [
        ("$ sudo ./dbench -D /mnt/fs -t 60 -c client.txt 12", 12),
        ("# time /opt/dbench/bin/dbench --clients-per-process=4 8 2>&1 | tee run.log", 8),
        ("> tbench -t 10 6 10.0.0.2", 6),
        ("root@node01:/home/user# dbench 4 -t 60", 4),
        ("$ dbench -t 60", None),
        ("$ dbench", None),
        ("dbench says 12", None),
    ],
)
def test_processes_of_an_excerpt_of_dbench_are_those_that_its_command_asks_for(
    command: str, processes: int | None
) -> None:
    table = " Operation      Count    AvgLat    MaxLat\n ----------------------------------------\n"
    header = parsers.parse(f"{command}\n\n{table} NTCreateX      31211     0.021     9.101\n", "dbench").header
    assert (header.get("processes"), header.get("processes_line")) == (processes, 1 if processes else None)
    first_release = parsers.parse(f"{command}\nThroughput 10.5 MB/sec (NB=13.1 MB/sec  105.2 MBit/sec)\n", "dbench")
    assert first_release.header.get("processes") == processes
    launched = parsers.parse(f"{command}\n3 of 3 processes prepared for launch   0 sec\n\n{table}", "dbench")
    assert launched.header["processes"] == 3
    told = parsers.parse(f"{command}\nThroughput 10.5 MB/sec  2 clients  2 procs  max_latency=1.5 ms\n", "dbench")
    assert "processes" not in told.header


def test_dbench_that_was_stopped() -> None:
    parsed = dbench.parse("dbench version 4.00\n   4     40064   422.11 MB/sec  execute   1 sec  latency 70.779 ms\n")
    assert not parsed.complete
    assert list(parsed.series["phase"]) == ["execute"]


def test_testdfsio_block_without_a_blank_line_before_it() -> None:
    parsed = testdfsio.parse(corpus("testdfsio/hadoop-on-android-45-runs.log"))
    assert len(parsed.runs) == 45
    assert parsed.complete


def test_testdfsio_operation_that_does_not_exist() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected an operation of TestDFSIO \(write, .*\), found 'wrte'"):
        testdfsio.parse("----- TestDFSIO ----- : wrte\n")


def test_testdfsio_field_behind_a_long_message() -> None:
    block = "----- TestDFSIO ----- : write\n"
    said = f"{'a task has ended ' * 1000}fs.TestDFSIO: Throughput mb/sec: 20{' ' * 1000}\n"
    assert testdfsio.parse(block + said).runs[0]["throughput"] == 20 * MIB


@pytest.mark.parametrize("end", ["-----", "----- ", "----- Test", "-"])
def test_testdfsio_that_ends_in_the_heading_of_a_block_is_cut(end: str) -> None:
    text = (LOGS / "testdfsio/imitated-console.txt").read_text()
    parsed = parsers.parse(f"{text}21/05/03 10:12:13 INFO fs.TestDFSIO: {end}\n")
    assert parsed.notes[0].text == "the log ends in the heading of a block of results"
    assert (parsed.notes[0].line, parsed.complete) == (text.count("\n") + 1, False)
    assert parsers.parse(f"{text}-----\n").complete


def test_testdfsio_block_that_is_cut() -> None:
    parsed = testdfsio.parse("----- TestDFSIO ----- : write\n      Throughput mb/sec: 20\n")
    assert not parsed.complete
    assert parsed.runs[0]["throughput"] == 20 * 2.0**20


def test_bonnie_table_without_csv() -> None:
    table = """\
Version 1.03e       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
n1            16G:4k           120413  30 54123  12           148201  14 250.3   1
"""
    parsed = bonnie.parse(table)
    assert {(row["operation"], row.get("throughput", row.get("operation_rate"))) for row in parsed.runs} == {
        ("write", 120413 * 1024.0),
        ("rewrite", 54123 * 1024.0),
        ("read", 148201 * 1024.0),
        ("seek", 250.3),
    }
    assert {row["record_size"] for row in parsed.runs} == {4096.0}
    assert not parsed.complete


FILES = """\
Version  {version}       ------Sequential Create------ --------Random Create--------
n1                  -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
files:max:min        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
n1           2:64:8  2048  15 +++++ +++  2048   5  1920  17  2114  12  1302   4
Latency              1200us     450us     950us    1300us      60us     700us
"""


@pytest.mark.parametrize(("version", "rates"), [("1.97", [2048, 2048]), ("1.98", []), ("2.00", [])])
def test_bonnie_prints_the_number_of_files_for_their_rates_since_1_98(version: str, rates: list[float]) -> None:
    parsed = bonnie.parse(FILES.format(version=version))
    assert [row["operation_rate"] for row in parsed.runs if "operation_rate" in row] == [*rates, 1920, 2114, 1302]
    assert [row.get("cpu_utilisation") for row in parsed.runs] == [0.15, None, 0.05, 0.17, 0.12, 0.04]
    assert any("number of files" in note.text for note in parsed.notes) is not bool(rates)


def test_bonnie_1_00_has_the_unit_of_its_sizes_in_the_heading() -> None:
    parsed = bonnie.parse((LOGS / "bonnie/imitated-1.00-mb-column.txt").read_text())
    sizes = {row["host"]: row["file_size"] for row in parsed.runs if row["operation"] == "rewrite"}
    assert sizes == {"stork": 384 * MIB, "hdb *both*": 192 * MIB}


def test_bonnie_rate_that_is_no_number_is_said_and_left_out() -> None:
    text = (LOGS / "bonnie/imitated-1.00-mb-column.txt").read_text()
    parsed = bonnie.parse(text)
    assert [row["operation_rate"] for row in parsed.runs if row["operation"] == "seek"] == [61.5]
    assert ("seeks is nan: it was not measured", 8) in {(note.text, note.line) for note in parsed.notes}
    kept = bonnie.parse(text.replace("   nan\n-2147483648", "  77.5\n  3"))
    assert [row["operation_rate"] for row in kept.runs if row["operation"] == "seek"] == [77.5, 61.5]


def test_bonnie_machine_without_csv_is_a_part_of_its_own() -> None:
    parsed = bonnie.parse((LOGS / "bonnie/imitated-1.03-names-left-out.txt").read_text())
    sizes = {row["part"]: row["file_size"] for row in parsed.runs if row["operation"] == "rewrite"}
    assert sizes == {1.0: 2 * 2.0**30, 2.0: 480 * 2.0**20, 3.0: 4 * 2.0**30}
    hosts = {row["part"]: row["host"] for row in parsed.runs}
    assert hosts == {1.0: "netbook-3", 2.0: "encoder", 3.0: "archive"}


def test_bonnie_row_without_a_machine_is_of_none_where_the_table_has_other_rates() -> None:
    text = (LOGS / "bonnie/imitated-1.03-names-left-out.txt").read_text()
    parsed = bonnie.parse(text.replace(",2G,11874,84,51615,", ",2G,11874,84,51616,"))
    assert [row.get("host", "") for row in parsed.runs if row["part"] == 1.0 and row["operation"] == "rewrite"] == [""]


def test_bonnie_table_keeps_the_latency_that_a_cut_row_has_lost() -> None:
    lines = (LOGS / "bonnie/imitated-1.97-table.txt").read_text().rstrip("\n").split("\n")
    row = "1.97,1.97,n1,1,1273389720,6G,,233,98,71282,16,31948,9,1278,91,61531,6,169.4,4,16,,,,,15314,28,+++++,+++,"
    row += "22812,31,24827,47,+++++,+++,28841,38,45500us,1223ms,1083ms,125ms,373ms,934ms,913us,1077us,1755us,1117us"
    parsed = bonnie.parse("\n".join([*lines, row, ""]))
    removed = [test for test in parsed.runs if test["operation"] == "file_remove"]
    assert not parsed.complete
    assert all("latency_max" in test for test in removed)
    assert (removed[-1]["latency_max_line"], removed[-1]["line"]) == (len(lines), len(lines) + 1)


def test_bonnie_table_of_another_run_than_the_row_of_csv_is_read_too() -> None:
    table = (LOGS / "bonnie/imitated-1.02-headings-changed.txt").read_text()
    row = "n9,3G,9100,71,30200,12,8300,4,9000,60,41000,6,180.5,1,,,,,,,,,,,,,"
    count = len(bonnie.parse(table).runs)
    for text in (f"{table}{row}\n", f"{row}\n{table}"):
        parsed = bonnie.parse(text)
        assert len(parsed.runs) == count + 6
        assert parsed.complete


@pytest.mark.parametrize(("printed", "items"), [("16", 16384.0), ("2:1000:100/3", 2048.0), ("0", None), ("n", None)])
def test_bonnie_files_are_counted_in_units_of_1024(printed: str, items: float | None) -> None:
    text = (LOGS / "bonnie/imitated-1.03-names-left-out.txt").read_text()
    row = next(line for line in text.split("\n") if line.count(",") == len(fields.OLD) - 1)
    cells = row.split(",")
    cells[fields.OLD.index("num_files")] = printed
    rows = bonnie.parse(",".join(cells) + "\n").runs
    said = {test["operation"]: test.get("items") for test in rows}
    assert said["file_create"] == said["file_remove"] == items
    assert said["write"] is said["seek"] is None


def test_bonnie_row_with_a_field_too_many_is_not_read() -> None:
    row = "n1,2G,44179,80,49453,17,17477,6,38956,76,46240,8,158{}5,1,16,32493,87" + ",+++++,+++" * 5 + "\n"
    parsed = bonnie.parse(row.format(".") + row.format(","))
    assert bonnie.parse(row.format(".")).complete
    assert [note[0] for note in parsed.notes if "28" in note[1]] == [2]
    assert {test["line"] for test in parsed.runs} == {1}
    assert not parsed.complete


def test_a_timing_of_hdparm_whose_colon_was_lost_is_read() -> None:
    parsed = hdparm.parse("/dev/sdb:\n Timing cached reads 1274 MB in  2.00 seconds = 636.75 MB/sec\n")
    assert (parsed.complete, [row["label"] for row in parsed.runs]) == (True, ["cached reads"])


def test_hdparm_offset_and_gigabytes() -> None:
    parsed = hdparm.parse(
        "/dev/sda:\n Timing buffered disk reads (offset 10 GB): 512 MB in  3.01 seconds = 170.10 MB/sec\n"
        " Timing cached reads:   14.50 GB in  2.00 seconds =   7.25 GB/sec\n"
    )
    assert parsed.runs[1]["data_size"] == 14.5 * 2**30
    assert parsed.complete


def test_timings_of_hdparm_in_quotes_and_in_one_line_are_read_and_a_damaged_one_is_told() -> None:
    timing = "Timing buffered disk reads: 512 MB in  3.20 seconds = 160.00 MB/sec"
    parsed = hdparm.parse(f'It went from:\n"{timing}"\nand two:\n{timing} {timing.replace("160", "260")}\n')
    rates = [(row["throughput"], row["line"]) for row in parsed.runs]
    assert rates == [(160 * MIB, 2), (160 * MIB, 4), (260 * MIB, 4)]
    assert parsed.complete
    damaged = hdparm.parse(f"/dev/sdb:\n {timing} {timing.replace(' MB in', '')}\n")
    assert len(damaged.runs) == 1
    assert not damaged.complete


def test_a_device_below_which_hdparm_has_timed_nothing_is_told_at_the_end() -> None:
    timed = "/dev/sda:\n Timing cached reads:   916 MB in  2.00 seconds = 458.00 MB/sec\n"
    parsed = hdparm.parse(f"{timed}\n/dev/sdb:\n\n")
    assert [(note.line, note.text) for note in parsed.notes] == [(4, "/dev/sdb has no timing")]
    assert not parsed.complete
    assert hdparm.parse(f"/dev/sdb:\n{timed}").complete
    assert hdparm.parse(f"{timed}# hdparm -t /dev/sdb\n").complete


def test_a_sentence_that_names_a_timing_of_hdparm_is_no_damaged_one() -> None:
    timing = " Timing buffered disk reads:   14 MB in  3.07 seconds =   4.56 MB/sec\n"
    for said in (
        "Normally my value for the Timing buffered disk reads is 25 MB/sec.",
        "My Timing cached reads are fine",
    ):
        assert hdparm.parse(f"/dev/hda:\n{timing}{said}\n").complete, said
    for broken in (
        "Timing cached reads   916 MB in",
        "Timing buffered disk reads",
        "disk Timing cached reads",
        "Timing c Timing d",
    ):
        assert not hdparm.parse(f"/dev/hda:\n{timing} {broken}\n{timing}").complete, broken


def test_operations_of_dbench_above_the_heading_that_was_cut_off_are_read_and_said() -> None:
    text = (LOGS / "dbench/dbench-4.0-4clients.txt").read_text()
    whole = [row for row in dbench.parse(text).runs if "label" in row]
    below = text.index(" NTCreateX")
    parsed = dbench.parse(text[below:])
    assert [note.text for note in parsed.notes] == ["operations without the heading of their table"]
    shift = text.count("\n", 0, below)
    assert [{**row, "line": row["line"] + shift} for row in parsed.runs if "label" in row] == [
        {**row, "processes_line": row["processes_line"] - shift} for row in whole
    ]


def test_dbench_of_version_2_counts_on() -> None:
    parsed = dbench.parse(
        "4 clients started\n   4  62477  51.20 MB/sec\nThroughput 52.1131 MB/sec (NB=65.1 MB/sec)  4 procs\n"
    )
    assert parsed.runs[0]["throughput"] == pytest.approx(52.1131e6)
    assert parsed.complete


def test_a_page_of_vdbench_cut_behind_a_tag_is_incomplete() -> None:
    text = (LOGS / "vdbench/imitated-5.04.06-totals.html").read_text()
    begins = text.index('<a name="_102">')
    ends = [begins + len('<a name="_102">'), text.index("<b>", begins) + 3]
    assert [parsers.parse(text[:end], "vdbench").complete for end in (begins, *ends)] == [True, False, False]
    assert parsers.parse(f"{text}</body></html>", "vdbench").complete


def test_dbench_of_version_1_without_its_processes() -> None:
    parsed = dbench.parse("...++**Throughput 33.77 MB/sec (NB=42.2125 MB/sec  337.7 MBit/sec)\n")
    assert parsed.runs == [{"operation": "mixed_workload", "throughput": pytest.approx(33.77e6), "line": 1}]
    assert parsed.complete
    assert dbench.sniff("Throughput 33.77 MB/sec (NB=42.2125 MB/sec  337.7 MBit/sec)\n")


OF_NETBENCH = "Throughput 96.2302 MB/sec (NB=120.288 MB/sec  962.302 MBit/sec)"


@pytest.mark.parametrize("end", ["  32 procs\n", "  32\nprocs\n"])
def test_processes_of_dbench_of_version_1_may_stand_before_the_break_of_a_mail(end: str) -> None:
    (row,) = parsers.parse(f"{OF_NETBENCH}{end}").runs
    assert (row["throughput"], row["processes"]) == (pytest.approx(96.2302e6), 32.0)
    assert "processes" not in parsers.parse(f"{OF_NETBENCH} - after 32\n").runs[0]


def test_dbench_of_version_1_behind_its_name() -> None:
    (row,) = parsers.parse(f"tests of today\n\ndbench 16: {OF_NETBENCH}  16 procs\n").runs
    assert (row["label"], row["processes"], row["line"]) == ("dbench 16", 16.0, 3)


def test_a_smallfile_that_does_not_say_its_threads_is_incomplete() -> None:
    text = (LOGS / "smallfile/smallfile-3.2-create.txt").read_text()
    lines = text.splitlines(keepends=True)
    parsed = parsers.parse("".join(line for line in lines if not line.startswith(("total threads", "host = "))))
    assert "the test does not say how many threads it had" in str(parsed.notes)


def test_phases_of_md_real_io_are_those_of_md_workbench() -> None:
    text = (LOGS / "md_workbench/imitated-md-real-io.txt").read_text()
    quiet = md_workbench.parse(text[text.index("precreate 40.0s") :].replace(" (0 errs)", ""))
    assert (quiet.complete, [row["phase"] for row in quiet.runs]) == (
        True,
        ["precreate", "benchmark", "benchmark", "cleanup"],
    )
    assert quiet.runs[1]["throughput"] == 35.7 * 2**20
    cut = md_workbench.parse(text[: text.index("Total runtime")])
    assert ["does not say how long it ran" in note.text for note in cut.notes] == [True]
    process = "7: benchmark 24.9s 2400.0 iops/s 15000 obj 600.0 obj/s 4.5 Mib/s (0 errs)\n"
    (share,) = md_workbench.parse(text.replace("benchmark 24.0s", f"{process}benchmark 24.0s")).clients
    assert (share["process"], share["operation_rate"]) == ("7", 2400)
    torn = md_workbench.parse(text.replace("120000 obj 4800.0 obj/s", "obj 4800.0 obj/s"))
    assert "expected a phase of md-workbench" in torn.notes[0].text
    assert torn.notes[1].text == "expected the phase benchmark 2 times, found it 1 times"
    short = md_workbench.parse(text.replace(" 35.7 Mib/s", ""))
    assert (short.complete, short.notes) == (False, [(19, "the phase lacks a number")])


def test_the_summary_of_md_real_io_is_cut_where_it_lacks_a_rate() -> None:
    lines = (LOGS / "md_workbench/imitated-md-real-io-2016.txt").read_text().splitlines(keepends=True)
    cut = parsers.parse("".join(lines[:10]))
    assert [row["phase"] for row in cut.runs] == ["precreate", "benchmark"]
    assert (cut.complete, cut.notes) == (False, [(0, "the summary lacks the rates of cleanup: it is cut")])
    untimed = parsers.parse("".join([lines[0], *lines[7:]]))
    assert untimed.notes == [(0, "the times of the phases are missing above their rates")]
    with pytest.raises(ParseError, match="expected a summary of MD-REAL-IO"):
        parsers.parse("".join(lines[:7]))


def test_a_phase_that_md_real_io_skipped_has_no_rate_and_is_not_missed() -> None:
    text = (LOGS / "md_workbench/imitated-md-real-io-2016.txt").read_text()
    skipped = parsers.parse(text.replace("cleanup: 16.00s", "cleanup: 0.00s").replace("2502.5", "-nan"))
    assert ([row["phase"] for row in skipped.runs], skipped.complete) == (["precreate", "benchmark"], True)


def test_what_md_real_io_says_of_errors_is_told() -> None:
    text = (LOGS / "md_workbench/imitated-md-real-io-2016.txt").read_text()
    errors = "Errors: 2 /Pre dir: 0 files: 2 /Bench create: 0 access: 0 /Clean files: 0"
    failed = parsers.parse(text.replace("\n\nCompound", f"\n{errors}\n\nCompound"))
    assert (failed.complete, failed.notes) == (False, [(7, errors)])


RANKS = (
    "\n"
    "Individual report:\n"
    "Rank\tPrecreate\tBenchmark\tCleanup\tP:CreatedSets\tCreatedObjs \tB:Created\tAccessed\tC:Deleted\n"
    "0\t19.25s\t\t24.50s\t\t15.50s\t     10(0)\t10000(0)\t3000(0)\t3000(0)\t10000(0)\n"
    "1\t19.35s\t\t24.40s\t\t15.60s\t     10(0)\t10000(0)\t3000(0)\t3000(0)\t10000(0)\n"
    "2\t19.45s\t\t24.30s\t\t15.70s\t     10(0)\t10000(0)\t3000(0)\t3000(0)\t10000(0)\n"
    "3\t19.55s\t\t24.20s\t\t15.80s\t     10(0)\t10000(0)\t3000(0)\t3000(0)\t10000(0)\n"
)


def test_ranks_of_md_real_io_are_clients() -> None:
    text = (LOGS / "md_workbench/imitated-md-real-io-late-2016.txt").read_text() + RANKS
    shares = parsers.parse(text).clients
    assert [(row["process"], row["operation"], row["elapsed"], row["files"]) for row in shares[3:6]] == [
        ("1", "file_create", 19.35, 10000),
        ("1", "mixed_workload", 24.4, 3000),
        ("1", "file_remove", 15.6, 10000),
    ]
    *others, last = text.splitlines(keepends=True)
    missing = parsers.parse("".join(others))
    assert missing.notes == [(0, "the files of the ranks are not those of the run: a rank is missing")]
    announced = parsers.parse("".join(others[:-3]))
    assert announced.notes == [(0, "a report of the ranks is announced, and has none")]
    torn = parsers.parse("".join([*others, last.replace("10(0)", "10")]))
    assert (18, "expected a rank with its times and counts") in [
        (note.line, note.text.partition(",")[0]) for note in torn.notes
    ]
    failed = parsers.parse(text.replace("3000(0)\t3000(0)", "3000(1)\t3000(2)").replace("10(0)\t", "10(4)\t")).clients
    assert [row["errors"] for row in failed[:3]] == [4, 3, 0]
    early = text.replace("P:CreatedSets\tCreatedObjs \tB:Created\tAccessed\tC:Deleted", "/Pre CreatedDirs CreateFiles")
    assert parsers.parse(early.replace("(0)\t", "(0)\t\t\t").replace("Individual report:\n", "")).clients == [
        {**row, "line": row["line"] - 1} for row in shares
    ]


def test_phases_that_a_late_md_real_io_was_not_asked_for_are_not_missed() -> None:
    text = (LOGS / "md_workbench/imitated-md-real-io-late-2016.txt").read_text()
    lines = [line for line in text.splitlines(keepends=True)[:11] if not line.startswith("Cleanup:")]
    cut = parsers.parse("".join(lines))
    assert cut.notes == [(0, "the summary lacks the rates of cleanup: it is cut")]
    asked = parsers.parse("".join(lines).replace("+ 16.00s", "+ 0.00s"))
    assert ([row["phase"] for row in asked.runs], asked.complete) == (["precreate", "benchmark"], True)


def test_summaries_and_phases_of_md_real_io_in_one_log_are_read() -> None:
    texts = [(LOGS / f"md_workbench/imitated-md-real-io{end}.txt").read_text() for end in ("-2016", "")]
    assert len(parsers.parse("".join(texts)).runs) == 3 + 4
    alone = md_workbench.parse("".join(texts))
    assert (29, "phases of a later version stand here, which are not read with the summary") in alone.notes


def test_runs_of_md_real_io_are_told_apart() -> None:
    text = (LOGS / "md_workbench/imitated-md-real-io-2016.txt").read_text()
    parsed = parsers.parse(text + text)
    assert [row["part"] for row in parsed.runs] == [1.0] * 3 + [2.0] * 3
    assert parsed.complete


def test_rates_of_md_workbench_are_held_against_seconds_of_one_digit() -> None:
    text = (LOGS / "md_workbench/imitated-1.0.txt").read_text()
    near = text.replace("rate:20000.0 obj/s", "rate:19300.0 obj/s")
    assert parsers.parse(near).complete
    far = parsers.parse(text.replace("rate:20000.0 obj/s", "rate:17300.0 obj/s"))
    assert "expected file_rate = files / elapsed = 20000, found 17300" in str(far.notes)


def test_smallfile_1_whose_thread_is_missing_is_incomplete() -> None:
    text = (LOGS / "smallfile/imitated-1.9-one-host.txt").read_text()
    lines = text.splitlines(keepends=True)
    without = "".join(line for line in lines if "thread = 01" not in line)
    assert parsers.parse(text, "smallfile").complete
    assert not parsers.parse(without, "smallfile").complete


def test_a_second_run_of_smallfile_1_has_no_threads_of_the_first() -> None:
    text = (LOGS / "smallfile/imitated-1.9-one-host.txt").read_text()
    second = "".join(line for line in text.splitlines(keepends=True) if " threads : " not in line)
    first_run, second_run = parsers.parse(text + second, "smallfile").runs
    assert first_run["processes"] == 2
    assert "processes" not in second_run


def test_testdfsio_aggregated_throughput_that_is_not_there() -> None:
    block = "----- TestDFSIO ----- : write\n      Throughput mb/sec: 20\n     Test exec time sec: 9\n"
    unavailable = "-- Extended Metrics --   : write\nAggregated throughput results are unavailable, because\n"
    parsed = testdfsio.parse(block + unavailable)
    assert (parsed.complete, len(parsed.runs)) == (True, 1)
    mean = "Average of Aggregated Throughput : 4x mb/sec\n"
    notes = [note.text for note in testdfsio.parse(block + unavailable.partition("\n")[0] + "\n" + mean).notes]
    assert notes == ["expected a rate in mb/sec, found '4x mb/sec'", "the aggregated throughput is not whole"]
    assert "expected '-- Extended Metrics --' above" in testdfsio.parse(block + mean).notes[0].text


def test_hdparm_devices_with_remarks_and_colons() -> None:
    timing = " Timing buffered disk reads:  96 MB in  3.00 seconds = 32.00 MB/sec\n"
    named = "/dev/disk/by-path/pci-0000:00:1f.2-ata-1"
    for heading in (f"{named}:", f"{named}: (the old one)", f"# hdparm -t {named}", f"results of hdparm -t {named}:"):
        assert [row.get("device") for row in hdparm.parse(f"{heading}\n{timing}").runs] == [named]


def test_dbench_results_in_columns_and_behind_a_name() -> None:
    results = [f"Throughput {rate} MB/sec  {n:2} clients  {n:2} procs" for rate, n in ((" 62.50", 2), ("131.00", 16))]
    parsed = dbench.parse("".join(f"{result}  max_latency=0.950 ms\n" for result in results))
    assert [(row["throughput"], row["processes"]) for row in parsed.runs] == [(62.5e6, 2.0), (131e6, 16.0)]
    named = dbench.parse(f"with patch: {results[0]}\n a throughput: {results[1].removesuffix('procs')}\n")
    assert [(row.get("label"), row["processes"]) for row in named.runs] == [("with patch", 2.0)]
    assert not named.complete
    marked = dbench.parse(f" + patch  : {results[0]}\n#{results[1]}\n")
    assert [(row.get("label"), row["processes"]) for row in marked.runs] == [("patch", 2.0), (None, 16.0)]
    assert marked.complete


def test_hdparm_fails_where_it_says_so_itself() -> None:
    timing = "/dev/sdb:\n Timing buffered disk reads:  96 MB in  3.00 seconds = 32.00 MB/sec\n"
    for said in ("Errors were not found.", "The old disk failed.", "error summary: none",
                 "HDIO_GETGEO failed: Inappropriate", "HDIO_GET_MULTCOUNT failed: Invalid argument"):  # fmt: skip
        assert hdparm.parse(f"{said}\n{timing}").complete, said
    for said in ("/dev/sdb: Permission denied", "BLKGETSIZE failed: Inappropriate ioctl for device", "read() hit EOF",
                 "bash: hdparm: command not found", "could not allocate sharedmem buf"):  # fmt: skip
        assert not hdparm.parse(f"{timing}{said}\n").complete, said


OLD_ROW = (
    "fs1,4G,45321,97,81234,23,40123,9,42345,93,90123,11,312.4,1,16,2345,61,+++++,+++,4321,48,1234,58,678,88,987,47"
)
NEW_ROW = (
    "1.96,1.96,fs2,1,1421800799,800M,,,,72853,15,47358,5,,,156821,7,537.7,10,100,,,,,49223,58,+++++,+++,54405,53,"
    "2898,97,+++++,+++,59089,60,,512ms,670ms,,44660us,200ms,3747us,1759us,1643us,33518us,192us,839us"
)


@pytest.mark.parametrize("row", [OLD_ROW, NEW_ROW])
@pytest.mark.parametrize("width", range(40, 80))
def test_a_row_of_bonnie_that_a_mail_broke_anywhere_is_whole_again(row: str, width: int) -> None:
    pieces = [row[start : start + width] for start in range(0, len(row), width)]
    whole, broken = (parsers.parse(f"{text}\nBest regards\n") for text in (row, "\n".join(pieces)))
    assert broken.complete

    def said(parsed: Parsed) -> list[Row]:
        return [{name: value for name, value in test.items() if "line" not in name} for test in parsed.runs]

    assert said(broken) == said(whole)
    seeks = next(test for test in broken.runs if test["operation"] == "seek")
    assert seeks.get("operation_rate_line", 1) == 1 + max(row.find("312.4,"), row.find("537.7,")) // width


def test_a_row_of_bonnie_that_lacks_a_piece_is_cut() -> None:
    pieces = [OLD_ROW[:50], OLD_ROW[50:80], OLD_ROW[80:]]
    for lost in ((0, 1), (0, 2)):
        parsed = parsers.parse("\n".join(pieces[at] for at in lost) + "\nand so on\n")
        assert not parsed.complete
    whole = parsers.parse(f"{OLD_ROW}\n12\ndone\n")
    assert whole.runs[-1]["cpu_utilisation"] == pytest.approx(0.47)


def test_tests_of_dbench_in_one_log_are_parts_of_it() -> None:
    of_clients = (LOGS / "dbench/imitated-4.00-machine-readable-per-client.txt").read_text()
    assert parsers.parse(of_clients + of_clients).complete
    text = (LOGS / "dbench/imitated-5.0-smb2-names.txt").read_text()
    one, two = parsers.parse(text), parsers.parse(text + text)
    assert not any("part" in row for row in one.runs)
    assert [row["part"] for row in two.runs] == [1.0] * len(one.runs) + [2.0] * len(one.runs)
    assert list(two.series["part"]) == [1.0] * len(one.series["time"]) + [2.0] * len(one.series["time"])
    assert two.complete


def test_threads_of_vdbench_are_printed_as_a_size_and_the_highest_latency_of_one_direction_is_that_of_all() -> None:
    text = (LOGS / "vdbench/imitated-5.04.07-console.txt").read_text()
    assert {row["processes"] for row in parsers.parse(text.replace("threads=8", "threads=1k")).runs} == {1024.0}
    write = next(row for row in parsers.parse(text).runs if row["operation"] == "write" and row["part"] == 2.0)
    assert write["latency_max"] == pytest.approx(0.0425)
    of_none = parsers.parse(text.replace("    42.50 ", "      NaN "))
    assert not any(row["part"] == 2.0 and "latency_max" in row for row in of_none.runs)


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("Throughput 25.3 MB/sec  4 procs\n", True),
        ("Throughput 25.3 MB/sec (NB=31.6 MB/sec  253 MBit/sec)\n", True),
        ("Throughput 25.3 MB/sec\n", False),
    ],
)
def test_dbench_is_told_by_its_processes_or_by_what_netbench_would_say(line: str, is_one: bool) -> None:
    assert dbench.sniff(line) is is_one


HIBENCH = (LOGS / "hibench_report" / "imitated-five-workloads.txt").read_text()


def test_hibench_line_that_is_no_workload() -> None:
    parsed = hibench.parse(HIBENCH.replace("412.377", "412.3 7"))
    assert len(parsed.runs) == 4
    assert parsed.notes[0].line == 4
    assert parsed.notes[0].text.startswith("expected a workload of HiBench, found 'HadoopTerasort ")


@pytest.mark.parametrize(("rate", "fits"), [(99, True), (101, True), (98, False), (102, False)])
def test_hibench_cuts_a_rate_to_whole_bytes_and_no_further(rate: int, fits: bool) -> None:
    heading = HIBENCH.partition("\n")[0]
    text = f"{heading}\nScalaSparkSort 2026-11-20 10:00:00 100000 1000.000 {rate} {rate}\n"
    assert parsers.parse(text).complete is fits


def test_hibench_workload_of_no_known_size_has_no_rate() -> None:
    assert "throughput" not in hibench.parse(HIBENCH).runs[-1]


def test_hibench_lines_below_what_stood_in_the_file_before_have_no_heading() -> None:
    headed = hibench.parse(HIBENCH)
    _, alone = HIBENCH.split("\n", 1)
    parsed = parsers.parse(f"the report of today:\n\n{alone}")
    assert [row | {"line": int(row["line"]) - 1} for row in parsed.runs] == headed.runs
    assert [(note.line, note.text[:10], parsed.complete) for note in parsed.notes] == [(3, "no heading", True)]
    with pytest.raises(ParseError, match="expected a log of one of"):
        parsers.parse(re.sub(" +", " ", alone))


def test_hibench_without_a_workload() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a workload of HiBench under .*, found 'Type "):
        hibench.parse(HIBENCH.partition("\n")[0] + "\n")


def bonnie_of(name: str) -> str:
    return (LOGS / "bonnie_classic" / name).read_text()


def test_a_run_of_bonnie_that_broke_off_says_what_it_had_measured() -> None:
    broken = bonnie_of("imitated-1.5-broken-off.txt")
    alone = parsers.parse(broken)
    assert [(row["operation"], row["throughput"] / 1024, row["line"]) for row in alone.runs] == [
        ("write", 30118, 2),
        ("write", 48805, 4),
        ("rewrite", 17920, 3),
    ]
    assert [note.text for note in alone.notes] == ["the run ends before its table"]
    both = parsers.parse(broken + bonnie_of("imitated-1.0-two-runs.txt"))
    assert [row["part"] for row in both.runs] == [1.0] * 3 + [2.0] * 6 + [3.0] * 6
    assert not both.complete


def test_a_table_of_bonnie_without_the_line_of_its_file_is_not_of_the_run_before() -> None:
    parsed = parsers.parse(bonnie_of("imitated-1.5-broken-off.txt") + bonnie_of("imitated-table-wrapped-by-mail.txt"))
    assert (len(parsed.runs), parsed.complete) == (15, False)
    assert "the run before this row ends before its table" in [note.text for note in parsed.notes]


def test_a_row_of_bonnie_that_a_mail_wrapped_has_each_number_on_its_line() -> None:
    text = bonnie_of("imitated-table-wrapped-by-mail.txt")
    seeks = [row for row in parsers.parse(text).runs if row["operation"] == "seek"]
    places = [(row["line"], row.get("operation_rate_line"), row.get("cpu_utilisation_line")) for row in seeks]
    assert places == [(7, 8, 8), (9, None, 10)]
    cut = parsers.parse(text.replace("12.6  3.8\n", "12.6\n"))
    assert [(note.text, note.line) for note in cut.notes] == [("a row of 12 numbers ends after 10", 7)]
    assert {row["file_size"] for row in cut.runs} == {800 * MIB}
    assert len(cut.runs) == 6


def test_bonnie_and_what_was_made_of_it_are_told_apart_in_one_log() -> None:
    table = bonnie_of("imitated-1.0-two-runs.txt").split("\nFile ")[0].split("done...\n")[-1]
    logs = {
        "Bonnie": f"{table}\n",
        "bonnie++": (LOGS / "bonnie/imitated-1.03e-table.txt").read_text(),
    }
    for first, second in (("Bonnie", "bonnie++"), ("bonnie++", "Bonnie")):
        parsed = parsers.parse(logs[first] + logs[second])
        counts = [len(parsers.parse(logs[tool]).runs) for tool in (first, second)]
        assert [row["tool"] for row in parsed.runs] == [first] * counts[0] + [second] * counts[1]
        assert parsed.complete


def test_the_buffer_of_testdfsio_is_that_of_the_job_that_says_it() -> None:
    console = (LOGS / "testdfsio" / "imitated-console.txt").read_text()
    results = (LOGS / "testdfsio" / "imitated-two-blocks.log").read_text()
    sizes = [row.get("record_size") for row in testdfsio.parse(console + results).runs]
    assert sizes == [1e6, None, None]


def test_the_size_of_objects_of_md_workbench_is_that_of_its_run() -> None:
    one = (LOGS / "md_workbench" / "imitated-1.0.txt").read_text()
    two = md_workbench.parse(one + one.replace("object-size=3901", "object-size=100000"))
    half = len(two.runs) // 2
    assert [row["file_size"] for row in two.runs] == [3901.0] * half + [100000.0] * half
    assert "file_size" not in two.header
    assert md_workbench.parse(one + one).header["file_size"] == 3901


BONNIE_64 = """\
              -------Sequential Output-------- ---Sequential Input-- --Random--
              -Per Char- --Block--- -Rewrite-- -Per Char- --Block--- --Seeks---
Machine    GB M/sec %CPU M/sec %CPU M/sec %CPU M/sec %CPU M/sec %CPU  /sec %CPU
tank        8  45.2 99.1 310.5 22.4 120.7 18.8  51.3 98.0 402.6 30.1   512  2.2
"""
BONNIE_HTML = """\
<table>
<tr>
<td></td><td></td><td colspan=6><b>Sequential Output</b></td><td colspan=4><b>Sequential Input</b></td><td>Random</td>
</tr>
<tr>
<td>Machine</td><td>MB</td><td>K/sec</td><td>%CPU</td><td>K/sec</td><td>%CPU</td><td>K/sec</td><td>%CPU</td>
</tr>
<tr>
<td></td><td>2000</td><td>13048</td><td>98.9</td><td>21609</td><td>27.4</td><td>6599</td><td>10.7</td><td>11066</td>\
<td>72.3</td><td>16483</td><td> 8.4</td><td>1011.2</td><td> 5.3</td>
</tr>
</table>
"""


def test_bonnie_64_counts_in_mib_a_second_and_thousands_of_mib() -> None:
    parsed = parsers.parse(BONNIE_64)
    assert (parsed.complete, [row.get("throughput") for row in parsed.runs]) == (
        True,
        [*(rate * MIB for rate in (45.2, 310.5, 120.7, 51.3, 402.6)), None],
    )
    seek = parsed.runs[-1]
    assert (seek["operation_rate"], seek["host"]) == (512, "tank")
    assert {row["file_size"] for row in parsed.runs} == {8000 * MIB}
    mixed = parsers.parse(BONNIE_64.replace("Machine    GB M/sec", "Machine    GB K/sec"))
    assert mixed.notes[0].text.startswith("expected MB and K/sec or GB and M/sec, found ")
    assert not mixed.complete
    both = parsers.parse(BONNIE_64 + BONNIE_HTML + BONNIE_64 + bonnie_of("imitated-1.0-two-runs.txt"))
    assert [row["file_size"] / MIB for row in both.runs[::6]] == [8000, 2000, 8000, 500, 500]


def test_bonnie_prints_its_table_for_browsers_too() -> None:
    parsed = parsers.parse(BONNIE_HTML)
    assert (parsed.complete, [row.get("throughput", 0) / 1024 for row in parsed.runs]) == (
        True,
        [13048, 21609, 6599, 11066, 16483, 0],
    )
    assert (parsed.runs[-1]["operation_rate"], parsed.runs[-1]["line"]) == (1011.2, 9)
    assert {row["file_size"] for row in parsed.runs} == {2000 * MIB}
    assert not parsers.parse(BONNIE_HTML.replace("<td>6599</td>", "")).complete


SMALLFILE_3_1 = """\
{
    "params": {"host-set": "node1,node2", "version": "3.1", "operation": "create", "files-per-thread": 600,
        "threads": 2, "file-size": 32, "stonewall": "Y"},
    "results": {
        "in-host": {
            "node2": {
                "in-thread": {
                    "01": {"elapsed": 1.5, "files": 600, "records": 600, "files-per-sec": 400.0, "IOPS": 400.0,
                        "MiBps": 12.5}
                },
                "elapsed": 1.5, "files": 600, "records": 600, "files-per-sec": 400.0, "IOPS": 400.0, "MiBps": 12.5
            }
        },
        "elapsed": 1.6, "files": 2400, "records": 2400, "IOPS": 1590.0, "MiBps": 49.7,
        "files-per-sec": 1590.5,
        "total-threads": 4, "total-data-GB": 0.0732421875, "pct-files-done": 100.0, "start-time": 1543900000.5,
        "status": "Success"
    }
}
"""


def test_json_of_smallfile_3_1_has_hyphens() -> None:
    parsed = parsers.parse(SMALLFILE_3_1)
    (row,), (thread,) = parsed.runs, parsed.clients
    assert (parsed.complete, parsed.header["tool_version"]) == (True, "3.1")
    names = ("operation", "file_rate", "line", "throughput", "data_size", "processes", "clients", "items", "file_size")
    assert [row[name] for name in names] == ["create", 1590.5, 15, 49.7 * MIB, 75 * MIB, 4, 2, 600, 32 * 1024]
    assert (row["clients_line"], row["processes_line"], row["progress"]) == (2, 16, 1)
    assert (thread["host"], thread["process"], thread["file_rate"], thread["line"]) == ("node2", "01", 400, 8)
    failed = parsers.parse(SMALLFILE_3_1.replace('"Success"', '"Input/output error"'))
    assert (failed.complete, failed.notes[0].text) == (False, "status: Input/output error")


def test_one_process_of_md_workbench_has_no_deviation() -> None:
    text = """\
MD-Workbench total objects: 600 workingset size: 1.490 MiB (version: IOR-4.0.0) time: 2021-01-02 10:11:12
#benchmark process max:0.52s min:0.52s mean: 0.52s balance:100.0 stddev:{deviation} rate:769.2 iops/s objects:100 \
rate:192.3 obj/s tp:1.4 MiB/s op-max:2.0774e-03s (0 errs) read(1.4e-03s, 8.3e-44s, 1.5e-03s, 0.0e+00s, 1.6e-03s, \
1.7e-03s, 2.0e-03s)
Total runtime: 1s time: 2021-01-02 10:11:13
"""
    for deviation in ("-nan", "nan"):
        parsed = parsers.parse(text.format(deviation=deviation))
        whole, _, read = parsed.runs
        assert (parsed.complete, whole["operation_rate"], "elapsed_std" in whole) == (True, 769.2, False)
        assert (read["latency_min"], read["latency_p50"], read["latency_p90"]) == (0.0014, 0.0015, 0.0016)
        assert read.keys().isdisjoint(("latency_p25", "latency_p75"))
    with pytest.raises(ParseError, match=r"log:1: expected a phase of md-workbench .*, found 'MD-Workbench total"):
        md_workbench.parse(text.format(deviation="x"))
