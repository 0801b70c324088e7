"""The page on study.yaml: its tables are those of the models, and its example is a study."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from storagelab.study.declared_keys import OwnKey
from storagelab.study.study_yaml import Sidecar
from tests import docs_study, first_hour

PAGE = docs_study.PAGE.read_text(encoding="utf-8")
YAML = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("name", docs_study.parts())
def test_the_tables_are_up_to_date(name: str) -> None:
    assert docs_study.framed(name, docs_study.parts()[name]) in PAGE, "python -m tests.docs_study"


@pytest.mark.parametrize("model", docs_study.MODELS.values())
def test_every_field_says_what_it_is(model: type[Sidecar | OwnKey]) -> None:
    assert [name for name, field in model.model_fields.items() if not field.description] == []


def test_the_example_is_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "scratch-2026"
    folder.mkdir()
    first_hour.write_ior_logs(folder)
    (folder / "study.yaml").write_text(YAML[0] + YAML[1])
    names: dict[str, Any] = {}
    exec(compile(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], "docs/study.md", "exec"), names)
    assert "kernel follows from release" in names["newer"].attrs["follows"]
    assert "release of the file system" in names["drawn"].caption + names["drawn"].alt


def test_the_columns_of_the_example_are_columns() -> None:
    said = {"id": "x", "title": "x", "origin": "measured"} | yaml.safe_load(YAML[1])
    assert set(Sidecar.model_validate(said).columns) == {"stripe", "fs", "operator"}
