"""``storagelab appendix``: the Artifact Description that SC and ACM ask for, out of study.yaml, dataset and paper.

Sources: the Artifact Description form of the SC conference (reproducibility initiative), and the checklist of the ACM's
artifact evaluation (https://www.acm.org/publications/policies/artifact-review-and-badging-current).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import orjson

import storagelab
from storagelab.claims.extracts import read_extracts
from storagelab.errors import PaperError
from storagelab.escaping.brackets import BRACKETS
from storagelab.ingest import checksums
from storagelab.paper import data_provenance, front_matter, notebooks, number_format
from storagelab.paper.front_matter import Front
from storagelab.paper.latex import escape
from storagelab.study import read_sidecar
from storagelab.study.files import files_below
from storagelab.study.plan_yaml import planned
from storagelab.study.study_yaml import Sidecar

TEMPLATE = "appendix.tex.j2"
UNSAID = "not stated"


def appendix(study: str, root: Path) -> str:
    """Write the appendix of a paper in LaTeX; it needs booktabs.

    Parameters
    ----------
    study : str
    root : Path
        Folder of the project.

    Raises
    ------
    PaperError
        If the study has neither a study.yaml nor, as a comparison of studies, an extracts.yaml; if its paper was not
        built.
    """
    folder, reports = root / "raw" / study, root / "reports" / study
    compares = not (folder / "study.yaml").is_file()
    if compares and not (folder / "extracts.yaml").is_file():
        raise PaperError(f"no raw/{study}/study.yaml: the appendix is made from what it says")
    if not (reports / "summary.json").is_file():
        raise PaperError(f"no paper reports/{study}/paper.html: build it first with `storagelab paper {study}`")
    known = {
        **_of_data(folder, reports, study), **(_of_comparison if compares else _of_study)(folder, reports),
        **_of_paper(reports), **_of_front(root, study), "study": study, "version": storagelab.__version__,
    }  # fmt: skip
    template = resources.files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8")
    return _ENVIRONMENT.from_string(template).render(known)


def _of_study(folder: Path, reports: Path) -> dict[str, Any]:
    said = planned(folder, read_sidecar(folder / "study.yaml"))
    questions, study = said.asks or (said.title,), folder.name
    return {
        "contributions": questions, "testbed": list(_flat(said.testbed)), "limits": said.limits,
        "origin": said.origin, "supported": _contributions(len(questions)), "plan": _plan(said),
        "made_by": f"ingest {study}", "datasets": "", "counted": "", "artifacts": [
            {"name": "raw logs", "what": f"{said.title}; raw/{study} of the project"},
            {"name": "dataset", "what": f"reports/{study}/dataset.nc: each measurement in SI, with keys, log and line"},
            _paper(study),
        ],
    }  # fmt: skip


def _of_comparison(folder: Path, reports: Path) -> dict[str, Any]:
    """What the appendix of a comparison says: machines and logs are those of the studies, which have their own."""
    said = orjson.loads((reports / "summary.json").read_bytes())
    extracts = read_extracts(folder)
    answers, studies = [head for head, _ in said["answers"]] or [extracts.title], extracts.studies()
    numbers = sum(len(node.extracts) for node in extracts.nodes.values())
    datasets = [_dataset(reports.parent / name / "dataset.nc") for name in studies]
    return {
        "contributions": answers, "limits": extracts.limits, "origin": said["origin"],
        "supported": _contributions(len(answers)), "plan": "", "made_by": f"synthesis raw/{folder.name}",
        "testbed": [(name, f"as its own artifact description says (storagelab appendix {name})") for name in studies],
        "tools": "that of the studies", "datasets": Safe("; ".join(datasets)),
        "metrics": "numbers of the studies, side by side", "counted": f"numbers: {numbers}; studies: {len(studies)}",
        "artifacts": [
            {"name": "numbers", "what": f"{extracts.title}; raw/{folder.name}/extracts.yaml says which"},
            {"name": "dataset", "what": f"reports/{folder.name}/dataset.nc: each number with its study"},
            _paper(folder.name),
        ],
    }  # fmt: skip


def _dataset(path: Path) -> str:
    return rf"\texttt{{reports/{escape(path.parent.name)}/dataset.nc}} ({_breakable(checksums.sha256(path))})"


def _paper(study: str) -> dict[str, str]:
    return {"name": "paper", "what": f"{notebooks.file_of(study)}: what makes each figure, table and number"}


def _flat(testbed: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Name and words of each thing that a test bed says."""
    for name, what in testbed.items():
        full = f"{above}{name}".replace("_", " ")
        if isinstance(what, Mapping):
            yield from _flat(what, f"{full}, ")
        else:
            yield full, ", ".join(map(str, what)) if isinstance(what, (list, tuple)) else str(what)


