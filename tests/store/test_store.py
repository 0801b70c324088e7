"""A store of many logs: what goes in comes out, once, whoever adds it, and wherever it was killed."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import time
from collections.abc import Mapping
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from storagelab import frame, open_logs, open_store, schema, writing
from storagelab.errors import AnalysisError, StoragelabError, UnknownNameError
from storagelab.ingest.cost_bounds import Bounds
from storagelab.store import Store, append, chunk_plan, is_store, layout
from storagelab.store.chunk import make
from storagelab.store.reduce import INDEPENDENT, ONE_RUN, summarise
from storagelab.workers import pool
from storagelab.writing.own_folders import this_host
from tests.analysis import tables
from tests.cli.conftest import Cli
from tests.conftest import ROOT, fixture_logs
from tests.faults import states, steps

IOR = ROOT / "raw" / "loopback-2026" / "ior" / "xfs"
FIO = ROOT / "raw" / "loopback-2026" / "fio" / "xfs"
APPEND = "import sys; from storagelab.store import append; append(*sys.argv[2:], workers=int(sys.argv[1]))"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of a few logs, so that a few logs make many."""
    monkeypatch.setattr(chunk_plan, "CHUNK_LOGS", 5)


def contents(store: Path) -> dict[str, bytes]:
    """Every file of a store, byte by byte, but what processes wait for each other with."""
    files = (path for path in store.rglob("*") if path.is_file() and path.name != ".storagelab-lock")
    return {path.relative_to(store).as_posix(): path.read_bytes() for path in files}


def folders(store: Path) -> set[str]:
    """Every folder of a store, also one that is empty."""
    return {path.relative_to(store).as_posix() for path in store.rglob("*") if path.is_dir()}


def started(store: Path, *logs: Path, workers: int = 1) -> BaseProcess:
    """A process that adds logs, in chunks of five."""

    def add() -> None:
        chunk_plan.CHUNK_LOGS = 5
        append(store, *logs, workers=workers)

    return steps.forked(add)


def ended(process: BaseProcess) -> int | None:
    process.join()
    return process.exitcode


def every_row(store: Path, node: str) -> list[tuple[Any, ...]]:
    """Log, line and values of each row, in an order that does not hang on chunks."""
    rows = open_store(store).frame(node)
    names = sorted({*rows.columns} - {"run_id", "log_sha256"})
    return sorted(tuple(map(str, row)) for row in rows[names].itertuples(index=False))


@pytest.mark.slow
def test_every_row_of_every_log_comes_out_with_its_log_and_line(small: None, tmp_path: Path) -> None:
    logs = [IOR, FIO, *(log for format in ("iozone", "iostat", "syslog") for log in fixture_logs(format))]
    found = append(tmp_path / "s", *logs, workers=1)
    store, tree = open_store(tmp_path / "s"), open_logs(*logs)
    assert found.stored == found.new == store.counts()["logs"]
    for node in schema.MEASURED:
        expected = tree[node].to_dataset()
        logs = tree["logs"]["log"].to_numpy()[expected["log_id"].to_numpy().astype(int)]
        rows = store.frame(node)
        assert len(rows) == expected.sizes["obs"] > 0
        for name in ("line", "throughput", "operation", "elapsed", "value", "event", "complete"):
            if name in expected.variables and name in rows:
                theirs = sorted(zip(logs, map(str, expected[name].to_numpy()), strict=True))
                assert sorted(zip(rows["log"], map(str, rows[name]), strict=True)) == theirs


def test_what_is_there_is_skipped_and_copies_count_once(small: None, tmp_path: Path) -> None:
    first, *others = sorted(IOR.iterdir())
    copy = tmp_path / "copy.log"
    shutil.copy(first, copy)
    assert append(tmp_path / "s", first).stored == 1
    before = contents(tmp_path / "s")
    found = append(tmp_path / "s", copy, *others[:7])
    assert (found.new, found.known, found.stored) == (7, 1, 7)
    after = contents(tmp_path / "s")
    assert before.items() <= after.items()
    again = append(tmp_path / "s", IOR / first.name, *others[:7])
    assert (again.new, again.known, again.stored) == (0, 8, 0)
    assert contents(tmp_path / "s") == after


