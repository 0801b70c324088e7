"""Which logs are read at once, block by block or by a library; what is short; and rows of a log as they were read."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from storagelab import ingest
from storagelab.errors import ParseError
from storagelab.ingest import checksums, join_client_logs, log_file, rows_as_read, study_dataset
from storagelab.parsers.model import Note, Rows
from tests.recording.standin import SHAPE


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log of 80 bytes is large, and so is a compressed one of 10."""
    monkeypatch.setattr(log_file, "LARGE", 80)


@pytest.mark.parametrize(("size", "is_plain"), [(9, True), (10, False)])
def test_a_log_that_would_be_large_if_it_were_compressed_is_not_read_at_once(
    size: int, is_plain: bool, large: None, tmp_path: Path
) -> None:
    (tmp_path / "a.log").write_bytes(b"a" * size)
    with (tmp_path / "a.log").open("rb", buffering=0) as raw:
        assert log_file._plain(raw, log_file.Ending(raw)) == (b"a" * size if is_plain else None)
        assert raw.tell() == size * is_plain
    pipe: Any = SimpleNamespace(is_regular=False, size=0)
    assert log_file._plain(pipe, pipe) is None, "a pipe is not even looked into"


def test_what_is_compressed_is_not_read_at_once_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"\x1f\x8b\x08\x00 and so on")
    with (tmp_path / "a.log").open("rb", buffering=0) as raw:
        assert log_file._plain(raw, log_file.Ending(raw)) is None
        assert raw.tell() == 0


@pytest.mark.parametrize(("size", "layers", "head", "is_large"), [
    (79, (), b"", False), (80, (), b"", True), (9, ("gzip",), b"", False), (10, ("gzip",), b"", True),
    (80, (), "a log\n".encode("utf-16"), False),
])  # fmt: skip
def test_a_large_log_of_bytes_that_are_its_text_is_read_block_by_block(
    size: int, layers: tuple[str, ...], head: bytes, is_large: bool, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file.parsers, "stream", lambda opened, *said: said)
    opened: Any = SimpleNamespace(layers=layers, head=head)
    found = log_file._in_blocks(Path("a.log"), size, opened, "fio", "a")
    assert found == (("fio", "a") if is_large else None)


def test_a_file_that_ends_before_its_size_is_short_and_a_pipe_may_not_go_on_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.log").write_bytes(b"abcde")
    with (tmp_path / "a.log").open("rb", buffering=0) as raw:
        ending = log_file.Ending(raw)
        assert (ending.read(2), ending.short) == (b"ab", "the file has 5 bytes, and ended after 2")
        assert (ending.read(), ending.short) == (b"cde", "")
        assert ending.read() == b""
    for kind in log_file.ENDLESS:
        monkeypatch.setitem(log_file.ENDLESS, kind, 2**20)  # type: ignore[index]
    for size in (2**20, 2**20 + 1):
        monkeypatch.setattr(
            os, "fstat", lambda handle: SimpleNamespace(st_mode=next(iter(log_file.ENDLESS)), st_size=0)
        )
        given: Any = SimpleNamespace(read=lambda wanted, size=size: b"a" * min(wanted, size), fileno=int)
        endless = log_file.Ending(given)
        if size > 2**20:
            with pytest.raises(ParseError, match="expected a device or a pipe that ends within 1 MiB"):
                endless.read()
        else:
            assert len(endless.read(-1)) == size
            assert (len(endless.read(0)), endless.short) == (0, "")


def test_names_say_what_bytes_and_invisible_characters_they_have(tmp_path: Path) -> None:
    assert log_file._readable("a\udcff\udc80é\u202e.log") == "a\\xff\\x80é\\u202e.log"
    assert [log_file._written(Note(line, "cut")) for line in (0, 3)] == ["cut", "line 3: cut"]
    text = Path(__file__).parent.parent / "logs" / "ior" / "absent"
    assert not text.exists()
    path = tmp_path / os.fsdecode(b"a\xff.json")
    path.write_bytes(SHAPE.read_bytes())
    log = ingest.read_log(path)
    assert log.name == f"{tmp_path}/a\\xff.json"
    assert "the name of the file holds bytes or characters that are written as escapes" in str(log.parsed.notes)
    assert "written as escapes" not in str(ingest.read_log(SHAPE).parsed.notes)


