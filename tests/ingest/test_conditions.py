"""The five keys by which studies are compared: every study says each of them, and one rule finds them."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from storagelab import five_keys, schema
from storagelab.errors import ContractError, SidecarError
from storagelab.ingest import ingest
from storagelab.study.study_yaml import read_sidecar
from tests import published
from tests.conftest import ROOT
from tests.studies import cut_out

FEW = {
    "cluster-2026": lambda row: "external_01_write_r1" in row["file"] or "board_03_write_r1" in row["file"],
    "loopback-2026": lambda row: row["file"].startswith("fileop/xfs"),
    "virtual-2026": lambda row: "direct_none_write_" in row["file"] and "clients2_r1" in row["file"],
    "xrootd-2026": lambda row: "upload_4k_r01" in row["file"] or ("jobs_" in row["file"] and "_c1_r1" in row["file"]),
}
"""Some runs of the measured campaigns."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, xr.DataTree]:
    root = tmp_path_factory.mktemp("raw")
    return {study: ingest(cut_out(study, keep, root / study)) for study, keep in FEW.items()}


def test_every_study_of_the_repository_is_looked_at() -> None:
    studies = {path.parent.name for path in ROOT.glob("raw/*/study.yaml")}
    assert studies == {*FEW, *published.STUDIES}


@pytest.mark.slow
def test_every_study_says_each_of_the_five_keys(measured: dict[str, xr.DataTree]) -> None:
    trees = [*measured.values(), *map(published.tree, published.STUDIES)]
    table = five_keys(*trees)
    assert set(table["study"]) == {*FEW, *published.STUDIES}
    words = table[[key for key in schema.FIVE_KEYS if key != "clients"]]
    assert not (words == "").any().any()
    assert np.isfinite(table["clients"]).all()
    assert (table["clients"] >= 1).all()
    for tree in trees:
        runs = set(tree["runs"]["run_id"].values)
        assert runs <= set(tree["conditions"]["run_id"].values)
        assert not any(key == "driver" for key in tree["runs"].to_dataset().variables)


def test_a_study_without_a_key_is_found(tmp_path: Path) -> None:
    folder = cut_out("loopback-2026", FEW["loopback-2026"], tmp_path / "loopback-2026")
    text = (folder / "study.yaml").read_text()
    text = text.replace("  striping: not applicable\n", "").replace(
        "{key: layout, words: {none: ''}}", "{ignore: none}"
    )
    (folder / "study.yaml").write_text(text.replace('{key: layout, words: {none: ""}}', "{ignore: all are local}"))
    silent = ingest(folder)
    assert set(silent["conditions"]["striping"].values) == {"unknown"}
    with pytest.raises(ContractError, match=r"loopback-2026 says nothing of striping: say it in `keys` of study\.yaml"):
        five_keys(silent)
    with pytest.raises(ContractError, match="loopback-2026 has no node conditions: ingest it again"):
        five_keys(xr.DataTree.from_dict({"/": xr.Dataset(attrs=silent.attrs)}))
    lacking = silent["conditions"].to_dataset().drop_vars("driver")
    with pytest.raises(ContractError, match="a study without a name says nothing of driver"):
        five_keys(xr.DataTree.from_dict({"conditions": lacking}))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "nodes: 3",
            "keys.nodes: 'nodes' is a key of the contract .client nodes.: logs, `match`, runs.csv or `defaults` say it",
        ),
        ("kernel: 6.1", "kernel: expected long_name, unit, levels, description, found 6.1"),
        ("striping: ''", "striping: expected a word, 'not applicable' or 'unknown', found nothing"),
        ("clients: not applicable", "clients: expected a number, found 'not applicable'"),
        ("server_mode: metal", "unknown server_mode 'metal'"),
    ],
)
def test_keys_of_a_study_are_those_five(line: str, message: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "raw" / "bnl-2007" / "study.yaml", tmp_path)
    path = tmp_path / "study.yaml"
    path.write_text(
        path.read_text().replace("  clients: 1\n", f"  {line}\n", 1).replace("  striping: not applicable\n", "")
    )
    with pytest.raises(SidecarError, match=message):
        read_sidecar(path)


def test_what_other_words_say_is_found_by_one_rule() -> None:
    said = schema.condition({"layout": "distribute+shard", "nodes": 8.0, "driver_disk": "ide", "filesystem": "x"}, {})
    assert said == {
        "filesystem": "x", "server_mode": "unknown", "driver": "disk ide", "striping": "shards", "clients": 8.0,
    }  # fmt: skip
    jobs = schema.condition({"striping": "4MB", "layout": "replicate", "clients": math.nan, "jobs": 2.0}, {})
    assert (jobs["striping"], jobs["clients"]) == ("4MB", 2.0)
    assert schema.condition({"layout": "ring"}, {})["striping"] == "ring"


def test_what_rows_say_goes_before_what_the_study_says() -> None:
    said = {"server_mode": "bare-metal", "clients": 1.0}
    assert schema.condition({"server_mode": "virtual", "clients": 3.0}, said)["server_mode"] == "virtual"
    empty = schema.condition({"server_mode": "", "striping": ""}, said)
    assert (empty["server_mode"], empty["striping"], empty["clients"]) == ("bare-metal", "not applicable", 1.0)
    unknown = schema.condition({"driver_net": "unknown", "driver_disk": "unknown"}, {})
    assert unknown["driver"] == "unknown"
    assert math.isnan(unknown["clients"])