def test_a_log_that_changed_under_its_name_is_told_as_both_count(tmp_path: Path, cli: Cli) -> None:
    log = tmp_path / "a.log"
    shutil.copy(next(IOR.iterdir()), log)
    assert "same name" not in cli("store", tmp_path / "s", log).err
    log.write_text(log.read_text() + "\n")
    told = cli("store", tmp_path / "s", log).err
    assert "s: has a log of the same name with other bytes: the rows of both count" in told
    assert open_store(tmp_path / "s").counts()["logs"] == 2
    assert "same name" not in cli("store", tmp_path / "s", log).err


@pytest.mark.slow
def test_the_bytes_are_the_same_whatever_the_number_of_workers(small: None, tmp_path: Path) -> None:
    append(tmp_path / "1", IOR, FIO, workers=1)
    assert len(layout.chunks(tmp_path / "1")) > 5
    append(tmp_path / "3", IOR, FIO, workers=3)
    assert contents(tmp_path / "3") == contents(tmp_path / "1")


@pytest.mark.forks
@pytest.mark.slow
def test_a_store_that_is_killed_at_any_step_goes_on_to_the_same_bytes(small: None, tmp_path: Path) -> None:
    logs = sorted(IOR.iterdir())[:7]
    append(tmp_path / "whole", *logs, workers=1)
    whole, root = contents(tmp_path / "whole"), tmp_path / "root"
    root.mkdir()
    left = states.left_by_kills(lambda: append(root / "store", *logs, workers=1), root, tmp_path / "states")
    assert len(left) > 20, "each step was tried"
    for state in left:
        append(state.root / "store", *logs, workers=1)
        assert contents(state.root / "store") == whole, state.steps
        assert folders(state.root / "store") == folders(tmp_path / "whole"), state.steps


@pytest.mark.forks
@pytest.mark.slow
def test_a_store_that_is_killed_at_random_moments_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    """Twice, by four kills each: that any step may be the last one is shown by the test of all steps."""
    assert ended(started(tmp_path / "whole", IOR, FIO)) == 0
    whole, drawn = contents(tmp_path / "whole"), random.Random(18)
    killed = 0
    for number in range(8):
        process = started(tmp_path / "killed", IOR, FIO, workers=1 + number % 2)
        wanted = drawn.randrange(len(whole))
        while process.is_alive() and len(contents_or_none(tmp_path / "killed")) < wanted:
            time.sleep(0.005)
        process.kill()
        killed += ended(process) == -signal.SIGKILL
        if number % 4 == 3:
            assert ended(started(tmp_path / "killed", IOR, FIO)) == 0
            assert contents(tmp_path / "killed") == whole
            shutil.rmtree(tmp_path / "killed")
    assert killed


def contents_or_none(store: Path) -> list[str]:
    """Names of files while others write."""
    return [name for _, _, names in os.walk(store) for name in names]


@pytest.mark.forks
@pytest.mark.slow
def test_two_processes_at_once_store_each_log_once(tmp_path: Path) -> None:
    both = [started(tmp_path / "both", IOR, FIO), started(tmp_path / "both", FIO, IOR)]
    assert [ended(process) for process in both] == [0, 0]
    append(tmp_path / "one", IOR, FIO)
    for node in ("runs", "clients", "logs"):
        assert every_row(tmp_path / "both", node) == every_row(tmp_path / "one", node)
    assert layout.pending(tmp_path / "both") == []
    sums = open_store(tmp_path / "both").frame("logs")["log_sha256"]
    assert sums.is_unique


@pytest.mark.parametrize(
    ("sizes", "together"),
    [([5, 5, 5, 5, 1], [2, 2, 1]), ([11, 1], [1, 1]), ([6, 5, 4, 2], [1, 2, 1]), ([1] * 7, [3, 3, 1]), ([], [])],
)
def test_a_chunk_is_full_at_three_logs_or_ten_bytes(
    sizes: list[int], together: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunk_plan, "CHUNK_LOGS", 3)
    monkeypatch.setattr(chunk_plan, "CHUNK_BYTES", 10)
    logs = [chunk_plan.Found(str(place), "", size) for place, size in enumerate(sizes)]
    chunks = list(chunk_plan.chunks(logs))
    assert [len(chunk) for chunk in chunks] == together
    assert [log for chunk in chunks for log in chunk] == logs


