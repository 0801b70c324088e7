"""Names of the last release: each still leads to what it named, and warns; nothing of ours uses one."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from storagelab import deprecated

ROOT = Path(__file__).parents[1]
RENAMED = [(package, old, new) for package, names in deprecated.RENAMED.items() for old, new in names.items()]


@pytest.mark.parametrize(("package", "old", "new"), RENAMED)
def test_an_old_name_is_the_new_thing_with_a_warning(package: str, old: str, new: str) -> None:
    room = import_module(package)
    told = rf"^{re.escape(package)}\.{old} is called {new} now; the old name goes with the next release$"
    with pytest.warns(DeprecationWarning, match=told) as warned:
        assert getattr(room, old) is getattr(room, new)
    assert [one.filename for one in warned] == [__file__], "the warning names who asked"
    assert new in dir(room)
    assert old not in dir(room)


@pytest.mark.parametrize("package", deprecated.RENAMED)
def test_a_name_that_never_was_is_refused(package: str) -> None:
    with pytest.raises(AttributeError, match=rf"^module '{re.escape(package)}' has no attribute 'never'$"):
        import_module(package).never  # noqa: B018


def _code(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]) if path.suffix == ".ipynb" else text


@pytest.mark.parametrize("folder", ["docs", "notebooks", "storagelab", "benchmarks", "reconstructions"])
def test_nothing_of_ours_uses_an_old_name(folder: str) -> None:
    old = [f"{package.rpartition('.')[2]}.{name}" for package, name, _ in RENAMED]
    used = re.compile(rf"\b(?:{'|'.join(map(re.escape, old))})\b(?!\.py)")
    texts = [path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".ipynb"}]
    assert texts
    found = {path.name: used.findall(_code(path)) for path in texts}
    assert {name: names for name, names in found.items() if names} == {}
