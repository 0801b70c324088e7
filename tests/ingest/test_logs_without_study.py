"""Which of the files below a folder are taken for logs."""

from __future__ import annotations

import gzip
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from storagelab import save
from storagelab.dataset import about
from storagelab.errors import ContractError, ParseError, StoragelabError
from storagelab.ingest import read_log
from storagelab.ingest.log_lines import evidence
from storagelab.ingest.logs_without_study import find_logs, open_any, open_logs
from storagelab.parsers import Parsed, darshan
from storagelab.schema import SAYS_RECONSTRUCTED
from tests.conftest import fixture_logs


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: os.mknod(path, stat.S_IFSOCK | 0o600)], ids=["a pipe", "a socket"]
)
def test_what_is_no_regular_file_is_no_log_of_a_folder(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "a.log")
    (tmp_path / "b.log").write_text("")
    assert list(find_logs([tmp_path])) == [tmp_path / "b.log"]


def test_of_links_in_a_folder_those_are_logs_that_lead_to_a_file_or_nowhere(tmp_path: Path) -> None:
    """Whoever reads a link that leads nowhere is told so."""
    (tmp_path / "log").write_text("")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "logs").mkdir()
    for name in ("folder", "log", "nowhere", "pipe"):
        (tmp_path / "logs" / name).symlink_to(tmp_path / name)
    assert [path.name for path in find_logs([tmp_path / "logs"])] == ["log", "nowhere"]