def _contributions(count: int) -> Safe:
    return Safe("$C_{1}$" + (f" to $C_{{{count}}}$" if count > 1 else ""))


def _plan(said: Sidecar) -> str:
    if said.plan is None:
        return ""
    factors = {name: levels for group in said.plan.kinds for name, levels in group.factors.items()}
    blocks = [f"{len(said.plan.starts)} blocks"] if said.plan.blocks else []
    levels = [f"{name} ({len(levels)} levels)" for name, levels in factors.items()]
    return f"{said.plan.repeats} rounds of {', '.join([*blocks, *levels])}"


def _of_data(folder: Path, reports: Path, study: str) -> dict[str, Any]:
    told = data_provenance.provenance(data_provenance.open_study(study, reports / "dataset.nc"), reports / "dataset.nc")
    size = sum(path.stat().st_size for path in files_below(folder))
    versions = ", ".join(f"{name} {version}" for name, version in told["versions"].items())
    return {
        "tools": ", ".join(told["tools"]) or UNSAID, "versions": versions, "sha256": _breakable(told["sha256"]),
        "size": number_format.text(float(size), "B"), "dates": " to ".join(dict.fromkeys(told["dates"])) or UNSAID,
        "metrics": _metrics(study, reports),
    }  # fmt: skip


def _metrics(study: str, reports: Path) -> str:
    """What was measured: the long names of the variables of the runs that are there."""
    tree = data_provenance.open_study(study, reports / "dataset.nc").tree
    measured = tree["runs"].to_dataset().data_vars if "runs" in tree.children else {}
    names = [str(one.attrs.get("long_name", name)) for name, one in measured.items() if one.attrs.get("units")]
    return ", ".join(names) or UNSAID


def _of_paper(reports: Path) -> dict[str, Any]:
    counts = orjson.loads((reports / "summary.json").read_bytes())["counts"]
    elements = f"Figures 1 to {counts['figures']}, Tables 1 to {counts['tables']}"
    return {**counts, "elements": elements}


def _of_front(root: Path, study: str) -> dict[str, Any]:
    path = root / notebooks.file_of(study)
    said = front_matter.read(orjson.loads(path.read_bytes())["metadata"], path.name) if path.is_file() else Front()
    return {
        "available": said.repository or UNSAID, "license": said.license or UNSAID,
        "archived": f"https://doi.org/{said.doi}" if said.doi else UNSAID,
    }  # fmt: skip


def _breakable(digits: str) -> Safe:
    """Let a line end behind each eighth digit."""
    return Safe(r"\allowbreak ".join(digits[start : start + 8] for start in range(0, len(digits), 8)))


class Safe(str):
    """Text that is LaTeX already."""


def _written(value: Any) -> str:
    return value if isinstance(value, Safe) else escape(str(value))


_ENVIRONMENT = jinja2.Environment(
    **BRACKETS, undefined=jinja2.StrictUndefined, keep_trailing_newline=True, trim_blocks=True, autoescape=False,
    finalize=_written,
)  # fmt: skip
"""What is put in is escaped for LaTeX."""
