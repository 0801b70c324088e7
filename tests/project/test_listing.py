"""Studies are found by themselves: in this repository and in any project, nobody edits a list."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from storagelab import project
from storagelab.errors import StoragelabError
from storagelab.project import listing
from storagelab.writing import OURS, own_folders
from tests.conftest import ROOT

FILES = ["dvc.yaml", *(f"catalogs/{path.name}" for path in sorted(ROOT.glob("catalogs/*.yml")))]


@pytest.mark.parametrize("file", FILES)
def test_the_lists_of_this_repository_are_those_of_its_folders(file: str) -> None:
    text = (ROOT / file).read_text()
    assert listing.renewed(text, ROOT, Path(file)) == text, "storagelab reports brings it up to date"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The repository with one more measured study, and nothing else of it."""
    for file in FILES:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    for path in ROOT.glob("raw/*/*.yaml"):
        (tmp_path / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    (tmp_path / "raw" / "new-2027").mkdir()
    (tmp_path / "raw" / "new-2027" / "study.yaml").write_text("id: new-2027\n")
    return tmp_path


def test_one_more_study_needs_no_edit(root: Path) -> None:
    assert [path.name for path in project.renew(root)] == ["dvc.yaml", "storagelab.yml"]
    pipeline = yaml.safe_load((root / "dvc.yaml").read_text())
    assert pipeline["vars"][0]["studies"]["new-2027"] == "new_2027"
    assert "new-2027" not in pipeline["vars"][1]["published"]
    assert "reports/new-2027/summary.json" in pipeline["stages"]["index"]["deps"]
    assert "reports/new-2027/figures" in pipeline["plots"]
    sources = yaml.safe_load((root / "catalogs" / "storagelab.yml").read_text())["sources"]
    assert all("new-2027" in source["parameters"]["study"]["allowed"] for source in sources.values())
    assert "synthesis" not in sources["logs"]["parameters"]["study"]["allowed"]
    assert project.renew(root) == []


def test_what_else_lies_beside_the_catalogs_is_let_alone(root: Path) -> None:
    text = "# for each poem: - {study}\n"
    (root / "catalogs" / "notes.txt").write_text(text)
    (root / "catalogs" / "old.yaml").mkdir()
    left = root / f"{OURS}{own_folders.this_host()}-{2**22 + 1}-1-0"
    left.mkdir()
    assert [path.name for path in project.renew(root)] == ["dvc.yaml", "storagelab.yml"]
    assert (root / "catalogs" / "notes.txt").read_text() == text
    assert not left.exists(), "what a killed writer left is gone"


@pytest.mark.parametrize(("text", "said"), [
    ("a:\n  # for each poem: - {study}\n  # end\n", "dvc.yaml:2: a list for each 'poem': known: study, "),
    ("a:\n  # for each study: - {study}\n  - x\n", "dvc.yaml:2: a list without `# end`"),
])  # fmt: skip
def test_a_list_that_is_none_is_refused_and_the_file_stays(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "dvc.yaml").write_text(text)
    with pytest.raises(StoragelabError, match=said.replace("`", ".")):
        project.renew(tmp_path)
    assert (tmp_path / "dvc.yaml").read_text() == text
