"""The one writer: whatever step fails, and wherever a process ends, there is the old or the new, and nothing else."""

from __future__ import annotations

import ast
import ctypes
import errno
import fcntl
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from storagelab import dataset, writing
from storagelab.cli import console
from storagelab.errors import ContractError
from storagelab.study.files import hidden_below
from storagelab.writing import disk, folders, locks, own_folders
from tests.conftest import ROOT
from tests.faults import states, steps, trial
from tests.faults.commands import COMMANDS
from tests.faults.states import contents

pytestmark = pytest.mark.forks
CALLED = pytest.mark.parametrize("name", COMMANDS)


@CALLED
def test_a_command_that_is_killed_at_any_step_leaves_the_old_or_the_new(name: str, tmp_path: Path) -> None:
    assert trial.tried(COMMANDS[name], tmp_path, kill=True) == []


@CALLED
def test_a_command_whose_disk_is_full_at_any_step_says_so_in_a_line(name: str, tmp_path: Path) -> None:
    assert trial.tried(COMMANDS[name], tmp_path, kill=False) == []


@pytest.mark.parametrize("kill", [True, False])
def test_where_folders_cannot_be_exchanged_whoever_comes_next_finishes(kill: bool, tmp_path: Path) -> None:
    assert trial.tried(COMMANDS["paper"], tmp_path, kill=kill, exchange=False) == []


@pytest.mark.parametrize(("name", "exchange"), [("checksums", True), ("figures", False)])
def test_what_a_kill_leaves_is_among_the_states_of_a_process_that_lives_on(
    name: str, exchange: bool, tmp_path: Path
) -> None:
    """By processes that are killed: `trial.tried` copies what one that goes on has on disk."""
    command, old = COMMANDS[name], tmp_path / "old"
    old.mkdir()
    command.before(old)
    watched = states.copied(old, tmp_path / "watched")
    first = (lambda: None) if exchange else states.not_exchanging
    found = states.left_by_kills(partial(command.run, watched), watched, tmp_path / "states", first=first)
    known = {states.identity(state.root) for state in found}
    assert len(known) == len(found), "each state is there once"
    taken = [step for state in found for step in state.steps if "half of" not in step][:-1]
    for at, step in enumerate(taken):
        root = states.copied(old, tmp_path / f"{at}")
        ended = steps.disturbed(partial(command.run, root), tmp_path / "said", at, kill=True, exchange=exchange)
        assert ended.status == steps.KILLED, (step, ended.said)
        assert states.identity(root) in known, step


def test_every_command_takes_the_steps_that_make_it_last(tmp_path: Path) -> None:
    COMMANDS["checksums"].before(tmp_path)
    taken = steps.undisturbed(lambda: COMMANDS["checksums"].run(tmp_path))
    written = ["mkdir", "makedirs", "open", "write", "close"]
    assert taken == [*written, "copymode", "open", "fsync", "replace", "open", "fsync", "remove"]
    COMMANDS["reconstruct"].before(tmp_path)
    taken = steps.undisturbed(lambda: COMMANDS["reconstruct"].run(tmp_path))
    assert taken[-4:] == ["exchange", "open", "fsync", "remove"]
    assert taken.count("fsync") == 7  # three files, three folders, and the folder of the study


def fill(folder: Path) -> None:
    (folder / "made").write_text("new")


def grow(path: Path) -> None:
    with writing.growing(path) as file:
        file.write(b"new")


def replace(path: Path) -> None:
    with writing.new_folder(path) as folder:
        fill(folder)


def renew(path: Path) -> None:
    with writing.renewed_folder(path, ["made"]) as folder:
        fill(folder)


@pytest.mark.parametrize(
    ("write", "name", "taken"),
    [
        (lambda path: writing.write_text(path, "new"), "file", ["fsync", "replace", "fsync"]),
        (lambda path: writing.append_line(path, "new"), "file", ["fsync", "fsync"]),
        (lambda path: writing.move(path, path.with_name("place")), "file", ["link", "fsync"]),
        (grow, "place", ["fsync", "link", "fsync"]),
        (replace, "folder", ["fsync", "fsync", "exchange", "fsync"]),
        (renew, "folder", ["link", "fsync", "fsync", "fsync", "exchange", "fsync"]),
    ],
)
def test_what_is_written_is_on_the_disk_before_it_takes_its_place_and_that_after(
    write: Callable[[Path], None], name: str, taken: list[str], tmp_path: Path
) -> None:
    """A folder with each file in it, also with one that is kept."""
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").write_text("old")
    names = steps.undisturbed(lambda: write(tmp_path / name))
    assert [step for step in names if step in ("fsync", "replace", "exchange", "link")] == taken


