"""The datasets of the measured campaigns against their contract and, number by number, against the raw logs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from storagelab import dataset, schema
from storagelab.dataset import value_lines
from tests.conftest import ROOT
from tests.studies import measured

pytestmark = pytest.mark.slow

NAMES = ("cluster-2026", "loopback-2026", "virtual-2026", "xrootd-2026")
PRINTED = ("throughput", "operation_rate", "latency", "elapsed", "network_received", "network_sent")
UNITS = (1.0, 1e3, 1e6, 1024.0, 2.0**20, 1e-3, 1e-6, 1e-9, 1 / 8)
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
SEED = 20261120
SAMPLE = 40
"""Rows of each format and operation."""


@pytest.fixture(params=NAMES)
def study(request: pytest.FixtureRequest) -> xr.DataTree:
    return measured(request.param)


def frames(study: xr.DataTree) -> dict[str, pd.DataFrame]:
    return {str(name): dataset.frame(node.to_dataset()) for name, node in study.children.items()}


def test_every_variable_has_the_type_unit_and_meaning_of_the_schema(study: xr.DataTree) -> None:
    for node_name, node in study.children.items():
        ds = node.to_dataset()
        no_direction = {""} if node_name in ("series", "logs") else set()
        assert tuple(ds.sizes) == ("obs",)
        for name, values in ds.variables.items():
            field = schema.field(str(name))
            assert values.dtype.kind == ("U" if field.unit is None else "f"), name
            assert values.attrs.get("units") == field.unit
            assert values.attrs["long_name"] == field.long_name
            assert (name in ds.data_vars) == (field.kind == "variable")
            if field.values:
                assert set(map(str, values.values)) <= set(field.values) | no_direction


def test_every_row_leads_to_a_line_of_a_log(study: xr.DataTree) -> None:
    tables = frames(study)
    logs = tables.pop("logs")
    lengths = [len(text(study, log)) for log in logs["log"]]
    for table in tables.values():
        assert table["log_id"].between(0, len(logs) - 1).all()
        assert (table["line"] >= 1).all()
        assert (table["line"] <= table["log_id"].map(lambda row: lengths[int(row)])).all()
        assert "log_count" not in table or (table["log_count"] >= 1).all()


def test_the_number_stands_on_its_line(study: xr.DataTree) -> None:
    tables = frames(study)
    logs = tables["logs"]
    for node in ("runs", "clients"):
        table = tables[node].merge(logs[["log", "format"]], left_on="log_id", right_index=True)
        table = table[(table["log_count"] == 1) & (table["format"] != "proc-net-dev")]
        for _, rows in table.groupby(["format", "operation"]):
            for row in rows.sample(min(SAMPLE, len(rows)), random_state=SEED).to_dict("records"):
                line = text(study, row["log"])[int(row["line"]) - 1]
                assert stands(line, row) or is_sum(study, row, tables["clients"]), (row["log"], row["line"], line)


def test_bytes_on_the_network_are_the_difference_of_two_lines(study: xr.DataTree) -> None:
    tables = frames(study)
    clients = tables["clients"]
    counted = clients["log_id"].map(tables["logs"]["format"]) == "proc-net-dev"
    moved = clients[counted & clients["operation"].isin(["receive", "transmit"])]
    for row in moved.sample(min(SAMPLE, len(moved)), random_state=SEED).to_dict("records"):
        log = tables["logs"]["log"][int(row["log_id"])]
        column = 1 if row["operation"] == "receive" else 9
        after, before = (
            float(re.split(r"[:\s]+", text(study, path)[int(row["line"]) - 1].strip())[column])
            for path in (log, log.replace("netdev_after", "netdev_before"))
        )
        name = "network_received" if row["operation"] == "receive" else "network_sent"
        assert row[name] == after - before
    assert len(moved) or study.attrs["study"] != "cluster-2026"


def test_what_is_missing_is_no_zero(study: xr.DataTree) -> None:
    runs = frames(study)["runs"].query("statistic == 'single'")
    assert (runs["throughput"].dropna() > 0).all()
    assert not runs[[name for name in PRINTED if name in runs]].isna().all(axis=1).any()


def test_plain_xarray_reads_the_same(study: xr.DataTree, tmp_path: Path) -> None:
    dataset.save(study, tmp_path / "one.nc")
    dataset.save(study, tmp_path / "two.nc")
    assert (tmp_path / "one.nc").read_bytes() == (tmp_path / "two.nc").read_bytes()
    for name, node in study.children.items():
        with xr.open_dataset(tmp_path / "one.nc", group=str(name), engine="netcdf4") as plain:
            ds = value_lines.packed(node.to_dataset())
            assert set(plain.variables) == set(ds.variables)
            for variable, values in ds.variables.items():
                same = plain[variable].values.astype(values.dtype)
                np.testing.assert_array_equal(same, values.values)
                assert plain[variable].attrs == values.attrs
    assert (tmp_path / "one.nc").stat().st_size < 2_000_000


def text(study: xr.DataTree, log: str) -> list[str]:
    return (ROOT / "raw" / str(study.attrs["study"]) / log).read_bytes().decode().split("\n")


def stands(line: str, row: dict[str, float]) -> bool:
    """Whether a number on the line is one of the row's, in a unit that tools print: a size, a rate or its inverse."""
    wanted = [row[name] for name in PRINTED if row.get(name, np.nan) == row.get(name)]
    printed = [float(number) for number in NUMBER.findall(line)]
    values = [number * unit for number in printed for unit in UNITS]
    values += [unit / number for number in printed if number for unit in UNITS]
    return any(np.isclose(value, want, rtol=1e-5) for value in values for want in wanted)


def is_sum(study: xr.DataTree, row: dict[str, float], clients: pd.DataFrame) -> bool:
    """Whether a row is the sum of shares in its log, leads to the first, and each stands on its own line."""
    same = (clients["log_id"] == row["log_id"]) & (clients["operation"] == row["operation"])
    shares = clients[same & (clients["share"] != "client")].to_dict("records")
    lines = text(study, str(row["log"]))
    return (
        len(shares) > 1
        and shares[0]["line"] == row["line"]
        and all(stands(lines[int(share["line"]) - 1], share) for share in shares)
        and np.isclose(sum(share["throughput"] for share in shares), row["throughput"], rtol=1e-6)
    )
