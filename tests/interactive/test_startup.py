"""The accessor is there when there is something to use it on, and costs nothing before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LOGS, ROOT

LOG = sorted(log for log in (LOGS / "iozone").iterdir() if log.suffix == ".log")[0]


def output(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


TYPES = "type(study.storage).__name__, type(study['runs'].to_dataset().storage).__name__"


@pytest.mark.slow
def test_xarray_is_imported_for_a_dataset_which_has_the_accessor_also_when_it_was_saved(tmp_path: Path) -> None:
    program = f"""
import sys, storagelab
print("xarray" in sys.modules)
storagelab.read_log
print("xarray" in sys.modules)
study = storagelab.open_logs({str(LOG)!r})
print({TYPES})
storagelab.save(study, "{tmp_path}/study.nc")
print(type(storagelab.open_study("{tmp_path}/study.nc").storage).__name__)
"""
    assert output(program).splitlines() == ["False", "False", "StudyStorage NodeStorage", "StudyStorage"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "from storagelab import read_log, tidy; study = tidy([read_log({log!r})])",
        "import xarray; from storagelab.ingest.logs_without_study import open_logs; study = open_logs({log!r})",
        "import storagelab.interactive; from storagelab import ingest; study = ingest.tidy([ingest.read_log({log!r})])",
        "from storagelab.catalog import LogSource; study = LogSource({folder!r}, '.', {name!r}).read()",
    ],
)
def test_what_is_loaded_has_the_accessor(code: str) -> None:
    opening = code.format(log=str(LOG), folder=str(LOG.parent), name=LOG.name)
    assert output(f"{opening}; print({TYPES})") == "StudyStorage NodeStorage"


@pytest.mark.slow
def test_registering_loads_little_beside_xarray() -> None:
    code = "import sys, xarray; before = set(sys.modules); import storagelab.interactive"
    packages = {"scipy", "matplotlib", "storagelab.parsers"}
    assert output(f"{code}; print({packages!r} & (set(sys.modules) - before))") == "set()"
