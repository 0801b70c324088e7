"""Words in the names of logs that no key says, and names that say nothing which is not known."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from storagelab.interactive import names_of_logs
from storagelab.lineage import sources_of
from storagelab.study import words_without_key

HIDDEN = [f"{kernel}/{operation}_r{run}.log" for kernel in ("6.11", "6.8") for operation in "rw" for run in (1, 2)]
SAID = "names of logs differ in what no key says (6.8 and 6.11): such runs count as repetitions"


def runs(paths: list[str], **keys: list[str]) -> xr.Dataset:
    """A run a path, without a study."""
    columns: dict[str, tuple[str, object]] = {name: ("obs", np.array(levels)) for name, levels in keys.items()}
    coords = {"run_id": ("obs", np.array(paths)), "statistic": ("obs", ["single"] * len(paths)), **columns}
    values = 1e6 * (1 + np.arange(len(paths)))
    made = xr.Dataset({"throughput": ("obs", values, {"units": "B/s"})}, coords)
    return made.assign_attrs(study="", title="", origin="measured")


def operations(paths: list[str]) -> list[str]:
    return ["read" if "r_" in path else "write" for path in paths]


def test_a_version_in_names_that_no_key_says_is_told() -> None:
    ds = runs(HIDDEN, operation=operations(HIDDEN))
    assert names_of_logs.not_said(ds) == SAID
    assert f"warning: {SAID}" in str(ds.storage)
    assert f"warning: {SAID}" in str(ds.storage.summarise().storage)


@pytest.mark.parametrize("keys", [{}, {"filesystem": [path.partition("/")[0] for path in HIDDEN]}])
def test_a_result_leads_back_to_its_runs_whether_it_is_warned_of_or_not(keys: dict[str, list[str]]) -> None:
    assert sources_of(runs(HIDDEN, **keys).storage.summarise())


@pytest.mark.parametrize("paths", [
    [f"n{node}_r{run}.log" for node in (2, 10) for run in (1, 2)],
    [f"{name}_r{run}.log" for name in ("n2", "n10") for run in (1, 2)],
])  # fmt: skip
def test_a_number_that_stands_for_a_key_is_told_in_the_order_of_numbers(paths: list[str]) -> None:
    assert "(2 and 10)" in names_of_logs.not_said(runs(paths))


@pytest.mark.parametrize("paths", [
    ["a.log", "b.log", "c.log"], ["run1.log", "run2.log", "run3.log"], ["r1/run1.log", "r1/run2.log", "r2/run1.log"],
    ["2026-11-20/1200.log", "2026-11-20/1300.log", "2026-11-21/1200.log"], ["6.8/a.log", "6.11/a.log"],
])  # fmt: skip
def test_names_that_number_runs_are_nothing_to_beware_of(paths: list[str]) -> None:
    assert names_of_logs.not_said(runs(paths)) == ""


def test_what_a_key_says_is_no_warning() -> None:
    keys = {"operation": operations(HIDDEN), "filesystem": [path.partition("/")[0] for path in HIDDEN]}
    ds = runs(HIDDEN, **keys)
    assert names_of_logs.not_said(ds) == ""
    assert names_of_logs.ATTRIBUTE not in ds.storage.summarise().attrs


def test_a_study_has_said_what_its_names_mean() -> None:
    assert names_of_logs.not_said(runs(HIDDEN).assign_attrs(study="nvme")) == ""
    assert names_of_logs.not_said(runs(HIDDEN).drop_vars("run_id")) == ""


def test_names_of_very_many_logs_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_without_key, "MOST", len(HIDDEN) - 1)
    assert names_of_logs.not_said(runs(HIDDEN)) == ""


def test_of_many_words_the_first_are_told() -> None:
    paths = [f"{word}x/r{run}.log" for word in "abcdef" for run in (1, 2)]
    assert "(ax, bx, cx, dx and 2 more)" in names_of_logs.not_said(runs(paths))
