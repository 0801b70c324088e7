"""``storagelab claims``: the ledger as a person reads it, and the verdicts that somebody accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storagelab import claims, dataset
from storagelab.claims import accepted_verdicts
from storagelab.claims.claims_yaml import read_paper
from storagelab.claims.evaluation import campaigns_named
from storagelab.claims.ledger_tables import ledger_table
from storagelab.claims.record import Record
from storagelab.errors import SidecarError, StoragelabError

if TYPE_CHECKING:
    import xarray as xr


SIDECARS = ("claims.yaml", "checks.yaml", "figures.yaml", "published.yaml", "testbed.yaml")
"""What is read of a study whose claims are judged; tables.yaml may be missing."""


def evaluate_study(folder: Path, reports: Path) -> Record:
    """Hold the claims of a study against its dataset and those of the campaigns that they name.

    Raises
    ------
    StoragelabError
        If a sidecar or a dataset is missing, a sidecar is wrong, or a quantity cannot be taken.
    """
    if missing := [name for name in SIDECARS if not (folder / name).exists()]:
        raise SidecarError(
            str(folder), f"claims are those of a paper, in {', '.join(SIDECARS)}: has no {', '.join(missing)}"
        )
    campaigns = {name: dataset_of(reports, name) for name in campaigns_named(read_paper(folder))}
    return claims.evaluate(folder, dataset_of(reports, folder.resolve().name), campaigns)


def dataset_of(reports: Path, study: str) -> xr.DataTree:
    """Read the dataset of a study.

    Raises
    ------
    StoragelabError
        If it was not made yet.
    """
    path = reports / study / "dataset.nc"
    if not path.exists():
        raise StoragelabError(f"{path}: no dataset: run `storagelab ingest {study}` first")
    return dataset.load(path)


def lines(record: Record) -> Iterator[str]:
    """Write the ledger: a line a claim, below it why; then the second verdicts, then how many there are of each."""
    for row, judged in zip(rows(record), record.ledger, strict=True):
        numbers = f" [{row['stated'] or '-'} | {row['comes out'] or '-'}]" if row["stated"] or row["comes out"] else ""
        yield f"{row['claim']}: {row['verdict']}{numbers} ({row['tests'] or 'no number'}) {row['statement']}"
        yield from _why(row, judged["n"])
    for second in record.measured:
        yield f"{second['claim']} @ {second['study']}: {second['verdict']}: {second['because']}"
    tally = Counter(record.verdicts().values())
    yield f"{record.study} ({record.origin}): " + ", ".join(f"{n} {word}" for word, n in sorted(tally.items()))
    for value in record.printed:
        if value["agrees"] == "no":
            yield f"does not agree: {value['name']}: printed {value['printed']}, comes out {value['value']:g}"
    for check in record.checks:
        if check["agrees"] == "no":
            yield f"does not agree: {check['check']}: {check['result']}, comes out {check['value']:g}"


def _why(row: Mapping[Any, str], n: Any) -> Iterator[str]:
    interval = f"{row['95 % interval']} (n = {n:g})" if row["95 % interval"] else ""
    parts = {
        "95 % interval": interval,
        "tolerance": row["tolerance"],
        "turns at": row["flips at"],
        "because": row["why"],
    }
    if told := "; ".join(f"{name} {text}" for name, text in parts.items() if text):
        yield f"  {told}"


def rows(record: Record) -> list[dict[Any, Any]]:
    """Return the ledger, a row a claim."""
    return ledger_table(record).to_dict("records")


def about(record: Record) -> dict[str, Any]:
    """Return what stands beside the ledger: second verdicts, and how many there are of each."""
    return {
        "study": record.study,
        "origin": record.origin,
        "second_verdicts": list(record.measured),
        "verdicts": dict(Counter(record.verdicts().values())),
    }


def changed(record: Record, folder: Path) -> list[str]:
    """Say which verdicts are not those that were accepted."""
    return accepted_verdicts.changes(record.verdicts(), accepted_verdicts.read_accepted(folder))
