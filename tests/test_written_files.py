"""What the writer makes besides whole files and folders: streams, lines, logs that grow, locks, scratch folders."""

from __future__ import annotations

import errno
import gzip
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from storagelab import writing
from storagelab.writing import disk, files, folders, growing_outputs, own_folders


def error(number: int) -> Callable[..., None]:
    """A call of the system that fails."""

    def fail(*asked: object, **more: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def test_a_stream_of_text_takes_the_place_of_a_file_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with writing.new_text(path) as file:
        file.write("ä\r\nb\n")
        assert path.read_text() == "old"
    assert path.read_bytes() == "ä\r\nb\n".encode()
    with pytest.raises(ZeroDivisionError), writing.new_text(path) as file:
        file.write(f"half {1 / 0}")
    assert path.read_bytes() == "ä\r\nb\n".encode()
    assert list(tmp_path.iterdir()) == [path]
    with writing.new_text(tmp_path / "b.csv") as file:
        file.write("new")
    assert (tmp_path / "b.csv").read_text() == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe, found = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    with writing.new_text(pipe) as file:
        file.write("a line\n")
    reader.join()
    assert (found, pipe.is_fifo()) == (["a line\n"], True)
    with pytest.raises(IsADirectoryError, match=str(tmp_path)), writing.new_text(tmp_path):
        pass


def test_compressed_text_has_the_same_bytes_at_any_time_and_under_any_name(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with writing.new_compressed_text(tmp_path / name) as file:
            file.write("ä\r\nb\n")
    one, other = ((tmp_path / name).read_bytes() for name in ("a.gz", "b.gz"))
    assert one == other
    assert one[4:8] == bytes(4), "no time"
    assert gzip.decompress(one) == "ä\r\nb\n".encode()


def test_of_what_is_to_be_removed_what_is_gone_is_no_error(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).touch()
    writing.remove(tmp_path / "a", tmp_path / "gone", tmp_path / "b")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=f"'{tmp_path}/folder'$"):
        writing.remove(tmp_path / "folder")
    (tmp_path / "folder" / "a").touch()
    writing.remove_empty(tmp_path / "folder")
    assert (tmp_path / "folder").exists()
    writing.remove(tmp_path / "folder" / "a")
    writing.remove_empty(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == []


def test_a_line_is_added_behind_whole_lines_and_behind_one_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "a.jsonl"
    for before, whole in (("", "ä\n"), ("old\n", "old\nä\n"), ("old", "old\nä\n"), ("\n", "\nä\n")):
        if before:
            path.write_text(before)
        writing.append_line(path, "ä")
        assert path.read_text() == whole


def test_links_are_made_to_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "link").symlink_to("raw")
    writing.link([tmp_path / "link", tmp_path / "gone"], tmp_path / "new" / "deep")
    assert [path.name for path in (tmp_path / "new" / "deep").iterdir()] == ["link"]
    assert (tmp_path / "new" / "deep" / "link").readlink() == (tmp_path / "raw").resolve()


def test_a_log_grows_beside_its_place_and_is_there_at_its_end(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "a.log"
    with writing.growing(log) as file:
        file.write(b"half")
        assert writing.begun(log) == tmp_path / "deep" / ".a.log.begun"
        assert (log.exists(), writing.begun(log).read_bytes()) == (False, b"half")
        with pytest.raises(FileExistsError, match=r"\.a\.log\.begun'$"), writing.growing(log):
            pass
    assert (log.read_bytes(), writing.begun(log).exists()) == (b"half", False)
    with pytest.raises(FileExistsError, match=r"/a\.log'$"), writing.growing(log):
        pass
    assert not writing.begun(log).exists()
    log.unlink()
    log.symlink_to("nowhere")
    with pytest.raises(FileExistsError, match=r"/a\.log'$"), writing.growing(log):
        pass


@pytest.mark.parametrize("number", [0, errno.EPERM, errno.EMLINK, errno.EINVAL, errno.ENOTSUP, errno.EIO])
def test_a_file_is_moved_to_where_none_is_also_where_it_can_have_no_second_name(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, place = tmp_path / "a.log", tmp_path / "deep" / "b.log"
    one.write_text("mine")
    if number:
        monkeypatch.setattr(growing_outputs.os, "link", error(number))
    if number == errno.EIO:
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            writing.move(one, place)
        assert one.exists()
        return
    writing.move(one, place)
    assert (one.exists(), place.read_text()) == (False, "mine")
    one.write_text("other")
    with pytest.raises(OSError, match="b.log" if number == 0 else os.strerror(number)):
        writing.move(one, place)
    assert (one.read_text(), place.read_text()) == ("other", "mine")


@pytest.mark.parametrize("number", [errno.EPERM, errno.EMLINK, errno.EXDEV, errno.EINVAL, errno.ENOTSUP, errno.EIO])
def test_what_stays_of_a_folder_is_copied_where_it_can_have_no_second_name(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "kept").write_text("old")
    (tmp_path / "study" / "link").symlink_to("kept")
    monkeypatch.setattr(folders.os, "link", error(number))

    def renew() -> None:
        with writing.renewed_folder(tmp_path / "study", ["made"]) as new:
            (new / "made").write_text("new")

    if number == errno.EIO:
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            renew()
        assert not (tmp_path / "study" / "made").exists()
        return
    renew()
    assert {path.name: path.read_text() for path in (tmp_path / "study").iterdir()} == {
        "kept": "old", "link": "old", "made": "new",
    }  # fmt: skip
    assert (tmp_path / "study" / "link").is_symlink()


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EIO])
def test_a_folder_goes_aside_by_copying_where_it_cannot_be_renamed(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a").touch()
    monkeypatch.setattr(folders.os, "rename", error(number))
    if number == errno.EIO:
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            folders._move(tmp_path / "old", tmp_path / "new")
        return
    folders._move(tmp_path / "old", tmp_path / "new")
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["new", "new/a"]


@pytest.mark.parametrize("number", [*disk.UNSUPPORTED, errno.EIO])
def test_a_file_system_that_cannot_be_asked_to_write_at_once_is_none_that_fails(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk.os, "fsync", error(number))
    if number == errno.EIO:
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            disk.sync(tmp_path)
    else:
        disk.sync(tmp_path)


def test_of_a_folder_files_and_folders_are_brought_to_the_disk_and_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").touch()
    (tmp_path / "deep" / "link").symlink_to("a")
    os.mkfifo(tmp_path / "deep" / "pipe")
    taken: list[Path] = []
    monkeypatch.setattr(disk, "sync", taken.append)
    disk.sync_all(tmp_path)
    assert sorted(taken) == [tmp_path, tmp_path / "deep", tmp_path / "deep" / "a"]
    with pytest.raises(FileNotFoundError, match="gone"):
        disk.sync_all(tmp_path / "gone")


def test_an_error_without_a_number_or_of_a_path_of_ours_is_left_as_it_is(tmp_path: Path) -> None:
    ours = tmp_path / f"{disk.OURS}host-1-1-0" / "a"
    for path, raised in ((tmp_path / "a", OSError("odd")), (ours, OSError(5, "no", str(ours)))):
        with pytest.raises(OSError, match=r"odd|no") as found, disk.naming(path):
            raise raised
        assert found.value is raised
    with pytest.raises(OSError, match=f"'{tmp_path}/a'$") as found, disk.naming(tmp_path / "a"):
        raise OSError(5, "no", os.fsencode(ours))
    assert found.value.errno == 5


def test_scratch_folders_and_files_are_gone_at_their_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_folders.tempfile, "tempdir", str(tmp_path))
    with writing.scratch() as folder:
        assert folder.parent == tmp_path
        assert (
            folder.name == f"{disk.OURS}{own_folders.this_host()}-{os.getpid()}-{own_folders.start_of(os.getpid())}-0"
        )
        with writing.scratch() as other:
            assert other.name == folder.name[:-1] + "1"
        (folder / "a").touch()
    with writing.scratch_file() as file:
        file.write(b"ab")
        file.seek(1)
        assert file.read() == b"b"
    assert list(tmp_path.iterdir()) == []


def test_what_was_taken_aside_goes_back_where_its_place_is_empty(tmp_path: Path) -> None:
    with own_folders.own_folder(tmp_path) as own:
        (own / own_folders.OLD).mkdir()
        for name in ("gone", "there"):
            (own / own_folders.OLD / name).write_text("old")
        (tmp_path / "there").write_text("new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"gone": "old", "there": "new"}


def test_a_file_where_a_folder_is_to_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(NotADirectoryError, match=f"'{tmp_path}/a'$"):
        own_folders.ready(tmp_path / "a")
    own_folders.ready(tmp_path / "b" / "c")
    own_folders.ready(tmp_path / "b" / "c")
    assert (tmp_path / "b" / "c").is_dir()


@pytest.mark.parametrize(("state", "start"), [("R", "22"), ("S", "22"), ("Z", "ended"), ("X", "ended")])
def test_a_process_that_has_ended_has_no_start(state: str, start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = f"7 (a b) c) {state} " + " ".join(str(number) for number in range(4, 53))
    monkeypatch.setattr(Path, "read_text", lambda path: said)
    assert writing.start_of(7) == start


def test_nobody_can_tell_of_another_host_or_system_whether_its_process_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor of one that may not be asked, or of a number that no process can have."""
    host, ours = own_folders.this_host(), os.getpid()
    over = f"{disk.OURS}{host}-{ours}-1-0"
    assert own_folders._is_over(over)
    others = [f"{disk.OURS}{host}x-{ours}-1-0", f"{disk.OURS}{host}-one-1-0", f"{disk.OURS}{host}-{2**70}-1-0"]
    assert not any(map(own_folders._is_over, others))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        assert not own_folders._is_over(over)
    monkeypatch.setattr(own_folders.os, "kill", error(errno.EPERM))
    assert not own_folders._is_over(over)


def test_what_somebody_else_works_on_is_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with writing.claimed(path) as is_ours:
        assert not is_ours, "it is gone"
    path.touch()
    with writing.claimed(path) as is_ours, writing.claimed(path) as twice:
        assert (is_ours, twice) == (True, False)
    with writing.claimed(path, wait=True) as is_ours:
        assert is_ours
    with (
        writing.locked(tmp_path, name="lock"),
        pytest.raises(BlockingIOError, match=r"lock'$"),
        writing.locked(tmp_path, wait=False, name="lock"),
    ):
        pass
    with writing.locked(tmp_path / "new", wait=False):
        assert (tmp_path / "new" / writing.LOCK).exists()


def test_what_a_command_says_goes_to_a_file_of_its_user_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old and long")
    for name in "ab":
        handle = files.output(tmp_path / name)
        os.write(handle, b"new")
        os.close(handle)
        assert (tmp_path / name).read_text() == "new"
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600
    files.append_to(tmp_path / "a")
    assert (tmp_path / "a").stat().st_size == 3 + 2**16
    with files.nowhere(os.O_WRONLY) as stream:
        stream.write("\ud800")
    files.make(tmp_path / "made")
    with pytest.raises(FileExistsError, match="made"):
        files.make(tmp_path / "made")
    files.put(tmp_path / "made" / "deep" / "c", b"1")
    assert (tmp_path / "made" / "deep" / "c").read_bytes() == b"1"
