"""What golden tables do not show of dccp: older forms, command lines, failures."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.transfers import dccp
from tests.conftest import SHARED

LOCAL = "314572800 bytes (300 MiB) in 2 seconds (150 MiB/s)\n"


@pytest.mark.parametrize(
    ("line", "throughput"),
    [
        ("314572800 bytes (300 MiB) in 2 seconds (150 MiB/s)", 150 * 2**20),
        ("314572800 bytes in 2 seconds (153600.00 KB/sec)", 153600 * 1024),
        ("314572800 bytes (307200 KiB) in 2 seconds (153600 KiB/s)", 153600 * 1024),
        ("314572800 bytes (300 MiB) in 2 seconds (0,146 GiB/s)", 0.146 * 2**30),
        ("314572800 bytes (300 MiB) in 2 seconds (512 bytes/s)", 512),
    ],
)
def test_units_of_all_versions_are_powers_of_1024(line: str, throughput: float) -> None:
    (row,) = parsers.parse(line + "\n").runs
    assert row.pop("throughput") == pytest.approx(throughput)
    assert row == {"operation": "copy", "data_size": 314572800.0, "elapsed": 2.0, "line": 1}


def test_less_than_a_second_has_no_rate() -> None:
    (row,) = dccp.parse("1234567 bytes (1.18 MiB) in 0 seconds\n").runs
    assert row == {"operation": "copy", "data_size": 1234567.0, "line": 1}


def test_command_line_says_which_way_it_went() -> None:
    rows = dccp.parse("$ dccp -d 2 dcap://h:22125/pnfs/x x.root\n" + LOCAL + "$ dccp a dcap://h/b\n" + LOCAL).runs
    assert [(row["operation"], row["protocol"], row["part"]) for row in rows] == [
        ("download", "dcap", 1.0),
        ("upload", "dcap", 2.0),
    ]


def test_wdccp_names_source_and_target() -> None:
    (row,) = dccp.parse("a => dcap://h/b: 2097152 bytes in 2 seconds (1024.00 KB/sec)\n").runs
    assert (row["operation"], row["file"], row["throughput"]) == ("upload", "a", 2**20)


def test_wdccp_names_both_ends_of_what_took_no_second() -> None:
    (row,) = dccp.parse("a => dcap://h/b: 2048 bytes in 0 seconds\n").runs
    assert (row["operation"], row["file"], row["data_size"]) == ("upload", "a", 2048)


@pytest.mark.parametrize(
    "line",
    [
        "Uploaded 819200 bytes in 1 seconds (800.0KB/sec)",
        "Transferred 34,050 bytes in 1 seconds (34,050 bytes/s)",
        "processed 5.18e+08 bytes in 1 seconds (0.5177 GB/s, 1.864 TB/h)",
        "cache: 104857600 bytes in 3 seconds",
    ],
)
def test_sentences_of_other_programs_on_bytes_and_seconds_are_not_of_dccp(line: str) -> None:
    assert not dccp.sniff(f"started\n{line}\n")


def test_failure_is_a_row_with_errors() -> None:
    parsed = dccp.parse(LOCAL + "Can't open destination file : Permission denied\nSystem error: Permission denied\n")
    assert [row.get("errors") for row in parsed.runs] == [None, 1.0]
    assert not parsed.complete
    assert parsed.notes[-1] == (3, "System error: Permission denied")


def test_line_that_cannot_be_read_is_said() -> None:
    parsed = dccp.parse(LOCAL + "31457\ufffd800 bytes (300 MiB) in 2 seconds (150 MiB/s)\n")
    assert len(parsed.runs) == 1
    assert (parsed.complete, parsed.notes) == (False, [(2, "a line that cannot be read")])


@pytest.mark.parametrize("text", ["300 bytes (300 B) copied, 2 seconds, 1 MB/s\n", "314572800 bytes in 0 seconds"])
def test_what_holds_no_transfer_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a transfer such as '13 bytes .+, found '3"):
        dccp.parse(text)


@pytest.mark.skipif(not SHARED.exists(), reason="the logs that others wrote are not here")
def test_logs_of_others() -> None:
    for log in (SHARED / "corpus" / "dccp").glob("*.txt"):
        assert parsers.recognise(log.read_text()) is dccp
