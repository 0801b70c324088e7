"""What golden tables of dd's logs do not show."""

from __future__ import annotations

import textwrap

import pytest

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.parsers.benchmarks import dd
from tests.conftest import LOGS

SAMPLED = ((1, 3145728), (2, 6291456))
RECORDS = "10+0 records in\n10+0 records out\n"
GNU = RECORDS + "10485760 bytes (10 MB, 10 MiB) copied, 0.02 s, 524 MB/s\n"


@pytest.mark.parametrize(
    ("line", "throughput", "rounded"),
    [
        ("10485760 bytes (10 MB, 10 MiB) copied, 0.02 s, 524 MB/s", 524288000.0, 524e6),
        ("10485760 bytes (10.0MB) copied, 0.020000 seconds, 500.0MB/s", 524288000.0, 500 * 2.0**20),
        ("10485760 bytes (10 M) copied, 0.020 s, 500 M/s", 524288000.0, 500 * 2.0**20),
        ("10485760 bytes transferred in 0.020000 secs (524288000 bytes/sec)", 524288000.0, 524288000.0),
        ("10485760 Bytes (10 MB, 10 MiB) kopiert, 0,02 s, 524 MB/s", 524288000.0, 524e6),
        ("10485760 octets (10 MB, 10 MiB) copiés, 0,02 s, 524 MB/s", 524288000.0, 524e6),
        ("10485760 байт (10 MB, 10 MiB) скопирован, 0,02 s, 524 MB/s", 524288000.0, 524e6),
        ("10485760字节(10 MB)已复制，0.02 秒，524 MB/秒", 524288000.0, 524e6),
    ],
)
def test_rate_in_every_wording(line: str, throughput: float, rounded: float) -> None:
    parsed = dd.parse(RECORDS + line + "\n")
    assert [row["operation"] for row in parsed.runs] == ["read", "write"]
    for row in parsed.runs:
        assert row["data_size"] == 10485760
        assert row["throughput"] == pytest.approx(throughput)
        assert row["throughput_rounded"] == pytest.approx(rounded)


def test_reports_of_a_signal_are_samples_of_one_run() -> None:
    early = "10+0 records in\n9+0 records out\n9437184 bytes (9.4 MB, 9.0 MiB) copied, 0.011 s, 858 MB/s\n"
    parsed = dd.parse(early + GNU)
    assert len(parsed.runs) == 2
    assert parsed.series["time"] == [0.011]
    assert parsed.series["data_size"] == [9437184.0]


@pytest.mark.parametrize(
    ("command", "seconds", "whole"), [("dd if=a of=b\n", "0.011", True), ("", "0", True), ("", "0.011", False)]
)
def test_a_line_of_progress_above_the_counts_is_a_sample(command: str, seconds: str, whole: bool) -> None:
    early = f"9437184 bytes (9.4 MB, 9.0 MiB) copied, {seconds} s, 858 MB/s\n"
    parsed = dd.parse(command + early + GNU)
    assert parsed.complete == whole
    assert [row["data_size"] for row in parsed.runs][-2:] == [10485760] * 2
    assert len(parsed.runs) == (2 if whole else 4)
    assert not whole or parsed.series["data_size"] == [9437184.0]


def test_two_lines_of_progress_above_the_counts() -> None:
    early = [f"{size} bytes (9.4 MB, 9.0 MiB) copied, {at} s, {size / at / 1e6:.1f} MB/s\n" for at, size in SAMPLED]
    parsed = dd.parse("dd if=a of=b\n" + "".join(early) + GNU.replace("0.02 s, 524", "3.02 s, 3.5"))
    assert parsed.complete
    assert list(parsed.series["time"]) == [1.0, 2.0]
    assert [row["elapsed"] for row in parsed.runs] == [3.02, 3.02]


