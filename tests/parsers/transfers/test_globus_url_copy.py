"""What golden tables do not show of globus-url-copy: command lines, early units, cut and unreadable progress."""

from __future__ import annotations

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.transfers import globus_url_copy
from tests.conftest import SHARED

FILE = "Source: file:///d/\nDest:   gsiftp://h/d/\n  a.bin  ->  b.bin\n\n"
SAMPLE = "  {0} bytes  {1:9.2f} MB/sec avg  {2:9.2f} MB/sec inst\r"
SAMPLES = SAMPLE.format(104857600, 100, 100) + SAMPLE.format(314572800, 150, 200)


def test_samples_have_times_and_the_last_is_the_row() -> None:
    parsed = globus_url_copy.parse(FILE + SAMPLES + "\n")
    (row,) = parsed.runs
    assert (row["operation"], row["protocol"], row["file"]) == ("upload", "gsiftp", "file:///d/a.bin")
    assert (row["data_size"], row["throughput"], row["line"]) == (314572800.0, 150 * 2.0**20, 5)
    assert parsed.series["time"] == [1.0, 2.0]
    assert parsed.series["throughput"] == [100 * 2.0**20, 200 * 2.0**20]
    assert parsed.series["throughput_mean"] == [100 * 2.0**20, 150 * 2.0**20]


def test_early_releases_print_units_of_1024() -> None:
    parsed = globus_url_copy.parse("  1048576 bytes   1024.00 KB/sec avg   512.00 KB/sec inst\n")
    assert parsed.runs[0]["throughput"] == 2.0**20
    assert parsed.series["throughput"] == [2.0**19]


def test_options_of_the_command_go_to_the_header() -> None:
    command = "$ globus-url-copy -vb -p 8 -tcp-bs 4194304 file:///d/a.bin gsiftp://h/d/b.bin\n"
    header = globus_url_copy.parse(command + FILE + SAMPLES + "\n").header
    assert (header["streams"], header["socket_buffer"]) == (8.0, 4194304.0)
    assert header["command"] == command[2:-1]


@pytest.mark.parametrize("cut", [SAMPLES, SAMPLES + "   41943"])
def test_cut_progress_is_samples_and_no_row(cut: str) -> None:
    parsed = globus_url_copy.parse(FILE + cut)
    assert parsed.runs == []
    assert len(parsed.series["line"]) == 2
    assert not parsed.complete


def test_progress_that_cannot_be_read_is_said() -> None:
    parsed = globus_url_copy.parse(FILE + SAMPLES.replace("104857600 bytes", "") + "\n")
    assert (parsed.complete, parsed.notes) == (False, [(5, "progress that cannot be read")])
    assert len(parsed.series["line"]) == 1


def test_announcement_without_a_name_was_cut() -> None:
    parsed = globus_url_copy.parse(FILE + "Source: file:///d/\n")
    assert (parsed.complete, parsed.notes) == (False, [(6, "a file is announced without its name")])


def test_files_without_a_sample_are_not_counted_beside_an_error() -> None:
    parsed = globus_url_copy.parse("error: globus_ftp_client: the server responded with an error\n" + FILE)
    assert [row.get("errors") for row in parsed.runs] == [1.0]
    assert (4, "no sample, and the log shows an error: file:///d/a.bin") in parsed.notes


@pytest.mark.parametrize("text", ["", "Source: a\n", "12 bytes at 1.00 MB/sec\n"])
def test_what_holds_no_transfer_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match=r"log:1: expected a file \('Source: ...', 'Dest: ...'\), or '13 bytes"):
        globus_url_copy.parse(text)


@pytest.mark.skipif(not SHARED.exists(), reason="the logs that others wrote are not here")
def test_log_of_others() -> None:
    parsed = parsers.parse((SHARED / "corpus" / "globus-url-copy" / "jasmin-gsiftp-8-streams.txt").read_text())
    assert parsed.header["streams"] == 8.0
    assert [(row["throughput"], row["line"]) for row in parsed.runs] == [(792.20 * 2**20, 6)]


def test_an_interrupt_in_front_of_progress_is_no_damage_and_the_copy_is_cancelled() -> None:
    parsed = globus_url_copy.parse(FILE + "^C" + SAMPLES.removesuffix("\r") + "\nCancelling copy...\n")
    assert (parsed.complete, parsed.notes) == (False, [(6, "the copy was cancelled")])
    assert len(parsed.series["line"]) == 2


def test_a_copy_that_was_given_some_seconds_is_whole_after_them() -> None:
    command = "$ globus-url-copy -vb -t 10 file:///d/a.bin gsiftp://h/d/b.bin\n"
    parsed = globus_url_copy.parse(command + FILE + SAMPLES + "\nCancelling copy...\n")
    assert (parsed.complete, parsed.notes) == (True, [(7, "the copy ended after the time that it was given")])


def test_a_sentence_that_speaks_of_rates_is_no_progress() -> None:
    assert globus_url_copy.parse(FILE + SAMPLES + "\nThe link carries 100 MB/sec, so this is fine.\n").complete


def test_output_behind_marks_of_a_page_is_read_without_them() -> None:
    marked = "".join(f"(out)    {line}\n".replace("(out)    \n", "(out)\n") for line in FILE.splitlines())
    page = "mkproxy -o cred\nls\ndate\n" + marked + "(out)" + SAMPLES.rstrip("\r") + "\n"
    parsed = parsers.parse(page)
    assert (parsed.complete, parsed.runs[0]["file"], parsed.runs[0]["line"]) == (True, "file:///d/a.bin", 8)
