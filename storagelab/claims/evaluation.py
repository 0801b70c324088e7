"""A paper held against its logs: everything that the sidecars of a study ask for, worked out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import xarray as xr

from storagelab.analysis import table
from storagelab.claims.claim_evaluation import ledger
from storagelab.claims.claims_yaml import Paper, read_paper
from storagelab.claims.curve_constraints import permits, permits_table
from storagelab.claims.number_sources import sources_beside
from storagelab.claims.printed_numbers import checked, printed
from storagelab.claims.record import Record
from storagelab.claims.second_verdicts import measured
from storagelab.claims.study_numbers import Numbers
from storagelab.claims.table_evaluation import filled
from storagelab.claims.tables_yaml import read_tables
from storagelab.study.published import read_published
from storagelab.study.testbed import read_testbed


def evaluate(folder: Path, tree: xr.DataTree, campaigns: Mapping[str, xr.DataTree]) -> Record:
    """Hold what a paper says against the dataset of its study.

    Parameters
    ----------
    folder : Path
        ``raw/<study>``, with published.yaml, testbed.yaml, claims.yaml, checks.yaml and figures.yaml; tables.yaml
        too, if there is one; beside it ``synthesis/sources.yaml``.
    tree : DataTree
        Its dataset.
    campaigns : mapping of str to DataTree
        Datasets of the measured campaigns that give second verdicts; see `campaigns_named`.

    Returns
    -------
    Record

    Raises
    ------
    SidecarError
        If one of the files is wrong; names the file and the line.
    StoragelabError
        If a quantity cannot be taken out of the data; says all that cannot.
    """
    paper = read_paper(folder)
    bed = read_testbed(folder)
    numbers = Numbers(read_published(folder), bed, tree)
    like = next(iter(tree.children.values())).to_dataset()
    judged = ledger(paper.claims, numbers)
    return Record(
        study=folder.resolve().name,
        origin=table.origin(like),
        ledger=judged,
        measured=measured(paper.claims, campaigns, sources_beside(folder)),
        printed=printed(numbers, paper.inconsistencies),
        checks=checked(paper.checks, numbers),
        groups=[group.model_dump() for group in paper.groups],
        inconsistencies=[each.model_dump() for each in paper.inconsistencies],
        figures=[figure.model_dump() for figure in paper.figures],
        stages=list(bed.stages()),
        parts=[
            {"part": name, "property": key, "value": str(value)}
            for name, part in bed.parts.items()
            for key, value in part.items()
        ],
        model=[
            {"parameter": name, "value": str(parameter.value), "why": parameter.why}
            for name, parameter in bed.model.items()
        ],
        tables=filled(read_tables(folder), numbers, judged),
        permits=permits(paper.permits, numbers),
        rules=permits_table(paper.permits),
        topologies=list(bed.drawings()),
    )


def campaigns_named(paper: Paper) -> list[str]:
    """Return the measured campaigns that the claims of a paper name."""
    return sorted({second.study for entry in paper.claims for second in entry.measured})