def left_behind(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def test_only_what_a_process_that_has_ended_left_is_swept(tmp_path: Path) -> None:
    host, ours = own_folders.this_host(), os.getpid()
    ended = steps.in_a_process(lambda: None, tmp_path / "said")
    assert ended.status == 0
    stay = [
        left_behind(tmp_path, f"{writing.OURS}{host}-{ours}-{writing.start_of(ours)}-0"),
        left_behind(tmp_path, f"{writing.OURS}{host}-{ours}--0"),  # of a process that did not know when it started
        left_behind(tmp_path, f"{writing.OURS}another-host-1-1-0"),
        left_behind(tmp_path, f"{writing.OURS}nothing-of-the-kind"),
        left_behind(tmp_path, ".snapshot"),
    ]
    left_behind(tmp_path, f"{writing.OURS}{host}-{ours}-1-0")  # the id of this process, when it was another's
    left_behind(tmp_path, f"{writing.OURS}{host}-{2**22 + 1}-1-0")  # no Linux has a process of this number
    (tmp_path / "said").unlink()
    writing.sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted(stay)


def test_of_a_process_that_is_not_there_nobody_knows_its_start() -> None:
    assert writing.start_of(2**31 - 1) == ""


def test_what_a_killed_command_left_in_a_study_is_no_part_of_it_and_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for a command that only reads: `reconstruct` was killed where folders cannot be exchanged."""
    monkeypatch.chdir(tmp_path)
    folder = Path("raw", "study")
    COMMANDS["reconstruct"].before(Path("raw"))
    (folder / "study.yaml").write_text("id: study\ntitle: T\norigin: measured\n")
    whole = contents(folder)
    between = steps.undisturbed(lambda: COMMANDS["reconstruct"].run(Path("raw"))).index("exchange") + 3
    COMMANDS["reconstruct"].before(Path("raw"))
    run = partial(COMMANDS["reconstruct"].run, Path("raw"))
    assert steps.disturbed(run, Path("said"), between, kill=True, exchange=False).status == steps.KILLED
    assert not (folder / "logs").exists()
    assert hidden_below(folder) == []
    assert console.study_folder("study") == folder
    assert contents(folder) == whole


def test_a_dataset_that_does_not_fit_is_one_line_with_its_file(tmp_path: Path) -> None:
    """By a real limit of the system, which netCDF only calls an HDF error."""
    COMMANDS["ingest"].before(tmp_path)
    before = contents(tmp_path)
    ended = steps.in_a_process(partial(COMMANDS["ingest"].run, tmp_path), tmp_path / "said", first=steps.short_of_space)
    (tmp_path / "said").unlink()
    assert ended == (1, f"storagelab: {tmp_path}/reports/tiny-2026/dataset.nc: File too large\n")
    assert contents(tmp_path) == before


DAMAGED = "the file is damaged ({}): make it anew with `storagelab ingest`"
UNREADABLE = DAMAGED.format("HDF5 cannot read it")


@pytest.fixture(scope="module")
def whole_dataset(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    COMMANDS["ingest"].before(folder)
    return (folder / "reports" / "tiny-2026" / "dataset.nc").read_bytes()


def refusal(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(ContractError, match="^" + re.escape(f"{path}: ")) as refused:
        dataset.load(path)
    return str(refused.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("start", "length", "said"),
    [
        (0, 8, rf"expected a study in netCDF-4, found a file that begins with {bytes(8)!r}"),
        (8, 200, DAMAGED.format("its first block is broken")),
        (48, 160, UNREADABLE),
        (2000, 4000, UNREADABLE),
        (40_000, 8192, UNREADABLE),
    ],
)
def test_a_damaged_dataset_is_an_error_with_its_file(
    start: int, length: int, said: str, tmp_path: Path, whole_dataset: bytes
) -> None:
    zeroed = whole_dataset[:start] + bytes(length) + whole_dataset[start + length :]
    assert refusal(tmp_path / "dataset.nc", zeroed) == said


def test_a_cut_dataset_is_an_error_with_its_file(tmp_path: Path, whole_dataset: bytes) -> None:
    whole = len(whole_dataset)
    for size in (20_000, whole - 1):
        said = refusal(tmp_path / "dataset.nc", whole_dataset[:size])
        assert said == DAMAGED.format(f"expected {whole} bytes, found {size}")
    assert refusal(tmp_path / "dataset.nc", whole_dataset[:40]) == DAMAGED.format("its first block is broken")
    assert refusal(tmp_path / "dataset.nc", b"") == "expected a study in netCDF-4, found an empty file"
    assert refusal(tmp_path / "dataset.nc", b"CDF\x01") == "expected a study in netCDF-4, found netCDF-3"


def test_a_heap_of_texts_with_a_hole_is_an_error_and_no_loop(tmp_path: Path, whole_dataset: bytes) -> None:
    """HDF5 walks such a heap for ever: it is seen before the library opens the file."""
    heap = whole_dataset.index(b"GCOL\x01")
    size = int.from_bytes(whole_dataset[heap + 8 : heap + 16], "little")
    for start in range(heap + 16, heap + 16 + 512, 64):
        zeroed = whole_dataset[:start] + bytes(heap + size - start) + whole_dataset[heap + size :]
        said = refusal(tmp_path / "dataset.nc", zeroed)
        assert said == DAMAGED.format(f"the heap of texts at byte {heap} is broken")


def test_a_link_stays_one_and_what_stands_beside_outputs_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "note.txt").write_text("mine")
    (tmp_path / "real" / "deep").mkdir()
    (tmp_path / "real" / "deep" / "link").symlink_to("nowhere")
    (tmp_path / "link").symlink_to("real")
    with writing.renewed_folder(tmp_path / "link", ("made",)) as folder:
        writing.put(folder / "made", b"1")
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "real") == {"deep": {"link": None}, "made": b"1", "note.txt": b"mine"}


def test_what_others_write_at_the_same_time_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process ends between the links and the step, and a third one still writes."""
    put_in_place = folders._put_in_place

    def late(new: Path, path: Path) -> Path:
        (path / "dataset.nc").unlink()
        (path / "dataset.nc").write_text("newer")
        (path / "claims.json").write_text("new")
        (path / f"{writing.OURS}host-1-1-0").mkdir()
        return put_in_place(new, path)

    monkeypatch.setattr(folders, "_put_in_place", late)
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "dataset.nc").write_text("old")
    with writing.renewed_folder(tmp_path / "study", ("made",)) as folder:
        writing.put(folder / "made", b"1")
    found = {"dataset.nc": b"newer", "claims.json": b"new", "made": b"1", f"{writing.OURS}host-1-1-0": {}}
    assert contents(tmp_path) == {"study": found}


