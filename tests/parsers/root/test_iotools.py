"""What golden tables do not show of iotools' results: failures, repetitions that are missing, other cases."""

from __future__ import annotations

import pytest

from storagelab.errors import ParseError
from storagelab.parsers import recognise
from storagelab.parsers.root import iotools
from tests.conftest import LOGS, SHARED

TIMING = (LOGS / "root_iotools" / "imitated-timing.txt").read_text()
SUMMARY = (LOGS / "root_iotools" / "imitated-summary.txt").read_text()


def test_blocks_are_512_bytes_and_memory_is_in_kib() -> None:
    second = iotools.parse(TIMING).runs[1]
    assert (second["disk_read"], second["disk_written"]) == (16 * 512.0, 2 * 512.0)
    assert second["memory_peak"] == 1001 * 1024.0
    assert (second["iteration"], second["elapsed"]) == (1.0, 1.25)


def test_cases_of_a_summary() -> None:
    parsed = iotools.parse(SUMMARY)
    assert parsed.complete
    assert [row["label"] for row in parsed.runs][::3] == [
        "imitated ssd ntuple",
        "imitated ssd root",
        "ntuple+direct-zstd",
    ]
    assert [row["elapsed"] for row in parsed.runs][:3] == [0.5, 0.51, 0.52]


def test_a_number_of_streams_is_part_of_the_case() -> None:
    (row,) = iotools.parse("ssd cms zstd 16 .08539000000000000000\n").runs
    assert (row["label"], row["elapsed"]) == ("ssd cms zstd 16", 0.08539)


def test_a_repetition_that_failed() -> None:
    parsed = iotools.parse(TIMING.replace("(0)\t(0)\n", "(0)\t(1)\n"))
    assert (parsed.complete, parsed.notes[0].text) == (
        False,
        "1 repetitions left with an exit status that is not 0",
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (TIMING.replace("nread: 8\t16\t0\n", ""), "no nread"),
        (TIMING.replace("0.40\t0.41", "0.40"), "usertime of 2 of 3 repetitions"),
        (TIMING.replace("1831", "x"), "not a number"),
        (SUMMARY.replace(" 1.52000000000000000000", ""), "2 repetitions, 3 elsewhere"),
    ],
)
def test_what_is_missing_is_said(text: str, note: str) -> None:
    parsed = iotools.parse(text)
    assert not parsed.complete
    assert parsed.notes[0].text == note


def test_no_result_is_refused() -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a line such as 'realtime: 2\.68' .* found 'nothing'"):
        iotools.parse("nothing\n")


def test_results_of_strangers() -> None:
    logs = sorted((SHARED / "corpus" / "root-iotools-time").glob("*.txt"))
    if not logs:
        pytest.skip("the corpus is not here")
    for log in logs:
        assert recognise(log.read_text()) is iotools
        assert iotools.parse(log.read_text()).complete