@pytest.mark.parametrize("listing", ["chunks", "pending"])
def test_a_chunk_that_is_made_while_another_process_plans_is_not_planned_again(
    listing: str, small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two listings of the store, a chunk goes from those that wait to those that are made."""
    store, list_files = tmp_path / "s", getattr(layout, listing)
    logs = [path.relative_to(Path.cwd()) for path in sorted(IOR.iterdir())[:5]]
    layout.make(store)
    chunk_plan.plan(store, chunk_plan.look(list(map(str, logs)), 1, pool.Crew()))
    (waiting,) = layout.pending(store)

    def made_behind_it(folder: Path) -> list[Path]:
        listed: list[Path] = list_files(folder)
        make(str(waiting), str(store), Bounds())
        return listed

    monkeypatch.setattr(layout, listing, made_behind_it)
    assert chunk_plan.plan(store, chunk_plan.look(list(map(str, logs)), 1, pool.Crew()))[:2] == (0, 5)


def test_what_is_planned_is_made_before_any_log_is_looked_at(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a store of a million logs that is killed each minute would never get further than to look at them."""
    store, seen, look = tmp_path / "s", [], chunk_plan.look
    logs = [path.relative_to(Path.cwd()) for path in sorted(IOR.iterdir())[:12]]
    layout.make(store)
    chunk_plan.plan(store, chunk_plan.look(list(map(str, logs[:10])), 1, pool.Crew()))

    def looked(*asked: Any) -> Any:
        seen.append((len(layout.pending(store)), len(layout.chunks(store))))
        return look(*asked)

    monkeypatch.setattr(import_module("storagelab.store.append"), "look", looked)
    appended = append(store, *logs, workers=1)
    assert seen == [(0, 2)]
    assert (appended.new, appended.known, appended.stored) == (2, 10, 12)


@pytest.mark.parametrize("linked", [False, True], ids=["log", "folder"])
def test_a_link_to_what_lies_in_the_store_is_refused(linked: bool, tmp_path: Path) -> None:
    append(tmp_path / "s")
    (tmp_path / "logs").mkdir()
    link, target = tmp_path / "logs" / "link", tmp_path / "s"
    link.symlink_to(target if linked else target / layout.MARKER)
    log = link / layout.MARKER if linked else link
    with pytest.raises(StoragelabError, match=rf"^{re.escape(str(log))}: lies in the store .*, and is no log$"):
        append(tmp_path / "s", log)


def test_what_is_no_regular_file_is_kept_as_unread_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    said = append(tmp_path / "s", IOR / "kernel_loop-direct_easy-fpp_c01_r1.log", tmp_path / "pipe", workers=1)
    assert said.stored == 1
    assert said.unread == [(str(tmp_path / "pipe"), "a store takes regular files, and this is none")]


def test_a_folder_that_cannot_be_looked_into_is_called_one(tmp_path: Path) -> None:
    """It is handed on in place of the logs in it, which nobody knows."""
    assert chunk_plan.looked_at(str(tmp_path)).error == "a folder that cannot be looked into"


def test_what_a_killed_writer_left_is_gone_with_the_next_call(tmp_path: Path) -> None:
    log = IOR / "kernel_loop-direct_easy-fpp_c01_r1.log"
    append(tmp_path / "s", log, workers=1)
    whole = folders(tmp_path / "s")
    for place in (layout.CHUNKS, layout.PENDING):
        (tmp_path / "s" / place / f"{writing.OURS}{this_host()}-{2**22 + 1}-1-0").mkdir()  # no Linux has such a process
    append(tmp_path / "s", log, workers=1)
    assert folders(tmp_path / "s") == whole


def test_a_chunk_that_another_process_makes_is_waited_for_and_made_if_that_one_ended(
    small: None, tmp_path: Path
) -> None:
    layout.make(tmp_path / "s")
    logs = sorted(IOR.iterdir())[:5]
    chunk_plan.plan(
        tmp_path / "s", chunk_plan.look([str(path.relative_to(Path.cwd())) for path in logs], 1, pool.Crew())
    )
    (pending,) = layout.pending(tmp_path / "s")
    asked = str(pending), str(tmp_path / "s"), Bounds()
    with writing.claimed(pending) as is_ours:
        assert is_ours
        assert make(*asked).state == "busy"
    assert make(str(pending), str(tmp_path), Bounds()).state == "unseen"
    assert make(*asked, wait=True).logs == 5
    assert make(*asked).state == "gone"
    assert layout.pending(tmp_path / "s") == []


def test_logs_that_cannot_be_read_are_kept_with_the_reason_and_tried_again_where_asked(
    tmp_path: Path, cli: Cli
) -> None:
    poem, log = tmp_path / "poem.txt", tmp_path / "a.log"
    poem.write_text("no log at all")
    shutil.copy(next(IOR.iterdir()), log)
    first = cli("store", tmp_path / "s", poem, log, tmp_path / "absent.log")
    assert first.code == 1
    assert f"{poem.as_posix()}:1: expected" in first.err
    assert f"{tmp_path}/absent.log: No such file or directory" in first.err
    store = open_store(tmp_path / "s")
    assert store.counts()["unread"] == 1
    assert store.unread()["log"].tolist() == [poem.as_posix()]
    again = cli("store", tmp_path / "s", poem, log, "--json")
    assert again.code == 0
    assert {name: json.loads(again.out)[name] for name in ("new", "known", "unread")} == {
        "new": 0,
        "known": 2,
        "unread": 0,
    }
    assert cli("store", tmp_path / "s", poem, "--retry").code == 1
    nothing = cli("store", tmp_path / "s", "--retry")
    assert (nothing.code, nothing.out) == (2, "")
    assert "--retry: name the logs to try again" in nothing.err


def test_logs_that_an_earlier_call_planned_are_stored_and_no_new_ones(tmp_path: Path, cli: Cli) -> None:
    layout.make(tmp_path / "s")
    logs = sorted(IOR.iterdir())
    chunk_plan.plan(tmp_path / "s", chunk_plan.look(list(map(str, logs[:10])), 1, pool.Crew()))
    told = cli("store", tmp_path / "s", *logs[:12]).out.splitlines()[0]
    assert told.startswith(f"{tmp_path}/s: 12 logs stored, ")
    assert told.endswith(" of them incomplete; of those named 2 are new, 10 known")


def test_a_store_is_summarised_as_logs_that_are_held_in_memory(small: None, tmp_path: Path) -> None:
    append(tmp_path / "s", IOR)
    store = open_store(tmp_path / "s").select(statistic="single")
    runs = open_logs(IOR)["runs"].to_dataset()
    by = ["operation", "processes", "file_mode", "processes_per_node", "file_size", "block_size"]
    whole = runs.drop_vars(["day", "order", "round"], errors="ignore").storage.summarise("throughput", by)
    lazily = store.summarise("throughput", by)
    for name in by:
        assert lazily[name].to_numpy().tolist() == whole[name].to_numpy().tolist()
    assert whole["n"].max() > 5
    for name in ("throughput", "throughput_min", "throughput_max", "throughput_std", "n"):
        np.testing.assert_allclose(lazily[name], whole[name], rtol=1e-9, err_msg=name)
    assert set(lazily["caveat"].values) == {INDEPENDENT}
    found = store.compare("throughput", "operation", "read", "write", by[1:])
    middle = {tuple(row[key] for key in by): row["throughput"] for row in records(whole)}
    assert found.sizes["obs"] > 5
    for row in records(found):
        rest = [row[key] for key in by[1:]]
        assert row["ratio"] == pytest.approx(middle["write", *rest] / middle["read", *rest])


def records(ds: Any) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame(ds).to_dict("records")]


