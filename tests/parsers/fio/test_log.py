"""What golden tables do not show of fio's logs over time: names, layouts of columns, damage, and streams."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

from storagelab import parsers
from storagelab.errors import ParseError
from storagelab.ingest import log_file, read_log
from storagelab.parsers.fio import log
from storagelab.parsers.fio.log import arrow_reader, lines
from storagelab.parsers.model import Parsed
from storagelab.units import KIB

AVERAGES = "1000, 4088, 0, 0, 0\n2000, 4108, 1, 0, 0\n"


def series(text: str, name: str = "x_bw.1.log", format: str = "") -> dict[str, list[object]]:
    return {column: list(values) for column, values in parsers.parse(text, format, name).series.items()}


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("x_bw.1.log", "fio-bw-log"),
        ("x_bw.log", "fio-bw-log"),
        ("cli1.fio_bw.log", "fio-bw-log"),
        ("bw.12.log", "fio-bw-log"),
        ("job_bw.1.log.10.0.0.7", "fio-bw-log"),
        ("x_iops.3.log", "fio-iops-log"),
        ("x_lat.1.log", "fio-lat-log"),
        ("x_clat.1.log", "fio-clat-log"),
        ("x_slat.1.log", "fio-slat-log"),
        ("x_clat_bw.1.log", "fio-bw-log"),
        ("x.log", "fio-log"),
        ("flat.log", "fio-log"),
        ("", "fio-log"),
    ],
)
def test_the_file_name_says_what_the_values_are(name: str, format: str) -> None:
    assert parsers.recognise(AVERAGES, name).FORMAT.name == format


def test_values_are_bandwidths_only_where_something_says_so() -> None:
    assert series(AVERAGES)["throughput"] == [4088 * KIB, 4108 * KIB]
    assert series(AVERAGES, "x.log", "fio-bw-log")["throughput"] == [4088 * KIB, 4108 * KIB]
    parsed = parsers.parse(AVERAGES, name="x.log")
    assert (list(parsed.series["metric"]), list(parsed.series["value"])) == (["value"] * 2, [4088.0, 4108.0])
    assert "what the values are" in parsed.notes[0].text


def test_latencies_are_nanoseconds_and_microseconds_by_format() -> None:
    assert series(AVERAGES, "x_clat.1.log")["latency"] == pytest.approx([4.088e-6, 4.108e-6])
    assert series(AVERAGES, "x_clat.1.log", "fio2-clat-log")["latency"] == pytest.approx([4.088e-3, 4.108e-3])
    assert series(AVERAGES, "x_slat.1.log")["submission_latency"] == pytest.approx([4.088e-6, 4.108e-6])
    assert series(AVERAGES, "x_lat.1.log")["total_latency"] == pytest.approx([4.088e-6, 4.108e-6])


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("1000, 4088, 0, 0\n", True),  # fio 2, or 3.0 to 3.16
        ("1000, 4088, 0, 0, 0\n", False),  # 3.17 and later
        ("1000, 1023822691, 0, 0\n", False),  # as microseconds it would be longer than the job
    ],
)
def test_a_unit_that_is_assumed_is_noted(text: str, noted: bool) -> None:
    assert bool(parsers.parse(text, name="x_clat.1.log").notes) == noted


@pytest.mark.parametrize("separator", [",", ", "])
def test_all_layouts_of_columns(separator: str) -> None:
    def read(*rows: str, name: str = "x_clat.1.log") -> dict[str, list[object]]:
        return series("".join(row.replace(", ", separator) + "\n" for row in rows), name)

    assert "offset" not in read("1, 5, 2, 4096")
    assert read("1, 5, 2, 4096")["operation"] == ["trim"]
    assert read("1, 5, 0, 4096, 8192")["offset"] == [8192.0]
    assert read("1, 5, 0, 4096, 1")["priority"] == [1.0]
    assert read("1, 5, 0, 4096, 0x2001")["priority"] == [0x2001]
    both = read("1, 5, 0, 4096, 8192, 1")
    assert (both["offset"], both["priority"]) == ([8192.0], [1.0])
    issued = read("1, 5, 0, 4096, 8192, 1, 123456789")
    assert (issued["offset"], issued["priority"], issued["request_size"]) == ([8192.0], [1.0], [4096.0])
    assert read("1, 5, 0, 4096, 1, 123456789")["priority"] == [1.0]
    largest = read("500, 50, 90, 1, 0, 0", name="x_bw.1.log")
    assert (largest["throughput"], largest["throughput_max"]) == ([50 * KIB], [90 * KIB])
    assert largest["operation"] == ["write"]


def test_one_io_is_no_rate() -> None:
    one_each = "0, 1, 0, 4096, 0\n1, 1, 0, 4096, 0\n"
    assert series(one_each, "x_iops.1.log")["operations"] == [1.0, 1.0]
    assert series(AVERAGES, "x_iops.1.log")["operation_rate"] == [4088.0, 4108.0]


def test_stamps_since_1970_become_seconds_since_the_first() -> None:
    parsed = parsers.parse("1795194045808, 4160, 1, 0, 0\n1795194046809, 4096, 1, 0, 0\n", name="x_bw.log")
    assert parsed.header["started"] == "2026-11-20T17:00:45.808000+00:00"
    assert list(parsed.series["time"]) == [0.0, 1.001]


def test_jobs_in_one_file_are_parts() -> None:
    parsed = parsers.parse(AVERAGES * 3, name="x_bw.log")
    assert list(parsed.series["part"]) == [1, 1, 2, 2, 3, 3]
    assert [note.line for note in parsed.notes] == [3, 5]


def test_stamps_that_wobble_are_one_part() -> None:
    text = "".join(f"{stamp}, 7, 0, 0, 0\n" for stamp in (1000, 2005, 1995, 3000, 2991, 4000))
    assert "part" not in series(text)


def test_a_bad_line_is_noted_and_skipped() -> None:
    text = "1, 5, 0, 0, 0\nslurmstepd: error\n\n3, 5, 7, 0, 0\n4, -6, 0, 0, 0\n5, 6, 0, 0, 0\n"
    parsed = parsers.parse(text, name="x_bw.1.log")
    assert list(parsed.series["line"]) == [1, 6]
    assert not parsed.complete
    assert parsed.notes[0].line == 2
    assert "slurmstepd" in parsed.notes[0].text
    assert "2 more" in parsed.notes[0].text


def test_a_last_line_without_its_end_is_left_out() -> None:
    parsed = parsers.parse(AVERAGES + "3000, 41", name="x_bw.1.log")
    assert list(parsed.series["line"]) == [1, 2]
    assert (parsed.complete, parsed.notes[0].line) == (False, 3)


def test_an_empty_log_is_known_by_its_name_alone() -> None:
    parsed = parsers.parse("", name="x_slat.1.log")
    assert parsed.complete
    assert parsed.is_empty()
    assert parsed.notes[0].text == "no samples were logged"
    with pytest.raises(ParseError, match="expected a log with text in it"):
        parsers.parse("", name="x.log")


def test_nobody_but_fio_claims_nothing() -> None:
    assert {parser.FORMAT.tool for parser in parsers.PARSERS if parser.sniff("")} == {"fio"}


@pytest.mark.parametrize(
    "text", ["1,2,3,4,5\n", "a,b\n1,2\n", "12 34 0 0\n", "1.5,2,0,0\n", f"{'9' * 5000}, 1, 0, 0\n"]
)
def test_other_tables_are_none(text: str) -> None:
    with pytest.raises(ParseError, match="expected"):
        parsers.parse(text, name="x_bw.1.log")


# --- large logs -----------------------------------------------------------------------------------------------------

ROWS = st.tuples(st.integers(0, 10**6), st.integers(0, 2**62), st.sampled_from([0, 1, 2]), st.just(4096))
TEXT = st.one_of(
    ROWS.map(lambda row: ", ".join(map(str, row))),
    st.sampled_from(
        ["", "junk", "1, 2, 3", "1, 2, 0, 4, 5", "-1, 2, 0, 4", "1, , 0, 4", "1, 2, 9, 4", '"1", 2, 0, 4', "\ufffd"]
    ),
)


@settings(deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=40), st.sampled_from([100, 160, 1000]))
def test_the_fast_reader_and_blocks_of_any_size_change_nothing(rows: list[str], block: int) -> None:
    text = "1, 2, 0, 4096\n" * 5 + "".join(f"{row}\n" for row in rows)
    with pytest.MonkeyPatch.context() as patch:
        plain = parsers.parse(text, name="x_bw.1.log")
        patch.setattr(lines, "SMALL", 1)
        patch.setattr(lines, "BLOCK", block)
        quick = parsers.parse(text, name="x_bw.1.log")
    assert {name: list(column) for name, column in quick.series.items()} == {
        name: list(column) for name, column in plain.series.items()
    }
    assert (quick.notes, quick.complete) == (plain.notes, plain.complete)


@pytest.mark.parametrize(
    "block",
    [b"1, 2, 0\n1, 2\n", b"1, 2, 0\n\n", b"1, , 0\n", b"-1, 2, 0\n", b'"1", 2, 0\n', b"1 2, 2, 0\n", b"1.5, 2, 0\n"],
)
def test_the_fast_reader_refuses_what_is_no_sample(block: bytes) -> None:
    assert arrow_reader.read(block, 3, block.count(b"\n")) == ()


def test_lines_of_decimals_are_read_at_once_as_one_by_one() -> None:
    block, reader = b"1, 2, 0\n33,9223372036854775807, 1\n", lines.Reader(io.BytesIO())
    reader.width = 3
    at_once, one_by_one = lines._plain_samples(block, 3, 7), reader._line_by_line(block, 7)
    assert at_once is not None
    assert np.array_equal(at_once.columns, one_by_one.columns)
    assert at_once.lines.tolist() == one_by_one.lines.tolist() == [7, 8]


@pytest.mark.parametrize(
    "block",
    [
        *(b"1, 2, 0\n1, 2\n", b"1, 2, 0\n\n", b"1, , 0\n", b"1, 2, 0,\n", b"-1, 2, 0\n", b"1.5, 2, 0\n", b"1,  2, 0\n"),
        *(b"1 , 2, 0\n", b" 1, 2, 0\n", b"01, 2, 0\n", b"0x1, 2, 0\n", b"1, 9223372036854775808, 0\n", b"\n"),
    ],
)
def test_lines_that_are_written_otherwise_are_not_read_at_once(block: bytes) -> None:
    assert lines._plain_samples(block, 3, 1) is None


@pytest.mark.parametrize(("size", "threads"), [(arrow_reader.PIECE, False), (2 * arrow_reader.PIECE, True)])
def test_only_a_block_of_several_pieces_starts_threads(
    size: int, threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by a mutant: the threads of a small log took 200 MB of addresses."""
    asked, read_csv = [], csv.read_csv
    monkeypatch.setattr(
        csv, "read_csv", lambda *given, **how: asked.append(how["read_options"]) or read_csv(*given, **how)
    )
    line = b"1, 2, 3\n"
    assert len(arrow_reader.read(line * (size // len(line)), 3, size // len(line))) == 3
    assert [options.use_threads for options in asked] == [threads]


def test_the_fast_reader_reads_hexadecimal_priorities() -> None:
    assert [column.tolist() for column in arrow_reader.read(b"1, 0x2001\n22, 0x0000\n", 2, 2)] == [[1, 22], [0x2001, 0]]


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """A function that writes a log and has it taken for a large one."""
    monkeypatch.setattr(log_file, "LARGE", 1)
    monkeypatch.setattr(lines, "BLOCK", 2**15)
    monkeypatch.setattr(lines, "SMALL", 2**12)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


MANY = "".join(f"{number // 10}, {number}, {number % 2}, 4096, {number * 4096}, 0\n" for number in range(1, 9000))


def test_a_large_log_comes_in_blocks_and_gives_the_same(large: Callable[[str, str], Path]) -> None:
    path = large("x_clat.1.log", MANY + "oops\n" + MANY.replace("\n", "\r\n") + "1, 2")
    streamed = read_log(path)
    whole = parsers.parse(path.read_bytes().decode().replace("\r\n", "\n"), name=path.name)
    assert streamed.parsed.series == {}
    assert len(list(streamed.parsed.tables())) > 5
    assert list(streamed.rows("series")) == [
        {"tool": "fio", "statistic": "single"} | dict(zip(whole.series, row, strict=True))
        for row in zip(*whole.series.values(), strict=True)
    ]
    assert (streamed.parsed.notes, streamed.parsed.complete) == (whole.notes, False)
    assert [note.line for note in whole.notes] == [9001, 9000, 18000]


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("x\ny\n", 1, "x"),
        ("\n\nx\n", 3, "x"),
        ("1, 2\n3, 4\n", 1, "1, 2"),
        ("1, 2, 0", 1, "1, 2, 0"),
        ("\n7", 2, "7"),
        ("x\n7", 1, "x"),
    ],
)
def test_the_first_line_that_is_no_sample_is_named(text: str, line: int, found: str) -> None:
    said = f"^log:{line}: expected a whole line 'time, value, direction, block size', found '{found}'$"
    with pytest.raises(ParseError, match=said):
        parsers.by_name("fio-log").parse(text)


def test_a_large_log_that_is_none_is_refused(large: Callable[[str, str], Path]) -> None:
    with pytest.raises(ParseError, match=r"x_bw\.1\.log:1: expected"):
        read_log(large("x_bw.1.log", "no samples here\n" * 5000))


def test_of_a_line_that_never_ends_its_beginning_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 100)
    with pytest.raises(ParseError, match=rf"^log:2: expected a whole line '.*', found '1, {'2' * 77}'$"):
        parsers.by_name("fio-log").parse(f"\n1, {'2' * 500}")


