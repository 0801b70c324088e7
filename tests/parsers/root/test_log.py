"""What golden tables do not show of ROOT's prints: options, older versions, comments, prints that are not whole."""

from __future__ import annotations

import pytest

from storagelab.errors import ParseError
from storagelab.parsers import parse, recognise
from storagelab.parsers.model import Parsed
from storagelab.parsers.root import log
from tests.conftest import SHARED

STATISTICS = """TreeCache = 30 MBytes
N leaves  = 40
ReadTotal = 8.1918 MBytes
ReadUnZip = 16.3836 MBytes
ReadCalls = 4
ReadSize  = 2047.950 KBytes/read
Readahead = 256 KBytes
Readextra = 16.67 per cent
Real Time =   0.500 seconds
CPU  Time =   0.250 seconds
Disk Time =   0.125 seconds
Disk IO   =  65.534 MBytes/s
ReadUZRT  =  32.767 MBytes/s
ReadUZCP  =  65.534 MBytes/s
ReadRT    =  16.384 MBytes/s
ReadCP    =  32.767 MBytes/s
"""
CACHE = """******TreeCache statistics for tree: t1 in file: f1.root ******
Number of branches in the cache ...: 3
Cache Efficiency ..................: 0.428571
Cache Efficiency Rel...............: 1.000000
Secondary Efficiency ..............: 0.125000
Secondary Efficiency Rel ..........: 0.250000
Learn entries......................: 100
Cached Reading.....................: 9501060 bytes in 120 transactions
Reading............................: 1003154 bytes in 517 uncached transactions
Readahead..........................: 256000 bytes with overhead = 641793 bytes
Average transaction................: 79.175500 Kbytes
Number of blocks in current cache..: 7, total size: 158351
"""
CACHE_OF_ROOT_5 = """******TreeCache statistics for file: cms2.root ******
Number of branches in the cache ...: 1093
Cache Efficiency ..................: 0.997372
Cache Efficiency Rel...............: 1.000000
Learn entries......................: 100
Reading............................: 72761843 bytes in 7 transactions
Readahead..........................: 256000 bytes with overhead = 0 bytes
Average transaction................: 10394.549000 Kbytes
Number of blocks in current cache..: 210, total size: 6280352
"""


def only(parsed: Parsed) -> dict[str, object]:
    (row,) = parsed.runs
    return dict(row)


LINES = {
    "cache_size_line": 1, "leaves_line": 2, "data_size_line": 3, "data_size_uncompressed_line": 4, "operations_line": 5,
    "request_size_line": 6, "read_ahead_line": 7, "data_extra_share_line": 8, "elapsed_line": 9, "cpu_time_line": 10,
    "disk_time_line": 11, "disk_throughput_line": 12, "throughput_uncompressed_line": 13,
    "throughput_uncompressed_cpu_line": 14, "throughput_cpu_line": 16, "cpu_utilisation_line": 0,
}  # fmt: skip
"""Where the values of `STATISTICS` stand that are not on the line of the row; the last is computed."""


def test_prefixes_are_decimal_and_shares_are_fractions() -> None:
    parsed = log.parse(STATISTICS)
    assert parsed.complete
    assert (
        only(parsed)
        == {
            "operation": "read",
            "cache_size": 30e6,
            "leaves": 40.0,
            "data_size": 8191800.0,
            "data_size_uncompressed": 16383600.0,
            "operations": 4.0,
            "request_size": 2047950.0,
            "read_ahead": 256e3,
            "data_extra_share": 0.1667,
            "elapsed": 0.5,
            "cpu_time": 0.25,
            "cpu_utilisation": 0.5,
            "disk_time": 0.125,
            "disk_throughput": 65.534e6,
            "throughput_uncompressed": 32.767e6,
            "throughput_uncompressed_cpu": 65.534e6,
            "throughput": 16.384e6,
            "throughput_cpu": 32.767e6,
            "line": 15,
        }
        | LINES
    )