def test_times_behind_those_of_dd_are_of_the_next_command() -> None:
    of_dd = "\nreal    0m20.400s\nuser    0m0.004s\nsys     0m4.500s\n"
    of_sync = "\nreal    0m4.600s\nuser    0m0.000s\nsys     0m0.100s\n"
    parsed = dd.parse(f"$ time dd if=/dev/zero of=f bs=1M count=10; time sync\n{GNU}{of_dd}{of_sync}")
    assert (parsed.runs[-1]["cpu_user_time"], parsed.runs[-1]["cpu_system_time"]) == (0.004, 4.5)
    assert (list(parsed.series["value"]), list(parsed.series["line"])) == ([20.4], [6])


def test_time_of_zsh() -> None:
    parsed = dd.parse(GNU + "dd if=a of=b bs=1M count=10  0.01s user 0.02s system 98% cpu 1:02.50 total\n")
    assert [row["cpu_user_time"] for row in parsed.runs] == [0.01, 0.01]
    assert [row["cpu_system_time_line"] for row in parsed.runs] == [4, 4]
    assert (list(parsed.series["metric"]), list(parsed.series["value"])) == (["real"], [62.5])
    counts = dd.parse(RECORDS + "dd if=a of=b bs=1M  0.01s user 0.02s system 98% cpu 1:02.50 total\n")
    assert [row["elapsed"] for row in counts.runs] == [62.5, 62.5]
    assert not counts.series


def test_a_scan_over_sizes_is_several_runs() -> None:
    double = "20+0 records in\n20+0 records out\n20971520 bytes (21 MB, 20 MiB) copied, 0.04 s, 524 MB/s\n"
    assert [row["part"] for row in dd.parse(GNU + double).runs] == [1, 1, 2, 2]
    assert [row["part"] for row in dd.parse(GNU + GNU).runs] == [1, 1, 2, 2]


def test_a_report_with_fewer_records_is_of_another_run() -> None:
    reports = [(1024, 33554432, 0.0123), (4, 8589918208, 14.6)]
    lines = [
        f"0+{n} records in\n0+{n} records out\n{size} bytes copied, {time} s, 1 MB/s\n" for n, size, time in reports
    ]
    parsed = dd.parse("".join(lines))
    assert [row["data_size"] for row in parsed.runs] == [33554432, 33554432, 8589918208, 8589918208]
    assert not parsed.series


def test_a_report_with_records_of_another_size_is_of_another_run() -> None:
    asked = "dd if=/dev/zero of=f bs=1M count=9\n9+0 records in\n9+0 records out\n9437184 bytes copied, 2 s, 4.7 MB/s\n"
    later = "{0} records in\n{0} records out\n{1} bytes copied, 3 s, 6 MB/s\n"
    assert [row["part"] for row in dd.parse(asked + later.format("35000+0", 17920000)).runs] == [1, 1, 2, 2]
    assert dd.parse(asked + later.format("17+1", 18000000)).series["data_size"] == [9437184]


def test_one_command_twice_is_two_runs() -> None:
    nine, ten = (
        "+ dd if=/dev/zero of=/dev/null bs=512 count=1\n0+1 records in\n0+1 records out\n"
        f"{size} bytes ({size} B) copied, {size / 1000:g} s, 1.0 kB/s\n"
        for size in (9, 10)
    )
    parsed = dd.parse(nine + ten)
    assert [(row["part"], row["data_size"]) for row in parsed.runs] == [(1, 9), (1, 9), (2, 10), (2, 10)]
    assert not parsed.series


