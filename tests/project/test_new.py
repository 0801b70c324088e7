"""`storagelab new`: a project that works at once, from the wheel alone, and never writes over anything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import yaml

from storagelab import analysis, ingest, project, schema
from storagelab.errors import StoragelabError
from storagelab.paper.notebooks import stripped
from storagelab.study import read_sidecar
from storagelab.writing import OURS, own_folders
from tests.cli.conftest import Cli
from tests.conftest import LOGS, ROOT
from tests.once import made_once
from tests.recording import standin
from tests.recording.conftest import on_path


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_project_has_all_that_it_needs_and_its_files_are_sound(tmp_path: Path) -> None:
    made = project.make(tmp_path / "nfs-2026")
    assert set(made.files) == set(files(tmp_path / "nfs-2026"))
    sidecar = read_sidecar(made.root / "raw" / "nfs-2026" / "study.yaml")
    assert (sidecar.id, set(sidecar.keys)) == ("nfs-2026", {"filesystem", "server_mode", "driver", "striping"})
    pipeline = yaml.safe_load((made.root / "dvc.yaml").read_text())
    assert pipeline["vars"] == [{"studies": {"nfs-2026": "nfs_2026"}}]
    assert yaml.safe_load((made.root / ".github/workflows/reports.yml").read_text())["jobs"]
    notebook = made.root / "notebooks" / "nfs_2026.ipynb"
    cells = json.loads(notebook.read_text())["cells"]
    assert [cell["id"] for cell in cells] == [cell["id"] for cell in json.loads(stripped(notebook))["cells"]]
    tagged = [cell["metadata"]["tags"] for cell in cells if cell["metadata"]]
    assert tagged == [["parameters"]], "what papermill replaces is one cell, and no other has metadata"
    assert not any("<<" in text.decode() or "<%" in text.decode() for text in files(made.root).values())


def test_a_second_study_needs_no_edit(tmp_path: Path) -> None:
    root = project.make(tmp_path / "mine", "first").root
    project.make(root, "second-2027")
    project.make(root / "raw" / "third")
    pipeline = yaml.safe_load((root / "dvc.yaml").read_text())
    assert list(pipeline["vars"][0]["studies"]) == ["first", "second-2027", "third"]
    assert pipeline["stages"]["index"]["deps"][1:] == [
        f"reports/{name}/summary.json" for name in ("first", "second-2027", "third")
    ]
    catalog = yaml.safe_load((root / "catalogs" / "storagelab.yml").read_text())
    assert catalog["sources"]["paper"]["parameters"]["study"]["allowed"] == ["first", "second-2027", "third"]
    assert catalog["sources"]["dataset"]["parameters"]["node"]["allowed"] == ["", *schema.NODES]


def test_next_year_has_the_keys_the_plan_and_the_notebook_of_this_one(tmp_path: Path) -> None:
    root = project.make(tmp_path / "mine", "nfs-2025").root
    sidecar, notebook = root / "raw/nfs-2025/study.yaml", root / "notebooks/nfs_2025.ipynb"
    declared = sidecar.read_text().replace("  driver:", "  scheduler: {levels: [none, bfq]}\n  driver:")
    sidecar.write_text(declared + "limits: [not that of old-nfs-2025-b]\n")
    cells = json.loads(notebook.read_text())
    cells["cells"].append({"cell_type": "markdown", "id": "x", "metadata": {}, "source": ["a\n", "nfs-2025 again"]})
    notebook.write_text(json.dumps(cells))
    made = project.make(root, "nfs-2026", like="nfs-2025")
    assert made.files == ["raw/nfs-2026/study.yaml", "notebooks/nfs_2026.ipynb"]
    found = read_sidecar(root / "raw/nfs-2026/study.yaml")
    assert (found.id, found.title, list(found.own_keys)) == ("nfs-2026", "nfs-2026", ["scheduler"])
    assert list(found.limits) == ["not that of old-nfs-2025-b"]
    text = (root / "notebooks/nfs_2026.ipynb").read_text()
    assert "nfs-2025" not in text
    assert "nfs-2026 again" in text
    assert json.loads(text)["nbformat"] == 4
    with pytest.raises(StoragelabError, match=r"unknown study of .* to be like 'nfs-2024'; did you mean 'nfs-202"):
        project.make(root, "nfs-2027", like="nfs-2024")


def test_a_notebook_that_is_missing_is_laid_out_and_nothing_else(tmp_path: Path) -> None:
    root = project.make(tmp_path / "mine", "first").root
    before = files(root)
    (root / "notebooks/first.ipynb").unlink()
    assert project.make(root, "first").files == ["notebooks/first.ipynb"]
    assert files(root) == before


def test_a_project_without_a_notebook_is_told_so(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.make(tmp_path / "mine", "first").root)
    Path("notebooks/first.ipynb").unlink()
    Path("reports/first").mkdir(parents=True)
    Path("reports/first/dataset.nc").touch()
    lacking = "notebooks/first.ipynb: no such notebook, and so no paper: `storagelab new . --study first` lays one out"
    for command in ("paper", "strip"):
        assert cli(command, "first") == (1, "", f"storagelab: {lacking}\n")
    assert f"storagelab: {lacking}\n" in cli("check", "first").err


def test_notebooks_say_with_what_they_run(tmp_path: Path) -> None:
    """Jupyter asks for a kernel where a notebook names none."""
    root = project.make(tmp_path / "mine").root
    for notebook in (root / "notebooks/mine.ipynb", *(ROOT / "notebooks").glob("*.ipynb")):
        if not notebook.name.endswith(".failed.ipynb"):
            assert json.loads(notebook.read_text())["metadata"]["kernelspec"]["name"] == "python3", notebook.name


def test_a_notebook_is_written_as_strip_leaves_it(tmp_path: Path) -> None:
    path = project.make(tmp_path / "mine").root / "notebooks/mine.ipynb"
    text = path.read_text()
    nbformat.validate(json.loads(text))
    assert stripped(path).startswith(text.partition(' "metadata": {\n  "authors"')[0])
    assert text.endswith('\n "nbformat": 4,\n "nbformat_minor": 5\n}\n')


def test_each_file_ends_with_one_line_end_and_no_two_lines_are_empty(tmp_path: Path) -> None:
    made = project.make(tmp_path / "mine")
    for name, text in files(made.root).items():
        assert text.endswith(b"\n"), name
        assert not text.endswith(b"\n\n"), name
        assert b"\n\n\n\n" not in text, name


def test_a_project_in_a_repository_of_git_has_dvc_use_it(tmp_path: Path) -> None:
    alone = project.make(tmp_path / "alone" / "mine").root
    (tmp_path / ".git").mkdir()
    within = project.make(tmp_path / "within" / "mine").root
    assert "no_scm = true" in (alone / ".dvc/config").read_text()
    assert "no_scm" not in (within / ".dvc/config").read_text()


def test_a_folder_below_raw_of_no_project_becomes_one(tmp_path: Path) -> None:
    assert project.make(tmp_path / "raw" / "mine").root == tmp_path / "raw" / "mine"


def test_a_project_that_was_left_half_made_is_made_whole(tmp_path: Path) -> None:
    root = project.make(tmp_path / "mine").root
    whole = files(root)
    for name in ("dvc.yaml", "notebooks/mine.ipynb"):
        (root / name).unlink()
    project.make(root)
    assert files(root) == whole


def test_what_a_killed_writer_had_taken_aside_is_there(tmp_path: Path) -> None:
    root = project.make(tmp_path / "mine", "first").root
    aside = root / "raw" / "first" / f"{OURS}{own_folders.this_host()}-{2**22 + 1}-1-0" / own_folders.OLD
    aside.mkdir(parents=True)
    (root / "raw" / "first" / "study.yaml").rename(aside / "study.yaml")
    with pytest.raises(StoragelabError, match=r"raw/first/study\.yaml, notebooks/first\.ipynb is there already"):
        project.make(root, "first")
    assert not aside.parent.exists()


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A project with one run whose elapsed time stands in runs.csv, so that rows lead there too."""
    root = project.make(tmp_path / "mine").root
    (root / "raw/mine/one.json").write_bytes((LOGS / "fio_json" / "multi-3.39.json").read_bytes())
    (root / "raw/mine/runs.csv").write_text("file,elapsed\none.json,1.5\n")
    return root


