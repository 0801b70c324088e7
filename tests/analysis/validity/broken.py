"""Campaigns cut small, and ways to break them: what a hand slips in, or a hurried experimenter leaves out."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd
import yaml

from storagelab import analysis, dataset
from storagelab.ingest import ingest
from tests.studies import cut_out

Row = dict[str, str]

CLUSTER_DESIGN = [
    {
        "name": "three clients",
        "where": {"client_location": "external"},
        "factors": {"operation_group": ["write", "read", "skim"], "clients": [3], "repeat": [1, 2, 3]},
    }
]
LOOPBACK_DESIGN = [
    {
        "name": "threads",
        "where": {"tool": "iozone"},
        "factors": {"filesystem": ["ext3", "xfs"], "clients": [2, 4], "repeat": [1, 2, 3]},
    }
]


def cluster(folder: Path) -> Path:
    """Three external clients of the distributed volume: written, read and skimmed, three times each."""

    def wanted(row: Mapping[str, str]) -> bool:
        return (row["layout"], row["client_location"], row["clients"]) == ("distribute", "external", "3")

    return with_design(cut_out("cluster-2026", wanted, folder), CLUSTER_DESIGN)


def loopback(folder: Path) -> Path:
    """IOzone's throughput mode on two file systems: no client has a name, and there is no link."""

    def wanted(row: Mapping[str, str]) -> bool:
        configuration = (row["tool"], row["mount"], row["disk_driver"]) == ("iozone", "kernel", "loop-direct")
        return configuration and row["filesystem"] in ("ext3", "xfs") and row["clients"] in ("2", "4")

    return with_design(cut_out("loopback-2026", wanted, folder), LOOPBACK_DESIGN)


def jobs(folder: Path) -> Path:
    """Two ROOT jobs at once, on the mounted volume and through the gateway."""

    def wanted(row: Mapping[str, str]) -> bool:
        return (row["layout"], row["clients"]) == ("distribute", "2")

    return with_design(cut_out("xrootd-2026", wanted, folder), [])


def failover(folder: Path) -> Path:
    """Three clients that stream while a server is killed, twice: their files are of unequal size."""

    def wanted(row: Mapping[str, str]) -> bool:
        return row["layout"] == "distribute"

    return with_design(cut_out("cluster-2026", wanted, folder, table="failover"), [])


def on_board(folder: Path) -> Path:
    """One run of three clients on the servers that read replicas, some of them from their own host."""

    def wanted(row: Mapping[str, str]) -> bool:
        return row["run_id"] == "rep3_on-board_03_read_r1"

    return with_design(cut_out("cluster-2026", wanted, folder), [])


def with_design(folder: Path, design: Sequence[Mapping[str, object]]) -> Path:
    """Plan what the cut-out has, not what the campaign had."""
    path = folder / "study.yaml"
    said = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**said, "design": list(design)}, sort_keys=False))
    return folder


def edit_rows(folder: Path, change: Callable[[Row], Row | None], table: str = "") -> None:
    """Change the rows of runs.csv one by one; None drops a row, and the log with it."""
    path = folder / table / "runs.csv"
    with path.open(newline="") as lines:
        reader = csv.DictReader(lines)
        names, rows = list(reader.fieldnames or ()), list(reader)
    changed = [(row, change(dict(row))) for row in rows]
    for row, kept in changed:
        if kept is None:
            (folder / table / row["file"]).unlink()
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept for _, kept in changed if kept is not None)
    assert [kept for _, kept in changed] != rows, "nothing was broken"


def exchange(one: Path, other: Path) -> None:
    """Put each of two files in the place of the other."""
    assert one.read_bytes() != other.read_bytes(), "the two are the same"
    beside = one.with_name("beside")
    shutil.move(one, beside)
    shutil.move(other, one)
    shutil.move(beside, other)


def times_1024(log: Path) -> None:
    """Multiply every rate that IOzone prints by 1024: kB/s that somebody took for MB/s."""
    text, count = re.subn(
        r"(\d+\.\d+)( kB/sec)", lambda match: f"{1024 * float(match[1]):.2f}{match[2]}", log.read_text()
    )
    assert count, "the log has no rates"
    log.write_text(text)


def edit_yaml(folder: Path, **said: object) -> None:
    """Say something else in study.yaml."""
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **said}, sort_keys=False))


def report(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the study, and return its validity report by check and all findings."""
    study = ingest(folder)
    told, findings = analysis.validity_report(study)
    lines, found = dataset.frame(told).set_index("check"), dataset.frame(findings)
    counts = found["check"].value_counts().reindex(lines.index, fill_value=0)
    assert (lines["findings"].fillna(0) == counts).all(), "the report and its findings disagree"
    return lines, found


def of_check(found: pd.DataFrame, check: str) -> pd.DataFrame:
    """Findings of one check."""
    return found[found["check"] == check]
