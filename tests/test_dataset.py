"""Rows to xarray, to netCDF and back; what select and grid refuse."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from storagelab import dataset, schema
from storagelab.dataset.columns import MANY, WIDE_IN_MANY
from storagelab.errors import AnalysisError, ContractError, UnknownNameError
from storagelab.parsers import Words
from storagelab.schema.names import Field
from storagelab.schema.own_keys import OwnKeys

ROWS = [
    {"operation": "write", "filesystem": "ext4", "clients": 1.0, "throughput": 1e6, "log_id": 0, "line": 3},
    {"operation": "read", "label": "übung", "clients": 2.0, "throughput": 2e6, "log_id": 0, "line": 4},
]


@pytest.fixture
def ds() -> xr.Dataset:
    return dataset.from_rows(ROWS, origin="measured", study="tiny")


def test_keys_are_coordinates_and_measurements_are_variables(ds: xr.Dataset) -> None:
    assert set(ds.data_vars) == {"throughput"}
    assert ds.throughput.attrs == {"long_name": "throughput", "units": "B/s"}
    assert ds.attrs["origin"] == "measured"


def test_missing_is_empty_text_or_nan_never_zero(ds: xr.Dataset) -> None:
    assert list(ds.filesystem.values) == ["ext4", ""]
    numbers = dataset.from_rows([{"throughput": 1.0, "line": 1}, {"clients": 2.0, "line": 2}], origin="measured")
    assert np.isnan(numbers.clients.values[0])
    assert np.isnan(numbers.throughput.values[1])


def test_unknown_names_and_origins_raise() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown name 'throughputt'; did you mean 'throughput'"):
        dataset.from_rows([{"throughputt": 1.0}], origin="measured")
    with pytest.raises(UnknownNameError, match=r"unknown origin 'guessed'; known: measured, published, reconstructed"):
        dataset.from_rows(ROWS, origin="guessed")


def test_text_where_a_number_belongs_raises() -> None:
    with pytest.raises(ContractError, match="clients must be a number in every row"):
        dataset.from_rows([{"clients": "four"}], origin="measured")
    with pytest.raises(ContractError, match="filesystem must be text in every row"):
        dataset.from_rows([{"filesystem": "ext4"}, {"filesystem": 4.0}], origin="measured")


def test_a_study_survives_netcdf(ds: xr.Dataset, tmp_path: Path) -> None:
    study = dataset.tree(
        {"runs": ds, "clients": ds}, {"study": "tiny", "origin": "measured", "testbed": {"servers": 3}}
    )
    dataset.save(study, tmp_path / "deep" / "dataset.nc")
    again = dataset.load(tmp_path / "deep" / "dataset.nc")
    (tmp_path / "deep" / "dataset.nc").unlink()
    assert again["runs"].to_dataset().identical(ds)
    assert again["clients"].to_dataset().identical(ds)
    assert dataset.about(again)["testbed"] == {"servers": 3}


def test_saving_twice_gives_the_same_bytes(ds: xr.Dataset, tmp_path: Path) -> None:
    study = dataset.tree({"runs": ds}, {"study": "tiny"})
    for name in ("one.nc", "two.nc"):
        dataset.save(study, tmp_path / name)
    assert (tmp_path / "one.nc").read_bytes() == (tmp_path / "two.nc").read_bytes()


def test_a_failed_save_leaves_what_was_there(ds: xr.Dataset, tmp_path: Path) -> None:
    path = tmp_path / "dataset.nc"
    path.write_text("before")
    broken = dataset.tree({"runs": ds.assign(bad=("obs", np.array([object(), object()])))}, {})
    with pytest.raises(Exception, match=r"object|dtype|serializ"):
        dataset.save(broken, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_what_netcdf_gives_up_on_without_a_reason_is_said_of_the_file(
    ds: xr.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*_: Any, **__: Any) -> None:
        raise RuntimeError("NetCDF: HDF error")

    monkeypatch.setattr(xr.DataTree, "to_netcdf", give_up)
    with pytest.raises(ContractError, match=r"dataset\.nc: not written: NetCDF: HDF error$"):
        dataset.save(dataset.tree({"runs": ds}, {}), tmp_path / "dataset.nc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket"])
def test_what_is_no_regular_file_is_never_replaced(kind: str, ds: xr.Dataset, tmp_path: Path) -> None:
    """Renaming onto /dev/null would take the machine's null device away: only a stand-in is used here."""
    path = tmp_path / "target"
    make = {"folder": path.mkdir, "pipe": lambda: os.mkfifo(path), "socket": lambda: os.mknod(path, stat.S_IFSOCK)}
    make[kind]()
    before = path.lstat()
    with pytest.raises(ContractError, match="target: netCDF needs a regular file"):
        dataset.save(dataset.tree({"runs": ds}, {}), path)
    assert path.lstat() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_study_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.nc").write_text("not netCDF")
    with pytest.raises(ContractError, match=r"x\.nc: expected a study in netCDF-4, found "):
        dataset.load(tmp_path / "x.nc")
    with pytest.raises(
        ContractError,
        match=r": expected a dataset, found a folder: `open_logs` reads logs and `open_store` a store, `st",
    ):
        dataset.load(tmp_path)