@pytest.mark.parametrize("exchange", [True, False])
def test_an_interruption_at_any_step_loses_nothing(
    exchange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exchange:
        monkeypatch.setattr(folders, "_exchange", lambda one, other: False)
    command = COMMANDS["reconstruct"]
    command.before(tmp_path / "new")
    for at, step in enumerate(steps.undisturbed(lambda: command.run(tmp_path / "new"))):
        root = tmp_path / f"{at}"
        command.before(root)
        old = contents(root / "study" / "logs")
        with pytest.MonkeyPatch.context() as patch:
            steps.Steps(at, error=KeyboardInterrupt()).in_place(patch)
            with pytest.raises(KeyboardInterrupt):
                command.run(root)
        assert contents(root / "study" / "logs") in (old, contents(tmp_path / "new" / "study" / "logs")), step


def test_who_could_read_what_was_there_can_read_what_replaces_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    writing.write_text(path, "old")
    path.chmod(0o640)
    writing.write_text(path, "new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_who_could_look_into_a_folder_can_look_into_what_replaces_it(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    folder.chmod(0o750)
    with writing.new_folder(folder) as new:
        (new / "a.log").write_text("new")
    assert folder.stat().st_mode & 0o777 == 0o750


class Renaming(SimpleNamespace):
    """A C library whose renameat2 fails with a number; one of 0 has none."""

    def __init__(self, number: int) -> None:
        super().__init__()
        if number:
            self.renameat2 = lambda *places: ctypes.set_errno(number) or -1


@pytest.mark.parametrize("number", [0, errno.ENOSYS, errno.EINVAL, errno.EXDEV, errno.ENOTSUP])
def test_a_folder_is_replaced_where_folders_cannot_be_exchanged(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *name, **more: Renaming(number))
    replace_folder(tmp_path)
    assert contents(tmp_path) == {"logs": {"new.log": b"new"}}


def test_a_folder_that_may_not_be_replaced_stays_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *name, **more: Renaming(errno.EACCES))
    with pytest.raises(PermissionError, match=f"{tmp_path}/logs"):
        replace_folder(tmp_path)
    assert contents(tmp_path) == {"logs": {"old.log": b"old"}}


def replace_folder(root: Path) -> None:
    (root / "logs").mkdir()
    (root / "logs" / "old.log").write_text("old")
    with writing.new_folder(root / "logs") as new:
        (new / "new.log").write_text("new")


def test_a_file_in_the_way_of_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    with pytest.raises(NotADirectoryError, match="logs"), writing.new_folder(tmp_path / "logs"):
        pass
    assert contents(tmp_path) == {"logs": b"a file"}


# --- nobody else writes

WRITES = {
    *("write_text", "write_bytes", "to_netcdf", "savefig", "mkdir", "makedirs", "rmtree", "touch", "symlink_to"),
    *("mkstemp", "mkdtemp", "TemporaryDirectory", "NamedTemporaryFile", "TemporaryFile", "copy2", "copytree", "move"),
    *("copyfile", "hardlink_to", "link", "fdopen", "execute_notebook", "dump_stages"),
}
MAY_WRITE = {"open", "rename", "replace", "write"}
"""Calls of which the arguments say whether they do."""
ALLOWED = {
    ("storagelab/dataset/netcdf.py", "to_netcdf"),  # into the file that the writer gave
    ("storagelab/workers/worker.py", "fdopen"),  # of a pipe
    ("storagelab/paper/forked_kernel.py", "fdopen"),  # of a pipe
    ("storagelab/cli/fork_server.py", "write"),  # into a pipe
    ("storagelab/paper/run_notebook.py", "execute_notebook"),  # into a scratch folder
    ("storagelab/recording/hosts.py", "write"),  # to a pipe
}


def writes(tree: ast.AST) -> set[str]:
    """Names of the calls in a module that may change the disk."""
    return {name for call in ast.walk(tree) if isinstance(call, ast.Call) and (name := _writes(call))}


def _writes(call: ast.Call) -> str:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name not in WRITES | MAY_WRITE:
        return ""
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    given = [*call.args, *(word.value for word in call.keywords)]
    texts = [arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    said = ast.unparse(call)
    wrote = {
        "open": any(MODE.fullmatch(text) for text in texts) or ("O_WRONLY" in said and "devnull" not in said),
        "rename": owner == "os" or (len(call.args) == 1 and not call.keywords and not texts),
        "replace": owner == "os" or (len(call.args) == 1 and not call.keywords and not texts),
        "write": owner in ("nbformat", "os"),
    }
    return name if owner != "writing" and wrote.get(name, name in WRITES) else ""


MODE = re.compile(r"[rbt]*[wax+][rbt+]*")


def test_no_other_module_writes() -> None:
    found = set()
    for path in sorted((ROOT / "storagelab").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if not file.startswith("storagelab/writing/"):
            found |= {(file, name) for name in writes(ast.parse(path.read_text()))}
    assert found - ALLOWED == set()
    assert ALLOWED - found == set(), "what is allowed is no longer there"


@pytest.mark.parametrize(
    "line",
    [
        "open(path, 'w')", "path.open('ab')", "path.write_text('')", "os.rename(a, b)", "beside.replace(path)",
        "path.mkdir()", "shutil.rmtree(path)", "nbformat.write(book, path)", "os.open(path, os.O_WRONLY)",
    ],
)  # fmt: skip
def test_the_source_test_sees_who_writes(line: str) -> None:
    assert writes(ast.parse(line))


@pytest.mark.parametrize(
    ("failed", "named"),
    [
        (f"/x/{writing.OURS}host-1-1-0/made/a.csv", "/x/out/a.csv"),
        (f"/x/{writing.OURS}host-1-1-0/made", "/x/out"),
        ("/y/another.csv", "/y/another.csv"),
        (None, "/x/out"),
    ],
)
def test_an_error_names_the_file_that_was_to_be_written(failed: str | None, named: str) -> None:
    with pytest.raises(OSError, match="No space left on device") as caught, disk.naming(Path("/x/out")):
        raise OSError(errno.ENOSPC, "No space left on device", failed)
    assert caught.value.filename == named


def test_a_file_moves_to_where_none_is_and_takes_the_place_of_none(tmp_path: Path) -> None:
    one, place = tmp_path / "one", tmp_path / "new" / "folder" / "place"
    one.write_text("one")
    writing.move(one, place)
    assert (one.exists(), place.read_text()) == (False, "one")
    one.write_text("other")
    with pytest.raises(FileExistsError, match=re.escape(str(place))):
        writing.move(one, place)
    assert (one.read_text(), place.read_text()) == ("other", "one")


def test_what_is_there_is_linked_into_a_new_folder(tmp_path: Path) -> None:
    there, new = tmp_path / "there", tmp_path / "new" / "folder"
    there.write_text("one")
    writing.link([there, tmp_path / "missing"], new)
    assert [(path.name, path.readlink()) for path in new.iterdir()] == [("there", there.resolve())]


def test_who_does_not_wait_is_told_that_another_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    asked: list[int] = []
    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", lambda file, how: asked.append(how))
        for wait in (True, False):
            with writing.locked(tmp_path, wait=wait), locks.claimed(tmp_path / "file", wait=wait):
                pass
    at_once = fcntl.LOCK_EX | fcntl.LOCK_NB
    assert asked == [fcntl.LOCK_EX, fcntl.LOCK_EX, at_once, at_once], "else what follows would wait for itself"
    with writing.locked(tmp_path), pytest.raises(BlockingIOError), writing.locked(tmp_path, wait=False):
        pass
    with locks.claimed(tmp_path / "file") as first, locks.claimed(tmp_path / "file") as second:
        assert (first, second) == (True, False)


def test_a_folder_is_made_where_none_is(tmp_path: Path) -> None:
    """A paper without a table has its folder of tables too."""
    writing.make(tmp_path / "tables")
    assert (tmp_path / "tables").is_dir()
    with pytest.raises(FileExistsError, match=re.escape(str(tmp_path / "tables"))):
        writing.make(tmp_path / "tables")


@pytest.mark.parametrize(("number", "moves"), [(errno.EPERM, True), (errno.EMLINK, True), (errno.EIO, False)])
def test_a_file_without_a_second_name_is_renamed(
    number: int, moves: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, place: Path) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(os, "link", refused)
    (tmp_path / "one").write_text("one")
    if moves:
        writing.move(tmp_path / "one", tmp_path / "place")
    else:
        with pytest.raises(OSError, match=os.strerror(number)):
            writing.move(tmp_path / "one", tmp_path / "place")
    assert [path.name for path in tmp_path.iterdir()] == ["place" if moves else "one"]


def test_a_line_is_added_below_folders_that_are_made_and_below_one_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lines"
    writing.append_line(path, "one")
    path.write_bytes(path.read_bytes() + b"cut")
    writing.append_line(path, "two")
    writing.append_line(path, "three")
    assert path.read_text() == "one\ncut\ntwo\nthree\n"


def test_what_a_command_says_is_for_its_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        os.close(writing.output(tmp_path / "said"))
    finally:
        os.umask(before)
    assert (tmp_path / "said").stat().st_mode & 0o777 == 0o600


def test_nowhere_takes_all_text_and_nothing_where_it_is_read_only() -> None:
    with writing.nowhere(os.O_WRONLY) as stream:
        assert stream.write("\udc80") == 1
    with pytest.raises(OSError, match="Bad file descriptor"), writing.nowhere(os.O_RDONLY) as stream:
        stream.write("a")


def test_a_folder_that_is_gone_before_it_is_on_the_disk_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone"):
        disk.sync_all(tmp_path / "gone")
