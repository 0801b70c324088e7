"""Two formats, a study and an analysis come from outside the package, by entry points alone: nothing here is edited."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import xarray as xr

import storagelab.interactive  # noqa: F401  # registers the accessor
from storagelab.errors import ReconstructError, StoragelabError
from storagelab.interactive import installed_analyses
from storagelab.reconstruct import study_module
from tests.conftest import ROOT
from tests.packages import install

PING = re.findall(
    r"^```python\n(import re\n\nfrom storagelab\.parsers.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S
)[0].split("\nrows = parse(")[0]
PONG = PING.replace('"ioping", "ioping"', '"iopong", "iopong"').replace("ioping statistics", "iopong statistics")
STUDY = '''
"""The pings of 1969: a log in each of two formats, with the rate that is printed."""

from storagelab.reconstruct.log import Log
from storagelab.reconstruct.log import MARK


def logs(published, bed):
    rate = published.si("rate")
    for tool in ("ioping", "iopong"):
        lines = f"--- . ({tool} statistics, {MARK}) {tool} statistics ---"
        done = f"generated {bed.chosen('requests'):.0f} requests in 2.0 s, 2 MiB, 256 iops, {rate / 2**20:.1f} MiB/s"
        yield Log(f"{tool}.log", f"{lines}\\n{done}\\n", {"basis": "published", "filesystem": "ext4"})
'''
ANALYSIS = '''
"""Rates in units of the highest of them."""


def relative_rates(ds, variable="throughput"):
    return (ds[variable] / ds[variable].max()).to_dataset(name="relative")
'''
SIDECARS = {
    "study.yaml": "id: moon-1969\ntitle: Pings\norigin: reconstructed\n",
    "published.yaml": "values:\n  rate: {what: rate, value: '3.0', unit: MiB/s, section: I, context: all of it}\n",
    "testbed.yaml": "parts: {}\nmodel:\n  requests: {value: 512, why: not stated}\n",
}
GROUPS = {
    "storagelab.parsers": {"ioping": "moon.ping", "iopong": "moon.pong"},
    "storagelab.studies": {"moon-1969": "moon.study"},
    "storagelab.analyses": {"relative_rates": "moon.analysis:relative_rates"},
}


def in_a_project(root: Path, site: Path, *command: str) -> str:
    """Run a program in a project, with a folder of packages beside storagelab."""
    environment = {"PYTHONPATH": f"{site}:{ROOT}", "PATH": ""}
    return subprocess.run(
        [sys.executable, *command], cwd=root, env=environment, capture_output=True, text=True, check=True
    ).stdout


def laid_out(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.slow
def test_formats_a_study_and_an_analysis_from_outside(tmp_path: Path) -> None:
    """Logs are rendered by the study in both formats, read by the formats, and asked by the analysis."""
    site = tmp_path / "site"
    modules = {"__init__.py": "", "ping.py": PING, "pong.py": PONG, "study.py": STUDY, "analysis.py": ANALYSIS}
    laid_out(site / "moon", modules)
    install(site, "moon", GROUPS)
    laid_out(tmp_path / "raw" / "moon-1969", SIDECARS)
    assert "2 logs, reconstructed" in in_a_project(tmp_path, site, "-m", "storagelab", "reconstruct", "moon-1969")
    in_a_project(tmp_path, site, "-m", "storagelab", "ingest", "moon-1969")
    asked = (
        "import storagelab; study = storagelab.open_study('reports/moon-1969/dataset.nc');"
        "print(sorted(study['runs'].tool.values.tolist()), study['runs'].throughput.values.tolist());"
        "print(study.storage.relative_rates().relative.values.tolist());"
        "print(study['runs'].to_dataset().storage.relative_rates('operations').relative.values.tolist());"
        "print('relative_rates' in dir(study.storage))"
    )
    assert in_a_project(tmp_path, site, "-c", asked).splitlines() == [
        "['ioping', 'ioping'] [3145728.0, 3145728.0]", "[1.0, 1.0]", "[1.0, 1.0]", "True",
    ]  # fmt: skip


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which packages are imported."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("moon", "moon.study", "moon.analysis"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    laid_out(tmp_path / "moon", {"__init__.py": "", "study.py": "rows = 1\n", "analysis.py": "two = 2\n"})
    return tmp_path


STUDIES = {
    "moon.no": "cannot be imported: ModuleNotFoundError: No module named 'moon.no'",
    "moon.study": r"expected a module with a function logs\(published, bed\), found <module 'moon.study'",
}


@pytest.mark.parametrize(("value", "said"), STUDIES.items())
def test_a_study_that_is_none_is_told_with_its_package(value: str, said: str, site: Path) -> None:
    install(site, "moon", {study_module.GROUP: {"moon-1969": value}})
    with pytest.raises(
        StoragelabError, match=rf"^moon, entry point moon-1969 = {value} of storagelab\.studies: {said}"
    ):
        study_module.campaign_of(ROOT / "raw" / "moon-1969")


def test_a_study_has_one_module(site: Path) -> None:
    install(site, "moon", {study_module.GROUP: {"bnl-2007": "moon.study"}})
    both = "bnl_2007: moon, entry point bnl-2007 = moon.study of storagelab.studies renders bnl-2007 too"
    with pytest.raises(ReconstructError, match=f"^{ROOT}/reconstructions/{both}$"):
        study_module.campaign_of(ROOT / "raw" / "bnl-2007")


ANALYSES = {
    "slow = moon.no": "cannot be imported: ModuleNotFoundError: No module named 'moon.no'",
    "slow = moon.analysis:two": "expected a function of a dataset, found 2",
    "summarise = moon.analysis:two": "the verb 'summarise' is there already",
}


@pytest.mark.parametrize(("entry", "said"), ANALYSES.items())
def test_an_analysis_that_is_none_is_told_with_its_package(entry: str, said: str, site: Path) -> None:
    name, value = entry.split(" = ")
    install(site, "moon", {installed_analyses.GROUP: {name: value}})
    with pytest.raises(StoragelabError, match=f"^moon, entry point {entry} of storagelab.analyses: {said}$"):
        xr.Dataset().storage.slow()


def test_two_packages_cannot_bring_one_name(site: Path) -> None:
    for package in ("moon", "sun"):
        install(site, package, {installed_analyses.GROUP: {"slow": f"{package}.analysis"}})
    taken = "moon, entry point slow = moon.analysis of storagelab.analyses"
    with pytest.raises(StoragelabError, match=f"^sun, entry point slow = .*: the name is taken by {taken}$"):
        xr.Dataset().storage.slow()


def test_a_verb_that_nobody_brings_names_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"^no verb 'sumarise'; did you mean 'summarise'\?$"):
        xr.Dataset().storage.sumarise()