def test_what_was_around_a_log_is_told_from_outside_to_inside() -> None:
    several = (("gzip", "xz"), "syslog", "gzip, xz, syslog")
    for layers, before, said in (((), None, None), (("gzip",), None, "gzip"), several, ((), "syslog", "syslog")):
        parsed: Any = SimpleNamespace(header={} if before is None else {"wrapping": before})
        assert log_file._told(parsed, layers) is parsed
        assert parsed.header.get("wrapping") == said


def test_a_checksum_is_that_of_all_bytes_whoever_read_them(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc" * 2**20)
    whole = checksums.sha256(tmp_path / "a")
    for size in (0, 5, -1):
        with (tmp_path / "a").open("rb") as file:
            hashed = checksums.Hashed(file)
            hashed.read(size)
            assert hashed.hexdigest() == whole


def test_rows_of_a_log_come_as_they_were_read() -> None:
    parts = Rows()
    parts.parts = [[{"line": 1.0}], [{"line": 2.0, "time": 1.0}, {"line": 3.0}]]
    block = {"line": [4.0, 5.0], "time": [1.0, 2.0]}
    parsed = SimpleNamespace(runs=[{"line": 6.0}], clients=parts, tables=lambda: iter([block]))
    log: Any = SimpleNamespace(parsed=parsed, record=lambda: {"format": "fio"})
    found = {node: list(rows_as_read.tables(log, node)) for node in ("logs", "runs", "clients", "series", "gone")}
    assert found == {"logs": [[{"format": "fio"}]], "runs": [[{"line": 6.0}]], "clients": parts.parts,
                     "series": [block], "gone": [()]}  # fmt: skip
    assert [rows_as_read.names(rows) for rows in (block, parts.parts[1], [])] == [{"line", "time"}] * 2 + [set()]
    assert [rows_as_read.count(rows) for rows in (block, parts.parts[1], [])] == [2, 2, 0]


def test_keys_vary_in_which_two_rows_of_one_client_differ() -> None:
    def rows(*said: tuple[str, str, float]) -> list[Any]:
        return [
            {"client": client, "operation": name, "file_size": size, "throughput": 1.0} for client, name, size in said
        ]

    assert join_client_logs._varying(rows(("a", "read", 1.0), ("a", "write", 1.0))) == ["operation"]
    assert join_client_logs._varying(rows(("a", "read", 1.0), ("a", "write", 2.0), ("b", "read", 1.0))) == [
        "file_size",
        "operation",
    ]
    assert join_client_logs._varying(rows(("a", "read", 1.0), ("b", "write", 2.0))) == []


@pytest.mark.parametrize(("starts", "ends", "span", "common"), [
    ((0.0, 1.0), (3.0, 5.0), 15 / 5, 3 / 3 + 12 / 4), ((0.0, 1.0), (1.0, 5.0), 15 / 5, None),
    ((0.0, 1.0), (0.5, 5.0), 15 / 5, None), ((1.0, 1.0), (1.0, 0.0), None, None), ((0.0, 1.0), (3.0, None), None, None),
])  # fmt: skip
def test_clients_have_a_span_where_it_lasts_and_a_common_window_where_they_overlap(
    starts: tuple[float, ...], ends: tuple[float | None, ...], span: float | None, common: float | None
) -> None:
    group: list[Any] = [
        {"start_time": start, "end_time": end, "data_size": size}
        for start, end, size in zip(starts, ends, (3.0, 12.0), strict=True)
    ]
    found = join_client_logs._windows(group)
    assert (found.get("throughput_span"), found.get("throughput_common")) == (span, common)


def test_a_study_without_checksums_says_how_it_gets_them(tmp_path: Path) -> None:
    told = f"{tmp_path}: no SHA256SUMS, so a changed log is not noticed here: "
    assert ingest.unsealed(tmp_path) == [f"{told}`storagelab checksums` writes it"]
    (tmp_path / "published.yaml").touch()
    assert ingest.unsealed(tmp_path) == [f"{told}`storagelab check` holds its logs against what is published"]
    (tmp_path / "SHA256SUMS").touch()
    assert ingest.unsealed(tmp_path) == []
    assert study_dataset.written_with_escapes(7).startswith("study.yaml:7: control, invisible or direction characters")
    assert study_dataset.not_looked_into("x/.a").startswith("x/.a is hidden: nothing in it is a log")