@pytest.mark.parametrize(
    ("command", "timed"),
    [
        ("dd if=/dev/zero of=f bs=1M count=10", {"write"}),
        ("dd if=f of=/dev/null bs=1M", {"read"}),
        ("dd if=f of=g bs=1M", {"read", "write"}),
        ("dd if=/dev/zero of=/dev/null bs=1M count=10", {"read", "write"}),
    ],
)
def test_the_side_that_is_no_storage_has_no_rate(command: str, timed: set[str]) -> None:
    parsed = dd.parse(f"$ {command}\n{GNU}")
    assert {row["operation"] for row in parsed.runs if "throughput" in row} == timed
    assert all(row["record_size"] == 2.0**20 for row in parsed.runs)
    assert parsed.header["command"] == command


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("2x80x18b", 2 * 80 * 18 * 512.0),
        ("$((1024*1024))", 2.0**20),
        ("512", 512.0),
        ("4k", 4096.0),
        ("4kB", 4000.0),
        ("1m", 2.0**20),
        ("1MB", 1e6),
        ("2MiB", 2.0**21),
        ("3b", 1536.0),
    ],
)
def test_record_size_in_every_unit(size: str, expected: float) -> None:
    assert dd.parse(f"dd if=a of=b bs={size}\n{GNU}").runs[0]["record_size"] == expected


@pytest.mark.parametrize("size", ["0x10", "$((1024*n))", "$(stat -c %s f)", "x", "half"])
def test_a_record_size_that_cannot_be_known(size: str) -> None:
    assert "record_size" not in dd.parse(f"dd if=a of=b bs={size}\n{GNU}").runs[0]


@pytest.mark.parametrize("mark", ["# ", " * ", "// ", "; "])
def test_a_failure_in_a_comment_is_one(mark: str) -> None:
    log = textwrap.indent("dd: error writing 'f': No space left on device\n1+0 records in\n0+0 records out\n", mark)
    assert not parsers.parse(f"{log}\nmain()\n").complete


def test_bytes_that_went_out_are_not_those_that_came_in() -> None:
    parsed = dd.parse("dd: error writing 'f': No space left on device\n3+0 records in\n2+0 records out\n"
                      "2097152 bytes (2.1 MB, 2.0 MiB) copied, 0.5 s, 4.2 MB/s\n")  # fmt: skip
    assert not parsed.complete
    read, write = parsed.runs
    assert "data_size" not in read
    assert write["data_size"] == 2097152


def test_what_is_not_dd() -> None:
    assert not dd.sniff("18:10:25+0000 host one\n18:10:26+0000 host two\n")
    with pytest.raises(ParseError, match=r"log:1: expected two counts such as .*, found 'nothing"):
        dd.parse("nothing\n")
    with pytest.raises(ParseError, match=r"expected a log of one of"):
        parsers.parse("1+1 is two, said the log\n")


def test_lines_that_scripts_keep_of_reports_are_runs_without_records() -> None:
    parsed = parsers.parse((LOGS / "dd/imitated-copied-lines-alone.txt").read_text())
    assert not parsed.complete
    assert {note.text for note in parsed.notes} == {"an excerpt: records in and out are missing"}
    found = [(row["line"], row["elapsed"]) for row in parsed.runs if row["operation"] == "write"]
    assert found == [(2, 2.5), (4, 1.6), (6, 2.0), (7, 2.0)]
    assert all("records" not in row for row in parsed.runs)


def test_a_rate_that_bytes_and_seconds_deny_makes_a_log_incomplete() -> None:
    text = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 2.00123 s, {} MB/s\n"
    assert parsers.parse(text.format("537")).complete
    (note,) = parsers.parse(text.format("587")).notes
    assert note.text == "expected a rate near 5.36541e+08 B/s, found 5.87e+08"


def test_a_line_alone_behind_a_whole_report_is_no_progress_of_it() -> None:
    line = GNU.splitlines()[2].replace("10485760 bytes", "30485761 bytes").replace("0.02 s", "0.06 s")
    assert [row["elapsed"] for row in parsers.parse(f"{GNU}{line}\n").runs] == [0.02, 0.02, 0.06, 0.06]


def test_progress_that_breaks_off_is_no_report() -> None:
    parsed = parsers.parse("\r381681664 bytes (382 MB, 364 MiB) copied, 1 s, 382 MB/s\r6", format="dd")
    assert (list(parsed.runs), parsed.series["time"], parsed.complete) == ([], [1.0], False)


