"""``verdicts.yaml``: the verdicts that were last accepted; a verdict that changes is an error until it is, too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from storagelab import writing
from storagelab.study.validation import Strict, read_model

NAME = "verdicts.yaml"
HEAD = (
    "# Verdicts as they were last accepted: `storagelab claims STUDY --accept` writes this file, and a change of one\n"
)
HEAD += "# stops the pipeline.\n"


class Accepted(Strict):
    """The verdict on each claim, and on ``claim @ study`` where a measured campaign speaks of it."""

    verdicts: Mapping[str, str]


def read_accepted(folder: Path) -> Mapping[str, str]:
    """Return the accepted verdicts of a study; none where none was ever accepted."""
    path = folder / NAME
    return read_model(path, Accepted)[0].verdicts if path.exists() else {}


def accept(folder: Path, verdicts: Mapping[str, str]) -> Path:
    """Write verdicts as accepted; the file appears whole or not at all."""
    writing.write_text(folder / NAME, HEAD + yaml.safe_dump({"verdicts": dict(verdicts)}, sort_keys=False))
    return folder / NAME


def changes(verdicts: Mapping[str, str], accepted: Mapping[str, str]) -> list[str]:
    """Say what changed, a line a verdict: new ones, other ones, and those that are gone."""
    names = [*verdicts, *(name for name in accepted if name not in verdicts)]
    return [
        f"{name}: {accepted.get(name, 'no verdict')} -> {verdicts.get(name, 'no verdict')}"
        for name in names
        if accepted.get(name) != verdicts.get(name)
    ]
