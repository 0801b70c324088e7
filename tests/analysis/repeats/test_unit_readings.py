"""A printed unit, read in powers of ten and of two."""

from __future__ import annotations

import pytest

from storagelab.analysis import unit_readings
from storagelab.analysis.repeats.unit_readings import BINARY, both_readings
from storagelab.dataset import frame
from storagelab.errors import AnalysisError, UnknownNameError
from storagelab.units import factor
from tests.analysis.tables import node, repeats


def test_2286_of_a_peak_of_2400() -> None:
    ds = node([{"clients": 64.0, "run_id": "a", "throughput": 2286e6}])
    found = frame(unit_readings(ds, "throughput", ["clients"], printed="MB/s", peak=2.4e9)).set_index("reading")
    # 2286 / 2400 and 2286 x 1.048576 / 2400
    assert found["peak_share"].to_dict() == pytest.approx({"MB/s": 0.9525, "MiB/s": 0.99876864})
    assert found["throughput"].to_dict() == pytest.approx({"MB/s": 2286e6, "MiB/s": 2286 * 2**20})
    assert found["n"].tolist() == [1, 1]
    assert set(found["caveat"]) == {"one value: no interval"}


def test_what_was_read_as_binary_gets_smaller() -> None:
    ds = node([{"clients": 1.0, "run_id": "a", "throughput": 2.0**20}])
    found = frame(unit_readings(ds, "throughput", ["clients"], printed="MiB/s", peak=2.0**20)).set_index("reading")
    assert found["peak_share"].to_dict() == pytest.approx({"MB/s": 1e6 / 2**20, "MiB/s": 1})


def test_the_interval_is_scaled_along() -> None:
    found = frame(
        unit_readings(node(repeats((1e9, 2e9, 3e9), clients=1.0)), "throughput", ["clients"], printed="GB/s", peak=1e9)
    )
    decimal, binary = (found.iloc[i] for i in (0, 1))
    assert (decimal["peak_share_low"], decimal["peak_share_high"]) == pytest.approx((-0.484138, 4.484138), abs=1e-6)
    for name in (
        "throughput",
        "throughput_low",
        "throughput_high",
        "throughput_std",
        "throughput_error",
        "peak_share_high",
    ):
        assert binary[name] / decimal[name] == pytest.approx(2**30 / 1e9)


def test_sizes_have_readings_too() -> None:
    ds = node([{"clients": 1.0, "run_id": "a", "data_size": 1e12}])
    found = unit_readings(ds, "data_size", ["clients"], printed="TB", peak=2e12)
    assert found["peak_share"].values.tolist() == pytest.approx([0.5, 2**40 / 2e12])
    assert (found["data_size"].attrs["units"], found["peak_share"].attrs["units"]) == ("B", "1")
    assert found.attrs["method"].endswith("read as TB and as TiB, over a peak of 2e+12 B")


@pytest.mark.parametrize(("decimal", "binary"), BINARY.items())
def test_pint_knows_both(decimal: str, binary: str) -> None:
    assert both_readings(f"{binary}/s") == (f"{decimal}/s", f"{binary}/s")
    assert factor(f"{decimal}/s", "B/s") < factor(f"{binary}/s", "B/s") < 1.13 * factor(f"{decimal}/s", "B/s")


@pytest.mark.parametrize("printed", ["B/s", "Mbit/s", "s", ""])
def test_units_with_one_meaning(printed: str) -> None:
    with pytest.raises(AnalysisError, match=r"has one meaning, or none: expected bytes with a prefix \(kB, MB"):
        unit_readings(node(repeats((1.0, 2.0), clients=1.0)), "throughput", ["clients"], printed=printed, peak=1.0)


def test_a_unit_of_another_kind_and_no_peak() -> None:
    ds = node(repeats((1.0, 2.0), clients=1.0))
    with pytest.raises(UnknownNameError, match="wanted one that converts to B/s"):
        unit_readings(ds, "throughput", ["clients"], printed="MB", peak=1.0)
    with pytest.raises(AnalysisError, match="a peak of 0 is none: give it in B/s"):
        unit_readings(ds, "throughput", ["clients"], printed="MB/s", peak=0.0)
