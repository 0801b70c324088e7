"""Formats of other packages are found by their entry points, and what is wrong with one is told with its package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from storagelab import parsers, testing
from storagelab.errors import StoragelabError
from storagelab.parsers.installed_formats import GROUP, installed
from tests.conftest import ROOT
from tests.packages import install

EXAMPLE = re.findall(
    r"^```python\n(import re\n\nfrom storagelab\.parsers.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S
)[0]
LOG = "--- . (ext4 /dev/sda) ioping statistics ---\ngenerated 512 requests in 2.0 s, 2 MiB, 256 iops, 1.0 MiB/s\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which packages are imported."""
    place = tmp_path / "site"
    place.mkdir()
    monkeypatch.syspath_prepend(place)
    return place


def test_formats_of_another_package_are_read_like_ours(site: Path, tmp_path: Path) -> None:
    (site / "my_ioping.py").write_text(EXAMPLE)
    other = EXAMPLE.replace('"ioping", "ioping"', '"other", "other"').replace("ioping stat", "other stat")
    (site / "my_other.py").write_text(other)
    install(site, "my-formats", {GROUP: {"ioping": "my_ioping", "other": "my_other"}})
    log = tmp_path / "ioping.log"
    log.write_text(LOG)
    (tmp_path / "other.log").write_text(LOG.replace("ioping", "other"))
    command = [sys.executable, "-m", "storagelab", "parse", str(log), str(tmp_path / "other.log"), "--to", "csv"]
    done = subprocess.run(
        command, env={"PYTHONPATH": f"{site}:{ROOT}", "PATH": ""}, capture_output=True, text=True, check=True
    )
    assert done.stdout.count(",1048576,") == 2, done.stdout
    assert done.stdout.count("random_read") == 2


@pytest.mark.parametrize("check", testing.CHECKS)
def test_the_example_passes_the_checks_that_stand_below_it(check: str) -> None:
    example = ModuleType("example")
    exec(EXAMPLE, vars(example))
    testing.check_format(example, LOG, check)


@pytest.mark.parametrize(("source", "said"), [
    ("raise ValueError('x')", r"cannot be imported: ValueError: x"),
    ("FORMAT = 1\ndef sniff(head): ...\ndef parse(text): ...", r"expected a module with FORMAT"),
    (EXAMPLE.replace("def sniff", "def snif"), r"expected a module with FORMAT, sniff and parse"),
    (EXAMPLE.replace('"ioping", "ioping"', '"fio-json", "fio"'), r"the format 'fio-json' is there already"),
])  # fmt: skip
def test_what_is_wrong_is_told_with_its_package(
    source: str, said: str, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "wrong", raising=False)
    (site / "wrong.py").write_text(source)
    install(site, "my-formats", {GROUP: {"wrong": "wrong"}})
    with pytest.raises(
        StoragelabError, match=rf"^my-formats, entry point wrong = wrong of storagelab\.parsers: {said}"
    ):
        installed(parsers.OURS)


def test_nothing_is_installed_beside_us() -> None:
    assert parsers.PARSERS == parsers.OURS
