"""Modules that stand alone: errors, extras, entry points, the environment, what happens after an import, datasets."""

from __future__ import annotations

import os
import struct
import sys
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import xarray as xr

import storagelab.__main__ as program
from storagelab import (
    after_import,
    backend,
    cli,
    dataset,
    days_and_rounds,
    entry_points,
    errors,
    optional_packages,
    pinned_environment,
    schema,
    truncated_hdf5,
    units,
)  # fmt: skip
from storagelab.dataset import columns, netcdf, nodes, selection
from storagelab.errors import ContractError, MissingPackageError, SidecarError, StoragelabError, UnknownNameError
from storagelab.schema import Field


@pytest.mark.parametrize(("raised", "status"), [
    (None, None), (KeyboardInterrupt(), 130),
    (MissingPackageError("the command storagelab", "typer", "cli"),
     'storagelab: the command storagelab needs typer: pip install "storagelab[cli]"'),
])  # fmt: skip
def test_the_command_line_says_what_is_missing_and_ends_with_ctrl_c(
    raised: BaseException | None, status: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[object] = []

    def run(*asked: str) -> None:
        called.append(asked)
        if raised and isinstance(raised, MissingPackageError) == bool(asked):
            raise raised

    monkeypatch.setattr(optional_packages, "require", run)
    monkeypatch.setattr(cli, "main", run)
    if status is None:
        program.main()
    else:
        with pytest.raises(SystemExit) as ended:
            program.main()
        assert ended.value.code == status
    assert called == [("cli", "the command storagelab"), ()][: 1 if isinstance(raised, MissingPackageError) else 2]


def test_what_follows_an_import_is_done_once_at_it_or_at_once_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    after_import.run("pytest", lambda: done.append("pytest"))
    assert done == ["pytest"]
    (tmp_path / "imported_later.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = list(sys.meta_path)
    monkeypatch.setattr(sys, "meta_path", before[:])
    after_import.run("imported_later", lambda: done.append(f"later {sys.modules['imported_later'].value}"))
    assert find_spec("no_such_package_at_all") is None
    assert done == ["pytest"]
    made: Any = __import__("imported_later")
    assert done == ["pytest", "later 1"]
    assert sys.meta_path == before
    assert type(made.__loader__) is type(made.__spec__.loader) is not after_import._Loader
    after_import.run("no_such_package_at_all", done.clear)
    assert find_spec("no_such_package_at_all") is None
    monkeypatch.delitem(sys.modules, "imported_later")


def test_names_that_are_left_out_are_one_several_or_none() -> None:
    assert [list(backend._listed(names)) for names in ("a", ["a", "b"], None, ())] == [["a"], ["a", "b"], [], []]


def test_rounds_that_touch_are_none_and_so_are_runs_of_which_one_is_not_known() -> None:
    """A round begins behind the last run of the one before."""
    assert np.isnan(days_and_rounds.rounds([1, 2, 2, 3], [1, 1, 2, 2])).all()
    assert days_and_rounds.rounds([], []).size == 0
    assert np.isnan(days_and_rounds.rounds([1.0, 2.0], [1.0, np.nan])).all()
    assert days_and_rounds.rounds([5.0], [3.0]).tolist() == [1.0]


def entry(name: str, value: str, package: str = "") -> Any:
    made = EntryPoint(name, value, "storagelab.parsers")
    vars(made)["dist"] = SimpleNamespace(name=package) if package else None
    return made


def test_what_packages_bring_is_loaded_in_the_order_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = [entry("b", "os:sep"), entry("a", "os:linesep", "mine"), entry("a", "os:curdir")]
    monkeypatch.setattr(entry_points.metadata, "entry_points", lambda group: brought)
    assert [found for _, found in entry_points.loaded_all("g")] == [os.curdir, os.linesep, os.sep]
    taken = (
        "^mine, entry point a = os:linesep of storagelab.parsers: the name is taken by a package, entry point a = os:c"
    )
    with pytest.raises(StoragelabError, match=taken):
        entry_points.one_a_name("g")
    brought.pop()
    assert {name: one.value for name, one in entry_points.one_a_name("g").items()} == {"a": "os:linesep", "b": "os:sep"}
    with pytest.raises(StoragelabError, match=r"of storagelab\.parsers: cannot be imported: AttributeError: .*gone"):
        entry_points.loaded(entry("c", "os:gone"))


@pytest.mark.parametrize("start", [None, {}, {"TZ": "Asia/Tokyo"}, pinned_environment.PINNED])
def test_whether_a_process_was_started_pinned_stands_in_what_it_was_given(
    start: dict[str, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(path: Path) -> bytes:
        assert path == Path("/proc/self/environ")
        if start is None:
            raise OSError("no such system")
        return b"\0".join(f"{name}={value}".encode() for name, value in {"A": "b=c", **start}.items())

    monkeypatch.setattr(Path, "read_bytes", read)
    monkeypatch.setattr(os, "environ", dict(pinned_environment.PINNED))
    assert pinned_environment.started_pinned() is (start is pinned_environment.PINNED)
    monkeypatch.setattr(os, "environ", dict(pinned_environment.PINNED) | {"TZ": "Asia/Tokyo"})
    assert pinned_environment.started_pinned() is False


def test_cores_are_those_of_the_machine_where_nobody_says_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for count, cores in ((None, 1), (3, 3)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert pinned_environment.cores() == cores


def test_a_package_of_which_the_parent_is_missing_is_not_there() -> None:
    assert [optional_packages._is_there(name) for name in ("os", "no_such", "no_such.package")] == [True, False, False]


def test_an_error_of_the_system_is_given_the_name_that_it_lacks() -> None:
    for raised, named in ((OSError(5, "no"), "/a"), (OSError(5, "no", "/b"), "/b"), (OSError("odd"), None)):
        with pytest.raises(OSError, match=r"no|odd") as found, errors.naming(Path("/a")):
            raise raised
        assert (found.value.filename, found.value.errno) == (named, raised.errno)


def test_the_first_error_says_the_others_and_of_logs_that_are_wrong_alike_three() -> None:
    one, two, three = (StoragelabError(text) for text in "abc")
    assert (errors.all_of([one, two, three]), one.others, two.others) == (one, (two, three), ())

    def alike(count: int) -> str:
        found = errors.together([SidecarError("s.yaml", "no", 7, f"{number}.log") for number in range(count)])
        assert len(found) == 1
        return str(found[0])

    assert alike(1) == str(SidecarError("s.yaml", "no", 7, "0.log"))
    for count, said in ((2, "1 other log: 1.log)"), (4, "3 other logs: 1.log, 2.log, 3.log)"),
                        (5, "4 other logs: 1.log, 2.log, 3.log, ...)")):  # fmt: skip
        assert f"no (so it is with {said}" in alike(count)


def test_text_is_cut_where_it_is_longer_than_it_may_be() -> None:
    assert [errors.shorten("a" * size) for size in (79, 80)] == ["a" * 79, "a" * 80]
    assert errors.shorten("a" * 81) == "a" * 77 + "..."
    assert [errors.shorten("abcdef", width) for width in (5, 6)] == ["ab...", "abcdef"]
    assert errors.place("a", 1) == "a:1"


def test_a_text_that_is_no_size_is_refused_with_some_that_are() -> None:
    with pytest.raises(UnknownNameError, match=r"^unknown size '4 parsecs'; known: 1m, 2g, 4 KiB, 4k, 512$"):
        units.binary_size("4 parsecs")


@pytest.mark.parametrize(("version", "addresses", "end"), [(0, 13, 40), (1, 13, 44), (2, 9, 28), (3, 9, 28)])
def test_a_whole_file_of_hdf5_is_longer_than_its_first_block(
    version: int, addresses: int, end: int, tmp_path: Path
) -> None:
    said = {96: "its first block is broken", 97: "", 98: "expected 97 bytes, found 98"}
    for size, wrong in said.items():
        data = bytearray(size)
        data[:9] = truncated_hdf5.SIGNATURE + bytes([version])
        data[addresses] = 8
        struct.pack_into("<Q", data, end, min(size, 97))
        (tmp_path / "a.nc").write_bytes(data)
        assert truncated_hdf5.damage(tmp_path / "a.nc") == wrong
        data[addresses] = 4
        (tmp_path / "a.nc").write_bytes(data)
        assert truncated_hdf5.damage(tmp_path / "a.nc") == "its first block is broken"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of more than 4 characters are long in a column of more than 40, and those of more than 8 in each."""
    for module in (columns, netcdf):
        for name, limit in {"WIDE": 8, "WIDE_IN_MANY": 4, "MANY": 40, "EMPTY": 2}.items():
            monkeypatch.setattr(module, name, limit, raising=False)


@pytest.mark.parametrize(("width", "rows", "filled", "is_wide"), [
    (8, 1, 1, False), (9, 1, 1, True), (4, 99, 1, False), (5, 8, 1, False), (5, 9, 1, True), (5, 12, 6, False),
    (5, 12, 5, True),
])  # fmt: skip
def test_a_column_has_no_fixed_width_where_few_texts_need_it(
    width: int, rows: int, filled: int, is_wide: bool, narrow: None
) -> None:
    """As it is made, and as it is read; of few rows a file keeps the width that its writer chose."""
    texts = ["a" * width] * filled + [""] * (rows - filled)
    made = columns._texts(["", "a" * width], np.array([int(bool(text)) for text in texts]))
    assert (made.dtype.kind, made.tolist()) == ("O" if is_wide else "U", ["", "a" * width])
    characters = np.array([[*text.ljust(width, "\0")] for text in texts], dtype="S1")
    read = netcdf._text(characters)
    assert read.tolist() == texts
    assert read.dtype.kind == ("O" if is_wide and width < 9 else "U")


def test_characters_are_utf_8(narrow: None) -> None:
    characters = np.array([list("ä".encode()), list(b"ab")], dtype="u1").view("S1")
    assert netcdf._text(characters).tolist() == ["ä", "ab"]
    many = np.array([list("äää".encode())] * 7, dtype="u1").view("S1")
    assert netcdf._text(many).tolist() == ["äää"] * 7


def test_keys_of_a_study_are_known_from_its_file_alone(tmp_path: Path) -> None:
    release = Field("release", "key", None, "release of the file system", ("A",), own=True, description="as printed")
    schema.OWN.declare_all([release], "s")
    made = dataset.from_rows([{"throughput": 1.0, "release": "A"}], origin="measured")
    dataset.save(nodes.tree({"runs": made}, {"study": "s"}), tmp_path / "dataset.nc")
    schema.OWN.forget()
    dataset.declare_keys(tmp_path / "dataset.nc")
    assert schema.field("release") == release


def test_the_root_of_a_study_says_what_was_kept_as_json() -> None:
    kept = {"a": '{"b": [1]}', "c": "[1]", "d": "[1", "e": "5", "f": 5, "g": ""}
    assert dataset.about(xr.DataTree(xr.Dataset(attrs=kept))) == {**kept, "a": {"b": [1]}, "c": [1]}


def test_rows_are_taken_of_any_dataset_and_keep_what_it_is() -> None:
    plain = dataset.from_rows([{"throughput": float(at), "operation": "ab"[at]} for at in (0, 1)], origin="measured")
    indexed = plain.assign_coords(obs=[5, 6])
    wider = plain.assign(more=("other", [1.0, 2.0, 3.0]))
    for ds in (plain, indexed, wider):
        found = selection.take(ds, np.array([1]))
        xr.testing.assert_identical(found, ds.isel(obs=[1]))
    with pytest.raises(ContractError, match=r"found no dimension obs$"):
        selection.places(plain.isel(obs=0))


def test_a_table_of_the_experimenter_is_no_log_of_a_tool() -> None:
    logs = xr.Dataset({"role": ("obs", ["benchmark", schema.SIDECAR]), "line": ("obs", [1.0, 2.0])})
    assert selection.logs_of_tools(logs)["line"].values.tolist() == [1.0]
    assert selection.logs_of_tools(logs[["line"]])["line"].values.tolist() == [1.0, 2.0]


def test_keys_are_those_of_the_contract_and_of_a_result() -> None:
    ds = xr.Dataset(coords={name: ("obs", ["a"]) for name in ("operation", "of_a_result")})
    ds = ds.assign_coords(line=("obs", [1.0]))
    assert selection._keys(ds) == ["operation", "of_a_result"]


def test_conditions_that_are_not_said_are_named_with_the_study() -> None:
    said = {key: ("obs", ["a", "b", "b"]) for key in schema.FIVE_KEYS}
    ds = xr.Dataset(coords={**said, "run_id": ("obs", ["1", "2", "3"])})
    study = xr.DataTree.from_dict({"/": xr.Dataset(attrs={"study": "mine", "origin": "measured"}), "conditions": ds})
    found = dataset.five_keys(study, study)
    assert found["runs"].tolist() == [1, 2, 1, 2]
    assert list(found.columns) == ["study", "origin", *schema.FIVE_KEYS, "runs"]
    assert (set(found["study"]), set(found["origin"])) == ({"mine"}, {"measured"})
    lacks = ds.drop_vars(list(schema.FIVE_KEYS[:2]))
    for wrong, named in (
        (ds.assign_attrs(not_said="driver, clients"), "driver, clients"), (lacks, ", ".join(schema.FIVE_KEYS[:2])),
    ):  # fmt: skip
        with pytest.raises(
            ContractError, match=f"^a study without a name says nothing of {named}: say it in `keys` of"
        ):
            dataset.five_keys(xr.DataTree.from_dict({"conditions": wrong}))
    with pytest.raises(ContractError, match=r"^a study without a name has no node conditions: ingest it again$"):
        dataset.five_keys(xr.DataTree())
    with pytest.raises(ContractError, match=r"^no study is named"):
        dataset.five_keys()
