"""The accessor is there when there is something to use it on, and costs nothing before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import LOGS, ROOT

LOG = sorted(log for log in (LOGS / "iozone").iterdir() if log.suffix == ".log")[0]


def output(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("code", ["import storagelab", "import storagelab; storagelab.read_log"])
def test_xarray_is_not_imported_before_there_is_a_dataset(code: str) -> None:
    assert output(f"import sys; {code}; print('xarray' in sys.modules)") == "False"


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import storagelab; study = storagelab.open_logs({log!r})",
        "from storagelab import read_log, tidy; study = tidy([read_log({log!r})])",
        "import xarray, storagelab; from storagelab.ingest.files import open_logs; study = open_logs({log!r})",
        "import storagelab.interactive; from storagelab import ingest; study = ingest.tidy([ingest.read_log({log!r})])",
        "from storagelab.catalog import LogSource; study = LogSource({folder!r}, '.', {name!r}).read()",
    ],
)
def test_what_is_loaded_has_the_accessor(code: str) -> None:
    types = "type(study.storage).__name__, type(study['runs'].to_dataset().storage).__name__"
    opening = code.format(log=str(LOG), folder=str(LOG.parent), name=LOG.name)
    assert output(f"{opening}; print({types})") == "StudyStorage NodeStorage"


@pytest.mark.slow
def test_a_saved_study_has_the_accessor_when_it_is_opened() -> None:
    program = f"""
import tempfile, pathlib, storagelab
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "study.nc")
    storagelab.save(storagelab.open_logs({str(LOG)!r}), path)
    print(type(storagelab.open_study(path).storage).__name__)
"""
    assert output(program) == "StudyStorage"


@pytest.mark.slow
def test_registering_loads_little_beside_xarray() -> None:
    code = "import sys, xarray; before = set(sys.modules); import storagelab.interactive"
    packages = {"scipy", "matplotlib", "storagelab.parsers"}
    assert output(f"{code}; print({packages!r} & (set(sys.modules) - before))") == "set()"
