"""The archive of a paper: whole, the same each time, a research object, and a project when it is unpacked."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from storagelab import submission
from storagelab.errors import PaperError
from storagelab.paper.front_matter import Front
from storagelab.submission import archive, ro_crate
from tests.cli.conftest import Cli
from tests.submission.conftest import STUDY, built

PAGE = f"reports/{STUDY}/paper.html"


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def bundled(handed_in: Path, tmp_path: Path) -> dict[str, bytes]:
    submission.bundle(STUDY, handed_in, tmp_path / "paper.zip")
    return contents(tmp_path / "paper.zip")


def test_it_holds_all_files_with_their_checksums(bundled: dict[str, bytes], handed_in: Path) -> None:
    own = {"README.md", ro_crate.NAME, "SHA256SUMS"}
    for name in set(bundled) - own:
        assert bundled[name] == (handed_in / name).read_bytes()
    raw = {path.relative_to(handed_in).as_posix() for path in (handed_in / "raw" / STUDY).rglob("*") if path.is_file()}
    assert len(raw) == 14
    wanted = {PAGE, f"reports/{STUDY}/dataset.nc", "notebooks/disk_2026.ipynb", "notebooks/references.bib"}
    assert set(bundled) > raw | wanted | own | {"requirements.txt"}
    sums = dict(line.split("  ")[::-1] for line in bundled["SHA256SUMS"].decode().splitlines())
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in bundled.items() if name != "SHA256SUMS"}


def test_it_has_the_same_bytes_each_time(handed_in: Path, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        submission.bundle(STUDY, handed_in, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        entries = archive.infolist()
    assert {(entry.date_time, entry.external_attr >> 16) for entry in entries} == {((1980, 1, 1, 0, 0, 0), 0o100644)}
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)


@pytest.mark.slow
def test_unpacked_it_is_a_project_in_which_the_paper_is_the_same(
    bundled: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "unpacked"
    for name, data in bundled.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    monkeypatch.chdir(root)
    done = built("verify", PAGE)
    assert done.code == 0, done
    assert done.out.endswith(
        "built anew: the same, byte by byte\nfiles beside it, built anew: the same, byte by byte\n"
    )


def test_the_description_is_a_process_run_crate(bundled: dict[str, bytes]) -> None:
    """What the profile demands: https://www.researchobject.org/workflow-run-crate/profiles/process_run_crate/."""
    graph: dict[str, dict[str, Any]] = {
        entity["@id"]: entity for entity in json.loads(bundled[ro_crate.NAME])["@graph"]
    }
    root = graph["./"]
    assert graph[ro_crate.NAME]["about"] == {"@id": "./"}
    assert graph[ro_crate.NAME]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert graph[root["conformsTo"]["@id"]]["@type"] == "CreativeWork"
    assert {"name", "description", "datePublished", "license", "author", "identifier"} <= root.keys()
    parts = {part["@id"] for part in root["hasPart"]}
    assert parts == {entity["@id"] for entity in graph.values() if entity["@type"] == "File"}
    assert parts == {name for name in bundled if name not in (ro_crate.NAME, "SHA256SUMS")}
    for action in (graph[one["@id"]] for one in root["mentions"]):
        assert action["@type"] == "CreateAction"
        assert graph[action["instrument"]["@id"]]["@type"] == "SoftwareApplication"
        assert {"name", "description", "agent", "object", "result"} <= action.keys()
    assert graph["https://orcid.org/0000-0002-1825-0097"]["name"] == "Ada Example"
    links = [value for entity in graph.values() for value in linked(entity)]
    unknown = {link for link in links if link not in graph and not link.startswith("http")}
    assert unknown == set()


def linked(value: Any) -> list[str]:
    """Identifiers that an entity names."""
    if isinstance(value, dict):
        own = [value["@id"]] if set(value) == {"@id"} else []
        return own + [link for one in value.values() for link in linked(one)]
    return [link for one in value for link in linked(one)] if isinstance(value, list) else []


def test_a_paper_that_was_not_built_is_named(handed_in: Path, tmp_path: Path, cli: Cli) -> None:
    (handed_in / PAGE).unlink()
    with pytest.raises(PaperError, match=rf"^no paper {PAGE}: build it first with `storagelab paper {STUDY}`$"):
        submission.bundle(STUDY, handed_in, tmp_path / "paper.zip")
    assert cli("bundle", STUDY).code == 1
    assert not (handed_in / f"{STUDY}.zip").exists()


def test_the_command_says_what_it_wrote(handed_in: Path, cli: Cli) -> None:
    done = cli("bundle", STUDY, "--json")
    answer = json.loads(done.out)
    assert answer["rows"] == [{"file": f"{STUDY}.zip", "files": len(contents(handed_in / f"{STUDY}.zip"))}]


@pytest.mark.parametrize(
    ("dates", "days"),
    [("2026-01-30 to 2026-02-01", ["2026-01-30", "2026-02-01"]), ("2026-01-30", ["2026-01-30"]), ("", [])],
)
def test_a_paper_is_of_its_own_day_or_of_the_last_of_its_data(dates: str, days: list[str]) -> None:
    assert ro_crate.About(STUDY, {"dates": dates}, Front()).days == days
    assert ro_crate.About(STUDY, {"dates": dates}, Front()).published == (days[-1] if days else "")
    assert ro_crate.About(STUDY, {"dates": dates}, Front(date="2026-01/2026-03")).published == "2026-03"


def test_what_was_run_is_said_with_what_it_used_and_made() -> None:
    raw, notebook = [f"raw/{STUDY}/{name}.log" for name in "ab"], f"reports/{STUDY}/notebook.ipynb"
    names = [*raw, "notebooks/disk.ipynb", f"reports/{STUDY}/dataset.nc", PAGE, notebook, "requirements.txt"]
    ingest, paper = ro_crate._actions(ro_crate.About(STUDY, {}, Front()), names)
    assert ingest["object"] == [{"@id": name} for name in raw]
    assert ingest["result"] == {"@id": f"reports/{STUDY}/dataset.nc"}
    assert paper["object"] == [{"@id": "notebooks/disk.ipynb"}, {"@id": f"reports/{STUDY}/dataset.nc"}]
    assert paper["result"] == {"@id": PAGE}


def test_a_file_of_a_format_that_nobody_knows_is_text() -> None:
    said = ro_crate._file("raw/tiny/a.odd", b"one")
    assert (said["encodingFormat"], said["contentSize"]) == ("text/plain", "3")


def test_figures_of_a_venue_lie_in_a_folder_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(archive.figures, "printed", lambda *of: of)
    monkeypatch.setattr(archive.figures, "named", lambda drawn, formats: {f"{drawn[0]}.pdf": b"drawn"})
    monkeypatch.setattr(archive.figures, "venue", lambda name: name)
    assert archive._figures(STUDY, tmp_path, "acm") == {f"submission/figures/{STUDY}.pdf": b"drawn"}
    assert archive._figures(STUDY, tmp_path, "") == {}
