"""A parameter that is given is a parameter that is used, and one that is unknown is refused."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest
import xarray as xr
import yaml

from storagelab import schema
from storagelab.catalog import LogSource
from storagelab.errors import StoragelabError
from tests.conftest import ROOT
from tests.published import STUDIES as PUBLISHED
from tests.published import ingested, rendered
from tests.studies import cut_out

pytestmark = pytest.mark.filterwarnings("ignore:Shell command not executed:UserWarning")

CATALOG = ROOT / "catalogs" / "storagelab.yml"
STUDIES = sorted(path.parent.name for path in ROOT.glob("raw/*/study.yaml"))
SOURCES = yaml.safe_load(CATALOG.read_text())["sources"]

PARTS = {
    "cluster-2026": "gluster/dist/dist_external_02_write_r1/",
    "loopback-2026": "iozone/zfs/fuse_loop-direct_throughput_c02_r1",
    "xrootd-2026": "root/shard/jobs_shard_mount_cli_02_e100_b50_r1/",
}


def first_log(study: str) -> str:
    """Path of the first log of a study for which no part is chosen."""
    with (ROOT / "raw" / study / "runs.csv").open(newline="") as lines:
        return next(csv.DictReader(lines))["file"]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The repository's catalog, over two small studies."""
    import intake

    from storagelab import dataset
    from storagelab.ingest import ingest

    root = tmp_path_factory.mktemp("repository")

    (root / "catalogs").mkdir()
    shutil.copy(CATALOG, root / "catalogs")
    for study in PUBLISHED:
        dataset.save(ingested(study, rendered(study)[:2], root / "raw"), root / "reports" / study / "dataset.nc")
        (root / "reports" / study / "paper.html").write_text(f"<title>{study}</title>")
    for study in sorted({*STUDIES} - {*PUBLISHED}):
        part = PARTS.get(study) or first_log(study)
        folder = cut_out(study, lambda row, part=part: row["file"].startswith(part), root / "raw" / study)  # type: ignore[misc]
        dataset.save(ingest(folder), root / "reports" / study / "dataset.nc")
        (root / "reports" / study / "paper.html").write_text(f"<title>{study}</title>")
    return intake.open_catalog(str(root / "catalogs" / CATALOG.name))


@pytest.mark.parametrize("study", STUDIES)
def test_the_study_that_is_named_is_the_study_that_is_opened(study: str, catalog: Any) -> None:
    assert catalog.dataset(study=study).read().attrs["study"] == study
    assert catalog.paper(study=study).read() == f"<title>{study}</title>"
    logs = catalog.logs(study=study).read()["logs"]["log"].values
    assert all(f"/raw/{study}/" in log for log in logs)


@pytest.mark.parametrize("node", ["runs", "clients", "logs"])
def test_the_node_that_is_named_is_the_node_that_is_opened(node: str, catalog: Any) -> None:
    tree = catalog.dataset(study="cluster-2026").read()
    assert isinstance(tree, xr.DataTree)
    xr.testing.assert_identical(catalog.dataset(study="cluster-2026", node=node).read(), tree[node].to_dataset())


def test_logs_below_a_path_are_read_alone(catalog: Any) -> None:
    path = "gluster/dist/dist_external_02_write_r1/cli2.iozone.log"
    logs = catalog.logs(study="cluster-2026", path=path).read()["logs"]["log"].values
    assert [log.endswith(path) for log in logs] == [True]


def test_every_node_of_the_contract_can_be_asked_for() -> None:
    assert SOURCES["dataset"]["parameters"]["node"]["allowed"] == ["", *schema.NODES]


@pytest.mark.parametrize("source", SOURCES)
def test_a_value_that_is_not_allowed_is_refused(source: str, catalog: Any) -> None:
    with pytest.raises(ValueError, match="study=cluster-1926 is not one of the allowed values"):
        catalog[source](study="cluster-1926")


@pytest.mark.parametrize("source", SOURCES)
def test_an_unknown_parameter_is_refused(source: str, catalog: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'studdy'"):
        catalog[source](studdy="cluster-2026")


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", ["study", "path", "node", "unknown"])
@pytest.mark.parametrize("how", ["__call__", "get", "configure_new"])
def test_no_template_is_rendered(source: str, name: str, how: str, catalog: Any, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    given = {name: "{{ cycler.__init__.__globals__.os.popen('touch " + str(ran) + "').read() }}"}
    with pytest.raises((ValueError, TypeError, StoragelabError)):
        getattr(catalog[source], how)(**given).read()
    assert not ran.exists()


@pytest.mark.parametrize("path", ["../loopback-2026", "/etc/passwd", "gluster/../../x", "\0"])
def test_a_path_stays_in_its_study(path: str, catalog: Any) -> None:
    with pytest.raises(StoragelabError, match="expected one below the folder of the study"):
        catalog.logs(study="cluster-2026", path=path)


def test_a_link_out_of_a_study_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "raw" / "mine").mkdir(parents=True)
    (tmp_path / "raw" / "mine" / "out").symlink_to(tmp_path)
    with pytest.raises(StoragelabError, match=r"mine/out leads out of .*mine"):
        LogSource(str(tmp_path / "raw"), "mine", "out").read()


def test_a_catalog_is_not_read_by_an_address() -> None:
    with pytest.raises(
        StoragelabError, match=r"^http://localhost/raw: expected a folder: what a catalog names is read wh"
    ):
        LogSource(root="http://localhost/raw", study="mine", path=".")


def test_what_was_not_made_yet_is_said(tmp_path: Path) -> None:
    import intake

    (tmp_path / "catalogs").mkdir()
    shutil.copy(CATALOG, tmp_path / "catalogs")
    empty = intake.open_catalog(str(tmp_path / "catalogs" / CATALOG.name))
    for source in ("dataset", "paper"):
        with pytest.raises(Exception, match="is not there: make reports"):
            empty[source](study="cluster-2026").read()


def test_a_node_that_the_study_lacks_is_said(catalog: Any) -> None:
    with pytest.raises(Exception, match=r"unknown node of .*'series'"):
        catalog.dataset(study="cluster-2026", node="series").read()


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_knows_every_study_and_describes_itself(source: str) -> None:
    parameters = SOURCES[source]["parameters"]
    assert parameters["study"]["allowed"] == (STUDIES if source == "logs" else sorted([*STUDIES, "synthesis"]))
    assert SOURCES[source]["description"]
    assert all(parameter["description"] for parameter in parameters.values())


@pytest.mark.parametrize("path", ["a" * 100_000, "a/" * 50_000, "é" * 128, "./" * 5_000])
def test_a_path_that_no_file_can_have_is_refused_in_one_line(path: str) -> None:
    with pytest.raises(
        StoragelabError, match=r"^path '.{60,70}'\.\.\.: expected at most 4,095 bytes, and 255 in each name"
    ):
        LogSource("raw", "virtual-2026", path=path)
    with pytest.raises(StoragelabError, match=r"^study 'a{60}'\.\.\.: expected at most"):
        LogSource("raw", "a" * 300)


def test_a_path_that_is_too_long_with_its_study_is_refused_in_one_line() -> None:
    source = LogSource("raw", "virtual-2026", path="/".join(["a" * 255] * 15 + ["a" * 250]))
    with pytest.raises(StoragelabError, match=r"^path '.{60,70}'\.\.\.: File name too long$"):
        source.read()
