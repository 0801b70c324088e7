"""What the validity report of a study found, as facts; and a paper that keeps silent about it is not built."""

from __future__ import annotations

import re
from collections.abc import Iterator

import xarray as xr
from nbformat import NotebookNode

from storagelab import analysis, dataset
from storagelab.paper import sections
from storagelab.paper.publish import fact, state_findings
from storagelab.paper.published_items import FOUND, Registry

KNOWN = "known"
CONSTRUCTION = "construction"
"""Word of `expected` in study.yaml for findings that the rendering of the logs causes."""
FIRST = re.compile(r"abstract|.*\bconclu.*", re.IGNORECASE)
"""Headings under which a paper says what a reader should take home."""
_COUNTED = {
    "found": "what all checks of the validity report found",
    "known": "what study.yaml declares of that",
    "open": "what no declaration covers",
    CONSTRUCTION: "what the rendering of the logs causes",
}
"""What the facts about all checks count."""
TOP = 2
"""Level of the headings of sections; those below belong to them."""
_QUOTED = re.compile(rf"\{{\{{\s*({FOUND}\w+)")


def validity(study: xr.DataTree) -> tuple[xr.Dataset, xr.Dataset]:
    """Ask a study what speaks against its numbers, and state what was found as facts.

    ``{{v_copies}}`` is how much the check "copies" found, for each check that found anything; ``{{v_found}}`` is how
    much all of them found, ``{{v_known}}`` what of it study.yaml declares (`expected`), ``{{v_construction}}`` what of
    that the rendering of the logs causes, and ``{{v_open}}`` the rest, which no declaration covers. A paper with open
    findings is only built if its abstract or conclusions quote their number, or what each of their checks found.

    Parameters
    ----------
    study : DataTree

    Returns
    -------
    asked, listed : Dataset
        As `storagelab.analysis.validity_report`.

    Raises
    ------
    AnalysisError
        If the study does not say its origin.
    """
    asked, listed = analysis.validity_report(study)
    rows, findings = asked.to_dataframe(), listed.to_dataframe()
    built = {said["why"] for said in dataset.about(study).get("expected", []) if said.get("by") == CONSTRUCTION}
    known = findings[findings["finding_rank"] == KNOWN] if len(findings) else findings
    counts = {"found": len(findings), "known": len(known), "open": len(findings) - len(known)}
    counts[CONSTRUCTION] = int(known["cause"].isin(built).sum()) if len(known) else 0
    for name, count in counts.items():
        fact(f"{FOUND}{name}", count, counted=_COUNTED[name])
    found = rows[rows["findings"] > 0]
    for check, count in zip(found["check"], found["findings"], strict=True):
        behind = dataset.select(listed, check=check).dropna("obs", subset=["log_id"])
        fact(_name(check), int(count), trace=behind, counted=f"what the check {check!r} found")
    open_ = findings[findings["finding_rank"] != KNOWN] if len(findings) else findings
    state_findings({str(check): _name(str(check)) for check in dict.fromkeys(open_["check"])} if len(open_) else {})
    return asked, listed


def _name(check: str) -> str:
    return FOUND + re.sub(r"\W+", "_", check.lower())


def hidden(nb: NotebookNode, registry: Registry) -> Iterator[str]:
    """Say what a paper keeps silent about of what its validity report found.

    Parameters
    ----------
    nb : NotebookNode
        Executed.
    registry : Registry
        With the findings that the notebook stated.
    """
    first = _quoted_first(nb)
    whole = {f"{FOUND}open", f"{FOUND}found"}
    silent = [check for check, name in registry.open_findings.items() if name not in first]
    if silent and not first & whole:
        wanted = f"quote {{{{{FOUND}open}}}}, or what each check found"
        yield f"the validity report found {', '.join(silent)}, and abstract and conclusions keep silent: {wanted}"


def _quoted_first(nb: NotebookNode) -> set[str]:
    """Facts of findings that abstract and conclusions quote."""
    quoted: set[str] = set()
    under = False
    for cell in (cell for cell in nb.cells if cell.cell_type == "markdown"):
        for level, heading, text in sections.split(cell.source):
            if heading and level <= TOP:
                under = bool(FIRST.fullmatch(heading.strip()))
            quoted |= set(_QUOTED.findall(text)) if under else set()
    return quoted