def test_select_takes_values_and_lists(ds: xr.Dataset) -> None:
    assert list(dataset.select(ds, clients=[1, 2]).throughput.values) == [1e6, 2e6]
    assert list(dataset.select(ds, operation="read").throughput.values) == [2e6]


@pytest.mark.parametrize("places", [[], [2], [3, 0]])
def test_rows_are_taken_as_xarray_takes_them(places: list[int]) -> None:
    rows = [{"line": float(n), "label": "abc"[:n]} for n in range(4)]
    ds = dataset.from_rows(rows, origin="measured", title="t")
    of_more = ds.assign(wide=(("obs", "side"), np.ones((4, 2))), alone=((), 1.0))
    named = ds.assign_coords(obs=[5, 6, 7, 8])
    for one in (ds, of_more, named):
        wanted = one.isel(obs=places)
        found = dataset.take(one, np.array(places, dtype=int))
        assert found.identical(wanted)
        assert (dict(found.sizes), list(found.variables)) == (dict(wanted.sizes), list(wanted.variables))
    found = dataset.take(ds, np.array([0]))
    found["line"].attrs["units"] = found.attrs["title"] = "other"
    assert (ds["line"].attrs.get("units"), ds.attrs["title"]) == ("1", "t")


def test_select_names_the_nearest(ds: xr.Dataset) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown key of this dataset 'filesytem'; did you mean 'filesystem'"):
        dataset.select(ds, filesytem="ext4")
    with pytest.raises(UnknownNameError, match=r"unknown key of this dataset 'xyz'; known: (?!.*_line).*operation"):
        dataset.select(ds, xyz="ext4")
    with pytest.raises(UnknownNameError, match=r"unknown value of operation 'wrte'; did you mean 'write'"):
        dataset.select(ds, operation="wrte")


def test_select_says_that_text_is_no_number(ds: xr.Dataset) -> None:
    said = r"^unknown value of clients, which is a number and no text: '1'; known: "
    with pytest.raises(UnknownNameError, match=said):
        dataset.select(ds, clients="1")
    with pytest.raises(UnknownNameError, match=r"^unknown value of clients '99'; known: "):
        dataset.select(ds, clients=99)


@pytest.mark.parametrize("several", [np.array([1, 2]), {1, 2}, (1, 2), range(1, 3), pd.Series([1.0, 2.0])])
def test_select_takes_any_collection(several: object, ds: xr.Dataset) -> None:
    assert dataset.select(ds, clients=several).sizes["obs"] == 2


def test_select_finds_what_is_missing() -> None:
    ds = dataset.from_rows([{"line": 1, "clients": 1.0}, {"line": 2}], origin="measured")
    assert list(dataset.select(ds, clients=np.nan).line.values) == [2]
    assert list(dataset.select(ds, clients=[np.nan, 1]).line.values) == [1, 2]
    with pytest.raises(UnknownNameError, match="unknown value of line 'nan'"):
        dataset.select(ds, line=np.nan)
    assert dataset.select(ds, clients=[]).sizes["obs"] == 0


def test_a_whole_study_is_no_node(ds: xr.Dataset) -> None:
    with pytest.raises(ContractError, match=r"expected a node of a study, such as study\[\"runs\"\]"):
        dataset.select(dataset.tree({"runs": ds}, {}), operation="write")  # type: ignore[arg-type]


def test_grid_refuses_rows_without_a_cell_and_unknown_names(ds: xr.Dataset) -> None:
    holed = dataset.from_rows([{"throughput": 1.0, "clients": 1.0}, {"throughput": 2.0}], origin="measured")
    with pytest.raises(AnalysisError, match="1 rows of throughput have no clients, and so no cell"):
        dataset.grid(holed, "throughput", "clients")
    with pytest.raises(UnknownNameError, match="unknown name in this dataset 'throughputt'; did you mean 'throughput'"):
        dataset.grid(ds, "throughputt", "clients")
    with pytest.raises(UnknownNameError, match="unknown name in this dataset 'client_'"):
        dataset.grid(ds, "throughput", "client_")
    with pytest.raises(AnalysisError, match="a grid needs a key for each of its dimensions"):
        dataset.grid(ds, "throughput")


def test_netcdf_of_others_is_refused(tmp_path: Path) -> None:
    xr.Dataset({"a": 1}).to_netcdf(tmp_path / "x.nc")
    with pytest.raises(ContractError, match=r"x\.nc: expected a study that storagelab wrote, found other netCDF"):
        dataset.load(tmp_path / "x.nc")


