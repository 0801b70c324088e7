"""Published studies as tests need them: their logs rendered, read, and changed on purpose."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import xarray as xr

from storagelab import dataset, ingest
from storagelab.claims.claim_evaluation import ledger
from storagelab.claims.claims_yaml import Entry, read_paper
from storagelab.claims.study_numbers import Numbers
from storagelab.reconstruct import campaign
from storagelab.reconstruct.log import Log
from storagelab.reconstruct.study_module import campaign_of
from storagelab.study.published import Published, read_published
from storagelab.study.testbed import TestBed, read_testbed
from tests.conftest import ROOT
from tests.once import made_once
from tests.reports import dataset_or, up_to_date

STUDIES = ("bnl-2007", "cern-kinetic-2015", "fermicloud-2011", "llnl-2010", "uscms-2009")


@functools.cache
def rendered(study: str) -> Sequence[Log]:
    """All logs of a study, in memory."""
    return campaign.reconstruct(ROOT / "raw" / study)


@functools.cache
def tree(study: str) -> xr.DataTree:
    """The dataset of a study as its logs give it, read by `make reports` or once; not to be changed."""

    def make(place: Path) -> None:
        with TemporaryDirectory() as folder:
            dataset.save(ingested(study, rendered(study), Path(folder)), place)

    return dataset.load(dataset_or(study, make))


def logs_of(study: str) -> Path:
    """The folder with the logs of a study, from `make reports` or rendered once in this run; not to be changed."""

    def make(place: Path) -> None:
        place.mkdir()
        campaign.write(rendered(study), place)

    return (ROOT / "raw" / study if up_to_date() else made_once(f"logs-{study}", make)) / campaign.FOLDER


def ingested(study: str, logs: Sequence[Log], root: Path) -> xr.DataTree:
    """Write logs below a copy of the sidecars of a study, and read them."""
    folder = copied(study, root)
    campaign.write(logs, folder)
    return ingest.ingest(folder)


def copied(study: str, root: Path) -> Path:
    """Copy the sidecars of a study."""
    folder = root / study
    folder.mkdir(parents=True)
    for path in (ROOT / "raw" / study).glob("*.yaml"):
        shutil.copy(path, folder)
    return folder


def reprinted(study: str, **values: str) -> list[Log]:
    """All logs of a study whose paper prints other numbers."""
    published, bed = printed(study)
    changed = {name: published[name].model_copy(update={"value": value}) for name, value in values.items()}
    other = published.model_copy(update={"values": {**published.values, **changed}})
    return sorted(campaign_of(ROOT / "raw" / study)(other, bed), key=lambda log: log.path)


@functools.cache
def printed(study: str) -> tuple[Published, TestBed]:
    """What the paper of a study prints, and what it was measured on."""
    folder = ROOT / "raw" / study
    return read_published(folder), read_testbed(folder)


@functools.cache
def claims(study: str) -> Mapping[str, Entry]:
    """Claims of a study by their names."""
    return {entry.id: entry for entry in read_paper(ROOT / "raw" / study).claims}


def verdict(study: str, data: xr.DataTree, claim: str, **said: object) -> str:
    """The verdict on a claim that stands alone, or on one that states something else."""
    changed = claims(study)[claim].model_copy(update={"contradicts": (), **said})
    return str(ledger([changed], Numbers(*printed(study), data))[0]["verdict"])


def with_text(logs: Sequence[Log], path: Callable[[str], bool], change: Callable[[str], str]) -> list[Log]:
    """Change the text of the logs whose path is chosen; at least one must differ."""
    changed = [Log(log.path, change(log.text), log.keys) if path(log.path) else log for log in logs]
    assert any(new.text != old.text for new, old in zip(changed, logs, strict=True))
    return changed