@pytest.mark.parametrize(("seconds", "value"), [("3,619", 3.619), ("9,156e-05", 9.156e-05), ("1,25", 1.25)])
def test_a_comma_in_seconds_is_decimal_with_three_digits_behind_it_too(seconds: str, value: float) -> None:
    rate = f"{640 / value / 1000:.1f}".replace(".", ",")
    parsed = parsers.parse(f"64+0 Datensätze ein\n64+0 Datensätze aus\n640 Bytes kopiert, {seconds} s, {rate} kB/s\n")
    assert {row["elapsed"] for row in parsed.runs} == {value}
    assert parsed.complete


@pytest.mark.parametrize("quote", ["", "> "])
@pytest.mark.parametrize("at", ["copied, ", "2.5 s, ", "400 "])
def test_a_line_that_a_mail_broke_before_its_rate(quote: str, at: str) -> None:
    lines = "100+0 records in\n100+0 records out\n1000000000 bytes (1.0 GB, 954 MiB) copied, 2.5 s, 400 MB/s\n"
    whole = parsers.parse(lines)
    broken = parsers.parse("".join(f"{quote}{line}\n" for line in lines.replace(at, f"{at.rstrip()}\n").splitlines()))
    assert broken.runs == whole.runs
    assert broken.complete


TIMED = "/dev/sdq:\n Timing cached reads:   3000 MB in  2.00 seconds = 1500.00 MB/sec\n"


@pytest.mark.parametrize(
    "report",
    [
        "30+0 Datensätze ein\n30+0 Datensätze aus\n31457280 Bytes (31 MB, 30 MiB) kopiert, 0,5 s, 62,9 MB/s\n",
        "30+0\xa0enregistrements lus\n30+0\xa0enregistrements écrits\n"
        "31457280\xa0octets (31\xa0MB, 30\xa0MiB) copiés, 0,5\xa0s, 62,9\xa0MB/s\n",
        "记录了30+0 的读入\n记录了30+0 的写出\n31457280字节(31 MB)已复制，0.5 秒，62.9 MB/秒\n",
    ],
)
def test_a_report_in_any_language_beside_another_tool_is_read(report: str) -> None:
    for text in (f"{report}\n{TIMED}", f"{TIMED}\n{report}"):
        parsed = parsers.parse(text)
        found = [row for row in parsed.runs if row["tool"] == "dd"]
        assert [(row["operation"], row["data_size"]) for row in found] == [("read", 31457280), ("write", 31457280)]
        assert not parsed.notes


def test_the_last_line_of_progress_may_round_its_seconds_up() -> None:
    line = "{size} bytes (31 MB, 30 MiB) copied, {seconds} s, 10.6 MB/s\n"
    text = "$ dd if=/dev/zero of=f bs=1M count=30 status=progress\n"
    text += line.format(size=31457280, seconds=3) + "30+0 records in\n30+0 records out\n"
    parsed = parsers.parse(text + line.format(size=31457280, seconds="2.9614"))
    assert [row.get("elapsed") for row in parsed.runs] == [None, 2.9614]
    assert (list(parsed.series["time"]), parsed.complete) == ([3.0], True)


def test_a_command_that_asks_for_fewer_records_than_were_copied_is_of_another_report() -> None:
    command = "dd if=/dev/zero of=f bs=512 count={}\n"
    assert [row["record_size"] for row in dd.parse(command.format(10) + GNU).runs] == [512.0, 512.0]
    assert not any("record_size" in row for row in dd.parse(command.format(9) + GNU).runs)


def test_a_command_in_a_mail_that_was_kept_as_it_was_sent() -> None:
    sizes = {"if=3D/dev/zero of=3Df bs=3D1M": 2.0**20, "of=3Df bs=3D1000": 1000.0, "of=f bs=3D": None}
    for words, size in sizes.items():
        assert [row.get("record_size") for row in dd.parse(f"$ dd {words}\n{GNU}").runs] == [size, size], words