def test_the_option_unzip_prints_four_lines_more() -> None:
    text = STATISTICS.replace("Disk IO", "Strm Time =   0.150 seconds\nUnzipTime =   0.100 seconds\nDisk IO")
    text += "ReadStrCP = 109.224 MBytes/s\nReadZipCP = 163.836 MBytes/s\n"
    row = only(log.parse(text))
    assert (row["cpu_stream_time"], row["cpu_unzip_time"]) == (0.15, 0.1)
    assert (row["throughput_stream"], row["throughput_unzip"]) == (109.224e6, 163.836e6)
    assert not log.parse(text.replace("ReadZipCP = 163.836 MBytes/s\n", "")).complete


def test_rates_over_no_cpu_time_are_left_out_with_a_note() -> None:
    parsed = log.parse(STATISTICS.replace("32.767 MBytes/s", "inf MBytes/s").replace("  65.534", "-nan"))
    row = only(parsed)
    assert not {"throughput_uncompressed", "throughput_cpu", "disk_throughput"} & set(row)
    assert parsed.complete
    assert parsed.notes[0].text == "no sensible number in 4 places: Disk IO, ReadUZRT, ReadUZCP, ReadCP"


@pytest.mark.parametrize("label", ["TreeCache", "ReadTotal", "Disk Time", "ReadCP"])
def test_statistics_without_one_of_their_lines(label: str) -> None:
    lines = [line for line in STATISTICS.split("\n") if not line.startswith(label)]
    parsed = log.parse("\n".join(lines))
    assert not parsed.complete
    assert parsed.notes[0].text == f"statistics without {label}"


def test_legend_of_the_statistics_is_no_print() -> None:
    legend = "//   TreeCache = TTree cache size in MBytes\n//   ReadTotal = Total number of zipped bytes read\n"
    assert not log.sniff(legend)
    with pytest.raises(ParseError, match=r"log:1: expected something that ROOT prints.* found '//   TreeCache"):
        log.parse(legend)


def test_statistics_in_a_comment() -> None:
    commented = "".join(f"// {line}\n" for line in STATISTICS.splitlines())
    assert only(log.parse(commented)) == only(log.parse(STATISTICS))


def test_what_went_through_the_cache_and_past_it() -> None:
    cached, uncached = log.parse(CACHE).runs
    assert (cached["label"], uncached["label"]) == ("cached", "uncached")
    assert (cached["data_size"], cached["operations"], cached["request_size"]) == (9501060.0, 120.0, 79175.5)
    assert (uncached["data_size"], uncached["operations"]) == (1003154.0, 517.0)
    assert (cached["tree"], cached["file"]) == ("t1", "f1.root")
    assert (cached["cache_efficiency"], cached["cache_efficiency_relative"]) == (0.428571, 1.0)
    assert (cached["cache_efficiency_secondary"], cached["cache_efficiency_secondary_relative"]) == (0.125, 0.25)
    assert (cached["read_ahead"], cached["data_size_extra"]) == (256000.0, 641793.0)
    assert (cached["cache_blocks"], cached["cache_used"], cached["entries_learnt"]) == (7.0, 158351.0, 100.0)
    assert (cached["line"], uncached["line"]) == (8, 9)


def test_what_went_through_the_cache_is_not_said_to_have_gone_past_it() -> None:
    parsed = log.parse(CACHE.replace("in 120 transactions", "in 120 uncached transactions"))
    cached, uncached = parsed.runs
    assert ("data_size" in cached, uncached["data_size"], parsed.complete) == (False, 1003154.0, False)


def test_cache_of_root_5() -> None:
    parsed = log.parse(CACHE_OF_ROOT_5)
    row = only(parsed)
    assert parsed.complete
    assert (row["data_size"], row["operations"], row["file"]) == (72761843.0, 7.0, "cms2.root")
    assert "tree" not in row


def test_statistics_that_name_neither_tree_nor_bytes() -> None:
    lines = (
        "Number of branches in the cache ...: {}\nCache Efficiency ..................: 1.000000\n"
        "Cache Efficiency Rel...............: 0.750000\nReading............................: {} transactions\n"
        "Number of blocks in current cache..: 27, total size: 2830\n"
    )
    parsed = parse(lines.format(3, 12) + lines.format(4, 13))
    assert [(row["branches"], row["operations"], row["line"]) for row in parsed.runs] == [
        (3.0, 12.0, 1),
        (4.0, 13.0, 6),
    ]
    assert not any("data_size" in row for row in parsed.runs)