def test_a_large_log_of_another_format_is_read_whole(large: Callable[[str, str], Path]) -> None:
    text = (Path(__file__).parents[2] / "logs/fio_text/multi-3.33.txt").read_text()
    assert read_log(large("x.txt", text)).parsed.runs


def test_a_log_without_line_ends_is_not_held(large: Callable[[str, str], Path]) -> None:
    parsed = read_log(large("x_bw.1.log", AVERAGES + "7" * 200_000)).parsed
    assert sum(len(block["line"]) for block in parsed.tables()) == 2
    assert not parsed.complete


class Endless(io.RawIOBase):
    """A log that is made while it is read, so that a test of memory needs no disk."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.chunk = MANY.encode()

    def read(self, size: int = -1) -> bytes:
        self.left -= len(self.chunk)
        return self.chunk if self.left > 0 else b""


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")  # noqa: PTH110
def test_memory_does_not_grow_with_the_log() -> None:
    def peak(size: int) -> float:
        parsed: Parsed = log.BANDWIDTH.stream(lambda: Endless(size))  # type: ignore[arg-type, return-value]
        return max(sum(np.asarray(column).nbytes for column in block.values()) for block in parsed.tables())

    assert peak(4 * lines.BLOCK) == peak(2 * lines.BLOCK)


@pytest.mark.parametrize(("size", "is_told"), [(4096, False), (0, True)])
def test_an_io_comes_when_it_comes_and_a_mean_with_the_others(size: int, is_told: bool) -> None:
    lines = [f"{100 * time}, 77, {direction}, {size}, 0, 0\n" for time in range(1, 21) for direction in (0, 1)]
    _, parsed = parsers.read("".join(lines[:21] + lines[22:]), name="a_bw.1.log")
    assert any("sample of each item" in note.text for note in parsed.notes) is is_told
