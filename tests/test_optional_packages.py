"""The light core: eight packages read every log; each layer above says in one line which extra it lacks."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Collection
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

import storagelab
from storagelab import optional_packages
from storagelab.errors import MissingPackageError
from tests.cli.test_compare import saved
from tests.conftest import LOGS, ROOT, fixture_logs

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MOST = 8

HIDING = """
import sys

class Hiding:
    def __init__(self, finder):
        self._finder = finder

    def __getattr__(self, name):
        return getattr(self._finder, name)

    def find_spec(self, name, path=None, target=None):
        return None if hidden(name.partition(".")[0]) else self._finder.find_spec(name, path, target)

sys.meta_path[:] = map(Hiding, sys.meta_path)
"""


def bare(requirement: str) -> str:
    return re.split(r"[<>=\[ ;]", requirement)[0].lower().replace("_", "-")


def closure(names: Collection[str]) -> set[str]:
    """Packages, and what these themselves need."""
    found, todo = set[str](), {bare(name) for name in names}
    while todo:
        name = todo.pop()
        found.add(name)
        try:
            needed = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        todo |= {bare(one) for one in needed if "extra ==" not in one} - found
    return found


@cache
def allowed() -> frozenset[str]:
    """Modules of the core's dependencies, and of Python."""
    packages = closure(PROJECT["dependencies"])
    of_core = {
        module
        for module, names in metadata.packages_distributions().items()
        if {bare(name) for name in names} & packages
    }
    return frozenset(of_core | set(sys.stdlib_module_names) | {"storagelab", "__main__"})


