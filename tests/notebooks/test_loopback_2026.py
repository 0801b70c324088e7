"""The paper of loopback-2026 on part of its campaign: it builds, follows its data, and refuses data that deny it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import orjson
import pytest
import xarray as xr

from storagelab import dataset, ingest, select
from tests.notebooks.papers import built_once, refusal, root_with
from tests.studies import cut_out

STUDY = "loopback-2026"
CLIENTS = {"iozone": {"1", "2", "4", "8", "16"}, "mdtest": {"1", "8"}}


def wanted(row: Mapping[str, str]) -> bool:
    return row["clients"] in CLIENTS.get(row["tool"], {row["clients"]}) and "f4to8bw" not in row["file"]


def fewer_runs(folder: Path) -> Path:
    """Lay out a folder with the notebook and the dataset of fewer runs."""
    return root_with(STUDY, ingest.ingest(cut_out(STUDY, wanted, folder / "raw" / STUDY)), folder)


@pytest.fixture(scope="module")
def built() -> Path:
    """Such a folder with the paper."""
    return built_once(STUDY, fewer_runs, "fewer runs")


@pytest.mark.slow
@pytest.mark.longest
def test_the_paper_follows_its_data(built: Path) -> None:
    folder = built / "reports" / STUDY
    facts = orjson.loads((folder / "facts.json").read_bytes())["facts"]
    logs = select(dataset.load(folder / "dataset.nc")["logs"].to_dataset(), role="benchmark")
    assert facts["logs"]["value"] == logs.sizes["obs"] < 700
    assert facts["unique_tests"]["value"] == 3 * len(CLIENTS["mdtest"])
    assert facts["write_pairs"]["value"] == 4 * len(CLIENTS["iozone"])
    assert facts["fuse_write_16"]["n"] == facts["fuseop_worst"]["n"] == 5
    assert [name for name, fact in facts.items() if not fact["used"] and not name.startswith("v_")] == []
    html = (folder / "paper.html").read_text()
    assert f">{facts['logs']['text']}</button> logs" in html
    assert "{{" not in re.sub(r"<pre.*?</pre>", "", html, flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.longest
def test_every_measured_fact_leads_to_lines(built: Path) -> None:
    facts = orjson.loads((built / "reports" / STUDY / "facts.json").read_bytes())["facts"]
    for name in ("read_drop", "shared_write", "unique_create", "backing_write", "fuse_write_16", "p99_randread_best"):
        for log, lines in facts[name]["trace"].items():
            text = (built / log).read_text().splitlines()
            assert all(re.search(r"\d", text[line - 1]) for line in lines), (name, log)
        assert facts[name]["trace"], name


DENIED: dict[str, tuple[dict[str, str | float], float]] = {
    "the first repeat was slower with every tool": ({"repeat": 1, "tool": "fio"}, 10.0),
    "beyond the memory limit no loss of readers is shown": (
        {"mount": "fuse", "tool": "iozone", "operation": "read", "clients": 16},
        0.1,
    ),
}
"""What the paper says, the rows whose rates would deny it, and the factor by which they would have to change."""


@pytest.mark.slow
@pytest.mark.longest
@pytest.mark.parametrize("sentence", DENIED)
def test_data_that_deny_a_sentence_fail_the_build(built: Path, tmp_path: Path, sentence: str) -> None:
    for folder in ("notebooks", "reports"):
        shutil.copytree(built / folder, tmp_path / folder)
    path = tmp_path / "reports" / STUDY / "dataset.nc"
    tree = dataset.load(path)
    runs = tree["runs"].to_dataset()
    where, factor = DENIED[sentence]
    chosen = np.logical_and.reduce([runs[key].to_numpy() == level for key, level in where.items()])
    changed = xr.DataArray(np.where(chosen, factor, 1.0), dims="obs")
    rates = (runs["throughput"] * changed).assign_attrs(runs["throughput"].attrs)
    tree["runs"] = xr.DataTree(runs.assign(throughput=rates.astype(np.float64)))
    dataset.save(tree, path)
    (tmp_path / "reports" / STUDY / "paper.html").unlink()
    assert f"the data no longer say that {sentence}" in refusal(STUDY, tmp_path)