@pytest.mark.parametrize("lost", ["Cached Reading", "Learn", "Number of blocks"])
def test_cache_without_one_of_its_lines(lost: str) -> None:
    text = "".join(f"{line}\n" for line in CACHE.splitlines() if not line.startswith(lost))
    text = text.replace("Reading............................: 1003154 bytes in 517 uncached transactions\n", "")
    assert not log.parse(text).complete


def test_prints_of_one_read_are_one_part_until_one_comes_again() -> None:
    parsed = log.parse((CACHE + STATISTICS) * 2)
    assert [(row["part"], row.get("label", "")) for row in parsed.runs] == [
        *((1.0, ""), (1.0, "cached"), (1.0, "uncached")),
        *((2.0, ""), (2.0, "cached"), (2.0, "uncached")),
    ]
    assert parsed.runs[0]["tree"] == "t1"


def test_reads_without_a_cache() -> None:
    parsed = log.parse(CACHE + "Reading 2296202 bytes in 679 transactions\n" + CACHE)
    plain = [row for row in parsed.runs if "label" not in row]
    assert [(row["part"], row["data_size"], row["operations"]) for row in plain] == [(2.0, 2296202.0, 679.0)]


@pytest.mark.parametrize("real", ["0.000", "-nan", "-1.000"])
def test_of_no_time_no_share_is_of_the_processor(real: str) -> None:
    row = only(log.parse(STATISTICS.replace("=   0.500", f"=   {real}")))
    assert (row["cpu_time"], "cpu_utilisation" in row) == (0.25, False)


@pytest.mark.parametrize(
    ("printed", "elapsed", "cpu"),
    [
        ("Real time 0:04:43, CP time 283.780", 283.0, 283.78),
        ("Real time 1:00:24.940, CP time 24.940", 3624.94, 24.94),
        ("Real time 0:00:00.001234, CP time 0.000", 0.001234, 0.0),
        ("Real time 0:00:24,940, CP time 24,940", 24.94, 24.94),
        ("Real time 0:00:00, time 0.610", 0.0, 0.61),
        ("RealTime=1.500000 seconds, CpuTime=1.250000 seconds", 1.5, 1.25),
        ("hsimple   : Real Time =   0.03 seconds Cpu Time =   0.02 seconds", 0.03, 0.02),
        ("Real Time =   0.03 seconds Cpu Time =   0.02 seconds", 0.03, 0.02),
        ("Real time 12.3 s, CPU time 11.9s", 12.3, 11.9),
        ("## >>>   Real time 0:00:01, CP time 0.040", 1.0, 0.04),
        ("./runReal time 0:00:10.237, CP time 39.850", 10.237, 39.85),
    ],
)
def test_stopwatches(printed: str, elapsed: float, cpu: float) -> None:
    assert recognise(f"{printed}\n") is log
    row = only(log.parse(f"{printed}\n"))
    assert row["operation"] == "job"
    assert (row["elapsed"], row["cpu_time"]) == (pytest.approx(elapsed), cpu)


def test_slices_of_a_stopwatch_are_added_up() -> None:
    row = only(log.parse("Real time 0:00:03, CP time 2.500, 12 slices\n"))
    assert (row["statistic"], row["samples"]) == ("sum", 12.0)


def test_what_a_stopwatch_timed() -> None:
    text = "## >>> Time for Sobol \n## >>> Real time 0:00:00, CP time 0.040\nloop: Real time 0:00:01, CP time 1.000\n"
    assert [row["label"] for row in log.parse(text).runs] == ["Sobol", "loop"]


def test_a_stopwatch_behind_statistics_is_a_second_reading_of_the_same() -> None:
    text = STATISTICS + "Real time 0:00:00, CP time 0.200\nTotal entries 12\nReal time 0:00:01, CP time 0.300\n"
    parsed = log.parse(text)
    assert [row["operation"] for row in parsed.runs] == ["read", "job"]
    assert (parsed.runs[1]["entries"], parsed.runs[1]["cpu_time"]) == (12.0, 0.3)
    assert list(parsed.series["cpu_time"]) == [0.2]


