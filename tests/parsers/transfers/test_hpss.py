"""What golden tables do not show of HPSS: extractions of htar, with and without their bytes."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.parsers.transfers import hpss

EXTRACTED = (
    "HTAR: x ring/a.dat, 73400320 bytes, 143361 media blocks\n"
    "HTAR: Extract complete for ring.tar, 3 files. total bytes read: 104,859,136 in 0.812 seconds (129.137 MB/s )\n"
    "HTAR: HTAR SUCCESSFUL\n"
)


@pytest.mark.parametrize("text", [EXTRACTED, EXTRACTED.replace("HTAR: ", "", 3)])
def test_extraction_with_bytes_seconds_and_rate(text: str) -> None:
    parsed = hpss.parse(text)
    assert parsed.complete
    assert parsed.runs == [
        {"operation": "get", "tool": "htar", "file": "ring.tar", "label": "Extract", "files": 3.0, "line": 2}
        | {"data_size": 104859136.0, "elapsed": 0.812, "throughput": 129137000.0}
    ]


def test_extraction_of_files_alone() -> None:
    parsed = hpss.parse("HTAR: Extract complete for ring.tar, 3 files.\nHTAR: HTAR SUCCESSFUL\n")
    assert (parsed.complete, parsed.runs[0]["files"], "elapsed" in parsed.runs[0]) == (True, 3.0, False)


@pytest.mark.parametrize("damage", ["0.8x2", "total bytes red"])
def test_extraction_that_cannot_be_read(damage: str) -> None:
    text = EXTRACTED.replace("0.812" if "x" in damage else "total bytes read", damage)
    parsed = hpss.parse(text)
    assert (parsed.complete, parsed.runs[0]["files"]) == (False, 3.0)
    assert "expected bytes, seconds and a rate" in str(parsed.notes)


def test_bytes_that_do_not_fit_the_rate_are_said() -> None:
    assert parsers.parse(EXTRACTED).complete
    said = "expected throughput = data_size / elapsed"
    assert said not in str(parsers.parse(EXTRACTED).notes)
    assert said in str(parsers.parse(EXTRACTED.replace("104,859,136", "904,859,136")).notes)


def test_times_of_the_processors_that_are_none_are_said() -> None:
    text = EXTRACTED.replace("MB/s )", "MB/s ) wallclock/user/sys: 0.9 0.1 0.x seconds")
    parsed = hpss.parse(text)
    assert not parsed.complete
    assert "expected three times" in str(parsed.notes)
    assert "cpu_user_time" not in parsed.runs[0]


def test_files_of_an_archive_are_samples_of_their_bytes_and_blocks() -> None:
    """A block is 512 bytes, and one more is its header. What begins every line is no part of it for our readers."""
    parsed = hpss.parse(EXTRACTED)
    assert (list(parsed.series["data_size"]), list(parsed.series["value"])) == ([73400320.0], [143361.0])
    odd = EXTRACTED.replace("73400320 bytes, 143361", "73400321 bytes, 143362")
    assert hpss.parse(odd).complete


@pytest.mark.parametrize("blocks", ["143360", "143362"])
def test_a_file_whose_blocks_do_not_fit_its_bytes_is_said(blocks: str) -> None:
    parsed = hpss.parse(EXTRACTED.replace("143361", blocks))
    assert not parsed.complete
    assert f"expected blocks for 73400320 bytes, found {blocks}" in str(parsed.notes)


def test_files_that_do_not_add_up_to_their_archive_are_noted() -> None:
    assert "expected 3 files above, found 1" in str(hpss.parse(EXTRACTED).notes)
    assert hpss.parse(EXTRACTED.replace("3 files", "1 files")).notes == []


def test_files_are_counted_for_each_archive() -> None:
    one = EXTRACTED.replace("3 files", "1 files")
    assert hpss.parse(one + one).notes == []


LISTED = (
    "HTAR: drwxr-x---  ada/ring            0 2024-03-01 08:15  beam/\n"
    "HTAR: -rw-r-----  ada/ring     73400320 2024-03-01 08:16  beam/a run.dat\n"
    "HTAR: -rw-------  ada/ring          256 2024-03-01 08:17  /tmp/HTAR_CF_CHK_11_1709280000\n"
)
ALL_LISTED = "HTAR: Listing complete for ring.tar, 3 files 3 total objects\nHTAR: HTAR SUCCESSFUL\n"


def test_what_an_archive_holds_is_sizes_of_its_entries_and_how_many_they_are() -> None:
    parsed = parsers.parse(LISTED + ALL_LISTED)
    assert (parsed.complete, parsed.series["value"]) == (True, [0.0, 73400320.0, 256.0, 3.0])
    assert parsed.series["file"][1] == "beam/a run.dat"
    (row,) = parsed.runs
    assert (row["operation"], row["file"], row["files"], row["line"]) == ("list", "ring.tar", 3.0, 4)


def test_a_list_without_its_last_line_is_read_too() -> None:
    parsed = parsers.parse(LISTED + "HTAR: HTAR SUCCESSFUL\n")
    assert (parsed.complete, len(parsed.series["value"]), parsed.runs) == (True, 3, [])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (("73400320 2024", "7340o320 2024"), "expected a transfer of HPSS, found '-rw-r-----"),
        (("3 total", "4 total"), "expected 4 entries above, found 3"),
        (("3 total", "x total"), "expected a transfer of HPSS, found 'Listing complete"),
    ],
)
def test_a_list_that_lost_something_is_not_whole(damage: tuple[str, str], said: str) -> None:
    parsed = hpss.parse((LISTED + ALL_LISTED).replace(*damage))
    assert not parsed.complete
    assert said in str(parsed.notes)