def test_a_key_in_which_only_chunks_differ_is_not_averaged_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In which order chunks are joined hangs on where the logs lie; of two chunks either may come first."""
    monkeypatch.setattr(chunk_plan, "CHUNK_LOGS", 1)
    append(tmp_path / "s", *(IOR / f"kernel_loop-direct_easy-fpp_c0{processes}_r1.log" for processes in (1, 2)))
    store = open_store(tmp_path / "s")
    with pytest.raises(AnalysisError, match=r"^rows of operation=\w+ differ in .*processes.* from chunk to chunk: "):
        store.summarise("throughput", "operation", over=["file_mode"])


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"read": {}, "write": {"nodes": 2.0}}, "operation=write differ in nodes from chunk to chunk: name it in by"),
        ({"read": {"nodes": 2.0}, "write": {}}, "operation=read differ in nodes from chunk to chunk: name it in by"),
        (
            {"read": {"nodes": 2.0}, "write": {"layout": "b"}},
            "operation=write differ in layout, nodes from chunk to chunk: name each of them in by",
        ),
    ],
)
def test_the_cell_in_which_chunks_differ_is_named(second: dict[str, dict[str, object]], message: str) -> None:
    def chunk(changed: Mapping[str, dict[str, object]]) -> xr.Dataset:
        keys = {"nodes": 1.0, "layout": "a"}
        return tables.node([{**keys, "operation": name, "throughput": 1.0, **of} for name, of in changed.items()])

    parts = [chunk({"read": {}, "write": {}}), chunk(second)]
    with pytest.raises(AnalysisError, match=f"^rows of {message}"):
        summarise(parts, "throughput", ["operation"])


def test_an_analysis_loads_its_variable_and_what_tells_runs_apart(tmp_path: Path) -> None:
    append(tmp_path / "s", IOR / "kernel_loop-direct_easy-fpp_c01_r1.log", workers=1)
    (part,) = open_store(tmp_path / "s")._measured("throughput")
    assert set(part.data_vars) == {"throughput"}
    assert {"operation", "run_id", "processes"} <= set(part.coords)
    assert {schema.field(str(name)).kind for name in part.coords} == {"key"}


def test_one_run_has_no_interval_and_says_so(tmp_path: Path) -> None:
    append(tmp_path / "s", IOR / "kernel_loop-direct_easy-fpp_c01_r1.log", workers=1)
    found = open_store(tmp_path / "s").select(statistic="single").summarise("throughput", "operation")
    assert set(found["n"].values) == {1}
    assert set(found["caveat"].values) == {ONE_RUN}
    assert np.isnan(found["throughput_std"]).all()
    assert np.isnan(found["throughput_low"]).all()


@pytest.fixture
def mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of four logs of IOR and two of fio, two in a chunk: what the one tool says, the other does not."""
    monkeypatch.setattr(chunk_plan, "CHUNK_LOGS", 2)
    of_ior = (IOR / f"kernel_loop-direct_easy-fpp_c0{tasks}_r{repeat}.log" for tasks in (1, 2) for repeat in (1, 2))
    append(tmp_path / "s", *of_ior, *(FIO / f"fuse_loop-direct_randread_c02_r{repeat}.json" for repeat in (1, 2)))
    return open_store(tmp_path / "s")


