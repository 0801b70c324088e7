"""What small campaigns become as datasets is what it was: each variable and attribute, by a hash of its values.

What a value should be is told by other tests. A change that is meant is kept by
``pytest tests/ingest/test_kept.py --update-golden``, and `git diff` shows which variables it reaches.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
import xarray as xr

from storagelab import open_logs
from storagelab.ingest import ingest
from tests.analysis.validity import broken
from tests.conftest import LOGS

KEPT = Path(__file__).with_name("kept.tsv")
OWN = """id: own
title: Logs of several tools, with keys of their names
origin: measured
authors: [A. Author]
keys:
  filesystem: xfs
  server_mode: bare-metal
  driver: not applicable
  striping: none
  release: {long_name: release of the file system, levels: ['1', '2']}
  mount_options: {description: as mount prints them}
defaults: {mount_options: noatime}
columns: {remark: {ignore: for people}}
match:
- regex: '(?P<run_id>\\w+?)-(?P<release>[^-]+)\\.\\w+'
aside: {'*.golden': kept beside}
plan: {seed: 7, repeats: 2, factors: {release: ['1', '2']}, command: 'true {release}'}
"""
LOGS_OF_OWN = {
    "fio-1.json": "fio_json/client-server-2hosts-3.33.json",
    "ior-1.txt": "ior/4.1.0dev_file_per_process_8_tasks.txt",
    "iozone-2.txt": "iozone/throughput_excel_processor_3.508.txt",
    "elbencho-2.json": "elbencho/elbencho-3.1-1-two-phases.json",
    "dd-2.txt": "dd/gnu-9.1-512-bytes.txt",
}


def own(folder: Path) -> Path:
    """Logs whose processes have rows of their own, in a study with most of what study.yaml may say."""
    folder.mkdir()
    (folder / "study.yaml").write_text(OWN)
    for name, log in LOGS_OF_OWN.items():
        shutil.copy(LOGS / log, folder / name)
    return folder


STUDIES: Mapping[str, tuple[Callable[[Path], Path], str]] = {
    "cluster": (broken.cluster, "cluster-2026"),
    "loopback": (broken.loopback, "loopback-2026"),
    "jobs": (broken.jobs, "xrootd-2026"),
    "failover": (broken.failover, "cluster-2026"),
    "on board": (broken.on_board, "cluster-2026"),
    "own": (own, "own"),
}
"""Campaigns cut small, and the study of each."""
WITHOUT_STUDY = "logs alone"
TOOLS = ("bonnie", "dd", "elbencho", "fio_json", "io500", "ior", "iozone", "mdtest", "sar", "syslog", "xrdcp")
"""Formats of which the first three logs are read without a study."""


def campaign(name: str, folder: Path) -> xr.DataTree:
    if name != WITHOUT_STUDY:
        cut, study = STUDIES[name]
        return ingest(cut(folder / study))
    for tool in TOOLS:
        (folder / tool).mkdir()
        for log in sorted(path for path in (LOGS / tool).iterdir() if path.suffix != ".jsonl")[:3]:
            shutil.copy(log, folder / tool)
    with chdir(folder):
        return open_logs(*TOOLS)


def hashes(name: str, tree: xr.DataTree) -> Iterator[str]:
    """A line for each attribute of a dataset, and for each variable of each node, with how many values it has."""
    for attribute in sorted({*map(str, tree.attrs)} - {"storagelab_version"}):
        yield f"{name}\t\t{attribute}\t1\t{digest(tree.attrs[attribute])}\n"
    for node, child in sorted(tree.children.items()):
        ds = child.to_dataset()
        for variable in sorted(map(str, ds.variables)):
            values = ds[variable].to_numpy()
            said = [written(value) for value in values.ravel().tolist()]
            yield f"{name}\t{node}\t{variable}\t{values.size}\t{digest([said, dict(ds[variable].attrs)])}\n"


def written(value: Any) -> str:
    """A value to nine digits."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:8]


@pytest.mark.parametrize("name", [*STUDIES, WITHOUT_STUDY])
def test_a_campaign_becomes_the_dataset_that_it_became(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    found = sorted(hashes(name, campaign(name, tmp_path)))
    if request.config.getoption("--update-golden"):
        others = [line for line in kept() if not line.startswith(f"{name}\t")]
        KEPT.write_text("".join(sorted([*others, *found])), encoding="utf-8")
    assert found == [line for line in kept() if line.startswith(f"{name}\t")]


def kept() -> list[str]:
    return KEPT.read_text(encoding="utf-8").splitlines(keepends=True)