def test_a_loop_without_its_total() -> None:
    text = (
        "Processing a.root\nEntries read 1 of 2, 3 of 4 branches, 5 bytes read in 6 calls, file size 7\n" + STATISTICS
    )
    parsed = log.parse(text)
    assert (parsed.complete, parsed.notes[0].text) == (False, "the total behind the files is missing")
    row = only(parsed)
    assert (row["entries"], row["entries_total"], row["branches"], row["branches_total"]) == (1.0, 2.0, 3.0, 4.0)
    assert (row["data_size_file"], row["operations_file"], row["file_size"]) == (5.0, 6.0, 7.0)
    assert not log.parse(text + "Total entries 1\n").complete
    assert log.parse(text + "Total entries 1\nReal time 0:00:01, CP time 0.300\n").complete


def test_a_file_of_which_nothing_is_said() -> None:
    parsed = log.parse("Processing a.root\n" + STATISTICS + "Processing b.root\nError in <TFile::Open>: no b.root\n")
    assert (parsed.complete, parsed.notes[0].text) == (False, "nothing is said of b.root")


def test_counters_of_a_reader_and_a_writer() -> None:
    text = (
        "RNTupleReader.RPageSourceFile.szReadPayload|B|volume read from storage (required)|245541537\n"
        "RNTupleReader.RPageSourceFile.timeWallRead|ns|wall clock time spent reading|617597866\n"
        "RNTupleReader.RPageSourceFile.bwRead|MB/s|bandwidth compressed bytes read per second|427.096625\n"
        "RNTupleWriter.RPageSinkFile.szWritePayload|B|volume written for committed pages|4096\n"
        "RNTupleReader.RPageSourceFile.bwRead|MB/s|bandwidth compressed bytes read per second|inf\n"
        "RNTupleReader.RPageSourceFile.szReadPayload|B|volume read from storage (required)|7\n"
    )
    parsed = log.parse(text)
    first, written, second = parsed.runs
    assert (first["operation"], first["data_size"], first["throughput"]) == ("read", 245541537.0, 427.096625e6)
    assert first["elapsed"] == pytest.approx(0.617597866)
    assert (written["operation"], written["data_size"]) == ("write", 4096.0)
    assert (second["part"], second["data_size"], "throughput" in second) == (2.0, 7.0, False)
    assert list(parsed.series["metric"])[2] == "RNTupleReader.RPageSourceFile.bwRead"
    assert (list(parsed.series["value"])[2], list(parsed.series["unit"])[2]) == (427.096625, "MB/s")


@pytest.mark.parametrize(
    "version", ["ROOT 6.40.00", "   | Welcome to ROOT 6.30/04    https://root.cern |", "ROOT v5.34.36"]
)
def test_version(version: str) -> None:
    header = log.parse(f"{version}\nReal time 0:00:01, CP time 1.000\n").header
    assert header["tool_version"] == version.split("ROOT ")[1].split()[0].removeprefix("v")


def test_logs_of_strangers() -> None:
    folders = ("root-ttreeperfstats", "root-tstopwatch", "root-ttreecache-statistics", "root-rntuple-metrics")
    logs = [path for folder in folders for path in sorted((SHARED / "corpus" / folder).glob("*.[tr][xe][tf]"))]
    if not logs:
        pytest.skip("the corpus is not here")
    for path in logs:
        if "no-data" not in path.name:
            text = path.read_text()
            assert recognise(text) is log, path
            assert parse(text).complete, path


def test_the_campaign_is_whole() -> None:
    logs = sorted((SHARED / "measured" / "xrootd-2026" / "root").rglob("*.root.log"))
    if not logs:
        pytest.skip("the campaign is not here")
    for path in logs:
        parsed = parse(path.read_text())
        assert parsed.complete, path
        assert [row["operation"] for row in parsed.runs] == ["read"] * 4 + ["job"], path
