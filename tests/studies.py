"""Measured campaigns for tests: whole, or cut down to real logs with their real sidecars, only fewer."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import xarray as xr
import yaml

from storagelab import dataset, schema
from storagelab.ingest import ingest
from storagelab.study.study_yaml import Rule
from tests.conftest import ROOT
from tests.reports import dataset_or


def measured(study: str) -> xr.DataTree:
    """The dataset of a measured campaign as its logs give it, read by `make reports` or once; not to be changed.

    Its own keys are known to the test that asks: each test forgets those of the test before.
    """
    tree = _loaded(study)
    for node in tree.children.values():
        schema.OWN.declare_columns(node.to_dataset().variables, study)
    return tree


@cache
def _loaded(study: str) -> xr.DataTree:
    return dataset.load(dataset_or(study, lambda place: dataset.save(ingest(ROOT / "raw" / study), place)))


def cut_out(name: str, keep: Callable[[Mapping[str, str]], bool], folder: Path, table: str = "") -> Path:
    """Copy the logs of a measured campaign whose row of runs.csv is wanted, with study.yaml and their rows.

    `table` is the folder below the campaign in which the runs.csv stands.
    """
    source = ROOT / "raw" / name
    (folder / table).mkdir(parents=True, exist_ok=True)
    shutil.copy(source / "study.yaml", folder)
    source, study, folder = source / table, folder, folder / table
    with (source / "runs.csv").open(newline="") as lines:
        reader = csv.DictReader(lines)
        names = list(reader.fieldnames or ())
        rows = [row for row in reader if keep(row)]
    assert rows, "nothing was kept"
    with (folder / "runs.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        (folder / row["file"]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / row["file"], folder / row["file"])
    _only_rules_of(study)
    return study


def _only_rules_of(study: Path) -> None:
    """Take rules out of study.yaml that cover none of the logs that were cut out."""
    said = yaml.safe_load((study / "study.yaml").read_text())
    names = [path.relative_to(study).as_posix() for path in study.rglob("*")]
    if rules := said.pop("match", None):
        covering = [rule for rule in rules if _covers(Rule.model_validate(rule), names)]
        (study / "study.yaml").write_text(yaml.safe_dump({**said, "match": covering}, sort_keys=False))


def _covers(rule: Rule, names: list[str]) -> bool:
    return any(found is not None for found in rule.match(names))


def declare_copies(folder: Path) -> None:
    """Say in study.yaml that logs with the same bytes are no mistake: the tests that make some ask other questions."""
    with (folder / "study.yaml").open("a") as sidecar:
        sidecar.write("identical: {'*': copied by a test}\n")