def test_grid_spreads_and_refuses_doubled_cells(ds: xr.Dataset) -> None:
    grid = dataset.grid(ds, "throughput", "operation", "clients")
    assert grid.sel(operation="read", clients=2).item() == 2e6
    assert np.isnan(grid.sel(operation="read", clients=1).item())
    assert grid.attrs["units"] == "B/s"
    doubled = xr.concat([ds, ds], "obs")
    with pytest.raises(AnalysisError, match="several rows of throughput share the cell operation=write"):
        dataset.grid(doubled, "throughput", "operation")
    swapped = xr.concat([ds, ds.assign_coords(operation=("obs", ds["operation"].values[::-1]))], "obs")
    with pytest.raises(AnalysisError, match=r"share the cell clients=1\.0: they differ in operation$"):
        dataset.grid(swapped, "throughput", "clients")
    with pytest.raises(AnalysisError, match=r"no key tells them apart$"):
        dataset.grid(xr.concat([ds.isel(obs=[0])] * 2, "obs"), "throughput", "operation")


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12).map(str.rstrip)
RECORDS = st.lists(
    st.fixed_dictionaries({"line": st.integers(1, 10**6).map(float)}, optional={"throughput": NUMBERS, "label": TEXTS}),
    min_size=1,
    max_size=20,
)


@settings(max_examples=30, deadline=None)
@given(rows=RECORDS)
def test_any_rows_survive_netcdf(rows: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory) -> None:
    ds = dataset.from_rows(rows, origin="measured")
    path = tmp_path_factory.mktemp("round") / "x.nc"
    dataset.save(dataset.tree({"runs": ds}, {}), path)
    assert dataset.load(path)["runs"].to_dataset().identical(ds)


def test_a_number_that_netcdf_fills_gaps_with_is_a_number(tmp_path: Path) -> None:
    fill = float(netCDF4.default_fillvals["f8"])
    ds = dataset.from_rows([{"operation": "read", "throughput": fill}], origin="measured")
    dataset.save(dataset.tree({"runs": ds}, {}), tmp_path / "x.nc")
    assert dataset.load(tmp_path / "x.nc")["runs"]["throughput"].values.tolist() == [fill]


PLACED = st.lists(
    st.tuples(st.integers(1, 10**6), st.none() | st.integers(1, 999), st.none() | st.integers(1, 999)),
    min_size=1,
    max_size=9,
)