def test_files_of_a_folder_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    """A dot and a minus come before the slash that parts a folder from what is in it."""
    names = ["a/b.log", "a-b/c.log", "a.log", "a/a/z.log", "b", ".hidden/x.log", "a/.hidden"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    found = list(find_logs([tmp_path]))
    assert found == sorted(tmp_path / name for name in names if "hidden" not in name)


def test_a_folder_that_cannot_be_looked_into_is_one_of_the_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.log").write_text("")
    scandir = os.scandir

    def refused(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    assert list(find_logs([tmp_path])) == [tmp_path / "closed", tmp_path / "open.log"]


def test_bytes_that_are_no_text_are_counted_in_a_note(tmp_path: Path) -> None:
    whole = fixture_logs("ior")[0].read_bytes()
    (tmp_path / "a.log").write_bytes(whole + b"\x81\x9d\n")
    assert "2 bytes are not UTF-8" in [note.text for note in read_log(tmp_path / "a.log").parsed.notes]
    (tmp_path / "b.log").write_bytes(whole)
    assert not any("UTF-8" in note.text for note in read_log(tmp_path / "b.log").parsed.notes)


def test_logs_that_cannot_be_read_are_left_out_with_their_reasons_or_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(fixture_logs("ior")[0].read_bytes())
    (tmp_path / "b.log").write_text("a poem\n")
    (tmp_path / "c.log").symlink_to("nowhere")
    tree = open_logs(tmp_path, errors="skip")
    assert tree["logs"].sizes["obs"] == 1
    poem, nowhere = about(tree)["skipped"]
    assert poem.startswith(f"{tmp_path}/b.log:1: expected ")
    assert nowhere == f"{tmp_path}/c.log: No such file or directory"
    with pytest.raises(ParseError, match=r"b\.log:1: expected "):
        open_logs(tmp_path)
    with pytest.raises(StoragelabError, match="none of 2 logs could be read") as error:
        open_logs(tmp_path / "b.log", tmp_path / "c.log", errors="skip")
    assert nowhere in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "no log or folder of logs is named"),
        ({"paths": [1]}, "expected paths of logs or folders, each an argument of its own, got 1"),
        ({"errors": "skp", "paths": ["."]}, "unknown way with errors 'skp'; did you mean 'skip'"),
        ({"paths": ["empty"]}, "empty: a folder without logs$"),
        ({"paths": ["links"]}, "links: a folder without logs; links to folders are not followed, and it has 1$"),
    ],
)
def test_what_names_no_log_is_refused(
    arguments: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("links").mkdir()
    Path("links", "night").symlink_to(Path("empty").resolve())
    with pytest.raises(StoragelabError, match=message):
        open_logs(*arguments.pop("paths", ()), **arguments)


def test_a_log_that_says_that_it_was_reconstructed_says_so_in_a_note_with_its_line(tmp_path: Path) -> None:
    text = fixture_logs("ior")[0].read_text()
    for name, first in (("a.log", ""), ("b.log", "\n\n")):
        (tmp_path / name).write_text(f"{first}# reconstructed from published numbers\n{text}")
    notes = [read_log(tmp_path / name).parsed.notes for name in ("a.log", "b.log")]
    assert [[note.line for note in of if note.text == SAYS_RECONSTRUCTED] for of in notes] == [[1], [3]]


@pytest.mark.skipif(not Path("/proc/net/dev").exists(), reason="a file of Linux")
def test_a_file_that_gives_more_than_its_size_is_read_to_its_end() -> None:
    counters = Path("/proc/net/dev")
    assert counters.stat().st_size == 0
    assert "lo" in next(read_log(counters).parsed.tables())["interface"]


def test_a_compressed_log_is_read_and_traced_as_what_is_in_it(tmp_path: Path) -> None:
    log = fixture_logs("ior")[0]
    place = tmp_path / f"{log.name}.gz"
    place.write_bytes(gzip.compress(log.read_bytes()))
    found, plain = read_log(place), read_log(log)
    assert (found.format, found.parsed.runs) == (plain.format, plain.parsed.runs)
    assert [found.parsed.header["wrapping"], plain.parsed.header.get("wrapping", "")] == ["gzip", ""]
    proof = evidence(tmp_path, place.name, found.sha256)
    assert proof.lines == log.read_text().split("\n")
    place.write_bytes(place.read_bytes()[:-20])
    with pytest.raises(ContractError, match=r"\.gz: was changed since it was read, its lines prove nothing"):
        evidence(tmp_path, place.name, found.sha256)
    assert [note.text for note in read_log(place).parsed.notes if note.text.startswith("its gzip breaks off")]
    with pytest.raises(ContractError, match=r"gone\.log: not found; say where the raw studies are with --raw"):
        evidence(tmp_path, "gone.log", "")
    with pytest.raises(ContractError, match=r"^gone\.log: not found; logs of no study are looked for where they were"):
        evidence(Path(), "gone.log", "")
    with pytest.raises(ContractError, match=r"^standard input: not found; what was read from there is kept nowhere$"):
        evidence(Path(), "standard input", "")


def test_what_lies_there_is_opened_as_what_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "study.yaml").write_text("id: mine\ntitle: Mine\norigin: measured\n")
    (folder / "runs.csv").write_text("file,repeat\na.log,3\n")
    (folder / "a.log").write_bytes(fixture_logs("ior")[0].read_bytes())
    save(open_any(folder), tmp_path / "dataset.nc")
    with_sidecars = [open_any(folder), open_any(tmp_path / "dataset.nc")]
    assert [set(tree["runs"].to_dataset()["repeat"].values) for tree in with_sidecars] == [{3.0}, {3.0}]
    without = [open_any(folder / "a.log"), open_any(folder, "ior")]
    assert ["repeat" in tree["runs"].to_dataset() for tree in without] == [False, False]


def test_a_library_is_given_a_log_as_it_lies_there_or_plain_from_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[Path, bytes]] = []

    def parse(path: Path) -> Parsed:
        given.append((path, path.read_bytes()))
        return Parsed({"line": 1}, [{"operation": "write", "elapsed": 1.0, "line": 1}])

    monkeypatch.setattr(darshan, "parse", parse)
    data = b"3.4" + bytes(5000)
    (tmp_path / "a.darshan").write_bytes(data)
    (tmp_path / "b.darshan.gz").write_bytes(gzip.compress(data))
    plain, packed = (read_log(tmp_path / name) for name in ("a.darshan", "b.darshan.gz"))
    assert [content for _, content in given] == [data, data]
    assert given[0][0] == tmp_path / "a.darshan"
    assert given[1][0].name == "b.darshan"
    assert [log.parsed.header.get("wrapping", "") for log in (plain, packed)] == ["", "gzip"]
