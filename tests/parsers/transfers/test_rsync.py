"""What golden tables do not show of rsync: numbers of other locales and versions, ends of a call, what was lost."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers import Parsed
from storagelab.parsers.transfers import rsync
from storagelab.units import GIB, KIB, MIB

SUMMARY = "sent 1,234,567 bytes  received 89 bytes  823,104.00 bytes/sec\ntotal size is 7,654,321  speedup is 6.20\n"
DONE = "beam/a.dat\n  1,048,576 100%    8.25MB/s    0:01:05 (xfr#1, to-chk=0/2)\n"


def metrics(parsed: Parsed) -> dict[str, float]:
    return dict(zip(parsed.series["metric"], parsed.series["value"], strict=True))


@pytest.mark.parametrize(
    "text",
    [
        SUMMARY,
        SUMMARY.replace(",", "~").replace(".", ",").replace("~", "."),
        SUMMARY.replace(",", ""),
        "".join(f"2024/03/01 08:15:00 [17] {line}\n" for line in SUMMARY.splitlines()),
        SUMMARY.replace(",", "").replace("sent", "wrote").replace("received", "read"),
        SUMMARY.replace("bytes/sec\n", "bytes/sec "),
    ],
)
def test_a_summary_is_the_same_whatever_stands_between_thousands(text: str) -> None:
    parsed = parsers.parse(text)
    assert (parsed.complete, [row["throughput"] for row in parsed.runs]) == (True, [823104.0])
    assert metrics(parsed) == {"sent": 1234567.0, "received": 89.0, "total size": 7654321.0, "speedup": 6.2}


@pytest.mark.parametrize(("options", "kilo"), [("-ah", 1000.0), ("-ahh", KIB), ("-a -h --human-readable", KIB)])
def test_letters_are_what_the_command_asked_for(options: str, kilo: float) -> None:
    summary = "sent 1.50K bytes  received 999 bytes  2.25M bytes/sec\ntotal size is 3.00G  speedup is 1,200,480.19\n"
    parsed = parsers.parse(f"$ rsync {options} /d/ /t/\n{summary}")
    assert parsed.runs[0]["throughput"] == 2.25 * kilo**2
    assert metrics(parsed)["sent"] == 1.5 * kilo
    assert metrics(parsed)["total size"] == 3 * kilo**3
    assert not any("taken for" in note.text for note in parsed.notes)
    alone = parsers.parse(summary)
    assert alone.runs[0]["throughput"] == 2.25e6
    assert [note.text.partition(":")[0] for note in alone.notes] == ["letters are taken for powers of 1000 (-h)"]


@pytest.mark.parametrize(
    ("ends", "operation"),
    [
        ("/d/ /t/", "copy"),
        ("/d/ ada@ring2:/t/", "upload"),
        ("ring2::beam /t  # of today", "download"),
        ("rsync://ring2/beam /t", "download"),
        ("/d/a:b /t", "copy"),
    ],
)
def test_the_ends_of_the_command_say_which_way_files_went(ends: str, operation: str) -> None:
    assert parsers.parse(f"$ rsync -a {ends}\n{SUMMARY}").runs[0]["operation"] == operation


def test_a_try_has_no_bytes_of_files() -> None:
    statistics = "Number of regular files transferred: 3\nTotal transferred file size: 512 bytes\n"
    parsed = parsers.parse(statistics + SUMMARY.replace("6.20", "6.20 (DRY RUN)"))
    (row,) = parsed.runs
    assert (row["label"], "files" in row, "data_size" in row) == ("dry run", False, False)
    assert metrics(parsed)["data_size to be transferred"] == 512.0


def test_statistics_stand_on_their_lines() -> None:
    parsed = parsers.parse("Number of files transferred: 3\nTotal transferred file size: 512 B\n" + SUMMARY)
    (row,) = parsed.runs
    assert (row["files"], row["files_line"], row["data_size"], row["data_size_line"]) == (3.0, 1, 512.0, 2)
    assert row["line"] == 3


def test_the_last_print_of_a_file_has_its_time() -> None:
    parsed = parsers.parse(DONE.replace("  1,0", "\r  524,288  50%    4.00GB/s    0:00:07  \r  1,0") + SUMMARY)
    series = parsed.series
    assert series["file"][:2] == ["beam/a.dat", "beam/a.dat"]
    assert series["throughput"][:2] == [4 * GIB, 8.25 * MIB]
    assert (series["progress"][:2], series["data_size"][:2]) == ([0.5, 1.0], [524288.0, 1048576.0])
    assert (series["time"][0] != series["time"][0], series["time"][1]) == (True, 65.0)


def test_progress_of_all_files_has_the_name_of_none() -> None:
    line = "\r  {0}    8.25MB/s    0:00:05 (xfr#{1}, ir-chk=7/9)"
    line = line.format("1,048,576  10%", 1) + line.format("2,097,152  20%", 2) + "\n"
    parsed = parsers.parse("$ rsync -a --info=progress2 /d/ /t/\n" + line)
    assert (parsed.complete, len(parsed.series["line"]), "file" in parsed.series) == (True, 2, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SUMMARY.replace("823,104.00", "823,1o4.00"), "expected a summary or progress of rsync, found 'sent 1,234"),
        ("wrote 1,2x bytes\n" + SUMMARY, "expected a summary or progress of rsync, found 'wrote 1,2x bytes'"),
        (SUMMARY.replace("bytes/sec\ntotal size is", "bytes/sec total size is\n"), "found 'total size is'"),
        (SUMMARY.replace("7,654,321", "x"), "expected a summary or progress of rsync, found 'total size is x"),
        (SUMMARY.split("\n")[0] + "\n", "expected the total size behind what was sent"),
        (SUMMARY.split("\n")[1] + "\n" + SUMMARY, "expected what was sent above the total size"),
        (DONE.replace("8.25MB", "8.2x5MB") + SUMMARY, "expected a summary or progress of rsync, found '1,048,576"),
        ("Number of files: 3x\n" + SUMMARY, "expected a summary or progress of rsync, found 'Number of files: 3x'"),
        ("Total file size: 512 bytes\n", "expected what was sent and received below the statistics"),
        (SUMMARY.replace("6.20", "6.30"), "expected a speedup near 6.19956, found 6.3"),
        (DONE.split("(")[0].replace("100%", " 99%") + "\n", "the progress of a file ends before the file does"),
        ("Literal data: 12,34 bytes\n" + SUMMARY, "expected a summary or progress of rsync, found 'Literal data"),
        (SUMMARY + "rsync error: some files vanished (code 23) at main.c(9) [sender=3.2.7]\n", "some files vanished"),
    ],
)
def test_what_is_lost_makes_a_log_incomplete(text: str, said: str) -> None:
    parsed = rsync.parse(text)
    assert not parsed.complete
    assert said in str(parsed.notes)


def test_a_warning_is_a_note() -> None:
    parsed = rsync.parse(SUMMARY + "rsync warning: some files vanished before they could be transferred (code 24)\n")
    assert parsed.complete
    assert "code 24" in str(parsed.notes)


def test_what_only_speaks_of_rsync_is_refused() -> None:
    with pytest.raises(ParseError, match=r"a summary of rsync .*, found 'rsync copies files'"):
        rsync.parse("rsync copies files\n")


def test_a_name_may_stand_in_the_line_of_its_progress() -> None:
    parsed = parsers.parse("sending incremental file list\n" + DONE.replace(".dat\n", " 2.dat") + SUMMARY)
    assert (parsed.complete, parsed.notes) == (True, [])
    assert parsed.series["file"][0] == "beam/a 2.dat"
    assert (parsed.series["data_size"][0], parsed.series["time"][0], parsed.series["line"][0]) == (MIB, 65.0, 2)