def in_the_core(program: str, *arguments: str, without: Collection[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run a program where only the core's dependencies can be imported, or all but some packages."""
    if without:
        hidden = f"hidden = lambda name: name in {set(without)!r}"
    else:
        hidden = f"hidden = lambda name: name[0] != '_' and name not in {set(allowed())!r}"
    return subprocess.run(
        [sys.executable, "-c", f"{hidden}\n{HIDING}\n{program}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


EVERY_LOG = """
import pathlib, tempfile
import storagelab
from storagelab.errors import MissingPackageError, StoragelabError

read = []
for log in map(pathlib.Path, sys.argv[1:]):
    try:
        read.append(storagelab.read_log(log))
    except MissingPackageError:
        raise
    except StoragelabError:
        pass
study = storagelab.tidy(read[:40])
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "study.nc")
    storagelab.save(study, path)
    runs = storagelab.open_study(path)["runs"].to_dataset()
chosen = runs.storage.select(operation="write")
assert set(chosen["operation"].values) == {"write"}
print(len(read), *sorted({name.partition(".")[0] for name in sys.modules} & {"scipy", "pint", "pyarrow", "typer"}))
"""


@pytest.mark.slow
def test_the_core_reads_every_log_and_writes_opens_and_selects() -> None:
    logs = [log for log in sorted(LOGS.glob("*/*")) if log.is_file() and ".golden." not in log.name]
    assert len(logs) > 300
    done = in_the_core(EVERY_LOG, *map(str, logs))
    assert done.returncode == 0, done.stderr[-2000:]
    refused = len(logs) - int(done.stdout)
    assert refused < len(logs) / 10


def test_the_core_has_eight_dependencies_at_most() -> None:
    assert len(PROJECT["dependencies"]) <= MOST
    assert not {"scipy", "matplotlib", "dvc", "pint", "pyarrow"} & {bare(name) for name in PROJECT["dependencies"]}


def test_extras_are_those_of_the_package() -> None:
    said = {
        extra: tuple(re.split(r"[<>=]", one)[0] for one in PROJECT["optional-dependencies"][extra])
        for extra in optional_packages.EXTRAS
    }
    assert said == dict(optional_packages.EXTRAS)
    assert PROJECT["optional-dependencies"]["all"] == ["storagelab[pipeline]"]


def test_all_brings_everything_that_one_machine_needs() -> None:
    assert {*optional_packages._packages("pipeline")} == {
        package
        for extra, packages in optional_packages.EXTRAS.items()
        for package in packages
        if "[" not in package and extra != "cluster"
    }


DOORS = {
    "import storagelab.analysis": ("scipy", 'storagelab.analysis needs scipy: pip install "storagelab[analysis]"'),
    "import storagelab; storagelab.figures": (
        "seaborn", 'storagelab.figures needs seaborn: pip install "storagelab[figures]"',
    ),
    "import storagelab.paper": ("papermill", 'storagelab.paper needs papermill: pip install "storagelab[paper]"'),
    "import storagelab.catalog": ("intake", 'storagelab.catalog needs intake: pip install "storagelab[pipeline]"'),
    "from storagelab.workers import cluster": (
        "distributed", 'work on many machines needs distributed: pip install "storagelab[cluster]"',
    ),
    "from storagelab import units; units.factor('KiB', 'B')": (
        "pint", 'a unit in a sidecar or of a figure needs pint: pip install "storagelab[study]"',
    ),
    "from storagelab.study import linear_regex; linear_regex.fullmatch('a', 'a')": (
        "pyarrow", 'a rule with `regex` needs pyarrow: pip install "storagelab[study]"',
    ),
    "from storagelab.study.expressions import evaluate; evaluate('1 + 1', {})": (
        "simpleeval", 'arithmetic in a sidecar needs simpleeval: pip install "storagelab[study]"',
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("program", DOORS)
def test_a_layer_says_at_its_door_what_it_lacks(program: str) -> None:
    package, said = DOORS[program]
    done = in_the_core(program, without=[package])
    assert done.stderr.splitlines()[-1] == f"storagelab.errors.MissingPackageError: {said}"


COMMANDS = {
    ("parse", "x.log"): ("typer", 'storagelab: the command storagelab needs typer: pip install "storagelab[cli]"'),
    ("reports",): ("dvc", 'storagelab: storagelab reports needs dvc: pip install "storagelab[pipeline]"'),
    ("plan", "x.nc", "throughput", "--by", "operation"): (
        "scipy", 'storagelab: storagelab.analysis needs scipy: pip install "storagelab[analysis]"',
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_it_in_one_line(command: tuple[str, ...], tmp_path: Path) -> None:
    package, said = COMMANDS[command]
    storagelab.save(storagelab.open_logs(fixture_logs("ior")[0]), tmp_path / "x.nc")
    run = f"\nsys.argv = {['storagelab', *command]!r}\nimport os; os.chdir({str(tmp_path)!r})\n"
    done = in_the_core(f"{run}from storagelab.__main__ import main\nmain()", without=[package])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(said)
    assert "Traceback" not in done.stderr


DRAWING = ("matplotlib", "seaborn")
NOTHING_DRAWN = """
import storagelab
from storagelab.__main__ import main

print(len(storagelab.open_study(sys.argv[1]).storage._repr_html_()) > 1000)
for arguments in (["compare", *sys.argv[1:]], ["history", *sys.argv[1:]], ["keys", sys.argv[1]]):
    sys.argv = ["storagelab", *arguments]
    try:
        main()
    except SystemExit as left:
        print(left.code)
"""


@pytest.mark.slow
def test_where_nothing_is_drawn_nothing_that_draws_is_needed(tmp_path: Path) -> None:
    sides = [str(saved(tmp_path / f"{year}.nc", year)) for year in (2025, 2026)]
    done = in_the_core(NOTHING_DRAWN, *sides, without=DRAWING)
    shown, *codes = (line for line in done.stdout.splitlines() if line in ("True", "False") or line.isdecimal())
    assert (done.stderr, shown, codes) == ("", "True", ["0", "0", "0"])


def test_a_package_that_is_missing_is_an_import_error() -> None:
    with pytest.raises(ImportError, match=r'^x needs y: pip install "storagelab\[z\]"$'):
        raise MissingPackageError("x", "y", "z")