@pytest.mark.parametrize("broken", ["\n", "\n> ", " \r\n", " \\\n    "])
def test_a_command_over_several_lines_is_one(broken: str) -> None:
    prompt = "$" if "\\" in broken else f"[root@{'a' * 50}]#"
    whole = f"{prompt} dd if=/dev/sdb of=/dev/null bs=512 count=10"
    parsed = dd.parse(f"{whole.replace(' of', f'{broken}of').replace(' bs', f'{broken}bs')}\n{GNU}")
    expected = dd.parse(f"{whole}\n{GNU}")
    assert parsed.header == expected.header
    lines = [{name: row.pop(name) for name in list(row) if name.endswith("line")} for row in parsed.runs]
    assert [row | line for row, line in zip(parsed.runs, lines, strict=True)] == [
        row | line for row, line in zip(expected.runs, lines, strict=True)
    ]
    assert {line["record_size_line"] for line in lines} == {3}


@pytest.mark.parametrize("said", ["{} dd of=f\nbs=512", "{:60} dd of=f;\nbs=512", "{:60} dd of=f;\nand bs=512"])
def test_what_stands_below_a_command_that_ends_is_none_of_its_options(said: str) -> None:
    assert not any("record_size" in row for row in dd.parse(f"{said.format('$')}\n{GNU}").runs)


def test_a_prompt_that_swallowed_the_records_in_leaves_the_rest_of_the_report() -> None:
    command = "$ dd if=/dev/zero of=/scratch/big7 bs=1M; rm -f /scratch/big7"
    parsed = dd.parse(f"{command}{GNU}")
    assert [(note.line, note.text) for note in parsed.notes] == [(2, "records in are missing")]
    assert [(row["operation"], row["records"], row["records_line"], row["line"]) for row in parsed.runs] == [
        ("write", 10, 2, 3)
    ]
    assert parsed.runs[0]["throughput"] == pytest.approx(524288000)


@pytest.mark.parametrize(
    ("count", "records", "missing"),
    [
        ("10+0 records out", {"write": 10}, "records in are missing"),
        ("10+0 records in", {"read": 10}, "records out are missing"),
        ("10+0 Datensätze aus", {}, "records in or out are missing"),
    ],
)
def test_one_count_above_a_rate_is_of_the_side_that_it_says(count: str, records: dict[str, int], missing: str) -> None:
    parsed = dd.parse(f"$ dd if=/scratch/big of=/dev/null bs=1M\n{count}\n{GNU.removeprefix(RECORDS)}")
    assert {row["operation"]: row["records"] for row in parsed.runs if "records" in row} == records
    assert [row["operation"] for row in parsed.runs if "elapsed" in row] == ["read"]
    assert [(note.line, note.text) for note in parsed.notes] == [(2, missing)]


def test_a_copy_that_is_not_timed_has_its_bytes_and_what_time_says_of_it() -> None:
    """The dd of ELKS."""
    text = "# time dd if=/dev/fd0 of=/dev/null bs=18b\n160+0 records in\n160+0 records out\n"
    parsed = parsers.parse(f"{text}1474560 bytes (1440 KiB) copied\n\nReal 1m6.820s\n")
    read, write = parsed.runs
    assert (read["data_size"], read["data_size_line"], read["elapsed"], read["elapsed_line"]) == (
        1474560.0,
        4,
        66.82,
        6,
    )
    assert (parsed.complete, parsed.notes, "throughput" in read, "data_size" in write) == (True, [], False, False)


