"""The plan of a campaign: a file of its own beside study.yaml (plan.yaml), or the section `plan` of study.yaml."""

from __future__ import annotations

from pathlib import Path

from storagelab.errors import SidecarError
from storagelab.study.campaign_plan import Campaign, of_campaign
from storagelab.study.study_yaml import Sidecar, hold
from storagelab.study.validation import read_model

NAME = "plan.yaml"


def read_plan(path: Path) -> Campaign:
    """Read one plan.yaml.

    Raises
    ------
    SidecarError
        If it is missing, is no YAML, breaks the model, or a level is no value of its key; names file and line.
    """
    plan, tree = read_model(path, Campaign)
    hold(path, tree, of_campaign(plan))
    return plan


def planned(folder: Path, sidecar: Sidecar) -> Sidecar:
    """Return the sidecar of a study with the plan that stands beside it.

    Raises
    ------
    SidecarError
        If there are two plans, or as `read_plan`.
    """
    path = folder / NAME
    if not path.exists():
        return sidecar
    if sidecar.plan:
        raise SidecarError(str(path), "study.yaml has a `plan` too: keep one of both")
    return sidecar.model_copy(update={"plan": read_plan(path)})
