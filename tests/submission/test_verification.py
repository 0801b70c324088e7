"""A page says what it is made from, and `verify` finds every difference."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from storagelab import submission
from storagelab.errors import PaperError
from storagelab.ingest import checksums
from storagelab.ingest.checksums import sha256
from storagelab.paper import made_from
from storagelab.submission import verification
from storagelab.submission.verification import first_difference
from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.submission.conftest import STUDY, built

PAGE = f"reports/{STUDY}/paper.html"


def replace(path: Path, text: str) -> None:
    """Write a file anew; the one that other tests share stays."""
    path.unlink()
    path.write_text(text)


def test_a_page_alone_says_what_it_is_made_from(
    handed_in: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = tmp_path / "elsewhere"
    alone.mkdir()
    (alone / "mine.html").write_bytes((handed_in / PAGE).read_bytes())
    monkeypatch.chdir(alone)
    done = cli("verify", "mine.html", "--json")
    assert done.code == 3
    answer = json.loads(done.out)
    assert answer["study"] == STUDY
    said = {row["kind"]: (row["name"], row["sha256"]) for row in answer["rows"]}
    assert said["dataset"] == (f"reports/{STUDY}/dataset.nc", sha256(handed_in / f"reports/{STUDY}/dataset.nc"))
    assert said["notebook"] == ("notebooks/disk_2026.ipynb", sha256(handed_in / f"reports/{STUDY}/notebook.ipynb"))
    assert said["code"][1] == made_from.code()
    assert set(said) == {"dataset", "notebook", "bibliography", "pins", "code"}
    assert f"raw/{STUDY} is not here: nothing was compared" in done.err


@pytest.mark.slow
def test_a_paper_that_nobody_touched_is_the_same(handed_in: Path) -> None:
    found = submission.verify(handed_in / PAGE, handed_in)
    assert not found.differs
    assert found.difference == ""


@pytest.mark.parametrize(("built_anew", "difference"), [
    ("a\nb\n", ""), ("a\nc\n", "line 2: 'b' in the page, 'c' when it is built anew"),
])  # fmt: skip
def test_a_page_is_held_against_the_one_that_is_built_anew(
    built_anew: str, difference: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = made_from.Part("dataset", f"reports/{STUDY}/dataset.nc", "0" * 64)
    monkeypatch.setattr(verification, "said_by", lambda page: verification.Said(STUDY, "Disks", (part,)))
    monkeypatch.setattr(verification, "parts", lambda root, study: [part])
    monkeypatch.setattr(verification, "build_paper", lambda study, copy: write(copy / PAGE, built_anew))
    write(tmp_path / PAGE, "a\nb\n")
    (tmp_path / "raw" / STUDY).mkdir(parents=True)
    found = submission.verify(tmp_path / PAGE, tmp_path)
    assert (found.difference, found.differs) == (difference, bool(difference))
    assert (tmp_path / PAGE).read_text() == "a\nb\n", "nothing of the project is changed"


def test_files_beside_a_page_are_held_against_those_that_are_built_anew(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = made_from.Part("dataset", f"reports/{STUDY}/dataset.nc", "0" * 64)
    monkeypatch.setattr(verification, "said_by", lambda page: verification.Said(STUDY, "Disks", (part,)))
    monkeypatch.setattr(verification, "parts", lambda root, study: [part])
    made = {"paper.html": "a", "numbers.tex": "7", "figures/rates.svg": "drawn", "tables/means.tex": "8"}

    def build(study: str, root: Path) -> None:
        for name, text in made.items():
            write(root / "reports" / study / name, text)

    monkeypatch.setattr(verification, "build_paper", build)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw" / STUDY).mkdir(parents=True)
    build(STUDY, tmp_path)
    done = cli("verify", PAGE)
    assert (done.code, done.out.splitlines()[-1]) == (0, "files beside it, built anew: the same, byte by byte")
    write(tmp_path / f"reports/{STUDY}/figures/rates.svg", "Drawn")
    done = cli("verify", PAGE)
    assert (done.code, done.out.splitlines()[-1]) == (1, "files beside it, built anew: not the same: figures/rates.svg")


def test_parts_are_compared_by_name_and_code_whatever_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [
        made_from.Part("dataset", "dataset.nc", "1"), made_from.Part("code", "storagelab 1.0", "2"),
        made_from.Part("notebook", "n.ipynb", "3"), made_from.Part("pins", "requirements.txt", "4"),
    ]  # fmt: skip
    here = [
        made_from.Part("dataset", "dataset.nc", "1"), made_from.Part("code", "storagelab 2.0", "2"),
        made_from.Part("notebook", "n.ipynb", "other"),
    ]  # fmt: skip
    monkeypatch.setattr(verification, "said_by", lambda page: verification.Said(STUDY, "Disks", tuple(said)))
    monkeypatch.setattr(verification, "parts", lambda root, study: here)
    (tmp_path / "raw" / STUDY).mkdir(parents=True)
    found = submission.verify(tmp_path / PAGE, tmp_path, rebuild=False)
    assert [(one.part.kind, one.here) for one in found.compared] == [
        ("dataset", "1"), ("code", "2"), ("notebook", "other"), ("pins", ""),
    ]  # fmt: skip
    assert found.difference is None


def test_a_copy_has_all_of_a_project_but_what_is_made_anew(tmp_path: Path) -> None:
    of_other, own = ("reports/other-2026/dataset.nc", f"reports/{STUDY}/claims.json")
    names = ["notebooks/n.ipynb", f"raw/{STUDY}/a.log", "requirements.txt", of_other, own, PAGE]
    for name in names:
        write(tmp_path / name, name)
    with verification._copy(tmp_path, STUDY) as copy:
        assert [name for name in names if not (copy / name).is_file()] == [PAGE]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("rebuild", [True, False])
@pytest.mark.slow
def test_another_notebook_is_found(handed_in: Path, rebuild: bool) -> None:
    notebook = handed_in / "notebooks/disk_2026.ipynb"
    replace(notebook, notebook.read_text().replace("for whom?", "for what?"))
    done = built("verify", PAGE, "--rebuild" if rebuild else "--no-rebuild")
    assert done.code == 1
    assert re.search(r"^notebook: notebooks/disk_2026\.ipynb, SHA-256 \w{16}, here \w{16}$", done.out, re.MULTILINE)
    assert ("page, built anew: line " in done.out) == rebuild


@pytest.mark.slow
def test_another_log_is_found(handed_in: Path) -> None:
    """Also where somebody sealed it anew."""
    log = sorted((handed_in / "raw" / STUDY).glob("*.json"))[0]
    changed = re.sub(r'"bw_bytes": (\d+)', lambda match: f'"bw_bytes": {int(match[1]) + 1}', log.read_text(), count=1)
    replace(log, changed)
    done = built("verify", PAGE)
    assert (done.code, done.out) == (1, "")
    assert f"{log.name} was changed: expected the SHA-256" in done.err
    (handed_in / "raw" / STUDY / checksums.NAME).unlink()
    checksums.write(handed_in / "raw" / STUDY)
    done = built("verify", PAGE)
    assert done.code == 1
    assert re.search(
        rf"^dataset: reports/{STUDY}/dataset\.nc, SHA-256 \w{{16}}, here \w{{16}}$", done.out, re.MULTILINE
    )


@pytest.mark.slow
def test_a_number_that_was_changed_in_the_page_is_found(handed_in: Path) -> None:
    page = handed_in / PAGE
    text = page.read_text()
    replace(page, text.replace("12</button> logs", "13</button> logs", 1))
    assert page.read_text() != text
    done = built("verify", PAGE)
    assert done.code == 1
    assert re.search(r"page, built anew: line \d+: '.*13</button> logs.* in the page, .*12</button>", done.out)


def test_what_was_not_looked_at_is_told(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    part = made_from.Part("dataset", f"reports/{STUDY}/dataset.nc", "0" * 64)
    monkeypatch.setattr(verification, "said_by", lambda page: verification.Said(STUDY, "Disks", (part,)))
    monkeypatch.setattr(verification, "parts", lambda root, study: [part])
    monkeypatch.chdir(tmp_path)
    write(tmp_path / PAGE, "a\n")
    assert "looked at" not in cli("verify", PAGE, "--no-rebuild").out
    (tmp_path / "raw" / STUDY).mkdir(parents=True)
    done = cli("verify", PAGE, "--no-rebuild")
    assert done.code == 0
    assert done.out.endswith("\npage, not built anew: neither its numbers nor the raw logs were looked at\n")


@pytest.mark.parametrize(("text", "said"), [
    ("<html></html>", "does not say what it is made from: expected a paper that `storagelab paper` wrote"),
    ('<script type="application/ld+json">\n{]\n</script>', "what a paper says of itself as JSON-LD, found JSON"),
    ('<script type="application/ld+json">\n{"isBasedOn": [{}]}\n</script>', "JSON-LD, found KeyError"),
    ('<script type="application/ld+json">\n[1]\n</script>', "JSON-LD, found AttributeError"),
])  # fmt: skip
def test_what_is_no_paper_is_named(text: str, said: str, tmp_path: Path) -> None:
    page = tmp_path / "other.html"
    page.write_text(text)
    with pytest.raises(PaperError, match=rf"^{re.escape(str(page))}: .*{re.escape(said)}"):
        submission.said_by(page)


def test_the_first_difference_is_that_of_the_first_line() -> None:
    assert first_difference(b"a\nb\n", b"a\nb\n") == ""
    assert first_difference(b"a\nb\n", b"a\nc\n") == "line 2: 'b' in the page, 'c' when it is built anew"
    assert first_difference(b"a\n", b"a\nb\n") == "line 2: '(its end)' in the page, 'b' when it is built anew"
    one, other = (b"." * 500 + b"the same words before " + word for word in (b"one", b"other"))
    assert first_difference(one, other) == (
        "line 1: ' same words before one' in the page, ' same words before other' when it is built anew"
    )


def test_the_digest_of_code_is_of_every_file_and_name(tmp_path: Path) -> None:
    for part in made_from.CODE:
        place = tmp_path / part if part.endswith(".py") else tmp_path / part / "deep" / "b.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x")
        (place.parent / "a.py").write_text("x")
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file() and path != tmp_path / "a.py")
    seen = {made_from.digest(tmp_path)}
    for file in files:
        file.write_text("y")
        seen.add(made_from.digest(tmp_path))
    assert len(seen) == 1 + len(files)
    deep = tmp_path / "paper" / "deep" / "b.txt"
    deep.rename(deep.with_name("c.txt"))
    assert made_from.digest(tmp_path) not in seen
    before = made_from.digest(tmp_path)
    (tmp_path / "paper" / "__pycache__").mkdir()
    (tmp_path / "paper" / "__pycache__" / "a.pyc").write_text("x")
    assert made_from.digest(tmp_path) == before


def test_the_code_behind_a_paper_is_what_the_pipeline_says_it_is() -> None:
    from tests.test_pipeline import dependencies

    for stage in ("paper", "paper-published", "paper-synthesis"):
        listed = {dep.removeprefix("storagelab/") for dep in dependencies(stage) if dep.startswith("storagelab/")}
        assert set(made_from.CODE) == listed
    assert all((ROOT / "storagelab" / part).exists() for part in made_from.CODE)
