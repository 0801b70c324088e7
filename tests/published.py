"""Published studies as tests need them: their logs rendered, read, and changed on purpose."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import xarray as xr

from storagelab import ingest
from storagelab.claims.document import read_paper
from storagelab.claims.ledger import ledger
from storagelab.claims.numbers import Numbers
from storagelab.claims.record import Row
from storagelab.reconstruct import campaign
from storagelab.reconstruct.log import Log
from storagelab.study.published import read_published
from storagelab.study.testbed import read_testbed
from tests.conftest import ROOT

STUDIES = ("bnl-2007", "cern-kinetic-2015", "fermicloud-2011", "llnl-2010", "uscms-2009")

Change = tuple[str, str, str]
"""A sidecar, text in it, and what stands there instead."""


@functools.cache
def rendered(study: str) -> Sequence[Log]:
    """All logs of a study, in memory."""
    return campaign.reconstruct(ROOT / "raw" / study)


@functools.cache
def tree(study: str) -> xr.DataTree:
    """The dataset of a study."""
    with TemporaryDirectory() as folder:
        return ingested(study, rendered(study), Path(folder))


def ingested(study: str, logs: Sequence[Log], root: Path) -> xr.DataTree:
    """Write logs below a copy of the sidecars of a study, and read them."""
    folder = copied(study, root)
    campaign.write(logs, folder)
    return ingest.ingest(folder)


def copied(study: str, root: Path, *changes: Change) -> Path:
    """Copy the sidecars of a study, with changes."""
    folder = root / study
    folder.mkdir(parents=True, exist_ok=True)
    for path in (ROOT / "raw" / study).glob("*.yaml"):
        shutil.copy(path, folder)
    for name, old, new in changes:
        text = (folder / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{study}/{name}: {text.count(old)} times {old!r}"
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")
    return folder


def verdict(folder: Path, data: xr.DataTree, claim: str) -> Row:
    """The row of the ledger of one claim, with the claims that it contradicts."""
    paper, numbers = read_paper(folder), Numbers(read_published(folder), read_testbed(folder), data)
    known = {entry.id: entry for entry in paper.claims}
    names = {claim, *known[claim].contradicts}
    names |= {entry.id for entry in paper.claims if claim in entry.contradicts}
    chosen = [known[name].model_copy(update={"contradicts": _among(known[name].contradicts, names)}) for name in names]
    return next(row for row in ledger(chosen, numbers) if row["claim"] == claim)


def _among(contradicts: Sequence[str], names: set[str]) -> tuple[str, ...]:
    return tuple(name for name in contradicts if name in names)


def with_text(logs: Sequence[Log], path: Callable[[str], bool], change: Callable[[str], str]) -> list[Log]:
    """Change the text of the logs whose path is chosen; at least one must differ."""
    changed = [Log(log.path, change(log.text), log.keys) if path(log.path) else log for log in logs]
    assert any(new.text != old.text for new, old in zip(changed, logs, strict=True))
    return changed
