"""What seldom comes in a store: chunks that others make, logs in streams, limits of a row group and of a worker."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow
import pyarrow.parquet as parquet
import pytest

from storagelab import schema, writing
from storagelab.errors import AnalysisError, ParseError, StoragelabError, UnknownNameError
from storagelab.ingest.cost_bounds import Bounds
from storagelab.parsers.model import Rows
from storagelab.store import Store, chunk, chunk_plan, layout
from storagelab.store.chunk import BUSY, GONE, MADE, UNSEEN, Made
from storagelab.store.reduce import levels, summarise
from storagelab.workers import pool
from tests.analysis import tables

append = import_module("storagelab.store.append")


@pytest.fixture
def making(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Iterator[Made]]:
    """Three chunks, of which workers say what they are told to say; what is made here says that it is gone."""

    def make(path: str, folder: str, bounds: Bounds, *, wait: bool) -> Made:
        assert (folder, bounds, wait) == (str(tmp_path), Bounds(), True)
        return Made(GONE, int(Path(path).name))

    def chunks(states: list[str], progress: Any = None) -> Iterator[Made]:
        crew: Any = SimpleNamespace(results=lambda function, tasks, workers, *shared: map(Made, states))
        made: Iterator[Made] = append._made(tmp_path, 1, crew, Bounds(), progress)
        return made

    monkeypatch.setattr(layout, "pending", lambda folder: [folder / "1", folder / "2", folder / "3"])
    monkeypatch.setattr(append, "logs_of", lambda path: [])
    monkeypatch.setattr(append, "make", make)
    return chunks


def test_chunks_that_others_make_are_waited_for_at_last_and_not_counted_before(
    making: Callable[..., Iterator[Made]],
) -> None:
    told: list[tuple[int, int]] = []
    found = list(making([MADE, BUSY, MADE], lambda *said: told.append(said)))
    assert found == [(MADE, 0, 0, ()), (BUSY, 0, 0, ()), (MADE, 0, 0, ()), (GONE, 2, 0, ())]
    assert told == [(1, 3), (1, 3), (2, 3)]
    assert [made.state for made in making([MADE] * 3)] == [MADE] * 3, "nobody needs to be told"


def test_what_came_of_chunks_is_added_up() -> None:
    result = append.Appended()
    assert result == append.Appended(new=0, known=0, changed=0, stored=0, incomplete=0, unread=[])
    append._count(result, [Made(MADE, 5, 2, [("a", "no")]), Made(BUSY), Made(MADE, 3, 1, [("b", "not")])])
    assert result == append.Appended(stored=8, incomplete=3, unread=[("a", "no"), ("b", "not")])


def test_workers_that_do_not_see_the_store_are_refused(making: Callable[..., Iterator[Made]]) -> None:
    with pytest.raises(StoragelabError, match=r"expected a folder that all machines share; workers of 1 see no store$"):
        list(making([UNSEEN, MADE, MADE]))


def test_a_chunk_costs_a_batch_or_more(monkeypatch: pytest.MonkeyPatch) -> None:
    few = pool.BATCH // 2**11
    for logs, size in ((1, pool.BATCH), (few, pool.BATCH), (few + 1, pool.BATCH + 2**11)):
        monkeypatch.setattr(append, "logs_of", lambda path, logs=logs: [("a", "")] * logs)
        assert append._size(Path("a")) == size


def log(name: str, complete: bool = True, **nodes: Any) -> Any:
    parsed = SimpleNamespace(complete=complete, **{"runs": [], "clients": [], "tables": lambda: iter(()), **nodes})
    return SimpleNamespace(
        name=name, sha256="0123456789abcdef0123", parsed=parsed, record=lambda: {"format": "fio"},
        header=lambda: {"tool": "fio", "statistic": "mean", "run_id": "mine"},
        of_a_sample=lambda: {"client": "c1"}, iter_events=lambda: iter([{"line": 7.0}]),
    )  # fmt: skip


def test_rows_of_a_log_are_those_of_its_nodes_and_what_holds_for_all_of_them() -> None:
    of_log = {"log": "a.log", "log_sha256": "0123456789abcdef0123", "run_id": "0123456789abcdef"}
    blocks = [{"line": [1.0], "time": [0.5]}, {"line": [2.0], "time": [1.5]}]
    parts = Rows()
    parts.parts = [[{"line": 3.0}], [{"line": 4.0}]]
    one = log("a.log", complete=False, runs=[{"line": 5.0}], clients=parts, tables=lambda: iter(blocks))
    said = {"tool": "fio", "statistic": "mean", **of_log, "complete": 0.0}
    assert {node: list(chunk.tables(one, node)) for node in chunk.NODES} == {
        "runs": [([{"line": 5.0}], said)], "clients": [([{"line": 3.0}], said), ([{"line": 4.0}], said)],
        "series": [(block, {"statistic": "single", "client": "c1", **of_log}) for block in blocks],
        "events": [([{"line": 7.0}], of_log)], "logs": [([{"format": "fio"}], of_log)],
    }  # fmt: skip
    assert [said["complete"] for _, said in chunk.tables(log("a.log", runs=[{"line": 5.0}]), "runs")] == [1.0]
    assert set(chunk._names(one, "series")) == {"line", "time", "statistic", "client", *of_log}
    assert set(chunk._names(one, "clients")) == {"line", *said}
    assert list(chunk._names(log("a.log"), "runs")) == [], "of no rows there is nothing to be said"


@pytest.mark.parametrize(("error", "said"), [
    (OSError(5, "Input/output error"), "Input/output error"), (OSError("gone"), "gone"),
    (ParseError("a number", "no"), "log: expected a number, found 'no'"),
    (KeyError("x"), "a mistake in storagelab, please "),
])  # fmt: skip
def test_why_a_log_cannot_be_read_is_said(error: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, name: str) -> None:
        raise error

    monkeypatch.setattr(chunk, "read_log", refuse)
    assert str(chunk._read(Path("a.log"), "a.log")).startswith(said)


def test_a_row_group_is_written_as_soon_as_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk, "ROWS", 2)
    for count, groups in ((0, None), (1, [1]), (2, [2]), (5, [2, 2, 1])):
        path = tmp_path / f"{count}.parquet"
        with chunk._File(path, ["line", "tool", "no column of the contract"]) as file:
            for number in range(count):
                file.add([{"line": float(number)}], {"line": 9.0, "tool": "fio"})
        if groups is None:
            assert not path.exists()
            continue
        found = parquet.read_metadata(path)
        assert [found.row_group(at).num_rows for at in range(found.num_row_groups)] == groups
        assert found.schema.names == [name for name in schema.FIELDS if name in ("line", "tool")]
        assert parquet.read_table(path)["line"].to_pylist() == [float(number) for number in range(count)]


def test_of_logs_of_the_same_bytes_the_first_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of this call, of chunks, and of chunks that wait; what could not be read before only where it is asked."""
    stored = {"logs": ["11" * 32], layout.UNREAD: ["22" * 32]}
    monkeypatch.setattr(layout, "pending", lambda folder: [folder / "waits"])
    monkeypatch.setattr(layout, "chunks", lambda folder: [folder / "made"])
    monkeypatch.setattr(chunk_plan, "logs_of", lambda path: [("c.log", "33" * 32)])
    monkeypatch.setattr(chunk_plan, "column", lambda path, name, part="logs": stored[part])
    for retry in (False, True):
        known = chunk_plan.Known(tmp_path, retry=retry)
        new = [known.add(f"{number}{number}" * 32) for number in (1, 2, 3, 4, 4, 0)]
        assert new == [False, retry, False, True, False, True]


