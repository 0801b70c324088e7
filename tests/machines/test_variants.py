"""Which levels there are, and that each is tried."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from storagelab import pinned_environment as environment
from tests.conftest import ROOT
from tests.machines import factors, variants
from tests.machines.factors import Level


def levels(factor: str, count: int) -> list[Level]:
    return [Level(factor, str(n), {factor: str(n)}) for n in range(count)]


def test_every_level_is_in_some_variant_and_there_are_no_more_than_the_longest_factor_needs() -> None:
    offered = {"a": levels("a", 3), "b": levels("b", 1), "none": [], "c": levels("c", 2)}
    found = variants.covering(offered, ["study"])
    assert len(found) == 3
    tried = {str(level) for variant in found for level in variant.levels}
    assert tried == {str(level) for part in offered.values() for level in part}
    assert all([level.factor for level in variant.levels] == ["a", "b", "c"] for variant in found)
    assert all(variant.studies == ("study",) for variant in found)
    assert str(found[1]) == "machine 2 (a: 1; b: 0; c: 1; only study)"
    assert variants.covering({}) == []


def test_the_first_variant_builds_all_studies_and_the_others_one_each() -> None:
    found = variants.covering({"a": levels("a", 3)}, in_turn=["a", "b", "c"])
    assert [variant.studies for variant in found] == [(), ("a",), ("b",)]
    few = variants.covering({"a": levels("a", 4)}, in_turn=["a", "b"])
    assert [variant.studies for variant in few] == [(), ("a",), ("b",), ("a",)]
    assert [variant.studies for variant in variants.covering({"a": levels("a", 1)}, in_turn=["a"])] == [()]


def test_each_level_alone() -> None:
    found = variants.each({"a": levels("a", 2), "b": levels("b", 1)})
    assert [variant.name for variant in found] == ["a: 0", "a: 1", "b: 0"]
    assert all(len(variant.levels) == 1 for variant in found)


def test_the_emulated_variant_is_of_one_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    found = variants.emulated()
    assert found is not None
    assert found.studies == (variants.EMULATED_STUDY,)
    assert variants.emulated(["another-study"]) is None
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert variants.emulated() is None


def test_core_types_are_those_whose_kernels_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = {"": "Haswell", "Prescott": "Katmai", "Zen": "Haswell", "Nehalem": "Nehalem", "Atom": "Nehalem"}
    monkeypatch.setattr(factors, "probe", lambda what, OPENBLAS_CORETYPE="": kernels.get(OPENBLAS_CORETYPE))  # noqa: N803
    found = factors.core_types(["Prescott", "Zen", "Nehalem", "Atom", "SkylakeX"])
    assert [level.name for level in found] == ["Prescott", "Nehalem"]


def test_features_of_numpy_go_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "probe", lambda what: "AVX2 AVX512 NEWER")
    disabled = [level.environment["NPY_DISABLE_CPU_FEATURES"] for level in factors.numpy_features()]
    assert disabled == ["AVX2 AVX512 NEWER", "AVX512 NEWER", "NEWER"]
    monkeypatch.setattr(factors, "probe", lambda what: "")
    assert factors.numpy_features() == []


@pytest.mark.slow
def test_what_is_disabled_is_disabled() -> None:
    """The probes ask the libraries themselves: the first level of numpy is its baseline, Prescott has other kernels."""
    for level in factors.numpy_features()[:1]:
        assert factors.probe("numpy", **level.environment) == ""
    own = factors.probe("blas")
    assert own
    for level in factors.core_types(["Prescott"]):
        assert factors.probe("blas", **level.environment) not in (own, None)
    for level in factors.glibc_features()[:1]:
        assert factors.probe("libm", **level.environment)
    assert factors.probe("blas", PYTHONHOME="/nowhere") is None


@pytest.mark.slow
def test_locales_and_a_user(tmp_path: Path) -> None:
    for level in factors.locales(tmp_path):
        if level.name == factors.COMMA:
            assert factors.probe("comma", **level.environment) == ","
    home = Path(factors.user(tmp_path).environment["HOME"])
    assert home.is_relative_to(tmp_path)
    assert "30" in (home / ".config/matplotlib/matplotlibrc").read_text()


def test_there_is_a_level_of_every_factor_that_needs_nothing_special(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factors, "probe", lambda what, **environment: "," if what == "comma" else "")
    found = factors.factors(tmp_path)
    needed = {"SIMD of Arrow", "threads", "folder", "day", "time zone", "locale", "user", "commands", "hash seed"}
    assert needed <= {name for name, some in found.items() if some}
    assert "Python" not in found


def test_another_python_that_has_all_is_used_as_it_is(tmp_path: Path) -> None:
    assert factors.equipped(sys.executable, tmp_path) == sys.executable
    assert factors.version(sys.executable) == platform.python_version()
    assert not list(tmp_path.iterdir())


def test_another_python_that_lacks_packages_gets_an_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, int(command[1:] == ["-c", "import papermill"]), stdout="3.12.1\n")

    monkeypatch.setattr(subprocess, "run", run)
    made = factors.equipped("/usr/bin/python3.12", tmp_path)
    assert made == str(tmp_path / "python 3.12.1" / "bin" / "python")
    assert asked[-2:] == [
        ["/usr/bin/python3.12", "-m", "venv", str(tmp_path / "python 3.12.1")],
        [made, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--use-pep517", "--require-hashes",
         "--requirement", str(ROOT / "requirements" / "reports.txt")],
    ]  # fmt: skip


def test_the_program_pins_nothing_that_stands_for_a_processor() -> None:
    assert not set(factors.WATCHED) & set(environment.PINNED)


def test_levels_make_an_environment() -> None:
    some = [Level("a", "1", {"TZ": "X", "OPENBLAS_CORETYPE": "Zen"}, {"days": 3}), Level("b", "1", {}, {"umask": 7})]
    made = factors.surrounded({"HOME": "/h", "TZ": "UTC"}, some, {"emulated_by": "/l"})
    told = json.loads(made.pop("STORAGELAB_SURROUNDINGS"))
    assert made == {"HOME": "/h", "TZ": "X", "OPENBLAS_CORETYPE": "Zen"}
    assert told == {"days": 3, "umask": 7, "emulated_by": "/l", "environment": {"OPENBLAS_CORETYPE": "Zen"}}
