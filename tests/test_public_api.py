from __future__ import annotations

import ast
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import storagelab


@pytest.mark.parametrize("name", storagelab.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(storagelab, name).__doc__
    assert name in dir(storagelab)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'storagelab' has no attribute 'opne_study'"):
        storagelab.opne_study  # noqa: B018


def test_type_checkers_see_the_same_names_from_the_same_homes() -> None:
    tree = ast.parse(Path(storagelab.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname or alias.name: f"{statement.module}:{alias.name}"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert seen == storagelab._HOMES
    assert sorted(seen) == storagelab.__all__


def test_importing_storagelab_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import storagelab; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names} == {
        "storagelab",
        "storagelab.after_import",
    }


MODULES = sorted(
    ".".join(path.relative_to(Path(storagelab.__file__).parent.parent).with_suffix("").parts)
    for path in Path(storagelab.__file__).parent.rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.mark.slow
def test_examples_in_docstrings_are_true() -> None:
    """Docstrings without examples are not run: for each, doctest would look at every source file that was read."""
    modules = [import_module(name.removesuffix(".__init__")) for name in MODULES]
    docstrings = [found for module in modules for found in doctest.DocTestFinder().find(module) if found.examples]
    assert len(docstrings) > 100
    assert [found.name for found in docstrings if doctest.DocTestRunner().run(found).failed] == []


def test_types_are_shipped_and_seen() -> None:
    assert (Path(storagelab.__file__).parent / "py.typed").is_file()


FIRST_OF_TWO = {
    "storagelab, then xarray": "import storagelab, xarray",
    "xarray, then storagelab": "import xarray, storagelab",
    "a part of xarray": "import storagelab; import xarray.core.dataset; import xarray",
    "storagelab after a function was asked for": "import storagelab; storagelab.read_log; import xarray",
}


@pytest.mark.parametrize("imports", FIRST_OF_TWO.values(), ids=FIRST_OF_TWO)
def test_datasets_have_the_accessor_whichever_package_was_imported_first(imports: str) -> None:
    code = f"{imports}; print(type(xarray.Dataset().storage).__name__, type(xarray.__loader__).__name__)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["NodeStorage", "SourceFileLoader"]


def test_rooms_are_reachable_without_an_import_of_their_own() -> None:
    code = "import storagelab; print(storagelab.units.factor('KiB', 'B'), storagelab.schema.NODES[0])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "1024.0 runs\n"
    )


@pytest.mark.parametrize("name", storagelab.ROOMS)
def test_every_room_is_there(name: str) -> None:
    assert getattr(storagelab, name) is import_module(f"storagelab.{name}")