def test_a_paper_counts_runs_and_logs_and_not_what_each_measured(recorded: Path) -> None:
    notebook = json.loads((recorded / "notebooks/mine.ipynb").read_text())
    [counting] = [cell["source"] for cell in notebook["cells"] if 'fact("runs"' in "".join(cell["source"])]
    tree = ingest.ingest(recorded / "raw/mine")
    runs, logs = (tree[node].to_dataset() for node in ("runs", "logs"))
    facts: dict[str, int] = {}
    exec("".join(counting), {"analysis": analysis, "paper": SimpleNamespace(fact=facts.__setitem__), **locals()})
    assert facts == {"logs": 1, "runs": 1}
    assert runs.sizes["obs"] > 1
    assert logs.sizes["obs"] == 2


def test_ingest_counts_the_logs_that_check_counts(recorded: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(recorded)
    assert "raw/mine: 1 logs, " in cli("check", "mine").out
    assert re.findall(r"\d+ logs", cli("ingest", "mine").out) == ["1 logs"]


def test_nothing_that_is_there_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("mine")
    (tmp_path / "README.md").write_text("mine")
    before = files(tmp_path)
    with pytest.raises(StoragelabError, match=r"nothing was written, since Makefile, README\.md is there already"):
        project.make(tmp_path, "mine")
    assert files(tmp_path) == before
    root = project.make(tmp_path / "new", "mine").root
    before = files(root)
    with pytest.raises(StoragelabError, match=r"raw/mine/study\.yaml, notebooks/mine\.ipynb is there already"):
        project.make(root, "mine")
    assert files(root) == before


@pytest.mark.parametrize(("path", "study", "said"), [
    ("new", "NFS", r"name of a study 'NFS': expected small letters, digits and single hyphens between them"),
    ("new", "a_b", "name of a study 'a_b'"), ("new", "../x", r"name of a study '\.\./x'"),
    ("My Data", "", "name of a study 'My Data'"),
    ("there", "", "is a project: say with --study which study to add"),
    ("there/raw/one", "two", "is the folder of a study, and --study says 'two': name one of both"),
])  # fmt: skip
def test_a_name_that_is_none_is_refused(path: str, study: str, said: str, tmp_path: Path) -> None:
    project.make(tmp_path / "there", "first")
    with pytest.raises(StoragelabError, match=said):
        project.make(tmp_path / path, study)
    assert not (tmp_path / "new").exists()


def test_the_command_names_what_it_made(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli("new", "mine")
    assert done.code == 0
    assert sorted(done.out.split()) == sorted(f"mine/{name}" for name in files(tmp_path / "mine"))
    assert "describe the study in mine/raw/mine/study.yaml" in done.err


def build(place: Path) -> None:
    """Unpack the wheel as pip installs it."""
    command = [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--no-build-isolation", "--quiet"]
    subprocess.run([*command, "--wheel-dir", str(place / "wheel")], check=True, cwd=place.parent)
    [wheel] = (place / "wheel").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(place / "site")


@pytest.mark.slow
@pytest.mark.longest
def test_from_the_wheel_in_an_empty_folder_to_a_paper_and_a_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = made_once("wheel", lambda place: (place.mkdir(), build(place))) / "site"
    on_path(tmp_path, monkeypatch, "fio", f'PYTHONPATH= exec "{sys.executable}" {standin.__file__} "$@"')
    empty = tmp_path / "empty"
    empty.mkdir()
    known = {"PATH": os.environ["PATH"], "PYTHONPATH": str(site), "HOME": str(tmp_path), "PYTHONSAFEPATH": "1"}

    def storagelab(*arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "storagelab", *arguments], cwd=empty, env=known, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    storagelab("new", ".", "--study", "nfs-2025")
    plan = "plan: {repeats: 4, factors: {clients: [1, 2, 4]}, command: 'fio --numjobs={clients} --slower=%s'}\n"
    with (empty / "raw/nfs-2025/study.yaml").open("a") as more:
        more.write(plan % "1.0")
    storagelab("record", "--set", "clients=1", "--", "fio", "--numjobs=1")
    (empty / "raw/nfs-2025/runs.csv").unlink()
    for path in (empty / "raw/nfs-2025/fio").iterdir():
        path.unlink()
    assert "12 of 12 runs are made" in storagelab("campaign", "nfs-2025")
    storagelab("checksums", "nfs-2025")
    checked = storagelab("check", "nfs-2025")
    assert checked == "plan: 12 of 12 runs\nraw/nfs-2025: nothing wrong\n"
    storagelab("new", "raw/nfs-2026")
    with (empty / "raw/nfs-2026/study.yaml").open("a") as more:
        more.write(plan % "1.3")
    storagelab("campaign", "nfs-2026")
    storagelab("checksums", "nfs-2026")
    compared = storagelab("compare", "raw/nfs-2025", "raw/nfs-2026", "--variable", "throughput", status=1)
    assert "1 slower" in compared
    storagelab("reports")
    assert {"nfs-2025", "nfs-2026", "index.html"} <= {path.name for path in (empty / "reports").iterdir()}
    assert all((empty / "reports" / name / "paper.html").is_file() for name in ("nfs-2025", "nfs-2026"))
    facts = json.loads((empty / "reports/nfs-2025/facts.json").read_text())["facts"]
    assert [facts[name]["value"] for name in ("logs", "runs")] == [12, 12], "the rows of runs.csv are no log"
    assert storagelab("reports").startswith("0 of ")