SELECTED: list[tuple[dict[str, Any], dict[float, int]]] = [
    ({"operation": "write", "processes": [1]}, {1.0: 6}),
    ({"operation": ["write", "read"], "tool": "ior"}, {1.0: 12, 2.0: 12}),
    ({"file_mode": ""}, {2.0: 2}),
    ({"queue_depth": float("nan")}, {1.0: 12, 2.0: 12}),
    ({"queue_depth": [float("nan"), 16]}, {1.0: 12, 2.0: 14}),
    ({"queue_depth": 16}, {2.0: 2}),
]
"""What is selected, and how many rows there are then for each number of processes."""


def test_what_is_selected_is_all_that_is_loaded(mixed: Store) -> None:
    for wanted, rows in SELECTED:
        chosen = mixed.select(**wanted)
        assert chosen.frame()["processes"].value_counts().to_dict() == rows, wanted
        assert chosen.scan().count_rows() == sum(rows.values()), wanted
        assert [part.sizes["obs"] > 0 for part in chosen.parts()] == [True] * len(list(chosen.parts())), wanted


def test_levels_are_counted_over_all_chunks(mixed: Store) -> None:
    assert mixed.counts() == {"runs": 26, "clients": 4, "logs": 6}
    assert "all rows: tool ior" in repr(mixed.select(tool="ior").runs().storage)
    found = mixed.levels("tool", "processes", "queue_depth").fillna(-1).to_numpy().tolist()
    assert found == [["fio", 2.0, 16.0, 2], ["ior", 1.0, -1, 12], ["ior", 2.0, -1, 12]]
    nothing = mixed.select(operation="").levels("tool")
    assert (list(nothing.columns), len(nothing)) == (["tool", "rows"], 0)


def test_a_damaged_file_is_named_and_its_chunk_comes_back(mixed: Store) -> None:
    path, logs = mixed.files()[0], mixed.frame("logs")["log"]
    whole = path.read_bytes()
    for damaged in (b"PAR", whole[:200] + bytes(len(whole) - 1000) + whole[-800:]):
        path.write_bytes(damaged)
        with pytest.raises(
            StoragelabError, match=f"^{re.escape(str(path))}: a damaged file of a store: remove .*again"
        ):
            mixed.frame()
    shutil.rmtree(path.parent)
    assert (append(mixed.folder, *logs).stored, mixed.counts()["logs"]) == (2, 6)


