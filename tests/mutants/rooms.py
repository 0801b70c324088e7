"""The rooms of storagelab, and the tests that guard each."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "storagelab"
TESTS = ROOT / "tests"

TRACES = (
    "lineage.py", "tracing.py", "dataset/value_lines.py", "schema/lines.py", "analysis/traces.py",
    "analysis/source_rows.py", "parsers/values_on_several_lines.py", "paper/table_traces.py",
)  # fmt: skip
ENTRANCE = TESTS / "test_entrance.py"
"""Wrong arguments of what `import storagelab` gives, of every folder."""
OF_ITS_OWN = {
    "traces": (
        TRACES,
        ("test_lineage.py", "test_tracing.py", "test_value_lines.py", "test_dataset.py", "analysis/test_basis.py",
         "analysis/test_refusals.py", "analysis/efficiency", "paper/test_table_traces.py", "paper/test_findings.py",
         "paper/test_point_data.py", "test_sufficient_traces.py"),
    ),
    "units": (
        ("units.py", "counter_differences.py"),
        ("test_numbers.py", "test_units.py", "test_counter_differences.py", "parsers/monitors", "parsers/fio",
         "analysis/repeats/test_unit_readings.py"),
    ),
    "verdicts": (("claims",), ("claims", "figures/test_topology.py")),
}  # fmt: skip
"""Rooms in which every mutant should die: what they hold, and who tests it."""
WITH_THEIR_USERS = {"wording": ("figures", "interactive", "cli/test_compare.py", "cli/test_history.py")}
"""Rooms without tests of their own: those of the rooms that they serve."""


def rooms() -> dict[str, tuple[list[Path], list[Path]]]:
    """Return the modules and the tests of each room."""
    found = {name: (_modules(PACKAGE / part for part in parts), [TESTS / test for test in tests])
             for name, (parts, tests) in OF_ITS_OWN.items()}  # fmt: skip
    taken = {path for modules, _ in found.values() for path in modules}
    for folder in sorted(path for path in PACKAGE.iterdir() if (path / "__init__.py").exists()):
        if modules := [path for path in _modules([folder]) if path not in taken]:
            tests = TESTS / folder.name
            beside = [TESTS / name for name in WITH_THEIR_USERS.get(folder.name, ())]
            known = [tests] if tests.exists() else beside
            of_it = [*known, ENTRANCE, *_that_import(folder)] if known else sorted(TESTS.glob("test_*.py"))
            found[folder.name] = (modules, of_it + (_that_run_commands(but=tests) if folder.name == "cli" else []))
    alone = [path for path in sorted(PACKAGE.glob("*.py")) if path not in taken]
    found["single modules"] = (alone, sorted(TESTS.glob("test_*.py")))
    return found


def _that_import(folder: Path) -> list[Path]:
    """Return the tests beside all folders that import something of one part of storagelab by its name."""
    of_it = re.compile(rf"^\s*from storagelab(?:\.{folder.name}\b| import .*\b{folder.name}\b)", re.MULTILINE)
    return [path for path in sorted(TESTS.glob("test_*.py")) if of_it.search(path.read_text(encoding="utf-8"))]


def _that_run_commands(but: Path) -> list[Path]:
    """Return the tests outside a folder that see what commands of their part of storagelab do."""
    elsewhere = (path for path in sorted(TESTS.rglob("test_*.py")) if but not in path.parents)
    return [path for path in elsewhere if "from tests.cli.conftest import Cli" in path.read_text(encoding="utf-8")]


def _modules(parts: object) -> list[Path]:
    return [path for part in parts for path in (sorted(part.rglob("*.py")) if part.is_dir() else [part])]  # type: ignore[attr-defined]
