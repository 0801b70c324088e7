"""The campaign of CERN's report: its plan is whole, its ends are the printed ones, and the rest follows the model."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

import pytest

from reconstructions.cern_kinetic_2015 import analysis, logs, requests, uploads
from reconstructions.cern_kinetic_2015.configurations import CONFIGURATIONS, DEV, WIDE
from reconstructions.cern_kinetic_2015.uploads import Client, Upload
from storagelab.errors import ReconstructError
from storagelab.reconstruct.log import Log
from storagelab.study.amount import amount
from storagelab.study.published import read_published
from storagelab.study.testbed import TestBed, read_testbed
from tests.conftest import ROOT

FOLDER = ROOT / "raw" / "cern-kinetic-2015"
PUBLISHED, BED = read_published(FOLDER), read_testbed(FOLDER)
CLIENT = Client("physical", "fast")


@pytest.fixture(scope="module")
def rendered() -> list[Log]:
    return list(logs(PUBLISHED, BED))


def with_model(**values: str) -> TestBed:
    chosen = {name: BED.model[name].model_copy(update={"value": amount(value)}) for name, value in values.items()}
    return BED.model_copy(update={"model": {**BED.model, **chosen}})


def upload(size: float, shift: float, kept: float = 1.0) -> Upload:
    return Upload(CLIENT, DEV, size, 1, 0.05, kept, shift, flat=True)


def test_every_planned_run_has_a_log(rendered: list[Log]) -> None:
    keys = [log.keys for log in rendered]
    plan = Counter((key.get("filesystem"), key["operation_group"]) for key in keys)
    uploaded = {(one.name, "upload"): 2 * 11 * 10 for one in CONFIGURATIONS}
    read = {(one.name, "read"): 2 * 5 for one in CONFIGURATIONS}
    assert plan == {**uploaded, **read, (None, "requests"): 2}


def test_only_ends_of_ranges_are_published(rendered: list[Log]) -> None:
    bases = Counter((log.keys["operation_group"], log.keys["basis"]) for log in rendered)
    assert bases == {
        ("upload", "published"): 4, ("upload", "model"): 656, ("read", "published"): 2, ("read", "model"): 28,
        ("requests", "model"): 2,
    }  # fmt: skip


def test_the_same_logs_every_time(rendered: list[Log]) -> None:
    assert list(logs(PUBLISHED, BED)) == rendered


def test_sizes_meet_both_ends_and_both_plateaus() -> None:
    found = uploads.sizes(BED)
    assert (found[0], found[-1], len(found)) == (4e3, 4e9, 11)
    assert {64e6, 256e6} <= set(found)


def test_steps_that_miss_an_end() -> None:
    with pytest.raises(ReconstructError, match=r"steps of 10 do not go from 4000 to 4e\+09 B"):
        uploads.sizes(with_model(step="10"))


def test_the_fitted_plateau_has_the_given_ends() -> None:
    planned = [upload(1e9, -1.0), upload(1e9, 0.2), upload(4e9, 1.0, kept=0.95)]
    level, spread = uploads.fitted(planned, 250e6, 350e6)
    rates = sorted(one.rate(level, spread) for one in planned)
    assert (rates[0], rates[-1]) == pytest.approx((250e6, 350e6), rel=1e-9)


def test_a_range_that_is_too_narrow_for_what_configurations_lose() -> None:
    with pytest.raises(ReconstructError, match=r"alone span more than 2\.5e\+08 to 2\.6e\+08 B/s"):
        uploads.fitted([upload(1e9, -1.0), upload(1e9, 1.0, kept=0.9)], 250e6, 260e6)


def test_an_upload_takes_a_start_and_the_time_of_its_bytes() -> None:
    assert upload(1e9, 0.0).elapsed(200e6, 0.1) == pytest.approx(5.05)


def test_runs_on_the_processor() -> None:
    runs = list(analysis.runs(PUBLISHED))
    whole = [run.cpu_utilisation for run in runs if run.entries == 1]
    assert (min(whole), max(whole)) == pytest.approx((0.92, 0.95))
    half = [run for run in runs if run.entries < 1]
    dev, wide = (fmean(run.cpu_utilisation for run in half if run.configuration == one) for one in (DEV, WIDE))
    assert dev - wide == pytest.approx(PUBLISHED.si("drop_high"))


def test_half_of_the_stretches_are_half_of_the_file() -> None:
    every, half = requests.stretches(1.0, BED), requests.stretches(0.5, BED)
    assert sum(size for _, size in every) == BED.chosen("file")
    assert sum(size for _, size in half) == BED.chosen("file") / 2
    assert set(half) < set(every)
    assert half == sorted(half)


def test_no_analysis_waits_less_than_its_bytes_need_on_the_link() -> None:
    """The size of the file is chosen so; with more bytes the printed share of the processor could not be."""
    for run in analysis.runs(PUBLISHED):
        cpu = run.entries * BED.chosen("cpu")
        assert cpu / run.cpu_utilisation - cpu > 0.9 * run.entries * BED.chosen("file") / BED.si("virtual.link")