def test_what_a_store_does_not_have_is_named(mixed: Store) -> None:
    with pytest.raises(StoragelabError, match=r"s: has no runs with operation=\[''\]$"):
        mixed.select(operation="").dataset()
    with pytest.raises(StoragelabError, match=r"s: has no series$"):
        mixed.dataset("series")
    with pytest.raises(UnknownNameError, match=r"^unknown variable of this store 'thruput'; did you mean 'throughput'"):
        mixed.summarise("thruput", "operation")
    for tools, said in (("iorr", "'iorr'; did you mean 'ior'"), (["ior", "dd"], "'dd'; known: fio, ior")):
        with pytest.raises(UnknownNameError, match=f"^unknown value of tool {said}"):
            mixed.select(tool=tools).summarise("throughput", "operation")
    with pytest.raises(UnknownNameError, match=r"^unknown value of tool 'fio'; did you mean 'ior'"):
        mixed.select(tool="ior").select(tool="fio")
    with pytest.raises(AnalysisError, match=r"^no row of the store has a 'median' of throughput$"):
        mixed.summarise("throughput", "operation", statistic="median")
    with pytest.raises(UnknownNameError, match=r"^unknown node 'rows'; "):
        mixed.files("rows")
    assert mixed.unread().columns.tolist() == ["log", "log_sha256", "notes"]


def test_a_mistake_in_a_parser_hides_no_other_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut, whole, other, strange = (tmp_path / f"{name}.log" for name in ("cut", "whole", "other", "strange"))
    text = (IOR / "kernel_loop-direct_easy-fpp_c01_r1.log").read_text()
    for path, lines in (
        (cut, text.splitlines(keepends=True)[:-3]),
        (whole, [text]),
        (other, ["\n", text]),
        (strange, ["a\n", text]),
    ):
        path.write_text("".join(lines))
    chunk = import_module("storagelab.store.chunk")
    read = chunk.read_log

    def mistaken(path: Path, name: str) -> Any:
        if path.name == "strange.log":
            raise KeyError("rank")
        return read(path, name=name)

    monkeypatch.setattr(chunk, "read_log", mistaken)
    said = append(tmp_path / "s", cut, whole, other, strange, workers=1)
    assert (said.new, said.stored, said.incomplete) == (4, 3, 1)
    (row,) = open_store(tmp_path / "s").unread().to_dict("records")
    assert row["log"].endswith("strange.log")
    assert row["notes"] == "a mistake in storagelab, please report it: KeyError('rank')"


def test_rows_of_one_chunk_may_be_written_in_several_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storagelab.store.chunk.ROWS", 5)
    logs = [IOR / f"kernel_loop-direct_easy-fpp_c01_r{repeat}.log" for repeat in (1, 2, 3)]
    append(tmp_path / "s", *logs, workers=1)
    lines = open_store(tmp_path / "s").dataset("runs")["line"].to_numpy().tolist()
    assert sorted(lines) == sorted(3 * open_logs(logs[0])["runs"]["line"].to_numpy().tolist())


def test_two_stores_are_compared_as_campaigns(tmp_path: Path, cli: Cli) -> None:
    for name in ("s", "t"):
        append(tmp_path / name, IOR)
    asked = ("--variable", "throughput", "--margin", "0.5")
    by_store = cli("compare", tmp_path / "s", tmp_path / "t", *asked, "--json")
    levels = json.loads(by_store.out)["rows"]
    assert {row["ratio"] for row in levels} == {1.0}


def test_a_folder_that_is_something_else_is_no_store(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.log").write_text("mine")
    with pytest.raises(
        StoragelabError, match=f"^{re.escape(str(other))}: expected a store of logs or an empty folder, found a.log$"
    ):
        append(other, IOR)
    assert not is_store(other)
    with pytest.raises(StoragelabError, match=r"other: expected a store of logs, found no storagelab-store\.json: "):
        open_store(other)
    append(tmp_path / "s")
    with pytest.raises(StoragelabError, match=r"storagelab-store.json: lies in the store .*, and is no log$"):
        append(tmp_path / "s", tmp_path / "s")
    (tmp_path / "s" / layout.MARKER).write_text('{"storagelab_store": 2}')
    with pytest.raises(StoragelabError, match=r"storagelab-store\.json: expected a store of version 1, found 2$"):
        open_store(tmp_path / "s")
    (tmp_path / "s" / layout.MARKER).write_text("[]")
    with pytest.raises(StoragelabError, match=r"storagelab-store\.json: expected the version of a store, found none$"):
        open_store(tmp_path / "s")
