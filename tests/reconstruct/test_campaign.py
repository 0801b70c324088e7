"""Campaigns: all logs or none, each with its basis, the same bytes each time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storagelab.errors import ReconstructError
from storagelab.reconstruct import campaign, study_module
from storagelab.reconstruct.log import Log
from storagelab.study.published import Published
from storagelab.study.testbed import TestBed
from tests.conftest import ROOT
from tests.published import STUDIES

LOG = Log("a/1.log", "text\n", {"basis": "model", "clients": 3, "client_link": 1.25e8, "filesystem": "zfs"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bnl-2007"
    folder.mkdir()
    (folder / "published.yaml").write_text("values: {}\n")
    (folder / "testbed.yaml").write_text("parts: {}\n")
    return folder


def made_of(monkeypatch: pytest.MonkeyPatch, *logs: Log) -> None:
    def made(published: Published, bed: TestBed) -> Iterator[Log]:
        yield from logs

    monkeypatch.setattr(campaign, "campaign_of", lambda study: made)


def test_logs_are_sorted_by_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = Log("b.log", "", {"basis": "derived"})
    made_of(monkeypatch, later, LOG)
    assert campaign.reconstruct(folder) == [LOG, later]


@pytest.mark.parametrize(
    ("logs", "message"),
    [
        ([LOG, LOG], "a/1.log: written twice"),
        ([Log("x", "", {})], "x: basis None, expected one of published, derived, model"),
        ([Log("x", "", {"basis": "measured"})], "x: basis 'measured'"),
        ([Log("../x", "", {"basis": "model"})], "../x: not below the folder"),
        ([Log("/x", "", {"basis": "model"})], "/x: not below the folder"),
    ],
)
def test_logs_that_cannot_be_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, logs: list[Log], message: str
) -> None:
    made_of(monkeypatch, *logs)
    with pytest.raises(ReconstructError, match=message):
        campaign.reconstruct(folder)


def test_a_study_without_a_campaign_names_those_that_have_one() -> None:
    known = "bnl-2007, cern-kinetic-2015, fermicloud-2011, llnl-2010, uscms-2009"
    with pytest.raises(ReconstructError, match=f"^moon-1969: no campaign to reconstruct, only {known}$"):
        study_module.campaign_of(ROOT / "raw" / "moon-1969")
    with pytest.raises(ReconstructError, match=r"reconstruct: .*reconstructions has no module that renders logs$"):
        study_module.campaign_of(ROOT / "tests" / "raw" / "moon-1969")


def test_the_table_has_a_column_for_each_key_that_any_log_has() -> None:
    text = campaign.table([LOG, Log("b", "", {"basis": "model", "repeat": 2})])
    assert text.splitlines() == [
        "file,basis,client_link,clients,filesystem,repeat",
        "a/1.log,model,125000000,3,zfs,",
        "b,model,,,,2",
    ]


def test_new_logs_take_the_place_of_old_ones_whole(folder: Path) -> None:
    campaign.write([Log("old.log", "", {"basis": "model"})], folder)
    target = campaign.write([LOG], folder)
    assert sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()) == [
        "a/1.log",
        "runs.csv",
    ]
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_a_failure_leaves_the_old_logs_alone(folder: Path) -> None:
    target = campaign.write([LOG], folder)
    broken = Log("b\0ad", "", {"basis": "model"})
    with pytest.raises(ValueError, match="null"):
        campaign.write([broken], folder)
    assert (target / "a/1.log").read_text() == "text\n"
    assert {path.name for path in folder.iterdir()} == {"logs", "published.yaml", "testbed.yaml"}


def test_logs_that_are_not_those_of_the_sidecars_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_of(monkeypatch, LOG, Log("b.log", "b", {"basis": "derived"}))
    target = campaign.write(campaign.reconstruct(folder), folder)
    assert campaign.differences(folder) == []
    (target / "a/1.log").write_text("tuned\n")
    (target / "b.log").unlink()
    (target / "c.log").write_text("c")
    assert [str(each).removeprefix(f"{target}/") for each in campaign.differences(folder)] == [
        "a/1.log: is not the log that `storagelab reconstruct` writes",
        "b.log: is not there: run `storagelab reconstruct`",
        "c.log: is no log of this study",
    ]


def test_every_known_study_has_a_campaign() -> None:
    for study in STUDIES:
        assert callable(study_module.campaign_of(ROOT / "raw" / study))


def test_the_wheel_holds_no_study() -> None:
    """What renders a study is of its project: the package knows none by name."""
    names = [study.replace("-", "_") for study in STUDIES]
    assert len(names) == 5
    assert [
        path for path in (ROOT / "storagelab").rglob("*.py") if path.stem in names or path.parent.name in names
    ] == []


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a study of which nothing renders the logs yet."""
    (tmp_path / study_module.FOLDER).mkdir()
    (tmp_path / "raw" / "moon-1969").mkdir(parents=True)
    return tmp_path


def test_two_projects_have_each_its_own_module(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    for number, root in enumerate((project, other)):
        (root / study_module.FOLDER).mkdir(exist_ok=True)
        (root / study_module.FOLDER / "moon_1969.py").write_text(f"def logs(published, bed):\n    yield {number}\n")
    made = [list(study_module.campaign_of(root / "raw" / "moon-1969")(None, None)) for root in (project, other)]  # type: ignore
    assert made == [[0], [1]]


@pytest.mark.parametrize(("source", "said"), [
    ("raise ValueError('x')\n", "moon_1969.py: cannot be imported: ValueError: x$"),
    ("rows = 1\n", r"moon_1969.py: expected a module with a function logs\(published, bed\), found <module"),
])  # fmt: skip
def test_what_is_wrong_with_a_module_is_told_with_its_path(project: Path, source: str, said: str) -> None:
    (project / study_module.FOLDER / "moon_1969.py").write_text(source)
    with pytest.raises(ReconstructError, match=f"^{project}/reconstructions/{said}"):
        study_module.campaign_of(project / "raw" / "moon-1969")