@pytest.mark.parametrize(("paths", "asked"), [(1, 0), (2, 7), (3, 7)])
def test_workers_hash_logs_where_these_are_many(paths: int, asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as would be work for one of them for each core."""
    monkeypatch.setattr(pool, "PAYS", 2 * chunk_plan.HASHED)
    monkeypatch.setattr(chunk_plan, "cores", lambda: 1)
    monkeypatch.setattr(pool, "workers_for", lambda sizes, wanted: (list(sizes), wanted))
    taken: list[Any] = []

    def results(function: str, tasks: Any, workers: Any) -> list[str]:
        taken.append((function, workers))
        return [path for path, size in tasks if size == chunk_plan.HASHED]

    names = [f"{number}.log" for number in range(paths)]
    assert list(chunk_plan.look(iter(names), 7, SimpleNamespace(results=results))) == names  # type: ignore[arg-type]
    assert taken == [("storagelab.store.chunk_plan:looked_at", ([chunk_plan.HASHED] * min(paths, 2), asked))]


def test_what_is_no_log_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.log").write_text("abc")
    (tmp_path / "link").symlink_to("a.log")
    os.mkfifo(tmp_path / "pipe")
    names = {"a.log": (3, "", False), "link": (3, "", True), "gone": (0, "No such file or directory", False),
             "pipe": (0, "a store takes regular files, and this is none", False),
             "": (0, "a folder that cannot be looked into", False)}  # fmt: skip
    for name, said in names.items():
        found = chunk_plan.looked_at(str(tmp_path / name))
        assert (found.size, found.error, found.is_link) == said
        assert len(found.sha256) == (0 if said[1] else 64)

    def refuse(path: Path) -> None:
        raise OSError("stale")

    monkeypatch.setattr(Path, "lstat", refuse)
    assert chunk_plan.looked_at(str(tmp_path / "a.log")).error == "stale"


def test_a_list_that_is_gone_names_no_log(tmp_path: Path) -> None:
    assert (chunk_plan.logs_of(tmp_path / "gone"), chunk_plan.below(tmp_path / "gone")) == ([], Path())


def test_what_the_system_refuses_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    with pytest.raises(PermissionError, match="Permission denied"), layout.reading(path):
        raise PermissionError(13, "Permission denied")
    damaged = (
        f"^{re.escape(str(path))}: a damaged file of a store: remove {re.escape(str(tmp_path))}, .* \\(bad magic\\)$"
    )
    for error in (OSError("bad magic\nmore"), pyarrow.ArrowInvalid("bad magic\nmore")):
        with pytest.raises(StoragelabError, match=damaged), layout.reading(path):
            raise error


def test_what_writers_made_for_themselves_is_nothing_of_a_store(tmp_path: Path) -> None:
    (tmp_path / f"{writing.OURS}lock").touch()
    layout.make(tmp_path)
    assert layout.is_store(tmp_path)
    layout.make(tmp_path)
    (tmp_path / layout.PENDING / "plan").mkdir(parents=True)
    for name in ("b.json", "a.json", f"{writing.OURS}c.json"):
        (tmp_path / layout.PENDING / "plan" / name).touch()
    (tmp_path / layout.PENDING / "file").touch()
    assert [path.name for path in layout.pending(tmp_path)] == ["a.json", "b.json"]
    assert layout.chunks(tmp_path) == []


def test_a_key_that_is_no_name_of_the_contract_is_not_selected_by(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="'tol'"):
        Store(tmp_path).select(tol="fio")
    chosen = Store(tmp_path).select(tool="fio").select(nodes=(1, 2))
    assert chosen.wanted == {"tool": ["fio"], "nodes": [1, 2]}


def test_rows_of_a_store_are_averaged_where_cells_alone_differ(tmp_path: Path) -> None:
    """In a key that tells no two rows of one cell apart; and with no key at all."""
    rows = [{"operation": name, "layout": name[0], "throughput": value} for name, value in
            (("read", 1.0), ("write", 5.0))]  # fmt: skip
    parts = [tables.node(rows), tables.node(rows).drop_vars("statistic"), tables.node(rows)]
    found = summarise(parts, "throughput", ["operation"])
    assert (found["n"].values.tolist(), found["throughput"].values.tolist()) == ([3.0, 3.0], [1.0, 5.0])
    assert levels(parts, ["operation", "layout"]).to_numpy().tolist() == [["read", "r", 3], ["write", "w", 3]]
    one, other = (tables.node([{"layout": name, "throughput": 1.0}]) for name in "ab")
    with pytest.raises(AnalysisError, match=r"^rows of the selection differ in layout from chunk to chunk: name it in"):
        summarise([one, other], "throughput", [])
