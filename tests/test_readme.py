"""Every snippet of README.md runs, in order, in a copy of the repository; ``make`` only says what it would do.

What `storagelab ingest STUDY` gives is copied where `make reports` has just run that command.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import reports, warm
from tests.conftest import ROOT
from tests.studies import cut_out

README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
STORAGELAB = """made={made}/reports/$2/dataset.nc
if test "$1 $#" = "ingest 2" && test -f "$made"; then
  mkdir -p "reports/$2" && exec cp "$made" "reports/$2"
fi
exec {storagelab} "$@"
"""
SHIMS = {"make": 'exec {make} --dry-run "$@"', "storagelab": STORAGELAB, "dvc": 'exec {python} -m dvc "$@"'}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository, compiled, without reports, in git and DVC of its own, with a small campaign of the user's."""
    folder = tmp_path_factory.mktemp("readme")
    kept = shutil.ignore_patterns("reports", ".git", ".venv", ".*_cache", ".hypothesis", "tmp", "cache")
    shutil.copytree(ROOT, folder, ignore=kept, dirs_exist_ok=True)
    cut_out("loopback-2026", lambda row: row["file"].startswith("fileop/xfs"), folder / "raw" / "my-study")
    (folder / ".shims").mkdir()
    made = shlex.quote(str(ROOT)) if reports.up_to_date() else "nowhere"
    commands = {
        "make": shutil.which("make"),
        "python": sys.executable,
        "storagelab": shlex.join(warm.command()),
        "made": made,
    }
    for name, text in SHIMS.items():
        shim = folder / ".shims" / name
        shim.write_text("#!/bin/sh\n" + text.format(**commands) + "\n")
        shim.chmod(0o755)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


@pytest.fixture
def environment(copy: Path) -> dict[str, str]:
    home = copy.parent / "home"
    home.mkdir(exist_ok=True)
    path = f"{copy / '.shims'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "HOME": str(home), "PYTHONPATH": str(copy), "MPLBACKEND": "agg"}


@pytest.mark.slow
@pytest.mark.longest
def test_every_snippet_runs(copy: Path, environment: dict[str, str]) -> None:
    interpreters = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-W", "error", "-c"]}
    for language, snippet in SNIPPETS:
        command = [*interpreters[language], snippet]
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{snippet}\n{done.stdout}\n{done.stderr}"
    assert (copy / "scaling.svg").read_text().startswith("<?xml")
    assert not (copy / "raw" / "my-study" / ".dvc").exists()
    assert (copy / "raw" / "my-study.dvc").exists()


def test_the_readme_has_snippets_in_known_languages_only() -> None:
    assert {language for language, _ in SNIPPETS} == {"bash", "python"}
    assert len(re.findall(r"^```", README, re.MULTILINE)) == 2 * len(SNIPPETS)


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/campaign.md", "docs/interactive.md"]
)
def test_every_link_to_a_file_leads_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), target


def test_every_command_is_named_in_the_changes() -> None:
    from storagelab.cli import app

    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for command in app.registered_commands:
        name = command.name or command.callback.__name__  # type: ignore[union-attr]
        assert f"`{name}`" in changes


def test_the_architecture_page_names_every_room_and_no_other() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"^\| `storagelab/([\w.]+)/?` \|", page, re.MULTILINE))
    home = ROOT / "storagelab"
    rooms = {path.name for path in home.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert named == rooms - {"__init__.py", "__main__.py"}


def test_no_page_or_module_holds_an_unfinished_merge() -> None:
    folders = ("storagelab", "tests", "docs", "notebooks", "catalogs", "benchmarks")
    texts = [path for kind in ("md", "py", "toml", "yaml") for path in ROOT.glob(f"*.{kind}")]
    texts += [path for folder in folders for path in (ROOT / folder).rglob("*.*") if path.suffix in _WRITTEN]
    marked = [path for path in texts if _MERGING.search(path.read_text(encoding="utf-8"))]
    assert len(texts) > 1000
    assert marked == []


_WRITTEN = (".md", ".py", ".yml", ".yaml", ".toml", ".tsv", ".ipynb")
_MERGING = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