def test_progress_is_no_result_where_the_line_with_the_result_is_left_out() -> None:
    log = (
        "# dd if=/dev/zero of=test status=progress bs=8k\n"
        "101908224 bytes (102 MB, 97 MiB) copied, 2 s, 51.0 MB/s\n"
        "201908224 bytes (202 MB, 193 MiB) copied, 3 s, 67.3 MB/s\n30185+0 records in\n30185+0 records out\n"
    )
    parsed = dd.parse(log)
    assert [(row["operation"], row["records"], row.get("elapsed")) for row in parsed.runs] == [
        ("read", 30185.0, None),
        ("write", 30185.0, None),
    ]
    assert list(parsed.series["data_size"]) == [101908224.0, 201908224.0]
    assert not parsed.complete
    assert dd.parse(f"{log}247275520 bytes (247 MB, 236 MiB) copied, 3.7 s, 66.8 MB/s\n").complete


def test_a_report_whose_bytes_are_missing_beside_others_that_have_them_is_cut() -> None:
    cut = "# dd if=/data/t of=/dev/null bs=1M\n" + RECORDS
    said = "the line with bytes, seconds and rate is missing"
    parsed = dd.parse(GNU + cut)
    assert (parsed.complete, [(note.line, note.text) for note in parsed.notes]) == (False, [(6, said)])
    shown = (
        "5242880 bytes (5.2 MB, 5.0 MiB) copied, 1 s, 5.2 MB/s\r7340032 bytes (7.3 MB, 7.0 MiB) copied, 2 s, 3.7 MB/s"
    )
    assert [note.text for note in dd.parse(f"\r{shown}\n{RECORDS}").notes] == [said]
    assert dd.parse(cut).complete
    assert dd.parse(GNU + cut.replace("bs=1M", "bs=1M status=noxfer")).complete


@pytest.mark.parametrize(
    "said", ["10485760 bytes (10 MB, 10 MiB) copied, ", "10485760 Bytes (10 MB, 10 MiB) kopiert, "]
)
def test_a_line_that_breaks_off_behind_its_bytes_is_cut_though_it_has_an_end(said: str) -> None:
    rest = "0.02 s, 524 MB/s".replace(".", "," if "kopiert" in said else ".")
    for length in range(1, len(rest) - 1):
        parsed = dd.parse(f"{RECORDS}{said}{rest[:length]}\n")
        assert not parsed.complete, rest[:length]
        assert parsed.notes[-1].line == 3


@pytest.mark.parametrize("literals", ["out = (\n" + 4 * '  "{}\\n"\n' + ")\n", "out = [\n" + 4 * "  '{}',\n" + "]\n"])
def test_a_failure_in_the_text_of_a_program_is_one(literals: str) -> None:
    parsed = parsers.parse(literals.format("dd: error writing x: No space left on device", *GNU.splitlines()))
    assert [row["data_size"] for row in parsed.runs] == [10485760.0] * 2
    assert not parsed.complete
    assert "No space left on device" in parsed.notes[0].text


@pytest.mark.parametrize(("command", "operation"), [
    ("dd if=f of=/dev/null status=progress", "read"), ("dd if=/dev/zero of=f status=progress", "write"),
    ("dd if=f of=g status=progress", "write"),
])  # fmt: skip
def test_progress_is_of_the_side_that_is_storage(command: str, operation: str) -> None:
    going = "381681664 bytes (382 MB, 364 MiB) copied, 1 s, 382 MB/s\n"
    parsed = dd.parse(f"$ {command}\n{going}500+0 records in\n500+0 records out\n{GNU_END}")
    assert list(parsed.series["operation"]) == [operation]


GNU_END = "524288000 bytes (524 MB, 500 MiB) copied, 1.4 s, 374 MB/s\n"


@pytest.mark.parametrize("name", ["/dev/sdz1", "my file"])
def test_names_that_old_tools_quote_by_two_signs_open_no_literal(name: str) -> None:
    parsed = parsers.parse(f"# dd if=/dev/zero of={name}\ndd: writing to `{name}': No space left on device\n{GNU}")
    assert (parsed.complete, parsed.header.get("wrapping")) == (False, None)
    assert parsed.notes[0].text == f"dd: writing to `{name}': No space left on device"