@settings(max_examples=30, deadline=None)
@given(rows=PLACED)
def test_lines_of_values_survive_netcdf(
    rows: list[tuple[int, int | None, int | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    records = [
        {"line": line, "throughput": 1.0}
        | ({} if below is None else {"throughput_line": line + below})
        | ({} if above is None else {"latency": 2.0, "latency_line": line - above})
        for line, below, above in rows
    ]
    ds = dataset.from_rows(records, origin="measured")
    path = tmp_path_factory.mktemp("round") / "x.nc"
    dataset.save(dataset.tree({"runs": ds}, {}), path)
    again = dataset.load(path)["runs"].to_dataset()
    assert again.identical(ds)
    assert set(again.coords) == set(ds.coords)


def test_lines_of_forty_values_cost_a_file_one_table(tmp_path: Path) -> None:
    names = [field.name for field in schema.VARIABLES if field.unit is not None][:40]
    rows = [dict.fromkeys(names, float(run)) | {"line": 1 + 100 * run} for run in range(50)]
    placed = [row | {schema.LINE_OF[name]: row["line"] + at for at, name in enumerate(names, 1)} for row in rows]
    for path, content in (("plain.nc", rows), ("placed.nc", placed)):
        dataset.save(dataset.tree({"runs": dataset.from_rows(content, origin="measured")}, {}), tmp_path / path)
    plain, with_lines = ((tmp_path / path).stat().st_size for path in ("plain.nc", "placed.nc"))
    assert with_lines < 1.1 * plain
    with netCDF4.Dataset(tmp_path / "placed.nc") as stored:
        table = stored["runs"]["value_lines"]
        assert table.shape == (50, 40)
        assert table.names.split()[:2] == [schema.LINE_OF[name] for name in names[:2]]
        assert table[7, :2].tolist() == [1, 2]


def test_lines_of_values_of_rows_without_a_line_are_kept(tmp_path: Path) -> None:
    rows = [{"throughput": 1.0, "throughput_line": 1.0, "latency": 2.0, "latency_line": at} for at in (3.0, np.nan)]
    ds = dataset.from_rows(rows, origin="measured").drop_vars("line", errors="ignore")
    dataset.save(dataset.tree({"runs": ds}, {}), tmp_path / "x.nc")
    again = dataset.load(tmp_path / "x.nc")["runs"].to_dataset()
    xr.testing.assert_identical(again, ds)


def test_every_name_is_spelled_once_and_has_its_meaning() -> None:
    names = [entry.name for entry in [*schema.KEYS, *schema.VARIABLES, *schema.TRACE, *schema.LOG_FIELDS]]
    assert len(names) == len(set(names))
    assert all(entry.long_name for entry in schema.FIELDS.values())


def test_a_key_that_is_text_in_one_study_and_a_number_in_another_is_refused() -> None:
    keys = OwnKeys({})
    keys.declare(Field("power_cap", "key", "W", "power that a node may take"), "one-2026")
    message = "key 'power_cap' of two-2026: expected a number in 'W', as one-2026 declares it, found text: give"
    with pytest.raises(ContractError, match=message):
        keys.declare(Field("power_cap", "key", None, "setting"), "two-2026")


def test_translations_lead_to_names_of_the_contract() -> None:
    assert {schema.field(name).kind for name in schema.TRANSLATIONS.values()} == {"key"}


def test_columns_and_rows_make_the_same_table() -> None:
    columns: dict[str, Any] = {
        "operation": Words(("read", "write"), np.array([1, 0, 1], dtype=np.int8)),
        "interface": ["eth0", "", "eth1"],
        "throughput": np.array([1.0, 2.0, np.nan]),
        "line": [1, 2, 3],
    }
    shared = {"run_id": "r", "log_id": 4, "line": 0}
    by_columns, by_rows = dataset.Table(), dataset.Table()
    for table in (by_columns, by_rows):
        table.append({"operation": "write", "host": "h", "line": 7})
    by_columns.extend_columns(columns, shared)
    by_columns.extend_columns({"line": []}, {"cpu": "none"})
    by_rows.extend(shared | dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    for table in (by_columns, by_rows):
        table.append({"line": 8, "client": "c"})
    found, wanted = by_columns.columns(), by_rows.columns()
    assert list(found) == list(wanted)
    for name in wanted:
        np.testing.assert_array_equal(found[name], wanted[name])


def test_text_that_has_codes_is_taken_over_by_them_and_read_word_by_word_by_nobody() -> None:
    class Unread(Words):
        def __iter__(self) -> Iterator[str]:
            raise AssertionError

    table = dataset.Table()
    table.extend_columns({"operation": Unread(("read", "write"), np.array([1, 0, 1], dtype=np.int8))}, {})
    assert table.columns()["operation"].tolist() == ["write", "read", "write"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"operation": [1.0]}, "operation must be text"),
        ({"operation": ("read", 1.0)}, "operation must be text"),
        ({"throughput": ["fast"]}, "throughput must be a number"),
    ],
)
def test_columns_of_the_wrong_kind_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(ContractError, match=message):
        dataset.Table().extend_columns(columns, {})


@pytest.mark.parametrize("columns", [{"operation": ["read"] * 3}, {"throughput": [1.0] * 3}])
def test_columns_of_another_length_are_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^expected a column of 5 rows, found 3$"):
        dataset.Table().extend_columns(columns | {"line": [1] * 5}, {})


def test_a_number_that_is_missing_is_none_or_nan() -> None:
    table = dataset.Table()
    table.extend_columns(
        {"line": [1, 2], "throughput": [None, 2.0], "elapsed": np.array([1.0, np.nan])}, {"files": None}
    )
    found = table.columns()
    np.testing.assert_array_equal(found["throughput"], [np.nan, 2.0])
    np.testing.assert_array_equal(found["elapsed"], [1.0, np.nan])
    np.testing.assert_array_equal(found["files"], [np.nan, np.nan])


def test_one_long_note_does_not_make_all_rows_long(tmp_path: Path) -> None:
    notes = ["x" * 5940, *["short"] * 2999]
    rows = [{"log": f"{number}.log", "notes": note} for number, note in enumerate(notes)]
    tree = dataset.tree({"logs": dataset.from_rows(rows, origin="measured")}, {"origin": "measured"})
    assert tree["logs"]["notes"].dtype == object, "a fixed width would take 71 MB"
    dataset.save(tree, tmp_path / "census.nc")
    assert dataset.load(tmp_path / "census.nc")["logs"]["notes"].values.tolist() == notes
    assert dataset.from_rows(rows[1:], origin="measured")["notes"].dtype == "<U5"


def test_a_column_whose_texts_are_all_long_keeps_its_fixed_width() -> None:
    width, count = WIDE_IN_MANY + 1, MANY // WIDE_IN_MANY
    rows = [{"log": f"{number}.log", "notes": "xy"[number % 2] * width} for number in range(count)]
    assert dataset.from_rows(rows, origin="measured")["notes"].dtype == f"<U{width}"
